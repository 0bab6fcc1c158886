/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event classes of A32 and T32 by inspection, on an Armv7-A CPU.  A case is a few instructions between the write that
 * starts the counters and the one that stops them, with their number for each of the events below.  An event that a
 * case does not name must be counted 0 times.
 *
 * The MCR that stops the counters comes on top in every case: INST_RETIRED, CPU_CYCLES, INST_SPEC and DP_SPEC.  An
 * exception handler is one instruction: an exception return, which is data processing as well.
 */
#include <stdbool.h>
#include <stdint.h>

__asm__(".fpu neon\n"
        ".section .text.vectors, \"ax\"\n .globl _start\n"
        "_start: b boot\n movs pc, lr\n movs pc, lr\n b .\n subs pc, lr, #4\n b .\n b .\n b .\n"
        "boot: adr r0, _start\n mcr p15, 0, r0, c12, c0, 0\n ldr sp, =stack\n"
        "mrc p15, 0, r0, c1, c0, 0\n orr r0, r0, #0x20\n mcr p15, 0, r0, c1, c0, 0\n" /* CP15BEN */
        "mrc p15, 0, r0, c1, c0, 2\n orr r0, r0, #0xf00000\n mcr p15, 0, r0, c1, c0, 2\n" /* VFP */
        "isb\n b check\n .ltorg\n .text\n");

#define ALL(n) {0x08, n}, {0x11, n}, {0x1B, n}
#define LOADS(n) {0x06, n}, {0x70, n}
#define STORES(n) {0x07, n}, {0x71, n}
#define MEMORY(n) {0x13, n}, {0x72, n}
#define BRANCHES(n, taken) {0x21, n}, {0x76, n}, {0x0C, taken}
#define IMMED(n) {0x0D, n}, {0x78, n}
#define RETURNS(n) {0x0E, n}, {0x79, n}
#define INDIRECT(n) {0x7A, n}
#define EXCEPTION {0x09, 1}, {0x0A, 1}
#define RAISES(n) {0x11, n}, {0x09, n}, {0x0A, n} /* instructions that take a cycle and do not retire */

static const uint8_t events[] = {
    0x08, 0x11, 0x1B, 0x06, 0x70, 0x07, 0x71, 0x13, 0x72, 0x21, 0x76, 0x0C, 0x0D, 0x78,
    0x0E, 0x0F, 0x79, 0x7A, 0x09, 0x0A, 0x6C, 0x6F, 0x73, 0x74, 0x75, 0x7C, 0x7D, 0x7E,
};
#define EVENTS (sizeof events / sizeof events[0])

/*
 * Defines a case's function.  r0 has the counters and r1 memory; Z and C are set, so that EQ passes and NE fails.
 * CASE(nothing, "") makes nothing(), which starts the counters in r0 and stops them.
 */
#define CASE(name, code) \
    static void name(uint32_t counters, void *memory) \
    { \
        register uint32_t r0 __asm__("r0") = counters; \
        register void *r1 __asm__("r1") = memory; \
        __asm__ volatile(".arm\n cmp r0, r0\n isb\n mcr p15, 0, r0, c9, c12, 1\n" code \
                         "\n mcr p15, 0, r0, c9, c12, 2\n isb" \
                         : "+r"(r0), "+r"(r1) \
                         : \
                         : "r2", "r3", "r4", "r5", "lr", "cc", "memory"); \
    }
/* Does the same for T32, with three instructions more: two branches, and an ADD that makes the address of the first. */
#define CASE_T32(name, code) \
    CASE(name, "add r4, pc, #1\n bx r4\n .thumb\n" code "\n .balign 4\n bx pc\n nop\n .arm")
#define T32_ALL(n) ALL((n) + 3)

CASE(nothing, "")
CASE(conditions, "ldr r2, [r1]\n ldreq r2, [r1]\n ldrne r2, [r1]\n str r2, [r1]\n streq r2, [r1]\n strne r2, [r1]\n"
                 "addeq r2, r2, #1\n addne r2, r2, #1\n ldmeq r1, {r2, r3}\n ldmne r1, {r2, r3}\n dmb")
CASE(branches, "b 1f\n 1: bl 2f\n blne 2f\n bleq 2f\n adr r2, 2f\n blx r2\n blxne r2\n b 3f\n"
               "2: bxne lr\n bxeq lr\n 3: beq 4f\n nop\n 4: bne 5f\n 5: adr r2, 6f\n movne pc, r2\n mov pc, r2\n"
               "6: bxne r2")
