/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of tests and events. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#define CELLS_MAX ((size_t)1 << 26) /* the most counts of a table, half a gigabyte of them */

/* Returns what events of the class of event @name are about. */
static const char *group_of(const char *name)
{
    static const char *const groups[] = {
        [APMU_EVENT_CLASS_BRANCH] = "branches",
        [APMU_EVENT_CLASS_BRBE] = "branch records",
        [APMU_EVENT_CLASS_CACHE] = "caches",
        [APMU_EVENT_CLASS_CYCLE] = "cycles",
        [APMU_EVENT_CLASS_EXCEPTION] = "exceptions",
        [APMU_EVENT_CLASS_INSTRUCTION] = "instructions",
        [APMU_EVENT_CLASS_MEMORY] = "memory",
        [APMU_EVENT_CLASS_SME] = "SME",
        [APMU_EVENT_CLASS_SPE] = "SPE",
        [APMU_EVENT_CLASS_SVE] = "SVE",
        [APMU_EVENT_CLASS_TLB] = "TLBs",
        [APMU_EVENT_CLASS_TRACE] = "trace",
    };
    const struct apmu_event_info *info = apmu_event_by_name(name);
    const size_t i = info == NULL ? SIZE_MAX : (size_t)info->class_;

    return i < sizeof groups / sizeof groups[0] && groups[i] != NULL ? groups[i] : "other events";
}

/* Returns the length of the control character that @text begins with; 0: it begins with another character. */
static size_t control_length(const char *text)
{
    const unsigned char first = (unsigned char)text[0], second = first == 0 ? 0 : (unsigned char)text[1];

    if (first == 0xC2 && second >= 0x80 && second < 0xA0) { /* U+0080 to U+009F in UTF-8 */
        return 2;
    }
    return (first < 0x20 && first != 0) || first == 0x7F ? 1 : 0;
}

bool coverage_is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if (control_length(text) > 0) {
            return false;
        }
    }
    return true;
}

/* Returns a copy of @text, which the caller frees.  Control characters, which a terminal would obey, become "?". */
static char *copy_of(const char *text)
{
    char *copy = strcpy(cli_allocate(NULL, strlen(text) + 1, 1), text);

    for (char *c = copy; *c != '\0'; c++) {
        for (size_t length = control_length(c); length > 0; length--) {
            c[length - 1] = '?';
        }
    }
    return copy;
}

static bool is_event(const struct coverage_event *e, const char *name, const char *mark)
{
    return strcmp(e->name, name) == 0 && strcmp(e->mark, mark) == 0;
}

size_t coverage_event(struct coverage_table *t, const char *name, const char *trust, const char *mark, size_t hint)
{
    if (hint < t->event_count && is_event(&t->events[hint], name, mark)) {
        return hint;
    }
    for (size_t i = 0; i < t->event_count; i++) {
        if (is_event(&t->events[i], name, mark)) {
            return i;
        }
    }
    if (t->event_count == COVERAGE_EVENTS) {
        return SIZE_MAX;
    }
    if (t->event_count == t->event_room) {
        t->event_room = t->event_room == 0 ? 64 : 2 * t->event_room;
        t->events = cli_allocate(t->events, t->event_room, sizeof *t->events);
    }
    t->events[t->event_count] = (struct coverage_event){
        .name = copy_of(name), .trust = copy_of(trust), .mark = copy_of(mark), .group = group_of(name)};
    return t->event_count++;
}

struct coverage_test *coverage_add_test(struct coverage_table *t, const char *name, const char *cause)
{
    if (t->test_count == COVERAGE_TESTS) {
        return NULL;
    }
    if (t->test_count == t->test_room) {
        t->test_room = t->test_room == 0 ? 64 : 2 * t->test_room;
        t->tests = cli_allocate(t->tests, t->test_room, sizeof *t->tests);
    }
    t->tests[t->test_count] = (struct coverage_test){.name = copy_of(name), .cause = copy_of(cause)};
    return &t->tests[t->test_count++];
}

bool coverage_store(struct coverage_table *t, struct coverage_test *test, size_t event, double count)
{
    if (event == SIZE_MAX) {
        return false;
    }
    if (event >= test->count) {
        const size_t wanted = event + 1 > t->event_count ? event + 1 : t->event_count;

        t->cells += wanted - test->count;
        if (t->cells > CELLS_MAX) {
            return false;
        }
        test->counts = cli_allocate(test->counts, wanted, sizeof *test->counts);
        for (; test->count < wanted; test->count++) {
            test->counts[test->count] = -1;
        }
    }
    test->counts[event] = count;
    return true;
}

