/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses metrics and the events that they need, and computes them from tallies. */
#define _GNU_SOURCE
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/error.h>

#define EVENTS_SIZE 512 /* of a text with the names of some events of a formula */
#define NEAREST     3 /* the number of names that a complaint about an unknown name offers */

/*
 * What perf stat prints beside counts, and the like.  Of the rows with the same first event the first applies whose
 * events are all counted.
 */
static const struct {
    const char *formula, *unit;
} comments[] = {
    {"INST_RETIRED / CPU_CYCLES", "insn per cycle"},
    {"INSTR_EXEC / CPU_CYCLES", "insn per cycle"},
    {"BR_MIS_PRED_RETIRED / BR_RETIRED * 100", "% of all branches"},
    {"BR_MIS_PRED_RETIRED / INST_RETIRED * 1000", "MPKI"},
    {"BR_MIS_PRED / BR_PRED * 100", "% of predictable branches"},
    {"BR_MIS_PRED / INST_RETIRED * 1000", "MPKI"},
    {"BR_MISPREDICT / BR_EXEC * 100", "% of all branches"},
    {"L1I_CACHE_REFILL / L1I_CACHE * 100", "% of all L1I cache accesses"},
    {"L1I_CACHE_REFILL / INST_RETIRED * 1000", "MPKI"},
    {"L1D_CACHE_REFILL / L1D_CACHE * 100", "% of all L1D cache accesses"},
    {"L1D_CACHE_REFILL / INST_RETIRED * 1000", "MPKI"},
    {"L2D_CACHE_REFILL / L2D_CACHE * 100", "% of all L2 cache accesses"},
    {"L2D_CACHE_REFILL / INST_RETIRED * 1000", "MPKI"},
    {"L3D_CACHE_REFILL / L3D_CACHE * 100", "% of all L3 cache accesses"},
    {"L3D_CACHE_REFILL / INST_RETIRED * 1000", "MPKI"},
    {"LL_CACHE_MISS_RD / LL_CACHE_RD * 100", "% of all LL cache reads"},
    {"LL_CACHE_MISS_RD / INST_RETIRED * 1000", "MPKI"},
    {"DCACHE_MISS / DCACHE_ACCESS_CACHEABLE * 100", "% of all cacheable accesses"},
    {"L1I_TLB_REFILL / L1I_TLB * 100", "% of all L1I TLB accesses"},
    {"L1D_TLB_REFILL / L1D_TLB * 100", "% of all L1D TLB accesses"},
    {"L2D_TLB_REFILL / L2D_TLB * 100", "% of all L2 TLB accesses"},
    {"ITLB_WALK / INST_RETIRED * 1000", "MPKI"},
    {"DTLB_WALK / INST_RETIRED * 1000", "MPKI"},
    {"STALL / CPU_CYCLES * 100", "% of cycles stalled"},
    {"STALL_FRONTEND / CPU_CYCLES * 100", "% frontend cycles idle"},
    {"STALL_BACKEND / CPU_CYCLES * 100", "% backend cycles idle"},
};

static const struct apmu_metric_set *set_of(const struct count_core *core)
{
    return apmu_metric_set_of(core->info, core->midr);
}

/* Returns the argument of select_needed() and select_find() that stands for the events of core @core. */
static unsigned only_of(const struct metrics *m, unsigned core)
{
    return m->core_count > 1 ? m->cores[core].provider + 1 : 0;
}

/* Fills @constants with those of @core.  The time is @seconds. */
static void take_constants(const struct count_core *core, double seconds, double constants[APMU_FORMULA_CONSTANTS])
{
    constants[APMU_FORMULA_SLOTS] = core->slots != 0 ? core->slots : set_of(core)->slots;
    constants[APMU_FORMULA_LINE] = core->line;
    constants[APMU_FORMULA_SECONDS] = core->timed ? seconds : 0;
}

/* Returns why a constant that @formula needs is not known of @core, as "cause; cure"; NULL if all are. */
static const char *refuse_constant(const struct count_core *core, const struct apmu_formula *formula)
{
    static const char *const refusals[APMU_FORMULA_CONSTANTS] = {
        [APMU_FORMULA_SLOTS] = "the slots of a cycle of this core are not known; choose a metric without slots",
        [APMU_FORMULA_LINE] = "the size of a line of this core's caches is not known; choose a metric without lines",
        [APMU_FORMULA_SECONDS] = "the time that the emulator takes is not the core's; choose one for each cycle",
    };
    double constants[APMU_FORMULA_CONSTANTS];

    take_constants(core, 1, constants);
    for (unsigned i = 0; i < APMU_FORMULA_CONSTANTS; i++) {
        if ((formula->constants >> i & 1) != 0 && constants[i] <= 0) {
            return refusals[i];
        }
    }
    return NULL;
}

