/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu report: says where the events of a recording happened. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "profile/page.h"
#include "profile/report.h"
#include "profile/to.h"
#include "profile/to_page.h"

/* What the options say before the recording is read. */
struct report_request {
    const char **events; /* names, with commas */
    size_t event_count;
    const char *sort;
    const char *output;           /* of --to; NULL: none was named */
    const struct to_format *to;   /* NULL: the report is printed */
    bool list_formats;
    const char *page;    /* the file for --html; NULL: no page is written */
    const char *other;   /* the recording that the page compares; NULL: none */
};

/* Takes the option @id.  Returns false after a complaint. */
static bool take_option(struct report_view *report, struct report_request *request, enum cli_option_id id,
                        const char *value)
{
    char *end;
    int key;

    switch (id) {
    case CLI_EVENT: request->events[request->event_count++] = value; return true;
    case CLI_BY:
        key = view_key(value);
        if (key < 0) {
            cli_complain(report->verb, "--by=%s: no such kind of row; give function, inlined, line, address, file, "
                         "thread or process", value);
            return false;
        }
        report->key = (enum profile_key)key;
        return true;
    case CLI_CHILDREN: report->children = true; return true;
    case CLI_CALL_GRAPH: report->tree = true; return true;
    case CLI_SORT: request->sort = value; return true;
    case CLI_OUTPUT: request->output = value; return true;
    case CLI_HTML: request->page = value; return true;
    case CLI_TO:
        request->list_formats = strcmp(value, "help") == 0;
        request->to = to_format(value);
        if (request->to == NULL && !request->list_formats) {
            cli_complain(report->verb, "--to=%s: no such format; --to=help lists them", value);
            return false;
        }
        return true;
    case CLI_MIN:
        report->least = strtod(value, &end);
        if (end == value || *end != '\0' || !(report->least >= 0) || report->least > 100) {
            cli_complain(report->verb, "--min=%s: no percentage; give 0 to 100", value);
            return false;
        }
        return true;
    default: return view_option(&report->view, report->verb, id, value) > 0;
    }
}

/* Adds event @event to the report, once. */
static void add_event(struct report_view *report, uint32_t event)
{
    for (size_t i = 0; i < report->event_count; i++) {
        if (report->events[i] == event) {
            return;
        }
    }
    report->events[report->event_count] = event;
    report->sums[report->event_count++] = recording_sum(profile_recording(report->profile), event);
}

/* Fills the events that are printed: those of -e, or all. */
static bool choose_events(struct report_view *report, const struct report_request *request)
{
    const struct recording *r = profile_recording(report->profile);

    report->events = cli_allocate(NULL, r->event_count, sizeof *report->events);
    report->sums = cli_allocate(NULL, r->event_count, sizeof *report->sums);
    for (size_t i = 0; i < request->event_count; i++) {
        char *copy = strdup(request->events[i]), *rest = copy, *name;

        while ((name = strsep(&rest, ",")) != NULL) {
            const uint32_t event = view_event(report->verb, r, name);

            if (event == PROFILE_NONE) {
                free(copy);
                return false;
            }
            add_event(report, event);
        }
        free(copy);
    }
    for (uint32_t i = 0; request->event_count == 0 && i < r->event_count; i++) {
        add_event(report, i);
    }
    return true;
}

static bool choose_sort(struct report_view *report, const char *sort)
{
    static const char *const names[] = {
        [REPORT_SORT_SELF] = "self", [REPORT_SORT_TOTAL] = "total", [REPORT_SORT_NAME] = "name"};

    report->sort = report->children ? REPORT_SORT_TOTAL : REPORT_SORT_SELF;
    for (size_t i = 0; sort != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(sort, names[i]) == 0) {
            report->sort = (enum report_sort)i;
            return true;
        }
    }
    if (sort != NULL) {
        cli_complain(report->verb, "--sort=%s: no such order; give self, total or name", sort);
    }
    return sort == NULL;
}

/* Complains if the recording lacks the call graph that the options need. */
static bool has_calls(const struct report_view *report, const struct recording *r)
{
    if ((report->tree || report->children) && !r->call_graph) {
        cli_complain(report->verb, "%s: the recording has no call graph; record it with armpmu record --call-graph",
                     report->path);
        return false;
    }
    return true;
}

/* Writes the profile for another tool.  Returns the exit status. */
static int write_format(const struct report_view *report, const struct report_request *request)
{
    const struct to_options options = {.events = report->events, .event_count = report->event_count};
    struct recording_refusal no;

    view_remarks(report->profile);
    if (!to_write(request->to, report->profile, &options, request->output != NULL ? request->output : "-", &no)) {
        cli_complain(report->verb, "%s", no.text);
        return CLI_CANNOT;
    }
    return CLI_YES;
}

