#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Another thread of the host may do most of the work for the core of a program: caches from a journal of what was
# executed, branches, and time.  There is none where the program may use one CPU only.  All counts are the same, those
# of real programs too.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
. test/lib/programs.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
need_package taskset util-linux
[ "$(nproc)" -gt 1 ] || skip_all 'there is one CPU'
QEMU_CPU=max
export QEMU_CPU ARMPMU_ENGINE=qemu-user
tool=$B/test/run_program

# The emulators: the one of this test, and the one that `make qemu-user` builds, if that is another.
emulators=$QEMU
built=$B/qemu/armpmu-qemu-aarch64
[ ! -x "$built" ] || [ "$built" = "$QEMU" ] || emulators="$QEMU $built"

one_cpu() {
    taskset -c "$(taskset -cp $$ | sed 's/.*: //;s/[-,].*//')" "$@"
}

# Runs a program that does not end for two seconds.  Prints how often it was seen to have such a thread.
helped() { # COMMAND ARGUMENTS...
    "$@" --kill 2000 -- "$B/test/asm/many" forever &
    for _ in 1 2 3 4 5 6 7 8 9; do
        sleep 0.2
        awk -v parent=$! '$4 == parent { print $1 }' /proc/[0-9]*/stat 2>/dev/null | while read -r process; do
            cat /proc/"$process"/task/*/comm 2>/dev/null
        done
    done | grep -cx armpmu-worker
    wait
}

for ARMPMU_QEMU in $emulators; do
    export ARMPMU_QEMU
    name=$("$ARMPMU_QEMU" --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')
    for parts in 81 119 255; do
        one_cpu "$tool" -o "$tmp/ours" --core cortex-a72 --parts $parts -- "$B/test/asm/many"
        grep '^core .*\(BR\|L1I\|CYCLES\|STALL\)' "$tmp/ours" >"$tmp/alone"
        ours --core cortex-a72 --parts $parts -- "$B/test/asm/many"
        wrong=$(grep '^core .*\(BR\|L1I\|CYCLES\|STALL\)' "$tmp/ours" | diff "$tmp/alone" -)
        expect "$(grep -q '^core BR_MIS_PRED_RETIRED [1-9]' "$tmp/alone" && [ -z "$wrong" ]; echo $?)" \
            "worker $name: parts $parts, the same counts on one CPU" "$wrong"
    done
    for parts in 119 255; do
        seen=$(helped "$tool" -o "$tmp/ours" --core cortex-a72 --parts $parts)
        expect "$([ "$seen" -gt 0 ] && grep -q '^core BR_PRED [1-9]' "$tmp/ours"; echo $?)" \
            "worker $name: parts $parts, it is there, and a killed program keeps its counts" "seen $seen times"
    done
    seen=$(helped one_cpu "$tool" -o "$tmp/ours" --core cortex-a72 --parts 255)
    expect "$([ "$seen" = 0 ] && grep -q '^core CPU_CYCLES [1-9]' "$tmp/ours"; echo $?)" \
        "worker $name: none on one CPU" "seen $seen times"
    ours --core cortex-a72 --parts 255 -- "$B/test/c/process" threads 3 200000
    wrong=$(awk '$1 == "core" { core[$2] = $3 } { exact[$1] = $2 }
        END { print core["BR_PRED"] - exact["BR_RETIRED"], core["OP_RETIRED"] - exact["INST_RETIRED"] }' "$tmp/ours")
    expect "$([ "$wrong" = '0 0' ] && grep -q '^core BR_MIS_PRED_RETIRED [1-9]' "$tmp/ours"; echo $?)" \
        "worker $name: threads with many branches are told as they are" "$wrong too many"
done

# Real programs, all events.
why=$(sh tools/arm64-root.sh root-bench sqlite3 gzip busybox bzip2 xz-utils zstd perl-base lua5.4 python3-minimal) || {
    skip 'worker: real programs' "$why"
    summary
}
root=$(cd "$B/root-bench" && pwd)
write_inputs "$tmp" 4000 100000 3000 3000
all=$("$B/armpmu" list --core A72 modelled |
    awk '{ printf "%s%s", s, $2; s = "," }')

# Those of L1D and its TLB alone: no fetch and no time is simulated, and L1D is looked up late.
data=$(echo "$all" | tr , '\n' | grep -x 'L1D_CACHE[A-Z_]*\|L1D_TLB[A-Z_]*' | paste -sd ,)

# Those of all caches and TLBs, and of the predictor: no time is simulated, and visits of L1D wait for a fetch that sees
# what lies below L1I.
caches=$(echo "$all" | tr , '\n' | grep -x 'L[123]*[DI]*_CACHE[A-Z_]*\|L[12][DI]_TLB[A-Z_]*\|BR_MIS_PRED' | paste -sd ,)

# Counts EVENTS of a program, with its counts in the file $tmp/NAME.
count() { # NAME EVENTS INPUT COMMAND...
    fields=$tmp/$1 chosen=$2 input=$3
    shift 3
    # shellcheck disable=SC2086 # words
    "$@" stat --deterministic -L "$root" -x, -o "$tmp/fields" --core cortex-a72 -e "$chosen" \
        -- "$root/usr/bin/"$words <"$input" >/dev/null 2>"$tmp/stderr"
    sed '/^#/d;/^$/d' "$tmp/fields" | awk -F, '{ print $3, $1 }' >"$fields"
}

for ARMPMU_QEMU in $emulators; do
    name=$("$ARMPMU_QEMU" --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')
    for words in 'gzip -9 -c' 'bzip2 -c' 'sqlite3 :memory:' "lua5.4 $tmp/sort.lua" "perl $tmp/hash.pl"; do
        input=$tmp/lines
        [ "${words% *}" != sqlite3 ] || input=$tmp/groups.sql
        count alone "$all" "$input" one_cpu "$B/armpmu"
        count helped "$all" "$input" "$B/armpmu"
        branches=$(sed -n 's/^BR_PRED //p' "$tmp/alone")
        expect "$([ "${branches:-0}" -gt 50000 ] && cmp -s "$tmp/alone" "$tmp/helped"; echo $?)" \
            "worker $name: ${words%% *}, all events as on one CPU" \
            "$branches branches; $(diff "$tmp/alone" "$tmp/helped" | head -n 4 | tr '\n' ' ') $(cat "$tmp/stderr")"
        for way in one_cpu command; do
            for events in "L1D $data" "caches $caches"; do
                count some "${events#* }" "$input" $way "$B/armpmu"
                wrong=$(grep -vxFf "$tmp/alone" "$tmp/some")
                expect "$(grep -q '^L1D_CACHE_REFILL [1-9]' "$tmp/some" && [ -z "$wrong" ]; echo $?)" \
                    "worker $name: ${words%% *}, ${events%% *} without time, $way" \
                    "$(echo "$wrong" | head -n 4 | tr '\n' ' ')"
            done
        done
    done
done
summary
