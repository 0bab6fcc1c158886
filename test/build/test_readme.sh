#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# README.md and the pages of doc/ are true: each "```c" block compiles as a whole program and prints its "```output"
# block, each "```cpp" block does in C++17 and in C++20, each `make TARGET` is a target, each option that a page names
# is one of its verb's, and the commands on registers run. test/cli/why/test_doc.sh runs the "```console" blocks,
# test/build/test_link.sh the commands that install and link, and test/qemu/system/test_readme.sh those of the emulator.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
pages="README.md $(ls doc/*.md | tr '\n' ' ')"

[ "$(wc -l <README.md)" -le 150 ]
expect $? "README.md has at most 150 lines" "it has $(wc -l <README.md)"

programs=0
for page in $pages; do
    # NAME-1.c and NAME-1.output and so on.
    rm -f "$dir"/block*
    awk -v to="$dir/block" '
        /^```c$/ { n++; file = to n ".c"; next }
        /^```cpp$/ { n++ }
        /^```output$/ { file = to n ".output"; next }
        /^```/ { file = "" }
        file { print >file }' "$page"
    for source in "$dir"/block*.c; do
        [ -f "$source" ] || continue
        programs=$((programs + 1))
        $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude "$source" "$B/libarmpmu.a" -o "$dir/program" \
            2>"$dir/out" && "$dir/program" >"$dir/out" 2>&1 && cmp -s "$dir/out" "${source%.c}.output"
        expect $? "$page: program ${source##*/block} prints what the page says" "$(head -n 3 "$dir/out" | tr '\n' ' ')"
    done
done
cplusplus=0
for page in $pages; do
    awk -v to="$dir/source.cc" '/^```cpp$/ { inside = 1; next } /^```/ { inside = 0 } inside { print >to }' "$page"
    [ -f "$dir/source.cc" ] || continue
    awk -v to="$dir/wanted" '/^```cpp$/ { last = 1 } /^```output$/ && last { inside = 1; next }
        /^```/ && inside { exit } inside { print >to }' "$page"
    for standard in 17 20; do
        cplusplus=$((cplusplus + 1))
        if ! command -v g++ >/dev/null; then
            skip "$page: its program in C++$standard" "no g++"
            continue
        fi
        g++ -std=c++$standard -Wall -Wextra -Wpedantic -Werror -Iinclude "$dir/source.cc" "$B/libarmpmu.a" \
            -o "$dir/program" 2>"$dir/out" && "$dir/program" >"$dir/out" 2>&1 && cmp -s "$dir/out" "$dir/wanted"
        expect $? "$page: its program in C++$standard prints what the page says" "$(head -n 3 "$dir/out" | tr '\n' ' ')"
    done
    rm "$dir/source.cc" "$dir/wanted"
done
[ $cplusplus -ge 2 ]
expect $? "the pages have a program in C++" "only $cplusplus"
[ $programs -ge 3 ]
expect $? "the pages have programs" "only $programs"

targets=0
for target in $(sed -n 's/^    make \([a-z-]*\).*/\1/p' $pages | sort -u); do
    targets=$((targets + 1))
    grep -q "^$target:" Makefile test/test.mk
    expect $? "make $target" "no such target"
done
[ $targets -ge 2 ]
expect $? "the pages name targets of make" "only $targets"

# Options between backquotes, each of the verb that the page is about.
for verb in stat run coverage; do
    "$B/armpmu" $verb --help >"$dir/help"
    options=$(grep -oE '`--?[a-z][a-z0-9-]*[`=]' doc/$verb.md | tr -d '`=' | sort -u)
    for option in $options; do
        case $option in -icount | -cpu | -s) continue ;; esac # of QEMU
        grep -qE -- "(^|[ ,])$option([ ,=[]|\$)" "$dir/help"
        expect $? "doc/$verb.md: option $option" "armpmu $verb --help does not have it"
    done
    [ -n "$options" ]
    expect $? "doc/$verb.md names options" "none was found"
done
for verb in record report annotate diff; do
    "$B/armpmu" $verb --help
done >"$dir/help"
options=$(grep -oE '`--?[a-z][a-z0-9-]*[`=]' doc/profile.md | tr -d '`=' | sort -u)
for option in $options; do
    grep -qE -- "(^|[ ,])$option([ ,=[]|\$)" "$dir/help"
    expect $? "doc/profile.md: option $option" "none of its verbs has it"
done
[ "$(echo "$options" | wc -l)" -ge 10 ]
expect $? "doc/profile.md names options" "$options"
options=$(sed -n 's/^| `\(pmu-[a-z-]*\)=[^`]*` |.*/\1/p' doc/run.md)
for option in $options; do
    grep -q "\"$option\"" qemu/system/config.c
    expect $? "doc/run.md: option $option of -cpu" "the emulator does not have it"
done
[ "$(echo $options | wc -w)" -eq "$(grep -cE 'object_property_add[a-z_]*\(o, "pmu-' qemu/system/config.c)" ]
expect $? "doc/run.md has every option of -cpu" "$options"

# Runs the commands of the pages that need no file of the reader's.
grep -ohE '`armpmu (decode|encode) [A-Z][^`]*`' $pages | tr -d '`' >"$dir/commands"
while read -r _ words; do
    # shellcheck disable=SC2086 # words
    "$B/armpmu" $words >"$dir/out" 2>&1 </dev/null && [ -s "$dir/out" ]
    expect $? "armpmu $words" "status $?, $(head -n 1 "$dir/out")"
done <"$dir/commands"
[ "$(grep -c . "$dir/commands")" -ge 2 ]
expect $? "the pages have commands of armpmu" "$(cat "$dir/commands")"
summary
