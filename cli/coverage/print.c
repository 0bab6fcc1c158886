/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the results as text. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "document.h"

#define NAME_WIDTH 24  /* of a test's name in a table */
#define FALLS      20u /* the counts that fell and intents that are printed unless all are wanted */

/* What the functions of this file share. */
struct printing {
    FILE *out;
    const struct coverage_results *r;
    const struct coverage_table *t;
    size_t width;
    size_t *columns;     /* the events that tests reach, those of a group one after the other */
    size_t column_count;
};

/* Returns @value, rounded, with groups of thousands. */
static const char *grouped(double value, struct cli_number *number)
{
    return cli_grouped(value < 1.8e19 ? (uint64_t)(value + 0.5) : UINT64_MAX, number);
}

/* Prints a test's name, at most @width characters of it and padded to as many. */
static void print_name(const struct printing *p, const char *name, int width)
{
    const bool cut = strlen(name) > (size_t)width;

    fprintf(p->out, "%-*.*s%s", cut ? width - 2 : width, cut ? width - 2 : width, name, cut ? ".." : "");
}

/* Prints the @count words that @word gives, with blanks between and @before in front of each line. */
static void print_words(const struct printing *p, size_t count, const char *before,
                        const char *(*word)(const struct printing *p, size_t i))
{
    size_t used = p->width;

    for (size_t i = 0; i < count; i++) {
        const char *text = word(p, i);

        if (used + 1 + strlen(text) > p->width) {
            fprintf(p->out, "%s%s", i == 0 ? "" : "\n", before);
            used = strlen(before);
        }
        fprintf(p->out, " %s", text);
        used += 1 + strlen(text);
    }
    fprintf(p->out, count > 0 ? "\n" : "");
}

static int compare_columns(const void *a, const void *b)
{
    const struct coverage_event *x = *(struct coverage_event *const *)a, *y = *(struct coverage_event *const *)b;
    const int order = strcasecmp(x->group, y->group);

    return order != 0 ? order : x < y ? -1 : x > y;
}

/* Chooses the events that are reached, or with @reached false those that are counted and not reached, by group. */
static void choose_columns(struct printing *p, bool reached)
{
    const struct coverage_event **events = cli_allocate(NULL, p->t->event_count + 1, sizeof *events);

    p->column_count = 0;
    for (size_t e = 0; e < p->t->event_count; e++) {
        if (p->t->events[e].sum >= 0 && (p->t->events[e].tests > 0) == reached) {
            events[p->column_count++] = &p->t->events[e];
        }
    }
    qsort(events, p->column_count, sizeof *events, compare_columns);
    for (size_t i = 0; i < p->column_count; i++) {
        p->columns[i] = (size_t)(events[i] - p->t->events);
    }
    free(events);
}

/* Returns whether column @i begins a group. */
static bool begins_group(const struct printing *p, size_t i)
{
    return i == 0 || strcmp(p->t->events[p->columns[i]].group, p->t->events[p->columns[i - 1]].group) != 0;
}

static void print_events(const struct printing *p)
{
    fprintf(p->out, "  %-30s %6s %20s  %-*s %16s\n", "event", "tests", "sum", NAME_WIDTH, "most in", "count");
    for (size_t i = 0; i < p->column_count; i++) {
        const struct coverage_event *e = &p->t->events[p->columns[i]];
        struct cli_number sum, most;

        if (begins_group(p, i)) {
            fprintf(p->out, "%s\n", e->group);
        }
        fprintf(p->out, "  %-30s %6zu %20s  ", e->name, e->tests, grouped(e->sum, &sum));
        print_name(p, p->t->tests[e->most].name, NAME_WIDTH);
        fprintf(p->out, " %16s%s%s\n", grouped(coverage_count(p->t, e->most, p->columns[i]), &most),
                e->mark[0] == '\0' ? "" : "  ", e->mark);
    }
}

/* Returns the name of column @i. */
static const char *column_word(const struct printing *p, size_t i)
{
    return p->t->events[p->columns[i]].name;
}

