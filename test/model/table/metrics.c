/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the tables of metrics, the parser of formulas, and that the levels of top-down analysis add up. */
#include <math.h>
#include <string.h>

#include <armpmu/arm11_regs.h>
#include <armpmu/metrics.h>

#include "../../lib/tap.h"

#define NEAR 1e-9

static const struct apmu_core_info *core_of(const struct apmu_metric_set *set)
{
    return strcmp(set->name, "ARM11") == 0 ? apmu_core_by_name("ARM1176") : apmu_core_by_name(set->core);
}

/* Returns whether the manual of @core lists @event.  The common set has no core and may use every common event. */
static bool lists(const struct apmu_core_info *core, const struct apmu_core_event *event)
{
    if (core == NULL) {
        return apmu_event_by_number(event->number) != NULL;
    }
    return core->pmu == APMU_CORE_PMU_ARM11 ? apmu_arm11_event_by_number(event->number) != NULL
                                            : apmu_core_lists_event(core, event->number);
}

/* Returns whether @set has @metric by another formula than that of the common events. */
static bool is_own(const struct apmu_metric_set *set, const struct apmu_metric *metric)
{
    struct apmu_metric common;

    return set->core[0] == '\0' || !apmu_metric_by_name(apmu_metric_set_of(NULL, 0), metric->name, &common) ||
           strcmp(common.formula, metric->formula) != 0;
}

static void test_rows(void)
{
    const struct apmu_metric_set *set;
    size_t sets = 0;

    for (; (set = apmu_metric_set_at(sets)) != NULL; sets++) {
        const struct apmu_core_info *core = core_of(set);
        struct apmu_metric metric, found;
        size_t i = 0;

        MUST((core != NULL) == (strcmp(set->name, "common events") != 0), "%s: its core %s", set->name, set->core);
        for (; apmu_metric_at(set, i, &metric); i++) {
            struct apmu_formula f;
            size_t at = 0;

            MUST(apmu_formula_parse(metric.formula, core, &f, &at) == APMU_OK, "%s %s: at %s", set->name, metric.name,
                 metric.formula + at);
            for (uint32_t n = 0; n < f.event_count; n++) {
                MUST(!is_own(set, &metric) || lists(core, &f.events[n]), "%s %s: the core lists no %s", set->name,
                     metric.name, f.events[n].name);
            }
            MUST(f.event_count > 1 || f.constants != 0, "%s %s: it is one count", set->name, metric.name);
            MUST(apmu_metric_by_name(set, metric.name, &found) && found.name == metric.name, "%s", metric.name);
            MUST(metric.unit[0] != '\0' && metric.groups[0] != '\0' && metric.text[0] != '\0', "%s", metric.name);
        }
        MUST(i >= 7, "%s: it has %zu metrics", set->name, i);
    }
    MUST_EQ(sets, 14, "sets");
}

static void test_sets(void)
{
    const struct apmu_core_info *n2 = apmu_core_by_name("Neoverse N2"), *a72 = apmu_core_by_name("Cortex-A72");
    struct apmu_metric metric;

    MUST(strcmp(apmu_metric_set_of(n2, 0x410FD490)->name, "Neoverse N2 before r0p3") == 0, "r0p0");
    MUST(strcmp(apmu_metric_set_of(n2, 0x410FD492)->name, "Neoverse N2 before r0p3") == 0, "r0p2");
    MUST(strcmp(apmu_metric_set_of(n2, 0x410FD493)->name, "Neoverse N2 r0p3") == 0, "r0p3");
    MUST(strcmp(apmu_metric_set_of(n2, 0x411FD490)->name, "Neoverse N2 r0p3") == 0, "r1p0");
    MUST(strcmp(apmu_metric_set_of(n2, 0)->name, "Neoverse N2 r0p3") == 0, "no revision");
    MUST(strcmp(apmu_metric_set_of(a72, 0)->name, "common events") == 0, "Cortex-A72");
    MUST(strcmp(apmu_metric_set_of(apmu_core_by_name("ARM1136"), 0)->name, "ARM11") == 0, "ARM1136");
    MUST(apmu_metric_by_name(apmu_metric_set_of(n2, 0), "Backend-Bound", &metric), "case and joints");
    MUST(apmu_metric_in_group(&metric, "TopdownL1") && !apmu_metric_in_group(&metric, "topdown_l"), "its group");
    MUST(!apmu_metric_by_name(apmu_metric_set_of(n2, 0), "backend_boun", &metric), "a part of a name");
    MUST(apmu_metric_by_name(apmu_metric_set_of(a72, 0), "l1d_cache_mpki", &metric), "a common metric");
    MUST(apmu_metric_in_group(&metric, "MPKI") && apmu_metric_in_group(&metric, "L1D_Cache_Effectiveness") &&
         apmu_metric_in_group(&metric, "l1d_effectiveness") && !apmu_metric_in_group(&metric, "l1d_effect"), "groups");
    MUST(apmu_metric_by_name(apmu_metric_set_of(n2, 0), "cpi", &metric), "a core has those of the common events");
}

