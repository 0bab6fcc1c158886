#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the native back end of ARM11, compiled for Armv6 and run by QEMU's arm1176.  The model serves its c15 accesses.
# Runs beside other tests.
set -u
. test/lib/tap.sh
. tools/emulator.sh
need arm-linux-gnueabi-gcc
emulator=$(arm_emulator) || skip_all "no qemu-arm"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2046
if ! arm-linux-gnueabi-gcc -std=gnu11 -marm -march=armv6 -O1 -static -Wall -Wextra -Werror -Iinclude \
    test/hardware/arm11/c15.c lib/model/*.c lib/names/arm11.c lib/driver/arm11.c lib/driver/session.c \
    lib/driver/error.c lib/driver/backend/arm11_*.c -o "$dir/c15"; then
    not_ok "test/hardware/arm11/c15.c" "it does not build for Armv6"
    summary
fi
timeout 60 "$emulator" -cpu arm1176 "$dir/c15"
expect $? "test/hardware/arm11/c15.c passes" "its exit status is not 0: see its lines above"
summary
