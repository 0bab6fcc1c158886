/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defects of released drivers, and a driver that can have each of them.
 *
 * The test of a defect is a check that a driver passes or fails.  Our driver must pass.  The peer without a defect must
 * pass, which shows that the check demands nothing wrong.  The peer with the defect must fail.  The name of the test
 * begins with "defect N: " and the driver in which the defect was found.  The defects, with the files of their tests:
 *
 *      1 DPDK: reads PMXEVCNTR before PMSELR is synchronized (defects.c); reads an event without a counter (perf.c)
 *      2 CoreFreq: writes PMXEVTYPER before PMSELR is synchronized; restores PMCNTENSET and PMSELR wrongly (defects.c)
 *      3 FreeBSD: writes PMXEVCNTR before PMSELR is synchronized; does not reset PMCR; accepts any event (defects.c)
 *      4 TF-A, AArch32: has | for & in the value of PMCR (defects_firmware.c)
 *      5 libperf, PAPI: swap counters 12 and 13 (perf.c)
 *      6 libperf: does not sign-extend the counter (perf.c)
 *      7 armv8_pmu_cycle_counter_el0: disables by writing 0 to PMCNTENSET; enables too early (defects.c)
 *      8 kylin aarch64-pmuv3: inverts P and U; enables too early; clears the cycle counter's flag only (defects.c)
 *      9 Linux: reads a chained pair only once (defects_counts.c)
 *     10 PMUv3_plugin: has event numbers of 8 bits (defects_counts.c); does not scale shared counts (perf.c)
 *     11 google/benchmark: does not scale shared counts (perf.c)
 *     12 CMSIS: has one number for two events; clears the overflow flags that it should set (defects_firmware.c)
 *     13 Hafnium: has DP and X of PMCR one bit off; ORs HPMN into its old value (defects_firmware.c)
 *     14 Linux, ARM11: loses overflow flags by read-modify-write (arm11.c)
 *     15 CSAL: cuts cycles to 32 bits; enables no counter (defects_counts.c)
 *     16 sDDF: looks at six overflow flags only, and not at the one of a pair's upper half (defects_counts.c)
 *     17 tf-a-tests: accepts any change of a counter (defects_counts.c)
 *     18 gem5: counts the old event after an unsupported one (defects_counts.c)
 *     19 rust-pmuv3: sets NSH to exclude EL2; has event numbers of 10 bits (defects_counts.c)
 *     20 SBSA ACS: uses the offsets of one layout for every component (defects_external.c)
 *
 * test_defects.sh checks that each of them has a test.
 */
#ifndef ARMPMU_TEST_DEFECTS_H
#define ARMPMU_TEST_DEFECTS_H

#include "driver.h"
#include "lazy.h"

enum defect {
    NO_DEFECT,
    READ_WITHOUT_ISB,         /* 1 */
    TYPE_WITHOUT_ISB,         /* 2 */
    RESTORE_BY_SET,           /* 2 */
    RESTORE_SELR_ORED,        /* 2 */
    VALUE_WITHOUT_ISB,        /* 3 */
    NO_RESET,                 /* 3 */
    UNCHECKED_EVENT,          /* 3 */
    DISABLE_BY_SET,           /* 7 */
    ENABLED_BEFORE_FILTER,    /* 7 */
    SIGN_EXTENDED,            /* 7 */
    FILTER_INVERTED,          /* 8 */
    ENABLED_BEFORE_TYPE,      /* 8 */
    CLEARS_CYCLE_FLAG_ONLY,   /* 8 */
    PAIR_READ_ONCE,           /* 9 */
    EVENT_OF_8_BITS,          /* 10 */
    CYCLES_OF_32_BITS,        /* 15 */
    ENABLES_NO_COUNTER,       /* 15 */
    FLAGS_OF_SIX,             /* 16 */
    FLAG_OF_LOWER_HALF,       /* 16 */
    DIVIDED_CYCLES,           /* 17 */
    KEEPS_OLD_EVENT,          /* 18 */
    NSH_EXCLUDES,             /* 19 */
    EVENT_OF_10_BITS,         /* 19 */
    NO_PEER_HAS_IT,
};