static void test_nearest(void)
{
    const struct apmu_metric_set *set = apmu_metric_set_of(NULL, 0);
    struct apmu_metric near[12];

    MUST_EQ(apmu_metric_nearest(set, "ipv", near, 3), 3, "three");
    MUST(strcmp(near[0].name, "ipc") == 0, "ipv: %s", near[0].name);
    MUST_EQ(apmu_metric_nearest(set, "retirin", near, 12), 8, "no more than eight");
    MUST(strcmp(near[0].name, "retiring") == 0, "retirin: %s", near[0].name);
    MUST_EQ(apmu_metric_nearest(set, "ipc", near, 0), 0, "none");
}

/* Returns whether @word, which has @length characters, is a metric or a group of @set. */
static bool is_known(const struct apmu_metric_set *set, const char *word, size_t length)
{
    struct apmu_metric metric;
    char name[64] = "";

    memcpy(name, word, length < sizeof name - 1 ? length : sizeof name - 1);
    for (size_t i = 0; apmu_metric_at(set, i, &metric); i++) {
        if (strcmp(metric.name, name) == 0 || apmu_metric_in_group(&metric, name)) {
            return true;
        }
    }
    return false;
}

static void test_trees(void)
{
    const struct apmu_metric_set *set;

    for (size_t s = 0; (set = apmu_metric_set_at(s)) != NULL; s++) {
        const struct apmu_topdown *row;
        struct apmu_metric metric;
        size_t roots = 0, i = 0;

        for (; (row = apmu_topdown_at(set, i)) != NULL; i++) {
            roots += row->root;
            MUST(apmu_metric_by_name(set, row->metric, &metric), "%s: no %s", set->name, row->metric);
            for (const char *word = row->next; *word != '\0'; word += strspn(word, " ")) {
                const size_t length = strcspn(word, " ");

                MUST(is_known(set, word, length), "%s %s: no %s", set->name, row->metric, word);
                word += length;
            }
            for (const char *word = row->sample; *word != '\0'; word += strspn(word, " ")) {
                char name[64] = "";

                memcpy(name, word, strcspn(word, " "));
                MUST(apmu_core_event_parse(core_of(set), name) >= 0, "%s: no event %s", set->name, name);
                word += strcspn(word, " ");
            }
        }
        MUST(strcmp(set->name, "ARM11") == 0 ? i == 0 : roots >= 2 && roots <= 4, "%s: %zu roots", set->name, roots);
    }
}

/* Returns the value of metric @name of @set; each event has the count that @count_of gives for its name. */
static double value_of(const struct apmu_metric_set *set, const char *name, double (*count_of)(const char *event))
{
    const double constants[APMU_FORMULA_CONSTANTS] = {set->slots, 64, 1};
    double counts[APMU_FORMULA_EVENTS], value = -1;
    struct apmu_metric metric;
    struct apmu_formula f;

    MUST(apmu_metric_by_name(set, name, &metric), "%s: no %s", set->name, name);
    MUST(apmu_formula_parse(metric.formula, core_of(set), &f, NULL) == APMU_OK, "%s", metric.formula);
    for (uint32_t i = 0; i < f.event_count; i++) {
        counts[i] = count_of(f.events[i].name);
    }
    MUST(apmu_formula_value(&f, counts, constants, &value) == APMU_FORMULA_DEFINED, "%s: no value", name);
    return value;
}

/*
 * A program of 1,000,000 cycles on a core with any number of slots: what is lost to each end is in slots of a core with
 * one, so it is the same share of the slots everywhere.
 */
static double slots_now;

