#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What bindings need: apmu_sizeof() knows each structure of the public headers, and the shared library exports each
# function that a header defines, except those of native.h, arm11_driver.h and perf.h.
# Runs beside other tests.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

headers=$(for header in include/armpmu/*.h; do [ "${header##*/}" = native.h ] || echo "$header"; done)
{
    for header in $headers; do
        echo "#include <${header#include/}>"
    done
    echo '#include <stdio.h>'
    echo '#define SAME(name) \'
    echo '    if (apmu_sizeof(#name) != sizeof(struct name)) { puts(#name); status = 1; }'
    echo 'int main(void)'
    echo '{'
    echo '    int status = apmu_sizeof("apmu_none") != 0 || apmu_sizeof("") != 0 || apmu_sizeof("apmu_p") != 0;'
    # shellcheck disable=SC2086
    sed -n 's/^struct \(apmu[a-z0-9_]*\) {.*/    SAME(\1)/p' $headers
    echo '    return status;'
    echo '}'
} >"$dir/sizes.c"
structures=$(grep -c 'SAME(apmu' "$dir/sizes.c")
$CC -std=c11 -Iinclude "$dir/sizes.c" "$B/libarmpmu.a" -o "$dir/sizes" 2>"$dir/log" && "$dir/sizes" >"$dir/log" 2>&1 &&
    [ "$structures" -gt 80 ]
expect $? "foreign: sizes of $structures structures" "$(tr '\n' ' ' <"$dir/log")"

inlines=0 missing=
nm -D --defined-only "$B"/libarmpmu.so.* | sed 's/.* T //; s/@.*//' >"$dir/exports"
for name in $(sed -n 's/^APMU_INLINE [^(]* \**\(apmu_[a-z0-9_]*\)(.*/\1/p' include/armpmu/*.h); do
    inlines=$((inlines + 1))
    grep -qx "$name" "$dir/exports" || missing="$missing $name"
done
[ -z "$missing" ] && [ $inlines -gt 25 ]
expect $? "foreign: $inlines functions of headers are in the shared library" "missing:$missing"

others=$(grep -l '^static inline' include/armpmu/*.h | xargs -n 1 basename | tr '\n' ' ')
[ "$others" = "native.h perf.h " ]
expect $? "foreign: only native.h and perf.h define functions for C alone" "$others"
summary
