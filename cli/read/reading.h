/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reading: everything that the readers of this folder found in an input.  It has the lines, what is known of the
 * machine, what the writer sees and wants, and clues.  `armpmu why` puts its rules to it (cli/why/rules.h).
 *
 *     text --> linux.c, exception.c, code/, cli/state, words.c --> struct reading --> cli/why/rules_*.c --> verdict
 *
 * Each reader looks at the whole text, because inputs are mixtures: a log within a question, comments in code.  A
 * reader claims the lines that it understood.  Later readers may skip these.
 */
#ifndef ARMPMU_CLI_READING_H
#define ARMPMU_CLI_READING_H

#include <armpmu/cores.h>

#include "../state/state.h"
#include "text.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The machine.
 */

/** A number that the input tells. */
struct reading_number {
    bool known;
    uint64_t value;
    uint32_t line; /**< where it was read, from 1; 0: an option gave it, or it follows from the core */
};

/** The kinds of PMU. */
enum reading_pmu {
    READING_PMU_UNKNOWN,
    READING_PMU_V8,    /**< PMUv3, AArch64 or AArch32 */
    READING_PMU_V7,    /**< PMUv1 or PMUv2: an ARMv7 core */
    READING_PMU_ARM11,
    READING_PMU_M,     /**< the DWT or the PMU of an M-profile core */
    READING_PMU_APPLE, /**< IMPLEMENTATION DEFINED */
    READING_PMU_OTHER, /**< another processor: x86, RISC-V */
};

/** Where the code runs that accesses the PMU. */
enum reading_place {
    READING_PLACE_UNKNOWN,
    READING_PLACE_USER,       /**< a program of an operating system, EL0 */
    READING_PLACE_KERNEL,     /**< the kernel or a module of it */
    READING_PLACE_BARE,       /**< no operating system, or an RTOS or a boot loader */
    READING_PLACE_HYPERVISOR, /**< EL2 */
    READING_PLACE_SECURE,     /**< Secure EL1: a trusted OS */
    READING_PLACE_FIRMWARE,   /**< EL3 */
};

/** Hypervisors.  READING_HYPERVISOR_NONE: the input shows that there is none. */
enum reading_hypervisor {
    READING_HYPERVISOR_UNKNOWN,
    READING_HYPERVISOR_NONE,
    READING_HYPERVISOR_KVM,
    READING_HYPERVISOR_XEN,
    READING_HYPERVISOR_HYPERV,
    READING_HYPERVISOR_VMWARE,
    READING_HYPERVISOR_CLOUD, /**< an instance that is not bare metal */
    READING_HYPERVISOR_OTHER,
};

/** Emulators.  READING_EMULATOR_NONE: the input shows real hardware. */
enum reading_emulator {
    READING_EMULATOR_UNKNOWN,
    READING_EMULATOR_NONE,
    READING_EMULATOR_QEMU, /**< TCG */
    READING_EMULATOR_FVP,
    READING_EMULATOR_OTHER, /**< gem5, Renode, Android's emulator and the like */
};

/** What is known of the machine.  Readers call reading_learn() and do not overwrite what is known. */
struct reading_machine {
    const struct apmu_core_info *core; /**< NULL: not known */
    char board[48];                    /**< "Raspberry Pi 4"; "" if it is not known */
    struct reading_number pmu;         /**< enum reading_pmu */
    struct reading_number place;       /**< enum reading_place */
    struct reading_number el;          /**< 0 to 3, of the code that accesses the PMU */
    struct reading_number began;       /**< 0 to 3: the level of which words only say that the code began there */
    struct reading_number secure;      /**< 1: Secure state */
    struct reading_number aarch32;     /**< 1: the code is A32 or T32 */
    struct reading_number linux_os;    /**< 1: Linux runs there; 2: Android */
    struct reading_number kernel;      /**< version of Linux, major * 1000 + minor */
    struct reading_number vhe;         /**< 1: the kernel runs at EL2 */
    struct reading_number hypervisor;  /**< enum reading_hypervisor */
    struct reading_number guest;       /**< 1: the input is from within a virtual machine; 0: surely not */
    struct reading_number emulator;    /**< enum reading_emulator */
    struct reading_number container;   /**< 1: within a container */
    struct reading_number big_little;  /**< 1: two kinds of core */
    struct reading_number counters;    /**< event counters that the input says there are */
    struct reading_number clock;       /**< of the core, in Hz */
};

/* ---------------------------------------------------------------------------------------------------------------
 * What the writer sees and wants.
 */

/**
 * What people say that they see: SYMPTOM rows of symptoms.def.  A comment in code says it as well as a sentence does.
 */
enum reading_symptom {
#define SYMPTOM(id, text) READING_##id,
#include "symptoms.def"
    READING_SYMPTOMS
};

/* ---------------------------------------------------------------------------------------------------------------
 * Registers beside the PMU's.
 */

/** The EXTRA rows of extras.def. */
enum reading_extra {
#define EXTRA(id, name, address) READING_##id,
#define EXTRA_ALSO(id, name)
#include "extras.def"
    READING_EXTRAS
};

/* ---------------------------------------------------------------------------------------------------------------
 * Clues.
 */

