/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: programs that call perf_event_open(). */
#include "rules_code.h"

void rules_code_perf(struct code_case *k)
{
    (void)k;
}
