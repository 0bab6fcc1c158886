#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu why and audit with --gdb against OpenOCD, which reaches the chip of dap.h by JTAG and is configured as
# doc/state.md says.  RECORD=FILE records an exchange.
set -u
: "${B:=build}"
cd "$(dirname "$0")/../../.." || exit 2
if ! openocd -c 'adapter list' -c shutdown 2>&1 | grep -q remote_bitbang; then
    echo "no openocd that has remote_bitbang"
    exit 77
fi
dir=$(mktemp -d) || exit 2
chip='' server='' pid=''
trap 'for pid in $server $chip; do kill "$pid" 2>/dev/null; done; rm -rf "$dir"' EXIT
status=0

say() { # NAME CONDITION...: the condition is a command
    what=$1
    shift
    if "$@"; then echo "ok $what"; else
        echo "not ok $what: $(head -n 3 "$dir/err" | tr '\n' ' ')$(head -n 3 "$dir/out" | tr '\n' ' ')"
        status=1
    fi
}

# soon CONDITION...: waits until the command succeeds, ten seconds at most
soon() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || return 1
        sleep 0.1
    done
}

# start [locked] -- COMMAND...: starts the chip and OpenOCD, and sets $port to the port of the last target that the
# commands create
start() {
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

# stop: ends both, after which their logs are complete
stop() {
    kill "$server" 2>/dev/null
    wait "$server" "$chip" 2>/dev/null
    server='' chip=''
}

ask() { # VERB BASE
    timeout 30 "$B/armpmu" "$1" --gdb "127.0.0.1:$port" --base "$2" >"$dir/out" 2>"$dir/err"
}

# same NAME VERB BASE DUMP: compares the output with --gdb to that of DUMP, without the places of the facts
same() {
    ask "$2" "$3"
    say "$1: $2: no remarks" test ! -s "$dir/err"
    cp "$dir/out" "$dir/live"
    timeout 30 "$B/armpmu" "$2" --base "$3" "$4" >"$dir/out" 2>"$dir/err"
    for file in live out; do sed 's/([^ ()]*:[0-9]*)/()/' "$dir/$file" >"$dir/$file.plain"; done
    say "$1: $2: as of a dump" cmp -s "$dir/live.plain" "$dir/out.plain"
}

# record FILE: records the exchange of armpmu why with the aarch64 target
record() {
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

# block NAME: prints the lines of doc/state.md for it, with a port that the system chooses
block() {
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
say "the PE: why it does not count" grep -q '^1 CPU_CYCLES  *? *no ' "$dir/live"
same "the PE" audit 0x22030000 "$dir/dump.pe"
ask why 0x22031000
say "the PE: another address" grep -q "PMCFGR (0xE00) is 0 or cannot be read, so no PMU is seen" "$dir/err"
stop
say "the PE: goes on as it did" grep -qx 'halted 3 times, restarted 3 times, running at EL1' "$dir/chip"
start -- "$(echo "$pe" | grep -v gdb-detach)"
ask why 0x22030000
stop
say "the PE: without gdb-detach it does not go on" grep -q 'restarted 0 times, left in Debug state' "$dir/chip"

# The access port reads the frame on the debug APB, and the PE does not stop.
start -- "$bus"
same "the bus" why 0x80430000 "$dir/dump.bus"
same "the bus" audit 0x80430000 "$dir/dump.bus"
stop
say "the bus: the PE never stops" grep -qx 'halted 0 times, restarted 0 times, running at EL1' "$dir/chip"
for report in disable enable; do
    start locked -- "gdb_report_data_abort $report; $bus"
    ask why 0x80430000
    say "the bus: the OS Lock, errors told: $report" grep -q 'a PMU is there, .*OS Lock' "$dir/err"
    ask why 0x80400000
    say "the bus: another address, errors told: $report" grep -q 'asked for the memory at --base: ' "$dir/err"
    stop
done

if openocd --version 2>&1 | grep -q '^Open On-Chip Debugger 0\.12\.0'; then
    start -- "$pe"
    record "$dir/exchange"
    stop
    diff test/cli/state/openocd.exchange "$dir/exchange" >"$dir/err"
    say "test/cli/state/openocd.exchange: what OpenOCD says" cmp -s test/cli/state/openocd.exchange "$dir/exchange"
else
    echo "skip test/cli/state/openocd.exchange: it is not of this OpenOCD"
fi
exit $status
