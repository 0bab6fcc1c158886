/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads code. */
#include "../reading.h"

void read_code(struct reading *r)
{
    (void)r;
}
