#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every public header compiles alone, as C11 and as C++17; that of the native back end for its targets.  None defines or
# undefines a macro whose name is not ours: a user's own FIELD or ERROR stays what it was.
# Runs beside other tests.
set -u
. test/lib/tap.sh
cxx=$(command -v g++ || command -v clang++) || cxx=
for header in include/armpmu/*.h; do
    name=${header#include/}
    case $name in
    armpmu/native.h)
        tries='C11 for AArch64:aarch64-linux-gnu-gcc -std=c11 -x c
               C11 for Armv8 in AArch32:arm-linux-gnueabi-gcc -march=armv8-a -std=c11 -x c
               C11 for Armv7:arm-linux-gnueabi-gcc -march=armv7-a -std=c11 -x c
               C++17 for AArch64:clang++ --target=aarch64-linux-gnu -ffreestanding -std=c++17 -x c++
               C++17 for Armv7:clang++ --target=arm-linux-gnueabi -march=armv7-a -ffreestanding -std=c++17 -x c++' ;;
    *)
        tries="C11:$CC -std=c11 -x c${cxx:+
               C++17:$cxx -std=c++17 -x c++}" ;;
    esac
    while IFS= read -r try; do
        try=${try#"${try%%[! ]*}"} # without its indentation
        compiler=${try#*:}
        if ! command -v "${compiler%% *}" >/dev/null; then
            skip "<$name> as ${try%%:*}" "no ${compiler%% *}"
        elif printf '#include <%s>\n#include <%s>\nextern int not_empty;\n' "$name" "$name" |
            ${try#*:} -Iinclude -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only -; then
            ok "<$name> as ${try%%:*}"
        else
            not_ok "<$name> as ${try%%:*}" "does not compile alone"
        fi
    done <<END
$tries
END
    try=${tries%%"
"*}
    compiler=${try#*:}
    command -v "${compiler%% *}" >/dev/null || continue
    macros=$(printf '#include <%s>\n' "$name" | $compiler -Iinclude -E -dD - | awk '
        /^# [0-9]+ "/ { ours = $3 ~ /armpmu\// }
        /^#(define|undef) / && ours { sub(/\(.*/, "", $2); print $2 }' | sort -u)
    foreign=$(echo "$macros" | grep -vE '^_?(APMU|ARMPMU)_' | tr '\n' ' ')
    if [ -z "$macros" ]; then
        not_ok "<$name> keeps to its own macros" "none was seen, not even its guard"
    elif [ -n "$foreign" ]; then
        not_ok "<$name> keeps to its own macros" "$foreign"
    else
        ok "<$name> keeps to its own macros"
    fi
done
[ -n "$cxx" ] || skip "headers as C++17" "no C++ compiler"
summary
