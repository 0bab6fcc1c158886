#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The driver and the examples of this project get "nothing wrong".
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
for file in lib/driver/*.c lib/driver/*/*.c examples/*.c examples/*/*.[cS]; do
    out=$("$B/armpmu" why "$file" 2>&1)
    case $out in
    *"nothing wrong"*) ok "$file" ;;
    *) not_ok "$file" "$(printf '%s' "$out" | head -n 2)" ;;
    esac
done
# Headers, of which some declare and access nothing, and a text that is no code.
for file in include/armpmu/*.h Makefile; do
    out=$("$B/armpmu" why -j "$file" 2>&1)
    case $out in
    *'"verdict": []'* | *'"cause": "unknown"'*) ok "$file" ;;
    *) not_ok "$file" "$(printf '%s' "$out" | head -n 9)" ;;
    esac
done
for file in Makefile include/armpmu/driver.h; do
    "$B/armpmu" why "$file" >/dev/null 2>&1
    [ $? -eq 3 ]
    expect $? "$file accesses no PMU: nothing can be told" "another exit status"
done
summary
