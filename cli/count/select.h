/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that a user chose with --event, and how the engine counts each of them. */
#ifndef ARMPMU_CLI_SELECT_H
#define ARMPMU_CLI_SELECT_H

#include <stdint.h>

#include <armpmu/core.h>

#include "../cli.h"

struct engine;

/** An event as the user wrote it. */
struct event_word {
    const char *text;     /**< its name or number */
    const char *modifier; /**< what follows ':', or "" */
    uint64_t filter;      /**< the filter bits of PMEVTYPER<n>_EL0 that the modifier stands for; 0 without one */
    unsigned group;       /**< its group: events between the same braces share one, any other event has its own */
    bool shared;          /**< a metric needs it: the same event, if it is chosen already, will do */
    unsigned only;        /**< 1 + the only provider on which to add it; 0: all that have it */
};

/** An event that an engine counts. */
struct event_choice {
    char name[160];    /**< its name as it is printed */
    uint16_t number;
    bool needed;       /**< a metric needs it; the user did not choose it */
    bool modified;     /**< its modifier decides the filter: the user's, or the :u that engine perf adds */
    uint64_t filter;   /**< the filter bits of PMEVTYPER<n>_EL0 */
    unsigned group;    /**< its group: events of one group are counted at the same times */
    unsigned provider; /**< the engine's own number for what counts it: perf's PMU, the emulator's source or core */
    const char *trust; /**< "exact", "retired", "modelled" or "measured" */
    const char *mark;  /**< what is printed after the name; "" for exact and measured */
};

/** The events that are counted, in the order in which they are printed.  The events of a group are adjacent. */
struct selection {
    struct event_choice *events;
    size_t count;
    const struct apmu_core_row *core; /**< the core that is modelled; NULL: none */
    char core_mark[48];               /**< the mark of what it counts: "modelled:cortex-a72"; "": nobody asked for it */
    bool sampled;                     /**< samples are taken: the model of the core counts all events */
    unsigned groups; /**< the number of groups, each in braces or a single event */
};

/**
 * Adds the events of @list, "NAME,rHEX,{0xHEX,NAME}:u,...", to @s as @engine counts them.
 * Returns CLI_YES; or, after a line that names the event, the cause and the cure, CLI_USAGE if an event is unknown or
 * chosen already, CLI_CANNOT if the engine does not count it.
 */
int select_events(struct selection *s, const struct cli_verb *verb, const struct engine *engine, const char *list);

/** Adds those of the usual events of @engine that it supports here.  Returns as select_events() does. */
int select_usual(struct selection *s, const struct cli_verb *verb, const struct engine *engine);

/**
 * Adds one event, which the user wrote as @word: after the last event of its group, or at the end if it is the first.
 * Returns CLI_YES, or CLI_USAGE after a complaint if the event is chosen already.
 */
int select_add(struct selection *s, const struct cli_verb *verb, const struct event_word *word,
               const struct event_choice *choice);

/**
 * Adds the event called @name, which a metric needs, in a group of its own, unless it is chosen already.  @only is 1 +
 * the provider that is to count it, or 0.  Returns as select_events() does.
 */
int select_needed(struct selection *s, const struct cli_verb *verb, const struct engine *engine, const char *name,
                  unsigned only);

/**
 * Returns the index of event number @number as the metrics use it: without a modifier, if it is chosen so.  @only is as
 * for select_needed().  Returns s->count if the event is not chosen.
 */
size_t select_find(const struct selection *s, uint16_t number, unsigned only);

/** Complains that no event is named @word, and names the nearest.  Returns CLI_USAGE. */
int select_complain_unknown(const struct cli_verb *verb, const struct event_word *word);

/** Frees the events; @s is empty then. */
void select_free(struct selection *s);

#endif
