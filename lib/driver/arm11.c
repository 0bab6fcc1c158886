/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session seam over the ARM11 unit.  PMNC is always written as a whole, with a known value.  A read-modify-write
 * would write the overflow flags back as 1, which clears them.
 */
#include <armpmu/arm11_driver.h>

#define LAST_EVENT 0xFFu
#define CYCLES_PER_TICK 64u
#define FLAGS_AT APMU_PMNC_OC0_LSB /* three flags, in the order of the counters; the enables have the same order */
#define ALL_FLAGS 7u
#define ENABLE ((uint32_t)APMU_MASK(PMNC, E))
#define INTERRUPTS \
    ((uint32_t)(APMU_BITS(APMU_PMNC_ECC_MSB, APMU_PMNC_EC0_LSB) | APMU_BITS(APMU_PMNC_FCC_MSB, APMU_PMNC_FC0_LSB)))

/* A sequence of accesses.  After the first error nothing more is accessed. */
struct sequence {
    const struct apmu_arm11_driver *driver;
    enum apmu_error error;
};

static void put(struct sequence *q, enum apmu_arm11_reg reg, uint32_t value)
{
    if (q->error == APMU_OK) {
        q->error = q->driver->ops->write(q->driver->ctx, reg, value);
    }
}

/* Writes PMNC after everything that was written before it, and before everything that follows. */
static void put_control(struct sequence *q, uint32_t value)
{
    q->driver->ops->sync(q->driver->ctx);
    put(q, APMU_ARM11_REG_PMNC, value);
    q->driver->ops->sync(q->driver->ctx);
}

/* Reads a register.  Returns 0 after an error. */
static uint32_t get(struct sequence *q, enum apmu_arm11_reg reg)
{
    uint32_t value = 0;

    if (q->error == APMU_OK) {
        q->error = q->driver->ops->read(q->driver->ctx, reg, &value);
    }
    return q->error == APMU_OK ? value : 0;
}

static uint8_t get_flags(struct sequence *q)
{
    return (uint8_t)(get(q, APMU_ARM11_REG_PMNC) >> FLAGS_AT & ALL_FLAGS);
}

static enum apmu_arm11_reg register_of(unsigned n)
{
    return n == APMU_ARM11_PMN0   ? APMU_ARM11_REG_PMN0
           : n == APMU_ARM11_PMN1 ? APMU_ARM11_REG_PMN1 : APMU_ARM11_REG_CCNT;
}

static unsigned counter_of(const struct apmu_slot *slot)
{
    return slot->counter == APMU_CYCLE ? (unsigned)APMU_ARM11_CCNT : slot->counter;
}

static uint32_t cycles_per_tick(const struct apmu_arm11_driver *driver, unsigned counter)
{
    return driver->divide && counter == APMU_CYCLE ? CYCLES_PER_TICK : 1;
}

/*
 * Clears the flags driver->clearing of a stopped unit.  That requires PMNC.E = 1, so it enables the unit meanwhile,
 * with counters of 0, so that none overflows, and then writes driver->held to them.  driver->clearing is not 0 until
 * all of it is done, so after an error the next call begins again.
 */
static enum apmu_error clear_flags(struct apmu_session *s, struct apmu_arm11_driver *driver)
{
    const uint32_t quiet = driver->control & ~INTERRUPTS;
    struct sequence q = {.driver = driver};

    if (driver->clearing == 0) {
        return APMU_OK;
    }
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        put(&q, register_of(n), 0);
    }
    put_control(&q, quiet | ENABLE);
    put_control(&q, quiet | ENABLE | (uint32_t)driver->clearing << FLAGS_AT);
    put_control(&q, driver->control);
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        put(&q, register_of(n), driver->held[n]);
    }
    if (q.error != APMU_OK) {
        struct sequence again = {.driver = driver};

        put_control(&again, quiet); /* the unit may be enabled */
        return q.error;
    }
    driver->found |= driver->clearing;
    driver->clearing = 0;
    if (driver->restart) {
        driver->restart = false;
        driver->found = 0;
        for (size_t i = 0; i < s->count; i++) {
            s->slots[i].wraps = 0;
        }
    }
    return APMU_OK;
}

static enum apmu_error arm11_reset(struct apmu_session *s)
{
    struct apmu_arm11_driver *driver = s->ctx;

    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        driver->held[n] = 0;
    }
    for (size_t i = 0; i < s->count; i++) {
        driver->held[counter_of(&s->slots[i])] = (uint32_t)s->slots[i].initial;
    }
    driver->clearing = ALL_FLAGS;
    driver->restart = true;
    return clear_flags(s, driver);
}

static enum apmu_error arm11_start(struct apmu_session *s)
{
    struct apmu_arm11_driver *driver = s->ctx;
    struct sequence q = {.driver = driver, .error = clear_flags(s, driver)};

    put_control(&q, driver->control | ENABLE);
    if (q.error != APMU_OK) {
        struct sequence again = {.driver = driver};

        put_control(&again, driver->control);
    }
    return q.error;
}

