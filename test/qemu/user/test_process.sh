#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs programs with processes and threads: exec, fork, signals, and the remarks on what was not counted.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu

# Runs a program, and compares its output, the remarks and the numbers.
check() { # NAME OUTPUT REMARKS "PROCESSES THREADS EXECS STATUS" [OPTIONS] -- PROGRAM...: REMARKS is a pattern
    name=$1 output=$2 remark=$3 numbers=$4
    shift 4
    ours "$@"
    got=$(tr '\n' ';' <"$tmp/stdout")
    remarks=$(sed -n 's/^remark //p' "$tmp/ours" | tr '\n' ';')
    seen=$(awk '$1 ~ /^(processes|threads|execs|status)$/ { printf "%s%s", s, $2; s = " " }' "$tmp/ours")
    if [ "$got" != "$output" ]; then
        not_ok "process $name" "output '$got', not '$output'"
    elif ! printf '%s\n' "$seen" | grep -qx "$numbers"; then
        not_ok "process $name" "processes, threads, execs, status: $seen, not $numbers"
    elif grep -q '^backwards' "$tmp/ours"; then
        not_ok "process $name" "$(grep -m 1 '^backwards' "$tmp/ours")"
    elif ! printf '%s\n' "$remarks" | grep -qE "^$remark\$"; then
        not_ok "process $name" "remarks '$remarks'"
    else
        ok "process $name"
    fi
}
p=${PROCESS:-$B/test/c/process} # test/qemu/system has one for 32-bit Arm
real=$(cd "$(dirname "$p")" && pwd)/process

check 'arguments' "[$p][args][][a b][-x];" '' '1 1 0 0' -- "$p" args '' 'a b' -x
check 'exit status' '' '' '1 1 0 42' -- "$p" exit 42
check 'killed by SIGTERM' '' '' '1 1 0 143' -- "$p" signal 15
check 'killed by SIGSEGV' '' '1 process did not exit: up to [0-9]* instructions .*' '1 1 0 139' -- "$p" signal 11
check 'killed by SIGKILL from outside' '' '1 process did not exit: .*' '1 1 0 137' --kill 200 -- "$p" wait
check 'exec' "[$p][args][a];" '' '1 1 1 0' -- "$p" exec "$p" args a
check 'exec of /proc/self/exe' '[/proc/self/exe][args];' '' '1 1 1 0' -- "$p" exec /proc/self/exe args
check 'exec of a static program' "[$p-static][args];" '' '1 1 1 0' -- "$p" exec "$p-static" args
check 'exec in a child' '' '' '2 2 1 9' -- "$p" spawn "$p" exit 9
check 'exec by a descriptor' "[$p][args][a];" '' '1 1 1 0' -- "$p" fexec "$p" args a
check 'exec of a file without a name' "[$p-static][args][a];" '' '1 1 1 0' -- "$p" memfd "$p-static" args a
check 'exec in a folder by a descriptor' '[process][args][a];' '' '1 1 1 0' -- "$p" execat "${real%/*}" process args a
top=$PWD
case $B in /*) ;; *) B=$top/$B ;; esac
cp "$p" "$tmp/-version" && cd "$tmp" || exit 2
check 'exec of a path like an option' '[-version][args];' '' '1 1 1 0' -- "$real" execv -version args
cd "$top" || exit 2
# The program is copied, because the user nobody may not be able to read this folder.
mkdir -m 755 "$tmp/open" && cp "$p-static" "$tmp/open/process" && chmod 755 "$tmp"
ours -- "$p" later "$tmp/open/process" exec "$tmp/open/process" exec "$p" args
sleep 2
if [ "$(cat "$tmp/stdout")" = "[$p][args]" ]; then
    ok 'process exec after the tool has ended'
else
    not_ok 'process exec after the tool has ended' "$(cat "$tmp/stdout" "$tmp/stderr")"
fi
plugin=$ARMPMU_LIBDIR/libarmpmu-qemu-user.so
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --clear-groups test -r "$plugin" 2>/dev/null; then
    check 'exec as another user' "[$tmp/open/process][args];" \
        'not counted: exec of .*/process \(as another user, or with another root directory\);' '1 1 0 0' \
        -- "$p" drop "$tmp/open/process" exec "$tmp/open/process" args
else
    skip 'process exec as another user' 'not root, or nobody cannot read the plugin'
fi
printf '#!%s args\n' "$real" >"$tmp/script" && chmod +x "$tmp/script"
check 'exec of a script with an Arm interpreter' "[$real][args][$tmp/script][x];" '' '1 1 1 0' \
    -- "$p" exec "$tmp/script" x
