/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver over Linux's perf_event: an application counts its own threads, or with the kernel's leave others'.
 *
 * For application engineers on Arm Linux, AArch64 and AArch32; hosted, and part of libarmpmu on Linux only.  On a machine
 * that is no Arm, apmu_perf_pmus() finds nothing and apmu_perf_session_open() says so.
 *
 *     static struct apmu_perf perf;
 *     if (apmu_perf_session_open(&session, &perf, NULL, wishes, count, NULL) != APMU_OK) {
 *         apmu_perf_explain(&perf, text, sizeof text);
 *     }
 *     apmu_session_start(&session); ...
 *
 * A session is one group of the kernel's: its wishes are counted at the same times, each on a counter of its own that it
 * keeps (attr.pinned), so no count is an estimate, unless APMU_PERF_SHARE or APMU_PERF_MULTIPLEX allow it.
 *
 * Reading is a system call, or, where the kernel allows it, MRS of the counters through the page that the kernel maps
 * (struct apmu_perf has .direct): for the calling thread only, on AArch64, with the sysctl kernel.perf_user_access set to
 * 1.  Whoever sets it to 0 again while a session reads directly lets the next MRS end in SIGILL: so says the kernel.
 * After fork() the child must not use the session, nor close it.
 */
#ifndef ARMPMU_PERF_H
#define ARMPMU_PERF_H

#include <armpmu/driver.h>
#ifdef __aarch64__
#include <armpmu/native.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * The PMUs that the kernel knows: one for each kind of core.
 */

struct apmu_perf_pmu {
    char name[32];      /**< of its device: "armv8_cortex_a57" */
    uint32_t type;      /**< perf_event_attr.type */
    char cpus[64];      /**< which CPUs it belongs to, "0-3,6", or "" where the kernel does not say, as all do then */
    uint32_t midr;      /**< MIDR_EL1 of the first of them, or 0 where the kernel does not tell: see apmu_core_by_midr() */
    bool listed;        /**< the kernel says which common events it has, so pmceid holds */
    uint64_t pmceid[2]; /**< as PMCEID0_EL0 and PMCEID1_EL0, but for SW_INCR and CHAIN, which the kernel keeps */
};

/** Is the kernel's event source @device the PMU of a core, as armv8_cortex_a57 and apple_firestorm_pmu are, arm_spe_0 not? */
bool apmu_perf_is_core(const char *device);

/**
 * Finds the PMUs of Arm cores among the kernel's event sources, in the order of their names.  Fills @pmus with at most
 * @room of them; returns how many there are.
 */
size_t apmu_perf_pmus(struct apmu_perf_pmu *pmus, size_t room);

/** Does @pmu belong to CPU @cpu? */
bool apmu_perf_has_cpu(const struct apmu_perf_pmu *pmu, unsigned cpu);

/**
 * The number of the event that the manual of @pmu's core or else its device names @name ("L1D_WS_MODE", "inst_retired"), or
 * -1: then it may be a common event, see apmu_event_parse().
 */
int apmu_perf_event_by_name(const struct apmu_perf_pmu *pmu, const char *name);

/* ---------------------------------------------------------------------------------------------------------------
 * Sessions.
 */

#define APMU_PERF_CPU 1u       /* count everything that runs on .cpu, not a thread */
#define APMU_PERF_INHERIT 2u   /* count also threads and processes that the thread will make; no direct reads */
#define APMU_PERF_ON_EXEC 4u   /* counting begins when the thread calls exec, without apmu_session_start() */
#define APMU_PERF_NO_DIRECT 8u /* read by system calls only */
#define APMU_PERF_SHARE 16u    /* the counters may be shared in turns with other sessions; readings are scaled then */
#define APMU_PERF_MULTIPLEX (32u | APMU_PERF_SHARE) /* also among the wishes, in several groups, if they do not fit at
                                                       once */

/** Whom to count.  Zero in a member, or no options at all, is the calling thread on whatever CPU it runs. */
struct apmu_perf_options {
    uint32_t size;                   /**< sizeof(struct apmu_perf_options): see <armpmu/sized.h> */
    uint32_t flags;                  /**< set of APMU_PERF_x */
    const struct apmu_perf_pmu *pmu; /**< NULL: the only one there is */
    int32_t thread;                  /**< id of a thread, 0: the calling one */
    uint32_t cpu;                    /**< with APMU_PERF_CPU: its number */
};

