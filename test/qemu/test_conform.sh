#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every PMU register, written and read, under every control, at every Exception level, Security state and Execution
# state: what the model answers on the host, the emulated PE answers (conform.h).
set -u
. test/qemu/machine.sh

for pmu in $("$B/test/expect"); do
    # shellcheck disable=SC2046
    image "$pmu" "$(cpu_of "$pmu"),pmu-check=on" "$a64/qemu-conform.elf" $(expectations "$pmu") -icount shift=0
done
exit $status
