#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A million random accesses neither crash the emulator nor break the model's invariant.
set -u
. test/qemu/machine.sh

TIMEOUT=600
# shellcheck disable=SC2046
image 'without -icount' "$(cpu_of ext64),pmu-check=on" "$a64/qemu-random.elf" $(expectations ext64)
# shellcheck disable=SC2046
image 'with -icount' "$(cpu_of ext64),pmu-check=on" "$a64/qemu-random.elf" $(expectations ext64) -icount shift=0
exit $status
