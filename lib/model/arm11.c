/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The unit of ARM1136, ARM1156 and ARM1176 (Application Note 195).
 *
 * No counter depends on another, and an overflow changes nothing but its flag: a batch of events is one addition.
 */

#include <armpmu/arm11.h>

#include "internal.h"

/* Returns the bits of the fields of @which that the part has and whose access is in @kinds, a set of 1 << access. */
static uint32_t fields(const struct apmu_arm11_config *cfg, enum apmu_arm11_reg which, unsigned kinds)
{
    uint64_t mask = 0;

    switch (which) {
#define APMU_ARM11_FIELDS_OF(reg) case APMU_ARM11_REG_##reg:
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) \
        mask |= (kinds >> APMU_ARM11_##access & 1u) != 0 && (APMU_ARM11_##parts & cfg->part) != 0 \
                    ? APMU_BITS(msb, lsb) : 0;
#define APMU_ARM11_FIELDS_END(reg) return (uint32_t)mask;
#include <armpmu/tables/arm11.def>
    default:
        return 0;
    }
}

/* Returns the bits that keep what is written, without the overflow flags. */
static uint32_t writable(const struct apmu_arm11_config *cfg, enum apmu_arm11_reg reg)
{
    return fields(cfg, reg, 1u << APMU_ARM11_RW);
}

/* Returns the bits of PMNC that are overflow flags. */
static uint32_t flags(const struct apmu_arm11_config *cfg)
{
    return fields(cfg, APMU_ARM11_REG_PMNC, 1u << APMU_ARM11_W1C);
}

static uint32_t value_of(const struct apmu_arm11 *p, enum apmu_arm11_reg reg)
{
    switch (reg) {
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    case APMU_ARM11_REG_##id: \
        return p->storage;
#include <armpmu/tables/arm11.def>
    default:
        return 0;
    }
}

static uint32_t *storage(struct apmu_arm11 *p, enum apmu_arm11_reg reg)
{
    switch (reg) {
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    case APMU_ARM11_REG_##id: \
        return &p->storage;
#include <armpmu/tables/arm11.def>
    default:
        return &p->pmnc;
    }
}

static const char *check_known(const struct apmu_arm11_config *cfg)
{
    if (cfg->part != APMU_ARM1136 && cfg->part != APMU_ARM1156 && cfg->part != APMU_ARM1176) {
        return "part: is one of APMU_ARM1136, APMU_ARM1156 and APMU_ARM1176";
    }
    if (cfg->clear > APMU_ARM11_CLEAR_ALWAYS) {
        return "clear: is one of the APMU_ARM11_CLEAR_x";
    }
    return NULL;
}

const char *apmu_arm11_config_check(const struct apmu_arm11_config *cfg)
{
    struct apmu_arm11_config known;

    switch (apmu_sized_check(cfg, sizeof known, APMU_ARM11_CONFIG_SIZE_FIRST)) {
    case APMU_SIZED_SMALL:
        return "size: is smaller than struct apmu_arm11_config of 0.1, or not set: set it to sizeof of the structure";
    case APMU_SIZED_NEWER:
        return "size: is larger than this library knows, and what it does not know is not 0: "
               "link a newer one, or clear it";
    default:
        apmu_sized_take(&known, sizeof known, cfg);
        return check_known(&known);
    }
}

void apmu_arm11_on_reset(struct apmu_arm11 *p)
{
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        const enum apmu_arm11_reg reg = (enum apmu_arm11_reg)r;
        *storage(p, reg) = p->cfg.unknown_fill & writable(&p->cfg, reg);
    }
    p->divider = 0;
}

