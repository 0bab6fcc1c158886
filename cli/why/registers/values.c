/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: what values show by themselves, beside what stops a counter. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#include "registers.h"

static bool in_focus(const struct registers_case *c, unsigned n)
{
    return (c->focus >> n & 1) != 0;
}

static bool sees(const struct registers_case *c, enum reading_symptom symptom)
{
    return registers_sees(c, symptom);
}

/* Returns true if the writer says that a count is wrong, in any way but being zero. */
static bool sees_wrong_count(const struct registers_case *c)
{
    return sees(c, READING_small) || sees(c, READING_large) || sees(c, READING_wraps) || sees(c, READING_differs) ||
           sees(c, READING_noisy);
}

/* ---------------------------------------------------------------------------------------------------------------
 * PMCR.
 */

/* The PMCR is one that was written, or the PMU is emulated as zero. */
static void pmcr_values(const struct registers_case *c)
{
    const struct state_cell *pmcr = state_cell(&c->r->states[0], APMU_REG_PMCR_EL0, 0);
    const bool whole = (pmcr->known & UINT32_MAX) == UINT32_MAX;
    const uint64_t value = pmcr->last & UINT32_MAX;
    const struct apmu_core_info *core = c->s->core;
    char name[48];

    registers_name(c, APMU_REG_PMCR_EL0, 0, name);
    if (!whole || (value & APMU_BITS(31, 11)) != 0) {
        return;
    }
    if (value == 0 && pmcr->moved && !registers_say(c->r, "read back") && !registers_say(c->r, "readback")) {
        return; /* it had another value before */
    }
    if (value == 0 && pmcr->moved) {
        suspect_clear(c->all, WHY_power_lost_reset_values);
    }
    if (value == 0 && c->r->code != NULL && reading_find(c->r, CLUE_words_external) != NULL) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_LIKELY, 85, APMU_REG_PMCR_EL0, 0,
                          "write 0xC5ACCE55 to PMLAR (offset 0xFB0) and clear the OS lock (OSLAR) first, with the core "
                          "powered; then see that PMCFGR (0xE00) or PMDEVARCH (0xFBC) read as those of a PMU",
                          "%s = 0 in the external view: it is locked, without power, or at another address", name);
        return;
    }
    if (value == 0 && core != NULL) {
        registers_suspect(c, WHY_register_emulated_as_zero, SUSPECT_CERTAIN, 90, APMU_REG_PMCR_EL0, 0,
                          "give the virtual machine a PMU (QEMU: -cpu host,pmu=on), or count on the host; bare metal: "
                          "the hypervisor or firmware below reads the PMU's registers as zero",
                          "%s = 0, but a %s has counters (N) and an implementer there", name, core->name);
        suspect_clear(c->all, WHY_pmcr_e_clear);
        suspect_clear(c->all, WHY_counter_not_enabled);
        suspect_clear(c->all, WHY_counters_kept_back);
    } else if (value == 0) {
        registers_suspect(c, WHY_register_emulated_as_zero, SUSPECT_LIKELY, 80, APMU_REG_PMCR_EL0, 0,
                          "give the virtual machine a PMU (QEMU: -cpu host,pmu=on), or count on the host",
                          "%s = 0: the N and ID fields of a PMU are not all zero", name);
    } else {
        registers_suspect(c, WHY_pmcr_value_copied_from_write, SUSPECT_LIKELY, 40, APMU_REG_PMCR_EL0, 0,
                          "read PMCR back, and look at that value: N is in bits 15:11",
                          "%s = 0x%" PRIx64 ": N, IMP and IDCODE are 0, as in a value that software writes", name,
                          value);
    }
}

/* The divider by 64. */
static void divider(const struct registers_case *c)
{
    const uint64_t d = APMU_MASK(PMCR_EL0, D), lc = APMU_MASK(PMCR_EL0, LC);
    const uint64_t value = registers_value(c, APMU_REG_PMCR_EL0, 0);
    const struct apmu_counter_setup *setup = &c->w->setups[APMU_CYCLE];
    const bool small = sees(c, READING_small) || sees(c, READING_differs);
    char cure[400], write[240], name[48];

    if ((value & d) == 0 || !in_focus(c, APMU_CYCLE) || (!c->pmxev && (value & lc) != 0) || setup->divided == APMU_NO) {
        return;
    }
    suspect_text(cure, "%s.D = 0 (bit 3)%s", registers_name(c, APMU_REG_PMCR_EL0, 0, name),
                 registers_write(c, APMU_REG_PMCR_EL0, 0, 0, d, write));
    registers_suspect(c, WHY_divide_by_64,
                      sees(c, READING_zero) && !small       ? SUSPECT_POSSIBLE
                      : setup->divided == APMU_YES || small ? SUSPECT_CERTAIN
                                                            : SUSPECT_LIKELY,
                      small ? 75 : 50, APMU_REG_PMCR_EL0, 0, cure,
                      "%s.D = 1%s: the cycle counter counts every 64th cycle", name, c->pmxev ? "" : " and LC = 0");
}

