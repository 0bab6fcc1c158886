#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A modelled core in the system emulator: counts that follow from sizes of caches, interrupts at the instruction that
# missed, guests behind stage 2, several CPUs, AArch32 state, Debian's perf on Linux, and what the options refuse.
set -u
. test/qemu/system/linux/boot.sh
need readelf
here=test/qemu/system
build() { # IMAGE SOURCES...: an image in AArch64 state
    image=$1
    shift
    "${CROSS}gcc" -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only -march=armv8.2-a \
        -fno-pic -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T $here/image.ld $here/image_start.S \
        $here/image.c "$@" -o "$tmp/$image.elf" || exit 1
}
# Passes NAME if the image prints CHECKS lines, all ok, with and without -icount.
run() { # NAME CHECKS IMAGE MACHINE CPU OPTIONS...
    name=$1 checks=$2 image=$3 machine=$4 cpu=$5
    shift 5
    for how in '-icount shift=0' '-accel tcg'; do
        # shellcheck disable=SC2086 # words
        timeout -k 5 100 "$QEMU_SYSTEM" -M "$machine" -cpu "$cpu" -nic none -display none -monitor none -serial none \
            -semihosting-config enable=on,target=native -kernel "$tmp/$image.elf" "$@" $how >"$tmp/out" 2>&1
        status=$?
        [ "$(grep -c '^ok ' "$tmp/out")" -eq "$checks" ] && ! grep -qv '^ok ' "$tmp/out"
        expect $? "core, $name, $how" "status $status: $(grep -v '^ok ' "$tmp/out" | head -n 3 | tr '\n' ';')"
    done
}

build core $here/core.c
for machine in virt virt,virtualization=on,secure=on; do
    run "$machine" 9 core $machine max,pmu-core=cortex-a72,pmu-counters=8
done
build guest $here/core_guest.c $here/core_guest.S
run 'a guest behind stage 2' 21 guest virt,virtualization=on max,pmu-core=cortex-a72,pmu-counters=8
build vector $here/core_vector.c $here/core_vector.S
run 'functions of QEMU' 30 vector virt max,pmu-core=cortex-a72,pmu-counters=8
build each $here/core_each.c $here/core_each.S
run 'an interrupt for each event' 45 each virt max,pmu-core=cortex-a72,pmu-counters=8
build smp -DL2_IS_SHARED=1 $here/core_smp.c
run 'two CPUs that share L2' 11 smp virt cortex-a72,pmu-core=cortex-a72 -smp 2
build smp -DL2_IS_SHARED=0 $here/core_smp.c
run 'two CPUs that share the last level' 11 smp virt neoverse-n1,pmu-core=neoverse-n1 -smp 2
if command -v arm-linux-gnueabihf-gcc >/dev/null; then
    arm-linux-gnueabihf-gcc -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -marm -mcpu=cortex-a7 \
        -mfloat-abi=soft -fno-pic -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T $here/image.ld \
        $here/core32.c -lgcc -o "$tmp/core32.elf" || exit 1
    run 'AArch32 state' 16 core32 virt cortex-a15,pmu-core=cortex-a72,pmu-counters=8
    run 'AArch32 state, random replacement' 16 core32 virt cortex-a7,pmu-core=cortex-a7,pmu-counters=8
    arm-linux-gnueabihf-gcc -Wall -Wextra -Werror -O1 -Iinclude -ffreestanding -nostdlib -static -marm \
        -mcpu=arm1176jz-s -mfloat-abi=soft -fno-pic -no-pie -Wl,--build-id=none -Wl,--no-warn-rwx-segments \
        -T $here/arm11.ld $here/arm11_start.S $here/core11.c -lgcc -o "$tmp/core11.elf" || exit 1
    run 'ARM1176' 12 core11 versatilepb arm1176,pmu-core=arm1176,pmu-irq=3
else
    skip 'core, AArch32 state' 'arm-linux-gnueabihf-gcc: not here: apt-get install gcc-arm-linux-gnueabihf'
fi

# What is refused.
refused() { # NAME OPTION TEXT
    timeout -k 5 20 "$QEMU_SYSTEM" -M virt -cpu "cortex-a72,$2" -display none -nodefaults -kernel "$tmp/core.elf" \
        >"$tmp/out" 2>&1 </dev/null
    [ $? -eq 1 ] && grep -q -e "$3" "$tmp/out"
    expect $? "$1" "$(head -n 2 "$tmp/out" | tr '\n' ' ')"
}
refused 'a name of no core' pmu-core=cortex-a99 "'cortex-a99' is no core of the model: choose one of cortex-a7 "
refused 'a core of ARM11' pmu-core=arm1176 "counts events of ARM11"
timeout -k 5 20 "$QEMU_SYSTEM" -M versatilepb -cpu arm1176,pmu-core=cortex-a72 -display none -nodefaults \
    >"$tmp/out" 2>&1 </dev/null
[ $? -eq 1 ] && grep -q 'counts events of PMUv3' "$tmp/out"
expect $? 'a core of PMUv3 for an ARM11' "$(head -n 2 "$tmp/out" | tr '\n' ' ')"
refused 'a file that is not there' "pmu-core-file=$tmp/none" 'No such file'
echo 'core cortex-a72' >"$tmp/short.core"
refused 'a file without a name' "pmu-core-file=$tmp/short.core" 'short.core:0: name'

# Linux.
if ! why=$(B=$B sh tools/linux-root.sh arm64); then
    skip "linux with a core" "$why"
    summary
fi
make_root() { # ARCHITECTURE
    begin_root "$1" $here/linux/core.sh &&
        "${CROSS}gcc" -nostdlib -static -o "$root/bin/chase" $here/linux/chase.S && end_root && return
    not_ok "linux with a core" "its programs do not build"
    summary
}
address() { readelf -sW "$root/bin/chase" | awk -v name="$1" '$NF == name { sub(/^0+/, "", $2); print $2 }'; } # LABEL
make_root arm64
misses="$(address miss) $(address make)"
printf 'core cortex-a72\nname my-core\nl1d.size 16K\n' >"$tmp/my.core"
for core in pmu-core=cortex-a72 "pmu-core-file=$tmp/my.core"; do
    option=${core%%=*}
    export ARMPMU_REPORT="$tmp/report"
    boot "$option" arm64 1 "cortex-a72,pmu-counters=12,$core" all -icount shift=2
    unset ARMPMU_REPORT
    sed -n 's/^counted //p' "$tmp/lines" | sort >"$tmp/counted"
    sed -n 's/^core_event //p' "$tmp/report" | sort >"$tmp/said"
    [ "$(wc -l <"$tmp/counted")" -eq 10 ] && cmp -s "$tmp/counted" "$tmp/said"
    expect $? "$option: ten events are what the model says at the end" \
        "$(diff "$tmp/counted" "$tmp/said" | tr '\n' ' ')"
done
boot "top-down" arm64 1 neoverse-v1,pmu-core=neoverse-v1 "slots $misses" -icount shift=2
# From perf 6.3 on it has metrics of Neoverse N2.
if why=$(B=$B sh tools/linux-root.sh arm64 trixie); then
    make_root arm64-trixie
    boot "metrics" arm64-trixie 1 neoverse-n2,pmu-core=neoverse-n2,pmu-counters=12 topdown -icount shift=2
else
    skip "linux, metrics of perf" "$why"
fi
for how in '-icount shift=2' '-accel tcg'; do
    # shellcheck disable=SC2086 # words
    boot "names and samples, $how" arm64 1 cortex-a72,pmu-counters=12,pmu-core=cortex-a72 "names $misses" $how
done
summary
