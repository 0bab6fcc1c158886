#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A million random accesses neither crash the emulator nor break the model's invariant: half of them with -icount.
set -u
. test/qemu/system/machine.sh

TIMEOUT=1200
random() { # FILE NAME OPTIONS...: both at once, so each writes files of its own
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
