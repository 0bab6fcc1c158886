/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions and types that the files of the model share to read and write registers.  This header is not for users.
 */
#ifndef ARMPMU_MODEL_REGISTERS_H
#define ARMPMU_MODEL_REGISTERS_H

#include "internal.h"

/* Operations: what an access does to the storage of a register.  Column `op` of tables/registers.def. */
enum apmu_op {
    APMU_OP_PLAIN,        /* reads and writes the storage, where fields are implemented */
    APMU_OP_COUNTER,      /* the same with p->cntr */
    APMU_OP_TYPER,        /* the same with p->typer */
    APMU_OP_CONTROL,      /* PMCR_EL0 */
    APMU_OP_SET,          /* reads the storage, write 1 sets; both only for accessible counters */
    APMU_OP_CLR,          /* reads the storage, write 1 clears; both only for accessible counters */
    APMU_OP_UACR,         /* PMUACR_EL1: as PLAIN, for accessible counters */
    APMU_OP_CONST,        /* follows from the configuration */
    APMU_OP_SWINC,        /* write 1 makes SW_INCR occur */
    APMU_OP_ZERO,         /* write 1 zeroes the counter */
    APMU_OP_SELECT_TYPER, /* PMXEVTYPER_EL0 */
    APMU_OP_SELECT_CNTR,  /* PMXEVCNTR_EL0 */
    APMU_OP_SNAPSHOT,     /* PMSSCR_EL1 */
    APMU_OP_IMAGE,        /* external: reads and writes the storage, for accessible counters */
    APMU_OP_IDENTITY,     /* external: follows from the configuration, the PE and the access */
    APMU_OP_FILTER2,      /* external: PMEVFILT2R<n> */
    APMU_OP_KEY,          /* external: PMLAR */
    APMU_OP_NONE,         /* borrowed: a register of the PE */
};

/* storage.c: the columns of the register table that the model needs */
struct apmu_row {
    uint16_t offset; /* of the storage in struct apmu; unused by CONST and NONE */
    uint8_t op, gate; /* enum apmu_op, enum apmu_gate */
    uint8_t copies;
    bool allows[2]; /* a read, a write */
};
extern const APMU_HIDDEN struct apmu_row apmu_rows[APMU_REG_ALL];

static inline enum apmu_op apmu_reg_op(enum apmu_reg reg)
{
    return (enum apmu_op)apmu_rows[reg].op;
}

/* Returns true if a register with @op shows words of struct apmu that a reset gives a value or makes UNKNOWN. */
static inline bool apmu_op_keeps(enum apmu_op op)
{
    switch (op) {
    case APMU_OP_PLAIN:
    case APMU_OP_COUNTER:
    case APMU_OP_TYPER:
    case APMU_OP_CONTROL:
    case APMU_OP_SET:
    case APMU_OP_CLR:
    case APMU_OP_UACR:
    case APMU_OP_SNAPSHOT:
        return true;
    default:
        return false;
    }
}

static inline uint64_t *apmu_reg_storage(struct apmu *p, enum apmu_reg reg, unsigned n)
{
    return (uint64_t *)(void *)((unsigned char *)p + apmu_rows[reg].offset) + n;
}

static inline uint64_t apmu_reg_value(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    return ((const uint64_t *)(const void *)((const unsigned char *)p + apmu_rows[reg].offset))[n];
}

_Static_assert((int)APMU_REG_BORROWED <= 64, "p->derived.registers has a bit for each register of the PMU");

/* Returns true if the gate of @reg, a register of the PMU, holds. */
static APMU_FOLDED bool apmu_reg_implemented(const struct apmu *p, enum apmu_reg reg)
{
    return apmu_bit(p->derived.registers, reg);
}

static inline bool apmu_reg_exists(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    return (apmu_rows[reg].copies == 1 ? n == 0 : n < p->cfg.counters) && apmu_reg_implemented(p, reg);
}

/* Replaces PMXEVTYPER_EL0 or PMXEVCNTR_EL0 by the register that PMSELR_EL0.SEL selects. */
static inline void apmu_reg_selected(const struct apmu *p, enum apmu_reg *reg, unsigned *n)
{
    const unsigned selected = (unsigned)APMU_GET(PMSELR_EL0, SEL, p->selr);
    const bool cycle = apmu_reg_op(*reg) == APMU_OP_SELECT_TYPER && selected == APMU_CYCLE;

    *reg = cycle ? APMU_REG_PMCCFILTR_EL0
           : apmu_reg_op(*reg) == APMU_OP_SELECT_TYPER ? APMU_REG_PMEVTYPER_EL0
                                                       : APMU_REG_PMEVCNTR_EL0;
    *n = cycle ? 0 : selected;
}

/* Returns the counter that copy @n of @reg, with op COUNTER or TYPER, belongs to. */
static inline unsigned apmu_counter_at(enum apmu_reg reg, unsigned n)
{
    const bool type = apmu_rows[reg].op == APMU_OP_TYPER;
    const size_t first = type ? offsetof(struct apmu, typer) : offsetof(struct apmu, cntr);

    return (unsigned)((apmu_rows[reg].offset - first) / sizeof(uint64_t)) + n;
}

/* config.c: return the bits of copy @n of @reg, by what their fields do */
uint64_t apmu_writable(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n); /* keep what is written */
uint64_t apmu_readable(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n); /* read as what is stored */
uint64_t apmu_res1(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n);     /* not implemented, and 1 */
uint64_t apmu_read_only(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n); /* implemented and read-only */

