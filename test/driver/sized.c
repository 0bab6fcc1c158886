/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers of other versions.  Passes every structure that has a .size, smaller and larger than the library's.  Each
 * structure is in a heap block of exactly its size, so a sanitizer finds reads beyond its end.
 */
#include <stdlib.h>
#include <string.h>

#include <armpmu/arm11.h>
#include <armpmu/arm11_driver.h>
#include <armpmu/explain.h>
#include <armpmu/perf.h>

#include "../lib/tap.h"
#include "driver.h"

/* A structure in its second version.  The first version had a and b. */
struct grown {
    uint32_t size;
    uint32_t a;
    uint64_t b;
    uint64_t c;
};
enum { FIRST = offsetof(struct grown, c) };

/* Returns a block of @size bytes that begins with @known bytes of @whole; the rest is @fill.  The caller frees it. */
static void *block(const void *whole, size_t known, uint32_t size, unsigned char fill)
{
    unsigned char *at = malloc(size < sizeof size ? sizeof size : size);

    memset(at, fill, size);
    memcpy(at, whole, size < known ? size : known);
    memcpy(at, &size, sizeof size);
    return at;
}

/* Checks apmu_sized_check() and apmu_sized_take() on a structure of every size. */
static void both_directions(void)
{
    const struct grown whole = {.size = sizeof whole, .a = 1, .b = 2, .c = 3};
    struct grown taken;

    for (uint32_t size = 0; size <= 2 * sizeof whole; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            void *given = block(&whole, sizeof whole, size, (unsigned char)fill);
            const enum apmu_sized is = apmu_sized_check(given, sizeof whole, FIRST);

            MUST(is == (size < FIRST                       ? APMU_SIZED_SMALL
                        : size > sizeof whole && fill != 0 ? APMU_SIZED_NEWER
                                                           : APMU_SIZED_OK),
                 "%u bytes, %u: %d", size, fill, (int)is);
            memset(&taken, 0xFF, sizeof taken);
            apmu_sized_take(&taken, sizeof taken, given);
            MUST(taken.size == sizeof taken, "size %u", taken.size);
            if (size >= FIRST) {
                MUST(taken.a == 1 && taken.b == 2, "the first members, of %u bytes", size);
            }
            MUST(size >= sizeof taken ? taken.c == 3 : size > FIRST || taken.c == 0, "the last member, of %u bytes",
                 size);
            free(given);
        }
    }
    const uint32_t never = UINT32_MAX;
    MUST(apmu_sized_check(&never, sizeof never, 4) == APMU_SIZED_SMALL, "a size that nobody set");
}

static void configurations(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg, .features = P1_FEATURES, .counters = 6};
    static struct apmu unit, whole;
    static struct apmu_facts facts;

    apmu_init(&whole, &cfg);
    for (uint32_t size = 0; size <= sizeof cfg + 64; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            struct apmu_config *given = block(&cfg, sizeof cfg, size, (unsigned char)fill);
            const char *wrong = apmu_config_check(given);

            MUST(size < APMU_CONFIG_SIZE_FIRST ? wrong != NULL && strstr(wrong, "size: is smaller") != NULL
                 : size > sizeof cfg && fill != 0 ? wrong != NULL && strstr(wrong, "size: is larger") != NULL
                                                  : wrong == NULL, "%u bytes, %u: %s", size, fill, wrong);
            apmu_init(&unit, given);
            apmu_facts_init(&facts, given);
            MUST(size < sizeof cfg || memcmp(&unit, &whole, sizeof unit) == 0, "the unit of %u bytes", size);
            MUST(unit.cfg.size == sizeof cfg && facts.is.p.cfg.size == sizeof cfg, "its size, of %u bytes", size);
            free(given);
        }
    }
}

static void configurations_of_arm11(void)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1176, .unknown_fill = 5};
    struct apmu_arm11 unit, whole;

    apmu_arm11_init(&whole, &cfg);
    for (uint32_t size = 0; size <= sizeof cfg + 64; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            struct apmu_arm11_config *given = block(&cfg, sizeof cfg, size, (unsigned char)fill);
            const char *wrong = apmu_arm11_config_check(given);

            MUST((wrong == NULL) == (size >= APMU_ARM11_CONFIG_SIZE_FIRST && (size <= sizeof cfg || fill == 0)),
                 "%u bytes, %u: %s", size, fill, wrong);
            apmu_arm11_init(&unit, given);
            MUST(size < sizeof cfg || unit.cfg.unknown_fill == 5, "the unit of %u bytes", size);
            MUST(unit.cfg.size == sizeof cfg && (size < sizeof cfg || unit.pmnc == whole.pmnc), "of %u bytes", size);
            free(given);
        }
    }
}

