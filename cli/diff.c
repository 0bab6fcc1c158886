/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu diff: says what changed between two recordings. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profile/diff.h"

#define ROWS_ON_TERMINAL 20
#define LEAST_NAME 16 /* the columns that a name gets on a terminal */

/* The most that an event may grow. */
struct diff_limit {
    const char *text; /* NULL: there is none */
    bool percent;
    double share;
    uint64_t count;
};

struct diff_job {
    struct view_options view;
    const struct cli_verb *verb;
    struct terminal terminal;
    enum profile_key key;
    struct diff_limit limit;
    const char **events;
    size_t event_count;
    const char *paths[2];
    struct recording *recordings[2];
    struct profile *profiles[2];
    bool any; /* an event was compared */
    char **exceeded; /* a complaint for each event that grew by more than the limit */
    size_t exceeded_count;
};

/* Reads the limit @text: "1%", "0.5%" or "1000".  Returns false after a complaint. */
static bool parse_limit(const struct cli_verb *verb, const char *text, struct diff_limit *limit)
{
    char *end;

    *limit = (struct diff_limit){.text = text, .percent = strchr(text, '%') != NULL};
    if (limit->percent) {
        limit->share = strtod(text, &end);
        if (end != text && strcmp(end, "%") == 0 && limit->share >= 0) {
            return true;
        }
    } else if (text[0] >= '0' && text[0] <= '9') {
        limit->count = strtoull(text, &end, 10);
        if (*end == '\0') {
            return true;
        }
    }
    cli_complain(verb, "--fail-above=%s: no limit; give a number of occurrences, or a percentage such as 1%%", text);
    return false;
}

static bool take_option(struct diff_job *c, enum cli_option_id id, const char *value)
{
    int key;

    switch (id) {
    case CLI_EVENT: c->events[c->event_count++] = value; return true;
    case CLI_FAIL_ABOVE: return parse_limit(c->verb, value, &c->limit);
    case CLI_BY:
        key = view_key(value);
        if (key != PROFILE_BY_FUNCTION && key != PROFILE_BY_INLINED && key != PROFILE_BY_LINE &&
            key != PROFILE_BY_FILE) {
            cli_complain(c->verb, "--by=%s: this cannot be compared; give function, inlined, line or file", value);
            return false;
        }
        c->key = (enum profile_key)key;
        return true;
    default: return view_option(&c->view, c->verb, id, value) > 0;
    }
}

/* Returns whether the counts exceed the limit. */
static bool exceeds(const struct diff_limit *limit, const uint64_t counts[2])
{
    if (limit->text == NULL || counts[1] <= counts[0]) {
        return false;
    }
    return limit->percent ? (double)(counts[1] - counts[0]) > limit->share / 100 * (double)counts[0]
                          : counts[1] - counts[0] > limit->count;
}

/* Writes the difference of two counts with its sign, "+1,234". */
static void write_change(const uint64_t counts[2], char *text, size_t size)
{
    struct cli_number number;
    const bool less = counts[1] < counts[0];

    snprintf(text, size, "%s%s", less ? "-" : counts[1] > counts[0] ? "+" : "",
             cli_grouped(less ? counts[0] - counts[1] : counts[1] - counts[0], &number));
}

/* Writes the change as a percentage of the count before, "+1.23%", or what there is in its place. */
static void write_share(const uint64_t counts[2], char *text, size_t size)
{
    const double before = (double)counts[0], after = (double)counts[1];

    if (counts[0] == 0 || counts[1] == 0) {
        snprintf(text, size, "%s", counts[0] == counts[1] ? "" : counts[0] == 0 ? "new" : "gone");
    } else {
        snprintf(text, size, "%+.2f%%", 100 * (after - before) / before);
    }
}

static const char *state_of(const struct diff_row *row)
{
    return !row->there[0] ? "new" : !row->there[1] ? "gone" : "changed";
}

/* The columns of the text. */
struct diff_columns {
    int count;          /* the width of a count */
    bool before, after; /* these are printed */
    size_t used;        /* the columns before the name */
};

/* Finds the widths of the columns; on a narrow terminal there is no room for all. */
static struct diff_columns measure(const struct diff_job *c, const uint64_t sums[2])
{
    struct cli_number number;
    const size_t most = strlen(cli_grouped(sums[0] > sums[1] ? sums[0] : sums[1], &number));
    struct diff_columns columns = {.count = most > 6 ? (int)most : 6, .before = true, .after = true};
    const size_t width = (size_t)columns.count + 1, least = width + 1 + 9 + 2;

