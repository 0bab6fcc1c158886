#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu why and audit with --gdb against OpenOCD, which reaches the chip of dap.h by JTAG and is configured as
# doc/state.md says.  RECORD=FILE records an exchange.
set -u
: "${B:=build}"
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
openocd -c 'adapter list' -c shutdown 2>&1 | grep -q remote_bitbang || skip_all "no openocd that has remote_bitbang"
dir=$(mktemp -d) || exit 2
chip='' server='' pid=''
trap 'for pid in $server $chip; do kill "$pid" 2>/dev/null; done; rm -rf "$dir"' EXIT

# Passes the check NAME if COMMAND succeeds; otherwise prints the beginning of what armpmu printed last.
check() { # NAME COMMAND...
    what=$1
    shift
    "$@"
    expect $? "$what" "$(head -n 3 "$dir/err" | tr '\n' ' ')$(head -n 3 "$dir/out" | tr '\n' ' ')"
}

# Waits until COMMAND succeeds, ten seconds at most.
soon() { # COMMAND...
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 1
        sleep 0.1
    done
}

# Starts the chip and OpenOCD with the commands, and sets $port to the port of the last target that they create.
# "locked" sets the OS Lock.
start() { # [locked] -- COMMAND...
    locked=
    [ "$1" = -- ] || { locked=$1; shift; }
    shift
    rm -f "$dir/jtag"
    : >"$dir/chip"
    : >"$dir/log"
    # shellcheck disable=SC2086
    timeout 60 "$B/test/dap" "$dir/jtag" "$dir/dump" $locked >"$dir/chip" 2>&1 &
    chip=$!
    soon grep -q listening "$dir/chip"
    {
        echo "adapter driver remote_bitbang; remote_bitbang port 0; remote_bitbang host $dir/jtag"
        echo "transport select jtag"
        echo "gdb_port 0; tcl_port disabled; telnet_port disabled"
        echo "jtag newtap chip cpu -irlen 4 -expected-id 0x4ba00477; dap create chip.dap -chain-position chip.cpu"
        for command; do echo "$command"; done
    } >"$dir/config"
    timeout 60 openocd -f "$dir/config" -c init >"$dir/log" 2>&1 &
    server=$!
    soon grep -q 'Listening on port .* for gdb' "$dir/log" || cat "$dir/chip" "$dir/log"
    port=$(sed -n 's/.*Listening on port \([0-9]*\) for gdb.*/\1/p' "$dir/log" | tail -n 1)
}

# Ends the chip and OpenOCD, which completes their logs.
stop() {
    kill "$server" 2>/dev/null
    wait "$server" "$chip" 2>/dev/null
    server='' chip=''
}

# Runs VERB on the target.
ask() { # VERB BASE
    # shellcheck disable=SC2046 # an option or none
    timeout 30 "$B/armpmu" "$1" $(all_of "$1") --gdb "127.0.0.1:$port" --base "$2" >"$dir/out" 2>"$dir/err"
}

# Prints the option with which VERB prints what it says of every counter.
all_of() { # VERB
    [ "$1" != why ] || echo -v
}

# Checks that VERB prints the same with --gdb as for DUMP, except for the places of the facts, and has no remarks.
same() { # NAME VERB BASE DUMP
    ask "$2" "$3"
    check "$1: $2: no remarks" test ! -s "$dir/err"
    cp "$dir/out" "$dir/live"
    # shellcheck disable=SC2046 # an option or none
    timeout 30 "$B/armpmu" "$2" $(all_of "$2") --base "$3" "$4" >"$dir/out" 2>"$dir/err"
    for file in live out; do
        # The verdict, which is the first paragraph of why, quotes lines of the dump.
        [ "$2" != why ] || sed -i '1,/^$/d' "$dir/$file"
        sed 's/([^ ()]*:[0-9]*)/()/' "$dir/$file" >"$dir/$file.plain"
    done
    check "$1: $2: the output is the same as for a dump" cmp -s "$dir/live.plain" "$dir/out.plain"
}

# Records in FILE the exchange of armpmu why with the target aarch64.
record() { # FILE
    timeout 60 python3 test/hardware/openocd/record.py "$port" "$dir/packets" >"$dir/port" 2>"$dir/err" &
    recorder=$!
    soon test -s "$dir/port"
    port=$(cat "$dir/port")
    ask why 0x22030000
    wait "$recorder"
    {
        echo "# SPDX-License-Identifier: BSD-2-Clause"
        echo "# Recorded from OpenOCD 0.12.0, its target aarch64, and the chip of test/hardware/openocd:"
        echo "# requests (>) and the server's answers (<)."
        echo "# RECORD=test/cli/state/openocd.exchange sh test/hardware/openocd/test_openocd.sh records it again."
        cat "$dir/packets"
    } >"$1"
}

# Prints the block "openocd NAME" of doc/state.md, with a port that the system chooses.
block() { # NAME
    awk -v name="$1" '$0 == "```openocd " name { on = 1; next } /^```$/ { on = 0 } on' doc/state.md |
        sed 's/-gdb-port [0-9]*/-gdb-port 0/'
}
pe=$(block pe)
bus=$(block bus)

# The PE reads the frame.  OpenOCD halts it when a client connects, and resumes it if gdb-detach says so.
start -- "$pe"
if [ -n "${RECORD:-}" ]; then
    record "$RECORD"
    stop
    exit
fi
same "the PE" why 0x22030000 "$dir/dump.pe"
check "the PE: why it does not count" grep -q '^1 CPU_CYCLES  *no ' "$dir/live"
same "the PE" audit 0x22030000 "$dir/dump.pe"
ask why 0x22031000
check "the PE: another address" grep -q "PMCFGR (0xE00) is 0 or cannot be read, so no PMU is seen" "$dir/err"
stop
check "the PE: continues as before" grep -qx 'halted 3 times, restarted 3 times, running at EL1' "$dir/chip"
start -- "$(echo "$pe" | grep -v gdb-detach)"
ask why 0x22030000
stop
check "the PE: without gdb-detach it does not continue" grep -q 'restarted 0 times, left in Debug state' "$dir/chip"

# The access port reads the frame on the debug APB, and the PE does not stop.
start -- "$bus"
sed -i '/^cpsr /d' "$dir/dump.bus" # the bus does not show it, and its level narrows what why says
same "the bus" why 0x80430000 "$dir/dump.bus"
same "the bus" audit 0x80430000 "$dir/dump.bus"
stop
check "the bus: the PE never stops" grep -qx 'halted 0 times, restarted 0 times, running at EL1' "$dir/chip"
for report in disable enable; do
    start locked -- "gdb_report_data_abort $report; $bus"
    ask why 0x80430000
    check "the bus: the OS Lock, gdb_report_data_abort $report" grep -q 'a PMU is there, .*OS Lock' "$dir/err"
    ask why 0x80400000
    check "the bus: another address, gdb_report_data_abort $report" \
        grep -q 'asked for the memory at --base: ' "$dir/err"
    stop
done

if openocd --version 2>&1 | grep -q '^Open On-Chip Debugger 0\.12\.0'; then
    start -- "$pe"
    record "$dir/exchange"
    stop
    diff test/cli/state/openocd.exchange "$dir/exchange" >"$dir/err"
    check "test/cli/state/openocd.exchange: OpenOCD says what was recorded" \
        cmp -s test/cli/state/openocd.exchange "$dir/exchange"
else
    skip "test/cli/state/openocd.exchange" "it was recorded from OpenOCD 0.12.0, and this is another version"
fi
summary
