#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu stat -r, --save, --baseline and --fail-above with the engine of engine.c in this folder, whose counts
# TICKS_DRIFT makes grow from run to run, and with files that are not what --save writes.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. test/cli/link_stat.sh
: "${B:=build}" "${CC:=cc}"
need python3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
link_stat 'stat -r: stat links without perf and the emulator'
unset ARMPMU_ENGINE

# Runs stat with these arguments, and checks its exit status.  Its output is in $dir/out.
stat() { # NAME STATUS ARG...
    name=$1 status=$2
    shift 2
    "$dir/stat" "$@" >"$dir/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ]
    expect $? "$name" "status $got, not $status: $(tail -n 2 "$dir/out" | tr '\n' ' ')"
}
# Checks that the output has a line that matches.
has() { # NAME REGULAR-EXPRESSION
    grep -Eq "$2" "$dir/out"
    expect $? "$1" "$(tr '\n' ';' <"$dir/out")"
}

# Counts of the first event: 10, 12, 14, 16; of the second 20, 22, 24, 26.
export TICKS_DRIFT=2 TICKS_STATUS=0
stat 'four runs' 0 -r 4 -e a,b x
has 'text: the number of runs' "stats for 'x' \(4 runs\):"
# Mean 13, standard deviation of the mean sqrt(20/3)/2 = 1.29, which is 9.93 % of it.
has 'text: mean, spread, least and greatest' '^ +13 +a@1 +\( \+- +9\.93% \) \[10\.\.16\]$'
has 'text: times have a spread' 'seconds time elapsed  \( \+- +0\.00% \)'
stat 'fields' 0 -r 4 -x, -e a x
has 'fields: spread after the event, least and greatest at the end' '^13,,a@1,9\.93%,100000000,100\.00,,,10,16$'
stat 'JSON' 0 -r 4 -j -e a x
python3 - "$dir/out" <<'END'
import json, sys
o = json.loads(open(sys.argv[1]).readline())
assert abs(o["variance"] - 9.93) < 0.01 and (o["min"], o["max"], o["runs"]) == (10, 16, 4), o
END
expect $? 'JSON: variance, min, max, runs' "$(cat "$dir/out")"
stat 'one run has no spread' 0 -r 1 -e a x
has 'one run is printed as without -r' '^ +10 +a@1$'

# Exit statuses.
export TICKS_DRIFT=0
TICKS_STATUS=7 stat 'each run ends with 7' 7 -r 3 -e a x
has 'all three runs are made' '\(3 runs\)'
TICKS_STATUS=0,0,5 stat 'the third of five runs ends with 5' 5 -r 5 -e a x
has 'the counts are those of the runs before' '\(2 runs\)'
has 'a remark names the run' 'remark: run 3 ended with status 5, and those before with 0: the counts are of 2 runs'
TICKS_STATUS=4,0 stat 'the second run ends with 0, the first with 4' 4 -r 5 -e a x

# Files.
stat 'a baseline is saved' 0 -e a,b,c --save "$dir/base" x
stat 'equal' 0 -e a,b,c --baseline "$dir/base" --fail-above 0% x
has 'equal is said' '^ equal: all 3 events$'
export TICKS_MORE=1
stat 'more, without a limit' 0 -e a,b,c --baseline "$dir/base" x
has 'more: the difference and per cent' '^ +\+1 +a@1 +\+10\.00 %  more$'
stat 'more, past the limit' 1 -e a,b,c --baseline "$dir/base" --fail-above 4% x
has 'past the limit' '^ 3 of 3 events differ; 2 above their limits$'
stat 'a limit of its own' 0 -e a,b,c --baseline "$dir/base" --fail-above 4%,a@1=10,b@2=5% x
stat 'a limit is not reached' 0 -e a --baseline "$dir/base" --fail-above 10% x
has 'events that only the baseline has are named' 'b@2 +not compared: the baseline alone has it'
stat 'the exit status of the program comes first' 0 -e a --baseline "$dir/base" x
stat 'JSON of a comparison' 1 -j -e a --baseline "$dir/base" --fail-above 9% x
python3 - "$dir/out" <<'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
a = [r for r in rows if r.get("event") == "a@1" and "verdict" in r][0]
assert a["verdict"] == "above" and a["baseline-value"] == 10 and a["difference"] == 1 and a["limit"] == 9, a
assert abs(a["percent"] - 10) < 1e-9 and rows[-1]["above"] == 1 and "comparison" in rows[-1], rows
END
expect $? 'JSON: verdict, difference, per cent, limit' "$(cat "$dir/out")"
stat 'Markdown' 1 -e a --baseline "$dir/base" --fail-above 9% --markdown "$dir/out.md" x
grep -q '^| `a@1` | 10 | 11 | +1 | +10.00 % | \*\*above 9 %\*\* |$' "$dir/out.md"
expect $? 'Markdown: a row of the table' "$(cat "$dir/out.md")"
unset TICKS_MORE