CASE(returns, "adr lr, 1f\n mov pc, lr\n 1: adr lr, 2f\n str lr, [sp, #-4]!\n ldr pc, [sp], #4\n"
              "2: adr lr, 3f\n push {r2, lr}\n popne {r2, pc}\n pop {r2, pc}\n"
              "3: adr r3, 4f\n str r3, [r1]\n ldr pc, [r1]\n 4: adr r3, 5f\n str r3, [r1, #4]\n ldm r1, {r2, pc}\n 5:")
CASE(exclusives, "ldrex r2, [r1]\n strex r3, r2, [r1]\n strex r3, r2, [r1]\n ldrexne r2, [r1]\n ldrexeq r2, [r1]\n"
                 "strexne r3, r2, [r1]\n strexeq r3, r2, [r1]\n ldrexd r2, r3, [r1]\n strexd r4, r2, r3, [r1]")
CASE(barriers, "dmb\n dsb\n isb\n mcr p15, 0, r2, c7, c10, 5\n mcr p15, 0, r2, c7, c10, 4\n mcr p15, 0, r2, c7, c5, 4\n"
               "mcrne p15, 0, r2, c7, c10, 5\n mcreq p15, 0, r2, c7, c10, 5")
CASE(loop, "mov r2, #1000\n 1: ldr r3, [r1]\n tst r2, #1\n addne r3, r3, #1\n strne r3, [r1]\n"
           "subs r2, r2, #1\n bne 1b")
CASE(undefined, "ldr r2, [r1]\n udf #0\n ldr r2, [r1]")
CASE(supervisor_call, "ldr r2, [r1]\n svcne #0\n svceq #0\n ldr r2, [r1]")
/* Accesses to an address without a device.  One whose condition passes aborts and does not retire. */
CASE(data_abort, "mov r3, #0x0f000000\n ldrne r2, [r3]\n ldreq r2, [r3]\n ldr r2, [r1]\n streq r2, [r3]\n str r2, [r1]")
/* Accesses of two words that abort at the second: the first word is the last one of the RAM. */
CASE(data_abort_half, "mov r3, #0x48000000\n sub r3, r3, #4\n ldr r2, [r3]\n ldm r3, {r2, r4}\n stm r3, {r2, r4}\n"
                      "ldmne r3, {r2, r4}\n ldrd r4, r5, [r3]\n push {r2, r3}\n pop {r2, r3}")
CASE(register_trap, "ldr r2, [r1]\n mrceq p15, 0, r2, c4, c3, 7\n mrcne p15, 0, r2, c4, c3, 7\n ldr r2, [r1]")
CASE(floating_point_trap, "vaddeq.f32 s0, s0, s0\n vaddne.f32 s0, s0, s0\n vadd.i32 q0, q0, q0")
CASE(floating_point, "vmov s0, r2\n vadd.f32 s0, s0, s0\n vaddeq.f64 d0, d0, d0\n vaddne.f64 d0, d0, d0\n"
                     "vadd.i32 q0, q0, q0\n vst1.32 {d0}, [r1]\n vldr d0, [r1]\n vldrne d0, [r1]")
CASE(reads, "mrc p15, 0, r2, c9, c13, 0\n ldr r3, [r1]\n mrceq p15, 0, r2, c9, c13, 0\n mrcne p15, 0, r2, c9, c13, 0")
CASE_T32(blocks, "itete eq\n ldreq r2, [r1]\n ldrne r2, [r1]\n streq r2, [r1]\n strne r2, [r1]\n"
                 "ite ne\n addne r2, r2, #1\n addeq.w r2, r2, #0x100\n cbz r2, 1f\n cbnz r2, 1f\n nop\n"
                 "1: itt eq\n ldmeq.w r1, {r2, r3}\n moveq r2, #0")
CASE_T32(thumb_branches, "bl 1f\n it ne\n bne 2f\n b.n 2f\n 1: ite ne\n popne {r2, pc}\n bxeq lr\n 2: bne 3f\n beq 3f\n"
                         "nop\n 3: mov r2, #0\n tbb [pc, r2]\n .byte 1, 1\n 4:")

/*
 * Unaligned accesses, which need Normal memory.  Four of ten loads and two of three stores are unaligned; one of them
 * aborts.
 */
