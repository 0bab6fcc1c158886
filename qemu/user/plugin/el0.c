/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives the program a PMU at EL0.
 *
 * QEMU answers an access to a PMU register with SIGILL.  The shim in the program catches that and asks here by a system
 * call (call.h).  The model answers, after it has been fed with the counts up to now.  A thread is a PE, so it has a
 * PMU of its own.  Threads beyond the rows of the image share the last PMU.
 */
#define _GNU_SOURCE
#include "../../classify/feed.h"
#include "plugin.h"

#include <armpmu/regs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The value up to which the model has been fed with each counter of the image.  It is as sparse as the image. */
static uint64_t fed[APMU_ROWS][APMU_SHAPES];

/* An access to a PMU register in the program's code.  Never freed. */
struct pmu_access_site {
    uint64_t pc;
    uint32_t word;
};

/* Adds to @delta what the counters of the shapes @first to @first + @count - 1 in @row counted since the last call. */
static void collect(uint32_t row, uint32_t first, uint32_t count, uint64_t delta[APMU_SOURCE_COUNT])
{
    for (uint32_t id = first; id < first + count; id++) {
        if (!image_is_reserved(id)) {
            continue;
        }
        uint64_t now = __atomic_load_n(image_counter(row, id), __ATOMIC_RELAXED);
        uint64_t times = now - fed[row][id];
        if (times == 0) {
            continue;
        }
        fed[row][id] = now;
        for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
            delta[s] += times * plugin.shapes->vector[id][s];
        }
    }
}

/* Feeds @pmu with what was counted in @row since the last call, or drops that if it is NULL.  The caller locks. */
static void feed_pmu(uint32_t row, struct apmu *pmu)
{
    uint64_t delta[APMU_SOURCE_COUNT] = {0};

    collect(row, 0, apmu_at_most(plugin.shapes->head.blocks, APMU_BLOCK_SHAPES), delta);
    collect(row, APMU_BLOCK_SHAPES, apmu_at_most(plugin.shapes->head.insns, APMU_SHAPES - APMU_BLOCK_SHAPES), delta);
    if (pmu == NULL) {
        return;
    }
    delta[APMU_SOURCE_SW_INCR] = 0; /* perform() fed these when PMSWINC_EL0 was written */
    struct apmu_pe pe = apmu_program_pe(pmu);
    apmu_feed(pmu, 1, &pe, delta);
}

void el0_flush(unsigned vcpu)
{
    if (!plugin.setup->el0) {
        return;
    }
    pthread_mutex_lock(&lock);
    feed_pmu(image_row(vcpu), &plugin.image->pmu[image_row(vcpu)]);
    pthread_mutex_unlock(&lock);
}

void el0_begin(unsigned vcpu)
{
    if (!plugin.setup->el0) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (plugin.image->pmu[image_row(vcpu)].cfg.size == 0 || vcpu < APMU_ROWS - 1) { /* not a shared one in use */
        feed_pmu(image_row(vcpu), NULL); /* drops what an earlier thread of this row counted */
        plugin.image->pmu[image_row(vcpu)] = plugin.setup->el0_pmu;
    }
    pthread_mutex_unlock(&lock);
}

void el0_lock(void)
{
    pthread_mutex_lock(&lock);
}

void el0_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void el0_fork(void)
{
    if (plugin.setup->el0) {
        madvise(fed, sizeof fed, MADV_DONTNEED);
    }
}

/* Performs the access @word, with *@value for what it writes or reads.  Returns false if the PMU refuses it. */
static bool perform(unsigned vcpu, uint32_t word, uint64_t *value)
{
    struct apmu *pmu = &plugin.image->pmu[image_row(vcpu)];
    struct apmu_pe pe = apmu_program_pe(pmu);
    bool write = !(word & (1u << 21));
    enum apmu_reg reg;
    unsigned n;

    if (!apmu_reg_by_a64((uint16_t)(word >> 5), &reg, &n)) {
        return false;
    }
    struct apmu_access access = apmu_access(pmu, &pe, reg, n, write);
    if (access.outcome == APMU_ACCESS_RAZ || access.outcome == APMU_ACCESS_WI) {
        *value = 0;
        return true;
    }
    if (access.outcome != APMU_ACCESS_OK && access.outcome != APMU_ACCESS_UNPREDICTABLE) {
        snprintf(plugin.image->head.trap_control, sizeof plugin.image->head.trap_control, "%s", access.control);
        return false;
    }
    if (!write) {
        *value = apmu_peek(pmu, &pe, reg, n);
    } else {
        apmu_poke(pmu, &pe, reg, n, *value, NULL);
        if (reg == APMU_REG_PMSWINC_EL0 && *value != 0) {
            count_shape(vcpu, shapes_single(APMU_TRAIT_SW_INCR));
        }
    }
    return true;
}

/* Answers the shim's APMU_CALL_ACCESS. */
static void answer(unsigned vcpu, uint32_t word, uint64_t value, uint64_t answer_addr)
{
    struct apmu_call_answer a = {value, 0};

    if (!plugin.setup->el0 || !(apmu_a64_traits(word) & APMU_TRAIT_PMU)) {
        return;
    }
    pthread_mutex_lock(&lock);
    feed_pmu(image_row(vcpu), &plugin.image->pmu[image_row(vcpu)]);
    a.allowed = perform(vcpu, word, &a.value);
    if (a.allowed && guest_write(answer_addr, &a, sizeof a)) {
        translate_count_pmu(vcpu, word);
        __atomic_fetch_sub(&plugin.image->head.trapped, 1, __ATOMIC_RELAXED);
    } else {
        plugin.image->head.trap_refused = 1;
    }
    pthread_mutex_unlock(&lock);
}

void el0_call(unsigned vcpu, uint64_t call, uint64_t a1, uint64_t a2, uint64_t a3)
{
    if (call == APMU_CALL_SHIM) {
        plugin.shim_start = a1;
        plugin.shim_end = a2;
        __atomic_fetch_and(&plugin.image->head.notes, ~(uint32_t)APMU_NOTE_NO_SHIM, __ATOMIC_RELAXED);
    } else if (call == APMU_CALL_ACCESS) {
        answer(vcpu, (uint32_t)a1, a2, a3);
    }
}

/* Notes the access @userdata, in case QEMU's SIGILL ends the program. */
static void note_access(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    const struct pmu_access_site *a = userdata;
    plugin.image->head.trap_pc = a->pc;
    plugin.image->head.trap_word = a->word;
    plugin.image->head.trap_a32 = plugin.kind == APMU_PROGRAM_AARCH32;
    __atomic_fetch_add(&plugin.image->head.trapped, 1, __ATOMIC_RELAXED);
}

void el0_watch(struct qemu_plugin_insn *insn, uint32_t word)
{
    struct pmu_access_site *a = malloc(sizeof *a); /* never freed */
    if (a == NULL) {
        return;
    }
    *a = (struct pmu_access_site){qemu_plugin_insn_vaddr(insn), word};
    qemu_plugin_register_vcpu_insn_exec_cb(insn, note_access, QEMU_PLUGIN_CB_NO_REGS, a);
}

static void note_userenr(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    __atomic_fetch_or(&plugin.image->head.notes, APMU_NOTE_USERENR, __ATOMIC_RELAXED);
}

void el0_watch_userenr(struct qemu_plugin_insn *insn, uint32_t word)
{
    if (plugin.setup->el0 && (word & 0xffffffe0) == 0xd53b9e00) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, note_userenr, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}
