#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs a program with more blocks than there are counters for blocks, and checks that its shared files stay below a
# bound.  test_asm.sh checks its counts.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu

least=4096 most=24576 # bounds in KiB; the table of blocks alone is 4 MiB when it is full
"$B/test/run_program" -o "$tmp/ours" -- "$B/test/asm/blocks" >"$tmp/stdout" 2>"$tmp/stderr" &
run=$!
largest=0
while kill -0 $run 2>/dev/null; do
    for child in $(cat /proc/$run/task/$run/children 2>/dev/null); do
        dir=$(sed -n 's|^[^/]*\(/.*armpmu-[^/]*\)/p\.[0-9.]*$|\1|p' "/proc/$child/maps" 2>/dev/null | head -n 1)
        size=$(du -sk "${dir:-/nowhere}" 2>/dev/null | cut -f 1)
        [ "${size:-0}" -gt $largest ] && largest=$size
    done
    sleep 0.05
done
wait $run
if ! grep -qx 'status 0' "$tmp/ours"; then
    not_ok 'blocks: files' "$(head -n 1 "$tmp/stderr" "$tmp/ours")"
elif [ $largest -lt $least ] || [ $largest -gt $most ]; then
    not_ok 'blocks: files' "$largest KiB at most, not $least to $most"
else
    ok "blocks: files of $largest KiB at most"
fi
summary
