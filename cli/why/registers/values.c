/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: what values show by themselves, beside what stops a counter. */
#define _GNU_SOURCE
#include <inttypes.h>

#include <armpmu/events.h>

#include "registers.h"

/* Returns true if the writer says that a count is wrong, in any way but being zero. */
static bool sees_wrong_count(const struct registers_case *c)
{
    return registers_sees(c, READING_small) || registers_sees(c, READING_large) || registers_sees(c, READING_wraps) ||
           registers_sees(c, READING_differs) || registers_sees(c, READING_noisy);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts.
 */

static void biased(const struct registers_case *c)
{
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const uint64_t count = registers_value(c, APMU_REG_PMEVCNTR_EL0, n);

        if (count >> 32 == UINT32_MAX && reading_find(c->r, CLUE_words_register_changes) != NULL) {
            registers_suspect(c, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 75, APMU_REG_PMEVCNTR_EL0, n,
                              "one owner: stop perf or the profiler, or count through perf_event_open()",
                              "0x%" PRIx64 " is how perf starts a counter, and you set this one up yourself", count);
            return;
        }
        if (count >> 32 == UINT32_MAX) {
            registers_suspect(
                c, WHY_perf_bias_upper_half, SUSPECT_CERTAIN, 75, APMU_REG_PMEVCNTR_EL0, n,
                "use the lower 32 bits only (mask the upper half), or ask perf for 64 bits: config1:0=1",
                "the upper half of 0x%" PRIx64 " is all ones: Linux starts a 32-bit event so that it overflows", count);
            return;
        }
    }
}

/* A 64-bit cycle counter that was small is close to 2^64: it did not count to there, somebody wrote it. */
static void preloaded(const struct registers_case *c)
{
    const struct state_cell *count = state_cell(&c->r->states[0], APMU_REG_PMCCNTR_EL0, 0);

    if (c->r->state_count == 1 && (c->moved & REGISTERS_CYCLE) != 0 && count->value >> 63 == 0 &&
        count->last >> 63 == 1 && !c->pmxev) {
        registers_suspect(c, WHY_somebody_else_programs_pmu, SUSPECT_LIKELY, 84, APMU_REG_PMCCNTR_EL0, 0,
                          "find who writes it: perf starts a counter at minus its period, and the NMI watchdog is "
                          "perf, too (kernel.nmi_watchdog=0)",
                          "PMCCNTR goes from 0x%" PRIx64 " to 0x%" PRIx64 ": no count gets there, so somebody wrote it",
                          count->value, count->last);
    }
}

/* A later count of 32 bits is smaller than the one before it, which was in the upper half. */
static bool wrapped(const struct registers_case *c)
{
    const uint64_t inten = registers_value(c, APMU_REG_PMINTENSET_EL1, 0);
    char name[8];

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0 : APMU_REG_PMEVCNTR_EL0;
        const struct state_cell *count = state_cell(&c->r->states[0], reg, n < APMU_CYCLE ? n : 0);

        if ((c->moved >> n & 1) == 0 || count->fell[0] >> 31 != 1 || (n == APMU_CYCLE && !c->pmxev) ||
            c->r->state_count > 1 || (inten >> n & 1) != 0) { /* its interrupt reports the wrap */
            continue;
        }
        registers_suspect(
            c, WHY_wraps_at_32_bits, SUSPECT_CERTAIN, 76, reg, n < APMU_CYCLE ? n : 0,
            "subtract in 32 bits (uint32_t) where less than 2^32 can happen between the reads; else add 2^32 "
            "for each overflow, by its interrupt or a CHAIN pair, or set PMCR_EL0.LP (FEAT_PMUv3p5)",
            "counter %s went from 0x%" PRIx64 " to 0x%" PRIx64 ": it wrapped at 32 bits", why_counter_name(n, name),
            count->fell[0], count->fell[1]);
        suspect_clear(c->all, WHY_read_in_two_halves);
        return true;
    }
    return false;
}