static double count_of_program(const char *event)
{
    static const struct {
        const char *name;
        double count, slots; /* count = .count + .slots times the number of slots in a cycle */
    } program[] = {
        {"CPU_CYCLES", 1000000, 0}, {"STALL_SLOT", 0, 500000}, {"STALL_SLOT_FRONTEND", 0, 200000},
        {"STALL_SLOT_BACKEND", 0, 300000}, {"OP_SPEC", 500000, 0}, {"OP_RETIRED", 400000, 0},
        {"BR_MIS_PRED", 1000, 0}, {"STALL_FRONTEND_FLUSH", 10000, 0}, {"IMP_WFX_CLOCK_CYCLES", 0, 0},
        {"STALL_FRONTEND", 250000, 0}, {"STALL_FRONTEND_CPUBOUND", 50000, 0}, {"STALL_FRONTEND_MEMBOUND", 200000, 0},
        {"STALL_BACKEND", 350000, 0}, {"STALL_BACKEND_CPUBOUND", 100000, 0}, {"STALL_BACKEND_MEMBOUND", 250000, 0},
        {"STALL_FRONTEND_FLOW", 40000, 0}, {"STALL_FRONTEND_L1I", 60000, 0}, {"STALL_FRONTEND_MEM", 90000, 0},
        {"STALL_FRONTEND_TLB", 50000, 0}, {"STALL_BACKEND_L1D", 70000, 0}, {"STALL_BACKEND_MEM", 80000, 0},
        {"STALL_BACKEND_TLB", 60000, 0}, {"STALL_BACKEND_ST", 40000, 0},
    };

    for (size_t i = 0; i < sizeof program / sizeof program[0]; i++) {
        if (strcmp(program[i].name, event) == 0) {
            return program[i].count + slots_now * program[i].slots;
        }
    }
    MUST(false, "no count of %s", event);
    return 0;
}

/* Before r0p3, STALL_SLOT and STALL_SLOT_FRONTEND of Neoverse N2 have one more in each cycle. */
static double count_of_old_n2(const char *event)
{
    const bool more = strcmp(event, "STALL_SLOT") == 0 || strcmp(event, "STALL_SLOT_FRONTEND") == 0;

    return count_of_program(event) + (more ? 1000000 : 0);
}

static void test_levels(void)
{
    static const char *const below[][2] = {{"frontend_core_bound", "frontend_mem_bound"},
                                           {"backend_core_bound", "backend_mem_bound"},
                                           {"frontend_core_flush_bound", "frontend_core_flow_bound"},
                                           {"frontend_mem_cache_bound", "frontend_mem_tlb_bound"},
                                           {"frontend_cache_l1i_bound", "frontend_cache_l2i_bound"},
                                           {"backend_cache_l1d_bound", "backend_cache_l2d_bound"}};
    const struct apmu_metric_set *set;
    unsigned checked = 0;

    for (size_t s = 0; (set = apmu_metric_set_at(s)) != NULL; s++) {
        struct apmu_metric_set known = *set;
        struct apmu_metric metric;
        const bool old = strcmp(set->name, "Neoverse N2 before r0p3") == 0;
        double (*count_of)(const char *) = old ? count_of_old_n2 : count_of_program;

        known.slots = set->slots == 0 ? 4 : set->slots;
        slots_now = known.slots;
        if (strcmp(set->core, "C1-SME2") == 0 || !apmu_metric_by_name(set, "retiring", &metric)) {
            continue;
        }
        const double sum = value_of(&known, "retiring", count_of) + value_of(&known, "bad_speculation", count_of) +
                           value_of(&known, "frontend_bound", count_of) + value_of(&known, "backend_bound", count_of);

        MUST(fabs(value_of(&known, "retiring", count_of) - 40) < NEAR, "%s: half of the slots, of which four fifths",
             set->name);
        MUST(fabs(sum - 100) < NEAR, "%s: level 1 adds up to %f", set->name, sum);
        checked++;
        for (size_t i = 0; i < sizeof below / sizeof below[0]; i++) {
            const double both = value_of(&known, below[i][0], count_of) + value_of(&known, below[i][1], count_of);

            MUST(strstr(below[i][0], "flush") != NULL || fabs(both - 100) < NEAR, "%s: %s and %s are %f", set->name,
                 below[i][0], below[i][1], both);
        }
    }
    MUST(checked >= 11, "%u sets", checked);
}

/* Parses @text with the common events, and returns its value with the counts 1, 2, 3, ... and line 64. */
static double compute(const char *text)
{
    const double constants[APMU_FORMULA_CONSTANTS] = {8, 64, 2};
    double counts[APMU_FORMULA_EVENTS], value = NAN;
    struct apmu_formula f;

    for (unsigned i = 0; i < APMU_FORMULA_EVENTS; i++) {
        counts[i] = i + 1;
    }
    return apmu_formula_parse(text, NULL, &f, NULL) == APMU_OK &&
           apmu_formula_value(&f, counts, constants, &value) == APMU_FORMULA_DEFINED ? value : NAN;
}