/* Returns all bits but those of absent event counters, for a register with a bit for each counter. */
static inline uint64_t apmu_counter_bits(const struct apmu_config *cfg)
{
    return ~(apmu_ones(APMU_EVENT_COUNTERS) & ~apmu_ones(cfg->counters));
}

/* peek.c: returns the bits of @value, the word of the register, that a read shows */
uint64_t apmu_shown(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n, uint64_t value);

/* poke.c: does what apmu_poke() does to the bits @bits; the register keeps the others */
void apmu_poke_bits(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
                    uint64_t bits, struct apmu_out *out);

/* aarch32.c: the columns of the table of AArch32 registers that the model needs */
struct apmu_row32 {
    uint64_t shows; /* the bits of the AArch64 register that are visible */
    uint16_t key;
    uint8_t of, part, gate; /* enum apmu_reg, enum apmu_part, enum apmu_gate */
};
extern const APMU_HIDDEN struct apmu_row32 apmu_rows32[APMU_REG32_COUNT];
/* Returns true if AArch32 state and the gate of @reg are implemented.  Its AArch64 register has a gate of its own. */
bool apmu_reg32_exists(const struct apmu_config *cfg, enum apmu_reg32 reg);

/* GetNumEventCountersAccessible(): the number of event counters that the Exception level can access (masks.h). */
static APMU_FOLDED unsigned apmu_accessible(const struct apmu *p, const struct apmu_pe *pe)
{
    return pe->el < 2 && apmu_el2_enabled(p, pe) ? apmu_second_range(p, pe) : apmu_third_range(p);
}

/*
 * Returns true if copy *@n of *@reg exists for this access; otherwise it is RAZ/WI.  That includes an event counter
 * that the Exception level cannot access.  Replaces a register that selects by the one selected.
 */
static APMU_FOLDED bool apmu_reached(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg *reg, unsigned *n,
                                     bool write)
{
    const struct apmu_row *row = &apmu_rows[*reg];

    if (*reg >= APMU_REG_BORROWED || !row->allows[write] || !apmu_reg_implemented(p, *reg)) {
        return false;
    }
    if (*n == 0 && (row->op == APMU_OP_SELECT_TYPER || row->op == APMU_OP_SELECT_CNTR)) {
        apmu_reg_selected(p, reg, n);
        row = &apmu_rows[*reg];
    }
    return row->copies == 1 ? *n == 0 : *n < apmu_accessible(p, pe);
}

/* Gives the bits @bits of *@word the values that they have in @value. */
static inline void apmu_replace(uint64_t *word, uint64_t bits, uint64_t value)
{
    *word = (*word & ~bits) | (value & bits);
}

APMU_COLD uint64_t apmu_events_of(const struct apmu *p); /* reset.c: computes p->derived.events */

/* Writes the bits @bits of counter @n, 0..32. */
static inline void apmu_write_counter(struct apmu *p, unsigned n, uint64_t value, uint64_t bits)
{
    apmu_replace(&p->cntr[n], p->derived.counter[n < APMU_CYCLE ? 0 : n - APMU_CYCLE + 1] & bits, value);
}

/* Writes the bits @bits of the event type register of counter @n, 0..32. */
static inline void apmu_write_typer(struct apmu *p, unsigned n, uint64_t value, uint64_t bits)
{
    const uint64_t old = p->typer[n];

    apmu_replace(&p->typer[n], p->derived.typer[n < APMU_CYCLE ? n & 1 : n - APMU_CYCLE + 2] & bits, value);
    if (((p->typer[n] ^ old) & APMU_MASK(PMEVTYPER_EL0, evtCount)) != 0) {
        p->derived.events = apmu_events_of(p);
    }
}

/* reset.c: computes p->derived from the other members */
struct apmu_derived apmu_derive(const struct apmu *p);

/* poke.c: the parts of a write that both views share */
void apmu_zero(struct apmu *p, uint64_t mask); /* zeroes the counters of @mask and leaves their overflow flags */
/* Write the bits @bits of PMCR_EL0 and PMSSCR_EL1; @value has no others.  PMCR_EL0.P zeroes the counters of @reach. */
void apmu_write_control(struct apmu *p, uint64_t value, uint64_t bits, uint64_t reach);
void apmu_write_snapshot(struct apmu *p, const struct apmu_pe *pe, uint64_t value, uint64_t bits, struct apmu_out *out);

/* external.c */
bool apmu_is_most_secure(const struct apmu *p, enum apmu_pas pas); /* IsMostSecureAccess() */

/* identity.c: the external registers that have no storage */
uint64_t apmu_identity(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, const struct apmu_ext *at);

/* sample.c: program counter sampling */
uint64_t apmu_sampled(const struct apmu *p, const struct apmu_pe *pe, bool effects); /* the value of a read of PMPCSR */
void apmu_sample_on_read(struct apmu *p, const struct apmu_pe *pe);
void apmu_sample_on_capture(struct apmu *p, const struct apmu_pe *pe);
void apmu_sample_reset(struct apmu *p, enum apmu_reset_kind kind);

/* snapshot.c */
bool apmu_capture_enabled(const struct apmu *p, const struct apmu_pe *pe); /* PMUCaptureEventEnabled() */
bool apmu_capture_allowed(const struct apmu *p, const struct apmu_pe *pe); /* PMUCaptureEventAllowed() */
void apmu_capture(struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out); /* PMUCaptureEvent() */

#endif
