/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals that come while a program runs for a verb: the program gets them, and the verb goes on. */
#ifndef ARMPMU_CLI_COUNT_SIGNALS_H
#define ARMPMU_CLI_COUNT_SIGNALS_H

#include <signal.h>

extern volatile sig_atomic_t signals_interrupted; /* not 0: a signal that asks for the end came at some time */
extern volatile sig_atomic_t signals_pending; /* the signal that came before the program began; 0: none */

/** Handles signals from now on.  Those that come before signals_begin() are in signals_pending. */
void signals_handle(void);

/** Notes that the program runs, as process @pid, or that there is none if that is 0; passes on what is pending. */
void signals_begin(int pid);

/** Notes that the program has ended. */
void signals_end(void);

/** Prints the signal that killed @program, if @wait_status is that of one; perf stat prints it before counts too. */
void signals_print(int wait_status, const char *program);

#endif
