#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu decode --gdb: with the GDB servers of qemu-system-aarch64 and qemu-system-arm, which run a program, and
# with servers that do not speak the protocol.
set -u
: "${B:=build}"
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')

# Passes the check NAME if the command succeeds.
check() { # NAME COMMAND...
    what=$1
    shift
    "$@"
    expect $? "$what" "$(head -n 2 "$dir/err" | tr '\n' ' ')$(head -n 3 "$dir/out" | tr '\n' ' ')"
}

# Builds and starts the program NAME, and reads its registers until it has set up its PMU.
live() { # NAME COMPILER LINK QEMU ARGUMENT...
    name=$1 compiler=$2 link=$3 qemu=$4
    shift 4
    if ! command -v "$qemu" >/dev/null || ! command -v "$compiler" >/dev/null; then
        skip "$name" "no $qemu, or no $compiler"
        return
    fi
    if ! "$compiler" -nostdlib -static -Wl,-N,--build-id=none,"$link" -o "$dir/$name" \
        "test/cli/state/programs/$name.S" 2>"$dir/err"; then
        check "$name: the program" false
        return
    fi
    timeout 60 "$qemu" "$@" -nic none -display none -serial none -monitor none -kernel "$dir/$name" \
        -gdb "tcp:127.0.0.1:$port" >/dev/null 2>"$dir/qemu" &
    pid=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.3
        "$B/armpmu" decode --gdb "127.0.0.1:$port" >"$dir/out" 2>"$dir/err" &&
            grep -q '^PMCNTENSET_EL0 .* = 0x0000000080000001' "$dir/out" && break
    done
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    pid=
    check "$name: the counters that the program enabled" \
        grep -q '^PMCNTENSET_EL0 .* = 0x0000000080000001' "$dir/out"
    check "$name: PMCR_EL0.E" grep -q '^  0     E              1  ' "$dir/out"
    check "$name: the event, by name" grep -q 'evtCount       8  INST_RETIRED' "$dir/out"
    check "$name: PSTATE" grep -q '^PSTATE = ' "$dir/out"
    check "$name: no remarks" test ! -s "$dir/err"
}

live a64 aarch64-linux-gnu-gcc -Ttext=0x40080000 qemu-system-aarch64 -M virt,virtualization=on,secure=on \
    -cpu cortex-a57
live a32 arm-linux-gnueabihf-gcc -Ttext=0x40010000 qemu-system-arm -M virt,secure=on -cpu cortex-a15

# server.py PORT silent|closed|noise accepts one connection, and then sends nothing, or closes it, or sends noise.
cat >"$dir/server.py" <<'END'
import socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen(1)
print("ready", flush=True)
c = s.accept()[0]
c.recv(100)
if sys.argv[2] == "silent":
    time.sleep(20)
elif sys.argv[2] == "noise":
    c.sendall(b"220 mail.example ESMTP\r\n$" + b"x" * 100000)
    time.sleep(1)
END
# Checks that with such a server the tool ends with status 3 and this message.
wrong() { # silent|closed|noise MESSAGE
    rm -f "$dir/ready"
    python3 "$dir/server.py" "$port" "$1" >"$dir/ready" 2>"$dir/python" &
    pid=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$dir/ready" ] && break; sleep 0.2; done
    timeout 30 "$B/armpmu" decode --gdb "127.0.0.1:$port" >"$dir/out" 2>"$dir/err"
    echo $? >>"$dir/err"
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    pid=
    check "a server that is $1" grep -q "$2" "$dir/err"
    check "a server that is $1: exit status" [ "$(tail -n 1 "$dir/err")" = 3 ]
}
wrong silent "no answer in time"
wrong closed "it closed the connection"
wrong noise "not of the GDB protocol"

# Checks that the tool prints this message.
refused() { # NAME HOST:PORT MESSAGE
    timeout 30 "$B/armpmu" decode --gdb "$2" >"$dir/out" 2>"$dir/err"
    check "$1" grep -q "$3" "$dir/err"
}
refused "nobody listens" "127.0.0.1:$port" "no connection: Connection refused"
refused "a host that does not exist" "no-such-host.invalid:1234" "no such host or port"
refused "no port" "localhost" "not HOST:PORT"
summary
