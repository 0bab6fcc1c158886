#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The machine is reset while its PMU counts and interrupts, five times: every register is as it was at first.
set -u
. test/qemu/system/machine.sh

for pmu in a57 p9; do
    image "$pmu" "$(cpu_of $pmu)" "$a64/qemu-reset.elf" -icount shift=0
    image "$pmu, no -icount" "$(cpu_of $pmu)" "$a64/qemu-reset.elf"
done
exit $status
