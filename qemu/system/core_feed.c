/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The feed at run time: blocks and accesses are told to a core, and its events become the PMU's (core_feed.h). */
#include "core_feed.h"

#include "column_plan.h"

#include "exec/helper-proto.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "internals.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#if __has_include("hw/core/boards.h")
#include "hw/core/boards.h"
#else
#include "hw/boards.h"
#endif
#if __has_include("accel/tcg/getpc.h")
#include "accel/tcg/getpc.h"
#endif

#define HELPER_H "target/arm/armpmu/helper.h"
#include "exec/helper-proto.h.inc"
#undef HELPER_H

/* The most that one call of the model adds to a count: of events, and of those that count cycles or slots. */
#define MOST_OF_CALL     256
#define MOST_TIME        (1 << 16)

struct apmu_core_row core_feed_row;
static struct apmu_chip *chip; /* of all vCPUs; made when a counter first asks for an event */
static struct stream_shared shared;

bool core_feed_counts(uint16_t event)
{
    return core_feed_row.size != 0 && apmu_core_models(&core_feed_row, event);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What counters ask for.
 */

/* Returns the number of the event of cycles. */
static uint16_t cycles_of(const struct armpmu_vcpu *v)
{
    return v->is_arm11 ? APMU_ARM11_EV_CPU_CYCLES : APMU_EV_CPU_CYCLES;
}

static void add_wish(const struct armpmu_vcpu *v, struct core_wishes *wishes, uint16_t event)
{
    for (unsigned i = 0; i < wishes->count; i++) {
        if (wishes->event[i] == event) {
            return;
        }
    }
    wishes->event[wishes->count++] = event;
    wishes->cycles |= event == cycles_of(v);
}

/* Adds the events of the enabled counters of an ARM11. */
static void wish_arm11(const struct armpmu_vcpu *v, struct core_wishes *wishes)
{
    const uint16_t events[APMU_ARM11_COUNTERS] = {
        APMU_ARM11_EV_CPU_CYCLES, (uint16_t)APMU_GET(PMNC, EvtCount0, v->arm11.pmnc),
        (uint16_t)APMU_GET(PMNC, EvtCount1, v->arm11.pmnc),
    };

    for (size_t i = 0; i < ARRAY_SIZE(events) && APMU_GET(PMNC, E, v->arm11.pmnc) != 0; i++) {
        if (batch_is_modelled(v, events[i])) {
            add_wish(v, wishes, events[i]);
        }
    }
}

/* Adds the events of the enabled counters of PMUv3. */
static void wish_pmuv3(const struct armpmu_vcpu *v, struct core_wishes *wishes)
{
    if (APMU_GET(PMCR_EL0, E, v->pmu.pmcr) == 0) {
        return;
    }
    for (uint64_t enabled = v->pmu.cnten; enabled != 0; enabled &= enabled - 1) {
        const unsigned n = (unsigned)ctz64(enabled);
        const uint16_t event = n == APMU_CYCLE   ? APMU_EV_CPU_CYCLES
                               : n == APMU_INSTR ? APMU_EV_INST_RETIRED
                                                 : (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, v->pmu.typer[n]);

        if (batch_is_modelled(v, event)) {
            add_wish(v, wishes, event);
        }
    }
}

void core_feed_wish(const struct armpmu_vcpu *v, struct core_wishes *wishes)
{
    memset(wishes, 0, sizeof *wishes);
    if (v->feed == NULL) {
        return;
    }
    if (v->is_arm11) {
        wish_arm11(v, wishes);
    } else {
        wish_pmuv3(v, wishes);
    }
    wishes->parts = apmu_core_parts(&core_feed_row, wishes->event, wishes->count);
}

uint8_t core_feed_tells(const struct core_wishes *wishes)
{
    const uint32_t of_blocks = APMU_CORE_L1I | APMU_CORE_ITLB | APMU_CORE_DTLB | APMU_CORE_BRANCH | APMU_CORE_TIMING;

    if (wishes->count == 0) {
        return 0;
    }
    if (wishes->parts == 0) { /* events of which nothing is simulated: operations, branches, accesses */
        return CORE_BLOCKS | CORE_ACCESSES;
    }
    return (uint8_t)(((wishes->parts & of_blocks) != 0 ? CORE_BLOCKS : 0) |
                     ((wishes->parts & (APMU_CORE_L1D | APMU_CORE_DTLB)) != 0 ? CORE_ACCESSES : 0));
}

/* Makes the chip, with a core for each CPU that the machine may have. */
static void make_chip(void)
{
    const unsigned cores = MIN(MAX((unsigned)current_machine->smp.max_cpus, 1), MAX_VCPUS);
    const size_t size = apmu_chip_size(&core_feed_row, APMU_CORE_ALL, cores);

    chip = g_malloc0(size);
    const char *fault = apmu_chip_init(chip, size, &core_feed_row, APMU_CORE_ALL, cores);

    if (fault != NULL) {
        error_setg(&error_fatal, "armpmu: pmu-core: %s", fault);
    }
    shared.locks = cores > 1 && !icount_enabled();
}

/* Notes that @event was asked for. */
static void note_asked(struct core_feed *f, uint16_t event)
{
    f->asked = f->asked != NULL ? f->asked : g_array_new(false, false, sizeof event);
    for (unsigned i = 0; i < f->asked->len; i++) {
        if (g_array_index(f->asked, uint16_t, i) == event) {
            return;
        }
    }
    g_array_append_val(f->asked, event);
}

void core_feed_report(struct armpmu_vcpu *v, FILE *file)
{
    const struct core_feed *f = v->feed;

    if (f == NULL || f->core == NULL) {
        return;
    }
    apmu_core_use_parts(f->core, APMU_CORE_ALL); /* counts of parts that are left out read as 0 */
    fprintf(file, "core %s\n", core_feed_row.name);
    for (unsigned i = 0; i < f->asked->len; i++) {
        const uint16_t event = g_array_index(f->asked, uint16_t, i);

        fprintf(file, "core_event 0x%x %" PRIu64 "\n", event, apmu_core_read(f->core, event));
    }
}

/*
 * Begins to tell, or tells for other events.  Which access was told and not made yet stays known: the handler of its
 * interrupt may stop the counters for a while.
 */
static void begin(struct armpmu_vcpu *v)
{
    struct core_feed *f = v->feed;
    const unsigned number = (unsigned)CPU(v->cpu)->cpu_index;

    if (chip == NULL) {
        make_chip();
    }
    f->core = apmu_chip_core(chip, number);
    assert(f->core != NULL);
    apmu_core_use_parts(f->core, f->wishes.parts);
    shared.branches |= f->wishes.parts == 0 || (f->wishes.parts & APMU_CORE_BRANCH) != 0;
    stream_init(&f->stream, f->core, number, &shared);
    core_filter_begin(&f->filter, f->core);
    core_feed_translations_changed(f);
}

/* Finds out where events overflow counters, once everything is flushed. */
static void place_limits(struct armpmu_vcpu *v)
{
    struct core_feed *f = v->feed;

    for (unsigned i = 0; i < f->wishes.count; i++) {
        const uint64_t until = v->is_arm11 ? apmu_arm11_until(&v->arm11, &v->pe11, f->wishes.event[i], 1)
                                           : apmu_until(&v->pmu, &v->pe, f->wishes.event[i], 1);

        f->limit[i] = until >= UINT64_MAX - 1 - f->base[i] ? UINT64_MAX : f->base[i] + until + 1;
    }
    f->quiet = 0;
}

void core_feed_update(struct armpmu_vcpu *v, bool looks)
{
    struct core_feed *f = v->feed;
    struct core_wishes wishes;

    if (f == NULL) {
        return;
    }
    core_feed_wish(v, &wishes);
    if (memcmp(&wishes, &f->wishes, sizeof wishes) != 0) {
        f->wishes = wishes;
        f->active = wishes.count != 0;
        if (f->active) {
            begin(v);
            for (unsigned i = 0; i < wishes.count; i++) {
                f->base[i] = apmu_core_read(f->core, wishes.event[i]);
                note_asked(f, wishes.event[i]);
            }
        }
    }
    f->looks = looks && f->active;
    if (f->looks) {
        place_limits(v);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the model counted.
 */

bool core_feed_pending(struct armpmu_vcpu *v)
{
    const struct core_feed *f = v->feed;

    for (unsigned i = 0; f != NULL && f->active && i < f->wishes.count; i++) {
        if (apmu_core_read(f->core, f->wishes.event[i]) != f->base[i]) {
            return true;
        }
    }
    return false;
}

unsigned core_feed_take(struct armpmu_vcpu *v, struct apmu_occurrence *ev, uint64_t *cycles)
{
    struct core_feed *f = v->feed;
    unsigned count = 0;

    if (f == NULL || !f->active) {
        return 0;
    }
    if (f->stream.block != NULL) {
        stream_reach(&f->stream, f->stream.block->insns);
    }
    for (unsigned i = 0; i < f->wishes.count; i++) {
        const uint64_t value = apmu_core_read(f->core, f->wishes.event[i]), more = value - f->base[i];

        f->base[i] = value;
        if (f->wishes.event[i] == cycles_of(v)) {
            *cycles = more;
        } else {
            ev[count++] = (struct apmu_occurrence){.event = f->wishes.event[i], .count = more};
        }
    }
    return count;
}

/* Returns true if an event has overflowed a counter.  If not, notes how long none can. */
static bool overflows(struct core_feed *f)
{
    int64_t quiet = INT64_MAX;

    for (unsigned i = 0; i < f->wishes.count; i++) {
        const uint64_t value = apmu_core_read(f->core, f->wishes.event[i]);

        if (value >= f->limit[i]) {
            return true;
        }
        quiet = MIN(quiet, (int64_t)MIN(f->limit[i] - value, (uint64_t)INT64_MAX));
    }
    f->quiet = f->wishes.parts == APMU_CORE_ALL ? quiet / MOST_TIME : quiet - 1;
    return false;
}

/* Flushes, and updates the PMU: an event has overflowed a counter.  The vCPU is between two instructions. */
static void flush_overflow(CPUARMState *env)
{
    env_cpu(env)->neg.can_do_io = true;
    bql_lock();
    pmu_op_start(env);
    pmu_op_finish(env);
    bql_unlock();
}

/* ---------------------------------------------------------------------------------------------------------------
 * Blocks and accesses.
 */

static bool is_active(const struct core_feed *f)
{
    return f != NULL && f->active;
}

void core_feed_translations_changed(struct core_feed *f)
{
    f->regime.stale = true;
    f->code_page = UINT64_MAX;
    if (f->active) {
        core_filter_empty(&f->filter);
    }
}

void core_feed_level_changed(struct armpmu_vcpu *v)
{
    struct core_feed *f = v->feed;
    CPUARMState *env = &v->cpu->env;
    const uint64_t host = HCR_E2H | HCR_TGE;

    if (is_active(f)) {
        const unsigned level = (unsigned)arm_current_el(env);
        const unsigned el = level != 0 ? level : (env->cp15.hcr_el2 & host) == host ? 2 : 1;

        if (el != f->regime.el) {
            f->regime.el = el;
            core_feed_translations_changed(f);
        }
    }
}

void core_feed_left(struct armpmu_vcpu *v, unsigned index)
{
    struct core_feed *f = v->feed;

    if (is_active(f) && f->stream.block != NULL) {
        stream_stop(&f->stream, index);
    }
}

void core_feed_exception(struct armpmu_vcpu *v)
{
    struct core_feed *f = v->feed;
    CPUARMState *env = &v->cpu->env;

    if (is_active(f) && CPU(v->cpu)->exception_index >= 0) { /* -1: an exception return, which ends its block */
        stream_interrupt(&f->stream, is_a64(env) ? env->pc : env->regs[15], exception_of_instruction(v));
    }
}

void core_feed_no_blocks(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        struct armpmu_vcpu *v = vcpu_of_env(cpu_env(cpu));

        cpu_env(cpu)->cp15.c14_pmevcntr_delta[CORE_SITE] = 0;
        if (v != NULL && is_active(v->feed)) {
            stream_flush(&v->feed->stream);
        }
    }
}

/* Tells that a block begins, and the branch that led to it.  Returns 1 if it must not begin yet. */
uint32_t HELPER(armpmu_core_enter)(CPUARMState *env, const void *block)
{
    const struct stream_block *b = block;
    struct core_feed *f = vcpu_of_env(env)->feed;
    const uint64_t pc = is_a64(env) ? env->pc : env->regs[15];

    if (!is_active(f)) {
        return 0;
    }
    if (f->stream.block != NULL && !stream_leave(&f->stream, pc)) {
        stream_leave_slow(&f->stream, pc, false);
    }
    f->stream.block = NULL; /* so that stream_enter() tells nothing of it once more */
    env->cp15.c14_pmevcntr_delta[CORE_SITE] = 0;
    if (f->regime.stale && (f->stream.parts & (APMU_CORE_ITLB | APMU_CORE_DTLB)) != 0) {
        core_space_refresh(f, env);
    }
    if ((f->stream.parts & (APMU_CORE_L1I | APMU_CORE_ITLB)) != 0 && !core_space_knows_code(f, pc, b->address)) {
        core_space_map_code(f, env, pc, b->address);
    }
    stream_enter(&f->stream, b, pc);
    if (!f->looks || !overflows(f)) {
        return 0;
    }
    stream_stop(&f->stream, 0);
    flush_overflow(env);
    cpu_exit(env_cpu(env));
    return 1;
}

/* Returns true if the access was told before the vCPU left the block because of it. */
static bool was_told(struct core_feed *f, uint64_t pc, uint64_t address)
{
    const bool is = f->told.there && f->told.pc == pc && f->told.address == address;

    f->told.there = f->told.there && !is;
    return is;
}

/* Makes the state of the vCPU that of the instruction whose code called from @ra.  Returns its pc. */
static uint64_t restore_pc(CPUARMState *env, uintptr_t ra)
{
    cpu_restore_state(env_cpu(env), ra);
    return is_a64(env) ? env->pc : env->regs[15];
}

/*
 * Returns the pc of the instruction of @site, if it is the first one of its block after the emulator's loop: behind
 * blocks that are chained the pc of the vCPU may be an older one.
 */
static uint64_t pc_of(const struct core_feed *f, CPUARMState *env, const struct core_site *site)
{
    return (f->stream.block != NULL ? f->stream.pc : is_a64(env) ? env->pc : env->regs[15]) + site->offset;
}

/* Tells an access that is about to be made. */
void HELPER(armpmu_core_access)(CPUARMState *env, uint64_t address, const void *access)
{
    const struct core_site *site = access;
    struct core_feed *f = vcpu_of_env(env)->feed;
    const uint32_t size = site->access.size != 0 ? site->access.size : site->size;
    uint64_t physical;

    if (!is_active(f) || (f->told.there && was_told(f, pc_of(f, env, site), address))) {
        return;
    }
    if (f->filter.on && site->plain && (!f->looks || --f->quiet > 0) &&
        core_filter_tell(&f->filter, f->core, address, size, site->store)) {
        return;
    }
    if (!core_space_map_data(f, env, address, size, site, &physical)) {
        return;
    }
    const bool hit = f->core->l1d.filtered && apmu_core_line_fast(&f->core->l1d, physical, size, site->store);

    stream_access(&f->stream, &site->access, physical, size, site->store);
    core_filter_note(&f->filter, f->core, address, physical, size);
    if (f->looks && (!hit || f->quiet-- <= 0) && overflows(f)) {
        f->told.pc = restore_pc(env, GETPC());
        f->told.address = address;
        f->told.there = true;
        flush_overflow(env);
        cpu_loop_exit(env_cpu(env));
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses that QEMU makes in functions of its own.
 */

#define PIECE UINT64_C(64) /* bytes of a range that are told at once */

/* Begins an instruction at @pc, or goes on with it if it was left. */
static void begin_instruction(struct core_feed *f, uint64_t pc)
{
    if (f->left.there && f->left.pc == pc) {
        f->own = f->left;
        f->own.skip = f->left.count;
        f->left.there = false;
    } else {
        memset(&f->own, 0, sizeof f->own);
    }
    f->own.count = 0;
}

/* Returns the instruction that is making such an access; NULL if nothing is to be told of it. */
static const struct core_site *begin_own(CPUARMState *env, struct core_feed **feed)
{
    uint64_t *word = &env->cp15.c14_pmevcntr_delta[CORE_SITE];
    struct armpmu_vcpu *v = *word != 0 ? vcpu_of_env(env) : NULL;
    const struct core_site *site = (const struct core_site *)(uintptr_t)(*word & ~CORE_SITE_USED);

    if (v == NULL || !is_active(v->feed) || (core_feed_tells(&v->feed->wishes) & CORE_ACCESSES) == 0) {
        return NULL;
    }
    *feed = v->feed;
    if ((*word & CORE_SITE_USED) == 0) {
        *word |= CORE_SITE_USED;
        begin_instruction(v->feed, pc_of(v->feed, env, site));
    }
    return site;
}

/* Tells an access.  Returns false if it would fault. */
static bool tell_own(struct core_feed *f, CPUARMState *env, const struct core_site *by, uint64_t address,
                     uint32_t size, bool store, int mmu_idx)
{
    struct core_site site = *by;
    uint64_t physical;

    site.store = store;
    site.mmu_idx = (uint8_t)mmu_idx;
    if (!core_space_map_data(f, env, address, size, &site, &physical)) {
        return false;
    }
    stream_access(&f->stream, &by->access, physical, size, store);
    core_filter_note(&f->filter, f->core, address, physical, size);
    f->quiet = 0;
    return true;
}

/* Leaves the instruction if its last access has overflowed a counter. */
static void leave_own(struct core_feed *f, CPUARMState *env, uintptr_t ra)
{
    if (!f->looks || ra == 0 || !overflows(f)) {
        return;
    }
    f->left = f->own;
    f->left.pc = restore_pc(env, ra);
    f->left.there = true;
    flush_overflow(env);
    cpu_loop_exit(env_cpu(env));
}

void armpmu_own_access(CPUARMState *env, uint64_t address, unsigned size, bool store, int mmu_idx, uintptr_t ra)
{
    struct core_feed *f;
    const struct core_site *site = begin_own(env, &f);

    if (site != NULL && f->own.count++ >= f->own.skip && tell_own(f, env, site, address, size, store, mmu_idx)) {
        leave_own(f, env, ra);
    }
}

/*
 * Tells the bytes from @from up to @to in pieces, unless one faults.  After each piece the instruction has told those
 * from @first up to its end.
 */
static void tell_pieces(struct core_feed *f, CPUARMState *env, const struct core_site *site, uint64_t first,
                        uint64_t from, uint64_t to, bool store, int mmu_idx, uintptr_t ra)
{
    for (uint64_t next; from < to; from = next) {
        next = MIN(to, (from | (PIECE - 1)) + 1);
        if (!tell_own(f, env, site, from, (uint32_t)(next - from), store, mmu_idx)) {
            return;
        }
        f->own.range[store].from = first;
        f->own.range[store].to = next;
        leave_own(f, env, ra);
    }
}

/* QEMU may call this again for a part of the range: for a page that it cannot access at once it goes on by bytes. */
void armpmu_own_range(CPUARMState *env, uint64_t address, uint64_t size, bool store, int mmu_idx, uintptr_t ra)
{
    struct core_feed *f;
    const struct core_site *site = begin_own(env, &f);
    const uint64_t end = address + size;

    if (site == NULL || size == 0 || end < address) {
        return;
    }
    const uint64_t from = f->own.range[store].from, to = f->own.range[store].to;
    const bool other = from == to || end < from || to < address;

    if (other) {
        tell_pieces(f, env, site, address, address, end, store, mmu_idx, ra);
    } else {
        tell_pieces(f, env, site, address, address, MIN(from, end), store, mmu_idx, ra);
        tell_pieces(f, env, site, MIN(from, address), MAX(to, address), end, store, mmu_idx, ra);
    }
    f->own.range[store].from = other ? address : MIN(from, address);
    f->own.range[store].to = other ? end : MAX(to, end);
}

void armpmu_own_copy(CPUARMState *env, uint64_t to, uint64_t from, uint64_t size, int to_idx, int from_idx,
                     uintptr_t ra)
{
    if (env->cp15.c14_pmevcntr_delta[CORE_SITE] != 0 && core_space_is_memory(env, from, false, from_idx) &&
        core_space_is_memory(env, to, true, to_idx)) {
        armpmu_own_range(env, from, size, false, from_idx, ra);
        armpmu_own_range(env, to, size, true, to_idx, ra);
    }
}
