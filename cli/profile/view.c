/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that report, annotate and diff share, and how they open a recording. */
#define _GNU_SOURCE
#include "view.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int view_option(struct view_options *v, const struct cli_verb *verb, enum cli_option_id id, const char *value)
{
    char *end;

    switch (id) {
    case CLI_SYSROOT: v->profile.sysroot = value; return 1;
    case CLI_DEBUG:
        v->debug = cli_allocate(v->debug, v->debug_count + 2, sizeof *v->debug);
        v->debug[v->debug_count++] = value;
        v->debug[v->debug_count] = NULL;
        v->profile.debug = v->debug;
        return 1;
    case CLI_MANGLED: v->profile.keep_mangled = true; return 1;
    case CLI_COLOUR: v->terminal.colour = value; return 1;
    case CLI_NO_PAGER: v->terminal.no_pager = true; return 1;
    case CLI_FUNCTION: v->function = value; return 1;
    case CLI_FILE: v->file = value; return 1;
    case CLI_TID: v->thread = value; return 1;
    case CLI_JSON: v->format = VIEW_JSON; return 1;
    case CLI_SEPARATOR:
        v->format = VIEW_FIELDS;
        v->separator = strcmp(value, "\\t") == 0 ? "\t" : value;
        return 1;
    case CLI_ROWS:
        v->rows = strtoul(value, &end, 10);
        if (value[0] < '0' || value[0] > '9' || *end != '\0' || v->rows == 0) {
            cli_complain(verb, "--rows=%s: no number of rows; give 1 or more", value);
            return -1;
        }
        return 1;
    default: return 0;
    }
}

void view_free(struct view_options *v)
{
    free(v->debug);
}

/* Leaves out of @r what threads did that @keep does not have. */
static void keep_threads(struct recording *r, const bool *keep)
{
    uint32_t *moved = cli_allocate(NULL, r->node_count + 1, sizeof *moved); /* the new index of each node */
    const size_t events = r->event_count;
    size_t kept = 0;

    for (size_t i = 0; i < r->code_count; i++) {
        if (keep[r->code[i].thread]) {
            memmove(&r->code_counts[kept * events], &r->code_counts[i * events], events * sizeof *r->code_counts);
            r->code[kept++] = r->code[i];
        }
    }
    r->code_count = kept;
    kept = 0;
    for (size_t i = 0; i < r->node_count; i++) {
        if (keep[r->nodes[i].thread]) { /* so is its parent, which is of the same thread */
            memmove(&r->node_counts[kept * events], &r->node_counts[i * events], events * sizeof *r->node_counts);
            r->nodes[kept] = r->nodes[i];
            if (r->nodes[kept].parent != RECORDING_NONE) {
                r->nodes[kept].parent = moved[r->nodes[kept].parent];
            }
            moved[i] = (uint32_t)kept++;
        }
    }
    r->node_count = kept;
    kept = 0;
    for (size_t i = 0; i < r->sample_count; i++) {
        if (keep[r->samples[i].thread]) {
            r->samples[kept] = r->samples[i];
            if (r->samples[kept].node != RECORDING_NONE) {
                r->samples[kept].node = moved[r->samples[kept].node];
            }
            kept++;
        }
    }
    r->sample_count = kept;
    free(moved);
}

static const char *thread_name(const struct recording *r, uint32_t thread)
{
    const struct recording_thread *t = &r->threads[thread];

    return t->name[0] != '\0' ? t->name : r->images[t->image].name;
}

/* Leaves out the threads that @pattern, a name or a number, does not choose.  Returns false after a complaint: all. */
static bool choose_threads(struct recording *r, const struct cli_verb *verb, const char *pattern)
{
    bool *keep = cli_allocate(NULL, r->thread_count + 1, sizeof *keep);
    bool any = false;

    for (uint32_t i = 0; i < r->thread_count; i++) {
        char number[16];

        snprintf(number, sizeof number, "%" PRId32, r->threads[i].tid);
        keep[i] = strcmp(number, pattern) == 0 || view_matches(thread_name(r, i), pattern);
        any |= keep[i];
    }
    if (any) {
        keep_threads(r, keep);
    } else {
        cli_complain(verb, "--thread=%s: the recording has no such thread; armpmu report --by=thread lists them",
                     pattern);
    }
    free(keep);
    return any;
}

struct recording *view_read(const struct view_options *v, const struct cli_verb *verb, const char *path)
{
    struct recording_refusal no;
    struct recording *r = recording_read(path, &no);

    if (r == NULL) {
        cli_complain(verb, "%s", no.text);
    } else if (v->thread != NULL && !choose_threads(r, verb, v->thread)) {
        recording_free(r);
        return NULL;
    }
    return r;
}