/* The operations of both drivers.  Each driver counts for one bench at a time. */
struct contender {
    enum apmu_error (*open)(const struct apmu_dev *dev, const struct apmu_pmu *pmu, const struct apmu_wish *wishes,
                            size_t count);
    void (*start)(void);
    void (*stop)(void);
    void (*read)(struct apmu_reading *out);
    void (*close)(void);
};

/* ---------------------------------------------------------------------------------------------------------------
 * Our driver.
 */

static struct apmu_session our_session;
static bool our_error;

static inline enum apmu_error our_open(const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                       const struct apmu_wish *wishes, size_t count)
{
    our_error = false;
    return apmu_session_open(&our_session, dev, pmu, wishes, count, NULL);
}

static inline void our_start(void)
{
    our_error |= apmu_session_start(&our_session) != APMU_OK;
}

static inline void our_stop(void)
{
    our_error |= apmu_session_stop(&our_session) != APMU_OK;
}

static inline void our_read(struct apmu_reading *out)
{
    our_error |= apmu_session_read(&our_session, out) != APMU_OK;
    out->valid &= !our_error;
}

static inline void our_close(void)
{
    our_error |= apmu_session_close(&our_session) != APMU_OK;
}

static const struct contender ours = {our_open, our_start, our_stop, our_read, our_close};

/* ---------------------------------------------------------------------------------------------------------------
 * The peer: a small driver of event counters, pairs and the cycle counter, through PMSELR_EL0.
 */

static struct {
    enum defect defect;
    const struct apmu_dev *dev;
    struct apmu_pmu pmu;
    size_t count;
    struct apmu_wish wishes[8];
    unsigned counter[8]; /* for a pair, the even counter */
    bool pair[8], wrapped[8];
    uint64_t wraps[8], own, cnten, selr;
} peer;

static inline bool has_defect(enum defect defect)
{
    return peer.defect == defect;
}

static inline void peer_write(enum apmu_reg reg, uint64_t value)
{
    (void)peer.dev->ops->write(peer.dev->ctx, reg, 0, value);
}

static inline uint64_t peer_get(enum apmu_reg reg)
{
    uint64_t value = 0;

    (void)peer.dev->ops->read(peer.dev->ctx, reg, 0, &value);
    return value;
}

static inline void peer_sync(void)
{
    peer.dev->ops->sync(peer.dev->ctx);
}

static inline void peer_select(unsigned counter, enum defect without_isb)
{
    peer_write(APMU_REG_PMSELR_EL0, counter);
    if (!has_defect(without_isb)) {
        peer_sync();
    }
}

static inline bool is_long(void)
{
    return peer.pmu.version >= 6; /* FEAT_PMUv3p5 */
}

static inline uint64_t peer_control(void)
{
    const uint64_t mode = has_defect(NO_RESET) ? peer_get(APMU_REG_PMCR_EL0)
                          : has_defect(DIVIDED_CYCLES) ? APMU_MASK(PMCR_EL0, D)
                                                       : APMU_MASK(PMCR_EL0, LC) | APMU_PUT(PMCR_EL0, LP, is_long());

    return mode & ~APMU_MASK(PMCR_EL0, E);
}

static inline void peer_enable(void)
{
    uint64_t own = peer.own;

    if (has_defect(SIGN_EXTENDED)) {
        own = own >> 31 & 1 ? own | ~UINT64_C(0) << 31 : own;
    }
    if (!has_defect(ENABLES_NO_COUNTER)) {
        peer_write(APMU_REG_PMCNTENSET_EL0, own);
    }
    peer_write(APMU_REG_PMCR_EL0, peer_control() | APMU_MASK(PMCR_EL0, E));
    peer_sync();
}

static inline uint64_t peer_event(const struct apmu_wish *wish)
{
    return has_defect(EVENT_OF_8_BITS) ? (uint8_t)wish->event
           : has_defect(EVENT_OF_10_BITS) ? wish->event & 0x3FFu : wish->event;
}

