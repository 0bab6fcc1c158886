/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the instructions and cycles of a piece of a program on Arm Linux, and prints how they were read:
 *
 *     cc linux.c $(pkg-config --cflags --libs armpmu) && ./a.out
 *
 * If kernel.perf_user_access is 1, the counters are read without a system call.
 */
#include <inttypes.h>
#include <stdio.h>

#include <armpmu/events.h>
#include <armpmu/perf.h>

int main(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .filter = APMU_FILTER(P)}, /* P: not the kernel */
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_COUNTER_ANY, .filter = APMU_FILTER(P)},
    };
    struct apmu_reading before[2], after[2];
    struct apmu_session session;
    static struct apmu_perf perf;
    volatile unsigned sum = 0;
    char why[512];

    if (apmu_perf_session_open(&session, &perf, NULL, wishes, 2, NULL) != APMU_OK) {
        apmu_perf_explain(&perf, why, sizeof why);
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    if (apmu_session_start(&session) != APMU_OK || apmu_session_read(&session, before) != APMU_OK) {
        return 1;
    }
    for (unsigned i = 0; i < 1000; i++) { /* the piece of the program */
        sum = sum + i;
    }
    if (apmu_session_read(&session, after) != APMU_OK) {
        return 1;
    }
    printf("%" PRIu64 " instructions, %" PRIu64 " cycles, read %s%s\n", after[0].count - before[0].count,
           after[1].count - before[1].count, perf.direct ? "directly" : "by system calls: ", perf.indirect);
    apmu_session_close(&session);
    return 0;
}