struct profile *view_profile(const struct view_options *v, const struct cli_verb *verb, const struct recording *r)
{
    struct profile *p = profile_new(r, &v->profile);

    if (p == NULL) {
        cli_complain(verb, "memory: none is left to read the symbols; end other programs");
    }
    return p;
}

/* Prints the lines of @text, each after "remark: ". */
static void print_lines(const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");

        fputs("remark: ", stderr);
        cli_print(stderr, text, length);
        fputc('\n', stderr);
        text += length + (text[length] == '\n');
    }
}

void view_remarks(const struct profile *p)
{
    const struct recording *r = profile_recording(p);

    fflush(stdout);
    print_lines(r->remarks);
    if (!r->complete) {
        print_lines("the recording ends before the program did: what is shown is the state at that time");
    }
    print_lines(profile_remarks(p));
}

uint32_t view_event(const struct cli_verb *verb, const struct recording *r, const char *name)
{
    char *names = NULL;
    size_t size;
    FILE *list;

    for (uint32_t i = 0; i < r->event_count; i++) {
        if (strcasecmp(r->events[i].name, name) == 0) {
            return i;
        }
    }
    list = open_memstream(&names, &size);
    for (size_t i = 0; list != NULL && i < r->event_count && i < 16; i++) {
        fprintf(list, "%s%s", i == 0 ? "" : ", ", r->events[i].name);
    }
    if (list != NULL) {
        fclose(list);
    }
    cli_complain(verb, "%s: the recording does not have this event; it has %s", name, names != NULL ? names : "others");
    free(names);
    return PROFILE_NONE;
}

static const char *const key_names[] = {
    [PROFILE_BY_FUNCTION] = "function", [PROFILE_BY_INLINED] = "inlined", [PROFILE_BY_LINE] = "line",
    [PROFILE_BY_ADDRESS] = "address", [PROFILE_BY_FILE] = "file", [PROFILE_BY_THREAD] = "thread",
    [PROFILE_BY_IMAGE] = "process",
};

int view_key(const char *name)
{
    for (size_t i = 0; i < sizeof key_names / sizeof key_names[0]; i++) {
        if (strcmp(key_names[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *view_key_name(enum profile_key key)
{
    return key_names[key];
}

bool view_matches(const char *name, const char *pattern)
{
    return strpbrk(pattern, "*?[") != NULL ? fnmatch(pattern, name, 0) == 0 || strcmp(name, pattern) == 0
                                           : strstr(name, pattern) != NULL;
}

void view_json_marks(json_t *object, const struct recording *r, const uint32_t *events, size_t count)
{
    json_t *marks = json_object();

    for (size_t i = 0; i < count; i++) {
        const struct recording_event *e = &r->events[events[i]];

        if (e->mark[0] != '\0') {
            json_object_set_new(marks, e->name, view_json_text(e->mark));
        }
    }
    if (json_object_size(marks) != 0) {
        json_object_set(object, "marks", marks);
    }
    json_decref(marks);
}

const char *view_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

struct view_names view_names(const struct profile *p, const struct profile_row *row, enum profile_key key)
{
    const struct recording *r = profile_recording(p);
    struct view_names n = {.function = "", .symbol = "", .file = "", .source = "", .thread = "", .process = ""};

    if (row->function != PROFILE_NONE) {
        n.function = profile_function(p, row->function)->name;
        n.symbol = profile_function(p, row->function)->symbol;
    }
    if (row->file != PROFILE_NONE) {
        n.file = r->files[row->file].path;
    } else if (key != PROFILE_BY_THREAD && key != PROFILE_BY_IMAGE && key != PROFILE_BY_LINE) {
        n.file = "[unknown]";
    }
    if (row->source != PROFILE_NONE) {
        n.source = profile_source(p, row->source);
        n.line = row->line;
    }
    n.has_offset = key == PROFILE_BY_ADDRESS;
    n.offset = row->offset;
    if (row->thread != PROFILE_NONE) {
        n.thread = thread_name(r, row->thread);
        n.tid = r->threads[row->thread].tid;
    }
    if (row->image != PROFILE_NONE) {
        n.process = r->images[row->image].name;
        n.pid = r->images[row->image].pid;
    }
    return n;
}

double view_percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

enum terminal_colour view_colour(double percent)
{
    return percent >= 5 ? TERMINAL_HOT : percent >= 0.5 ? TERMINAL_WARM : TERMINAL_FAINT;
}

void view_print_percent(const struct terminal *t, double percent)
{
    terminal_colour(t, view_colour(percent));
    fprintf(t->out, "%6.2f%%", percent);
    terminal_colour(t, TERMINAL_PLAIN);
}
