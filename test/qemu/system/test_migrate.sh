#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine that is saved in the middle of a loop and continues in another process has the right counts at the end.  One
# that is saved forty times has the counts of one that is not, all the time.  A machine with another PMU refuses the
# state.
set -u
. test/qemu/system/machine.sh
need python3

# Prints the emulator's command line, for migrate.py.
machine() { # IMAGE CPU OPTIONS...
    image=$1 cpu=$2
    shift 2
    echo "$QEMU_SYSTEM" -M virt,secure=on,virtualization=on -nic none -display none -monitor none -cpu "$cpu" \
        -semihosting-config enable=on,target=native -kernel "$a64/qemu-$image.elf" "$@"
}

for cpu in cortex-a57 max,pmu-features=PMUv3p9+PMUv3_ICNTR,pmu-counters=8; do
    for icount in '' '-icount shift=0'; do
        # shellcheck disable=SC2046,SC2086
        timeout 60 python3 test/qemu/system/migrate.py 1 "$log/state" $(machine migrate "$cpu" $icount) >"$log/out" 2>&1
        relay "${cpu%%,*} $icount" $? "$log/out"
        grep -q '^ok event counter 1' "$log/out"
        expect $? "${cpu%%,*} $icount: it reaches its last result" "$(tail -n 3 "$log/out" | tr '\n' ';')"
    done
done
# shellcheck disable=SC2046,SC2086
if timeout 60 $(machine migrate "${cpu%=*}=7" $icount) -serial null -incoming "file:$log/state" \
    >"$log/out" 2>&1 </dev/null; then
    not_ok "another PMU: its state is refused" "it was taken"
else
    grep -q 'the PMU has' "$log/out"
    expect $? "another PMU: its state is refused" "it printed: $(tail -n 1 "$log/out")"
fi

# The machine that moves has the same counts as one that does not, and its interrupts come at the same instructions.
lines() { sed -n 's/\r$//; /^line [0-9]*: /p' "$1"; }
for cpu in cortex-a57 "$cpu"; do
    name="${cpu%%,*}, forty times"
    # shellcheck disable=SC2046
    timeout 100 $(machine forty "$cpu" -icount shift=0) -serial stdio >"$log/stays" 2>&1 </dev/null
    # shellcheck disable=SC2046
    timeout 100 python3 test/qemu/system/migrate.py 40 "$log/state" $(machine forty "$cpu" -icount shift=0) \
        >"$log/moves" 2>&1
    relay "$name" $? "$log/moves"
    lines "$log/stays" >"$log/want"
    lines "$log/moves" >"$log/got"
    [ "$(wc -l <"$log/want")" -ge 200 ] && cmp -s "$log/want" "$log/got"
    expect $? "$name: the same lines" "$(diff "$log/want" "$log/got" | sed -n 2,4p | tr '\n' ' ')"
done
summary
