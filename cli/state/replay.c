/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes the state from a trace file ("armpmu-trace 1", cli/trace/): the state after the last action of its last trace.
 * A file that was cut gives the state after its last line.
 */
#include <string.h>

#include "../trace/trace.h"
#include "internal.h"

static void ignore_access(struct trace_reader *r, const struct trace_reply *got)
{
    (void)r, (void)got;
}

static void ignore_bit(struct trace_reader *r, bool got)
{
    (void)r, (void)got;
}

static void ignore_line(struct trace_reader *r)
{
    (void)r;
}

/* Adds the fact that the bits @known of copy @n of @reg have the values in @value. */
static void add_fact(struct state *s, enum apmu_reg reg, unsigned n, uint64_t known, uint64_t value, uint32_t line)
{
    s->facts++;
    state_put(s, reg, n, known, value & known, line, apmu_reg_info(reg)->name);
}

enum { DISABLED = 2, ENABLED = 3 }; /* values of the fields of DBGAUTHSTATUS_EL1 */

/* Takes the state of the PE as the registers that show it. */
static void take_pe(struct state *s, const struct apmu_pe *pe, uint32_t line)
{
    enum { HALTED = 0x13, RUNNING = 2 }; /* values of EDSCR.STATUS */
    const struct {
        enum apmu_reg reg;
        uint64_t value;
    } fields[] = {
        {APMU_REG_SVCR, APMU_PUT(SVCR, SM, pe->sm)}, {APMU_REG_OSLSR_EL1, APMU_PUT(OSLSR_EL1, OSLK, pe->os_lock)},
        {APMU_REG_EDPRSR, APMU_PUT(EDPRSR, DLK, pe->double_lock) | APMU_PUT(EDPRSR, PU, !pe->core_off)},
        {APMU_REG_EDSCR, APMU_PUT(EDSCR, SDD, pe->sdd) | (pe->halted ? HALTED : RUNNING)},
        {APMU_REG_CurrentEL, APMU_PUT(CurrentEL, EL, pe->el)},
        {APMU_REG_DBGAUTHSTATUS_EL1, APMU_PUT(DBGAUTHSTATUS_EL1, NSID, pe->dbgen ? ENABLED : DISABLED) |
                                         APMU_PUT(DBGAUTHSTATUS_EL1, NSNID, pe->niden ? ENABLED : DISABLED) |
                                         APMU_PUT(DBGAUTHSTATUS_EL1, SID, pe->spiden ? ENABLED : DISABLED) |
                                         APMU_PUT(DBGAUTHSTATUS_EL1, SNID, pe->spniden ? ENABLED : DISABLED)},
    };
    uint64_t value;

    for (unsigned r = APMU_REG_BORROWED; r < APMU_REG_ALL; r++) {
        if (apmu_pe_get(pe, (enum apmu_reg)r, &value)) {
            add_fact(s, (enum apmu_reg)r, 0, UINT64_MAX, value, line);
        }
    }
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        add_fact(s, fields[i].reg, 0, UINT64_MAX, fields[i].value, line);
    }
    add_fact(s, APMU_REG_PSTATE, 0, APMU_MASK(PSTATE, nRW), APMU_PUT(PSTATE, nRW, pe->a32), line);
}

/* Takes the unit of a trace, if it is a PMUv3, and its PE. */
static void take_pmuv3(struct state *s, const struct trace *t, uint32_t line)
{
    const struct apmu_pe el3 = {.el = 3};

    s->features = t->p.cfg.features;
    s->no_features = ~t->p.cfg.features;
    s->secure_only = t->p.cfg.secure_only;
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        const struct apmu_reg_info *info = apmu_reg_info(reg);

        for (unsigned n = 0; n < info->copies; n++) {
            const bool there = info->readable && (info->copies == 1 || n < t->p.cfg.counters) &&
                               apmu_holds(&t->p.cfg, info->gate, n) && state_canonical(reg) == reg;

            if (there && reg != APMU_REG_PMXEVTYPER_EL0 && reg != APMU_REG_PMXEVCNTR_EL0) {
                add_fact(s, reg, n, UINT64_MAX, apmu_peek(&t->p, &el3, reg, n), line);
            }
        }
    }
    if (apmu_holds(&t->p.cfg, APMU_GATE_PMUv3_EXTPMN, 0)) {
        add_fact(s, APMU_REG_PMCCR, 0, UINT64_MAX, t->p.ccr, line);
    }
    if (t->p.cfg.software_lock) {
        add_fact(s, APMU_REG_PMLSR, 0, UINT64_MAX, APMU_PUT(PMLSR, SLK, t->p.locked) | APMU_PUT(PMLSR, SLI, 1), line);
    }
    take_pe(s, &t->pe, line);
}

