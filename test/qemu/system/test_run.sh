#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu run: the console, the exit status, the table, the trace, the wave, the limit, and arguments of the emulator.
. test/lib/tap.sh
: "${B:=build}"
case $B in /*) ;; *) B=$PWD/$B ;; esac
[ -x "$B/qemu/armpmu-qemu-system-aarch64" ] || skip_all "no $B/qemu/armpmu-qemu-system-aarch64: make qemu"
need aarch64-linux-gnu-gcc
unset ARMPMU_QEMU_SYSTEM
tmp=$(mktemp -d) || exit 2
dir=$tmp
trap 'rm -rf "$tmp"' EXIT
. test/cli/profile/formats/perfetto.sh

here=test/qemu/system
for image in run four; do
    aarch64-linux-gnu-gcc -Wall -Wextra -Werror -O1 -ffreestanding -nostdlib -static -mgeneral-regs-only \
        -march=armv8.2-a -fno-pic -no-pie -Wl,--build-id=none -Wl,-z,max-page-size=4096 -T $here/image.ld \
        $here/image_start.S $here/image.c "$here/$image.c" -o "$tmp/$image.elf" || exit 1
done

# Sets $status, and writes $tmp/out and $tmp/err.
run() { # ARGUMENTS...
    timeout -k 5 60 "$B/armpmu" run "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# Passes the check NAME if the command succeeds.
check() { # NAME COMMAND...
    name=$1
    shift
    "$@" >/dev/null
    expect $? "$name" \
        "status $status, $(head -n 1 "$tmp/out"); $(grep -v '^$' "$tmp/err" | head -n 4 | tr '\n' ';')"
}

# Prints a column of a counter's line in the table.
counter() { # COUNTER COLUMN
    awk -v c="$1" -v n="$2" '$1 == c { print $n }' "$tmp/err"
}

run "$tmp/run.elf"
check 'the console' test "$(cat "$tmp/out")" = done
check 'the exit status' test $status = 5
check 'a value' test "$(counter PMEVCNTR0_EL0 3)" = 4015
check 'how long it counted' test "$(counter PMEVCNTR0_EL0 4)" = 4015
check 'another value' test "$(counter PMEVCNTR1_EL0 3)" = 1003
total=$(sed -n 's/^CPU 0: \([0-9]*\) instructions.*/\1/p' "$tmp/err")
check 'counted and stood still is all of it' \
    test "$(($(counter PMEVCNTR2_EL0 4) + $(counter PMEVCNTR2_EL0 5)))" = "$total"
check 'the reason' grep -q 'PMCR_EL0.E is 0: R1, the cycle counter and the instruction counter are disabled' "$tmp/err"
check 'never enabled' grep -q '^  never enabled: .*PMCCNTR_EL0' "$tmp/err"

for el in 1 2 3; do
    run --el $el --features PMUv3p9,FEAT_PMUv3_ICNTR --counters 8 --trace "$tmp/trace" --wave "$tmp/wave" "$tmp/run.elf"
    check "EL$el: exit status" test $status = 5
    check "EL$el: a value" test "$(counter PMEVCNTR0_EL0 3)" = 4015
    check "EL$el: eight counters and ICNTR" grep -q 'never enabled: .*PMEVCNTR7_EL0.*PMICNTR_EL0' "$tmp/err"
    "$B/test/replay" "$tmp/trace" >"$tmp/replayed" 2>&1
    check "EL$el: the trace replays" grep -q ': 1 traces, [0-9]* actions, 0 mismatches' "$tmp/replayed"
    python3 test/qemu/system/vcd.py "$tmp/wave" >"$tmp/values" 2>"$tmp/err"
    check "EL$el: the wave is a Value Change Dump" test -s "$tmp/values"
    check "EL$el: counter 0 in the wave" grep -q '^cpu0.PMEVCNTR0_EL0 4015$' "$tmp/values"
    check "EL$el: the level in the wave" grep -q "^cpu0.EL $el$" "$tmp/values"
    check "EL$el: the overflow in the wave" grep -q '^cpu0.PMOVSSET_EL0 4$' "$tmp/values"
