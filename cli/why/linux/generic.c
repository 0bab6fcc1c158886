/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the core's own events in place of one that it lacks: generic.def. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "linux.h"

enum { EVENTS = 4 };

static const struct generic {
    const char *name;
    uint16_t events[EVENTS];
} generics[] = {
#define GENERIC(name, ...) {name, {__VA_ARGS__}},
#include "generic.def"
};

/* Returns the row of @event, or NULL. */
static const struct generic *find_generic(const char *event)
{
    char lower[96];
    size_t used = 0;

    for (; event[used] != '\0' && used + 1 < sizeof lower; used++) {
        lower[used] = (char)tolower((unsigned char)event[used]);
    }
    lower[used] = '\0';
    for (size_t i = 0; i < sizeof generics / sizeof generics[0]; i++) {
        if (strstr(lower, generics[i].name) != NULL) {
            return &generics[i];
        }
    }
    return NULL;
}

const char *linux_events_instead(const struct linux_view *v, const char *event, char buf[200])
{
    const struct apmu_core_info *core = v->r->machine.core;
    const struct generic *row = core == NULL ? NULL : find_generic(event);
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; row != NULL && i < EVENTS && row->events[i] != 0; i++) {
        const char *name = apmu_core_event_name(core, row->events[i]);

        if (!apmu_core_lists_event(core, row->events[i]) || name == NULL || used >= 140) {
            continue;
        }
        used += (size_t)snprintf(buf + used, 200 - used, "%s-e r%02x (%s)", used == 0 ? "" : ", ",
                                 (unsigned)row->events[i], name);
    }
    return used == 0 ? NULL : buf;
}

/* Returns the event of @row that the input counts by number, or NULL. */
static const struct clue *find_counted(const struct linux_view *v, const struct generic *row)
{
    const enum clue_kind kind = CLUE_linux_counted;

    for (const struct clue *c = v->first[kind]; c != NULL; c = reading_next(v->r, kind, c)) {
        const int raw = linux_raw_number(c->words);

        for (size_t i = 0; i < EVENTS && raw > 0 && c->values[0] != 0; i++) {
            if (row->events[i] == raw) {
                return c;
            }
        }
    }
    return NULL;
}

/* Says what to count instead of the event of @c where the core is not known.  @row is that of the event, or NULL. */
static const char *cure_any_core(const struct linux_view *v, const struct clue *c, const struct generic *row,
                                 char cure[400])
{
    const struct clue *counted = row == NULL ? NULL : find_counted(v, row);
    const struct apmu_event_info *first = row == NULL ? NULL : apmu_event_by_number(row->events[0]);
    char such[80] = "-e rNNN";

    if (counted != NULL) {
        const struct apmu_event_info *event = apmu_event_by_number((uint32_t)linux_raw_number(counted->words));

        return suspect_text(cure,
                            "%.60s has no event of this core behind it: count -e %.40s (%s) instead, which counts here",
                            c->words, counted->words, event != NULL ? event->name : "by its number");
    }
    if (first != NULL) {
        snprintf(such, sizeof such, "-e r%02x (%.40s) if it has that", (unsigned)first->number, first->name);
    }
    return suspect_text(cure, "%.60s has no event of this core behind it: give one of its own by number, %s, or by the "
                              "name that perf list or armpmu list --core=NAME shows, which lists what the core has",
                        c->words, such);
}

const char *linux_cure_unmapped(const struct linux_view *v, const struct clue *c, char cure[400])
{
    const struct apmu_core_info *core = v->r->machine.core;
    char events[200];

    if (linux_events_instead(v, c->words, events) != NULL) {
        return suspect_text(cure, "%.60s has no event of the %s behind it here: count the core's own by number, perf "
                                  "stat %s", c->words, core->name, events);
    }
    return cure_any_core(v, c, find_generic(c->words), cure);
}
