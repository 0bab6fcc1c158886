/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With a plugin, each load and store is followed by a store of its value, whether or not a callback asks for it.  That
 * takes up to 4 % of a program's time.  A plugin that never asks for values says so.
 */
#include "qemu/osdep.h"
#include "qemu/qemu-plugin.h"
#include "emulator.h"
#include "values.h"

static bool omitted;

void armpmu_omit_values(void)
{
    omitted = true;
}

bool armpmu_stores_values(void)
{
    return !omitted;
}
