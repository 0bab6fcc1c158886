#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's perf counts right on Linux on the emulator: in AArch64 and AArch32 state, on one vCPU and on four, with and
# without -icount.
set -u
. test/qemu/system/linux/boot.sh
command -v arm-linux-gnueabihf-gcc >/dev/null ||
    skip_all "arm-linux-gnueabihf-gcc: not here: apt-get install gcc-arm-linux-gnueabihf"

# Packs the guest's root folder: $tmp/ARCHITECTURE.cpio.
make_root() { # ARCHITECTURE CC WORK.S
    begin_root "$1" test/qemu/system/linux/run.sh || return 1
    $2 -nostdlib -static -o "$root/bin/work" "test/qemu/system/linux/$3" || return 1
    if [ "$1" = arm64 ]; then
        guest_make libarmpmu.a && guest_cc "$root/bin/region" examples/linux.c || return 1
    fi
    end_root
}

for architecture in arm64 armhf; do
    if ! why=$(B=$B sh tools/linux-root.sh $architecture); then
        skip "linux, $architecture" "$why"
        continue
    fi
    case $architecture in
    arm64) make_root arm64 "${CROSS}gcc" work.S ;;
    armhf) make_root armhf arm-linux-gnueabihf-gcc work32.S ;;
    esac || { not_ok "linux, $architecture" "its programs do not build"; summary; }
    case $architecture in
    arm64) cpu=max,pmu-counters=31 ;;
    armhf) cpu=cortex-a15,pmu-counters=31 ;;
    esac
    for vcpus in 1 4; do
        # AArch32 kernels spin where AArch64 ones yield: with shift=0 four vCPUs in turns take minutes, on any QEMU.
        shift=$([ "$architecture$vcpus" = armhf4 ] && echo 5 || echo 0)
        boot "$architecture, $vcpus vCPU, -icount" $architecture $vcpus $cpu "$architecture $vcpus" \
            -icount "shift=$shift"
        boot "$architecture, $vcpus vCPU, without -icount" $architecture $vcpus $cpu "$architecture $vcpus"
    done
done
[ "$tap_checks" -gt 0 ] || skip_all "no Linux"
summary