double coverage_count(const struct coverage_table *t, size_t test, size_t event)
{
    return event < t->tests[test].count ? t->tests[test].counts[event] : -1;
}

bool coverage_reaches(const struct coverage_table *t, size_t test, size_t event)
{
    return coverage_count(t, test, event) >= t->reached;
}

/* The names of the tests are sorted with their indices beside them. */
struct coverage_name {
    const char *name;
    size_t test;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct coverage_name *)a)->name, ((const struct coverage_name *)b)->name);
}

const char *coverage_sort(struct coverage_table *t)
{
    struct coverage_name *names = cli_allocate(NULL, t->test_count + 1, sizeof *names);
    const char *twin = NULL;

    for (size_t i = 0; i < t->test_count; i++) {
        names[i] = (struct coverage_name){t->tests[i].name, i};
    }
    qsort(names, t->test_count, sizeof *names, compare_names);
    free(t->by_name);
    t->by_name = cli_allocate(NULL, t->test_count + 1, sizeof *t->by_name);
    for (size_t i = 0; i < t->test_count; i++) {
        t->by_name[i] = names[i].test;
        twin = twin == NULL && i > 0 && strcmp(names[i - 1].name, names[i].name) == 0 ? names[i].name : twin;
    }
    free(names);
    return twin;
}

size_t coverage_find(const struct coverage_table *t, const char *name)
{
    size_t low = 0, high = t->test_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(name, t->tests[t->by_name[middle]].name);

        if (order == 0) {
            return t->by_name[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return t->test_count;
}

/* Subtracts what @less counts from @test.  What @less did not count is not known of @test either. */
static void subtract_counts(struct coverage_test *test, const struct coverage_test *less)
{
    for (size_t e = 0; e < test->count; e++) {
        const double count = test->counts[e], start = e < less->count ? less->counts[e] : -1;

        if (count >= 0) {
            test->counts[e] = start < 0 ? -1 : count > start ? count - start : 0;
        }
    }
}

static void free_test(struct coverage_test *test)
{
    free(test->name);
    free(test->cause);
    free(test->counts);
}

const char *coverage_subtract(struct coverage_table *t, const char *name)
{
    const size_t at = coverage_find(t, name);

    if (at == t->test_count) {
        return "there is no such test; give it among the tests too";
    }
    struct coverage_test less = t->tests[at];

    if (less.cause[0] != '\0') {
        return "it failed, so that nothing can be subtracted";
    }
    memmove(&t->tests[at], &t->tests[at + 1], (t->test_count - at - 1) * sizeof t->tests[0]);
    t->test_count--;
    for (size_t i = 0; i < t->test_count; i++) {
        subtract_counts(&t->tests[i], &less);
    }
    t->minus = copy_of(name);
    free_test(&less);
    coverage_sort(t);
    return NULL;
}

void coverage_add_up(struct coverage_table *t)
{
    for (size_t e = 0; e < t->event_count; e++) {
        struct coverage_event *event = &t->events[e];

        event->sum = -1;
        event->tests = event->most = event->least = 0;
        for (size_t i = 0; i < t->test_count; i++) {
            const double count = coverage_count(t, i, e);

            if (count < 0) {
                continue;
            }
            if (event->sum < 0) {
                event->sum = 0;
                event->most = event->least = i;
            }
            event->sum += count;
            event->tests += coverage_reaches(t, i, e);
            event->most = count > coverage_count(t, event->most, e) ? i : event->most;
            event->least = count < coverage_count(t, event->least, e) ? i : event->least;
        }
    }
}

void coverage_free(struct coverage_table *t)
{
    for (size_t i = 0; i < t->event_count; i++) {
        free(t->events[i].name);
        free(t->events[i].trust);
        free(t->events[i].mark);
    }
    for (size_t i = 0; i < t->test_count; i++) {
        free_test(&t->tests[i]);
    }
    free(t->minus);
    free(t->events);
    free(t->tests);
    free(t->by_name);
    *t = (struct coverage_table){.reached = t->reached};
}
