#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu stat on two emulators, with two versions of the plugin interface: the same counts, also of threads, forks, faults.
# Programs without a C library, which goes other ways where the emulator offers it more (a vDSO, other HWCAPs).
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
other=$B/qemu/armpmu-qemu-aarch64
[ -x "$other" ] || { echo "no $other: make qemu"; exit 77; }
command -v qemu-aarch64 >/dev/null || { echo "no qemu-aarch64"; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0
unset ARMPMU_QEMU
export QEMU_CPU=max # the default of Debian's 10.2 has no pointer authentication
events=INST_RETIRED,LD_RETIRED,ST_RETIRED,BR_RETIRED,BR_COND_TAKEN_RETIRED,UNALIGNED_LDST_RETIRED,EXC_SVC,DP_RETIRED

for source in test/engine/asm/*.S; do
    name=${source##*/}
    [ "$name" = timer.S ] && continue # it waits for signals of a clock
    if ! aarch64-linux-gnu-gcc -nostdlib -static -march=armv8.5-a "$source" -o "$tmp/program" 2>"$tmp/cc"; then
        echo "not ok $name: $(head -n 1 "$tmp/cc")"
        bad=1
        continue
    fi
    for emulator in qemu-aarch64 "$other"; do
        ARMPMU_QEMU=$emulator timeout 60 "$B/armpmu" stat -v -x, -e $events -o "$tmp/${emulator##*/}" "$tmp/program" \
            >/dev/null 2>"$tmp/${emulator##*/}.err"
        sed -e '/^#/d' -e '/^$/d' -e 's/^\([0-9]*\),[^,]*,\([^,]*\),.*/\1 \2/' "$tmp/${emulator##*/}" >"$tmp/counts.${emulator##*/}"
    done
    if [ -s "$tmp/counts.qemu-aarch64" ] && cmp -s "$tmp/counts.qemu-aarch64" "$tmp/counts.${other##*/}"; then
        echo "ok $name: the same counts"
    else
        echo "not ok $name: $(diff "$tmp/counts.qemu-aarch64" "$tmp/counts.${other##*/}" | head -n 4 | tr '\n' ';')"
        bad=1
    fi
done
for emulator in qemu-aarch64 "${other##*/}"; do
    said=$(sed -n 's/.* plugin interface \([0-9]*\)$/\1/p' "$tmp/$emulator.err" | tail -n 1)
    case $emulator$said in
    qemu-aarch64[1-9]|armpmu-qemu-aarch64[3-9]) echo "ok $emulator: it says interface $said" ;;
    *) echo "not ok $emulator: it says '$said'"; bad=1 ;;
    esac
done
exit $bad
