/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds to a counter, in the row of the vCPU.
 *
 * Interface 1 adds inline to one address, so for one thread; when there are more, code calls back.  Later interfaces
 * add to an element of a scoreboard, of which each vCPU has its own, at base + index * size + offset.  A scoreboard is
 * memory of the emulator, which nobody could read after a kill.  But the plugin chooses size and offset: the size is
 * the distance between the rows of a tile, and the offset leads from the scoreboard to the counter in the image.  An
 * index beyond the rows would lead to another counter, so code calls back before there can be that many vCPUs.
 */
#include "stack.h"

#include <pthread.h>

static struct qemu_plugin_scoreboard *rows; /* NULL in interface 1 */

/* The highest index of a vCPU, and the number of threads being made, whose vCPUs may get higher ones. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned highest, expected;

void count_open(void)
{
    if (qemu_plugin_version >= 3) {
        rows = qemu_plugin_scoreboard_new(APMU_TILE * sizeof(uint64_t));
    }
}

static void count_in_call(unsigned vcpu, void *userdata)
{
    count_shape(vcpu, (uint32_t)(uintptr_t)userdata);
}

/* Returns the counter @number as an entry of the scoreboard: for each vCPU the counter in its row. */
static qemu_plugin_u64 in_rows(uint32_t number)
{
    const uintptr_t base = (uintptr_t)qemu_plugin_scoreboard_find(rows, 0);
    return (qemu_plugin_u64){rows, (uintptr_t)image_counter(0, number) - base};
}

/* Returns whether code may add inline to the words of vCPUs. */
static bool adds_inline(void)
{
    return rows != NULL ? !plugin.crowded : !plugin.threaded;
}

/* Makes the block @tb, or its instruction @insn if that is not NULL, add @value to the word @at in the vCPU's slot. */
static void add_to_slot(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, size_t at, uint64_t value)
{
    char *word = (char *)nodes_graph->slot + at;

    if (rows != NULL) {
        const uintptr_t base = (uintptr_t)qemu_plugin_scoreboard_find(rows, 0);
        const qemu_plugin_u64 entry = {rows, (uintptr_t)word - base};
        if (insn == NULL) {
            qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, entry, value);
        } else {
            qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, entry, value);
        }
    } else if (insn == NULL) {
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, word, value);
    } else {
        qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, word, value);
    }
}

void count_in_slot(struct qemu_plugin_tb *tb, size_t at, qemu_plugin_vcpu_udata_cb_t call)
{
    if (adds_inline()) {
        add_to_slot(tb, NULL, at, 1);
    } else {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, call, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

/* Returns what one count of the counter @number stands for. */
static const uint16_t *vector_of(uint32_t number)
{
    const uint64_t shape = number < APMU_SHAPES ? number : plugin.shapes->block[number - APMU_SHAPES].shape - 1;
    return plugin.shapes->vector[shape];
}

/* Makes code that adds inline to the counter @number add to the running counts of the call graph, too. */
static void add_to_tally(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t number)
{
    const uint16_t *vector = vector_of(number);

    for (uint32_t e = 0; e < nodes_events; e++) {
        const uint16_t times = vector[plugin.setup->graph.source[e]];
        if (times != 0) {
            add_to_slot(tb, insn, offsetof(struct apmu_graph_slot, tally) + e * sizeof(uint64_t), times);
        }
    }
}

/* Adds @value times what the counter @number stands for to the running counts of @vcpu. */
static void tally(unsigned vcpu, uint32_t number, uint64_t value)
{
    const uint16_t *vector = vector_of(number);
    struct apmu_graph_slot *slot = &nodes_graph->slot[nodes_slot(vcpu)];

    for (uint32_t e = 0; e < nodes_events; e++) {
        const uint64_t times = value * vector[plugin.setup->graph.source[e]];
        if (vcpu < APMU_GRAPH_SLOTS - 1) {
            slot->tally[e] += times;
        } else {
            __atomic_fetch_add(&slot->tally[e], times, __ATOMIC_RELAXED);
        }
    }
}

/* Makes the block @tb add one to the counter @number at its entry. */
static void at_block(struct qemu_plugin_tb *tb, uint32_t number)
{
    if (rows != NULL && !plugin.crowded) {
        qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, in_rows(number), 1);
    } else if (rows == NULL && !plugin.threaded) {
        qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, image_counter(0, number), 1);
    } else {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, count_in_call, QEMU_PLUGIN_CB_NO_REGS, count_userdata(number));
    }
}

