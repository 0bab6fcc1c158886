/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of one vCPU: the model, and how far it has been told what the vCPU did.  What the files of this folder share.
 */
#ifndef ARMPMU_QEMU_UNIT_H
#define ARMPMU_QEMU_UNIT_H

#include "qemu/osdep.h"

#include <armpmu/arm11.h> /* before QEMU's own headers, which have a macro FIELD too */
#include <armpmu/model.h>

#include "cpu.h"
#if __has_include("system/memory.h") /* its place from QEMU 10.1 on */
#include "system/memory.h"
#else
#include "exec/memory.h"
#endif

struct unit {
    ARMCPU *cpu;
    struct apmu pmu;
    struct apmu_pe pe;         /* as it was when the events that are not yet told occurred */
    struct apmu_arm11 arm11;   /* the unit of an ARM11, in place of .pmu */
    struct apmu_arm11_pe pe11; /* in place of .pe */
    bool user_v;               /* of it: User mode may access the unit */
    bool is_arm11;
    bool overflow_near;        /* the timer is set */
    uint64_t told;             /* instructions that the model knows of */
    uint64_t executed;         /* under -icount: instructions of this vCPU */
    struct apmu_access access; /* what was decided on the access that comes next */
    uint64_t hdfgrtr2, hdfgwtr2; /* HDFGRTR2_EL2 and HDFGWTR2_EL2, which QEMU has not */
    MemoryRegion frame;
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
struct unit *unit_new(ARMCPU *cpu);
uint64_t unit_retired(struct unit *u);                /* instructions of the vCPU, the present one included */
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

/* control.c */
void unit_define_controls(struct unit *u);

/* arm11.c */
void unit_define_arm11(struct unit *u);

/* frame.c */
void unit_map_frame(struct unit *u);

/* irq.c */
void unit_connect_irq_later(void); /* PMUIRQ to where the user wants it, once the board is complete */

/* state.c */
void unit_register_state(struct unit *u);

/* What QEMU calls, besides the entry points that its headers declare (edit.py). */
void armpmu_add_properties(Object *cpu);
void armpmu_define_registers(ARMCPU *cpu);
void armpmu_executed(CPUState *cpu, int64_t instructions);
extern intptr_t armpmu_retired_offset; /* from env: where translated code counts instructions; 0: it does not */

#endif
