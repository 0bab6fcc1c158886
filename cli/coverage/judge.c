/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges intents by what tests counted. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "intents.h"

#define VERDICTS_MAX ((size_t)1 << 22)
#define COLUMNS_MAX  8 /* events of one name with different marks */

/* The events of the table that a name of a formula means: a test has counted one of them at most. */
struct intent_columns {
    size_t events[COLUMNS_MAX], count;
};

/* Returns whether @pattern, of which @length characters count, matches all of @name: * any characters, ? one. */
static bool match_one(const char *pattern, size_t length, const char *name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, mark = 0;

    while (name[n] != '\0') {
        if (p < length && pattern[p] == '*') {
            star = p++;
            mark = n;
        } else if (p < length && (pattern[p] == '?' || pattern[p] == name[n])) {
            p++;
            n++;
        } else if (star != SIZE_MAX) { /* the last * takes one more */
            p = star + 1;
            n = ++mark;
        } else {
            return false;
        }
    }
    while (p < length && pattern[p] == '*') {
        p++;
    }
    return p == length;
}

/* Returns whether @name is one of the @names, which are patterns with blanks between. */
static bool match(const char *names, const char *name)
{
    for (const char *at = names + strspn(names, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        const size_t length = strcspn(at, " \t");

        if (match_one(at, length, name)) {
            return true;
        }
        at += length;
    }
    return false;
}

/* Finds the events that @name means, also with a modifier, as "INST_RETIRED:u". */
static void find_columns(const struct coverage_table *t, const char *name, struct intent_columns *c)
{
    const size_t length = strlen(name);

    c->count = 0;
    for (size_t i = 0; i < t->event_count && c->count < COLUMNS_MAX; i++) {
        const char *event = t->events[i].name;

        if (strncasecmp(event, name, length) == 0 && (event[length] == '\0' || event[length] == ':')) {
            c->events[c->count++] = i;
        }
    }
}

/* Returns what @test counted of the event of @c, or a negative number. */
static double count_in(const struct coverage_table *t, const struct intent_columns *c, size_t test)
{
    double count = -1;

    for (size_t i = 0; i < c->count && count < 0; i++) {
        count = coverage_count(t, test, c->events[i]);
    }
    return count;
}

/* A side of a condition with its events in the table. */
struct intent_side {
    const struct apmu_formula *formula;
    struct intent_columns columns[APMU_FORMULA_EVENTS];
};

static void prepare(const struct coverage_table *t, const struct apmu_formula *formula, struct intent_side *side)
{
    side->formula = formula;
    for (size_t i = 0; i < formula->event_count; i++) {
        find_columns(t, formula->events[i].name, &side->columns[i]);
    }
}

/* Computes a side in @test.  Returns why it has no value, or NULL. */
static const char *compute(const struct coverage_table *t, const struct intent_side *side, size_t test, double *value)
{
    const double constants[APMU_FORMULA_CONSTANTS] = {0};
    double counts[APMU_FORMULA_EVENTS];

    for (size_t i = 0; i < side->formula->event_count; i++) {
        counts[i] = count_in(t, &side->columns[i], test);
    }
    switch (apmu_formula_value(side->formula, counts, constants, value)) {
    case APMU_FORMULA_DEFINED: return NULL;
    case APMU_FORMULA_DIVISION_BY_ZERO: return "it divides by 0";
    default: return "one of its events was not counted";
    }
}

static bool holds(enum intent_sign sign, double left, double right)
{
    switch (sign) {
    case INTENT_LESS: return left < right;
    case INTENT_AT_MOST: return left <= right;
    case INTENT_MORE: return left > right;
    case INTENT_AT_LEAST: return left >= right;
    case INTENT_EQUAL: return left <= right && left >= right;
    case INTENT_UNEQUAL: return left < right || left > right;
    }
    return false;
}

/* Adds the verdict of @intent in @test.  Returns false if there are too many. */
static bool add(struct intents *in, const struct intent_verdict *verdict)
{
    if (in->verdict_count == VERDICTS_MAX) {
        return false;
    }
    if (in->verdict_count == in->verdict_room) {
        in->verdict_room = in->verdict_room == 0 ? 64 : 2 * in->verdict_room;
        in->verdicts = cli_allocate(in->verdicts, in->verdict_room, sizeof *in->verdicts);
    }
    in->verdicts[in->verdict_count++] = *verdict;
    in->tally[verdict->outcome]++;
    return true;
}

/* Adds a verdict for each name of intent @i that no test has.  Returns false if there are too many. */
static bool judge_names(struct intents *in, const struct coverage_table *t, size_t i)
{
    const char *names = in->list[i].tests;
    bool room = true;

    for (const char *at = names + strspn(names, " \t"); *at != '\0' && room; at += strspn(at, " \t")) {
        const size_t length = strcspn(at, " \t");
        bool any = false;

        for (size_t test = 0; test < t->test_count && !any; test++) {
            any = match_one(at, length, t->tests[test].name);
        }
        if (!any) {
            char *name = memcpy(cli_allocate(NULL, length + 1, 1), at, length);

            in->unmatched = cli_allocate(in->unmatched, in->unmatched_count + 1, sizeof *in->unmatched);
            in->unmatched[in->unmatched_count++] = name;
            room = add(in, &(struct intent_verdict){.intent = i, .test = t->test_count, .name = name,
                                                    .outcome = INTENT_UNDECIDED, .cause = "no test has such a name"});
        }
        at += length;
    }
    return room;
}

/* Judges intent @i in all of its tests.  Returns false if there are too many verdicts. */
static bool judge(struct intents *in, const struct coverage_table *t, size_t i)
{
    struct intent_side left, right;
    bool room = judge_names(in, t, i);

    prepare(t, &in->list[i].left, &left);
    prepare(t, &in->list[i].right, &right);
    for (size_t test = 0; test < t->test_count && room; test++) {
        struct intent_verdict v = {.intent = i, .test = test, .name = t->tests[test].name, .cause = ""};
        const char *cause;

        if (!match(in->list[i].tests, v.name)) {
            continue;
        }
        cause = compute(t, &left, test, &v.left);
        cause = cause == NULL ? compute(t, &right, test, &v.right) : cause;
        if (cause != NULL) {
            v.outcome = INTENT_UNDECIDED;
            v.left = v.right = 0;
            v.cause = t->tests[test].cause[0] != '\0' ? t->tests[test].cause : cause;
        } else {
            v.outcome = holds(in->list[i].sign, v.left, v.right) ? INTENT_MET : INTENT_MISSED;
        }
        room = add(in, &v);
    }
    return room;
}

int intents_judge(struct intents *in, const struct cli_verb *verb, const struct coverage_table *t)
{
    for (size_t i = 0; i < in->count; i++) {
        if (!judge(in, t, i)) {
            cli_complain(verb, "%s: there are more than %zu pairs of an intent and a test; split it", in->path,
                         VERDICTS_MAX);
            return CLI_CANNOT;
        }
    }
    return CLI_YES;
}

const char *intents_word(enum intent_outcome outcome)
{
    static const char *const words[] = {
        [INTENT_MET] = "met", [INTENT_MISSED] = "missed", [INTENT_UNDECIDED] = "undecided"};

    return words[outcome];
}