CASE(unaligned_accesses, "add r2, r1, #1\n ldr r3, [r1]\n ldr r3, [r2]\n ldrne r3, [r2]\n ldreq r3, [r2]\n"
                         "ldrh r3, [r2]\n ldrb r3, [r2]\n ldrsh r3, [r1, #2]\n str r3, [r2]\n strheq r3, [r2]\n"
                         "strb r3, [r2]\n"
                         "ldm r1, {r3, r4}\n ldrd r4, r5, [r1]\n vld1.8 {d0}, [r2]\n vld1.16 {d0}, [r2]\n"
                         "mov r3, #0x80000000\n ldr r3, [r3, #1]")
CASE_T32(unaligned_thumb, "add r2, r1, #1\n ldr r3, [r2]\n ldrh r3, [r2]\n ldr.w r3, [r1, #2]\n ite eq\n"
                          "strheq r3, [r2]\n strne r3, [r2]\n push {r3, r4}\n pop {r3, r4}\n ldrb r3, [r2]\n"
                          "vld1.32 {d0[1]}, [r2]")

static uint32_t sections[4096] __attribute__((aligned(16384)));

/* Turns the MMU on or off.  The map is an identity map; the RAM is Normal memory; nothing is mapped from 2 GiB on. */
static void translate(bool on)
{
    for (uint32_t i = 0; i < 0x800; i++) {
        sections[i] = i << 20 | (i < 0x400 ? 0xC02 : 0x1C0E);
    }
    __asm__ volatile("dsb\n mcr p15, 0, %0, c8, c7, 0\n mcr p15, 0, %1, c2, c0, 0\n mcr p15, 0, %0, c2, c0, 2\n"
                     "mcr p15, 0, %2, c3, c0, 0\n dsb\n isb" ::"r"(0), "r"(sections), "r"(~UINT32_C(0)) : "memory");
    __asm__ volatile("mrc p15, 0, r0, c1, c0, 0\n bic r0, r0, #1\n orr r0, r0, %0\n mcr p15, 0, r0, c1, c0, 0\n isb"
                     :: "r"((uint32_t)on) : "r0", "memory");
}

/*
 * Defines translated_NAME(), which is NAME() with the MMU on: TRANSLATED(unaligned_thumb) makes
 * translated_unaligned_thumb().
 */
#define TRANSLATED(name) \
    static void translated_##name(uint32_t counters, void *memory) \
    { \
        translate(true); \
        name(counters, memory); \
        translate(false); \
    }
TRANSLATED(unaligned_accesses)
TRANSLATED(unaligned_thumb)

static const struct class32_case {
    const char *name;
    void (*run)(uint32_t counters, void *memory);
    struct { uint8_t event; uint16_t count; } want[24];
} cases[] = {
    {"nothing", nothing, {{0, 0}}},
    {"conditions", conditions,
     {ALL(11), LOADS(3), STORES(2), MEMORY(5), {0x73, 1}, {0x7E, 1}}},
    {"branches", branches,
     /* b, bl, blne, bleq, adr, blx, blxne, b; three times bxne and bxeq; beq, bne, adr, movne, mov, bxne */
     {ALL(20), BRANCHES(18, 10), IMMED(7), RETURNS(3), INDIRECT(11), {0x73, 3}}},
    {"returns", returns,
     {ALL(15), BRANCHES(6, 5), RETURNS(3), INDIRECT(6), LOADS(4), STORES(4), MEMORY(8), {0x73, 6}}},
    {"exclusives", exclusives,
     {ALL(9), LOADS(3), {0x6C, 3}, {0x6F, 4}, {0x07, 3}, {0x71, 4}, {0x13, 6}, {0x72, 7}}},
    {"barriers", barriers, {ALL(8), {0x7E, 3}, {0x7D, 2}, {0x7C, 2}}},
    {"loop", loop,
     {ALL(6001), LOADS(1000), STORES(500), MEMORY(1500), {0x73, 2501}, BRANCHES(1000, 999), IMMED(1000)}},
    {"unaligned", translated_unaligned_accesses,
     {ALL(17), LOADS(10), STORES(3), MEMORY(13), {0x0F, 6}, {0x73, 3}, RAISES(1)}},
    {"unaligned T32", translated_unaligned_thumb,
     {T32_ALL(11), LOADS(6), STORES(2), MEMORY(8), BRANCHES(2, 2), INDIRECT(2), {0x0F, 5}, {0x73, 3}}},
    {"UNDEFINED instruction", undefined, {ALL(3), LOADS(2), MEMORY(2), RAISES(1), {0x73, 1}}},
    {"SVC", supervisor_call, {ALL(5), LOADS(2), MEMORY(2), EXCEPTION, {0x73, 1}}},
    {"data abort", data_abort,
     {ALL(6), LOADS(1), STORES(1), MEMORY(2), RAISES(2), {0x73, 3}}},
    {"data abort in a list", data_abort_half,
     {ALL(9), LOADS(2), STORES(1), MEMORY(3), RAISES(3), {0x73, 5}}},
    {"UNDEFINED register", register_trap, {ALL(4), LOADS(2), MEMORY(2), RAISES(1), {0x73, 1}}},
    {"floating-point trap", floating_point_trap, {ALL(3), RAISES(2), {0x73, 2}}},
    {"floating point", floating_point,
     {ALL(8), LOADS(1), STORES(1), MEMORY(2), {0x73, 1}, {0x75, 2}, {0x74, 1}}},
    {"reads", reads, {ALL(4), LOADS(1), MEMORY(1), {0x73, 2}}},
    {"IT blocks", blocks,
     {T32_ALL(13), LOADS(2), STORES(1), MEMORY(3), BRANCHES(4, 3), IMMED(2), INDIRECT(2), {0x73, 6}}},
    {"T32 branches", thumb_branches,
     /* bl, ite, popne, bxeq, it, bne, b, bne, beq, mov, tbb */
     {T32_ALL(11), LOADS(1), MEMORY(1), BRANCHES(10, 7), IMMED(5), RETURNS(1), INDIRECT(5), {0x73, 4}}},
};