/* Prints the names of the columns @first to @end from top to bottom. */
static void print_heads(const struct printing *p, size_t first, size_t end)
{
    size_t height = 0;

    for (size_t i = first; i < end; i++) {
        const size_t length = strlen(column_word(p, i));

        height = length > height ? length : height;
    }
    for (size_t line = 0; line < height; line++) {
        fprintf(p->out, "%*s", NAME_WIDTH, "");
        for (size_t i = first; i < end; i++) {
            const char *name = column_word(p, i);
            const size_t above = height - strlen(name); /* the last letters stand in the same line */

            fprintf(p->out, "%s%c", i > first && begins_group(p, i) ? "  " : i == first ? " " : "",
                    line < above ? ' ' : name[line - above]);
        }
        fputc('\n', p->out);
    }
}

/* Returns the sign for a count: its number of digits, at most 9; '.' if it is not reached, '-' if it is not counted. */
static char sign_of(const struct printing *p, size_t test, size_t event)
{
    double count = coverage_count(p->t, test, event);
    char digits = '1';

    if (count < p->t->reached) {
        return count < 0 ? '-' : '.';
    }
    for (; count >= 10 && digits < '9'; count /= 10) {
        digits++;
    }
    return digits;
}

/* Prints the table of tests and events, as many events at a time as fit. */
static void print_map(const struct printing *p)
{
    for (size_t first = 0, end; first < p->column_count; first = end) {
        size_t used = NAME_WIDTH + 2;

        for (end = first + 1; end < p->column_count && used < p->width; end++) {
            used += begins_group(p, end) ? 3 : 1;
        }
        fputc('\n', p->out);
        print_heads(p, first, end);
        for (size_t test = 0; test < p->t->test_count; test++) {
            print_name(p, p->t->tests[test].name, NAME_WIDTH);
            for (size_t i = first; i < end; i++) {
                fprintf(p->out, "%s%c", i > first && begins_group(p, i) ? "  " : i == first ? " " : "",
                        sign_of(p, test, p->columns[i]));
            }
            fputc('\n', p->out);
        }
    }
}

static const char *set_word(const struct printing *p, size_t i)
{
    return p->t->tests[p->r->rank->set[i]].name;
}

static void print_rank(const struct printing *p)
{
    const struct coverage_rank *r = p->r->rank;
    size_t sum = 0;

    fprintf(p->out, "\nwhat each test adds, the one that adds most first\n");
    for (size_t i = 0; i < r->count; i++) {
        sum += r->adds[i];
        fprintf(p->out, "  %5zu  +%-5zu %5zu  %s\n", i + 1, r->adds[i], sum, p->t->tests[r->order[i]].name);
    }
    if (r->count < p->t->test_count) {
        fprintf(p->out, "  tests that add nothing: %zu\n", p->t->test_count - r->count);
    }
    fprintf(p->out, "\na set of %zu keeps all %zu events; ", r->set_count, r->reached);
    if (r->bound < r->set_count) {
        fprintf(p->out, "no set of fewer than %zu does\n", r->bound);
    } else {
        fprintf(p->out, "no smaller set does\n");
    }
    print_words(p, r->set_count, " ", set_word);
}

static void print_failed(const struct printing *p)
{
    for (size_t i = 0; i < p->t->test_count; i++) {
        if (p->t->tests[i].cause[0] != '\0') {
            fprintf(p->out, "  failed: %s: %s\n", p->t->tests[i].name, p->t->tests[i].cause);
        }
    }
}

static void print_intents(const struct printing *p, bool verbose)
{
    const struct intents *in = p->r->intents;

    if (in->count == 0) {
        return;
    }
    fprintf(p->out, "\nintents: %zu met, %zu missed, %zu undecided\n", in->tally[INTENT_MET], in->tally[INTENT_MISSED],
            in->tally[INTENT_UNDECIDED]);
    for (size_t i = 0; i < in->verdict_count; i++) {
        const struct intent_verdict *v = &in->verdicts[i];
        const struct intent *intent = &in->list[v->intent];

        if (v->outcome == INTENT_MET && !verbose) {
            continue;
        }
        fprintf(p->out, "  %-9s  ", intents_word(v->outcome));
        print_name(p, v->name, NAME_WIDTH);
        fprintf(p->out, "  %s  (", intent->text);
        if (v->outcome == INTENT_UNDECIDED) {
            fprintf(p->out, "%s", v->cause);
        } else {
            fprintf(p->out, "%.10g and %.10g", v->left, v->right);
        }
        fprintf(p->out, "; %s:%u)\n", in->path, intent->line);
    }
}