/**
 * The head of the page that the kernel maps for an event: struct perf_event_mmap_page of <linux/perf_event.h>, whose
 * comment there is the protocol.
 */
struct apmu_perf_page {
    uint32_t version, compat_version;
    uint32_t lock;         /**< changes with every change; odd while one is under way */
    uint32_t index;        /**< counter + 1, or 0: the event has no counter now */
    int64_t offset;        /**< to be added to the counter's value */
    uint64_t time_enabled; /**< in ns, when the page was last changed */
    uint64_t time_running;
    uint64_t capabilities; /**< see APMU_PERF_CAP() */
    uint16_t pmc_width;    /**< bits of the counter's value that hold; the highest is its sign */
    uint16_t time_shift;
    uint32_t time_mult;
    uint64_t time_offset;
    uint64_t time_zero;
    uint32_t page_size, reserved;
    uint64_t time_cycles, time_mask;
};

/** Is capability @bit set?  The kernel declares them as bit-fields of 64 bits. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define APMU_PERF_CAP(page, bit) (((page)->capabilities >> (63 - (bit)) & 1) != 0)
#else
#define APMU_PERF_CAP(page, bit) (((page)->capabilities >> (bit) & 1) != 0)
#endif
#define APMU_PERF_CAP_RDPMC 2
#define APMU_PERF_CAP_TIME 3
#define APMU_PERF_CAP_TIME_SHORT 5

/** Why a session could not be opened, for apmu_perf_explain(). */
struct apmu_perf_refusal {
    enum apmu_error error;
    int32_t system_error; /**< errno of the call that failed, or 0 */
    size_t wish;          /**< the wish concerned, or the number of wishes */
    uint16_t event;       /**< of that wish */
    uint64_t filter;      /**< bits of its filter that are refused */
    int32_t paranoid;     /**< kernel.perf_event_paranoid */
    int32_t needed;       /**< what it may be at most */
    uint32_t counters;    /**< wishes that the kernel takes at once, if error is APMU_E_PERF_GROUP */
    int32_t thread;       /**< as asked for */
    int32_t cpu;          /**< as asked for, or -1 */
    char pmus[128];       /**< the names of the PMUs that there are */
};

/** One event that the kernel counts for us. */
struct apmu_perf_event {
    const volatile struct apmu_perf_page *page; /**< NULL: not mapped */
    int fd;
    bool leader;   /**< of a group: the next ones belong to it until another leader */
    uint64_t id;   /**< by which the kernel names it in a reading */
    uint64_t base; /**< its count when the session was reset */
    uint64_t base_enabled, base_running;
};

/** The back end of one session.  The caller's memory until the session is closed; no member is the caller's to change. */
struct apmu_perf {
    bool direct;        /**< the counters can be read by apmu_perf_read_direct(); apmu_session_read() does so too */
    uint32_t count;     /**< events */
    uint32_t groups;    /**< 1, or more with APMU_PERF_MULTIPLEX */
    uintptr_t reader;   /**< the thread pointer of the thread that may read directly */
    const char *indirect; /**< why not direct, in words; "" if it is */
    struct apmu_perf_pmu pmu;
    struct apmu_perf_refusal refusal; /**< of the last open */
    struct apmu_perf_event events[APMU_COUNTERS];
};

/**
 * Opens the events of @wishes with the kernel.  Nothing counts yet.  On an error nothing stays open, the session is
 * closed, *@refused is the wish concerned, or @count if none is (it may be NULL), and apmu_perf_explain() says the rest.
 *
 * A wish is as for apmu_session_open(), but: .counter is APMU_COUNTER_ANY, for the kernel chooses; .interrupt is false
 * and .period 0; of .filter there are P (not the kernel), U (not the application) and NSH (also the hypervisor), others
 * are refused with APMU_E_PERF_FILTER.  .wide asks the kernel for 64-bit counters (config1 bit 0); counts have 64 bits
 * without it.  An event that the kernel does not list for the PMU (see apmu_perf_pmu) is refused unless .unlisted:
 * the kernel would take it and count nothing.
 *
 * apmu_session_read() and reset() can return APMU_E_PERF_LOST: something else counts on the CPU, and has the counters.  A
 * shared event that was to be counted and never had a counter has a reading that is not valid.
 *
 * APMU_E_NO_COUNTER: more than APMU_COUNTERS wishes, or none.  APMU_E_NO_EVENT, EVENT_NUMBER, CHAIN, and APMU_E_PERF_x:
 * tables/errors.def.
 */
