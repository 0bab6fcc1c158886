#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu why reads a machine of the emulator by the GDB protocol.  It finds every register of the PMU, so no answer
# depends on one that is unknown.
set -u
. test/lib/tap.sh
: "${B:=build}"
emulator=$B/qemu/armpmu-qemu-system-aarch64
[ -x "$emulator" ] || skip_all "no $emulator: make qemu"
tmp=$(mktemp -d) || exit 2
port=$((20000 + $$ % 20000))
timeout 60 "$emulator" -M virt,secure=on,virtualization=on -cpu max,pmu-counters=6 -nic none -display none \
    -serial none -monitor none -gdb "tcp:127.0.0.1:$port" -S >"$tmp/emulator" 2>&1 &
machine=$!
trap 'kill $machine 2>/dev/null; rm -rf "$tmp"' EXIT

for _ in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    "$B/armpmu" why -v --gdb "127.0.0.1:$port" --counter 0 --counter cycle --at EL3 >"$tmp/out" 2>"$tmp/err"
    [ $? -le 1 ] && break
done
grep -qx 'cycle  *no' "$tmp/out" && grep -qx '0 SW_INCR  *no' "$tmp/out" && grep -q 'PMCR_EL0\.E = 0' "$tmp/out" &&
    grep -q 'PMCNTENSET_EL0' "$tmp/out" && ! grep -q '^IT DEPENDS' "$tmp/out"
expect $? "why of a running machine" "$(head -n 3 "$tmp/err" "$tmp/out" "$tmp/emulator" | tr '\n' ';')"
summary
