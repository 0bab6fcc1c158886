#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The PMU of ARM1136 and ARM1176 on boards: counts, interrupts after 1 to 1000 instructions, flags, User mode.
set -u
. test/qemu/system/machine.sh

# Boots an image on a board and passes on its results under NAME.
board() { # NAME BOARD CPU IMAGE
    # shellcheck disable=SC2086
    timeout 60 "$QEMU_SYSTEM" -M "$2" -cpu "$3" $options -icount shift=0 -kernel "$B/target/arm11/$4.elf" \
        >"$log/out" 2>&1 </dev/null
    relay "$1" $? "$log/out"
}
board 'ARM1176 on versatilepb' versatilepb arm1176,pmu-irq=3 qemu-arm11
board 'ARM1136 on versatilepb' versatilepb arm1136,pmu-irq=3 qemu-arm11
board 'ARM1176 on raspi0' raspi0 arm1176 qemu-arm11-counts
summary
