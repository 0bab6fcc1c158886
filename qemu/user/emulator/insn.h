/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What translated code of an instruction counts beyond QEMU's callbacks.  It is a member of struct qemu_plugin_insn. */
#ifndef ARMPMU_EMULATOR_INSN_H
#define ARMPMU_EMULATOR_INSN_H

#include "qemu/qemu-plugin.h"
#include "emulator.h"

/* The place of an operation of QEMU's that marks where plugins may insert code: an edge, by its index in edge[]. */
#define ARMPMU_FROM_EDGE 16

struct armpmu_insn {
    unsigned edges; /* those that it has: a set of enum armpmu_edge */
    struct {
        bool adds;
        qemu_plugin_u64 entry;
    } edge[2]; /* the condition failed; it passed */
    unsigned alignment; /* of the accesses that are checked, or 0 */
    bool first_only, checked;
    qemu_plugin_u64 unaligned;
};

/* Marks a place in translated code that is reached if the condition of the instruction failed, or if it passed. */
void armpmu_mark_edge(bool passed);

#endif
