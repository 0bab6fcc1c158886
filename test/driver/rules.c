/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of order (test/lib/order_rules.h).  Checks that each rule is broken by a sequence of accesses as released
 * drivers make it (with the number of the defect in defects.h), and that no function of this driver breaks a rule on
 * any PMU.
 */
#include "../lib/order_rules.h"
#include "driver.h"

/* The parts of a correct session of one event counter, on a PMUv3p1 with four event counters. */
#define RESET \
    "write PMCR_EL0 0x46\nwrite PMCNTENCLR_EL0 0x8000000f\nwrite PMINTENCLR_EL1 0x8000000f\nwrite PMUSERENR_EL0 0x0\n" \
    "sync\nwrite PMOVSCLR_EL0 0x8000000f\nsync\n"
#define CONFIGURE "write PMEVTYPER0_EL0 0x8\nwrite PMEVCNTR0_EL0 0x0\n"
#define ENABLE "write PMCNTENSET_EL0 0x1\nwrite PMCR_EL0 0x41\n"
#define START "call start\nsync\n" ENABLE "sync\n"
#define STOP "call stop\nsync\nwrite PMCR_EL0 0x40\nsync\n"
#define FLAGS "call read\nsync\nread PMOVSCLR_EL0 0x0\nsync\n"
#define READ FLAGS "read PMEVCNTR0_EL0 0x5\n"
#define CHAINED "write PMEVTYPER0_EL0 0x8\nwrite PMEVTYPER1_EL0 0x800001e\n"
#define START_CHAINED "call start\nsync\nwrite PMCNTENSET_EL0 0x3\nwrite PMCR_EL0 0x41\nsync\n"

