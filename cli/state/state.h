/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A state: what is known of one PE and its PMU, bit by bit, and where each fact was read.  An input (a text, a target
 * of the GDB protocol, the Linux machine that armpmu runs on) fills a struct state.  `armpmu why`, `armpmu audit` and
 * `armpmu decode` read it, as registers or as a unit of the model.
 *
 * Each fact is stored once.  AArch32 names, external names, offsets and encodings lead to the cell of the AArch64
 * register: HDCR to MDCR_EL2, SDCR to MDCR_EL3, PMCR to PMCR_EL0.  PMCNTENCLR, PMINTENCLR and PMOVSCLR read as their
 * SET registers and share their cells.  The PMU of ARM11 has cells of its own.
 */
#ifndef ARMPMU_CLI_STATE_H
#define ARMPMU_CLI_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/arm11.h>
#include <armpmu/cores.h>
#include <armpmu/model.h>
#include <armpmu/regs.h>

#include "../cli.h"
#include "names.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Facts.
 */

/* Values of struct state_cell.line for facts that were not read from a line. */
#define STATE_LINE_LIVE 0u                   /**< the input is live, and has no lines */
#define STATE_LINE_CORE UINT32_C(0xFFFFFFFF) /**< the fact is a row of tables/cores.def */

/** The bits of one register. */
struct state_cell {
    uint64_t known; /**< bits whose value is known */
    uint64_t value; /**< unknown bits are 0; a caller that tries values may set them in a copy of the state */
    uint32_t line;  /**< the last line of the input that gave a bit, from 1, or a STATE_LINE_... */
    uint64_t last;  /**< the bits as the last line that names the register gives them */
    uint32_t last_line; /**< that line */
    uint32_t times;     /**< how often the input gives bits of it; more than 1: at several moments, or twice */
    bool moved;         /**< two lines give different values */
    uint64_t fell[2];   /**< the first time that a line gives less than the line before it: both values; else 0 */
};

/**
 * Indexes of the cells of ARM11: first the registers of its PMU (enum apmu_arm11_reg), then the registers of the core
 * that the PMU consults.
 */
enum state_arm11_cell {
    STATE_ARM11_BORROWED = APMU_ARM11_REG_COUNT - 1,
#define APMU_ARM11_BORROWED(id, coproc, opc1, crn, crm, opc2, text) STATE_ARM11_##id,
#include <armpmu/tables/arm11.def>
    STATE_ARM11_CELLS
};

enum state_remark_kind {
    STATE_UNKNOWN_NAME, /**< a register that armpmu does not know, or that does not concern the PMU */
    STATE_CONFLICT,     /**< two lines give different values; the first one is kept */
    STATE_BAD_VALUE,    /**< a known name, but the value is not a number, or has bits that the register lacks */
    STATE_UNUSED,       /**< a value that gives no fact: of a write-only register, or of PMXEV* without PMSELR */
    STATE_BAD_FORMAT,   /**< the text is not in the format that its beginning promises: JSON that ends early */
    STATE_MISTYPED,     /**< the name is taken for the one in .why, from which it differs by a letter */
};

/** Something in the input that is not a fact, for a warning.  Remarks are in the order of the lines. */
struct state_remark {
    enum state_remark_kind kind;
    uint32_t line, other; /**< .other: the line of the first value of a conflict */
    char name[32];        /**< as the input spells it; truncated, control characters are replaced by ? */
    uint64_t value, kept; /**< the values of a conflict: on .line, and on .other, which is kept */
    const char *why;      /**< the cause, a constant string; "" where the kind is enough */
};

#define STATE_REMARKS 64 /* remarks that are kept; struct state.remark_count counts all of them */
#define STATE_BANKS 3    /* banks of registers.def that have cells: PMEVCNTR, PMEVTYPER, PMEVCNTSVR */
/* One cell for each register, which is that of copy 0 in a bank, then one for each further copy in the banks. */
#define STATE_CELLS (APMU_REG_ALL + STATE_BANKS * (APMU_EVENT_COUNTERS - 1))

