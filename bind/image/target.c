/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of a conformance image: it executes the rows of a table, compares what the PMU does with the answers of
 * the model, and prints what deviates.  armpmu generate prints this text with the table behind it, as one file.
 *
 * It needs one AArch64 core at Exception level HIGHEST, at reset or as good as that: MMU off, and an interrupt
 * controller that delivers nothing.  It has no C library, writes only its own data and uses 4 KiB of stack.
 *
 * Before the table stand these macros:
 *   HIGHEST  the Exception level at which the program starts, 1 to 3
 *   CONSOLE  SEMIHOSTING; PL011, at UART; or MEMORY: the text is in image_text, and image_status is not -1 at the end
 */
#include <stdbool.h>
#include <stdint.h>

#define SEMIHOSTING 0
#define PL011 1
#define MEMORY 2

enum target_kind {
    ROW_IDENTITY, /* prints the register that the cell reads */
    ROW_GUARD,    /* the image is for a machine on which the cell reads what is expected */
    ROW_SCENE,    /* the rows up to the next scene; with .value they need the event INST_RETIRED */
    ROW_CONTROL,  /* gives control .cell the value */
    ROW_READ,     /* the cell reads a register at .el */
    ROW_WRITE,    /* the cell writes .value to a register at .el */
    ROW_COUNT,    /* starts the counters, executes a loop .value times at .el, and stops them */
};

/* Where an exception was taken to; 0: there was none. */
enum { TAKEN_NONE, TAKEN_EL1, TAKEN_EL2, TAKEN_EL3, TAKEN_ELSEWHERE };

/* In place of an Exception level: EL0 in AArch32 state. */
#define EL0_A32 4u

struct target_row {
    uint64_t value;
    uint64_t want, mask; /* the bits of mask shall be want, or up to room more; of ROW_COUNT: PMCR_EL0, MDCR_EL2 */
    uint64_t room;
    uint32_t esr;        /* of the exception that shall be taken */
    uint16_t cell, text; /* text: why */
    uint8_t kind, el, taken;
};

enum target_control {
    CONTROL_SCR_EL3, CONTROL_MDCR_EL3, CONTROL_HCR_EL2, CONTROL_MDCR_EL2, CONTROL_HSTR_EL2, CONTROL_HDFGRTR_EL2,
    CONTROL_HDFGWTR_EL2, CONTROL_HDFGRTR2_EL2, CONTROL_HDFGWTR2_EL2,
};

/* The table. */
extern const struct target_row rows[];
extern const uint32_t row_count;
extern const char *const cell_names[];
extern const char *const texts[];

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

extern char cells[], vectors_el1[], vectors_el2[];
void run(struct target_execution *e);
void unexpected(void);

/* ---------------------------------------------------------------------------------------------------------------
 * Start, vectors, and the way to a cell and back.
 */

#define STRING(x) #x
#define EXPANDED(x) STRING(x)
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
        "ldr x0, =vectors\n msr vbar_el" EL ", x0\n isb\n"
        "ldr x0, =__bss_start\n ldr x1, =_end\n"
        "1: cmp x0, x1\n b.hs 2f\n strb wzr, [x0], #1\n b 1b\n"
        "2: bl main\n"
        "bl finish\n"
        "b .\n"
        ".text\n"
        ".global run\n"
        "run:\n"
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
        "1: ldr x9, =present\n ldr x0, [x9]\n cbz x0, unexpected\n str xzr, [x9]\n"
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

/* ---------------------------------------------------------------------------------------------------------------
 * The console.
 */

#if CONSOLE == MEMORY
char image_text[1 << 16];
#endif
volatile int32_t image_status = -1;

void finish(int status);
/* Ends the program with @status; the semihosting call does not come back. */
void finish(int status)
{
    image_status = status;
#if CONSOLE == SEMIHOSTING
    const uint64_t block[2] = {0x20026, (uint64_t)status}; /* ADP_Stopped_ApplicationExit */
    register uint64_t x0 __asm__("x0") = 0x18;             /* SYS_EXIT */
    register const void *x1 __asm__("x1") = block;

    __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
#endif
    for (;;) {
        __asm__ volatile("wfi");
    }
}