enum apmu_error apmu_perf_session_open(struct apmu_session *s, struct apmu_perf *perf,
                                       const struct apmu_perf_options *options, const struct apmu_wish *wishes,
                                       size_t count, size_t *refused);

/**
 * Why the last open of @perf failed: "object: cause; cure" on one line, cut at @size.  With the values that matter,
 * such as that of kernel.perf_event_paranoid and the one it needs.
 */
void apmu_perf_explain(const struct apmu_perf *perf, char *text, size_t size);

/* ---------------------------------------------------------------------------------------------------------------
 * Direct reads.
 */

/** Reads counter 0..30, or APMU_CYCLE. */
typedef uint64_t apmu_perf_counter_reader(void *ctx, unsigned counter);

/**
 * The count of the event of @page, by @read.  Returns false, and *@count is unchanged, if the event has no counter now,
 * the kernel does not allow to read it, or its changes do not cease.  The value is sign-extended, for the kernel
 * starts a counter in its negative half and knows it as a negative number.
 */
static inline bool apmu_perf_page_read(const volatile struct apmu_perf_page *page, apmu_perf_counter_reader *read,
                                       void *ctx, uint64_t *count)
{
    for (unsigned tries = 0; tries < 1000; tries++) { /* a change takes the kernel far less */
        const uint32_t lock = page->lock;
        const uint32_t counter = page->index - 1u;
        const unsigned unused = 64u - page->pmc_width;
        uint64_t value;

        if (counter > APMU_CYCLE || unused > 63u || !APMU_PERF_CAP(page, APMU_PERF_CAP_RDPMC)) {
            if (page->lock == lock) {
                return false;
            }
            continue;
        }
        value = (uint64_t)page->offset + (uint64_t)((int64_t)(read(ctx, counter) << unused) >> unused);
        if (page->lock == lock && (lock & 1u) == 0) {
            *count = value;
            return true;
        }
    }
    return false;
}

#if defined(__aarch64__)
/** PMEVCNTR<counter>_EL0, or for APMU_CYCLE PMCCNTR_EL0.  An EL0 that may not read it gets SIGILL. */
static inline uint64_t apmu_perf_counter(void *ctx, unsigned counter)
{
    uint64_t value = 0;

    (void)ctx;
    switch (counter) {
#define APMU_PERF_COUNTER(n, id) case n: value = apmu_read_pmevcntr##n(); break;
        APMU_NATIVE_COPIES(APMU_PERF_COUNTER, PMEVCNTR_EL0)
#undef APMU_PERF_COUNTER
    case APMU_CYCLE: value = apmu_read_pmccntr(); break;
    default: break;
    }
    return value;
}

/** The thread pointer: another value in every thread of a process. */
static inline uintptr_t apmu_perf_thread_pointer(void)
{
    uintptr_t value;

    __asm__("mrs %0, tpidr_el0" : "=r"(value));
    return value;
}

/**
 * The counts of the session's events into @counts, in their order, without a system call, while the session runs.
 * Returns false if that is not possible: not .direct, another thread, not running, an event that has no counter now;
 * then apmu_session_read() is the way.  Safe in a signal handler of the thread.
 *
 * A region is the difference of two calls.  What stands before it in the program is counted when it returns.
 */
static inline bool apmu_perf_read_direct(const struct apmu_perf *perf, uint64_t *counts)
{
    if (!perf->direct || perf->reader != apmu_perf_thread_pointer()) {
        return false;
    }
    apmu_native_sync();
    for (uint32_t i = 0; i < perf->count; i++) {
        if (!apmu_perf_page_read(perf->events[i].page, apmu_perf_counter, NULL, &counts[i])) {
            return false;
        }
        counts[i] -= perf->events[i].base;
    }
    return true;
}
#endif

#ifdef __cplusplus
}
#endif
#endif
