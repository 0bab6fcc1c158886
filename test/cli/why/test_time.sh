#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests that armpmu why takes at most 50 ms on a full dump, and a cure at most a second.  The shell's `times` measures
# processor time of its children, so other programs do not matter.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# full.txt has 31 counters and every register that decides; part.txt has registers of the PMU only.
{
    printf 'ID_AA64PFR0_EL1 = 0x0011001000001111\nID_AA64DFR0_EL1 = 0x1000010305909\nID_AA64DFR1_EL1 = 0x1000000000\n'
    printf 'ID_AA64MMFR0_EL1 = 0x200000000000000\nID_AA64MMFR1_EL1 = 0x100\nMIDR_EL1 = 0x410FD840\n'
    printf 'SCR_EL3 = 0x8000000008040501\nHCR_EL2 = 0x480000000\nMDCR_EL3 = 0x80\nMDCR_EL2 = 0x1F\nSDER32_EL3 = 0\n'
    printf 'HDFGRTR_EL2 = 0\nHDFGWTR_EL2 = 0\nHDFGRTR2_EL2 = 0xFF\nHDFGWTR2_EL2 = 0x2000FF\nPMUACR_EL1 = 0\n'
    printf 'PMCR_EL0 = 0xF840\nPMCNTENSET_EL0 = 0xFFFFFFFF\nPMOVSSET_EL0 = 0\nPMINTENSET_EL1 = 0\nPMUSERENR_EL0 = 0\n'
    printf 'PMCEID0_EL0 = 0x7FFFFFFF\nPMCEID1_EL0 = 0x7FFFFFFF\nPMCCFILTR_EL0 = 0\nPMICFILTR_EL0 = 8\n'
    n=0
    while [ $n -lt 31 ]; do
        printf 'PMEVTYPER%d_EL0 = 0x80000008\nPMEVCNTR%d_EL0 = 0\n' $n $n
        n=$((n + 1))
    done
} >"$dir/full.txt"
grep -E '^PM(CR|CNTEN|EVTYPER[0-5]_)' "$dir/full.txt" >"$dir/part.txt"

# Checks that the command takes at most MOST milliseconds, on average over TIMES runs.  A command that does not answer,
# with status 0 or 1, would be fast.
check() { # NAME TIMES MOST COMMAND...
    name="why time of $1" times=$2 most=$3
    shift 3
    "$@" >"$dir/out" 2>&1
    status=$?
    if [ $status -gt 1 ] || [ ! -s "$dir/out" ]; then
        not_ok "$name" "exit status $status: $(head -n 1 "$dir/out")"
        return
    fi
    spent=$(i=0; while [ $i -lt "$times" ]; do "$@" >/dev/null 2>&1; i=$((i + 1)); done; times)
    ms=$(printf '%s\n' "$spent" | awk -v n="$times" '
        NR == 2 {
            for (i = 1; i <= 2; i++) {
                split($i, t, /[ms]/)
                sum += t[1] * 60000 + t[2] * 1000
            }
            print int(sum / n)
        }')
    if [ "$ms" -le "$most" ]; then
        ok "$name: at most $most ms"
    else
        not_ok "$name" "$ms ms, more than $most"
    fi
}
check "a full dump" 10 50 "$B/armpmu" why "$dir/full.txt"
check "a part of one" 10 50 "$B/armpmu" why "$dir/part.txt"
check "a cure" 3 1000 "$B/armpmu" why --cure --counter 30 --at NS_EL2 "$dir/full.txt"
check "cures of all counters in all states" 1 60000 "$B/armpmu" why --cure "$dir/part.txt"
summary
