#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dumpers in C for AArch32 state and for ARM11 on emulated machines: PMUv1, PMUv2 and PMUv3 in Supervisor, Monitor
# and Hyp mode; ARM1136 and ARM1176.  No read traps; on the emulator with the model every value is the model's.
# Runs beside other tests.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh
need arm-linux-gnueabi-gcc
HW=test/hardware/bare SYS=test/qemu/system
QEMU_AUDIO_DRV=none
export QEMU_AUDIO_DRV
options='-nic none -display none -monitor none -icount shift=0 -semihosting-config enable=on,target=native'

# compile OUT FLAGS_AND_FILES...
compile() {
    out=$1
    shift
    arm-linux-gnueabi-gcc -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude -O2 -ffreestanding \
        -fno-stack-protector -fno-pic -fno-pie -fno-tree-loop-distribute-patterns -DRT_SLED=2 -marm -mfloat-abi=soft \
        -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,--no-warn-rwx-segments "$@" -lgcc \
        -o "$out" 2>"$dir/err"
}

# image OUT FLAGS...: builds the image of ARMv7 with the dumper in $dir/dump.c.
image() {
    compile "$@" -march=armv7-a -mno-unaligned-access -T "$HW/target.ld" "$HW/a32.S" "$HW/vectors32.c" "$HW/rt.c" \
        test/cli/dumper/bare32.c lib/driver/error.c "$dir/dump.c"
}

# boot QEMU OPTIONS...: runs an image, and writes what it prints to $dir/out.
boot() {
    emulator=$1
    shift
    # shellcheck disable=SC2086
    timeout 60 "$emulator" $options "$@" </dev/null 2>&1 | tr -d '\r' >"$dir/out"
}

# check_levels NAME LEVEL...: the image came to its end, and armpmu why reads each dump.
check_levels() {
    name=$1
    shift
    grep -qx 'done' "$dir/out"
    expect $? "$name: no read traps" "$(grep '^not ok' "$dir/out")"
    for mode; do
        level "$mode" >"$dir/dump"
        check_read "$name: $mode" "$dir/dump"
    done
}

for core in '' Cortex-A7 Cortex-A9 Cortex-A53; do
    dumper "$dir/dump.c" c-armv7 ${core:+--core "$core"} && image "$dir/try.elf"
    expect $? "it builds without a warning: ${core:-any core}" "$(head -n 3 "$dir/err")"
done
dumper "$dir/dump.c" c-armv7
image "$dir/svc.elf" && image "$dir/secure.elf" -DSECURE=1 && image "$dir/running.elf" -DRUNNING=1 &&
    image "$dir/portable.elf" -DSEMIHOSTING=1
expect $? "the images build" "$(head -n 3 "$dir/err")"
dumper "$dir/dump.c" c-arm11
for running in 0 1; do
    compile "$dir/arm11-$running.elf" -mcpu=arm1176jz-s -DRUNNING=$running -T "$SYS/arm11.ld" "$SYS/arm11_start.S" \
        test/cli/dumper/bare11.c "$dir/dump.c"
    expect $? "the image of ARM11 builds: RUNNING=$running" "$(head -n 3 "$dir/err")"
done

if command -v qemu-system-arm >/dev/null; then
    for cpu in cortex-a7 cortex-a15 max; do
        boot qemu-system-arm -M virt -serial stdio -cpu $cpu -kernel "$dir/svc.elf"
        check_levels "stock $cpu" SVC
    done
    for cpu in cortex-a7 cortex-a15; do
        boot qemu-system-arm -M virt,secure=on,virtualization=on -serial stdio -cpu $cpu -kernel "$dir/secure.elf"
        check_levels "stock $cpu" SVC Monitor Hyp
        level Hyp >"$dir/dump"
        grep -q '^HDCR = ' "$dir/dump"
        expect $? "stock $cpu: Hyp mode reads HDCR" "$(head -n 20 "$dir/dump" | tr '\n' ' ')"
    done
    boot qemu-system-arm -M cubieboard -serial none -cpu cortex-a8 -kernel "$dir/portable.elf"
    check_levels "stock cortex-a8, PMUv1" SVC
    boot qemu-system-arm -M raspi0 -serial none -kernel "$dir/arm11-0.elf"
    grep -qx 'done' "$dir/out"
    expect $? "stock ARM1176: no read traps" "$(tail -n 1 "$dir/out")"
else
    skip "the installed emulator" "no qemu-system-arm: apt-get install qemu-system-arm"
fi

# The emulator with the model: the trace of the run leads to the model's state.
exact_run() { # OPTIONS...
    # shellcheck disable=SC2086
    ARMPMU_QEMU_SYSTEM=$exact timeout 60 "$B/armpmu" run --trace "$dir/trace" -- $options "$@" </dev/null \
        2>&1 | tr -d '\r' >"$dir/out"
    # In Secure AArch32 state QEMU appends _S to the names of registers.
    sed -i 's/^\([rw] [a-z0-9]* [A-Z0-9]*\)_S /\1 /' "$dir/trace"
    values "$dir/trace" >"$dir/model"
}
if [ -x "$exact" ]; then
    for cpu in cortex-a7 cortex-a15; do
        exact_run -M virt,secure=on,virtualization=on -serial stdio -cpu $cpu -kernel "$dir/secure.elf"
        check_levels "model $cpu" SVC Monitor Hyp
        for mode in SVC Monitor Hyp; do
            level $mode >"$dir/dump"
            check_model "model $cpu: $mode" "$dir/dump" 'SCR|SCR_EL3|CPSR|PSTATE|OSLSR_EL1'
            [ $mode = Hyp ] && check_complete "model $cpu: $mode" "$dir/dump" \
                'PMCEID.*|S.*|[A-LN-OQ-Z].*|MDCR_EL3|HDFG.*|PMB.*|PMSCR_EL2|PSTATE'
        done
        exact_run -M virt -serial stdio -cpu $cpu -kernel "$dir/running.elf"
        level SVC >"$dir/dump"
        check_counts "model $cpu" "$dir/dump" PMEVCNTR0
        check_counts "model $cpu" "$dir/dump" PMCCNTR
    done
    for board in 'versatilepb -cpu arm1176' 'versatilepb -cpu arm1136' raspi0; do
        # shellcheck disable=SC2086
        exact_run -M $board -serial none -kernel "$dir/arm11-0.elf"
        { echo "level SVC"; cat "$dir/out"; } | sed '/^ended\|^CPU /,$d' >"$dir/dump"
        check_read "model ${board##* }" "$dir/dump"
        check_model "model ${board##* }" "$dir/dump" MIDR_EL1 4
        # shellcheck disable=SC2086
        exact_run -M $board -serial none -kernel "$dir/arm11-1.elf"
        check_counts "model ${board##* }" "$dir/out" CCNT
        check_counts "model ${board##* }" "$dir/out" PMN0
    done
else
    skip "the emulator with the model" "no $exact: make qemu"
fi
summary