#define STATE_HOST_CPUS 1024      /* CPUs 0 to 1023 are looked for */
#define STATE_HOST_CORES 8        /* types of core that are kept */
#define STATE_HOST_PMUS 16        /* PMU devices that are kept */
#define STATE_UNREADABLE (-10000) /* in place of a number that cannot be read */

/** The host, the Linux machine that armpmu runs on: what --live finds in addition to registers. */
struct state_host {
    bool known;      /**< the input is --live, and the members below are valid */
    int paranoid;    /**< perf_event_paranoid, usually -1 to 3, or STATE_UNREADABLE */
    int user_access; /**< perf_user_access, 0 or 1, or STATE_UNREADABLE if the kernel lacks it */
    unsigned cpu_count;  /**< CPUs whose MIDR_EL1 could be read */
    unsigned core_count; /**< types of core, which differ in MIDR_EL1; big.LITTLE has more than one */
    struct state_host_core {
        uint32_t midr;
        char cpus[128];  /**< the numbers of its CPUs, "0,1,2,3"; ends with ",..." if there are more */
    } cores[STATE_HOST_CORES];
    unsigned pmu_count;
    struct state_host_pmu {
        char name[64];   /**< its folder in /sys/bus/event_source/devices */
        char cpus[64];   /**< its CPUs as the kernel writes them, "0-3"; "" for all CPUs */
        int slots;       /**< caps/slots, which is PMMIR_EL1.SLOTS, 0 to 255, or STATE_UNREADABLE */
    } pmus[STATE_HOST_PMUS];
};

/** What is known of one PE and its PMU. */
struct state {
    const char *input;                          /**< the input's name for messages: a path, "stdin", HOST:PORT */
    struct state_cell cells[STATE_CELLS];       /**< state_cell() finds the cell of a register */
    struct state_cell arm11[STATE_ARM11_CELLS]; /**< by state_arm11_cell; SDER and SCR of the core are in .cells */
    struct state_cell selected[2];              /**< PMXEVTYPER and PMXEVCNTR, until PMSELR changes or state_finish() */
    uint64_t placed[2];                         /**< the counters to whose registers these were moved: bit n */
    uint64_t features, no_features;             /**< features that are given and excluded, sets of APMU_FEAT(x) */
    const struct apmu_core_info *core;          /**< the row of tables/cores.def, by MIDR or --core, or NULL */
    const char *m_core;                         /**< the M-profile core that --core names, or NULL */
    bool secure_only;                           /**< from a trace: without EL3, the one Security state is Secure */
    bool moments;                               /**< lines that differ are of several moments, and are no mistake */
    bool again;                                 /**< the lines are the second reading of a dump */
    bool memory;                                /**< a dump was read, in which unimplemented registers are 0 */
    unsigned facts;                             /**< register values that were taken */
    struct state_host host;                     /**< what --live finds; .known is false for other inputs */
    unsigned remark_count;                      /**< may exceed STATE_REMARKS */
    struct state_remark remarks[STATE_REMARKS];
};

/** Initializes @s to know nothing.  @input names the input in messages; the caller keeps it valid as long as @s. */
void state_init(struct state *s, const char *input);

/**
 * Returns the cell of copy @n of @reg, a register of any view.  @reg is below APMU_REG_ALL.  @n is 0 if the register
 * has one copy.  The result is never NULL.
 */
const struct state_cell *state_cell(const struct state *s, enum apmu_reg reg, unsigned n);
/** Returns the same cell for writing, so that values can be tried in a copy of a state. */
struct state_cell *state_cell_of(struct state *s, enum apmu_reg reg, unsigned n);
/** Returns the register whose cell @reg uses: PMCNTENSET_EL0 for PMCNTENCLR_EL0, and most registers themselves. */
enum apmu_reg state_canonical(enum apmu_reg reg);