/* Returns true if the words tell of an interrupt each 2^32 cycles. */
static bool interrupts_at_2_32(const struct registers_case *c)
{
    return reading_find(c->r, CLUE_words_2_32) != NULL &&
           (registers_say(c->r, "interrupt") || registers_say(c->r, "irq") || registers_say(c->r, "handler") ||
            registers_say(c->r, "isr"));
}

/* The cycle counter overflows at 32 bits, and somebody cares. */
static void short_overflow(const struct registers_case *c)
{
    const uint64_t count = registers_value(c, APMU_REG_PMCCNTR_EL0, 0);
    const uint64_t flags =
        registers_value(c, APMU_REG_PMOVSSET_EL0, 0) | registers_value(c, APMU_REG_PMINTENSET_EL1, 0);
    const bool known = (registers_known(c, APMU_REG_PMCR_EL0, 0) & APMU_MASK(PMCR_EL0, LC)) != 0;
    const bool clear = known && (registers_value(c, APMU_REG_PMCR_EL0, 0) & APMU_MASK(PMCR_EL0, LC)) == 0;
    char cure[400], write[240], name[48];

    if (!clear || c->pmxev || !in_focus(c, APMU_CYCLE)) {
        return;
    }
    if (sees(c, READING_wraps) || sees(c, READING_storm) || (flags & REGISTERS_CYCLE) != 0 || (count >> 32) != 0 ||
        registers_say(c->r, "overflow") || interrupts_at_2_32(c)) {
        suspect_text(cure, "%s.LC = 1 (bit 6)%s", registers_name(c, APMU_REG_PMCR_EL0, 0, name),
                     registers_write(c, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, LC), 0, write));
        registers_suspect(c, WHY_cycle_overflow_at_32_bits,
                          (flags & REGISTERS_CYCLE) != 0 || registers_say(c->r, "overflow") || interrupts_at_2_32(c)
                              ? SUSPECT_CERTAIN
                              : SUSPECT_LIKELY,
                          (count >> 32) != 0 || registers_say(c->r, "32") ? 60 : 35, APMU_REG_PMCR_EL0, 0, cure,
                          "%s.LC = 0: the flag of the cycle counter is set by a carry out of bit 31", name);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts.
 */

static void biased(const struct registers_case *c)
{
    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const uint64_t count = registers_value(c, APMU_REG_PMEVCNTR_EL0, n);

        if (count >> 32 == UINT32_MAX) {
            registers_suspect(
                c, WHY_perf_bias_upper_half, SUSPECT_CERTAIN, 75, APMU_REG_PMEVCNTR_EL0, n,
                "use the lower 32 bits only (mask the upper half), or ask perf for 64 bits: config1:0=1",
                "the upper half of 0x%" PRIx64 " is all ones: Linux starts a 32-bit event so that it overflows", count);
            return;
        }
    }
}

/* A later count of 32 bits is smaller than an earlier one, which was near its end. */
static bool wrapped(const struct registers_case *c)
{
    char name[8];

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCNTR_EL0 : APMU_REG_PMEVCNTR_EL0;
        const struct state_cell *count = state_cell(&c->r->states[0], reg, n < APMU_CYCLE ? n : 0);

        if ((c->moved >> n & 1) == 0 || count->last >= count->value || count->value >> 31 != 1 ||
            (n == APMU_CYCLE && !c->pmxev) || c->r->state_count > 1) {
            continue;
        }
        registers_suspect(
            c, WHY_wraps_at_32_bits, SUSPECT_CERTAIN, 76, reg, n < APMU_CYCLE ? n : 0,
            "subtract in 32 bits (uint32_t) where less than 2^32 can happen between the reads; else add 2^32 "
            "for each overflow, by its interrupt or a CHAIN pair, or set PMCR_EL0.LP (FEAT_PMUv3p5)",
            "counter %s went from 0x%" PRIx64 " to 0x%" PRIx64 ": it wrapped at 32 bits", why_counter_name(n, name),
            count->value, count->last);
        suspect_clear(c->all, WHY_read_in_two_halves);
        return true;
    }
    return false;
}

