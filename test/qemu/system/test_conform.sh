#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every PMU register is written and read under every control, at every Exception level, Security state and Execution
# state.  The emulated PE gives the same answers as the model on the host (conform.h).
set -u
. test/qemu/system/machine.sh

for pmu in $("$B/test/expect"); do
    elf=$a64/qemu-conform.elf
    case $pmu in a15 | a7) elf=$B/target/armv7/qemu-conform.elf ;; esac
    [ -f "$elf" ] || { skip "$pmu" "no $elf"; continue; }
    # shellcheck disable=SC2046
    image "$pmu" "$(cpu_of "$pmu"),pmu-check=on" "$elf" $(expectations "$pmu") -icount shift=0
done
summary
