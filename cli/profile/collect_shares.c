/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what each event of a recording counts of each source.  That decides the model PMU, as it does for stat: each
 * source is fed to it once, and what each counter counts of it is the event's share.
 */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "../count/bank.h"
#include "../count/emulator.h"

#define TRIAL 1000u /* occurrences of each source by which sums are tried */

/* Feeds the bank with @times of @source, or of each source if that is APMU_SOURCE_COUNT, and adds what it counted. */
static enum apmu_error try_source(struct bank *bank, size_t source, uint64_t times, uint64_t *before, uint64_t *now)
{
    uint64_t delta[APMU_SOURCE_COUNT] = {0};

    for (size_t s = 0; s < APMU_SOURCE_COUNT; s++) {
        delta[s] = s == source || source == APMU_SOURCE_COUNT ? times : 0;
    }
    memcpy(before, now, sizeof *now * bank->count * APMU_EVENT_COUNTERS);
    bank_feed(bank, delta, NULL, 0);
    return bank_read(bank, now);
}

/* Returns the number of event @i of the selection among those of the modelled core, or APMU_RUN_CORE_EVENTS. */
static size_t core_event_of(const struct count_job *job, const struct collect_shares *s, size_t i)
{
    return emulator_core_event(&job->selection.events[i], s->core_events, s->core_event_count);
}

/* Adds a share. */
static void add_share(struct collect_shares *s, size_t event, size_t source, uint64_t times)
{
    s->shares = cli_allocate(s->shares, s->count + 1, sizeof *s->shares);
    s->shares[s->count++] = (struct event_share){(uint32_t)event, (uint32_t)source, times};
}

/* Returns the first event of which the counts @sum and @shares of one try are no sum over sources, or @events. */
static size_t not_a_sum(const struct count_job *job, const struct collect_shares *s, const uint64_t *before,
                        const uint64_t *now, size_t events)
{
    for (size_t i = 0; i < events; i++) {
        uint64_t sum = 0;

        if (core_event_of(job, s, i) != APMU_RUN_CORE_EVENTS) {
            continue;
        }
        for (size_t k = 0; k < s->count; k++) {
            sum += s->shares[k].event == i ? s->shares[k].times * TRIAL : 0;
        }
        if (sum != now[i] - before[i]) {
            return i;
        }
    }
    return events;
}

/* Finds the shares by the PMUs of @bank.  Returns CLI_YES, or the exit status after a complaint. */
static int find_shares(const struct count_job *job, struct collect_shares *s, struct bank *bank)
{
    const struct selection *chosen = &job->selection;
    uint64_t *before = cli_allocate(NULL, bank->count * APMU_EVENT_COUNTERS, sizeof *before);
    uint64_t *now = cli_allocate(NULL, bank->count * APMU_EVENT_COUNTERS, sizeof *now);
    enum apmu_error error = APMU_OK;
    size_t wrong = chosen->count;

    for (size_t source = 0; source < APMU_SOURCE_COUNT && error == APMU_OK; source++) {
        error = try_source(bank, source, 1, before, now);
        for (size_t i = 0; i < chosen->count && error == APMU_OK; i++) {
            if (now[i] != before[i] && core_event_of(job, s, i) == APMU_RUN_CORE_EVENTS) {
                add_share(s, i, source, now[i] - before[i]);
            }
        }
    }
    if (error == APMU_OK) {
        error = try_source(bank, APMU_SOURCE_COUNT, TRIAL, before, now);
        wrong = not_a_sum(job, s, before, now, chosen->count);
    }
    for (size_t i = 0; i < chosen->count; i++) {
        if (core_event_of(job, s, i) != APMU_RUN_CORE_EVENTS) {
            add_share(s, i, APMU_SOURCE_COUNT + core_event_of(job, s, i), 1);
        }
    }
    free(before);
    free(now);
    if (error != APMU_OK) {
        cli_complain(job->verb, "PMU: %s; %s", apmu_error_text(error), apmu_error_cure(error));
        return CLI_CANNOT;
    }
    if (wrong < chosen->count) {
        cli_complain(job->verb, "event %s: what it counts is no sum over instructions, so it belongs to none; count "
                                "it with armpmu stat", chosen->events[wrong].name);
        return CLI_CANNOT;
    }
    return CLI_YES;
}

int collect_shares_find(struct collect_shares *s, const struct count_job *job)
{
    const struct selection *chosen = &job->selection;
    struct bank bank;
    size_t event = 0;
    const enum apmu_error error = bank_open(&bank, chosen, false, &event);
    int status = CLI_CANNOT;

    s->core_event_count = emulator_core_events(chosen, s->core_events);
    if (error != APMU_OK) {
        cli_complain(job->verb, "%s%s: %s; %s", event < chosen->count ? "event " : "PMU",
                     event < chosen->count ? chosen->events[event].name : "", apmu_error_text(error),
                     apmu_error_cure(error));
    } else {
        status = find_shares(job, s, &bank);
    }
    bank_close(&bank);
    return status;
}
