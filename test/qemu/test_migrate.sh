#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine that is saved in the middle of a loop and goes on in another process has the same counts at the end; and a
# machine with another PMU refuses the state.
set -u
. test/qemu/machine.sh
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

machine() { # CPU OPTIONS...: the emulator's command line, for migrate.py
    cpu=$1
    shift
    echo "$QEMU_SYSTEM" -M virt,secure=on,virtualization=on -nic none -display none -monitor none -cpu "$cpu" \
        -semihosting-config enable=on,target=native -kernel "$a64/qemu-migrate.elf" "$@"
}

for cpu in cortex-a57 max,pmu-features=PMUv3p9+PMUv3_ICNTR,pmu-counters=8; do
    for icount in '' '-icount shift=0'; do
        # shellcheck disable=SC2046,SC2086
        timeout 60 python3 test/qemu/migrate.py "$log/state" $(machine "$cpu" $icount) >"$log/out" 2>&1
        code=$?
        sed -nE "s/\r\$//; s/^(ok|not ok) /\1 ${cpu%%,*} $icount: /p" "$log/out"
        [ $code -eq 0 ] || { status=1; echo "not ok ${cpu%%,*} $icount: exit status $code"; tail -n 3 "$log/out"; }
    done
done
# shellcheck disable=SC2046,SC2086
if timeout 60 $(machine "${cpu%=*}=7" $icount) -serial null -incoming "file:$log/state" \
    >"$log/out" 2>&1 </dev/null; then
    status=1
    echo "not ok another PMU: its state was taken"
elif grep -q 'the PMU has' "$log/out"; then
    echo "ok another PMU: its state is refused"
else
    status=1
    echo "not ok another PMU: it said: $(tail -n 1 "$log/out")"
fi
exit $status