static void test_values(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"7", 7}, {"2 + 3 * 4", 14}, {"(2 + 3) * 4", 20}, {"20 - 3 - 4", 13}, {"20 / 5 / 2", 2}, {"20 - (3 - 4)", 21},
        {"2*3+4*5-6/3", 24}, {"20 / (5 / 2)", 8}, {"((((1))))", 1}, {" 4294967295 ", 4294967295.0},
        {"CPU_CYCLES + 10 * INST_RETIRED", 21}, {"cycles - CPU_CYCLES", 0}, {"slots * line / seconds", 256},
        {"l1d_cache", 1}, {"r11 + instructions", 3}, {"1 - 5", -4},
        {"1.5", 1.5}, {"2 * 0.25 * 4", 2}, {"10K", 10000}, {"2.5M / 5", 500000}, {"4G - 1", 3999999999.0}, {"5%", 0.05},
        {"8 / 0.5% * 2", 3200}, {"2G * 2G", 4e18}, {"0.000000001", 1e-9},
    };
    static const char *const bad[] = {
        "", " ", "+", "1 +", "1 1", "(1", "1)", "()", "1 ** 2", "- 1", "4294967296", "CPU_CYCLES INST_RETIRED",
        "1 + (2 * (3)", "100 %", "SLOTSES", "r12345", "1 / 0", "0 / (3 - 3)", "rC0DE",
        "1.", ".5", "1.5.5", "1.5.", "1 K", "1KB", "1k", "5%%", "1K%", "0.0000000001", "K", "%",
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        MUST(fabs(compute(good[i].text) - good[i].value) < NEAR, "%s: %f", good[i].text, compute(good[i].text));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        MUST(isnan(compute(bad[i])), "%s: %f", bad[i], compute(bad[i]));
    }
}

static void test_limits(void)
{
    char text[1000] = "1";
    struct apmu_formula f;
    size_t at = 0;

    for (unsigned i = 0; i < 31; i++) {
        strcat(text, " + 1");
    }
    MUST(fabs(compute(text) - 32) < NEAR, "63 steps");
    strcat(text, " + 1");
    MUST(apmu_formula_parse(text, NULL, &f, &at) == APMU_E_FORMULA, "65 steps");
    MUST(compute("((((((((((((((((1))))))))))))))))") == 1, "16 parentheses");
    MUST(isnan(compute("(((((((((((((((((1)))))))))))))))))")), "17 parentheses");
    MUST(apmu_formula_parse("1 + NO_SUCH * 2", NULL, &f, &at) == APMU_E_EVENT_NAME && at == 4, "a name: at %zu", at);
    MUST(apmu_formula_parse("BR_EXEC / 2", apmu_core_by_name("ARM1176"), &f, &at) == APMU_OK, "of ARM11");
    MUST(f.events[0].number == 5 && strcmp(f.events[0].name, "BR_EXEC") == 0, "its number");
    MUST(apmu_formula_parse("BR_RETIRED / 2", apmu_core_by_name("ARM1176"), &f, &at) == APMU_E_EVENT_NAME, "not");
}

static void test_outcomes(void)
{
    const double constants[APMU_FORMULA_CONSTANTS] = {0, 64, 0}, counts[] = {1, -1, 0};
    struct apmu_formula f;
    double value = 5;

    MUST(apmu_formula_parse("CPU_CYCLES / INST_RETIRED", NULL, &f, NULL) == APMU_OK, "it parses");
    MUST(apmu_formula_value(&f, counts, constants, &value) == APMU_FORMULA_NO_COUNT, "a count is missing");
    MUST(apmu_formula_value(&f, counts + 1, constants, &value) == APMU_FORMULA_NO_COUNT, "the other one");
    MUST(apmu_formula_parse("CPU_CYCLES / slots", NULL, &f, NULL) == APMU_OK && f.constants == 1, "it parses");
    MUST(apmu_formula_value(&f, counts, constants, &value) == APMU_FORMULA_NO_CONSTANT, "slots are missing");
    MUST(apmu_formula_parse("100 / (CPU_CYCLES - CPU_CYCLES)", NULL, &f, NULL) == APMU_OK, "it parses");
    MUST(f.event_count == 1, "an event is listed once");
    MUST(apmu_formula_value(&f, counts, constants, &value) == APMU_FORMULA_DIVISION_BY_ZERO, "by zero");
    MUST(value > 4.9 && value < 5.1, "the value is left alone");
}

int main(void)
{
    tap_run("metrics: each formula parses, and its events are the core's", test_rows);
    tap_run("metrics: the set of a core and revision, names and groups", test_sets);
    tap_run("metrics: the nearest names", test_nearest);
    tap_run("metrics: the decision trees", test_trees);
    tap_run("metrics: levels add up", test_levels);
    tap_run("formula: values", test_values);
    tap_run("formula: limits", test_limits);
    tap_run("formula: what has no value", test_outcomes);
    return tap_status;
}
