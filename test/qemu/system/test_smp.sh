#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two CPUs.  Each counts exactly while both run.  The second reads and writes the first one's PMU through the frame, in
# both layouts.
set -u
. test/qemu/system/machine.sh

for pmu in ext32 ext64; do
    image "$pmu" "$(cpu_of $pmu)" "$a64/qemu-smp.elf" -smp 2 -icount shift=0
    image "$pmu, no -icount" "$(cpu_of $pmu)" "$a64/qemu-smp.elf" -smp 2
done
summary
