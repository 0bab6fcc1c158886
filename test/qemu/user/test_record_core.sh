#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Records events of a modelled core, and samples of them.  The counts of all instructions add up to what stat counts,
# those of each instruction are what a plain model counts that is told the trace of a plugin, and costs of a call are
# those of the function that caused them.  Every table and format says that the counts are modelled.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
QEMU_RESERVED_VA=0x1000000000 QEMU_CPU=max,sve=off
export QEMU_RESERVED_VA QEMU_CPU
armpmu=$B/armpmu

# The emulators: the one of this test, and the one that `make qemu-user` builds, if that is another.
emulators=$QEMU
built=$B/qemu/armpmu-qemu-aarch64
[ ! -x "$built" ] || [ "$built" = "$QEMU" ] || emulators="$QEMU $built"

some=CPU_CYCLES,STALL,STALL_SLOT,STALL_FRONTEND,STALL_BACKEND,STALL_BACKEND_MEM,OP_SPEC,OP_RETIRED,BR_PRED
some=$some,BR_MIS_PRED_RETIRED,L1D_CACHE,L1D_CACHE_REFILL,L1D_CACHE_WB,L1I_CACHE,L1I_CACHE_REFILL,L1I_TLB,L1D_TLB
some=$some,L1D_TLB_REFILL,L2D_CACHE,L2D_CACHE_REFILL,MEM_ACCESS_RD,DTLB_WALK,MEM_ACCESS_RD_PERCYC,BUS_ACCESS

. test/qemu/user/record.sh

# Compares the sums of $tmp/rows with stat's counts of the same program.
check_sums() { # NAME OPTION... -- PROGRAM...
    name=$1
    shift
    env --default-signal "$armpmu" stat -x, -o "$tmp/stat" -e "$events" "$@" >"$tmp/stdout.stat" 2>"$tmp/stderr.stat"
    awk -F, '$3 != "" && !/^#/ { print $3, $1 }' "$tmp/stat" >"$tmp/stat.sums"
    sums >"$tmp/sums"
    if [ ! -s "$tmp/sums" ] || ! awk '$2 > 0 { found = 1 } END { exit !found }' "$tmp/sums"; then
        not_ok "$name: adds up to stat's counts" "nothing was recorded: $(cat "$tmp/stderr" "$tmp/dump.err")"
    else
        expect "$(cmp -s "$tmp/sums" "$tmp/stat.sums"; echo $?)" "$name: adds up to stat's counts" \
            "$(diff "$tmp/sums" "$tmp/stat.sums" | head -n 4 | tr '\n' ' ')"
    fi
}

