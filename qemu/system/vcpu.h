/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of one vCPU: the model, and how much of what the vCPU executed has been flushed to it.  Every file of this
 * folder includes this header.
 *
 * Two words have one meaning in this folder.  What a vCPU did reaches the model in batches: an instruction is *flushed*
 * once the model knows of it.  The instruction at which a counter overflows if nothing else happens is the PMU's
 * *deadline*; batch.c describes how it is kept.
 */
#ifndef ARMPMU_QEMU_VCPU_H
#define ARMPMU_QEMU_VCPU_H

#include "versions.h"

#include <armpmu/arm11.h>
#include <armpmu/model.h>
#include <armpmu/saved.h>

#define MAX_VCPUS 512
#define MAX_COLUMNS 31

struct armpmu_vcpu {
    ARMCPU *cpu;

    /* The PMU and the PE as it sees it.  A vCPU has either .pmu with .pe or, if .is_arm11, .arm11 with .pe11. */
    struct apmu pmu;
    struct apmu_pe pe;   /* the PE while the instructions that are not flushed were executed */
    struct apmu_arm11 arm11;
    struct apmu_arm11_pe pe11;
    bool user_v; /* ARM11: the V bit of the validation register, which lets User mode access the PMU */
    bool is_arm11;
    uint64_t hdfgrtr2, hdfgwtr2; /* HDFGRTR2_EL2 and HDFGWTR2_EL2, which QEMU lacks */
    struct apmu_access access;   /* the decision on the register access that is in progress */

    /* Instructions of this vCPU since its reset (batch.c). */
    uint64_t flushed;          /* those that are flushed, whether a counter counted them or not */
    uint64_t unretired;        /* cycles flushed for instructions that raised an exception before they were counted */
    uint64_t executed;         /* under -icount: all */
    uint64_t retired_origin;   /* without -icount: all, minus the word in env that translated code adds to */

    /* The deadline (batch.c). */
    bool timer_armed;
    uint64_t deadline; /* if .timer_armed: the instruction after which the timer flushes */

    /* The plan of translated code and its columns (column_plan.h). */
    uint8_t plan;                /* the number of the plan; 0: nothing is counted */
    bool has_limits;             /* a block that may pass the deadline calls armpmu_near_deadline() first */
    bool paused;                 /* the vCPU is known not to execute now, whichever vCPU is the current one */
    uint8_t columns;
    uint8_t column[MAX_COLUMNS]; /* the source that each column counts: enum apmu_source */
    uint64_t base[MAX_COLUMNS];  /* the value of each column up to which it is flushed */

    /* Observation (observe.h). */
    struct apmu_pe traced; /* the PE as the trace has it */
    struct apmu_arm11_pe traced11;
    GArray *reason_times[APMU_COUNTERS]; /* of struct reason_time (observe.c), for each counter */
    GArray *event_times;                 /* of struct event_time (observe.c), of ARM11 */

    struct core_feed *feed; /* the core whose events the PMU counts, too (core_feed.h); NULL: none */

    MemoryRegion frame; /* the external view */

    uint8_t saved[APMU_SIZED_MOST]; /* what apmu_save() wrote, while the machine is saved or loaded (migration.c) */
};

/* The options that the user sets with -cpu NAME,pmu-....  They hold for every CPU of the machine. */
struct armpmu_options {
    char *features;   /* names joined by +; NULL: those that the CPU has */
    uint8_t counters; /* number of event counters; 0: as many as the CPU has */
    bool check;       /* check the model's invariant after each access */
    bool has_irq;
    uint32_t irq;     /* if .has_irq: the interrupt controller's input for PMUIRQ of CPU 0 */
    bool has_frame;
    uint64_t frame;   /* if .has_frame: the address of CPU 0's external frame */
    char *core;       /* the name of the core, or of its file, that the user chose; NULL: none */
};
extern struct armpmu_options armpmu_options;

/* ---------------------------------------------------------------------------------------------------------------
 * vcpu.c.  A number of instructions is always counted from the vCPU's reset.
 */

/* Returns the PMU of the vCPU that @env belongs to, or NULL if it has none. */
struct armpmu_vcpu *vcpu_of_env(CPUARMState *env);
/* Returns the PMU of the vCPU with number @index, 0 to MAX_VCPUS - 1, or NULL if it has none. */
struct armpmu_vcpu *vcpu_at(int index);
/* Gives @cpu a PMU, which is never freed.  The caller configures it. */
struct armpmu_vcpu *vcpu_new(ARMCPU *cpu);

/* Returns the number of instructions that the vCPU executed, including the one that it is executing. */
uint64_t vcpu_retired(struct armpmu_vcpu *v);
/* Starts counting from 0 again and cancels the deadline: the vCPU was reset. */
void vcpu_restart(struct armpmu_vcpu *v);
/* Sets the word that translated code adds to (without -icount) and keeps vcpu_retired() as it is. */
void vcpu_move_retired(struct armpmu_vcpu *v, uint64_t to);
/* Returns how many more instructions the model can count, beyond those flushed, without an overflow of any counter. */
uint64_t vcpu_until(const struct armpmu_vcpu *v);
/* Under -icount, flushes once @retired instructions are executed, unless an earlier flush is due. */
void vcpu_arm_timer(struct armpmu_vcpu *v, uint64_t retired);

/* Flushes up to instruction @retired.  Must come before any change of the model or of what it borrows from the PE. */
void vcpu_flush(struct armpmu_vcpu *v, uint64_t retired);

