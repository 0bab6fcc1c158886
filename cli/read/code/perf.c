/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds what a program asks of perf_event_open(). */
#include <stdlib.h>

#include "internal.h"

void code_read_perf(struct code_walk *w)
{
    (void)w;
}

void code_perf_free(struct code_perf *perf)
{
    free(perf);
}
