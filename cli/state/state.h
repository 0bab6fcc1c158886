/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of one PE and its PMU: bit by bit, with where each fact stands.  Inputs (texts, the GDB protocol, a
 * Linux machine) fill a struct state; `armpmu why`, `armpmu audit` and `armpmu decode` read it, as registers or as a
 * unit of the model.
 *
 * A fact has one place.  AArch32 names, external names, offsets and encodings lead to the cell of the AArch64 register
 * (HDCR to MDCR_EL2, SDCR to MDCR_EL3, PMCR to PMCR_EL0); PMCNTENCLR, PMINTENCLR and PMOVSCLR, which read as their SET
 * registers, share their cells.  The unit of ARM11 has cells of its own.
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

/* ---------------------------------------------------------------------------------------------------------------
 * Facts.
 */

/** struct state_cell.line of a fact that stands on no line. */
#define STATE_LINE_LIVE 0u             /**< the input has no lines: a live target */
#define STATE_LINE_CORE UINT32_C(0xFFFFFFFF) /**< a row of tables/cores.def */

/** The bits of one register. */
struct state_cell {
    uint64_t known; /**< bits whose value is known */
    uint64_t value; /**< where a bit is not known, 0; who wants to suppose a value may write it here */
    uint32_t line;  /**< of the input, from 1: the last that gave a bit; or a STATE_LINE_... */
};

/** The registers of ARM11: those of the unit (enum apmu_arm11_reg), then those of the core that it consults. */
enum state_arm11_cell {
    STATE_ARM11_BORROWED = APMU_ARM11_REG_COUNT - 1,
#define APMU_ARM11_BORROWED(id, coproc, opc1, crn, crm, opc2, text) STATE_ARM11_##id,
#include <armpmu/tables/arm11.def>
    STATE_ARM11_CELLS
};

enum state_remark_kind {
    STATE_UNKNOWN_NAME, /**< a register that armpmu does not know, or that has nothing to do with the PMU */
    STATE_CONFLICT,     /**< two lines give different values; the first one is kept */
    STATE_BAD_VALUE,    /**< a name that is known, with a value that is no number or has more bits than the register */
    STATE_UNUSED,       /**< a value that says nothing: of a write-only register, of PMXEV* without PMSELR */
    STATE_BAD_FORMAT,   /**< the text is not what it begins as: JSON that ends early */
};

/** What an input has that is not a fact.  In the order of the lines. */
struct state_remark {
    enum state_remark_kind kind;
    uint32_t line, other; /**< other: of a conflict, the line of the first value */
    char name[32];        /**< as the input spells it, cut and without control characters */
    uint64_t value, kept; /**< of a conflict: the values of the two lines */
    const char *why;      /**< constant; "" where the kind says it all */
};

#define STATE_REMARKS 64 /* that are kept; remark_count goes on */
#define STATE_BANKS 3    /* banks of registers.def that are in cells: PMEVCNTR, PMEVTYPER, PMEVCNTSVR */
#define STATE_CELLS (APMU_REG_ALL + STATE_BANKS * (APMU_EVENT_COUNTERS - 1))

#define STATE_HOST_CPUS 1024 /* that are looked at */
#define STATE_HOST_CORES 8
#define STATE_HOST_PMUS 16
#define STATE_UNREADABLE (-10000) /* a number that cannot be had */

/** What --live finds beside registers. */
struct state_host {
    bool known;      /**< the input is --live */
    bool el0_asked;  /**< registers were read at EL0 */
    int paranoid;    /**< perf_event_paranoid, or STATE_UNREADABLE */
    int user_access; /**< perf_user_access, or STATE_UNREADABLE: then the kernel has none */
    unsigned cpus;
    unsigned core_count; /**< different MIDRs: more than one is big.LITTLE */
    struct state_host_core {
        uint32_t midr;
        char cpus[128];  /**< "0,1,2,3", cut if it is long */
    } cores[STATE_HOST_CORES];
    unsigned pmu_count;
    struct state_host_pmu {
        char name[64];   /**< in /sys/bus/event_source/devices */
        char cpus[64];   /**< as the kernel writes them, "0-3"; "": all */
        int slots;       /**< caps/slots, or STATE_UNREADABLE */
    } pmus[STATE_HOST_PMUS];
};