/* A count of 32 bits that wraps, and the writer sees it. */
static void wraps(const struct registers_case *c)
{
    if (wrapped(c)) {
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

        if (!in_focus(c, n) || !short_count || (!flagged && !shown) || setup->chained == APMU_YES ||
            !(sees(c, READING_wraps) ||
              (flagged && (sees(c, READING_small) || sees(c, READING_large) || wonders)))) {
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
        } else if (sees(c, READING_wraps) || sees(c, READING_noisy)) {
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

        if (!in_focus(c, n) || (type & bits) == 0 || c->w->setups[n].threshold == APMU_NO) {
            continue;
        }
        suspect_text(cure, "TC = 0 and TH = 0 in %s%s", registers_name(c, APMU_REG_PMEVTYPER_EL0, n, name),
                     registers_write(c, APMU_REG_PMEVTYPER_EL0, n, 0, bits, write));
        registers_suspect(c, WHY_threshold_set, sees(c, READING_zero) ? SUSPECT_LIKELY : SUSPECT_CERTAIN, 55,
                          APMU_REG_PMEVTYPER_EL0, n, cure,
                          "%s has TC = %u and TH = %u: only cycles that pass the threshold count", name,
                          (unsigned)APMU_GET(PMEVTYPER_EL0, TC, type), (unsigned)APMU_GET(PMEVTYPER_EL0, TH, type));
    }
}

/* User space was wanted, and the kernel at EL2 is counted too. */
static void kernel_at_el2(const struct registers_case *c)
{
    const uint64_t both = APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSH);
    uint64_t e2h;
    char cure[400], name[48], write[240];

    if (!STATE_FIELD(c->s, HCR_EL2, 0, E2H, &e2h) || e2h == 0) {
        return;
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
        const unsigned copy = n < APMU_CYCLE ? n : 0;

        if (n > APMU_CYCLE || !in_focus(c, n) || (registers_value(c, reg, copy) & both) != both) {
            continue;
        }
        suspect_text(cure, "%s.NSH = 0 (bit 27)%s", registers_name(c, reg, copy, name),
                     registers_write(c, reg, copy, 0, APMU_MASK(PMEVTYPER_EL0, NSH), write));
        registers_suspect(c, WHY_vhe_kernel_counted, sees(c, READING_zero) ? SUSPECT_POSSIBLE : SUSPECT_CERTAIN, 60,
                          reg, copy, cure,
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

        all &= !in_focus(c, n) || (registers_value(c, reg, n < APMU_CYCLE ? n : 0) & bits) == bits;
    }
    return all;
}

/* Threads, and an EL2 that this machine lacks. */
static void asked_in_vain(const struct registers_case *c)
{
    struct why_cause_list found;
    const bool wrong = sees_wrong_count(c) || sees(c, READING_zero);

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
            registers_suspect(c, id, SUSPECT_LIKELY, 50, APMU_REG_MIDR_EL1, 0, NULL, "%s", found.causes[i]->text);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counters that are not there, and what HPMN does.
 */

/* Returns true if the words are about how many counters there are. */
static bool asks_for_counters(const struct registers_case *c)
{
    return (registers_say(c->r, "counters") && (registers_say(c->r, "only") || registers_say(c->r, "missing"))) ||
           registers_say(c->r, "how many") || registers_say(c->r, "fewer");
}

static void counters(const struct registers_case *c)
{
    const struct apmu_core_info *core = c->s->core;
    const bool supposed = state_cell(c->s, APMU_REG_MDCR_EL2, 0)->line == STATE_LINE_CORE;
    const uint64_t hpmn_known = supposed ? 0 : registers_known(c, APMU_REG_MDCR_EL2, 0) & APMU_MASK(MDCR_EL2, HPMN);
    const uint64_t hpmn = APMU_GET(MDCR_EL2, HPMN, registers_value(c, APMU_REG_MDCR_EL2, 0));
    const bool core_n = core != NULL && core->counters <= APMU_EVENT_COUNTERS;
    const unsigned highest = 63 - (unsigned)__builtin_clzll((c->focus & (REGISTERS_CYCLE - 1)) | 1);
    const bool events = (c->focus & (REGISTERS_CYCLE - 1)) != 0;
    uint64_t n;

    if (hpmn_known != 0 && hpmn == 0 && (c->w->model.cfg.features & APMU_FEAT(HPMN0)) == 0) {
        registers_suspect(c, WHY_hpmn_zero_reserved, SUSPECT_CERTAIN, 82, APMU_REG_MDCR_EL2, 0,
                          "EL2 writes the number of counters (PMCR_EL0.N) to MDCR_EL2.HPMN (bits 4:0)",
                          "MDCR_EL2.HPMN = 0, which is reserved without FEAT_HPMN0");
        suspect_clear(c->all, WHY_hpme_clear);
        suspect_clear(c->all, WHY_counter_does_not_exist);
        return;
    }
    const bool written = registers_known(c, APMU_REG_PMCR_EL0, 0) != 0 && /* neither N nor an implementer */
                         registers_value(c, APMU_REG_PMCR_EL0, 0) != 0 &&
                         (registers_value(c, APMU_REG_PMCR_EL0, 0) & 0xFFFFF800) == 0;

    if (written || !STATE_FIELD(c->s, PMCR_EL0, 0, N, &n)) {
        n = core_n ? core->counters : APMU_EVENT_COUNTERS;
    }
    const bool of_el2 = !c->level_known && highest < APMU_CYCLE && /* it is set up to count at EL2 */
                        (registers_value(c, APMU_REG_PMEVTYPER_EL0, highest) >> 27 & 1) != 0;

    if (hpmn_known != 0 && events && highest >= hpmn && (core_n ? highest < core->counters : true) && c->level <= 1 &&
        !of_el2) {
        char cure[400], name[48];

        suspect_text(cure, "use a counter below HPMN: 0 to %u; or EL2 writes a larger number to %s.HPMN",
                     (unsigned)hpmn - 1, registers_name(c, APMU_REG_MDCR_EL2, 0, name));
        registers_suspect(c, WHY_counter_owned_by_el2, SUSPECT_CERTAIN, 80, APMU_REG_MDCR_EL2, 0, cure,
                          "MDCR_EL2.HPMN = %u, so counter %u belongs to EL2", (unsigned)hpmn, highest);
        suspect_clear(c->all, WHY_counter_does_not_exist);
        suspect_clear(c->all, WHY_hpme_clear);
        suspect_clear(c->all, WHY_counter_not_enabled); /* its bit reads as 0 at EL1 */
        return;
    }
    if (core_n && n < core->counters &&
        ((events && highest >= n) || sees(c, READING_few_counters) || asks_for_counters(c))) {
        registers_suspect(c, WHY_counters_kept_back, SUSPECT_CERTAIN, 79, APMU_REG_PMCR_EL0, 0,
                          "use counters below PMCR.N; the hypervisor or firmware may give more: MDCR_EL2.HPMN",
                          "PMCR.N is %u, and a %s has %u counters", (unsigned)n, core->name, core->counters);
        suspect_clear(c->all, WHY_counter_does_not_exist);
    } else if (events && highest >= n) {
        registers_suspect(c, WHY_counter_does_not_exist, SUSPECT_CERTAIN, 78, APMU_REG_PMCR_EL0, 0,
                          "use a counter below PMCR.N (bits 15:11)", "PMCR.N is %u, so there is no counter %u",
                          (unsigned)n, highest);
    } else if (sees(c, READING_few_counters) && hpmn_known != 0 && hpmn < n) {
        registers_suspect(c, WHY_counters_kept_back, SUSPECT_CERTAIN, 79, APMU_REG_MDCR_EL2, 0,
                          "EL2 writes a larger number to MDCR_EL2.HPMN (bits 4:0)", "MDCR_EL2.HPMN is %u",
                          (unsigned)hpmn);
    }
}

/* PMSELR selects another counter than the words name, and an event counter that is on has no event. */
static void other_selected(const struct registers_case *c, uint64_t sel)
{
    const uint64_t events = (c->asked & (REGISTERS_CYCLE - 1)) | (c->focus & (REGISTERS_CYCLE - 1));
    const bool spoken = registers_say(c->r, "select") || registers_say(c->r, "pmselr");
    uint64_t bare = 0;

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        const uint64_t type = registers_value(c, APMU_REG_PMEVTYPER_EL0, n) & 0xFFFF;

        bare |= (events >> n & 1) != 0 && registers_known(c, APMU_REG_PMEVTYPER_EL0, n) != 0 && type == 0 ? 1u << n : 0;
    }
    if (bare != 0 && (bare >> (sel & 31) & 1) == 0 && (spoken || sel == APMU_CYCLE) && !sees(c, READING_good)) {
        registers_suspect(c, WHY_pmselr_selects_other_counter, SUSPECT_LIKELY, 66, APMU_REG_PMSELR_EL0, 0,
                          "write the counter's number to PMSELR (31 is the cycle counter's filter), then an ISB, then "
                          "PMXEVTYPER; or write PMEVTYPER<n>",
                          "PMSELR selects %u, and the event counter that is wanted has event 0", (unsigned)sel);
        suspect_clear(c->all, WHY_event_counts_other_than_thought);
    }
}

/* PMSELR selects a counter from N on. */
static void missing_selected(const struct registers_case *c, uint64_t sel)
{
    uint64_t n;

    if (sel == APMU_CYCLE || !STATE_FIELD(c->s, PMCR_EL0, 0, N, &n) || n == 0 || sel < n ||
        (sees(c, READING_good) && !registers_say(c->r, "never") && !sees(c, READING_zero)) ||
        registers_known(c, APMU_REG_MDCR_EL2, 0) != 0) {
        return;
    }
    registers_suspect(c, WHY_counter_does_not_exist, SUSPECT_LIKELY, 78, APMU_REG_PMSELR_EL0, 0,
                      "use a counter below N, bits 15:11 of PMCR, and count further events in another run",
                      "PMSELR selects counter %u, and PMCR.N is %u: there are counters 0 to %u", (unsigned)sel,
                      (unsigned)n, (unsigned)n - 1);
}

/* The event number or the count that PMSELR selects is another counter's. */
static void selected(const struct registers_case *c)
{
    uint64_t sel;

    if (!STATE_FIELD(c->s, PMSELR_EL0, 0, SEL, &sel)) {
        return;
    }
    other_selected(c, sel);
    missing_selected(c, sel);
    for (unsigned i = 0; i < c->s->remark_count && i < STATE_REMARKS; i++) {
        const struct state_remark *remark = &c->s->remarks[i];

        if (remark->kind == STATE_CONFLICT && strncasecmp(remark->name, "PMXEV", 5) == 0) {
            struct suspect *s = registers_suspect(
                c, WHY_missing_isb_after_pmselr, SUSPECT_CERTAIN, 83, APMU_REG_PMSELR_EL0, 0,
                "ISB after the write of PMSELR; or use PMEVTYPER<n>_EL0 and PMEVCNTR<n>_EL0, which need no PMSELR",
                "PMSELR selects %u, but %s is 0x%" PRIx64 " and the register of counter %u is 0x%" PRIx64,
                (unsigned)sel, remark->name, remark->value, (unsigned)sel, remark->kept);

            s->line = remark->line;
        }
    }
}

/* The external view is closed, so that values of it say nothing and writes to it do nothing. */
static void external_view(const struct registers_case *c)
{
    static const char cure[] =
        "write 0xC5ACCE55 to PMLAR (offset 0xFB0) to open the software lock; clear the OS Lock: write "
        "0 to OSLAR_EL1; power the core up (EDPRSR.PU)";
    const uint64_t edprsr = registers_value(c, APMU_REG_EDPRSR, 0);

    if (!c->external && registers_known(c, APMU_REG_EDPRSR, 0) == 0 && !registers_say(c->r, "external") &&
        !registers_say(c->r, "memory-mapped")) {
        return;
    }
    if ((registers_value(c, APMU_REG_PMLSR, 0) & 2) != 0) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 89, APMU_REG_PMLSR, 0, cure,
                          "PMLSR.SLK (bit 1) = 1: the software lock is closed, and writes are ignored");
        suspect_clear(c->all, WHY_pmcr_e_clear);
        suspect_clear(c->all, WHY_counter_not_enabled);
        suspect_clear(c->all, WHY_register_emulated_as_zero);
    } else if (registers_known(c, APMU_REG_EDPRSR, 0) != 0) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 81, APMU_REG_EDPRSR, 0, cure,
                          (edprsr & 1) == 0 ? "EDPRSR.PU (bit 0) = 0: the core has no power"
                                            : "EDPRSR shows that a lock is closed: DLK (bit 6) or OSLK (bit 5) is 1");
    } else if (registers_known(c, APMU_REG_OSLSR_EL1, 0) != 0) {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 81, APMU_REG_OSLSR_EL1, 0, cure,
                          "OSLSR_EL1.OSLK (bit 1) = 1: the OS Lock is closed");
    } else {
        registers_suspect(c, WHY_external_view_locked, SUSPECT_CERTAIN, 81, APMU_REG_PMDEVARCH, 0,
                          "the address is not that of a PMU: look it up in the SoC's memory map or its ROM table",
                          "PMDEVARCH.ARCHPART is not that of a PMU");
    }
}