static const struct {
    const char *name;
    enum order_rule rule; /* ORDER_RULES_COUNT: none */
    const char *lines;
} sequences[] = {
    {"a session", ORDER_RULES_COUNT, RESET CONFIGURE START READ STOP READ "call close\n" RESET},
    {"a chained session", ORDER_RULES_COUNT,
     RESET CHAINED "write PMINTENSET_EL1 0x2\n" START_CHAINED FLAGS
                   "read PMEVCNTR1_EL0 0x0\nsync\nread PMEVCNTR0_EL0 0x5\nsync\nread PMEVCNTR1_EL0 0x1\nsync\n"
                   "read PMEVCNTR0_EL0 0x6\nsync\nread PMEVCNTR1_EL0 0x1\n"},
    {"a counter written while it counts", ORDER_CONFIGURE_STOPPED,
     RESET CONFIGURE START "call x\nwrite PMEVCNTR0_EL0 0x0\n"},
    {"a filter written after the start (defects 7 and 8)", ORDER_CONFIGURE_STOPPED,
     RESET "sync\nwrite PMCNTENSET_EL0 0x80000000\nwrite PMCR_EL0 0x41\nsync\nwrite PMCCFILTR_EL0 0x0\nsync\n"},
    {"a type written before PMCR_EL0 is known", ORDER_CONFIGURE_STOPPED,
     "write PMCNTENCLR_EL0 0x8000000f\nsync\nwrite PMOVSCLR_EL0 0x8000000f\nsync\n"
     "write PMCNTENSET_EL0 0x1\n" CONFIGURE},
    {"no ISB before the start (defects 2, 3 and 8)", ORDER_SYNC_BEFORE_ENABLE,
     RESET CONFIGURE "call start\n" ENABLE "sync\n"},
    {"no ISB between the flags and the start", ORDER_SYNC_BEFORE_ENABLE,
     RESET CONFIGURE START STOP "call x\nsync\nwrite PMOVSCLR_EL0 0x1\nwrite PMCR_EL0 0x41\nsync\n"},
    {"no ISB after the start", ORDER_SYNC_AFTER_ENABLE, RESET CONFIGURE "call start\nsync\n" ENABLE "call end\n"},
    {"no ISB between the stop and a read", ORDER_SYNC_BEFORE_READ,
     RESET CONFIGURE START "call stop\nsync\nwrite PMCR_EL0 0x40\nread PMOVSCLR_EL0 0x0\n"},
    {"no ISB between PMCNTENCLR and a read", ORDER_SYNC_BEFORE_READ,
     RESET CONFIGURE START FLAGS "write PMCNTENCLR_EL0 0x1\nread PMEVCNTR0_EL0 0x5\n"},
    {"no ISB between the code and a read", ORDER_SYNC_BEFORE_READ,
     RESET CONFIGURE START "call read\nread PMOVSCLR_EL0 0x0\n"},
    {"PMSELR_EL0 and PMXEVCNTR_EL0 without an ISB (defect 1)", ORDER_SYNC_AFTER_SELECT,
     RESET CONFIGURE START FLAGS "write PMSELR_EL0 0x0\nread PMXEVCNTR_EL0 0x5\n"},
    {"PMSELR_EL0 and PMXEVTYPER_EL0 without an ISB (defects 2, 3 and 8)", ORDER_SYNC_AFTER_SELECT,
     RESET "write PMSELR_EL0 0x1\nwrite PMXEVTYPER_EL0 0x8\n"},
    {"PMCR_EL0 with all bits set (defect 4)", ORDER_CONTROL_WHOLE, "write PMCR_EL0 0xffffffee\n"},
    {"PMCR_EL0.X in place of DP (defect 13)", ORDER_CONTROL_WHOLE, "write PMCR_EL0 0x50\n"},
    {"PMCR_EL0 as firmware left it, and E", ORDER_CONTROL_WHOLE, "write PMCR_EL0 0x2001\n"},
    {"counts before flags (defect 16)", ORDER_FLAGS_BEFORE_COUNTS,
     RESET CONFIGURE START "call read\nsync\nread PMEVCNTR0_EL0 0x5\nread PMOVSCLR_EL0 0x0\n"},
    {"no ISB between the flags and the counts", ORDER_SYNC_BETWEEN_READS,
     RESET CONFIGURE START "call read\nsync\nread PMOVSCLR_EL0 0x0\nread PMEVCNTR0_EL0 0x5\n"},
    {"no ISB between the counts and the flags", ORDER_SYNC_BETWEEN_READS,
     RESET CONFIGURE START READ "read PMOVSCLR_EL0 0x0\n"},
    {"no ISB between the halves of a pair", ORDER_SYNC_BETWEEN_READS,
     RESET CHAINED START_CHAINED FLAGS "read PMEVCNTR1_EL0 0x0\nread PMEVCNTR0_EL0 0x5\nread PMEVCNTR1_EL0 0x0\n"},
    {"all flags cleared while counting (defect 14)", ORDER_FLAGS_SEEN,
     RESET CONFIGURE START "call interrupt\nsync\nread PMOVSCLR_EL0 0x1\nwrite PMOVSCLR_EL0 0x8000000f\n"},
    {"of the flags only that of the cycle counter cleared (defect 8)", ORDER_FLAGS_KNOWN,
     "write PMCR_EL0 0x46\nwrite PMCNTENCLR_EL0 0x8000000f\nsync\nwrite PMOVSCLR_EL0 0x80000000\nsync\n" CONFIGURE
     "sync\n" ENABLE "sync\n"},
    {"of the flags only six cleared (defect 16)", ORDER_FLAGS_KNOWN,
     "write PMCR_EL0 0x46\nwrite PMCNTENCLR_EL0 0x8000000f\nsync\nwrite PMOVSCLR_EL0 0xf\nsync\n"
     "write PMCNTENSET_EL0 0x80000000\nwrite PMCR_EL0 0x41\nsync\n"},
    {"enables restored by SET alone (defect 2)", ORDER_ENABLES_KNOWN,
     "write PMCR_EL0 0x46\nsync\nwrite PMOVSCLR_EL0 0x8000000f\nsync\nwrite PMCNTENSET_EL0 0x1\n"},
    {"interrupts enabled where others may be", ORDER_ENABLES_KNOWN, "write PMINTENSET_EL1 0x1\n"},
    {"disabled by 0 in a SET register (defect 7)", ORDER_SET_IS_NO_CLEAR,
     RESET CONFIGURE START "call x\nwrite PMCNTENSET_EL0 0x0\n"},
    {"a mask of (int)1 << 31 (defect 7)", ORDER_COUNTERS_EXIST, RESET "write PMCNTENSET_EL0 0xffffffff80000000\n"},
    {"flags of counters that there are not", ORDER_COUNTERS_EXIST, RESET "write PMOVSCLR_EL0 0xffffffff\n"},
    {"EL0 let in before PMUACR_EL1 is there", ORDER_USER_LAST,
     RESET "write PMUACR_EL1 0x1\nwrite PMUSERENR_EL0 0x1c\nsync\n"},
    {"EL0 let in before the rest", ORDER_USER_LAST, RESET "write PMUSERENR_EL0 0xd\nsync\n" CONFIGURE},
    {"EL0 let in without an ISB", ORDER_USER_LAST, RESET "write PMUSERENR_EL0 0xd\ncall end\n"},
    {"a pair read high and low once (defect 9)", ORDER_PAIR_READ,
     RESET CHAINED START_CHAINED FLAGS "read PMEVCNTR1_EL0 0x0\nread PMEVCNTR0_EL0 0x5\ncall end\n"},
    {"a pair read low and high", ORDER_PAIR_READ,
     RESET CHAINED START_CHAINED FLAGS "read PMEVCNTR0_EL0 0x0\nread PMEVCNTR1_EL0 0x5\n"},
    {"half a pair enabled", ORDER_PAIR_WHOLE, RESET CHAINED "sync\nwrite PMCNTENSET_EL0 0x1\n"},
    {"the interrupt of a lower half", ORDER_PAIR_WHOLE, RESET CHAINED "write PMINTENSET_EL1 0x3\n"},
    {"CHAIN with the filter of the event", ORDER_CHAIN_EVERYWHERE, RESET "write PMEVTYPER1_EL0 0x8800001e\n"},
    {"CHAIN with NSH taken for a filter (defects 8 and 19)", ORDER_CHAIN_EVERYWHERE,
     RESET "write PMEVTYPER1_EL0 0x1e\n"},
};

