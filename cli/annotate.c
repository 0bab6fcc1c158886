/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu annotate: prints functions with what each line and instruction cost. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "profile/annotate.h"

struct annotate_request {
    const char *path;
    const char *function; /* NULL: what costs most */
    const char **events, **prefixes;
    size_t event_count, prefix_count;
};

static bool take_option(struct annotate_view *v, struct annotate_request *request, enum cli_option_id id,
                        const char *value)
{
    switch (id) {
    case CLI_EVENT: request->events[request->event_count++] = value; return true;
    case CLI_INPUT: request->path = value; return true;
    case CLI_SOURCE_PREFIX:
        if (strchr(value, '=') == NULL || value[0] == '=') {
            cli_complain(v->verb, "--source-prefix=%s: no FROM=TO; give the beginning of the paths and its "
                         "replacement", value);
            return false;
        }
        request->prefixes[request->prefix_count++] = value;
        return true;
    default: return view_option(&v->view, v->verb, id, value) > 0;
    }
}

/* Adds the events of @names, or all if it is NULL. */
static bool add_events(struct annotate_view *v, const char *names)
{
    const struct recording *r = profile_recording(v->profile);
    char *copy = names == NULL ? NULL : strdup(names), *rest = copy, *name;
    bool done = true;

    for (uint32_t i = 0; names == NULL && i < r->event_count; i++) {
        v->events[v->event_count++] = i;
    }
    while (done && (name = strsep(&rest, ",")) != NULL) {
        const uint32_t event = view_event(v->verb, r, name);

        done = event != PROFILE_NONE;
        for (size_t i = 0; done && i < v->event_count; i++) {
            if (v->events[i] == event) {
                name = NULL; /* it was named before */
            }
        }
        if (done && name != NULL) {
            v->events[v->event_count++] = event;
        }
    }
    free(copy);
    return done;
}

static bool choose_events(struct annotate_view *v, const struct annotate_request *request)
{
    const struct recording *r = profile_recording(v->profile);

    v->events = cli_allocate(NULL, r->event_count, sizeof *v->events);
    v->sums = cli_allocate(NULL, r->event_count, sizeof *v->sums);
    for (size_t i = 0; i < request->event_count; i++) {
        if (!add_events(v, request->events[i])) {
            return false;
        }
    }
    if (request->event_count == 0) {
        add_events(v, NULL);
    }
    for (size_t i = 0; i < v->event_count; i++) {
        v->sums[i] = recording_sum(r, v->events[i]);
    }
    return true;
}

/* Returns how well @row is what the user asks for: 0, not at all; 1, in part; 2, by its whole name. */
static int match(const struct annotate_view *v, const struct annotate_request *request, const struct profile_row *row)
{
    const struct view_names n = view_names(v->profile, row, PROFILE_BY_FUNCTION);

    if (v->view.file != NULL && !view_matches(n.file, v->view.file)) {
        return 0;
    }
    if (request->function == NULL || strcmp(n.function, request->function) == 0 ||
        strcmp(n.symbol, request->function) == 0) {
        return 2;
    }
    return view_matches(n.function, request->function) ? 1 : 0;
}

/* Prints function @function. */
static bool annotate_one(struct annotate_view *v, uint32_t function, const char **why)
{
    struct annotate_listing listing;
    const bool done = annotate_list(v->profile, function, &listing);

    if (done) {
        annotate_disassemble(v->profile, &listing, 1, why);
        annotate_print(v, &listing);
    }
    annotate_free(&listing);
    return done;
}

/* Prints the functions that the user asks for.  Returns the exit status. */
static int annotate_chosen(struct annotate_view *v, const struct annotate_request *request)
{
    const size_t most = v->view.rows != 0 ? v->view.rows : request->function != NULL ? SIZE_MAX : 1;
    struct profile_table t;
    size_t printed = 0;
    int best = 1;
    const char *why = NULL;
    bool done = profile_table(v->profile, PROFILE_BY_FUNCTION, v->events[0], &t);

    for (size_t i = 0; done && i < t.count; i++) {
        const int how = match(v, request, &t.rows[i]);

        best = how > best ? how : best;
    }
    for (size_t i = 0; done && i < t.count && printed < most; i++) {
        if (match(v, request, &t.rows[i]) == best) {
            fputs(printed > 0 && v->view.format == VIEW_TEXT ? "\n" : "", v->terminal.out);
            done = annotate_one(v, t.rows[i].function, &why);
            printed++;
        }
    }
    profile_table_free(&t);
    if (!done) {
        cli_complain(v->verb, "memory: none is left; end other programs");
        return CLI_CANNOT;
    }
    if (printed == 0) {
        cli_complain(v->verb, "%s: no function with this name was executed; armpmu report lists those that were",
                     request->function != NULL ? request->function : request->path);
        return CLI_NO;
    }
    if (why != NULL) {
        fflush(v->terminal.out);
        cli_complain(v->verb, "objdump: %s", why);
    }
    return CLI_YES;
}

/* Reads the recording and prints.  Returns the exit status. */
static int annotate(struct annotate_view *v, const struct annotate_request *request)
{
    struct recording *r = view_read(&v->view, v->verb, request->path);
    int status = CLI_CANNOT;

    v->profile = r == NULL ? NULL : view_profile(&v->view, v->verb, r);
    v->sources = v->profile == NULL ? NULL : annotate_sources_new(v->profile, request->prefixes);
    if (v->sources != NULL) {
        status = choose_events(v, request) && terminal_open(&v->terminal, v->verb, &v->view.terminal) ? CLI_YES
                                                                                                      : CLI_USAGE;
    }
    if (status == CLI_YES) {
        status = annotate_chosen(v, request);
        status = terminal_close(&v->terminal, v->verb, status);
        view_remarks(v->profile);
    }
    annotate_sources_free(v->sources);
    profile_free(v->profile);
    recording_free(r);
    return status;
}

int cli_annotate(const struct cli_args *args)
{
    struct annotate_view v = {.verb = args->verb};
    struct annotate_request request = {.path = VIEW_FILE, .function = args->operands[0],
                              .events = cli_allocate(NULL, args->given_count + 1, sizeof *request.events),
                              .prefixes = cli_allocate(NULL, args->given_count + 1, sizeof *request.prefixes)};
    int status = CLI_YES;

    for (size_t i = 0; status == CLI_YES && i < args->given_count; i++) {
        if (!take_option(&v, &request, args->given[i].id, args->given[i].value)) {
            status = CLI_USAGE;
        }
    }
    if (status == CLI_YES && args->operands[0] != NULL && args->operands[1] != NULL) {
        cli_complain(args->verb, "%s: one name or pattern is taken; leave it out", args->operands[1]);
        status = CLI_USAGE;
    }
    if (status == CLI_YES) {
        status = annotate(&v, &request);
    }
    free(v.events);
    free(v.sums);
    view_free(&v.view);
    free(request.events);
    free(request.prefixes);
    return status;
}