static void print(const char *text)
{
#if CONSOLE == SEMIHOSTING
    register uint64_t x0 __asm__("x0") = 4; /* SYS_WRITE0 */
    register const char *x1 __asm__("x1") = text;

    __asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
#elif CONSOLE == PL011
    volatile uint32_t *const uart = (volatile uint32_t *)(uintptr_t)(UART);

    uart[0x30 / 4] = 0x101; /* UARTCR.{UARTEN, TXE} */
    for (; *text != '\0'; text++) {
        while ((uart[0x18 / 4] & 1u << 5) != 0) { /* UARTFR.TXFF */
        }
        uart[0] = (uint8_t)*text;
    }
#else
    static uint32_t used;

    while (*text != '\0' && used < sizeof image_text - 1) {
        image_text[used++] = *text++;
    }
#endif
}

static void print_hex(uint64_t value)
{
    char digits[19];
    char *p = &digits[18];

    *p = '\0';
    do {
        *--p = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    *--p = 'x';
    *--p = '0';
    print(p);
}

static void print_decimal(uint32_t value)
{
    char digits[12];
    char *p = &digits[11];

    *p = '\0';
    do {
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(p);
}

void unexpected(void)
{
    print("the image cannot go on: an exception of its own, ESR ");
    print_hex(MRS("esr_el" EL));
    print(", at ");
    print_hex(MRS("elr_el" EL));
    print("\n");
    finish(2);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Execution of cells.
 */

static uint64_t hcr = UINT64_C(1) << 31; /* HCR_EL2.RW, for the levels below */

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

/* Executes the cell of *@r at Exception level @el with *@x3.  Returns where its exception went, with the syndrome. */
static unsigned execute(const struct target_row *r, unsigned el, uint64_t *x3, uint32_t *esr)
{
    const bool a32 = el == EL0_A32, counts = r->kind == ROW_COUNT;
    const uint64_t word = (uintptr_t)cells + 32u * r->cell + (el == 0 || a32 ? 16 : 0);
    struct target_execution e = {
        .pc = word, .spsr = a32 ? 0x1D0u : 0x3C0u | el << 2 | (el != 0), .hcr = hcr, .counts = counts,
        .x3 = *x3, .x4 = *x3 >> 32, /* the second register of MRRC and MCRR */
        .start = r->want, .stop = r->want & ~UINT64_C(1), .start2 = r->mask, .stop2 = r->mask & ~UINT64_C(0x80),
    };

    run(&e);
    *x3 = a32 ? (uint32_t)e.x3 | e.x4 << 32 : e.x3;
    uint64_t elr = e.elr, syndrome = e.esr;
    const unsigned taken = find_target(&elr, &syndrome);

    *esr = (uint32_t)syndrome;
    if (is_call(syndrome) && elr == word + (counts ? 12 : 8)) {
        *esr = 0;
        return TAKEN_NONE;
    }
    return elr == word ? taken : TAKEN_ELSEWHERE;
}

/* Sets a control of the levels below. */
static void control(unsigned which, uint64_t value)
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

/* ---------------------------------------------------------------------------------------------------------------
 * The rows.
 */

static uint32_t checked, deviations, skipped;
static bool deviated; /* a row of this scene did, so that the state may not be what later rows expect */

static void print_outcome(unsigned taken, uint32_t esr)
{
    static const char *const names[] = {"performed", "an exception to EL1", "an exception to EL2",
                                        "an exception to EL3", "an exception of another instruction"};

    print(names[taken]);
    if (taken != TAKEN_NONE) {
        print(" with ESR ");
        print_hex(esr);
    }
}

/* Prints "deviates (value): MRS PMCR_EL0 at EL1: ", the beginning of a line that says what a row did. */
static void print_access(const struct target_row *r, const char *kind)
{
    static const char *const levels[] = {" at EL0: ", " at EL1: ", " at EL2: ", " at EL3: ",
                                         " at EL0 in AArch32 state: "};

    deviations++;
    print(deviated ? "deviates after another (" : "deviates (");
    print(kind);
    print("): ");
    print(cell_names[r->cell]);
    if (r->kind == ROW_WRITE) {
        print(", ");
        print_hex(r->value);
    }
    print(levels[r->el]);
    deviated = true;
}

/* Prints the end of such a line: why the row shall do what it does not. */
static void print_why(const struct target_row *r)
{
    if (r->text != 0) {
        print("; ");
        print(texts[r->text]);
    }
    print(" [row ");
    print_decimal((uint32_t)(r - rows));
    print("]\n");
}

/* Returns whether @value is what the row expects. */
static bool is_expected(const struct target_row *r, uint64_t value)
{
    return (((value & r->mask) - r->want) & r->mask) <= r->room;
}

static void check_value(const struct target_row *r, uint64_t value)
{
    if (is_expected(r, value)) {
        return;
    }
    print_access(r, r->room != 0 ? "count" : "value");
    print_hex(value & r->mask);
    print(", expected ");
    print_hex(r->want);
    if (r->room != 0) {
        print(" to ");
        print_hex(r->want + r->room);
    }
    if (r->mask != UINT64_MAX) {
        print(" in the bits ");
        print_hex(r->mask);
    }
    print_why(r);
}

static void check(const struct target_row *r)
{
    uint64_t x3 = r->kind == ROW_READ ? 0 : r->value;
    uint32_t esr;
    const unsigned taken = execute(r, r->el, &x3, &esr);

    checked++;
    if (taken != r->taken || esr != r->esr) {
        print_access(r, "outcome");
        print_outcome(taken, esr);
        print(", expected ");
        print_outcome(r->taken, r->esr);
        print_why(r);
    } else if (r->kind == ROW_READ && taken == TAKEN_NONE) {
        check_value(r, x3);
    }
}

/* Prints "NAME = VALUE" of a register of the machine, unless it cannot be read. */
static void identify(const struct target_row *r)
{
    uint64_t x3 = 0;
    uint32_t esr;

    if (execute(r, HIGHEST, &x3, &esr) == TAKEN_NONE) {
        print(cell_names[r->cell] + 4); /* without "MRS " */
        print(" = ");
        print_hex(x3);
        print("\n");
    }
}

/* Returns whether the machine is the one for which the image was made, in the field of the row. */
static bool is_guarded(const struct target_row *r)
{
    uint64_t x3 = 0;
    uint32_t esr;

    if (execute(r, HIGHEST, &x3, &esr) == TAKEN_NONE && is_expected(r, x3)) {
        return true;
    }
    print("the image is for another machine: ");
    print(texts[r->text]);
    print(", but ");
    print(cell_names[r->cell] + 4);
    print(" = ");
    print_hex(x3);
    print("\n");
    return false;
}

/* Gives the levels below, whose registers a reset leaves UNKNOWN, MMUs that are off, and the vectors. */
static void prepare(void)
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

/* Executes the rows.  Returns false if the machine is another one. */
static bool execute_rows(void)
{
    const bool instructions = (MRS("pmceid0_el0") >> 8 & 1) != 0; /* INST_RETIRED */
    bool skips = false;

    for (const struct target_row *r = rows; r < rows + row_count; r++) {
        if (r->kind == ROW_SCENE) {
            skips = r->value != 0 && !instructions;
            deviated = false;
        } else if (skips) {
            skipped += r->kind != ROW_CONTROL;
        } else if (r->kind == ROW_IDENTITY) {
            identify(r);
        } else if (r->kind == ROW_CONTROL) {
            control(r->cell, r->value);
        } else if (r->kind == ROW_GUARD) {
            if (!is_guarded(r)) {
                return false;
            }
        } else {
            check(r);
        }
    }
    return true;
}

int main(void)
{
    print("CurrentEL = ");
    print_hex(MRS("CurrentEL"));
    print("\n");
    if (MRS("CurrentEL") != HIGHEST << 2) {
        print("the image is for another machine: it starts at EL" EL "\n");
        return 2;
    }
    prepare();
    if (!execute_rows()) {
        return 2;
    }
    if (skipped != 0) {
        print("skipped: rows that count INST_RETIRED, which PMCEID0_EL0 does not announce\n");
    }
    print_decimal(checked);
    print(" checked, ");
    print_decimal(deviations);
    print(" deviate, ");
    print_decimal(skipped);
    print(" skipped\n");
    return deviations != 0;
}
