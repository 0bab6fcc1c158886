/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads exception. */
#include "reading.h"

void read_exception(struct reading *r)
{
    (void)r;
}
