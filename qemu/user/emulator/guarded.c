/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "guarded.h"

bool armpmu_has_guarded;
