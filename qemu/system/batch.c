/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batches and deadlines: how what translated code counted reaches the model, and what happens when a counter is about
 * to overflow.
 *
 * A batch is several cycles or events that the model counts at once, as in lib/model/batch.c.  Here it is what a vCPU
 * executed since the last flush.  vcpu_flush() gives it to the model.  After that, vcpu_update() begins the next batch,
 * for which batch_update() chooses one of three states:
 *
 *                    +---------+
 *    +-------------> | FLUSHED |   the caller of vcpu_flush() may now read and change the model and the PE
 *    |               +---------+
 *    |                    | vcpu_update(): batch_update(): choose_plan(), place_limits()
 *    |      +-------------+---------------+
 *    |      | no counter  | no overflow   | an overflow interrupts or freezes, or the run has a limit
 *    |      | counts      | matters yet   |
 *    |      v             v               v
 *    |  +------+    +-----------+    +---------+   armpmu_near_deadline(): lift_limits()    +--------+
 *    |  | IDLE |    | UNLIMITED |    | LIMITED | -----------------------------------------> | LIFTED |
 *    |  +------+    +-----------+    +---------+   the next block could pass the deadline   +--------+
 *    |      |             |               |                                                     |
 *    |      |             |               |             under -icount: arm_pmu_timer_cb() at the latest,
 *    |      |             |               |             without: update_paused() after one block
 *    +------+-------------+---------------+-----------------------------------------------------+
 *       vcpu_flush(): batch_flush()
 *
 *   IDLE       v->plan is 0.  Translated code counts nothing, because no counter would.
 *   UNLIMITED  Columns grow, and nothing looks at them until the next flush.
 *   LIMITED    A block begins only if no column can pass 0 in it, nor, without -icount, the count of instructions.
 *   LIFTED     The same code runs, but its columns are FAR lower, so that no block is stopped.
 *
 * A column in state LIMITED looks like this.  Its base is placed so that the occurrence that brings the column above 0
 * is the one that overflows a counter.  In state LIFTED both base and column are FAR further to the left.
 *
 *        base[c]                       COLUMN(env, c)                   0
 *   --------|--------------------------------|--------------------------|---------->
 *           |   occurred, not yet flushed    |   cannot overflow yet    |  overflow
 *           |<-------------------- apmu_until() ----------------------->|
 *
 * Under -icount, armpmu_near_deadline() arms a timer for the first instruction of the block with which the overflow is
 * possible.  QEMU then executes exactly that many instructions, so an overflow is flushed right after the instruction
 * that causes it.  If no overflow occurred, limits are placed again.  Under -icount a counter of instructions or cycles
 * stops no block: vcpu_update() arms the timer for its deadline at the beginning of the batch.
 *
 * Without -icount the block is executed as a whole and flushed right after it.
 */
#include "column_plan.h"
#include "core_feed.h"
#include "observe.h"

#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "internals.h"
#include "qemu/main-loop.h"

#define HELPER_H "target/arm/armpmu/helper.h"
#include "exec/helper-proto.h.inc"
#undef HELPER_H

/* Larger than any count: a column this far below 0 never calls armpmu_near_deadline(). */
#define FAR (INT64_C(1) << 60)

_Static_assert(MAX_COLUMNS == ARRAY_SIZE(((CPUARMState *)0)->cp15.c14_pmevcntr), "each column has a word in env");

/* Returns true if counter @n counts in the present state of the PE. */
static bool is_live(const struct armpmu_vcpu *v, unsigned n)
{
    return apmu_counts(&v->pmu, &v->pe, n);
}

static uint16_t event_of(const struct armpmu_vcpu *v, unsigned n)
{
    return (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, v->pmu.typer[n]);
}

