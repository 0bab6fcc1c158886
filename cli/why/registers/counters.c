/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: how many counters there are, and which one PMSELR selects. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

/* Returns true if the words are about how many counters there are. */
static bool asks_for_counters(const struct registers_case *c)
{
    return (registers_say(c->r, "counters") && (registers_say(c->r, "only") || registers_say(c->r, "missing"))) ||
           registers_say(c->r, "how many") || registers_say(c->r, "fewer");
}

/* Adds a suspect for a core of which PMCR.N, @n, does not have all counters. */
static void suspect_kept_back(const struct registers_case *c, unsigned n, enum suspect_confidence confidence,
                              unsigned weight)
{
    registers_suspect(c, WHY_counters_kept_back, confidence, weight, APMU_REG_PMCR_EL0, 0,
                      "use counters below PMCR.N; the hypervisor or firmware may give more: MDCR_EL2.HPMN",
                      "PMCR.N is %u, and a %s has %u counters", n, c->s->core->name, c->s->core->counters);
}

/* Returns true if PMCR is all that the input gives of the PMU, and it is on: N is what the writer looks at. */
static bool shows_number_alone(const struct registers_case *c)
{
    const uint64_t pmcr = registers_value(c, APMU_REG_PMCR_EL0, 0);

    return (pmcr & 1) != 0 && (pmcr & 0xFFFF0000) != 0 && c->r->code == NULL &&
           registers_known(c, APMU_REG_PMCNTENSET_EL0, 0) == 0 && registers_known(c, APMU_REG_PMCCNTR_EL0, 0) == 0 &&
           registers_known(c, APMU_REG_PMCCFILTR_EL0, 0) == 0 && !c->symptom && c->level <= 1;
}

/* Returns true if EL2 has counted with counter @n, so that it is its own, and the writer misses nothing. */
static bool el2_counts_with(const struct registers_case *c, unsigned n)
{
    return !c->symptom && n < APMU_CYCLE && registers_known(c, APMU_REG_PMEVCNTR_EL0, n) != 0 &&
           registers_value(c, APMU_REG_PMEVCNTR_EL0, n) != 0;
}

/* Says that counter @counter does not exist, where there are @n. */
static void suspect_beyond(const struct registers_case *c, unsigned n, unsigned counter)
{
    char cure[400];

    suspect_text(cure, n == 0 ? "use the cycle counter: PMCR.N (bits 15:11) is 0"
                              : "use one of the counters 0 to %u: PMCR.N (bits 15:11) is %u", n - 1, n);
    registers_suspect(c, WHY_counter_does_not_exist, SUSPECT_CERTAIN, 78, APMU_REG_PMCR_EL0, 0, cure,
                      "PMCR.N is %u, so there is no counter %u", n, counter);
}

/* Adds a suspect where bits of PMCNTENSET do not stay 1, and nothing else tells how many counters there are. */
static void suspect_not_taken(const struct registers_case *c)
{
    const uint64_t lost = registers_not_taken(c) & c->focus;
    const uint64_t kept = registers_value(c, APMU_REG_PMCNTENSET_EL0, 0);
    char list[96], cure[400], name[48];

    if (lost == 0 || registers_known(c, APMU_REG_PMCR_EL0, 0) >> 11 != 0) {
        return;
    }
    suspect_text(cure, "use one of the counters whose bit stays 1 (0x%" PRIx64 "): PMCR.N (bits 15:11) says how many "
                       "there are", kept & (REGISTERS_CYCLE - 1));
    registers_suspect(c, WHY_counter_does_not_exist, SUSPECT_LIKELY, 78, APMU_REG_PMCNTENSET_EL0, 0, cure,
                      "%s takes 0x%" PRIx64 ", and the bits of counter %s read back as 0: they are not there",
                      registers_name(c, APMU_REG_PMCNTENSET_EL0, 0, name), kept, why_counter_list(lost, list));
    suspect_clear(c->all, WHY_counter_not_enabled);
}

