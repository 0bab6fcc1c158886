/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts outcomes in translated code.  An instruction with a condition has code for both outcomes anyway.  So an add in
 * either costs as much as any inline add, and no callback must find out later which one it was.
 */
#include "qemu/osdep.h"
#include "qemu/plugin.h"
#include "tcg/tcg.h"
#include "tcg/tcg-op-common.h"

void armpmu_mark_edge(bool passed)
{
    if (tcg_ctx->plugin_insn != NULL) {
        tcg_ctx->plugin_insn->armpmu.edges |= passed ? ARMPMU_EDGE_PASSED : ARMPMU_EDGE_FAILED;
        tcg_gen_plugin_cb(ARMPMU_FROM_EDGE + passed);
    }
}

unsigned armpmu_edges(const struct qemu_plugin_insn *insn)
{
    return insn->armpmu.edges;
}

void armpmu_add_at_edge(struct qemu_plugin_insn *insn, enum armpmu_edge edge, qemu_plugin_u64 entry)
{
    const bool passed = edge == ARMPMU_EDGE_PASSED;

    insn->armpmu.edge[passed].adds = true;
    insn->armpmu.edge[passed].entry = entry;
}

bool armpmu_add_unaligned(struct qemu_plugin_insn *insn, unsigned alignment, bool first_only, qemu_plugin_u64 entry)
{
    if (insn->calls_helpers) {
        return false;
    }
    insn->armpmu.alignment = alignment;
    insn->armpmu.first_only = first_only;
    insn->armpmu.checked = false;
    insn->armpmu.unaligned = entry;
    return true;
}
