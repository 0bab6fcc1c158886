#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random accesses, half of them with -icount, neither crash the emulator nor break the model's invariant.  ACCESSES
# (100000) is the number of each half; 500000 take two minutes on two idle cores.
set -u
. test/qemu/system/machine.sh

: "${ACCESSES:=100000}"
TIMEOUT=$((300 + ACCESSES / 500))
expectations ext64 >"$log/loader"
# Runs the image, with its output in $log/NAME.
random() { # NAME OPTIONS...
    name=$1
    shift
    # shellcheck disable=SC2046
    boot "$(cpu_of ext64),pmu-check=on" "$a64/qemu-random.elf" $(cat "$log/loader") \
        -device "loader,addr=0x43fffff8,data=$ACCESSES,data-len=4" "$@" >"$log/$name" 2>&1
}
random with -icount shift=0 & # both at once
random without
relay 'without -icount' $? "$log/without"
wait $!
relay 'with -icount' $? "$log/with"
summary
