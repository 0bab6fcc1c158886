/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this folder share.  This header is not for users. */
#ifndef ARMPMU_BIND_TB_INTERNAL_H
#define ARMPMU_BIND_TB_INTERNAL_H

#include <armpmu/explain.h>

#include "tb.h"

enum {
    TB_TEXT = 1024,       /* characters of a text, with the '\0' */
    TB_SENTENCE = 256,    /* characters of a mismatch, with the '\0' */
    TB_QUEUE = 192,       /* actions that the stimulus has planned */
};

typedef unsigned long long tb_number; /* as %llX prints it */

/* The states of the PE. */
enum tb_state {
#define APMU_TB_PE(name, member, bits, weight, reg, gate) TB_PE_##name,
#include "states.def"
    TB_PE_COUNT
};

/* The rows of functional coverage that are not reasons or accesses. */
enum tb_cover {
#define APMU_TB_COVER(id, rule, gate, text, when) TB_COVER_##id,
#include "cover.def"
    TB_COVER_COUNT
};

/* What reasons are crossed with: the rows "reason HPMD stops the cycle counter" and the like. */
enum tb_cross { TB_CROSS_CYCLE, TB_CROSS_CHAIN, TB_CROSS_SW_INCR, TB_CROSS_COUNT };

enum {
    TB_COVER_CROSS = APMU_REASON_COUNT, /* the first row of each cross with the first reason */
    TB_COVER_ACCESS = TB_COVER_CROSS + TB_CROSS_COUNT * (int)APMU_REASON_COUNT, /* of accesses: four a register */
    TB_COVER_RULES = TB_COVER_ACCESS + 4 * (int)APMU_REG_COUNT, /* the first row of cover.def */
    TB_COVER_ROWS = TB_COVER_RULES + TB_COVER_COUNT,
};

/* An access, and its result. */
struct tb_access {
    enum apmu_tb_view view;
    bool write;
    unsigned address;
    unsigned attributes;
    uint64_t value; /* of a write: what is written; of a read: what was read */
    struct apmu_access result;
};

/* What the last action did not give to a counter. */
struct tb_held {
    uint64_t why;    /* the reasons */
    uint64_t amount; /* the occurrences of its event that were not counted */
    unsigned el;
    enum tb_held_by { TB_BY_NONE, TB_BY_STEP, TB_BY_SOFTWARE } by; /* what may have counted */
};

/* How accesses beyond the counters, which are CONSTRAINED UNPREDICTABLE, may end: the setting beyond=. */
enum tb_beyond { TB_BEYOND_ANY, TB_BEYOND_UNDEFINED, TB_BEYOND_RAZWI };

/* A write that the design may have given to any counter. */
struct tb_open {
    bool waits;        /* for the state of the design */
    enum apmu_reg reg; /* PMEVCNTR<n>_EL0 or PMEVTYPER<n>_EL0 */
    uint64_t value;
};

/* The phases that the design's divider of PMCR_EL0.D can have, with divider=any. */
struct tb_phase {
    bool any;
    uint64_t possible;  /* bit n: phase n */
    unsigned steps;     /* with the divider in use since the last comparison */
    struct apmu before; /* the unit before the first of them, its PE, and what occurred */
    struct apmu_pe pe;
    uint64_t cycles;
    uint32_t counts[APMU_TB_LINE_WORDS];
};

/* An action of the stimulus. */
struct tb_action {
    enum apmu_tb_kind kind;
    struct tb_access access;
    unsigned row; /* the state, or the kind of the reset */
    uint64_t value;
    unsigned cycles;
    uint32_t counts[APMU_TB_LINE_WORDS];
};

