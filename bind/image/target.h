/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program of a conformance image: it executes the rows of a table, compares what the PMU does with the answers of
 * the model, and prints what deviates.  armpmu generate prints, as one file, this text, that of target_a64.c or
 * target_a32.c, that of target.c, and the table.
 *
 * It needs one core at Exception level HIGHEST, at reset or as good as that: MMU off, and an interrupt controller that
 * delivers nothing.  It has no C library, writes only its own data and uses 4 KiB of stack.
 *
 * Before it stand these macros:
 *   HIGHEST  the Exception level at which the program starts, 1 to 3; in AArch32 state 3 is Secure Supervisor mode
 *   HYP      whether there is EL2
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
    ROW_SCENE,    /* the rows up to the next scene; with .mask they need this bit in what the cell reads, PMCEID0 */
    ROW_CONTROL,  /* gives control .cell the value */
    ROW_READ,     /* the cell reads a register at .el */
    ROW_WRITE,    /* the cell writes .value to a register at .el */
    ROW_COUNT,    /* starts the counters, executes a loop .value times at .el, and stops them */
};

/*
 * Where an exception was taken to; 0: there was none.  In AArch32 state TAKEN_EL1 is Undefined mode, at EL1 or EL3, and
 * TAKEN_EL2 Hyp mode.
 */
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

/* The cells, one behind the other: instructions for EL1 and above, then for EL0, each with the call that ends it. */
#define CELL_SIZE 32u
#define CELL_EL0 16u
extern char cells[];

#define STRING(x) #x
#define EXPANDED(x) STRING(x)

/* target_a64.c or target_a32.c: makes the semihosting call @operation. */
void target_semihosting(uintptr_t operation, const void *argument);
/* target_a64.c or target_a32.c: returns the Exception level at which the program started. */
unsigned target_level(void);
/* target_a64.c or target_a32.c: gives the levels below vectors, and MMUs that are off. */
void target_prepare(void);
/* target_a64.c or target_a32.c: sets a control of the levels below. */
void target_control(unsigned which, uint64_t value);
/*
 * target_a64.c or target_a32.c: executes the cell of *@r at Exception level @el with *@value in X3, or in R3 and R4.
 * Returns where its exception went, with the syndrome, which is 0 if there is none.
 */
unsigned target_execute(const struct target_row *r, unsigned el, uint64_t *value, uint32_t *esr);
/* target_a64.c or target_a32.c: what these exceptions and the register of their syndrome are called. */
extern const char *const target_outcomes[];
extern const char target_syndrome[];

/* target.c: print to the console, and end the program. */
void target_print(const char *text);
void target_print_hex(uint64_t value);
void target_finish(int status);
