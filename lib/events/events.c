/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds tables/events.def as data, and looks up common events by number, by name and by similarity. */
#include "internal.h"

#define NAME_MAX 40 /* longer than every name; distance() compares no more characters than this */

static const struct apmu_event_info events[] = {
#define APMU_EVENT(number, name, kind, class_, sync, text) \
    {number, #name, APMU_EVENT_KIND_##kind, APMU_EVENT_CLASS_##class_, APMU_EVENT_SYNC_##sync, text},
#include <armpmu/tables/events.def>
};

#define EVENTS (sizeof(events) / sizeof(events[0]))
#define NEAREST_MAX 8

static const struct {
    const char *alias;
    uint16_t number;
} aliases[] = {
#define APMU_EVENT_ALIAS(alias, name) {alias, APMU_EV_##name},
#include <armpmu/tables/events.def>
};

#define ALIASES (sizeof(aliases) / sizeof(aliases[0]))

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool apmu_same_name(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == '\0' && *b == '\0';
}

size_t apmu_event_count(void)
{
    return EVENTS;
}

const struct apmu_event_info *apmu_event_at(size_t i)
{
    return i < EVENTS ? &events[i] : NULL;
}

const struct apmu_event_info *apmu_event_by_number(uint32_t number)
{
    size_t from = 0, to = EVENTS;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (events[middle].number == number) {
            return &events[middle];
        }
        if (events[middle].number < number) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return NULL;
}

const struct apmu_event_info *apmu_event_by_name(const char *name)
{
    const char first = lower(name[0]); /* most names differ there */

    for (size_t i = 0; i < EVENTS; i++) {
        if (lower(events[i].name[0]) == first && apmu_same_name(events[i].name, name)) {
            return &events[i];
        }
    }
    for (size_t i = 0; i < ALIASES; i++) {
        if (lower(aliases[i].alias[0]) == first && apmu_same_name(aliases[i].alias, name)) {
            return apmu_event_by_number(aliases[i].number);
        }
    }
    return NULL;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int apmu_event_parse(const char *text)
{
    const struct apmu_event_info *info = apmu_event_by_name(text);
    int number = 0;

    if (info != NULL) {
        return info->number;
    }
    if (lower(text[0]) == 'r') {
        text += text[1] == '0' && lower(text[2]) == 'x' ? 3 : 1;
    } else if (text[0] == '0' && lower(text[1]) == 'x') {
        text += 2;
    } else {
        return -1;
    }
    if (*text == '\0') {
        return -1;
    }
    for (; *text != '\0'; text++) {
        const int digit = hex_digit(*text);

        if (digit < 0) {
            return -1;
        }
        number = number * 16 + digit;
        if (number > 0xFFFF) {
            return -1;
        }
    }
    return number;
}

/* Returns the length of @text, or NAME_MAX if it is longer. */
static size_t length(const char *text)
{
    size_t n = 0;

    while (n < NAME_MAX && text[n] != '\0') {
        n++;
    }
    return n;
}

/* Returns the edit distance of two texts: insertions, deletions, substitutions and swaps of neighbours. */
static unsigned distance(const char *a, const char *b)
{
    const size_t la = length(a), lb = length(b);
    unsigned row[3][NAME_MAX + 1]; /* the last three rows of the table, used in rotation */

    for (size_t j = 0; j <= lb; j++) {
        row[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= la; i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *two_before = row[(i + 1) % 3];

        now[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            const unsigned substituted = before[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            unsigned best = before[j] + 1;

            if (now[j - 1] + 1 < best) {
                best = now[j - 1] + 1;
            }
            if (substituted < best) {
                best = substituted;
            }
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]) &&
                two_before[j - 2] + 1 < best) {
                best = two_before[j - 2] + 1;
            }
            now[j] = best;
        }
    }
    return row[la % 3][lb];
}

static bool contains(const char *text, const char *part)
{
    for (; *text != '\0'; text++) {
        size_t n = 0;

        while (part[n] != '\0' && lower(text[n]) == lower(part[n])) {
            n++;
        }
        if (part[n] == '\0') {
            return true;
        }
    }
    return false;
}

unsigned apmu_name_cost(const char *name, const char *candidate)
{
    const unsigned edits = distance(name, candidate);

    return length(name) >= 3 && contains(candidate, name) ? edits : 2 * edits; /* the user meant a part of a name */
}

/* Returns the least cost among the names of an event. */
static unsigned cost_of_event(const char *name, const struct apmu_event_info *event)
{
    unsigned least = apmu_name_cost(name, event->name);

    for (size_t i = 0; i < ALIASES; i++) {
        if (aliases[i].number == event->number && apmu_name_cost(name, aliases[i].alias) < least) {
            least = apmu_name_cost(name, aliases[i].alias);
        }
    }
    return least;
}

size_t apmu_event_nearest(const char *name, const struct apmu_event_info **out, size_t max)
{
    unsigned costs[NEAREST_MAX]; /* the costs of the events in @out, ascending */
    size_t found = 0;

    if (max > NEAREST_MAX) {
        max = NEAREST_MAX;
    }
    for (size_t i = 0; i < EVENTS; i++) {
        const unsigned its = cost_of_event(name, &events[i]);
        size_t at = 0;

        while (at < found && costs[at] <= its) {
            at++;
        }
        if (at == max) {
            continue;
        }
        if (found < max) {
            found++;
        }
        for (size_t k = found - 1; k > at; k--) {
            costs[k] = costs[k - 1];
            out[k] = out[k - 1];
        }
        costs[at] = its;
        out[at] = &events[i];
    }
    return found;
}
