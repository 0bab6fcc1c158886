/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a function: its source lines with their costs, then its instructions with theirs, the source beside them. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"

#define NEAR 2         /* lines around one that costs something, which are printed too */
#define LEAST_CODE 34  /* the columns that assembly and source get on a terminal, if need be by leaving out events */

/* A source line of the function, with its costs. */
struct priced_line {
    uint32_t source, line;
    size_t row; /* in counts */
};

struct priced_lines {
    struct priced_line *data;
    uint64_t *counts;
    size_t count;
    uint32_t main; /* the source of the function itself, which is printed first */
};

static size_t events_of(const struct annotate_view *v)
{
    return profile_recording(v->profile)->event_count;
}

static int compare_lines(const void *a, const void *b, void *context)
{
    const uint32_t main = *(const uint32_t *)context;
    const struct priced_line *x = a, *y = b;

    if (x->source != y->source) {
        return x->source == main ? -1 : y->source == main ? 1 : x->source < y->source ? -1 : 1;
    }
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Returns the source in which the function begins: that of its first instruction that was not inlined. */
static uint32_t main_source(const struct annotate_listing *l)
{
    uint32_t source = PROFILE_NONE;

    for (size_t i = 0; i < l->count; i++) {
        if (l->data[i].source != PROFILE_NONE && l->data[i].line != 0) {
            if (l->data[i].inlined == l->function) {
                return l->data[i].source;
            }
            source = source == PROFILE_NONE ? l->data[i].source : source;
        }
    }
    return source;
}

/* Adds up the costs of each line. */
static struct priced_lines price_lines(const struct annotate_view *v, const struct annotate_listing *l)
{
    const size_t events = events_of(v);
    struct priced_lines p = {.main = main_source(l)};
    size_t kept = 0;

    p.data = cli_allocate(NULL, l->count + 1, sizeof *p.data);
    p.counts = cli_allocate(NULL, (l->count + 1) * events, sizeof *p.counts);
    for (size_t i = 0; i < l->count; i++) {
        if (l->data[i].source != PROFILE_NONE && l->data[i].line != 0) {
            p.data[p.count++] = (struct priced_line){l->data[i].source, l->data[i].line, i};
        }
    }
    qsort_r(p.data, p.count, sizeof *p.data, compare_lines, &p.main);
    for (size_t i = 0; i < p.count; i++) {
        const struct priced_line line = p.data[i];

        if (kept == 0 || p.data[kept - 1].source != line.source || p.data[kept - 1].line != line.line) {
            p.data[kept++] = (struct priced_line){line.source, line.line, 0};
        }
        for (size_t e = 0; e < events; e++) {
            p.counts[(kept - 1) * events + e] += l->counts[line.row * events + e];
        }
    }
    for (size_t i = 0; i < kept; i++) {
        p.data[i].row = i;
    }
    p.count = kept;
    return p;
}

/* Returns the width of the count of event @event. */
static int count_width(const struct annotate_view *v, const struct annotate_listing *l, size_t event)
{
    struct cli_number number;

    return (int)strlen(cli_grouped(l->sums[v->events[event]], &number));
}

/* Returns how many events fit, and sets *@used to the columns that they take. */
static size_t events_that_fit(const struct annotate_view *v, const struct annotate_listing *l, size_t *used)
{
    size_t count = 0;

    *used = 0;
    while (count < v->event_count) {
        const size_t more = 10 + (size_t)count_width(v, l, count);

        if (count > 0 && v->terminal.width != 0 && *used + more + LEAST_CODE > v->terminal.width) {
            break;
        }
        *used += more;
        count++;
    }
    return count;
}

/* Prints the costs at @counts of the first @shown events; nothing but blanks if @counts is NULL. */
static void print_costs(const struct annotate_view *v, const struct annotate_listing *l, const uint64_t *counts,
                        size_t shown)
{
    FILE *out = v->terminal.out;
    struct cli_number number;

    for (size_t e = 0; e < shown; e++) {
        const int width = count_width(v, l, e);
        const uint64_t count = counts == NULL ? 0 : counts[v->events[e]];

        if (count == 0) {
            fprintf(out, "%*s  ", 8 + width, "");
        } else {
            view_print_percent(&v->terminal, view_percent(count, l->sums[v->events[e]]));
            fprintf(out, " %*s  ", width, cli_grouped(count, &number));
        }
    }
}

/* Prints @text in what is left of the line. */
static void print_rest(const struct annotate_view *v, const char *text, size_t used)
{
    const size_t left = v->terminal.width > used ? v->terminal.width - used : 4;

    terminal_cell(&v->terminal, text, v->terminal.width == 0 || terminal_length(text) <= left ? 0 : left, false);
    fputc('\n', v->terminal.out);
}

/* Returns the text of a line with blanks in place of its tabs, or NULL.  The caller frees it. */
static char *line_text(const struct annotate_view *v, uint32_t source, uint32_t line)
{
    const char *text = annotate_source_line(v->sources, source, line);
    char *copy = text == NULL ? NULL : strdup(text);

    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        *c = *c == '\t' || *c == '\r' ? ' ' : *c;
    }
    return copy;
}

