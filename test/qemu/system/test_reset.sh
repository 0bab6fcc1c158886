#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The machine is reset five times while its PMU counts and interrupts.  Every register has its first value again.
set -u
. test/qemu/system/machine.sh

for pmu in a57 p9; do
    image "$pmu" "$(cpu_of $pmu)" "$a64/qemu-reset.elf" -icount shift=0
    image "$pmu, no -icount" "$(cpu_of $pmu)" "$a64/qemu-reset.elf"
done
summary
