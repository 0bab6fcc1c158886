#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks the model against the vectors, and checks that conform finds what is wrong with a file.
# Runs beside other tests.
set -u
. test/lib/tap.sh
conform=$B/test/conform
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

for file in test/data/vectors/*.csv ../shared/vectors/*.csv; do
    [ -f "$file" ] || continue
    line=$("$conform" "$file" | tail -n 1)
    rows=$(echo "$line" | sed 's/.*: \([0-9]*\) rows.*/\1/')
    case $line in
    *", 0 mismatches, 0 skipped") [ "${rows:-0}" -gt 100 ]; expect $? "vectors $line" "too few rows" ;;
    *) expect 1 "vectors $file" "$line" ;;
    esac
done
[ -d ../shared/vectors ] || skip vectors "the whole files are not beside this checkout; the subset ran"

# A wrong answer in one row is one mismatch, shown in full.
awk -F, -v OFS=, 'NR == 5 { $17 = 1 - $17 } { print }' test/data/vectors/countpmuevents.csv >"$dir/wrong.csv"
"$conform" "$dir/wrong.csv" >"$dir/out"
[ $? -eq 1 ] && grep -q '^wrong.csv: .* 1 mismatches' "$dir/out" && grep -q '^wrong.csv:5: ' "$dir/out" &&
    grep -q '^    result: vector' "$dir/out"
expect $? "conform finds one wrong answer" "$(cat "$dir/out")"

awk -F, -v OFS=, 'NR > 1 { $17 = 1 - $17 } { print }' test/data/vectors/countpmuevents.csv >"$dir/all.csv"
[ "$("$conform" "$dir/all.csv" | grep -c '^all.csv:[0-9]*: ')" -eq 10 ]
expect $? "conform shows the first ten mismatches" "$("$conform" "$dir/all.csv" | head -n 3)"

unreadable() { # NAME FILE
    "$conform" "$2" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" -eq 1 ]
    expect $? "conform refuses $1" "$(cat "$dir/out" "$dir/err")"
}
printf 'a,b,c\n1,2,3\n' >"$dir/unknown.csv"
unreadable "a header that it does not know" "$dir/unknown.csv"
: >"$dir/empty.csv"
unreadable "an empty file" "$dir/empty.csv"
unreadable "a file that is not there" "$dir/none.csv"
head -n 3 test/data/vectors/incr_event.csv | sed '3s/,[^,]*$//' >"$dir/short.csv"
unreadable "a row that is too short" "$dir/short.csv"
head -n 3 test/data/vectors/incr_event.csv | sed '2s/^/x/' >"$dir/letters.csv"
unreadable "a field that is no number" "$dir/letters.csv"
summary
