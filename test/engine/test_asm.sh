#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs whose counts are known by inspection: each says in its header what to expect.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/engine/lib.sh
need "$QEMU" qemu-user
need "${CROSS}gcc" gcc-aarch64-linux-gnu

for source in test/engine/asm/*.S; do
    name=$(basename "$source" .S)
    program=$B/test/asm/$name
    for mode in '' --outcomes; do
        # shellcheck disable=SC2086 # no mode is no argument
        ours $mode -- "$program"
        wrong=$(sed -n 's/^ \* expect //p' "$source" | awk -v mode="$mode" '
            NR == FNR { got[$1] = $2; next }
            (mode != "" || $1 in got) && got[$1] != $2 { printf "%s %s, not %s; ", $1, got[$1], $2 }' "$tmp/ours" -)
        checked=$(grep -c '^ \* expect ' "$source")
        if [ "$checked" -eq 0 ] || [ ! -s "$tmp/ours" ]; then
            not_ok "$name $mode" "nothing was counted"
        elif [ -n "$wrong" ]; then
            not_ok "$name $mode" "$wrong"
        else
            ok "$name $mode"
        fi
    done
done
exit $bad
