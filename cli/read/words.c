/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads words. */
#include "reading.h"

void read_words(struct reading *r)
{
    (void)r;
}
