/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reference model for test benches of an RTL PMU.
 *
 * One handle has a PMU, the state of its PE, the coverage that a test reached and a generator of stimulus.  There are
 * no globals.  All parameters and results are numbers, handles and texts, so that each function can be imported as it
 * stands: SystemVerilog by DPI-C (bind/sv/), Icarus Verilog by VPI (bind/vpi/), SystemC (bind/systemc/), and any
 * language with a foreign function interface.  A packed vector of SystemVerilog is an array of 32-bit words here, the
 * lowest first.  A text that a function returns is valid until the next call with the same handle.
 *
 * @code
 * #include <stdio.h>
 * #include "tb.h"
 *
 * int main(void)
 * {
 *     struct apmu_tb *tb = apmu_tb_create("features=PMUv3p7,AA64EL0,AA64EL1 counters=6");
 *
 *     if (tb == NULL || apmu_tb_fault(tb)[0] != '\0') {
 *         return 1;
 *     }
 *     apmu_tb_pe_set(tb, apmu_tb_pe_find("el"), 1);
 *     apmu_tb_write(tb, APMU_TB_A64, apmu_tb_find(tb, APMU_TB_A64, "PMCNTENSET_EL0"), 0, 1);
 *     printf("%s\n", apmu_tb_why_text(tb, 0)); // PMCR_EL0.E is 0 ...
 *     apmu_tb_destroy(tb);
 *     return 0;
 * }
 * @endcode
 */
#ifndef ARMPMU_BIND_TB_H
#define ARMPMU_BIND_TB_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct apmu_tb;

/* ---------------------------------------------------------------------------------------------------------------
 * The unit.
 */

/**
 * Makes a PMU after a Cold reset, at a PE whose state is 0.  @config has words NAME=VALUE, numbers as in C:
 *   features=PMUv3p7,AA64EL3  with all that these require; names with or without FEAT_
 *   counters=6                and every other member of struct apmu_config that is a number: tb/settings.def
 *   hold=os_lock,pm           the stimulus leaves these states of the PE (apmu_tb_pe_name()) alone
 *   views=a64,ext             the views that the stimulus accesses; without it all that the unit has
 *   cycles=64                 the most cycles of one action of the stimulus; without it 8
 *   leave_out=PMSWINC_EL0     the registers that the stimulus does not access
 *   divider=any               the phase of the divider of PMCR_EL0.D is the design's, as long as one phase explains
 *                             PMCCNTR_EL0 (apmu_tb_compare()); without it model: it must be the model's
 *   beyond=undefined          what an access to a counter beyond the last does: undefined, razwi, or any, the default
 *   occurrences=8             the most times that the stimulus lets an event occur in a cycle; without it 255
 * Returns NULL without memory.  Otherwise the caller destroys it; apmu_tb_fault() says what is wrong with @config.
 */
struct apmu_tb *apmu_tb_create(const char *config);
/** Returns "", or one sentence that says what is wrong with the configuration.  Use no faulty handle. */
const char *apmu_tb_fault(const struct apmu_tb *tb);
/** Returns the number that @text is, decimal or 0x1F, for options of a bench; -1 if it is none or above 2^63 - 1. */
int64_t apmu_tb_number(const char *text);
/** Frees the handle, which may be NULL. */
void apmu_tb_destroy(struct apmu_tb *tb);
/** Resets the PMU: @kind is 0 for a Cold, 1 for a Warm and 2 for an External debug reset. */
void apmu_tb_reset(struct apmu_tb *tb, int kind);
/** Returns a copy of the handle, for apmu_tb_restore(), or NULL without memory.  The caller destroys it. */
struct apmu_tb *apmu_tb_save(const struct apmu_tb *tb);
/** Gives *@tb the state of @saved: the unit, the PE, the stimulus.  Coverage and mismatches stay. */
void apmu_tb_restore(struct apmu_tb *tb, const struct apmu_tb *saved);

