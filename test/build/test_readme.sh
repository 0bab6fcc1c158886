#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The README is true: its example compiles and prints what it says, its commands run or are targets, its options exist.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' README.md >"$dir/example.c"
$CC -std=c11 -Wall -Wextra -Werror -Iinclude "$dir/example.c" "$B/libarmpmu.a" -o "$dir/example" && "$dir/example" >"$dir/out"
want=$(sed -n 's/^prints `\([^`]*\)`.*/\1/p' README.md)
[ -n "$want" ] && [ "$(cat "$dir/out" 2>/dev/null)" = "$want" ]
expect $? "README example prints what it says" "$(cat "$dir/out" 2>/dev/null)"

for target in $(sed -n 's/^    make \([a-z]*\).*/\1/p' README.md) install; do
    grep -q "^$target:" Makefile test/test.mk
    expect $? "README make $target" "no such target"
done
for option in -e -x -j -I -o --el0 --sysroot; do
    "$B/armpmu" stat --help | grep -q -- "$option\b"
    expect $? "README option $option" "armpmu stat --help does not have it"
done
for option in $(sed -n 's/^| `\(pmu-[a-z]*\)=[^`]*` |.*/\1/p' README.md); do
    grep -q "\"$option\"" qemu/system/config.c
    expect $? "README option $option of -cpu" "the emulator does not have it"
done
for path in $(sed -n 's/^| `\([^`=]*\)` |.*/\1/p' README.md) DESIGN.md SPEC.md CONTRIBUTING.md; do
    [ -e "$path" ]
    expect $? "README $path" "is not there"
done
# What README runs without a file of its reader's; test/qemu/system/test_readme.sh runs the commands of the emulator.
grep -oE '`armpmu (decode|encode) [A-Z][^`]*`' README.md | tr -d '`' >"$dir/commands"
while read -r _ words; do
    # shellcheck disable=SC2086 # words
    "$B/armpmu" $words >"$dir/out" 2>&1 </dev/null && [ -s "$dir/out" ]
    expect $? "README armpmu $words" "status $?, $(head -n 1 "$dir/out")"
done <"$dir/commands"
[ "$(grep -c . "$dir/commands")" -ge 2 ]
expect $? "README has commands of armpmu" "$(cat "$dir/commands")"
summary
