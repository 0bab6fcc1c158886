/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares results, and judges the differences by the limits of --fail-above. */
#include "compare.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Limits.
 */

/* Reads "1%", "0.5" or "0 %".  Returns false if @text is no such limit. */
static bool parse_percent(const char *text, double *percent)
{
    char *end;

    errno = 0;
    *percent = strtod(text, &end);
    end += strspn(end, " ");
    if (*end == '%') {
        end++;
    }
    return ((text[0] >= '0' && text[0] <= '9') || text[0] == '.') && *end == '\0' && errno == 0 &&
           text[strspn(text, "0123456789. %")] == '\0' && *percent >= 0 && *percent < 1e9;
}

/* Adds the limit @word, which this function changes.  Returns false if it is none. */
static bool add_limit(struct limits *l, char *word)
{
    char *equals = strchr(word, '=');
    double percent;

    if (!parse_percent(equals == NULL ? word : equals + 1, &percent)) {
        return false;
    }
    if (equals == NULL) {
        l->has_all = true;
        l->all = percent;
        return true;
    }
    *equals = '\0';
    if (word[0] == '\0' || strlen(word) >= sizeof l->rows->name) {
        return false;
    }
    l->rows = cli_allocate(l->rows, l->count + 1, sizeof *l->rows);
    strcpy(l->rows[l->count].name, word);
    l->rows[l->count++].percent = percent;
    return true;
}

