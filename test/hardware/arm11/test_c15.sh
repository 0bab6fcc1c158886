#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the native back end of ARM11, compiled for Armv6 and run by QEMU's arm1176.  The model serves its c15 accesses.
set -u
. tools/emulator.sh
command -v arm-linux-gnueabi-gcc >/dev/null 2>&1 || { echo "skip arm11: no arm-linux-gnueabi-gcc"; exit 77; }
emulator=$(arm_emulator) || { echo "skip arm11: no qemu-arm"; exit 77; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2046
if ! arm-linux-gnueabi-gcc -std=gnu11 -marm -march=armv6 -O1 -static -Wall -Wextra -Werror -Iinclude \
    test/hardware/arm11/c15.c lib/model/*.c lib/names/arm11.c lib/driver/arm11.c lib/driver/session.c \
    lib/driver/error.c lib/driver/backend/arm11_*.c -o "$dir/c15"; then
    echo "not ok arm11: test/hardware/arm11/c15.c does not build for Armv6"
    exit 1
fi
timeout 60 "$emulator" -cpu arm1176 "$dir/c15"
