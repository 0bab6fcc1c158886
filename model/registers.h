/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the model that deal with registers share.  Not for users.
 */
#ifndef ARMPMU_MODEL_REGISTERS_H
#define ARMPMU_MODEL_REGISTERS_H

#include "internal.h"

/* What an access does to the storage of a register: column `op` of tables/registers.def. */
enum apmu_op {
    APMU_OP_PLAIN,        /* the storage itself, where fields are implemented */
    APMU_OP_CONTROL,      /* PMCR_EL0 */
    APMU_OP_SET,          /* reads the storage, write 1 sets; both for the counters in reach */
    APMU_OP_CLR,          /* reads the storage, write 1 clears; both for the counters in reach */
    APMU_OP_UACR,         /* PMUACR_EL1: plain for the counters in reach */
    APMU_OP_CONST,        /* follows from the configuration */
    APMU_OP_SWINC,        /* write 1: SW_INCR occurs */
    APMU_OP_ZERO,         /* write 1: the counter becomes zero */
    APMU_OP_SELECT_TYPER, /* PMXEVTYPER_EL0 */
    APMU_OP_SELECT_CNTR,  /* PMXEVCNTR_EL0 */
    APMU_OP_SNAPSHOT,     /* PMSSCR_EL1 */
    APMU_OP_IMAGE,        /* external: the storage itself, for the counters in reach */
    APMU_OP_IDENTITY,     /* external: follows from the configuration, the PE and the access */
    APMU_OP_FILTER2,      /* external: PMEVFILT2R<n> */
    APMU_OP_KEY,          /* external: PMLAR */
    APMU_OP_NONE,         /* borrowed: not the PMU's */
};

/* storage.c */
enum apmu_op apmu_reg_op(enum apmu_reg reg);
uint64_t *apmu_reg_storage(struct apmu *p, enum apmu_reg reg, unsigned n); /* not for CONST and NONE */
uint64_t apmu_reg_value(const struct apmu *p, enum apmu_reg reg, unsigned n); /* what is stored there */
bool apmu_reg_exists(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n);

/* config.c: the bits of copy @n of @reg whose fields are implemented, by what they do. */
uint64_t apmu_writable(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n); /* keep what is written */
uint64_t apmu_readable(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n); /* read as what is stored */
uint64_t apmu_res1(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n);     /* read as 1 */

/* The bits of a register with a bit for each counter that can belong to a counter: not those of absent ones. */
static inline uint64_t apmu_counter_bits(const struct apmu_config *cfg)
{
    return ~(apmu_ones(APMU_EVENT_COUNTERS) & ~apmu_ones(cfg->counters));
}

/* peek.c: what a read shows of @value, the word of the register */
uint64_t apmu_shown(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n, uint64_t value);

/* poke.c: apmu_poke() of the bits of @bits only; the register keeps the others */
void apmu_poke_bits(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, uint64_t value,
                    uint64_t bits, struct apmu_out *out);

/* aarch32.c */
bool apmu_reg32_exists(const struct apmu_config *cfg, enum apmu_reg32 reg); /* beyond what its AArch64 register needs */

/* masks.c: the counters that the Exception level reaches */
unsigned apmu_accessible(const struct apmu *p, const struct apmu_pe *pe); /* GetNumEventCountersAccessible() */
bool apmu_out_of_reach(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n); /* of a bank */
uint64_t apmu_access_mask(const struct apmu *p, const struct apmu_pe *pe);
uint64_t apmu_read_mask(const struct apmu *p, const struct apmu_pe *pe);
uint64_t apmu_write_mask(const struct apmu *p, const struct apmu_pe *pe, bool counter); /* of counters, or controls */
uint64_t apmu_swinc_mask(const struct apmu *p, const struct apmu_pe *pe);
uint64_t apmu_uacr_mask(const struct apmu *p, const struct apmu_pe *pe);
bool apmu_user_limits(const struct apmu *p, const struct apmu_pe *pe); /* PMUACR_EL1 decides: EL0 with UEN */

/* poke.c: parts of a write that do not depend on who writes */
void apmu_zero(struct apmu *p, uint64_t mask); /* the counters of @mask; the overflow flags stay as they are */
/* PMCR_EL0 and PMSSCR_EL1: the bits of @bits, which hold those of @value; PMCR_EL0.P zeroes the counters of @reach */
void apmu_write_control(struct apmu *p, uint64_t value, uint64_t bits, uint64_t reach);
void apmu_write_snapshot(struct apmu *p, const struct apmu_pe *pe, uint64_t value, uint64_t bits, struct apmu_out *out);

/* external.c */
bool apmu_is_most_secure(const struct apmu *p, enum apmu_pas pas); /* IsMostSecureAccess() */

/* identity.c: the external registers that have no storage */
uint64_t apmu_identity(const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, const struct apmu_ext *at);

/* sample.c: program counter sampling */
uint64_t apmu_sampled(const struct apmu *p, const struct apmu_pe *pe, bool effects); /* what a read of PMPCSR gives */
void apmu_sample_on_read(struct apmu *p, const struct apmu_pe *pe);
void apmu_sample_on_capture(struct apmu *p, const struct apmu_pe *pe);
void apmu_sample_reset(struct apmu *p, enum apmu_reset_kind kind);

/* snapshot.c */
bool apmu_capture_enabled(const struct apmu *p, const struct apmu_pe *pe); /* PMUCaptureEventEnabled() */
bool apmu_capture_allowed(const struct apmu *p, const struct apmu_pe *pe); /* PMUCaptureEventAllowed() */
void apmu_capture(struct apmu *p, const struct apmu_pe *pe, struct apmu_out *out); /* PMUCaptureEvent() */

#endif
