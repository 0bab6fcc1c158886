/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what a call of the model costs, next to an indirect call in the same run: a callback of an emulator costs at
 * least that.
 *
 *   model        times each row, in rounds, and prints: NAME GOAL NANOSECONDS RATIO TEXT, medians of the rounds
 *   model TIMES  calls each row TIMES times and prints nothing: for a tool that counts instructions
 *
 * GOAL is the highest ratio that the row should have, or 0 for none.  test/bench/model.sh makes a table of the rows.
 * An event while an overflow is signalled also works out the levels: its goal is the sum of those of its two parts.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <armpmu/model.h>

enum { EVENT = 0x0024, OTHER_EVENT = 0x0023, ROUNDS = 15, TIMES = 20000 };

/* The data that the rows work on.  The compiler knows none of the values where they are used. */
static struct model_bench {
    struct apmu one, six, full; /* 1 event counter counts EVENT, 6 do, 31 do; all are enabled */
    struct apmu pending;        /* as six, with an overflow signalled */
    struct apmu retired;        /* 6 counters count INST_RETIRED, as PMICNTR_EL0 does */
    struct apmu_pe el0, el1;    /* at Non-secure EL0 and EL1, below an EL2 and an EL3 that trap nothing */
    struct apmu_out out;
    struct apmu made;           /* what apmu_init() makes */
    struct apmu_ext evcntr, pmcr, cnten;
    struct apmu_occurrence ev[2]; /* INST_RETIRED and EVENT */
    uint64_t zero;
} bench;

/* ---------------------------------------------------------------------------------------------------------------
 * The yardstick: a call through a pointer of a function that takes as many arguments as apmu_event() and returns a
 * number.  Each call waits for the result of the one before.
 */

typedef uint64_t yardstick_fn(const struct apmu *p, const struct apmu_pe *pe, uint16_t event, uint64_t times,
                              uint64_t each, const struct apmu_out *out);

__attribute__((noinline)) static uint64_t yardstick(const struct apmu *p, const struct apmu_pe *pe, uint16_t event,
                                                    uint64_t times, uint64_t each, const struct apmu_out *out)
{
    return p->selr + pe->el + event + times + each + out->pmuirq;
}

static yardstick_fn *volatile indirect = yardstick;

/* ---------------------------------------------------------------------------------------------------------------
 * The rows.  The statement of a row is one call.  It changes x, on which the next call waits: (x & b->zero) is 0, which
 * the compiler does not know.
 */

/*
 * Reads a register as an emulator does: decides whether it may be read, and if so, reads it.
 * READ(el1, PMCR_EL0, 0) becomes
 *
 *     x += apmu_access(&b->six, &b->el1, APMU_REG_PMCR_EL0, (unsigned)(x & b->zero) + 0, false).outcome ==
 *                  APMU_ACCESS_OK
 *              ? apmu_peek(&b->six, &b->el1, APMU_REG_PMCR_EL0, (unsigned)(x & b->zero) + 0)
 *              : 1;
 */
