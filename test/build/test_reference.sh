#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The documents that are made out of the public headers: Doxygen finds nothing to warn of and lists every exported
# function; the man pages have no fault, one for each header, with every exported function of it.
# Runs beside other tests.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS # of a parallel make check
need python3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# apmu_core_wait() is declared for inline functions only.
nm -D --defined-only "$B"/libarmpmu.so.* | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' |
    grep -vx apmu_core_wait >"$dir/functions"
[ "$(wc -l <"$dir/functions")" -gt 100 ] || not_ok "functions" "nm lists $(wc -l <"$dir/functions")"

# Prints the exported functions that no file of a folder names.
unnamed() { # FOLDER PATTERN
    find "$1" -name "$2" -exec cat {} + | grep -o 'apmu_[a-z0-9_]*' | sort -u >"$dir/named"
    sort -u "$dir/functions" | comm -23 - "$dir/named" | tr '\n' ' '
}

if command -v doxygen >/dev/null; then
    make -s B="$dir" reference >"$dir/log" 2>&1
    status=$?
    grep -v '^  GEN' "$dir/log" >"$dir/warnings"
    [ $status -eq 0 ] && [ ! -s "$dir/warnings" ]
    expect $? "reference: without a warning" "$(wc -l <"$dir/warnings") lines; $(head -n 1 "$dir/warnings")"
    missing=$(unnamed "$dir/reference" '*_8h.html')
    [ -z "$missing" ]
    expect $? "reference: every function" "missing: $missing"
    printf '/* SPDX */\n/** Calls @who, if 1 <2.\n * @code\n * int a = 1 < 2;\n * @endcode */\n' >"$dir/sample"
    [ "$(awk -f package/doxygen.awk "$dir/sample" | sed -n 2p)" = '/** Calls \p who, if 1 \<2.' ]
    expect $? "reference: @name is a parameter" "$(awk -f package/doxygen.awk "$dir/sample" | sed -n 2p)"
else
    skip "reference" "no doxygen"
fi

make -s B="$dir" man3 >"$dir/log" 2>&1
expect $? "section 3 is made" "$(tail -n 1 "$dir/log")"
[ "$(find "$dir/man3" -name 'armpmu_*.3' | wc -l)" -eq "$(find include/armpmu -maxdepth 1 -name '*.h' | wc -l)" ]
expect $? "section 3: a page for each header" "$(find "$dir/man3" -type f | wc -l)"
missing=$(unnamed "$dir/man3" '*.3')
[ -z "$missing" ]
expect $? "section 3: every function" "missing: $missing"
if command -v mandoc >/dev/null; then
    mandoc -Tlint -Wwarning "$dir"/man3/*.3 >"$dir/log" 2>&1
    expect $? "section 3: no fault" "$(head -n 2 "$dir/log" | tr '\n' ' ')"
    mandoc -Tascii "$dir/man3/armpmu_model.3" | sed "s/.$(printf '\b')//g" >"$dir/text"
    grep -q '#include <armpmu/model.h>' "$dir/text" && grep -q 'apmu_init(' "$dir/text" && ! grep -q '@' "$dir/text"
    expect $? "section 3: what a page shows" "$(head -n 20 "$dir/text" | tr '\n' ' ')"
else
    skip "section 3: faults" "no mandoc"
fi
if command -v groff >/dev/null; then
    for page in "$dir"/man3/*.3; do groff -K utf8 -mandoc -Tutf8 -ww -z "$page"; done >"$dir/log" 2>&1
    [ ! -s "$dir/log" ]
    expect $? "section 3: no warning of man" "$(head -n 2 "$dir/log" | tr '\n' ' ')"
else
    skip "section 3: warnings of man" "no groff"
fi
summary