/**
 * Writes the state of the unit and of its PE to the file @path, for another run or a later version of the library.  The
 * file begins with what apmu_save() of <armpmu/saved.h> writes.  Returns "", or a sentence that says what is wrong.
 */
const char *apmu_tb_state_save(struct apmu_tb *tb, const char *path);
/**
 * Gives *@tb the state that the file @path has, of a unit with the same configuration.  Stimulus, coverage and
 * mismatches stay.  Returns "", or a sentence that says what is wrong; *@tb is then unchanged.
 */
const char *apmu_tb_state_load(struct apmu_tb *tb, const char *path);

/* ---------------------------------------------------------------------------------------------------------------
 * The state of the PE: Exception level, signals, and the registers that the PMU borrows (tb/states.def).
 */

/** Returns the number of the state called @name, "el" or "MDCR_EL2" (case is ignored), or -1. */
int apmu_tb_pe_find(const char *name);
/** Returns how many states there are. */
int apmu_tb_pe_count(void);
/** Returns the name of state @row, "" if there is none. */
const char *apmu_tb_pe_name(int row);
/** Returns the number of bits of state @row, 0 if there is none. */
int apmu_tb_pe_width(int row);
/** Sets state @row to @value, cut to its width. */
void apmu_tb_pe_set(struct apmu_tb *tb, int row, uint64_t value);
/** Returns the value of state @row. */
uint64_t apmu_tb_pe_get(const struct apmu_tb *tb, int row);

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses to registers.
 */

/**
 * Views.  The address of a register is its encoding op0:op1:CRn:CRm:op2 in 16 bits (APMU_A64_KEY) for MRS and MSR, the
 * encoding APMU_A32_KEY or APMU_A32_KEY_PAIR for MRC, MCR, MRRC and MCRR, and its offset in the external view.
 */
enum apmu_tb_view { APMU_TB_A64, APMU_TB_A32, APMU_TB_EXT };

/**
 * Attributes of an external access: its size in bytes, 4 or 8; the physical address space, 0 Secure, 1 Non-secure,
 * 2 Root, 3 Realm; and whether a debugger's access port does it.  Those of the other views are 0.
 */
#define APMU_TB_ATTRIBUTES(size, pas, debugger) ((size) | (pas) << 4 | (debugger) << 6)

/**
 * Returns the address of the register called @name in @view, or -1.  Each view takes "PMEVCNTR5_EL0" and "PMEVCNTR5";
 * case is ignored.
 */
int apmu_tb_find(const struct apmu_tb *tb, int view, const char *name);
/**
 * Reads the register at @address as the PE state says.  Returns the outcome, a value of enum apmu_outcome:
 * 0 performed, 1 RAZ, 2 WI, 3 UNDEFINED, 4 CONSTRAINED UNPREDICTABLE, 5 trap, 6 error.
 */
int apmu_tb_read(struct apmu_tb *tb, int view, int address, int attributes);
/** Writes @value.  Returns the outcome, as apmu_tb_read() does. */
int apmu_tb_write(struct apmu_tb *tb, int view, int address, int attributes, uint64_t value);
/** Returns the value that the last access read, 0 if it read nothing. */
uint64_t apmu_tb_value(const struct apmu_tb *tb);
/**
 * Returns the syndrome of the last access if it trapped, otherwise 0: target Exception level 34:32, EC 31:26, ISS 24:0.
 * It is for comparison with a design and no ESR: IL, Rt and what else the instruction decides are 0.
 * apmu_access_esr() of <armpmu/model.h> makes the ESR.
 */
uint64_t apmu_tb_syndrome(const struct apmu_tb *tb);
/** Returns what decided the last access, "MDCR_EL2.TPM", or "" if it was performed. */
const char *apmu_tb_control(const struct apmu_tb *tb);

/* ---------------------------------------------------------------------------------------------------------------
 * Time.
 */

