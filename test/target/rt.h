/* SPDX-License-Identifier: BSD-2-Clause */
/* A runtime for tests on bare metal, on QEMU's virt: one PE, no MMU, its UART and its GICv2. */
#ifndef ARMPMU_TEST_TARGET_RT_H
#define ARMPMU_TEST_TARGET_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/driver.h>

/* ---------------------------------------------------------------------------------------------------------------
 * What a test prints: "ok NAME", "not ok NAME: why", and where this machine is known to differ from the architecture
 * "note NAME: ..." and then "ok NAME".
 */

void rt_print(const char *text);
void rt_hex(uint64_t value);
void rt_decimal(uint64_t value);

/* The first parts of every name until the next call: "MDCR_EL2.HPMD = 1, ", "EL2, ". */
void rt_context(const char *first, const char *second);

/* All are false if the check failed. */
bool rt_true(const char *name, bool ok);
bool rt_equal(const char *name, uint64_t got, uint64_t want);
bool rt_error(const char *name, enum apmu_error got, enum apmu_error want);

/* As rt_equal(), but @seen may be got too, for the reason @why. */
bool rt_deviates(const char *name, uint64_t got, uint64_t want, uint64_t seen, const char *why);

/* The exit status of the program. */
int rt_status(void);

void rt_exit(int status) __attribute__((noreturn));

/* ---------------------------------------------------------------------------------------------------------------
 * Interrupts and exceptions.
 */

/* Called for each interrupt; how many there were, and where the last one was taken. */
extern void (*volatile rt_on_interrupt)(void);
extern volatile unsigned rt_interrupts;
extern volatile uintptr_t rt_interrupted;

/* To be called at the highest level that there is: the PMU's interrupt is enabled, and goes to @el. */
#define RT_HIGHEST 3u
void rt_gic_enable(unsigned el);
extern unsigned rt_interrupt_level;
void rt_interrupts_on(void);
void rt_interrupts_off(void);

/* While it is set, an undefined or trapped instruction is skipped, what it would have read is 0, and it is counted. */
extern volatile bool rt_skip_refused;
extern volatile unsigned rt_refused;

/* ---------------------------------------------------------------------------------------------------------------
 * Levels, AArch64: main() runs at EL3.
 */

enum rt_where { RT_EL0, RT_EL1, RT_EL2, RT_EL3, RT_SECURE_EL0, RT_SECURE_EL1, RT_LEVELS };

extern const char *const rt_level_names[RT_LEVELS];

typedef uintptr_t rt_function(void *arg);

/* Calls @f there and returns its value. */
uintptr_t rt_call(enum rt_where where, rt_function *f, void *arg);

/* What rt_call() sets in SCR_EL3 besides what it needs itself. */
extern uint64_t rt_scr;

/* FEAT_SEL2.  Where it is there, Secure EL2 is enabled; nothing runs at it. */
bool rt_has_secure_el2(void);

/* What rt_call() executes there besides the function: mov, blr and smc or svc. */
#define RT_CALL_INSTRUCTIONS 3u

/* AArch32: calls @f in User mode. */
uintptr_t rt_call_user(rt_function *f, void *arg);

/* ---------------------------------------------------------------------------------------------------------------
 * Code whose instructions are counted by inspection.
 */

uintptr_t rt_loop(void *n);                 /* 2n + 1 instructions; n is at least 1 */
uintptr_t rt_measure_event0(uintptr_t n);  /* PMEVCNTR0 after a loop, minus before it: 2n + 1 instructions */
uintptr_t rt_measure_cycles(uintptr_t n);  /* the same of PMCCNTR */
uintptr_t rt_measure_instructions(uintptr_t n); /* and of PMICNTR_EL0 */
uintptr_t rt_measure_svc(void *unused);        /* PMEVCNTR0 around an SVC that comes back: 2 instructions */
uintptr_t rt_measure_undefined(void *unused);  /* around one that is UNDEFINED, and skipped: 1 instruction */
#define RT_LOOP_INSTRUCTIONS(n) (2u * (n) + 1u)

#ifndef RT_SLED
#define RT_SLED 2000
#endif
void rt_sled(void); /* RT_SLED + 1 instructions in a row */

#endif
