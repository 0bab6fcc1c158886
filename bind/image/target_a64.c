/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a conformance image that executes cells in AArch64 state; EL0 may be in AArch32 state. */
#include "target.h"

/* An execution of a cell.  The assembler code uses the members by their offsets. */
struct target_execution {
    uint64_t pc, spsr;         /* 0, 8 */
    uint64_t x3, x4;           /* 16, 24: before it, then after it */
    uint64_t hcr;              /* 32: HCR_EL2 */
    uint64_t counts;           /* 40: whether it starts and stops counters */
    uint64_t start, stop;      /* 48, 56: PMCR_EL0 */
    uint64_t start2, stop2;    /* 64, 72: MDCR_EL2 */
    uint64_t elr, esr;         /* 80, 88: of the exception that came back */
};

extern char vectors_el1[], vectors_el2[];
void target_run(struct target_execution *e);
void target_unexpected(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Start, vectors, and the way to a cell and back.
 */

#define EL EXPANDED(HIGHEST)

#if HIGHEST == 3
#define CALL "smc #0\n"
#elif HIGHEST == 2
#define CALL "hvc #0\n"
#else
#define CALL "svc #0\n"
#endif

/* HCR_EL2.RW alone while the program runs: with E2H, names of EL1 registers would mean those of EL2. */
#if HIGHEST >= 2
#define TAKE_HCR "ldr x9, [x0, #32]\n msr hcr_el2, x9\n"
#define RESET_HCR "mov x9, #0x80000000\n msr hcr_el2, x9\n isb\n"
#define START "msr mdcr_el2, x7\n msr pmcr_el0, x5\n isb\n"
#define STOP "msr pmcr_el0, x6\n msr mdcr_el2, x8\n isb\n"
#else
#define TAKE_HCR ""
#define RESET_HCR ""
#define START "msr pmcr_el0, x5\n isb\n"
#define STOP "msr pmcr_el0, x6\n isb\n"
#endif

__asm__(".section .init, \"ax\"\n"
        ".global _start\n"
        "_start:\n"
        "ldr x0, =stack_top\n mov sp, x0\n"
        "mrs x0, CurrentEL\n cmp x0, #(" EL " << 2)\n b.ne 1f\n" /* main() says that it is another machine */
        "ldr x0, =vectors\n msr vbar_el" EL ", x0\n isb\n"
        "1: ldr x0, =__bss_start\n ldr x1, =_end\n"
        "2: cmp x0, x1\n b.hs 3f\n strb wzr, [x0], #1\n b 2b\n"
        "3: bl main\n"
        "bl target_finish\n"
        "b .\n"
        ".text\n"
        ".global target_run\n"
        "target_run:\n"
        "stp x29, x30, [sp, #-96]!\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\n stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n"
        "ldr x9, =present\n str x0, [x9]\n"
        TAKE_HCR
        "ldp x1, x2, [x0]\n msr elr_el" EL ", x1\n msr spsr_el" EL ", x2\n"
        "ldp x3, x4, [x0, #16]\n"
        "ldr x10, [x0, #40]\n ldp x5, x6, [x0, #48]\n ldp x7, x8, [x0, #64]\n"
        "isb\n"
        "cbz x10, 1f\n"
        START
        "1: eret\n"
        "landed:\n"
        "cbz x10, 1f\n"
        STOP
        "1: ldr x9, =present\n ldr x0, [x9]\n cbz x0, target_unexpected\n str xzr, [x9]\n"
        "stp x3, x4, [x0, #16]\n"
        RESET_HCR
        "mrs x1, elr_el" EL "\n mrs x2, esr_el" EL "\n stp x1, x2, [x0, #80]\n"
        "ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n"
        "ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n ldp x29, x30, [sp], #96\n"
        "ret\n"
        ".macro vectors_with instruction:vararg\n"
        ".rept 16\n \\instruction\n .balign 0x80\n .endr\n"
        ".endm\n"
        ".balign 0x800\n"
        "vectors: vectors_with b landed\n"
        ".global vectors_el1, vectors_el2\n"
        "vectors_el1: vectors_with " CALL
        "vectors_el2: vectors_with " CALL
        ".bss\n"
        ".balign 16\n"
        ".skip 4096\n"
        "stack_top:\n"
        "present: .skip 8\n"
        ".text\n");

/* Read and write a register of a literal name. */
#define MRS(name) __extension__({ uint64_t value_; __asm__ volatile("mrs %0, " name : "=r"(value_)); value_; })
#define MSR(name, value) __asm__ volatile("msr " name ", %0\n isb" : : "r"((uint64_t)(value)))

const char *const target_outcomes[] = {"performed", "an exception to EL1", "an exception to EL2", "an exception to EL3",
                                       "an exception of another instruction"};
const char target_syndrome[] = "ESR";

void target_semihosting(uintptr_t operation, const void *argument)
{
    register uint64_t x0 __asm__("x0") = operation;
    register const void *x1 __asm__("x1") = argument;

    __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
}

unsigned target_level(void)
{
    return MRS("CurrentEL") >> 2 & 3;
}

void target_unexpected(void)
{
    target_print("the image cannot go on: an exception of its own, ESR ");
    target_print_hex(MRS("esr_el" EL));
    target_print(", at ");
    target_print_hex(MRS("elr_el" EL));
    target_print("\n");
    target_finish(2);
}

static uint64_t hcr = UINT64_C(1) << 31; /* HCR_EL2.RW, for the levels below */

/* A reset leaves these registers UNKNOWN. */
void target_prepare(void)
{
    MSR("sctlr_el1", 0x30D00800);
#if HIGHEST >= 2
    MSR("vbar_el1", vectors_el1);
    MSR("sctlr_el2", 0x30C50830);
    MSR("cptr_el2", 0x33FF);
    MSR("hcr_el2", hcr);
#endif
#if HIGHEST == 3
    MSR("vbar_el2", vectors_el2);
    MSR("sctlr_el3", 0x30C50830);
#endif
}

/* ---------------------------------------------------------------------------------------------------------------
 * Execution of cells.
 */

/* Returns whether the instruction before @pc is in @vectors: the return address of a call is the next instruction's. */
static inline bool is_within(uint64_t pc, const char *vectors)
{
    return pc - 4 >= (uintptr_t)vectors && pc - 4 < (uintptr_t)vectors + 0x800;
}

/* Returns whether @esr is that of an SVC, HVC or SMC; 0x11 is an SVC of AArch32 state. */
static bool is_call(uint64_t esr)
{
    return (esr >> 26 & 0x3F) == 0x11 || ((esr >> 26 & 0x3F) >= 0x15 && (esr >> 26 & 0x3F) <= 0x17);
}

/* Returns where the exception with *@elr and *@esr was taken to first, and sets these to what it left there. */
static unsigned find_target(uint64_t *elr, uint64_t *esr)
{
#if HIGHEST >= 2
    if (is_within(*elr, vectors_el1)) {
        *elr = MRS("elr_el1");
        *esr = MRS("esr_el1");
        return TAKEN_EL1;
    }
#endif
#if HIGHEST == 3
    if (is_within(*elr, vectors_el2)) {
        *elr = MRS("elr_el2");
        *esr = MRS("esr_el2");
        return TAKEN_EL2;
    }
#endif
    (void)elr;
    (void)esr;
    return HIGHEST;
}

unsigned target_execute(const struct target_row *r, unsigned el, uint64_t *value, uint32_t *esr)
{
    const bool a32 = el == EL0_A32, counts = r->kind == ROW_COUNT;
    const uint64_t word = (uintptr_t)cells + CELL_SIZE * r->cell + (el == 0 || a32 ? CELL_EL0 : 0);
    struct target_execution e = {
        .pc = word, .spsr = a32 ? 0x1D0u : 0x3C0u | el << 2 | (el != 0), .hcr = hcr, .counts = counts,
        .x3 = *value, .x4 = *value >> 32, /* the second register of MRRC and MCRR */
        .start = r->want, .stop = r->want & ~UINT64_C(1), .start2 = r->mask, .stop2 = r->mask & ~UINT64_C(0x80),
    };

    target_run(&e);
    *value = a32 ? (uint32_t)e.x3 | e.x4 << 32 : e.x3;
    uint64_t elr = e.elr, syndrome = e.esr;
    const unsigned taken = find_target(&elr, &syndrome);

    *esr = (uint32_t)syndrome;
    if (is_call(syndrome) && elr == word + (counts ? 12 : 8)) {
        *esr = 0;
        return TAKEN_NONE;
    }
    return elr == word ? taken : TAKEN_ELSEWHERE;
}

void target_control(unsigned which, uint64_t value)
{
    (void)value; /* there are no controls below EL1 */
    switch (which) {
#if HIGHEST == 3
    case CONTROL_SCR_EL3: MSR("scr_el3", value); break;
    case CONTROL_MDCR_EL3: MSR("mdcr_el3", value); break;
#endif
#if HIGHEST >= 2
    case CONTROL_HCR_EL2: hcr = value; break;
    case CONTROL_MDCR_EL2: MSR("mdcr_el2", value); break;
    case CONTROL_HSTR_EL2: MSR("hstr_el2", value); break;
    case CONTROL_HDFGRTR_EL2: MSR("s3_4_c3_c1_4", value); break;
    case CONTROL_HDFGWTR_EL2: MSR("s3_4_c3_c1_5", value); break;
    case CONTROL_HDFGRTR2_EL2: MSR("s3_4_c3_c1_0", value); break;
    case CONTROL_HDFGWTR2_EL2: MSR("s3_4_c3_c1_1", value); break;
#endif
    default: break;
    }
}
