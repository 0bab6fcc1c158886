/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the reader of code found: the accesses of PMU registers and of what controls them, in the order in which they
 * are executed, as far as that is plain.  Constants are folded.  Functions of the text are followed, loops are walked
 * once, or as often as their bounds say.  What cannot be told is an unknown bit.
 *
 *     text --> expand.c: macros of assembly --> lex.c: tokens, comments --> walk.c: statements, functions --> steps
 *                                            expression.c, calls.c, inline.c, assembly.c
 */
#ifndef ARMPMU_CLI_READ_CODE_H
#define ARMPMU_CLI_READ_CODE_H

#include "../reading.h"

/** The registers: rows of registers.def. */
enum code_register {
    CODE_NO_REGISTER,
#define CODE_PMU(id, reg) CODE_##id,
#define CODE_PLAIN(id)    CODE_##id,
#include "registers.def"
    CODE_REGISTERS
};

/** A value of which some bits are known.  Unknown bits are 0 in .bits. */
struct code_value {
    uint64_t known, bits;
    uint64_t kept;   /**< bits that are as .read has read them */
    uint32_t read;   /**< the step + 1 that read the register from which the value was made; 0: none */
    uint16_t whose;  /**< of a parameter or variable whose value the text does not show, unchanged: which; 0: none */
    uint16_t offset; /**< what was added to a base that is not known, modulo 4 KB */
    uint8_t width;   /**< of its type in bits, 0 if not known */
    uint8_t element; /**< of a pointer: the bytes of what it points to; 0: it is no pointer */
    bool changed;    /**< made from .read by an operation */
    bool vague;      /**< by an operation with something that is not known and was not read, as "v | FLAGS" */
    bool count;      /**< a count of 64 bits as it was read */
    bool span;       /**< a difference of such counts, or a sum of differences */
};

enum code_act {
    CODE_READ,  /**< reads .reg */
    CODE_WRITE, /**< writes .value to .reg */
    CODE_ISB,
    CODE_DSB,
    CODE_WORK,  /**< code that is not shown: a call */
    CODE_DELAY, /**< a call that waits or prints, which takes long */
    CODE_WFI,
    CODE_ENTER,      /**< a function begins */
    CODE_LEAVE,      /**< a function ends */
    CODE_NARROWED,   /**< a count of 64 bits is stored in 32 bits; .value.read says which */
    CODE_WIDENED,    /**< a read of 32 bits is returned or stored as 64 bits */
    CODE_DIFFERENCE, /**< two reads are subtracted: .value.read, the later one, minus .used, the first; steps + 1 */
};

/* Properties of a step. */
#define CODE_INLINE       1u     /**< in inline assembly */
#define CODE_NOT_VOLATILE 2u     /**< the compiler may merge or move it */
#define CODE_IN_LOOP      4u     /**< in a loop of which the bounds are not known */
#define CODE_POLLED       8u     /**< in the condition of a loop */
#define CODE_MAYBE        16u    /**< under a condition that is not known */
#define CODE_A32          32u    /**< by MRC, MCR and the like */
#define CODE_MEMORY       64u    /**< memory-mapped */
#define CODE_PER_CPU      128u   /**< in a function that each CPU runs */
#define CODE_PAIR         256u   /**< MRRC or MCRR */
#define CODE_W_REGISTER   512u   /**< an A64 access with a W register */
#define CODE_NAMED        1024u  /**< the name of a function says so; its code is not shown */
#define CODE_HANDLER      2048u  /**< in a function whose name says that it handles an interrupt */
#define CODE_ASM_FILE     4096u  /**< in assembly that is not inline */
#define CODE_CLEAR_SET    8192u  /**< one call that reads, changes and writes */
#define CODE_STATEMENT    16384u /**< work that is a statement without a call */
#define CODE_GUESSED      32768u /**< a call of code that is not shown, by a name that says what it reads */

/** The operands of an access by encoding. */
struct code_operands {
    bool given; /**< the access was written with operands or a generic name */
    uint8_t coproc, op0, opc1, crn, crm, opc2;
};

struct code_step {
    enum code_act act;
    enum code_register reg;
    uint8_t n; /**< the copy in a bank */
    bool n_known;
    uint8_t width; /**< of the access: 32 or 64 */
    uint16_t flags;
    uint16_t function;       /**< index of code.functions; 0: outside of functions */
    uint32_t line, column;   /**< from 1 */
    struct code_value value; /**< what is written */
    uint32_t used;           /**< of a read: the number of later steps that wrote a value made of it */
    struct code_operands operands;
    uint64_t page; /**< of a memory-mapped access: its address / 4 KB; 0: it is not known */
};

struct code_function {
    const char *name; /**< not terminated: .length bytes */
    uint32_t length, line;
    bool called;  /**< another function of the text calls it */
    bool per_cpu; /**< it is passed to on_each_cpu(), cpuhp_setup_state() or the like */
    bool one_cpu; /**< it is passed to smp_call_function_single() or the like */
    bool handler;
    bool takes_interrupt; /**< it reads which interrupt is pending from the GIC */
    uint8_t returns; /**< the width of what it returns: 0 unknown, 32, 64 */
};

/** A comment, or a line of prose between code. */
struct code_comment {
    uint32_t line, column;
    const char *text; /**< not terminated */
    size_t length;
};