enum apmu_tb_line_size {
    APMU_TB_LINES = 32,                     /* the input lines of events */
    APMU_TB_LINE_WORDS = APMU_TB_LINES / 4, /* a vector of counts: byte n is how often line n occurs a cycle */
};

/** Says that line @line, 0..31, is event @event.  CPU_CYCLES and CHAIN need no line. */
void apmu_tb_line(struct apmu_tb *tb, int line, int event);
/** Lets @cycles cycles pass, in each of which the events of @counts occur. */
void apmu_tb_step(struct apmu_tb *tb, uint64_t cycles, const uint32_t *counts);
/** Requests a snapshot from outside (FEAT_PMUv3_SS). */
void apmu_tb_snapshot(struct apmu_tb *tb);
/** Retires the instruction at @address (FEAT_SEBEP).  Returns 1 if PSTATE.PPEND becomes 1. */
int apmu_tb_retire(struct apmu_tb *tb, uint64_t address);

/**
 * Returns the signals now: bit 0 PMUIRQ, 1 the overflow trigger of the CTI, 2 External Debug Request, 3 PMU Profiling
 * exception, 4 that it is synchronous, 6:5 its target Exception level, 7 and 8 the freeze requests to BRBE.
 */
uint32_t apmu_tb_signals(const struct apmu_tb *tb);
/** Returns the counters that overflowed in the last access or step: bit n is counter n. */
uint64_t apmu_tb_overflowed(const struct apmu_tb *tb);
/** Returns why counter @n does not count, a set of APMU_WHY(x); 0 if it counts. */
uint64_t apmu_tb_why(const struct apmu_tb *tb, int n);
/** Returns the same in words, with the names of counter @n's registers; n is 0..32. */
const char *apmu_tb_why_text(struct apmu_tb *tb, int n);

/* ---------------------------------------------------------------------------------------------------------------
 * Comparison with a design.
 */

/**
 * Slots of a design's state, 64 bits each: PMEVCNTR<n> is slot n, PMCCNTR 31, PMICNTR 32; the event types follow from
 * 33 on, and then the rows of tb/slots.def.  apmu_tb_slot("PMCR_EL0") finds one.
 */
enum apmu_tb_slot_size {
    APMU_TB_SLOTS = 80,
    APMU_TB_SLOT_WORDS = APMU_TB_SLOTS * 2,
    APMU_TB_PRESENT_WORDS = (APMU_TB_SLOTS + 31) / 32,
    APMU_TB_MISMATCHES = 32, /* sentences that are kept */
};

/** Returns the number of the slot of register @name, or -1. */
int apmu_tb_slot(const char *name);
/** Returns the name of the register in slot @slot, "PMOVSSET_EL0"; "" if there is none. */
const char *apmu_tb_slot_name(struct apmu_tb *tb, int slot);
/** Returns what the unit has in slot @slot: the fields that it stores, without the read-only ones. */
uint64_t apmu_tb_stored(const struct apmu_tb *tb, int slot);
/**
 * Compares the state of a design with the unit's.  Bit n of @present says that slot n of @state is given.  Returns how
 * many slots differ; each gives a sentence.  Call it after each action and before apmu_tb_check_signals(): where the
 * architecture leaves a choice open (divider=any, beyond=any), the unit first follows what the design shows.
 */
int apmu_tb_compare(struct apmu_tb *tb, const uint32_t *state, const uint32_t *present);
/**
 * Compares the answer of a design with that to the last access: outcome, syndrome and value, the last two only where
 * the outcome has them.  Returns 1 and adds a sentence if they differ.  An access to a counter beyond the last is
 * CONSTRAINED UNPREDICTABLE without FEAT_FGT: the design may do what the architecture permits, or what beyond= says.
 */
