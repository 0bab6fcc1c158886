/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu list`: lists the events, and says which of them the emulator counts. */
#define _GNU_SOURCE
#include <string.h>

#include <armpmu/events.h>
#include <jansson.h>

#include "cli.h"
#include "count/emulator.h"

struct listed_event {
    const struct apmu_event_info *info;
    const struct apmu_source_info *source; /* NULL: the emulator does not count it */
    const char *trust;                     /* "exact", "retired" or "modelled"; "-" without a source */
    char number[8];                        /* "0x0011" */
};

/* Returns whether each of @words, which NULL ends, is in the number, name or text of the event, or is its trust. */
static bool has_words(const struct listed_event *event, char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcasestr(event->number, *words) == NULL && strcasestr(event->info->name, *words) == NULL &&
            strcasecmp(event->trust, *words) != 0 && strcasestr(event->info->text, *words) == NULL) {
            return false;
        }
    }
    return true;
}

static const char *kind_word(const struct apmu_event_info *info)
{
    return info->kind == APMU_EVENT_KIND_ARCHITECTURAL ? "architectural" : "microarchitectural";
}

/* Returns whether counting the event costs a callback wherever it may occur. */
static bool is_outcome(const struct listed_event *event)
{
    return event->source != NULL && event->source->cost == APMU_COST_OUTCOME;
}

static void print_event(const struct listed_event *event, bool details)
{
    printf("%s  %-34s  %-8s  %s\n", event->number, event->info->name, event->trust, event->info->text);
    if (details) {
        const char *convention = event->source == NULL ? "" : event->source->convention;
        const char *cost = is_outcome(event) ? "; costs a callback where it may occur" : "";

        printf("        %s%s%s%s\n", kind_word(event->info), cost, convention[0] == '\0' ? "" : "; here: ", convention);
    }
}

static json_t *make_json(const struct listed_event *event)
{
    json_t *object = json_object();

    json_object_set_new(object, "event", json_string(event->info->name));
    json_object_set_new(object, "number", json_integer(event->info->number));
    json_object_set_new(object, "trust", event->source == NULL ? json_null() : json_string(event->trust));
    json_object_set_new(object, "cost", event->source == NULL ? json_null()
                                                             : json_string(is_outcome(event) ? "callback" : "block"));
    json_object_set_new(object, "kind", json_string(kind_word(event->info)));
    json_object_set_new(object, "text", json_string(event->info->text));
    json_object_set_new(object, "convention", json_string(event->source == NULL ? "" : event->source->convention));
    return object;
}

int cli_list(const struct cli_args *args)
{
    bool details = false, json = false;
    json_t *array = json_array();
    size_t printed = 0;

    for (size_t i = 0; i < args->given_count; i++) {
        details |= args->given[i].id == CLI_VERBOSE;
        json |= args->given[i].id == CLI_JSON;
    }
    for (size_t i = 0; i < apmu_event_count(); i++) {
        struct listed_event event = {.info = apmu_event_at(i), .trust = "-"};
        const int source = apmu_source_of_event(event.info->number);

        if (source >= 0) {
            event.source = &apmu_source_info[source];
            event.trust = emulator_trust_word(event.source->trust);
        }
        snprintf(event.number, sizeof event.number, "0x%04X", event.info->number);
        if (!has_words(&event, args->operands)) {
            continue;
        }
        printed++;
        if (json) {
            json_array_append_new(array, make_json(&event));
        } else {
            print_event(&event, details);
        }
    }
    if (json) {
        json_dumpf(array, stdout, JSON_PRESERVE_ORDER | JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(array);
    if (printed == 0) {
        cli_complain(args->verb, "no event has all of these words; armpmu list lists them all");
    }
    return cli_flush(args->verb, stdout, "stdout", printed == 0 ? CLI_NO : CLI_YES);
}