/*
 * Returns why metric @formula of @core has no value, as "cause; cure", or NULL if it has one.  @events, of @size bytes,
 * gets the names of the events that it lacks for that cause; "": it is no event.
 */
static const char *explain(const struct count_job *job, const struct count_core *core,
                           const struct apmu_formula *formula, char *events, size_t size)
{
    const char *cause = refuse_constant(core, formula);

    events[0] = '\0';
    for (uint32_t i = 0; i < formula->event_count && (cause == NULL || events[0] != '\0'); i++) {
        const char *why = job->engine->refuses(job, core, formula->events[i].number);

        if (why != NULL && (cause == NULL || cause == why)) {
            const size_t used = strlen(events);

            snprintf(events + used, size - used, "%s%s", used == 0 ? "" : ", ", formula->events[i].name);
            cause = why;
        }
    }
    return cause;
}

/* Adds metric @name, which lacks @events, to the gaps of this cause. */
static void add_gap(struct metrics *m, const char *cause, const char *name, const char *events)
{
    struct metric_gap *gap;
    size_t i = 0, used, size;

    while (i < m->gap_count && strcmp(m->gaps[i].cause, cause) != 0) {
        i++;
    }
    if (i == m->gap_count) {
        m->gaps = cli_allocate(m->gaps, m->gap_count + 1, sizeof *m->gaps);
        m->gaps[m->gap_count++] = (struct metric_gap){.cause = cause, .names = cli_allocate(NULL, 1, 1)};
    }
    gap = &m->gaps[i];
    used = strlen(gap->names);
    size = used + strlen(name) + strlen(events) + sizeof ",  ()";
    gap->names = cli_allocate(gap->names, size, 1);
    snprintf(gap->names + used, size - used, "%s%s%s%s%s", used == 0 ? "" : ", ", name, events[0] == '\0' ? "" : " (",
             events, events[0] == '\0' ? "" : ")");
}

/* Writes use->name: @name, or with several kinds of cores "CORE/NAME/". */
static void name_use(const struct metrics *m, struct metric_use *use, const char *name)
{
    if (m->core_count > 1) {
        snprintf(use->name, sizeof use->name, "%.31s/%.60s/", m->cores[use->core].name, name);
    } else {
        snprintf(use->name, sizeof use->name, "%.90s", name);
    }
}

static void append_use(struct metrics *m, const struct metric_use *use)
{
    m->uses = cli_allocate(m->uses, m->count + 1, sizeof *m->uses);
    m->uses[m->count++] = *use;
}

/*
 * What became of the metrics that a word of --metrics means.  The first refusal is the complaint if none of them can be
 * given.
 */
struct choice_result {
    bool known;         /* there is such a metric, or group */
    unsigned taken;     /* the metrics that can be given */
    char refusal[1024]; /* "": none */
    int status;
};

/* Adds a metric on one core, with its events, unless it lacks one.  @use has name, unit, formula and core. */
static void take(struct metrics *m, struct count_job *job, const struct metric_use *use, struct choice_result *result)
{
    char events[EVENTS_SIZE];
    const char *cause;

    result->known = true;
    for (size_t i = 0; i < m->count; i++) {
        if (m->uses[i].core == use->core && strcmp(m->uses[i].name, use->name) == 0) {
            result->taken++;
            return;
        }
    }
    cause = explain(job, &m->cores[use->core], &use->formula, events, sizeof events);
    if (cause != NULL) {
        if (result->refusal[0] == '\0') {
            snprintf(result->refusal, sizeof result->refusal, "metric %s: %s%s%s%s", use->name,
                     events[0] == '\0' ? "" : "it lacks ", events, events[0] == '\0' ? "" : ": ", cause);
        }
        add_gap(m, cause, use->name, events);
        return;
    }
    for (uint32_t i = 0; i < use->formula.event_count && result->status == CLI_YES; i++) {
        result->status = select_needed(&job->selection, job->verb, job->engine, use->formula.events[i].name,
                                       only_of(m, use->core));
    }
    append_use(m, use);
    result->taken++;
}

static void take_metric(struct metrics *m, struct count_job *job, unsigned core, const struct apmu_metric *metric,
                        struct choice_result *result)
{
    struct metric_use use = {.id = metric->name, .unit = metric->unit, .core = core};

    name_use(m, &use, metric->name);
    if (apmu_formula_parse(metric->formula, m->cores[core].info, &use.formula, NULL) == APMU_OK) {
        take(m, job, &use, result);
    }
}