static enum apmu_error arm11_stop(struct apmu_session *s)
{
    const struct apmu_arm11_driver *driver = s->ctx;
    struct sequence q = {.driver = driver};

    put_control(&q, driver->control);
    return q.error;
}

/*
 * Reads the counters into @raw and adds their overflow flags, which it clears, to driver->found.  If a flag was set
 * before its counter was read, the value includes the overflow.  If the flag rose since then, the value may lack the
 * overflow, so the counter is read again.
 */
static enum apmu_error collect(struct apmu_session *s, struct apmu_arm11_driver *driver, uint32_t *raw)
{
    struct sequence q = {.driver = driver, .error = clear_flags(s, driver)};
    uint8_t flags = get_flags(&q), late = 0;

    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        raw[n] = get(&q, register_of(n));
    }
    if (s->state != APMU_SESSION_RUNNING) {
        for (unsigned n = 0; n < APMU_ARM11_COUNTERS && q.error == APMU_OK; n++) {
            driver->held[n] = raw[n];
            driver->clearing = flags;
        }
        return q.error == APMU_OK ? clear_flags(s, driver) : q.error;
    }
    late = (uint8_t)(get_flags(&q) & ~flags);
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        if ((late & 1u << n) != 0) {
            raw[n] = get(&q, register_of(n));
        }
    }
    flags |= late;
    if (flags != 0) {
        put_control(&q, driver->control | ENABLE | (uint32_t)flags << FLAGS_AT);
    }
    if (q.error == APMU_OK) {
        driver->found |= flags;
    }
    return q.error;
}

static enum apmu_error arm11_read(struct apmu_session *s, struct apmu_reading *out)
{
    struct apmu_arm11_driver *driver = s->ctx;
    uint32_t raw[APMU_ARM11_COUNTERS];
    const enum apmu_error error = collect(s, driver, raw);

    if (error != APMU_OK) {
        return error;
    }
    for (size_t i = 0; i < s->count; i++) {
        struct apmu_slot *slot = &s->slots[i];
        const unsigned n = counter_of(slot);

        out[i].valid = true;
        out[i].overflowed = (driver->found >> n & 1) != 0;
        slot->wraps += out[i].overflowed;
        out[i].raw = raw[n];
        out[i].count = (raw[n] - slot->initial + (slot->wraps << 32)) * cycles_per_tick(driver, slot->counter);
    }
    driver->found = 0;
    return APMU_OK;
}

/* Stops the unit and clears it.  Tries the second part even if the first fails. */
static enum apmu_error arm11_close(struct apmu_session *s)
{
    struct apmu_arm11_driver *driver = s->ctx;
    struct sequence q = {.driver = driver};

    driver->control = 0;
    put_control(&q, driver->control);
    const enum apmu_error error = arm11_reset(s);

    return q.error != APMU_OK ? q.error : error;
}

static const struct apmu_session_ops arm11_session_ops = {
    .size = sizeof(struct apmu_session_ops), .start = arm11_start, .stop = arm11_stop, .read = arm11_read,
    .reset = arm11_reset, .close = arm11_close,
};

/* ---------------------------------------------------------------------------------------------------------------
 * Opening.
 */

static enum apmu_error check_wish(const struct apmu_arm11_driver *driver, const struct apmu_wish *wish)
{
    const struct apmu_arm11_event_info *event = apmu_arm11_event_by_number(wish->event);

    if (wish->filter != 0 || wish->wide) {
        return APMU_E_UNSUPPORTED;
    }
    if (wish->threshold != 0) {
        return APMU_E_THRESHOLD;
    }
    if (wish->counter > APMU_ARM11_PMN1 && wish->counter != APMU_CYCLE && wish->counter != APMU_COUNTER_ANY) {
        return APMU_E_NO_SUCH_COUNTER;
    }
    if (wish->counter == APMU_CYCLE && wish->event != APMU_ARM11_EV_CPU_CYCLES) {
        return APMU_E_COUNTER_EVENT;
    }
    if (wish->event > LAST_EVENT || (!wish->unlisted && (event == NULL || (event->parts & driver->part) == 0))) {
        return APMU_E_ARM11_EVENT;
    }
    return APMU_OK;
}

/* Gives @wish the counter and fills its slot. */
static enum apmu_error grant(const struct apmu_arm11_driver *driver, const struct apmu_wish *wish, unsigned counter,
                             struct apmu_slot *slot)
{
    const uint32_t per_tick = cycles_per_tick(driver, counter);

    if ((wish->period & (per_tick - 1)) != 0) {
        return APMU_E_ARM11_PERIOD;
    }
    if (wish->period > (uint64_t)per_tick << 32) {
        return APMU_E_PERIOD;
    }
    const uint64_t ticks = per_tick == 1 ? wish->period : wish->period / CYCLES_PER_TICK;