#define READ(pe, reg, n) \
    x += apmu_access(&b->six, &b->pe, APMU_REG_##reg, (unsigned)(x & b->zero) + n, false).outcome == APMU_ACCESS_OK \
             ? apmu_peek(&b->six, &b->pe, APMU_REG_##reg, (unsigned)(x & b->zero) + n) \
             : 1
/*
 * Writes a register as an emulator does.  WRITE(el1, PMCR_EL0, 0, CONTROL) becomes
 *
 *     if (apmu_access(..., true).outcome == APMU_ACCESS_OK) {
 *         apmu_poke(&b->six, &b->el1, APMU_REG_PMCR_EL0, 0, (CONTROL) + (x & b->zero), &b->out);
 *     }
 *     x += b->out.pmuirq;
 */
#define WRITE(pe, reg, n, value) \
    if (apmu_access(&b->six, &b->pe, APMU_REG_##reg, (unsigned)(x & b->zero) + n, true).outcome == APMU_ACCESS_OK) { \
        apmu_poke(&b->six, &b->pe, APMU_REG_##reg, n, (value) + (x & b->zero), &b->out); \
    } \
    x += b->out.pmuirq
/* Reads a register in the external view.  READ_EXT(pmcr) is READ() with apmu_access_ext(..., &b->pmcr, ...). */
#define READ_EXT(at) \
    x += apmu_access_ext(&b->six, &b->el1, &b->at, (x & b->zero) != 0).outcome == APMU_ACCESS_OK \
             ? apmu_read_ext(&b->six, &b->el1, &b->at) \
             : 1
/* Writes one.  WRITE_EXT(cnten, 1) is WRITE() with apmu_access_ext(..., &b->cnten, ...). */
#define WRITE_EXT(at, value) \
    if (apmu_access_ext(&b->six, &b->el1, &b->at, (x & b->zero) == 0).outcome == APMU_ACCESS_OK) { \
        apmu_poke_ext(&b->six, &b->el1, &b->at, (value) + (x & b->zero), &b->out); \
    } \
    x += b->out.pmuirq
/* Has the PMU @unit count the event.  The macro's last statement makes the next call wait. */
#define EVENTS(unit, pe, event, times) \
    apmu_event(&b->unit, &b->pe, event, (times) + (x & b->zero), 1, &b->out); \
    x += b->out.pmuirq

/* Has the PMU @unit take a cycle in which two events occur. */
#define STEP(unit, pe) \
    b->ev[0].count = 1 + (x & b->zero); \
    apmu_step(&b->unit, &b->pe, 1, b->ev, 2, &b->out); \
    x += b->out.pmuirq

/* Has one counter of the PMU @unit overflow. */
#define OVERFLOW(unit) \
    b->unit.cntr[0] = UINT64_MAX; \
    b->unit.ovs = 0; \
    EVENTS(unit, el0, EVENT, 1)

/* Has the PE change its Exception level, for the PMU @unit. */
#define LEVELS(unit) \
    apmu_levels(&b->unit, (x & b->zero) != 0 || (i & 1) != 0 ? &b->el1 : &b->el0, &b->out); \
    x += b->out.pmuirq

/*
 * ROW(id, goal, text, statement).  ROW(cycles, 5, "apmu_cycles(1)", STATEMENT) becomes a function and an element of
 * rows[]:
 *
 *     static uint64_t row_cycles(struct model_bench *b, unsigned times) { ... for (...) { STATEMENT; } return x; }
 *     {"cycles", "apmu_cycles(1)", 5, row_cycles},
 */
#define ROWS \
    ROW(call, 0, "an indirect call", x = indirect(&b->six, &b->el1, EVENT, x, 1, &b->out)) \
    ROW(read_evcntr, 10, "MRS PMEVCNTR3_EL0", READ(el1, PMEVCNTR_EL0, 3)) \
    ROW(read_ccntr, 10, "MRS PMCCNTR_EL0", READ(el1, PMCCNTR_EL0, 0)) \
    ROW(read_ccntr_el0, 10, "MRS PMCCNTR_EL0 at EL0", READ(el0, PMCCNTR_EL0, 0)) \
    ROW(read_cr, 10, "MRS PMCR_EL0", READ(el1, PMCR_EL0, 0)) \
    ROW(read_cntenset, 10, "MRS PMCNTENSET_EL0", READ(el1, PMCNTENSET_EL0, 0)) \
    ROW(read_ovsclr, 10, "MRS PMOVSCLR_EL0", READ(el1, PMOVSCLR_EL0, 0)) \
    ROW(read_evtyper, 10, "MRS PMEVTYPER3_EL0", READ(el1, PMEVTYPER_EL0, 3)) \
    ROW(read_xevcntr, 10, "MRS PMXEVCNTR_EL0", READ(el1, PMXEVCNTR_EL0, 0)) \
    ROW(write_evcntr, 10, "MSR PMEVCNTR3_EL0", WRITE(el1, PMEVCNTR_EL0, 3, 1)) \
    ROW(write_ccntr, 10, "MSR PMCCNTR_EL0", WRITE(el1, PMCCNTR_EL0, 0, 1)) \
    ROW(write_cr, 10, "MSR PMCR_EL0", WRITE(el1, PMCR_EL0, 0, CONTROL)) \
    ROW(write_cntenset, 10, "MSR PMCNTENSET_EL0", WRITE(el1, PMCNTENSET_EL0, 0, 1)) \
    ROW(write_ovsclr, 10, "MSR PMOVSCLR_EL0", WRITE(el1, PMOVSCLR_EL0, 0, 1)) \
    ROW(write_evtyper, 10, "MSR PMEVTYPER3_EL0", WRITE(el1, PMEVTYPER_EL0, 3, EVENT | NSH)) \
    ROW(write_selr, 10, "MSR PMSELR_EL0", WRITE(el1, PMSELR_EL0, 0, 3)) \
    ROW(write_xevcntr, 10, "MSR PMXEVCNTR_EL0", WRITE(el1, PMXEVCNTR_EL0, 0, 1)) \
    ROW(ext_read_evcntr, 10, "MMIO read of PMEVCNTR3_EL0, 64 bits", READ_EXT(evcntr)) \
    ROW(ext_read_cr, 10, "MMIO read of PMCR_EL0, 32 bits", READ_EXT(pmcr)) \
    ROW(ext_write_evcntr, 10, "MMIO write of PMEVCNTR3_EL0, 64 bits", WRITE_EXT(evcntr, 1)) \
    ROW(ext_write_cnten, 10, "MMIO write of PMCNTENSET_EL0, 64 bits", WRITE_EXT(cnten, 1)) \
    ROW(event_0, 5, "apmu_event() that none of 31 counters counts", EVENTS(full, el0, OTHER_EVENT, 1)) \
    ROW(event_1, 6, "apmu_event() that the one counter counts", EVENTS(one, el0, EVENT, 1)) \
    ROW(event_6, 11, "apmu_event() that 6 of 6 counters count", EVENTS(six, el0, EVENT, 1)) \
    ROW(event_31, 36, "apmu_event() that 31 of 31 counters count", EVENTS(full, el0, EVENT, 1)) \
    ROW(event_batch, 11, "apmu_event() that 6 of 6 count, 1000000000 at once", EVENTS(six, el0, EVENT, 1000000000)) \
    ROW(event_pending, 21, "apmu_event() that 6 of 6 count, overflow signalled", EVENTS(pending, el0, EVENT, 1)) \
    ROW(retired, 12, "apmu_event(INST_RETIRED) that PMICNTR_EL0 and 6 counters count", \
        EVENTS(retired, el0, APMU_EV_INST_RETIRED, 1)) \
    ROW(cycles, 5, "apmu_cycles(1)", apmu_cycles(&b->six, &b->el0, 1 + (x & b->zero), &b->out); x += b->out.pmuirq) \
    ROW(cycles_batch, 5, "apmu_cycles(1000000000)", \
        apmu_cycles(&b->six, &b->el0, 1000000000 + (x & b->zero), &b->out); x += b->out.pmuirq) \
    ROW(step, 20, "apmu_step() of two events, 6 counters count one of them", STEP(six, el0)) \
    ROW(step_retired, 20, "apmu_step() of two events, PMICNTR_EL0 and 6 counters count one", STEP(retired, el0)) \
    ROW(levels, 5, "the PE changes its Exception level: apmu_levels()", LEVELS(six)) \
    ROW(levels_pending, 10, "apmu_levels() while an overflow is signalled", LEVELS(pending)) \
    ROW(why, 0, "apmu_why()", x += apmu_why(&b->six, &b->el1, 3)) \
    ROW(until, 0, "apmu_until()", x += apmu_until(&b->six, &b->el1, EVENT, 1 + (x & b->zero))) \
    ROW(until_all, 0, "apmu_until_all()", x += apmu_until_all(&b->six, (x & b->zero) != 0 ? &b->el0 : &b->el1)) \
    ROW(init, 0, "apmu_init()", apmu_init(&b->made, &b->six.cfg); x += b->made.pmcr) \
    ROW(overflow, 0, "apmu_event() that overflows one of 6 counters", OVERFLOW(six)) \
    ROW(overflow_31, 0, "apmu_event() that overflows one of 31 counters", OVERFLOW(full))

#define CONTROL (APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LP) | APMU_MASK(PMCR_EL0, LC))
#define NSH APMU_MASK(PMEVTYPER_EL0, NSH)

typedef uint64_t bench_row_fn(struct model_bench *b, unsigned times);

/* ROW(cycles, 5, "apmu_cycles(1)", STATEMENT) becomes the function row_cycles(), which executes STATEMENT @times. */
#define ROW(id, goal, text, statement) \
    __attribute__((noinline)) static uint64_t row_##id(struct model_bench *b, unsigned times) \
    { \
        uint64_t x = 0; \
        for (unsigned i = 0; i < times; i++) { \
            statement; \
        } \
        return x; \
    }
ROWS
#undef ROW

static const struct bench_row {
    const char *name, *text;
    int goal;
    bench_row_fn *run;
} rows[] = {
#define ROW(id, goal, text, statement) {#id, text, goal, row_##id},
    ROWS
#undef ROW
};

enum { COUNT = sizeof rows / sizeof rows[0] };

/* ---------------------------------------------------------------------------------------------------------------
 * PMUs as software programs them: every counter counts, with 64 bits, at EL0 and EL1.
 */

/* Makes a PMU with @counters event counters, all enabled and counting EVENT. */
static void make_pmu(struct apmu *p, unsigned counters)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(
            APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) | APMU_FEAT(AA64) |
            APMU_FEAT(PMUv3p9) | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_TH2) |
            APMU_FEAT(PMUv3_SME) | APMU_FEAT(HPMN0) | APMU_FEAT(FGT2) | APMU_FEAT(VHE) | APMU_FEAT(E2H0) |
            APMU_FEAT(SEL2) | APMU_FEAT(RME) | APMU_FEAT(EBEP) | APMU_FEAT(SEBEP) | APMU_FEAT(SPE_EXC) |
            APMU_FEAT(SPE_DPFZS) | APMU_FEAT(Debugv8p9) | APMU_FEAT(MTPMU) | APMU_FEAT(PMUv3_EXT64) |
            APMU_FEAT(PMUv3_EXTPMN)),
        .counters = (uint8_t)counters,
        .thwidth = 12,
        .export_bus = true,
    };
    const char *wrong = apmu_config_check(&cfg);

    if (wrong != NULL) {
        fprintf(stderr, "bench: %s\n", wrong);
        exit(2);
    }
    apmu_init(p, &cfg);
    apmu_poke(p, &bench.el1, APMU_REG_PMCR_EL0, 0, CONTROL, NULL);
    for (unsigned n = 0; n < counters; n++) {
        apmu_poke(p, &bench.el1, APMU_REG_PMEVTYPER_EL0, n, EVENT, NULL);
    }
    apmu_poke(p, &bench.el1, APMU_REG_PMCNTENSET_EL0, 0, ~UINT64_C(0), NULL);
    apmu_poke(p, &bench.el1, APMU_REG_PMUSERENR_EL0, 0, APMU_MASK(PMUSERENR_EL0, EN), NULL);
}