void apmu_arm11_init(struct apmu_arm11 *p, const struct apmu_arm11_config *cfg)
{
    *p = (struct apmu_arm11){.pmnc = 0};
    apmu_sized_take(&p->cfg, sizeof p->cfg, cfg);
    apmu_arm11_on_reset(p);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Decisions.
 */

/* Returns the number of the event that counter @n counts. */
static uint8_t selected(const struct apmu_arm11 *p, enum apmu_arm11_counter n)
{
    return (uint8_t)(n == APMU_ARM11_PMN0   ? APMU_GET(PMNC, EvtCount0, p->pmnc)
                     : n == APMU_ARM11_PMN1 ? APMU_GET(PMNC, EvtCount1, p->pmnc)
                                            : APMU_ARM11_EV_CPU_CYCLES);
}

/* Reserved event numbers, and those that the part does not use, are unpredictable.  Here they count nothing. */
static bool reserved_event_counts_nothing(const struct apmu_arm11 *p, uint8_t number)
{
    static const uint8_t parts_of[APMU_ARM11_EV_END] = {
#define APMU_ARM11_EVENT(number, name, parts, most, text) [number] = APMU_ARM11_##parts,
#include <armpmu/tables/events_arm11.def>
    };

    return (parts_of[number] & p->cfg.part) == 0;
}

static bool noninvasive_debug(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe)
{
    return p->cfg.part != APMU_ARM1176 || !pe->secure || pe->spniden || (pe->user && pe->suniden);
}

uint64_t apmu_arm11_why(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, enum apmu_arm11_counter n)
{
    uint64_t why = 0;

    why |= pe->halted ? APMU_ARM11_WHY(HALTED) : 0;
    why |= APMU_GET(PMNC, E, p->pmnc) == 0 ? APMU_ARM11_WHY(PMNC_E) : 0;
    why |= reserved_event_counts_nothing(p, selected(p, n)) ? APMU_ARM11_WHY(NO_EVENT) : 0;
    why |= !noninvasive_debug(p, pe) ? APMU_ARM11_WHY(SPNIDEN) : 0;
    return why;
}

/* Returns the overflow flags that can request an interrupt: bit n is counter n. */
static uint64_t overflow_flags(const struct apmu_arm11 *p)
{
    const bool masked = p->cfg.irq_needs_enable && APMU_GET(PMNC, E, p->pmnc) == 0;

    return masked ? 0 : p->pmnc >> APMU_PMNC_OC0_LSB & 7;
}

static uint64_t fiq_enables(const struct apmu_arm11 *p)
{
    return p->pmnc >> APMU_PMNC_FC0_LSB & 7; /* SBZ, and thus 0, if the part lacks nPMUFIQ */
}

bool apmu_arm11_irq(const struct apmu_arm11 *p)
{
    const uint64_t replaced = p->cfg.fiq_replaces_irq ? fiq_enables(p) : 0;

    return (overflow_flags(p) & (p->pmnc >> APMU_PMNC_EC0_LSB & 7) & ~replaced) != 0;
}

bool apmu_arm11_fiq(const struct apmu_arm11 *p)
{
    return (overflow_flags(p) & fiq_enables(p)) != 0;
}

static void report(const struct apmu_arm11 *p, uint8_t overflowed, struct apmu_arm11_out *out)
{
    if (out != NULL) {
        *out = (struct apmu_arm11_out){
            .overflowed = overflowed,
            .irq = apmu_arm11_irq(p),
            .fiq = apmu_arm11_fiq(p),
            .exports = APMU_GET(PMNC, X, p->pmnc) != 0,
        };
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Events and cycles.
 */

/* Adds @times times @each to counter @n.  Returns its bit if it wrapped, else 0. */
static uint8_t add(struct apmu_arm11 *p, enum apmu_arm11_counter n, uint64_t times, uint64_t each)
{
    const uint64_t room = (UINT64_C(1) << 32) - p->count[n];
    const bool wide = times >> 32 != 0 || each >> 32 != 0; /* then any product but 0 is more than the room */
    const bool wraps = times != 0 && each != 0 && (wide || times * each >= room);

    p->count[n] += (uint32_t)times * (uint32_t)each;
    if (!wraps) {
        return 0;
    }
    p->pmnc |= UINT32_C(1) << ((unsigned)APMU_PMNC_OC0_LSB + (unsigned)n);
    return (uint8_t)(1u << n);
}

/* Returns true if a counter of event @number advances when @event occurs. */
static bool counts_event(uint8_t number, uint16_t event)
{
    const bool etmextout = event == APMU_ARM11_EV_ETMEXTOUT_0 || event == APMU_ARM11_EV_ETMEXTOUT_1;

    return number == APMU_ARM11_EV_ETMEXTOUT_BOTH ? etmextout : number == event;
}

/* Counts @event in PMN0 and PMN1.  Returns the counters that overflow. */
static uint8_t occur(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t times,
                     uint64_t each)
{
    uint8_t overflowed = 0;

    for (unsigned i = APMU_ARM11_PMN0; i <= APMU_ARM11_PMN1; i++) {
        const enum apmu_arm11_counter n = (enum apmu_arm11_counter)i;
        if (event != APMU_ARM11_EV_CPU_CYCLES && counts_event(selected(p, n), event) && apmu_arm11_counts(p, pe, n)) {
            overflowed |= add(p, n, times, each);
        }
    }
    return overflowed;
}

/* Lets @n cycles pass.  Returns the counters that overflow. */
static uint8_t pass(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n)
{
    uint8_t overflowed = 0;

    for (unsigned i = APMU_ARM11_PMN0; i <= APMU_ARM11_PMN1; i++) {
        const enum apmu_arm11_counter c = (enum apmu_arm11_counter)i;
        if (selected(p, c) == APMU_ARM11_EV_CPU_CYCLES && apmu_arm11_counts(p, pe, c)) {
            overflowed |= add(p, c, n, 1);
        }
    }
    if (!apmu_arm11_counts(p, pe, APMU_ARM11_CCNT)) {
        return overflowed;
    }
    if (APMU_GET(PMNC, D, p->pmnc) == 0) {
        return overflowed | add(p, APMU_ARM11_CCNT, n, 1);
    }
    const unsigned phase = p->divider + (unsigned)(n & 63);
    p->divider = (uint8_t)(phase & 63);
    return overflowed | add(p, APMU_ARM11_CCNT, (n >> 6) + (phase >> 6), 1);
}

void apmu_arm11_event(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t times,
                      uint64_t each, struct apmu_arm11_out *out)
{
    report(p, occur(p, pe, event, times, each), out);
}

void apmu_arm11_cycles(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n, struct apmu_arm11_out *out)
{
    report(p, pass(p, pe, n), out);
}

void apmu_arm11_step(struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint64_t n,
                     const struct apmu_occurrence *ev, size_t count, struct apmu_arm11_out *out)
{
    uint8_t overflowed = pass(p, pe, n);

    for (size_t i = 0; i < count; i++) {
        overflowed |= occur(p, pe, ev[i].event, n, ev[i].count);
    }
    report(p, overflowed, out);
}

/* Returns how many additions of @each do not wrap counter @n. */
static uint64_t until_wrap(const struct apmu_arm11 *p, enum apmu_arm11_counter n, uint64_t each)
{
    return each == 0 ? UINT64_MAX : apmu_divide(UINT32_MAX - p->count[n], each);
}

uint64_t apmu_arm11_until(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe, uint16_t event, uint64_t each)
{
    const bool clock = event == APMU_ARM11_EV_CPU_CYCLES;
    uint64_t until = UINT64_MAX;

    for (unsigned i = APMU_ARM11_PMN0; i <= APMU_ARM11_PMN1; i++) {
        const enum apmu_arm11_counter n = (enum apmu_arm11_counter)i;
        if (counts_event(selected(p, n), event) && apmu_arm11_counts(p, pe, n)) {
            const uint64_t left = until_wrap(p, n, clock ? 1 : each);
            until = left < until ? left : until;
        }
    }
    if (clock && apmu_arm11_counts(p, pe, APMU_ARM11_CCNT)) {
        const uint64_t ticks = until_wrap(p, APMU_ARM11_CCNT, 1);
        const uint64_t left = APMU_GET(PMNC, D, p->pmnc) != 0 ? (ticks << 6) + (63 - p->divider) : ticks;
        until = left < until ? left : until;
    }
    return until;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Registers.
 */

struct apmu_access apmu_arm11_access(const struct apmu_arm11 *p, const struct apmu_arm11_pe *pe,
                                     enum apmu_arm11_reg reg, bool write)
{
    (void)p;     /* all parts and both worlds of ARM1176 have the same registers */
    (void)write; /* every register that can be read can be written */
    struct apmu_access a = {.outcome = APMU_ACCESS_OK, .gate = APMU_GATE_ALWAYS, .control = ""};

    if (reg >= APMU_ARM11_REG_COUNT) {
        a.outcome = APMU_ACCESS_UNDEFINED;
        a.control = "no such register";
    } else if (pe->user && !pe->user_v) {
        a.outcome = APMU_ACCESS_UNDEFINED;
        a.control = "Secure User and Non-secure Access Validation Control Register.V";
    }
    return a;
}

uint32_t apmu_arm11_peek(const struct apmu_arm11 *p, enum apmu_arm11_reg reg)
{
    if (reg >= APMU_ARM11_REG_COUNT) {
        return 0;
    }
    const uint32_t known = writable(&p->cfg, reg) | (reg == APMU_ARM11_REG_PMNC ? flags(&p->cfg) : 0);

    return (value_of(p, reg) & known) | (p->cfg.unpredictable & ~known);
}

/*
 * Returns true if a write of @value to PMNC can clear overflow flags.  "Interrupt cleared by writing the flag when bit
 * 0 is set" does not say if bit 0 is the written or the previous value.
 */
static bool may_clear(const struct apmu_arm11 *p, uint32_t value)
{
    switch (p->cfg.clear) {
    case APMU_ARM11_CLEAR_E_WRITTEN:
        return APMU_GET(PMNC, E, value) != 0;
    case APMU_ARM11_CLEAR_E_BEFORE:
        return APMU_GET(PMNC, E, p->pmnc) != 0;
    default:
        return true;
    }
}

/* Writes PMNC. */
static void control(struct apmu_arm11 *p, uint32_t value)
{
    const uint32_t kept = writable(&p->cfg, APMU_ARM11_REG_PMNC);
    uint32_t left = p->pmnc & flags(&p->cfg);

    if (may_clear(p, value)) {
        left &= ~value;
    }
    if (APMU_GET(PMNC, C, value) != 0) {
        p->count[APMU_ARM11_CCNT] = 0;
    }
    if (APMU_GET(PMNC, P, value) != 0) {
        p->count[APMU_ARM11_PMN0] = p->count[APMU_ARM11_PMN1] = 0;
    }
    p->pmnc = left | (value & kept);
}

void apmu_arm11_poke(struct apmu_arm11 *p, enum apmu_arm11_reg reg, uint32_t value, struct apmu_arm11_out *out)
{
    if (reg == APMU_ARM11_REG_PMNC) {
        control(p, value);
    } else if (reg < APMU_ARM11_REG_COUNT) {
        *storage(p, reg) = value;
    }
    report(p, 0, out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reasons and metrics.
 */

_Static_assert((int)APMU_ARM11_REASON_COUNT <= 64, "reasons are bits of a set");

static const struct apmu_arm11_reason_info reason_rows[APMU_ARM11_REASON_COUNT] = {
#define APMU_ARM11_REASON(id, rule, cure, text) {#id, rule, cure, text},
#include <armpmu/tables/reasons_arm11.def>
};

static const struct apmu_arm11_metric_info metric_rows[APMU_ARM11_METRIC_COUNT] = {
#define APMU_ARM11_METRIC(id, kind, a, b, unit, groups, text) \
    {#id, APMU_ARM11_##kind, APMU_ARM11_EV_##a, APMU_ARM11_EV_##b, unit, text},
#include <armpmu/tables/metrics_arm11.def>
};

const struct apmu_arm11_reason_info *apmu_arm11_reason_info(enum apmu_arm11_reason reason)
{
    return &reason_rows[reason];
}

const struct apmu_arm11_metric_info *apmu_arm11_metric_info(enum apmu_arm11_metric metric)
{
    return &metric_rows[metric];
}

struct apmu_fraction apmu_arm11_metric_value(enum apmu_arm11_metric metric, uint64_t a, uint64_t b)
{
    switch (metric_rows[metric].kind) {
    case APMU_ARM11_RATIO:
        return (struct apmu_fraction){(int64_t)a, b};
    case APMU_ARM11_COMPLEMENT:
        return (struct apmu_fraction){(int64_t)b - (int64_t)a, b};
    default:
        return (struct apmu_fraction){(int64_t)a - (int64_t)b, 1};
    }
}
