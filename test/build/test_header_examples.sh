#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header that declares functions shows a complete program between " * @code" and " * @endcode".  It compiles
# as C11 without a warning and exits with 0.  C++20 accepts the order of its initializers, and that in the C programs of
# the pages and of examples/.
# Runs beside other tests.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# ordered NAME FILE: g++ names initializers that are out of order.  What else is C alone does not matter here.
ordered() {
    if ! command -v g++ >/dev/null; then
        skip "$1: its initializers in C++20" "no g++"
        return
    fi
    g++ -std=c++20 -fpermissive -w -fsyntax-only -Iinclude -x c++ "$2" 2>"$dir/output"
    ! grep 'designator order' "$dir/output" >"$dir/order"
    expect $? "$1: its initializers in C++20" "$(head -n 1 "$dir/order")"
}

for header in include/armpmu/*.h; do
    name=${header#include/}
    awk -v out="$dir/example" '
        /^ \* @code$/ { n++; inside = 1; next }
        /^ \* @endcode$/ { inside = 0; next }
        inside { line = $0; sub(/^ \* ?/, "", line); print line > (out n ".c") }
        END { exit inside }' "$header" || not_ok "<$name>: each @code has its @endcode" "one lacks it"
    if [ ! -f "$dir/example1.c" ]; then
        case $name in
        # Other headers show these in use: a part, constants, names of errors, a table expanded, a list of headers.
        armpmu/core_cuts.h | armpmu/error.h | armpmu/event_numbers.h | armpmu/inline.h | armpmu/driver.h) continue ;;
        esac
        not_ok "<$name>: it has an example" "no @code block"
        continue
    fi
    for example in "$dir"/example*.c; do
        if ! $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude "$example" "$B/libarmpmu.a" \
            -o "$dir/program" 2>"$dir/output"; then
            not_ok "<$name>: its example compiles" "$(grep -m 1 error "$dir/output")"
        else
            (cd "$dir" && ./program >output 2>&1)
            expect $? "<$name>: its example compiles and runs" "$(tail -n 1 "$dir/output")"
        fi
        ordered "<$name>" "$example"
    done
    rm -f "$dir"/example*.c "$dir/program"
done
awk -v to="$dir/block" '/^```c$/ { n++; file = to n ".c"; next } /^```/ { file = "" } file { print >file }' \
    README.md doc/*.md
for program in "$dir"/block*.c examples/*.c; do
    ordered "${program##*/}" "$program"
done
summary