for ARMPMU_QEMU in $emulators; do
    export ARMPMU_QEMU
    version=$("$ARMPMU_QEMU" --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')

    # Each instruction, against the plain model.
    events=$some
    for program in loop chase calls alternate late; do
        "$QEMU" -plugin "$B/test/trace_plugin.so,out=$tmp/trace" "$B/test/asm/$program"
        for core in cortex-a53 cortex-a72 neoverse-n1; do
            "$B/test/simulate" $core "$events" <"$tmp/trace" |
                awk '{ n = 0; for (i = 2; i <= NF; i++) n += $i } n > 0' | sort >"$tmp/plain"
            record --core $core -- "$B/test/asm/$program"
            awk '$1 == "code" { printf "%s", $5; for (i = 8; i <= NF; i++) printf " %s", $i; print "" }' \
                "$tmp/rows" | sort >"$tmp/each"
            expect "$([ -s "$tmp/plain" ] && cmp -s "$tmp/plain" "$tmp/each"; echo $?)" \
                "record --core $version: $program, each of $(wc -l <"$tmp/plain") instructions on $core" \
                "$(diff "$tmp/plain" "$tmp/each" | head -n 4 | tr '\n' ' ') $(head -n 2 "$tmp/stderr")"
        done
    done

    # Samples, at each instruction and in sum.
    events=CPU_CYCLES,L1D_CACHE_REFILL,BR_MIS_PRED_RETIRED,OP_RETIRED,MEM_ACCESS_RD
    for program in chase calls late; do
        "$QEMU" -plugin "$B/test/trace_plugin.so,out=$tmp/trace" "$B/test/asm/$program"
        "$B/test/simulate" cortex-a72 "$events" <"$tmp/trace" |
            awk '{ for (i = 2; i <= NF; i++) sum[i] += $i } END { for (i = 2; i <= NF; i++) print sum[i] }' \
                >"$tmp/exact"
        for period in 1 7 1000; do
            "$B/test/simulate" cortex-a72 "$events" $period <"$tmp/trace" |
                awk '{ n = 0; for (i = 2; i <= NF; i++) n += $i } n > 0' | sort >"$tmp/plain"
            record -c $period --core cortex-a72 -- "$B/test/asm/$program"
            awk '$1 == "code" { printf "%s", $5; for (i = 8; i <= NF; i++) printf " %s", $i; print "" }' \
                "$tmp/rows" | sort >"$tmp/each"
            sums | awk '{ print $2 }' | paste - "$tmp/exact" >"$tmp/sums"
            wrong=$(awk -v n=$period '$1 % n || $2 < $1 || $2 - $1 > n + 1 { print }' "$tmp/sums")
            expect "$([ -s "$tmp/plain" ] && cmp -s "$tmp/plain" "$tmp/each" && [ -z "$wrong" ]; echo $?)" \
                "record -c $period $version: $program, samples at each instruction" \
                "$wrong $(diff "$tmp/plain" "$tmp/each" | head -n 4 | tr '\n' ' ') $(head -n 2 "$tmp/stderr")"
        done
    done

    # Sums, also of programs with pairs, faults, signals and processes, and of their call graphs: record compares them.
    for program in edge pairs simd segv signal exclusives exec fork rewritten; do
        record --core cortex-a72 --call-graph --deterministic -- "$B/test/asm/$program"
        check_sums "record --core $version: $program" --core cortex-a72 --deterministic -- "$B/test/asm/$program"
    done
done
ARMPMU_QEMU=$QEMU

# All events that a model counts, as many at a time as can be recorded.
"$armpmu" list --core A72 modelled | awk '{ print $2 }' >"$tmp/all"
split -l 32 "$tmp/all" "$tmp/some."
for part in "$tmp"/some.*; do
    events=$(tr '\n' , <"$part" | sed 's/,$//')
    record --core cortex-a72 --deterministic -- "$B/test/c/process-static"
    check_sums "record --core: ${events%%,*} and $(($(wc -l <"$part") - 1)) more" --core cortex-a72 --deterministic -- \
        "$B/test/c/process-static"
done

# Of a list that L1D cannot hold, each load misses, and each store of the loop that makes it.
events=L1D_CACHE_REFILL,INST_RETIRED
record --core cortex-a72 -- "$B/test/asm/chase"
got=$(awk '$1 == "code" && $8 > 0 { printf "%s %s %s; ", $6, $8, $9 }' "$tmp/rows")
expect "$([ "$got" = 'f8040424 1024 1024; f9400000 10240 10240; ' ]; echo $?)" \
    'record --core: the misses are at the load and the store that miss' "$got"

# What a load waits for after the return of its function belongs to the function.
events=STALL_BACKEND_MEM,CPU_CYCLES
record --core cortex-a72 --call-graph -- "$B/test/asm/late"
"$armpmu" report -x, "$tmp/data" >"$tmp/report" 2>"$tmp/stderr"
got=$(awk -F, '/^STALL/ && $2 > 0 { printf "%s %s ", $6, $2 == $4 } /^CPU/ && $6 == "fetch" { printf "%s", $2 == $4 }' \
    "$tmp/report")
expect "$([ "$got" = 'fetch 1 1' ]; echo $?)" 'record --core: stalls belong to the function whose load misses' \
    "$got: $(head -n 4 "$tmp/report")"

# Every table and format says that the counts are modelled.
for command in "report" "report -j" "report -x," "report -g" "report -g -j" "annotate -i" "annotate -j" "diff"; do
    set -- $command
    verb=$1
    shift
    case $verb in
    report) set -- "$@" "$tmp/data" ;;
    annotate) set -- "$@" "$tmp/data" fetch ;;
    diff) set -- "$tmp/data" "$tmp/data" ;;
    esac
    [ "$verb" != annotate ] || [ "$1" != -i ] || set -- -i "$tmp/data" fetch
    [ "$verb" != annotate ] || [ "$1" != -j ] || set -- -j -i "$tmp/data" fetch
    "$armpmu" "$verb" "$@" >"$tmp/out" 2>"$tmp/stderr"
    expect "$(grep -q 'CPU_CYCLES.*modelled:cortex-a72' "$tmp/out"; echo $?)" "$command: says what is modelled" \
        "$(head -n 3 "$tmp/out") $(head -n 2 "$tmp/stderr")"
