#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Nested virtualization: on the emulator, Linux with KVM runs a guest that counts with the PMU that KVM gives it.  Linux
# and KVM are at EL2 (cortex-a76, FEAT_VHE), or Linux is at EL1 and only a part of KVM at EL2 (cortex-a57).
set -u
. test/lib/tap.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}"
emulator=$B/qemu/armpmu-qemu-system-aarch64
[ -x "$emulator" ] || skip_all "no $emulator: make qemu"
for pair in "${CROSS}gcc:gcc-aarch64-linux-gnu" cpio:cpio; do
    command -v "${pair%%:*}" >/dev/null || skip_all "${pair%%:*}: not here: apt-get install ${pair#*:}"
done
. test/hardware/linux/guest.sh
why=$(B=$B sh tools/linux-root.sh arm64) || skip_all "no Linux: $why"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

mkdir -p "$tmp/root/bin"
cp "$B/linux-arm64/root/bin/busybox" "$tmp/root/bin/"
guest_init "$tmp/root"
echo vmm >"$tmp/root/run"
"${CROSS}gcc" -std=gnu11 -O2 -Wall -Wextra -Werror -static -o "$tmp/root/bin/vmm" \
    test/qemu/system/kvm/vmm.c test/qemu/system/kvm/guest.S ||
    { not_ok kvm "its programs do not build"; summary; }
(cd "$tmp/root" && find . | cpio --quiet -o -H newc) >"$tmp/cpio"

# Boots Linux and prints the results of its guest.
boot() { # CPU OPTIONS...
    cpu=$1
    shift
    name="kvm, $cpu, ${*:-without -icount}"
    timeout 300 "$emulator" -M virt,virtualization=on,gic-version=3 -cpu "$cpu" -m 512 "$@" -display none -nodefaults \
        -serial stdio -kernel "$B/linux-arm64/vmlinuz" -initrd "$tmp/cpio" -no-reboot \
        -append "console=ttyAMA0 quiet panic=-1 cma=0 cryptomgr.notests run=" </dev/null 2>&1 | tr -d '\r' >"$tmp/lines"
    relay "$name" 0 "$tmp/lines"
    grep -q '^guest: end$' "$tmp/lines"
    expect $? "$name: it reaches its end" "$(tail -n 3 "$tmp/lines" | tr '\n' ' ')"
}

for cpu in cortex-a76 cortex-a57; do
    boot $cpu -icount shift=0
    boot $cpu
done
summary