    *slot = (struct apmu_slot){.counter = (uint8_t)counter, .bits = 32, .initial = (uint32_t)(0 - ticks)};
    return APMU_OK;
}

enum arm11_pass { PASS_FIXED, PASS_DEDICATED, PASS_REST, PASSES };

/* Returns the set of counters that @wish may have in @pass.  Wishes with the least choice come first. */
static unsigned choices(const struct apmu_wish *wish, enum arm11_pass pass)
{
    const bool fixed = wish->counter != APMU_COUNTER_ANY;

    switch (pass) {
    case PASS_FIXED:
        return !fixed ? 0 : wish->counter == APMU_CYCLE ? 1u << APMU_ARM11_CCNT : 1u << wish->counter;
    case PASS_DEDICATED:
        return !fixed && wish->dedicated && wish->event == APMU_ARM11_EV_CPU_CYCLES ? 1u << APMU_ARM11_CCNT : 0;
    default:
        return 1u << APMU_ARM11_PMN0 | 1u << APMU_ARM11_PMN1;
    }
}

/* Gives each wish a counter.  *@at is the wish concerned by an error, or @count. */
static enum apmu_error plan(const struct apmu_arm11_driver *driver, const struct apmu_wish *wishes, size_t count,
                            struct apmu_slot *slots, size_t *at)
{
    unsigned free = ALL_FLAGS, met = 0;
    enum apmu_error error = APMU_OK;

    for (*at = 0; *at < count && error == APMU_OK; ++*at) {
        error = *at < APMU_ARM11_COUNTERS ? check_wish(driver, &wishes[*at]) : APMU_E_NO_COUNTER;
    }
    for (enum arm11_pass pass = PASS_FIXED; pass < PASSES && error == APMU_OK; pass++) {
        for (*at = 0; *at < count && error == APMU_OK; ++*at) {
            const struct apmu_wish *wish = &wishes[*at];
            const unsigned wanted = (met >> *at & 1) != 0 ? 0 : choices(wish, pass);
            unsigned n = 0;

            while (n < APMU_ARM11_COUNTERS && (wanted & free & 1u << n) == 0) {
                n++;
            }
            if (n < APMU_ARM11_COUNTERS) {
                error = grant(driver, wish, n == APMU_ARM11_CCNT ? APMU_CYCLE : n, &slots[*at]);
                free &= ~(1u << n);
                met |= 1u << *at;
            } else if (wanted != 0 && pass != PASS_DEDICATED) {
                error = pass == PASS_FIXED ? APMU_E_COUNTER_TAKEN : APMU_E_NO_COUNTER;
            }
        }
    }
    *at -= error != APMU_OK;
    return error;
}

/* Returns the value of PMNC for the session while it is stopped. */
static uint32_t control_of(const struct apmu_arm11_driver *driver, const struct apmu_session *s,
                           const struct apmu_wish *wishes)
{
    const unsigned enables_at = driver->fiq ? APMU_PMNC_FC0_LSB : APMU_PMNC_EC0_LSB;
    uint64_t control = APMU_PUT(PMNC, D, driver->divide) | APMU_PUT(PMNC, X, driver->exports);

    for (size_t i = 0; i < s->count; i++) {
        const unsigned n = counter_of(&s->slots[i]);

        control |= n == APMU_ARM11_PMN0   ? APMU_PUT(PMNC, EvtCount0, wishes[i].event)
                   : n == APMU_ARM11_PMN1 ? APMU_PUT(PMNC, EvtCount1, wishes[i].event) : 0;
        control |= (uint64_t)wishes[i].interrupt << (enables_at + n);
    }
    return (uint32_t)control;
}

enum apmu_error apmu_arm11_session_open(struct apmu_session *s, struct apmu_arm11_driver *driver,
                                const struct apmu_wish *wishes, size_t count, size_t *refused)
{
    struct sequence q = {.driver = driver};
    size_t at = count;

    *s = (struct apmu_session){.ops = &arm11_session_ops, .ctx = driver, .count = count, .state = APMU_SESSION_CLOSED};
    const bool fits = apmu_sized_check(driver->ops, sizeof *driver->ops, sizeof *driver->ops) == APMU_SIZED_OK;
    q.error = !fits                                         ? APMU_E_SIZE
              : driver->fiq && driver->part != APMU_ARM1156 ? APMU_E_UNSUPPORTED
                                                            : plan(driver, wishes, count, s->slots, &at);
    if (refused != NULL) {
        *refused = at;
    }
    if (q.error != APMU_OK) {
        return q.error;
    }
    driver->control = control_of(driver, s, wishes);
    put_control(&q, 0); /* stop the unit and its interrupts, whatever it did before */
    if (q.error == APMU_OK) {
        q.error = arm11_reset(s);
    }
    if (q.error != APMU_OK) {
        struct sequence again = {.driver = driver};

        put_control(&again, 0);
    } else {
        s->state = APMU_SESSION_STOPPED;
    }
    return q.error;
}
