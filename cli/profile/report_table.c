/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a profile as a table. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define LEAST_NAME 24 /* the columns that a name gets on a terminal, if need be by leaving out events */

/* Returns whether the options choose row @row. */
static bool is_chosen(const struct report_view *report, const struct profile_row *row)
{
    const struct view_names n = view_names(report->profile, row, report->key);
    const struct view_options *v = &report->view;

    return (v->function == NULL || view_matches(n.function, v->function) || view_matches(n.symbol, v->function)) &&
           (v->file == NULL || view_matches(n.file, v->file) || view_matches(n.source, v->file));
}

/* Returns count of event @event of row @row: its own, or with what it called. */
static uint64_t count_of(const struct report_view *report, const struct profile_table *t, size_t row, uint32_t event,
                         bool total)
{
    const uint64_t *counts = total && t->total != NULL ? t->total : t->self;

    return counts[row * profile_recording(report->profile)->event_count + event];
}

struct row_order {
    const struct report_view *report;
    const struct profile_table *table;
};

static int compare(const void *a, const void *b, void *context)
{
    const struct row_order *o = context;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int by = 0;

    if (o->report->sort == REPORT_SORT_NAME) {
        const struct view_names m = view_names(o->report->profile, &o->table->rows[x], o->report->key);
        const struct view_names n = view_names(o->report->profile, &o->table->rows[y], o->report->key);

        by = strcmp(m.function, n.function);
        by = by != 0 ? by : strcmp(m.source, n.source);
        by = by != 0 ? by : m.line < n.line ? -1 : m.line > n.line;
        by = by != 0 ? by : strcmp(m.file, n.file);
        by = by != 0 ? by : m.offset < n.offset ? -1 : m.offset > n.offset;
    } else if (o->report->sort == REPORT_SORT_TOTAL) {
        const uint64_t m = count_of(o->report, o->table, x, o->report->events[0], true);
        const uint64_t n = count_of(o->report, o->table, y, o->report->events[0], true);

        by = m > n ? -1 : m < n;
    }
    return by != 0 ? by : x < y ? -1 : 1; /* the table is sorted by its own costs */
}

/* Chooses and sorts the rows. */
static bool choose_rows(const struct report_view *report, struct report_rows *rows)
{
    struct row_order by = {report, &rows->table};

    *rows = (struct report_rows){{0}, NULL, 0};
    if (!profile_table(report->profile, report->key, report->events[0], &rows->table)) {
        return false;
    }
    rows->order = cli_allocate(NULL, rows->table.count + 1, sizeof *rows->order);
    for (size_t i = 0; i < rows->table.count; i++) {
        bool costs = false;

        for (size_t e = 0; e < report->event_count; e++) {
            costs |= count_of(report, &rows->table, i, report->events[e], true) != 0;
        }
        if (costs && is_chosen(report, &rows->table.rows[i])) {
            rows->order[rows->count++] = i;
        }
    }
    if (rows->count > 0) {
        qsort_r(rows->order, rows->count, sizeof *rows->order, compare, &by);
    }
    return true;
}

/* Returns the columns that event @event takes. */
static size_t event_width(const struct report_view *report, size_t event, bool total)
{
    const struct recording *r = profile_recording(report->profile);
    struct cli_number number;
    const size_t name = terminal_length(r->events[report->events[event]].name);
    const size_t count = strlen(cli_grouped(report->sums[event], &number));
    const size_t need = 8 + count + (total ? 9 + count : 0);

    return (name > need ? name : need) + 2;
}

/* Returns how many events fit on a line. */
static size_t events_that_fit(const struct report_view *report, bool total, size_t *width)
{
    size_t count = 0;

    *width = 0;
    while (count < report->event_count) {
        const size_t more = event_width(report, count, total);

        if (count > 0 && report->terminal.width != 0 && *width + more + LEAST_NAME > report->terminal.width) {
            break;
        }
        *width += more;
        count++;
    }
    return count;
}

