/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of a conformance image that executes cells where all Exception levels are in AArch32 state.  It runs in
 * Monitor mode, from where it reaches both Security states, in Hyp mode, or in Supervisor mode.
 */
#include "target.h"

/* An execution of a cell.  The assembler code uses the members by their offsets. */
struct target_execution32 {
    uint32_t pc, spsr;       /* 0, 4 */
    uint32_t r3, r4;         /* 8, 12: before it, then after it */
    uint32_t counts;         /* 16: whether it starts and stops counters */
    uint32_t start, stop;    /* 20, 24: PMCR */
    uint32_t start2, stop2;  /* 28, 32: HDCR */
    uint32_t scr;            /* 36 */
    uint32_t lr;             /* 40: of the exception that came back */
    uint32_t undefined;      /* 44: whether it came to Undefined mode, where that comes back by itself */
    uint32_t lr_svc, lr_und; /* 48, 52: of an exception before it */
    uint32_t elr_hyp, hsr;   /* 56, 60 */
};

extern char vectors_el1[], vectors_hyp[];
void target_run(struct target_execution32 *e);
void target_unexpected(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Start, vectors, and the way to a cell and back.
 */

#define SCR "p15, 0, %0, c1, c1, 0"
#define SDCR "p15, 0, %0, c1, c3, 1"
#define SCTLR "p15, 0, %0, c1, c0, 0"
#define VBAR "p15, 0, %0, c12, c0, 0"
#define HCR "p15, 4, %0, c1, c1, 0"
#define HDCR "p15, 4, %0, c1, c1, 1"
#define HSTR "p15, 4, %0, c1, c1, 3"
#define HSCTLR "p15, 4, %0, c1, c0, 0"
#define HVBAR "p15, 4, %0, c12, c0, 0"

/* The mode of the program, its vectors, and what ends a cell above EL0. */
#if HIGHEST == 3
#define MODE_HIGHEST 0x16u
#define CALL "smc #0\n"
#define SET_VECTORS "cps #0x16\n mcr p15, 0, r0, c12, c0, 1\n"
#elif HIGHEST == 2
#define MODE_HIGHEST 0x1Au
#define CALL "hvc #0\n"
#define SET_VECTORS "mcr p15, 4, r0, c12, c0, 0\n"
#else
#define MODE_HIGHEST 0x13u
#define CALL "b target_unexpected\n"
#define SET_VECTORS "mcr p15, 0, r0, c12, c0, 0\n"
#endif

/* Write PMCR from R5 or R6 and HDCR from R7 or R8.  Monitor mode accesses HDCR while SCR.NS is 1, as in R2. */
#define PMCR_FROM(reg) "mcr p15, 0, " reg ", c9, c12, 0\n isb\n"
#if HYP && HIGHEST == 3
#define HDCR_FROM(reg) \
    "mcr p15, 0, r2, c1, c1, 0\n isb\n mcr p15, 4, " reg ", c1, c1, 1\n mcr p15, 0, r1, c1, c1, 0\n isb\n"
#elif HIGHEST == 2
#define HDCR_FROM(reg) "mcr p15, 4, " reg ", c1, c1, 1\n isb\n"
#else
#define HDCR_FROM(reg) ""
#endif

/*
 * Leave for the cell in LR, and take what the exception left.  A Secure mode reads registers of other modes there, as
 * banked accesses would need the Virtualization Extensions.
 */
#if HIGHEST == 2
#define LEAVE "msr elr_hyp, lr\n eret\n"
#define TAKE_ADDRESSES "mrs r11, elr_hyp\n mrs r5, lr_svc\n mrs r6, lr_und\n"
#else
#define LEAVE "movs pc, lr\n"
#endif
#if HIGHEST == 3
#define TAKE_ADDRESSES \
    "mov r11, lr\n bic r7, r1, #1\n mcr p15, 0, r7, c1, c1, 0\n isb\n" \
    "cps #0x13\n mov r5, lr\n cps #0x1b\n mov r6, lr\n cps #0x16\n mcr p15, 0, r2, c1, c1, 0\n isb\n"
#elif HIGHEST == 1
#define TAKE_ADDRESSES "mov r5, r11\n mov r6, r11\n"
#endif
#if HYP
#define TAKE_HYP "mrs r7, elr_hyp\n mrc p15, 4, r8, c5, c2, 0\n str r7, [r0, #56]\n str r8, [r0, #60]\n"
#else
#define TAKE_HYP ""
#endif

/* R4 is the level at the start: Hyp mode is 2, and elsewhere SCR, which EL3 alone has, tells 3 from 1. */
__asm__(".syntax unified\n .arm\n .arch_extension sec\n .arch_extension virt\n"
        ".section .init, \"ax\"\n"
        ".global _start\n"
        "_start:\n"
        "cpsid aif\n"
        "mov r4, #2\n mrs r1, cpsr\n and r1, r1, #0x1f\n cmp r1, #0x1a\n beq 1f\n"
        "ldr r0, =vectors_trial\n mcr p15, 0, r0, c12, c0, 0\n isb\n"
        "mov r4, #3\n mrc p15, 0, r1, c1, c1, 0\n"
        "1: cmp r4, #" EXPANDED(HIGHEST) "\n bne 2f\n"
        "ldr r0, =vectors\n" SET_VECTORS "isb\n"
        "2: ldr sp, =stack_top\n"
        "ldr r0, =__bss_start\n ldr r1, =_end\n mov r2, #0\n"
        "3: cmp r0, r1\n strblo r2, [r0], #1\n blo 3b\n"
        "ldr r0, =level\n str r4, [r0]\n"
        "bl main\n"
        "bl target_finish\n"
        "b .\n"
        "no_scr: mov r4, #1\n movs pc, lr\n"
        ".ltorg\n"
        ".text\n"
        ".arm\n"
        ".global target_run\n"
        "target_run:\n"
        "push {r4-r12, lr}\n"
        "ldr r9, =present\n str r0, [r9]\n"
        "ldr lr, [r0]\n ldr r1, [r0, #4]\n msr spsr_fsxc, r1\n"
        "ldr r3, [r0, #8]\n ldr r4, [r0, #12]\n ldr r10, [r0, #16]\n"
        "ldr r5, [r0, #20]\n ldr r6, [r0, #24]\n ldr r7, [r0, #28]\n ldr r8, [r0, #32]\n"
        "ldr r1, [r0, #36]\n orr r2, r1, #1\n"
        "isb\n"
        "cmp r10, #0\n beq 1f\n"
        HDCR_FROM("r7") PMCR_FROM("r5")
        "1: " LEAVE
        "undefined: mov r11, lr\n cps #0x13\n mov r12, #1\n b 1f\n"
        "landed: mov r11, lr\n mov r12, #0\n"
        "1: cmp r10, #0\n beq 1f\n"
        PMCR_FROM("r6") HDCR_FROM("r8")
        "1: ldr r9, =present\n ldr r0, [r9]\n cmp r0, #0\n beq target_unexpected\n"
        "mov r10, #0\n str r10, [r9]\n"
        "str r3, [r0, #8]\n str r4, [r0, #12]\n str r12, [r0, #44]\n"
        TAKE_ADDRESSES
        "str r11, [r0, #40]\n str r5, [r0, #48]\n str r6, [r0, #52]\n"
        TAKE_HYP
        "pop {r4-r12, pc}\n"
        ".ltorg\n"
        ".balign 32\n"
        "vectors_trial: .rept 8\n b no_scr\n .endr\n"
        "vectors: "
#if HIGHEST == 1
        "b target_unexpected\n b undefined\n b landed\n .rept 5\n b target_unexpected\n .endr\n"
#else
        ".rept 8\n b landed\n .endr\n"
#endif
        ".global vectors_el1, vectors_hyp\n"
        "vectors_el1: .rept 8\n " CALL " .endr\n"
        "vectors_hyp: .rept 8\n " CALL " .endr\n"
        ".bss\n"
        ".balign 16\n"
        ".skip 4096\n"
        "stack_top:\n"
        "present: .skip 4\n"
        "level: .skip 4\n"
        ".text\n");

extern uint32_t level;

/* Read and write a System register. */
#define MRC(name) __extension__({ uint32_t value_; __asm__ volatile("mrc " name : "=r"(value_)); value_; })
#define MCR(name, value) __asm__ volatile("mcr " name "\n isb" : : "r"((uint32_t)(value)) : "memory")

const char *const target_outcomes[] = {"performed", "an Undefined Instruction exception", "an exception to Hyp mode",
                                       "", "an exception of another instruction"};
const char target_syndrome[] = "HSR";

void target_semihosting(uintptr_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
}

unsigned target_level(void)
{
    return level;
}

void target_unexpected(void)
{
    target_print("the image cannot go on: an exception of its own\n");
    target_finish(2);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Controls.
 */

static uint32_t scr; /* SCR, at EL3 */

/* Gives access to the registers of Hyp mode and to the Non-secure copies of others, or ends it. */
static void select_nonsecure(bool nonsecure)
{
#if HIGHEST == 3
    MCR(SCR, nonsecure ? scr | 1u : scr);
#else
    (void)nonsecure;
#endif
}

void target_prepare(void)
{
#if HIGHEST == 3
    scr = MRC(SCR) & ~1u;
    MCR(SCR, scr);
    MCR(VBAR, (uintptr_t)vectors_el1);
#endif
#if HIGHEST >= 2
    select_nonsecure(true);
    MCR(VBAR, (uintptr_t)vectors_el1);
    MCR(SCTLR, 0xC50078);
#endif
#if HYP
    MCR(HSCTLR, 0x30C50830);
    MCR(HCR, 0);
#endif
#if HYP && HIGHEST == 3
    MCR(HVBAR, (uintptr_t)vectors_hyp);
#endif
    select_nonsecure(false);
}

void target_control(unsigned which, uint64_t value)
{
    (void)value; /* there are no controls below EL1 */
    select_nonsecure(true);
    switch (which) {
#if HIGHEST == 3
    case CONTROL_SCR_EL3: scr = (uint32_t)value; break;
    case CONTROL_MDCR_EL3: MCR(SDCR, value); break;
#endif
#if HYP
    case CONTROL_HCR_EL2: MCR(HCR, value); break;
    case CONTROL_MDCR_EL2: MCR(HDCR, value); break;
    case CONTROL_HSTR_EL2: MCR(HSTR, value); break;
#endif
    default: break;
    }
    select_nonsecure(false);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Execution of cells.
 */

enum { VECTOR_UNDEFINED = 0x04, VECTOR_SVC = 0x08 };

/* Returns whether the call before @pc is in @vectors, and sets *@offset to its place. */
static inline bool is_within(uint32_t pc, const char *vectors, uint32_t *offset)
{
    *offset = pc - 4 - (uintptr_t)vectors;
    return *offset < 0x20;
}

/* Returns whether @hsr is that of an SVC, HVC or SMC. */
static inline bool is_call(uint32_t hsr)
{
    return hsr >> 26 >= 0x11 && hsr >> 26 <= 0x13;
}

/*
 * Returns where the exceptions of *@e came from a cell, with the address of its instruction, or of the one behind if
 * it was a call.
 */
static unsigned find_target(const struct target_execution32 *e, uint32_t *address)
{
    uint32_t offset;

    if (HIGHEST == 1) {
        *address = e->undefined != 0 ? e->lr - 4 : e->lr;
        return e->undefined != 0 ? TAKEN_EL1 : TAKEN_NONE;
    }
    if (is_within(e->lr, vectors_el1, &offset)) {
        *address = offset == VECTOR_SVC ? e->lr_svc : e->lr_und - 4;
        return offset == VECTOR_SVC ? TAKEN_NONE : offset == VECTOR_UNDEFINED ? TAKEN_EL1 : TAKEN_ELSEWHERE;
    }
    if (HIGHEST == 2 || is_within(e->lr, vectors_hyp, &offset)) {
        *address = e->elr_hyp;
        return is_call(e->hsr) ? TAKEN_NONE : TAKEN_EL2;
    }
    *address = e->lr;
    return TAKEN_NONE;
}

/* HSR.IL is UNKNOWN with the class 0 in ARMv7, so that this syndrome is 0. */
unsigned target_execute(const struct target_row *r, unsigned el, uint64_t *value, uint32_t *esr)
{
    static const uint32_t modes[] = {0x10, 0x13, 0x1A, 0x16};
    const bool counts = r->kind == ROW_COUNT;
    const uint32_t word = (uintptr_t)cells + CELL_SIZE * r->cell + (el == 0 ? CELL_EL0 : 0);
    struct target_execution32 e = {
        .pc = word, .spsr = 0x1C0u | (el == HIGHEST ? MODE_HIGHEST : modes[el]), .counts = counts, .scr = scr,
        .r3 = (uint32_t)*value, .r4 = (uint32_t)(*value >> 32), /* the second register of MRRC and MCRR */
        .start = (uint32_t)r->want, .stop = (uint32_t)r->want & ~1u,
        .start2 = (uint32_t)r->mask, .stop2 = (uint32_t)r->mask & ~0x80u,
    };
    uint32_t address;

    target_run(&e);
    select_nonsecure(false); /* an exception from Monitor mode clears SCR.NS */
    *value = e.r3 | (uint64_t)e.r4 << 32;
    const unsigned taken = find_target(&e, &address);

    *esr = taken == TAKEN_EL2 && e.hsr >> 26 != 0 ? e.hsr : 0;
    return address == (taken == TAKEN_NONE ? word + (counts ? 12 : 8) : word) ? taken : TAKEN_ELSEWHERE;
}
