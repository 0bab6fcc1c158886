#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu run --html: what the page says of a wave, with an emulator of this test that writes the wave, and a page
# that is only a title and data.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
tool=$(pwd)/$B/armpmu

cat >"$dir/emulator" <<'SH'
#!/bin/sh
[ -z "$WAVE" ] || cat "$WAVE" >"$ARMPMU_WAVE"
printf 'armpmu-report 1\ncpu 0 1000 pmuv3\n' >"$ARMPMU_REPORT"
exit "${STATUS:-0}"
SH
chmod +x "$dir/emulator"
export ARMPMU_QEMU_SYSTEM="$dir/emulator"

# Prints the data of the page $dir/page on one line.
data() {
    python3 -c '
import base64, gzip, json, sys
title, data = open(sys.argv[1]).read().split("\n", 1)
print(title, json.dumps(json.loads(gzip.decompress(base64.b64decode(data))), sort_keys=True))' "$dir/page"
}
# Runs the emulator with the wave on stdin and options.
run() { # OPTION...
    cat >"$dir/wave"
    WAVE=$dir/wave "$tool" run "$@" -- image >"$dir/out" 2>"$dir/err"
    status=$?
}
# Checks that the page's data has TEXT.
has() { # NAME TEXT
    data >"$dir/data" 2>"$dir/err"
    grep -qF -- "$2" "$dir/data"
    expect $? "run --html: $1" "$(head -c 600 "$dir/data")"
}

export ARMPMU_LIBDIR="$dir"
run --html "$dir/page" </dev/null
[ $status -eq 3 ] && grep -q '^armpmu run: page.html: not built here; build it once with make page' "$dir/err"
expect $? 'run --html without the page says how to build it, before the run' "status $status: $(cat "$dir/err")"
printf '@TITLE@\n@DATA@' >"$dir/page.html"

cp test/cli/profile/run.vcd "$dir/good"
run --html "$dir/page" <"$dir/good"
expect $status 'run --html ends with the emulator'"'"'s status' "status $status: $(cat "$dir/err")"
has 'levels' '"name": "EL", "texts": ["EL0", "EL1", "EL2", "EL3"], "times": [0, 2000], "values": [3, 1]'
has 'an interrupt of a nanosecond is shown' '"name": "PMUIRQ", "times": [0, 9000, 9001], "values": [0, 1, 0]'
has 'times of standing still are exact' '"still": [{"cause": 1, "ns": 5001}, {"cause": 0, "ns": 2000}]'
has 'a short cause within a step is merged' '"why": {"times": [0, 2000, 5000, 5002], "values": [[0, 1], [1], [], []]}'
has 'the event' '"event": "INST_RETIRED"'
has 'a value that overflows soon is negative' '"values": [0, -1]'
has 'counters that were never used' '"idle": ["PMEVCNTR1_EL0"]'
has 'the end' '"end_ns": 10000'
has 'reasons in words' 'PMCR_EL0.E is 0'
STATUS=5 run --html "$dir/page" <"$dir/good"
[ $status -eq 5 ]
expect $? 'run --html: a status of the program is passed on' "$status"
run --html "$dir/page" --wave "$dir/kept" <"$dir/good"
cmp -s "$dir/good" "$dir/kept"
expect $? 'run --html --wave keeps the wave' "status $status: $(cat "$dir/err")"

# Bad waves end in a line, or in a page.
for kind in empty cut numbers names; do
    case $kind in
    empty) : >"$dir/bad" ;;
    cut) head -n 6 "$dir/good" >"$dir/bad" ;;
    numbers) sed 's/reg 64 #/reg 64 ~~~~~~/' "$dir/good" >"$dir/bad" ;;
    names) sed '/enddef/q' "$dir/good" >"$dir/bad" && head -c 100000 /dev/urandom >>"$dir/bad" ;;
    esac
    run --html "$dir/page" <"$dir/bad"
    wanted=3
    [ $kind != names ] || wanted=0
    [ $status -eq $wanted ] && [ "$(grep -c '^armpmu run: ' "$dir/err")" -eq $((wanted / 3)) ]
    expect $? "run --html: a bad wave, $kind" "status $status: $(cat "$dir/err")"
done
run --html /dev/full <"$dir/good"
[ $status -eq 3 ] && grep -q '/dev/full: No space left on device; make room' "$dir/err"
expect $? 'run --html to a full disk' "status $status: $(cat "$dir/err")"
run --html "$dir/none/page" <"$dir/good"
[ $status -eq 3 ] && grep -q 'none/page: No such file or directory; choose another file' "$dir/err"
expect $? 'run --html to a folder that is not there' "status $status: $(cat "$dir/err")"
summary
