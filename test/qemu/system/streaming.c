/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filter by Streaming SVE mode (FEAT_PMUv3_SME) around SMSTART and SMSTOP, which write PSTATE.SM in the middle of
 * straight code.  Counter 0 does not count in that mode, counter 1 counts only there, counter 2 counts always.  An
 * instruction that writes PSTATE.SM counts in the mode before it.
 */
#include "image.h"

#define SMSTART_SM ".inst 0xd503437f\n"
#define SMSTOP_SM ".inst 0xd503427f\n"
#define SMSTART_ZA ".inst 0xd503457f\n"
#define SMSTOP_ZA ".inst 0xd503447f\n"
#define SMSTOP ".inst 0xd503467f\n"
#define MSR_SVCR(x) "msr s3_3_c4_c2_2, " x "\n"

/* Defines a case's function: CASE(never, "nop") makes never(), which counts a NOP.  In @code %1 is 1. */
#define CASE(name, code) \
    static void name(void) \
    { \
        __asm__ volatile("isb\n msr pmcntenset_el0, %0\n" code "\n msr pmcntenclr_el0, %0\n isb" \
                         :: "r"(UINT64_C(7)), "r"(UINT64_C(1)) : "x2", "memory"); \
    }

CASE(never, "nop\n nop")
CASE(once, "nop\n nop\n nop\n" SMSTART_SM "nop\n nop\n nop\n nop\n nop\n" SMSTOP_SM
           "nop\n nop\n" SMSTART_ZA "nop\n" SMSTOP_ZA)
CASE(by_the_register, "nop\n" MSR_SVCR("%1") "nop\n nop\n" SMSTOP "nop\n" MSR_SVCR("%1") MSR_SVCR("xzr"))
CASE(turns, "mov x2, #100\n 1: nop\n" SMSTART_SM "nop\n nop\n" SMSTART_SM SMSTOP_SM "sub x2, x2, #1\n cbnz x2, 1b")

static const struct streaming_case {
    const char *name;
    void (*run)(void);
    uint64_t out, in; /* the instructions out of Streaming SVE mode and in it */
} cases[] = { /* the counts include the MSR that ends the case */
    {"never", never, 3, 0},
    {"once", once, 4 + 6, 6},
    {"by SVCR", by_the_register, 2 + 2 + 1, 3 + 1},
    {"100 turns", turns, 1 + 200 + 200 + 1, 400},
};

static bool equal(const char *name, const char *what, unsigned n, uint64_t want)
{
    const uint64_t got = image_counter(n);

    if (got != want) {
        image_print("not ok ");
        image_print(name);
        image_print(what);
        image_print_number(got);
        image_print(", not ");
        image_print_number(want);
        image_print("\n");
    }
    return got == want;
}

void main(void)
{
    if (IMAGE_READ("CurrentEL") == 3 << 2) {
        IMAGE_WRITE("cptr_el3", 1 << 12); /* ESM */
    }
    IMAGE_WRITE("cpacr_el1", UINT64_C(3) << 24 | UINT64_C(3) << 20); /* SMEN, FPEN */
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        IMAGE_WRITE("pmcr_el0", 0x46);
        for (unsigned n = 0; n < 3; n++) {
            image_set_counter(n, 0x0008, 0);
        }
        IMAGE_WRITE("pmevtyper0_el0", IMAGE_READ("pmevtyper0_el0") | UINT64_C(1) << 56);
        IMAGE_WRITE("pmevtyper1_el0", IMAGE_READ("pmevtyper1_el0") | UINT64_C(2) << 56);
        IMAGE_WRITE("pmcr_el0", 0x41);
        cases[i].run();
        const bool right = equal(cases[i].name, ": out of Streaming SVE mode ", 0, cases[i].out) &
                           equal(cases[i].name, ": in Streaming SVE mode ", 1, cases[i].in) &
                           equal(cases[i].name, ": altogether ", 2, cases[i].out + cases[i].in);

        if (right) {
            image_print("ok ");
            image_print(cases[i].name);
            image_print("\n");
        }
    }
    image_finish(0);
}