/* Returns the text of the row's name and, in *@file, of the column behind it.  The caller frees both. */
static char *name_of(const struct report_view *report, const struct profile_row *row, char **file)
{
    const struct view_names n = view_names(report->profile, row, report->key);
    char *name = NULL;
    int done = 0;

    *file = strdup(report->key == PROFILE_BY_FILE ? "" : view_base(n.file));
    switch (report->key) {
    case PROFILE_BY_FUNCTION:
    case PROFILE_BY_INLINED: done = asprintf(&name, "%s", n.function); break;
    case PROFILE_BY_LINE:
        free(*file);
        *file = strdup(n.function);
        done = n.line != 0 ? asprintf(&name, "%s:%" PRIu32, n.source, n.line) : asprintf(&name, "[no line]");
        break;
    case PROFILE_BY_ADDRESS: done = asprintf(&name, "0x%" PRIx64 " %s", n.offset, n.function); break;
    case PROFILE_BY_FILE: done = asprintf(&name, "%s", n.file); break;
    case PROFILE_BY_THREAD: done = asprintf(&name, "%" PRId32 " %s", n.tid, n.thread); break;
    case PROFILE_BY_IMAGE: done = asprintf(&name, "%" PRId32 " %s", n.pid, n.process); break;
    }
    return done < 0 ? NULL : name;
}

static const char *name_title(enum profile_key key)
{
    static const char *const titles[] = {
        [PROFILE_BY_FUNCTION] = "function", [PROFILE_BY_INLINED] = "function", [PROFILE_BY_LINE] = "line",
        [PROFILE_BY_ADDRESS] = "address", [PROFILE_BY_FILE] = "file", [PROFILE_BY_THREAD] = "thread",
        [PROFILE_BY_IMAGE] = "process",
    };

    return titles[key];
}

void report_heading(const struct report_view *report)
{
    const struct recording *r = profile_recording(report->profile);
    FILE *out = report->terminal.out;
    struct cli_number number;

    terminal_colour(&report->terminal, TERMINAL_FAINT);
    fputs("# ", out);
    terminal_cell(&report->terminal, r->command, report->terminal.width == 0 ||
                  terminal_length(r->command) + 2 <= report->terminal.width ? 0 : report->terminal.width - 2, false);
    fputc('\n', out);
    for (size_t i = 0; i < report->event_count; i++) {
        const struct recording_event *e = &r->events[report->events[i]];

        fprintf(out, "# %s ", cli_grouped(report->sums[i], &number));
        const struct recording_title title = recording_title(e);

        cli_print(out, title.text, strlen(title.text));
        if (e->period != 0) {
            fprintf(out, e->frequency != 0 ? ", a sample each %" PRIu64 " in the mean" : ", a sample each %" PRIu64,
                    e->period);
        }
        if (e->frequency != 0) {
            fprintf(out, ", %" PRIu64 " a second", e->frequency);
        }
        fputc('\n', out);
    }
    terminal_colour(&report->terminal, TERMINAL_PLAIN);
}

/* The columns of the text. */
struct columns {
    size_t events;     /* how many of them are printed */
    bool total;
    size_t name, file; /* the widths */
};

/* Finds the widths of the columns. */
static struct columns measure(const struct report_view *report, const struct report_rows *rows, size_t count)
{
    struct columns c = {.total = report->children && rows->table.total != NULL};
    size_t used;

    c.events = events_that_fit(report, c.total, &used);
    c.name = strlen(name_title(report->key));
    for (size_t i = 0; i < count; i++) {
        char *file, *name = name_of(report, &rows->table.rows[rows->order[i]], &file);
        const size_t name_length = name == NULL ? 0 : terminal_length(name);
        const size_t file_length = file == NULL ? 0 : terminal_length(file);

        c.name = name_length > c.name ? name_length : c.name;
        c.file = file_length > c.file ? file_length : c.file;
        free(name);
        free(file);
    }
    if (report->terminal.width != 0) {
        const size_t left = report->terminal.width > used ? report->terminal.width - used : 0;
        const size_t most = left / 3;

        c.file = c.file > most ? most : c.file;
        c.name = c.name + 2 + c.file > left ? (left > 2 + c.file ? left - 2 - c.file : 0) : c.name;
    }
    return c;
}

