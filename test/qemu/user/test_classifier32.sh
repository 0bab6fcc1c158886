#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares qemu/classify/a32.c, which classifies by encoding, with classify32.awk, which classifies by binutils' name:
# over every 16-bit encoding, and over 32-bit words of T32 and A32; in T32 in and outside IT blocks, in A32 with every
# condition.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "${CROSS32}objdump" binutils-arm-linux-gnueabihf

compare() { # SET SEED LEAST OPTIONS...
    set_name=$1 seed=$2 least=$3
    shift 3
    "$B/test/words32" "$set_name" "$seed" "$tmp/code" >"$tmp/ours" &&
        "${CROSS32}objdump" -D -b binary -m armv8-a "$@" "$tmp/code" >"$tmp/text" || exit 2
    awk -v set_name="$set_name" -f test/qemu/user/classify32.awk "$tmp/text" "$tmp/ours" >"$tmp/answer"
    wrong=$(sed -n 1p "$tmp/answer") known=$(sed -n 2p "$tmp/answer")
    if [ "${known:-0}" -lt "$least" ]; then
        not_ok "classifier, $set_name, seed $seed" "only ${known:-0} instructions with a name"
    elif [ -n "$wrong" ]; then
        not_ok "classifier, $set_name, seed $seed" "$wrong"
    else
        ok "classifier, $set_name, seed $seed: $known instructions"
    fi
}

compare t16 1 110000 -M force-thumb
compare t32 1 30000 -M force-thumb
compare a32 1 40000
summary
