/* SPDX-License-Identifier: BSD-2-Clause */
#define _GNU_SOURCE
#include "select.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#define NEAREST 3 /* names offered for an unknown one */

const char *event_name(uint16_t number)
{
    const struct apmu_event_info *info = apmu_event_by_number(number);

    return info == NULL ? "?" : info->name;
}

const char *trust_word(enum apmu_trust trust)
{
    return trust == APMU_EXACT ? "exact" : trust == APMU_RETIRED ? "retired" : "modelled";
}

const char *trust_mark(enum apmu_trust trust)
{
    return trust == APMU_EXACT ? "" : trust == APMU_RETIRED ? "retired for speculated" : "modelled";
}

static int complain_unknown(const struct cli_verb *verb, const char *name)
{
    const struct apmu_event_info *near[NEAREST];
    const size_t count = apmu_event_nearest(name, near, NEAREST);
    char names[256] = "";
    const char *modifier = strchr(name, ':');

    if (modifier != NULL) {
        cli_complain(verb, "event %s: modifiers are not known here, for every count is of EL0; write %.*s", name,
                     (int)(modifier - name), name);
        return CLI_USAGE;
    }
    if (name[0] == '0' || ((name[0] | 0x20) == 'r' && strspn(name + 1, "0123456789abcdefABCDEF") == strlen(name + 1))) {
        cli_complain(verb, "event %s: no event number; numbers are hexadecimal, r0 to rffff or 0x0 to 0xffff", name);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", near[i]->name);
    }
    cli_complain(verb, "event %s: no such event; the nearest are %s; armpmu list lists them all", name, names);
    return CLI_USAGE;
}

static int add(struct selection *s, const struct cli_verb *verb, const char *name)
{
    const int number = name[0] == '\0' ? -1 : apmu_event_parse(name);
    int source;

    if (name[0] == '\0') {
        cli_complain(verb, "option --event: an event's name is empty; separate the names by one comma");
        return CLI_USAGE;
    }
    if (number < 0) {
        return complain_unknown(verb, name);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->events[i].number == number) {
            cli_complain(verb, "event %s: it is given twice (0x%04X); name it once", name, (unsigned)number);
            return CLI_USAGE;
        }
    }
    source = apmu_source_of_event((uint16_t)number);
    if (source < 0) {
        cli_complain(verb, "event %s: no engine counts it (0x%04X); armpmu list exact and armpmu list retired list "
                           "those that can be counted", name, (unsigned)number);
        return CLI_CANNOT;
    }
    s->events = cli_allocate(s->events, s->count + 1, sizeof *s->events);
    s->events[s->count++] = (struct event_choice){.number = (uint16_t)number, .source = (enum apmu_source)source,
                                               .trust = apmu_source_info[source].trust};
    return CLI_YES;
}

int select_events(struct selection *s, const struct cli_verb *verb, const char *list)
{
    char *copy = cli_allocate(NULL, strlen(list) + 1, 1);
    char *rest = strcpy(copy, list), *name;
    int status = CLI_YES;

    while (status == CLI_YES && (name = strsep(&rest, ",")) != NULL) {
        status = add(s, verb, name);
    }
    free(copy);
    return status;
}

int select_default(struct selection *s, const struct cli_verb *verb)
{
    return select_events(s, verb, "INST_RETIRED,CPU_CYCLES,LD_RETIRED,ST_RETIRED,DP_RETIRED,VFP_RETIRED,ASE_RETIRED,"
                                  "CRYPTO_RETIRED,PRF_RETIRED,BR_RETIRED,BR_COND_RETIRED,BR_UNCOND_RETIRED,"
                                  "BR_IMMED_RETIRED,BR_IND_RETIRED,BR_RETURN_RETIRED,BL_TAKEN_RETIRED,LDREX_SPEC,"
                                  "STREX_SPEC,DMB_SPEC,EXC_TAKEN,EXC_SVC");
}

void selection_free(struct selection *s)
{
    free(s->events);
    *s = (struct selection){0};
}
