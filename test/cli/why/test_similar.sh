#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests what armpmu why names by similar inputs: cli/why/similar.def is what similar.c of this folder makes of the
# cases, and what is named so is possible, has words of the input as its reason, and stands where it may.
# With --write it writes the table anew, and tests nothing: run it after a change of the cases.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}" "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# shellcheck disable=SC2086 # words
"$CC" -std=c11 -Iinclude ${CFLAGS:-} test/cli/why/similar.c "$B/obj/cli/why/similar_words.o" "$B/obj/cli/read/text.o" \
    "$B/obj/cli/read/plain.o" \
    "$B/obj/cli/complain.o" -o "$dir/similar" 2>"$dir/err" && "$dir/similar" test/cli/why/cases >"$dir/similar.def"
status=$?
if [ "${1-}" = --write ]; then
    [ "$status" -eq 0 ] || { cat "$dir/err" && exit 1; }
    cp "$dir/similar.def" cli/why/similar.def
    exit
fi
expect "$status" 'the table can be made of the cases' "$(head -n 3 "$dir/err" | tr '\n' ' ')"
cmp -s "$dir/similar.def" cli/why/similar.def
expect $? 'cli/why/similar.def is that of the cases' 'run: sh test/cli/why/test_similar.sh --write'
rows=$(grep -c '^SIMILAR("' cli/why/similar.def)
[ "$rows" -gt 1000 ] && [ "$(wc -c <cli/why/similar.def)" -lt 300000 ]
expect $? 'the table has more than 1000 words and less than 300 kB' "$rows words"
need python3
python3 test/cli/why/similar.py "$B/armpmu" test/cli/why/cases
summary
