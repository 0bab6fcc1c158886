/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Observation of a run, which `armpmu run` asks for by environment variables:
 *
 *   ARMPMU_REPORT=FILE  at exit: how long each counter counted, and how long it did not count for which reasons
 *   ARMPMU_TRACE=FILE   every action on the PMU of CPU 0 as a trace ("armpmu-trace 1"); that of CPU n is in FILE.n
 *   ARMPMU_WAVE=FILE    the state of the PMUs over time, as a Value Change Dump
 *   ARMPMU_LIMIT=N      ends the emulator when a CPU has executed N instructions
 *
 * Without any of these variables `observe_active` is false, and nothing below is called.
 */
#ifndef ARMPMU_QEMU_OBSERVE_H
#define ARMPMU_QEMU_OBSERVE_H

#include "vcpu.h"

extern bool observe_active;

/* ---------------------------------------------------------------------------------------------------------------
 * observe.c
 */

/* Reports that @file cannot be written, and ends the emulator with a status that armpmu run passes on. */
G_NORETURN void observe_fail(const char *file, int error);
/* Closes an output file.  Returns false, with the cause in errno, if some of it was not written. */
bool observe_close(FILE *file);
/* Returns how many more instructions the vCPU may execute before the run ends, at least 1; UINT64_MAX: no limit. */
uint64_t observe_limit(const struct armpmu_vcpu *v);
/* Adds @cycles to the time of each counter's present reasons.  Call it before these cycles are flushed. */
void observe_cycles(struct armpmu_vcpu *v, uint64_t cycles);
/* Takes a sample for the wave and ends the run at its limit.  Call it when everything executed is flushed. */
void observe_point(struct armpmu_vcpu *v);

/* ---------------------------------------------------------------------------------------------------------------
 * trace.c: each function after the first two writes one line to the trace of the vCPU, if there is a trace.
 */

/* Opens the trace, or ends the emulator. */
void trace_open(const char *file);
/* Ends and closes all traces; ends the emulator if some of it was not written. */
void trace_close(void);
/* Writes what changed in the PE since the last call; no line if nothing did. */
void trace_pe(struct armpmu_vcpu *v);
/* Writes @cycles cycles, in each of which the @count events @ev occur. */
void trace_cycles(struct armpmu_vcpu *v, uint64_t cycles, const struct apmu_occurrence *ev, size_t count);
/* Writes that @event occurred @times times outside any cycle. */
void trace_event(struct armpmu_vcpu *v, uint16_t event, uint64_t times);
/*
 * Writes an access to register @name of @view ("a64", "a32", "arm11") with the decision in v->access.  @value is the
 * value written, or the value that the read returned.
 */
void trace_access(struct armpmu_vcpu *v, bool writes, const char *view, const char *name, uint64_t value);
/* Writes a reset. */
void trace_reset(struct armpmu_vcpu *v);

/* ---------------------------------------------------------------------------------------------------------------
 * wave.c
 */

/* Opens the wave, or ends the emulator. */
void wave_open(const char *file);
/* Writes the last time and closes the wave; ends the emulator if some of it was not written. */
void wave_close(void);
/* Declares the signals of all vCPUs, on the first call.  Call it before the first cycles of any vCPU are flushed. */
void wave_begin(void);
/* Writes the signals that changed since the last call. */
void wave_sample(void);

#endif