/** What a line says, other than the value of a register: CLUE rows of clues_*.def.  Rules combine them. */
enum clue_kind {
#define CLUE(id, text) CLUE_##id,
#include "clues.def"
    CLUE_KINDS
};

struct clue {
    enum clue_kind kind;
    uint32_t line;      /**< where it was read, from 1 */
    uint32_t column;    /**< from 1; 0: the whole line */
    uint64_t values[2]; /**< numbers that belong to it; clues_*.def says which */
    char *words;        /**< a string that belongs to it, such as the name of an event; never NULL */
};

/* ---------------------------------------------------------------------------------------------------------------
 * The reading.
 */

struct code; /* code/code.h: the accesses of source code or disassembly */

struct reading {
    const char *input;  /**< the name of the input, for messages */
    const char *said;   /**< what --symptom or the command line says in words; NULL: nothing.  It has no line: 0 */
    bool sentence;      /**< the input is words of the command line */
    struct text text;
    struct reading_machine machine;
    bool sees[READING_SYMPTOMS];         /**< what the writer sees */
    uint32_t symptoms[READING_SYMPTOMS]; /**< the line that says so, from 1; 0: .said does */
    struct reading_number extras[READING_EXTRAS]; /**< registers beside the PMU's, as the last line gives them */
    bool moved[READING_EXTRAS];                   /**< two lines give different values */
    struct clue *clues;
    size_t clue_count;
    struct code *code;    /**< NULL: the input has no code */
    struct state *written; /**< values that the input says to be written or wanted; NULL: none */
    struct state *states; /**< what is known of each PE, CPU by CPU; at least one */
    unsigned *cpus;       /**< the number of each of .states in the input; UINT_MAX: not given */
    size_t state_count;
    bool works;           /**< something in the input shows that counting works */
};

/**
 * Reads the input that @args names: a file, "-" for stdin, a sentence, --gdb or --live; obeys --core, --features,
 * --base and --symptom.  The caller releases @r with reading_free().  If it fails, complains, stores the exit status in
 * *@status and returns false.
 */
bool reading_open(const struct cli_args *args, struct reading *r, int *status);

/** Reads @text, a changed form of the input of @before, with the same options.  The caller releases @r. */
void reading_again(const struct cli_args *args, const struct reading *before, const char *text, struct reading *r);

/**
 * Reads @length bytes at @input, which is called @name in messages.  @said is a sentence beside it, or NULL.  @s is
 * what options such as --core give; the registers in the text are added to a copy of it.  @frame is as in
 * state_parse().  The caller releases @r with reading_free().
 */
void reading_init(struct reading *r, const char *name, const char *input, size_t length, const char *said,
                  const struct state *s, const struct state_frame *frame);
/** Makes a reading of a state that has no text: a target of the GDB protocol, or this machine. */
void reading_of_state(struct reading *r, const struct state *s);
void reading_free(struct reading *r);

/** Stores @value in *@number, read in @line, unless it is known already. */
void reading_learn(struct reading_number *number, uint64_t value, uint32_t line);
/** Returns the value of @number, or @otherwise if it is not known. */
uint64_t reading_value(const struct reading_number *number, uint64_t otherwise);
/** Takes @core for the machine's, unless the core is known already. */
void reading_learn_core(struct reading *r, const struct apmu_core_info *core);
/** Notes that the writer sees @symptom, by @line; 0: by .said.  The first line is kept. */
void reading_symptom(struct reading *r, enum reading_symptom symptom, uint32_t line);
/** Notes that the input shows that counting works. */
void reading_works(struct reading *r);

/** Adds a clue.  The result may be filled further until the next clue is added.  @words is copied; NULL is "". */
struct clue *reading_clue(struct reading *r, enum clue_kind kind, uint32_t line, const char *words);
/** Returns the first clue of @kind, or NULL. */
const struct clue *reading_find(const struct reading *r, enum clue_kind kind);
/** Returns the first clue of @kind after @previous, or NULL.  @previous NULL: the first. */
const struct clue *reading_next(const struct reading *r, enum clue_kind kind, const struct clue *previous);
/** Returns the text of line @number without blanks around it, cut to fit @buf: for quotes.  "" if there is none. */
const char *reading_quote(const struct reading *r, uint32_t number, char *buf, size_t size);

/** What an input mostly is.  The kinds are those of the odds of causes.def. */
enum reading_kind { READING_CODE, READING_REGISTERS, READING_LINUX, READING_WORDS, READING_EXCEPTION, READING_KINDS };
/** Returns what the input mostly is, by the lines that each reader claimed. */
enum reading_kind reading_kind(const struct reading *r);

/* ---------------------------------------------------------------------------------------------------------------
 * The readers, in their order.  Each takes what it understands of r->text.
 */

void read_linux(struct reading *r);
void read_exception(struct reading *r);
void read_code(struct reading *r);
void read_registers(struct reading *r, const struct state *given, const struct state_frame *frame);
void read_outputs(struct reading *r);
/** Finds words of the GIC by their addresses in the private memory of an ARMv7 core that is known by now. */
void read_private_gic(struct reading *r);
void read_words(struct reading *r);

#endif
