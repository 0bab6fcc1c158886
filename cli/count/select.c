/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --event into a selection; the engine adds each event to it. */
#define _GNU_SOURCE
#include "select.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/driver.h>
#include <armpmu/events.h>

#include "core.h"
#include "engine.h"

#define NEAREST 3 /* the number of names that a complaint about an unknown name offers */

int select_complain_unknown(const struct cli_verb *verb, const struct event_word *word)
{
    const struct apmu_event_info *near[NEAREST];
    const char *name = word->text;
    const size_t count = apmu_event_nearest(name, near, NEAREST);
    char names[256] = "";

    if (name[0] == '0' || ((name[0] | 0x20) == 'r' && strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1))) {
        cli_complain(verb, "event %s: not an event number; numbers are hexadecimal, r0 to rffff or 0x0 to 0xffff",
                     name);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", near[i]->name);
    }
    cli_complain(verb, "event %s: no such event; the nearest are %s; armpmu list lists them all", name, names);
    return CLI_USAGE;
}

/* Inserts @choice after the last event of its group, or at the end of @s if it is the first of its group. */
static void insert(struct selection *s, const struct event_choice *choice)
{
    size_t at = s->count;

    while (at > 0 && s->events[at - 1].group != choice->group) {
        at--;
    }
    at = at == 0 ? s->count : at;
    s->events = cli_allocate(s->events, s->count + 1, sizeof *s->events);
    memmove(&s->events[at + 1], &s->events[at], (s->count - at) * sizeof *s->events);
    s->events[at] = *choice;
    s->count++;
}

int select_add(struct selection *s, const struct cli_verb *verb, const struct event_word *word,
               const struct event_choice *choice)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct event_choice *e = &s->events[i];

        if (e->number == choice->number && e->filter == choice->filter && e->provider == choice->provider) {
            if (word->shared) {
                return CLI_YES;
            }
            cli_complain(verb, "event %s: it is given twice (0x%04X); name it once", word->text,
                         (unsigned)choice->number);
            return CLI_USAGE;
        }
    }
    struct event_choice added = *choice;

    added.needed = word->shared;
    insert(s, &added);
    return CLI_YES;
}

/*
 * Turns the modifier, "u", "k", "h" or several of them, into word->filter.  Without one the engine chooses the filter.
 * Returns CLI_YES, or CLI_USAGE after a complaint.
 */
static int parse_modifier(const struct cli_verb *verb, struct event_word *word)
{
    const char *m = word->modifier;

    if (m[strspn(m, "ukh")] != '\0') {
        cli_complain(verb, "event %s:%s: no such modifier; there are u, the application, k, the kernel, and h, the "
                           "hypervisor", word->text, m);
        return CLI_USAGE;
    }
    if (m[0] != '\0') {
        word->filter = (strchr(m, 'u') == NULL ? APMU_FILTER(U) : 0) | (strchr(m, 'k') == NULL ? APMU_FILTER(P) : 0) |
                       (strchr(m, 'h') != NULL ? APMU_FILTER(NSH) : 0);
    }
    return CLI_YES;
}

/* Adds one event, "NAME" or "NAME:MODIFIER".  Without a modifier of its own it has that of its group, @common. */
static int add_word(struct selection *s, const struct cli_verb *verb, const struct engine *engine, char *text,
                    const char *common, unsigned group)
{
    char *colon = strchr(text, ':');
    struct event_word word = {.text = text, .modifier = common, .group = group};

    if (colon != NULL) {
        *colon = '\0';
        word.modifier = colon + 1;
    }
    if (text[0] == '\0') {
        cli_complain(verb, "--event: an event's name is empty; separate the names by one comma");
        return CLI_USAGE;
    }
    const int status = parse_modifier(verb, &word);

    return status == CLI_YES ? engine->add(s, verb, &word) : status;
}

static int complain_about_braces(const struct cli_verb *verb, const char *list)
{
    cli_complain(verb, "--event: %s: the braces do not match; write {NAME,NAME} or {NAME,NAME}:u", list);
    return CLI_USAGE;
}

/* Takes the next item off *@rest, where commas outside braces separate items.  Returns NULL if none is left. */
static char *next_item(char **rest)
{
    char *item = *rest, *end = item;
    bool inside = false;

    if (item == NULL) {
        return NULL;
    }
    for (; *end != '\0' && (inside || *end != ','); end++) {
        inside = *end == '{' || (inside && *end != '}');
    }
    *rest = *end == '\0' ? NULL : end + 1;
    *end = '\0';
    return item;
}

/* Adds the event or the group of events of one item: "NAME:u", or "{NAME,NAME:k}:u". */
static int add_item(struct selection *s, const struct cli_verb *verb, const struct engine *engine, char *item)
{
    char *end = strchr(item, '}'), *words = item, *word;
    const char *common = "";
    int status = CLI_YES;

    if (item[0] == '{') {
        if (end == NULL || strchr(item + 1, '{') != NULL || (end[1] != '\0' && end[1] != ':')) {
            return complain_about_braces(verb, item);
        }
        common = end[1] == ':' ? end + 2 : "";
        *end = '\0';
        words = item + 1;
    }
    if (strpbrk(words, "{}") != NULL || strpbrk(common, "{}") != NULL) {
        return complain_about_braces(verb, item);
    }
    s->groups++;
    while (status == CLI_YES && (word = strsep(&words, ",")) != NULL) {
        status = add_word(s, verb, engine, word, common, s->groups);
    }
    return status;
}

int select_events(struct selection *s, const struct cli_verb *verb, const struct engine *engine, const char *list)
{
    char *copy = cli_allocate(NULL, strlen(list) + 1, 1);
    char *rest = strcpy(copy, list), *item;
    int status = CLI_YES;

    while (status == CLI_YES && (item = next_item(&rest)) != NULL) {
        status = add_item(s, verb, engine, item);
    }
    free(copy);
    return status;
}

int select_needed(struct selection *s, const struct cli_verb *verb, const struct engine *engine, const char *name,
                  unsigned only)
{
    const struct event_word word = {.text = name, .modifier = "", .group = s->groups + 1, .shared = true, .only = only};

    s->groups++;
    return engine->add(s, verb, &word);
}

size_t select_find(const struct selection *s, uint16_t number, unsigned only)
{
    size_t found = s->count;

    for (size_t i = 0; i < s->count; i++) {
        const struct event_choice *e = &s->events[i];

        if (e->number == number && (only == 0 || e->provider + 1 == only) && (found == s->count || !e->modified)) {
            found = i;
        }
    }
    return found;
}

int select_usual(struct selection *s, const struct cli_verb *verb, const struct engine *engine)
{
    const char *usual = engine->usual(s);
    char *copy = strcpy(cli_allocate(NULL, strlen(usual) + 1, 1), usual);
    char *rest = copy, *name;
    int status = CLI_YES;

    while (status == CLI_YES && (name = strsep(&rest, ",")) != NULL) {
        if (engine->supports(s, (uint16_t)core_event_number(s->core, name))) {
            status = select_events(s, verb, engine, name);
        }
    }
    free(copy);
    return status;
}

void select_free(struct selection *s)
{
    free(s->events);
    *s = (struct selection){.events = NULL};
}
