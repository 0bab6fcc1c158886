/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `armpmu run` asks for, by the environment:
 *
 *   ARMPMU_REPORT=FILE  at exit: for each counter how long it counted, and how long it stood still for which reasons
 *   ARMPMU_TRACE=FILE   every action on the PMU of CPU 0 as a trace ("armpmu-trace 1"); of CPU n, FILE.n
 *   ARMPMU_WAVE=FILE    the state of the PMUs over time, as a Value Change Dump
 *   ARMPMU_LIMIT=N      ends the emulator when a CPU has executed N instructions
 *
 * Nothing of this is paid for where it is not asked for: `observed` is false then.
 */
#ifndef ARMPMU_QEMU_OBSERVE_H
#define ARMPMU_QEMU_OBSERVE_H

#include "vcpu.h"

extern bool observe_active;

/* observe.c */
/* An output file cannot be opened or written: ends the emulator at once, with a status that armpmu run passes on. */
G_NORETURN void observe_fail(const char *file, int error);
/* Closes an output file; false: something of it was not written, and errno says why. */
bool observe_close(FILE *file);
uint64_t observe_limit(const struct armpmu_vcpu *v); /* instructions of the vCPU until the end; UINT64_MAX: no limit */
void observe_cycles(struct armpmu_vcpu *v, uint64_t cycles); /* they are about to be told */
void observe_point(struct armpmu_vcpu *v);                   /* the model's state is that of now */

/* trace.c */
void trace_open(const char *file);
void trace_close(void); /* observe_fail() if something was not written; the same of wave_close() */
void trace_pe(struct armpmu_vcpu *v);
void trace_cycles(struct armpmu_vcpu *v, uint64_t cycles, const struct apmu_occurrence *ev, size_t count);
void trace_event(struct armpmu_vcpu *v, uint16_t event, uint64_t times);
/* With u->access, what becomes of it; of a read, @value is the result. */
void trace_access(struct armpmu_vcpu *v, bool writes, const char *view, const char *name, uint64_t value);
void trace_reset(struct armpmu_vcpu *v);

/* wave.c */
void wave_open(const char *file);
void wave_close(void);
void wave_begin(void); /* the first cycles of any CPU are about to be told */
void wave_sample(void);

#endif