    columns.used = least + 2 * width;
    if (c->terminal.width != 0 && columns.used + LEAST_NAME > c->terminal.width) {
        columns.before = false;
        columns.used -= width;
    }
    if (c->terminal.width != 0 && columns.used + LEAST_NAME > c->terminal.width) {
        columns.after = false;
        columns.used -= width;
    }
    return columns;
}

/* Prints texts in the columns before the name. */
static void print_columns(const struct diff_job *c, const struct diff_columns *columns, const char *before,
                          const char *after, const char *change, const char *share, enum terminal_colour colour)
{
    FILE *out = c->terminal.out;

    if (columns->before) {
        fprintf(out, "%*s ", columns->count, before);
    }
    if (columns->after) {
        fprintf(out, "%*s ", columns->count, after);
    }
    terminal_colour(&c->terminal, colour);
    fprintf(out, "%*s %9s", columns->count + 1, change, share);
    terminal_colour(&c->terminal, TERMINAL_PLAIN);
    fputs("  ", out);
}

/* Prints a line of the text: counts, change and name. */
static void print_line(const struct diff_job *c, const struct diff_columns *columns, const uint64_t counts[2],
                       const char *name, const char *file)
{
    const struct terminal *t = &c->terminal;
    const size_t left = t->width > columns->used ? t->width - columns->used : 4, length = terminal_length(name);
    struct cli_number before, after;
    char change[40], share[40];

    write_change(counts, change, sizeof change);
    write_share(counts, share, sizeof share);
    print_columns(c, columns, cli_grouped(counts[0], &before), cli_grouped(counts[1], &after), change, share,
                  counts[0] == counts[1] ? TERMINAL_PLAIN : counts[1] > counts[0] ? TERMINAL_HOT : TERMINAL_GOOD);
    terminal_cell(t, name, length <= left ? 0 : left, false);
    if (file[0] != '\0' && (t->width == 0 || length + 2 + terminal_length(file) <= left)) {
        fputs("  ", t->out);
        terminal_colour(t, TERMINAL_FAINT);
        terminal_cell(t, file, 0, false);
        terminal_colour(t, TERMINAL_PLAIN);
    }
    fputc('\n', t->out);
}

static void print_text(const struct diff_job *c, const char *event, const struct diff_rows *rows,
                       const uint64_t sums[2])
{
    const struct terminal *t = &c->terminal;
    const size_t most = c->view.rows != 0 ? c->view.rows : t->width != 0 ? ROWS_ON_TERMINAL : rows->count;
    const size_t count = rows->count < most ? rows->count : most;
    const struct diff_columns columns = measure(c, sums);

    print_columns(c, &columns, "before", "after", "change", "", TERMINAL_PLAIN);
    terminal_cell(t, event, t->width != 0 && terminal_length(event) > t->width - columns.used
                  ? t->width - columns.used : 0, false);
    fputc('\n', t->out);
    print_line(c, &columns, sums, "sum", "");
    for (size_t i = 0; i < count; i++) {
        const struct diff_row *row = &rows->data[i];
        char *name = NULL;

        if (row->line != 0 && c->key == PROFILE_BY_LINE) {
            if (asprintf(&name, "%s:%" PRIu32, row->source, row->line) < 0) {
                name = NULL;
            }
        } else {
            name = strdup(c->key == PROFILE_BY_FILE ? row->file : row->function);
        }
        if (name != NULL) {
            print_line(c, &columns, row->counts, name, c->key == PROFILE_BY_FILE ? "" : row->file);
        }
        free(name);
    }
    if (rows->count == 0) {
        fprintf(t->out, "# no difference\n");
    } else if (count < rows->count) {
        fprintf(t->out, "# %zu more rows changed; --rows=%zu prints all\n", rows->count - count, rows->count);
    }
}

/* Prints the fields of a row. */
static void print_fields(const struct diff_job *c, const char *event, const struct diff_row *row, const char *state)
{
    const char *s = c->view.separator;
    const char *const texts[] = {row->function, row->file, row->source};
    FILE *out = c->terminal.out;
    const bool less = row->counts[1] < row->counts[0];

    view_print_name(&c->view, out, event);
    fprintf(out, "%s%" PRIu64 "%s%" PRIu64 "%s%s%" PRIu64 "%s", s, row->counts[0], s, row->counts[1], s,
            less ? "-" : "", less ? row->counts[0] - row->counts[1] : row->counts[1] - row->counts[0], s);
    if (row->counts[0] != 0) {
        fprintf(out, "%.4f", 100 * ((double)row->counts[1] - (double)row->counts[0]) / (double)row->counts[0]);
    }
    fprintf(out, "%s%s", s, state);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fputs(s, out);
        view_print_name(&c->view, out, texts[i]);
    }
    fputs(s, out);
    if (row->line != 0) {
        fprintf(out, "%" PRIu32, row->line);
    }
    fputc('\n', out);
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text[0] != '\0') {
        json_object_set_new(object, key, view_json_text(text));
    }
}

