/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: what the model proves of the counters in question. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"

/* A bit that lifts a reason, in the register that holds it. */
struct lift {
    enum apmu_reg reg;
    const char *field;
    uint64_t set, clear; /* of a filter: in the register of the counter; of an enable, ALL: the counter's bit */
    uint8_t level;       /* the lowest level that may write the register */
};

#define ALL UINT64_MAX

/* A reason of the model: the cause that it is, its weight, and what lifts it. */
static const struct stopping_reason {
    uint64_t reasons; /* a set of APMU_WHY(x) */
    enum why_cause_id cause;
    unsigned weight;
    struct lift lift;
} rows[] = {
    {APMU_WHY(NO_COUNTER), WHY_counter_does_not_exist, 78, {APMU_REG_ALL, "", 0, 0, 1}},
    {APMU_WHY(PMCR_E), WHY_pmcr_e_clear, 70, {APMU_REG_PMCR_EL0, "E (bit 0)", 1, 0, 1}},
    {APMU_WHY(CNTEN), WHY_counter_not_enabled, 68, {APMU_REG_PMCNTENSET_EL0, "", ALL, 0, 1}},
    {APMU_WHY(HPME), WHY_hpme_clear, 66, {APMU_REG_MDCR_EL2, "HPME (bit 7)", 1u << 7, 0, 2}},
    {APMU_WHY(HPMD), WHY_el2_forbids_counting, 64, {APMU_REG_MDCR_EL2, "HPMD (bit 17)", 0, 1u << 17, 2}},
    {APMU_WHY(HCCD), WHY_el2_forbids_counting, 64, {APMU_REG_MDCR_EL2, "HCCD (bit 23)", 0, 1u << 23, 2}},
    {APMU_WHY(SPME), WHY_secure_events_prohibited, 62, {APMU_REG_MDCR_EL3, "SPME (bit 17)", 1u << 17, 0, 3}},
    {APMU_WHY(MPMX), WHY_secure_events_prohibited, 62, {APMU_REG_MDCR_EL3, "MPMX (bit 35)", 0, 1ull << 35, 3}},
    {APMU_WHY(SCCD), WHY_cycle_counter_stops_secure, 62, {APMU_REG_MDCR_EL3, "SCCD (bit 23)", 0, 1u << 23, 3}},
    {APMU_WHY(MCCD), WHY_cycle_counter_stops_secure, 62, {APMU_REG_MDCR_EL3, "MCCD (bit 34)", 0, 1ull << 34, 3}},
    {APMU_WHY(FILTER_NSH), WHY_nsh_clear_at_el2, 60, {APMU_REG_PMEVTYPER_EL0, "NSH (bit 27)", 1u << 27, 0, 1}},
    {APMU_WHY(FILTER_P), WHY_filter_p_or_u_set, 60, {APMU_REG_PMEVTYPER_EL0, "P (bit 31)", 0, 1u << 31, 1}},
    {APMU_WHY(FILTER_U), WHY_filter_p_or_u_set, 60, {APMU_REG_PMEVTYPER_EL0, "U (bit 30)", 0, 1u << 30, 1}},
    {APMU_WHY(FILTER_NSK), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "NSK (bit 29)", 0, 0, 1}},
    {APMU_WHY(FILTER_NSU), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "NSU (bit 28)", 0, 0, 1}},
    {APMU_WHY(FILTER_M), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "M (bit 26)", 0, 0, 1}},
    {APMU_WHY(FILTER_SH), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "SH (bit 24)", 0, 0, 1}},
    {APMU_WHY(FILTER_RLK), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "RLK (bit 22)", 0, 0, 1}},
    {APMU_WHY(FILTER_RLU), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "RLU (bit 21)", 0, 0, 1}},
    {APMU_WHY(FILTER_RLH), WHY_filter_security_bits_differ, 59, {APMU_REG_PMEVTYPER_EL0, "RLH (bit 20)", 0, 0, 1}},
    {APMU_WHY(FZO), WHY_frozen_on_overflow, 65, {APMU_REG_PMOVSCLR_EL0, "", 0, 0, 1}},
    {APMU_WHY(HPMFZO), WHY_frozen_on_overflow, 65, {APMU_REG_PMOVSCLR_EL0, "", 0, 0, 2}},
    {APMU_WHY(HALTED), WHY_halted_in_debug_state, 30, {APMU_REG_ALL, "", 0, 0, 1}},
};

