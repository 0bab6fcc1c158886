/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver over Linux's perf_event: an application counts its own threads, and others if the kernel permits.
 *
 * For application engineers on Arm Linux, AArch64 and AArch32.  Part of libarmpmu on Linux only.  On a machine that is
 * not an Arm machine apmu_perf_pmus() finds nothing, and apmu_perf_session_open() fails with APMU_E_PERF_PMU.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/events.h>
 * #include <armpmu/perf.h>
 * int main(void)
 * {
 *     static struct apmu_perf perf;
 *     struct apmu_session session;
 *     struct apmu_wish wish;
 *     struct apmu_reading reading;
 *     char why[256];
 *     if (apmu_wish_parse("CPU_CYCLES:u", &wish) != APMU_OK) {
 *         return 1;
 *     }
 *     if (apmu_perf_session_open(&session, &perf, NULL, &wish, 1, NULL) != APMU_OK) {
 *         apmu_perf_explain(&perf, why, sizeof why);
 *         puts(why);
 *         return 0;
 *     }
 *     apmu_session_start(&session);
 *     puts("the code to be measured");
 *     apmu_session_stop(&session);
 *     if (apmu_session_read(&session, &reading) == APMU_OK) {
 *         printf("%llu cycles\n", (unsigned long long)reading.count);
 *     }
 *     return apmu_session_close(&session) != APMU_OK;
 * }
 * @endcode
 *
 * A session is one group of the kernel's: its wishes are counted at the same times, each on a counter of its own that
 * it keeps (attr.pinned).  So no count is an estimate, unless APMU_PERF_SHARE or APMU_PERF_MULTIPLEX allows it.
 *
 * A reading is a system call.  If apmu_perf.direct is true, it is an MRS of each counter through the page that the
 * kernel maps: only for the calling thread, on AArch64, with the sysctl kernel.perf_user_access set to 1.  If somebody
 * sets it to 0 while a session reads directly, the next MRS ends in SIGILL, as the kernel documents.  After fork() the
 * child must neither use nor close the session.
 *
 * Re-entrancy:
 *   - apmu_session_read() and apmu_perf_read_direct() may interrupt themselves and each other, as in a signal handler.
 *     apmu_session_read() may be called by any thread; another thread than the measured one reads by system calls.
 *   - No other call of a session may run at the same time as one of the same session.
 *   - All other functions may be called by several threads at once, each with its own arguments.
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

/** A PMU that the kernel knows. */
struct apmu_perf_pmu {
    char name[32];      /**< name of its device: "armv8_cortex_a57" */
    uint32_t type;      /**< perf_event_attr.type */
    char cpus[64];      /**< the CPUs that have it: "0-3,6"; "" if the kernel does not say, which means all CPUs */
    uint32_t midr;      /**< MIDR_EL1 of the first of them, or 0 if the kernel does not say: see apmu_core_by_midr() */
    bool listed;        /**< the kernel lists the common events that it has, so pmceid is valid */
    uint64_t pmceid[2]; /**< as PMCEID0_EL0 and PMCEID1_EL0, without SW_INCR and CHAIN, which the kernel never lists */
};

/**
 * Returns whether the kernel's event source @device is the PMU of a core: armv8_cortex_a57 and apple_firestorm_pmu are,
 * arm_spe_0 is not.
 */
bool apmu_perf_is_core(const char *device);

/**
 * Finds the PMUs of Arm cores among the kernel's event sources, in the order of their names.  Fills @pmus with at most
 * @room of them and returns the number of all.
 */
size_t apmu_perf_pmus(struct apmu_perf_pmu *pmus, size_t room);

/** Returns whether CPU @cpu has @pmu. */
bool apmu_perf_has_cpu(const struct apmu_perf_pmu *pmu, unsigned cpu);

/**
 * Returns the number of the event that the manual of @pmu's core calls @name ("L1D_WS_MODE"), or else the one that the
 * kernel's device calls so ("inst_retired").  Returns -1 if there is none; then @name may be that of a common event:
 * see apmu_event_parse().
 */
int apmu_perf_event_by_name(const struct apmu_perf_pmu *pmu, const char *name);

/* ---------------------------------------------------------------------------------------------------------------
 * Sessions.
 */

/** Bits of apmu_perf_options.flags. */
enum apmu_perf_flag {
    APMU_PERF_CPU = 1,       /**< count everything that runs on .cpu instead of a thread */
    APMU_PERF_INHERIT = 2,   /**< also count the threads and processes that the thread creates; no direct reads */
    APMU_PERF_ON_EXEC = 4,   /**< counting begins when the thread calls exec, without apmu_session_start() */
    APMU_PERF_NO_DIRECT = 8, /**< read by system calls only */
    APMU_PERF_SHARE = 16,    /**< the counters may be shared with other sessions in turns; readings are then scaled */
    APMU_PERF_MULTIPLEX = 32 | APMU_PERF_SHARE, /**< as APMU_PERF_SHARE, and wishes that do not fit together take turns
                                                     too, in several groups */
    APMU_PERF_CGROUP = 64,   /**< with APMU_PERF_CPU: count what the processes of .cgroup do on .cpu */
};