stat 'another program is compared' 0 -e a,b,c --baseline "$dir/base" y 1
has 'another program is said' 'remark: the baseline is of another program: x, and this is y'
has 'other arguments are said' "remark: the program's arguments differ"
TICKS_STATUS=3 stat 'a program that ended otherwise is not compared' 3 -e a,b,c --baseline "$dir/base" x
has 'how it ended is said' 'ended with status 3, and in the baseline with 0'
sed 's/"mark": "odd"/"mark": "even"/; s/"trust": "measured"/"trust": "exact"/' "$dir/base" >"$dir/other"
stat 'nothing that means the same' 3 -e b --baseline "$dir/other" x
has 'what the baseline lacks is said' 'b@1 +not compared: the baseline lacks it'
stat 'another trust' 3 -e a --baseline "$dir/other" x
has 'another trust is said' 'a@1 +not compared: it is measured here and exact in the baseline'
sed 's/"mark": "odd"/"mark": "even"/' "$dir/base" >"$dir/other"
stat 'an event with a limit of its own that cannot be compared' 3 -e a,b --baseline "$dir/other" --fail-above b@2=1% x
has 'another mark is said' 'b@2 +not compared: its mark is "odd" here and "even" in the baseline'
stat 'the others have a general limit' 0 -e a,b --baseline "$dir/other" --fail-above 1% x
stat 'no event in common' 3 -e d --baseline "$dir/other" x
has 'no event in common is said' 'no event of the baseline means the same here'

# Wrong files and options end in one line, and before the program runs.
wrong() { # NAME STATUS TEXT OPTION...
    name=$1 status=$2 text=$3
    shift 3
    "$dir/stat" -e a,b "$@" >"$dir/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ] && [ "$(wc -l <"$dir/out")" -eq 1 ] && grep -qF "$text" "$dir/out"
    expect $? "wrong: $name" "status $got: $(tr '\n' ';' <"$dir/out")"
}
wrong 'no such baseline' 3 'cannot be read: No such file' --baseline "$dir/none" x
wrong 'a folder' 3 'cannot be read' --baseline "$dir" x
echo '{"format": "armpmu-counts"' >"$dir/bad"
wrong 'truncated' 3 'it is no JSON' --baseline "$dir/bad" x
echo '{"format": "other"}' >"$dir/bad"
wrong 'foreign' 3 'no result of armpmu stat --save' --baseline "$dir/bad" x
sed 's/"version": 1,/"version": 2,/' "$dir/base" >"$dir/bad"
wrong 'newer' 3 'a version of armpmu wrote it' --baseline "$dir/bad" x
sed 's/"mean": 10.0/"mean": -10.0/' "$dir/base" >"$dir/bad"
wrong 'a negative count' 3 'lacks a name, a mark or a number' --baseline "$dir/bad" x
sed 's/"b@2"/"a@1"/' "$dir/base" >"$dir/bad"
wrong 'an event twice' 3 'it has an event twice' --baseline "$dir/bad" x
sed 's/"runs": 1/"runs": 0/' "$dir/base" >"$dir/bad"
wrong 'no runs' 3 'what was run is missing' --baseline "$dir/bad" x
wrong 'a limit without a baseline' 2 'there is no baseline' --fail-above 1% x
wrong 'a limit that is none' 2 '1x is no limit' --baseline "$dir/base" --fail-above 1x x
wrong 'a negative limit' 2 'is no limit' --baseline "$dir/base" --fail-above -1% x
wrong 'a limit of an event that is not counted' 2 'c@3 is not counted' --baseline "$dir/base" --fail-above c@3=1% x
wrong 'no runs at all' 2 '0 is no number of runs' -r 0 x
wrong 'intervals of several runs' 2 'intervals are those of one run' -r 2 -I 10 x
wrong 'fields of a comparison' 2 'a comparison has no such form' -x, --baseline "$dir/base" x
wrong 'Markdown of nothing' 2 'there is no baseline' --markdown "$dir/out.md" x
wrong '--env alone' 2 'without --deterministic' --env A=1 x
wrong '--env without a name' 2 'it has no name' --deterministic --env =1 x
wrong '--env of no variable' 2 'no such variable here' --deterministic --env ARMPMU_NO_SUCH x
"$dir/stat" -e a --save "$dir/no/such" x >"$dir/out" 2>&1
got=$?
[ $got -eq 3 ] && has '--save into no folder' 'no/such: cannot be written: No such file'
summary
