/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inserts what struct armpmu_insn asks for into the operations of a block.  QEMU's plugin-gen.c includes it. */
#ifndef ARMPMU_EMULATOR_INJECT_H
#define ARMPMU_EMULATOR_INJECT_H

/* Inserts the add at the edge of @insn that is reached if its condition passed, or failed. */
static void armpmu_inject_edge(const struct qemu_plugin_insn *insn, bool passed)
{
    if (insn->armpmu.edge[passed].adds) {
        struct qemu_plugin_inline_cb cb = {.entry = insn->armpmu.edge[passed].entry, .imm = 1};
        gen_inline_add_u64_cb(&cb);
    }
}

/* Inserts a check of the access of @insn to @address, if it is one of those to be checked. */
static void armpmu_inject_check(struct qemu_plugin_insn *insn, TCGv_i64 address)
{
    const uint64_t mask = insn->armpmu.alignment - 1;

    if (insn->armpmu.alignment == 0 || (insn->armpmu.first_only && insn->armpmu.checked)) {
        return;
    }
    insn->armpmu.checked = true;
    if (armpmu_emit_check(insn->armpmu.unaligned, address, mask)) {
        return;
    }
    TCGv_ptr to = gen_plugin_u64_ptr(insn->armpmu.unaligned);
    TCGv_i64 count = tcg_temp_ebb_new_i64(), is_unaligned = tcg_temp_ebb_new_i64();

    tcg_gen_andi_i64(is_unaligned, address, mask);
    tcg_gen_setcondi_i64(TCG_COND_NE, is_unaligned, is_unaligned, 0);
    tcg_gen_ld_i64(count, to, 0);
    tcg_gen_add_i64(count, count, is_unaligned);
    tcg_gen_st_i64(count, to, 0);
    tcg_temp_free_i64(is_unaligned);
    tcg_temp_free_i64(count);
    tcg_temp_free_ptr(to);
}

#endif
