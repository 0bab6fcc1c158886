/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A property is a C function over a source of choices, pick(bits).  Behind pick() stands a counter (every state of a
 * small space), a random generator (a soak of a large one), or the bytes of a fuzzer.
 */
#ifndef ARMPMU_TEST_ANY_H
#define ARMPMU_TEST_ANY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/model.h>

struct choices {
    uint64_t random;     /* state of the generator, or 0: choices come from `counter` */
    uint64_t counter;    /* bits not yet handed out */
    unsigned handed_out; /* bits handed out */
};

static inline uint64_t pick(struct choices *c, unsigned bits)
{
    const uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

    c->handed_out += bits;
    if (c->random == 0) {
        const uint64_t value = c->counter & mask;
        c->counter >>= bits;
        return value;
    }
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return (c->random * UINT64_C(0x2545F4914F6CDD1D) >> 11 ^ c->random << 53) & mask;
}

/* One of @n things, n <= 256. */
static inline unsigned pick_of(struct choices *c, unsigned n)
{
    return (unsigned)(pick(c, 16) % n);
}

/* A counter value: often close to one of the places where counters overflow. */
static inline uint64_t pick_count(struct choices *c)
{
    switch (pick(c, 2)) {
    case 0:
        return pick(c, 64);
    case 1:
        return UINT64_C(0xFFFFFFFF) - pick(c, 6);
    case 2:
        return UINT64_MAX - pick(c, 6);
    default:
        return (pick(c, 32) << 32 | UINT64_C(0xFFFFFFFF)) - pick(c, 5);
    }
}

static const uint16_t any_events[4] = {0x0008, 0x0011, 0x001E, 0x0024};

/* An implementation: any set of features over one of the shapes of Exception levels that exist. */
static inline struct apmu_config any_config(struct choices *c)
{
    static const uint8_t els[] = {0x0F, 0x03, 0x07, 0x0B, 0x1F, 0x3F, 0x7F, 0x17, 0x33, 0xF0, 0x30, 0x70, 0xB0};
    const uint8_t el = els[pick_of(c, sizeof els)];
    struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = (pick(c, 38) & ~UINT64_C(0xFF)) | el | APMU_FEAT(PMUv3),
        .counters = (uint8_t)(pick(c, 2) != 0 ? 2 + pick(c, 2) : pick(c, 5)),
        .secure_only = pick(c, 1) != 0,
        .export_bus = pick(c, 1) != 0,
        .thwidth = 12,
        .sync_events = {0x0008, 0x0024},
        .sync_event_count = (uint8_t)pick_of(c, 3),
        .reserved_hpmn = (uint8_t)pick(c, 2),
        .reserved_epmn = (uint8_t)pick(c, 2),
        .reserved_vs_filters = pick(c, 1) != 0,
        .chain_crosses_ranges = pick(c, 1) != 0,
        .a32_long_counters = pick(c, 1) != 0,
        .reserved_threshold_off = pick(c, 1) != 0,
        .reserved_pmee = (uint8_t)pick(c, 2),
    };

    cfg.features &= ~(APMU_FEAT(AA64) | APMU_FEAT(AA32));
    cfg.features |= (el & 0x0F) != 0 ? APMU_FEAT(AA64) : 0;
    cfg.features |= (el & 0xF0) != 0 ? APMU_FEAT(AA32) : 0;
    cfg.counters = cfg.counters > 31 ? 31 : cfg.counters;
    return cfg;
}

