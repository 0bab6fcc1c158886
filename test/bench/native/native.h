/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The native back end as region.c's table has it: measured at EL1 by a kernel module (module.c) and at EL0 by region.c,
 * by the same code (native.c).  Plain types alone, because the kernel's <linux/types.h> and <stdint.h> exclude each other.
 */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

#define NATIVE_DEVICE "armpmu_bench"

/** The regions of the table: of so many counters. */
#define NATIVE_SIZES {1, 4, 6}
#define NATIVE_LENGTHS 3

/** The events that every way counts, the first so many of them. */
#define NATIVE_EVENTS 6
extern const unsigned short native_events[NATIVE_EVENTS];

/** What is measured. */
typedef void native_way(void *arg);

/**
 * The instructions of one call of @f, without the call itself, at all Exception levels: by the generic timer, which in
 * the guest goes on by one nanosecond with each instruction.  Its ticks are longer, so many calls are measured; of
 * several such times the least, for others have interrupts of the kernel in them.  Where a call takes longer than the
 * kernel's own tick that cannot be, and up to 2 per cent are the kernel's.
 */
unsigned native_cost(native_way *f, void *arg);

/** A loop of NATIVE_KNOWN instructions: what the meter and the counters are tried on. */
void native_known(void *unused);
#define NATIVE_KNOWN 2001u

/** Instructions at one Exception level. */
struct native_costs {
    int error; /**< enum apmu_error: the rest is nothing if it is not 0 */
    unsigned read; /**< one inline read */
    unsigned region[NATIVE_LENGTHS];  /**< begin and end */
    unsigned session[NATIVE_LENGTHS]; /**< start, stop, read */
    unsigned counted; /**< instructions that a region around native_known() counted */
};

/** The ID registers that EL0 cannot read, as struct apmu_ids. */
struct native_ids {
    unsigned long id_aa64dfr0_el1, id_aa64dfr1_el1, pmmir_el1;
};

/** What a read of the device gives.  From then on, until it is closed, EL0 may use the PMU. */
struct native_answer {
    struct native_costs el1;
    struct native_ids ids;
};

/** Measures at this Exception level; @ids at EL0, else NULL.  The PMU is used as if it were free. */
void native_measure(const struct native_ids *ids, struct native_costs *costs);

/** At EL1: keeps all of the PMU as the kernel has it.  0, or enum apmu_error. */
int native_keep(void);

/** At EL1: measures, and lets EL0 use the PMU. */
void native_answer(struct native_answer *answer);

/** At EL1: the PMU is as it was kept. */
int native_restore(void);

#endif