done
# The page: under -icount a cycle is a nanosecond, so the time without PMCR_EL0.E is that of the report.
printf '@TITLE@\n@DATA@' >"$tmp/page.html"
ARMPMU_LIBDIR=$tmp run --html "$tmp/page" "$tmp/run.elf"
check 'the page: exit status' test $status = 5
disabled=$(awk '$1 == "PMEVCNTR0_EL0" { mine = 1 } $1 == "PMEVCNTR1_EL0" { mine = 0 }
    mine && $1 ~ /^[0-9]+$/ && /PMCR_EL0.E is 0/ { n += $1 } END { print n }' "$tmp/err")
python3 -c '
import base64, gzip, json, sys
data = json.loads(gzip.decompress(base64.b64decode(open(sys.argv[1]).read().split("\n", 1)[1])))["run"]
counter = next(c for c in data["cpus"][0]["counters"] if c["name"] == "PMEVCNTR0_EL0")
still = [row["ns"] for row in counter["still"] if data["causes"][row["cause"]].startswith("PMCR_EL0.E is 0")]
print(counter["name"], counter["value"]["values"][-1], *still)' "$tmp/page" >"$tmp/out"
check 'the page: a value, and the time for which it stood still' \
    test "$(cat "$tmp/out")" = "PMEVCNTR0_EL0 4015 $disabled"
# The timeline says the same.
if why=$(find_trace_processor); then
    find_trace_processor
    run --to perfetto -o "$tmp/timeline" "$tmp/run.elf"
    check 'the timeline: exit status' test $status = 5
    query 'the timeline' "$tmp/timeline" 'SELECT MAX(c.value) FROM counter c JOIN track t ON c.track_id = t.id
            WHERE t.name GLOB "PMEVCNTR0_EL0*"' \
        'SELECT SUM(s.dur) FROM slice s JOIN track t ON s.track_id = t.id JOIN track p ON t.parent_id = p.id
            WHERE p.name = "PMEVCNTR0_EL0 stands still" AND s.name GLOB "PMCR_EL0.E is 0*"' \
        'SELECT COUNT(*) > 0 FROM slice WHERE name = "PMUIRQ"'
    has_rows 'the timeline: a value, the time for which it stood still, and an interrupt' "[[4015]]
[[$disabled]]
[[1]]"
else
    skip 'the timeline' "$why"
fi
# GTKWave's own reader and writer read the same changes as vcd.py.
if command -v vcd2fst >/dev/null && command -v fst2vcd >/dev/null; then
    python3 test/qemu/system/vcd.py --changes "$tmp/wave" >"$tmp/ours"
    vcd2fst "$tmp/wave" "$tmp/wave.fst" && fst2vcd "$tmp/wave.fst" >"$tmp/wave.back"
    python3 test/qemu/system/vcd.py --changes "$tmp/wave.back" >"$tmp/theirs"
    check 'GTKWave reads every change' cmp "$tmp/ours" "$tmp/theirs"
    check 'GTKWave reads some changes' grep -q ' cpu0.PMUIRQ 1$' "$tmp/theirs"
else
    skip GTKWave "no vcd2fst (gtkwave)"
fi

run --limit 3000 "$tmp/run.elf"
check 'a limit ends it' test $status = 0
check 'a limit: exactly' grep -q '^CPU 0: 3000 instructions' "$tmp/err"
check 'a limit: it says so' grep -q '^ended by --limit$' "$tmp/err"

run --trace "$tmp/smp" --wave "$tmp/wave" -- -M virt -cpu max -smp 4 -icount shift=0 -nic none -display none \
    -monitor none -serial none -semihosting-config enable=on,target=native -kernel "$tmp/four.elf"
check 'arguments of the emulator' test $status = 0
check 'four CPUs' test "$(grep -c '^CPU [0-3]:' "$tmp/err")" = 4
for n in '' .1 .2 .3; do
    "$B/test/replay" "$tmp/smp$n" >"$tmp/replayed" 2>&1
    check "the trace ${n:-.0} of four replays" grep -q ', 0 mismatches' "$tmp/replayed"
done
python3 test/qemu/system/vcd.py "$tmp/wave" >"$tmp/values" 2>"$tmp/err"
check 'the wave of four CPUs' grep -q '^cpu3.PMEVCNTR0_EL0 16001$' "$tmp/values"

if command -v arm-linux-gnueabi-gcc >/dev/null; then
    arm-linux-gnueabi-gcc -std=c11 -Wall -Wextra -Werror -Iinclude -O2 -ffreestanding -nostdlib -static \
        -mcpu=arm1176jz-s -marm -mfloat-abi=soft -fno-pic -no-pie -Wl,--build-id=none \
        -Wl,-z,max-page-size=4096,--no-warn-rwx-segments \
        -T $here/arm11.ld $here/arm11_start.S $here/run11.c -o "$tmp/run11.elf" || exit 1
    for cpu in arm1136 arm1176; do
        run --cpu $cpu --trace "$tmp/trace" --wave "$tmp/wave" "$tmp/run11.elf"
        check "$cpu: the exit status" test $status = 5
        for n in 'PMN0 2204' 'CCNT 2205' 'PMN1 0'; do
            check "$cpu: the value of ${n% *}" test "$(counter "${n% *}" 3)" = "${n#* }"
            check "$cpu: how long ${n% *} counted" test "$(counter "${n% *}" 4)" = 2205
        done
        check "$cpu: how long it stood still" test "$(counter PMN0 5)" -gt 1000
        check "$cpu: the reason" grep -q '  PMNC.E is 0: all three counters are disabled' "$tmp/err"
        check "$cpu: the events that it counted, though PMNC has others at the end" \
            test "$(counter PMN0 2) $(counter PMN1 2) $(counter CCNT 2)" = 'INSTR_EXEC BR_EXEC cycles'
        check "$cpu: an event that never occurs" \
            sh -c "sed -n '/^  PMN1/,/^  CCNT/p' $tmp/err | grep -q 'never occurs on'"
        "$B/test/replay" "$tmp/trace" >"$tmp/replayed" 2>&1
        check "$cpu: the trace replays" grep -q ': 1 traces, [0-9]* actions, 0 mismatches' "$tmp/replayed"
        check "$cpu: User mode in the trace" grep -q '^r arm11 PMN0 -> undef$' "$tmp/trace"
        check "$cpu: what the core lends in the trace" grep -q '^pe user=0x1' "$tmp/trace"
        "$B/armpmu" why -v "$tmp/trace" >"$tmp/out" 2>&1
        check "$cpu: armpmu why of the trace" grep -q 'PMNC.E is 0' "$tmp/out"
        python3 test/qemu/system/vcd.py "$tmp/wave" >"$tmp/values" 2>"$tmp/err"
        for n in 'PMN0 2204' 'CCNT 2205' 'nPMUIRQ 0' 'PMNC_E 0' 'User 0'; do
            check "$cpu: ${n% *} in the wave" grep -q "^cpu0.$n$" "$tmp/values"
        done
        run --cpu $cpu --limit 300 "$tmp/run11.elf"
        check "$cpu: a limit" grep -q '^CPU 0: 300 instructions' "$tmp/err"
    done
    run -- -M versatilepb -cpu arm1176 -nic none -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel "$tmp/run11.elf"
    check 'ARM11 without -icount' test "$(counter PMN0 3) $(counter PMN0 4)" = '2204 2205'
else
    skip ARM11 'no arm-linux-gnueabi-gcc'
fi

run --trace "$tmp/no/trace" "$tmp/run.elf"
check 'a trace that cannot be written' grep -q "$tmp/no/trace" "$tmp/err"
check 'a trace that cannot be written: status' test $status = 3
for output in trace wave; do
    for place in "$tmp" /dev/full; do
        run --$output "$place" "$tmp/run.elf"
        check "--$output: what cannot be written is named: ${place#"$tmp"}" \
            grep -q "$place: cannot be written: " "$tmp/err"
        check "--$output: its status: ${place#"$tmp"}" test $status = 3
    done
done
run --cpu nosuch "$tmp/run.elf"
check 'a CPU that does not exist' test $status = 3
run --features PMUv3p9,SEBEP "$tmp/run.elf"
check 'a feature that the emulator cannot have' grep -q 'pmu-features' "$tmp/err"

# --save, and lists of jobs.
run --save "$tmp/saved.json" "$tmp/run.elf"
check '--save: the counters, as the table has them' \
    test "$(counter PMEVCNTR0_EL0 3)" = \
        "$(sed -n '/PMEVCNTR0_EL0/,/value/s/.*"value": \([0-9]*\).*/\1/p' "$tmp/saved.json")"
run --save "$tmp/no/such" "$tmp/run.elf"
check '--save: what cannot be written is named' grep -q "no/such: cannot be written" "$tmp/err"
printf 'one\t%s/run.elf\nnone\t%s/none\ntwo\t--counters 4 %s/run.elf\n' "$tmp" "$tmp" "$tmp" >"$tmp/list"
run --jobs "$tmp/list" -P 2 --csv "$tmp/csv" -o "$tmp/rows"
check '--jobs: one job fails' test $status = 1
check '--jobs: a row for each, in their order' \
    test "$(sed 's/^{"job":"\([a-z]*\)".*/\1/' "$tmp/rows" | xargs)" = 'one none two'
check '--jobs: a job that failed has its cause' grep -q '"job":"none".*"cause":"armpmu run: .*none: ' "$tmp/rows"
check '--jobs: the options of one job' test "$(grep -c '^"two".*PMEVCNTR' "$tmp/csv")" = 4
run -o "$tmp/rows" "$tmp/run.elf"
check '-o without jobs' test $status = 2
summary