/* Adds the metric that @word names on each core; or else those of the group; or the roots of the decision tree. */
static void take_word(struct metrics *m, struct count_job *job, const char *word, struct choice_result *result)
{
    const bool topdown = strcasecmp(word, "topdown") == 0;

    for (unsigned core = 0; core < m->core_count; core++) {
        const struct apmu_metric_set *set = set_of(&m->cores[core]);
        const struct apmu_topdown *row;
        struct apmu_metric metric;

        if (apmu_metric_by_name(set, word, &metric)) {
            take_metric(m, job, core, &metric, result);
            continue;
        }
        for (size_t i = 0; topdown && (row = apmu_topdown_at(set, i)) != NULL; i++) {
            if (row->root && apmu_metric_by_name(set, row->metric, &metric)) {
                take_metric(m, job, core, &metric, result);
            }
        }
        for (size_t i = 0; apmu_metric_at(set, i, &metric); i++) {
            if (apmu_metric_in_group(&metric, word)) {
                take_metric(m, job, core, &metric, result);
            }
        }
    }
    m->topdown |= strncasecmp(word, "topdown", 7) == 0;
}

/* Adds "NAME=FORMULA" on each core.  Returns false, after a complaint, if the formula is wrong. */
static bool take_formula(struct metrics *m, struct count_job *job, char *word, struct choice_result *result)
{
    char *formula = strchr(word, '=');

    *formula++ = '\0';
    for (unsigned core = 0; core < m->core_count; core++) {
        struct metric_use use = {.id = "", .unit = "", .core = core};
        size_t at = 0;
        const enum apmu_error error = apmu_formula_parse(formula, m->cores[core].info, &use.formula, &at);

        name_use(m, &use, word);
        if (error != APMU_OK || use.formula.event_count == 0) {
            cli_complain(job->verb, "--metrics: %s=%s: %s at \"%s\"; %s", word, formula,
                         error != APMU_OK ? apmu_error_text(error) : "it has no event", formula + at,
                         apmu_error_cure(error != APMU_OK ? error : APMU_E_FORMULA));
            result->status = CLI_USAGE;
            return false;
        }
        take(m, job, &use, result);
    }
    return true;
}

static int complain_unknown(const struct metrics *m, const struct count_job *job, const char *word)
{
    struct apmu_metric near[NEAREST];
    const size_t count = apmu_metric_nearest(set_of(&m->cores[0]), word, near, NEAREST);
    char names[256] = "";

    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, "%s%s (%s)", i == 0 ? "" : ", ", near[i].name, near[i].groups);
    }
    cli_complain(job->verb, "--metrics: no metric or group is named %s; the nearest are %s; armpmu list --metrics "
                            "lists them all", word, names);
    return CLI_USAGE;
}

int metrics_choose(struct metrics *m, struct count_job *job, const char *list)
{
    char *copy = strcpy(cli_allocate(NULL, strlen(list) + 1, 1), list), *rest = copy, *word;
    int status = CLI_YES;

    if (m->core_count == 0) {
        m->core_count = job->engine->cores(job, m->cores, METRIC_CORES);
        m->core_count = m->core_count < METRIC_CORES ? m->core_count : METRIC_CORES;
    }
    while (status == CLI_YES && (word = strsep(&rest, ",")) != NULL) {
        struct choice_result result = {.status = CLI_YES};

        if (word[0] == '\0' || word[0] == '=') {
            cli_complain(job->verb, "--metrics: a name is empty; separate the names by one comma");
            result.status = CLI_USAGE;
        } else if (strchr(word, '=') != NULL) {
            take_formula(m, job, word, &result);
        } else {
            take_word(m, job, word, &result);
        }
        status = result.status;
        if (status == CLI_YES && !result.known) {
            status = complain_unknown(m, job, word);
        } else if (status == CLI_YES && result.taken == 0) {
            cli_complain(job->verb, "%s", result.refusal);
            status = CLI_CANNOT;
        }
    }
    free(copy);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The finished selection.
 */

/* Finds the events of @use.  Returns whether all are chosen, and counted at the same levels. */
static bool bind(const struct metrics *m, const struct selection *s, struct metric_use *use)
{
    bool alike = true;

    for (uint32_t i = 0; i < use->formula.event_count; i++) {
        use->events[i] = select_find(s, use->formula.events[i].number, only_of(m, use->core));
        if (use->events[i] == s->count) {
            return false;
        }
        alike &= s->events[use->events[i]].filter == s->events[use->events[0]].filter;
    }
    use->beside = use->events[0];
    return alike;
}

/* Returns whether a metric is printed beside event @event. */
static bool is_taken(const struct metrics *m, size_t event)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->uses[i].beside == event) {
            return true;
        }
    }
    return false;
}