/* A count of 32 bits that wraps, and the writer sees it. */
static void wraps(const struct registers_case *c)
{
    if (wrapped(c) || registers_wants_divider(c)) {
        return;
    }
    const uint64_t flags = registers_value(c, APMU_REG_PMOVSSET_EL0, 0);
    const uint64_t inten = registers_value(c, APMU_REG_PMINTENSET_EL1, 0);
    const bool wonders = reading_find(c->r, CLUE_words_wonders) != NULL;
    char name[48];

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const struct apmu_counter_setup *setup = &c->w->setups[n];
        const bool flagged = (flags & ~inten) >> n & 1, shown = ((c->zero | c->counted) >> n & 1) != 0;
        const bool short_count = n < APMU_CYCLE ? setup->overflow_width == 32 : n == APMU_CYCLE && c->pmxev;

        if (!registers_in_focus(c, n) || !short_count || (!flagged && !shown) || setup->chained == APMU_YES ||
            !(registers_sees(c, READING_wraps) ||
              (flagged && (registers_sees(c, READING_small) || registers_sees(c, READING_large) || wonders)))) {
            continue;
        }
        registers_suspect(
            c, WHY_wraps_at_32_bits, flagged ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 65,
            flagged ? APMU_REG_PMOVSSET_EL0 : APMU_REG_PMCR_EL0, 0,
            n == APMU_CYCLE ? "add 2^32 for each overflow: enable its interrupt (bit 31 of PMINTENSET) or poll "
                              "PMOVSR; or PMCR.D = 1 for a 64 times longer range"
                            : "PMCR_EL0.LP = 1 (FEAT_PMUv3p5), a chained pair (event 0x1E in the odd counter), "
                              "or add 2^32 in the overflow interrupt",
            "counter %s has 32 bits%s", why_counter_name(n, name), flagged ? ", and its overflow flag is set" : "");
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events.
 */

/* A pair of counters with CHAIN that is not set up whole. */
static void chains(const struct registers_case *c)
{
    const uint64_t enabled = registers_value(c, APMU_REG_PMCNTENSET_EL0, 0);
    const bool known = (registers_known(c, APMU_REG_PMCNTENSET_EL0, 0) & UINT32_MAX) != 0;
    char cure[400], name[48];

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const uint64_t type = registers_value(c, APMU_REG_PMEVTYPER_EL0, n);
        const unsigned even = n & ~1u;
        const bool half = known && (enabled >> even & 3) != 3;

        if ((type & 0xFFFF) != APMU_EV_CHAIN) {
            continue;
        }
        registers_name(c, APMU_REG_PMEVTYPER_EL0, n, name);
        if (n % 2 == 0 || (half && (enabled >> even & 3) != 0)) {
            suspect_text(
                cure,
                "put the event into the even counter %u and CHAIN (0x1E) into the odd one, %u, and enable both: "
                "write 0x%x to PMCNTENSET",
                even, even + 1, 3u << even);
            registers_suspect(c, WHY_chain_not_programmed, SUSPECT_CERTAIN, 72, APMU_REG_PMEVTYPER_EL0, n, cure,
                              n % 2 == 0 ? "%s has CHAIN (0x1E), which counts in odd counters only"
                                         : "%s has CHAIN (0x1E), but not both counters of the pair are enabled",
                              name);
        } else if (registers_sees(c, READING_wraps) || registers_sees(c, READING_noisy)) {
            registers_suspect(c, WHY_read_in_two_halves, SUSPECT_LIKELY, 65, APMU_REG_PMEVTYPER_EL0, n,
                              "read the odd counter, the even one, and the odd one again, until both reads of it agree",
                              "%s has CHAIN (0x1E): the count of 64 bits is in two registers", name);
        }
    }
}

