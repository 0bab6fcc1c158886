#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests signals to `armpmu stat`: while the emulator starts, and while the program runs.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
ARMPMU_ENGINE=qemu-user
export ARMPMU_ENGINE
p=$B/test/c/process

# Starts the tool, whose process is $run, with the signal dispositions of an interactive shell's child.
start() { # ARGS...
    env --default-signal=INT,QUIT,TERM,HUP "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$@" \
        >"$tmp/stdout" 2>"$tmp/err" &
    run=$!
    sleep 1
}
# Checks that the signal ends the tool with this exit status, within this time.
ends() { # SIGNAL NAME STATUS SECONDS
    before=$(date +%s)
    kill -s "$1" "$run"
    wait "$run"
    status=$? took=$(($(date +%s) - before))
    if [ "$status" -eq "$3" ] && [ "$took" -le "$4" ]; then ok "signals $2"; else
        not_ok "signals $2" "status $status after $took s: $(cat "$tmp/out" "$tmp/err")"; fi
}
# Checks that the tool printed a count.
counted() { # NAME
    if grep -q "^[1-9].*INST_RETIRED" "$tmp/out"; then ok "signals $1"; else
        not_ok "signals $1" "$(cat "$tmp/out")"; fi
}

printf '#!/bin/sh\nexec sleep 30\n' >"$tmp/sleeper" && chmod +x "$tmp/sleeper"
for s in TERM:143 HUP:129 INT:130; do
    ARMPMU_QEMU=$tmp/sleeper start "$p" wait
    ends "${s%:*}" "${s%:*} while the emulator starts" "${s#*:}" 3
    if grep -q "^armpmu stat: $tmp/sleeper: .* before the program began; start it again$" "$tmp/err"; then
        ok "signals ${s%:*} while the emulator starts: the cause"
    else
        not_ok "signals ${s%:*} while the emulator starts: the cause" "$(cat "$tmp/err")"
    fi
done
for s in TERM:143 HUP:129; do
    start "$p" wait
    ends "${s%:*}" "${s%:*} while the program sleeps" "${s#*:}" 3
    counted "${s%:*} while the program sleeps: the counts"
done
start "$p" deaf
ends TERM 'TERM, which the program ignores' 0 5
counted 'TERM, which the program ignores: the counts'

start "$p" wait
emulator=$(ps -o pid= --ppid "$run" | tr -d ' ')
kill -s STOP "$run" && kill -s STOP "$emulator" && sleep 0.2 && kill -s CONT "$run" && kill -s CONT "$emulator"
ends TERM 'stopped and continued' 143 3
counted 'stopped and continued: the counts'

start "$p" wait
emulator=$(ps -o pid= --ppid "$run" | tr -d ' ')
kill -s KILL "$run"
wait "$run" 2>/dev/null
sleep 0.5
if [ -z "$emulator" ]; then
    not_ok 'signals KILL of the tool' 'there was no emulator'
elif kill -0 "$emulator" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$emulator/status"; then
    not_ok 'signals KILL of the tool' 'the emulator still runs'
    kill -s KILL "$emulator"
else
    ok 'signals KILL of the tool'
fi
summary
