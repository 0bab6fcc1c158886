/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu list: the events, and which can be counted. */
#define _GNU_SOURCE
#include <string.h>

#include <armpmu/events.h>
#include <jansson.h>

#include "cli.h"
#include "count/emulator.h"

struct listed_event {
    const struct apmu_event_info *info;
    const struct apmu_source_info *source; /* NULL: not counted here */
    const char *trust;                     /* "-" then */
    char number[8];
};

static bool has_words(const struct listed_event *line, char *const *words)
{
    for (; *words != NULL; words++) {
        if (strcasestr(line->number, *words) == NULL && strcasestr(line->info->name, *words) == NULL &&
            strcasecmp(line->trust, *words) != 0 && strcasestr(line->info->text, *words) == NULL) {
            return false;
        }
    }
    return true;
}

static const char *kind_word(const struct apmu_event_info *info)
{
    return info->kind == APMU_EVENT_KIND_ARCHITECTURAL ? "architectural" : "microarchitectural";
}

static bool is_outcome(const struct listed_event *line)
{
    return line->source != NULL && line->source->cost == APMU_COST_OUTCOME;
}

static void print_line(const struct listed_event *line, bool details)
{
    printf("%s  %-34s  %-8s  %s\n", line->number, line->info->name, line->trust, line->info->text);
    if (details) {
        const char *convention = line->source == NULL ? "" : line->source->convention;

        printf("        %s%s%s%s\n", kind_word(line->info), is_outcome(line) ? "; costs a callback where it may occur" : "",
               convention[0] == '\0' ? "" : "; here: ", convention);
    }
}

static json_t *json_line(const struct listed_event *line)
{
    json_t *object = json_object();

    json_object_set_new(object, "event", json_string(line->info->name));
    json_object_set_new(object, "number", json_integer(line->info->number));
    json_object_set_new(object, "trust", line->source == NULL ? json_null() : json_string(line->trust));
    json_object_set_new(object, "cost", line->source == NULL ? json_null()
                                                             : json_string(is_outcome(line) ? "callback" : "block"));
    json_object_set_new(object, "kind", json_string(kind_word(line->info)));
    json_object_set_new(object, "text", json_string(line->info->text));
    json_object_set_new(object, "convention", json_string(line->source == NULL ? "" : line->source->convention));
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
        struct listed_event line = {.info = apmu_event_at(i), .trust = "-"};
        const int source = apmu_source_of_event(line.info->number);

        if (source >= 0) {
            line.source = &apmu_source_info[source];
            line.trust = emulator_trust_word(line.source->trust);
        }
        snprintf(line.number, sizeof line.number, "0x%04X", line.info->number);
        if (!has_words(&line, args->operands)) {
            continue;
        }
        printed++;
        if (json) {
            json_array_append_new(array, json_line(&line));
        } else {
            print_line(&line, details);
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