/* Checks that a back end's table of functions is not called if it is smaller than this version's. */
static void tables_of_functions(void)
{
    struct driver_bench b;
    struct apmu_session session;
    const struct apmu_wish wish = {.event = 8};
    size_t refused;

    MUST(bench_init(&b, P1_FEATURES, 4), "no bench");
    for (uint32_t size = sizeof(uint32_t); size <= sizeof apmu_model_ops + 64; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            struct apmu_reg_ops *ops = block(&apmu_model_ops, sizeof apmu_model_ops, size, (unsigned char)fill);
            const struct apmu_dev dev = {.ops = ops, .ctx = b.dev.ctx};
            const bool fits = size >= sizeof *ops && (size == sizeof *ops || fill == 0);
            struct apmu_pmu pmu;

            MUST((apmu_pmu_discover(&dev, NULL, &pmu) == APMU_OK) == fits, "discover: %u bytes, %u", size, fill);
            MUST(fits || apmu_pmu_discover(&dev, NULL, &pmu) == APMU_E_SIZE, "its error: %u bytes", size);
            const enum apmu_error error = apmu_session_open(&session, &dev, &b.pmu, &wish, 1, &refused);
            MUST(error == (fits ? APMU_OK : APMU_E_SIZE) && (fits || refused == 1), "open: %u bytes: %d", size,
                 (int)error);
            MUST(session.state == (fits ? APMU_SESSION_STOPPED : APMU_SESSION_CLOSED), "state: %u bytes", size);
            (void)apmu_session_close(&session);
            free(ops);
        }
    }
}

static enum apmu_error fine(struct apmu_session *s)
{
    (void)s;
    return APMU_OK;
}

static void functions_of_a_session(void)
{
    const struct apmu_session_ops whole = {.size = sizeof whole, .start = fine};

    for (uint32_t size = sizeof(uint32_t); size <= sizeof whole + 64; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            struct apmu_session_ops *ops = block(&whole, sizeof whole, size, (unsigned char)fill);
            struct apmu_session session = {.ops = ops, .state = APMU_SESSION_STOPPED};
            const bool fits = size >= sizeof *ops && (size == sizeof *ops || fill == 0);

            MUST(apmu_session_start(&session) == (fits ? APMU_OK : APMU_E_SIZE), "start: %u bytes, %u", size, fill);
            free(ops);
        }
    }
}

static enum apmu_error read_arm11(void *ctx, enum apmu_arm11_reg reg, uint32_t *value)
{
    (void)ctx;
    (void)reg;
    *value = 0;
    return APMU_OK;
}

static enum apmu_error write_arm11(void *ctx, enum apmu_arm11_reg reg, uint32_t value)
{
    (void)ctx;
    (void)reg;
    (void)value;
    return APMU_OK;
}

static void sync_nothing(void *ctx)
{
    (void)ctx;
}

static void functions_of_arm11(void)
{
    const struct apmu_arm11_reg_ops whole = {
        .size = sizeof whole, .read = read_arm11, .write = write_arm11, .sync = sync_nothing};
    const struct apmu_wish wish = {.event = 0xFF};

    for (uint32_t size = sizeof(uint32_t); size <= sizeof whole + 64; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            struct apmu_arm11_reg_ops *ops = block(&whole, sizeof whole, size, (unsigned char)fill);
            struct apmu_arm11_driver driver = {.ops = ops, .part = APMU_ARM1176};
            struct apmu_session session;
            const bool fits = size >= sizeof *ops && (size == sizeof *ops || fill == 0);
            const enum apmu_error error = apmu_arm11_session_open(&session, &driver, &wish, 1, NULL);

            MUST((error != APMU_E_SIZE) == fits, "open: %u bytes, %u: %d", size, fill, (int)error);
            free(ops);
        }
    }
}

#ifdef __linux__
static void options_of_perf(void)
{
    const struct apmu_perf_options whole = {.size = sizeof whole, .thread = 1};
    const struct apmu_wish wish = {.event = 8};

    for (uint32_t size = 0; size <= sizeof whole + 64; size++) {
        for (unsigned fill = 0; fill < 2; fill++) {
            struct apmu_perf_options *options = block(&whole, sizeof whole, size, (unsigned char)fill);
            static struct apmu_perf perf;
            struct apmu_session session;
            size_t refused = 7;
            const bool fits = size >= sizeof *options && (size == sizeof *options || fill == 0);
            const enum apmu_error error = apmu_perf_session_open(&session, &perf, options, &wish, 1, &refused);

            MUST((error != APMU_E_SIZE) == fits && (fits || refused == 1), "open: %u bytes, %u: %d", size, fill,
                 (int)error);
            if (error == APMU_OK) {
                (void)apmu_session_close(&session);
            }
            free(options);
        }
    }
}
#endif

int main(void)
{
    RUN(both_directions);
    RUN(configurations);
    RUN(configurations_of_arm11);
    RUN(tables_of_functions);
    RUN(functions_of_a_session);
    RUN(functions_of_arm11);
#ifdef __linux__
    RUN(options_of_perf);
#endif
    return tap_status;
}
