#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts and overflows at each Exception level at which the machine can boot, with and without -icount.
. test/lib/tap.sh
: "${B:=build}"
qemu=$B/qemu/armpmu-qemu-system-aarch64
[ -x "$qemu" ] || skip_all "no $qemu: make qemu"
need aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

here=test/qemu/system
for image in classes overflow four streaming; do
    aarch64-linux-gnu-gcc -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only \
        -march=armv8.2-a -fno-pic -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T $here/image.ld \
        $here/image_start.S $here/image.c "$here/$image.c" -o "$tmp/$image.elf" || exit 1
done

arm-linux-gnueabihf-gcc -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -marm -march=armv7-a \
    -mgeneral-regs-only -mfloat-abi=soft -masm-syntax-unified -fno-pic -no-pie -Wl,--build-id=none \
    -Wl,-z,max-page-size=4096,--no-warn-rwx-segments -T test/qemu/system/image32.ld test/qemu/system/classes32.c \
    -o "$tmp/classes32.elf" || exit 1

# Boots an image; its output is in $tmp/out.
boot() { # IMAGE MACHINE CPU OPTIONS...
    image=$1 machine=$2 cpu=$3
    shift 3
    timeout -k 5 60 "$qemu" -M "$machine" -cpu "$cpu" -nic none -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel "$tmp/$image.elf" "$@" >"$tmp/out" 2>&1
    status=$?
    [ "$status" -eq 0 ] || { echo "exit status $status" >>"$tmp/out"; } # verdict() and skid() fail on this line
}

# Prints one result for the image's lines "ok NAME" and "not ok NAME: why"; without any line it is a failure.
verdict() { # NAME
    grep -q '^ok ' "$tmp/out" && ! grep -qv '^ok ' "$tmp/out"
    expect $? "$1" "$(grep -v '^ok ' "$tmp/out" | head -n 3 | tr '\n' ';')"
}

# Prints one result for the lines of overflow.c: each skid is at most LIMIT, and no interrupt is lost.
skid() { # NAME LIMIT
    awk -v limit="$2" '/: 1000 presets, 0 without an interrupt, skid at most [0-9]+$/ && $NF <= limit { n++; next }
                       { bad = 1 }
                       END { exit bad || n != 16 }' "$tmp/out"
    expect $? "$1" "$(head -n 3 "$tmp/out" | tr '\n' ';')"
}

el=1
for machine in virt virt,virtualization=on virt,virtualization=on,secure=on; do
    for icount in '-icount shift=0' '-icount shift=3' ''; do
        # shellcheck disable=SC2086 # options
        boot classes $machine max,pmu-counters=31 $icount
        verdict "classes at EL$el ${icount:-without -icount}"
        # shellcheck disable=SC2086
        boot streaming $machine max,pmu-features=PMUv3p9+PMUv3_SME $icount
        verdict "SMSTART and SMSTOP at EL$el ${icount:-without -icount}"
    done
    boot classes $machine max,pmu-counters=6 -icount shift=0
    verdict "classes at EL$el, six counters"
    boot overflow $machine max,pmu-counters=31 -icount shift=0
    skid "overflow at EL$el -icount: at once" 0
    boot overflow $machine max,pmu-counters=31
    skid "overflow at EL$el without -icount: within the block" 4
    el=$((el + 1))
done
for cpu in max cortex-a57; do
    for icount in '-icount shift=0' '-accel tcg,thread=multi' '-accel tcg,thread=single'; do
        # shellcheck disable=SC2086 # options
        boot four virt $cpu -smp 4 $icount
        verdict "four CPUs, $cpu $icount"
    done
done
boot classes virt max,pmu-counters=31 -accel tcg,one-insn-per-tb=on
verdict "classes, a block for each instruction"
for how in '-icount shift=0' '-accel tcg' '-accel tcg,one-insn-per-tb=on'; do
    # shellcheck disable=SC2086 # options
    boot classes32 virt cortex-a15,pmu-counters=31 $how
    verdict "classes of A32 and T32 $how"
done
summary
