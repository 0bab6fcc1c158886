/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * armpmu doctor over a bench without hardware: a PMU that counts what the loops contain, with one thing wrong at a
 * time.  Each fault is found with its cause, and nothing else is.
 */
#include <string.h>

#include "../../../cli/doctor/doctor.h"
#include "../../lib/tap.h"

enum fault {
    NO_FAULT,
    EVENT_STILL,     /* BR_RETIRED counts nothing */
    EVENT_DOUBLE,    /* LD_RETIRED counts twice */
    BRANCHES_TWICE,  /* INST_RETIRED counts branches twice, as by an erratum of Cortex-A53 */
    USER_STILL,      /* nothing is counted at EL0 */
    KERNEL_STILL,    /* nothing is counted in the kernel */
    EVENTS_STILL,    /* event counters stand still, cycles are counted */
    EVENTS_STILL_K,  /* event counters stand still in the kernel, cycles are counted */
    ALL_STILL,       /* nothing is counted */
    DIVIDED,         /* every 64th cycle */
    FEW_COUNTERS,    /* two counters */
    ONE_DEAD,        /* counter 3 stands still */
    ONE_SLOW,        /* counter 3 counts half */
    CROWDED,         /* the counters cannot all be had at once */
    SIGILL_ON_READ,  /* a direct read faults, because PMUSERENR_EL0 is 0 */
    TRAP_ON_READ,    /* and although PMUSERENR_EL0 allows it */
    NO_DIRECT_READ,  /* the kernel does not allow it */
    NO_SAMPLES,      /* no interrupt comes */
    FEW_SAMPLES,     /* one comes */
    THROTTLED,       /* one comes, and the kernel says that it left out the others */
    NO_SAMPLING,     /* the kernel cannot sample */
    NO_PERMISSION,   /* the kernel refuses everything */
    NO_KERNEL_RIGHT, /* the kernel refuses to count itself */
    SHARED,          /* somebody else has the counters for half of the time */
    NO_FILTER,       /* PMUv1: the kernel is in every count */
};

enum { COUNTERS = 6, OVERHEAD = 137 };

/* The PMU. */
struct fake {
    enum fault fault;
    struct apmu_wish wishes[APMU_COUNTERS];
    size_t count;
    bool direct;
    unsigned runs; /* a run in four is interrupted, and counts one instruction more */
};

static enum apmu_error refuse(enum apmu_error error, char *why, size_t size)
{
    snprintf(why, size, "%s", apmu_error_text(error));
    return error;
}

static enum apmu_error fake_open(void *ctx, const struct apmu_wish *wishes, size_t count, unsigned flags, char *why,
                                 size_t size)
{
    struct fake *f = ctx;
    const bool kernel = (wishes[0].filter & APMU_FILTER(P)) == 0;

    if (f->fault == NO_PERMISSION || (f->fault == NO_KERNEL_RIGHT && kernel)) {
        return refuse(APMU_E_PERF_PERMISSION, why, size);
    }
    if (f->fault == NO_FILTER && wishes[0].filter != 0) {
        return refuse(APMU_E_PERF_EVENT, why, size);
    }
    if (count > (f->fault == FEW_COUNTERS ? 2 : COUNTERS)) {
        return refuse(APMU_E_PERF_GROUP, why, size);
    }
    if (f->fault == NO_DIRECT_READ && (flags & DOCTOR_DIRECT) != 0) {
        snprintf(why, size, "kernel.perf_user_access is 0: set it to 1");
        return APMU_E_UNSUPPORTED;
    }
    memcpy(f->wishes, wishes, count * sizeof *wishes);
    f->count = count;
    f->direct = (flags & DOCTOR_DIRECT) != 0;
    return APMU_OK;
}

