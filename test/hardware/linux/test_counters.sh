#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that apmu_perf_counter(n) is one instruction and reads counter n, by the disassembler's names.  (libperf and
# PAPI read counter 13 for 12 and 12 for 13, and no machine with 6 counters shows it.)
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${CROSS:=aarch64-linux-gnu-}"
need "${CROSS}gcc" "${CROSS}objdump"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
{
    echo '#include <armpmu/perf.h>'
    n=0
    while [ $n -le 31 ]; do
        echo "uint64_t counter_$n(void);"
        echo "uint64_t counter_$n(void) { return apmu_perf_counter(NULL, $n); }"
        n=$((n + 1))
    done
} >"$tmp/counters.c"
"${CROSS}gcc" -std=c11 -O2 -Wall -Wextra -Wpedantic -Wconversion -Werror -Iinclude -c "$tmp/counters.c" \
    -o "$tmp/counters.o" || { not_ok "apmu_perf_counter()" "it does not compile"; summary; }

# Prints "NUMBER INSTRUCTION; INSTRUCTION; " for each function counter_NUMBER.
"${CROSS}objdump" -d --no-show-raw-insn "$tmp/counters.o" | tr '\t' ' ' | awk '
    /^[0-9a-f]+ <counter_/ { gsub(/[^0-9]*<counter_|>:/, " "); n = $2; next }
    / [0-9a-f]+: +/ && !/: +nop$/ { sub(/^ *[0-9a-f]+: +/, ""); body[n] = body[n] $0 "; " }
    END { for (n = 0; n <= 31; n++) print n, body[n] }' >"$tmp/bodies"
while read -r n body; do
    register=pmevcntr${n}_el0
    [ "$n" -ne 31 ] || register=pmccntr_el0
    [ "$body" = "mrs x0, $register; ret;" ]
    expect $? "apmu_perf_counter($n) is one read of $register" "it is: $body"
done <"$tmp/bodies"
summary
