/* SPDX-License-Identifier: BSD-2-Clause */
/* A bare-metal runtime for tests on QEMU's virt machine: one PE, no MMU, its UART and its GICv2. */
#ifndef ARMPMU_TEST_TARGET_RT_H
#define ARMPMU_TEST_TARGET_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/driver.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Output of a test: "ok NAME" or "not ok NAME: why".  Where this machine is known to differ from the architecture:
 * "note NAME: ..." and then "ok NAME".
 */

void rt_print(const char *text);
void rt_hex(uint64_t value);
void rt_decimal(uint64_t value);

/* Sets the first parts of every name until the next call: "MDCR_EL2.HPMD = 1, ", "EL2, ". */
void rt_context(const char *first, const char *second);

/* Print the result of a check, and return false if it failed. */
bool rt_true(const char *name, bool ok);
bool rt_equal(const char *name, uint64_t got, uint64_t want);
bool rt_error(const char *name, enum apmu_error got, enum apmu_error want);

/* As rt_equal(), but also accepts @seen, with a note that gives the reason @why. */
bool rt_deviates(const char *name, uint64_t got, uint64_t want, uint64_t seen, const char *why);

/* Returns the exit status of the program. */
int rt_status(void);

void rt_exit(int status) __attribute__((noreturn));

/* ---------------------------------------------------------------------------------------------------------------
 * Interrupts and exceptions.
 */

/* The function called for each interrupt, the number of interrupts, and the address where the last one was taken. */
extern void (*volatile rt_on_interrupt)(void);
extern volatile unsigned rt_interrupts;
extern volatile uintptr_t rt_interrupted;

#define RT_HIGHEST 3u

/* Enables the interrupt of the PMU and routes it to @el.  Called at the highest Exception level that is implemented. */
void rt_gic_enable(unsigned el);

/* The Exception level to which rt_gic_enable() routes the interrupt. */
extern unsigned rt_interrupt_level;

/* Unmask and mask interrupts at the Exception level that runs. */
void rt_interrupts_on(void);
void rt_interrupts_off(void);

/*
 * While this is true, an instruction that is UNDEFINED or trapped is skipped and counted in rt_refused; it reads as 0.
 */
extern volatile bool rt_skip_refused;
extern volatile unsigned rt_refused;

/* ---------------------------------------------------------------------------------------------------------------
 * Exception levels in AArch64.  main() runs at EL3.
 */

enum rt_where { RT_EL0, RT_EL1, RT_EL2, RT_EL3, RT_SECURE_EL0, RT_SECURE_EL1, RT_LEVELS };

extern const char *const rt_level_names[RT_LEVELS];

typedef uintptr_t rt_function(void *arg);

/* Calls @f at @where and returns its value. */
uintptr_t rt_call(enum rt_where where, rt_function *f, void *arg);

/* The bits of SCR_EL3 that rt_call() sets in addition to those that it needs itself. */
extern uint64_t rt_scr;

/* Returns whether FEAT_SEL2 is implemented.  If it is, Secure EL2 is enabled, but nothing runs there. */
bool rt_has_secure_el2(void);

/* The instructions that rt_call() executes at the level in addition to the function: mov, blr, and smc or svc. */
#define RT_CALL_INSTRUCTIONS 3u

/* Calls @f in User mode, in AArch32, and returns its value. */
uintptr_t rt_call_user(rt_function *f, void *arg);

/* ---------------------------------------------------------------------------------------------------------------
 * Code whose instructions are counted by inspection.
 */

uintptr_t rt_loop(void *n);                 /* 2n + 1 instructions; n is at least 1 */
uintptr_t rt_measure_event0(uintptr_t n);  /* PMEVCNTR0 after a loop minus before it: 2n + 1 instructions */
uintptr_t rt_measure_cycles(uintptr_t n);  /* the same for PMCCNTR */
uintptr_t rt_measure_instructions(uintptr_t n); /* the same for PMICNTR_EL0 */
uintptr_t rt_measure_svc(void *unused);        /* PMEVCNTR0 around an SVC that returns: 2 instructions */
uintptr_t rt_measure_undefined(void *unused);  /* PMEVCNTR0 around a skipped UNDEFINED instruction: 1 */
#define RT_LOOP_INSTRUCTIONS(n) (2u * (n) + 1u)

#ifndef RT_SLED
#define RT_SLED 2000
#endif
void rt_sled(void); /* RT_SLED + 1 instructions in a row */

#endif
