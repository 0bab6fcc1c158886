/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds how a counter is set up: its event, its size, where it overflows.  The model answers twice, with the unknown
 * controls at 0 and at 1.  Each control moves the answer in one direction only, so the answer is known if both agree.
 */
#include "internal.h"

/* Returns the answer for a control from the answers at 0 and at 1: APMU_UNKNOWN if they differ. */
static enum apmu_truth both(bool at_0, bool at_1)
{
    return at_0 != at_1 ? APMU_UNKNOWN : at_0 ? APMU_YES : APMU_NO;
}

/* Returns the state with the unknown bits of the controls at 0, or at 1 with @ones; with @pmee, PMEE's at 1. */
static struct apmu_full_state state_with(const struct apmu_facts *f, bool ones, bool pmee)
{
    const uint64_t signal[3] = {APMU_MASK(MDCR_EL3, PMEE), APMU_MASK(MDCR_EL2, PMEE), APMU_MASK(PMECR_EL1, PMEE)};
    struct apmu_full_state w = f->is;

#define FILL(word, mask) w.word |= (ones ? ~f->known.word : 0) & (mask)
    FILL(p.pmcr, APMU_MASK(PMCR_EL0, LP) | APMU_MASK(PMCR_EL0, LC));
    FILL(pe.mdcr_el2, APMU_MASK(MDCR_EL2, HLP) | APMU_MASK(MDCR_EL2, HPMN));
#undef FILL
    w.pe.mdcr_el3 |= pmee ? ~f->known.pe.mdcr_el3 & signal[0] : 0;
    w.pe.mdcr_el2 |= pmee ? ~f->known.pe.mdcr_el2 & signal[1] : 0;
    w.p.ecr |= pmee ? ~f->known.p.ecr & signal[2] : 0;
    return w;
}

static bool all_known(uint64_t known, uint64_t bits)
{
    return (known & bits) == bits;
}

/* Returns bit @n of a word, as far as it is known. */
static enum apmu_truth flag(uint64_t word, uint64_t known, unsigned n)
{
    return (known >> n & 1) == 0 ? APMU_UNKNOWN : (word >> n & 1) != 0 ? APMU_YES : APMU_NO;
}

/* Returns whether PMCEID<n>_EL0 list an event, as far as they are known. */
static enum apmu_truth implemented(const struct apmu_facts *f, uint16_t event)
{
    const unsigned bit = event & 0x1Fu, half = event >> 14 & 1u, word = event >> 5 & 1u;

    if ((event & ~0x403Fu) != 0) {
        return APMU_UNKNOWN;
    }
    return flag(f->is.p.cfg.pmceid[word], f->known.p.cfg.pmceid[word], bit + 32 * half);
}

/* Fills in the event of counter @n, and whether it is implemented. */
static void find_event(const struct apmu_facts *f, unsigned n, struct apmu_counter_setup *setup)
{
    const uint64_t bits = APMU_MASK(PMEVTYPER_EL0, evtCount);
    const bool p1 = explain_has(&f->is.p.cfg, APMU_FEAT(PMUv3p1));
    const uint64_t there = p1 ? bits : explain_has(&f->is.p.cfg, APMU_FEAT(PMUv3)) ? 0x3FF : 0xFF;

    setup->event_known = n >= APMU_CYCLE || all_known(f->known.p.typer[n], there);
    setup->event = n == APMU_CYCLE   ? APMU_EV_CPU_CYCLES
                   : n == APMU_INSTR ? APMU_EV_INST_RETIRED
                                     : (uint16_t)(f->is.p.typer[n] & there);
    setup->implemented = !setup->event_known ? APMU_UNKNOWN : n >= APMU_CYCLE ? APMU_YES : implemented(f, setup->event);
}

void apmu_counter_setup(const struct apmu_facts *f, unsigned n, struct apmu_counter_setup *setup)
{
    const struct apmu_full_state low = state_with(f, false, false), high = state_with(f, true, true);
    const uint64_t typer_bits = APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TE) |
                                APMU_MASK(PMEVTYPER_EL0, TLC) | APMU_MASK(PMEVTYPER_EL0, TH);
    const unsigned width[2] = {apmu_overflow_width(&low.p, &low.pe, n), apmu_overflow_width(&high.p, &high.pe, n)};
    const bool divider = (f->known.p.pmcr & APMU_MASK(PMCR_EL0, D)) != 0;
    struct apmu_full_state divides = low;

    *setup = (struct apmu_counter_setup){.width = apmu_counter_size(&f->is.p, n)}; /* not chained, no threshold */
    find_event(f, n, setup);
    setup->overflow_width = width[0] == width[1] ? width[0] : 0;
    setup->overflowed = flag(f->is.p.ovs, f->known.p.ovs, n);
    setup->interrupts = flag(f->is.p.inten, f->known.p.inten, n);
    if (n == APMU_CYCLE) { /* PMCR_EL0.D needs AArch32; LC or the PMU Profiling exception overrides it */
        divides.p.pmcr |= divider || !explain_has(&f->is.p.cfg, APMU_FEAT(AA32)) ? 0 : APMU_MASK(PMCR_EL0, D);
        setup->divided = divider ? both(apmu_cycle_divides(&low.p, &low.pe), apmu_cycle_divides(&high.p, &high.pe))
                                 : both(apmu_cycle_divides(&divides.p, &divides.pe), false);
    } else if (n < APMU_CYCLE) {
        const bool next_known = n + 1 >= f->is.p.cfg.counters || (n & 1) != 0 ||
                                all_known(f->known.p.typer[n + 1], APMU_MASK(PMEVTYPER_EL0, evtCount));

        setup->chained = APMU_UNKNOWN;
        if (next_known) {
            setup->chained = both(apmu_chains_into(&low.p, &low.pe, n), apmu_chains_into(&high.p, &high.pe, n));
        }
        if (explain_has(&f->is.p.cfg, APMU_FEAT(PMUv3_TH))) {
            setup->threshold = !all_known(f->known.p.typer[n], typer_bits) ? APMU_UNKNOWN
                               : apmu_threshold_active(&f->is.p, n)        ? APMU_YES
                                                                           : APMU_NO;
        }
    }
}
