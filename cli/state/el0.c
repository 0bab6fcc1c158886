/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads registers of the PMU at EL0.  A read that the kernel does not allow raises SIGILL, and a handler ends it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "el0.h"

#if defined __aarch64__

static sigjmp_buf back;

/* Handles the SIGILL of a read: returns to el0_read(). */
static void trapped(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

#define MRS(name) __asm__ volatile("mrs %0, " name : "=r"(*value))

static void read_one(unsigned i, uint64_t *value)
{
    switch (i) {
    case 0: MRS("pmuserenr_el0"); break;
    case 1: MRS("pmcr_el0"); break;
    case 2: MRS("pmcntenset_el0"); break;
    case 3: MRS("pmovsset_el0"); break;
    case 4: MRS("pmceid0_el0"); break;
    case 5: MRS("pmceid1_el0"); break;
    case 6: MRS("pmselr_el0"); break;
    case 7: MRS("pmccfiltr_el0"); break;
    default: MRS("pmccntr_el0"); break;
    }
}

enum el0_answer el0_read(unsigned i, const char **name, uint64_t *value)
{
    static const char *const names[EL0_REGISTERS] = {"PMUSERENR_EL0", "PMCR_EL0", "PMCNTENSET_EL0", "PMOVSSET_EL0",
                                                     "PMCEID0_EL0", "PMCEID1_EL0", "PMSELR_EL0", "PMCCFILTR_EL0",
                                                     "PMCCNTR_EL0"};
    struct sigaction mine, before;
    volatile enum el0_answer answer = EL0_TRAPPED;

    *name = names[i];
    *value = 0;
    memset(&mine, 0, sizeof mine);
    mine.sa_handler = trapped;
    sigaction(SIGILL, &mine, &before);
    if (sigsetjmp(back, 1) == 0) {
        read_one(i, value);
        answer = EL0_VALUE;
    }
    sigaction(SIGILL, &before, NULL);
    return answer;
}

#else

enum el0_answer el0_read(unsigned i, const char **name, uint64_t *value)
{
    (void)i;
    *name = "";
    *value = 0;
    return EL0_NOT_HERE;
}

#endif