static void feed(struct order_rules *r, const char *lines)
{
    while (*lines != '\0') {
        const size_t length = strcspn(lines, "\n");
        char line[128];

        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        if (strncmp(line, "call ", 5) == 0) {
            order_rules_call(r, "call");
        } else {
            order_rules_line(r, line);
        }
        lines += length + (lines[length] != '\0');
    }
}

static void rules_are_broken_by_wrong_sequences(void)
{
    const struct apmu_pmu pmu = pmu_of(4, 4, 0, 0);
    uint64_t covered = 0;

    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        const uint64_t wanted = sequences[i].rule == ORDER_RULES_COUNT ? 0 : UINT64_C(1) << sequences[i].rule;
        struct order_rules r;
        char name[128];

        order_rules_begin(&r, &pmu);
        feed(&r, sequences[i].lines);
        snprintf(name, sizeof name, "rules: %s", sequences[i].name);
        if ((r.broken & wanted) != wanted || (wanted == 0 && r.broken != 0)) {
            printf("# broken 0x%llx: %s\n", (unsigned long long)r.broken, r.first);
        }
        check(name, wanted == 0 ? r.broken == 0 : (r.broken & wanted) != 0);
        covered |= wanted;
    }
    check("rules: each has a sequence that breaks it", covered == (UINT64_C(1) << ORDER_RULES_COUNT) - 1);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The driver's own sequences.
 */

static struct driver_bench bench;
static struct order_rules rules;
static struct apmu_trace trace;
static struct apmu_dev traced, selecting, dev;
static uint64_t now;

static uint64_t ticks(void *ctx)
{
    (void)ctx;
    return now += 1000;
}

static void keep_the_period(void *ctx, struct apmu_overflow *overflow)
{
    (void)overflow;
    ++*(unsigned *)ctx;
}

/* Makes the call @expression, which must return @error. */
#define CALL(expression, error) \
    do { \
        order_rules_call(&rules, #expression); \
        const enum apmu_error got_ = (expression); \
        if (got_ != (error)) { \
            printf("# %s: %s\n", #expression, apmu_error_text(got_)); \
            return false; \
        } \
    } while (0)

static bool every_call(void)
{
    const bool el1 = bench.pmu.place.el > 0, armv7 = bench.pmu.version < 3;
    const enum apmu_error at_el1 = el1 ? APMU_OK : APMU_E_LEVEL, user_read = armv7 ? APMU_E_UNSUPPORTED : at_el1;
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_LD_RETIRED, .counter = APMU_COUNTER_ANY, .interrupt = el1, .period = 5},
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .dedicated = true, .wide = !armv7},
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE, .interrupt = el1},
    };
    struct apmu_slot slots[6];
    const struct apmu_sharing sharing = {.slots = slots, .clock = ticks};
    const struct apmu_wish many[] = {
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .interrupt = el1, .period = 5},
        {.event = APMU_EV_INST_RETIRED, .counter = 0, .wide = !armv7},
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .period = 3},
    };
    struct apmu_session s;
    struct apmu_reading out[6];
    struct apmu_pmu pmu;
    struct apmu_pmu_saved saved;
    unsigned overflows = 0;
    size_t handled;

    CALL(apmu_pmu_discover(&dev, el1 ? NULL : &bench.ids, &pmu), APMU_OK);
    CALL(apmu_pmu_reset(&dev, &pmu), APMU_OK);
    CALL(apmu_session_open(&s, &dev, &pmu, wishes, 3, NULL), APMU_OK);
    CALL(apmu_session_allow_user(&s, APMU_USER_READ), user_read);
    CALL(apmu_session_allow_user(&s, APMU_USER_FULL), at_el1);
    CALL(apmu_session_allow_user(&s, APMU_USER_NONE), at_el1);
    CALL(apmu_session_on_overflow(&s, keep_the_period, &overflows), APMU_OK);
    CALL(apmu_session_start(&s), APMU_OK);
    apmu_event(&bench.model, &bench.program_pe, APMU_EV_LD_RETIRED, 6, 1, NULL);
    CALL(apmu_session_read(&s, out), APMU_OK);
    CALL(apmu_session_interrupt(&s, 0, &handled), APMU_OK);
    CALL(apmu_session_snapshot(&s, out), apmu_pmu_has(&pmu, APMU_FEAT(PMUv3_SS)) ? at_el1 : APMU_E_UNSUPPORTED);
    CALL(apmu_pmu_save(&dev, &pmu, &saved), APMU_OK);
    memset(bench.model.cntr, 0, sizeof bench.model.cntr);
    CALL(apmu_pmu_restore(&dev, &pmu, &saved), APMU_OK);
    CALL(apmu_session_stop(&s), APMU_OK);
    CALL(apmu_session_read(&s, out), APMU_OK);
    if (out[0].count != 6 || handled != (el1 ? 1 : 0) || overflows != handled) {
        printf("# count %llu, handled %zu\n", (unsigned long long)out[0].count, handled);
        return false;
    }
    CALL(apmu_session_reset(&s), APMU_OK);
    CALL(apmu_session_start(&s), APMU_OK);
    CALL(apmu_session_stop(&s), APMU_OK);
    CALL(apmu_session_close(&s), APMU_OK);
    CALL(apmu_session_open_shared(&s, &dev, &pmu, many, 3, &sharing, NULL), APMU_OK);
    CALL(apmu_session_allow_user(&s, APMU_USER_READ), user_read);
    CALL(apmu_session_start(&s), APMU_OK);
    for (unsigned turn = 0; turn < 7; turn++) {
        apmu_event(&bench.model, &bench.program_pe, APMU_EV_LD_RETIRED, 2, 1, NULL);
        CALL(apmu_session_read(&s, out), APMU_OK);
        CALL(apmu_session_rotate(&s, 0), APMU_OK);
    }
    CALL(apmu_session_close(&s), APMU_OK);
    order_rules_call(&rules, "the end");
    return true;
}

