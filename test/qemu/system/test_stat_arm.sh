#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu stat of 32-bit Arm programs, on the emulator that make qemu builds: counts by inspection; all events of
# programs in A32 and T32 against the emulator's log of every instruction; processes, threads and exec; how the tool
# finds that emulator.
set -u
cd "$(dirname "$0")/../../.." || exit 2
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
. test/qemu/user/lib.sh
unset ARMPMU_QEMU ARMPMU_QEMU_ARM
emulator=$B/qemu/armpmu-qemu-arm
[ -x "$emulator" ] || skip_all "no $emulator: make qemu-user"
ARMPMU_QEMU_ARM=$emulator
export ARMPMU_QEMU_ARM

for source in test/qemu/user/asm32/*.S; do
    name=$(basename "$source" .S)
    if ! "${CROSS32}gcc" -nostdlib -static "$source" -o "$tmp/$name" 2>"$tmp/cc"; then
        not_ok "$name" "$(head -n 1 "$tmp/cc")"
        continue
    fi
    by_inspection "$source" "$tmp/$name"
done

# Compares all events with the log, which shows neither unaligned accesses nor store-exclusives that fail.
against_log() { # NAME PROGRAM
    # The same environment for both runs, because the C library searches it.
    env -i PATH="$PATH" ARMPMU_LIBDIR="$ARMPMU_LIBDIR" "$emulator" -one-insn-per-tb -d cpu,nochain -D "$tmp/log" "$2" \
        >"$tmp/stdout.theirs"
    "${CROSS32}objdump" -d "$2" >"$tmp/text"
    python3 test/qemu/system/log32.py "$tmp/text" "$tmp/log" | "$B/test/words32" sum | sort |
        grep -v '^UNALIGNED' >"$tmp/theirs"
    env -i PATH="$PATH" ARMPMU_LIBDIR="$ARMPMU_LIBDIR" \
        "$B/test/run_program" -o "$tmp/ours" --outcomes -- "$2" >"$tmp/stdout"
    grep '^[A-Z]' "$tmp/ours" | sort | grep -v '^UNALIGNED' >"$tmp/sorted"
    if cmp -s "$tmp/sorted" "$tmp/theirs" && cmp -s "$tmp/stdout" "$tmp/stdout.theirs" && [ -s "$tmp/theirs" ]; then
        ok "log $1: $(wc -l <"$tmp/theirs") events, $(sed -n 's/^INST_RETIRED //p' "$tmp/theirs") instructions"
    else
        not_ok "log $1" "$(diff "$tmp/theirs" "$tmp/sorted" | head -n 8 | tr '\n' ';')"
    fi
}
for set in arm thumb; do
    "${CROSS32}gcc" -O2 -m$set -static test/qemu/system/arm32.c -o "$tmp/$set"
    against_log "$set" "$tmp/$set"
done

mkdir -p "$tmp/p"
"${CROSS32}gcc" -O1 test/qemu/user/c/process.c -o "$tmp/p/process" -lpthread
"${CROSS32}gcc" -static -O1 test/qemu/user/c/process.c -o "$tmp/p/process-static" -lpthread
PROCESS=$tmp/p/process sh test/qemu/user/test_process.sh >"$tmp/log" 2>&1
relay 32-bit $? "$tmp/log"

# A 64-bit program executes a 32-bit one, and the other way round.
for pair in "$B/test/c/process $tmp/p/process" "$tmp/p/process $B/test/c/process"; do
    from=${pair% *} to=${pair#* }
    ours -- "$from" exec "$to" args a
    got=$(sed -n -e 's/^remark/&/p' -e 's/^execs //p' "$tmp/ours" | tr '\n' ';')
    if [ "$(tr '\n' ';' <"$tmp/stdout")" = "[$to][args][a];" ] && [ "$got" = '1;' ]; then
        ok "exec of $(basename "$(dirname "$to")")/process by $(basename "$(dirname "$from")")/process"
    else
        not_ok "exec of $to by $from" "$(cat "$tmp/stdout") $got"
    fi
done

"${CROSS32}gcc" -nostdlib -static test/qemu/system/pmu32.S -o "$tmp/pmu32"
ours -- "$tmp/pmu32"
if grep -q '^remark SIGILL at 0x[0-9a-f]*: read of PMCCNTR at EL0, which PMUSERENR = 0 forbids; ' "$tmp/ours" &&
    grep -qx 'status 132' "$tmp/ours"; then
    ok 'SIGILL'
else
    not_ok 'SIGILL' "$(grep -E '^(remark|status)' "$tmp/ours")"
fi

unset ARMPMU_QEMU_ARM ARMPMU_LIBDIR
"$B/armpmu" stat -v -x, -e INST_RETIRED,BR_COND_TAKEN_RETIRED -o "$tmp/out" "$tmp/it" 2>"$tmp/err"
if [ "$(awk -F, '/^[0-9]/ { printf "%s %s;", $3, $1 }' "$tmp/out")" = 'INST_RETIRED 105;BR_COND_TAKEN_RETIRED 10;' ] &&
    grep -q 'armpmu-qemu-arm, plugin interface [3-9]' "$tmp/err"; then
    ok 'armpmu stat finds the emulator'
else
    not_ok 'armpmu stat finds the emulator' "$(cat "$tmp/out" "$tmp/err")"
fi
summary