static inline uint64_t peer_filter(const struct apmu_wish *wish)
{
    const uint64_t both = APMU_FILTER(P) | APMU_FILTER(U);

    return wish->filter ^ (has_defect(FILTER_INVERTED) ? both : has_defect(NSH_EXCLUDES) ? APMU_FILTER(NSH) : 0);
}

static inline void peer_type(size_t i)
{
    const struct apmu_wish *wish = &peer.wishes[i];

    if (peer.counter[i] == APMU_CYCLE) {
        peer_write(APMU_REG_PMCCFILTR_EL0, peer_filter(wish));
    } else if (!has_defect(KEEPS_OLD_EVENT) || apmu_event_announced(peer.pmu.pmceid, wish->event)) {
        peer_select(peer.counter[i], TYPE_WITHOUT_ISB);
        peer_write(APMU_REG_PMXEVTYPER_EL0, peer_filter(wish) | peer_event(wish));
    }
    if (peer.pair[i]) {
        peer_select(peer.counter[i] + 1, NO_PEER_HAS_IT);
        peer_write(APMU_REG_PMXEVTYPER_EL0, APMU_FILTER(NSH) | APMU_EV_CHAIN);
    }
}

/* Writes the initial value of a counter, unless it is zero: the counters are zero already. */
static inline void peer_initial(size_t i)
{
    const uint64_t initial = 0 - peer.wishes[i].period;

    if (initial == 0) {
        return;
    }
    if (peer.counter[i] == APMU_CYCLE) {
        peer_write(APMU_REG_PMCCNTR_EL0, initial);
        return;
    }
    peer_select(peer.counter[i], VALUE_WITHOUT_ISB);
    peer_write(APMU_REG_PMXEVCNTR_EL0, peer.pair[i] ? initial & UINT32_MAX : initial);
    if (peer.pair[i]) {
        peer_select(peer.counter[i] + 1, NO_PEER_HAS_IT);
        peer_write(APMU_REG_PMXEVCNTR_EL0, initial >> 32);
    }
}

static inline enum apmu_error peer_open(const struct apmu_dev *dev, const struct apmu_pmu *pmu,
                                        const struct apmu_wish *wishes, size_t count)
{
    const enum defect defect = peer.defect;
    unsigned next = 0;

    memset(&peer, 0, sizeof peer);
    peer.defect = defect;
    peer.dev = dev;
    peer.pmu = *pmu;
    peer.count = count;
    peer.cnten = peer_get(APMU_REG_PMCNTENSET_EL0);
    peer.selr = peer_get(APMU_REG_PMSELR_EL0);
    for (size_t i = 0; i < count; i++) {
        if (!wishes[i].unlisted && !has_defect(UNCHECKED_EVENT) &&
            !apmu_event_announced(pmu->pmceid, wishes[i].event)) {
            return APMU_E_NO_EVENT;
        }
        peer.wishes[i] = wishes[i];
        peer.pair[i] = wishes[i].wide && !is_long();
        peer.counter[i] = wishes[i].dedicated ? APMU_CYCLE
                          : wishes[i].counter != APMU_COUNTER_ANY ? wishes[i].counter : next;
        next += wishes[i].dedicated ? 0 : 1u + peer.pair[i];
        peer.own |= (peer.pair[i] ? UINT64_C(3) : UINT64_C(1)) << peer.counter[i];
    }
    if (!has_defect(NO_RESET)) {
        peer_write(APMU_REG_PMCR_EL0, peer_control() | APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C));
        peer_write(APMU_REG_PMCNTENCLR_EL0, ~UINT64_C(0));
        peer_sync();
    }
    if (has_defect(ENABLED_BEFORE_FILTER) || has_defect(ENABLED_BEFORE_TYPE)) {
        peer_enable();
    }
    for (size_t i = 0; i < count; i++) {
        peer_type(i);
    }
    for (size_t i = 0; i < count; i++) {
        peer_initial(i);
    }
    peer_sync();
    peer_write(APMU_REG_PMOVSCLR_EL0, has_defect(CLEARS_CYCLE_FLAG_ONLY) ? UINT64_C(1) << 31 : peer.own);
    peer_sync();
    return APMU_OK;
}

