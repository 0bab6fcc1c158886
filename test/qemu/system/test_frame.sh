#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pmu-frame=ADDRESS at an occupied or impossible address is refused.  The message names what is there, and the cure.
set -u
. test/qemu/system/machine.sh

# Boots with the frame at ADDRESS and expects one line that matches WHY.
refused() { # NAME WHY ADDRESS OPTIONS...
    name=$1 why=$2 address=$3
    shift 3
    boot "cortex-a57,pmu-frame=$address" "$a64/qemu-identity.elf" "$@" >"$log/out" 2>&1
    code=$?
    [ $code -eq 1 ] && grep -q "pmu-frame: .*$why" "$log/out" && [ "$(grep -c . "$log/out")" -eq 1 ]
    expect $? "$name" "exit status $code, $(head -n 2 "$log/out" | tr '\n' ';')"
}

refused 'over memory' "0x40000000, .* CPU 0 .* taken by 'mach-virt.ram' .*: use an address that is free" 0x40000000
refused 'over the end of memory' "taken by 'mach-virt.ram'" 0x47ff0000
refused 'over a device' "taken by 'pl011'" 0x09000000
refused 'over flash memory' "taken by 'virt.flash" 0x00000000
refused 'over Secure memory' "taken by 'virt.secure-ram'" 0x0e000000
refused 'over a device, with a second CPU' "0x9000000, .* CPU 1 .* taken by 'pl011'" 0x08ff0000 -smp 2
refused 'not a multiple of 64 KiB' '0xb001000 is no multiple of 64 KiB.*: use 0xb000000' 0x0b001000
refused 'beyond the physical addresses' 'beyond the 44 bits .*: use a lower address' 0x100000000000
refused 'beyond the physical addresses, with a second CPU' '0x100000000000, .* CPU 1 .* beyond the 44 bits' \
    0xfffffff0000 -smp 2
refused 'at the end of all addresses' 'beyond the 44 bits' 0xffffffffffff0000
image 'at a free address' cortex-a57,pmu-frame=0x0b000000 "$a64/qemu-identity.elf" -smp 4
image 'below a device' cortex-a57,pmu-frame=0x08ff0000 "$a64/qemu-identity.elf"
summary
