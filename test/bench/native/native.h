/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Measures the native back end for region.c's table: at EL1 in a kernel module (module.c), at EL0 in region.c, by the
 * same code (native.c).  There are only plain types here, because the kernel's <linux/types.h> and <stdint.h> exclude
 * each other.
 */
#ifndef BENCH_NATIVE_H
#define BENCH_NATIVE_H

#define NATIVE_DEVICE "armpmu_bench"

/** The numbers of counters of the regions in the table. */
#define NATIVE_SIZES {1, 4, 6}
#define NATIVE_LENGTHS 3

/** The events that are counted: a region of n counters counts the first n. */
#define NATIVE_EVENTS 6
extern const unsigned short native_events[NATIVE_EVENTS];

/** A function that is measured. */
typedef void native_way(void *arg);

/**
 * Returns the number of instructions of one call of @f, at all Exception levels, without the call itself.  They are
 * measured by the generic timer, which counts one nanosecond for each instruction in the guest.  Its ticks are longer,
 * so many calls are measured together.  The least of several such times is taken, because interrupts of the kernel
 * lengthen others.  If a call takes longer than the kernel's own tick, they lengthen all, by up to 2 per cent.
 */
unsigned native_cost(native_way *f, void *arg);

/** Executes a loop of NATIVE_KNOWN instructions, by which the meter and the counters are checked. */
void native_known(void *unused);
#define NATIVE_KNOWN 2001u

/** The costs at one Exception level, in instructions. */
struct native_costs {
    int error;     /**< enum apmu_error; the other members hold if it is 0 */
    unsigned read; /**< one inline read */
    unsigned region[NATIVE_LENGTHS];  /**< begin and end */
    unsigned session[NATIVE_LENGTHS]; /**< start, stop, read */
    unsigned counted; /**< instructions that a region around the loop of native_known() counted */
};

/** The ID registers that EL0 cannot read, with the names that they have in struct apmu_ids. */
struct native_ids {
    unsigned long id_aa64dfr0_el1, id_aa64dfr1_el1, pmmir_el1;
};

/** The answer to read(2) of the device.  From then on, until it is closed, EL0 may use the PMU. */
struct native_answer {
    struct native_costs el1;
    struct native_ids ids;
};

/** Measures at this Exception level and fills @costs.  @ids is NULL at EL1.  The PMU is used as if it were free. */
void native_measure(const struct native_ids *ids, struct native_costs *costs);

/** Saves the kernel's state of the PMU.  Call it at EL1.  Returns 0, or an enum apmu_error. */
int native_keep(void);

/** Measures at EL1, fills @answer, and lets EL0 use the PMU.  Call it at EL1 after native_keep(). */
void native_answer(struct native_answer *answer);

/** Restores the state that native_keep() saved.  Call it at EL1.  Returns 0, or an enum apmu_error. */
int native_restore(void);

#endif