static void print_source_line(const struct annotate_view *v, const struct annotate_listing *l, const uint64_t *counts,
                              uint32_t source, uint32_t line, size_t shown, size_t used)
{
    char *text = line_text(v, source, line);

    print_costs(v, l, counts, shown);
    terminal_colour(&v->terminal, TERMINAL_FAINT);
    fprintf(v->terminal.out, "%6" PRIu32, line);
    terminal_colour(&v->terminal, TERMINAL_PLAIN);
    fputs("  ", v->terminal.out);
    print_rest(v, text != NULL ? text : "", used + 8);
    free(text);
}

/* Prints the lines of the function, and those near them. */
static void print_source(const struct annotate_view *v, const struct annotate_listing *l, size_t shown, size_t used)
{
    const size_t events = events_of(v);
    struct priced_lines p = price_lines(v, l);
    uint32_t next = 0; /* the line that follows the last one that was printed */

    for (size_t i = 0; i < p.count; i++) {
        const struct priced_line *line = &p.data[i];
        const bool other = i == 0 || p.data[i - 1].source != line->source;
        const bool last = i + 1 == p.count || p.data[i + 1].source != line->source;
        uint32_t from = line->line > NEAR ? line->line - NEAR : 1, to = line->line + NEAR;

        if (other) {
            fputc('\n', v->terminal.out);
            terminal_colour(&v->terminal, TERMINAL_FAINT);
            print_rest(v, profile_source(v->profile, line->source), 0);
            terminal_colour(&v->terminal, TERMINAL_PLAIN);
            next = from;
        }
        if (annotate_source_line(v->sources, line->source, line->line) == NULL) {
            from = to = line->line; /* no source, or the line is beyond its end */
        }
        if (from > next) {
            fprintf(v->terminal.out, "%*s...\n", (int)used + 5, "");
        }
        from = from < next ? next : from;
        to = !last && to >= p.data[i + 1].line ? p.data[i + 1].line - 1 : to;
        for (uint32_t n = from; n <= to; n++) {
            if (n == line->line || annotate_source_line(v->sources, line->source, n) != NULL) {
                print_source_line(v, l, n == line->line ? &p.counts[line->row * events] : NULL, line->source, n,
                                  shown, used);
            }
        }
        next = to + 1;
    }
    free(p.data);
    free(p.counts);
}

/* Returns where an instruction is in the source, "file.c:12  text", or "".  The caller frees it. */
static char *source_beside(const struct annotate_view *v, const struct annotate_instruction *i)
{
    char *text = line_text(v, i->source, i->line), *beside = NULL;
    const char *code = text == NULL ? "" : text + strspn(text, " ");

    if (i->source == PROFILE_NONE || i->line == 0 ||
        asprintf(&beside, "%s:%" PRIu32 "  %s", view_base(profile_source(v->profile, i->source)), i->line, code) < 0) {
        beside = NULL;
    }
    free(text);
    return beside;
}

/* Writes the text of an instruction: its assembly, or its word. */
static const char *code_text(const struct annotate_instruction *i, char *room, size_t size)
{
    if (i->text != NULL) {
        return i->text;
    }
    if (i->length == 0) {
        return "?";
    }
    snprintf(room, size, i->length == 2 ? ".inst.n 0x%04" PRIx32 : ".inst 0x%08" PRIx32, i->word);
    return room;
}

static void print_instructions(const struct annotate_view *v, const struct annotate_listing *l, size_t shown,
                               size_t used)
{
    size_t widest = 0;
    bool beside_too = true; /* there is room for the source */
    char room[32];
    const struct annotate_instruction *before = NULL;

    for (size_t i = 0; i < l->count; i++) {
        const size_t length = terminal_length(code_text(&l->data[i], room, sizeof room));

        widest = length > widest && length <= 44 ? length : widest;
    }
    used += 12;
    if (v->terminal.width != 0 && used + widest + 16 > v->terminal.width) {
        beside_too = v->terminal.width > used + 40;
        widest = beside_too ? (v->terminal.width - used) * 3 / 5 : 0;
    }
    fputc('\n', v->terminal.out);
    for (size_t i = 0; i < l->count; i++) {
        const struct annotate_instruction *code = &l->data[i];
        const char *text = code_text(code, room, sizeof room);
        const bool same = before != NULL && before->source == code->source && before->line == code->line;
        char *beside = same || !beside_too ? NULL : source_beside(v, code);

        print_costs(v, l, &l->counts[i * events_of(v)], shown);
        terminal_colour(&v->terminal, TERMINAL_FAINT);
        fprintf(v->terminal.out, "%10" PRIx64, code->address);
        terminal_colour(&v->terminal, TERMINAL_PLAIN);
        fputs("  ", v->terminal.out);
        if (beside == NULL) {
            print_rest(v, text, used);
        } else {
            const size_t length = terminal_length(text);

            terminal_cell(&v->terminal, text, widest, false);
            fputs("  ", v->terminal.out);
            terminal_colour(&v->terminal, TERMINAL_FAINT);
            print_rest(v, beside, used + 2 + (length > widest && v->terminal.width == 0 ? length : widest));
            terminal_colour(&v->terminal, TERMINAL_PLAIN);
        }
        free(beside);
        before = code;
    }
}

