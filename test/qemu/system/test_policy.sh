#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# EL3 firmware with the Secure policy: no counter at Non-secure EL1 and EL2 depends on a secret.  With one field of the
# policy open, exactly the counters depend on it that the policy's check names.
set -u
. test/qemu/system/machine.sh

for pmu in a57 max p9; do
    image "$pmu" "$(cpu_of $pmu)" "$a64/qemu-policy.elf" -icount shift=0
done
summary
