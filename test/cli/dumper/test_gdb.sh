#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The dumpers for GDB, live: gdb-multiarch reads machines of QEMU with two CPUs.  On the emulator with the model every
# value is the one that armpmu itself reads by the GDB protocol.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh
gdb=$(command -v gdb-multiarch || command -v aarch64-linux-gnu-gdb) ||
    skip_all "no gdb-multiarch: apt-get install gdb-multiarch"
machine=
trap '[ -z "$machine" ] || kill "$machine" 2>/dev/null; rm -rf "$dir"' EXIT

# start QEMU OPTIONS...: starts a machine that waits for a debugger, and sets $port.
start() {
    port=$((20000 + ($$ + ${tries:-0}) % 20000)) tries=$((${tries:-0} + 1))
    emulator=$1
    shift
    timeout 100 "$emulator" "$@" -nic none -display none -serial none -monitor none -gdb "tcp:127.0.0.1:$port" -S \
        >"$dir/machine" 2>&1 </dev/null &
    machine=$!
}

stop() {
    kill "$machine" 2>/dev/null
    wait "$machine" 2>/dev/null
    machine=
}

# read_all FORM: runs the form, and writes what it prints to $dir/out.
read_all() {
    dumper "$dir/armpmu.gdb" "$1"
    for _ in 1 2 3 4 5; do
        timeout 30 "$gdb" -nx -batch -ex "target remote 127.0.0.1:$port" -x "$dir/armpmu.gdb" >"$dir/all" 2>"$dir/log" \
            </dev/null
        grep -q '^end' "$dir/all" && break
        sleep 1
    done
    sed -n '/^armpmu-dump 1/,/^end/p' "$dir/all" >"$dir/out"
    [ -s "$dir/out" ]
}

# one_cpu N: prints the part of CPU N.
one_cpu() {
    awk -v cpu="$1" '$1 == "cpu" { on = $2 == cpu } /^end/ { exit } on' "$dir/out"
}

check_cpus() { # NAME PMCR
    for n in 0 1; do
        one_cpu $n >"$dir/dump"
        check_read "$1: CPU $n" "$dir/dump"
        [ "$(grep -c "^$2 = " "$dir/dump")" -eq 2 ]
        expect $? "$1: CPU $n: $2, twice" "$(head -n 3 "$dir/dump" | tr '\n' ';')"
    done
}

if [ -x "$exact" ]; then
    for cpu in cortex-a57 max,pmu-features=PMUv3p9+PMUv3_ICNTR,pmu-counters=31; do
        start "$exact" -M virt,secure=on,virtualization=on -smp 2 -cpu $cpu
        read_all gdb
        expect $? "model $cpu: GDB runs the script" "$(head -n 3 "$dir/log" | tr '\n' ';')"
        "$B/armpmu" decode --gdb "127.0.0.1:$port" 2>/dev/null | names_and_values >"$dir/model"
        stop
        check_cpus "model $cpu" PMCR_EL0
        one_cpu 0 >"$dir/dump"
        check_model "model $cpu" "$dir/dump" 'PSTATE|PMCCNTR_EL0' 15
    done
else
    skip "the emulator with the model" "no $exact: make qemu"
fi
if command -v qemu-system-aarch64 >/dev/null; then
    start qemu-system-aarch64 -M virt,virtualization=on -smp 2 -cpu cortex-a72
    read_all gdb
    expect $? "stock cortex-a72: GDB runs the script" "$(head -n 3 "$dir/log" | tr '\n' ';')"
    check_cpus "stock cortex-a72" PMCR_EL0
    stop
else
    skip "the installed emulator" "no qemu-system-aarch64: apt-get install qemu-system-arm"
fi
if command -v qemu-system-arm >/dev/null; then
    start qemu-system-arm -M virt -smp 2 -cpu cortex-a7
    read_all gdb-armv7
    expect $? "stock cortex-a7: GDB runs the script" "$(head -n 3 "$dir/log" | tr '\n' ';')"
    check_cpus "stock cortex-a7" PMCR
    stop
fi
summary