static inline void any_pe(struct choices *c, const struct apmu_config *cfg, struct apmu_pe *pe)
{
    const unsigned els = (unsigned)((cfg->features | cfg->features >> 4) & 0x0F);

    memset(pe, 0, sizeof *pe);
    do {
        pe->el = (uint8_t)pick(c, 2);
    } while ((els >> pe->el & 1) == 0);
    pe->halted = pick(c, 4) == 0;
    pe->sm = pick(c, 1) != 0;
    pe->dbgen = pick(c, 1) != 0;
    pe->spiden = pick(c, 2) == 0;
    pe->unattributable = pick(c, 3) == 0;
    pe->mdcr_el2 = pick(c, 64) & ~UINT64_C(0x1F);
    pe->mdcr_el2 |= pick(c, 3);
    pe->mdcr_el3 = pick(c, 64);
    pe->scr_el3 = pick(c, 64);
    pe->hcr_el2 = pick(c, 64);
    pe->sder32_el3 = pick(c, 2);
    pe->pmblimitr_el1 = pick(c, 8);
    pe->pmbsr_el1 = pick(c, 20);
    pe->pmbsr_el2 = pick(c, 20);
    pe->pmbsr_el3 = pick(c, 20);
    pe->pmscr_el2 = pick(c, 10);
}

/* A unit in any state.  Every byte is defined, so that two can be compared with memcmp(). */
static inline void any_unit(struct choices *c, struct apmu *p)
{
    memset(p, 0, sizeof *p);
    p->cfg = any_config(c);
    p->pmcr = pick(c, 33) | (pick(c, 1) != 0);
    p->cnten = pick(c, 33) | pick(c, 33);
    p->inten = pick(c, 33);
    p->ovs = pick(c, 1) != 0 ? 0 : pick(c, 33) & pick(c, 33) & pick(c, 33);
    p->ecr = pick(c, 5);
    p->ccr = pick(c, 3) | APMU_PUT(PMCCR, EPME, pick(c, 1));
    p->last_threshold = (uint32_t)pick(c, 32);
    p->divider = (uint8_t)pick(c, 6);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t filter = pick(c, 1) != 0 ? APMU_MASK(PMEVTYPER_EL0, NSH) : pick(c, 16) << 16;
        const uint64_t mode = pick(c, 2) != 0 ? 0 : APMU_PUT(PMEVTYPER_EL0, VS, pick(c, 2)) |
                                                    APMU_PUT(PMEVTYPER_EL0, SYNC, pick(c, 1));
        const uint64_t threshold = pick(c, 1) != 0 ? 0 : APMU_PUT(PMEVTYPER_EL0, TC, pick(c, 3)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TE, pick(c, 1)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TLC, pick(c, 2)) |
                                                         APMU_PUT(PMEVTYPER_EL0, TH, pick(c, 2));
        p->typer[n] = filter | mode | threshold | any_events[pick(c, 2)];
        p->cntr[n] = pick_count(c);
        const bool optional = (p->cfg.features & 0x0F) == 0 && !p->cfg.a32_long_counters;
        if (n < APMU_CYCLE && ((p->cfg.features & APMU_FEAT(PMUv3p5)) == 0 || optional)) {
            p->cntr[n] &= UINT32_MAX;
        }
    }
}

/* Prints the verdict of a property; the exit status of main(). */
static inline int verdict(const char *name, unsigned long failures, const char *first)
{
    if (failures != 0) {
        printf("not ok %s: %lu failures; the first: %s\n", name, failures, first);
        return 1;
    }
    printf("ok %s\n", name);
    return 0;
}

/* The seed and length of a soak: ARMPMU_SEED and ARMPMU_ROUNDS, or @rounds. */
static inline struct choices soak(unsigned long *rounds)
{
    const char *seed = getenv("ARMPMU_SEED"), *n = getenv("ARMPMU_ROUNDS");
    const struct choices c = {.random = (seed != NULL ? strtoull(seed, NULL, 0) : 0) * 2 + UINT64_C(88172645463325253)};

    *rounds = n != NULL ? strtoul(n, NULL, 0) : *rounds;
    return c;
}

/* What the last failure was about; a property writes it before it answers true. */
static char any_message[256];

/* Runs @fails, a property that answers true where it does not hold, on @rounds random states. */
static inline int property(const char *name, bool (*fails)(struct choices *), unsigned long rounds)
{
    struct choices c = soak(&rounds);
    unsigned long failures = 0;
    char first[sizeof any_message] = "";

    for (unsigned long i = 0; i < rounds; i++) {
        if (fails(&c) && failures++ == 0) {
            memcpy(first, any_message, sizeof first);
        }
    }
    return verdict(name, failures, first);
}

#endif
