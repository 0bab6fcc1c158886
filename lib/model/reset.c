/* SPDX-License-Identifier: BSD-2-Clause */
/* Cold, Warm and External debug reset; apmu_init(); and p->derived, which apmu_settle() recomputes. */

#include "registers.h"

/* The bits of a register that have an architected reset value, and that value. */
struct reset {
    uint64_t known, value;
};

static struct reset reset_of(const struct apmu_config *cfg, enum apmu_reg reg)
{
#define WHERE(gate, reg, field) (apmu_holds(cfg, APMU_GATE_##gate, 0) ? APMU_MASK(reg, field) : UINT64_C(0))
    switch (reg) {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, given, text) \
    case APMU_REG_##id: \
        return (struct reset){known, given};
#include <armpmu/tables/registers.def>
    default:
        return (struct reset){0};
    }
#undef WHERE
}

/* Returns the bits that a Warm reset leaves unchanged. */
static uint64_t survives(const struct apmu_config *cfg, enum apmu_reg which)
{
    uint64_t mask = 0;

#define APMU_KEEPS(reg, gate, bits) \
    mask |= which == APMU_REG_##reg && apmu_holds(cfg, APMU_GATE_##gate, 0) ? (bits) : 0;
#include <armpmu/tables/registers.def>
    return mask;
}

/* Returns the bits that the word of a register keeps. */
static uint64_t kept(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    const uint64_t no_counters = apmu_ones(APMU_EVENT_COUNTERS) & ~apmu_ones(cfg->counters);

    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
    case APMU_OP_COUNTER:
    case APMU_OP_TYPER:
        return apmu_readable(cfg, reg, n);
    case APMU_OP_CONTROL: /* its read-only fields come from the configuration */
    case APMU_OP_SNAPSHOT:
        return apmu_writable(cfg, reg, n);
    default: /* a bit for each counter */
        return apmu_readable(cfg, reg, n) & ~no_counters;
    }
}

/* Resets one word.  Registers that show the same word give it the same value, so their order does not matter. */
static void reset_word(struct apmu *p, enum apmu_reg reg, unsigned n, enum apmu_reset_kind kind)
{
    const struct reset r = reset_of(&p->cfg, reg);
    const uint64_t stays = kind == APMU_RESET_WARM ? survives(&p->cfg, reg) : 0;

    if (apmu_reg_exists(p, reg, n)) {
        uint64_t *word = apmu_reg_storage(p, reg, n);
        const uint64_t value = ((p->cfg.unknown_fill & ~r.known) | r.value) & kept(&p->cfg, reg, n);
        *word = (*word & stays) | (value & ~stays) | apmu_res1(&p->cfg, reg, n);
    }
}

/*
 * The words that only the external view shows, which reset_external() and apmu_sample_reset() reset by name: ccr,
 * itctrl, filter2, pcsr, vcidsr, ccidsr and pcsctl.  The other rows with storage show a word of an AArch64 register.
 */
enum {
    WORDS_OF_PLAIN = 1, WORDS_OF_FILTER2 = 1, WORDS_OF_IMAGE = 0, WORDS_OF_IDENTITY = 0, WORDS_OF_KEY = 0,
    EXTERNAL_WORDS = 0
#define APMU_EXTERNAL(id, storage, op, gate, text) + WORDS_OF_##op
#include <armpmu/tables/registers.def>
};
_Static_assert(EXTERNAL_WORDS == 7, "a word of the external view that no reset function names");

/* Resets the registers that only the external view has. */
static void reset_external(struct apmu *p, enum apmu_reset_kind kind)
{
    apmu_sample_reset(p, kind);
    if (kind == APMU_RESET_COLD) {
        p->ccr = APMU_PUT(PMCCR, EPMN, p->cfg.counters); /* all counters are for self-hosted software */
        p->itctrl = 0; /* its access conditions place it in the Core power domain */
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            p->filter2[n] = (uint32_t)p->cfg.unknown_fill & p->cfg.filter2;
        }
    }
}

void apmu_on_reset(struct apmu *p, enum apmu_reset_kind kind)
{
    if (kind == APMU_RESET_DEBUG) {
        p->locked = p->cfg.software_lock;
        return;
    }
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const unsigned words = apmu_op_keeps(apmu_reg_op((enum apmu_reg)r)) ? apmu_rows[r].copies : 0;

        for (unsigned n = 0; n < words; n++) {
            reset_word(p, (enum apmu_reg)r, n, kind);
        }
    }
    reset_external(p, kind);
    p->derived.events = apmu_events_of(p);
    p->sync_overflowed = false;
    if (kind == APMU_RESET_COLD) {
        p->last_threshold = 0;
        p->divider = 0;
    }
}

uint64_t apmu_events_of(const struct apmu *p)
{
    uint64_t events = 0;

    for (unsigned n = 0; n < p->cfg.counters; n++) {
        events |= UINT64_C(1) << apmu_typer_event(p, n) % 64;
    }
    return events;
}

struct apmu_derived apmu_derive(const struct apmu *p)
{
    const struct apmu_config *cfg = &p->cfg;
    uint64_t registers = 0;

    for (unsigned r = 0; r < APMU_REG_BORROWED; r++) {
        registers |= (uint64_t)apmu_holds(cfg, (enum apmu_gate)apmu_rows[r].gate, 0) << r;
    }
#define WRITABLE(reg) apmu_writable(cfg, APMU_REG_##reg, 0)
    return (struct apmu_derived){
        .events = apmu_events_of(p),
        .registers = registers,
        .control = WRITABLE(PMCR_EL0),
        .counter = {
            WRITABLE(PMEVCNTR_EL0),
            WRITABLE(PMCCNTR_EL0),
            WRITABLE(PMICNTR_EL0),
        },
        .typer = {
            apmu_writable(cfg, APMU_REG_PMEVTYPER_EL0, 0), /* even copies */
            apmu_writable(cfg, APMU_REG_PMEVTYPER_EL0, 1), /* odd copies */
            WRITABLE(PMCCFILTR_EL0),
            WRITABLE(PMICFILTR_EL0),
        },
    };
#undef WRITABLE
}

void apmu_settle(struct apmu *p)
{
    p->derived = apmu_derive(p);
}

void apmu_init(struct apmu *p, const struct apmu_config *cfg)
{
    *p = (struct apmu){.pmcr = 0};
    apmu_sized_take(&p->cfg, sizeof p->cfg, cfg);
    if (p->cfg.counters > APMU_EVENT_COUNTERS) {
        p->cfg.counters = APMU_EVENT_COUNTERS;
    }
    if (p->cfg.sync_event_count > sizeof p->cfg.sync_events / sizeof p->cfg.sync_events[0]) {
        p->cfg.sync_event_count = sizeof p->cfg.sync_events / sizeof p->cfg.sync_events[0];
    }
    apmu_settle(p);
    apmu_on_reset(p, APMU_RESET_COLD);
    apmu_on_reset(p, APMU_RESET_DEBUG); /* power-up is both resets */
}
