/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of a process that never had a second thread.  It knows its vCPU, so an inline add of a plugin is to a known
 * address.
 */
#ifndef ARMPMU_EMULATOR_ALONE_H
#define ARMPMU_EMULATOR_ALONE_H

#include "qemu/qemu-plugin.h"
#include "tcg/tcg.h"

/* Returns true if the process never had a second thread. */
bool armpmu_is_alone(void);

/* Discards all translated code if the thread that @cpu is about to make is the second one. */
void armpmu_thread_begins(CPUState *cpu);

/*
 * Emits an operation that adds @value to the current vCPU's element of a scoreboard.  Returns false, and emits nothing,
 * if the process has had threads or the host has no instruction that reaches the element.
 */
bool armpmu_emit_add(qemu_plugin_u64 entry, uint64_t value);

/* Emits an operation that adds 1 if @value has one of the bits of @mask.  Returns false as armpmu_emit_add() does. */
bool armpmu_emit_check(qemu_plugin_u64 entry, TCGv_i64 value, uint64_t mask);

#endif
