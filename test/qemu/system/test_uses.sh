#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Common uses of a PMU on Linux, on four vCPUs: counts on each CPU, CPUs that go offline and return, more events than
# counters, samples of a group (uses.sh), and reboots while it counts (reboot.sh).
set -u
. test/qemu/system/linux/boot.sh

if ! why=$(B=$B sh tools/linux-root.sh arm64 && B=$B sh tools/guest-root.sh); then
    skip_all "no Linux: $why"
fi
guest_make armpmu || { not_ok uses "armpmu does not build for AArch64"; summary; }
here=test/qemu/system/linux
for use in uses reboot; do
    begin_root arm64 $here/$use.sh && cp "$B/arm64/armpmu" "$root/bin/" &&
        "${CROSS}gcc" -nostdlib -static -o "$root/bin/work" $here/work.S &&
        "${CROSS}gcc" -nostdlib -static -DROUNDS=20000000 -o "$root/bin/long" $here/work.S && end_root ||
        { not_ok uses "the guest's programs do not build"; summary; }
    case $use in
    uses)
        boot "uses, -icount" arm64 4 max,pmu-counters=6 icount -icount shift=0
        boot "uses, without -icount" arm64 4 max,pmu-counters=6 plain ;;
    reboot) # the kernel does not use the last 32 MB, which outlive a reset
        ARGUMENTS=mem=480M boot reboot arm64 2 max,pmu-counters=6 0x5f000000 -action reboot=reset ;;
    esac
done
summary