/* Makes every call on a PMU with @features, driven from @el, and checks the rules. */
static void keeps_the_rules(const char *name, uint64_t features, unsigned counters, unsigned el, bool a32)
{
    const bool armv7 = (features & APMU_FEAT(PMUv3)) == 0;
    bool ok;

    trace = (struct apmu_trace){.inner = {.ops = &apmu_model_ops, .ctx = &bench.backend}, .sink = order_rules_line,
                                .sink_ctx = &rules};
    traced = (struct apmu_dev){.ops = &apmu_trace_ops, .ctx = &trace};
    selecting = (struct apmu_dev){.ops = &apmu_select_ops, .ctx = &traced};
    dev = armv7 ? selecting : traced;
    ok = bench_init_at(&bench, features, counters, el, a32);
    order_rules_begin(&rules, &bench.pmu);
    ok = ok && every_call();
    if (rules.broken != 0) {
        printf("# %s\n", rules.first);
    }
    printf("# %u accesses\n", rules.lines);
    check(name, ok && rules.broken == 0 && rules.lines > 100);
}

int main(void)
{
    const uint64_t el2 = EL2_FEATURES,
                   everything = P9_FEATURES | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(EBEP);

    rules_are_broken_by_wrong_sequences();
    keeps_the_rules("rules: a PMUv3p1 at EL1", P1_FEATURES, 4, 1, false);
    keeps_the_rules("rules: a PMUv3p5 at EL1", P5_FEATURES, 6, 1, false);
    keeps_the_rules("rules: a PMUv3p9 with all, at EL1", everything, 8, 1, false);
    keeps_the_rules("rules: a PMUv3p1 at EL0", P1_FEATURES, 4, 0, false);
    keeps_the_rules("rules: a PMUv3p9 at EL0", everything, 4, 0, false);
    keeps_the_rules("rules: a PMUv3p9 at EL2", everything | el2, 31, 2, false);
    keeps_the_rules("rules: a PMUv3p1 at EL3", P1_FEATURES | el2 | APMU_FEAT(AA64EL3), 4, 3, false);
    keeps_the_rules("rules: a PMUv3p1 in AArch32 state", A32_FEATURES | APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3p1), 4, 1,
                    true);
    keeps_the_rules("rules: PMUv2 of ARMv7", A32_FEATURES | APMU_FEAT(PMUv2), 4, 1, true);
    keeps_the_rules("rules: PMUv2 of ARMv7 at EL0", A32_FEATURES | APMU_FEAT(PMUv2), 4, 0, true);
    keeps_the_rules("rules: PMUv1 of ARMv7", A32_FEATURES | APMU_FEAT(PMUv1), 4, 1, true);
    return failures != 0;
}
