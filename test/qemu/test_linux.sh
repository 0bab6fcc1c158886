#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Linux on the emulator, with Debian's kernels and Debian's perf: in AArch64 and AArch32 state, on one vCPU and on four, with
# -icount and without.
set -u
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}"
emulator=$B/qemu/armpmu-qemu-system-aarch64
[ -x "$emulator" ] || { echo "no $emulator: make qemu"; exit 77; }
for pair in "${CROSS}gcc:gcc-aarch64-linux-gnu" arm-linux-gnueabihf-gcc:gcc-arm-linux-gnueabihf cpio:cpio; do
    command -v "${pair%%:*}" >/dev/null || { echo "${pair%%:*}: not here: apt-get install ${pair#*:}"; exit 77; }
done
. test/guest/guest.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0

# make_root ARCHITECTURE CC WORK.S: the guest's root folder, $tmp/ARCHITECTURE.cpio.
make_root() {
    root=$tmp/$1
    cp -R "$B/linux-$1/root" "$root" || return 1
    guest_init "$root"
    cp test/qemu/linux/run.sh "$root/run"
    $2 -nostdlib -static -o "$root/bin/work" "test/qemu/linux/$3" || return 1
    if [ "$1" = arm64 ]; then
        guest_make libarmpmu.a && guest_cc "$root/bin/region" examples/linux.c || return 1
    fi
    (cd "$root" && find . | cpio --quiet -o -H newc) >"$root.cpio"
}

# boot ARCHITECTURE VCPUS CPU OPTIONS...: its lines, under one name.
boot() {
    architecture=$1 vcpus=$2 cpu=$3
    shift 3
    name="$architecture, $vcpus vCPU, ${*:-without -icount}"
    timeout 300 "$emulator" -M virt -cpu "$cpu" -smp "$vcpus" -m 512 "$@" -display none -nodefaults -serial stdio \
        -kernel "$B/linux-$architecture/vmlinuz" -initrd "$tmp/$architecture.cpio" -no-reboot \
        -append "console=ttyAMA0 quiet panic=-1 cma=0 cryptomgr.notests run=$architecture $vcpus" \
        </dev/null 2>&1 | tr -d '\r' >"$tmp/lines"
    sed -n "s/^\(not ok\|ok\|skip\) /&linux, $name: /p" "$tmp/lines"
    if ! grep -q '^guest: end$' "$tmp/lines"; then
        echo "not ok linux, $name: it did not get to its end: $(tail -n 3 "$tmp/lines" | tr '\n' ' ')"
        bad=1
    fi
    ! grep -q '^not ok ' "$tmp/lines" && grep -q '^ok ' "$tmp/lines" || bad=1
}

for architecture in arm64 armhf; do
    if ! why=$(B=$B sh tools/linux-root.sh $architecture); then
        echo "skip linux, $architecture: $why"
        continue
    fi
    case $architecture in
    arm64) make_root arm64 "${CROSS}gcc" work.S ;;
    armhf) make_root armhf arm-linux-gnueabihf-gcc work32.S ;;
    esac || { echo "not ok linux, $architecture: its programs do not build"; exit 1; }
    case $architecture in
    arm64) cpu=max,pmu-counters=31 ;;
    armhf) cpu=cortex-a15,pmu-counters=31 ;;
    esac
    for vcpus in 1 4; do
        # AArch32 kernels spin where AArch64 ones yield: with shift=0 four vCPUs in turns take minutes, on any QEMU.
        boot $architecture $vcpus $cpu -icount "shift=$([ "$architecture$vcpus" = armhf4 ] && echo 5 || echo 0)"
        boot $architecture $vcpus $cpu
    done
done
exit $bad
