/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles the signals that come while a program runs.  Each has a handler, even if it does nothing: exec() resets a
 * signal with a handler to its default, but the program would inherit a signal that is ignored.
 */
#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "../cli.h"

volatile sig_atomic_t signals_interrupted, signals_pending;
static volatile sig_atomic_t program_pid;

/* Handles a signal that only armpmu gets: passes it on to the program. */
static void pass_on(int signal_number)
{
    const int saved = errno;

    signals_interrupted = 1;
    if (program_pid > 0) {
        kill((pid_t)program_pid, signal_number);
    } else {
        signals_pending = signal_number; /* the program is starting: signals_begin() passes it on */
    }
    errno = saved;
}

/* Handles a signal that a terminal sends to the program too: the program decides. */
static void leave_to_program(int signal_number)
{
    if (signal_number == SIGPIPE) {
        return;
    }
    signals_interrupted = 1;
    if (program_pid == 0) {
        signals_pending = signal_number;
    }
}

void signals_handle(void)
{
    static const struct {
        int number;
        void (*handler)(int);
    } signals[] = {
        {SIGINT, leave_to_program}, {SIGQUIT, leave_to_program}, {SIGPIPE, leave_to_program},
        {SIGTERM, pass_on}, {SIGHUP, pass_on},
    };

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old, new = {.sa_handler = signals[i].handler, .sa_flags = SA_RESTART};

        sigemptyset(&new.sa_mask);
        if (sigaction(signals[i].number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) { /* nohup ignores some */
            sigaction(signals[i].number, &new, NULL);
        }
    }
}

void signals_begin(int pid)
{
    program_pid = pid;
    if (signals_pending != 0 && pid != 0) {
        pass_on(signals_pending);
    }
}

void signals_end(void)
{
    program_pid = 0;
}

void signals_print(int wait_status, const char *program)
{
    if (WIFSIGNALED(wait_status)) {
        cli_print(stderr, program, strlen(program));
        fprintf(stderr, ": %s\n", strsignal(WTERMSIG(wait_status)));
    }
}