static void print_json(const struct diff_job *c, const char *event, const struct diff_row *row, const char *state)
{
    json_t *object = json_object();

    json_object_set_new(object, "event", view_json_text(event));
    json_object_set_new(object, "state", json_string(state));
    json_object_set_new(object, "before", view_json_count(row->counts[0]));
    json_object_set_new(object, "after", view_json_count(row->counts[1]));
    set_text(object, "function", row->function);
    set_text(object, "file", row->file);
    set_text(object, "source", row->source);
    if (row->line != 0) {
        json_object_set_new(object, "line", json_integer(row->line));
    }
    json_dumpf(object, c->terminal.out, JSON_PRESERVE_ORDER);
    fputc('\n', c->terminal.out);
    json_decref(object);
}

/* Prints rows for programs, the sums first. */
static void print_rows(const struct diff_job *c, const char *event, const struct diff_rows *rows,
                       const uint64_t sums[2])
{
    static char none[] = "";
    const size_t count = c->view.rows != 0 && c->view.rows < rows->count ? c->view.rows : rows->count;
    const struct diff_row sum = {none, none, none, 0, {sums[0], sums[1]}, {true, true}};
    void (*const print)(const struct diff_job *, const char *, const struct diff_row *, const char *) =
        c->view.format == VIEW_JSON ? print_json : print_fields;

    print(c, event, &sum, "sum");
    for (size_t i = 0; i < count; i++) {
        print(c, event, &rows->data[i], state_of(&rows->data[i]));
    }
}

/* Notes that event @name grew by more than the limit, to complain when all is printed. */
static void note_growth(struct diff_job *c, const char *name, const struct diff_rows *rows, const uint64_t sums[2])
{
    const struct diff_row *worst = NULL;
    const char *where = "";
    char change[40], share[40], *text;

    for (size_t i = 0; i < rows->count && worst == NULL; i++) {
        worst = rows->data[i].counts[1] > rows->data[i].counts[0] ? &rows->data[i] : NULL;
    }
    if (worst != NULL) {
        where = worst->function[0] != '\0' ? worst->function : worst->source[0] != '\0' ? worst->source : worst->file;
    }
    write_change(sums, change, sizeof change);
    write_share(sums, share, sizeof share);
    if (asprintf(&text, "%s: it grew by %s (%s), which is more than --fail-above=%s, most of it in %s; make this "
                 "cheaper, or raise the limit", name, change, share, c->limit.text, where) >= 0) {
        c->exceeded = cli_allocate(c->exceeded, c->exceeded_count + 1, sizeof *c->exceeded);
        c->exceeded[c->exceeded_count++] = text;
    }
}

/* Returns the title of the event, with both marks if they differ. */
static struct recording_title title_of(const struct diff_job *c, const uint32_t events[2])
{
    const struct recording_event *before = &c->recordings[0]->events[events[0]];
    const struct recording_event *after = &c->recordings[1]->events[events[1]];
    struct recording_title title = recording_title(before);

    if (strcmp(before->mark, after->mark) != 0) {
        snprintf(title.text, sizeof title.text, "%.120s (%.50s; then %.50s)", before->name,
                 before->mark[0] != '\0' ? before->mark : "exact", after->mark[0] != '\0' ? after->mark : "exact");
    }
    return title;
}

/* Compares an event.  Returns false without memory. */
static bool compare_event(struct diff_job *c, const uint32_t events[2])
{
    const struct recording_title title = title_of(c, events);
    const char *name = title.text;
    struct diff_rows rows;
    uint64_t sums[2];

    if (!diff_compare(c->profiles, events, c->key, &c->view, &rows, sums)) {
        return false;
    }
    if (c->view.format == VIEW_TEXT) {
        fputs(c->any ? "\n" : "", c->terminal.out);
        print_text(c, name, &rows, sums);
    } else {
        print_rows(c, name, &rows, sums);
    }
    c->any = true;
    if (exceeds(&c->limit, sums)) {
        note_growth(c, name, &rows, sums);
    }
    diff_free(&rows);
    return true;
}

