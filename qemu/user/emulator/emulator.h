/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user emulators that `make qemu-user` builds have beyond QEMU's plugin interface.  edit.py exports each
 * function that is marked here.  Before the plugin includes this it makes the mark a weak reference, so in another
 * emulator the address of such a function is NULL.
 */
#ifndef ARMPMU_EMULATOR_H
#define ARMPMU_EMULATOR_H

/* Returns the number of these edits.  It grows by one when a function is added or changes its meaning. */
QEMU_PLUGIN_API
unsigned armpmu_emulator_edits(void);

/* Leaves out what QEMU does at each access so that plugins can ask for its value.  Call it before the program runs. */
QEMU_PLUGIN_API
void armpmu_omit_values(void);

#endif
