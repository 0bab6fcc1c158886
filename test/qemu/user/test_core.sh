#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts programs with a modelled core: what it is told agrees with the exact counts, also in threads, at signals,
# faults and forks; programs whose misses follow from arithmetic; the same counts on each emulator, and for an event
# alone.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
QEMU_CPU=max
export QEMU_CPU ARMPMU_ENGINE=qemu-user

# The emulators: the one of this test, and the one that `make qemu-user` builds, if that is another.
emulators=$QEMU
built=$B/qemu/armpmu-qemu-aarch64
[ ! -x "$built" ] || [ "$built" = "$QEMU" ] || emulators="$QEMU $built"

# Passes NAME if the program's counts of what a core is told are the exact ones.
agrees() { # NAME
    wrong=$(awk '
        $1 == "core" { core[$2] = $3; next }
        { exact[$1] = $2 }
        function same(a, b) { if (a == "" || a != b) printf "%s, not %s; ", a, b }
        END {
            same(core["OP_RETIRED"], exact["INST_RETIRED"])
            same(core["BR_PRED"], exact["BR_RETIRED"])
            same(core["BR_RETURN_PRED_RETIRED"] + core["BR_RETURN_MIS_PRED_RETIRED"], exact["BR_RETURN_RETIRED"])
            same(core["MEM_ACCESS_RD"], exact["LD_RETIRED"])
            same(core["MEM_ACCESS_WR"], exact["ST_RETIRED"])
            same(core["L1D_CACHE"], exact["LD_RETIRED"] + exact["ST_RETIRED"])
        }' "$tmp/ours")
    expect "$([ -z "$wrong" ]; echo $?)" "$1" "$wrong"
}

for ARMPMU_QEMU in $emulators; do
    export ARMPMU_QEMU
    name=$("$ARMPMU_QEMU" --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')
    for program in loop calls blocks edge chase alternate exclusives pairs segv faulted signal timer threads \
        shared fork exec killed segv_threads many; do
        ours --core cortex-a72 -- "$B/test/asm/$program"
        case $program in
        pairs) ;; # it has a DC ZVA, which QEMU does not report, or in pieces
        *) agrees "core $name: $program is told as it is" ;;
        esac
        # What depends on the program's code alone: events of L1I, its TLB and the predictor.
        ours --core cortex-a72 --parts 81 -- "$B/test/asm/$program"
        sed -n 's/^core //p' "$tmp/ours" >>"$tmp/code.$name.$program"
    done