/** What to count.  0 in each member but size, or no options at all: the calling thread on every CPU. */
struct apmu_perf_options {
    uint32_t size;                   /**< sizeof(struct apmu_perf_options): see <armpmu/sized.h> */
    uint32_t flags;                  /**< set of APMU_PERF_x */
    const struct apmu_perf_pmu *pmu; /**< NULL: the only one that the machine has */
    int32_t thread;                  /**< id of a thread, 0: the calling one */
    uint32_t cpu;                    /**< with APMU_PERF_CPU: the number of the CPU */
    int32_t cgroup;                  /**< with APMU_PERF_CGROUP: a descriptor of the cgroup's folder */
};

/**
 * The beginning of the page that the kernel maps for an event: struct perf_event_mmap_page of <linux/perf_event.h>,
 * where a comment defines the protocol.
 */
struct apmu_perf_page {
    uint32_t version, compat_version;
    uint32_t lock;         /**< the kernel increments it before and after each change: odd during one */
    uint32_t index;        /**< counter + 1, or 0: the event has no counter now */
    int64_t offset;        /**< the count is the counter's value plus this */
    uint64_t time_enabled; /**< in ns, when the page was last changed */
    uint64_t time_running;
    uint64_t capabilities; /**< see APMU_PERF_CAP() */
    uint16_t pmc_width;    /**< number of valid bits of the counter's value; the highest is its sign */
    uint16_t time_shift;
    uint32_t time_mult;
    uint64_t time_offset;
    uint64_t time_zero;
    uint32_t page_size, reserved;
    uint64_t time_cycles, time_mask;
};

/** Tells whether capability @bit is set.  The kernel declares them as bit-fields of 64 bits. */
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
    size_t wish;          /**< the wish concerned, or the number of wishes if none is */
    uint16_t event;       /**< its event */
    uint64_t filter;      /**< the bits of its filter that are refused */
    int32_t paranoid;     /**< kernel.perf_event_paranoid */
    int32_t needed;       /**< the largest value of it that would allow the call; INT32_MAX: it is no reason */
    uint32_t counters;    /**< number of wishes that the kernel takes at once, for APMU_E_PERF_GROUP */
    int32_t thread;       /**< apmu_perf_options.thread */
    int32_t cpu;          /**< apmu_perf_options.cpu with APMU_PERF_CPU, otherwise -1 */
    char pmus[128];       /**< the names of the machine's PMUs */
    bool perfmon;         /**< for APMU_E_PERF_PERMISSION: the process has CAP_PERFMON */
};

/** One event of a session. */
struct apmu_perf_event {
    /* Internal: */
    const volatile struct apmu_perf_page *page; /* NULL: not mapped */
    int fd;
    bool leader;   /* of a group: the following events belong to it, up to the next leader */
    uint64_t id;   /* the kernel's name of it in a reading */
    uint64_t base; /* its count when the session was reset */
    uint64_t base_enabled, base_running; /* its times then */
};

/** The back end of one session.  The caller's memory until the session is closed.  The caller only reads members. */
struct apmu_perf {
    bool direct;          /**< apmu_perf_read_direct() can read the counters, and apmu_session_read() does so too */
    const char *indirect; /**< why .direct is false, in words; "" if it is true */
    struct apmu_perf_pmu pmu;
    struct apmu_perf_refusal refusal; /**< of the last open */

    /* Internal: */
    uint32_t count;   /* events */
    uint32_t groups;  /* 1, or more with APMU_PERF_MULTIPLEX */
    uintptr_t reader; /* the thread pointer of the thread that may read directly */
    struct apmu_perf_event events[APMU_COUNTERS];
};

/**
 * Opens the events of the @count wishes with the kernel.  Nothing counts yet, and none does before apmu_session_start()
 * except with APMU_PERF_ON_EXEC.  @options may be NULL.  On an error nothing stays open, the session is closed,
 * *@refused is the index of the wish concerned, or @count if none is (@refused may be NULL), and apmu_perf_explain()
 * says more.
 *
 * A wish is as for apmu_session_open(), with these differences.  .counter is APMU_COUNTER_ANY, because the kernel
 * chooses.  .interrupt is false, .period is 0, and .threshold is 0 (APMU_E_THRESHOLD).  .filter can
 * have P (not the kernel), U (not the application) and NSH (also the hypervisor); others are refused with
 * APMU_E_PERF_FILTER.  .wide requests 64-bit counters of the kernel (config1 bit 0); counts have 64 bits without it.
 * An event that the kernel does not list for the PMU (see struct apmu_perf_pmu) is refused unless .unlisted is set,
 * because the kernel would accept it and count nothing.
 *
 * apmu_session_read() and apmu_session_reset() can return APMU_E_PERF_LOST: something else counts on the CPU and has
 * the counters.  A shared event that never had a counter has a reading that is not valid.
 *
 * APMU_E_NO_COUNTER: more than APMU_COUNTERS wishes, or none; APMU_E_SIZE: options; APMU_E_NO_EVENT, CHAIN, and
 * APMU_E_PERF_x: tables/errors.def.
 */