done
for format in callgrind perf-data pprof speedscope firefox perfetto perf-script; do
    "$armpmu" report --to $format -o "$tmp/out" "$tmp/data" 2>"$tmp/stderr"
    { gzip -dc "$tmp/out" 2>/dev/null || cat "$tmp/out"; } >"$tmp/plain"
    expect "$(grep -aq 'CPU_CYCLES.*modelled:cortex-a72' "$tmp/plain"; echo $?)" "--to $format: says what is modelled" \
        "$(head -n 2 "$tmp/stderr")"
done

# Threads have their own counts; a killed program keeps those that it had.
events=L1D_CACHE_RD,MEM_ACCESS_WR,LD_RETIRED,ST_RETIRED,CPU_CYCLES
record --core cortex-a72 --call-graph -- "$B/test/asm/threads"
wrong=$(sums | awk '{ sum[$1] = $2 } END {
    if (sum["CPU_CYCLES"] == 0 || sum["L1D_CACHE_RD"] != sum["LD_RETIRED"] || sum["MEM_ACCESS_WR"] != sum["ST_RETIRED"])
        print "wrong" }')
rows=$(awk '$1 == "code" { print $3 }' "$tmp/rows" | sort -u | wc -l)
expect "$([ -z "$wrong" ] && [ "$rows" -gt 1 ]; echo $?)" 'record --core: threads' \
    "$(sums | tr '\n' ' ') in $rows threads; $(cat "$tmp/stderr")"
record --core cortex-a72 -- "$B/test/asm/killed"
expect "$(sums | grep -q '^CPU_CYCLES [1-9]'; echo $?)" 'record --core: a killed program' "$(cat "$tmp/stderr")"

# What the emulator does in functions of its own: each sample is behind the instruction that made the access.
if [ -x "$built" ]; then
    "${CROSS}gcc" -nostdlib -static -o "$tmp/own" test/qemu/user/own.S || exit 1
    events=L1D_CACHE,L1D_CACHE_REFILL
    ARMPMU_QEMU=$built QEMU_CPU=max record --core cortex-a72 -- "$tmp/own"
    awk '$1 == "code" { print $5, $8, $9 }' "$tmp/rows" | while read -r address counts; do
        echo "$(printf %x $((0x$address + 4))) $counts"
    done | sort >"$tmp/own.exact"
    ARMPMU_QEMU=$built QEMU_CPU=max record -c 1 --core cortex-a72 -- "$tmp/own"
    awk '$1 == "code" { print $5, $8, $9 }' "$tmp/rows" | sort >"$tmp/own.samples"
    expect "$([ "$(wc -l <"$tmp/own.exact")" -eq 11 ] && cmp -s "$tmp/own.exact" "$tmp/own.samples"; echo $?)" \
        'record -c 1: accesses in functions of the emulator' \
        "$(diff "$tmp/own.exact" "$tmp/own.samples" | head -n 4 | tr '\n' ' ') $(head -n 2 "$tmp/stderr")"
else
    skip 'record -c 1: accesses in functions of the emulator' "no $built: make qemu-user"
fi

