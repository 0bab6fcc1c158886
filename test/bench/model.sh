#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what a call of the model costs: nanoseconds, their ratio to an indirect call of the same run, and
# instructions, which do not depend on the load of the machine (valgrind).  `make bench` calls it; B (build) may be set.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
times=100

"$B/test/bench/model" >"$tmp/times" || exit 2
: >"$tmp/instructions"
if command -v callgrind_annotate >/dev/null &&
    valgrind --tool=callgrind --callgrind-out-file="$tmp/callgrind" "$B/test/bench/model" $times >/dev/null 2>&1; then
    callgrind_annotate --inclusive=yes --threshold=100 "$tmp/callgrind" |
        sed -n 's/^ *\([0-9,]*\) .*:row_\([a-z0-9_]*\) .*/\1 \2/p' | tr -d , >"$tmp/instructions"
else
    echo "skip instructions: valgrind is not here: apt-get install valgrind"
fi

echo "A call of the model, and its ratio to an indirect call that waits for the one before: medians of rounds."
echo "Instructions include those of the loop around the call.  The PMU has every feature of AArch64."
printf '%-50s %8s %12s %8s %8s\n' call ns instructions ratio goal
awk -v times=$times '
    FILENAME ~ "instructions$" { instructions[$2] = $1 / times; next }
    $1 == "size" { size = sprintf("sizeof(struct apmu): %d bytes (goal: at most %d)", $3, $2); next }
    {
        text = $5
        for (i = 6; i <= NF; i++) text = text " " $i
        missed = ($2 && $4 > $2) ? "  missed" : ""
        count = $1 in instructions ? sprintf("%.0f", instructions[$1]) : "-"
        printf "%-50s %8.1f %12s %8.2f %8s%s\n", text, $3, count, $4, $2 ? "<= " $2 : "", missed
    }
    END { print size }' "$tmp/instructions" "$tmp/times"