/** What the text has, other than accesses.  Each is the line that shows it, from 1; 0: it is not there. */
enum code_fact {
    CODE_HAS_MAIN,   /**< int main(), fn main() */
    CODE_HAS_STDIO,  /**< a header or a call of a C library under an operating system */
    CODE_HAS_KERNEL, /**< a module, or code of the kernel */
    CODE_HAS_BARE,   /**< code that runs without an operating system */
    CODE_HAS_TFA,    /**< firmware */
    CODE_HAS_M,      /**< CMSIS names of the DWT, or its addresses */
    CODE_HAS_RUST,
    CODE_HAS_PYTHON,
    CODE_HAS_THREADS,
    CODE_HAS_AFFINITY,  /**< sched_setaffinity() or taskset */
    CODE_HAS_PERF,      /**< perf_event_open() */
    CODE_HAS_EACH_CPU,  /**< on_each_cpu() and the like */
    CODE_HAS_EACH_OTHER, /**< what each CPU runs is not all shown: another function, or the body of a loop over CPUs */
    CODE_HAS_SMP,       /**< more CPUs are mentioned: kthread_bind(), smp_processor_id(), secondary */
    CODE_HAS_INTERRUPT, /**< a handler, or an interrupt that is enabled or requested */
    CODE_HAS_GIC,       /**< the interrupt controller is set up, or the interrupt requested */
    CODE_HAS_MASK,      /**< PSTATE.I or CPSR.I is set, or the function that does it is called */
    CODE_HAS_UNMASK,    /**< PSTATE.I or CPSR.I is cleared, or the function that does it is called */
    CODE_HAS_NVIC,
    CODE_HAS_SIGILL_HANDLER,
    CODE_HAS_SLEEP,
    CODE_HAS_LICENCE, /**< a file of a project: its comments describe it, and complain of nothing */
    CODE_FACTS
};

/** The members of struct perf_event_attr that matter. */
enum code_perf_field {
    CODE_PERF_TYPE,
    CODE_PERF_CONFIG,
    CODE_PERF_CONFIG1,
    CODE_PERF_DISABLED,
    CODE_PERF_INHERIT,
    CODE_PERF_PINNED,
    CODE_PERF_EXCLUDE_USER,
    CODE_PERF_EXCLUDE_KERNEL,
    CODE_PERF_EXCLUDE_HV,
    CODE_PERF_READ_FORMAT,
    CODE_PERF_ENABLE_ON_EXEC,
    CODE_PERF_SAMPLE_PERIOD,
    CODE_PERF_SAMPLE_FREQ,
    CODE_PERF_PID,
    CODE_PERF_CPU,
    CODE_PERF_GROUP,
    CODE_PERF_FIELDS
};

/** What is written to a member, over all of the text. */
struct code_perf_value {
    uint32_t line, column; /**< of the last write; 0: it is not written */
    bool known;
    bool zero, nonzero; /**< it is written as 0 somewhere, and as something else */
    bool unknown;       /**< it is written with a value that is not known */
    uint64_t value;     /**< the last one */
};

/** What a program asks of perf_event_open(). */
struct code_perf {
    struct code_perf_value fields[CODE_PERF_FIELDS];
    uint32_t open_line; /**< of the first call */
    unsigned opens;     /**< calls in the text; a system call behind a function of that name is none of them */
    bool by_number;     /**< a system call opens them */
    unsigned events;    /**< events that it opens, as far as lists and calls tell */
    bool loop;          /**< a call is in a loop */
    size_t leader;      /**< the token of the last call that opens a leader outside of loops, + 1; 0: none */
    bool led;           /**< a loop behind the leader opens members of a group */
    bool in_kernel;     /**< the kernel opens them: perf_event_create_kernel_counter() */
    uint32_t enable_line, enable_group_line, reset_line, mmap_line, direct_line, read_line, cap_line;
    uint32_t times_line;  /**< of the times in which an event was enabled, and counted */
    uint32_t scaled_line; /**< of what scales counts by them */
};

/** A number to which the text gives a name: EV_CYCLES = 17, "brmiss": 16. */
struct code_number_name {
    uint32_t line, column, length;
    const char *name; /**< not terminated */
    uint64_t value;
    bool decimal; /**< written in decimal */
};

/** A macro with the name of one register, and the encoding of another. */
struct code_misnomer {
    uint32_t line;
    enum code_register meant, is;
};

struct code {
    struct code_number_name *numbers;
    size_t number_count;
    struct code_misnomer misnomers[4];
    unsigned misnomer_count;
    struct code_step *steps;
    size_t step_count;
    struct code_function *functions; /**< [0] stands for code outside of functions */
    size_t function_count;
    struct code_comment *comments;
    size_t comment_count;
    uint32_t facts[CODE_FACTS];
    struct code_perf *perf; /**< NULL: the text does not use perf_event_open() */
    char *expanded;         /**< the text of expanded macros, to which names point; NULL: there are none */
    char *turned;           /**< the text in the manner of the GNU assembler, if it is that of another; or NULL */
};

/** Returns Arm's name of register @reg, with copy @n if it is one of a bank, written to @buf. */
const char *code_register_name(enum code_register reg, unsigned n, bool aarch32, char buf[32]);
/** Writes the encoding of register @reg, such as S3_3_C9_C13_0, to @buf, and returns it. */
const char *code_register_generic(enum code_register reg, char buf[24]);
/** Finds a register by its name in any spelling.  Returns CODE_NO_REGISTER if there is none. */
enum code_register code_register_by_name(const char *text, size_t length, unsigned *n);
/** Finds the register that the name of a function names: read_pmcr.  *@write is 1 for a write, 0 a read, 2 unknown. */
enum code_register code_register_in_function(const char *text, size_t length, unsigned *write);
/** Returns true for registers of the PMU, of the ARM11's PMU and of the DWT, and for their controls. */
bool code_is_pmu(enum code_register reg);
/** Returns true if @reg is a count of the generic timer. */
bool code_is_timer(enum code_register reg);
void code_free(struct code *c);

#endif