static void print_change(const struct printing *p, const struct coverage_change *c)
{
    const bool of_event = c->kind == CHANGE_EVENT_LOST || c->kind == CHANGE_EVENT_NEW || c->kind == CHANGE_EVENT_APART;
    struct cli_number before, now;

    fprintf(p->out, "  %-17s  %s%s%s%s%s", changes_word(c->kind), of_event ? c->event : c->test,
            !of_event && c->event[0] != '\0' ? "  " : "", !of_event ? c->event : "", c->intent[0] != '\0' ? "  " : "",
            c->intent);
    if (c->kind == CHANGE_EVENT_LOST || c->kind == CHANGE_EVENT_NEW) {
        const double tests = c->kind == CHANGE_EVENT_LOST ? c->before : c->now;

        fprintf(p->out, "  (%s test%s %s it, most of all %s)", grouped(tests, &before), tests < 2 ? "" : "s",
                c->kind == CHANGE_EVENT_LOST ? "reached" : "reach", c->test);
    } else if (!of_event && c->before >= 0) {
        fprintf(p->out, "  %s -> %s", grouped(c->before, &before), grouped(c->now, &now));
    }
    fprintf(p->out, "%s%s\n", c->cause[0] == '\0' ? "" : ": ", c->cause);
}

static void print_changes(const struct printing *p, bool verbose)
{
    const struct coverage_changes *c = p->r->changes;
    size_t printed = 0;

    if (c == NULL) {
        return;
    }
    fprintf(p->out, "\ncompared with %s, losses: %zu\n", p->r->baseline, changes_losses(c));
    if (c->apart) {
        fprintf(p->out, "  nothing was compared: no test and event of it is here\n");
    }
    for (size_t i = 0; i < c->count; i++) {
        if (c->list[i].kind != CHANGE_COUNT_FELL || verbose || printed++ < FALLS) {
            print_change(p, &c->list[i]);
        }
    }
    if (printed > FALLS) {
        fprintf(p->out, "  and %zu more counts fell; -v prints them\n", printed - FALLS);
    }
}

/* Prints the events that tests reach, and those that none reaches. */
static void print_reached(struct printing *p, bool all)
{
    choose_columns(p, true);
    if (all && p->column_count > 0) {
        fputc('\n', p->out);
        print_events(p);
    }
    choose_columns(p, false);
    if (p->column_count > 0) {
        fprintf(p->out, "\nno test reaches\n");
        print_words(p, p->column_count, " ", column_word);
    }
}

void coverage_print(FILE *out, const struct coverage_results *r, const struct coverage_look *look)
{
    struct printing p = {.out = out, .r = r, .t = r->table, .width = look->width};
    size_t failed = 0, counted = 0;

    p.columns = cli_allocate(NULL, r->table->event_count + 1, sizeof *p.columns);
    for (size_t i = 0; i < p.t->test_count; i++) {
        failed += p.t->tests[i].cause[0] != '\0';
    }
    for (size_t e = 0; e < p.t->event_count; e++) {
        counted += p.t->events[e].sum >= 0;
    }
    fprintf(out, "tests: %zu, failed: %zu; events: %zu, reached: %zu%s%s\n", p.t->test_count, failed, counted,
            r->rank->reached, p.t->minus == NULL ? "" : "; counts are without those of ",
            p.t->minus == NULL ? "" : p.t->minus);
    print_failed(&p);
    print_intents(&p, look->verbose);
    print_changes(&p, look->verbose);
    print_reached(&p, !look->summary);
    choose_columns(&p, true);
    if (p.column_count > 0) {
        if (!look->summary) {
            fprintf(out, "\ntests and events: a digit is how many digits the count has; . is not reached, "
                         "- not counted\n");
            print_map(&p);
        }
        print_rank(&p);
    }
    free(p.columns);
}
