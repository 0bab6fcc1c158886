/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callbacks by which a plugin tells modelled cores become operations that call only if the core's short cut does
 * not answer.
 *
 * Code finds the core of its vCPU, and where its list of blocks goes on, in two pointers of CPUState that only KVM
 * uses; where its list of visits goes on, in a third.  So the code is the same for all threads.
 */
#include "qemu/osdep.h"
#include "qemu/plugin.h"
#include "hw/core/cpu.h"
#include "tcg/tcg.h"
#include "tcg/tcg-temp-internal.h"
#include "core_code.h"

const struct armpmu_core_code *armpmu_core_code;
const int armpmu_core_at = (int)offsetof(CPUState, kvm_state) - (int)sizeof(CPUState);
const int armpmu_core_next_at = (int)offsetof(CPUState, kvm_run) - (int)sizeof(CPUState);
const int armpmu_core_visit_at = (int)offsetof(CPUState, kvm_dirty_gfns) - (int)sizeof(CPUState);
const int armpmu_core_vcpu_at = (int)offsetof(CPUState, cpu_index) - (int)sizeof(CPUState);

bool armpmu_core_answer(const struct armpmu_core_code *code)
{
#if defined(__x86_64__) && !defined(CONFIG_TCG_INTERPRETER)
    armpmu_core_code = code;
    return true;
#else
    return false;
#endif
}

uint32_t **armpmu_core_give(unsigned vcpu, void *core)
{
    CPUState *cpu = qemu_get_cpu(vcpu);

    cpu->kvm_state = core;
    return (uint32_t **)&cpu->kvm_run;
}

void **armpmu_core_visits(unsigned vcpu)
{
    return (void **)&qemu_get_cpu(vcpu)->kvm_dirty_gfns;
}

bool armpmu_core_emit_enter(const struct qemu_plugin_regular_cb *cb)
{
    const struct armpmu_core_code *code = armpmu_core_code;

    if (code == NULL || cb->f.vcpu_udata != code->enter) {
        return false;
    }
    TCGOp *op = tcg_emit_op(INDEX_op_armpmu_add, 2);
    op->args[0] = ((const char *)cb->userp - (const char *)code->blocks) / 8;
    op->args[1] = ARMPMU_CORE_ENTER;
    return true;
}

/* What is noted in an operation plugin_mem_cb, above its meminfo: bytes of the same instruction before it, and this. */
enum { BYTES_AT = 32 };
#define ONE_OF_SOME (UINT64_C(1) << 63)
#define LAST        (UINT64_C(1) << 62)
#define STRANGE     (UINT64_C(1) << 61) /* these are not what the size of the access says */

/* Notes in @op, the first access of its instruction, and those behind it how they make up one of @size bytes. */
static void note_parts(TCGOp *op, uint32_t size, bool store)
{
    uint64_t bytes = 0;
    bool strange = false;
    TCGOp *last = op;

    for (TCGOp *o = op; o != NULL && o->opc != INDEX_op_insn_start; o = QTAILQ_NEXT(o, link)) {
        if (o->opc == INDEX_op_plugin_mem_cb) {
            const qemu_plugin_meminfo_t info = o->args[1];

            strange = strange || qemu_plugin_mem_is_store(info) != store;
            o->args[1] = info | bytes << BYTES_AT | ONE_OF_SOME;
            bytes += 1u << qemu_plugin_mem_size_shift(info);
            last = o;
        }
    }
    last->args[1] |= LAST;
    for (TCGOp *o = op; o != NULL && o->opc != INDEX_op_insn_start; o = QTAILQ_NEXT(o, link)) {
        if (o->opc == INDEX_op_plugin_mem_cb && (strange || bytes != size)) {
            o->args[1] |= STRANGE;
        }
    }
}

/* The accesses of the block that is translated, NULL: none so far.  QEMU translates under a lock. */
static struct armpmu_core_counts *block_counts;

void armpmu_core_begin_block(void)
{
    block_counts = NULL;
}

/* Returns whether an instruction may leave out what @op does: a branch of translated code is before it. */
static bool is_conditional(const TCGOp *op)
{
    for (; op != NULL && op->opc != INDEX_op_insn_start; op = QTAILQ_PREV(op, link)) {
        if (tcg_op_defs[op->opc].flags & TCG_OPF_BB_END) {
            return true;
        }
    }
    return false;
}

/* Counts @access together with the others of its block, from where the first one is emitted. */
static void count_with_block(struct armpmu_core_access *access)
{
    if (block_counts == NULL) {
        TCGOp *op = tcg_emit_op(INDEX_op_armpmu_add, 2);

        block_counts = tcg_malloc(sizeof *block_counts);
        *block_counts = (struct armpmu_core_counts){.end = &block_counts->first};
        op->args[0] = (uintptr_t)block_counts;
        op->args[1] = ARMPMU_CORE_COUNT;
    }
    access->counts = block_counts;
    *block_counts->end = access;
    block_counts->end = &access->next;
    *(access->store ? &block_counts->stores : &block_counts->loads) += 1;
    access->number = block_counts->loads + block_counts->stores;
}

void armpmu_core_leave_early(CPUState *cpu, const TranslationBlock *tb, unsigned left)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    char *core = (char *)cpu->kvm_state;

    if (code == NULL || tb->armpmu_accesses == 0 || core == NULL) {
        return;
    }
    const uint16_t *access = (const void *)((const char *)tb->tc.ptr + tb->armpmu_accesses);
    const unsigned here = tb->icount - left, count = *access++;

    for (unsigned i = 0; here > access[0] >> 1 && i < count; i++) { /* else nothing was counted yet */
        if (access[i] >> 1 >= here) {
            *(uint64_t *)(core + (access[i] & 1 ? code->stores : code->loads)) -= 1;
        }
    }
}

bool armpmu_core_emit_access(const struct qemu_plugin_regular_cb *cb, TCGOp *op, TCGv_i64 address)
{
    const struct armpmu_core_code *code = armpmu_core_code;
    const uint32_t size = (uintptr_t)cb->userp & 0xffff;

    if (code == NULL || code->sets == 0 || (cb->f.vcpu_mem != code->load && cb->f.vcpu_mem != code->store)) {
        return false;
    }
    const bool store = cb->f.vcpu_mem == code->store;

    if ((op->args[1] & ONE_OF_SOME) == 0) {
        note_parts(op, size, store);
    }
    if ((op->args[1] & STRANGE) != 0) {
        return false;
    }
    if ((op->args[1] & LAST) != 0) {
        struct armpmu_core_access *access = tcg_malloc(sizeof *access);
        *access = (struct armpmu_core_access){
            .call = store ? code->store_whole : code->load_whole,
            .userdata = cb->userp,
            .info = op->args[1],
            .size = size,
            .before = op->args[1] >> BYTES_AT & 0xffff,
            .store = store,
            .visits = code->visits != 0,
        };
        if (!is_conditional(op)) {
            count_with_block(access);
        }
        TCGOp *new = tcg_emit_op(INDEX_op_plugin_mem_cb, 2);

        new->args[0] = tcgv_i64_arg(address);
        new->args[1] = (uintptr_t)access;
    }
    return true;
}
