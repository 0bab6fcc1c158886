#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests what --live reads at EL0.  Under qemu-aarch64 PMUSERENR_EL0 reads as 0, so a read of any other register of the
# PMU traps.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
. tools/emulator.sh
need aarch64-linux-gnu-gcc
emulator=$(aarch64_emulator) || skip_all "no emulator: make qemu-user"
aarch64-linux-gnu-gcc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -O2 -static \
    test/cli/state/programs/el0.c cli/state/el0.c -o "$dir/el0" && "$emulator" "$dir/el0" >"$dir/out"
if [ "$(head -n 1 "$dir/out")" = "PMUSERENR_EL0 value 0x0" ] && [ "$(grep -c ' trapped ' "$dir/out")" = 8 ]; then
    ok 'registers at EL0'
else
    not_ok 'registers at EL0' "$(tr '\n' ' ' <"$dir/out")"
fi
summary
