#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The four files for vendoring compile without a warning: the model with its names and without, the driver alone and
# beside the model; and need nothing but memcpy, memset, memmove and memcmp.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

if ! CC="$CC" python3 tools/amalgamate.py "$dir" >"$dir/out" 2>&1; then
    not_ok "amalgamation" "$(tail -n 1 "$dir/out")"
    summary
fi

compiles() { # NAME FILE FLAGS...
    name=$1 file=$2
    shift 2
    if ! "$CC" -std=c11 -Wall -Wextra -Werror "$@" -c "$dir/$file" -o "$dir/it.o" 2>"$dir/err"; then
        not_ok "amalgamation, $name" "$(grep -m 1 error "$dir/err")"
        return
    fi
    undefined=$(nm -u "$dir/it.o" | awk '{ print $NF }' |
        grep -vxE 'memcpy|memset|memmove|memcmp|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail' | tr '\n' ' ')
    case $undefined in
    "" | apmu_*) ok "amalgamation, $name: $(size "$dir/it.o" | awk 'NR == 2 { print $1 + $2 }') bytes" ;;
    *) not_ok "amalgamation, $name" "undefined: $undefined" ;;
    esac
}
compiles "the model" armpmu_model.c -O1
compiles "the model without names" armpmu_model.c -O1 -DAPMU_WITHOUT_NAMES
compiles "the driver" armpmu_driver.c -O1
compiles "the driver with the model" armpmu_driver.c -O1 -DAPMU_WITH_MODEL
summary