/* PMUVer is 0 or 15. */
static void pmuver(const struct registers_case *c)
{
    const bool none = APMU_GET(ID_AA64DFR0_EL1, PMUVer, registers_value(c, APMU_REG_ID_AA64DFR0_EL1, 0)) == 0;

    registers_suspect(c, WHY_pmuver_none_or_impdef, SUSPECT_CERTAIN, 87, APMU_REG_ID_AA64DFR0_EL1, 0,
                      none ? "none on this part; in a virtual machine, give it a vPMU: QEMU -cpu host,pmu=on"
                           : "none of Arm's registers is there: use the PMU that the manual of the part describes",
                      none ? "ID_AA64DFR0_EL1.PMUVer (bits 11:8) = 0: there is no PMU, or a hypervisor hides it"
                           : "ID_AA64DFR0_EL1.PMUVer (bits 11:8) = 15: the PMU is not Arm's");
}

/* Returns true if the words say that a program of the user read the registers, and no virtual machine is named. */
static bool reads_at_el0(const struct registers_case *c)
{
    return (reading_find(c->r, CLUE_words_user) != NULL || c->r->machine.place.value == READING_PLACE_USER) &&
           reading_value(&c->r->machine.guest, 0) == 0 && reading_find(c->r, CLUE_words_vm) == NULL &&
           reading_find(c->r, CLUE_words_kernel) == NULL;
}