# A32 and T32.
arm=$B/qemu/armpmu-qemu-arm
if [ -x "$arm" ] && command -v "${CROSS32}gcc" >/dev/null; then
    export ARMPMU_QEMU_ARM=$arm QEMU_CPU=max
    for source in test/qemu/user/asm32/[!t]*.S; do # not the threads, whose order in the L2 that they share differs
        program=$tmp/$(basename "$source" .S)
        "${CROSS32}gcc" -nostdlib -static "$source" -o "$program" ||
            { not_ok "record --core: ${source##*/}" "it does not build"; continue; }
        record --core cortex-a7 --call-graph --deterministic -- "$program"
        check_sums "record --core: $(basename "$source")" --core cortex-a7 --deterministic -- "$program"
    done

    # ARM11's own events: the calls are at BL, the returns at BX, and the misses at the loads.
    unset QEMU_RESERVED_VA
    "${CROSS32}gcc" -nostdlib -static -march=armv6 -mfloat-abi=soft -o "$tmp/arm11" test/qemu/user/arm11.S || exit 1
    events=INSTR_EXEC,PROC_CALL_EXEC,PROC_RET_EXEC,DCACHE_MISS,CPU_CYCLES
    record --core arm1176 --call-graph -- "$tmp/arm11"
    check_sums 'record --core: arm1176' --core arm1176 -- "$tmp/arm11"
    got=$(awk '$1 == "code" && $9 + $10 + $11 > 1 { printf "%s %s; ", $6, $9 " " $10 " " $11 }' "$tmp/rows")
    expect "$([ "$got" = 'eb00000a 1000 0 0; e4940020 0 0 1000; e894036f 0 0 2; e12fff1e 0 1000 0; ' ]; echo $?)" \
        'record --core: arm1176, the instructions that cause the events' "$got"
else
    skip 'record --core: A32' "no $arm, or no ${CROSS32}gcc"
fi

# Samples of what every core counts need no core; they are counted thread by thread, and each format has them.
events=INST_RETIRED
record -c 100 -- "$B/test/asm/threads"
wrong=$(awk '$1 == "code" && $8 % 100 { print }' "$tmp/rows")
"$armpmu" report "$tmp/data" >"$tmp/report" 2>"$tmp/stderr"
expect "$([ -z "$wrong" ] && [ "$(awk '$1 == "code" { print $3 }' "$tmp/rows" | sort -u | wc -l)" -gt 1 ] &&
          grep -qx '# [0-9,]*00 INST_RETIRED, a sample each 100' "$tmp/report"; echo $?)" 'record -c: threads' \
    "$wrong $(head -n 3 "$tmp/report") $(cat "$tmp/stderr")"
sum=$(sums | awk '{ print $2 }')
for format in callgrind perf-data pprof collapsed speedscope firefox perfetto perf-script; do
    "$armpmu" report --to $format -o "$tmp/out" "$tmp/data" 2>"$tmp/stderr"
    expect "$([ $? -eq 0 ] && [ -s "$tmp/out" ]; echo $?)" "record -c: --to $format" \
        "$(head -n 2 "$tmp/stderr")"
done
"$armpmu" report --to collapsed -o "$tmp/out" "$tmp/data"
got=$(awk '{ sum += $NF } END { print sum }' "$tmp/out")
expect "$([ "$got" = "$sum" ]; echo $?)" 'record -c: the sum in a format' "$got, not $sum"

