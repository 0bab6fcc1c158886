#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what a modelled core costs while Linux boots: Debian's arm64 kernel on our system emulator, without a core,
# with one of which nothing is asked, and with a counter that asks for an event from the first instruction on.  Prints
# processor time, the least of RUNS, without and with -icount.
set -eu
: "${B:=build}" "${RUNS:=3}" "${CROSS:=aarch64-linux-gnu-}" "${QEMU_SYSTEM:=$B/qemu/armpmu-qemu-system-aarch64}"
[ -x "$QEMU_SYSTEM" ] || { echo "no $QEMU_SYSTEM: make qemu"; exit 77; }
why=$(B=$B sh tools/linux-root.sh arm64) || { echo "no Linux: $why"; exit 77; }
. test/hardware/linux/guest.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp -R "$B/linux-arm64/root" "$tmp/root"
guest_init "$tmp/root"
echo 'poweroff -f' >"$tmp/root/run"
(cd "$tmp/root" && find . | cpio --quiet -o -H newc) >"$tmp/root.cpio"

time_of() { # CPU OPTIONS...: the least processor time of a boot, in milliseconds
    cpu=$1
    shift
    for _ in $(seq "$RUNS"); do
        ( "$QEMU_SYSTEM" -M virt,dtb-randomness=off -cpu "$cpu" -m 512 -display none -nodefaults -serial none \
            -kernel "$B/linux-arm64/vmlinuz" -initrd "$tmp/root.cpio" -no-reboot "$@" \
            -append "quiet panic=-1 initcall_blacklist=armv8_pmu_driver_init run=" </dev/null >/dev/null 2>&1
          times ) | awk 'END {
              for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] }
              printf "%d\n", s * 1000
          }'
    done | sort -n | head -n 1
}

base=
row() { # TEXT CPU [EVENT]
    set -- "$@" ''
    text=$1 cpu=$2 event=$3
    set --
    if [ -n "$event" ]; then
        "${CROSS}gcc" -nostdlib -static -DEVENT="$event" -o "$tmp/start.elf" test/bench/boot_start.S
        "${CROSS}objcopy" -O binary -j .text "$tmp/start.elf" "$tmp/start"
        set -- -device "loader,file=$tmp/start,addr=0x50000000,force-raw=on" -device loader,addr=0x50000000,cpu-num=0
    fi
    plain=$(time_of "$cpu" "$@")
    counted=$(time_of "$cpu" "$@" -icount shift=0)
    [ -n "$base" ] || base=$plain base_counted=$counted
    awk -v text="$text" -v p="$plain" -v c="$counted" -v bp="$base" -v bc="$base_counted" \
        'BEGIN { printf "%-28s %5d ms %4.2f %5d ms %4.2f\n", text, p, p / bp, c, c / bc }'
}
printf '%-28s %13s %13s\n' 'a boot of Linux' 'no -icount' '-icount'
row 'no core' cortex-a72
with=cortex-a72,pmu-core=cortex-a72
row 'a core, nothing counted' $with
row 'L1D_CACHE_REFILL' $with 0x03
row 'L1D_TLB_REFILL' $with 0x05
row 'L2D_CACHE_REFILL' $with 0x17
row 'BR_MIS_PRED' $with 0x10
row 'STALL_BACKEND' $with 0x24
