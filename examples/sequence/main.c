/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the sequence of sequence.c on bare metal: around a loop of 2001 instructions at EL1, then around the same loop
 * at EL0, which programs and reads the counters itself.  Prints what the loop counts beyond an empty region.
 *
 *     qemu-system-aarch64 -M virt -cpu cortex-a57 -icount shift=0 -nic none -nographic \
 *         -kernel build/target/a64/sequence.elf
 */
#include <armpmu/native.h>

#include "../baremetal_el1/board.h"
#include "sequence.h"

static struct sequence_run empty, work;

static void report(const char *level, const char *what, uint64_t event, uint64_t count)
{
    print(level);
    print(what);
    print_number(event);
    print(": ");
    print_number(count);
    print("\n");
}

/* Measures the loop at the Exception level at which it is called. */
static void measure(const char *level)
{
    unsigned i = 1000;

    sequence_start(&empty);
    sequence_stop(&empty);

    sequence_start(&work);
    __asm__ volatile("1: subs %w0, %w0, #1\n\tb.ne 1b" : "+r"(i) : : "cc");
    sequence_stop(&work);

    if (work.error != APMU_OK || empty.error != APMU_OK) {
        print(apmu_error_text(work.error != APMU_OK ? work.error : empty.error));
        print("\n");
    }
    report(level, "cycles in counter ", APMU_CYCLE, work.cycles - empty.cycles);
    for (unsigned n = 0; n < work.used; n++) {
        report(level, "event ", work.events[n], work.counts[n] - empty.counts[n]);
    }
}

static void program(void)
{
    measure("EL0 ");
}

/* No counter interrupts in this example. */
void on_interrupt(uintptr_t pc)
{
    (void)pc;
}

int main(void)
{
    const struct apmu_dev dev = {.ops = &apmu_native_ops};

    sequence_setup(&empty, &dev);
    sequence_setup(&work, &dev);
    report("event ", "counters in PMCR_EL0.N at EL", 1, work.counters);
    measure("EL1 ");
    call_el0(program);
    return 0;
}