/* Returns the content that an event counts; DOCTOR_HAS_NOTHING for those that count none of it. */
static enum doctor_content content_of(uint16_t event)
{
    switch (event) {
    case APMU_EV_INST_RETIRED:
    case APMU_EV_INST_SPEC: return DOCTOR_HAS_INSTRUCTIONS;
    case APMU_EV_LD_RETIRED: return DOCTOR_HAS_LOADS;
    case APMU_EV_ST_RETIRED: return DOCTOR_HAS_STORES;
    case APMU_EV_BR_RETIRED: return DOCTOR_HAS_BRANCHES;
    case APMU_EV_BR_INDIRECT_SPEC: return DOCTOR_HAS_INDIRECT; /* the core's manual lists it */
    case APMU_EV_EXC_TAKEN: return DOCTOR_HAS_SYSCALLS;
    default: return DOCTOR_HAS_NOTHING;
    }
}

/* Returns the count of @wish for @n iterations, at EL0 and in the kernel, by a PMU that is right. */
static uint64_t right_count(const struct apmu_wish *wish, enum doctor_loop loop, unsigned long n, bool *event_counter)
{
    const unsigned *has = doctor_loops[loop].contents;
    const bool user = (wish->filter & APMU_FILTER(U)) == 0, kernel = (wish->filter & APMU_FILTER(P)) == 0;
    const uint64_t calls = has[DOCTOR_HAS_SYSCALLS];
    uint64_t each = 0;

    *event_counter = wish->event != APMU_EV_CPU_CYCLES;
    if (wish->event == APMU_EV_CPU_CYCLES) {
        const uint64_t slow = loop == DOCTOR_RUN_FAR ? 800 : loop == DOCTOR_RUN_RANDOM ? 20 : 0;

        each = (user ? has[DOCTOR_HAS_INSTRUCTIONS] + slow : 0) + (kernel ? calls * 700 : 0);
    } else if (wish->event == APMU_EV_L1D_CACHE_REFILL) {
        each = loop == DOCTOR_RUN_FAR ? has[DOCTOR_HAS_CHASES] : 0;
    } else if (wish->event == APMU_EV_INST_RETIRED) {
        each = (user ? has[DOCTOR_HAS_INSTRUCTIONS] : 0) + (kernel ? calls * 500 : 0);
    } else {
        each = has[content_of(wish->event)];
    }
    return each * n + OVERHEAD;
}

/* Returns what counter @n of the group counts with the fault of @f. */
static uint64_t faulty_count(const struct fake *f, size_t n, uint64_t count, bool event_counter)
{
    const struct apmu_wish *wish = &f->wishes[n];
    const bool kernel = (wish->filter & APMU_FILTER(P)) == 0, user = (wish->filter & APMU_FILTER(U)) == 0;

    switch (f->fault) {
    case EVENT_STILL: return wish->event == APMU_EV_BR_RETIRED ? 0 : count;
    case EVENT_DOUBLE: return wish->event == APMU_EV_LD_RETIRED ? 2 * count : count;
    case BRANCHES_TWICE: return wish->event == APMU_EV_INST_RETIRED ? count + count / 18 : count;
    case USER_STILL: return user ? 0 : count;
    case KERNEL_STILL: return kernel ? 0 : count;
    case EVENTS_STILL: return event_counter ? 0 : count;
    case EVENTS_STILL_K: return event_counter && kernel ? 0 : count;
    case ALL_STILL: return 0;
    case DIVIDED: return event_counter ? count : count / 64;
    case ONE_DEAD: return n == 3 ? 0 : count;
    case ONE_SLOW: return n == 3 ? count / 2 : count;
    default: return count;
    }
}

static enum apmu_error fake_run(void *ctx, enum doctor_loop loop, unsigned long n, struct doctor_run *out)
{
    struct fake *f = ctx;

    *out = (struct doctor_run){.ns = n * 9, .shared = f->fault == SHARED};
    f->runs++;
    if (f->direct && (f->fault == SIGILL_ON_READ || f->fault == TRAP_ON_READ)) {
        out->userenr_known = true;
        out->userenr = f->fault == TRAP_ON_READ ? APMU_MASK(PMUSERENR_EL0, ER) : 0;
        return APMU_E_ACCESS;
    }
    if (f->count > 1 && f->fault == CROWDED) {
        return APMU_E_PERF_LOST;
    }
    for (size_t i = 0; i < f->count; i++) {
        bool event_counter;
        const uint64_t count = right_count(&f->wishes[i], loop, n, &event_counter) + (f->runs % 4 == 0);

        out->counts[i] = faulty_count(f, i, count, event_counter);
    }
    return APMU_OK;
}

