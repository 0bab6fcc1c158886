/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One name for each thing that differs between the releases of QEMU in which the glue is built, 10.0 to 11.1: places of
 * headers, ID registers and functions that were renamed.
 */
#ifndef ARMPMU_QEMU_VERSIONS_H
#define ARMPMU_QEMU_VERSIONS_H

#include "qemu/osdep.h"

#include "cpu.h"
#if __has_include("system/memory.h")
#include "system/address-spaces.h"
#include "system/memory.h"
#else
#include "exec/address-spaces.h"
#include "exec/memory.h"
#endif
#if __has_include("hw/core/irq.h")
#include "hw/core/irq.h"
#include "hw/core/qdev.h"
#else
#include "hw/irq.h"
#include "hw/qdev-core.h"
#endif
#if __has_include("exec/icount.h")
#include "exec/icount.h"
#else
#include "system/cpu-timers.h"
#endif
#include "exec/tb-flush.h"

/* Read and write an ID register of @cpu.  They became an array in QEMU 10.1. */
#ifdef SET_IDREG
#define ID(cpu, reg, REG) GET_IDREG(&(cpu)->isar, REG)
#define SET_ID(cpu, reg, REG, value) SET_IDREG(&(cpu)->isar, REG, value)
#else
#define ID(cpu, reg, REG) ((cpu)->isar.reg)
#define SET_ID(cpu, reg, REG, value) ((cpu)->isar.reg = (value))
#endif

/* Returns address space @index of @cpu, or NULL if there is none.  From QEMU 11.0 on a CPU does not tell how many. */
static inline AddressSpace *address_space_of(CPUState *cpu, int index)
{
#if QEMU_VERSION_MAJOR < 11
    return index < cpu->num_ases ? cpu_get_address_space(cpu, index) : NULL;
#else
    return cpu_get_address_space(cpu, index);
#endif
}

/* Throws all translated blocks away.  Call it while no vCPU executes. */
static inline void flush_blocks(CPUState *cpu)
{
#if QEMU_VERSION_MAJOR > 10 || QEMU_VERSION_MINOR >= 2
    tb_flush__exclusive_or_serial();
#else
    tb_flush(cpu);
#endif
}

#endif
