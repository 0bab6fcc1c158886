#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dumpers for Linux, in a guest with two CPUs.  The module is built for the guest's kernel, and reads each CPU, at
# EL1 and (with VHE) at EL2.  The script with devmem reads the external view.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh
. test/hardware/linux/guest.sh
guest_need headers

mkdir "$dir/module" "$dir/root"
dumper "$dir/module/armpmu_dump.c" module
echo 'obj-m := armpmu_dump.o' >"$dir/module/Kbuild"
why=$(guest_module "$dir/module") || case $why in
"no package of "*) skip_all "$why" ;;
esac
expect $? "it builds for the guest's kernel" "$why"
! grep -i warning "$dir/module/log" >"$dir/err"
expect $? "it builds without a warning" "$(head -n 1 "$dir/err")"

guest_root "$dir/root"
cp "$dir/module/armpmu_dump.ko" "$dir/root/"
cat >"$dir/root/run" <<'RUN'
insmod /armpmu_dump.ko && cat /proc/armpmu_dump && rmmod armpmu_dump
dmesg | grep -iE 'oops|undefined instruction|BUG:|Internal error' | sed 's/^/trouble /'
if [ -n "${1:-}" ]; then taskset 1 sh /devmem.sh; fi
RUN
dumper "$dir/root/devmem.sh" devmem --base 0x0b000000

# one_cpu N: prints the part of CPU N.
one_cpu() {
    awk -v cpu="$1" '$1 == "cpu" { on = $2 == cpu } /^end/ { exit } on' "$dir/out"
}

# boot NAME QEMU CPU MACHINE [devmem]: boots the guest, and checks its dump.
boot() {
    devmem=${5:-}
    QEMU_SYSTEM=$2
    extra=$4
    (cd "$dir/root" && find . | cpio --quiet -o -H newc) >"$dir/root.cpio"
    set -- "$1" "$2" "$3"
    [ "$2" = "$exact" ] && set -- "$1" "$B/armpmu run --trace $dir/trace --" "$3"
    # shellcheck disable=SC2086
    ARMPMU_QEMU_SYSTEM=$exact timeout 150 $2 -M virt$extra -cpu "$3" -smp 2 -m 192 -icount shift=0 -display none \
        -nodefaults -serial stdio -kernel "$B/root-guest/boot/vmlinuz" -initrd "$dir/root.cpio" -no-reboot \
        -append "console=ttyAMA0 quiet panic=-1 cma=0 cryptomgr.notests run=$devmem" </dev/null 2>&1 | tr -d '\r' |
        sed -n '/^armpmu-dump 1/,/^end/p; /^trouble/p' >"$dir/all"
    awk '/^armpmu-dump 1/ { n++ } n < 2' "$dir/all" >"$dir/out"
    awk '/^armpmu-dump 1/ { n++ } n > 1' "$dir/all" >"$dir/frame"
    ! grep '^trouble' "$dir/all" >"$dir/err"
    expect $? "$1: no read traps" "$(head -n 1 "$dir/err")"
    for cpu in 0 1; do
        one_cpu $cpu >"$dir/dump"
        check_read "$1: CPU $cpu" "$dir/dump"
        grep -q '^PMCR_EL0 = ' "$dir/dump" && grep -q '^PMEVTYPER0_EL0 = ' "$dir/dump"
        expect $? "$1: CPU $cpu: has the PMU" "$(head -n 3 "$dir/dump" | tr '\n' ';')"
    done
}
boot "EL1" "$QEMU_SYSTEM" cortex-a57 ''
! grep -q '^MDCR_EL2' "$dir/out"
expect $? "EL1: reads nothing of EL2" "$(grep '^MDCR_EL2' "$dir/out")"
boot "EL2" "$QEMU_SYSTEM" max ',virtualization=on'
grep -q '^MDCR_EL2 = ' "$dir/out" && grep -q '^CurrentEL = 0x0*8$' "$dir/out"
expect $? "EL2: reads MDCR_EL2" "$(grep '^CurrentEL' "$dir/out" | tr '\n' ';')"
if [ -x "$exact" ]; then
    cpu=max,pmu-features=PMUv3p9+PMUv3_ICNTR,pmu-counters=8,pmu-frame=0x0b000000
    boot "model" "$exact" $cpu ',virtualization=on' devmem
    for cpu in 0 1; do
        suffix=
        [ $cpu = 0 ] || suffix=.$cpu
        one_cpu $cpu >"$dir/dump"
        values "$dir/trace$suffix" >"$dir/model"
        check_model "model: CPU $cpu" "$dir/dump" 'CurrentEL|HCR_EL2|OSLSR_EL1'
    done
    check_read devmem --base 0x0b000000 "$dir/frame"
    first_reading "$dir/frame" >"$dir/first"
    values "$dir/trace" >"$dir/model"
    values "$dir/first" --base 0x0b000000 | grep -vE '^(PMCR_EL0|PMMIR_EL1|PMCEID._EL0|DBGAUTH[A-Z]*_EL1) ' \
        >"$dir/read"
    differences "$dir/read" "$dir/model" 15 >"$dir/differ"
    [ ! -s "$dir/differ" ]
    expect $? "devmem: it is the model's state" "$(head -n 3 "$dir/differ" | tr '\n' ';')"
else
    skip "the emulator with the model" "no $exact: make qemu"
fi
summary
