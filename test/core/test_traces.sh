#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What armpmu stat --core counts is what the witness counts: the calls of the core model are recorded while real
# programs run, and replayed on lib/core, with short cuts and without, and on the witness, for every row of the table.
# All events of all cores must be equal, and the total of each counter that stat printed.  pzstd has threads, each on
# a core of its own.
# Runs beside other tests.
set -u
. test/lib/tap.sh
. test/lib/programs.sh
. tools/emulator.sh
: "${B:=build}"
found=$(aarch64_emulator) || skip_all "no emulator with plugins: make qemu-user"
built=$B/qemu/armpmu-qemu-aarch64
[ -x "$built" ] && [ "$found" != "$built" ] || built=
"$B/armpmu" stat --help | grep -q -e '--core=' || skip_all "this armpmu stat has no --core"
why=$(sh tools/arm64-root.sh root-bench sqlite3 gzip busybox bzip2 xz-utils zstd perl-base lua5.4 python3-minimal) ||
    skip_all "$why"
root=$(cd "$B/root-bench" && pwd)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

seq 1 8000 >"$dir/numbers"
write_inputs "$dir" 300 2000 150 200

# Records PROGRAM on the core ROW, with $emulator, and compares.
compare() { # ROW NAME INPUT PROGRAM...
    row=$1 name="$2 on $1, ${emulator##*/}" input=$3
    program=$root/usr/bin/$4
    shift 4
    rm -f "$dir"/core.*
    QEMU_LD_PREFIX=$root ARMPMU_CORE_TRACE=$dir ARMPMU_QEMU=$emulator "$B/armpmu" stat -x, --core="$row" \
        -e L1D_CACHE_REFILL,L1I_CACHE_REFILL,L1D_TLB_REFILL,BR_MIS_PRED_RETIRED,STALL_BACKEND,CPU_CYCLES \
        -o "$dir/counts" -- "$program" "$@" <"$dir/$input" >/dev/null 2>"$dir/log"
    status=$?
    set -- "$dir"/core.*
    if [ $status -ne 0 ] || [ $# -ne 1 ] || [ ! -s "$1" ]; then
        not_ok "traces: $name is recorded" "status $status, $# traces: $(head -n 2 "$dir/log")"
        return
    fi
    "$B/test/retrace" "$1" 60000 0x03 0x01 0x05 0x22 0x24 0x11 >"$dir/result" 2>&1
    expect $? "traces: $name: $(tail -n 1 "$dir/result")" "$(head -n 1 "$dir/result")"
    for pair in 0x03=L1D_CACHE_REFILL 0x01=L1I_CACHE_REFILL 0x05=L1D_TLB_REFILL 0x22=BR_MIS_PRED_RETIRED \
        0x24=STALL_BACKEND 0x11=CPU_CYCLES; do
        want=$(awk -v e="${pair%=*}" 'NF == 3 && $2 == e { n += $3 } END { printf "%d", n }' "$dir/result")
        got=$(awk -F , -v e="${pair#*=}" '$3 == e { print $1 }' "$dir/counts")
        [ "$got" = "$want" ]
        expect $? "traces: $name: stat prints the witness's ${pair#*=}" "${got:-nothing}, not $want"
    done
}

for emulator in "$found" ${built:+"$built"}; do
    compare cortex-a72 gzip lines gzip -9 -c
    compare neoverse-n1 bzip2 lines bzip2 -c
    compare cortex-a53 sqlite3 groups.sql sqlite3 :memory:
    compare cortex-a55 lua lines lua5.4 "$dir/sort.lua"
    compare neoverse-v2 perl lines perl "$dir/hash.pl"
    compare cortex-a78 pzstd numbers pzstd -p 2 -1 -c
done
summary