# shellcheck disable=SC2046 # words
ours -- "$p" exec "$p" args $(seq 100000)
if [ "$(wc -c <"$tmp/stdout")" -gt 688000 ] && grep -qx 'execs 1' "$tmp/ours"; then
    ok 'process exec with 100000 arguments'
else
    not_ok 'process exec with 100000 arguments' "$(head -c 200 "$tmp/stdout") $(cat "$tmp/stderr")"
fi
# On a core without AArch32 the kernel does not execute the beginning of a 32-bit program either.
{ printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\50\0'; head -c 64 /dev/zero; } >"$tmp/arm32" && chmod +x "$tmp/arm32"
if [ -n "${PROCESS:-}" ] || ls /proc/sys/fs/binfmt_misc/*arm* >/dev/null 2>&1; then
    skip 'process exec of a program that the core cannot execute' 'the first one is 32-bit, or this machine executes it'
else
    check 'exec of a program that the core cannot execute' '' '' '1 1 0 77' --core neoverse-v2 \
        -- "$p" execv "$tmp/arm32"
fi
check 'exec that fails' '' '' '1 1 0 77' -- "$p" exec "$tmp/none"
case $(uname -m) in
x86_64) check 'exec of a program of this machine' 'x86_64;' 'not counted: exec of [^ ]*/uname \(x86-64 program\);' \
    '2 2 0 0' -- "$p" spawn uname -m ;;
*) skip 'process exec of a program of this machine' 'not an x86-64 machine' ;;
esac
cp /bin/true "$tmp/two
lines$(printf '\033')[31m" 2>/dev/null
case $(uname -m) in
x86_64) check 'exec of a program whose name has a newline' '' \
    'not counted: exec of .*/two\\nlines.\[31m \(x86-64 program\);' \
    '2 2 0 0' -- "$p" spawn "$tmp/two
lines$(printf '\033')[31m" ;;
*) skip 'process exec of a program whose name has a newline' 'not an x86-64 machine' ;;
esac
if [ "$(id -u)" -eq 0 ]; then
    cp "$p" "$tmp/setuid" && chown nobody "$tmp/setuid" && chmod 4755 "$tmp/setuid"
    gains='is setuid or setgid, or has capabilities: the emulator ran it without these privileges;'
    check 'a setuid program' "[$tmp/setuid][args];" "$tmp/setuid $gains" '1 1 0 0' -- "$tmp/setuid" args
    check 'exec of a setuid program' "[$tmp/setuid][args];" "a program that another became by exec $gains" '1 1 1 0' \
        -- "$p" exec "$tmp/setuid" args
else
    skip 'process a setuid program' 'not root'
fi
QEMU_PLUGIN=/nowhere.so check 'environment: no QEMU_PLUGIN' '(none);' '' '1 1 0 0' -- "$p" env QEMU_PLUGIN
A=b,c check 'environment: a comma, through exec' 'b,c;' '' '1 1 1 0' -- "$p" exec "$p" env A
LD_LIBRARY_PATH=/nowhere check 'environment: LD_LIBRARY_PATH, through exec' '/nowhere;' '' '1 1 1 0' \
    -- "$p" exec "$p" env LD_LIBRARY_PATH
check 'threads at once' 'total 40000;' '' '1 9 0 0' --interval 20 -- "$p" threads 8 5000
check 'more threads than rows' 'total 14000;' '' '1 71 0 0' -- "$p" threads 70 200
check 'threads one after another' 'total 300;' '' '1 30 0 0' -- "$p" churn 30
check 'threads after shared memory' 'total 80000;' '' '1 5 0 0' -- "$p" late 4
check 'faults while threads run' 'caught 50;' '' '1 4 0 0' -- "$p" faults 50
late=${LATE:-40} # children, each of which gets a handler while 8 threads make system calls; a race aborted 1 in 1500
check 'handlers of SIGSEGV while threads make system calls' 'failed 0;' '' "$((late + 1)) [0-9]* 0 0" \
    -- "$p" late-handlers "$late"
check 'many children' 'sum 147;' '' '51 51 0 0' --interval 10 -- "$p" forks 50

# No run leaves its directory behind.
left=$(find "${TMPDIR:-/tmp}" /dev/shm -maxdepth 1 -name "armpmu-run.*" 2>/dev/null | while read -r dir; do
    flock -n "$dir/lock" echo "$dir" 2>/dev/null # a tool at work holds it
done)
if [ -z "$left" ]; then
    ok 'process nothing left behind'
else
    not_ok 'process nothing left behind' "$left"
fi
summary
