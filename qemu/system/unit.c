/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time: the instructions that a vCPU executed become events of its PMU, and the PMU's signals become interrupts.
 *
 * One instruction is one cycle, also one that raises an exception and does not retire.  Events are flushed to the model
 * before every register access and before every change of what the PMU borrows from the PE (the contract of an engine),
 * and, by a timer, when a counter is due to overflow.
 */
#include "observe.h"

#include "exec/cpu-common.h"
#include "internals.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"

static struct unit *units[MAX_UNITS];

/*
 * Without -icount translated code adds to a field of env which only the PMU that this one replaces has used, so that
 * no structure of QEMU changes.  Another one counts instructions that did not retire after all.
 */
#define RETIRED(env) ((env)->cp15.c15_ccnt_delta)
#define UNRETIRED(env) ((env)->cp15.c14_pmevcntr_delta[0])
intptr_t armpmu_retired_offset;

struct unit *unit_of(CPUARMState *env)
{
    const int index = env_cpu(env)->cpu_index;

    return index >= 0 && index < MAX_UNITS ? units[index] : NULL;
}

struct unit *unit_at(int index)
{
    return units[index];
}

struct unit *unit_new(ARMCPU *cpu)
{
    const int index = CPU(cpu)->cpu_index;
    struct unit *u = g_new0(struct unit, 1);

    assert(index >= 0 && index < MAX_UNITS && units[index] == NULL);
    u->cpu = cpu;
    units[index] = u;
    if (!icount_enabled()) {
        armpmu_retired_offset = (intptr_t)offsetof(CPUARMState, cp15.c15_ccnt_delta);
    }
    return u;
}

/* Under -icount, with the virtual clock's lock held. */
void armpmu_executed(CPUState *cpu, int64_t instructions)
{
    if (cpu->cpu_index >= 0 && cpu->cpu_index < MAX_UNITS && units[cpu->cpu_index] != NULL) {
        units[cpu->cpu_index]->executed += instructions;
    }
}

uint64_t unit_retired(struct unit *u)
{
    if (icount_enabled()) {
        if (current_cpu == CPU(u->cpu)) {
            icount_get_raw(); /* accounts for what this vCPU has executed until now */
        }
        return u->executed;
    }
    return u->origin + qatomic_read(&RETIRED(&u->cpu->env));
}

void unit_restart(struct unit *u)
{
    u->told = u->raised = u->executed = u->origin = 0;
    RETIRED(&u->cpu->env) = UNRETIRED(&u->cpu->env) = 0;
    if (u->timer_set) {
        timer_del(u->cpu->pmu_timer);
        u->timer_set = false;
    }
}

void unit_move_retired(struct unit *u, uint64_t to)
{
    u->origin += RETIRED(&u->cpu->env) - to;
    RETIRED(&u->cpu->env) = to;
}

void unit_flush(struct unit *u, uint64_t retired)
{
    if ((int64_t)(retired - u->told) <= 0) {
        return;
    }
    if (observed) {
        observe_cycles(u, retired - u->told);
    }
    if (u->is_arm11) {
        const struct apmu_occurrence executed = {.event = APMU_ARM11_EV_INSTR_EXEC, .count = 1};

        apmu_arm11_step(&u->arm11, &u->pe11, retired - u->told, &executed, 1, NULL);
        if (observed) {
            trace_cycles(u, retired - u->told, &executed, 1);
        }
    } else if (u->set != 0) {
        count_flush(u, retired - u->told, retired != unit_retired(u));
    }
    u->told = retired;
    if (observed) {
        observe_point(u);
    }
}

/* An instruction began and raised an exception: it took its cycle, and did not retire. */
static void take_cycle(struct unit *u)
{
    if (observed) {
        observe_cycles(u, 1);
    }
    if (u->is_arm11) {
        apmu_arm11_step(&u->arm11, &u->pe11, 1, NULL, 0, NULL);
        if (observed) {
            trace_cycles(u, 1, NULL, 0);
        }
    } else if (u->set != 0) {
        count_cycle(u);
    }
    if (observed) {
        observe_point(u);
    }
}

