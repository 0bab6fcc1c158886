/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: causes that the values contradict, whatever the words around them suggest. */
#define _GNU_SOURCE
#include <string.h>

#include "registers.h"

/* Returns true if the input gives @mask of @reg, always the same. */
static bool gives(const struct registers_case *c, enum apmu_reg reg, unsigned n, uint64_t mask)
{
    const struct state_cell *cell = state_cell(c->s, reg, n);

    return (cell->known & mask) == mask && !cell->moved && cell->line != STATE_LINE_CORE;
}

static void clear_if(const struct registers_case *c, bool contradicted, enum why_cause_id cause)
{
    if (contradicted) {
        suspect_clear(c->all, cause);
    }
}

/* Returns true if the model proves @cause. */
static bool is_proven(const struct registers_case *c, enum why_cause_id cause)
{
    const struct suspect *s = suspect_find(c->all, cause);

    return s != NULL && s->confidence == SUSPECT_CERTAIN;
}

/* Returns true if the input gives @mask of the filter of each counter in question, and it is @value. */
static bool filters_are(const struct registers_case *c, uint64_t mask, uint64_t value)
{
    bool all = c->focus != 0;

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        const enum apmu_reg reg = n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : APMU_REG_PMEVTYPER_EL0;
        const unsigned copy = n < APMU_CYCLE ? n : 0;

        if ((c->focus >> n & 1) != 0) {
            all &= gives(c, reg, copy, mask) && (registers_value(c, reg, copy) & mask) == value;
        }
    }
    return all;
}

/* Returns true if a kernel's module counts and a core with VHE is named: such a host runs at EL2. */
static bool is_vhe_kernel(const struct registers_case *c)
{
    return reading_find(c->r, CLUE_words_vhe_core) != NULL && reading_find(c->r, CLUE_words_kernel) != NULL;
}

/* What PMCR, the enables and the filters contradict. */
static void clear_controls(const struct registers_case *c)
{
    const uint64_t pmcr = registers_value(c, APMU_REG_PMCR_EL0, 0), d = 1u << 3, lc = 1u << 6;
    const bool whole = gives(c, APMU_REG_PMCR_EL0, 0, APMU_BITS(15, 0));
    const uint64_t n = APMU_GET(PMCR_EL0, N, pmcr);
    const uint64_t enabled = registers_value(c, APMU_REG_PMCNTENSET_EL0, 0);
    const uint64_t events = c->focus & (REGISTERS_CYCLE - 1);
    const uint64_t inten = registers_value(c, APMU_REG_PMINTENSET_EL1, 0);
    const uint64_t sel = registers_value(c, APMU_REG_PMSELR_EL0, 0) & 31;
    const bool beyond = registers_known(c, APMU_REG_PMSELR_EL0, 0) != 0 && sel != APMU_CYCLE && sel >= n;

    clear_if(c, gives(c, APMU_REG_PMCR_EL0, 0, 1) && (pmcr & 1) != 0, WHY_pmcr_e_clear);
    clear_if(c, whole && ((pmcr & d) == 0 || (!c->pmxev && (pmcr & lc) != 0)), WHY_divide_by_64);
    clear_if(c, whole && !c->pmxev && (pmcr & lc) != 0, WHY_cycle_overflow_at_32_bits);
    clear_if(c, whole && n != 0 && events != 0 && events >> n == 0 && !beyond, WHY_counter_does_not_exist);
    clear_if(c, whole && n != 0, WHY_register_emulated_as_zero);
    clear_if(c, gives(c, APMU_REG_PMCNTENSET_EL0, 0, UINT32_MAX) && c->focus != 0 && (c->focus & ~enabled) == 0,
             WHY_counter_not_enabled);
    clear_if(c, filters_are(c, APMU_BITS(31, 30), 0), WHY_filter_p_or_u_set);
    clear_if(c, (c->level_known && c->level < 2 && !is_vhe_kernel(c)) || filters_are(c, 1u << 27, 1u << 27),
             WHY_nsh_clear_at_el2);
    clear_if(c, gives(c, APMU_REG_PMINTENSET_EL1, 0, UINT32_MAX) && c->focus != 0 && (c->focus & ~inten) == 0,
             WHY_overflow_interrupt_not_enabled);
}

/* What the overflow flags and the state of the external view contradict. */
static void clear_states(const struct registers_case *c)
{
    const bool no_flag = gives(c, APMU_REG_PMOVSSET_EL0, 0, UINT32_MAX) &&
                         registers_value(c, APMU_REG_PMOVSSET_EL0, 0) == 0;
    const bool open = gives(c, APMU_REG_PMLSR, 0, 2) && (registers_value(c, APMU_REG_PMLSR, 0) & 2) == 0;
    const bool on = (registers_value(c, APMU_REG_PMCR_EL0, 0) & 1) != 0 && c->focus != 0 &&
                    (c->focus & ~registers_value(c, APMU_REG_PMCNTENSET_EL0, 0)) == 0;

    clear_if(c, no_flag, WHY_frozen_on_overflow); /* FZO freezes while a flag is 1 */
    clear_if(c, no_flag, WHY_overflow_flag_never_cleared);
    clear_if(c, open && registers_value(c, APMU_REG_PMCNTENSET_EL0, 0) != 0, WHY_external_view_locked);
    clear_if(c, c->external && on && c->counted != 0 && !is_proven(c, WHY_external_view_locked),
             WHY_external_view_locked); /* all that is needed has been written, and can be read */
}

