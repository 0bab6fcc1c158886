#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Conformance images (armpmu conform) find nothing on this emulator, whatever CPU, features, counters and Exception
# levels it has; and each expectation that is changed is found.
set -u
. test/qemu/system/machine.sh
need aarch64-linux-gnu-gcc arm-none-eabi-gcc
export ARMPMU_QEMU_SYSTEM="$QEMU_SYSTEM"

# Runs an image and expects no deviation.
conforms() { # ARGUMENT...
    "$B/armpmu" conform "$@" >"$log/out" 2>&1
    status=$?
    [ $status -eq 0 ] && grep -q '^[0-9]* checked, 0 deviate, 0 skipped' "$log/out"
    expect $? "$*" "status $status: $(head -n 4 "$log/out" | tr '\n' ' ')"
}
seed=0
for el in 1 2 3; do
    for cpu in cortex-a53 cortex-a57 cortex-a72 cortex-a76 neoverse-n1 max; do
        seed=$((seed + 1))
        conforms --el $el --cpu $cpu --seed $seed
    done
    for features in PMUv3 PMUv3p1 PMUv3p4 PMUv3p5 PMUv3p7 PMUv3p8 PMUv3p9 PMUv3p9,PMUv3_ICNTR,PMUv3_TH2; do
        seed=$((seed + 1))
        conforms --el $el --features $features --seed $seed --counters $((seed % 31 + 1))
    done
    for cpu in cortex-a53 cortex-a57 max; do
        conforms --el $el --cpu $cpu --seed $el --isa A64,A32
    done
    for cpu in cortex-a7 cortex-a15; do
        conforms --el $el --cpu $cpu --seed $el --isa A32
    done
    conforms --el $el --cpu neoverse-n2 --features PMUv3p9,PMUv3_SS,PMUv3_ICNTR --counters 5
done
conforms --el 3 --features PMUv3p9,HPMN0 --counters 31
conforms --el 3 --length 200000 --seed 77
conforms --el 3 -- "$QEMU_SYSTEM" -M virt,secure=on,virtualization=on -cpu max -nic none -display none -monitor none \
    -serial none -semihosting-config enable=on,target=native -kernel
for cpu in cortex-a57 max; do # EL3 without EL2
    conforms -- "$QEMU_SYSTEM" -M virt,secure=on -cpu $cpu -nic none -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel
done
conforms --isa A32 --length 200000 --seed 77

# Cortex-A9 has the PMU before EL2 and the field PerfMon.  Its board has RAM elsewhere, of which the compiler is told.
printf '#!/bin/sh\nexec arm-none-eabi-gcc "$@" -Wl,-Ttext-segment=0x60200000\n' >"$log/gcc"
chmod +x "$log/gcc"
conforms --isa A32 --core cortex-a9 --cc "$log/gcc" -- "$QEMU_SYSTEM" -M vexpress-a9 -cpu cortex-a9 -nic none \
    -display none -monitor none -serial none -semihosting-config enable=on,target=native -kernel

# An image says that the machine is another one.
"$B/armpmu" conform --isa A32 --cpu cortex-a57 >"$log/out" 2>&1
[ $? -eq 3 ] && grep -q 'starts in AArch64 state.*give --isa A64,A32' "$log/out"
expect $? "an AArch64 core does not load an image of AArch32 state" "$(head -n 3 "$log/out")"
"$B/armpmu" conform --isa A32 --core cortex-a7 --el 2 -- "$QEMU_SYSTEM" -M virt,virtualization=on -cpu cortex-a15 \
    -nic none -display none -monitor none -serial none -semihosting-config enable=on,target=native -kernel \
    >"$log/out" 2>&1
[ $? -eq 3 ] && grep -q 'it has 4 event counters, but PMCR = ' "$log/out"
expect $? "an image for Cortex-A7 refuses Cortex-A15" "$(head -n 3 "$log/out")"

# Changes one expectation of an image at a time and expects this deviation alone.
finds_changes() { # NAME CPU COMPILER... : compiles $log/changed.c
    name=$1 cpu=$2 found=0 tried=0
    shift 2
    for row in $(awk '/ROW_READ/ && /\.mask/ && !/room/ { n++; if (n % 60 == 0) print NR }' "$log/image.c"); do
        tried=$((tried + 1))
        awk -v row="$row" '
            NR == row {
                sub(/\.want = 0x[0-9a-f]*/, "&5")
                sub(/\.mask = 0x[0-9a-f]*/, ".mask = 0xffffffff")
            }
            { print }' "$log/image.c" >"$log/changed.c"
        "$@" -O1 -ffreestanding -fno-pic -nostdlib -static -w -Wl,-N,--build-id=none,-Ttext-segment=0x40200000 \
            -o "$log/changed.elf" "$log/changed.c" 2>/dev/null
        boot "$cpu" "$log/changed.elf" >"$log/out" 2>&1
        [ $? -eq 1 ] && grep -q 'checked, 1 deviate' "$log/out" && found=$((found + 1))
    done
    [ $tried -gt 10 ] && [ $found -eq $tried ]
    expect $? "$name: each of $tried changed expectations is found" "$found: $(tail -n 2 "$log/out")"
}
"$B/armpmu" generate --features PMUv3p1,AA32EL0,AA32EL1,AA32EL2,AA32EL3 --counters 6 --el 3 --length 3000 \
    -o "$log/image.c"
finds_changes AArch64 "cortex-a57,pmu-features=PMUv3p1,pmu-counters=6" aarch64-linux-gnu-gcc -mgeneral-regs-only \
    -mstrict-align
"$B/armpmu" generate --isa A32 --core cortex-a7 --el 3 --length 3000 -o "$log/image.c"
finds_changes AArch32 cortex-a7 arm-none-eabi-gcc -march=armv7-a -marm -mfloat-abi=soft -mno-unaligned-access

# What doc/verification.md shows: each command of its "```console conform" blocks, and the line that it prints.
awk '/^```console conform$/ { on = 1; next } /^```$/ { on = 0 } on' doc/verification.md >"$log/shown"
while read -r prompt line; do
    PATH=$B:$PATH sh -c "$line" 2>&1 </dev/null | sed "s/^/\$ $line\n/"
done <<END >"$log/printed"
$(grep '^\$ ' "$log/shown")
END
[ "$(grep -c '^\$ ' "$log/shown")" -ge 2 ] && cmp -s "$log/shown" "$log/printed"
expect $? 'doc/verification.md: armpmu conform prints what it shows' "$(diff "$log/shown" "$log/printed" | head -n 4)"
summary
