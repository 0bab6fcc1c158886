/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model of the ARM11 unit, a driver of it, and a back end between them that watches the driver and can make an access
 * fail.  Tests of the ARM11 driver include it.
 */
#ifndef ARMPMU_TEST_ARM11_WATCH_H
#define ARMPMU_TEST_ARM11_WATCH_H

#include <string.h>

#include <armpmu/arm11.h>
#include <armpmu/arm11_driver.h>

#include "errors.h"

#define BR APMU_ARM11_EV_BR_EXEC
#define MISS APMU_ARM11_EV_BR_MISPREDICT
#define CYCLES APMU_ARM11_EV_CPU_CYCLES
#define ANY APMU_COUNTER_ANY
#define FLAGS ((uint32_t)APMU_BITS(APMU_PMNC_OCC_MSB, APMU_PMNC_OC0_LSB))
#define ENABLE ((uint32_t)APMU_MASK(PMNC, E))

static struct apmu_arm11 unit;
static struct apmu_arm11_pe pe;
static struct apmu_arm11_driver driver;
static struct apmu_session session;
static struct apmu_reading out[3];

/*
 * The back end between the driver and the model.  It watches PMNC, fails one access, and can make events occur between
 * accesses.
 */
static struct arm11_watch {
    struct apmu_arm11_model_backend model;
    unsigned long calls, fail_at;
    uint32_t pmnc;          /* the value that was last written */
    bool cleared;           /* flags have been written as 1 since the last check */
    bool bad_clear;         /* such a write happened with E not 1 before or in it */
    bool asserted;          /* an interrupt was asserted after a write */
    bool busy;              /* events continue to occur after every write, if the unit is enabled */
    bool acts;              /* a write that fails takes effect nevertheless */
    void (*before)(enum apmu_arm11_reg reg);
} watch;

static enum apmu_error watch_read(void *ctx, enum apmu_arm11_reg reg, uint32_t *value)
{
    struct arm11_watch *w = ctx;

    if (w->before != NULL) {
        w->before(reg);
    }
    return ++w->calls == w->fail_at ? APMU_E_BACKEND : apmu_arm11_model_ops.read(&w->model, reg, value);
}

static enum apmu_error watch_write(void *ctx, enum apmu_arm11_reg reg, uint32_t value)
{
    struct arm11_watch *w = ctx;
    const bool fails = ++w->calls == w->fail_at;

    if (fails && !w->acts) {
        return APMU_E_BACKEND;
    }
    if (reg == APMU_ARM11_REG_PMNC) {
        w->cleared |= (value & FLAGS) != 0;
        w->bad_clear |= (value & FLAGS) != 0 && (value & w->pmnc & ENABLE) == 0;
        w->pmnc = value;
    }
    const enum apmu_error error = apmu_arm11_model_ops.write(&w->model, reg, value);

    w->asserted |= apmu_arm11_irq(w->model.unit) || apmu_arm11_fiq(w->model.unit);
    if (w->busy) {
        apmu_arm11_event(w->model.unit, w->model.pe, BR, 3, 1, NULL);
        apmu_arm11_event(w->model.unit, w->model.pe, MISS, 3, 1, NULL);
    }
    return fails ? APMU_E_BACKEND : error;
}

static void watch_sync(void *ctx)
{
    (void)ctx;
}

static const struct apmu_arm11_reg_ops watch_ops = {
    .size = sizeof watch_ops, .read = watch_read, .write = watch_write, .sync = watch_sync,
};

static const enum apmu_arm11_parts parts[] = {APMU_ARM1136, APMU_ARM1156, APMU_ARM1176};

/*
 * All implementations: each part, each reading of "when bit 0 is set", with and without irq_needs_enable, and with and
 * without garbage in bits that may hold it.
 */
enum { IMPLEMENTATIONS = 3 * 3 * 2 * 2 };

static inline void implementation(unsigned i)
{
    const struct apmu_arm11_config cfg = {
        .size = sizeof cfg, .part = parts[i % 3], .clear = (enum apmu_arm11_clear)(i / 3 % 3),
        .irq_needs_enable = i / 9 % 2 != 0,
        .unpredictable = i / 18 != 0 ? UINT32_MAX : 0, .unknown_fill = i / 18 != 0 ? UINT32_MAX : 0,
    };

    MUST(apmu_arm11_config_check(&cfg) == NULL, "the unit of the test: %s", apmu_arm11_config_check(&cfg));
    apmu_arm11_init(&unit, &cfg);
    pe = (struct apmu_arm11_pe){0};
    watch = (struct arm11_watch){.model = {.unit = &unit, .pe = &pe}};
    driver = (struct apmu_arm11_driver){.ops = &watch_ops, .ctx = &watch, .part = cfg.part};
}

static inline void event(uint16_t number, uint64_t times)
{
    apmu_arm11_event(&unit, &pe, number, times, 1, NULL);
}

static inline void cycles(uint64_t n)
{
    apmu_arm11_cycles(&unit, &pe, n, NULL);
}

static bool stands_still(void)
{
    return !apmu_arm11_counts(&unit, &pe, APMU_ARM11_PMN0) && !apmu_arm11_counts(&unit, &pe, APMU_ARM11_PMN1) &&
           !apmu_arm11_counts(&unit, &pe, APMU_ARM11_CCNT);
}

static inline void open_and_start(const struct apmu_wish *wishes, size_t count)
{
    size_t refused = 99;

    MUST_GIVE(apmu_arm11_session_open(&session, &driver, wishes, count, &refused), APMU_OK, "open");
    MUST_EQ(refused, count, "refused");
    MUST(stands_still() && !apmu_arm11_irq(&unit) && !apmu_arm11_fiq(&unit), "open leaves the unit still and silent");
    MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
}

#endif
