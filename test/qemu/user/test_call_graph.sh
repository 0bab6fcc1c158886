#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Records call graphs.  Calls, own costs and inclusive costs of each function equal those that a second plugin finds by
# decoding each instruction.  The sum over all nodes is the exact count, on each emulator, also after fork, exec, kill
# and in T32.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
need_package "${CROSS}readelf" binutils-aarch64-linux-gnu
need_package python3 python3
QEMU_CPU=cortex-a72
export QEMU_CPU

emulators=$QEMU
built=$B/qemu/armpmu-qemu-aarch64
[ ! -x "$built" ] || [ "$built" = "$QEMU" ] || emulators="$QEMU $built"

# Passes NAME if the costs of all nodes in $tmp/ours are what was counted, for each of the sources.
sums() { # NAME SOURCES...
    what=$1
    shift
    wrong=$(awk -v names="$*" '
        BEGIN { n = split(names, name, " ") }
        { count[$1] = $2 }
        $1 == "node" { nodes++; for (i = 1; i <= n; i++) sum[i] += $(10 + i) }
        END {
            if (nodes < 3) printf "%d nodes", nodes
            for (i = 1; i <= n; i++) if (count[name[i]] == "" || sum[i] != count[name[i]])
                printf "%s %.0f, not %.0f; ", name[i], sum[i], count[name[i]]
        }' "$tmp/ours")
    expect "$([ -z "$wrong" ]; echo $?)" "$what" "$wrong $(cat "$tmp/stderr")"
}

# Compares the costs of the functions of PROGRAM, or of those that are listed, with the plugin's.
compare() { # NAME PROGRAM [FUNCTIONS]
    "$ARMPMU_QEMU" -plugin "$B/test/calls_plugin.so,out=$tmp/theirs,functions=$tmp/functions" "$2" >"$tmp/stdout.theirs"
    # shellcheck disable=SC2086 # words
    python3 test/qemu/user/graph/compare.py compare "$2" "$tmp/ours" "$tmp/theirs" ${3:-} >"$tmp/compared"
    wrong=$(grep -v '^compared' "$tmp/compared" | head -n 3 | tr '\n' ' ')
    number=$(sed -n 's/^compared //p' "$tmp/compared")
    expect "$([ -z "$wrong" ] && [ "${number:-0}" -ge "${4:-4}" ]; echo $?)" "$1" "$wrong; compared ${number:-0}"
}

for ARMPMU_QEMU in $emulators; do
    export ARMPMU_QEMU
    name=$("$ARMPMU_QEMU" --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')
    for program in calls jumps coroutines throws threads; do
        run=$B/test/graph/$program
        if [ ! -x "$run" ]; then
            skip "call graph $name: $program" "no compiler for it: apt-get install g++-aarch64-linux-gnu"
            continue
        fi
        python3 test/qemu/user/graph/compare.py functions "$run" >"$tmp/functions"
        ours --graph INST_RETIRED -- "$run"
        sums "call graph $name: $program, the sum" INST_RETIRED
        # What threads wait for differs from run to run.
        only=
        [ $program != threads ] || only='leaf walk stride first second'
        compare "call graph $name: $program, each function" "$run" "$only"
    done
    ours --branches --graph INST_RETIRED --graph BR_RETIRED --graph LD_RETIRED --graph BR_IMMED_TAKEN_RETIRED -- \
        "$B/test/graph/jumps"
    sums "call graph $name: several sources" INST_RETIRED BR_RETIRED LD_RETIRED BR_IMMED_TAKEN_RETIRED
    for program in calls blocks signal segv fork exec killed threads shared segv_threads timer; do
        QEMU_CPU=max ours --graph INST_RETIRED --graph ST_RETIRED -- "$B/test/asm/$program"
        sums "call graph $name: $program" INST_RETIRED ST_RETIRED
    done
    # Between the two adds of a block they may differ by that block.
    ours --graph INST_RETIRED --kill 300 -- "$B/test/graph/calls" 2000 endless
    wrong=$(awk '$1 == "node" { sum += $11 } $1 == "INST_RETIRED" { count = $2 } $1 == "status" { status = $2 }
        END { d = sum - count; if (status != 137 || count == 0 || d < -512 || d > 512) print sum, count, status }' \
        "$tmp/ours")
    expect "$([ -z "$wrong" ]; echo $?)" "call graph $name: a killed program" "$wrong"
    # A call in a call, a million deep, takes few nodes.
    ours --graph INST_RETIRED -- "$B/test/graph/calls" 50000
    nodes=$(grep -c '^node' "$tmp/ours")
    expect "$([ "$nodes" -gt 100 ] && [ "$nodes" -lt 20000 ]; echo $?)" "call graph $name: deep calls" "$nodes nodes"
    sums "call graph $name: deep calls, the sum" INST_RETIRED
done

# What armpmu report prints of a recording: what the program's own functions cost with all of theirs that they call is
# the same as in run_program's nodes, linked statically and, through entries of procedure linkage tables, dynamically.
ARMPMU_QEMU=$QEMU
ours --graph INST_RETIRED -- "$B/test/graph/calls"
python3 test/qemu/user/graph/compare.py functions "$B/test/graph/calls" >"$tmp/functions"
own='fibonacci is_even is_odd count_down count_more ackermann add subtract both compare'
# shellcheck disable=SC2086 # words
python3 test/qemu/user/graph/compare.py print "$B/test/graph/calls" "$tmp/ours" $own |
    sort >"$tmp/expected"
for program in calls calls-dynamic; do
    rm -f "$tmp/data"
    "$B/armpmu" record --call-graph -L "/usr/${CROSS%-}" -o "$tmp/data" -- "$B/test/graph/$program" >"$tmp/stdout" \
        2>"$tmp/stderr"
    status=$?
    "$B/armpmu" report --children -x, "$tmp/data" 2>>"$tmp/stderr" |
        awk -F, -v own="$own" 'BEGIN { n = split(own, name, " "); for (i = 1; i <= n; i++) is_own[name[i]] }
            $6 in is_own { print $6, $2, $4 }' | sort >"$tmp/reported"
    wrong=$(diff "$tmp/expected" "$tmp/reported" | head -n 4)
    [ $status -eq 0 ] && [ "$(wc -l <"$tmp/expected")" -eq 10 ] || wrong="status $status; $(cat "$tmp/stderr")"
    expect "$([ -z "$wrong" ]; echo $?)" "call graph: armpmu report of $program" "$wrong"
done

# A32 and T32.
unset QEMU_CPU
ARMPMU_QEMU_ARM=$B/qemu/armpmu-qemu-arm
[ -x "$ARMPMU_QEMU_ARM" ] || ARMPMU_QEMU_ARM=$(arm_emulator)
export ARMPMU_QEMU_ARM
for program in calls-a32 calls-t32 jumps-t32 threads-t32; do
    if ! grep -qa qemu_plugin_read_register "$ARMPMU_QEMU_ARM" || [ ! -x "$B/test/graph/$program" ]; then
        skip "call graph: $program" "no emulator of A32 with plugins, or no compiler"
        continue
    fi
    ours --graph INST_RETIRED -- "$B/test/graph/$program"
    sums "call graph: $program" INST_RETIRED
done
summary
