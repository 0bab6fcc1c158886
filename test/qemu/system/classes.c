/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event classes by inspection.  A case is a few instructions between the write that starts the counters and the one
 * that stops them, with their number for each of the events below.  An event that a case does not name must be
 * counted 0 times.
 *
 * The MSR that stops the counters comes on top in every case: INST_RETIRED, CPU_CYCLES, INST_SPEC, DP_RETIRED, DP_SPEC.
 */
#include "image.h"

static const struct {
    uint16_t number;
    const char *name;
} events[] = {
#define E(number, name) {number, name}
    E(0x0008, "INST_RETIRED"), E(0x0011, "CPU_CYCLES"), E(0x0006, "LD_RETIRED"), E(0x0007, "ST_RETIRED"),
    E(0x0009, "EXC_TAKEN"), E(0x000A, "EXC_RETURN"), E(0x000C, "PC_WRITE_RETIRED"), E(0x000D, "BR_IMMED_RETIRED"),
    E(0x000E, "BR_RETURN_RETIRED"), E(0x000F, "UNALIGNED_LDST_RETIRED"), E(0x0013, "MEM_ACCESS"),
    E(0x001B, "INST_SPEC"), E(0x0021, "BR_RETIRED"),
    E(0x006C, "LDREX_SPEC"), E(0x006F, "STREX_SPEC"), E(0x0071, "ST_SPEC"), E(0x0073, "DP_SPEC"),
    E(0x0074, "ASE_SPEC"), E(0x0075, "VFP_SPEC"), E(0x007C, "ISB_SPEC"), E(0x007D, "DSB_SPEC"), E(0x007E, "DMB_SPEC"),
    E(0x0081, "EXC_UNDEF"), E(0x0082, "EXC_SVC"), E(0x0084, "EXC_DABORT"), E(0x0090, "RC_LD_SPEC"),
    E(0x0091, "RC_ST_SPEC"), E(0x8107, "BR_SKIP_RETIRED"), E(0x8108, "BR_IMMED_TAKEN_RETIRED"),
    E(0x810A, "BR_IND_TAKEN_RETIRED"), E(0x817A, "BL_TAKEN_RETIRED"), E(0x8182, "BR_COND_TAKEN_RETIRED"),
    E(0x8181, "BR_COND_RETIRED"), E(0x82AB, "DP_RETIRED"), E(0x82B3, "PRF_RETIRED"),
};
#define EVENTS (sizeof events / sizeof events[0])

struct class_case {
    const char *name;
    unsigned levels; /* bit n: the case holds at ELn */
    void (*run)(uint64_t counters, void *memory);
    struct { uint16_t event; uint32_t count; } want[20];
};

/*
 * Defines a case's function.  x0 has the counters and x1 aligned memory; x28 counts exceptions, and x26 and x27 are the
 * handler's.  CASE(nothing, "") makes nothing(), which starts the counters in x0 and stops them.
 */
#define CASE(name, code) \
    static void name(uint64_t counters, void *memory) \
    { \
        register uint64_t x0 __asm__("x0") = counters; \
        register void *x1 __asm__("x1") = memory; \
        __asm__ volatile("isb\n msr pmcntenset_el0, x0\n" code "\n msr pmcntenclr_el0, x0\n isb" \
                         : "+r"(x0), "+r"(x1) \
                         : \
                         : "x2", "x3", "x4", "x5", "x26", "x27", "x28", "x30", "v0", "v1", "cc", "memory"); \
    }

CASE(nothing, "")
CASE(straight, "ldr x2, [x1]\n ldr x3, [x1, #8]\n str x2, [x1, #16]\n ldp x4, x5, [x1]\n stp x4, x5, [x1, #32]\n"
               "add x2, x2, #1\n prfm pldl1keep, [x1]\n ldr q0, [x1]\n fadd d0, d0, d0\n add v1.4s, v1.4s, v1.4s\n nop")
CASE(barriers, "dmb sy\n dmb ishld\n dsb sy\n isb\n ldar x2, [x1]\n stlr x2, [x1]")
CASE(exclusives, "ldxr x2, [x1]\n stxr w3, x2, [x1]\n" /* writes */
                 "stxr w3, x2, [x1]\n" /* does not write: the monitor is clear */
                 "ldaxr x2, [x1]\n stlxr w3, x2, [x1]\n"
                 "ldxr x2, [x1]\n clrex\n stxr w3, x2, [x1]\n"
                 "ldxp x2, x4, [x1]\n stxp w3, x2, x4, [x1]\n"
                 "ldxr x2, [x1]\n stxr wzr, x2, [x1]")
