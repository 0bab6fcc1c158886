#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tries to start programs that cannot be run: each refusal names the object, the cause and the cure, and has its exit
# status.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh

refused() { # NAME STATUS TEXT [OPTIONS] -- PROGRAM...: TEXT is a pattern
    name=$1 status=$2 text=$3
    shift 3
    "$B/test/run_program" -o "$tmp/ours" "$@" >/dev/null 2>"$tmp/stderr" </dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        not_ok "refusal $name" "status $got, not $status: $(cat "$tmp/ours")"
    elif [ "$(wc -l <"$tmp/ours")" -ne 1 ] || ! grep -qE "^refused $status $text\$" "$tmp/ours"; then
        not_ok "refusal $name" "$(cat "$tmp/ours")"
    else
        ok "refusal $name"
    fi
}
printf '#!/bin/sh\n' >"$tmp/script"
echo text >"$tmp/text"
chmod +x "$tmp/script" "$tmp/text"
: >"$tmp/plain"
# The first 20 bytes of an ELF header have the class, the byte order and the machine.
elf() { # CLASS ORDER TYPE MACHINE NAME
    printf "\\177ELF\\$1\\$2\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0$3$4" >"$tmp/$5" &&
        head -c 64 /dev/zero >>"$tmp/$5" && chmod +x "$tmp/$5"
}
elf 001 001 '\002\000' '\050\000' arm32
elf 002 001 '\002\000' '\076\000' x86
elf 002 002 '\000\002' '\000\267' big
elf 002 001 '\002\000' '\363\000' riscv

refused 'options of another size' 2 'struct apmu_run_options: .size is 8: set it to .*, [0-9]+' --size 8 -- /bin/true
refused 'no such program' 127 '.*none: no such program: .*' -- "$tmp/none"
refused 'no such program in PATH' 127 'no-such-program-here: no such program in PATH: .*' -- no-such-program-here
refused 'a directory' 126 '.*: is a directory: .*' -- "$tmp"
refused 'not executable' 126 '.*plain: permission denied: .*chmod.*' -- "$tmp/plain"
refused 'neither ELF nor script' 126 '.*text: not a program: .*' -- "$tmp/text"
refused 'a script' 3 \
    '.*script: a script, run by /bin/sh, not an Arm program.*: .*armpmu stat -- INTERPRETER .*script' -- "$tmp/script"
refused 'an x86-64 program' 3 '.*x86: a program for x86-64, not for AArch64 or 32-bit Arm: .*' -- "$tmp/x86"
ARMPMU_QEMU_ARM=/bin/true refused 'a 32-bit Arm program, no flags' 3 \
    '/bin/true: plugins of this emulator cannot read flags, .*: run make qemu-user, .*' -- "$tmp/arm32"
ARMPMU_QEMU_ARM=no-such-qemu refused 'a 32-bit Arm program, no emulator' 3 \
    'no-such-qemu: the emulator is not on this machine: run make qemu-user, .*' -- "$tmp/arm32"
refused 'a 32-bit Arm program that wants a PMU' 3 '.*arm32: a program for 32-bit Arm; .*: .*without --el0' --el0 1 \
    -- "$tmp/arm32"
refused 'a big-endian program' 3 '.*big: a program for big-endian Arm, .*' -- "$tmp/big"
refused 'a program of another machine' 3 '.*riscv: a program for RISC-V, .*' -- "$tmp/riscv"

# Cores that lack an Execution state, and all others.
elf 002 001 '\002\000' '\267\000' arm64
for core in cortex-a7 arm1176; do
    refused "an AArch64 program, $core" 3 ".*arm64: an AArch64 program, which $core cannot execute: it has AArch32 \
alone: model a core that can, --core with one of cortex-a53, [^;]*, neoverse-v2; or build the program for 32-bit Arm" \
        --core "$core" -- "$tmp/arm64"
done
refused 'a 32-bit Arm program, neoverse-v2' 3 ".*arm32: a 32-bit Arm program, which neoverse-v2 cannot execute: it has \
AArch64 alone: model a core that can, --core with one of cortex-a7, [^;]*, neoverse-v1, arm1176; or build the program \
for AArch64" --core neoverse-v2 -- "$tmp/arm32"
export ARMPMU_QEMU=no-such-qemu ARMPMU_QEMU_ARM=no-such-qemu
for core in cortex-a53 cortex-a55 cortex-a72 cortex-a76 cortex-a78 cortex-x1 neoverse-n1 neoverse-n2 neoverse-v1; do
    for program in arm64 arm32; do
        refused "$program, $core: nothing but an emulator is missing" 3 'no-such-qemu: the emulator is not .*' \
            --core "$core" -- "$tmp/$program"
    done
done
unset ARMPMU_QEMU ARMPMU_QEMU_ARM

program=$B/test/asm/loop
if [ -x "$program" ]; then
    ARMPMU_QEMU=no-such-qemu refused 'no emulator' 3 \
        'no-such-qemu: the emulator is not on this machine: run make qemu-user .*' -- "$program"
    ARMPMU_QEMU=/bin/true refused 'an emulator without plugins' 3 \
        '/bin/true: this emulator was built without plugins: run make qemu-user, .*' -- "$program"
    printf '#!/bin/sh\nexit 1\n' >"$tmp/wrapper" && chmod +x "$tmp/wrapper"
    ARMPMU_QEMU=$tmp/wrapper refused 'an emulator that does not start the plugin' 3 '.*did not take the plugin .*' \
        -- "$program"
    ARMPMU_QEMU=$(aarch64_emulator) ARMPMU_LIBDIR=$tmp refused 'no plugin' 3 \
        'libarmpmu-qemu-user.so: neither next to armpmu nor .*make.*' -- "$program"
    refused 'libraries under no root' 3 \
        '.*: its loader /lib/ld-linux-aarch64.so.1 is not under /nowhere: .*--sysroot .*' \
        --sysroot /nowhere -- "$B/test/c/process"
else
    skip 'refusals of emulators' "no $program: apt-get install gcc-aarch64-linux-gnu"
fi
summary
