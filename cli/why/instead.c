/* SPDX-License-Identifier: BSD-2-Clause */
/* Names events that a core has in place of one that it lacks: instead.def. */
#include <stdio.h>
#include <string.h>

#include "rules.h"

enum { OTHERS = 3 };

static const struct {
    uint16_t event, others[OTHERS];
} rows[] = {
#define INSTEAD(event, ...) {event, {__VA_ARGS__}},
#include "instead.def"
};

static const struct {
    uint16_t part, event, other;
} own[] = {
#define OWN(part, event, other) {part, event, other},
#include "instead.def"
};

/* Adds event @number of @core to the list in @buf. */
static void add_event(const struct apmu_core_info *core, unsigned number, char buf[WHY_INSTEAD])
{
    const char *name = apmu_core_event_name(core, number);
    const size_t used = strlen(buf);

    snprintf(buf + used, WHY_INSTEAD - used, "%s0x%02X%s%s", used == 0 ? "" : ", ", number, name != NULL ? " " : "",
             name != NULL ? name : "");
}

/* Returns true if @core lists event @number, and means by it what the architecture does. */
static bool has_event(const struct apmu_core_info *core, unsigned number)
{
    const struct apmu_event_info *event = apmu_event_by_number(number);
    const char *name = apmu_core_event_name(core, number);

    return event != NULL && name != NULL && apmu_core_lists_event(core, number) && strcmp(name, event->name) == 0;
}

const char *why_instead(const struct apmu_core_info *core, unsigned event, char buf[WHY_INSTEAD])
{
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof own / sizeof own[0] && core != NULL; i++) {
        if (core->implementer == 0x41 && core->part == own[i].part && event == own[i].event) {
            add_event(core, own[i].other, buf);
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && core != NULL; i++) {
        for (size_t k = 0; rows[i].event == event && k < OTHERS && rows[i].others[k] != 0; k++) {
            if (has_event(core, rows[i].others[k])) {
                add_event(core, rows[i].others[k], buf);
            }
        }
    }
    return buf[0] != '\0' ? buf : NULL;
}