uint64_t unit_until(const struct unit *u)
{
    if (u->is_arm11) {
        return MIN(apmu_arm11_until(&u->arm11, &u->pe11, APMU_ARM11_EV_CPU_CYCLES, 1),
                   apmu_arm11_until(&u->arm11, &u->pe11, APMU_ARM11_EV_INSTR_EXEC, 1));
    }
    return MIN(apmu_until(&u->pmu, &u->pe, APMU_EV_CPU_CYCLES, 1),
               MIN(apmu_until(&u->pmu, &u->pe, APMU_EV_INST_RETIRED, 1),
                   apmu_until(&u->pmu, &u->pe, APMU_EV_INST_SPEC, 1)));
}

#define FAR (UINT64_C(1) << 40)

void unit_wake(struct unit *u, uint64_t retired)
{
    const int64_t ahead = (int64_t)(retired - unit_retired(u));

    if (!u->timer_set || (int64_t)(retired - u->due) < 0) {
        timer_mod_ns(u->cpu->pmu_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + (ahead > 0 ? icount_to_ns(ahead) : 0));
        u->timer_set = true;
        u->due = retired;
    }
}

/* The interrupt, and what must be known to raise it in time. */
void unit_changed(struct unit *u)
{
    unit_look(u);
    if (u->is_arm11) {
        qemu_set_irq(u->cpu->pmu_interrupt, apmu_arm11_irq(&u->arm11));
    } else {
        qemu_set_irq(u->cpu->pmu_interrupt, apmu_pmuirq(&u->pmu, &u->pe));
    }
    count_changed(u);
    if (observed) {
        observe_point(u);
    }
    if (!icount_enabled() || u->cpu->pmu_timer == NULL) {
        return;
    }
    const uint64_t until = u->set == 0 ? UINT64_MAX : MIN(unit_until(u), observe_limit(u) - 1);

    if (until < FAR && (!u->timer_set || u->due != u->told + until + 1)) {
        u->timer_set = false;
        unit_wake(u, u->told + until + 1); /* the instruction with which a counter overflows */
    } else if (until >= FAR && u->timer_set) {
        timer_del(u->cpu->pmu_timer);
        u->timer_set = false;
    }
}

void unit_check(struct unit *u, const char *name)
{
    if (armpmu_options.check && !apmu_check(&u->pmu)) {
        error_report("armpmu: an access to %s left the PMU of CPU %d in a state that no PMU has", name,
                     CPU(u->cpu)->cpu_index);
        abort();
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The entry points of the PMU that this one replaces.  The lock of QEMU is held in each.
 */

void pmu_init(ARMCPU *cpu)
{
    unit_configure(unit_new(cpu));
}

void pmu_op_start(CPUARMState *env)
{
    struct unit *u = unit_of(env);

    if (u != NULL) {
        unit_flush(u, unit_retired(u));
    }
}

void pmu_op_finish(CPUARMState *env)
{
    struct unit *u = unit_of(env);

    if (u != NULL) {
        unit_changed(u);
    }
}

void pmu_pre_el_change(ARMCPU *cpu, void *ignored)
{
    struct unit *u = unit_of(&cpu->env);

    if (u != NULL) {
        const bool counted = UNRETIRED(&cpu->env) != 0 && (icount_enabled() || u->set != 0);

        u->told += counted; /* the instruction that raises the exception: it does not retire */
        UNRETIRED(&cpu->env) = 0;
        unit_flush(u, unit_retired(u));
        if (exception_of_instruction(u)) {
            u->raised += !counted;
            take_cycle(u);
        }
        if (!u->is_arm11) {
            exception_taken(u);
        }
    }
}

void pmu_post_el_change(ARMCPU *cpu, void *ignored)
{
    struct unit *u = unit_of(&cpu->env);

    if (u != NULL && (u->is_arm11 || !count_is_quiet(u))) {
        unit_changed(u);
    }
}

void arm_pmu_timer_cb(void *opaque)
{
    ARMCPU *cpu = opaque;
    struct unit *u = unit_of(&cpu->env);

    if (u != NULL) {
        u->timer_set = false;
    }
    pmu_op_start(&cpu->env);
    pmu_op_finish(&cpu->env);
}

void armpmu_define_registers(ARMCPU *cpu)
{
    struct unit *u = unit_of(&cpu->env);

    if (u != NULL) {
        unit_define_registers(u);
        unit_define_controls(u);
        unit_map_frames_later();
        unit_register_state(u);
    } else if (cpu_is_arm11(cpu)) {
        u = unit_new(cpu);
        unit_define_arm11(u);
        unit_define_controls(u);
        unit_register_state(u);
    }
}