enum apmu_error apmu_perf_session_open(struct apmu_session *s, struct apmu_perf *perf,
                                       const struct apmu_perf_options *options, const struct apmu_wish *wishes,
                                       size_t count, size_t *refused);

/**
 * Writes why the last open of @perf failed to @text, in one line of the form "object: cause; cure", cut at @size bytes.
 * It has the values that matter, such as kernel.perf_event_paranoid and the value that would be needed.
 */
void apmu_perf_explain(const struct apmu_perf *perf, char *text, size_t size);

/* ---------------------------------------------------------------------------------------------------------------
 * Direct reads: the protocol of the mapped page.
 *
 * The kernel changes a page when it gives the event a counter or takes it away.  It makes page->lock odd, changes the
 * members, and makes page->lock even again.  apmu_perf_page_read() goes through these states:
 *
 *        +--> BEGUN: page->lock and page->index have been read
 *        |      |                           |
 *        |      | the event has a counter   | no counter, no valid width, or not allowed
 *        |      | read(): one MRS           |
 *        |      v                           v
 *        |    TAKEN: value + page->offset  HIDDEN
 *        |      |           |               |           |
 *        |      | lock is   | lock has      | lock has  | lock is
 *        |      | the same, | changed, or   | changed   | the same
 *        |      | and even  | is odd        |           |
 *        |      v           |               |           v
 *        |    true          |               |         false
 *        |                  |               |
 *        +------------------+---------------+  at most 1000 times, then false
 *
 * A session is in one of these states, by the functions of lib/driver/perf:
 *
 *     apmu_perf_session_open() --- map_pages() ---> DIRECT --- perf_close() ---> CLOSED
 *                |                                    |                             ^
 *                | never_direct(), or                 | read_directly() is false:   |
 *                | map_pages() fails                  | this reading is by calls    |
 *                v                                    v                             |
 *             BY CALLS: take_all(), one read(2) for each group --- perf_close() ----+
 */

/** Reads counter 0..30, or APMU_CYCLE. */
typedef uint64_t apmu_perf_counter_reader(void *ctx, unsigned counter);

/**
 * Reads the count of the event of @page, with @read and its argument @ctx, into *@count.  Returns false, and leaves
 * *@count as it is, if the event has no counter now, if the kernel does not allow it to be read, or if the kernel
 * changes the page in every attempt.  The value is sign-extended, because the kernel starts a counter in its negative
 * half.
 */
static inline bool apmu_perf_page_read(const volatile struct apmu_perf_page *page, apmu_perf_counter_reader *read,
                                       void *ctx, uint64_t *count)
{
    for (unsigned tries = 0; tries < 1000; tries++) { /* a change takes the kernel far less */
        const uint32_t lock = page->lock; /* BEGUN */
        const uint32_t counter = page->index - 1u;
        const unsigned unused = 64u - page->pmc_width;
        uint64_t value;

        if (counter > APMU_CYCLE || unused > 63u || !APMU_PERF_CAP(page, APMU_PERF_CAP_RDPMC)) { /* HIDDEN */
            if (page->lock == lock) {
                return false;
            }
            continue;
        }
        value = (uint64_t)page->offset + (uint64_t)((int64_t)(read(ctx, counter) << unused) >> unused);
        if (page->lock == lock && (lock & 1u) == 0) { /* TAKEN */
            *count = value;
            return true;
        }
    }
    return false;
}

#if defined(__aarch64__)
/** Reads PMEVCNTR<counter>_EL0, or PMCCNTR_EL0 for APMU_CYCLE.  Where EL0 may not read it, the read ends in SIGILL. */
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

/** Returns the thread pointer, which differs in every thread of a process. */
static inline uintptr_t apmu_perf_thread_pointer(void)
{
    uintptr_t value;

    __asm__("mrs %0, tpidr_el0" : "=r"(value));
    return value;
}

/**
 * Reads the counts of the session's events into @counts, one for each wish, without a system call, while the session
 * runs.  Returns false if that is not possible: .direct is false, another thread calls, the session does not run, or an
 * event has no counter now.  Then use apmu_session_read().  Safe in a signal handler of the thread.
 *
 * To measure a region, subtract two calls.  Everything before a call in the program is counted when it returns.
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