done
# Not threads: whether one takes over the core of another that ended depends on their speed.
for program in loop calls blocks edge chase alternate exclusives pairs segv faulted signal fork exec killed many; do
    set -- "$tmp"/code.*."$program"
    [ $# -gt 1 ] || continue
    expect "$(grep -q ' [1-9]' "$1" && cmp -s "$1" "$2"; echo $?)" "core: $program, code on both emulators" \
        "$(diff "$1" "$2" | head -n 4 | tr '\n' ' ')"
done

# What code and short cuts answer is the same with a call for each access, which bit 256 of --parts asks for.  These
# programs have the same addresses each time.
for ARMPMU_QEMU in $emulators; do
    export ARMPMU_QEMU
    name=$("$ARMPMU_QEMU" --version | sed -n 's/.* version \([0-9]*\.[0-9]*\).*/\1/p')
    for program in loop calls edge chase pairs simd segv faulted signal exclusives; do
        wrong=
        for core in cortex-a72:6 cortex-a72:38 cortex-a53:119 neoverse-n1:255 cortex-a72:255; do
            for parts in ${core#*:} $((${core#*:} + 256)); do
                ours --core "${core%:*}" --parts "$parts" -- "$B/test/asm/$program"
                grep '^core ' "$tmp/ours" >"$tmp/parts.$parts"
            done
            [ -s "$tmp/parts.$parts" ] && cmp -s "$tmp/parts.${core#*:}" "$tmp/parts.$parts" || wrong="$wrong $core"
        done
        expect "$([ -z "$wrong" ]; echo $?)" "core $name: $program, short cuts change nothing" "$wrong"
    done
done

# Prints "EVENT=COUNT " for each event.
stat() { # EVENTS OPTIONS... PROGRAM
    chosen=$1
    shift
    "$B/armpmu" stat -x, -o "$tmp/fields" -e "$chosen" "$@" 2>"$tmp/stderr"
    sed '/^#/d;/^$/d' "$tmp/fields" | awk -F, '{ printf "%s=%s ", $3, $1 }'
}

# Passes NAME if the counts are those EXPECTED.
counts() { # NAME EXPECTED EVENTS OPTIONS... PROGRAM
    what=$1 expected=$2
    shift 2
    got=$(stat "$@")
    expect "$([ "$got" = "$expected" ]; echo $?)" "$what" "$got, not $expected; $(cat "$tmp/stderr")"
}

# Runs PROGRAM on the core that the words KEY=VALUE make out of a Cortex-A72.
file() { # KEY=VALUE...
    { echo 'core cortex-a72'; echo 'name mine'; for word; do echo "${word%=*} ${word#*=}"; done; } >"$tmp/core"
}

# What QEMU does in functions of its own: a load or store for each element of a vector, and for each piece of 64 bytes,
# in one page of what is read and of what is written.  DC ZVA writes 512 bytes.
if [ -x "$built" ]; then
    ARMPMU_QEMU=$built
    "${CROSS}gcc" -nostdlib -static -o "$tmp/own" test/qemu/user/own.S || exit 1
    counts "core: elements of vectors, and pieces" "L1D_CACHE_RD=312 L1D_CACHE_WR=400 " L1D_CACHE_RD,L1D_CACHE_WR \
        --core cortex-a72 -- "$tmp/own"
else
    skip "core: elements of vectors, and pieces" "no $built: make qemu-user"
fi

ARMPMU_QEMU=$QEMU
# 512 lines of 64 bytes, LRU: going around 1024 lines always misses; L2 has them all after the stores.
counts 'core: a list that is larger than L1D' \
    'L1D_CACHE=11264 L1D_CACHE_REFILL_RD=10240 L1D_CACHE_REFILL_WR=1024 L1D_CACHE_WB=1024 L2D_CACHE_REFILL_WR=1024 ' \
    L1D_CACHE,L1D_CACHE_REFILL_RD,L1D_CACHE_REFILL_WR,L1D_CACHE_WB,L2D_CACHE_REFILL_WR \
    --core cortex-a72 -- "$B/test/asm/chase"
file l1d.size=64K
counts 'core: a list that fits into L1D' 'L1D_CACHE_REFILL_RD=0 L1D_CACHE_REFILL_WR=1024 L1D_CACHE_WB=0 ' \
    L1D_CACHE_REFILL_RD,L1D_CACHE_REFILL_WR,L1D_CACHE_WB --core-file "$tmp/core" -- "$B/test/asm/chase"
# 16 pages, always in the same order: with 8 entries and LRU each page misses again each time around.
file dtlb.entries=8
counts 'core: a list in more pages than the TLB has' 'L1D_TLB_REFILL_RD=160 L1D_TLB_REFILL_WR=16 DTLB_WALK=16 ' \
    L1D_TLB_REFILL_RD,L1D_TLB_REFILL_WR,DTLB_WALK --core-file "$tmp/core" -- "$B/test/asm/chase"
# A load depends on the one before it, so a step takes the latency of L2.
for latency in 15 40 90; do
    file l2.latency=$latency memory.latency=200
    cycles=$(stat CPU_CYCLES,L1D_CACHE_REFILL_RD --core-file "$tmp/core" -- "$B/test/asm/chase" |
        sed 's/CPU_CYCLES=\([0-9]*\) L1D_CACHE_REFILL_RD=.*/\1/')
    # The stores come first: their part is what the program takes with a list that needs no time.
    base=$(file l2.latency=$latency memory.latency=200 l1d.size=64K
           stat CPU_CYCLES --core-file "$tmp/core" -- "$B/test/asm/chase" | sed 's/[^0-9]//g')
    awk -v c="$cycles" -v b="$base" -v n=$latency 'BEGIN {
        step = (c - b) / 10240 + 4 # the latency of L1D, which a step without misses takes
        exit !(step > n * .98 && step < n * 1.02)
    }'
    expect $? "core: a step from L2 takes $latency cycles" "$cycles, without misses $base"
done
# A counter of two bits that begins at 1 is always wrong about an alternating branch, whose first outcome is "taken".
# The branch of the loop is wrong at its begin and at its end.  The return stack is always right.
file branch.direction=bimodal btb.entries=0
counts 'core: an alternating branch, bimodal' \
    'BR_MIS_PRED_RETIRED=1002 BR_TAKEN_MIS_PRED_RETIRED=501 BR_RETURN_MIS_PRED_RETIRED=0 ' \
    BR_MIS_PRED_RETIRED,BR_TAKEN_MIS_PRED_RETIRED,BR_RETURN_MIS_PRED_RETIRED \
    --core-file "$tmp/core" -- "$B/test/asm/alternate"
file branch.direction=static
counts 'core: an alternating branch, static' 'BR_MIS_PRED_RETIRED=501 ' BR_MIS_PRED_RETIRED \
    --core-file "$tmp/core" -- "$B/test/asm/alternate"
got=$(stat BR_MIS_PRED_RETIRED --core cortex-a53 -- "$B/test/asm/alternate" | sed 's/[^0-9]//g')
expect "$([ "${got:-1000}" -lt 60 ]; echo $?)" 'core: an alternating branch, with history' "$got mispredictions"

# ARM11's own events, and the estimates of Application Note 195.  There are 16 KB of L1D; two literals are loaded, too.
arm11="${CROSS32}gcc"
if [ -x "$B/qemu/armpmu-qemu-arm" ] && command -v "$arm11" >/dev/null; then
    "$arm11" -nostdlib -static -march=armv6 -mfloat-abi=soft -o "$tmp/arm11" test/qemu/user/arm11.S || exit 1
    ARMPMU_QEMU=$B/qemu/armpmu-qemu-arm
    counts 'core: events of ARM1176' "INSTR_EXEC=7507 BR_EXEC=4000 SW_PC_CHANGE=3499 PROC_CALL_EXEC=1000 \
PROC_RET_EXEC=1000 PROC_RET_EXEC_PRED_INCORRECT=0 DCACHE_ACCESS=1004 DCACHE_MISS=1004 EXPL_D_ACCESS=1004 " \
        INSTR_EXEC,BR_EXEC,r0d,PROC_CALL_EXEC,proc_ret_exec,PROC_RET_EXEC_PRED_INCORRECT,0xA,DCACHE_MISS,EXPL_D_ACCESS \
        --core arm1176 -- "$tmp/arm11"
    "$B/armpmu" stat -x, -o "$tmp/fields" -M ipc,dcache_miss_ratio_estimate --core arm1176 -- "$tmp/arm11" 2>/dev/null
    expect "$(grep -q ',ratio  dcache_miss_ratio_estimate' "$tmp/fields" && grep -q ',per cycle  ipc' "$tmp/fields"
              echo $?)" 'core: estimates of Application Note 195' "$(grep -v '^#' "$tmp/fields" | tr '\n' ';')"
    got=$("$B/armpmu" stat -x, --core arm1176 -- "$tmp/arm11" 2>&1 >/dev/null | grep -c ',modelled:arm1176')
    expect "$([ "$got" -eq 19 ]; echo $?)" 'core: the usual events of ARM1176' "$got events"
    ARMPMU_QEMU=$QEMU