CASE(branches, "b 1f\n 1: bl 2f\n b 3f\n 2: ret\n 3: adr x2, 4f\n br x2\n 4: adr x2, 2b\n blr x2\n"
               "cmp x2, x2\n b.eq 5f\n nop\n"
               "5: b.ne 6f\n 6: cbz xzr, 7f\n nop\n 7: cbnz xzr, 8f\n 8: tbz xzr, #3, 9f\n 9:")
CASE(loop, "mov x2, #1000\n 1: ldr x3, [x1]\n str x3, [x1, #8]\n sub x2, x2, #1\n cbnz x2, 1b")
CASE(undefined, "ldr x2, [x1]\n udf #0\n ldr x2, [x1]")
CASE(system_register, "ldr x2, [x1]\n mrs x2, s3_0_c15_c15_7\n ldr x2, [x1]\n ldr x2, [x1]")
CASE(data_abort, "mov x3, #0x1000000000\n movk x3, #1, lsl #48\n" /* no such address */
                 "str x2, [x1]\n ldr x2, [x3]\n str x2, [x1]\n add x2, x2, #1\n ldr x2, [x1]")
CASE(supervisor_call, "ldr x2, [x1]\n svc #0\n ldr x2, [x1]")
CASE(reads, "mrs x2, pmccntr_el0\n mrs x2, pmccntr_el0\n ldr x3, [x1]\n mrs x2, pmccntr_el0")

CASE(floating_point_trap, "msr cpacr_el1, xzr\n isb\n fadd d0, d0, d0\n mov x2, #0x330000\n msr cpacr_el1, x2\n isb")
CASE(hypervisor_call, "ldr x2, [x1]\n hvc #0\n ldr x2, [x1]")
CASE(monitor_call, "ldr x2, [x1]\n smc #0\n ldr x2, [x1]")
CASE(wait, "ldr x2, [x1]\n wfi\n ldr x2, [x1]")
/* An instruction is replaced by one before it in the same block. */
CASE(self_modified, "adr x2, 2f\n ldr w3, 3f\n ldr w4, [x2]\n"
                    "1: str w3, [x2]\n dc cvau, x2\n dsb ish\n ic ivau, x2\n dsb ish\n isb\n"
                    "2: nop\n cmp w3, w4\n mov w3, w4\n b.ne 1b\n b 4f\n 3: ldr x5, [x1]\n 4:")

/*
 * Unaligned accesses, which need Normal memory.  Seven of eleven loads and both of two stores are unaligned.  Those
 * that abort, such as a pair whose second half aborts, do not retire.  What lies a gigabyte above the RAM has no
 * translation.
 */
#define END_OF_RAM "0x48000000"
CASE(unaligned_accesses, "add x2, x1, #1\n ldr x3, [x1]\n ldr x3, [x2]\n ldrh w3, [x2]\n ldrb w3, [x2]\n str w3, [x2]\n"
                         "ldp x3, x4, [x2]\n ldp w3, w4, [x1, #4]\n stp q0, q1, [x2]\n ldur q0, [x1, #8]\n"
                         "ld1 {v0.8b}, [x2]\n ld1 {v0.4h}, [x2]\n ld2 {v0.4s, v1.4s}, [x2]\n ld1 {v0.h}[2], [x2]\n"
                         "prfm pldl1keep, [x2]")
CASE(unaligned_loop, "add x2, x1, #4\n mov x4, #100\n 1: ldr w3, [x1]\n str x3, [x2]\n sub x4, x4, #1\n cbnz x4, 1b")
CASE(unaligned_abort, "mov x3, #0x80000000\n ldur w2, [x3, #1]\n ldur x2, [x1, #1]")
CASE(unaligned_half, "mov x3, #" END_OF_RAM "\n sub x3, x3, #32\n ldp q0, q1, [x3, #-16]\n add x3, x3, #8\n"
                     "ldp q0, q1, [x3]\n ldur x2, [x1, #1]")