/* Returns true if the enables or the event types are other ones at a later moment. */
static bool controls_moved(const struct registers_case *c)
{
    bool moved = state_cell(c->s, APMU_REG_PMCNTENSET_EL0, 0)->moved || state_cell(c->s, APMU_REG_PMCR_EL0, 0)->moved;

    for (unsigned n = 0; n < APMU_CYCLE; n++) {
        moved |= state_cell(c->s, APMU_REG_PMEVTYPER_EL0, n)->moved;
    }
    return moved;
}

/* Returns true if nothing but words such as "on core 0" is said of other CPUs: no count of theirs is missing. */
static bool only_one_cpu(const struct reading *r)
{
    for (unsigned i = 0; i < READING_SYMPTOMS; i++) {
        if (r->sees[i] && i != READING_one_cpu && i != READING_good && i != READING_question) {
            return false;
        }
    }
    return true;
}

/*
 * Returns true if the filters divide what is counted, and do: one counter leaves EL1 out, one leaves EL0 out, and two
 * counts add up to a third.
 */
static bool divides_counts(const struct registers_case *c)
{
    bool p = false, u = false;

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        unsigned copy;
        const enum apmu_reg reg = registers_filter(APMU_REG_PMEVTYPER_EL0, n, &copy);
        const uint64_t filter = registers_value(c, reg, copy) >> 30 & 3;

        p |= filter == 2;
        u |= filter == 1;
    }
    return p && u && reading_find(c->r, CLUE_words_shares) != NULL;
}

void registers_contradict(const struct registers_case *c)
{
    const uint64_t tpm2 = APMU_MASK(MDCR_EL2, TPM) | APMU_MASK(MDCR_EL2, TPMCR), tpm3 = APMU_MASK(MDCR_EL3, TPM);
    const uint64_t stops = APMU_MASK(MDCR_EL2, HPMD) | APMU_MASK(MDCR_EL2, HCCD), hpmn = APMU_MASK(MDCR_EL2, HPMN);
    const uint64_t mdcr = registers_value(c, APMU_REG_MDCR_EL2, 0);
    const uint64_t midr = registers_value(c, APMU_REG_MIDR_EL1, 0);
    uint64_t version;

    if (c->r->state_count > 1 || c->r->code != NULL) {
        return;
    }
    clear_controls(c);
    clear_states(c);
    if (divides_counts(c)) {
        suspect_clear(c->all, WHY_filter_p_or_u_set);
        suspect_clear(c->all, WHY_two_cycle_counts_differ);
    }
    clear_if(c, c->moved != 0 && (c->zero | c->stuck) == 0 && only_one_cpu(c->r), WHY_enabled_on_one_cpu_only);
    if ((c->focus & c->moved) != 0 && (c->focus & ~c->moved) == 0) {
        suspect_clear(c->all, WHY_pmcr_e_clear);
        suspect_clear(c->all, WHY_counter_not_enabled);
        suspect_clear(c->all, WHY_halted_in_debug_state);
        clear_if(c, !controls_moved(c), WHY_power_lost_reset_values);
    }
    clear_if(c, gives(c, APMU_REG_PMUSERENR_EL0, 0, 1) && (registers_value(c, APMU_REG_PMUSERENR_EL0, 0) & 1) != 0,
             WHY_el0_access_off);
    clear_if(c, gives(c, APMU_REG_PMUSERENR_EL0, 0, 1) && (registers_value(c, APMU_REG_PMUSERENR_EL0, 0) & 1) != 0,
             WHY_el0_access_off_aarch32);
    clear_if(c, ((gives(c, APMU_REG_MDCR_EL2, 0, stops) && (mdcr & stops) == 0) || (c->level_known && c->level < 2)) &&
             !is_proven(c, WHY_el2_forbids_counting), WHY_el2_forbids_counting);
    clear_if(c, gives(c, APMU_REG_MDCR_EL2, 0, hpmn) && (mdcr & hpmn) != 0, WHY_hpmn_zero_reserved);
    clear_if(c, gives(c, APMU_REG_MDCR_EL2, 0, tpm2) && (mdcr & tpm2) == 0 && !is_proven(c, WHY_el2_traps_pmu),
             WHY_el2_traps_pmu); /* fine-grained traps prove it, too */
    clear_if(c, gives(c, APMU_REG_MDCR_EL3, 0, tpm3) && (registers_value(c, APMU_REG_MDCR_EL3, 0) & tpm3) == 0,
             WHY_el3_traps_pmu);
    clear_if(c, gives(c, APMU_REG_MIDR_EL1, 0, APMU_BITS(31, 24)) && midr >> 24 != 0x61, WHY_apple_not_pmuv3);
    if (gives(c, APMU_REG_ID_AA64DFR0_EL1, 0, APMU_MASK(ID_AA64DFR0_EL1, PMUVer)) &&
        STATE_FIELD(c->s, ID_AA64DFR0_EL1, 0, PMUVer, &version) && version != 0 && version != 15) {
        suspect_clear(c->all, WHY_pmuver_none_or_impdef);
        suspect_clear(c->all, WHY_hypervisor_gives_no_pmu);
    }
}