/* Makes translated code add one to the counter @number when @insn begins. */
static void at_insn(struct qemu_plugin_insn *insn, uint32_t number)
{
    if (rows != NULL && !plugin.crowded) {
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, in_rows(number), 1);
    } else if (rows == NULL && !plugin.threaded) {
        qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, image_counter(0, number), 1);
    } else {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, count_in_call, QEMU_PLUGIN_CB_NO_REGS, count_userdata(number));
    }
}

void count_at(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *insn, uint32_t number)
{
    if (nodes_graph != NULL && adds_inline()) {
        add_to_tally(tb, insn, number);
    }
    if (insn == NULL) {
        at_block(tb, number);
    } else {
        at_insn(insn, number);
    }
}

/* A call graph counts outcomes in its running counts, too, which callbacks do. */
bool count_has_edges(void)
{
    return nodes_graph == NULL && rows != NULL && !plugin.crowded && armpmu_add_at_edge != NULL;
}

void count_at_edge(struct qemu_plugin_insn *insn, enum armpmu_edge edge, uint32_t number)
{
    armpmu_add_at_edge(insn, edge, in_rows(number));
}

bool count_unaligned(struct qemu_plugin_insn *insn, unsigned alignment, bool first_only, uint32_t number)
{
    return count_has_edges() && armpmu_add_unaligned(insn, alignment, first_only, in_rows(number));
}

/* Adds @value to the counter @number for @vcpu, unless that is NO_SHAPE. */
static void add(unsigned vcpu, uint32_t number, uint64_t value)
{
    if (number == NO_SHAPE) {
        return;
    }
    if (nodes_graph != NULL) {
        tally(vcpu, number, value);
    }
    if (vcpu < APMU_ROWS - 1) {
        uint64_t *c = image_counter(vcpu, number);
        __atomic_store_n(c, __atomic_load_n(c, __ATOMIC_RELAXED) + value, __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_add(image_counter(APMU_ROWS - 1, number), value, __ATOMIC_RELAXED);
    }
}

void count_shape(unsigned vcpu, uint32_t number)
{
    add(vcpu, number, 1);
}

void count_add(unsigned vcpu, uint32_t number, uint64_t value)
{
    add(vcpu, number, value);
}

void count_give_back(unsigned vcpu, uint32_t number)
{
    add(vcpu, number, UINT64_MAX);
}

/*
 * Throws translated code away while half of the rows are still left; code calls back from then on.  Until that is done
 * each other thread calls this once at most, and then waits in retranslate_settle().  So no code that adds inline is
 * executed by a vCPU beyond the rows.
 */
void count_foresee_thread(void)
{
    pthread_mutex_lock(&lock);
    expected++;
    bool now = rows != NULL && !plugin.crowded && highest + expected >= APMU_ROWS / 2 - 1;
    if (now) {
        plugin.crowded = true;
    }
    pthread_mutex_unlock(&lock);
    if (now) {
        retranslate_all();
    }
}

/* If a thread could not be made, it stays expected, so code calls back a little earlier than it must. */
void count_thread(unsigned vcpu)
{
    pthread_mutex_lock(&lock);
    if (expected > 0) {
        expected--;
    }
    if (highest < vcpu) {
        highest = vcpu;
    }
    pthread_mutex_unlock(&lock);
}

void count_child(void)
{
    pthread_mutex_init(&lock, NULL);
    expected = 0;
}