/* The PMU's ID, the power, and the external view. */
static void surroundings(const struct registers_case *c)
{
    struct why_cause_list found;

    why_find_causes(c->w, NULL, &found);
    for (size_t i = 0; i < found.count; i++) {
        const enum why_cause_id id = (enum why_cause_id)(found.causes[i] - why_causes);
        const char *sign = found.causes[i]->sign;

        if (id == WHY_power_lost_reset_values) {
            registers_suspect(c, id, SUSPECT_CERTAIN, 88, APMU_REG_EDPRSR, 0,
                              "save the registers and restore them after the "
                              "core was off (CPU_PM notifier), or set the PMU up again; or keep the core awake",
                              "%s", sign);
        } else if (id == WHY_pmuver_none_or_impdef) {
            pmuver(c);
        } else if (id == WHY_hypervisor_gives_no_pmu && reads_at_el0(c)) {
            registers_suspect(c, WHY_id_register_hidden_from_el0, SUSPECT_CERTAIN, 88, APMU_REG_ID_AA64DFR0_EL1, 0,
                              NULL, "a program reads the ID register as Linux shows it to EL0, without PMUVer");
            suspect_clear(c->all, id);
        } else if (id == WHY_hypervisor_gives_no_pmu) {
            registers_suspect(c, id, SUSPECT_CERTAIN, 87, APMU_REG_ID_AA64DFR0_EL1, 0, NULL, "%s", sign);
        } else if (id == WHY_id_register_hidden_from_el0) {
            registers_suspect(c, id, SUSPECT_LIKELY, 60, APMU_REG_ID_AA64DFR0_EL1, 0, NULL, "%s", sign);
        } else if (id == WHY_external_view_locked) {
            external_view(c);
        } else if (id == WHY_hypervisor_filters_events && sees(c, READING_few_events) && !registers_emulator(c)) {
            registers_suspect(c, id, SUSPECT_CERTAIN, 70, APMU_REG_PMCEID0_EL0, 0, NULL, "%s", sign);
        }
    }
}

/* The cycle counter moves, less than the clock does, on a machine that sleeps. */
static void sleeps(const struct registers_case *c)
{
    const bool told = registers_say(c->r, "wfi") || registers_say(c->r, "wfe") || registers_say(c->r, "idle");

    if (told && (c->moved & REGISTERS_CYCLE) != 0 && in_focus(c, APMU_CYCLE) &&
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
    surroundings(c);
    selected(c);
    counters(c);
    divider(c);
    short_overflow(c);
    biased(c);
    wraps(c);
    registers_two_cycles(c);
    sleeps(c);
    chains(c);
    thresholds(c);
    kernel_at_el2(c);
    asked_in_vain(c);
    pmcr_values(c);
}
