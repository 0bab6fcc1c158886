#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header that declares functions shows a complete program between " * @code" and " * @endcode".  It compiles
# as C11 without a warning and exits with 0.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
status=0 examples=0
for header in include/armpmu/*.h; do
    name=${header#include/}
    awk -v out="$dir/example" '
        /^ \* @code$/ { n++; inside = 1; next }
        /^ \* @endcode$/ { inside = 0; next }
        inside { line = $0; sub(/^ \* ?/, "", line); print line > (out n ".c") }
        END { exit inside }' "$header" || { echo "not ok <$name>: an @code without its @endcode"; status=1; }
    if [ ! -f "$dir/example1.c" ]; then
        case $name in
        # Other headers show these in use: constants, names of errors, an expansion of a table, a list of headers.
        armpmu/error.h | armpmu/event_numbers.h | armpmu/version.h | armpmu/driver.h) continue ;;
        esac
        echo "not ok <$name> has an example: no @code block"
        status=1
        continue
    fi
    for example in "$dir"/example*.c; do
        examples=$((examples + 1))
        if ! $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude "$example" "$B/libarmpmu.a" \
            -o "$dir/program"; then
            echo "not ok <$name>: its example does not compile"
            status=1
        elif ! (cd "$dir" && ./program >output 2>&1); then
            echo "not ok <$name>: its example fails: $(tail -n 1 "$dir/output")"
            status=1
        else
            echo "ok <$name>: its example compiles and runs"
        fi
    done
    rm -f "$dir"/example*.c "$dir/program"
done
[ "$examples" -gt 0 ] || { echo "not ok examples of headers: found none"; status=1; }
exit $status
