#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Micro-programs that trigger one kind of event each (micro.c) move the events of that kind on a modelled core, as often
# as they trigger it, and no others.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
ARMPMU_ENGINE=qemu-user ARMPMU_QEMU=$QEMU
export ARMPMU_ENGINE ARMPMU_QEMU
events=L1D_CACHE_REFILL,L1D_CACHE_WB,L2D_CACHE_REFILL,L1D_TLB_REFILL,DTLB_WALK,L1I_CACHE_REFILL,L1I_TLB_REFILL
events=$events,BR_MIS_PRED_RETIRED,BR_INDNR_MIS_PRED_RETIRED,BR_RETURN_MIS_PRED_RETIRED
rounds=200000

# Passes FAMILY if each EVENT=PERCENT, of the rounds, is so within 3 points, and all other events are below 3 percent.
moves() { # FAMILY EVENT=PERCENT...
    family=$1
    shift
    if ! "${CROSS}gcc" -O1 -ffreestanding -nostdlib -static -fno-pic -no-pie "-DFAMILY=$family" -o "$tmp/$family" \
        test/qemu/user/micro.c 2>"$tmp/cc"; then
        not_ok "micro, $family" "$(head -n 1 "$tmp/cc")"
        return
    fi
    "$B/armpmu" stat -x, -o "$tmp/fields" --core cortex-a72 -e $events -- "$tmp/$family" 2>"$tmp/stderr"
    wrong=$(grep -v '^#' "$tmp/fields" | awk -F, -v want="$*" -v rounds=$rounds '
        BEGIN { n = split(want, w, " "); while (n > 0) { split(w[n--], p, "="); percent[p[1]] = p[2] } }
        NF > 3 {
            seen++
            off = $1 / rounds * 100 - percent[$3]
            if (off > 3 || off < -3) { printf "%s=%s ", $3, $1 }
        }
        END { if (seen != 10) printf "%d events", seen }')
    expect "$([ -z "$wrong" ]; echo $?)" "micro, $family: $*" "$wrong$(head -n 1 "$tmp/stderr")"
}

moves base
moves l1d L1D_CACHE_REFILL=100
moves writes L1D_CACHE_REFILL=100 L1D_CACHE_WB=100
moves l2 L1D_CACHE_REFILL=100 L2D_CACHE_REFILL=100
moves dtlb L1D_TLB_REFILL=100
moves walks L1D_CACHE_REFILL=100 L1D_TLB_REFILL=100 DTLB_WALK=100
moves chase L1D_CACHE_REFILL=100
moves l1i L1I_CACHE_REFILL=100
moves itlb L1I_TLB_REFILL=100
moves branches BR_MIS_PRED_RETIRED=50
moves alternates
moves indirect BR_MIS_PRED_RETIRED=87.5 BR_INDNR_MIS_PRED_RETIRED=87.5 # one of 8 targets is right
moves returns BR_MIS_PRED_RETIRED=92 BR_RETURN_MIS_PRED_RETIRED=92     # 16 of 200 are on the return stack

# Passes FAMILY if PART, a stall, is at least LEAST percent of all cycles, and the other one at most 1.
stalls() { # FAMILY PART LEAST
    "$B/armpmu" stat -x, -o "$tmp/fields" --core cortex-a72 -e STALL_FRONTEND,STALL_BACKEND,CPU_CYCLES -- "$tmp/$1" \
        2>"$tmp/stderr"
    got=$(awk -F, '/,(STALL|CPU)_/ { n[$3] = $1 }
        END { c = n["CPU_CYCLES"]; printf "%d %d\n", n["STALL_FRONTEND"] / c * 100, n["STALL_BACKEND"] / c * 100 }' \
        "$tmp/fields")
    case $2 in FRONTEND) here=${got% *} other=${got#* } ;; *) here=${got#* } other=${got% *} ;; esac
    expect "$([ "${here:-0}" -ge "$3" ] && [ "${other:-100}" -le 1 ]; echo $?)" "micro, $1: STALL_$2" "percent: $got"
}
stalls chase BACKEND 80
stalls l2 BACKEND 80
stalls l1i FRONTEND 80
stalls itlb FRONTEND 50
stalls branches FRONTEND 40
stalls returns FRONTEND 40
summary
