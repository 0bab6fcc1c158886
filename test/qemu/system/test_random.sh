#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A million random accesses, half of them with -icount, neither crash the emulator nor break the model's invariant.
set -u
. test/qemu/system/machine.sh

TIMEOUT=1200
# Runs the image with files of its own, because two runs go on at once.
random() { # FILE NAME OPTIONS...
    (
        log=$log/$1.d name=$2
        shift 2
        mkdir "$log" && expectations ext64 >"$log/loader"
        # shellcheck disable=SC2046
        image "$name" "$(cpu_of ext64),pmu-check=on" "$a64/qemu-random.elf" $(cat "$log/loader") "$@"
        exit $status
    ) >"$log/$1"
}
random with 'with -icount' -icount shift=0 &
random without 'without -icount' || status=1
wait $! || status=1
cat "$log/with" "$log/without"
exit $status