static uint32_t semihosting(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void print(const char *text)
{
    semihosting(4, text);
}

static void print_number(uint32_t n, uint32_t base)
{
    char digits[12];
    char *p = digits + sizeof digits - 1;

    *p = 0;
    do {
        uint32_t rest = n, quotient = 0; /* no division in the instruction set that it is built for */
        while (rest >= base) {
            rest -= base;
            quotient++;
        }
        *--p = "0123456789abcdef"[rest];
        n = quotient;
    } while (n != 0);
    print(p);
}

static uint32_t wanted(const struct class32_case *t, uint8_t event)
{
    uint32_t count = event == 0x08 || event == 0x11 || event == 0x1B || event == 0x73;

    for (unsigned i = 0; i < sizeof t->want / sizeof t->want[0]; i++) {
        if (t->want[i].count != 0 && t->want[i].event == event) {
            count += t->want[i].count;
        }
    }
    return count;
}

static void floating_point_on(bool on)
{
    __asm__ volatile("vmsr fpexc, %0\n isb" ::"r"(on ? UINT32_C(1) << 30 : 0));
}

static void select(uint32_t n)
{
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 5\n isb" ::"r"(n));
}

static bool run(const struct class32_case *t)
{
    static uint64_t memory[8];
    bool good = true;

    for (uint32_t n = 0; n < EVENTS; n++) {
        select(n);
        __asm__ volatile("mcr p15, 0, %0, c9, c13, 1\n mcr p15, 0, %1, c9, c13, 2" ::"r"((uint32_t)events[n]), "r"(0));
    }
    floating_point_on(t->run != floating_point_trap);
    t->run((UINT32_C(1) << EVENTS) - 1, memory);
    for (uint32_t n = 0; n < EVENTS; n++) {
        uint32_t value;

        select(n);
        __asm__ volatile("mrc p15, 0, %0, c9, c13, 2" : "=r"(value));
        if (value != wanted(t, events[n])) {
            print(good ? "not ok " : "; ");
            print(good ? t->name : "");
            print(good ? ": event 0x" : "event 0x");
            print_number(events[n], 16);
            print(" is ");
            print_number(value, 10);
            print(", not ");
            print_number(wanted(t, events[n]), 10);
            good = false;
        }
    }
    print(good ? "ok " : "");
    print(good ? t->name : "");
    print("\n");
    return good;
}

__attribute__((used, noreturn)) static void check(void)
{
    bool good = true;

    __asm__ volatile("mcr p15, 0, %0, c9, c12, 0" ::"r"(1)); /* PMCR.E */
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        good &= run(&cases[i]);
    }
    const uint32_t status[2] = {0x20026, good ? 0 : 1}; /* ADP_Stopped_ApplicationExit */
    for (;;) {
        semihosting(0x20, status);
    }
}