# With a frequency there are about as many samples in a modelled second, whatever the clock; two runs take the same.
# As in Linux, a period that adapts may stay 7 too long.
events=CPU_CYCLES,INST_RETIRED
record --core cortex-a72 -- "$B/test/asm/chase"
sums >"$tmp/exact"
for period in 1500:1.5GHz 500:500MHz 500:500000000; do
    record -F 1000000 --clock "${period#*:}" --core cortex-a72 -- "$B/test/asm/chase"
    sums | paste -d ' ' - "$tmp/exact" >"$tmp/sums"
    "$armpmu" report "$tmp/data" >"$tmp/report" 2>"$tmp/stderr"
    wrong=$(awk -v period="${period%%:*}" '
        NR == FNR { sum[$1] = $2; if ($2 > $4 || $2 < $4 * .98) print $0; exact[$1] = $4; next }
        $NF == "second" && match($0, /[A-Z_]+/) {
            event = substr($0, RSTART, RLENGTH)
            match($0, /each [0-9]+/)
            mean = substr($0, RSTART + 5, RLENGTH - 5)
            wanted = exact["CPU_CYCLES"] / period # samples; those of the beginning come besides
            if (sum[event] / mean < wanted * .8 || sum[event] / mean > wanted * 1.2) print
            found++
        }
        END { if (found != 2) print "only", found + 0, "events" }' "$tmp/sums" "$tmp/report")
    expect "$([ -z "$wrong" ]; echo $?)" "record -F: as many samples at ${period#*:}" "$wrong $(cat "$tmp/stderr")"
done
grep '^code' "$tmp/rows" >"$tmp/first"
record -F 1000000 --clock 0.5GHz --core cortex-a72 -- "$B/test/asm/chase"
grep '^code' "$tmp/rows" >"$tmp/second"
expect "$([ -s "$tmp/first" ] && cmp -s "$tmp/first" "$tmp/second"; echo $?)" 'record -F: two runs are equal' \
    "$(diff "$tmp/first" "$tmp/second" | head -n 4 | tr '\n' ' ')"
record -F 1000000 --clock 1GHz --core cortex-a72 -- "$B/test/asm/threads"
expect "$([ $status -eq 0 ] && [ "$(awk '$1 == "code" { print $3 }' "$tmp/rows" | sort -u | wc -l)" -gt 1 ]; echo $?)" \
    'record -F: threads' "$(cat "$tmp/stderr")"

# What cannot be done.
for refused in 'L1D_CACHE:name one, such as --core cortex-a72' 'LD_RETIRED:no samples of it are taken'; do
    events=${refused%%:*}
    record -c 100 -- "$B/test/asm/loop"
    expect "$([ $status -ne 0 ] && grep -q -- "${refused#*:}" "$tmp/stderr"; echo $?)" "record -c: no $events" \
        "status $status: $(cat "$tmp/stderr")"
done
events=INST_RETIRED
for count in 0 x 1x 99999999999999999999; do
    record -c $count -- "$B/test/asm/loop"
    expect "$([ $status -eq 2 ] && grep -q 'no number of occurrences' "$tmp/stderr"; echo $?)" "record -c $count" \
        "status $status: $(cat "$tmp/stderr")"
done
while read -r words; do
    # shellcheck disable=SC2086 # words
    record ${words%%:*} -- "$B/test/asm/loop"
    expect "$([ $status -eq 2 ] && grep -q -- "${words#*:}" "$tmp/stderr"; echo $?)" "record ${words%%:*}: refused" \
        "status $status: $(cat "$tmp/stderr")"
done <<REFUSED
-F 1000:name a core and its clock
-F 1000 --core cortex-a72:name a core and its clock
-F 1000 --clock 1GHz:name a core and its clock
-F 0 --core cortex-a72 --clock 1GHz:no number of samples
-F 10 --core cortex-a72 --clock 1XHz:no clock from 1 Hz
-F 2000 --core cortex-a72 --clock 1kHz:more samples than cycles
-F 10 -c 10 --core cortex-a72 --clock 1GHz:give one of the two
--core cortex-a72 --clock 1GHz:there is no -F
REFUSED
record -c 100 --call-graph -- "$B/test/asm/loop"
expect "$([ $status -eq 2 ] && grep -q 'samples of an emulated program have no call graph' "$tmp/stderr"; echo $?)" \
    'record -c: no call graph' "status $status: $(cat "$tmp/stderr")"
events=$(head -n 33 "$tmp/all" | tr '\n' , | sed 's/,$//')
record --core cortex-a72 -- "$B/test/asm/loop"
expect "$([ $status -eq 2 ] && grep -q 'record 32 or fewer' "$tmp/stderr"; echo $?)" \
    'record --core: more events than can be recorded' "status $status: $(cat "$tmp/stderr")"
events=$(head -n 17 "$tmp/all" | tr '\n' , | sed 's/,$//')
record -F 1000 --clock 1GHz --core cortex-a72 -- "$B/test/asm/loop"
expect "$([ $status -eq 2 ] && grep -q 'record 16 or fewer' "$tmp/stderr"; echo $?)" \
    'record -F: more events than have samples at a frequency' "status $status: $(cat "$tmp/stderr")"
summary