/* The stimulus. */
struct tb_stimulus {
    uint64_t random;         /* never 0 */
    struct tb_action action; /* the last one */
    struct tb_action queue[TB_QUEUE];
    unsigned head, length;
    uint64_t held;           /* states that it leaves alone: bit n is enum tb_state n */
    unsigned views;          /* bit n: enum apmu_tb_view n */
    unsigned most_cycles;
    unsigned most_events;    /* of one line in a cycle */
    bool left_out[APMU_REG_COUNT]; /* registers that it does not access */
    uint64_t reachable;      /* reasons that can hold */
    uint64_t crossed[TB_CROSS_COUNT];   /* of these, those that can stop what each cross counts */
    uint32_t sought[1 + TB_CROSS_COUNT][APMU_REASON_COUNT]; /* how often it was sought and found; [0]: any counter */
};

struct apmu_tb {
    struct apmu p;
    struct apmu_pe pe;
    uint64_t overflowed;
    struct tb_access last;
    uint16_t lines[APMU_TB_LINES];
    unsigned line_count; /* the lines in use */
    struct tb_held held[APMU_COUNTERS];
    struct tb_held missed[APMU_COUNTERS]; /* the sum of .held since the counter was last read */
    struct tb_phase phase;
    struct tb_open open;
    enum tb_beyond beyond;
    struct tb_stimulus stimulus;
    uint64_t hits[TB_COVER_ROWS];
    int mismatches;
    char fault[TB_SENTENCE];
    char sentences[APMU_TB_MISMATCHES][TB_SENTENCE];
    char text[TB_TEXT];
};

/* config.c: fills the configuration and the settings of the stimulus; *@tb is zero.  Leaves a fault in tb->fault. */
void tb_configure(struct apmu_tb *tb, const char *config);

/* access.c: decides an access and, if @perform, performs it; fills @access->result and what is read. */
int tb_access_decide(struct apmu *p, const struct apmu_pe *pe, struct tb_access *access, bool perform,
                     struct apmu_out *out);
/* access.c: finds the register that an instruction reaches.  Returns false if there is none. */
bool tb_access_register(const struct tb_access *access, enum apmu_reg *reg, unsigned *n);
/* access.c: finds the register that an access in any view reaches.  Returns false if there is none. */
bool tb_access_reached(const struct apmu *p, const struct tb_access *access, enum apmu_reg *reg, unsigned *n);
/* access.c: returns the counter whose value an access reaches, or APMU_COUNTERS. */
unsigned tb_access_counter(const struct apmu *p, const struct tb_access *access);
/* access.c: returns the syndrome of an access, as apmu_tb_syndrome() does. */
uint64_t tb_access_syndrome(const struct apmu_access *result);
/* access.c: writes the access in words, "MSR PMCR_EL0, 0x41". */
void tb_access_text(const struct apmu *p, const struct tb_access *access, char *text, size_t room);

/* state.c: read and write a state of @pe. */
uint64_t tb_state_get(const struct apmu_pe *pe, enum tb_state row);
void tb_state_set(struct apmu_pe *pe, enum tb_state row, uint64_t value);
/* state.c: returns the register of a state, APMU_REG_ALL if it is none. */
enum apmu_reg tb_state_register(enum tb_state row);
/* state.c: returns whether the configuration has what the state is about. */
bool tb_state_matters(const struct apmu_config *cfg, enum tb_state row);
/* state.c: returns how often of 64 the stimulus sets the flag. */
unsigned tb_state_weight(enum tb_state row);

/* step.c: lets cycles pass for *@p; @counts as in apmu_tb_step(). */
void tb_step(const struct apmu_tb *tb, struct apmu *p, const struct apmu_pe *pe, uint64_t cycles,
             const uint32_t *counts, struct apmu_out *out);
/* step.c: returns how often the event of counter @n occurs in each cycle. */
uint64_t tb_step_amount(const struct apmu_tb *tb, unsigned n, const uint32_t *counts);

