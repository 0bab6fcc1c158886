/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that a user chose, and how each is counted. */
#ifndef ARMPMU_CLI_SELECT_H
#define ARMPMU_CLI_SELECT_H

#include "../source/source.h"
#include "cli.h"

struct event_choice {
    uint16_t number;
    enum apmu_source source;
    enum apmu_trust trust;
};

struct selection {
    struct event_choice *events;
    size_t count;
};

/**
 * Adds the events of @list, "NAME,rHEX,0xHEX,...", to @s.
 * 0; CLI_USAGE if one is unknown or chosen already, CLI_CANNOT if no engine counts it: a line says which, why and what
 * to do.
 */
int select_events(struct selection *s, const struct cli_verb *verb, const char *list);

/** Chooses the events of `armpmu stat` without -e. */
int select_default(struct selection *s, const struct cli_verb *verb);

void selection_free(struct selection *s);

/** Arm's name of event @number.  Only for events that have a source, which have names. */
const char *event_name(uint16_t number);

/** "exact", "retired", "modelled". */
const char *trust_word(enum apmu_trust trust);

/** What is said beside a count: "", "retired for speculated", "modelled". */
const char *trust_mark(enum apmu_trust trust);

#endif
