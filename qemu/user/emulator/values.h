/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of accesses, which QEMU stores for plugins at each load and store. */
#ifndef ARMPMU_EMULATOR_VALUES_H
#define ARMPMU_EMULATOR_VALUES_H

/* Returns true if translated code stores the value of each access, because a plugin may ask for it. */
bool armpmu_stores_values(void);

#endif