else
    skip 'core: events of ARM1176' "no $B/qemu/armpmu-qemu-arm or no $arm11: make qemu-user"
fi

# An event has the same value alone and with all others.
all=$("$B/armpmu" list --core A72 modelled | awk '{ printf "%s%s", s, $2; s = "," }')
for program in calls signal chase; do
    stat "$all" --core cortex-a72 -- "$B/test/asm/$program" | tr ' ' '\n' >"$tmp/together"
    wrong=
    for event in BR_MIS_PRED_RETIRED L1I_CACHE_REFILL L1I_TLB_REFILL L1D_CACHE_REFILL L1D_TLB_REFILL DTLB_WALK \
        L2D_CACHE_REFILL LL_CACHE_MISS_RD OP_RETIRED MEM_ACCESS_RW STALL_BACKEND CPU_CYCLES; do
        alone=$(stat $event --core cortex-a72 -- "$B/test/asm/$program")
        grep -qx "${alone% }" "$tmp/together" || wrong="$wrong $alone"
    done
    expect "$([ -s "$tmp/together" ] && [ -z "$wrong" ]; echo $?)" "core: $program, events alone" \
        "alone $wrong, together $(tr '\n' ' ' <"$tmp/together" | cut -c 1-300)"
done

# Readings while the program runs only grow, and their sum is the total; a killed program keeps its counts.
"$B/armpmu" stat -I 20 -x, --core cortex-a72 -e L1I_CACHE,CPU_CYCLES,BR_RETIRED,BR_PRED -o "$tmp/fields" \
    -- "$B/test/asm/timer"