static void print_titles(const struct report_view *report, const struct columns *c)
{
    const struct recording *r = profile_recording(report->profile);
    FILE *out = report->terminal.out;
    struct cli_number number;

    for (size_t e = 0; e < c->events; e++) {
        const size_t width = event_width(report, e, c->total) - 2;

        fputs(e == 0 ? "" : "  ", out);
        terminal_right(&report->terminal, r->events[report->events[e]].name, width);
    }
    fputc('\n', out);
    for (size_t e = 0; e < c->events; e++) {
        const int width = (int)strlen(cli_grouped(report->sums[e], &number));
        const int pad = (int)event_width(report, e, c->total) - 2 - (8 + width + (c->total ? 9 + width : 0));

        fprintf(out, "%*s", pad, "");
        if (c->total) {
            fprintf(out, "%*s ", 8 + width, "total");
        }
        fprintf(out, "%*s  ", 8 + width, "self");
    }
    fputs(name_title(report->key), out);
    if (c->file != 0) {
        const size_t title = strlen(name_title(report->key));

        fprintf(out, "%*s", (int)(c->name > title ? c->name - title : 0) + 2, "");
        fputs(report->key == PROFILE_BY_LINE ? "function" : "file", out);
    }
    fputc('\n', out);
}

/* Prints a percentage and a count in @width columns of numbers. */
static void print_count(const struct report_view *report, uint64_t count, size_t event, int width)
{
    struct cli_number number;

    view_print_percent(&report->terminal, view_percent(count, report->sums[event]));
    fprintf(report->terminal.out, " %*s", width, cli_grouped(count, &number));
}

static void print_row(const struct report_view *report, const struct columns *c, const struct profile_table *t,
                      size_t row)
{
    char *file, *name = name_of(report, &t->rows[row], &file);
    FILE *out = report->terminal.out;
    struct cli_number number;

    for (size_t e = 0; e < c->events; e++) {
        const int width = (int)strlen(cli_grouped(report->sums[e], &number));
        const size_t need = 8 + (size_t)width + (c->total ? 9 + (size_t)width : 0);

        fprintf(out, "%*s", (int)(event_width(report, e, c->total) - 2 - need), "");
        if (c->total) {
            print_count(report, count_of(report, t, row, report->events[e], true), e, width);
            fputc(' ', out);
        }
        print_count(report, count_of(report, t, row, report->events[e], false), e, width);
        fputs("  ", out);
    }
    if (name != NULL && file != NULL) {
        const bool last = c->file == 0 || file[0] == '\0';
        const bool path = report->key == PROFILE_BY_LINE || report->key == PROFILE_BY_FILE;

        terminal_cell(&report->terminal, name, last && terminal_length(name) <= c->name ? 0 : c->name, path);
        if (!last) {
            fputs("  ", out);
            terminal_colour(&report->terminal, TERMINAL_FAINT);
            terminal_cell(&report->terminal, file, terminal_length(file) <= c->file ? 0 : c->file, false);
            terminal_colour(&report->terminal, TERMINAL_PLAIN);
        }
    }
    fputc('\n', out);
    free(name);
    free(file);
}

static void print_text(const struct report_view *report, const struct report_rows *rows)
{
    const size_t most = report->view.rows, count = most != 0 && most < rows->count ? most : rows->count;
    const struct columns c = measure(report, rows, count);

    report_heading(report);
    if (rows->count == 0) {
        fprintf(report->terminal.out, "# nothing that costs something is chosen\n");
        return;
    }
    fputc('\n', report->terminal.out);
    print_titles(report, &c);
    for (size_t i = 0; i < count; i++) {
        print_row(report, &c, &rows->table, rows->order[i]);
    }
    if (count < rows->count) {
        fprintf(report->terminal.out, "# %zu more rows; --rows=%zu prints all\n", rows->count - count, rows->count);
    }
    for (size_t e = c.events; e < report->event_count; e++) {
        fputs("# no room here for ", report->terminal.out);
        terminal_cell(&report->terminal, profile_recording(report->profile)->events[report->events[e]].name, 0, false);
        fputs(", which -e prints\n", report->terminal.out);
    }
}

bool report_table(const struct report_view *report)
{
    struct report_rows rows;
    const bool done = choose_rows(report, &rows);

    if (done) {
        if (report->view.rows != 0 && report->view.rows < rows.count && report->view.format != VIEW_TEXT) {
            rows.count = report->view.rows;
        }
        switch (report->view.format) {
        case VIEW_TEXT: print_text(report, &rows); break;
        case VIEW_FIELDS: report_fields(report, &rows); break;
        case VIEW_JSON: report_json(report, &rows); break;
        }
    }
    free(rows.order);
    profile_table_free(&rows.table);
    return done;
}