bool batch_is_quiet(const struct armpmu_vcpu *v)
{
    return v->plan == 0 && v->pmu.cnten == 0 && v->pmu.ovs == 0 && !observe_active;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Flushing: the model counts a batch.
 */

/*
 * Returns true if an enabled counter has a threshold.  Such a counter looks at every cycle, including those in which
 * its event does not occur.  It is not known in which cycles of a batch an event occurred.  That matters only to a
 * counter of edges (FEAT_PMUv3_EDGE): for it the occurrences come in the first cycles of the batch.
 */
static bool has_thresholds(const struct armpmu_vcpu *v)
{
    if (v->pmu.cfg.thwidth == 0) {
        return false;
    }
    for (uint64_t enabled = v->pmu.cnten; enabled != 0; enabled &= enabled - 1) {
        const unsigned n = (unsigned)ctz64(enabled);

        if (n < APMU_EVENT_COUNTERS && (APMU_GET(PMEVTYPER_EL0, TC, v->pmu.typer[n]) != 0 ||
                                        APMU_GET(PMEVTYPER_EL0, TH, v->pmu.typer[n]) != 0)) {
            return true;
        }
    }
    return false;
}

static void flush_cycles(struct armpmu_vcpu *v, uint64_t cycles, const struct apmu_occurrence *ev, size_t count)
{
    if (cycles != 0) {
        if (v->is_arm11) {
            apmu_arm11_step(&v->arm11, &v->pe11, cycles, ev, count, NULL);
        } else {
            apmu_step(&v->pmu, &v->pe, cycles, ev, count, NULL);
        }
        if (observe_active) {
            trace_cycles(v, cycles, ev, count);
        }
    }
}

static void flush_event(struct armpmu_vcpu *v, const struct apmu_occurrence *ev)
{
    if (ev->count != 0) {
        if (v->is_arm11) {
            apmu_arm11_event(&v->arm11, &v->pe11, ev->event, ev->count, 1, NULL);
        } else {
            apmu_event(&v->pmu, &v->pe, ev->event, ev->count, 1, NULL);
        }
        if (observe_active) {
            trace_event(v, ev->event, ev->count);
        }
    }
}

static int rarest_first(const void *a, const void *b)
{
    const struct apmu_occurrence *x = a, *y = b;

    return x->count < y->count ? -1 : x->count > y->count ? 1 : 0;
}

/* INST_RETIRED and INST_SPEC, columns, events of a core. */
#define MAX_OCCURRENCES (2 + MAX_COLUMNS + MAX_CORE_EVENTS)

/*
 * Flushes @cycles cycles.  An event that occurs n times is given to the model once in each of the first n cycles; what
 * is left over follows the last cycle.  @ev has @count events, which flush_by_cycle() sorts.
 */
static void flush_by_cycle(struct armpmu_vcpu *v, uint64_t cycles, struct apmu_occurrence *ev, size_t count)
{
    struct apmu_occurrence now[MAX_OCCURRENCES];
    uint64_t done = 0;

    qsort(ev, count, sizeof *ev, rarest_first);
    for (size_t first = 0; first <= count; first++) {
        const uint64_t end = first < count ? MIN(ev[first].count, cycles) : cycles;
        size_t n = 0;

        for (size_t i = first; i < count; i++) {
            now[n++] = (struct apmu_occurrence){.event = ev[i].event, .count = 1};
        }
        flush_cycles(v, end - done, now, n);
        done = end;
    }
    for (size_t i = 0; i < count; i++) { /* something is left over if a cycle raises an event more than once */
        const struct apmu_occurrence more = {
            .event = ev[i].event, .count = ev[i].count - MIN(ev[i].count, cycles),
        };

        flush_event(v, &more);
    }
}

/*
 * Flushes @instructions instructions that took @cycles cycles.  One is an event of each cycle; what is left over are
 * cycles without one, or more of them.
 */
static void flush_instructions(struct armpmu_vcpu *v, uint64_t instructions, uint64_t cycles)
{
    const struct apmu_occurrence of_arm11[] = {{.event = APMU_ARM11_EV_INSTR_EXEC, .count = 1}};
    const struct apmu_occurrence of_pmuv3[] = {
        {.event = APMU_EV_INST_RETIRED, .count = 1}, {.event = APMU_EV_INST_SPEC, .count = 1},
    };
    const struct apmu_occurrence *one = v->is_arm11 ? of_arm11 : of_pmuv3;
    const unsigned count = v->is_arm11 ? ARRAY_SIZE(of_arm11) : ARRAY_SIZE(of_pmuv3);
    const uint64_t both = MIN(instructions, cycles);

    flush_cycles(v, both, one, count);
    flush_cycles(v, cycles - both, NULL, 0);
    for (unsigned i = 0; i < count; i++) {
        const struct apmu_occurrence more = {.event = one[i].event, .count = instructions - both};

        flush_event(v, &more);
    }
}

void batch_flush(struct armpmu_vcpu *v, uint64_t instructions, enum in_progress read)
{
    struct apmu_occurrence ev[MAX_OCCURRENCES] = {
        {.event = APMU_EV_INST_RETIRED, .count = instructions}, {.event = APMU_EV_INST_SPEC, .count = instructions},
    };
    uint64_t cycles = instructions;

    for (unsigned c = 0; c < v->columns; c++) {
        const enum apmu_source source = (enum apmu_source)v->column[c];

        ev[2 + c].event = apmu_source_info[source].event;
        ev[2 + c].count = COLUMN(&v->cpu->env, c) - v->base[c];
        ev[2 + c].count -= MIN(ev[2 + c].count, column_plan_of_read(read, source));
        v->base[c] += ev[2 + c].count;
    }
    const unsigned count = 2 + v->columns + core_feed_take(v, ev + 2 + v->columns, &cycles);

    if (has_thresholds(v)) {
        flush_by_cycle(v, cycles, ev, count);
        return;
    }
    flush_instructions(v, instructions, cycles);
    for (unsigned i = 2; i < count; i++) {
        flush_event(v, &ev[i]);
    }
}

void batch_flush_unretired(struct armpmu_vcpu *v)
{
    if (v->feed == NULL || !v->feed->wishes.cycles) {
        flush_cycles(v, 1, NULL, 0);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Plans: what translated code counts.
 */

/* Returns true if @event is raised without a core. */
static bool is_executed(uint16_t event)
{
    const int source = apmu_source_of_event(event);

    return event == APMU_EV_SW_INCR || event == APMU_EV_INST_RETIRED || event == APMU_EV_CHAIN ||
           event == APMU_EV_INST_SPEC || exception_counts(event) ||
           (source >= 0 && column_plan_can_count((enum apmu_source)source));
}

bool batch_is_modelled(const struct armpmu_vcpu *v, uint16_t event)
{
    return !(v->is_arm11 ? event == APMU_ARM11_EV_INSTR_EXEC : is_executed(event)) && core_feed_counts(event);
}

bool batch_counts_event(const struct armpmu_vcpu *v, uint16_t event)
{
    const bool executed = v->is_arm11 ? event == APMU_ARM11_EV_INSTR_EXEC || event == APMU_ARM11_EV_CPU_CYCLES
                                      : event == APMU_EV_CPU_CYCLES || is_executed(event);

    return executed || (v->feed != NULL && batch_is_modelled(v, event));
}

/* Returns the plan for the counters that count now. */
static struct column_plan needed_plan(const struct armpmu_vcpu *v)
{
    struct column_plan plan;
    struct core_wishes wishes;

    memset(&plan, 0, sizeof plan);
    if (v->is_arm11) {
        core_feed_wish(v, &wishes);
        plan.core = core_feed_tells(&wishes);
        plan.used = APMU_GET(PMNC, E, v->arm11.pmnc) != 0 || observe_active;
        plan.has_limits = true;
        return plan;
    }
    for (uint64_t enabled = v->pmu.cnten; enabled != 0; enabled &= enabled - 1) {
        const unsigned n = (unsigned)ctz64(enabled);

        if (!is_live(v, n)) {
            continue;
        }
        plan.used = 1;
        const int source = n < APMU_EVENT_COUNTERS ? apmu_source_of_event(event_of(v, n)) : -1;

        if (source >= 0 && column_plan_can_count((enum apmu_source)source)) {
            plan.column_of[source] = 1;
        }
    }
    core_feed_wish(v, &wishes);
    plan.core = core_feed_tells(&wishes);
    plan.used |= wishes.count != 0;
    plan.used |= observe_active; /* the report accounts for cycles in which nothing counts, too */
    if (plan.used) {
        /* Other overflows show only when a register is read, and that flushes first. */
        plan.has_limits = v->pmu.inten != 0 || APMU_GET(PMCR_EL0, FZO, v->pmu.pmcr) != 0 ||
                          APMU_GET(MDCR_EL2, HPMFZO, v->pe.mdcr_el2) != 0 || observe_limit(v) != UINT64_MAX;
        for (unsigned s = 0; s < APMU_SOURCE_COUNT; s++) {
            if (plan.column_of[s] != 0) {
                plan.column_of[s] = ++plan.columns;
            }
        }
    }
    return plan;
}

/* Gives the vCPU plan @number, whose content is @plan, with all columns at 0.  For number 0, @plan may be NULL. */
static void use_plan(struct armpmu_vcpu *v, unsigned number, const struct column_plan *plan)
{
    CPUState *cpu = CPU(v->cpu);

    v->plan = (uint8_t)number;
    v->columns = 0;
    v->has_limits = number != 0 && plan->has_limits;
    for (unsigned s = 0; number != 0 && s < APMU_SOURCE_COUNT; s++) {
        if (plan->column_of[s] != 0) {
            COLUMN(&v->cpu->env, v->columns) = v->base[v->columns] = 0;
            v->column[v->columns++] = (uint8_t)s;
        }
    }
    cpu->tcg_cflags = (cpu->tcg_cflags & ~PLAN_MASK) | number << PLAN_SHIFT;
}

/* Flushes and updates a vCPU while it does not execute; on its thread, or where all vCPUs are stopped. */
static void update_paused(CPUState *cpu, run_on_cpu_data ignored)
{
    struct armpmu_vcpu *v = vcpu_of_env(cpu_env(cpu));

    v->paused = true;
    pmu_op_start(cpu_env(cpu));
    pmu_op_finish(cpu_env(cpu));
    v->paused = false;
}

/* Throws all blocks and plans away and gives each vCPU a new plan, while all of them are stopped. */
static void renew_plans(CPUState *cpu, run_on_cpu_data ignored)
{
    flush_blocks(cpu);
    column_plan_forget_all();
    CPU_FOREACH(cpu) {
        struct armpmu_vcpu *v = vcpu_of_env(cpu_env(cpu));

        if (v != NULL) {
            pmu_op_start(cpu_env(cpu));
            v->plan = 0;
            update_paused(cpu, ignored);
        }
    }
}

/* Changes to the plan that the counters need.  If the table of plans is full, does so once all vCPUs are stopped. */
static void choose_plan(struct armpmu_vcpu *v)
{
    const struct column_plan plan = needed_plan(v);

    if (!plan.used) {
        if (v->plan != 0) {
            use_plan(v, 0, NULL);
        }
        return;
    }
    const unsigned number = column_plan_number(&plan);

    if (number == 0) {
        async_safe_run_on_cpu(CPU(v->cpu), renew_plans, RUN_ON_CPU_NULL);
    } else if (number != v->plan) {
        use_plan(v, number, &plan);
    }
}

/*
 * Moves each column together with its base so that the occurrence that overflows a counter brings it above 0.  Without
 * -icount, does the same with the count of instructions.
 */
static void place_limits(struct armpmu_vcpu *v)
{
    CPUARMState *env = &v->cpu->env;

    for (unsigned c = 0; c < v->columns; c++) {
        const uint64_t until = apmu_until(&v->pmu, &v->pe, apmu_source_info[v->column[c]].event, 1);
        const uint64_t base = -MIN(until, (uint64_t)FAR);

        COLUMN(env, c) += base - v->base[c];
        v->base[c] = base;
    }
    if (!icount_enabled()) {
        const uint64_t until = MIN(vcpu_until(v), observe_limit(v) - 1);

        vcpu_move_retired(v, vcpu_retired(v) - v->flushed - MIN(until, (uint64_t)FAR));
    }
}

/* Moves columns and bases out of reach of 0, so that blocks execute until limits are placed again. */
static void lift_limits(struct armpmu_vcpu *v)
{
    for (unsigned c = 0; c < v->columns; c++) {
        COLUMN(&v->cpu->env, c) -= FAR;
        v->base[c] -= FAR;
    }
    if (!icount_enabled()) {
        vcpu_move_retired(v, -(uint64_t)FAR);
    }
}

void batch_update(struct armpmu_vcpu *v)
{
    CPUState *cpu = CPU(v->cpu);

    if (!icount_enabled() && !v->paused && current_cpu != NULL && current_cpu != cpu) {
        async_run_on_cpu(cpu, update_paused, RUN_ON_CPU_NULL); /* another vCPU wrote to this one's frame */
        return;
    }
    choose_plan(v);
    core_feed_update(v, v->has_limits);
    if (v->has_limits) {
        place_limits(v);
    }
}

/* Returns the number in @tb, from 1, of the first instruction with which a column may pass 0.  @tb has not begun. */
static unsigned first_near_deadline(const struct armpmu_vcpu *v, const TranslationBlock *tb)
{
    unsigned first = tb->icount;

    for (unsigned c = 0; c < v->columns; c++) {
        unsigned below = 0, n = first; /* the column may pass 0 with n instructions, not with @below */

        if ((int64_t)(COLUMN(&v->cpu->env, c) + column_plan_most(tb, c, n)) <= 0) {
            continue;
        }
        while (n - below > 1) {
            const unsigned middle = (below + n) / 2;

            if ((int64_t)(COLUMN(&v->cpu->env, c) + column_plan_most(tb, c, middle)) > 0) {
                n = middle;
            } else {
                below = middle;
            }
        }
        first = n;
    }
    return first;
}

/* Stops @block before it begins, because a counter may overflow in it, and lets it execute within the limits above. */
void HELPER(armpmu_near_deadline)(CPUARMState *env, const void *block)
{
    const TranslationBlock *tb = block;
    CPUState *cpu = env_cpu(env);
    struct armpmu_vcpu *v = vcpu_of_env(env);

    bql_lock();
    if (icount_enabled()) {
        cpu->neg.can_do_io = true; /* the vCPU is between two blocks */
        vcpu_arm_timer(v, vcpu_retired(v) + first_near_deadline(v, tb));
    } else {
        cpu->cflags_next_tb = tb_cflags(tb) | CF_NOIRQ;
        async_run_on_cpu(cpu, update_paused, RUN_ON_CPU_NULL);
    }
    lift_limits(v);
    bql_unlock();
    cpu_exit(cpu);
}