void registers_counters(const struct registers_case *c)
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
    const bool of_el2 = (!c->level_known || el2_counts_with(c, highest)) && highest < APMU_CYCLE &&
                        (registers_value(c, APMU_REG_PMEVTYPER_EL0, highest) >> 27 & 1) != 0; /* it counts at EL2 */

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
    const bool beyond = events && highest >= n && !of_el2;

    if (core_n && n < core->counters &&
        (beyond || registers_sees(c, READING_few_counters) || asks_for_counters(c))) {
        suspect_kept_back(c, (unsigned)n, SUSPECT_CERTAIN, 79);
        suspect_clear(c->all, WHY_counter_does_not_exist);
    } else if (core_n && n < core->counters && shows_number_alone(c)) {
        suspect_kept_back(c, (unsigned)n, SUSPECT_LIKELY, 70);
    } else if (beyond) {
        suspect_beyond(c, (unsigned)n, highest);
    } else if (registers_not_taken(c) != 0) {
        suspect_not_taken(c);
    } else if (registers_sees(c, READING_few_counters) && hpmn_known != 0 && hpmn < n) {
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
    const uint64_t enabled = registers_value(c, APMU_REG_PMCNTENSET_EL0, 0);
    /* The event is with a counter that is off, and the one that is on has none. */
    const bool swapped = strcasestr(c->r->text.joined, "xevtyp") != NULL && (enabled & bare) != 0 &&
                         sel < APMU_CYCLE && (enabled >> sel & 1) == 0 &&
                         (registers_value(c, APMU_REG_PMEVTYPER_EL0, (unsigned)sel) & 0xFFFF) != 0;

    if (bare != 0 && (bare >> (sel & 31) & 1) == 0 && (spoken || sel == APMU_CYCLE || swapped) &&
        !registers_sees(c, READING_good)) {
        if (swapped) {
            suspect_clear(c->all, WHY_missing_isb_after_pmselr); /* PMSELR itself shows the wrong one */
        }
        registers_suspect(c, WHY_pmselr_selects_other_counter, SUSPECT_LIKELY, swapped ? 84 : 66,
                          APMU_REG_PMSELR_EL0, 0,
                          "write the counter's number to PMSELR (31 is the cycle counter's filter), then an ISB, then "
                          "PMXEVTYPER; or write PMEVTYPER<n>",
                          "PMSELR selects %u, and the event counter that is wanted has event 0", (unsigned)sel);
        suspect_clear(c->all, WHY_event_counts_other_than_thought);
    }
}

/* Returns true if @sel is a counter from N on: PMXEVTYPER and PMXEVCNTR read as zero then, whatever was written. */
static bool is_beyond(const struct registers_case *c, uint64_t sel)
{
    uint64_t n;

    return sel < APMU_CYCLE && STATE_FIELD(c->s, PMCR_EL0, 0, N, &n) && n != 0 && sel >= n;
}

/* PMSELR selects a counter from N on. */
static void missing_selected(const struct registers_case *c, uint64_t sel)
{
    uint64_t n;

    if (sel == APMU_CYCLE || !STATE_FIELD(c->s, PMCR_EL0, 0, N, &n) || n == 0 || sel < n ||
        (registers_sees(c, READING_good) && !registers_say(c->r, "never") && !registers_sees(c, READING_zero)) ||
        registers_known(c, APMU_REG_MDCR_EL2, 0) != 0) {
        return;
    }
    char cure[400];

    suspect_text(cure, "use one of the counters 0 to %u (PMCR.N, bits 15:11, is %u), and count further events in "
                       "another run", (unsigned)n - 1, (unsigned)n);
    registers_suspect(c, WHY_counter_does_not_exist, SUSPECT_LIKELY, 78, APMU_REG_PMSELR_EL0, 0, cure,
                      "PMSELR selects counter %u, and PMCR.N is %u: there are counters 0 to %u", (unsigned)sel,
                      (unsigned)n, (unsigned)n - 1);
}

void registers_selected(const struct registers_case *c)
{
    uint64_t sel;

    if (!STATE_FIELD(c->s, PMSELR_EL0, 0, SEL, &sel)) {
        return;
    }
    other_selected(c, sel);
    missing_selected(c, sel);
    for (unsigned i = 0; i < c->s->remark_count && i < STATE_REMARKS; i++) {
        const struct state_remark *remark = &c->s->remarks[i];

        if (remark->kind == STATE_CONFLICT && strncasecmp(remark->name, "PMXEV", 5) == 0 && !is_beyond(c, sel) &&
            remark->line != remark->other) { /* a line with two values gives two moments */
            struct suspect *s = registers_suspect(
                c, WHY_missing_isb_after_pmselr, SUSPECT_CERTAIN, 83, APMU_REG_PMSELR_EL0, 0,
                "ISB after the write of PMSELR; or use PMEVTYPER<n>_EL0 and PMEVCNTR<n>_EL0, which need no PMSELR",
                "PMSELR selects %u, but %s is 0x%" PRIx64 " and the register of counter %u is 0x%" PRIx64,
                (unsigned)sel, remark->name, remark->value, (unsigned)sel, remark->kept);

            s->line = remark->line;
        }
    }
}
