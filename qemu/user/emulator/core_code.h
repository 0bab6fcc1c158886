/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that answers for a modelled core: from the callbacks of a plugin (core_code.c) to the host (host_core.h). */
#ifndef ARMPMU_EMULATOR_CORE_CODE_H
#define ARMPMU_EMULATOR_CORE_CODE_H

#include "qemu/qemu-plugin.h"
#include "exec/translation-block.h"
#include "tcg/tcg.h"
#include "emulator.h"

struct armpmu_core_access;

/* The accesses of a block that are counted together: those that are executed whenever the block is. */
struct armpmu_core_counts {
    uint32_t loads, stores;
    struct armpmu_core_access *first, **end; /* a list */
};

/* An access to memory, the operand of an operation. */
struct armpmu_core_access {
    struct armpmu_core_counts *counts; /* NULL: it counts itself */
    struct armpmu_core_access *next; /* of those counted together */
    uint32_t number; /* from 1, among these */
    qemu_plugin_vcpu_mem_cb_t call; /* if it is not answered */
    void *userdata;
    qemu_plugin_meminfo_t info;
    uint32_t size;
    uint32_t before; /* bytes of it that lie before the address */
    bool store;
    bool visits; /* it is appended to the list of visits */
};

/* The value of an operation armpmu_add that enters a block; its address is the block's place in the list. */
#define ARMPMU_CORE_ENTER UINT64_MAX
/* Its value where it counts accesses; its address is that of their struct armpmu_core_counts. */
#define ARMPMU_CORE_COUNT (UINT64_MAX - 1)

extern const struct armpmu_core_code *armpmu_core_code; /* NULL: there is no core */
extern const int armpmu_core_at, armpmu_core_next_at, armpmu_core_visit_at, armpmu_core_vcpu_at; /* places in env */

struct qemu_plugin_regular_cb;

/* Begins the next block. */
void armpmu_core_begin_block(void);

/* Takes back what the block @tb, which @cpu leaves with @left instructions to execute, counted for these. */
void armpmu_core_leave_early(CPUState *cpu, const TranslationBlock *tb, unsigned left);

/* Emits what replaces a callback at the entry of a block.  Returns false, and emits nothing, if it is no core's. */
bool armpmu_core_emit_enter(const struct qemu_plugin_regular_cb *cb);

/* Emits what replaces a callback of the access to @address that @op is, likewise. */
bool armpmu_core_emit_access(const struct qemu_plugin_regular_cb *cb, TCGOp *op, TCGv_i64 address);

#endif
