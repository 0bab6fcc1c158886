# SPDX-License-Identifier: BSD-2-Clause
# armpmu run: wrong command lines, files that are not images, and an emulator that is missing.
: >empty
printf 'text\n' >text
export ARMPMU_QEMU_SYSTEM=/bin/true
for words in '' '--' '--el 0 x' '--el 4 x' '--el x x' '--counters 0 x' '--counters 32 x' '--limit 0 x' '--limit -1 x' \
    '--limit 1k x' '--features nosuch x' '--features PMUv3p9,,HPMN0 x' '--features= x' '--cpu= x' \
    '--cpu max,pmu=off x' '--cpu max -- -M virt' '--features PMUv3 -- x' '--counters 3 -- x' \
    '--core arm1176 -- -M raspi1ap -cpu arm1176' '--el 2 -- x' 'one two' 'nosuch' 'empty' 'text' "$work/bin/x86" \
    "--cpu arm1176 --el 1 $work/bin/arm32"; do
    # shellcheck disable=SC2086 # words
    armpmu run $words 2>&1 | sed "s|$work/bin/||g"
done
ARMPMU_QEMU_SYSTEM=/nosuch armpmu run -- -M virt 2>&1 || echo $?
ARMPMU_QEMU_SYSTEM=$PWD/text armpmu run -- -M virt 2>&1 | sed "s|$PWD/||"
printf '#!/bin/sh\n{ echo armpmu-report 2; echo cpu 0 1000 pmuv3; } >$ARMPMU_REPORT\n' >newer && chmod +x newer
ARMPMU_QEMU_SYSTEM=$PWD/newer armpmu run -- -M virt 2>&1 || echo $?
mkdir bin && cp "$B/armpmu" bin && ARMPMU_QEMU_SYSTEM='' bin/armpmu run -- -M virt 2>&1 || echo $?
