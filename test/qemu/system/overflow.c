/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overflow interrupts (test_counts.sh).  For each event below and each preset from 1 to 1000, a counter overflows at
 * the preset-th occurrence.  The image prints the largest number of instructions between that and the interrupt.
 */
#include "image.h"

/* A group of five instructions, 1000 times.  The instruction before the first group starts the counters. */
#define GROUP 5
#define GROUPS 1000
void overflow_sled(uint64_t counters, void *memory);
extern const uint32_t overflow_sled_start[];
__asm__("overflow_sled:\n"
        "    msr pmcntenset_el0, x0\n"
        "overflow_sled_start:\n"
        "    .rept 1000\n" /* GROUPS */
        "    ldr x2, [x1]\n"
        "    nop\n"
        "    str x2, [x1]\n"
        "    cbz xzr, . + 4\n"
        "    orr x3, x3, x3\n"
        "    .endr\n"
        "    msr pmcntenclr_el0, x0\n"
        "    isb\n"
        "    ret\n");

static const struct {
    const char *name;
    uint16_t event;
    bool at[GROUP];
} events[] = {
    {"INST_RETIRED", 0x0008, {true, true, true, true, true}},
    {"CPU_CYCLES", 0x0011, {true, true, true, true, true}},
    {"LD_RETIRED", 0x0006, {true, false, false, false, false}},
    {"ST_RETIRED", 0x0007, {false, false, true, false, false}},
    {"MEM_ACCESS", 0x0013, {true, false, true, false, false}},
    {"BR_RETIRED", 0x0021, {false, false, false, true, false}},
    {"BR_COND_TAKEN_RETIRED", 0x8182, {false, false, false, true, false}},
    {"DP_RETIRED", 0x82AB, {false, true, false, false, true}},
};

/* Returns the address of the instruction after the @nth occurrence. */
static uint64_t after(const bool at[GROUP], unsigned nth)
{
    for (unsigned i = 0;; i++) {
        if (at[i % GROUP] && --nth == 0) {
            return (uint64_t)(uintptr_t)&overflow_sled_start[i + 1];
        }
    }
}

static uint64_t memory[64];

/* Tests event @e.  With @others, all other counters count, too, and must not disturb it. */
static void measure(unsigned e, bool others)
{
    const unsigned counters = others ? (unsigned)(IMAGE_READ("pmcr_el0") >> 11 & 31) : 1;
    unsigned missing = 0;
    uint64_t worst = 0;

    for (unsigned preset = 1; preset <= 1000; preset++) {
        IMAGE_WRITE("pmcr_el0", 0x46);
        IMAGE_WRITE("pmovsclr_el0", ~UINT64_C(0));
        for (unsigned n = 1; n < counters; n++) {
            image_set_counter(n, events[n % (sizeof events / sizeof events[0])].event, 0);
        }
        image_set_counter(0, events[e].event, UINT64_C(0x100000000) - preset);
        image_irq_at = image_irq_flags = 0;
        IMAGE_WRITE("pmintenset_el1", (UINT64_C(1) << counters) - 1);
        IMAGE_WRITE("pmcr_el0", 0x1);
        overflow_sled((UINT64_C(1) << counters) - 1, memory);
        if (image_irq_flags != 1) {
            missing++;
            continue;
        }
        const uint64_t skid = (image_irq_at - after(events[e].at, preset)) / 4;

        worst = skid > worst ? skid : worst;
    }
    image_print(events[e].name);
    image_print(others ? " among others" : "");
    image_print(": 1000 presets, ");
    image_print_number(missing);
    image_print(" without an interrupt, skid at most ");
    image_print_number(worst);
    image_print("\n");
}

void main(void)
{
    image_enable_irq();
    for (unsigned e = 0; e < sizeof events / sizeof events[0]; e++) {
        measure(e, false);
        measure(e, true);
    }
    image_finish(0);
}
