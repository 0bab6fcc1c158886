/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guarded pages (FEAT_BTI).  QEMU looks up the page of each indirect branch, and of the block that it leads to, to know
 * if it is guarded.  That takes a seventh of python3's time.  Few programs have a guarded page.
 */
#ifndef ARMPMU_EMULATOR_GUARDED_H
#define ARMPMU_EMULATOR_GUARDED_H

#include <stdbool.h>

/* True from the moment the process first asked for a guarded page. */
extern bool armpmu_has_guarded;

#endif
