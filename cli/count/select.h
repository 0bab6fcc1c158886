/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that a user chose, and how each is counted. */
#ifndef ARMPMU_CLI_SELECT_H
#define ARMPMU_CLI_SELECT_H

#include "../../qemu/classify/totals.h"
#include "../cli.h"

struct engine;

/** An event as the user wrote it. */
struct event_word {
    const char *text;     /**< name or number */
    const char *modifier; /**< "", or what follows ':' */
    uint64_t filter;      /**< the filter bits of PMEVTYPER<n>_EL0 that the modifier means */
    unsigned group;       /**< of those between the same braces; without braces each event is a group */
};

struct event_choice {
    char name[160]; /**< as it is printed */
    uint16_t number;
    bool modified; /**< the user gave a modifier */
    uint64_t filter;
    unsigned group;
    unsigned unit;           /**< the PMU, where the engine has several */
    enum apmu_source source; /**< of the emulator's engine */
    const char *trust;       /**< "exact", "retired", "modelled", "measured" */
    const char *mark;        /**< what is said beside a count; "" for exact */
};

struct selection {
    struct event_choice *events;
    size_t count;
    unsigned groups;
};

/**
 * Adds the events of @list, "NAME,rHEX,{0xHEX,NAME}:u,...", to @s as @engine counts them.
 * 0; CLI_USAGE if one is unknown or chosen already, CLI_CANNOT if the engine does not count it: a line says which, why
 * and what to do.
 */
int select_events(struct selection *s, const struct cli_verb *verb, const struct engine *engine, const char *list);

/** One more event.  CLI_USAGE, after a complaint, if it is chosen already. */
int select_add(struct selection *s, const struct cli_verb *verb, const struct event_word *word,
                  const struct event_choice *choice);

/** Complains that there is no such event as @word.  CLI_USAGE. */
int select_complain_unknown(const struct cli_verb *verb, const struct event_word *word);

void select_free(struct selection *s);

/** "exact", "retired", "modelled". */
const char *trust_word(enum apmu_trust trust);

#endif
