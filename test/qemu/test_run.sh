#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu run: console, exit status, table, trace, wave, limit, and what it does with arguments of the emulator.
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
[ -x "$B/qemu/armpmu-qemu-system-aarch64" ] || { echo "no $B/qemu/armpmu-qemu-system-aarch64: make qemu"; exit 77; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "no aarch64-linux-gnu-gcc"; exit 77; }
unset ARMPMU_QEMU_SYSTEM
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0

for image in run four; do
    aarch64-linux-gnu-gcc -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only \
        -march=armv8.2-a -fno-pic -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T test/qemu/image.ld \
        test/qemu/image_start.S test/qemu/image.c "test/qemu/$image.c" -o "$tmp/$image.elf" || exit 1
done

run() { # ARGUMENTS...: fills $tmp/out, $tmp/err, $status
    timeout -k 5 60 "$B/armpmu" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

expect() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >/dev/null; then
        echo "ok $name"
    else
        echo "not ok $name: status $status, $(head -n 1 "$tmp/out"); $(grep -v '^$' "$tmp/err" | head -n 4 | tr '\n' ';')"
        bad=1
    fi
}

# Of the table: what a counter's line has in a column.
counter() { # COUNTER COLUMN
    awk -v c="$1" -v n="$2" '$1 == c { print $n }' "$tmp/err"
}

run "$tmp/run.elf"
expect 'the console' test "$(cat "$tmp/out")" = done
expect 'the exit status' test $status = 5
expect 'a value' test "$(counter PMEVCNTR0_EL0 3)" = 4015
expect 'how long it counted' test "$(counter PMEVCNTR0_EL0 4)" = 4015
expect 'another value' test "$(counter PMEVCNTR1_EL0 3)" = 1003
total=$(sed -n 's/^CPU 0: \([0-9]*\) instructions.*/\1/p' "$tmp/err")
expect 'counted and stood still is all of it' test "$(($(counter PMEVCNTR2_EL0 4) + $(counter PMEVCNTR2_EL0 5)))" = "$total"
expect 'the reason' grep -q 'PMCR_EL0.E is 0: R1, the cycle and the instruction counter are disabled' "$tmp/err"
expect 'never enabled' grep -q '^  never enabled: .*PMCCNTR_EL0' "$tmp/err"

for el in 1 2 3; do
    run --el $el --features PMUv3p9,FEAT_PMUv3_ICNTR --counters 8 --trace "$tmp/trace" --wave "$tmp/wave" "$tmp/run.elf"
    expect "EL$el: exit status" test $status = 5
    expect "EL$el: a value" test "$(counter PMEVCNTR0_EL0 3)" = 4015
    expect "EL$el: eight counters and ICNTR" grep -q 'never enabled: .*PMEVCNTR7_EL0.*PMICNTR_EL0' "$tmp/err"
    "$B/test/replay" "$tmp/trace" >"$tmp/replayed" 2>&1
    expect "EL$el: the trace replays" grep -q ': 1 traces, [0-9]* actions, 0 mismatches' "$tmp/replayed"
    python3 test/qemu/vcd.py "$tmp/wave" >"$tmp/values" 2>"$tmp/err"
    expect "EL$el: the wave is a Value Change Dump" test -s "$tmp/values"
    expect "EL$el: counter 0 in the wave" grep -q '^cpu0.PMEVCNTR0_EL0 4015$' "$tmp/values"
    expect "EL$el: the level in the wave" grep -q "^cpu0.EL $el$" "$tmp/values"
    expect "EL$el: the overflow in the wave" grep -q '^cpu0.PMOVSSET_EL0 4$' "$tmp/values"
done

run --limit 3000 "$tmp/run.elf"
expect 'a limit ends it' test $status = 0
expect 'a limit: exactly' grep -q '^CPU 0: 3000 instructions' "$tmp/err"
expect 'a limit: it says so' grep -q '^ended by --limit$' "$tmp/err"

run --trace "$tmp/smp" --wave "$tmp/wave" -- -M virt -cpu max -smp 4 -icount shift=0 -nic none -display none -monitor none \
    -serial none -semihosting-config enable=on,target=native -kernel "$tmp/four.elf"
expect 'arguments of the emulator' test $status = 0
expect 'four CPUs' test "$(grep -c '^CPU [0-3]:' "$tmp/err")" = 4
for n in '' .1 .2 .3; do
    "$B/test/replay" "$tmp/smp$n" >"$tmp/replayed" 2>&1
    expect "the trace ${n:-.0} of four replays" grep -q ', 0 mismatches' "$tmp/replayed"
done
python3 test/qemu/vcd.py "$tmp/wave" >"$tmp/values" 2>"$tmp/err"
expect 'the wave of four CPUs' grep -q '^cpu3.PMEVCNTR0_EL0 16001$' "$tmp/values"

run --trace "$tmp/no/trace" "$tmp/run.elf"
expect 'a trace that cannot be written' grep -q "$tmp/no/trace" "$tmp/err"
expect 'a trace that cannot be written: status' test $status = 3
run --cpu nosuch "$tmp/run.elf"
expect 'a CPU that does not exist' test $status = 3
run --features PMUv3p9,SEBEP "$tmp/run.elf"
expect 'a feature that the emulator cannot have' grep -q 'pmu-features' "$tmp/err"
exit $bad
