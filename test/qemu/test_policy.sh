#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# EL3 firmware with the Secure policy: how long the Secure world works is not to be seen in any counter at EL1.
set -u
. test/qemu/machine.sh

for pmu in a57 max p9; do
    image "$pmu" "$(cpu_of $pmu)" "$a64/qemu-policy.elf" -icount shift=0
done
exit $status
