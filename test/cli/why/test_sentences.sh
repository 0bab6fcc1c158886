#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the verdicts of armpmu why on sentences: those of sentences.txt, from a file, as operands, and as --symptom.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

python3 test/cli/why/sentences.py "$B/armpmu" test/cli/why/sentences.txt >"$work/out"
expect $? "the sentences are read" "sentences.py failed"
while IFS= read -r line; do
    case $line in
    'ok '*) ok "${line#ok }" ;;
    *) not_ok "${line#not ok }" "a wrong first cause" ;;
    esac
done <"$work/out"

# first WORDS...: prints the first cause of the verdict on these arguments.
first() { "$B/armpmu" why -j "$@" 2>"$work/err" | sed -n 's/.*"cause": "\([^"]*\)".*/\1/p' | head -n 1; }

sentence='illegal instruction when my program reads PMCCNTR_EL0 on a Raspberry Pi 4'
[ "$(first "$sentence")" = el0-access-off ]
expect $? "one operand with blanks" "the first cause is $(first "$sentence")"
# shellcheck disable=SC2086 # several operands
[ "$(first $sentence)" = el0-access-off ]
expect $? "several operands" "the first cause is $(first $sentence)"
[ "$(first --symptom "$sentence")" = el0-access-off ]
expect $? "--symptom" "the first cause is $(first --symptom "$sentence")"
printf 'PMCCNTR_EL0 does not count on my board\r\n> at all\r\n' >"$work/zero.txt"
found=$(first --symptom 'CYCCNT of my STM32G0 is always zero' "$work/zero.txt")
[ "$found" = m-profile-no-cyccnt ]
expect $? "--symptom beside a file" "the first cause is $found"
summary