/* A threshold, which counts only some cycles. */
static void thresholds(const struct registers_case *c)
{
    char cure[400], name[48], write[240];

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const uint64_t type = registers_value(c, APMU_REG_PMEVTYPER_EL0, n);
        const uint64_t bits = APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TH);

        if (!registers_in_focus(c, n) || (type & bits) == 0 || c->w->setups[n].threshold == APMU_NO) {
            continue;
        }
        suspect_text(cure, "TC = 0 and TH = 0 in %s%s", registers_name(c, APMU_REG_PMEVTYPER_EL0, n, name),
                     registers_write(c, APMU_REG_PMEVTYPER_EL0, n, 0, bits, write));
        registers_suspect(c, WHY_threshold_set, registers_sees(c, READING_zero) ? SUSPECT_LIKELY : SUSPECT_CERTAIN, 55,
                          APMU_REG_PMEVTYPER_EL0, n, cure,
                          "%s has TC = %u and TH = %u: only cycles that pass the threshold count", name,
                          (unsigned)APMU_GET(PMEVTYPER_EL0, TC, type), (unsigned)APMU_GET(PMEVTYPER_EL0, TH, type));
    }
}

/* User space was wanted, and the kernel at EL2 is counted too. */
static void kernel_at_el2(const struct registers_case *c)
{
    const uint64_t both = APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSH);
    const bool zero = registers_sees(c, READING_zero);
    uint64_t e2h;
    char cure[400], name[48], write[240];

    if (!STATE_FIELD(c->s, HCR_EL2, 0, E2H, &e2h) || e2h == 0) {
        return;
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
        const unsigned copy = n < APMU_CYCLE ? n : 0;

        if (n > APMU_CYCLE || !registers_in_focus(c, n) || (registers_value(c, reg, copy) & both) != both) {
            continue;
        }
        suspect_text(cure, "%s.NSH = 0 (bit 27)%s", registers_name(c, reg, copy, name),
                     registers_write(c, reg, copy, 0, APMU_MASK(PMEVTYPER_EL0, NSH), write));
        registers_suspect(c, WHY_vhe_kernel_counted, zero ? SUSPECT_POSSIBLE : SUSPECT_CERTAIN, 60, reg, copy, cure,
                          "HCR_EL2.E2H = 1, and %s has P = 1 and NSH = 1: P does not exclude the kernel at EL2", name);
    }
}

/* Returns true if the filters of all counters in question exclude EL1 and EL0, and not EL2. */
static bool counts_only_el2(const struct registers_case *c)
{
    const uint64_t bits = APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, U) | APMU_MASK(PMEVTYPER_EL0, NSH);
    bool all = c->focus != 0;

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;

        all &= !registers_in_focus(c, n) || (registers_value(c, reg, n < APMU_CYCLE ? n : 0) & bits) == bits;
    }
    return all;
}

/* Returns true if too little is counted, and the words name the level that @bits, P and U of a filter, exclude. */
static bool misses_level(const struct registers_case *c, unsigned bits)
{
    const bool user = reading_find(c->r, CLUE_words_user) != NULL;

    return registers_sees(c, READING_small) &&
           (bits == 1 ? user : !user && reading_find(c->r, CLUE_words_kernel) != NULL);
}

/*
 * A counter that is said to stand still, or to count much too little, counts at one of EL1 and EL0 only: it is the
 * other one that is meant, whatever level the words name.
 */
static void one_level(const struct registers_case *c)
{
    static const char *const excluded[] = {"", "U (bit 30) = 1 excludes EL0", "P (bit 31) = 1 excludes EL1"};

    const bool still = registers_sees(c, READING_zero) || registers_sees(c, READING_stuck);

    if (c->all->count != 0 || c->in->states != 0 || c->w->model.el_known) {
        return;
    }
    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
        const unsigned copy = n < APMU_CYCLE ? n : 0;
        const unsigned bits = (unsigned)(registers_value(c, reg, copy) >> 30 & 3);
        char cure[400], name[48], write[240];

        if (!registers_in_focus(c, n) || (bits != 1 && bits != 2) ||
            !(still || registers_expects_more(c, n) || misses_level(c, bits))) {
            continue;
        }
        suspect_text(cure, "%s.%c (bit %u) = 0%s", registers_name(c, reg, copy, name), bits == 1 ? 'U' : 'P',
                     29 + bits, registers_write(c, reg, copy, 0, UINT64_C(1) << (29 + bits), write));
        registers_suspect(c, WHY_filter_p_or_u_set, SUSPECT_LIKELY, 60, reg, copy, cure, "%s in %s", excluded[bits],
                          name);
        return;
    }
}

