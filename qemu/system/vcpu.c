/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time: the instructions that a vCPU executed become events of its PMU, and the PMU's output becomes an interrupt.
 *
 * One instruction is one cycle; so is one that raises an exception and does not retire.  Events are flushed to the
 * model before every register access and before every change of what the PMU borrows from the PE, as <armpmu/model.h>
 * requires, and, by a timer, at the deadline.
 */
#include "core_feed.h"
#include "observe.h"

#include "exec/cpu-common.h"
#include "internals.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"

static struct armpmu_vcpu *vcpus[MAX_VCPUS];

/*
 * Two words in env that only QEMU's own PMU used, so that no structure of QEMU changes.  Without -icount translated
 * code adds the instructions of each block to the first.  It sets the second to 1 when it reaches an instruction that
 * is translated to raise an exception instead of retiring, and is counted already.
 */
#define RETIRED(env) ((env)->cp15.c15_ccnt_delta)
#define UNRETIRED(env) ((env)->cp15.c14_pmevcntr_delta[0])
intptr_t armpmu_retired_offset;

struct armpmu_vcpu *vcpu_of_env(CPUARMState *env)
{
    const int index = env_cpu(env)->cpu_index;

    return index >= 0 && index < MAX_VCPUS ? vcpus[index] : NULL;
}

struct armpmu_vcpu *vcpu_at(int index)
{
    return vcpus[index];
}

struct armpmu_vcpu *vcpu_new(ARMCPU *cpu)
{
    const int index = CPU(cpu)->cpu_index;
    struct armpmu_vcpu *v = g_new0(struct armpmu_vcpu, 1);

    assert(index >= 0 && index < MAX_VCPUS && vcpus[index] == NULL);
    v->cpu = cpu;
    vcpus[index] = v;
    if (!icount_enabled()) {
        armpmu_retired_offset = (intptr_t)offsetof(CPUARMState, cp15.c15_ccnt_delta);
    }
    return v;
}

void armpmu_executed(CPUState *cpu, int64_t instructions)
{
    if (cpu->cpu_index >= 0 && cpu->cpu_index < MAX_VCPUS && vcpus[cpu->cpu_index] != NULL) {
        vcpus[cpu->cpu_index]->executed += instructions;
    }
}

uint64_t vcpu_retired(struct armpmu_vcpu *v)
{
    if (icount_enabled()) {
        if (current_cpu == CPU(v->cpu)) {
            icount_get_raw(); /* calls armpmu_executed() with what this vCPU has executed since the last time */
        }
        return v->executed;
    }
    return v->retired_origin + qatomic_read(&RETIRED(&v->cpu->env));
}

void vcpu_restart(struct armpmu_vcpu *v)
{
    v->flushed = v->unretired = v->executed = v->retired_origin = 0;
    RETIRED(&v->cpu->env) = UNRETIRED(&v->cpu->env) = 0;
    if (v->timer_armed) {
        timer_del(v->cpu->pmu_timer);
        v->timer_armed = false;
    }
}

void vcpu_move_retired(struct armpmu_vcpu *v, uint64_t to)
{
    v->retired_origin += RETIRED(&v->cpu->env) - to;
    RETIRED(&v->cpu->env) = to;
}

static void flush(struct armpmu_vcpu *v, uint64_t retired, enum in_progress read)
{
    if ((int64_t)(retired - v->flushed) <= 0) {
        if (v->plan != 0 && core_feed_pending(v)) { /* an instruction that has not retired missed */
            batch_flush(v, 0, read);
        }
        return;
    }
    if (observe_active) {
        observe_cycles(v, retired - v->flushed);
    }
    if (v->is_arm11 || v->plan != 0) { /* the cycle counter of ARM11 counts without a plan, too */
        batch_flush(v, retired - v->flushed, read);
    }
    v->flushed = retired;
    if (observe_active) {
        observe_point(v);
    }
}

void vcpu_flush(struct armpmu_vcpu *v, uint64_t retired)
{
    flush(v, retired, NO_READ);
}

void vcpu_flush_before(struct armpmu_vcpu *v, enum in_progress read)
{
    flush(v, vcpu_retired(v) - 1, read);
}

/* Flushes the cycle of an instruction that raised an exception instead of retiring. */
static void flush_unretired(struct armpmu_vcpu *v)
{
    if (observe_active) {
        observe_cycles(v, 1);
    }
    if (v->is_arm11 || v->plan != 0) {
        batch_flush_unretired(v);
    }
    if (observe_active) {
        observe_point(v);
    }
}

uint64_t vcpu_until(const struct armpmu_vcpu *v)
{
    const bool by_core = v->feed != NULL && v->feed->wishes.cycles; /* core_feed.c looks at the cycles */

    if (v->is_arm11) {
        return MIN(by_core ? UINT64_MAX : apmu_arm11_until(&v->arm11, &v->pe11, APMU_ARM11_EV_CPU_CYCLES, 1),
                   apmu_arm11_until(&v->arm11, &v->pe11, APMU_ARM11_EV_INSTR_EXEC, 1));
    }
    return MIN(by_core ? UINT64_MAX : apmu_until(&v->pmu, &v->pe, APMU_EV_CPU_CYCLES, 1),
               MIN(apmu_until(&v->pmu, &v->pe, APMU_EV_INST_RETIRED, 1),
                   apmu_until(&v->pmu, &v->pe, APMU_EV_INST_SPEC, 1)));
}