/* Returns the event called @name, or PROFILE_NONE. */
static uint32_t find_event(const struct recording *r, const char *name)
{
    for (uint32_t i = 0; i < r->event_count; i++) {
        if (strcasecmp(r->events[i].name, name) == 0) {
            return i;
        }
    }
    return PROFILE_NONE;
}

/* Compares the events of -e.  Returns the exit status. */
static int compare_chosen(struct diff_job *c)
{
    for (size_t i = 0; i < c->event_count; i++) {
        char *copy = strdup(c->events[i]), *rest = copy, *name;
        int status = CLI_YES;

        while (status == CLI_YES && (name = strsep(&rest, ",")) != NULL) {
            uint32_t events[2];

            for (int side = 0; side < 2 && status == CLI_YES; side++) {
                events[side] = view_event(c->verb, c->recordings[side], name);
                status = events[side] == PROFILE_NONE ? CLI_USAGE : CLI_YES;
            }
            if (status == CLI_YES && !compare_event(c, events)) {
                status = CLI_CANNOT;
            }
        }
        free(copy);
        if (status != CLI_YES) {
            return status;
        }
    }
    return CLI_YES;
}

/* Compares every event that both recordings have.  Returns the exit status. */
static int compare_common(struct diff_job *c)
{
    for (uint32_t i = 0; i < c->recordings[0]->event_count; i++) {
        const uint32_t events[2] = {i, find_event(c->recordings[1], c->recordings[0]->events[i].name)};

        if (events[1] != PROFILE_NONE && !compare_event(c, events)) {
            return CLI_CANNOT;
        }
    }
    if (!c->any) {
        cli_complain(c->verb, "%s: it has no event in common with %s; record both with the same events", c->paths[1],
                     c->paths[0]);
        return CLI_CANNOT;
    }
    return CLI_YES;
}

/* Compares the recordings.  Returns the exit status. */
static int compare(struct diff_job *c)
{
    int status = CLI_YES;

    c->view.profile.no_lines = c->key == PROFILE_BY_FUNCTION || c->key == PROFILE_BY_FILE;
    for (int side = 0; side < 2; side++) {
        c->recordings[side] = view_read(&c->view, c->verb, c->paths[side]);
        if (c->recordings[side] == NULL) {
            return CLI_CANNOT;
        }
        c->profiles[side] = view_profile(&c->view, c->verb, c->recordings[side]);
        if (c->profiles[side] == NULL) {
            return CLI_CANNOT;
        }
    }
    if (!terminal_open(&c->terminal, c->verb, &c->view.terminal)) {
        return CLI_USAGE;
    }
    status = c->event_count > 0 ? compare_chosen(c) : compare_common(c);
    status = terminal_close(&c->terminal, c->verb, status);
    view_remarks(c->profiles[0]);
    view_remarks(c->profiles[1]);
    for (size_t i = 0; i < c->exceeded_count; i++) {
        cli_complain(c->verb, "%s", c->exceeded[i]);
    }
    return status != CLI_YES ? status : c->exceeded_count > 0 ? CLI_NO : CLI_YES;
}

int cli_diff(const struct cli_args *args)
{
    struct diff_job c = {.verb = args->verb,
                           .events = cli_allocate(NULL, args->given_count + 1, sizeof *c.events)};
    int status = CLI_YES;

    for (size_t i = 0; status == CLI_YES && i < args->given_count; i++) {
        if (!take_option(&c, args->given[i].id, args->given[i].value)) {
            status = CLI_USAGE;
        }
    }
    if (status == CLI_YES && (args->operands[0] == NULL || args->operands[1] == NULL || args->operands[2] != NULL)) {
        cli_complain(args->verb, "%s: two recordings are compared; give BEFORE and AFTER",
                     args->operands[0] == NULL ? "BEFORE" : args->operands[1] == NULL ? "AFTER" : args->operands[2]);
        status = CLI_USAGE;
    }
    if (status == CLI_YES) {
        c.paths[0] = args->operands[0];
        c.paths[1] = args->operands[1];
        status = compare(&c);
    }
    for (int side = 0; side < 2; side++) {
        profile_free(c.profiles[side]);
        recording_free(c.recordings[side]);
    }
    for (size_t i = 0; i < c.exceeded_count; i++) {
        free(c.exceeded[i]);
    }
    free(c.exceeded);
    view_free(&c.view);
    free(c.events);
    return status;
}