/* A vector access is unaligned once if any of its elements is.  Without an active element it makes no access. */
CASE(unaligned_vectors, ".arch_extension sve\n ptrue p0.b\n pfalse p1.b\n setffr\n add x2, x1, #1\n"
                        "ld1b {z0.b}, p0/z, [x2]\n ld1h {z0.h}, p0/z, [x2]\n ld1h {z0.h}, p1/z, [x2]\n"
                        "ld1d {z0.d}, p0/z, [x1]\n st1w {z0.s}, p0, [x2]\n ld1rw {z0.s}, p0/z, [x2]\n"
                        "ld1rw {z0.s}, p1/z, [x2]\n index z1.d, #0, #8\n ld1d {z0.d}, p0/z, [x1, z1.d]\n"
                        "index z1.d, #0, #9\n ld1d {z0.d}, p0/z, [x1, z1.d]\n ldff1d {z0.d}, p0/z, [x1, z1.d]\n"
                        "ldnf1h {z0.h}, p0/z, [x1]\n ldnf1w {z0.s}, p0/z, [x1]\n st1d {z0.d}, p0, [x1, z1.d]\n"
                        "st1d {z0.d}, p1, [x1, z1.d]\n ld1rqw {z0.s}, p0/z, [x2]\n ld4w {z0.s-z3.s}, p0/z, [x2]\n"
                        ".arch_extension nosve")

CASE(unaligned_tiles, ".arch_extension sme\n add x2, x1, #1\n smstart\n mov w12, #0\n ptrue p0.b\n"
                      "ld1b {za0h.b[w12, 0]}, p0/z, [x2]\n ld1w {za0h.s[w12, 0]}, p0/z, [x2]\n"
                      "ld1d {za0h.d[w12, 0]}, p0/z, [x1]\n st1w {za0v.s[w12, 0]}, p0, [x2]\n smstop\n"
                      ".arch_extension nosme")

static uint64_t level1[512] __attribute__((aligned(4096)));

