#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu doctor on Linux: it finds nothing wrong on the emulator with the model, in AArch64 and AArch32 state, with and
# without -icount, and it finds each fault that firmware or a hypervisor below Linux plants (doctor/shim.c), with its
# cause, and what is wrong with the counters of the distribution's emulator.
set -u
: "${STOCK:=qemu-system-aarch64}"
. test/qemu/system/linux/boot.sh
here=test/qemu/system/doctor
if ! why=$(B=$B sh tools/linux-root.sh arm64 && B=$B sh tools/guest-root.sh); then
    skip_all "$why"
fi
guest_make armpmu || { not_ok doctor "armpmu does not build for AArch64"; summary; }
warnings="-std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror"

# The commands of doc/doctor.md, by the guest for which they are, and what the page shows.
page() { awk -v plan="$1" '$0 == "```console " plan { on = 1; next } /^```/ { on = 0 } on' doc/doctor.md; } # PLAN
plans=$(sed -n 's/^```console \(.*\)/\1/p' doc/doctor.md)

begin_root arm64 $here/run.sh && cp "$B/arm64/armpmu" "$root/bin/" &&
    "${CROSS}gcc" $warnings -static -o "$root/bin/as" $here/as.c &&
    for plan in $plans; do page "$plan" | sed -n 's/^\$ //p' >"$root/doc.$plan"; done && end_root ||
    { not_ok doctor "the guest's programs do not build"; summary; }

# --- Nothing is wrong.
boot "doctor, -icount" arm64 1 max "clean 50" -icount shift=0
boot "doctor, two vCPUs, without -icount" arm64 2 max "clean 50"
boot "doctor, a core with a manual" arm64 1 neoverse-n1 "clean 30" -icount shift=0
boot "doctor, 31 counters" arm64 1 max,pmu-features=PMUv3p9+PMUv3_ICNTR+PMUv3_TH2,pmu-counters=31 "clean 50" \
    -icount shift=0
boot "doctor, others" arm64 2 cortex-a57 others -icount shift=0

# --- Each planted fault.  The kernel does not use the last 32 MB, where the shim is.
plant() { # PLAN LEVEL CPU CAUSE WORDS
    plan=$1 level=$2 cpu_of_plan=$3
    shift 3
    "${CROSS}gcc" $warnings -ffreestanding -fno-stack-protector -fno-pic -no-pie -mgeneral-regs-only -nostdlib -static \
        -DPLAN="$plan" -DLEVEL="$level" -Wl,-Ttext=0x5f000000 -Wl,--build-id=none -Wl,-z,max-page-size=4096 \
        -o "$tmp/shim.elf" $here/shim.S $here/shim.c ||
        { not_ok "doctor, $plan" "it does not build"; return; }
    machine=virt,virtualization=on
    [ "$level" -eq 2 ] || machine=$machine,secure=on
    words="planted $*"
    [ "$plan" != none ] || words="clean 30"
    [ "${1-}" != doc ] || words="doc $plan"
    ARGUMENTS=mem=480M boot "doctor, $plan at EL$level" arm64 1 "$cpu_of_plan" "$words" -M $machine -icount shift=0 \
        -device "loader,file=$tmp/shim.elf,cpu-num=0"
}
# Compares what the guest that was booted last printed with the page.
compare() { # PLAN
    sed -n 's/^doc| //p' "$tmp/lines" >"$tmp/printed"
    page "$1" >"$tmp/page"
    [ -s "$tmp/page" ] && cmp -s "$tmp/page" "$tmp/printed"
    expect $? "doc/doctor.md: $1" "$(diff "$tmp/page" "$tmp/printed" | head -n 6 | tr '\n' '|')"
}
a57=cortex-a57 n1=neoverse-n1
plant none 2 $a57
plant hpmn 2 $a57 18 "event counters: wrong by -67 %"
plant range 2 $a57 24 "each counter: stands still: 4 of 6"
plant user 2 $a57 29 "CPU_CYCLES:u, INST_RETIRED:u"
plant stopped 2 $a57 22 "CPU_CYCLES:u, CPU_CYCLES:k"
plant disabled 2 $a57 23 "INST_RETIRED:u, INST_RETIRED:k"
plant frozen 2 $n1,pmu-features=PMUv3p7 23 "INST_RETIRED:u, INST_RETIRED:k" # 43, that is FZO, is the next
plant userenr 2 $a57 1 "ends in SIGILL; PMUSERENR_EL0 is 0x0 then"
plant silent 2 $a57 20 "overflow interrupt: stands still"
plant event 2 $a57 37 "INST_RETIRED:u: wrong by -94 %"
plant hidden 2 $a57 17 "INST_RETIRED:u, INST_RETIRED:k: absent"
plant divided 2 $a57 50 "CPU_CYCLES:u: wrong by -98 %"
plant zero 2 $a57 63 "CPU_CYCLES:u, CPU_CYCLES:k: stands still"
plant none 3 $n1
plant nsh 3 $n1 27 "INST_RETIRED:k, EXC_RETURN: stands still"
plant hpmd 3 $n1 28 "INST_RETIRED:k, EXC_RETURN: stands still"

# --- The page.
boot "doctor, page" arm64 1 $a57 "doc plain" -icount shift=0
compare plain
plant hpmn 2 $a57 doc
compare hpmn
plant event 2 $a57 doc
compare event
plant hpmd 3 $n1 doc
compare hpmd

# --- The distribution's emulator, whose counters of instructions stand still without -icount.
if command -v "$STOCK" >/dev/null; then
    QEMU_SYSTEM=$STOCK
    boot "doctor, stock QEMU" arm64 1 $a57 "planted 78 INST_RETIRED:u, INST_RETIRED:k: absent"
    boot "doctor, stock QEMU without a PMU" arm64 1 $a57,pmu=off "planted 14 PMU: absent"
    QEMU_SYSTEM=$B/qemu/armpmu-qemu-system-aarch64
else
    skip "doctor, stock QEMU" "no $STOCK"
fi

# --- AArch32.
if ! command -v arm-linux-gnueabihf-gcc >/dev/null; then
    skip "doctor, armhf" "arm-linux-gnueabihf-gcc: not here: apt-get install gcc-arm-linux-gnueabihf"
elif ! why=$(B=$B sh tools/linux-root.sh armhf && B=$B sh tools/armhf-root.sh); then
    skip "doctor, armhf" "$why"
else
    ${MAKE:-make} --no-print-directory -s B="$B/armhf" CC=arm-linux-gnueabihf-gcc AR=arm-linux-gnueabihf-ar \
        CFLAGS="-O2 -g -isystem $B/root-armhf/usr/include" \
        LDFLAGS="-static -L$B/root-armhf/usr/lib/arm-linux-gnueabihf" "$B/armhf/armpmu" >"$tmp/log" 2>&1
    begin_root armhf $here/run.sh && cp "$B/armhf/armpmu" "$root/bin/" && end_root ||
        { not_ok "doctor, armhf" "$(grep -m 1 error "$tmp/log")"; summary; }
    boot "doctor, Cortex-A15" armhf 1 cortex-a15 "clean 25 no" -icount shift=0
    boot "doctor, Cortex-A7" armhf 1 cortex-a7 "clean 25 no" -icount shift=0
    begin_root arm64 $here/run.sh && cp "$B/armhf/armpmu" "$root/bin/" && end_root ||
        { not_ok "doctor, AArch32 on AArch64" "its root cannot be made"; summary; }
    boot "doctor, AArch32 on AArch64" arm64 1 $a57 "clean 25 no" -icount shift=0
fi
summary
