#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The driver and the examples of this project get "nothing wrong".
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
summary
