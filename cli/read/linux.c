/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads linux. */
#include "reading.h"

void read_linux(struct reading *r)
{
    (void)r;
}