/* words.c: returns the name of a counter's value register, "PMEVCNTR2_EL0". */
const char *tb_counter_name(unsigned n, char buf[24]);
/* words.c: says which of the reasons @why stops counter @n: "MDCR_EL2.HPMD stops it at EL2". */
void tb_words_of_reason(const struct apmu_tb *tb, uint64_t why, unsigned n, unsigned el, char *text, size_t room);
/* words.c: adds a sentence, formatted like printf(). */
void tb_mismatch(struct apmu_tb *tb, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* answer.c: says what became of an access: "is UNDEFINED". */
const char *tb_answer_text(int outcome);

/* cause.c: note what an action does not give to counters: a step, before and after it; an access, after it. */
void tb_cause_note_step(struct apmu_tb *tb, uint64_t cycles, const uint32_t *counts);
void tb_cause_note_chain(struct apmu_tb *tb, uint64_t cycles);
void tb_cause_note_access(struct apmu_tb *tb, const struct tb_access *access);
/* cause.c: forgets what was noted. */
void tb_cause_forget(struct apmu_tb *tb);
/* cause.c: say why counter @n of a design is @ahead, or behind: "MDCR_EL2.HPMD stops it at EL2". */
void tb_cause_of_ahead(const struct apmu_tb *tb, unsigned n, uint64_t ahead, char *text, size_t room);
const char *tb_cause_of_behind(const struct apmu_tb *tb, unsigned n);
/* cause.c: says so if the phase of PMCR_EL0.D can be the cause.  Returns false if it cannot. */
bool tb_cause_of_phase(const struct apmu_tb *tb, unsigned n, char *text, size_t room);
/* cause.c: says by how much what was read of counter @n differs, and why: ": it is 1 ahead". */
void tb_cause_of_read(const struct apmu_tb *tb, unsigned n, uint64_t got, uint64_t want, char *text, size_t room);

/* phase.c: makes each phase of the divider possible. */
void tb_phase_open(struct apmu_tb *tb);
/* phase.c: notes the unit before a step. */
void tb_phase_note(struct apmu_tb *tb, uint64_t cycles, const uint32_t *counts);
/* phase.c: leaves the phases with which PMCCNTR_EL0 is @got after the last step, and gives the unit one of them. */
void tb_phase_settle(struct apmu_tb *tb, uint64_t got);

/* cover.c: note what was reached: by a step, by an access. */
void tb_cover_step(struct apmu_tb *tb, const uint32_t *counts);
void tb_cover_access(struct apmu_tb *tb, const struct tb_access *access);
/* cover.c: returns the reasons that can hold for counter @n with the configuration; @event is its event, -1 for any. */
uint64_t tb_cover_reasons(const struct apmu_config *cfg, unsigned n, int event);
/* cover.c: returns the reasons that can hold for some counter. */
uint64_t tb_cover_any_reasons(const struct apmu_config *cfg);

/* cross.c: note what was reached: after a step; before an access. */
void tb_cross_note_step(struct apmu_tb *tb);
void tb_cross_note_access(struct apmu_tb *tb, const struct tb_access *access);
/* cross.c: returns the one reason of @why, or APMU_REASON_COUNT if there is none or more than one. */
unsigned tb_cross_single(uint64_t why);
/* cross.c: returns the reasons that can stop what @cross counts. */
uint64_t tb_cross_reasons(const struct apmu_tb *tb, enum tb_cross cross);

/* file.c: writes "PATH: ...", formatted like printf(), to tb->text, and returns it. */
const char *tb_file_fault(struct apmu_tb *tb, const char *path, const char *format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* words at random (random.c) */
uint64_t tb_random(struct apmu_tb *tb, unsigned bits);   /* a number of @bits bits, 1..64 */
unsigned tb_below(struct apmu_tb *tb, unsigned n);       /* a number below @n, which is not 0 */
bool tb_chance(struct apmu_tb *tb, unsigned of64);       /* true in @of64 of 64 cases */
uint16_t tb_random_event(struct apmu_tb *tb);            /* an event of a line, CPU_CYCLES, CHAIN, SW_INCR or any */
uint16_t tb_random_neighbour(struct apmu_tb *tb, uint16_t event); /* an event number with one bit of @event's changed */
/* A state of @pe with one field of @row changed; a value to write to copy @n of @reg. */
uint64_t tb_random_state(struct apmu_tb *tb, const struct apmu_pe *pe, enum tb_state row);
uint64_t tb_random_word(struct apmu_tb *tb, enum apmu_reg reg, unsigned n);
/*
 * Chooses the Security state of *@pe, whether EL2 is enabled in it, and MDCR_EL2.HPMN; sometimes all fields of MDCR_EL3
 * and the authentication signals, too.  It leaves *@pe alone if no PE can be in the state that it chose.
 */
void tb_random_world(struct apmu_tb *tb, struct apmu_pe *pe);
/* Returns whether a PE can be in the state @pe. */
bool tb_legal(const struct apmu *p, const struct apmu_pe *pe);
/* Returns whether EL2 is enabled in the Security state of @pe below EL3. */
bool tb_el2_enabled(const struct apmu *p, const struct apmu_pe *pe);

/* plan.c: add actions at the end of the queue.  A full queue takes no more. */
void tb_plan(struct apmu_tb *tb, const struct tb_action *action);
void tb_plan_state(struct apmu_tb *tb, enum tb_state row, uint64_t value);
/* plan.c: plans to access a register in a view that the unit has, at the highest Exception level. */
void tb_plan_access(struct apmu_tb *tb, enum apmu_reg reg, unsigned n, bool write, uint64_t value);
/* plan.c: plans an instruction that accesses a register at the Exception level of the time. */
void tb_plan_sysreg(struct apmu_tb *tb, enum apmu_reg reg, bool write, uint64_t value);
/* plan.c: plans to make the PE's state @pe, by way of its highest Exception level. */
void tb_plan_pe(struct apmu_tb *tb, const struct apmu_pe *pe);
/* plan.c: plans to enter the highest Exception level, with nothing that refuses external accesses. */
void tb_plan_high(struct apmu_tb *tb);
/* plan.c: returns the highest Exception level. */
unsigned tb_highest(const struct apmu *p);
/*
 * access.c: finds the encoding by which AArch32 state accesses bits 31:0 of copy @n of a register.  *@select is what
 * PMSELR must select before, or -1.  Returns false if there is none.
 */
bool tb_access_a32(const struct apmu *p, enum apmu_reg reg, unsigned n, unsigned *address, int *select);
/* access.c: returns the offset of copy @n of a register in the external view, or -1. */
int tb_access_offset(const struct apmu *p, enum apmu_reg reg, unsigned n);
/* access.c: a register of the external view. */
struct tb_access_place {
    const char *name;    /* of a bank, without the number */
    enum apmu_reg reg;
    unsigned copies;     /* 0: it is not in this layout */
    unsigned offset;     /* of the lowest word of the copy */
    unsigned high;       /* the offset of bits 63:32, if they are elsewhere, otherwise 0 */
    bool upper;          /* it has bits 63:32 only */
};
/* access.c: describes copy @n of row @i of external.def.  Returns false past the last row. */
bool tb_access_row(const struct apmu *p, unsigned i, unsigned n, struct tb_access_place *place);
/* access.c: returns the offset of a register of the external view at random: any for @choice. */
int tb_access_any_offset(const struct apmu *p, unsigned choice);

/* stimulus.c: returns a PE in which nothing refuses an access and nothing prohibits counting. */
struct apmu_pe tb_open_pe(const struct apmu *p);
/* What seek.c seeks. */
struct tb_target {
    unsigned n;    /* a counter, */
    uint64_t goal; /* its reasons, a set of APMU_WHY(x), */
    int event;     /* its event, -1 for any, and */
    bool chains;   /* whether the counter below it counts, is about to overflow, and chains into it */
};

/* seek.c: plans actions that lead to the target.  Returns false if it found none. */
bool tb_seek(struct apmu_tb *tb, const struct tb_target *target);

#endif
