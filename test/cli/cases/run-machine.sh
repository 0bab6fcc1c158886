# SPDX-License-Identifier: BSD-2-Clause
# The machine and the CPU that the options of armpmu run describe to the emulator.
printf '#!/bin/sh\necho "$1 $2 $3 $4"\n' >emulator
chmod +x emulator
export ARMPMU_QEMU_SYSTEM="$PWD/emulator"
for options in '' '--el 1' '--el 01' '--el 2' '--el 3' '--cpu cortex-a7' '--cpu arm1176' \
    '--features PMUv3p5,FEAT_MTPMU --counters 08'; do
    # shellcheck disable=SC2086 # words
    armpmu run $options "$work/bin/arm32"
done
