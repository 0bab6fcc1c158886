#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests what --live reads at EL0.  Under qemu-aarch64 PMUSERENR_EL0 reads as 0, and so any other register traps.
set -u
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
. tools/emulator.sh
if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! emulator=$(aarch64_emulator); then
    echo "no aarch64-linux-gnu-gcc, or no emulator: make qemu-user"
    exit 77
fi
aarch64-linux-gnu-gcc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -O2 -static \
    test/cli/state/programs/el0.c cli/state/el0.c -o "$dir/el0" && "$emulator" "$dir/el0" >"$dir/out"
if [ "$(head -n 1 "$dir/out")" = "PMUSERENR_EL0 value 0x0" ] && [ "$(grep -c ' trapped ' "$dir/out")" = 8 ]; then
    echo "ok registers at EL0"
else
    echo "not ok registers at EL0: $(tr '\n' ' ' <"$dir/out")"
    exit 1
fi