void metrics_bind(struct metrics *m, const struct count_job *job)
{
    char events[EVENTS_SIZE];

    if (m->core_count == 0) {
        m->core_count = job->engine->cores(job, m->cores, METRIC_CORES);
        m->core_count = m->core_count < METRIC_CORES ? m->core_count : METRIC_CORES;
    }
    for (size_t i = 0; i < m->count; i++) {
        bind(m, &job->selection, &m->uses[i]);
    }
    for (unsigned core = 0; core < m->core_count; core++) {
        for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
            struct metric_use use = {.id = "", .unit = comments[i].unit, .core = core};

            if (apmu_formula_parse(comments[i].formula, m->cores[core].info, &use.formula, NULL) == APMU_OK &&
                bind(m, &job->selection, &use) && !is_taken(m, use.beside) &&
                !job->selection.events[use.beside].needed &&
                explain(job, &m->cores[core], &use.formula, events, sizeof events) == NULL) {
                append_use(m, &use);
            }
        }
    }
}

bool metrics_can(const struct metrics *m, const struct count_job *job, unsigned core, const char *item)
{
    const struct apmu_metric_set *set = set_of(&m->cores[core]);
    struct apmu_metric metric;
    char events[EVENTS_SIZE];

    for (size_t i = 0; apmu_metric_at(set, i, &metric); i++) {
        struct apmu_formula formula;

        if ((strcmp(metric.name, item) == 0 || apmu_metric_in_group(&metric, item)) &&
            apmu_formula_parse(metric.formula, m->cores[core].info, &formula, NULL) == APMU_OK &&
            explain(job, &m->cores[core], &formula, events, sizeof events) == NULL) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Values.
 */

/* Returns how little can be said of a count of this trust. */
static unsigned rank_trust(const char *trust)
{
    return strcmp(trust, "modelled") == 0 ? 2 : strcmp(trust, "retired") == 0 ? 1 : 0;
}

/* Returns the event of @use of which the least can be said. */
static const struct event_choice *least_trusted(const struct count_job *job, const struct metric_use *use)
{
    const struct event_choice *least = &job->selection.events[use->events[0]];

    for (uint32_t i = 1; i < use->formula.event_count; i++) {
        const struct event_choice *e = &job->selection.events[use->events[i]];

        least = rank_trust(e->trust) > rank_trust(least->trust) ? e : least;
    }
    return least;
}

/* Writes the label: unit and name with two blanks between, as perf stat does, and @remark and @mark in parentheses. */
static void write_label(const struct metric_use *use, const char *remark, const char *mark, char *label, size_t size)
{
    const bool both = use->unit[0] != '\0' && use->name[0] != '\0', two = remark[0] != '\0' && mark[0] != '\0';

    snprintf(label, size, "%s%s%s%s%s%s%s%s", use->unit, both ? "  " : "", use->name,
             remark[0] != '\0' || mark[0] != '\0' ? " (" : "", remark, two ? ", " : "", mark,
             remark[0] != '\0' || mark[0] != '\0' ? ")" : "");
}

void metrics_value(const struct metrics *m, const struct count_job *job, const struct metric_use *use,
                   const struct tally *tallies, uint64_t ns, struct metric_reading *reading)
{
    const struct event_choice *least = least_trusted(job, use);
    double counts[APMU_FORMULA_EVENTS], constants[APMU_FORMULA_CONSTANTS];
    const char *remark = "";
    enum apmu_formula_outcome outcome;

    for (uint32_t i = 0; i < use->formula.event_count; i++) {
        const struct tally *t = &tallies[use->events[i]];

        counts[i] = t->counted ? (double)engine_estimate(t) : -1;
        remark = t->counted && t->missed_ns != 0 ? "of a part" : remark;
        remark = t->counted && t->running_ns < t->enabled_ns ? "estimate" : remark;
    }
    take_constants(&m->cores[use->core], (double)ns / 1e9, constants);
    outcome = apmu_formula_value(&use->formula, counts, constants, &reading->value);
    switch (outcome) {
    case APMU_FORMULA_DEFINED: break;
    case APMU_FORMULA_NO_COUNT: remark = "an event was not counted"; break;
    case APMU_FORMULA_NO_CONSTANT: remark = "no time has passed"; break;
    case APMU_FORMULA_DIVISION_BY_ZERO: remark = "division by zero"; break;
    }
    reading->defined = outcome == APMU_FORMULA_DEFINED;
    reading->trust = least->trust;
    reading->mark = least->mark;
    write_label(use, remark, least->mark, reading->label, sizeof reading->label);
}

void metrics_free(struct metrics *m)
{
    for (size_t i = 0; i < m->gap_count; i++) {
        free(m->gaps[i].names);
    }
    free(m->gaps);
    free(m->uses);
    *m = (struct metrics){.uses = NULL};
}
