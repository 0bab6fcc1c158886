/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A decorator of the register seam: a PE that reorders accesses as far as the architecture allows without
 * synchronization.
 *
 * A direct write of a System register need not be seen by other instructions before the next Context synchronization
 * event (Arm ARM, D24.1.2.2).  Here it waits until sync().  With .random, it waits until some moment before that, out
 * of order with writes of other registers.  An access to PMXEVTYPER_EL0 or PMXEVCNTR_EL0 uses the value that PMSELR_EL0
 * has when the access is executed, even if a write of PMSELR_EL0 is still waiting.  Reads of different registers do not
 * stay in order either (ILMSFT): with .model, a read may return the value of the register at the last sync().  Accesses
 * to one register stay in order.  The program runs meanwhile.
 */
#ifndef ARMPMU_TEST_LAZY_H
#define ARMPMU_TEST_LAZY_H

#include <string.h>

#include <armpmu/driver.h>
#include <armpmu/model.h>

#define LAZY_WRITES 64u

struct lazy_write {
    enum apmu_reg reg;
    unsigned n;
    uint64_t value;
};

/* The context.  @inner performs the accesses that no longer wait.  The other members may be 0. */
struct lazy {
    struct apmu_dev inner;
    void (*meanwhile)(void *ctx); /* called before each access */
    void *meanwhile_ctx;
    uint64_t random;     /* 0: writes wait as long as possible; else the state of a generator */
    const struct apmu *model; /* the PMU of @inner, whose reads may be early; NULL: none are */
    const struct apmu_pe *pe; /* the PE state for early reads */
    struct apmu before;  /* the PMU at the last sync() */
    uint64_t seen[APMU_REG_COUNT]; /* copies accessed since then; reads of these are not early */
    unsigned long calls; /* number of reads, writes and syncs */
    unsigned count;
    struct lazy_write waiting[LAZY_WRITES];
};

static inline enum apmu_error lazy_perform(struct lazy *l, unsigned i)
{
    const struct lazy_write w = l->waiting[i];

    l->count--;
    for (; i < l->count; i++) {
        l->waiting[i] = l->waiting[i + 1];
    }
    return l->inner.ops->write(l->inner.ctx, w.reg, w.n, w.value);
}

/* Performs the waiting writes of one register, or all of them, oldest first. */
static inline void lazy_catch_up(struct lazy *l, bool all, enum apmu_reg reg, unsigned n)
{
    for (unsigned i = 0; i < l->count;) {
        if (all || (l->waiting[i].reg == reg && l->waiting[i].n == n)) {
            (void)lazy_perform(l, i);
        } else {
            i++;
        }
    }
}

static inline uint64_t lazy_random(struct lazy *l)
{
    l->random = l->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return l->random >> 32;
}

static inline void lazy_moment(struct lazy *l)
{
    l->calls++;
    if (l->meanwhile != NULL) {
        l->meanwhile(l->meanwhile_ctx);
    }
    if (l->random != 0 && l->count != 0 && lazy_random(l) % 4 != 0) {
        const unsigned i = (unsigned)(lazy_random(l) % l->count);

        lazy_catch_up(l, false, l->waiting[i].reg, l->waiting[i].n);
    }
}

/* Replaces PMXEVTYPER_EL0 and PMXEVCNTR_EL0 by the register that PMSELR_EL0 selects at this moment. */
static inline void lazy_select(struct lazy *l, enum apmu_reg *reg, unsigned *n)
{
    uint64_t selected = 0;

    if (*reg != APMU_REG_PMXEVTYPER_EL0 && *reg != APMU_REG_PMXEVCNTR_EL0) {
        return;
    }
    (void)l->inner.ops->read(l->inner.ctx, APMU_REG_PMSELR_EL0, 0, &selected);
    if (selected == APMU_CYCLE) {
        *reg = *reg == APMU_REG_PMXEVTYPER_EL0 ? APMU_REG_PMCCFILTR_EL0 : *reg;
        return;
    }
    *reg = *reg == APMU_REG_PMXEVTYPER_EL0 ? APMU_REG_PMEVTYPER_EL0 : APMU_REG_PMEVCNTR_EL0;
    *n = (unsigned)selected;
}

static inline enum apmu_error lazy_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    struct lazy *l = ctx;

    lazy_moment(l);
    lazy_select(l, &reg, &n);
    lazy_catch_up(l, false, reg, n);
    if (l->model != NULL && reg < APMU_REG_COUNT && (l->seen[reg] >> n & 1) == 0 && lazy_random(l) % 2 != 0) {
        *value = apmu_peek(&l->before, l->pe, reg, n);
        return APMU_OK;
    }
    if (reg < APMU_REG_COUNT) {
        l->seen[reg] |= UINT64_C(1) << n;
    }
    return l->inner.ops->read(l->inner.ctx, reg, n, value);
}

/*
 * If @inner refuses the write, it does so when the write is performed, and the caller does not learn it.  Test refusals
 * on @inner itself.
 */
static inline enum apmu_error lazy_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    struct lazy *l = ctx;

    lazy_moment(l);
    lazy_select(l, &reg, &n);
    if (l->count == LAZY_WRITES) {
        (void)lazy_perform(l, 0);
    }
    l->waiting[l->count++] = (struct lazy_write){reg, n, value};
    if (reg < APMU_REG_COUNT) {
        l->seen[reg] |= UINT64_C(1) << n;
    }
    return APMU_OK;
}

static inline void lazy_sync(void *ctx)
{
    struct lazy *l = ctx;

    lazy_moment(l);
    lazy_catch_up(l, true, APMU_REG_PMCR_EL0, 0);
    l->inner.ops->sync(l->inner.ctx);
    if (l->model != NULL) {
        l->before = *l->model;
        memset(l->seen, 0, sizeof l->seen);
    }
}

static const struct apmu_reg_ops lazy_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = lazy_read, .write = lazy_write, .sync = lazy_sync,
};

#endif