/* An instruction that reads a register of the PMU and has not retired yet. */
enum in_progress { NO_READ, MRS_READ, LOAD_READ };
/*
 * Flushes all instructions before the one in progress, whose classes translated code has counted already.  For a load,
 * these are the classes of an LDR.
 */
void vcpu_flush_before(struct armpmu_vcpu *v, enum in_progress read);
/* Must follow any such change: reads the PE, drives PMUIRQ, chooses the plan and sets the deadline. */
void vcpu_update(struct armpmu_vcpu *v);
/* Ends the emulator if an access to @name broke the model's invariant and the user asked for this check. */
void vcpu_check(struct armpmu_vcpu *v, const char *name);

/* ---------------------------------------------------------------------------------------------------------------
 * The other files.
 */

/* pe.c */
/* Sets v->pe or v->pe11 from the state of the vCPU. */
void pe_refresh(struct armpmu_vcpu *v);

/* config.c */
/* Returns true if @cpu has the core of an ARM11, which has a PMU of its own kind. */
bool config_is_arm11(ARMCPU *cpu);
/* Configures v->pmu from the CPU's ID registers and the user's options, and makes the ID registers agree with it. */
void config_apply(struct armpmu_vcpu *v);

/* rows.c, arm11.c, control.c */
/* Define the System registers of a PMUv3 and of an ARM11. */
void rows_define(struct armpmu_vcpu *v);
void arm11_define(struct armpmu_vcpu *v);
/* Surrounds each write of a register that decides what counts by a flush and an update; adds those of FEAT_FGT2. */
void control_define(struct armpmu_vcpu *v);

/* batch.c */
/* Returns true if no counter is enabled and no overflow flag is set: another Exception level then changes nothing. */
bool batch_is_quiet(const struct armpmu_vcpu *v);
/*
 * Flushes @instructions instructions and what the columns and the core have gained.  If an instruction is in progress,
 * translated code has added its classes already: batch_flush() leaves them in the columns.
 */
void batch_flush(struct armpmu_vcpu *v, uint64_t instructions, enum in_progress read);
/* Flushes one cycle in which no instruction retires. */
void batch_flush_unretired(struct armpmu_vcpu *v);
/* Returns true if @event is one that a core of the core model counts, because nothing else does. */
bool batch_is_modelled(const struct armpmu_vcpu *v, uint16_t event);
/* Returns true if this emulator raises @event. */
bool batch_counts_event(const struct armpmu_vcpu *v, uint16_t event);
/* Chooses the plan and the limits of the columns.  Only vcpu_update() calls it. */
void batch_update(struct armpmu_vcpu *v);

/* exception.c */
/* Counts the events of an exception or an exception return, after a flush and before the Exception level changes. */
void exception_taken(struct armpmu_vcpu *v);
/* Returns true if exception_taken() raises @event. */
bool exception_counts(uint16_t event);
/* Returns true if an instruction that does not retire raised the exception that is being taken. */
bool exception_of_instruction(const struct armpmu_vcpu *v);

/* frame.c, irq.c: both act when the board is complete, which is after the CPUs are. */
#define FRAME_STRIDE 0x10000u /* bytes from the frame of one CPU to that of the next */
/* Has the external frames mapped where the user wants them; does nothing without the option. */
void frame_map_later(void);
/* Has PMUIRQ connected to the interrupt controller's inputs that the user names. */
void irq_connect_later(void);

/* migration.c */
/* Registers the PMU's state for savevm and migration. */
void migration_register(struct armpmu_vcpu *v);

/* ---------------------------------------------------------------------------------------------------------------
 * The functions that edit.py has QEMU call, besides the entry points that QEMU's own headers declare.  The translator
 * calls armpmu_block_begins(), then armpmu_instruction...() for each instruction, then armpmu_block_ends(); @index is
 * the number of the instruction in its block, from 1.
 */

/* Adds the -cpu options to a CPU that has a PMU. */
void armpmu_add_properties(Object *cpu);
/* Defines the PMU's registers of @cpu, in place of those that QEMU has defined. */
void armpmu_define_registers(ARMCPU *cpu);
/* Counts instructions that @cpu executed, under -icount, with the virtual clock's lock held. */
void armpmu_executed(CPUState *cpu, int64_t instructions);
/* Flush before, and update after, an instruction that changes what the PMU borrows from the PE without an MSR. */
void armpmu_control_begins(CPUARMState *env);
void armpmu_control_ends(CPUARMState *env);
/* Begins a block, before its first instruction. */
void armpmu_block_begins(uint32_t cflags);
/* Classify an instruction by its encoding @word; @in_it: it is in an IT block. */
void armpmu_instruction(int index, uint32_t word);
void armpmu_instruction_a32(int index, uint32_t word);
void armpmu_instruction_t32(int index, uint32_t word, bool in_it);
/* Excludes an instruction from what its block counts: it raises an exception instead of retiring. */
void armpmu_instruction_not_retired(int index);
/* Says that the code generated next runs only if the instruction's condition @passed, or else only if it failed. */
void armpmu_condition(bool passed);
/* Ends the code of an instruction. */
void armpmu_instruction_ends(void);
/* Ends a block of @length instructions and adds the counting code at its beginning. */
void armpmu_block_ends(const TranslationBlock *tb, int length);
/* Takes back what the last @left instructions of a block counted, because they were not executed. */
void armpmu_give_back(CPUState *cpu, const TranslationBlock *tb, int left);
/* Forgets all blocks: QEMU throws its translated code away. */
void armpmu_no_blocks(void);
/* The offset in CPUARMState of the word to which translated code adds instructions; 0 under -icount. */
extern intptr_t armpmu_retired_offset;

#endif
