#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fuzz.sh: runs each fuzzer $B/fuzz-* for TIME seconds, with its corpus in $B/corpus, and prints an "ok" or "not ok"
# line with what it did.  An input that fails is left in $B; run the fuzzer on it to reproduce the failure.
set -u
: "${B:=build/fuzz}" "${TIME:=10}"
cd "$(dirname "$0")/.." || exit 2
status=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

sh tools/fuzz-words.sh >"$B/words" || exit 2
total=0
for fuzzer in "$B"/fuzz-*; do
    [ -x "$fuzzer" ] || continue
    name=${fuzzer##*/fuzz-}
    mkdir -p "$B/corpus/$name"
    seeds= longest=4096 words=
    case $name in parser-*) seeds=test/fuzz/corpus/${name#parser-} words=-dict=$B/words ;; esac
    [ "$name" != parser-gdb ] || longest=16384 # an exchange with all descriptions and words
    if "$fuzzer" -max_total_time="$TIME" -max_len=$longest -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 \
        -close_fd_mask=2 $words -artifact_prefix="$B/$name-" "$B/corpus/$name" $seeds >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        cover=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
        total=$((total + runs))
        echo "ok fuzz $name: $runs inputs, $cover edges"
    else
        echo "not ok fuzz $name: $(grep -m 1 -E '^not ok|ERROR: |runtime error:' "$log")"
        grep 'Test unit written to' "$log"
        status=1
    fi
done
[ -n "$(ls "$B"/fuzz-* 2>/dev/null)" ] || { echo "not ok fuzz: there is no fuzzer in $B: run make fuzz"; status=1; }
echo "$total inputs"
exit $status
