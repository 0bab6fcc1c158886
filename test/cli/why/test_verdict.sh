#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the verdicts of armpmu why: each case of test/cli/why/cases/ (verdict.py says what a case is) gets the right
# first cause. Where ../shared/field exists, at least FLOOR percent of its cases do. test_verdict.sh NAME... runs only
# these cases.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
FLOOR=85
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

if [ $# -ne 0 ]; then
    mkdir "$work/cases"
    for name in "$@"; do cp -R "test/cli/why/cases/$name" "$work/cases/" || exit 2; done
    python3 test/cli/why/verdict.py "$B/armpmu" "$work/cases"
    exit
fi
# Each folder is a whole case, whose causes are rows of the table.
python3 test/cli/why/verdict.py "$B/armpmu" test/cli/why/cases >"$work/out" 2>&1
relay "cases" $? "$work/out"
[ "$(grep -c 'ok verdict on ' "$work/out")" -eq "$(ls test/cli/why/cases | wc -l)" ]
expect $? "every folder was judged" "a folder has no file expect"

# A cause that is less sure than the first one is printed with -v alone, and is no part of the verdict.
input=test/cli/why/cases/linux-seccomp-systemd/input.txt
for option in '' -v -j; do
    "$B/armpmu" why $option "$input" >"$work/why$option"
done
grep -q '^less sure: ' "$work/why-v" && ! grep -q '^less sure: ' "$work/why"
expect $? "-v prints the causes that are less sure" "$(cat "$work/why-v")"
! grep -q perf-paranoid "$work/why-j"
expect $? "-j has the verdict alone" "$(cat "$work/why-j")"

if [ -d ../shared/field/cases ]; then
    python3 test/cli/why/verdict.py "$B/armpmu" ../shared/field/cases -n >"$work/out"
    read -r right broken <"$work/out"
    [ "$right" -ge $FLOOR ]
    expect $? "field cases: at least $FLOOR percent" "$right percent"
    echo "# field cases: $right percent right, $broken broken"
else
    skip "field cases" "there is no ../shared/field"
fi
summary
