/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a vCPU's translated code must count now, how what it counted reaches the model, and what happens when a counter
 * is about to overflow.
 *
 * Under -icount the block in which a counter may overflow is cut: a timer is due at the instruction that does the most
 * that could be, QEMU then executes just so many instructions, and the model is told.  Without -icount that block is
 * executed as a whole and the model is told right after it.
 */
#include "classes.h"
#include "observe.h"

#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "internals.h"
#include "qemu/main-loop.h"

#define HELPER_H "target/arm/armpmu/helper.h"
#include "exec/helper-proto.h.inc"
#undef HELPER_H

/* Further than anything counts; that far below zero, a column asks nobody. */
#define FAR (INT64_C(1) << 60)

static bool is_live(const struct unit *u, unsigned n)
{
    return apmu_counts(&u->pmu, &u->pe, n);
}

static uint16_t event_of(const struct unit *u, unsigned n)
{
    return (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, u->pmu.typer[n]);
}

/* The counters that may count: a set, by PMCNTENSET_EL0. */
#define FOR_ENABLED(u, n) \
    for (uint64_t left_ = (u)->pmu.cnten, n = 0; left_ != 0 && (n = (unsigned)ctz64(left_), true); left_ &= left_ - 1)

bool count_is_quiet(const struct unit *u)
{
    return u->set == 0 && u->pmu.cnten == 0 && u->pmu.ovs == 0 && !observed;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Telling the model.
 */

/*
 * A counter with a threshold sees every cycle, also those in which its event does not occur; which they are makes a
 * difference only where edges are counted (FEAT_PMUv3_EDGE), which here see the occurrences of a batch first.
 */
static bool has_thresholds(const struct unit *u)
{
    if (u->pmu.cfg.thwidth == 0) {
        return false;
    }
    FOR_ENABLED(u, n) {
        if (n < APMU_EVENT_COUNTERS && (APMU_GET(PMEVTYPER_EL0, TC, u->pmu.typer[n]) != 0 ||
                                        APMU_GET(PMEVTYPER_EL0, TH, u->pmu.typer[n]) != 0)) {
            return true;
        }
    }
    return false;
}

static void tell_cycles(struct unit *u, uint64_t cycles, const struct apmu_occurrence *ev, size_t count)
{
    if (cycles != 0) {
        apmu_step(&u->pmu, &u->pe, cycles, ev, count, NULL);
        if (observed) {
            trace_cycles(u, cycles, ev, count);
        }
    }
}

static void tell_event(struct unit *u, const struct apmu_occurrence *ev)
{
    if (ev->count != 0) {
        apmu_event(&u->pmu, &u->pe, ev->event, ev->count, 1, NULL);
        if (observed) {
            trace_event(u, ev->event, ev->count);
        }
    }
}

static int rarest_first(const void *a, const void *b)
{
    const struct apmu_occurrence *x = a, *y = b;

    return x->count < y->count ? -1 : x->count > y->count ? 1 : 0;
}

/* Each event occurs in as many of the first cycles as it occurs at all; .ev has the two of every cycle, then .count. */
static void tell_each_cycle(struct unit *u, uint64_t cycles, struct apmu_occurrence *ev, size_t count)
{
    struct apmu_occurrence now[2 + ARRAY_SIZE(u->column)];
    uint64_t done = 0;

    qsort(ev + 2, count, sizeof *ev, rarest_first);
    for (size_t first = 0; first <= count; first++) {
        const uint64_t end = first < count ? MIN(ev[2 + first].count, cycles) : cycles;
        size_t n = 2;

        memcpy(now, ev, 2 * sizeof *ev);
        for (size_t i = first; i < count; i++) {
            now[n++] = (struct apmu_occurrence){.event = ev[2 + i].event, .count = 1};
        }
        tell_cycles(u, end - done, now, n);
        done = end;
    }
    for (size_t i = 0; i < count; i++) { /* what occurs more than once an instruction */
        const struct apmu_occurrence more = {.event = ev[2 + i].event, .count = ev[2 + i].count - MIN(ev[2 + i].count, cycles)};

        tell_event(u, &more);
    }
}

void count_flush(struct unit *u, uint64_t cycles, bool but_present)
{
    struct apmu_occurrence ev[2 + ARRAY_SIZE(u->column)] = {
        {.event = APMU_EV_INST_RETIRED, .count = 1}, {.event = APMU_EV_INST_SPEC, .count = 1},
    };

    for (unsigned c = 0; c < u->columns; c++) {
        const enum apmu_source source = (enum apmu_source)u->column[c];

        ev[2 + c].event = apmu_source_info[source].event;
        ev[2 + c].count = COLUMN(&u->cpu->env, c) - u->base[c] - (but_present ? set_of_read(source) : 0);
        u->base[c] += ev[2 + c].count;
    }
    if (has_thresholds(u)) {
        tell_each_cycle(u, cycles, ev, u->columns);
        return;
    }
    tell_cycles(u, cycles, ev, 2);
    for (unsigned c = 0; c < u->columns; c++) {
        tell_event(u, &ev[2 + c]);
    }
}

void count_cycle(struct unit *u)
{
    tell_cycles(u, 1, NULL, 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What is counted.
 */

bool count_has(const struct unit *u, uint16_t event)
{
    const int source = apmu_source_of_event(event);

    if (u->is_arm11) {
        return event == APMU_ARM11_EV_INSTR_EXEC || event == APMU_ARM11_EV_CPU_CYCLES;
    }
    return event == APMU_EV_SW_INCR || event == APMU_EV_INST_RETIRED || event == APMU_EV_CPU_CYCLES ||
           event == APMU_EV_CHAIN || event == APMU_EV_INST_SPEC || exception_counts(event) ||
           (source >= 0 && set_counts((enum apmu_source)source));
}

static struct set wanted(const struct unit *u)
{
    struct set set;

    memset(&set, 0, sizeof set);
    if (u->is_arm11) {
        set.used = APMU_GET(PMNC, E, u->arm11.pmnc) != 0 || observed;
        set.watched = true;
        return set;
    }
    FOR_ENABLED(u, n) {
        if (!is_live(u, n)) {
            continue;
        }
        set.used = 1;
        const int source = n < APMU_EVENT_COUNTERS ? apmu_source_of_event(event_of(u, n)) : -1;

        if (source >= 0 && set_counts((enum apmu_source)source)) {
            set.column_of[source] = 1;
        }
    }
    set.used |= observed; /* also the cycles in which nothing counts */
    if (set.used) {
        /* An overflow that neither interrupts nor freezes is seen when a register is read. */
        set.watched = u->pmu.inten != 0 || APMU_GET(PMCR_EL0, FZO, u->pmu.pmcr) != 0 ||
                      APMU_GET(MDCR_EL2, HPMFZO, u->pe.mdcr_el2) != 0 || observe_limit(u) != UINT64_MAX;
        for (unsigned s = 0; s < APMU_SOURCE_COUNT; s++) {
            if (set.column_of[s] != 0) {
                set.column_of[s] = ++set.columns;
            }
        }
    }
    return set;
}

static void use_set(struct unit *u, unsigned number, const struct set *set)
{
    CPUState *cpu = CPU(u->cpu);

    u->set = (uint8_t)number;
    u->columns = 0;
    u->watched = number != 0 && set->watched;
    for (unsigned s = 0; number != 0 && s < APMU_SOURCE_COUNT; s++) {
        if (set->column_of[s] != 0) {
            COLUMN(&u->cpu->env, u->columns) = u->base[u->columns] = 0;
            u->column[u->columns++] = (uint8_t)s;
        }
    }
    cpu->tcg_cflags = (cpu->tcg_cflags & ~SET_MASK) | number << SET_SHIFT;
}

/* While the vCPU does not execute. */
static void when_it_stands(CPUState *cpu, run_on_cpu_data ignored)
{
    struct unit *u = unit_of(cpu_env(cpu));

    u->stands = true;
    pmu_op_start(cpu_env(cpu));
    pmu_op_finish(cpu_env(cpu));
    u->stands = false;
}

/* No vCPU executes. */
static void renew(CPUState *cpu, run_on_cpu_data ignored)
{
    flush_blocks(cpu);
    sets_renew();
    CPU_FOREACH(cpu) {
        struct unit *u = unit_of(cpu_env(cpu));

        if (u != NULL) {
            pmu_op_start(cpu_env(cpu));
            u->set = 0;
            when_it_stands(cpu, ignored);
        }
    }
}

static void choose_set(struct unit *u)
{
    const struct set set = wanted(u);

    if (!set.used) {
        if (u->set != 0) {
            use_set(u, 0, NULL);
        }
        return;
    }
    const unsigned number = set_number(&set);

    if (number == 0) {
        async_safe_run_on_cpu(CPU(u->cpu), renew, RUN_ON_CPU_NULL);
    } else if (number != u->set) {
        use_set(u, number, &set);
    }
}

/* The columns run up to zero; what is not yet told stays so. */
static void set_limits(struct unit *u)
{
    CPUARMState *env = &u->cpu->env;

    for (unsigned c = 0; c < u->columns; c++) {
        const uint64_t until = apmu_until(&u->pmu, &u->pe, apmu_source_info[u->column[c]].event, 1);
        const uint64_t base = -MIN(until, (uint64_t)FAR);

        COLUMN(env, c) += base - u->base[c];
        u->base[c] = base;
    }
    if (!icount_enabled()) {
        const uint64_t until = MIN(unit_until(u), observe_limit(u) - 1);

        unit_move_retired(u, unit_retired(u) - u->told - MIN(until, (uint64_t)FAR));
    }
}

/* Until the limits are set again nothing asks. */
static void lift_limits(struct unit *u)
{
    for (unsigned c = 0; c < u->columns; c++) {
        COLUMN(&u->cpu->env, c) -= FAR;
        u->base[c] -= FAR;
    }
    if (!icount_enabled()) {
        unit_move_retired(u, -(uint64_t)FAR);
    }
}

void count_changed(struct unit *u)
{
    CPUState *cpu = CPU(u->cpu);

    if (!icount_enabled() && !u->stands && current_cpu != NULL && current_cpu != cpu) {
        async_run_on_cpu(cpu, when_it_stands, RUN_ON_CPU_NULL); /* another vCPU did it, by the frame */
        return;
    }
    choose_set(u);
    if (u->watched) {
        set_limits(u);
    }
}

/* With which instruction of the block that begins a counter of a class may overflow: the first is 1. */
static unsigned until_near(const struct unit *u, const TranslationBlock *tb)
{
    unsigned first = tb->icount;

    for (unsigned c = 0; c < u->columns; c++) {
        unsigned below = 0, n = first; /* with n it may overflow, with .below it cannot */

        if ((int64_t)(COLUMN(&u->cpu->env, c) + set_most(tb, c, n)) <= 0) {
            continue;
        }
        while (n - below > 1) {
            const unsigned middle = (below + n) / 2;

            if ((int64_t)(COLUMN(&u->cpu->env, c) + set_most(tb, c, middle)) > 0) {
                n = middle;
            } else {
                below = middle;
            }
        }
        first = n;
    }
    return first;
}

/* A counter may overflow in @block, which has not begun. */
void HELPER(armpmu_near)(CPUARMState *env, const void *block)
{
    const TranslationBlock *tb = block;
    CPUState *cpu = env_cpu(env);
    struct unit *u = unit_of(env);

    bql_lock();
    if (icount_enabled()) {
        cpu->neg.can_do_io = true; /* we are between two blocks */
        unit_wake(u, unit_retired(u) + until_near(u, tb));
    } else {
        cpu->cflags_next_tb = tb_cflags(tb) | CF_NOIRQ;
        async_run_on_cpu(cpu, when_it_stands, RUN_ON_CPU_NULL);
    }
    lift_limits(u);
    bql_unlock();
    cpu_exit(cpu);
}