/* Returns a cell that one line gives. */
static struct state_cell cell_of(uint64_t known, uint64_t value, uint32_t line)
{
    return (struct state_cell){.known = known, .value = value, .line = line, .last = value, .last_line = line,
                               .times = 1};
}

/* Takes the state of an ARM11's core as the registers that show it. */
static void take_pe11(struct state *s, const struct apmu_arm11_pe *pe, uint32_t line)
{
    enum { SUPERVISOR = 3 }; /* PSTATE.M[3:0] of this mode */
    const uint64_t snid = pe->spniden ? ENABLED : DISABLED;

    s->arm11[STATE_ARM11_SUNAVCR] = cell_of(1, pe->user_v, line);
    s->arm11[STATE_ARM11_DSCR] = cell_of(1, pe->halted, line);
    add_fact(s, APMU_REG_SCR_EL3, 0, APMU_MASK(SCR_EL3, NS), APMU_PUT(SCR_EL3, NS, !pe->secure), line);
    add_fact(s, APMU_REG_SDER32_EL3, 0, UINT64_MAX, APMU_PUT(SDER32_EL3, SUNIDEN, pe->suniden), line);
    add_fact(s, APMU_REG_DBGAUTHSTATUS_EL1, 0, APMU_MASK(DBGAUTHSTATUS_EL1, SNID),
             APMU_PUT(DBGAUTHSTATUS_EL1, SNID, snid), line);
    add_fact(s, APMU_REG_PSTATE, 0, APMU_MASK(PSTATE, M), APMU_PUT(PSTATE, M, pe->user ? 0 : SUPERVISOR), line);
}

/* Takes the unit of a trace, if it is an ARM11's, and its core. */
static void take_arm11(struct state *s, const struct trace *t, uint32_t line)
{
    s->core = apmu_core_by_name(t->arm11.cfg.part == APMU_ARM1136   ? "ARM1136"
                                : t->arm11.cfg.part == APMU_ARM1156 ? "ARM1156"
                                                                    : "ARM1176");
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        s->arm11[r] = cell_of(UINT32_MAX, apmu_arm11_peek(&t->arm11, (enum apmu_arm11_reg)r), line);
        s->facts++;
    }
    take_pe11(s, &t->pe11, line);
}

bool state_is_trace(const char *text, size_t length)
{
    const size_t first = strlen(TRACE_FIRST_LINE);

    return length >= first && memcmp(text, TRACE_FIRST_LINE, first) == 0;
}

void state_parse_trace(struct state *s, const char *text, size_t length)
{
    static const struct trace_listener listener = {ignore_access, ignore_bit, ignore_line};
    static struct trace_reader r;

    trace_reader_init(&r, &listener, 0);
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t here = (end != NULL ? (size_t)(end - text) : length) - at;

        if (!trace_reader_line(&r, text + at, here)) {
            state_remark(s, STATE_BAD_FORMAT, (uint32_t)r.line, r.error, strlen(r.error), "not a trace from here on");
            return;
        }
        at += here + 1;
    }
    if (r.trace.unit == NULL) {
        state_remark(s, STATE_BAD_FORMAT, (uint32_t)r.line, "config", 6, "a trace without its configuration");
    } else if (r.trace.arm11.cfg.size != 0) {
        take_arm11(s, &r.trace, (uint32_t)r.line);
    } else {
        take_pmuv3(s, &r.trace, (uint32_t)r.line);
    }
}
