/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU of the PE that runs this code: a back end of the driver by MRS and MSR (AArch64) or by MRC, MCR, MRRC and
 * MCRR (AArch32, ARMv7-A and -R), reads of a counter in one instruction, and regions of code that read their own
 * counters.
 *
 * For firmware and kernels, and for EL0 where apmu_session_allow_user() allows it.  The target of the compiler chooses
 * the instructions.  The header is for Arm targets only; elsewhere it does not compile.
 *
 * @code
 * #if defined(__aarch64__)
 * #include <armpmu/native.h>
 * uint64_t cycles_of(void (*function)(void));
 * uint64_t cycles_of(void (*function)(void))
 * {
 *     struct apmu_native_region region;
 *     apmu_native_region_begin(&region, UINT64_C(1) << APMU_CYCLE);
 *     function();
 *     apmu_native_region_end(&region, UINT64_C(1) << APMU_CYCLE);
 *     return region.count[0];
 * }
 * #endif
 * int main(void)
 * {
 *     return 0;
 * }
 * @endcode
 *
 * An access that the PE refuses is an exception of the PE, not an error of these functions.  So access only registers
 * that the PMU has, from an Exception level that may access them.
 *
 * Re-entrancy: nothing here keeps state, so everything is safe in any context.  A counter is that of the PE that
 * executes the read.  A thread that may move to another PE must be kept on one PE between two reads that it compares.
 */
#ifndef ARMPMU_NATIVE_H
#define ARMPMU_NATIVE_H

#if defined(__arm__) && (__ARM_ARCH < 7 || __ARM_ARCH_PROFILE == 'M')
#error "armpmu/native.h: no PMU at CP15 c9: ARM11 has <armpmu/arm11_driver.h>; else compile for Armv7-A or later"
#elif !defined(__aarch64__) && !defined(__arm__)
#error "armpmu/native.h: MRS and MRC are instructions of Arm: compile for AArch64 or Armv7-A, or use another back end"
#endif

#include <armpmu/driver.h>
#include <armpmu/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The register seam over the System registers of this PE: const struct apmu_dev dev = {.ops = &apmu_native_ops}.  The
 * context of the device is NULL, except at EL0, which cannot read its Exception level nor the ID registers.  There it
 * is the struct apmu_ids that apmu_pmu_discover() gets too.  sync is an ISB.
 *
 * In AArch32 state the registers are those of tables/aarch32.def: 32 bits of each, but 64 of PMCCNTR from PMUv3 on.
 * ARMv7 has no direct form of PMEVCNTR<n>, PMEVTYPER<n> and PMCCFILTR.  Only there, each access selects by PMSELR and
 * then restores PMSELR, so an access may interrupt another.
 */
extern const struct apmu_reg_ops apmu_native_ops;

/* ---------------------------------------------------------------------------------------------------------------
 * Internal: encodings, made from the rows of the tables.  The internal part ends at the next line of dashes.
 */

enum apmu_native_key {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    APMU_NATIVE_##id = APMU_A64_KEY(op0, op1, crn, crm, op2),
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) APMU_NATIVE_##id = APMU_A64_KEY(op0, op1, crn, crm, op2),
#include <armpmu/tables/registers.def>
    APMU_NATIVE_KEYS_END = 0xFFFF
};

/* Expands to X(0, id) X(1, id) ... X(30, id): one X for each copy of the bank @id. */
#define APMU_NATIVE_COPIES(X, id) \
    X(0, id) X(1, id) X(2, id) X(3, id) X(4, id) X(5, id) X(6, id) X(7, id) X(8, id) X(9, id) X(10, id) X(11, id) \
    X(12, id) X(13, id) X(14, id) X(15, id) X(16, id) X(17, id) X(18, id) X(19, id) X(20, id) X(21, id) X(22, id) \
    X(23, id) X(24, id) X(25, id) X(26, id) X(27, id) X(28, id) X(29, id) X(30, id)

/* Fields of a key.  Copy n of a bank has the key of its row plus n, because CRm[1:0]:op2 = n. */
#define APMU_NATIVE_CRN(key) ((key) >> 7 & 15)
#define APMU_NATIVE_CRM(key) ((key) >> 3 & 15)
#define APMU_NATIVE_OP2(key) ((key)&7)

