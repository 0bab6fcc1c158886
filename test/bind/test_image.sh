#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Conformance images: the source compiles without a warning and follows from its options; armpmu conform lists what
# QEMU, with its own PMU, does otherwise than the architecture (test/qemu/system/stock.txt), and says in words what it
# lacks.
# shellcheck disable=SC2086 # words in $a64 and $a32
set -u
. test/lib/tap.sh
need aarch64-linux-gnu-gcc
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
tool=$B/armpmu

# Compiles $work/NAME.c without linking.
compile() { # NAME COMPILER...
    name=$1
    shift
    "$@" -O1 -Wall -Wextra -Werror -ffreestanding -fno-pic -c "$work/$name.c" -o "$work/$name.o" 2>"$work/log"
}
a64='-mgeneral-regs-only -mstrict-align'
a32='-march=armv7-a -marm -mfloat-abi=soft -mno-unaligned-access'
for el in 1 2 3; do
    "$tool" generate --features PMUv3p7,FGT,VHE,SEL2 --el $el --length 500 -o "$work/el$el.c" &&
        compile el$el aarch64-linux-gnu-gcc $a64
    expect $? "EL$el: the source compiles" "$(head -n 3 "$work/log")"
    for compiler in arm-none-eabi-gcc arm-linux-gnueabihf-gcc 'clang --target=arm-none-eabi'; do
        command -v "${compiler%% *}" >/dev/null || continue
        "$tool" generate --isa A32 --core cortex-a7 --el $el --length 500 -o "$work/a32.c" &&
            compile a32 $compiler $a32
        expect $? "EL$el in AArch32 state: $compiler compiles the source" "$(head -n 3 "$work/log")"
    done
done
for console in pl011:0x9000000 memory; do
    "$tool" generate --core cortex-a57 --console $console --length 100 -o "$work/console.c" &&
        compile console aarch64-linux-gnu-gcc $a64
    expect $? "console $console: the source compiles" "$(head -n 3 "$work/log")"
done
if command -v clang >/dev/null; then
    compile el3 clang --target=aarch64-none-elf $a64
    expect $? "clang compiles the source" "$(head -n 3 "$work/log")"
fi
"$tool" generate --features PMUv3p7,FGT,VHE,SEL2 --length 500 --seed 1 | cmp -s - "$work/el3.c"
expect $? "the same options make the same image" "they do not"
"$tool" generate --features PMUv3p7,FGT,VHE,SEL2 --length 500 --seed 2 | cmp -s - "$work/el3.c"
[ $? -eq 1 ]
expect $? "another seed makes another image" "it does not"

# Expects a complaint with these words, and the status.
refuses() { # STATUS WORDS ARGUMENT...
    want=$1 words=$2
    shift 2
    "$tool" "$@" >"$work/out" 2>&1
    got=$?
    [ $got -eq "$want" ] && grep -q -e "$words" "$work/out"
    expect $? "armpmu $*" "status $got: $(head -n 2 "$work/out")"
}
refuses 2 'nothing says which it is' generate
refuses 2 'is not a feature' generate --features PMUv4
refuses 2 'is no core' generate --core cortex-a99
refuses 2 'give --isa A32' generate --core cortex-a7
refuses 2 'older than EL2; give 1 or 3' generate --isa A32 --core cortex-a9 --el 2
refuses 2 'is no address' generate --core cortex-a57 --console pl011:uart
refuses 2 'is not a number from 1 to 3' generate --core cortex-a57 --el 4
refuses 2 "is none; give A64, A64,A32 or A32" generate --core cortex-a57 --isa T32
refuses 2 "is none; give semihosting" generate --core cortex-a57 --console tty
refuses 3 'no-such-compiler refuses the image' conform --cc no-such-compiler
refuses 3 'the image printed nothing' conform -- true
refuses 3 'did not end within 1 seconds' conform --timeout 1 -- sh -c 'sleep 9'

