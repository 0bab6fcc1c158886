#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Inline adds on the emulator that `make qemu-user` builds: each goes to the row of the vCPU that executes it, also
# after a second thread is made by a process whose code relied on there being one (inline_plugin.c).
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
emulator=$B/qemu/armpmu-qemu-aarch64
[ -x "$emulator" ] || skip_all "no $emulator: make qemu-user"
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu

# Checks that both counts of each vCPU are the same, and how many vCPUs there are at least.  A thread may get the number
# of one that has ended.
check() { # PROGRAM VCPUS [STATUS]
    timeout 60 "$emulator" -plugin "$B/test/inline_plugin.so" "$B/test/asm/$1" >"$tmp/rows" 2>"$tmp/stderr" </dev/null
    status=$?
    wrong=$(awk 'NF != 4 || $3 != $4 { print "process " $1 ", vCPU " $2 ": " $3 " added, " $4 " called" }' "$tmp/rows")
    vcpus=$(wc -l <"$tmp/rows")
    if [ "$status" -ne "${3:-0}" ] || [ "$vcpus" -lt "$2" ]; then
        not_ok "inline adds: $1" "status $status, $vcpus vCPUs, not $2: $(head -n 1 "$tmp/stderr")"
    elif [ -n "$wrong" ]; then
        not_ok "inline adds: $1" "$wrong"
    else
        ok "inline adds: $1: $vcpus vCPUs"
    fi
}
check alone 5
check shared 2
check threads 2
check fork 2
check loop 1 7
nm -D "$emulator" | grep -q ' T armpmu_emulator_edits$'
expect $? 'the emulator exports the functions of emulator.h' "$(nm -D "$emulator" | grep -c armpmu) begin with armpmu"
if [ "$(uname -m)" = x86_64 ]; then
    # An inc relative to the instruction pointer, of code that maps memory shared.
    "$emulator" -d out_asm -D "$tmp/code" -plugin "$B/test/inline_plugin.so" "$B/test/asm/shared" >/dev/null
    grep -qE '48ff05|48 ff 05|incq .*rip' "$tmp/code"
    expect $? 'x86-64: an add is one instruction' "$(grep -c . "$tmp/code") lines of code have no inc"
else
    skip 'an add is one instruction' "not an x86-64 host"
fi
summary
