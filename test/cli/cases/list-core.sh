# SPDX-License-Identifier: BSD-2-Clause
# The events of a core, by its own names; a core without a list; a core that is none; and what why
# refuses: a cure as C for an ARM11, options behind what is no file, and a program in place of a text. Options behind a
# file are taken.
armpmu list --core A9 | sed -n '1,3p'
armpmu list --core Cortex-A9 0x0068
armpmu list --core A72 -j l2d_cache_wb | grep -c '"event"'
armpmu list --core ARM1136
armpmu list --core A9 nothing-like-this
armpmu list --core foo
armpmu list --core Cortex-M4
printf 'ARM1176\nPMNC = 0\nCCNT = 0\n' >arm1176
armpmu why --cure arm1176
armpmu why --cure --msr arm1176
armpmu why arm1176 --cure
armpmu why no-file.c --cure
armpmu why "$(command -v x86)"
printf 'PMCR_EL0 = 0x41033001\n' >dump
armpmu why --counter 9 -j dump | grep '"cause"'
echo '-- a board in place of a core'
armpmu decode --core 'Raspberry Pi 4' PMCR_EL0=0x41023001 | grep -c IDCODE
armpmu list --core zcu102 0x0008
armpmu why --core 'RK3399' dump
armpmu decode --core 'STM32F4' PMCR_EL0=0
armpmu why --core 'STM32F4' 'CYCCNT stays 0'
armpmu why 'cycle counter of my Zynq US+ reads zero'