static void print_text(const struct annotate_view *v, const struct annotate_listing *l)
{
    const struct profile_function *f = profile_function(v->profile, l->function);
    const struct recording *r = profile_recording(v->profile);
    size_t used, shown = events_that_fit(v, l, &used);
    struct cli_number number;

    print_rest(v, f->name, 0);
    for (size_t e = 0; e < v->event_count; e++) {
        fputs("# ", v->terminal.out);
        view_print_percent(&v->terminal, view_percent(l->sums[v->events[e]], v->sums[e]));
        fprintf(v->terminal.out, " %s ", cli_grouped(l->sums[v->events[e]], &number));
        terminal_cell(&v->terminal, recording_title(&r->events[v->events[e]]).text, 0, false);
        fputs(e < shown ? "\n" : " (no room here; -e prints it)\n", v->terminal.out);
    }
    if (f->file != PROFILE_NONE) {
        fputs("# ", v->terminal.out);
        print_rest(v, r->files[f->file].path, 2);
    }
    print_source(v, l, shown, used);
    print_instructions(v, l, shown, used);
}

static void print_fields(const struct annotate_view *v, const struct annotate_listing *l, size_t row, size_t event)
{
    const struct annotate_instruction *i = &l->data[row];
    const uint64_t count = l->counts[row * events_of(v) + v->events[event]];
    const char *s = v->view.separator;
    FILE *out = v->terminal.out;

    view_print_name(&v->view, out, recording_title(&profile_recording(v->profile)->events[v->events[event]]).text);
    fprintf(out, "%s%" PRIu64 "%s%.4f%s0x%" PRIx64 "%s", s, count, s, view_percent(count, l->sums[v->events[event]]), s,
            i->address, s);
    if (i->length != 0) {
        fprintf(out, "0x%0*" PRIx32, 2 * i->length, i->word);
    }
    fputs(s, out);
    view_print_name(&v->view, out, i->text != NULL ? i->text : "");
    fputs(s, out);
    view_print_name(&v->view, out, i->source != PROFILE_NONE ? profile_source(v->profile, i->source) : "");
    fputs(s, out);
    if (i->line != 0) {
        fprintf(out, "%" PRIu32, i->line);
    }
    fputs(s, out);
    view_print_name(&v->view, out, profile_function(v->profile, l->function)->name);
    fputc('\n', out);
}

static void print_json(const struct annotate_view *v, const struct annotate_listing *l, size_t row)
{
    const struct annotate_instruction *i = &l->data[row];
    const struct recording *r = profile_recording(v->profile);
    json_t *object = json_object(), *events = json_object();
    char number[24];

    json_object_set_new(object, "function", view_json_text(profile_function(v->profile, l->function)->name));
    snprintf(number, sizeof number, "0x%" PRIx64, i->address);
    json_object_set_new(object, "address", json_string(number));
    if (i->length != 0) {
        snprintf(number, sizeof number, "0x%0*" PRIx32, 2 * i->length, i->word);
        json_object_set_new(object, "word", json_string(number));
    }
    if (i->text != NULL) {
        json_object_set_new(object, "instruction", view_json_text(i->text));
    }
    if (i->source != PROFILE_NONE) {
        json_object_set_new(object, "source", view_json_text(profile_source(v->profile, i->source)));
    }
    if (i->line != 0) {
        json_object_set_new(object, "line", json_integer(i->line));
    }
    for (size_t e = 0; e < v->event_count; e++) {
        json_object_set_new(events, r->events[v->events[e]].name,
                            view_json_count(l->counts[row * r->event_count + v->events[e]]));
    }
    json_object_set_new(object, "events", events);
    view_json_marks(object, r, v->events, v->event_count);
    json_dumpf(object, v->terminal.out, JSON_PRESERVE_ORDER);
    fputc('\n', v->terminal.out);
    json_decref(object);
}

void annotate_print(const struct annotate_view *v, const struct annotate_listing *l)
{
    if (v->view.format == VIEW_TEXT) {
        print_text(v, l);
        return;
    }
    for (size_t i = 0; i < l->count; i++) {
        if (v->view.format == VIEW_JSON) {
            print_json(v, l, i);
            continue;
        }
        for (size_t e = 0; e < v->event_count; e++) {
            print_fields(v, l, i, e);
        }
    }
}