#ifdef __aarch64__
/* The operands op0, op1, CRn, CRm and op2 of an MRS or MSR, which its text names %1 to %5. */
#define APMU_NATIVE_OPERANDS(key) \
    "i"((key) >> 14), "i"((key) >> 11 & 7), "i"(APMU_NATIVE_CRN(key)), "i"(APMU_NATIVE_CRM(key)), \
        "i"(APMU_NATIVE_OP2(key))
#define APMU_NATIVE_MRS(value, key) \
    __asm__ __volatile__("mrs %0, S%c1_%c2_C%c3_C%c4_%c5" : "=r"(value) : APMU_NATIVE_OPERANDS(key))
#define APMU_NATIVE_MSR(value, key) \
    __asm__ __volatile__("msr S%c1_%c2_C%c3_C%c4_%c5, %0" : : "r"(value), APMU_NATIVE_OPERANDS(key))
#else
#define APMU_NATIVE_MRC(value, opc1, key) \
    __asm__ __volatile__("mrc p15, %c1, %0, c%c2, c%c3, %c4" : "=r"(value) \
                         : "i"(opc1), "i"(APMU_NATIVE_CRN(key)), "i"(APMU_NATIVE_CRM(key)), "i"(APMU_NATIVE_OP2(key)))
#define APMU_NATIVE_MCR(value, opc1, key) \
    __asm__ __volatile__("mcr p15, %c1, %0, c%c2, c%c3, %c4" : : "r"(value), \
                         "i"(opc1), "i"(APMU_NATIVE_CRN(key)), "i"(APMU_NATIVE_CRM(key)), "i"(APMU_NATIVE_OP2(key)))
#define APMU_NATIVE_MRRC(value, opc1, crm) \
    __asm__ __volatile__("mrrc p15, %c1, %Q0, %R0, c%c2" : "=r"(value) : "i"(opc1), "i"(crm))
#define APMU_NATIVE_MCRR(value, opc1, crm) \
    __asm__ __volatile__("mcrr p15, %c1, %Q0, %R0, c%c2" : : "r"(value), "i"(opc1), "i"(crm))
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Single reads: one instruction each.  The compiler keeps their order.  apmu_native_sync() orders them with other
 * instructions.
 */

/** Executes an ISB: everything before it in the program completes before anything after it begins. */
static inline void apmu_native_sync(void)
{
    __asm__ __volatile__("isb" : : : "memory");
}

#ifdef __aarch64__

/** Reads the cycle counter. */
static inline uint64_t apmu_read_pmccntr(void)
{
    uint64_t value;

    APMU_NATIVE_MRS(value, APMU_NATIVE_PMCCNTR_EL0);
    return value;
}

/** Reads the instruction counter (FEAT_PMUv3_ICNTR). */
static inline uint64_t apmu_read_pmicntr(void)
{
    uint64_t value;

    APMU_NATIVE_MRS(value, APMU_NATIVE_PMICNTR_EL0);
    return value;
}

/**
 * apmu_read_pmevcntr0() to apmu_read_pmevcntr30() read the event counters.  APMU_NATIVE_READER(3, PMEVCNTR_EL0) becomes
 *     static inline uint64_t apmu_read_pmevcntr3(void)
 *     {
 *         uint64_t value;
 *         APMU_NATIVE_MRS(value, APMU_NATIVE_PMEVCNTR_EL0 + 3);
 *         return value;
 *     }
 */