static const struct stopping_reason *find_row(enum apmu_reason reason)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if ((rows[i].reasons >> reason & 1) != 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Returns the lowest counter of @set, which is not empty. */
static unsigned first_of(uint64_t set)
{
    unsigned n = 0;

    while ((set >> n & 1) == 0) {
        n++;
    }
    return n;
}

enum apmu_reg registers_filter(enum apmu_reg reg, unsigned n, unsigned *copy)
{
    *copy = 0;
    if (reg != APMU_REG_PMEVTYPER_EL0) {
        return reg;
    }
    *copy = n < APMU_CYCLE ? n : 0;
    return n == APMU_CYCLE ? APMU_REG_PMCCFILTR_EL0 : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0 : reg;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Cures.
 */

/* Writes the cure of a filter of one Security state, whose bit is made equal to the one that it is compared with. */
static void cure_security_bits(const struct registers_case *c, const struct why_finding *f, enum apmu_reg reg,
                               unsigned copy, char cure[400])
{
    static const struct {
        enum apmu_reason reason;
        uint8_t bit, other;
        bool equal;
    } pairs[] = {
        {APMU_REASON_FILTER_NSK, 29, 31, true},  {APMU_REASON_FILTER_NSU, 28, 30, true},
        {APMU_REASON_FILTER_M, 26, 31, true},    {APMU_REASON_FILTER_SH, 24, 27, false},
        {APMU_REASON_FILTER_RLK, 22, 31, true},  {APMU_REASON_FILTER_RLU, 21, 30, true},
        {APMU_REASON_FILTER_RLH, 20, 27, false},
    };
    const struct stopping_reason *row = find_row(f->reason);
    char name[48], write[240];

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (pairs[i].reason == f->reason) {
            const bool other = (registers_value(c, reg, copy) >> pairs[i].other & 1) != 0;
            const bool set = other == pairs[i].equal;
            const uint64_t bit = UINT64_C(1) << pairs[i].bit;

            snprintf(cure, 400, "%s.%s = %u, %s to bit %u%s", registers_name(c, reg, copy, name), row->lift.field, set,
                     pairs[i].equal ? "equal" : "opposite", pairs[i].other,
                     registers_write(c, reg, copy, set ? bit : 0, set ? 0 : bit, write));
        }
    }
}

/* Writes what makes a frozen counter count again. */
static void cure_freeze(const struct registers_case *c, bool first_range, char cure[400])
{
    const uint64_t flags = registers_value(c, APMU_REG_PMOVSSET_EL0, 0);
    char name[48], write[240];

    snprintf(cure, 400, "clear the overflow flags: write 0x%" PRIx64 " to %s%s; or %s = 0", flags,
             registers_name(c, APMU_REG_PMOVSCLR_EL0, 0, name),
             registers_write(c, APMU_REG_PMOVSCLR_EL0, 0, flags, 0, write),
             first_range ? "PMCR_EL0.FZO (bit 9)" : "MDCR_EL2.HPMFZO (bit 29)");
}

/* Writes who has to do a write that the level of the code in question may not. */
static const char *writer(const struct registers_case *c, unsigned level)
{
    if (level <= 1 || (c->level_known && c->level >= level)) {
        return "";
    }
    return level == 3 ? "firmware at EL3 has to do it: " : "the hypervisor at EL2 has to do it: ";
}

/* Writes the cure of a finding for counter @n. */
static void write_cure(const struct registers_case *c, const struct why_finding *f, const struct stopping_reason *row,
                       enum why_cause_id cause, unsigned n, char cure[400])
{
    unsigned copy;
    const enum apmu_reg reg = registers_filter(row->lift.reg, n, &copy);
    const uint64_t set = row->lift.set == ALL ? UINT64_C(1) << n : row->lift.set;
    char name[48], write[240], counter[8];

    if (cause == WHY_debug_authentication_forbids) {
        snprintf(cure, 400,
                 "the debug authentication interface permits it: SPNIDEN (or SPIDEN) HIGH, a fuse on most parts; "
                 "for Secure EL0 SDER.SUNIDEN = 1%s",
                 c->s->core != NULL && c->s->core->pmu != APMU_CORE_PMU_V3
                     ? "" /* ARMv7 has no SDCR */
                     : "; or MDCR_EL3.SPME (SDCR.SPME, bit 17) = 1");
    } else if (cause == WHY_cycle_counter_stops_secure && row->cause == WHY_secure_events_prohibited) {
        snprintf(cure, 400, "%s.DP = 0 (bit 5)%s; or firmware sets MDCR_EL3.SPME (bit 17)",
                 registers_name(c, APMU_REG_PMCR_EL0, 0, name),
                 registers_write(c, APMU_REG_PMCR_EL0, 0, 0, 1u << 5, write));
    } else if (row->cause == WHY_counter_does_not_exist) {
        snprintf(cure, 400, c->w->model.cfg.counters == 0 ? "use the cycle counter: PMCR.N is 0"
                                                         : "use one of the counters 0 to %u: PMCR.N is %u here",
                 c->w->model.cfg.counters - 1, c->w->model.cfg.counters);
    } else if (row->cause == WHY_halted_in_debug_state) {
        snprintf(cure, 400, "let the core run (continue), and read the counter twice");
    } else if (row->cause == WHY_frozen_on_overflow) {
        cure_freeze(c, f->reason == APMU_REASON_FZO, cure);
    } else if (set == 0 && row->lift.clear == 0) {
        cure_security_bits(c, f, reg, copy, cure);
    } else if (row->lift.set == ALL) {
        snprintf(cure, 400, "write 1 to bit %u of %s, for %s%s%s", n, registers_name(c, reg, copy, name),
                 n < APMU_CYCLE ? "counter " : "the counter of ",
                 n == APMU_CYCLE   ? "cycles"
                 : n == APMU_INSTR ? "instructions"
                                   : why_counter_name(n, counter),
                 registers_write(c, reg, copy, set, 0, write));
    } else {
        snprintf(cure, 400, "%s%s.%s = %u%s", writer(c, row->lift.level), registers_name(c, reg, copy, name),
                 row->lift.field, row->lift.set != 0, registers_write(c, reg, copy, set, row->lift.clear, write));
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Findings.
 */

/* Returns the counters in question for which a finding holds in all states in question. */
static uint64_t holds_for(const struct registers_case *c, const struct why_finding *f)
{
    uint64_t set = c->focus;

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        set &= (c->states >> s & 1) != 0 ? f->where[s] : ALL;
    }
    return set;
}

/* Returns true if the reason depends on the state, so that it is sure only where the state is. */
static bool depends_on_state(enum apmu_reason reason)
{
    const uint64_t never = APMU_WHY(NO_COUNTER) | APMU_WHY(HALTED) | APMU_WHY(PMCR_E) | APMU_WHY(HPME) |
                           APMU_WHY(EPME) | APMU_WHY(CNTEN) | APMU_WHY(FZO) | APMU_WHY(HPMFZO);

    return (never >> reason & 1) == 0;
}

/*
 * Returns the row of a finding.  NSK differs from P also where P is 1 and NSK is 0: then P is what somebody set, as U
 * is where NSU differs from it.
 */
static const struct stopping_reason *row_of(const struct registers_case *c, const struct why_finding *f, unsigned n)
{
    const struct stopping_reason *row = find_row(f->reason);
    const bool nsk = f->reason == APMU_REASON_FILTER_NSK, nsu = f->reason == APMU_REASON_FILTER_NSU;

    if (row != NULL && (nsk || nsu)) {
        unsigned copy;
        const enum apmu_reg reg = registers_filter(row->lift.reg, n, &copy);

        if ((registers_value(c, reg, copy) >> (nsk ? 31 : 30) & 1) != 0) {
            return find_row(nsk ? APMU_REASON_FILTER_P : APMU_REASON_FILTER_U);
        }
    }
    return row;
}

/* Returns true if the authentication interface keeps events of Secure state from being counted, as @f has it. */
static bool forbids_secure(const struct registers_case *c, const struct why_finding *f)
{
    uint64_t snid;

    return f->reason == APMU_REASON_SPME && (c->w->model.cfg.features & APMU_FEAT(Debugv8p2)) == 0 &&
           STATE_FIELD(c->s, DBGAUTHSTATUS_EL1, 0, SNID, &snid) && snid == 2;
}

/* Returns the cause of a finding: counting in Secure state is another one for the cycle counter, and on older cores. */
static enum why_cause_id cause_of(const struct registers_case *c, const struct why_finding *f,
                                  const struct stopping_reason *row, uint64_t counters)
{
    const bool cycle = (counters & ~REGISTERS_CYCLE) == 0;

    if ((APMU_WHY(SPME) | APMU_WHY(MPMX) | APMU_WHY(HPMD)) >> f->reason & 1) {
        if (cycle && f->reason != APMU_REASON_HPMD) {
            return WHY_cycle_counter_stops_secure;
        }
        if (forbids_secure(c, f)) {
            return WHY_debug_authentication_forbids;
        }
    }
    return row->cause;
}

/* Returns true if @reason is a bit of a counter's filter: unlike enables, nobody sets one only while he reads. */
static bool is_filter(enum apmu_reason reason)
{
    const struct stopping_reason *row = find_row(reason);

    return row != NULL && row->lift.reg == APMU_REG_PMEVTYPER_EL0;
}

/*
 * Returns true if the filters of @counters ask for counts of EL2, where the code in question runs, and a bit of
 * MDCR_EL2 forbids them: what the counters hold is of EL1 and EL0.
 */
static bool asks_for_el2(const struct registers_case *c, const struct why_finding *f, uint64_t counters)
{
    bool asks = c->level_known && c->level == 2 && !f->maybe &&
                (f->reason == APMU_REASON_HPMD || f->reason == APMU_REASON_HCCD);

    for (unsigned n = 0; n <= APMU_CYCLE; n++) {
        unsigned copy;
        const enum apmu_reg reg = registers_filter(APMU_REG_PMEVTYPER_EL0, n, &copy);

        asks &= (counters >> n & 1) == 0 || (registers_value(c, reg, copy) & APMU_MASK(PMEVTYPER_EL0, NSH)) != 0;
    }
    return asks;
}

/* Returns how sure a finding is the cause of what the writer sees. */
static enum suspect_confidence confidence_of(const struct registers_case *c, const struct why_finding *f,
                                             uint64_t counters)
{
    bool missed = false;

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        missed |= (counters >> n & 1) != 0 && registers_expects_more(c, n);
    }
    if (!missed && c->in->counters == 0 && f->reason != APMU_REASON_FZO && f->reason != APMU_REASON_HPMFZO &&
        (counters & c->counted & ~c->stuck) != 0 && (counters & c->zero) == 0 && !registers_sees(c, READING_zero) &&
        !registers_sees(c, READING_stuck)) {
        return (is_filter(f->reason) && registers_sees(c, READING_small) && c->level_known) ||
                       asks_for_el2(c, f, counters)
                   ? SUSPECT_LIKELY /* the little that it counts is of other levels */
                   : SUSPECT_POSSIBLE; /* it has counted, so it may have been stopped on purpose */
    }
    if ((depends_on_state(f->reason) && !c->level_known) || f->maybe) {
        return SUSPECT_LIKELY;
    }
    return SUSPECT_CERTAIN;
}

/*
 * Returns what a finding says.  One that only an unknown field decides quotes the register that lifts it as well, where
 * the input gives that, and *@line becomes its line.
 */
static const char *reason_text(const struct registers_case *c, const struct why_finding *f,
                               const struct stopping_reason *row, uint32_t *line, char buf[300])
{
    static const char lead[] = "no, if ";
    const enum apmu_reg reg = row->lift.reg;
    char name[48];

    buf[0] = '\0';
    if (forbids_secure(c, f)) {
        *line = registers_line(c, APMU_REG_DBGAUTHSTATUS_EL1, 0);
        why_append(buf, 300, "%s.SNID is 2: non-invasive debug of Secure state is not permitted",
                   registers_name(c, APMU_REG_DBGAUTHSTATUS_EL1, 0, name));
        return buf;
    }
    if (!f->maybe || strncmp(f->quote, lead, strlen(lead)) != 0) {
        return f->quote;
    }
    if (reg != APMU_REG_ALL && reg != APMU_REG_PMEVTYPER_EL0 && registers_line(c, reg, 0) != 0) {
        *line = registers_line(c, reg, 0);
        why_append(buf, 300, "%s.%s is %u, and nothing else permits it where ", registers_name(c, reg, 0, name),
                   row->lift.field, row->lift.set == 0);
    } else {
        why_append(buf, 300, "most likely ");
    }
    why_append(buf, 300, "%s", f->quote + strlen(lead));
    return buf;
}

static void add_finding(const struct registers_case *c, const struct why_finding *f)
{
    const uint64_t counters = holds_for(c, f);
    const uint64_t events = counters & ~REGISTERS_CYCLE;
    const struct stopping_reason *row = counters != 0 ? row_of(c, f, first_of(counters)) : NULL;
    char cure[400] = "", because[400], reason[300], list[96], quote[120];
    uint32_t line = f->line;
    struct suspect *s;

    if (row == NULL || (counters & ~c->moved) == 0 ||
        (row->cause == WHY_counter_does_not_exist && c->s->core == NULL &&
         (registers_known(c, APMU_REG_PMCR_EL0, 0) & APMU_MASK(PMCR_EL0, N)) == 0)) {
        return; /* nothing tells how many counters there are */
    }
    write_cure(c, f, row, cause_of(c, f, row, counters), first_of(counters), cure);
    suspect_text(because, "%s, so %s%s%s%s %s not count", reason_text(c, f, row, &line, reason),
                 (counters & REGISTERS_CYCLE) != 0 ? "the cycle counter" : "",
                 (counters & REGISTERS_CYCLE) != 0 && events != 0 ? " and " : "",
                 events == 0 ? "" : (events & (events - 1)) != 0 ? "counters " : "counter ",
                 events == 0 ? "" : why_counter_list(events, list), (counters & (counters - 1)) != 0 ? "do" : "does");
    if (line != 0 && reading_quote(c->r, line, quote, sizeof quote)[0] != '\0') {
        why_append(because, sizeof because, " (\"%s\")", quote);
    }
    s = suspect_add(c->all, cause_of(c, f, row, counters), confidence_of(c, f, counters), line, because, cure);
    s->weight = row->weight;
    if (c->states == APMU_STATE(EL3)) {
        suspect_look_at_el3(s);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Refused accesses.
 */

/* The causes of the table by which an access is refused, with their weights and cures. */
static const struct {
    enum why_cause_id cause;
    enum apmu_reg reg;
    const char *cure;
} refusals[] = {
    {WHY_el0_access_off, APMU_REG_PMUSERENR_EL0,
     "a kernel module sets PMUSERENR_EL0.EN (bit 0) on each CPU: write_sysreg(1, pmuserenr_el0); or use "
     "perf_event_open()"},
    {WHY_el0_access_off_aarch32, APMU_REG_PMUSERENR_EL0,
     "a privileged mode sets PMUSERENR.EN (bit 0) on each CPU: mov r0, #1; mcr p15, 0, r0, c9, c14, 0; isb"},
    {WHY_el2_traps_pmu, APMU_REG_MDCR_EL2,
     "the hypervisor clears MDCR_EL2.TPM (bit 6) and TPMCR (bit 5) and the traps of HDFGRTR_EL2, or gives the guest a "
     "virtual PMU"},
    {WHY_el3_traps_pmu, APMU_REG_MDCR_EL3, "firmware at EL3 clears MDCR_EL3.TPM (bit 6)"},
    {WHY_el3_traps_newer_registers, APMU_REG_MDCR_EL3, "firmware at EL3 sets MDCR_EL3.EnPM2 (bit 7)"},
};

/* EL0 may read what is in question, and not write. */
static void only_reads(const struct registers_case *c)
{
    const uint64_t value = registers_value(c, APMU_REG_PMUSERENR_EL0, 0);
    const uint64_t bits = APMU_MASK(PMUSERENR_EL0, CR) | APMU_MASK(PMUSERENR_EL0, ER) | APMU_MASK(PMUSERENR_EL0, SW);
    char name[48], write[240], cure[400];

    if (registers_known(c, APMU_REG_PMUSERENR_EL0, 0) == 0 || (value & 1) != 0 || (value & bits) == 0) {
        return;
    }
    if (registers_sees(c, READING_fault) && (registers_say(c->r, "write") || registers_say(c->r, "writing") ||
                                             registers_say(c->r, "msr ") || registers_say(c->r, "mcr "))) {
        suspect_text(cure, "the kernel sets %s.EN too (bit 0)%s; or it does the writes",
                     registers_name(c, APMU_REG_PMUSERENR_EL0, 0, name),
                     registers_write(c, APMU_REG_PMUSERENR_EL0, 0, 1, 0, write));
        registers_suspect(c, WHY_el0_write_not_allowed, SUSPECT_CERTAIN, 92, APMU_REG_PMUSERENR_EL0, 0, cure,
                          "%s.EN = 0 and CR, ER or SW is 1: EL0 may read and not write", name);
        suspect_clear(c->all, WHY_el0_access_off);
        suspect_clear(c->all, WHY_el0_access_off_aarch32);
    }
}

/* Returns true if the input shows that an access faults: by what its writer says, or by a syndrome. */
static bool sees_trap(const struct registers_case *c)
{
    return registers_sees(c, READING_fault) || reading_find(c->r, CLUE_exception_syndrome) != NULL;
}

/* Adds a trap that the input shows, unless it is in the list: what other levels trap does not matter then. */
static void add_trap(const struct registers_case *c, enum why_cause_id id, struct why_cause_list *found)
{
    const bool el3 = id == WHY_el3_traps_pmu;

    for (size_t k = 0; k < found->count; k++) {
        if (found->causes[k] == &why_causes[id]) {
            return;
        }
    }
    if (sees_trap(c) || c->r->machine.el.known || (c->focus & (c->zero | c->counted)) == 0) {
        registers_suspect(c, id, sees_trap(c) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, sees_trap(c) ? 90 : 75,
                          el3 ? APMU_REG_MDCR_EL3 : APMU_REG_MDCR_EL2, 0, refusals[el3 ? 3 : 2].cure,
                          "%s.TPM (bit 6) = 1: accesses at lower levels trap", el3 ? "MDCR_EL3" : "MDCR_EL2");
    }
}

/*
 * Returns true if the complaint is about counts that the input gives: they were read, whatever EL0 may do, and no
 * access is said to be refused.
 */
static bool counts_are_read(const struct registers_case *c)
{
    const bool complains = registers_sees(c, READING_zero) || registers_sees(c, READING_stuck) ||
                           registers_sees(c, READING_small) || registers_sees(c, READING_large);

    return complains && !sees_trap(c) && !registers_sees(c, READING_refused) &&
           (c->focus & ~(c->zero | c->counted)) == 0;
}

/* Adds the causes by which a read of a counter in question is refused. */
static void add_refusals(const struct registers_case *c)
{
    struct why_cause_list found;
    const bool fault = registers_sees(c, READING_fault);
    const bool zero = registers_sees(c, READING_zero) || (c->focus & c->zero) != 0;
    const bool unread = (c->focus & (c->zero | c->counted)) == 0; /* no count of them could be printed */

    why_find_causes(c->w, NULL, &found);
    if (c->level <= 2 && (registers_value(c, APMU_REG_MDCR_EL3, 0) & APMU_MASK(MDCR_EL3, TPM)) != 0) {
        add_trap(c, WHY_el3_traps_pmu, &found);
    }
    if (c->level <= 1 && (registers_value(c, APMU_REG_MDCR_EL2, 0) & APMU_MASK(MDCR_EL2, TPM)) != 0) {
        add_trap(c, WHY_el2_traps_pmu, &found);
    }
    if (c->level <= 1 && (registers_value(c, APMU_REG_MDCR_EL2, 0) & APMU_MASK(MDCR_EL2, TPMCR)) != 0 && sees_trap(c) &&
        (registers_say(c->r, "pmcr_el0") || registers_say(c->r, "c12, 0"))) {
        registers_suspect(c, WHY_el2_traps_pmu, SUSPECT_CERTAIN, 90, APMU_REG_MDCR_EL2, 0, refusals[2].cure,
                          "MDCR_EL2.TPMCR (bit 5) = 1: accesses of PMCR_EL0 at lower levels trap");
    }
    for (size_t k = 0; k < found.count; k++) {
        const enum why_cause_id id = (enum why_cause_id)(found.causes[k] - why_causes);

        for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
            if (refusals[i].cause == id && !(refusals[i].reg == APMU_REG_PMUSERENR_EL0 && counts_are_read(c))) {
                registers_suspect(c, id, fault || (c->level_known && !zero) ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
                                  fault    ? 90
                                  : zero   ? 20
                                  : unread ? 75
                                           : 55,
                                  refusals[i].reg, 0, refusals[i].cure, "%s", found.causes[k]->sign);
            }
        }
    }
}

/*
 * Returns true if a reason that may hold depends on nothing but the authentication interface, which dumps lack.  On
 * most parts it does not permit Secure debug.
 */
static bool only_debug_decides(const struct registers_case *c, const struct why_finding *f)
{
    const uint64_t counters = holds_for(c, f);
    const uint64_t debug = APMU_SUBJECT(AUTH) | APMU_SUBJECT(SUNIDEN);

    if (counters == 0 || (counters & (c->zero | c->stuck | ~c->counted)) == 0) {
        return false;
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if ((c->states >> s & 1) != 0) {
            const struct apmu_facts facts = why_at(c->w, (enum apmu_state)s);
            struct apmu_dependence d;

            apmu_dependence(&facts, first_of(counters), f->reason, &d);
            if (d.subjects == 0 || (d.subjects & ~debug) != 0) {
                return false;
            }
        }
    }
    return true;
}

void registers_model(const struct registers_case *c)
{
    size_t count;
    struct why_finding *list = why_findings(c->w, &count);

    for (size_t i = 0; i < count; i++) {
        if (!list[i].maybe || only_debug_decides(c, &list[i])) {
            add_finding(c, &list[i]);
        }
    }
    free(list);
    add_refusals(c);
    only_reads(c);
}