/* Fills bench. */
static void set_up(void)
{
    bench.el1 = (struct apmu_pe){
        .el = 1,
        .dbgen = true, .niden = true,
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 31),
        .mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, FGTEn) |
                   APMU_MASK(SCR_EL3, FGTEn2),
        .hdfgrtr2_el2 = ~UINT64_C(0), .hdfgwtr2_el2 = ~UINT64_C(0),
    };
    bench.el0 = bench.el1;
    bench.el0.el = 0;
    make_pmu(&bench.one, 1);
    make_pmu(&bench.six, 6);
    make_pmu(&bench.full, 31);
    bench.pending = bench.six;
    bench.pending.inten = 1;
    apmu_poke(&bench.pending, &bench.el1, APMU_REG_PMOVSSET_EL0, 0, 1, NULL);
    bench.retired = bench.six;
    for (unsigned n = 0; n < 6; n++) {
        apmu_poke(&bench.retired, &bench.el1, APMU_REG_PMEVTYPER_EL0, n, APMU_EV_INST_RETIRED, NULL);
    }
    bench.ev[0] = (struct apmu_occurrence){.event = APMU_EV_INST_RETIRED, .count = 1};
    bench.ev[1] = (struct apmu_occurrence){.event = EVENT, .count = 2};
    bench.evcntr = (struct apmu_ext){.offset = 3 * 8, .size = 8, .pas = APMU_PAS_NONSECURE};
    bench.pmcr = (struct apmu_ext){.offset = 0xE10, .size = 4, .pas = APMU_PAS_NONSECURE};
    bench.cnten = (struct apmu_ext){.offset = 0xC00, .size = 8, .pas = APMU_PAS_NONSECURE};
}

/* Returns the time of one call of a row, in nanoseconds. */
static double nanoseconds(bench_row_fn *run, unsigned times)
{
    struct timespec from, to;

    clock_gettime(CLOCK_MONOTONIC, &from);
    run(&bench, times);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / times;
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof values[0], order);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    static double time[COUNT][ROUNDS], ratio[COUNT][ROUNDS];
    const unsigned times = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : TIMES;

    set_up();
    for (unsigned r = 0; r < (argc > 1 ? 1 : ROUNDS); r++) {
        for (unsigned i = 0; i < COUNT; i++) {
            const double call = argc > 1 ? 1 : nanoseconds(rows[0].run, times);
            time[i][r] = nanoseconds(rows[i].run, times);
            ratio[i][r] = time[i][r] / call;
        }
    }
    for (unsigned i = 0; argc == 1 && i < COUNT; i++) {
        printf("%s %d %.1f %.2f %s\n", rows[i].name, rows[i].goal, median(time[i]), median(ratio[i]), rows[i].text);
    }
    if (argc == 1) {
        printf("size 1280 %zu 0 sizeof(struct apmu) in bytes\n", sizeof(struct apmu));
    }
    return 0;
}
