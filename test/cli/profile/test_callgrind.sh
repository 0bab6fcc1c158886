#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares armpmu record --call-graph with valgrind's callgrind on a build of the same source for this machine: equally
# many calls of each function, and the same ten functions in the same order.  Functions are not inlined, because there
# the compilers of two machines differ.
# Runs beside other tests.
. test/lib/tap.sh
: "${B:=build}"
need gcc aarch64-linux-gnu-gcc valgrind python3
here=test/cli/profile/formats
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

for cc in gcc aarch64-linux-gnu-gcc; do
    $cc -std=c11 -O1 -fno-inline -g -Iinclude -static -o "$dir/$cc" "$here/model_work.c" lib/model/*.c \
        lib/names/*.c 2>"$dir/err"
    expect $? "callgrind: the program is built by $cc" "$(head -n 3 "$dir/err" | tr '\n' ';')"
done
valgrind --tool=callgrind --callgrind-out-file="$dir/theirs" "$dir/gcc" >"$dir/err" 2>&1
expect $? 'callgrind: valgrind runs it' "$(tail -n 2 "$dir/err" | tr '\n' ';')"
"$B/armpmu" record --call-graph -o "$dir/data" -- "$dir/aarch64-linux-gnu-gcc" 2>"$dir/err" &&
    "$B/armpmu" report --to callgrind -o "$dir/ours" "$dir/data" 2>"$dir/err"
expect $? 'callgrind: armpmu records it' "$(cat "$dir/err")"
python3 "$here/check_callgrind.py" "$dir/theirs" "$dir/ours" lib/model/ >"$dir/log" 2>&1
relay callgrind $? "$dir/log"
summary
