#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The tables of doc/core-accuracy.md are those that test/core/native/accuracy.c prints: no number of the model is typed.
# After a change of the model: paste what build/test/accuracy prints, and say in the document why it changed.
# Runs beside other tests.
set -u
. test/lib/tap.sh
: "${B:=build}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

"$B/test/accuracy" | sort >"$dir/printed"
grep -E '^\| (cortex|neoverse)-' doc/core-accuracy.md | sort >"$dir/written"
cmp -s "$dir/printed" "$dir/written"
expect $? "accuracy: the tables of doc/core-accuracy.md, $(grep -c . "$dir/written") rows, are what the model says" \
    "$(diff "$dir/printed" "$dir/written" | head -n 4 | tr '\n' ';')"
for core in cortex-a53 cortex-a72 neoverse-n1; do
    [ "$(grep -c "^| $core" "$dir/printed")" -ge 10 ]
    expect $? "accuracy: $core is compared" "too few rows"
done
summary