both=virt,secure=on,virtualization=on
# Runs an image on $qemu, of $version, and keeps what conform prints in $work/NAME.
stock() { # NAME MACHINE CPU OPTION...
    name=$1 machine=$2 cpu=$3
    shift 3
    "$tool" conform -v "$@" -- "$qemu" -M "$machine" -cpu "$cpu" -nic none -display none -monitor none \
        -icount shift=0 -semihosting-config enable=on,target=native -serial stdio -kernel {} >"$work/$name" 2>&1
    status=$?
    # In AArch32 state QEMU 7.2 may fail an assertion of its own, and then the image does not come to its end.
    [ $status -eq 1 ] || { [ $status -eq 3 ] && grep -q 'qemu.*Assertion' "$work/$name"; }
    expect $? "QEMU $version, $cpu $*: it deviates" "status $status: $(head -n 2 "$work/$name")"
}
# Expects a group of deviations in $work/NAME.
lists() { # NAME GROUP
    grep -q -E -e "^ +[0-9]+ +[0-9]+  $2" "$work/$1"
    expect $? "QEMU $version: it lists $2" "$(grep -c '^ *[0-9]' "$work/$1") other groups"
}
# Expects the differences of stock.txt.
lists_differences() {
    stock a57 $both cortex-a57 --length 60000
    lists a57 'value +MRS PMCR_EL0\.LP'
    lists a57 'value +MRS PMEVTYPER<n>_EL0\.evtCount_15_10'
    lists a57 'value +MRS PMCNTENSET_EL0\.P'
    lists a57 'value +MRS PMINTENSET_EL1\.P'
    lists a57 'value +MRS PMOVSSET_EL0\.P'
    grep -q 'written at EL[01] with MDCR_EL2.HPMN = [12]' "$work/a57"
    expect $? "it names MDCR_EL2.HPMN" "it does not"
    stock a32 $both cortex-a57 --isa A64,A32 --length 200000
    if ! grep -q Assertion "$work/a32"; then
        lists a32 'value +MRS PMCCFILTR_EL0\.M' # which a write in AArch32 state leaves
    fi
    stock v7 virt,virtualization=on cortex-a15 --isa A32
    lists v7 'value +MRC PMCR\.\{?LP'
    lists v7 'outcome +M(CR|RC) PMEVCNTR<n>; not implemented'
    grep -q 'an exception to Hyp mode with HSR 0xf.*, expected an exception to Hyp mode;' "$work/v7"
    expect $? "it reports a trap in place of an UNDEFINED instruction under HCR.TGE" "it does not"
    stock max $both max
    lists max 'value +MRS PMCEID[01]_EL0' # events that FEAT_PMUv3p4 requires
    stock uart $both cortex-a57 --console pl011:0x9000000 --length 3000
    lists uart 'value +MRS PMCR_EL0\.LP'
    if [ "$version" = 7.2 ]; then
        lists a57 'outcome +MSR PMCR_EL0; MDCR_EL2\.TPMCR'
        lists a57 'outcome +MRS PMCR_EL0; MDCR_EL2\.TPMCR'
        lists a32 'outcome +MCRR PMCCNTR64'
        qemu=qemu-system-arm
        stock v8 virt,virtualization=on max --isa A32
        lists v8 'outcome +MCR PMCEID1; HSTR\.T9'
    fi
}
# The installed QEMU, and the source of make qemu without its edits (QEMU_STOCK=1 make qemu).
for qemu in qemu-system-aarch64 "$B/qemu/stock-qemu-system-aarch64"; do
    version=$("$qemu" --version 2>/dev/null | sed -n 's/^.*version \([0-9]*\.[0-9]*\).*/\1/p')
    if [ -n "$version" ] && grep -v '^#' test/qemu/system/stock.txt | cut -f 1 | grep -qw "$version"; then
        lists_differences
    else
        skip "$qemu" "it is not here, or stock.txt does not know its version"
    fi
done
summary
