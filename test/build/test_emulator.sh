#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# examples/emulator.c holds the program of examples/emulator_image.S, prints the counts that its comment promises, and
# counts what the system emulator of `make qemu` counts when it boots the same program.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

sed -n '/ prints:$/,/^ \*\//s/^ \*     //p' examples/emulator.c >"$dir/promised"
$CC -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude examples/emulator.c "$B/libarmpmu.a" \
    -o "$dir/emulator" 2>"$dir/log" && "$dir/emulator" >"$dir/printed" 2>"$dir/log"
[ -s "$dir/promised" ] && cmp -s "$dir/promised" "$dir/printed"
expect $? "emulator: it prints what it promises" "$(cat "$dir/log") $(tr '\n' ' ' <"$dir/printed")"

cross=aarch64-linux-gnu-
if ! command -v ${cross}gcc >/dev/null 2>&1; then
    skip "emulator: its program" "no ${cross}gcc"
    summary
fi
${cross}gcc -nostdlib -static -Wl,--build-id=none -Wl,-Ttext=0x40080400 examples/emulator_image.S -o "$dir/image.elf" &&
    ${cross}objcopy -O binary "$dir/image.elf" "$dir/image"
od -An -v -tx4 -w4 --endian=little "$dir/image" | tr -d ' ' | tr a-f A-F >"$dir/assembled"
sed -n '/program\[\]/,/^};/p' examples/emulator.c | grep -o '0x[0-9A-F]\{8\}' | sed 's/0x//' >"$dir/held"
[ -s "$dir/held" ] && cmp -s "$dir/assembled" "$dir/held"
expect $? "emulator: it holds the program of emulator_image.S" "the words differ"

qemu=$B/qemu/armpmu-qemu-system-aarch64
if [ ! -x "$qemu" ]; then
    skip "emulator: the counts of the system emulator" "no $qemu: make qemu"
    summary
fi
timeout 60 "$qemu" -M virt -net none -cpu cortex-a57 -icount shift=0 -semihosting -nographic -kernel "$dir/image.elf" \
    </dev/null 2>"$dir/log" | tr -d '\r' >"$dir/booted"
cmp -s "$dir/promised" "$dir/booted"
expect $? "emulator: the system emulator counts the same" "$(tr '\n' ' ' <"$dir/booted") $(head -n 1 "$dir/log")"
summary
