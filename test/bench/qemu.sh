#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what the PMU inside qemu-system costs.  The same image runs on QEMU built from the same source without the
# edits, and on ours with the PMU idle, with six events, and with 31 events and overflow interrupts; with and without
# -icount.  Another image accesses PMU registers.  Prints processor time, the least of RUNS; run make qemu with
# QEMU_STOCK=1 first.
set -eu
: "${B:=build}" "${RUNS:=5}"
ours=$B/qemu/armpmu-qemu-system-aarch64
stock=$B/qemu/stock-qemu-system-aarch64
for emulator in "$ours" "$stock"; do
    [ -x "$emulator" ] || { echo "no $emulator: QEMU_STOCK=1 make qemu"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

build() { # EVENTS ACCESSES: an image that counts so many events, $tmp/EVENTS.ACCESSES.elf
    aarch64-linux-gnu-gcc -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only \
        -march=armv8.2-a -fno-pic -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T test/qemu/system/image.ld \
        -DEVENTS="$1" -DACCESSES="$2" test/qemu/system/image_start.S test/qemu/system/image.c test/bench/qemu_image.c \
        -o "$tmp/$1.$2.elf"
}

time_of() { # EMULATOR CPU IMAGE OPTIONS...: the least processor time, in milliseconds
    emulator=$1 cpu=$2 image=$3
    shift 3
    least=
    for _ in $(seq "$RUNS"); do
        ( "$emulator" -M virt -cpu "$cpu" -nic none -display none -monitor none -serial none \
            -semihosting-config enable=on,target=native -kernel "$tmp/$image.elf" "$@" >/dev/null 2>&1
          times ) | awk 'END {
              for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] }
              printf "%d\n", s * 1000
          }'
    done | sort -n | head -n 1
}

build 0 0
build 6 0
build 31 0
build 0 1
printf '%-28s %12s %12s\n' '' 'no -icount' '-icount'
row() { # TEXT EMULATOR CPU IMAGE
    plain=$(time_of "$2" "$3" "$4")
    counted=$(time_of "$2" "$3" "$4" -icount shift=0)
    [ -n "${base:-}" ] || base=$plain base_counted=$counted
    awk -v text="$1" -v p="$plain" -v c="$counted" -v bp="$base" -v bc="$base_counted" \
        'BEGIN { printf "%-28s %5d ms %4.2f %5d ms %4.2f\n", text, p, p / bp, c, c / bc }'
}
row 'stock, idle' "$stock" max 0.0
row 'ours, idle' "$ours" max,pmu-counters=31 0.0
row 'ours, 6 events' "$ours" max,pmu-counters=31 6.0
row 'ours, 31 events, interrupts' "$ours" max,pmu-counters=31 31.0
base=
row 'stock, register accesses' "$stock" max 0.1
row 'ours, register accesses' "$ours" max,pmu-counters=31 0.1