/** Stores bits @msb to @lsb of a register in *@value.  Returns true if all of them are known. */
bool state_field(const struct state *s, enum apmu_reg reg, unsigned n, unsigned msb, unsigned lsb, uint64_t *value);
/*
 * Calls state_field() for a field by name.  STATE_FIELD(s, PMCR_EL0, 0, N, &n) is state_field(s, APMU_REG_PMCR_EL0, 0,
 * APMU_PMCR_EL0_N_MSB, APMU_PMCR_EL0_N_LSB, &n).
 */
#define STATE_FIELD(s, reg, n, field, value) \
    state_field(s, APMU_REG_##reg, n, APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, value)

/**
 * Adds the fact that the bits @known of copy @n of @reg have the values in @value.  A bit that is known already keeps
 * its value.  If @value contradicts it, adds a remark STATE_CONFLICT with @name and returns false.  @line is as in
 * struct state_cell.
 */
bool state_put(struct state *s, enum apmu_reg reg, unsigned n, uint64_t known, uint64_t value, uint32_t line,
               const char *name);

/** Returns the ARMv7 core that the implementer and the IDCODE of @pmcr name; NULL: none. */
const struct apmu_core_info *state_core_by_idcode(uint64_t pmcr);
/** Returns the same for the PMCR of @s, where it was read by its AArch32 name. */
const struct apmu_core_info *state_core_of_pmcr(const struct state *s);
/**
 * Returns true if PMCR has a value that software writes, not one that was read: N, IMP and IDCODE are 0.  A hypervisor
 * that emulates the PMU as zero gives such a value too.
 */
bool state_pmcr_is_written(const struct state *s);

/** Writes where a fact was read: "dump.txt:3", "localhost:1234", "the list of cores (Cortex-A53)".  Returns @buf. */
const char *state_origin(const struct state *s, const struct state_cell *cell, char buf[128]);

/** Returns true if the state is of an ARM11: a register of its PMU is known, or .core is an ARM11. */
bool state_is_arm11(const struct state *s);

/* ---------------------------------------------------------------------------------------------------------------
 * Inputs.
 */

/** Where the frame of the external view, 4 KiB, lies in memory. */
struct state_frame {
    bool given;
    uint64_t base; /**< the address of the frame's offset 0 */
};

/**
 * Takes the registers that @text names, in any of the formats of parse.c, memory.c, json.c and replay.c.  Returns the
 * number of values taken.  Adds a remark for each value that it cannot take.  @frame tells where the external view lies
 * in a memory dump; it may be NULL.
 */
unsigned state_parse(struct state *s, const char *text, size_t length, const struct state_frame *frame);

/** What the lines of a text share, for state_line(). */
struct state_loose {
    bool hex;              /**< bare numbers are hexadecimal: some have letters */
    bool armv7;            /**< PMNC and CCNT are names of PMCR and PMCCNTR, and not ARM11's registers */
    struct state *written; /**< takes values that the line says to be written or wanted; NULL: they are facts too */
    bool next_line_only;   /**< .pending is that of a name at the end of the line before, which may be a sentence's */
    bool is_pending;       /**< the line before asked for .pending: "arm mrc 15 0 9 12 0" */
    struct names_place pending;
};

/**
 * Takes the registers that one line of a person's text names, in the forms of loose.c.  Returns the number of values
 * taken.
 */
unsigned state_line(struct state *s, struct state_loose *context, const char *text, size_t length, uint32_t line);

/** Returns true if a text whose beginning is at @text is a trace or JSON, which state_parse() reads as a whole. */
bool state_is_whole(const char *text, size_t length);
/** Returns true if the line is of a memory dump: an address and words. */
bool state_is_memory_line(const char *text, size_t length);

/**
 * Completes @s after the last text or target.  Moves PMXEVTYPER and PMXEVCNTR to the registers that PMSELR selects,
 * finds the core by MIDR_EL1, and adds what the core's row says of fields that are not known.
 */
void state_finish(struct state *s);

/*
 * The options of each verb that takes an INPUT, five rows of its table in verbs.c.  In
 *
 *     static const struct cli_option audit_options[] = {
 *         STATE_OPTIONS,
 *
 * it expands to {CLI_CORE, ...}, {CLI_FEATURES, ...}, {CLI_BASE, ...}, {CLI_GDB, ...}, {CLI_LIVE, ...}.
 */
#define STATE_OPTIONS \
    {CLI_CORE, '\0', "core", "NAME|MIDR", \
     "The core, by the name that armpmu decode --cores prints or by its MIDR: adds what the input does not say."}, \
    {CLI_FEATURES, '\0', "features", "[+|-]FEATURE,...", \
     "Features that the PE has, or with - lacks, without FEAT_: PMUv3p5,-EL3. They overrule the ID registers."}, \
    {CLI_BASE, '\0', "base", "ADDRESS", \
     "The address of the PMU's external view, for a memory dump in INPUT or for reads by --gdb."}, \
    {CLI_GDB, '\0', "gdb", "HOST:PORT", \
     "In place of INPUT: a target by the GDB remote protocol, such as QEMU's -s or OpenOCD's gdb_port " \
     "(doc/state.md). It is stopped, read, and resumed."}, \
    {CLI_LIVE, '\0', "live", "", "In place of INPUT: this Arm Linux machine, as far as a program may read it."}

/**
 * Reads the input that @args names: its one operand (a path, or "-" for stdin), --gdb or --live; obeys --core,
 * --features and --base.  Calls state_finish().  If it fails, complains, stores the exit status in *@status and returns
 * false.  An input without any register is a failure.
 */
bool state_read(const struct cli_args *args, struct state *s, int *status);

/**
 * Does the same with the input at @path, for a verb whose operands are something else.  @path is NULL if the input is
 * --gdb or --live.
 */
bool state_read_input(const struct cli_args *args, const char *path, struct state *s, int *status);

/** Prints what --live found in addition to registers.  Prints nothing for another input. */
void state_print_host(FILE *out, const struct state *s);

/** Prints the remarks to stderr, one line each, as warnings of @verb.  Unknown names share a line. */
void state_complain(const struct cli_verb *verb, const struct state *s);

/* ---------------------------------------------------------------------------------------------------------------
 * The model of a state.
 */

/** A property that the unit was given although the input does not say it. */
struct state_assumption {
    enum apmu_reg reg; /**< the register that would say it */
    const char *text;  /**< a constant string: "EL3 is implemented" */
};

#define STATE_ASSUMPTIONS 32

/** The unit, its configuration and its PE, as far as a state tells them. */
struct state_model {
    struct apmu_config cfg; /**< passes apmu_config_check(), except for .pmceid, which is as the input says */
    struct apmu p;          /**< the unit */
    struct apmu_pe pe;
    bool el_known;           /**< pe.el and pe.a32 are known; otherwise the caller chooses them */
    bool ss_known;           /**< the Security state is known; otherwise the caller chooses it */
    uint64_t undecided;      /**< features that the input does not decide; .cfg.features has them by assumption */
    bool counters_known;     /**< PMCR.N (read above EL1), PMCFGR.N or the core gives the number of event counters */
    struct state_assumption assumed[STATE_ASSUMPTIONS];
    size_t assumed_count;
    const char *contradiction; /**< NULL, or what the input says that no PE can have: a constant string */
};

/** Makes a configuration, a unit and a PE of what is known.  Unknown bits are taken from the .value of their cells. */
void state_to_model(const struct state *s, struct state_model *m);

/**
 * Fills the registers of @p and @pe from the cells.  The caller has initialized @p with a configuration.  Leaves
 * pe->el, .a32 and .sm alone.  It is much faster than state_to_model(), for callers that try values.
 */
void state_fill(const struct state *s, struct apmu *p, struct apmu_pe *pe);

/** The PMU of an ARM11 and its core. */
struct state_arm11 {
    struct apmu_arm11 p;
    struct apmu_arm11_pe pe;
    bool part_known; /**< otherwise an ARM1176 is assumed */
};
/** Makes an ARM11's PMU of what is known.  Call it only if state_is_arm11(). */
void state_to_arm11(const struct state *s, struct state_arm11 *m);

#endif
