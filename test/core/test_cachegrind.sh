#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The core model counts the misses that cachegrind counts, within 1 %, where both have the same caches: of five programs
# built for this machine, whose accesses valgrind's tool lackey traces.
# Runs beside other tests.
set -u
. test/lib/tap.sh
need valgrind
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# cachegrind writes nothing back, so a line that is written back must not push another out of L2.
cat >"$dir/core" <<END
core cortex-a72
name cachegrind
l1i.size 16K
l1i.ways 4
l1d.size 16K
l1d.ways 4
l2.size 128K
l2.ways 16
l2.replacement lru
l2.allocate no
END
$CC -O1 -std=c11 test/core/native/work.c -o "$dir/work" 2>"$dir/log"
expect $? "cachegrind: the programs are built" "$(head -n 2 "$dir/log")"
for work in matrix sort tree lz hash; do
    valgrind --tool=cachegrind --cache-sim=yes --I1=16384,4,64 --D1=16384,4,64 --LL=131072,16,64 \
        --cachegrind-out-file=/dev/null "$dir/work" $work 2>&1 >/dev/null |
        awk '{ gsub(",", "") } $2 ~ /^(I1|D1|LL)$/ && $3 == "misses:" { print $2, $4 }' >"$dir/theirs"
    valgrind --tool=lackey --trace-mem=yes "$dir/work" $work 2>&1 >/dev/null | "$B/test/lackey" "$dir/core" >"$dir/ours"
    for level in D1 LL; do
        theirs=$(awk -v l=$level '$1 == l { print $2 }' "$dir/theirs")
        ours=$(awk -v l=$level '$1 == l { print $2 }' "$dir/ours")
        awk -v a="${theirs:-0}" -v b="${ours:-0}" 'BEGIN { d = a - b; exit !(a > 1000 && (d < 0 ? -d : d) <= a / 100) }'
        expect $? "cachegrind: $work: $level misses, ${ours:-none}" "cachegrind counts ${theirs:-none}"
    done
done
summary
