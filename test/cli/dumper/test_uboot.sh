#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dumper for U-Boot, live: Debian's U-Boot on the emulator with the model, whose external view has either layout.
# It reads no counter before it is told that the OS Lock is clear, and then every word is the model's.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh
uboot=${UBOOT:-/usr/lib/u-boot/qemu_arm64/u-boot.bin}
[ -f "$uboot" ] || skip_all "no $uboot: apt-get install u-boot-qemu"
[ -x "$exact" ] || skip_all "no $exact: make qemu"

# type_in FILE: types the file at U-Boot's prompt, and powers the machine off.
type_in() {
    sleep 2
    echo
    sleep 1
    echo
    grep -v '^#' "$1" | while IFS= read -r line; do
        printf '%s\n' "$line"
        sleep 0.05
    done
    sleep 3
    echo poweroff
    sleep 1
}

# boot CPU ALL OPTIONS: runs the dumper with armpmu_all set to ALL, and writes what it prints to $dir/out.
boot() {
    dumper "$dir/commands" u-boot --base 0x0b000000
    sed -i "s/armpmu_all 0/armpmu_all $2/" "$dir/commands"
    # shellcheck disable=SC2086
    type_in "$dir/commands" |
        ARMPMU_QEMU_SYSTEM=$exact timeout 60 "$B/armpmu" run --trace "$dir/trace" -- -M virt -cpu "$1" -nic none \
            -display none -monitor none -serial stdio -bios "$uboot" $3 2>"$dir/err" |
        tr -d '\r' >"$dir/console"
    sed -n '/^armpmu-dump 1/,/^end/p' "$dir/console" >"$dir/out"
}

need aarch64-linux-gnu-gcc
# Clears the OS Lock, gives some registers a value, and goes on with U-Boot.
cat >"$dir/unlock.S" <<'CODE'
    .global _start
_start:
    msr oslar_el1, xzr
    mov x1, #0x11
    msr pmevtyper1_el0, x1
    mov x1, #0x1234
    msr pmevcntr1_el0, x1
    mov x1, #3
    msr pmcntenset_el0, x1
    msr pmintenset_el1, x1
    mov x1, #0x80000000
    msr pmccfiltr_el0, x1
    isb
    mov x1, #0
    br x1
CODE
aarch64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x42000000 -Wl,--build-id=none "$dir/unlock.S" -o "$dir/unlock.elf"
expect $? "the code before U-Boot builds" "no $dir/unlock.elf"
dumper "$dir/commands" u-boot --base 0x0b000000
awk 'length > 250' "$dir/commands" >"$dir/long"
[ ! -s "$dir/long" ]
expect $? "no line is too long for a console" "$(head -n 1 "$dir/long")"
for layout in EXT32 EXT64; do
    case $layout in
    EXT32) cpu=cortex-a57,pmu-frame=0x0b000000 ;;
    EXT64) cpu=max,pmu-features=PMUv3p9+PMUv3_ICNTR,pmu-counters=8,pmu-frame=0x0b000000 ;;
    esac
    boot $cpu 1 "-device loader,file=$dir/unlock.elf,cpu-num=0"
    grep -q '^end' "$dir/out" && [ "$(grep -c '^0b000e00: ' "$dir/out")" -eq 2 ]
    expect $? "$layout: U-Boot runs the commands" "$(tail -n 3 "$dir/console" | tr '\n' ';')"
    values "$dir/trace" >"$dir/model"
    for reading in first second; do
        ${reading}_reading "$dir/out" >"$dir/$reading"
        # The layout is known to the first reading only, as is PMDEVARCH; N is not in the external view.
        [ $reading = second ] && { grep '^0b000fb' "$dir/out"; cat "$dir/second"; } >"$dir/both" &&
            mv "$dir/both" "$dir/second"
        values "$dir/$reading" --base 0x0b000000 | grep -vE '^(PMCR_EL0|PMMIR_EL1|PMCEID._EL0|DBGAUTH[A-Z]*_EL1) ' \
            >"$dir/read"
        differences "$dir/read" "$dir/model" 15 >"$dir/differ"
        [ ! -s "$dir/differ" ]
        expect $? "$layout: the $reading reading is the model's state" "$(head -n 3 "$dir/differ" | tr '\n' ';')"
    done
    check_read "$layout" --base 0x0b000000 "$dir/out"
done
boot cortex-a57,pmu-frame=0x0b000000 0 ''
grep -q '^end' "$dir/out" && grep -q '^0b000fb4: ' "$dir/out" && ! grep -q '^0b000e00: ' "$dir/out"
expect $? "no counter is read where the OS Lock may be set" "$(tail -n 3 "$dir/out" | tr '\n' ';')"
summary
