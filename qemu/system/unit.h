/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of one vCPU: the model, and how far it has been told what the vCPU did.  What the files of this folder share.
 */
#ifndef ARMPMU_QEMU_UNIT_H
#define ARMPMU_QEMU_UNIT_H

#include "versions.h"

#include <armpmu/arm11.h>
#include <armpmu/model.h>

#define MAX_UNITS 512

struct unit {
    ARMCPU *cpu;
    struct apmu pmu;
    struct apmu_pe pe;         /* as it was when the events that are not yet told occurred */
    struct apmu_arm11 arm11;   /* the unit of an ARM11, in place of .pmu */
    struct apmu_arm11_pe pe11; /* in place of .pe */
    bool user_v;               /* of it: User mode may access the unit */
    bool is_arm11;
    bool timer_set;
    uint64_t due;              /* .timer_set: the count of instructions at which it is due */
    uint64_t told;             /* instructions that the model knows of */
    uint64_t raised;           /* others, which raised an exception before they were counted: cycles that it knows of */
    uint64_t origin;           /* without -icount: the count of instructions, less what env has */
    uint64_t executed;         /* under -icount: instructions of this vCPU */
    struct apmu_access access; /* what was decided on the access that comes next */
    uint8_t set;               /* what its code counts (classes.h); 0: nothing at all */
    bool watched;
    bool stands;               /* the vCPU does not execute, whichever is the current one */
    uint8_t columns;
    uint8_t column[31];        /* the source of each */
    uint64_t base[31];         /* what the model knows of each */
    struct apmu_pe traced;     /* what the trace says of .pe */
    struct apmu_arm11_pe traced11; /* of .pe11 */
    GArray *stays[APMU_COUNTERS]; /* of each counter (observe.c) */
    uint64_t hdfgrtr2, hdfgwtr2; /* HDFGRTR2_EL2 and HDFGWTR2_EL2, which QEMU has not */
    MemoryRegion frame;
    uint64_t saved_features;   /* what a saved state says of .pmu.cfg */
    uint8_t saved_counters;
};

/* What the user asks for by -cpu NAME,pmu-.... */
struct options {
    char *features;  /* names joined by +; NULL: what the CPU has */
    uint8_t counters; /* event counters; 0: what the CPU has */
    bool check;      /* the model's invariant, after each access */
    bool has_irq;
    uint32_t irq;    /* the input of the interrupt controller that PMUIRQ of CPU 0 goes to */
    bool has_frame;
    uint64_t frame;  /* address of the external frame of CPU 0; those of the others follow, 64 KiB apart */
};
extern struct options armpmu_options;

/* unit.c */
struct unit *unit_of(CPUARMState *env); /* NULL: the vCPU has no PMU */
struct unit *unit_at(int index);        /* of the vCPU with this number; NULL: it has none */
struct unit *unit_new(ARMCPU *cpu);
uint64_t unit_retired(struct unit *u);                /* instructions of the vCPU, the present one included */
void unit_restart(struct unit *u);                    /* a reset: nothing is retired, nothing is due */
void unit_move_retired(struct unit *u, uint64_t to);   /* the part of that count that translated code adds to */
uint64_t unit_until(const struct unit *u);              /* instructions that no counter of them overflows with */
void unit_wake(struct unit *u, uint64_t retired);      /* under -icount: flush when so many instructions are retired */
void unit_flush(struct unit *u, uint64_t retired);    /* tells the model; then everything may change */
void unit_changed(struct unit *u);                    /* after any change: the PE, the signals, the deadline */
void unit_check(struct unit *u, const char *name);    /* after an access, where the user asked for it */

/* pe.c */
void unit_look(struct unit *u); /* u->pe from the state of the vCPU */

/* config.c */
bool cpu_is_arm11(ARMCPU *cpu);
void unit_configure(struct unit *u); /* u->pmu, and what the CPU's ID registers say of it */

/* rows.c */
void unit_define_registers(struct unit *u);

/* count.c */
bool count_is_quiet(const struct unit *u); /* no counter is enabled, no interrupt is pending */
void count_flush(struct unit *u, uint64_t cycles, bool but_present); /* .but_present: an MRS that is being executed */
void count_cycle(struct unit *u); /* a cycle in which nothing retires */
bool count_has(const struct unit *u, uint16_t event); /* is the event counted here? */
void count_changed(struct unit *u); /* after any change: what translated code counts */

/* exception.c */
void exception_taken(struct unit *u);
bool exception_counts(uint16_t event);
bool exception_of_instruction(const struct unit *u); /* raised by an instruction, which then does not retire? */

/* control.c */
void unit_define_controls(struct unit *u);

/* arm11.c */
void unit_define_arm11(struct unit *u);

/* frame.c */
#define FRAME_STRIDE 0x10000u /* from the frame of one CPU to that of the next */
void unit_map_frames_later(void); /* once the board is complete */

/* irq.c */
void unit_connect_irq_later(void); /* PMUIRQ to where the user wants it, once the board is complete */

/* state.c */
void unit_register_state(struct unit *u);

/* What QEMU calls, besides the entry points that its headers declare (edit.py). */
void armpmu_add_properties(Object *cpu);
void armpmu_define_registers(ARMCPU *cpu);
void armpmu_executed(CPUState *cpu, int64_t instructions);
void armpmu_control_begins(CPUARMState *env);
void armpmu_control_ends(CPUARMState *env);
void armpmu_block_begins(uint32_t cflags);
void armpmu_instruction(int index, uint32_t word);
void armpmu_instruction_a32(int index, uint32_t word);
void armpmu_instruction_t32(int index, uint32_t word, bool in_it);
void armpmu_instruction_not_retired(int index);
void armpmu_condition(bool passed);
void armpmu_instruction_ends(void);
void armpmu_block_ends(const TranslationBlock *tb, int length);
void armpmu_give_back(CPUState *cpu, const TranslationBlock *tb, int left);
void armpmu_no_blocks(void);
extern intptr_t armpmu_retired_offset; /* from env: where translated code counts instructions; 0: it does not */

#endif
