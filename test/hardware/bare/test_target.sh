#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the native back ends on emulated machines.  The images of test/hardware/bare print their own "ok" and "not ok"
# lines.
# A "note" line says where the emulator is known to differ from the architecture, and what the architecture requires.
# With EXACT=1 the emulator must not differ.
set -u
. test/lib/tap.sh
. test/hardware/bare/machine.sh
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# Runs an image on a CPU and puts the CPU's name into its lines.
image() { # BOOT CPU IMAGE
    name=$(basename "$3" .elf)
    "$1" "$2" "$3" >"$log" 2>&1 </dev/null
    exit=$?
    sed -nE "s/\r\$//; s/^(ok|not ok|note) /\1 $2: /p" "$log"
    if [ -n "${EXACT:-}" ]; then
        ! grep -q '^note ' "$log"
        expect $? "$2: $name: is as the architecture says" "it differs, and EXACT is set: see the notes above"
    fi
    [ "$exit" -eq 0 ] && grep -q '^ok ' "$log"
    expect $? "$2: $name: ends with results and status 0" "exit status $exit: $(tail -n 3 "$log" | tr '\r\n' ' /')"
}

if command -v "${QEMU_AARCH64:-qemu-system-aarch64}" >/dev/null && [ -f "$B/target/a64/count.elf" ]; then
    for cpu in cortex-a57 max; do
        for test in count filter overflow cost; do
            image boot64 $cpu "$B/target/a64/$test.elf"
        done
    done
else
    skip "bare metal, AArch64" "no qemu-system-aarch64 or no aarch64-linux-gnu-gcc"
fi

if command -v "${QEMU_ARM:-qemu-system-arm}" >/dev/null && [ -f "$B/target/armv7/aarch32.elf" ]; then
    image boot32 cortex-a15 "$B/target/armv7/aarch32.elf"
    image boot32 cortex-a7 "$B/target/armv7/aarch32.elf"
    case ${QEMU_ARM:-} in
    *aarch64) ;; # on this emulator max is an AArch64 CPU
    *)
        image boot32 max "$B/target/armv7/aarch32.elf"
        image boot32 max "$B/target/armv8/aarch32.elf"
        ;;
    esac
else
    skip "bare metal, AArch32" "no qemu-system-arm or no arm-linux-gnueabi-gcc"
fi
[ "$tap_checks" -gt 0 ] || skip_all "no emulator or no cross compiler"
summary
