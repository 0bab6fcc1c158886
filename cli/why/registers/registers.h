/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rules on registers share: one PE of the input, the counters and states in question, and words for registers
 * and for writes of them in the view that the reader has.
 *
 *     registers.c  finds what is in question, and puts the rules to each PE
 *     model.c      what the model proves
 *     values.c     what values show by themselves
 *     expected.c   counts beside which the writer says what was expected
 *     irq.c        interrupts
 *     events.c     events that are not there, or not what the words say
 *     clear.c      what values contradict
 *     conclude.c   the end: nothing wrong, or what to look at
 *     words.c      words for registers and writes, and what the words around the values say
 *     cpus.c       several CPUs, and several moments
 *     m_pmu.c      the PMU of Armv8.1-M
 *     others.c     ARM11, M-profile and PMUs that are not Arm's
 */
#ifndef ARMPMU_CLI_WHY_REGISTERS_H
#define ARMPMU_CLI_WHY_REGISTERS_H

#include "../rules.h"

/** One PE of the input, and what is in question. */
struct registers_case {
    const struct rules_input *in;
    const struct reading *r;
    struct suspects *all;
    const struct state *s; /**< its registers, as they are at the last moment */
    struct why *w;         /**< the verdicts on .focus in .states */
    bool a32;              /**< the code in question uses the registers of AArch32 state */
    bool pmxev;            /**< and it has no PMEVTYPER<n>: ARMv7 */
    bool external;         /**< the values come from the external view */
    bool level_known;      /**< the input says at which level the code in question runs */
    bool symptom;          /**< the writer says that something is wrong */
    unsigned level;        /**< that level, or 1 */
    unsigned states;       /**< states in question, a set of APMU_STATE(x) */
    uint64_t asked;        /**< counters that the options or the words name; bit n is counter n */
    uint64_t set_up;       /**< counters that software has set up */
    uint64_t focus;        /**< the counters in question */
    uint64_t zero;         /**< counters that read 0 */
    uint64_t counted;      /**< counters that hold a count */
    uint64_t moved;        /**< counters whose count changes from one moment to another */
    uint64_t stuck;        /**< counters whose count does not */
};

#define REGISTERS_CYCLE (UINT64_C(1) << APMU_CYCLE)

/** Returns true if the writer sees @symptom. */
static inline bool registers_sees(const struct registers_case *c, enum reading_symptom symptom)
{
    return c->r->sees[symptom];
}

/** Returns true if the input is about counter @n. */
static inline bool registers_in_focus(const struct registers_case *c, unsigned n)
{
    return (c->focus >> n & 1) != 0;
}

/** Returns true if the writer wants PMCR.D, and no count is too small: what he says of wraps is how long they take. */
bool registers_wants_divider(const struct registers_case *c);
/** Returns the value of copy @n of @reg, unknown bits as 0. */
uint64_t registers_value(const struct registers_case *c, enum apmu_reg reg, unsigned n);
/** Returns the known bits of it. */
uint64_t registers_known(const struct registers_case *c, enum apmu_reg reg, unsigned n);
/** Returns the line that gives it; 0: none. */
uint32_t registers_line(const struct registers_case *c, enum apmu_reg reg, unsigned n);
/** Returns the register of counter @n that @reg, PMEVTYPER, stands for, and its *@copy; other registers stay. */
enum apmu_reg registers_filter(enum apmu_reg reg, unsigned n, unsigned *copy);
/** Writes its name as the reader knows it: "PMCR_EL0", "PMCR", "PMXEVTYPER (PMSELR = 2)".  Returns @buf. */
const char *registers_name(const struct registers_case *c, enum apmu_reg reg, unsigned n, char buf[48]);

/**
 * Writes how to set the bits @set and to clear the bits @clear of copy @n of @reg, as the reader may: MRS and MSR, MRC
 * and MCR, write_sysreg() or the external view; a SET or CLR register is only written.  Returns @buf.
 */
const char *registers_write(const struct registers_case *c, enum apmu_reg reg, unsigned n, uint64_t set, uint64_t clear,
                            char buf[240]);

/** Adds a suspect whose because is @format with the line of copy @n of @reg quoted.  @cure as in suspect_add(). */
struct suspect *registers_suspect(const struct registers_case *c, enum why_cause_id cause,
                                  enum suspect_confidence confidence, unsigned weight, enum apmu_reg reg, unsigned n,
                                  const char *cure, const char *format, ...) __attribute__((format(printf, 8, 9)));

/**
 * Returns the event counters of the input whose bit of PMCNTENSET was written as 1 and reads back as 0, where others
 * stay 1.
 */
uint64_t registers_not_taken(const struct registers_case *c);
/** Finds which counters the words of the input name, such as "counter 2" or "the cycle counter". */
uint64_t registers_named_counters(const struct reading *r);
/** Puts the lower case of line @i's words to @buf: a whole line that has no register, or the comment behind values. */
const char *registers_words(const struct reading *r, size_t i, char *buf, size_t size);
/** Returns true if a line of words has @word, in lower case. */
bool registers_say(const struct reading *r, const char *word);

/** Returns true if the line that gives the count of @n says that much more was expected. */
bool registers_expects_more(const struct registers_case *c, unsigned n);

/** Returns true for QEMU's own CPU and for what the input says to be an emulator. */
bool registers_emulator(const struct registers_case *c);

/* The rules on one PE. */
void registers_model(const struct registers_case *c);
void registers_values(const struct registers_case *c);
/** Adds suspects where the bits of PMCR divide the cycles or shorten their overflow. */
void registers_pmcr_bits(const struct registers_case *c);
/** Adds a suspect where the value of PMCR is one that was written, or that of a PMU emulated as zero. */
void registers_pmcr_source(const struct registers_case *c);
/** Adds suspects where a counter is beyond N or HPMN. */
void registers_counters(const struct registers_case *c);
/** Adds suspects where PMSELR selects another counter than is meant, or none. */
void registers_selected(const struct registers_case *c);
/** Adds suspects where there is no PMU, no power, or a locked external view. */
void registers_surroundings(const struct registers_case *c);
void registers_irq(const struct registers_case *c);
void registers_moments(const struct registers_case *c);
/** Adds a suspect where PMCCNTR and an event counter with CPU_CYCLES differ. */
void registers_two_cycles(const struct registers_case *c);
void registers_events(const struct registers_case *c);
void registers_contradict(const struct registers_case *c);
void registers_conclude(const struct registers_case *c);
/* The rules on all PEs, and on PMUs of other kinds.  Return true if nothing else is to be looked at. */
bool registers_cpus(const struct rules_input *in, struct suspects *all);
bool registers_others(const struct rules_input *in, struct suspects *all);
/** Adds suspects where the values are of the PMU of an Armv8.1-M core.  Returns false if they are not. */
bool registers_m_pmu(const struct reading *r, struct suspects *all);
void registers_arm11(const struct rules_input *in, const struct state *s, struct suspects *all);

#endif
