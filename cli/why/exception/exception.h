/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules on what a debugger or an exception handler prints.  exception.c finds the instruction, the levels and the
 * syndrome; the other files explain them.
 */
#ifndef ARMPMU_CLI_WHY_EXCEPTION_H
#define ARMPMU_CLI_WHY_EXCEPTION_H

#include "../../read/exception.h"
#include "../rules.h"

/** What counts on an Apple core instead. */
#define EXCEPTION_APPLE \
    "the registers of PMUv3 are not there: on macOS use Instruments (xctrace, CPU Counters) or kperf's kpc_*(), and " \
    "CNTVCT_EL0 or mach_absolute_time() for time; on Linux perf with the apple_*_pmu driver"

#define EXCEPTION_NO_LEVEL 9u /* an Exception level that the input does not have */

/** The exception, as far as the input has it. */
struct exception_view {
    const struct reading *r;
    const struct rules_input *in;
    struct suspects *all;
    bool found;       /* the instruction is known */
    bool faulted;     /* something faulted */
    bool trapped;     /* the syndrome says that a level traps the instruction */
    bool undefined;   /* the instruction was UNDEFINED, or a signal says no more */
    struct names_instruction i;
    struct names_place place;
    enum instruction_kind kind;
    char name[40], spelled[96];
    uint32_t line;    /* that shows it */
    uint64_t level;   /* Exception level of the code; EXCEPTION_NO_LEVEL */
    uint64_t target;  /* Exception level of the handler; EXCEPTION_NO_LEVEL */
    uint64_t signal;  /* 0: none */
    enum reading_pmu pmu;
};

/** Notes the instruction that the report is of, which is at @line of the input. */
void exception_take(struct exception_view *v, const struct names_instruction *i, uint32_t line);

/** Adds a suspect at the line of the instruction. @because follows the instruction, as it is spelled. */
void exception_say(struct exception_view *v, enum why_cause_id cause, enum suspect_confidence confidence,
                   unsigned weight, const char *because, const char *cure);

/** Returns whether the instruction accesses a register of the PMU. */
bool exception_is_pmu(const struct exception_view *v);

/** Returns whether it accesses PMEVCNTR<n> or PMEVTYPER<n>. */
bool exception_is_bank(const struct exception_view *v);

/** Returns whether the register came with FEAT_PMUv3_ICNTR, _SS, FEAT_PMUv3p9 or a later feature. */
bool exception_is_newer(const struct exception_view *v);

/** Explains an access that trapped to EL3. */
void exception_explain_el3(struct exception_view *v);

/** Explains an access that trapped to EL2. */
void exception_explain_el2(struct exception_view *v);

/** Explains an access at EL0 that EL1 refuses. */
void exception_explain_el0(struct exception_view *v, enum suspect_confidence confidence);

/** Explains an instruction that was UNDEFINED. */
void exception_explain_undefined(struct exception_view *v);

/** Explains a fault of an M-profile core. */
void exception_explain_m_fault(struct exception_view *v);

/** Explains an external abort at an address of a PMU's external view. */
void exception_explain_abort(struct exception_view *v);

/** Explains disassembly that reads the generic timer and no counter. */
void exception_explain_timer(struct exception_view *v);

/** Explains disassembly that keeps a W register of a 64-bit count. */
void exception_explain_halves(struct exception_view *v);

/** Explains a counter that has one value at several halts, between which the core did not run. */
void exception_explain_halts(struct exception_view *v);

#endif
