/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells plugins which edits this emulator has. */
#include "qemu/osdep.h"
#include "qemu/qemu-plugin.h"
#include "emulator.h"

unsigned armpmu_emulator_edits(void)
{
    return 4;
}
