/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the bank of model PMUs, and has the driver program and read them. */
#include "bank.h"

#include <stdlib.h>

#include <armpmu/events.h>

#include "core.h"

struct bank_driver {
    struct apmu_model_backend model;
    struct apmu_session session;
    size_t events; /* the events of the selection that it counts; with --el0 the session also has the cycle counter */
};

/*
 * The numbers of ARM11's events mean others in a PMUv3.  The bank counts them by numbers that PMUv3 leaves to the
 * implementation, from this one on.
 */
#define ARM11_EVENTS UINT16_C(0xC000)

/* Announces @event in @cfg. */
static void announce(struct apmu_config *cfg, uint16_t event)
{
    const int bit = apmu_event_pmceid(event);

    if (bit >= 0) {
        cfg->pmceid[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
}

/*
 * Returns the configuration of each PMU: 64-bit counters, on a PE with EL0 and EL1.  It announces the events of the
 * emulator's sources, those of the modelled @core, if that is not NULL, and those that its version requires.  Without a
 * core a required event without a source never occurs, such as a cache miss or a stall.
 */
static struct apmu_config configuration(const struct apmu_core_row *core)
{
    struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(AA64EL0) | APMU_FEAT(PMUv3p9)),
        .counters = APMU_EVENT_COUNTERS,
    };

    for (size_t i = 0; i < APMU_SOURCE_COUNT; i++) {
        announce(&cfg, apmu_source_info[i].event);
    }
    for (uint32_t event = 0; core != NULL && !core_is_arm11(core) && event <= UINT16_MAX; event++) {
        if (apmu_core_models(core, (uint16_t)event)) {
            announce(&cfg, (uint16_t)event);
        }
    }
    apmu_events_closure(cfg.features, cfg.pmceid);
    return cfg;
}

/* Programs PMU @at for @count events and starts it.  After an error, *@refused is the index in @events of its event. */
static enum apmu_error open_pmu(struct bank *b, size_t at, const struct event_choice *events, size_t count, bool el0,
                                size_t *refused)
{
    struct bank_driver *d = &b->drivers[at];
    struct apmu_wish wishes[APMU_COUNTERS];
    struct apmu_dev dev = {.ops = &apmu_model_ops, .ctx = &d->model};
    struct apmu_pmu pmu;
    enum apmu_error error;

    d->model = (struct apmu_model_backend){.pmu = &b->pmus[at], .pe = &b->driver_pe};
    d->events = count;
    for (size_t i = 0; i < count; i++) {
        wishes[i] = (struct apmu_wish){.event = bank_number(b, events[i].number), .counter = (uint8_t)i, .wide = true,
                                       .filter = APMU_FILTER(P)};
    }
    if (el0) {
        wishes[count++] = (struct apmu_wish){.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE,
                                             .filter = APMU_FILTER(P)};
    }
    error = apmu_pmu_discover(&dev, NULL, &pmu);
    if (error == APMU_OK) {
        error = apmu_session_open(&d->session, &dev, &pmu, wishes, count, refused);
    }
    if (error == APMU_OK && el0) {
        error = apmu_session_allow_user(&d->session, APMU_USER_FULL);
    }
    return error == APMU_OK ? apmu_session_start(&d->session) : error;
}

enum apmu_error bank_open(struct bank *b, const struct selection *s, bool el0, size_t *event)
{
    const struct apmu_config cfg = configuration(s->core);
    enum apmu_error error = APMU_OK;

    *b = (struct bank){.driver_pe = {.el = 1}, .numbers = core_is_arm11(s->core) ? ARM11_EVENTS : 0};
    b->count = (s->count + APMU_EVENT_COUNTERS - 1) / APMU_EVENT_COUNTERS;
    b->pmus = cli_allocate(NULL, b->count, sizeof *b->pmus);
    b->drivers = cli_allocate(NULL, b->count, sizeof *b->drivers);
    for (size_t at = 0; at < b->count && error == APMU_OK; at++) {
        const size_t first = at * APMU_EVENT_COUNTERS;
        const size_t rest = s->count - first;
        size_t refused = 0;

        apmu_init(&b->pmus[at], &cfg);
        b->program_pe = apmu_program_pe(&b->pmus[at]);
        error = open_pmu(b, at, &s->events[first], rest < APMU_EVENT_COUNTERS ? rest : APMU_EVENT_COUNTERS,
                         el0 && at == 0, &refused);
        *event = refused < b->drivers[at].events ? first + refused : s->count;
    }
    return error;
}

void bank_feed(struct bank *b, const uint64_t delta[APMU_SOURCE_COUNT], const struct apmu_occurred *events,
               size_t count)
{
    apmu_feed(b->pmus, b->count, &b->program_pe, delta);
    apmu_feed_events(b->pmus, b->count, &b->program_pe, events, count);
}

enum apmu_error bank_read(struct bank *b, uint64_t *counts)
{
    for (size_t at = 0; at < b->count; at++) {
        struct apmu_reading out[APMU_COUNTERS];
        const enum apmu_error error = apmu_session_read(&b->drivers[at].session, out);

        if (error != APMU_OK) {
            return error;
        }
        for (size_t i = 0; i < b->drivers[at].events; i++) {
            *counts++ = out[i].count;
        }
    }
    return APMU_OK;
}

void bank_close(struct bank *b)
{
    for (size_t at = 0; at < b->count; at++) {
        (void)apmu_session_close(&b->drivers[at].session);
    }
    free(b->pmus);
    free(b->drivers);
    *b = (struct bank){0};
}
