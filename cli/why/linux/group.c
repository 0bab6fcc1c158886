/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule on groups in braces that the kernel refuses with EINVAL: they have more events than the PMU has counters. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "linux.h"

#define GROUP_MOST 1000 /* bytes of a group in braces */
#define NEAR       3    /* lines from the command to an error that does not name an event */

/* A group in braces of a command. */
struct group {
    char *text;  /* in lower case, from "{" to "}" */
    size_t line; /* an index of the text's lines */
    unsigned events;
    bool cycles;
};

/* Returns true if @text, which is in lower case, gives EINVAL as the reason of something. */
static bool tells_einval(const char *text)
{
    static const char *const words[] = {"einval", "invalid argument", "errno 22", "errno=22", "errno = 22", "errno: 22",
                                        "returned with 22", "error 22", "returned -22", "failed with -22", "error -22",
                                        "errno is 22"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *at = strstr(text, words[i]);

        if (at != NULL && !isdigit((unsigned char)at[strlen(words[i])])) {
            return true;
        }
    }
    return false;
}

/* Returns the length of the group in braces at @text, "{cycles,instructions}", 0 if it is none or a weak one. */
static size_t group_length(const char *text)
{
    const size_t length = strcspn(text, "}");
    size_t commas = 0;

    if (length > GROUP_MOST || text[length] == '\0') {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (isspace((unsigned char)text[i]) && text[i - 1] != ',' && text[i - 1] != '\\' &&
            !isspace((unsigned char)text[i - 1])) {
            return 0;
        }
        if (strchr("(){;", text[i]) != NULL) {
            return 0; /* code, or JSON */
        }
        commas += text[i] == ',';
    }
    for (const char *modifier = text + length + 1; text[length + 1] == ':' && isalpha((unsigned char)modifier[1]);
         modifier++) {
        if (modifier[1] == 'w') {
            return 0; /* perf splits a weak group */
        }
    }
    return commas == 0 ? 0 : length + 1;
}

/* Returns true if the events of @group, which ends with "}", are of different PMUs. */
static bool names_two_pmus(const char *group)
{
    const char *first = NULL;
    size_t length = 0;

    for (const char *event = group; *event == '{' || *event == ','; event += strcspn(event, ",}")) {
        const char *slash;

        event++;
        slash = event + strcspn(event, "/,}");
        if (*slash == '/' && first == NULL) {
            first = event;
            length = (size_t)(slash - event);
        } else if (*slash == '/' && ((size_t)(slash - event) != length || memcmp(first, event, length) != 0)) {
            return true;
        }
        event = *slash == '/' ? slash + 1 + strcspn(slash + 1, "/}") : slash; /* commas between the slashes */
    }
    return false;
}

/* Returns true if the option before the brace at @at of line @line is one of events: -e '{...}'. */
static bool is_option(const char *line, const char *at)
{
    while (at > line && strchr(" \t'\"\\=`", at[-1]) != NULL) {
        at--;
    }
    return (at - line >= 2 && strncmp(at - 2, "-e", 2) == 0) || (at - line >= 7 && strncmp(at - 7, "--event", 7) == 0);
}

/* Returns where line @i of the text begins in v->lower, or the end of this. */
static const char *line_at(const struct linux_view *v, size_t i)
{
    const size_t offset = (size_t)(v->r->text.lines[i].text - v->r->text.lines[0].text);

    return v->lower + strnlen(v->lower, offset);
}

/* Finds the largest group of the text.  The caller frees .text, which is NULL if there is none. */
static struct group find_group(const struct linux_view *v)
{
    struct group found = {NULL, 0, 0, false};

    for (size_t i = 0; i < v->r->text.count; i++) {
        const char *line = line_at(v, i), *end = strchrnul(line, '\n');

        for (const char *at = strchr(line, '{'); at != NULL && at < end; at = strchr(at + 1, '{')) {
            const size_t length = is_option(line, at) ? group_length(at) : 0;
            char *const text = length != 0 ? strndup(at, length) : NULL;
            bool cycles = false;
            const unsigned events = text != NULL && !names_two_pmus(text) ? linux_largest_group(text, &cycles) : 0;

            if (events > found.events) {
                free(found.text);
                found = (struct group){text, i, events, cycles};
            } else {
                free(text);
            }
        }
    }
    return found;
}

/* Returns the line that tells of EINVAL for the group of line @group: an index, or the count of lines. */
static size_t find_einval(const struct linux_view *v, size_t group)
{
    size_t i = 0;

    for (; i < v->r->text.count; i++) {
        const char *line = line_at(v, i);
        char *const text = strndup(line, strcspn(line, "\n"));
        const bool near = i + NEAR >= group && i <= group + NEAR;
        const bool told = text != NULL && tells_einval(text) && (near || strstr(text, "event") != NULL);

        free(text);
        if (told) {
            break;
        }
    }
    return i;
}

/* Returns true if a run of perf with the whole group shows its counts. */
static bool is_counted(const struct linux_view *v, const char *group)
{
    for (unsigned i = 0; i < v->table_count; i++) {
        if (strstr(v->tables[i].command, group) != NULL && v->tables[i].counted > 0 && v->tables[i].unsupported == 0 &&
            v->tables[i].uncounted == 0) {
            return true;
        }
    }
    return false;
}

void linux_add_refused_group(struct linux_view *v)
{
    static const enum why_cause_id others[] = {WHY_event_not_implemented, WHY_event_not_of_this_core,
                                               WHY_perf_generic_event_unmapped, WHY_hypervisor_filters_events,
                                               WHY_multiplexed_unscaled};
    const struct group group = find_group(v);
    char quote[120], because[400], cure[400], words[] = "";
    bool known;
    const unsigned there = linux_counters_there(v, &known);
    const unsigned counters = there - (!group.cycles && there > 1); /* the cycle counter counts cycles only */
    const size_t line = group.text != NULL && group.events > counters ? find_einval(v, group.line) : v->r->text.count;

    if (line < v->r->text.count && !is_counted(v, group.text)) {
        const struct clue c = {CLUE_linux_refused, v->r->text.lines[line].number, 0, {0, 0}, words};
        struct suspect *s;

        suspect_text(because, "%s: EINVAL, and the group in braces has %u events%s; there are %u %scounters%s",
                     reading_quote(v->r, c.line, quote, sizeof quote), group.events,
                     group.cycles ? "" : " and none is cycles", counters, group.cycles ? "" : "event ",
                     known ? "" : " on most cores");
        suspect_text(cure, "make groups of at most %u events, or leave out the braces: perf then multiplexes",
                     counters);
        s = linux_suspect(v, WHY_group_larger_than_counters, known ? SUSPECT_CERTAIN : SUSPECT_LIKELY, 80, &c, cure);
        snprintf(s->because, sizeof s->because, "%s", because);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            suspect_clear(v->all, others[i]);
        }
    }
    free(group.text);
}
