#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs programs that see a PMU at EL0: the model's answers, PMUSERENR_EL0, and the remarks where there is no answer.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu

# Runs a program, and compares its output, the remarks and its status.
check() { # NAME OUTPUT REMARKS STATUS [OPTIONS] -- PROGRAM...: REMARKS is a pattern
    name=$1 output=$2 remark=$3 status=$4
    shift 4
    ours "$@"
    got=$(tr '\n' ';' <"$tmp/stdout")
    remarks=$(sed -n 's/^remark //p' "$tmp/ours" | tr '\n' ';')
    if [ "$got" != "$output" ]; then
        not_ok "el0 $name" "output '$got', not '$output'"
    elif ! grep -qx "status $status" "$tmp/ours"; then
        not_ok "el0 $name" "$(grep '^status' "$tmp/ours"), not $status"
    elif ! printf '%s\n' "$remarks" | grep -qE "^$remark\$"; then
        not_ok "el0 $name" "remarks '$remarks'"
    else
        ok "el0 $name"
    fi
}
program=$B/test/c/el0

# Between two reads around a loop of 1000 x 2 instructions there are MOV, the loop and the first read itself: 2002.  Two
# reads that follow each other are 1 apart.
check 'cycles, counters, back to back' 'cycles 2002;loop 2002;back to back 1;' '' 0 --el0 1 -- "$program" cre
check 'PMCR_EL0, PMSWINC_EL0, a write' 'counters 6;software increments 5;written 1;' '' 0 --el0 1 -- "$program" psw
if grep -qx 'SW_INCR 5' "$tmp/ours"; then
    ok 'el0 SW_INCR as an event'
else
    not_ok 'el0 SW_INCR as an event' "$(grep SW_INCR "$tmp/ours")"
fi
check 'in a thread' 'thread loop 2002;' '' 0 --el0 1 -- "$program" t
check 'in a child' 'loop 2002;thread loop 2002;' '' 0 --el0 1 -- "$program" rf
check 'with PMUSERENR_EL0.CR alone' 'cycles 2002;' '' 0 --el0 4 -- "$program" c
check 'with PMUSERENR_EL0.ER alone' 'loop 2002;' '' 0 --el0 8 -- "$program" r

check 'PMCR_EL0 without EN' '' \
    'SIGILL at 0x[0-9a-f]*: read of PMCR_EL0 at EL0, which PMUSERENR_EL0.EN forbids; .*' 132 \
    --el0 4 -- "$program" p
check 'PMCCNTR_EL0 with PMUSERENR_EL0 = 0' '' \
    '.*read of PMCCNTR_EL0 .* PMUSERENR_EL0.\{CR, EN\} forbids; .*' 132 \
    --el0 0 -- "$program" c
check 'no PMU given' '' '.*read of PMEVCNTR0_EL0 at EL0, which PMUSERENR_EL0.\{ER, EN\} = 0 forbids; .*--el0;' 132 \
    -- "$program" r
check 'a static program' '' '.*read of PMCCNTR_EL0 at EL0; the program is static.*' 132 --el0 1 -- "$program-static" c
check 'a handler of its own' 'own handler;' 'the program handles SIGILL itself.*' 5 --el0 1 -- "$program" hc
check 'PMUSERENR_EL0' 'PMUSERENR 0;' 'the program read PMUSERENR_EL0 and got 0.*' 0 --el0 1 -- "$program" u
check 'nothing said where nothing is wrong' '' '' 0 --el0 1 -- "$program"
summary