static void fake_close(void *ctx)
{
    ((struct fake *)ctx)->count = 0;
}

static enum apmu_error fake_sample(void *ctx, const struct apmu_wish *wish, uint64_t period, enum doctor_loop loop,
                                   unsigned long n, struct doctor_samples *out, char *why, size_t size)
{
    struct fake *f = ctx;
    bool event_counter;

    *out = (struct doctor_samples){.count = right_count(wish, loop, n, &event_counter) / period};
    switch (f->fault) {
    case NO_SAMPLES: out->count = 0; break;
    case FEW_SAMPLES: out->count = 1; break;
    case THROTTLED: *out = (struct doctor_samples){.count = 1, .throttled = true}; break;
    case NO_SAMPLING: return refuse(APMU_E_PERF_SAMPLING, why, size);
    default: break;
    }
    return APMU_OK;
}

static bool fake_has_loop(void *ctx, enum doctor_loop loop)
{
    (void)ctx;
    return loop != DOCTOR_RUN_VECTOR;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Examinations.
 */

static const uint16_t announced[] = {APMU_EV_CPU_CYCLES, APMU_EV_INST_RETIRED, APMU_EV_INST_SPEC, APMU_EV_LD_RETIRED,
                                     APMU_EV_ST_RETIRED, APMU_EV_BR_RETIRED, APMU_EV_EXC_TAKEN,
                                     APMU_EV_L1D_CACHE_REFILL, APMU_EV_MEMORY_ERROR};

/* Examines a PMU that announces these events, besides @hidden, with @fault. */
static const struct doctor_report *examine_some(enum fault fault, uint16_t hidden, const char *device,
                                                const uint16_t *only, size_t only_count)
{
    static struct doctor_report report;
    static const struct state_host host = {.known = true};
    struct fake fake = {.fault = fault};
    const struct doctor_bench bench = {.ctx = &fake, .open = fake_open, .run = fake_run, .close = fake_close,
                                       .sample = fake_sample, .has_loop = fake_has_loop};

    report = (struct doctor_report){.pmu = {.listed = true}, .host = &host,
                                    .core = apmu_core_by_name("Cortex-A53")};
    snprintf(report.pmu.name, sizeof report.pmu.name, "%s", device);
    for (size_t i = 0; i < sizeof announced / sizeof announced[0]; i++) {
        const int bit = apmu_event_pmceid(announced[i]);

        report.pmu.pmceid[bit >= 64] |= announced[i] != hidden ? UINT64_C(1) << (bit & 63) : 0;
    }
    doctor_examine(&bench, only, only_count, &report);
    return &report;
}

/* Examines all of its events and all else. */
static const struct doctor_report *examine(enum fault fault, uint16_t hidden, const char *device)
{
    return examine_some(fault, hidden, device, NULL, 0);
}

static const struct doctor_finding *find(const struct doctor_report *report, const char *subject)
{
    for (size_t i = 0; i < report->count; i++) {
        if (strcmp(report->findings[i].subject, subject) == 0) {
            return &report->findings[i];
        }
    }
    return NULL;
}

/* Checks the verdict on @subject, and the number of the likeliest cause; 0: none. */
static void must_find(const struct doctor_report *report, const char *subject, enum doctor_verdict verdict,
                      unsigned cause)
{
    const struct doctor_finding *f = find(report, subject);

    MUST(f != NULL, "nothing is said of %s", subject);
    if (f != NULL) {
        MUST(f->verdict == verdict, "%s: %s, %.100s; want %s", subject, doctor_verdict_word(f->verdict), f->text,
             doctor_verdict_word(verdict));
        MUST_EQ(f->causes[0] == NULL ? 0 : f->causes[0]->number, cause, "%s: cause", subject);
    }
}

/* Checks that the faults are those of @subjects, which NULL ends, and the exit status. */
static void must_blame(const struct doctor_report *report, const char *const *subjects, int status)
{
    size_t n = 0, faults = 0;

    for (; subjects[n] != NULL; n++) {
        const struct doctor_finding *f = find(report, subjects[n]);

        MUST(f != NULL && f->fault, "%s: no fault", subjects[n]);
    }
    for (size_t i = 0; i < report->count; i++) {
        faults += report->findings[i].fault;
        MUST(!report->findings[i].fault || n != 0, "%s: %s, %.100s", report->findings[i].subject,
             doctor_verdict_word(report->findings[i].verdict), report->findings[i].text);
    }
    MUST_EQ(faults, n, "faults");
    MUST_EQ((unsigned)doctor_status(report, 1), (unsigned)status, "exit status");
}

static const char *const none[] = {NULL};

static void a_right_pmu(void)
{
    const struct doctor_report *r = examine(NO_FAULT, 0, "armv8_cortex_a53");

    must_blame(r, none, CLI_YES);
    must_find(r, "INST_RETIRED:u", DOCTOR_EXACT, 0);
    must_find(r, "INST_RETIRED:k", DOCTOR_PLAUSIBLE, 0);
    must_find(r, "LD_RETIRED:u", DOCTOR_EXACT, 0);
    must_find(r, "CPU_CYCLES:u", DOCTOR_PLAUSIBLE, 0);
    must_find(r, "L1D_CACHE_REFILL:u", DOCTOR_PLAUSIBLE, 0);
    must_find(r, "MEMORY_ERROR:u", DOCTOR_NO_LOOP, 0);
    must_find(r, "event counters", DOCTOR_EXACT, 0);
    must_find(r, "each counter", DOCTOR_EXACT, 0);
    must_find(r, "direct reads", DOCTOR_PLAUSIBLE, 0);
    must_find(r, "overflow interrupt", DOCTOR_EXACT, 0);
    MUST(find(r, "STALL:u") == NULL, "an event that is not announced has a line");
    MUST(find(r, "DMB_SPEC:u") == NULL, "an event that PMCEID cannot announce and that counts 0 has a line");
}

static void single_events(void)
{
    static const char *const still[] = {"BR_RETIRED:u", NULL}, *const twice[] = {"LD_RETIRED:u", NULL},
                      *const erratum[] = {"INST_RETIRED:u", NULL},
                      *const cycles[] = {"CPU_CYCLES:u", "CPU_CYCLES:k", NULL};
    const struct doctor_report *r = examine(EVENT_STILL, 0, "armv8_cortex_a53");

    must_find(r, "BR_RETIRED:u", DOCTOR_STILL, 35);
    must_blame(r, still, CLI_NO);
    r = examine(EVENT_DOUBLE, 0, "armv8_cortex_a53");
    must_find(r, "LD_RETIRED:u", DOCTOR_WRONG, 37);
    must_blame(r, twice, CLI_NO);
    r = examine(BRANCHES_TWICE, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:u", DOCTOR_WRONG, 58);
    must_find(r, "each counter", DOCTOR_EXACT, 0);
    must_blame(r, erratum, CLI_NO);
    r = examine(DIVIDED, 0, "armv8_cortex_a53");
    must_find(r, "CPU_CYCLES:u", DOCTOR_WRONG, 50);
    must_find(r, "CPU_CYCLES:k", DOCTOR_WRONG, 50);
    must_blame(r, cycles, CLI_NO);
}

static void levels(void)
{
    static const char *const kernel[] = {"CPU_CYCLES:k", "INST_RETIRED:k", "EXC_TAKEN", NULL};
    static const char *const events[] = {"INST_RETIRED:k", "EXC_TAKEN", NULL};
    const struct doctor_report *r = examine(USER_STILL, 0, "armv8_cortex_a53");

    must_find(r, "INST_RETIRED:u", DOCTOR_STILL, 29);
    must_find(r, "CPU_CYCLES:u", DOCTOR_STILL, 29);
    must_find(r, "INST_RETIRED:k", DOCTOR_PLAUSIBLE, 0);
    r = examine(KERNEL_STILL, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:k", DOCTOR_STILL, 27);
    must_find(r, "CPU_CYCLES:k", DOCTOR_STILL, 27);
    must_blame(r, kernel, CLI_NO);
    r = examine(EVENTS_STILL_K, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:k", DOCTOR_STILL, 28);
    must_blame(r, events, CLI_NO);
    r = examine(EVENTS_STILL, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:u", DOCTOR_STILL, 23);
    must_find(r, "INST_RETIRED:k", DOCTOR_STILL, 23);
    must_find(r, "CPU_CYCLES:u", DOCTOR_PLAUSIBLE, 0);
    r = examine(ALL_STILL, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:u", DOCTOR_STILL, 22);
    must_find(r, "CPU_CYCLES:k", DOCTOR_STILL, 22);
}

static void counters(void)
{
    static const char *const few[] = {"event counters", NULL}, *const each[] = {"each counter", NULL};
    const struct doctor_report *r = examine(FEW_COUNTERS, 0, "armv8_cortex_a53");

    must_find(r, "event counters", DOCTOR_WRONG, 18);
    must_blame(r, few, CLI_NO);
    MUST(find(r, "event counters")->percent == -67, "%d %%", find(r, "event counters")->percent);
    r = examine(ONE_DEAD, 0, "armv8_cortex_a53");
    must_find(r, "each counter", DOCTOR_STILL, 24);
    must_blame(r, each, CLI_NO);
    r = examine(ONE_SLOW, 0, "armv8_cortex_a53");
    must_find(r, "each counter", DOCTOR_WRONG, 21);
    must_blame(r, each, CLI_NO);
    r = examine(CROWDED, 0, "armv8_cortex_a53");
    must_find(r, "each counter", DOCTOR_REFUSED, 21);
    must_blame(r, none, CLI_YES);
}

static void direct_reads(void)
{
    static const char *const direct[] = {"direct reads", NULL};
    const struct doctor_report *r = examine(SIGILL_ON_READ, 0, "armv8_cortex_a53");

    must_find(r, "direct reads", DOCTOR_STILL, 1);
    must_blame(r, direct, CLI_NO);
    r = examine(TRAP_ON_READ, 0, "armv8_cortex_a53");
    must_find(r, "direct reads", DOCTOR_STILL, 6);
    must_blame(r, direct, CLI_NO);
    r = examine(NO_DIRECT_READ, 0, "armv8_cortex_a53");
    must_find(r, "direct reads", DOCTOR_REFUSED, 4);
    must_blame(r, none, CLI_YES);
}

static void interrupts(void)
{
    static const char *const interrupt[] = {"overflow interrupt", NULL};
    const struct doctor_report *r = examine(NO_SAMPLES, 0, "armv8_cortex_a53");

    must_find(r, "overflow interrupt", DOCTOR_STILL, 20);
    must_blame(r, interrupt, CLI_NO);
    r = examine(FEW_SAMPLES, 0, "armv8_cortex_a53");
    must_find(r, "overflow interrupt", DOCTOR_WRONG, 57);
    must_blame(r, interrupt, CLI_NO);
    r = examine(THROTTLED, 0, "armv8_cortex_a53");
    must_find(r, "overflow interrupt", DOCTOR_PLAUSIBLE, 0);
    must_blame(r, none, CLI_YES);
    r = examine(NO_SAMPLING, 0, "armv8_cortex_a53");
    must_find(r, "overflow interrupt", DOCTOR_ABSENT, 65);
    must_blame(r, interrupt, CLI_NO);
}

static void refused_events(void)
{
    const struct doctor_report *r = examine(NO_PERMISSION, 0, "armv8_cortex_a53");

    must_find(r, "INST_RETIRED:u", DOCTOR_REFUSED, 12);
    must_blame(r, none, CLI_CANNOT);
    r = examine(NO_KERNEL_RIGHT, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:k", DOCTOR_REFUSED, 12);
    must_find(r, "INST_RETIRED:u", DOCTOR_EXACT, 0);
    must_blame(r, none, CLI_YES);
    r = examine(SHARED, 0, "armv8_cortex_a53");
    must_find(r, "INST_RETIRED:u", DOCTOR_REFUSED, 21);
    must_blame(r, none, CLI_CANNOT);
    r = examine(NO_FILTER, 0, "armv7_cortex_a9");
    must_find(r, "LD_RETIRED:u", DOCTOR_EXACT, 0);
}

static void absent_events(void)
{
    static const char *const hidden[] = {"INST_RETIRED:u", "INST_RETIRED:k", NULL};
    const struct doctor_report *r = examine(NO_FAULT, APMU_EV_INST_RETIRED, "armv8_cortex_a53");

    must_find(r, "INST_RETIRED:u", DOCTOR_ABSENT, 17);
    must_blame(r, hidden, CLI_NO);
    r = examine(NO_FAULT, APMU_EV_LD_RETIRED, "armv8_cortex_a53");
    MUST(find(r, "LD_RETIRED:u") == NULL || !find(r, "LD_RETIRED:u")->fault, "an event that need not be there");
    r = examine(NO_FAULT, 0, "apple_firestorm_pmu");
    must_find(r, "PMU", DOCTOR_NO_LOOP, 80);
    must_blame(r, none, CLI_CANNOT);
}

static void chosen_events(void)
{
    static const uint16_t events[] = {APMU_EV_LD_RETIRED, APMU_EV_STALL, APMU_EV_DMB_SPEC, 0xF123, APMU_EV_CHAIN};
    const struct doctor_report *r = examine_some(NO_FAULT, 0, "armv8_cortex_a53", events, 5);

    must_find(r, "LD_RETIRED:u", DOCTOR_EXACT, 0);
    must_find(r, "STALL:u", DOCTOR_ABSENT, 0);
    must_find(r, "DMB_SPEC:u", DOCTOR_ABSENT, 0);
    must_find(r, "0xF123:u", DOCTOR_NO_LOOP, 0);
    must_find(r, "CHAIN:u", DOCTOR_ABSENT, 0);
    must_blame(r, none, CLI_YES);
    MUST_EQ(r->count, 5, "findings");
}

/* Checks the cause of the first object of "verdict", or that there is none if @slug is NULL. */
static void must_say(const struct doctor_report *report, const char *slug)
{
    json_t *object = doctor_json(report, 1);
    const json_t *first = json_array_get(json_object_get(object, "verdict"), 0);
    const char *got = json_string_value(json_object_get(first, "cause"));

    MUST((slug == NULL) == (got == NULL) && (slug == NULL || strcmp(slug, got) == 0), "verdict %s, want %s",
         got != NULL ? got : "none", slug != NULL ? slug : "none");
    MUST_EQ(json_array_size(json_object_get(object, "pmus")), 1, "pmus");
    json_decref(object);
}

static void json_verdicts(void)
{
    must_say(examine(NO_FAULT, 0, "armv8_cortex_a53"), NULL);
    must_say(examine(FEW_COUNTERS, 0, "armv8_cortex_a53"), "counters-kept-back");
    must_say(examine(USER_STILL, 0, "armv8_cortex_a53"), "filter-p-or-u-set");
    must_say(examine(NO_PERMISSION, 0, "armv8_cortex_a53"), "unknown");
}

int main(void)
{
    RUN(json_verdicts);
    RUN(chosen_events);
    RUN(a_right_pmu);
    RUN(single_events);
    RUN(levels);
    RUN(counters);
    RUN(direct_reads);
    RUN(interrupts);
    RUN(refused_events);
    RUN(absent_events);
    return tap_status;
}