int apmu_tb_check(struct apmu_tb *tb, int outcome, uint64_t syndrome, uint64_t value);
/** Compares the signals of a design that are in @mask.  Returns 1 and adds a sentence if they differ. */
int apmu_tb_check_signals(struct apmu_tb *tb, uint32_t signals, uint32_t mask);
/** Returns the number of sentences since apmu_tb_forget(); the first APMU_TB_MISMATCHES are kept. */
int apmu_tb_mismatches(const struct apmu_tb *tb);
/** Returns sentence @i, from 0: "PMEVCNTR2_EL0 is 1 ahead: MDCR_EL2.HPMD stops it at EL2"; "" if there is none. */
const char *apmu_tb_mismatch(const struct apmu_tb *tb, int i);
/** Forgets all sentences. */
void apmu_tb_forget(struct apmu_tb *tb);

/* ---------------------------------------------------------------------------------------------------------------
 * Functional coverage: reasons (tables/reasons.def) of any counter and of those that count cycles, CHAIN and SW_INCR,
 * accesses (tables/access.def), and the rows of tb/cover.def, each with its rule of SPEC.md.
 */

/** Returns the number of rows. */
int apmu_tb_cover_count(void);
/** Returns the name of row @i: "reason HPMD", "reason HPMD stops the cycle counter", "write PMCR_EL0 refused". */
const char *apmu_tb_cover_name(struct apmu_tb *tb, int i);
/** Returns the rule of row @i in SPEC.md, "RMMZLZ", or the pseudocode's name for it. */
const char *apmu_tb_cover_rule(const struct apmu_tb *tb, int i);
/** Returns 1 if row @i can be reached with this configuration. */
int apmu_tb_cover_possible(struct apmu_tb *tb, int i);
/** Returns how often row @i was reached. */
uint64_t apmu_tb_cover_hits(const struct apmu_tb *tb, int i);
/** Adds the hits of @from, another test of the same configuration. */
void apmu_tb_cover_add(struct apmu_tb *tb, const struct apmu_tb *from);
/**
 * Adds the coverage of *@tb to the file @path, which need not exist, and then gives *@tb the sum.  Call it once, at the
 * end of a run.  Runs that end at the same time wait for each other.  Returns "", or a sentence that says what is
 * wrong, such as a file of another configuration; coverage is then unchanged.
 */
const char *apmu_tb_cover_merge(struct apmu_tb *tb, const char *path);

/* ---------------------------------------------------------------------------------------------------------------
 * Stimulus.
 */

/** Kinds of actions. */
enum apmu_tb_kind { APMU_TB_READ, APMU_TB_WRITE, APMU_TB_STATE, APMU_TB_STEP, APMU_TB_RESET };

/** Starts the stimulus from @seed.  The same seed and configuration give the same actions. */
void apmu_tb_seed(struct apmu_tb *tb, uint64_t seed);
/**
 * Chooses the next action by the state of the unit, and returns its kind.  The caller performs it on the design and on
 * @tb before the next call.  It seeks those reasons most
 * that it found least.
 */
int apmu_tb_next(struct apmu_tb *tb);
/** Return what the action does: an access to @view, address, attributes and value; ... */
int apmu_tb_next_view(const struct apmu_tb *tb);
int apmu_tb_next_address(const struct apmu_tb *tb);
int apmu_tb_next_attributes(const struct apmu_tb *tb);
/** ... the value of a write, or of a state; ... */
uint64_t apmu_tb_next_value(const struct apmu_tb *tb);
/** ... the state that changes, or the kind of a reset; ... */
int apmu_tb_next_row(const struct apmu_tb *tb);
/** ... the cycles of a step, and how often each line's event occurs in each. */
int apmu_tb_next_cycles(const struct apmu_tb *tb);
void apmu_tb_next_counts(const struct apmu_tb *tb, uint32_t *counts);
/** Returns the action in words: "MSR PMCR_EL0, 0x41". */
const char *apmu_tb_next_text(struct apmu_tb *tb);
/** Performs the action on the unit.  Returns the outcome if it is an access, otherwise 0. */
int apmu_tb_perform(struct apmu_tb *tb);

#ifdef __cplusplus
}
#endif
#endif