/* Prints the report of @r.  Returns the exit status. */
static int print_report(struct report_view *report, const struct report_request *request, const struct recording *r)
{
    int status = CLI_CANNOT;

    /* Line tables take time, so they are read where something is printed of them. */
    report->view.profile.no_lines = !report->tree && (report->key == PROFILE_BY_FUNCTION ||
        report->key == PROFILE_BY_FILE || report->key == PROFILE_BY_THREAD || report->key == PROFILE_BY_IMAGE) &&
        report->view.file == NULL && request->to == NULL;
    report->profile = view_profile(&report->view, report->verb, r);
    if (report->profile == NULL) {
        return CLI_CANNOT;
    }
    if (!choose_events(report, request)) {
        status = CLI_USAGE;
    } else if (request->to != NULL) {
        status = write_format(report, request);
    } else if (terminal_open(&report->terminal, report->verb, &report->view.terminal)) {
        const bool done = report->tree ? report_tree(report) : report_table(report);

        status = terminal_close(&report->terminal, report->verb, CLI_YES);
        view_remarks(report->profile);
        if (!done) {
            cli_complain(report->verb, "memory: none is left; end other programs");
            status = CLI_CANNOT;
        }
    } else {
        status = CLI_USAGE;
    }
    free(report->events);
    free(report->sums);
    profile_free(report->profile);
    return status;
}

/* Writes the page of the recordings @paths, of which there are @count.  Returns the exit status. */
static int write_page(struct report_view *report, const struct report_request *request, const char *const paths[],
                      size_t count)
{
    struct recording *r[2] = {NULL, NULL};
    struct profile *p[2] = {NULL, NULL};
    struct recording_refusal no;
    int status = CLI_YES;
    json_t *data;

    if (!page_is_built(&no)) {
        cli_complain(report->verb, "%s", no.text);
        return CLI_CANNOT;
    }
    for (size_t i = 0; i < count && status == CLI_YES; i++) {
        r[i] = view_read(&report->view, report->verb, paths[i]);
        p[i] = r[i] != NULL ? view_profile(&report->view, report->verb, r[i]) : NULL;
        status = p[i] != NULL ? CLI_YES : CLI_CANNOT;
    }
    if (status == CLI_YES) {
        data = to_page(p, paths, count);
        if (data == NULL) {
            cli_complain(report->verb, "memory: none is left; end other programs");
            status = CLI_CANNOT;
        } else if (!page_write(request->page, r[0]->command, data, &no)) {
            cli_complain(report->verb, "%s", no.text);
            status = CLI_CANNOT;
        }
        json_decref(data);
    }
    for (size_t i = 0; i < count; i++) {
        profile_free(p[i]);
        recording_free(r[i]);
    }
    return status;
}

/* Reads the recording and prints its report.  Returns the exit status. */
static int read_and_print(struct report_view *report, const struct report_request *request)
{
    if (request->page != NULL) {
        const char *const paths[] = {report->path, request->other};

        return write_page(report, request, paths, request->other != NULL ? 2 : 1);
    }
    struct recording *r = view_read(&report->view, report->verb, report->path);
    int status = CLI_CANNOT;

    if (r != NULL && has_calls(report, r)) {
        status = print_report(report, request, r);
    }
    recording_free(r);
    return status;
}

int cli_report(const struct cli_args *args)
{
    struct report_view report = {.verb = args->verb, .path = VIEW_FILE, .least = 0.5};
    struct report_request request = {.events = cli_allocate(NULL, args->given_count + 1, sizeof *request.events)};
    int status = CLI_YES;

    for (size_t i = 0; status == CLI_YES && i < args->given_count; i++) {
        if (!take_option(&report, &request, args->given[i].id, args->given[i].value)) {
            status = CLI_USAGE;
        }
    }
    if (status == CLI_YES && args->operands[0] != NULL) {
        report.path = args->operands[0];
        request.other = args->operands[1];
        const char *more = request.other == NULL ? NULL : request.page != NULL ? args->operands[2] : request.other;

        if (more != NULL) {
            cli_complain(args->verb, "%s: armpmu report reads one recording, or two for --html; leave it out", more);
            status = CLI_USAGE;
        }
    }
    if (status == CLI_YES && !choose_sort(&report, request.sort)) {
        status = CLI_USAGE;
    }
    if (status == CLI_YES && request.output != NULL && request.to == NULL && !request.list_formats) {
        cli_complain(args->verb, "-o belongs to --to; to print the report to a file, redirect stdout");
        status = CLI_USAGE;
    }
    if (status == CLI_YES && request.list_formats) {
        to_print_formats(stdout);
    } else if (status == CLI_YES) {
        status = read_and_print(&report, &request);
    }
    view_free(&report.view);
    free(request.events);
    return status;
}
