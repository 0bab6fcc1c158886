/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu why --symptom: the table of causes, by what the user sees. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "why.h"

static const struct symptom {
    const char *id, *text;
} symptoms[] = {
#define APMU_SYMPTOM(id, text) {#id, text},
#include <armpmu/tables/causes.def>
};

enum { SYMPTOMS = sizeof symptoms / sizeof symptoms[0] };

static bool wanted(const struct why_cause *cause, const char *which)
{
    return strcmp(which, "all") == 0 || strcmp(which, cause->symptom) == 0 ||
           ((unsigned)strtoul(which, NULL, 10) == cause->number && which[strspn(which, "0123456789")] == '\0');
}

static void print_cause(const struct why_cause *c)
{
    printf("\n  %2u %s\n", c->number, c->text);
    printf("     tell:  %s%s\n", c->tell, why_cause_in_registers(c) ? "" : " (no register shows it)");
    printf("     check: %s\n", c->check);
    printf("     cure:  %s\n", c->cure);
}

static size_t print_all(const char *which)
{
    size_t printed = 0;

    for (size_t s = 0; s < SYMPTOMS; s++) {
        bool headed = false;

        for (size_t i = 0; why_cause_at(i) != NULL; i++) {
            const struct why_cause *c = why_cause_at(i);

            if (strcmp(c->symptom, symptoms[s].id) != 0 || !wanted(c, which)) {
                continue;
            }
            if (!headed) {
                printf("%s%s: %s\n", printed == 0 ? "" : "\n", symptoms[s].id, symptoms[s].text);
                headed = true;
            }
            print_cause(c);
            printed++;
        }
    }
    return printed;
}

static size_t json_all(json_t *array, const char *which)
{
    for (size_t i = 0; why_cause_at(i) != NULL; i++) {
        if (wanted(why_cause_at(i), which)) {
            json_array_append_new(array, why_json_cause(why_cause_at(i)));
        }
    }
    return json_array_size(array);
}

int why_symptoms(const struct cli_args *args, const char *which, bool json)
{
    json_t *array = json_array();
    const size_t count = json ? json_all(array, which) : print_all(which);

    if (count == 0) {
        json_decref(array);
        cli_complain(args->verb, "--symptom: %s: no such symptom; give all, a number of 1 to 60, or zero, fault, "
                     "absent, few, interrupt, small, large, wraps", which);
        return CLI_USAGE;
    }
    if (json) {
        return why_dump(args, array);
    }
    json_decref(array);
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}