static inline void peer_stop(void)
{
    peer_sync();
    peer_write(APMU_REG_PMCR_EL0, peer_control());
    peer_sync();
}

static inline uint64_t peer_value(unsigned counter)
{
    peer_select(counter, READ_WITHOUT_ISB);
    return peer_get(APMU_REG_PMXEVCNTR_EL0);
}

static inline uint64_t peer_pair(unsigned counter)
{
    uint64_t high = peer_value(counter + 1), low = peer_value(counter);

    while (!has_defect(PAIR_READ_ONCE) && peer_value(counter + 1) != high) {
        high = peer_value(counter + 1);
        low = peer_value(counter);
    }
    return high << 32 | (low & UINT32_MAX);
}

/* Reads the counters.  They are stopped, except in the test of a torn pair. */
static inline void peer_read(struct apmu_reading *out)
{
    const uint64_t seen = has_defect(FLAGS_OF_SIX) ? 0x8000003Fu : ~UINT64_C(0);
    uint64_t flags;

    peer_sync();
    flags = peer_get(APMU_REG_PMOVSCLR_EL0) & peer.own & seen;
    peer_write(APMU_REG_PMOVSCLR_EL0, flags);
    peer_sync();
    for (size_t i = 0; i < peer.count; i++) {
        const unsigned counter = peer.counter[i];
        const bool narrow = counter != APMU_CYCLE && !peer.pair[i] && !is_long();
        const unsigned top = counter + (peer.pair[i] && !has_defect(FLAG_OF_LOWER_HALF) ? 1u : 0u);
        const uint64_t raw = counter == APMU_CYCLE ? peer_get(APMU_REG_PMCCNTR_EL0)
                             : peer.pair[i] ? peer_pair(counter) : peer_value(counter);

        out[i] = (struct apmu_reading){.raw = raw, .valid = true, .overflowed = (flags >> top & 1) != 0};
        peer.wraps[i] += out[i].overflowed;
        out[i].count = narrow ? (peer.wraps[i] << 32) + raw - ((0 - peer.wishes[i].period) & UINT32_MAX)
                              : raw + peer.wishes[i].period;
        if (counter == APMU_CYCLE && has_defect(CYCLES_OF_32_BITS)) {
            out[i].count = (uint32_t)out[i].count;
        }
    }
}

/* Other software uses the PMU too, so it stays enabled, with the counters that were enabled before. */
static inline void peer_close(void)
{
    if (has_defect(DISABLE_BY_SET)) {
        peer_write(APMU_REG_PMCNTENSET_EL0, 0);
    } else if (!has_defect(RESTORE_BY_SET)) {
        peer_write(APMU_REG_PMCNTENCLR_EL0, peer.own);
    }
    peer_sync();
    peer_write(APMU_REG_PMCNTENSET_EL0, peer.cnten);
    peer_write(APMU_REG_PMSELR_EL0, has_defect(RESTORE_SELR_ORED) ? peer.selr | 0x1F : peer.selr);
    peer_write(APMU_REG_PMCR_EL0, peer_control() | APMU_MASK(PMCR_EL0, E));
    peer_sync();
}

static const struct contender theirs = {peer_open, peer_enable, peer_stop, peer_read, peer_close};

/* ---------------------------------------------------------------------------------------------------------------
 * The test of a defect.
 */

static inline bool passes(bool (*right)(const struct contender *), enum defect defect)
{
    peer.defect = defect;
    return right(&theirs);
}

/* Tests a defect.  @name begins with "defect N: ". */
static inline void test_defect(const char *name, bool (*right)(const struct contender *), enum defect defect)
{
    const bool we = right(&ours), they = passes(right, NO_DEFECT), caught = !passes(right, defect);

    if (!we || !they || !caught) {
        printf("# %s%s%s\n", we ? "" : "ours fails; ", they ? "" : "the peer without a defect fails; ",
               caught ? "" : "the defect is not found");
    }
    check(name, we && they && caught);
}

#endif
