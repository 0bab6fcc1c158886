/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code at EL0 that measures itself.  main(), at EL1, takes the part of a kernel: it chooses the events, allows EL0 to
 * read the counters, and starts them.  EL0 then reads each counter with one instruction, without a system call.
 *
 *     qemu-system-aarch64 -M virt -cpu cortex-a57 -icount shift=0 -nic none -nographic \
 *         -kernel build/target/a64/el0.elf
 */
#include <armpmu/driver.h>
#include <armpmu/events.h>
#include <armpmu/native.h>

#include "../baremetal_el1/board.h"

/* Both parts use these counters: event counter 0 for INST_RETIRED, and the cycle counter. */
#define EVENT_COUNTER 0
#define COUNTERS (UINT64_C(1) << EVENT_COUNTER | UINT64_C(1) << APMU_CYCLE)

static void report(const char *what, uint64_t number)
{
    print(what);
    print_number(number);
    print("\n");
}

/* Runs at EL0. */
static void program(void)
{
    struct apmu_native_region empty, work;
    unsigned i = 1000;
    uint64_t before, after;

    apmu_native_region_begin(&empty, COUNTERS);
    apmu_native_region_end(&empty, COUNTERS);

    apmu_native_region_begin(&work, COUNTERS);
    __asm__ volatile("1: subs %w0, %w0, #1\n\tb.ne 1b" : "+r"(i) : : "cc");
    apmu_native_region_end(&work, COUNTERS);
    report("EL0: instructions of the loop: ", work.count[0] - empty.count[0]);
    report("EL0: cycles of the loop: ", work.count[1] - empty.count[1]);

    before = apmu_read_pmevcntr0();
    after = apmu_read_pmevcntr0();
    report("EL0: instructions from one read to the next: ", after - before);
}

/* EL1 takes no interrupts in this example. */
void on_interrupt(uintptr_t pc)
{
    (void)pc;
}

int main(void)
{
    const struct apmu_dev dev = {.ops = &apmu_native_ops};
    const uint64_t not_el1 = APMU_FILTER(P); /* count at EL0 only */
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = EVENT_COUNTER, .filter = not_el1},
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE, .filter = not_el1},
    };
    struct apmu_session session;
    struct apmu_pmu pmu;
    enum apmu_error error = apmu_pmu_discover(&dev, NULL, &pmu);

    error = error != APMU_OK ? error : apmu_session_open(&session, &dev, &pmu, wishes, 2, NULL);
    error = error != APMU_OK ? error : apmu_session_allow_user(&session, APMU_USER_READ);
    error = error != APMU_OK ? error : apmu_session_start(&session);
    if (error != APMU_OK || !apmu_native_region_fits(&session, COUNTERS)) {
        print(apmu_error_text(error));
        print("\n");
        return 1;
    }
    call_el0(program);
    (void)apmu_session_close(&session); /* also ends EL0's access */
    return 0;
}