#define APMU_NATIVE_READER(n, id) \
    static inline uint64_t apmu_read_pmevcntr##n(void) \
    { \
        uint64_t value; \
        APMU_NATIVE_MRS(value, APMU_NATIVE_##id + n); \
        return value; \
    }
APMU_NATIVE_COPIES(APMU_NATIVE_READER, PMEVCNTR_EL0)

#elif __ARM_ARCH >= 8

/** Reads the cycle counter, all 64 bits of it. */
static inline uint64_t apmu_read_pmccntr(void)
{
    uint64_t value;

    APMU_NATIVE_MRRC(value, 0, APMU_NATIVE_CRN(APMU_NATIVE_PMCCNTR_EL0));
    return value;
}

/**
 * apmu_read_pmevcntr0() to apmu_read_pmevcntr30() read the event counters, of which AArch32 state sees 32 bits.
 * APMU_NATIVE_READER(3, PMEVCNTR_EL0) becomes
 *     static inline uint32_t apmu_read_pmevcntr3(void)
 *     {
 *         uint32_t value;
 *         APMU_NATIVE_MRC(value, 0, APMU_NATIVE_PMEVCNTR_EL0 + 3);
 *         return value;
 *     }
 */
#define APMU_NATIVE_READER(n, id) \
    static inline uint32_t apmu_read_pmevcntr##n(void) \
    { \
        uint32_t value; \
        APMU_NATIVE_MRC(value, 0, APMU_NATIVE_##id + n); \
        return value; \
    }
APMU_NATIVE_COPIES(APMU_NATIVE_READER, PMEVCNTR_EL0)

#else /* ARMv7: event counters are behind PMSELR, so no single instruction reads one */

/** Reads the cycle counter. */
static inline uint32_t apmu_read_pmccntr(void)
{
    uint32_t value;

    APMU_NATIVE_MRC(value, 0, APMU_NATIVE_PMCCNTR_EL0);
    return value;
}

#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Regions: pieces of code that read counters where they begin and where they end, while a session runs.
 */

#if defined(__aarch64__) || __ARM_ARCH >= 8

/** The largest number of counters that a region can read. */
#define APMU_NATIVE_REGION_COUNTERS 8u

/** A region.  After its end, count[k] is the number of events of the k-th lowest counter of its set. */
struct apmu_native_region {
    uint64_t count[APMU_NATIVE_REGION_COUNTERS];
};

/**
 * Returns whether a region can read the counters of @set: the session is running, all of them are its own, and they are
 * at most APMU_NATIVE_REGION_COUNTERS.
 */
static inline bool apmu_native_region_fits(const struct apmu_session *s, uint64_t set)
{
    unsigned counters = 0;

    for (uint64_t rest = set; rest != 0; rest &= rest - 1) {
        counters++;
    }
    return s->state == APMU_SESSION_RUNNING && (set & ~s->own) == 0 && counters <= APMU_NATIVE_REGION_COUNTERS;
}

/*
 * Internal: the steps of a region for counter n, from here on.  Each value is a variable of its own, so that nothing
 * comes between the reads.
 */
#define APMU_NATIVE_IN(set, n) (((set) >> (n) & 1) != 0)
#define APMU_NATIVE_TAKE_EVENT(n, set) const uint64_t event##n = APMU_NATIVE_IN(set, n) ? apmu_read_pmevcntr##n() : 0;

/*
 * APMU_NATIVE_KEEP_EVENT(3, set) becomes
 *     if (APMU_NATIVE_IN(set, 3)) {
 *         r->count[k++] = event3;
 *     }
 */
#define APMU_NATIVE_KEEP_EVENT(n, set) \
    if (APMU_NATIVE_IN(set, n)) { \
        r->count[k++] = event##n; \
    }

/*
 * APMU_NATIVE_COUNT_EVENT(3, set) becomes
 *     if (APMU_NATIVE_IN(set, 3)) {
 *         unsigned long difference = (uint32_t)event3 - (uint32_t)r->count[k];
 *         APMU_NATIVE_SCALAR(difference);
 *         r->count[k++] = difference;
 *     }
 */
#define APMU_NATIVE_COUNT_EVENT(n, set) \
    if (APMU_NATIVE_IN(set, n)) { \
        unsigned long difference = (uint32_t)event##n - (uint32_t)r->count[k]; \
        APMU_NATIVE_SCALAR(difference); \
        r->count[k++] = difference; \
    }

#ifdef __aarch64__
/* Keeps the value in a general register.  Compilers would use vectors for the subtractions, and the moves cost more. */
#define APMU_NATIVE_SCALAR(value) __asm__("" : "+r"(value))
#define APMU_NATIVE_TAKE_INSTR(set) (APMU_NATIVE_IN(set, APMU_INSTR) ? apmu_read_pmicntr() : 0)
#else
#define APMU_NATIVE_SCALAR(value) (void)0
#define APMU_NATIVE_TAKE_INSTR(set) 0
#endif
/*
 * Reads all counters of the set.  It becomes
 *     const uint64_t event0 = ...; ... const uint64_t event30 = ...;
 *     const uint64_t cycles = APMU_NATIVE_IN(set, APMU_CYCLE) ? apmu_read_pmccntr() : 0;
 *     const uint64_t instructions = ...;
 */
#define APMU_NATIVE_TAKE(set) \
    APMU_NATIVE_COPIES(APMU_NATIVE_TAKE_EVENT, set) \
    const uint64_t cycles = APMU_NATIVE_IN(set, APMU_CYCLE) ? apmu_read_pmccntr() : 0; \
    const uint64_t instructions = APMU_NATIVE_TAKE_INSTR(set);

/**
 * Begins a region: reads the counters of @set, which must be a constant (bit n is counter n; in AArch32 state without
 * APMU_INSTR).  Regions may nest, each with its own @r.  Does not look at the session: apmu_native_region_fits() does.
 * Counters of the set that are not the session's are read too.  Compile with optimization: then begin and end together
 * are 31 instructions for 6 counters in AArch64 state (34 by Clang), and 4 of them are ISBs.
 *
 * Exact while the PE is the same, the session runs and nobody writes the counters.  Then count[k] is the region's own
 * events plus a constant, the instructions of the reads, which an empty region measures.  Overflows do no harm while an
 * event counter counts less than 2^32 events in the region, because only the lower 32 bits are subtracted.
 */
static inline __attribute__((always_inline)) void apmu_native_region_begin(struct apmu_native_region *r, uint64_t set)
{
    unsigned k = 0;

    apmu_native_sync(); /* earlier events are counted before the reads */
    APMU_NATIVE_TAKE(set)
    APMU_NATIVE_COPIES(APMU_NATIVE_KEEP_EVENT, set)
    if (APMU_NATIVE_IN(set, APMU_CYCLE)) {
        r->count[k++] = cycles;
    }
    if (APMU_NATIVE_IN(set, APMU_INSTR)) {
        r->count[k++] = instructions;
    }
    apmu_native_sync(); /* the reads are done before the region begins */
}

/** Ends a region: sets count[] of @r to the events that the counters of @set counted.  @set is the same as at begin. */
static inline __attribute__((always_inline)) void apmu_native_region_end(struct apmu_native_region *r, uint64_t set)
{
    unsigned k = 0;

    apmu_native_sync();
    APMU_NATIVE_TAKE(set)
    apmu_native_sync();
    APMU_NATIVE_COPIES(APMU_NATIVE_COUNT_EVENT, set)
    if (APMU_NATIVE_IN(set, APMU_CYCLE)) {
        r->count[k] = cycles - r->count[k];
        k++;
    }
    if (APMU_NATIVE_IN(set, APMU_INSTR)) {
        r->count[k] = instructions - r->count[k];
        k++;
    }
}

#endif

#ifdef __aarch64__
/* ---------------------------------------------------------------------------------------------------------------
 * Entries to protected states, for firmware at EL3 and hypervisors at EL2: what apmu_policy_enter() and
 * apmu_policy_leave() do, on this PE and without a search of the rows.  Both together are 29 instructions with gcc, and
 * two of them are ISBs.
 */

/** Saves PMCR_EL0, and MDCR_EL2 where @entry has it, and writes the values of the entry. */
static inline void apmu_native_policy_enter(const struct apmu_policy_entry *entry, struct apmu_policy_saved *saved)
{
    uint64_t old;

    saved->pmcr_el0 = saved->mdcr_el2 = 0;
    if (entry->pmcr_el0_mask != 0) { /* first, because it stops most counters */
        APMU_NATIVE_MRS(old, APMU_NATIVE_PMCR_EL0);
        APMU_NATIVE_MSR((old & ~entry->pmcr_el0_mask) | entry->pmcr_el0, APMU_NATIVE_PMCR_EL0);
        saved->pmcr_el0 = old;
    }
    if (entry->mdcr_el2_mask != 0) {
        APMU_NATIVE_MRS(old, APMU_NATIVE_MDCR_EL2);
        APMU_NATIVE_MSR((old & ~entry->mdcr_el2_mask) | entry->mdcr_el2, APMU_NATIVE_MDCR_EL2);
        saved->mdcr_el2 = old;
    }
    apmu_native_sync();
}

/** Restores what apmu_native_policy_enter() saved, on return to less trusted software. */
static inline void apmu_native_policy_leave(const struct apmu_policy_entry *entry,
                                            const struct apmu_policy_saved *saved)
{
    if (entry->mdcr_el2_mask != 0) {
        APMU_NATIVE_MSR(saved->mdcr_el2, APMU_NATIVE_MDCR_EL2);
    }
    if (entry->pmcr_el0_mask != 0) {
        APMU_NATIVE_MSR(saved->pmcr_el0, APMU_NATIVE_PMCR_EL0);
    }
    apmu_native_sync();
}

#endif

#ifdef __cplusplus
}
#endif
#endif