wrong=$(sed '/^#/d;/^$/d' "$tmp/fields" | awk -F, '
    length($2) > 12 { printf "%s %s; ", $4, $2 }
    { sum[$4] += $2; n++ }
    END { if (n < 8 || sum["BR_RETIRED"] < 1000 || sum["BR_RETIRED"] != sum["BR_PRED"])
              printf "%d readings, %d branches, %d told", n, sum["BR_RETIRED"], sum["BR_PRED"] }')
expect "$([ -z "$wrong" ]; echo $?)" 'core: readings at intervals' "$wrong"
ours --core cortex-a72 --kill 300 -- "$B/test/c/process" wait
expect "$(grep -q '^core CPU_CYCLES [1-9]' "$tmp/ours"; echo $?)" 'core: a killed program' "$(head -n 3 "$tmp/ours")"

# More threads than cores: what is counted is right, and a remark says what is missing.
ours --core cortex-a72 -- "$B/test/asm/crowd"
expect "$(grep -q '^remark not modelled: threads for which there was no core' "$tmp/ours" &&
          grep -q '^core CPU_CYCLES [1-9]' "$tmp/ours"; echo $?)" 'core: more threads than cores' "$(cat "$tmp/ours")"

# What threads write to the same lines is not modelled: a remark says so where a cache of data is.
says() { # PATTERN OPTIONS... PROGRAM: 0 if a remark does
    pattern=$1
    shift
    ours --core cortex-a72 "$@" && grep -q "^core " "$tmp/ours" && grep -q "^remark $pattern" "$tmp/ours"
}
says 'not modelled: coherence .*c2c' -- "$B/test/asm/threads"
expect $? 'core: threads have no coherence' "$(grep '^remark' "$tmp/ours")"
! says 'not modelled: coherence' --parts 81 -- "$B/test/asm/threads"
expect $? 'core: coherence does not matter for code' "$(grep '^remark' "$tmp/ours")"
! says 'not modelled: coherence' -- "$B/test/asm/chase"
expect $? 'core: coherence does not matter for one thread' "$(grep '^remark' "$tmp/ours")"

# Calls are recorded where the user asks for it, a file for each process.
mkdir "$tmp/trace"
ARMPMU_CORE_TRACE=$tmp/trace ours --core cortex-a72 -- "$B/test/asm/fork"
expect "$([ "$(head -qc 8 "$tmp"/trace/core.*.0 | grep -c 'APMUCOREAPMUCORE')" = 1 ]; echo $?)" \
    'core: traces of two processes' "$(ls -l "$tmp/trace")"

# Where calls are recorded each branch is told at once.  Otherwise many are told at a time.
for program in calls edge alternate signal; do
    for parts in 119 255; do
        mkdir "$tmp/trace.$program.$parts"
        ARMPMU_CORE_TRACE=$tmp/trace.$program.$parts ours --core cortex-a72 --parts $parts -- "$B/test/asm/$program"
        grep '^core .*\(BR\|L1I\|LOST\|STALL\|CYCLES\)' "$tmp/ours" >"$tmp/recorded"
        ours --core cortex-a72 --parts $parts -- "$B/test/asm/$program"
        wrong=$(grep '^core .*\(BR\|L1I\|LOST\|STALL\|CYCLES\)' "$tmp/ours" | diff "$tmp/recorded" -)
        expect "$([ -s "$tmp/recorded" ] && [ -z "$wrong" ]; echo $?)" \
            "core: $program, parts $parts: recorded and not, the same counts" "$wrong"
    done
done
summary
