# SPDX-License-Identifier: BSD-2-Clause
# The tests that boot Debian's kernels on the emulator, with Debian's perf, source this file.  QEMU_SYSTEM may name
# another build of the emulator.
. test/lib/tap.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}" "${QEMU_SYSTEM:=$B/qemu/armpmu-qemu-system-aarch64}"
[ -x "$QEMU_SYSTEM" ] || skip_all "no $QEMU_SYSTEM: make qemu"
for pair in "${CROSS}gcc:gcc-aarch64-linux-gnu" cpio:cpio; do
    command -v "${pair%%:*}" >/dev/null || skip_all "${pair%%:*}: not here: apt-get install ${pair#*:}"
done
. test/hardware/linux/guest.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# Makes $root, the root folder of a guest that runs SCRIPT.
begin_root() { # ARCHITECTURE SCRIPT
    root=$tmp/$1
    rm -rf "$root"
    cp -R "$B/linux-$1/root" "$root" || return 1
    guest_init "$root"
    cp "$2" "$root/run"
}
# Packs $root.
end_root() { (cd "$root" && find . | cpio --quiet -o -H newc) >"$root.cpio"; }

# Boots Linux and passes on its results under NAME.  WORDS are the arguments of the guest's script.
boot() { # NAME ARCHITECTURE VCPUS CPU "WORDS" OPTIONS...
    name=$1 architecture=$2 vcpus=$3 cpu=$4 words=$5
    shift 5
    timeout 300 "$QEMU_SYSTEM" -M virt -cpu "$cpu" -smp "$vcpus" -m 512 -display none -nodefaults -serial stdio \
        -kernel "$B/linux-$architecture/vmlinuz" -initrd "$tmp/$architecture.cpio" -no-reboot "$@" \
        -append "console=ttyAMA0 quiet panic=-1 cma=0 cryptomgr.notests ${ARGUMENTS:-} run=$words" \
        </dev/null 2>&1 | tr -d '\r' >"$tmp/lines"
    relay "linux, $name" 0 "$tmp/lines"
    grep -q '^guest: end$' "$tmp/lines"
    expect $? "linux, $name: it reaches its end" "$(tail -n 3 "$tmp/lines" | tr '\n' ' ')"
}