/* Returns what to do about the erratum that concerns an event in use, NULL if there is none. */
static const char *cure_of_erratum(const struct registers_case *c)
{
    const uint64_t midr = registers_value(c, APMU_REG_MIDR_EL1, 0);
    const char *cure = NULL;

    for (unsigned n = 0; n < APMU_CYCLE && cure == NULL; n++) {
        cure = (c->set_up >> n & 1) != 0 ? why_erratum_cure(c->s->core, midr, c->w->setups[n].event) : NULL;
    }
    return cure;
}

/* Threads, and an EL2 that this machine lacks. */
static void asked_in_vain(const struct registers_case *c)
{
    struct why_cause_list found;
    const bool wrong = sees_wrong_count(c) || registers_sees(c, READING_zero);

    why_find_causes(c->w, NULL, &found);
    for (size_t i = 0; i < found.count; i++) {
        const enum why_cause_id id = (enum why_cause_id)(found.causes[i] - why_causes);
        enum suspect_confidence confidence = wrong ? SUSPECT_LIKELY : SUSPECT_POSSIBLE;

        if (id == WHY_mt_without_effect) {
            confidence = c->symptom || (c->focus & c->zero) == 0 ? SUSPECT_LIKELY : SUSPECT_POSSIBLE;
            registers_suspect(c, id, confidence, 40, APMU_REG_PMEVTYPER_EL0, 0,
                              "PMEVTYPER<n>_EL0.MT = 0 (bit 25), and one "
                              "event for each thread; or firmware sets MDCR_EL3.MTPME (bit 28)",
                              "%s", found.causes[i]->sign);
        } else if (id == WHY_guest_el2_not_counted) {
            const bool only_el2 = counts_only_el2(c);

            registers_suspect(c, id, only_el2 ? SUSPECT_CERTAIN : confidence, only_el2 ? 74 : 40,
                              APMU_REG_ID_AA64PFR0_EL1, 0,
                              "count on the host: a guest has no EL2, so NSH (bit 27) does nothing here", "%s",
                              found.causes[i]->sign);
            if (only_el2) {
                suspect_clear(c->all, WHY_filter_p_or_u_set);
            }
        } else if (id == WHY_core_erratum && wrong) {
            registers_suspect(c, id, SUSPECT_LIKELY, 50, APMU_REG_MIDR_EL1, 0, cure_of_erratum(c), "%s",
                              found.causes[i]->text);
        }
    }
}

/* The cycle counter moves, less than the clock does, on a machine that sleeps. */
static void sleeps(const struct registers_case *c)
{
    const bool told = registers_say(c->r, "wfi") || registers_say(c->r, "wfe") || registers_say(c->r, "idle");

    if (told && (c->moved & REGISTERS_CYCLE) != 0 && registers_in_focus(c, APMU_CYCLE) &&
        (registers_value(c, APMU_REG_PMCR_EL0, 0) & APMU_MASK(PMCR_EL0, D)) == 0) {
        registers_suspect(
            c, WHY_wfi_stops_cycles, SUSPECT_LIKELY, 60, APMU_REG_PMCCNTR_EL0, 0,
            "take the time from the generic timer (CNTVCT_EL0) or CNT_CYCLES (0x4004): the clock stops in WFI "
            "and WFE, and PMCCNTR with it; or keep the core busy",
            "the cycle counter moves, and the core sleeps meanwhile");
    }
}

void registers_values(const struct registers_case *c)
{
    registers_surroundings(c);
    registers_selected(c);
    registers_counters(c);
    registers_pmcr_bits(c);
    biased(c);
    preloaded(c);
    wraps(c);
    registers_two_cycles(c);
    sleeps(c);
    chains(c);
    thresholds(c);
    kernel_at_el2(c);
    asked_in_vain(c);
    one_level(c);
    registers_pmcr_source(c);
}
