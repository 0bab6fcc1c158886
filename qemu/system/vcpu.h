/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of one vCPU: the model, and how far it has been told what the vCPU did.  What the files of this folder share.
 */
#ifndef ARMPMU_QEMU_UNIT_H
#define ARMPMU_QEMU_UNIT_H

#include "versions.h"

#include <armpmu/arm11.h>
#include <armpmu/model.h>

#define MAX_VCPUS 512

struct armpmu_vcpu {
    ARMCPU *cpu;
    struct apmu pmu;
    struct apmu_pe pe;         /* as it was when the events that are not yet told occurred */
    struct apmu_arm11 arm11;   /* the unit of an ARM11, in place of .pmu */
    struct apmu_arm11_pe pe11; /* in place of .pe */
    bool user_v;               /* of it: User mode may access the unit */
    bool is_arm11;
    bool timer_armed;
    uint64_t deadline;              /* .timer_set: the count of instructions at which it is due */
    uint64_t flushed;             /* instructions that the model knows of */
    uint64_t unretired;           /* others, which raised an exception before they were counted: cycles that it knows of */
    uint64_t retired_origin;           /* without -icount: the count of instructions, less what env has */
    uint64_t executed;         /* under -icount: instructions of this vCPU */
    struct apmu_access access; /* what was decided on the access that comes next */
    uint8_t plan;              /* what its code counts (column_plan.h); 0: nothing at all */
    bool watched;
    bool paused;               /* the vCPU does not execute, whichever is the current one */
    uint8_t columns;
    uint8_t column[31];        /* the source of each */
    uint64_t base[31];         /* what the model knows of each */
    struct apmu_pe traced;     /* what the trace says of .pe */
    struct apmu_arm11_pe traced11; /* of .pe11 */
    GArray *reason_times[APMU_COUNTERS]; /* of each counter (observe.c) */
    uint64_t hdfgrtr2, hdfgwtr2; /* HDFGRTR2_EL2 and HDFGWTR2_EL2, which QEMU has not */
    MemoryRegion frame;
    uint64_t saved_features;   /* what a saved state says of .pmu.cfg */
    uint8_t saved_counters;
};

/* What the user asks for by -cpu NAME,pmu-.... */
struct armpmu_options {
    char *features;  /* names joined by +; NULL: what the CPU has */
    uint8_t counters; /* event counters; 0: what the CPU has */
    bool check;      /* the model's invariant, after each access */
    bool has_irq;
    uint32_t irq;    /* the input of the interrupt controller that PMUIRQ of CPU 0 goes to */
    bool has_frame;
    uint64_t frame;  /* address of the external frame of CPU 0; those of the others follow, 64 KiB apart */
};
extern struct armpmu_options armpmu_options;

/* vcpu.c */
struct armpmu_vcpu *vcpu_of_env(CPUARMState *env); /* NULL: the vCPU has no PMU */
struct armpmu_vcpu *vcpu_at(int index);        /* of the vCPU with this number; NULL: it has none */
struct armpmu_vcpu *vcpu_new(ARMCPU *cpu);
uint64_t vcpu_retired(struct armpmu_vcpu *v);                /* instructions of the vCPU, the present one included */
void vcpu_restart(struct armpmu_vcpu *v);                    /* a reset: nothing is retired, nothing is due */
void vcpu_move_retired(struct armpmu_vcpu *v, uint64_t to);   /* the part of that count that translated code adds to */
uint64_t vcpu_until(const struct armpmu_vcpu *v);              /* instructions that no counter of them overflows with */
void vcpu_arm_timer(struct armpmu_vcpu *v, uint64_t retired);      /* under -icount: flush when so many instructions are retired */
void vcpu_flush(struct armpmu_vcpu *v, uint64_t retired);    /* tells the model; then everything may change */
void vcpu_update(struct armpmu_vcpu *v);                    /* after any change: the PE, the signals, the deadline */
void vcpu_check(struct armpmu_vcpu *v, const char *name);    /* after an access, where the user asked for it */

/* pe.c */
void pe_refresh(struct armpmu_vcpu *v); /* u->pe from the state of the vCPU */

/* config.c */
bool config_is_arm11(ARMCPU *cpu);
void config_apply(struct armpmu_vcpu *v); /* u->pmu, and what the CPU's ID registers say of it */

/* rows.c */
void rows_define(struct armpmu_vcpu *v);

/* batch.c */
bool batch_is_quiet(const struct armpmu_vcpu *v); /* no counter is enabled, no interrupt is pending */
void batch_flush(struct armpmu_vcpu *v, uint64_t cycles, bool except_present); /* .but_present: an MRS that is being executed */
void batch_flush_unretired(struct armpmu_vcpu *v); /* a cycle in which nothing retires */
bool batch_counts_event(const struct armpmu_vcpu *v, uint16_t event); /* is the event counted here? */
void batch_update(struct armpmu_vcpu *v); /* after any change: what translated code counts */

/* exception.c */
void exception_taken(struct armpmu_vcpu *v);
bool exception_counts(uint16_t event);
bool exception_of_instruction(const struct armpmu_vcpu *v); /* raised by an instruction, which then does not retire? */

/* control.c */
void control_define(struct armpmu_vcpu *v);

/* arm11.c */
void arm11_define(struct armpmu_vcpu *v);

/* frame.c */
#define FRAME_STRIDE 0x10000u /* from the frame of one CPU to that of the next */
void frame_map_later(void); /* once the board is complete */

/* irq.c */
void irq_connect_later(void); /* PMUIRQ to where the user wants it, once the board is complete */

/* migration.c */
void migration_register(struct armpmu_vcpu *v);

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