struct state {
    const char *input;                        /**< for messages: a path, "-", "gdb localhost:1234"; the caller's */
    struct state_cell cells[STATE_CELLS];     /**< state_cell() finds the one of a register */
    struct state_cell arm11[STATE_ARM11_CELLS]; /**< by enum apmu_arm11_reg and state_arm11_cell; SDER, SCR: in cells */
    struct state_cell selected[2];            /**< PMXEVTYPER and PMXEVCNTR, until state_finish() */
    uint64_t features, no_features;           /**< that --features gives and excludes: sets of APMU_FEAT(x) */
    const struct apmu_core_info *core; /**< the row of tables/cores.def, by MIDR or --core; NULL: not known */
    bool secure_only;                         /**< a trace: without EL3, the one Security state is Secure */
    bool memory;                              /**< a dump is a input: what is not implemented reads as 0 there */
    unsigned facts;                           /**< register values that were taken */
    struct state_host host;                /**< of --live */
    unsigned remark_count;                    /**< may exceed STATE_REMARKS */
    struct state_remark remarks[STATE_REMARKS];
};

/** Nothing is known.  @input is for messages and stays the caller's, as long as @s lives. */
void state_init(struct state *s, const char *input);

/** The cell of copy @n of @reg, which may be of any view's row; never NULL for @reg < APMU_REG_ALL and a valid @n. */
const struct state_cell *state_cell(const struct state *s, enum apmu_reg reg, unsigned n);
/** The same, to suppose values in a copy of a state. */
struct state_cell *state_cell_of(struct state *s, enum apmu_reg reg, unsigned n);
/** The register whose cell @reg has: PMCNTENSET_EL0 of PMCNTENCLR_EL0, and so on. */
enum apmu_reg state_canonical(enum apmu_reg reg);

