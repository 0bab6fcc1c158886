/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of causes for armpmu why --symptom, by what the user sees. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "why.h"

static const struct symptom {
    const char *id, *text;
} symptoms[WHY_SYMPTOM_COUNT] = {
#define CAUSE_SYMPTOM(id, text) {#id, text},
#include "causes.def"
};

const char *why_symptom_id(enum why_symptom symptom)
{
    return symptoms[symptom].id;
}

/* Returns true if @which is "all", the cause's symptom or its number. */
static bool wanted(const struct why_cause *cause, const char *which)
{
    return strcmp(which, "all") == 0 || strcmp(which, symptoms[cause->symptom].id) == 0 ||
           ((unsigned)strtoul(which, NULL, 10) == cause->number && which[strspn(which, "0123456789")] == '\0');
}

bool why_lists_symptom(const char *which)
{
    bool listed = strcmp(which, "all") == 0 || (which[0] != '\0' && which[strspn(which, "0123456789")] == '\0');

    for (size_t i = 0; i < WHY_SYMPTOM_COUNT; i++) {
        listed |= strcmp(which, symptoms[i].id) == 0;
    }
    return listed;
}

static void print_cause(const struct why_cause *c)
{
    printf("\n  %2u %s\n", c->number, c->text);
    printf("     tell:  %s%s\n", c->sign, c->test != NULL ? "" : " (no register shows it)");
    printf("     check: %s\n", c->check);
    printf("     cure:  %s\n", c->cure);
}

/* Prints the causes that @which names.  Returns how many there are. */
static size_t print_all(const char *which)
{
    size_t printed = 0;

    for (size_t s = 0; s < WHY_SYMPTOM_COUNT; s++) {
        bool headed = false;

        for (size_t i = 0; i < WHY_CAUSE_COUNT; i++) {
            if (why_causes[i].symptom != s || !wanted(&why_causes[i], which)) {
                continue;
            }
            if (!headed) {
                printf("%s%s: %s\n", printed == 0 ? "" : "\n", symptoms[s].id, symptoms[s].text);
                headed = true;
            }
            print_cause(&why_causes[i]);
            printed++;
        }
    }
    return printed;
}

/* Appends the causes that @which names to @array.  Returns how many there are. */
static size_t json_all(json_t *array, const char *which)
{
    for (size_t i = 0; i < WHY_CAUSE_COUNT; i++) {
        if (wanted(&why_causes[i], which)) {
            json_array_append_new(array, why_json_cause(&why_causes[i]));
        }
    }
    return json_array_size(array);
}

static void complain_of_symptom(const struct cli_args *args, const char *which)
{
    char ids[200] = "";
    unsigned highest = 0;

    for (size_t i = 0; i < WHY_CAUSE_COUNT; i++) {
        highest = why_causes[i].number > highest ? why_causes[i].number : highest;
    }
    for (size_t s = 0; s < WHY_SYMPTOM_COUNT; s++) {
        why_append(ids, sizeof ids, "%s%s", why_comma(ids), symptoms[s].id);
    }
    cli_complain(args->verb, "--symptom: %s: no such symptom; give all, a number from 1 to %u, or one of %s", which,
                 highest, ids);
}

int why_symptoms(const struct cli_args *args, const char *which, bool json)
{
    json_t *array = json_array();
    const size_t count = json ? json_all(array, which) : print_all(which);

    if (count == 0) {
        json_decref(array);
        complain_of_symptom(args, which);
        return CLI_USAGE;
    }
    if (json) {
        return why_dump(args, array);
    }
    json_decref(array);
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}
