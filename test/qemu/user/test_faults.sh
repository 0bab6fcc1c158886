#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs programs that handle SIGSEGV and SIGBUS.  Every event must equal an independent count of the instructions that
# completed.  With outcomes, armpmu counts faults in another way, which must agree.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
need_package "${CROSS}objdump" binutils-aarch64-linux-gnu
# Without SVE, because the counting plugin knows too little of what its loads access to tell which are unaligned.
QEMU_RESERVED_VA=0x1000000000 QEMU_CPU=max,sve=off
export QEMU_RESERVED_VA QEMU_CPU
p=$B/test/c/faults-static

# Takes back each load, store and DC ZVA after which the program went on elsewhere: it did not complete.
completed() {
    awk '$1 ~ /^.[89cd]|^d50b742/ { $2 -= $4; $4 = 0 } { print }' "$tmp/words" >"$tmp/words.completed" &&
        mv "$tmp/words.completed" "$tmp/words"
}

theirs_filter=completed
theirs_seconds=60 # each takes less than a second; on a busy machine one once took ten minutes
for way in loop places cuts bus barrier other-stack leaf leave nested sent rewritten late forked; do
    theirs "$p" "$way"
    for mode in '' --outcomes; do
        # shellcheck disable=SC2086 # no mode is no argument
        ours $mode -- "$p" "$way"
        wrong=$(differences)
        if ! grep -qx 'status 0' "$tmp/ours" || ! grep -q 'handled' "$tmp/stdout"; then
            not_ok "faults $way $mode" "$(grep '^status' "$tmp/ours"), $(head -n 1 "$tmp/stderr")"
        elif ! cmp -s "$tmp/stdout" "$tmp/stdout.theirs"; then
            not_ok "faults $way $mode" "the program's output differs"
        elif grep -q '^remark' "$tmp/ours"; then
            not_ok "faults $way $mode" "$(grep -m 1 '^remark' "$tmp/ours")"
        elif [ -n "$wrong" ]; then
            not_ok "faults $way $mode" "$wrong"
        else
            ok "faults $way $mode: $(cat "$tmp/stdout")"
        fi
    done
done
summary
