/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profiler on bare metal at EL1 that shows where the time goes.  The cycle counter overflows every 10,000 cycles, and
 * its interrupt samples the PC.  An event counter counts the instructions.
 *
 *     qemu-system-aarch64 -M virt -cpu cortex-a57 -icount shift=0 -nic none -nographic \
 *         -kernel build/target/a64/baremetal_el1.elf
 */
#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "board.h"

static struct apmu_session session;
static unsigned in_hot, in_cold, elsewhere;

/* The workloads.  hot() takes three times as long as cold(). */
__attribute__((noinline)) static void cold(void)
{
    for (volatile unsigned i = 0; i < 1000; i++) {
    }
}

__attribute__((noinline)) static void hot(void)
{
    for (volatile unsigned i = 0; i < 3000; i++) {
    }
}

/* Called by apmu_session_interrupt() for each overflow. */
static void sample(void *ctx, struct apmu_overflow *overflow)
{
    const uintptr_t size = 256; /* no function here is longer */

    (void)ctx;
    if (overflow->pc - (uintptr_t)hot < size && overflow->pc >= (uintptr_t)hot) {
        in_hot++;
    } else if (overflow->pc - (uintptr_t)cold < size && overflow->pc >= (uintptr_t)cold) {
        in_cold++;
    } else {
        elsewhere++;
    }
}

void on_interrupt(uintptr_t pc)
{
    const uint32_t acknowledged = pmu_interrupt_begin();

    (void)apmu_session_interrupt(&session, pc, NULL);
    pmu_interrupt_end(acknowledged);
}

static void check(const char *what, enum apmu_error error)
{
    if (error != APMU_OK) {
        print(what);
        print(": ");
        print(apmu_error_text(error));
        print("; ");
        print(apmu_error_cure(error));
        print("\n");
    }
}

static void report(const char *what, uint64_t number)
{
    print(what);
    print_number(number);
    print("\n");
}

int main(void)
{
    const struct apmu_dev dev = {.ops = &apmu_native_ops};
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE, .interrupt = true, .period = 10000},
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY},
    };
    struct apmu_reading readings[2];
    struct apmu_pmu pmu;

    check("discover", apmu_pmu_discover(&dev, NULL, &pmu));
    report("event counters: ", pmu.counters);
    check("open", apmu_session_open(&session, &dev, &pmu, wishes, 2, NULL));
    check("on_overflow", apmu_session_on_overflow(&session, sample, NULL));
    pmu_interrupt_enable();

    check("start", apmu_session_start(&session));
    for (unsigned i = 0; i < 20; i++) {
        cold();
        hot();
    }
    check("stop", apmu_session_stop(&session));

    check("read", apmu_session_read(&session, readings));
    report("cycles: ", readings[0].count);
    report("instructions: ", readings[1].count);
    report("samples in hot(): ", in_hot);
    report("samples in cold(): ", in_cold);
    report("samples elsewhere: ", elsewhere);
    check("close", apmu_session_close(&session));
    return 0;
}
