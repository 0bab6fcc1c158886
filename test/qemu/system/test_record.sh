#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu record --engine=perf on Linux on the emulator with the model: its samples are where Debian's perf has them.
set -u
. test/qemu/system/linux/boot.sh
here=test/qemu/system
if ! why=$(B=$B sh tools/linux-root.sh arm64 && B=$B sh tools/guest-root.sh); then
    skip_all "$why"
fi
guest_make armpmu || { not_ok record "armpmu does not build for AArch64"; summary; }
warnings="-std=gnu11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror"
# shellcheck disable=SC2086 # words
begin_root arm64 $here/linux/record.sh && cp "$B/arm64/armpmu" "$root/bin/" &&
    "${CROSS}gcc" -nostdlib -static -o "$root/bin/work" $here/linux/work.S &&
    "${CROSS}gcc" $warnings -static -o "$root/bin/as" $here/doctor/as.c &&
    "${CROSS}gcc" -nostdlib -static -DROUNDS=20000000 -o "$root/bin/longer" $here/linux/work.S &&
    "${CROSS}gcc" $warnings -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -static \
        -o "$root/bin/sampled" $here/linux/sampled.c -lpthread &&
    end_root || { not_ok record "the guest's programs do not build"; summary; }

boot "record" arm64 1 max all -icount shift=0
boot "record, four vCPUs" arm64 4 max all -icount shift=0
boot "record, without a PMU" arm64 1 cortex-a57,pmu=off nopmu -icount shift=0

# A device tree whose PMU has no interrupt.
"$QEMU_SYSTEM" -M virt,dumpdtb="$tmp/dtb" -cpu max -m 512 -display none -nodefaults -serial null >"$tmp/log" 2>&1
if python3 $here/linux/nointerrupt.py "$tmp/dtb"; then
    boot "record, no interrupt" arm64 1 max nointerrupt -icount shift=0 -dtb "$tmp/dtb"
else
    not_ok "record, no interrupt" "the device tree has no interrupt of a PMU: $(tail -n 1 "$tmp/log")"
fi
summary
