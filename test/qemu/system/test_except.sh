#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# INST_RETIRED and CPU_CYCLES agree with counts by inspection around UNDEFINED instructions, traps, SVC, HVC, SMC,
# aborts, WFI and code that is modified, with and without -icount.
set -u
. test/qemu/system/machine.sh

for cpu in cortex-a57 max; do
    image "$cpu" $cpu "$a64/qemu-except.elf" -icount shift=0
    image "$cpu, no -icount" $cpu "$a64/qemu-except.elf"
done
summary
