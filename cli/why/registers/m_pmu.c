/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: the PMU of Armv8.1-M, which is mapped to 0xE0003000 (Cortex-M55, Cortex-M85). */
#include <inttypes.h>

#include "registers.h"

enum { EVENT_COUNTERS = 8, CYCLE = 31 };

/* The PMU as the input shows it. */
struct m_pmu {
    const struct reading *r;
    uint32_t shown;   /* counters of which the input gives the count; bit 31: the cycle counter */
    uint32_t typed;   /* event counters of which it gives the event */
    uint32_t moved;   /* counters whose count is another one later */
    uint32_t zero;    /* counters that read 0 */
    uint32_t enabled; /* PMU_CNTENSET, UINT32_MAX where it is not known */
};

static void find_counters(const struct reading *r, struct m_pmu *m)
{
    const struct reading_number *enables = &r->extras[READING_M_PMU_CNTENSET];

    *m = (struct m_pmu){.r = r, .enabled = enables->known ? (uint32_t)enables->value : UINT32_MAX};
    for (unsigned n = 0; n <= EVENT_COUNTERS; n++) {
        const unsigned i = n < EVENT_COUNTERS ? READING_M_PMU_EVCNTR0 + n : READING_M_PMU_CCNTR;
        const uint32_t bit = UINT32_C(1) << (n < EVENT_COUNTERS ? n : CYCLE);

        m->shown |= r->extras[i].known ? bit : 0;
        m->moved |= r->moved[i] ? bit : 0;
        m->zero |= r->extras[i].known && r->extras[i].value == 0 ? bit : 0;
        m->typed |= n < EVENT_COUNTERS && r->extras[READING_M_PMU_EVTYPER0 + n].known ? bit : 0;
    }
}

/* Adds the cause of counters that stand at 0 and are not enabled.  Returns true if there is one. */
static bool not_enabled(const struct m_pmu *m, struct suspects *all)
{
    const uint32_t off = m->shown & m->zero & ~m->moved & ~m->enabled;
    const uint32_t wanted = (off & m->typed) != 0 ? off & m->typed : off;
    char cure[400];

    if (wanted == 0 || (m->zero & m->enabled & ~m->moved) != 0) {
        return false;
    }
    suspect_text(cure, "write 0x%" PRIx32 " to PMU_CNTENSET (0xE0003C00): ARM_PMU_CNTR_Enable(0x%" PRIx32 ")", wanted,
                 wanted);
    suspect_add(all, WHY_counter_not_enabled, SUSPECT_CERTAIN, m->r->extras[READING_M_PMU_CNTENSET].line,
                "the counter's bit of PMU_CNTENSET is 0", cure)
        ->weight = 76;
    return true;
}

bool registers_m_pmu(const struct reading *r, struct suspects *all)
{
    const struct reading_number *ctrl = &r->extras[READING_M_PMU_CTRL], *flags = &r->extras[READING_M_PMU_OVSSET];
    const struct reading_number *demcr = &r->extras[READING_DEMCR];
    const size_t before = all->count;
    struct m_pmu m;

    if (!ctrl->known && !r->extras[READING_M_PMU_CNTENSET].known) {
        return false;
    }
    find_counters(r, &m);
    if (m.shown != 0 && m.moved == m.shown) {
        all->fine = all->proven = true;
        return true;
    }
    if (demcr->known && (demcr->value >> 24 & 1) == 0) {
        suspect_add(all, WHY_m_profile_trcena_or_lock, SUSPECT_CERTAIN, demcr->line,
                    "DEMCR.TRCENA (bit 24) is 0: the PMU is off, as the DWT is",
                    "DCB->DEMCR |= 1 << 24 (TRCENA, 0xE000EDFC) first, then set the PMU up")
            ->weight = 82;
    }
    if (ctrl->known && (ctrl->value & 1) == 0) {
        suspect_add(all, WHY_pmcr_e_clear, SUSPECT_CERTAIN, ctrl->line, "PMU_CTRL.E (bit 0) is 0",
                    "PMU->CTRL |= 1 (E, 0xE0003E04): ARM_PMU_Enable()")
            ->weight = 80;
    }
    if (ctrl->known && (ctrl->value >> 9 & 1) != 0 && flags->known && flags->value != 0 &&
        (m.moved & ~(UINT32_C(1) << CYCLE)) == 0) {
        char cure[400];

        suspect_text(cure, "clear the overflow flags: write 0x%" PRIx64 " to PMU_OVSCLR (0xE0003C80); or PMU_CTRL.FZO "
                           "(bit 9) = 0", flags->value);
        suspect_add(all, WHY_frozen_on_overflow, SUSPECT_CERTAIN, flags->line,
                    "PMU_CTRL.FZO (bit 9) is 1 and an overflow flag is set, so the event counters are frozen", cure)
            ->weight = 78;
    }
    (void)not_enabled(&m, all);
    if (all->count != before) {
        suspect_clear(all, WHY_halted_in_debug_state);
    } else if (m.moved != 0 || (ctrl->known && m.shown != 0 && (m.shown & (m.zero | ~m.enabled)) == 0 &&
                                !r->sees[READING_stuck] && !r->sees[READING_zero])) {
        all->fine = true;
        all->proven = m.moved != 0;
    } else if (!ctrl->known) {
        suspect_ask(all, 75, "PMU_CTRL (0xE0003E04): bit 0 (E) enables all counters, bit 9 (FZO) freezes on overflow");
    } else {
        suspect_ask(all, 75,
                    "PMU_CNTENSET (0xE0003C00), PMU_OVSSET (0xE0003CC0), PMU_EVTYPER<n> (0xE0003400) and DEMCR "
                    "(0xE000EDFC), and the counter read twice while the core runs");
    }
    return true;
}