/* Turns the MMU on or off, with an identity map.  The second gigabyte, where the RAM is, is Normal memory. */
static void translate(bool on)
{
    const unsigned el = (unsigned)(IMAGE_READ("CurrentEL") >> 2);
    const uint64_t block = 0x401u | (el == 1 ? 0 : 0x40), normal = 1u << 2;
    const uint64_t tcr = 25 | (el == 1 ? UINT64_C(1) << 23 : UINT64_C(1) << 31 | 1u << 23);

    level1[0] = block;
    level1[1] = UINT64_C(0x40000000) | block | normal;
    __asm__ volatile("dsb sy" ::: "memory");
/* Sets the translation registers of one level: AT(1) writes MAIR_EL1, TTBR0_EL1, TCR_EL1 and SCTLR_EL1. */
#define AT(n) \
    IMAGE_WRITE("mair_el" #n, 0xFF00); \
    IMAGE_WRITE("ttbr0_el" #n, (uintptr_t)level1); \
    IMAGE_WRITE("tcr_el" #n, tcr); \
    IMAGE_WRITE("sctlr_el" #n, on ? 0x30C50831u : 0x30C50830u)
    if (el == 1) {
        __asm__ volatile("tlbi vmalle1\n dsb sy\n isb" ::: "memory");
        AT(1);
    } else if (el == 2) {
        __asm__ volatile("tlbi alle2\n dsb sy\n isb" ::: "memory");
        AT(2);
    } else {
        __asm__ volatile("tlbi alle3\n dsb sy\n isb" ::: "memory");
        AT(3);
    }
#undef AT
}

/*
 * Defines translated_NAME(), which is NAME() with the MMU on: TRANSLATED(unaligned_loop) makes
 * translated_unaligned_loop().
 */
#define TRANSLATED(name) \
    static void translated_##name(uint64_t counters, void *memory) \
    { \
        translate(true); \
        name(counters, memory); \
        translate(false); \
    }
TRANSLATED(unaligned_accesses)
TRANSLATED(unaligned_loop)
TRANSLATED(unaligned_abort)
TRANSLATED(unaligned_half)
TRANSLATED(unaligned_vectors)
TRANSLATED(unaligned_tiles)

/* Events that count alike: of instructions, of data processing, of loads without stores, of immediate branches. */
#define ALL(n) {0x0008, n}, {0x0011, n}, {0x001B, n}
#define DP(n) {0x0073, n}, {0x82AB, n}
#define LOADS(n) {0x0006, n}, {0x0013, n}
#define IMMED(n) {0x000D, n}, {0x0021, n}

/*
 * The counts of @n instructions, one more that raises an exception, and the handler's twelve instructions, of which
 * eight are data processing.  The instruction that raises the exception takes a cycle and does not retire.
 */
#define SKIPS(n, taken) \
    ALL(n + 12), {0x0011, 1}, {0x0009, 1}, {0x000A, 1}, {taken, 1}, IMMED(3), \
    {0x000C, 1}, {0x8108, 1}, {0x8107, 2}, {0x8181, 2}

#define EL1 2u
#define EL2 4u
#define EL3 8u
#define ANYWHERE (EL1 | EL2 | EL3)

/* The emulator itself answers a PSCI call, without an exception. */
#define ANSWERED {ALL(3), LOADS(2)}

static const struct class_case cases[] = {
    {"nothing", ANYWHERE, nothing, {{0}}},
    {"straight", ANYWHERE, straight,
     {ALL(11), {0x0006, 4}, {0x0007, 2}, {0x0013, 6}, {0x0071, 2}, DP(3), {0x82B3, 1}, {0x0074, 1}, {0x0075, 1}}},
    {"barriers", ANYWHERE, barriers,
     {ALL(6), {0x007E, 2}, {0x007D, 1}, {0x007C, 1}, {0x0006, 1}, {0x0007, 1}, {0x0013, 2},
      {0x0071, 1}, {0x0090, 1}, {0x0091, 1}}},
    {"exclusives", ANYWHERE, exclusives,
     {ALL(12), {0x006C, 5}, {0x006F, 6}, {0x0006, 5}, {0x0007, 4}, {0x0013, 9},
      {0x0071, 6}, {0x0090, 1}, {0x0091, 1}}},
    {"branches", ANYWHERE, branches,
     {ALL(15), {0x0021, 12}, {0x000D, 8}, {0x000E, 2}, {0x000C, 10}, {0x8107, 2},
      {0x8108, 6}, {0x810A, 4}, {0x817A, 2}, {0x8182, 3}, {0x8181, 5}, DP(3)}},
    {"loop", ANYWHERE, loop,
     {ALL(4001), {0x0006, 1000}, {0x0007, 1000}, {0x0013, 2000}, {0x0071, 1000},
      DP(1001), {0x0021, 1000}, {0x000D, 1000}, {0x000C, 999}, {0x8108, 999}, {0x8107, 1},
      {0x8182, 999}, {0x8181, 1000}}},
    {"unaligned", ANYWHERE, translated_unaligned_accesses,
     {ALL(15), {0x0006, 11}, {0x0007, 2}, {0x0071, 2}, {0x0013, 13}, {0x000F, 9}, DP(2), {0x82B3, 1}}},
    {"unaligned vectors", EL1, translated_unaligned_vectors,
     {ALL(22), {0x0006, 13}, {0x0007, 3}, {0x0071, 3}, {0x0013, 16}, {0x000F, 8}, DP(1)}},
    {"unaligned tiles", EL1, translated_unaligned_tiles,
     {ALL(9), {0x0006, 3}, {0x0007, 1}, {0x0071, 1}, {0x0013, 4}, {0x000F, 2}, DP(4)}},
    {"unaligned loop", ANYWHERE, translated_unaligned_loop,
     {ALL(402), {0x0006, 100}, {0x0007, 100}, {0x0071, 100}, {0x0013, 200}, {0x000F, 100}, DP(102), {0x0021, 100},
      {0x000D, 100}, {0x000C, 99}, {0x8108, 99}, {0x8107, 1}, {0x8182, 99}, {0x8181, 100}}},
    {"unaligned, and a translation fault", ANYWHERE, translated_unaligned_abort,
     {SKIPS(2, 0x0084), LOADS(1), {0x000F, 1}, DP(9)}},
    {"unaligned, and half of a pair aborts", ANYWHERE, translated_unaligned_half,
     {SKIPS(5, 0x0084), LOADS(2), {0x000F, 1}, DP(11)}},
    {"UNDEFINED instruction", ANYWHERE, undefined, {SKIPS(2, 0x0081), LOADS(2), DP(8)}},
    {"UNDEFINED register", ANYWHERE, system_register, {SKIPS(3, 0x0081), LOADS(3), DP(8)}},
    {"data abort", ANYWHERE, data_abort,
     {SKIPS(6, 0x0084), {0x0006, 1}, {0x0007, 2}, {0x0071, 2}, {0x0013, 3}, DP(11)}},
    {"SVC", ANYWHERE, supervisor_call,
     {ALL(10), LOADS(2), {0x0009, 1}, {0x000A, 1}, {0x0082, 1}, DP(4), IMMED(2), {0x000C, 2}, {0x8108, 2},
      {0x8182, 1}, {0x8181, 1}}},
    {"reads", ANYWHERE, reads, {ALL(4), LOADS(1), DP(3)}},
    {"floating-point trap", EL1, floating_point_trap,
     {SKIPS(5, 0x0081), DP(8 + 3), {0x007C, 2}}},
    {"HVC that the machine answers", EL1, hypervisor_call, ANSWERED},
    {"SMC that the machine answers", EL2, monitor_call, ANSWERED},
    {"HVC that is UNDEFINED", EL3, hypervisor_call, {SKIPS(2, 0x0081), LOADS(2), DP(8)}},
    {"HVC", EL2, hypervisor_call,
     {ALL(12), LOADS(2), {0x0009, 1}, {0x000A, 1}, DP(5), IMMED(3), {0x000C, 2}, {0x8108, 2}, {0x8107, 1},
      {0x8182, 1}, {0x8181, 2}}},
    {"SMC that is UNDEFINED", EL1, monitor_call,
     {SKIPS(2, 0x0081), LOADS(2), DP(8)}},
    {"WFI", ANYWHERE, wait, {ALL(3), LOADS(2), DP(1)}},
    {"self-modifying code", ANYWHERE, self_modified,
     {ALL(24), {0x0006, 3}, {0x0013, 5}, {0x0007, 2}, {0x0071, 2}, {0x007C, 2}, {0x007D, 4},
      DP(10), IMMED(3), {0x000C, 2}, {0x8108, 2}, {0x8107, 1}, {0x8182, 1}, {0x8181, 2}}},
};

static bool is_stop(uint16_t event)
{
    return event == 0x0008 || event == 0x0011 || event == 0x001B || event == 0x82AB || event == 0x0073;
}

static uint64_t wanted(const struct class_case *t, uint16_t event)
{
    uint64_t count = is_stop(event) ? 1 : 0;

    for (unsigned i = 0; i < sizeof t->want / sizeof t->want[0]; i++) {
        if (t->want[i].count != 0 && t->want[i].event == event) {
            count += t->want[i].count;
        }
    }
    return count;
}

static uint64_t memory[64] __attribute__((aligned(64)));

/* Runs a case for all events, @at_once of them at a time or as many as there are counters, and prints its result. */
static void run(const struct class_case *t, unsigned at_once)
{
    const unsigned counters = (unsigned)(IMAGE_READ("pmcr_el0") >> 11 & 31);
    bool right = true;

    at_once = at_once < counters ? at_once : counters;
    for (unsigned first = 0; first < EVENTS; first += at_once) {
        const unsigned n = EVENTS - first < at_once ? (unsigned)(EVENTS - first) : at_once;

        IMAGE_WRITE("pmcr_el0", 0x46); /* all counters are zero, none counts */
        for (unsigned i = 0; i < n; i++) {
            image_set_counter(i, events[first + i].number, 0);
        }
        IMAGE_WRITE("pmcr_el0", 0x41);
        t->run((UINT64_C(1) << n) - 1, memory);
        for (unsigned i = 0; i < n; i++) {
            const uint64_t count = image_counter(i), want = wanted(t, events[first + i].number);

            if (count != want) {
                image_print(right ? "not ok " : "");
                image_print(right ? t->name : "");
                image_print(right ? ":" : ",");
                image_print(" ");
                image_print(events[first + i].name);
                image_print(" ");
                image_print_number(count);
                image_print(", not ");
                image_print_number(want);
                right = false;
            }
        }
    }
    if (right) {
        image_print("ok ");
        image_print(t->name);
    }
    image_print(at_once == 1 ? " (one at a time)\n" : "\n");
}

void main(void)
{
    IMAGE_WRITE("cpacr_el1", 0x3330000); /* enables SME, SVE and FP */
    image_pend_timer(); /* WFI does not wait then */
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if ((cases[i].levels >> (IMAGE_READ("CurrentEL") >> 2) & 1) != 0) {
            run(&cases[i], 31);
            run(&cases[i], 1);
        }
    }
    image_finish(0);
}
