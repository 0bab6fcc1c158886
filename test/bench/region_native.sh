#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the native back end costs, in instructions: test/target/cost.c on an emulated Cortex-A57, counted by a counter
# that the code under test does not see.
set -u
. test/target/machine.sh
if ! command -v "${QEMU_AARCH64:-qemu-system-aarch64}" >/dev/null || [ ! -f "$B/target/a64/cost.elf" ]; then
    echo "skip native regions: no qemu-system-aarch64 or no aarch64-linux-gnu-gcc"
    exit 0
fi
echo "Bare metal, instructions (goals: 1 for an inline read, at most 45 for a native region of 6 counters):"
boot64 cortex-a57 "$B/target/a64/cost.elf" 2>&1 </dev/null | tr -d '\r' |
    awk -F ': ' '/^cost / { printf "  %-4s %-42s %6d\n", substr($1, 6), $2, $3 }'