/** A field of a cell, if all its bits are known: true, and its value. */
bool state_field(const struct state *s, enum apmu_reg reg, unsigned n, unsigned msb, unsigned lsb, uint64_t *value);
#define STATE_FIELD(s, reg, n, field, value) \
    state_field(s, APMU_REG_##reg, n, APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, value)

/**
 * The bits of @known of copy @n of @reg are @value.  What was known stays: a bit that differs makes a remark of kind
 * STATE_CONFLICT that has @name, and false is returned.
 */
bool state_put(struct state *s, enum apmu_reg reg, unsigned n, uint64_t known, uint64_t value, uint32_t line,
               const char *name);

/** Where a fact stands: "dump.txt:3", "gdb localhost:1234", "the list of cores (Cortex-A53)".  Returns @buf. */
const char *state_origin(const struct state *s, const struct state_cell *cell, char buf[128]);

/** Is it an ARM11 state: is anything of PMNC and its counters known, or is the core one of those? */
bool state_is_arm11(const struct state *s);

/* ---------------------------------------------------------------------------------------------------------------
 * Inputs.
 */

/** How to read memory dumps of the external view. */
struct state_frame {
    bool given;
    uint64_t base; /**< the address of the frame's offset 0 */
};

/**
 * Takes the registers that @text names, in whatever format it is (parse.c, memory.c, json.c).  Returns how many were
 * taken; the rest is in the remarks.  @frame may be NULL.
 */
unsigned state_parse(struct state *s, const char *text, size_t length, const struct state_frame *frame);

/** After the last input: PMXEV* go where PMSELR points, and the core's row adds what no register says. */
void state_finish(struct state *s);

/** The members of struct apmu_pe that are registers as they stand, and which: ROW(member, register). */
#define STATE_PE_REGISTERS(ROW) \
    ROW(mdcr_el2, MDCR_EL2) ROW(mdcr_el3, MDCR_EL3) ROW(hcr_el2, HCR_EL2) ROW(scr_el3, SCR_EL3) \
    ROW(sder32_el3, SDER32_EL3) ROW(hstr_el2, HSTR_EL2) ROW(hdfgrtr_el2, HDFGRTR_EL2) ROW(hdfgwtr_el2, HDFGWTR_EL2) \
    ROW(hdfgrtr2_el2, HDFGRTR2_EL2) ROW(hdfgwtr2_el2, HDFGWTR2_EL2) ROW(pmblimitr_el1, PMBLIMITR_EL1) \
    ROW(pmbsr_el1, PMBSR_EL1) ROW(pmbsr_el2, PMBSR_EL2) ROW(pmbsr_el3, PMBSR_EL3) ROW(pmscr_el2, PMSCR_EL2)

/** The rows of the options of every verb that takes a INPUT: write STATE_OPTIONS in its table (verbs.c). */
#define STATE_OPTIONS \
    {CLI_CORE, '\0', "core", "NAME|MIDR", \
     "The core, by the name that armpmu decode --cores prints or by its MIDR: adds what the input does not say."}, \
    {CLI_FEATURES, '\0', "features", "[+|-]FEATURE,...", \
     "Features that the PE has, or with - has not, without FEAT_: PMUv3p5,-EL3. They overrule the ID registers."}, \
    {CLI_BASE, '\0', "base", "ADDRESS", \
     "The address of the PMU's external view, whose memory INPUT has, or --gdb reads."}, \
    {CLI_GDB, '\0', "gdb", "HOST:PORT", \
     "In place of INPUT: a target by the GDB remote protocol, such as QEMU's -s or OpenOCD's gdb_port (doc/state.md). It " \
     "is stopped, read, and let go."}, \
    {CLI_LIVE, '\0', "live", "", "In place of INPUT: this Arm Linux machine, as far as a program may look."}

/**
 * Reads the input that @args names: its one operand, a path or "-", --gdb or --live; with --core, --features, --base.
 * Calls state_finish().  False: it complained, and *status is the exit status; no register at all is such a case.
 */
bool state_read(const struct cli_args *args, struct state *s, int *status);

/** The same of the input at @path, for a verb whose operands are something else; NULL: --gdb or --live is one. */
bool state_read_input(const struct cli_args *args, const char *path, struct state *s, int *status);

/** Prints what --live found beside registers: nothing of another input. */
void state_print_host(FILE *out, const struct state *s);

/** Prints the remarks to stderr, one line each, as warnings of @verb. */
void state_complain(const struct cli_verb *verb, const struct state *s);

/* ---------------------------------------------------------------------------------------------------------------
 * The model of it.
 */

/** What the unit was made with although no input says it. */
struct state_assumption {
    enum apmu_reg reg; /**< that would say it */
    const char *text;  /**< constant: "EL3 is implemented" */
};

#define STATE_ASSUMPTIONS 32

struct state_model {
    struct apmu_config cfg; /**< passes apmu_config_check(), but for .pmceid, which is what the input says */
    struct apmu p;
    struct apmu_pe pe;
    bool el_known, ss_known; /**< pe.el and pe.a32; the Security state: otherwise the caller's to choose */
    uint64_t undecided;      /**< features that no input decides: they are as .cfg.features says by assumption */
    bool counters_known;     /**< PMCR.N (read above EL1), PMCFGR.N or the core say how many event counters there are */
    struct state_assumption assumed[STATE_ASSUMPTIONS];
    size_t assumed_count;
    const char *contradiction; /**< NULL, or what the inputs say that the architecture does not allow: constant */
};

/** Configuration, unit and PE as far as they are known; a bit that is not known is as its cell's .value has it. */
void state_to_model(const struct state *s, struct state_model *m);

/**
 * The registers alone: @p, which has its configuration, and @pe get what the cells say.  For one who supposes values:
 * much faster than state_to_model().  pe->el, .a32 and .sm stay as they are.
 */
void state_fill(const struct state *s, struct apmu *p, struct apmu_pe *pe);

/** The ARM11 unit, where state_is_arm11(). */
struct state_arm11 {
    struct apmu_arm11 p;
    struct apmu_arm11_pe pe;
    bool part_known; /**< otherwise ARM1176 is assumed */
};
void state_to_arm11(const struct state *s, struct state_arm11 *m);

#endif