/* In instructions: a deadline as far ahead as this, or farther, gets no timer. */
#define HORIZON (UINT64_C(1) << 40)

void vcpu_arm_timer(struct armpmu_vcpu *v, uint64_t retired)
{
    const int64_t ahead = (int64_t)(retired - vcpu_retired(v));

    if (!v->timer_armed || (int64_t)(retired - v->deadline) < 0) {
        timer_mod_ns(v->cpu->pmu_timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + (ahead > 0 ? icount_to_ns(ahead) : 0));
        v->timer_armed = true;
        v->deadline = retired;
    }
}

void vcpu_update(struct armpmu_vcpu *v)
{
    pe_refresh(v);
    if (v->is_arm11) {
        qemu_set_irq(v->cpu->pmu_interrupt, apmu_arm11_irq(&v->arm11));
    } else {
        qemu_set_irq(v->cpu->pmu_interrupt, apmu_pmuirq(&v->pmu, &v->pe));
    }
    batch_update(v);
    if (observe_active) {
        observe_point(v);
    }
    if (!icount_enabled() || v->cpu->pmu_timer == NULL) {
        return;
    }
    const uint64_t until = v->plan == 0 ? UINT64_MAX : MIN(vcpu_until(v), observe_limit(v) - 1);

    if (until < HORIZON && (!v->timer_armed || v->deadline != v->flushed + until + 1)) {
        v->timer_armed = false;
        vcpu_arm_timer(v, v->flushed + until + 1); /* the first instruction that overflows a counter */
    } else if (until >= HORIZON && v->timer_armed) {
        timer_del(v->cpu->pmu_timer);
        v->timer_armed = false;
    }
}

void vcpu_check(struct armpmu_vcpu *v, const char *name)
{
    if (armpmu_options.check && !apmu_check(&v->pmu)) {
        error_report("armpmu: an access to %s left the PMU of CPU %d in a state that no PMU has", name,
                     CPU(v->cpu)->cpu_index);
        abort();
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The entry points of QEMU's own PMU, in its place, and one that edit.py adds.  QEMU holds its lock in each.
 */

/* Gives a new CPU its PMU. */
void pmu_init(ARMCPU *cpu)
{
    config_apply(vcpu_new(cpu));
}

/* Flushes, before QEMU or the glue changes a register that decides what counts. */
void pmu_op_start(CPUARMState *env)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    if (v != NULL) {
        vcpu_flush(v, vcpu_retired(v));
    }
}

/* Updates, after that change. */
void pmu_op_finish(CPUARMState *env)
{
    struct armpmu_vcpu *v = vcpu_of_env(env);

    if (v != NULL) {
        vcpu_update(v);
    }
}

/*
 * Flushes before each exception and exception return, and counts their events at the Exception level that is left.  An
 * instruction that raises an exception does not retire.  If translated code has counted it already, only its cycle is
 * flushed.
 */
void pmu_pre_el_change(ARMCPU *cpu, void *ignored)
{
    struct armpmu_vcpu *v = vcpu_of_env(&cpu->env);

    if (v != NULL) {
        const bool counted = UNRETIRED(&cpu->env) != 0 && (icount_enabled() || v->plan != 0);

        v->flushed += counted; /* leaves it out of the flush: flush_unretired() flushes its cycle */
        UNRETIRED(&cpu->env) = 0;
        core_feed_exception(v);
        vcpu_flush(v, vcpu_retired(v));
        if (exception_of_instruction(v)) {
            v->unretired += !counted;
            flush_unretired(v);
        }
        if (!v->is_arm11) {
            exception_taken(v);
        }
    }
}

/* Updates after each exception and exception return. */
void pmu_post_el_change(ARMCPU *cpu, void *ignored)
{
    struct armpmu_vcpu *v = vcpu_of_env(&cpu->env);

    if (v != NULL) {
        core_feed_level_changed(v);
    }
    if (v != NULL && (v->is_arm11 || !batch_is_quiet(v))) {
        vcpu_update(v);
    }
}

/* Flushes at the deadline. */
void arm_pmu_timer_cb(void *opaque)
{
    ARMCPU *cpu = opaque;
    struct armpmu_vcpu *v = vcpu_of_env(&cpu->env);

    if (v != NULL) {
        v->timer_armed = false;
    }
    pmu_op_start(&cpu->env);
    pmu_op_finish(&cpu->env);
}

void armpmu_define_registers(ARMCPU *cpu)
{
    struct armpmu_vcpu *v = vcpu_of_env(&cpu->env);

    if (v != NULL) {
        rows_define(v);
        control_define(v);
        if (v->feed != NULL) {
            core_space_define(v);
        }
        frame_map_later();
        migration_register(v);
    } else if (config_is_arm11(cpu)) {
        v = vcpu_new(cpu);
        arm11_define(v);
        control_define(v);
        if (v->feed != NULL) {
            core_space_define(v);
        }
        migration_register(v);
    }
}
