/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu coverage`: has tests run by stat or run, and says which events they reach (cli/coverage/). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <armpmu/events.h>

#include "count/core.h"
#include "count/engine.h"
#include "coverage/document.h"
#include "jobs.h"
#include "profile/page.h"
#include "profile/terminal.h"

#define WIDTH  100u        /* of a line that goes to no terminal */
#define ENGINE "qemu-user" /* which counts programs */

struct coverage_run {
    const struct cli_args *args;
    const char *intents_path, *baseline_path, *save, *html, *core, *core_file, *minus;
    double tolerance; /* a part: 0.01 is 1 % */
    bool images, json, verbose, summary;
    struct coverage_table table;
    struct intents intents;
    struct coverage_saved baseline;
};

/* ---------------------------------------------------------------------------------------------------------------
 * The command line.
 */

static int parse_number(const struct cli_verb *verb, const char *option, const char *text, double most, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    end += *end == '%' && most <= 100 ? 1 : 0;
    if (text[0] < '0' || text[0] > '9' || strpbrk(text, "xXpP") != NULL || *end != '\0' || errno != 0 ||
        *value > most) {
        cli_complain(verb, "--%s: %s is no such number; give %s", option, text,
                     most <= 100 ? "per cent, 0 to 100" : "a number from 0 on, such as 1000");
        return CLI_USAGE;
    }
    return CLI_YES;
}

static int parse_options(struct coverage_run *c)
{
    const struct cli_verb *verb = c->args->verb;
    int status = CLI_YES;

    c->table.reached = 1;
    c->tolerance = 1;
    for (size_t i = 0; i < c->args->given_count && status == CLI_YES; i++) {
        const char *value = c->args->given[i].value;

        switch (c->args->given[i].id) {
        case CLI_IMAGES: c->images = true; break;
        case CLI_CORE: c->core = value; break;
        case CLI_CORE_FILE: c->core_file = value; break;
        case CLI_INTENTS: c->intents_path = value; break;
        case CLI_BASELINE: c->baseline_path = value; break;
        case CLI_MINUS: c->minus = value; break;
        case CLI_SAVE: c->save = value; break;
        case CLI_HTML: c->html = value; break;
        case CLI_JSON: c->json = true; break;
        case CLI_SUMMARY: c->summary = true; break;
        case CLI_VERBOSE: c->verbose = true; break;
        case CLI_REACHED: status = parse_number(verb, "reached", value, 1e18, &c->table.reached); break;
        case CLI_TOLERANCE: status = parse_number(verb, "tolerance", value, 100, &c->tolerance); break;
        default: break;
        }
    }
    c->tolerance /= 100;
    if (status == CLI_YES && c->table.reached <= 0) {
        cli_complain(verb, "--reached: 0 is reached by every test; give 1 or more");
        status = CLI_USAGE;
    }
    return status;
}

/* Returns whether option @id was given. */
static bool is_given(const struct coverage_run *c, enum cli_option_id id)
{
    for (size_t i = 0; i < c->args->given_count; i++) {
        if (c->args->given[i].id == id) {
            return true;
        }
    }
    return false;
}

/* Returns CLI_YES, or CLI_USAGE after a complaint if an option says how tests are run, which are none. */
static int check_no_run(const struct coverage_run *c)
{
    static const enum cli_option_id of_runs[] = {
        CLI_CORE, CLI_CORE_FILE, CLI_DETERMINISTIC, CLI_EVENT, CLI_IMAGES, CLI_JOB_PART, CLI_LOGS, CLI_OUTPUT,
        CLI_PARALLEL, CLI_RESUME, CLI_SYSROOT,
    };

    for (size_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++) {
        if (is_given(c, of_runs[i])) {
            cli_complain(c->args->verb, "--%s: no test is run, because there are only results; leave it out",
                         cli_option_name(c->args->verb, of_runs[i]));
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

/* Returns CLI_YES, or CLI_USAGE after a complaint if an option stands behind a program. */
static int check_operands(const struct coverage_run *c)
{
    for (char **operand = c->args->operands; *operand != NULL; operand++) {
        if (strncmp(*operand, "--", 2) == 0 && access(*operand, F_OK) != 0) {
            cli_complain(c->args->verb, "%s: it stands behind a program, where a name is a program's; give options "
                                        "before programs", *operand);
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

/* Returns CLI_YES if the options agree with each other, or CLI_USAGE after a complaint. */
static int check_options(const struct coverage_run *c)
{
    const bool runs = c->args->operands[0] != NULL || jobs_wanted(c->args);
    const struct {
        bool wrong;
        const char *complaint;
    } rules[] = {
        {!runs && !is_given(c, CLI_INPUT), "there are no tests; give programs, --jobs FILE, or -i FILE with results"},
        {c->images && is_given(c, CLI_EVENT),
         "--images, --event: an image programs its counters itself; leave out --event"},
        {c->images && is_given(c, CLI_DETERMINISTIC),
         "--images, --deterministic: a run of an image is always so; leave out --deterministic"},
        {c->images && is_given(c, CLI_SYSROOT), "--images, --sysroot: an image has no libraries; leave out --sysroot"},
        {c->core != NULL && c->core_file != NULL, "--core, --core-file: both choose a core; give one of them"},
        {is_given(c, CLI_TOLERANCE) && c->baseline_path == NULL,
         "--tolerance: there is no baseline to compare with; give --baseline FILE too"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].wrong) {
            cli_complain(c->args->verb, "%s", rules[i].complaint);
            return CLI_USAGE;
        }
    }
    if (!runs) {
        return check_no_run(c);
    }
    return jobs_wanted(c->args) ? jobs_check_operands(c->args) : check_operands(c);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Running tests.
 */

/* Adds to @s each event that the emulator counts exactly, and those of the modelled core. */
static int add_default_events(struct selection *s, const struct cli_verb *verb, const struct engine *engine)
{
    int status = CLI_YES;

    for (unsigned number = 0; number <= UINT16_MAX && status == CLI_YES; number++) {
        const size_t before = s->count;
        const char *name = engine->supports(s, (uint16_t)number) ? core_event_name(s->core, (uint16_t)number)
                                                                         : NULL;

        if (name == NULL) {
            continue;
        }
        status = select_events(s, verb, engine, name);
        if (status == CLI_YES && s->count > before) {
            const struct event_choice *added = &s->events[before];

            if (strcmp(added->trust, "exact") != 0 && (s->core == NULL || strcmp(added->mark, s->core_mark) != 0)) {
                s->count = before; /* counted at retirement, or one for each instruction */
            }
        }
    }
    return status;
}

/* Adds the events of @formula to @s. */
static int add_needed(struct selection *s, const struct cli_verb *verb, const struct engine *engine,
                      const struct apmu_formula *formula)
{
    int status = CLI_YES;

    for (size_t i = 0; i < formula->event_count && status == CLI_YES; i++) {
        status = select_needed(s, verb, engine, formula->events[i].name, 0);
    }
    return status;
}

/* Fills @s with the events to count. */
static int choose_events(const struct coverage_run *c, struct selection *s, struct apmu_core_row *row)
{
    const struct engine *engine = engine_find(ENGINE);
    const struct cli_verb *verb = c->args->verb;
    int status = CLI_YES;

    if (c->core != NULL || c->core_file != NULL) {
        status = core_choose(verb, c->core != NULL ? c->core : c->core_file, c->core == NULL, s, row);
    }
    for (size_t i = 0; i < c->args->given_count && status == CLI_YES; i++) {
        if (c->args->given[i].id == CLI_EVENT) {
            status = select_events(s, verb, engine, c->args->given[i].value);
        }
    }
    if (status == CLI_YES && !is_given(c, CLI_EVENT)) {
        status = add_default_events(s, verb, engine);
    }
    for (size_t i = 0; i < c->intents.count && status == CLI_YES; i++) {
        status = add_needed(s, verb, engine, &c->intents.list[i].left);
        status = status == CLI_YES ? add_needed(s, verb, engine, &c->intents.list[i].right) : status;
    }
    return status;
}

/* Fills @way with the options that all tests share. */
static int share_options(const struct coverage_run *c, struct jobs_way *way)
{
    struct selection s = {.events = NULL};
    struct apmu_core_row row = {.size = sizeof row};
    int status = c->images ? CLI_YES : choose_events(c, &s, &row);
    size_t size = 1;
    char *list;

    for (size_t i = 0; i < s.count; i++) {
        size += strlen(s.events[i].name) + 1;
    }
    list = cli_allocate(NULL, size, 1);
    for (size_t i = 0, used = 0; i < s.count; i++) {
        used += (size_t)snprintf(list + used, size - used, "%s%s", i == 0 ? "" : ",", s.events[i].name);
    }
    if (!c->images) {
        jobs_way_add(way, "engine", ENGINE);
        jobs_way_add(way, "event", list);
    }
    for (size_t i = 0; i < c->args->given_count; i++) {
        const enum cli_option_id id = c->args->given[i].id;

        if (id == CLI_CORE || id == CLI_CORE_FILE || id == CLI_DETERMINISTIC || id == CLI_SYSROOT) {
            jobs_way_add(way, cli_option_name(c->args->verb, id), c->args->given[i].value);
        }
    }
    free(list);
    select_free(&s);
    return status;
}

/* Runs the tests of the command line, if there are any, and adds them to the table. */
static int run_tests(struct coverage_run *c)
{
    struct jobs_way way = {.verb = c->images ? "run" : "stat", .quiet = true};
    struct job_list list = {.text = NULL};
    const bool jobs = jobs_wanted(c->args);
    int status = CLI_YES;

    if (!jobs && c->args->operands[0] == NULL) {
        return CLI_YES;
    }
    if (!jobs) {
        status = jobs_of_programs(&list, c->args->verb, c->args->operands, c->images ? NULL : "--");
    }
    status = status == CLI_YES ? share_options(c, &way) : status;
    if (status == CLI_YES) {
        status = jobs_do(c->args, &way, &list);
        status = status == CLI_NO ? CLI_YES : status; /* the table says which tests failed */
    }
    for (size_t i = 0; i < list.count && status == CLI_YES; i++) {
        const char *wrong = coverage_add_row(&c->table, list.jobs[i].row);

        if (wrong != NULL) {
            cli_complain(c->args->verb, "%s: %s", list.jobs[i].name, wrong);
            status = CLI_CANNOT;
        }
    }
    jobs_way_free(&way);
    jobs_free(&list);
    return status;
}

/* Adds all tests to the table. */
static int gather(struct coverage_run *c)
{
    const struct cli_verb *verb = c->args->verb;
    const char *twin;
    int status = CLI_YES;

    for (size_t i = 0; i < c->args->given_count && status == CLI_YES; i++) {
        if (c->args->given[i].id == CLI_INPUT) {
            status = coverage_read_rows(&c->table, verb, c->args->given[i].value);
        }
    }
    status = status == CLI_YES ? run_tests(c) : status;
    if (status != CLI_YES) {
        return status;
    }
    twin = coverage_sort(&c->table);
    if (twin != NULL) {
        cli_complain(verb, "%s: two tests have this name; give them different names, or leave one out", twin);
        return CLI_CANNOT;
    }
    if (c->minus != NULL) {
        const char *wrong = coverage_subtract(&c->table, c->minus);

        if (wrong != NULL) {
            cli_complain(verb, "--minus %s: %s", c->minus, wrong);
            return CLI_CANNOT;
        }
    }
    if (c->table.test_count == 0) {
        cli_complain(verb, "there are no tests in what was given; give a list or results that have some");
        return CLI_CANNOT;
    }
    coverage_add_up(&c->table);
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The results.
 */

/* Writes @document to --save, whole or not at all. */
static int save(const struct coverage_run *c, const json_t *document)
{
    char *new = NULL;
    FILE *file = asprintf(&new, "%s.new", c->save) < 0 ? NULL : fopen(new, "we");
    bool ok = file != NULL && json_dumpf(document, file, JSON_COMPACT) == 0 && fputc('\n', file) != EOF;

    ok = (file == NULL || fclose(file) == 0) && ok;
    ok = ok && rename(new, c->save) == 0;
    if (!ok) {
        cli_complain(c->args->verb, "%s: cannot be written: %s; choose another file for --save", c->save,
                     strerror(errno));
        if (new != NULL) {
            unlink(new);
        }
    }
    free(new);
    return ok ? CLI_YES : CLI_CANNOT;
}

/* Writes the page with @document. */
static int write_page(const struct coverage_run *c, json_t *document)
{
    struct recording_refusal no;
    json_t *data = json_pack("{s:i, s:s, s:O}", "format", PAGE_FORMAT, "kind", "coverage", "coverage", document);
    const bool ok = page_write(c->html, "armpmu coverage", data, &no);

    if (!ok) {
        cli_complain(c->args->verb, "%s", no.text);
    }
    json_decref(data);
    return ok ? CLI_YES : CLI_CANNOT;
}

/* Prints the results, and writes the files that are asked for. */
static int show(const struct coverage_run *c, const struct coverage_results *r)
{
    json_t *document = c->json || c->save != NULL || c->html != NULL ? coverage_document(r) : NULL;
    struct terminal terminal;
    int status = CLI_YES;

    if (c->json) {
        json_dumpf(document, stdout, JSON_COMPACT);
        fputc('\n', stdout);
    } else if (c->html == NULL || strcmp(c->html, "-") != 0) {
        terminal_open(&terminal, c->args->verb, &(struct terminal_choice){.no_pager = true});
        coverage_print(stdout, r,
                       &(struct coverage_look){.width = terminal.width == 0 ? WIDTH : terminal.width,
                                               .verbose = c->verbose, .summary = c->summary});
    }
    status = cli_flush(c->args->verb, stdout, "stdout", status);
    if (c->save != NULL && save(c, document) != CLI_YES) {
        status = CLI_CANNOT;
    }
    if (c->html != NULL && write_page(c, document) != CLI_YES) {
        status = CLI_CANNOT;
    }
    json_decref(document);
    return status;
}

/* Judges, ranks and compares the tests, and shows the results. */
static int conclude(struct coverage_run *c)
{
    struct coverage_rank rank;
    struct coverage_changes changes = {.list = NULL};
    struct coverage_results r = {.table = &c->table, .rank = &rank, .intents = &c->intents};
    int status = intents_judge(&c->intents, c->args->verb, &c->table);
    bool failed = c->intents.tally[INTENT_MET] < c->intents.verdict_count;

    if (status != CLI_YES) {
        return status;
    }
    for (size_t i = 0; i < c->table.test_count; i++) {
        failed = failed || c->table.tests[i].cause[0] != '\0';
    }
    coverage_rank(&rank, &c->table);
    if (c->baseline_path != NULL) {
        changes_find(&changes, &c->baseline, &c->table, &c->intents, c->tolerance);
        failed = failed || changes_losses(&changes) > 0;
        r.changes = &changes;
        r.baseline = c->baseline_path;
    }
    status = show(c, &r);
    if (status == CLI_YES) {
        status = changes.apart ? CLI_CANNOT : failed ? CLI_NO : CLI_YES;
    }
    changes_free(&changes);
    coverage_rank_free(&rank);
    return status;
}

/* Returns CLI_YES, or CLI_USAGE after a complaint if another test was subtracted from the counts of the baseline. */
static int check_minus(const struct coverage_run *c)
{
    const char *now = c->minus, *before = c->baseline.table.minus;

    if (now != NULL && before == NULL) {
        cli_complain(c->args->verb, "--minus %s: nothing was subtracted from the counts of %s; leave --minus out, or "
                                    "make the file anew with it", now, c->baseline_path);
        return CLI_USAGE;
    }
    if (before != NULL && (now == NULL || strcmp(now, before) != 0)) {
        cli_complain(c->args->verb, "%s: the counts of %s were subtracted; give --minus %s, or make the file anew",
                     c->baseline_path, before, before);
        return CLI_USAGE;
    }
    return CLI_YES;
}

int cli_coverage(const struct cli_args *args)
{
    struct coverage_run c = {.args = args};
    struct recording_refusal no;
    int status = parse_options(&c);

    status = status == CLI_YES ? check_options(&c) : status;
    if (status == CLI_YES && c.html != NULL && !page_is_built(&no)) {
        cli_complain(args->verb, "%s", no.text);
        status = CLI_CANNOT;
    }
    if (status == CLI_YES && c.intents_path != NULL) {
        status = intents_read(&c.intents, args->verb, c.intents_path);
    }
    if (status == CLI_YES && c.baseline_path != NULL) {
        status = coverage_read_saved(&c.baseline, args->verb, c.baseline_path);
        status = status == CLI_YES ? check_minus(&c) : status;
    }
    status = status == CLI_YES ? gather(&c) : status;
    status = status == CLI_YES ? conclude(&c) : status;
    coverage_saved_free(&c.baseline);
    intents_free(&c.intents);
    coverage_free(&c.table);
    return status;
}
