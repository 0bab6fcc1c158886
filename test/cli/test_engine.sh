#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests that armpmu stat knows its engines only by their interface, cli/count/engine.h: nothing above the interface
# includes a header of qemu/, and stat counts with the engines of engine.c in this folder, linked with neither perf nor
# the emulator.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. test/cli/link_stat.sh
: "${B:=build}" "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Succeeds if a header of qemu/ is among all that FILE includes.  Writes the list of these to $dir/list.
includes_qemu() { # FILE
    "$CC" -std=c11 -Iinclude -MM "$1" >"$dir/list" || { not_ok "engine: $1" "it cannot be preprocessed"; summary; }
    grep -q '[ /]qemu/' "$dir/list"
}
# The check finds an include where there is one.
includes_qemu cli/count/emulator.c
expect $? 'engine: emulator.c includes qemu/' 'it includes nothing of qemu/, or this test does not find it'
for file in cli/stat.c cli/count/core.c cli/count/engine.c cli/count/select.c cli/count/metrics.c cli/count/topdown.c \
    cli/count/print.c cli/count/runs.c cli/count/series.c cli/count/result.c cli/count/compare.c cli/count/launch.c \
    cli/count/perf.c cli/count/engine.h cli/count/print.h cli/count/launch.h; do
    if includes_qemu "$file"; then
        not_ok "engine: $file includes nothing of qemu/" "$(tr ' ' '\n' <"$dir/list" | grep 'qemu/' | tr '\n' ' ')"
    else
        ok "engine: $file includes nothing of qemu/"
    fi
done

link_stat 'engine: stat links without perf and the emulator'
# Checks that stat with these arguments prints OUTPUT and ends with STATUS.
stat() { # NAME STATUS OUTPUT ARG...
    name=$1 status=$2 output=$3
    shift 3
    "$dir/stat" "$@" >"$dir/out" 2>&1
    got=$?
    sed 's/ *$//; /^$/d' "$dir/out" >"$dir/lines"
    if [ $got -eq "$status" ] && [ "$(cat "$dir/lines")" = "$output" ]; then ok "engine: $name"; else
        not_ok "engine: $name" "status $got, $(cat "$dir/lines")"
    fi
}
unset ARMPMU_ENGINE
stat 'the list' 0 'absent
ticks' --engine=help
stat 'auto takes the first that is available, with its usual events' 7 " Performance counter stats for 'x':
                10      CPU_CYCLES@1
       0.100000000 seconds time elapsed
       0.000000000 seconds user
       0.000000000 seconds sys
 covers 2 processes and 3 threads, with 1 exec, at EL0
 counted by a test" -v x
stat 'an option asks for an engine' 3 'armpmu stat: engine absent: not here; there is no cure' -p 1
stat 'an engine by its name' 3 'armpmu stat: engine absent: not here; there is no cure' --engine=absent x
stat 'an engine that does not exist' 2 \
    'armpmu stat: --engine: no engine is named perf; --engine=help lists them' --engine=perf x
stat 'events, groups and marks' 7 '10,,a@1,100000000,100.00,,
20,,b@2,100000000,100.00,,odd
30,,c@2,100000000,100.00,,odd' -x, -e 'a,{b,c}' x
stat 'the events of a group are adjacent, on each of two PMUs' 7 '10,,both1@2,100000000,100.00,,
20,,both2@2,100000000,100.00,,
30,,both1@3,100000000,100.00,,
40,,both2@3,100000000,100.00,,
50,,both3@4,100000000,100.00,,odd
60,,both3@5,100000000,100.00,,odd' -x, -e '{both1,both2},both3' x
stat 'an event that it refuses' 2 \
    'armpmu stat: event r10000: not an event number; numbers are hexadecimal, r0 to rffff or 0x0 to 0xffff' \
    -e a,r10000 x
stat 'intervals print differences, and remarks come last' 7 '     0.100000000,10,,a@1,100000000,100.00,,
     0.200000000,10,,a@1,100000000,100.00,,
     0.300000000,10,,a@1,100000000,100.00,,
armpmu: counted by a test
armpmu: remark: first
armpmu: remark: second' -x, -v -I 100 -e a x
summary