int compare_limits_parse(struct limits *l, const struct cli_verb *verb, const char *text)
{
    char *copy = strcpy(cli_allocate(NULL, strlen(text) + 1, 1), text);
    bool ok = true;

    l->given = true;
    for (char *word = copy, *next; ok && word != NULL; word = next) {
        next = strchr(word, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        ok = add_limit(l, word);
    }
    free(copy);
    if (!ok) {
        cli_complain(verb, "--fail-above: %s is no limit; give per cent of the baseline's count, as 1%% or "
                           "INST_RETIRED=0.5%%,BR_RETIRED=2%%", text);
    }
    return ok ? CLI_YES : CLI_USAGE;
}

int compare_limits_check(const struct limits *l, const struct cli_verb *verb, const struct selection *s)
{
    for (size_t i = 0; i < l->count; i++) {
        bool found = false;

        for (size_t k = 0; k < s->count && !found; k++) {
            found = strcasecmp(s->events[k].name, l->rows[i].name) == 0;
        }
        if (!found) {
            cli_complain(verb, "--fail-above: %s is not counted; add it to -e, or leave out its limit",
                         l->rows[i].name);
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

void compare_limits_free(struct limits *l)
{
    free(l->rows);
    memset(l, 0, sizeof *l);
}

/* Returns the limit of the event @name, or a negative number.  *@own: it is the event's own. */
static double limit_of(const struct limits *l, const char *name, bool *own)
{
    *own = false;
    for (size_t i = 0; i < l->count; i++) {
        if (strcasecmp(l->rows[i].name, name) == 0) {
            *own = true;
            return l->rows[i].percent;
        }
    }
    return l->has_all ? l->all : -1;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Comparing.
 */

static void note(struct result_comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct result_comparison *c, const char *format, ...)
{
    va_list ap;

    if (c->note_count < COMPARE_NOTES) {
        va_start(ap, format);
        vsnprintf(c->notes[c->note_count++], sizeof c->notes[0], format, ap);
        va_end(ap);
    }
}

bool compare_percent(const struct compared *row, double *percent)
{
    *percent = row->before > 0 ? 100 * (row->now - row->before) / row->before : 0;
    return row->before > 0 || row->now <= 0;
}

/* Writes into row->why why @a and @b cannot be compared.  Returns false if they can. */
static bool is_apart(struct compared *row, const struct result_event *before, const struct result_event *now,
                     const struct result_comparison *c)
{
    char *why = row->why;
    const size_t size = sizeof row->why;

    if (before == NULL) {
        snprintf(why, size, "the baseline lacks it");
    } else if (now == NULL) {
        snprintf(why, size, "the baseline alone has it");
    } else if (strcmp(before->trust, now->trust) != 0) {
        snprintf(why, size, "it is %.20s here and %.20s in the baseline", now->trust, before->trust);
    } else if (strcmp(before->mark, now->mark) != 0) {
        snprintf(why, size, "its mark is \"%.48s\" here and \"%.48s\" in the baseline", now->mark, before->mark);
    } else if (strcmp(now->trust, "modelled") == 0 && strcmp(c->before->core, c->now->core) != 0) {
        snprintf(why, size, "the modelled cores of this name have different parameters");
    } else if (!before->counted || !now->counted) {
        snprintf(why, size, "it was not counted %s", now->counted ? "in the baseline" : "here");
    } else {
        return false;
    }
    return true;
}

static void add_row(struct result_comparison *c, const struct limits *limits, const struct result_event *before,
                    const struct result_event *now)
{
    struct compared *row = &c->rows[c->count++];
    double percent;
    bool own, has_percent;

    *row = (struct compared){.name = now != NULL ? now->name : before->name};
    row->before = before != NULL && before->counted ? before->mean : 0;
    row->now = now != NULL && now->counted ? now->mean : 0;
    row->limit = limit_of(limits, row->name, &own);
    has_percent = compare_percent(row, &percent);
    if (is_apart(row, before, now, c)) {
        row->verdict = COMPARE_APART;
        c->limit_apart |= own;
    } else if (row->now <= row->before) {
        row->verdict = row->now < row->before ? COMPARE_LESS : COMPARE_EQUAL;
    } else {
        row->verdict = row->limit >= 0 && (!has_percent || percent > row->limit) ? COMPARE_ABOVE : COMPARE_MORE;
    }
    c->tally[row->verdict]++;
}

/* Notes what differs between the surroundings of both results. */
static void note_surroundings(struct result_comparison *c)
{
    const struct result *a = c->before, *b = c->now;
    const bool same = strcmp(a->content, b->content) == 0 && b->content[0] != '\0';

    if (strcmp(a->program, b->program) != 0) {
        note(c, "the baseline is of another program: %.120s, and this is %.120s", a->program, b->program);
    }
    if (!json_equal(json_object_get(a->json, "arguments"), json_object_get(b->json, "arguments"))) {
        note(c, "the program's arguments differ from those of the baseline");
    }
    if (strcmp(a->engine, b->engine) != 0) {
        note(c, "counted by engine %.40s, the baseline by %.40s", b->engine, a->engine);
    } else if (strcmp(a->emulator, b->emulator) != 0) {
        note(c, "run by %.120s, the baseline by %.120s: its CPU may have other features, so libraries may choose other "
                "functions", b->emulator, a->emulator);
    }
    if (strcmp(a->core, b->core) != 0) {
        note(c, "the modelled core is %.60s, the baseline's is %.60s", b->core[0] == '\0' ? "none" : b->core,
             a->core[0] == '\0' ? "none" : a->core);
    }
    if (strcmp(a->version, b->version) != 0) {
        note(c, "counted by armpmu %.40s, the baseline by armpmu %.40s", b->version, a->version);
    }
    if (a->deterministic != b->deterministic) {
        note(c, "only %s was counted with --deterministic", b->deterministic ? "this" : "the baseline");
    }
    if (same && c->tally[COMPARE_LESS] + c->tally[COMPARE_MORE] + c->tally[COMPARE_ABOVE] != 0) {
        note(c, "the program's file is the one of the baseline, so what differs is around it%s",
             b->deterministic ? ": libraries, input, or what --deterministic cannot hold still"
                              : "; --deterministic holds most of that still");
    }
}

void compare(struct result_comparison *c, const char *path, const struct result *before, const struct result *now,
             const struct limits *limits)
{
    *c = (struct result_comparison){.path = path, .before = before, .now = now};
    c->rows = cli_allocate(NULL, before->count + now->count + 1, sizeof *c->rows);
    if (before->status != now->status) {
        snprintf(c->refusal, sizeof c->refusal, "the program ended with status %d, and in the baseline with %d",
                 now->status, before->status);
        return;
    }
    for (size_t i = 0; i < now->count; i++) {
        add_row(c, limits, result_find(before, now->events[i].name), &now->events[i]);
    }
    for (size_t i = 0; i < before->count; i++) {
        if (result_find(now, before->events[i].name) == NULL) {
            add_row(c, limits, &before->events[i], NULL);
        }
    }
    note_surroundings(c);
    if (c->tally[COMPARE_APART] == c->count) {
        snprintf(c->refusal, sizeof c->refusal, "no event of the baseline means the same here");
    }
}

int compare_status(const struct result_comparison *c)
{
    if (c->refusal[0] != '\0' || c->limit_apart) {
        return CLI_CANNOT;
    }
    return c->tally[COMPARE_ABOVE] != 0 ? CLI_NO : CLI_YES;
}

void compare_free(struct result_comparison *c)
{
    free(c->rows);
    memset(c, 0, sizeof *c);
}
