/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu list`: lists the events, and says which of them the emulator counts. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <armpmu/arm11_regs.h>
#include <armpmu/cores.h>
#include <jansson.h>

#include "cli.h"
#include "count/core.h"
#include "count/emulator.h"
#include "state/read.h"

struct listed_event {
    const struct apmu_event_info *info;
    const struct apmu_source_info *source; /* NULL: the emulator does not count it */
    const char *left_out;                  /* by the modelled core that counts it; NULL: none does */
    const char *trust;                     /* "exact", "retired" or "modelled"; "-" if nothing counts it */
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
    return event->left_out == NULL && event->source != NULL && event->source->cost == APMU_COST_OUTCOME;
}

/* Returns what is counted where the definition leaves room, or what a modelled core leaves out; "" for neither. */
static const char *convention_of(const struct listed_event *event)
{
    return event->left_out != NULL ? event->left_out : event->source != NULL ? event->source->convention : "";
}

/* Returns the word for what it costs to count the event; NULL if nothing counts it. */
static const char *cost_of(const struct listed_event *event)
{
    return event->left_out != NULL ? "core" : event->source == NULL ? NULL : is_outcome(event) ? "callback" : "block";
}

static void print_event(const struct listed_event *event, bool details)
{
    printf("%s  %-34s  %-8s  %s\n", event->number, event->info->name, event->trust, event->info->text);
    if (details) {
        const char *convention = convention_of(event);
        const char *cost = is_outcome(event) ? "; costs a callback where it may occur, unless make "
                                                    "qemu-user built the emulator" : "";

        printf("        %s%s%s%s\n", kind_word(event->info), cost, convention[0] == '\0' ? "" : "; here: ", convention);
    }
}

static json_t *make_json(const struct listed_event *event)
{
    json_t *object = json_object();

    json_object_set_new(object, "event", json_string(event->info->name));
    json_object_set_new(object, "number", json_integer(event->info->number));
    json_object_set_new(object, "trust", cost_of(event) == NULL ? json_null() : json_string(event->trust));
    json_object_set_new(object, "cost", cost_of(event) == NULL ? json_null() : json_string(cost_of(event)));
    json_object_set_new(object, "kind", json_string(kind_word(event->info)));
    json_object_set_new(object, "text", json_string(event->info->text));
    json_object_set_new(object, "convention", json_string(convention_of(event)));
    return object;
}

/* What the options say, and what was printed so far. */
struct listing {
    const struct cli_args *args;
    bool details, json, metrics;
    uint32_t midr; /* what --core gave as a number, or 0 */
    const struct apmu_core_row *row; /* the model of the core; NULL: there is none */
    json_t *array;
    size_t printed;
};

static void list_event(struct listing *l, const struct apmu_event_info *info)
{
    struct listed_event event = {.info = info, .trust = "-"};
    const int source = core_is_arm11(l->row) ? -1 : apmu_source_of_event(info->number);

    if (source >= 0) {
        event.source = &apmu_source_info[source];
        event.trust = emulator_trust_word(event.source->trust);
    }
    if (l->row != NULL && emulator_is_modelled(l->row, info->number)) {
        event.left_out = core_leaves_out(l->row, info->number);
        event.trust = emulator_trust_word(APMU_MODELLED);
    }
    snprintf(event.number, sizeof event.number, "0x%04X", info->number);
    if (!has_words(&event, l->args->operands)) {
        return;
    }
    l->printed++;
    if (l->json) {
        json_array_append_new(l->array, make_json(&event));
    } else {
        print_event(&event, l->details);
    }
}

/* Lists the events that the manual of @core lists, under the names that it gives them. */
static void list_core(struct listing *l, const struct apmu_core_info *core)
{
    for (uint32_t number = 0; number <= UINT16_MAX; number++) {
        const struct apmu_event_info *common = apmu_event_by_number(number);
        struct apmu_event_info info = {.number = (uint16_t)number, .kind = APMU_EVENT_KIND_MICROARCHITECTURAL,
                                       .text = "an event of this core: its manual describes it"};

        if (apmu_core_lists_event(core, number) ||
            (l->row != NULL && common != NULL && emulator_is_modelled(l->row, (uint16_t)number))) {
            const char *name = apmu_core_event_name(core, number);

            /* ARMv7 leaves the numbers from 0x40 on to the core. */
            if (common != NULL && name != NULL &&
                (core->pmu == APMU_CORE_PMU_V3 || number < 0x40 || strcmp(name, common->name) == 0)) {
                info = *common;
            }
            info.name = name != NULL ? name : "-";
            list_event(l, &info);
        }
    }
}

/* Lists the events of the unit of an ARM1176, whether its model counts them or not. */
static void list_arm11(struct listing *l)
{
    const struct apmu_arm11_event_info *event;

    for (size_t i = 0; (event = apmu_arm11_event_at(i)) != NULL; i++) {
        const struct apmu_event_info info = {.number = (uint16_t)event->number, .name = event->name,
                                             .kind = APMU_EVENT_KIND_MICROARCHITECTURAL, .text = event->text};

        if ((event->parts & APMU_ARM1176) != 0) {
            list_event(l, &info);
        }
    }
}

/* Takes the options.  Returns false, after it complained, if one is wrong. */
static bool parse(const struct cli_args *args, struct listing *l, const struct apmu_core_info **core)
{
    struct state *s = cli_allocate(NULL, 1, sizeof *s);
    struct state_frame frame;
    bool bad = false;

    state_init(s, "");
    for (size_t i = 0; i < args->given_count && !bad; i++) {
        l->details |= args->given[i].id == CLI_VERBOSE;
        l->json |= args->given[i].id == CLI_JSON;
        l->metrics |= args->given[i].id == CLI_METRICS;
        if (args->given[i].id == CLI_CORE) {
            l->midr = (uint32_t)strtoul(args->given[i].value, NULL, 16);
            l->midr = strncasecmp(args->given[i].value, "0x", 2) == 0 ? l->midr : 0;
        }
        state_option(args, i, s, &frame, &bad);
    }
    *core = s->core;
    free(s);
    return !bad;
}

int cli_list(const struct cli_args *args)
{
    struct listing l = {.args = args};
    const struct apmu_core_info *core;
    struct apmu_core_row row;

    if (!parse(args, &l, &core)) {
        return CLI_USAGE;
    }
    if (l.metrics) {
        return cli_list_metrics(args, core, l.midr, l.json);
    }
    l.array = json_array();
    l.row = core != NULL && core_find(core->name, &row) ? &row : NULL;
    if (core_is_arm11(l.row)) {
        list_arm11(&l);
    } else if (core != NULL) {
        list_core(&l, core);
    } else {
        for (size_t i = 0; i < apmu_event_count(); i++) {
            list_event(&l, apmu_event_at(i));
        }
    }
    if (l.json) {
        json_dumpf(l.array, stdout, JSON_PRESERVE_ORDER | JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(l.array);
    if (l.printed == 0 && core != NULL && args->operands[0] == NULL) {
        cli_complain(args->verb, "%s: a list of its events is not here; see the manual of the core", core->name);
    } else if (l.printed == 0 && core != NULL) {
        cli_complain(args->verb, "%s: no event in its list has all of these words; armpmu list --core without words "
                     "lists them all", core->name);
    } else if (l.printed == 0) {
        cli_complain(args->verb, "no event has all of these words; armpmu list lists them all");
    }
    return cli_flush(args->verb, stdout, "stdout", l.printed == 0 ? CLI_NO : CLI_YES);
}
