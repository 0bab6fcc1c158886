#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The loops of armpmu doctor have the instructions that cli/doctor/loops.def says, in A64 and in A32, by disassembly and
# by the classifier of qemu/classify/.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}" "${ARM:=arm-linux-gnueabi-}"
need python3 "${CROSS}gcc"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# Compiles the loops, disassembles them and compares.
compare() { # ISA PREFIX WORDS FLAGS...
    isa=$1 prefix=$2 words=$3
    shift 3
    if ! "${prefix}gcc" -std=c11 -O2 -fno-inline "$@" -c cli/doctor/loops.c -o "$tmp/$isa.o" 2>"$tmp/log"; then
        not_ok "$isa" "$(head -n 1 "$tmp/log")"
        return
    fi
    "${prefix}objdump" -d "$tmp/$isa.o" >"$tmp/$isa.text"
    python3 test/cli/doctor/loops.py "$isa" "$tmp/$isa.text" "$words" >"$tmp/results" 2>"$tmp/log" ||
        not_ok "$isa" "$(tail -n 1 "$tmp/log")"
    while read -r line; do
        case $line in
        'ok '*) ok "${line#ok }" ;;
        *) not_ok "$isa" "${line#not ok }" ;;
        esac
    done <"$tmp/results"
}
compare a64 "$CROSS" "$B/test/words"
if command -v "${ARM}gcc" >/dev/null; then
    compare a32 "$ARM" "$B/test/words32" -march=armv7-a+fp -mfloat-abi=softfp
else
    skip "a32" "no ${ARM}gcc"
fi
summary
