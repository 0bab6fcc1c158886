/* SPDX-License-Identifier: BSD-2-Clause */
/* Four CPUs at once (test_counts.sh): each counts its own instructions, loads and branches, and no other CPU's. */
#include "image.h"

#define CPUS 4

void four_secondary(void);
__asm__(".global four_secondary\n"
        "four_secondary:\n"
        "    mov sp, x0\n"
        "    mrs x0, mpidr_el1\n"
        "    and x0, x0, #0xff\n"
        "    bl four_run\n"
        "1:  wfi\n"
        "    b 1b\n");

static uint8_t stacks[CPUS][4096] __attribute__((aligned(16)));
static volatile uint64_t results[CPUS][3];
static volatile uint32_t done[CPUS];
static uint64_t memory[64];

/* Executes four instructions a turn, with a YIELD so that the CPUs alternate under -icount. */
static void loop(uint64_t times)
{
    __asm__ volatile("msr pmcntenset_el0, %2\n"
                     "1: ldr x2, [%1]\n yield\n subs %0, %0, #1\n b.ne 1b\n"
                     "msr pmcntenclr_el0, %2\n isb"
                     : "+r"(times)
                     : "r"(memory), "r"(UINT64_C(7))
                     : "x2", "cc", "memory");
}

/* Counts the loop on CPU @cpu, 0 to 3, and stores its counts. */
void four_run(unsigned cpu)
{
    IMAGE_WRITE("pmcr_el0", 0x46);
    image_set_counter(0, 0x0008, 0);
    image_set_counter(1, 0x0006, 0);
    image_set_counter(2, 0x0021, 0);
    IMAGE_WRITE("pmcr_el0", 0x41);
    loop(1000 * (cpu + 1));
    for (unsigned n = 0; n < 3; n++) {
        results[cpu][n] = image_counter(n);
    }
    __asm__ volatile("dmb ish" ::: "memory");
    done[cpu] = 1;
}

/* Starts CPU @cpu in four_secondary() with a stack of its own. */
static void start(unsigned cpu)
{
    register uint64_t x0 __asm__("x0") = 0xC4000003u; /* PSCI CPU_ON */
    register uint64_t x1 __asm__("x1") = cpu;
    register void (*x2)(void) __asm__("x2") = four_secondary;
    register void *x3 __asm__("x3") = stacks[cpu] + sizeof stacks[cpu];

    __asm__ volatile("hvc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3) : "memory");
}

/* Prints a failure unless CPU @cpu counted @want by event counter @n. */
static void expect(unsigned cpu, unsigned n, uint64_t want)
{
    if (results[cpu][n] != want) {
        image_print("not ok CPU ");
        image_print_number(cpu);
        image_print(", counter ");
        image_print_number(n);
        image_print(": ");
        image_print_number(results[cpu][n]);
        image_print(", not ");
        image_print_number(want);
        image_print("\n");
    }
}

void main(void)
{
    for (unsigned cpu = 1; cpu < CPUS; cpu++) {
        start(cpu);
    }
    four_run(0);
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        const uint64_t times = 1000 * (cpu + 1);

        while (!done[cpu]) {
            __asm__ volatile("yield");
        }
        expect(cpu, 0, 4 * times + 1);
        expect(cpu, 1, times);
        expect(cpu, 2, times);
    }
    image_print("ok four CPUs\n");
    image_finish(0);
}
