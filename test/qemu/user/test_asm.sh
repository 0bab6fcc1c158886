#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts the programs of asm/, whose counts are known by inspection: each file says in its header what to expect.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu

QEMU_CPU=max # the default of Debian's emulator from 10.2 on lacks pointer authentication
export QEMU_CPU
for file in test/qemu/user/asm/*.S; do
    by_inspection "$file" "$B/test/asm/$(basename "$file" .S)"
done
summary
