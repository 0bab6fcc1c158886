/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes blocks and accesses when they are translated, and generates the calls that tell them (core_feed.h). */
#include "core_code.h"

#include "tcg/tcg-op.h"

#include "armpmu-qemu/classify/traits.h"

#define HELPER_H "target/arm/armpmu/helper.h"
#include "exec/helper-proto.h.inc"
#include "exec/helper-gen.h.inc"
#undef HELPER_H

#define LONGEST_BLOCK 512 /* in instructions: QEMU's TCG_MAX_INSNS */

/* The block that this thread is translating. */
static __thread struct {
    unsigned told;
    enum stream_isa isa;
    struct stream_insn insns[LONGEST_BLOCK];
    size_t count;
    uint64_t address, next; /* physical, of the block and of the next instruction */
    bool accesses;          /* the instruction accesses memory: see access */
    struct stream_access access;
    bool loaded, stored;    /* the accesses of the instruction are told */
} now;

/* What the code of all blocks refers to.  The lock protects it. */
static GPtrArray *kept;
static QemuMutex lock;

static void __attribute__((constructor)) start(void)
{
    qemu_mutex_init(&lock);
    kept = g_ptr_array_new_with_free_func(g_free);
}

/* Returns a copy of the @size bytes at @data, which lasts as long as translated code. */
static void *keep(const void *data, size_t size)
{
    void *copy = g_memdup2(data, size);

    qemu_mutex_lock(&lock);
    g_ptr_array_add(kept, copy);
    qemu_mutex_unlock(&lock);
    return copy;
}

void core_code_no_blocks(void)
{
    core_feed_no_blocks();
    qemu_mutex_lock(&lock);
    g_ptr_array_set_size(kept, 0);
    qemu_mutex_unlock(&lock);
}

void core_code_begin(unsigned told)
{
    now.told = told;
    now.count = 0;
    now.accesses = false;
    now.address = 0;
    if ((told & CORE_BLOCKS) != 0) {
        CPUARMState *env = cpu_env(current_cpu);

        now.address = core_space_of_code(env, is_a64(env) ? env->pc : env->regs[15]);
    }
    now.next = now.address;
}

void core_code_instruction(enum stream_isa isa, uint64_t traits, uint32_t word, unsigned bytes)
{
    if (now.told == 0 || now.count == LONGEST_BLOCK) {
        return;
    }
    now.isa = isa;
    now.insns[now.count++] = (struct stream_insn){
        .traits = traits & ~APMU_TRAIT_TRAP, .address = now.next, .word = word, .bytes = (uint8_t)bytes,
    };
    now.next += bytes;
    now.loaded = now.stored = false;
    now.accesses = false;
    if ((now.told & CORE_ACCESSES) != 0) {
        const struct stream_code code = {.isa = isa, .insns = now.insns, .count = now.count};

        now.accesses = stream_access_of(&code, now.count - 1, &now.access);
        now.access.parts = 0; /* the whole access is told at the first of its parts */
    }
    if (now.accesses && now.access.size == 0) { /* QEMU may make it in a function of its own */
        const struct core_site site = {.access = now.access};

        tcg_gen_st_i64(tcg_constant_i64((intptr_t)keep(&site, sizeof site)), tcg_env,
                       offsetof(CPUARMState, cp15.c14_pmevcntr_delta[CORE_SITE]));
    }
}

void core_code_not_retired(unsigned index)
{
    if (now.told != 0 && index <= now.count) {
        now.insns[index - 1].traits |= APMU_TRAIT_TRAP;
    }
}

void core_code_access(TCGTemp *address, unsigned mmu_idx, unsigned size, bool store)
{
    const bool both = now.access.does == (STREAM_LOADS | STREAM_STORES) && now.access.size != 0;
    const unsigned does = now.access.does & (store ? STREAM_STORES : STREAM_LOADS);

    if (now.told == 0 || !now.accesses || (both ? !store : does == 0) ||
        (now.access.size != 0 && (store ? now.stored : now.loaded))) {
        return;
    }
    *(store ? &now.stored : &now.loaded) = true;
    const struct core_site site = {
        .access = now.access,
        .offset = (uint32_t)(now.insns[now.count - 1].address - now.address),
        .size = (uint16_t)size, .mmu_idx = (uint8_t)mmu_idx, .store = store, .plain = !both,
    };
    TCGv_i64 at = tcg_temp_new_i64();

    if (tcg_ctx->addr_type == TCG_TYPE_I32) {
        tcg_gen_extu_i32_i64(at, temp_tcgv_i32(address));
    } else {
        tcg_gen_mov_i64(at, temp_tcgv_i64(address));
    }
    gen_helper_armpmu_core_access(tcg_env, at, tcg_constant_ptr(keep(&site, sizeof site)));
}

void core_code_end(TCGLabel **leave)
{
    if ((now.told & CORE_BLOCKS) == 0 || now.count == 0) {
        return;
    }
    const struct stream_code code = {
        .isa = now.isa, .line_shift = ctz32(core_feed_row.value[APMU_CORE_KEY_L1I_LINE]),
        .insns = now.insns, .count = now.count,
    };
    g_autofree struct stream_block *block = g_malloc(stream_room(now.count));
    const size_t size = stream_describe(&code, block);
    TCGv_i32 must_leave = tcg_temp_new_i32();

    gen_helper_armpmu_core_enter(must_leave, tcg_env, tcg_constant_ptr(keep(block, size)));
    *leave = gen_new_label();
    tcg_gen_brcondi_i32(TCG_COND_NE, must_leave, 0, *leave);
}
