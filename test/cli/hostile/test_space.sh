#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests `armpmu stat` where room, files or descriptors are short: the program does its work, and the cause is named.
set -u
cd "$(dirname "$0")/../../.." || exit 2
if [ "${1:-}" != inside ]; then # start again where this test may mount file systems of its own
    if unshare -m true 2>/dev/null; then exec unshare -m sh "$0" inside; fi
    if unshare -rm true 2>/dev/null; then exec unshare -rm sh "$0" inside; fi
    echo 'no file system can be mounted here'
    exit 77
fi
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
ARMPMU_ENGINE=qemu-user
export ARMPMU_ENGINE
case $B in /*) B=$(realpath --relative-to=. "$B") ;; esac
p=$B/test/c/process
small=$tmp/small
mkdir "$small"
mount -t tmpfs none "$tmp/small" -o size=1m 2>/dev/null || skip_all 'no tmpfs can be mounted here'
umount "$small"
trap 'umount "$small" 2>/dev/null; rm -rf "$tmp"' EXIT

no_space='^armpmu stat: .*: No space left on device.*; make room there, or name another directory in ARMPMU_TMPDIR'
# Checks that there is a count and the program printed STDOUT; or that there is no count, but status 3 and the cause.
# With "whole" the program must have printed STDOUT in the second case too.
judge() { # NAME STDOUT [whole]
    if grep -qE 'Bus error|signal 7' "$tmp/err"; then
        not_ok "$1" "$status: $(cat "$tmp/err")"
    elif [ "$status" -eq 0 ] && [ "$(cat "$tmp/stdout")" = "$2" ] && grep -q "^[1-9].*INST_RETIRED" "$tmp/out"; then
        ok "$1"
    elif [ "$status" -eq 3 ] && grep -qE "$no_space" "$tmp/err" && ! grep -q '^[0-9]' "$tmp/out" &&
        { [ -z "${3:-}" ] || [ "$(cat "$tmp/stdout")" = "$2" ]; }; then
        ok "$1"
    else
        not_ok "$1" "$status: $(cat "$tmp/stdout" "$tmp/out" "$tmp/err")"
    fi
}
counted=0 refused=0 headings=0
for size in 4k 64k 512k 1100k 1200k 1300k 1400k 1500k 1700k 2m 3m 8m 16m 32m 64m; do
    mount -t tmpfs none "$small" -o "size=$size"
    TMPDIR=$small
    export TMPDIR
    mount -t tmpfs none /dev/shm -o size=4k # too small to be taken
    "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$p" threads 20 10 >"$tmp/stdout" 2>"$tmp/err"
    status=$?
    judge "space $size" 'total 200' ''
    [ "$status" -eq 0 ] && counted=$((counted + 1)) || refused=$((refused + 1))
    if ! "$B/armpmu" stat -e INST_RETIRED -o "$tmp/text" "$p" threads 20 10 >"$tmp/stdout" 2>"$tmp/err"; then
        headings=$((headings + $(grep -c 'Performance counter stats' "$tmp/text")))
    fi
    left=$(find "$small" -mindepth 1)
    [ -z "$left" ] || not_ok "space $size" "left behind: $left"
    umount /dev/shm "$small"
done
if [ "$counted" -gt 0 ] && [ "$refused" -gt 0 ]; then ok 'space both outcomes'; else
    not_ok 'space both outcomes' "$counted counted, $refused refused"; fi
[ "$headings" -eq 0 ]
expect $? 'space: no heading without counts' "$headings headings"

# Names of that directory: a plugin separates its options by commas, and a relative name must hold in every process.
mount -t tmpfs none /dev/shm -o size=4k
top=$PWD
for name in 'a,b' 'c d' 'e
f' .; do
    mkdir -p "$tmp/names/$name" && cd "$tmp/names" || exit 2
    TMPDIR=$name "$top/$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$top/$p" exec "$top/$p" forks 3 \
        >"$tmp/stdout" 2>"$tmp/err"
    status=$?
    cd "$top" || exit 2
    judge "TMPDIR '$name'" 'sum 3' ''
    [ "$status" -eq 0 ] || not_ok "TMPDIR '$name'" "status $status"
done
umount /dev/shm

# The directory is filled while the program runs, before it makes a process, threads or new code.
mount -t tmpfs none "$small" -o size=80m
mount -t tmpfs none /dev/shm -o size=4k
for work in 'forks 3:sum 3' 'threads 40 10:total 400' 'late-handlers 2:failed 0' "spawn $PWD/$p exit 0:" \
    "exec $PWD/$p args:[$PWD/$p][args]"; do
    mkfifo "$tmp/stdin" 2>/dev/null
    # shellcheck disable=SC2086 # several words
    "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$p" after-stdin ${work%%:*} \
        >"$tmp/stdout" 2>"$tmp/err" <"$tmp/stdin" &
    run=$!
    exec 8>"$tmp/stdin"
    for _ in $(seq 100); do
        set -- "$small"/armpmu-run.*/p.*
        [ -e "$1" ] && break
        sleep 0.05
    done
    sleep 0.3
    dd if=/dev/zero of="$small/filler" bs=64k 2>/dev/null
    dd if=/dev/zero of="$small/filler2" bs=4k 2>/dev/null
    exec 8>&-
    wait "$run"
    status=$?
    judge "space filled before ${work%% *}" "${work#*:}" whole
    [ "$status" -eq 3 ] || not_ok "space filled before ${work%% *}" "status $status"
    rm -f "$small/filler" "$small/filler2"
done
umount /dev/shm "$small"
unset TMPDIR

# Counts a program that makes processes.  Before that, 100 MB are written to /dev/shm, or as much as it has room for.
fill_memory() {
    rm -f "$tmp/stdin"
    mkfifo "$tmp/stdin"
    "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$p" after-stdin forks 3 >"$tmp/stdout" 2>"$tmp/err" \
        <"$tmp/stdin" &
    run=$!
    exec 8>"$tmp/stdin"
    for _ in $(seq 100); do
        [ -n "$(find /dev/shm "$small" -path '*/armpmu-run.*/p.*')" ] && break
        sleep 0.05
    done
    sleep 0.3
    dd if=/dev/zero of=/dev/shm/filler bs=64k count=1600 2>/dev/null
    dd if=/dev/zero of=/dev/shm/filler2 bs=4k count=16 2>/dev/null
    exec 8>&-
    wait "$run"
    status=$?
    rm -f /dev/shm/filler /dev/shm/filler2
}
# A /dev/shm of 64 MB is taken, and fills up.  The complaint names it, and each cure that it gives helps.
mount -t tmpfs none /dev/shm -o size=64m
mount -t tmpfs none "$small" -o size=80m
fill_memory
message='^armpmu stat: /dev/shm/armpmu-run\..*: No space left on device; make /dev/shm larger, mount -o '\
'remount,size=1G /dev/shm, or in a container --shm-size=1g; or name another directory in ARMPMU_TMPDIR$'
if [ "$status" -eq 3 ] && [ "$(cat "$tmp/stdout")" = 'sum 3' ] && ! grep -q '^[0-9]' "$tmp/out" &&
    grep -q "$message" "$tmp/err"; then
    ok 'memory is short'; else not_ok 'memory is short' "$status: $(cat "$tmp/stdout" "$tmp/out" "$tmp/err")"; fi
ARMPMU_TMPDIR=$small
export ARMPMU_TMPDIR
fill_memory
judge 'memory is short, with the cure ARMPMU_TMPDIR' 'sum 3' ''
expect "$status" 'memory is short, with ARMPMU_TMPDIR: counted' "status $status: $(cat "$tmp/err")"
unset ARMPMU_TMPDIR
mount -o remount,size=1G /dev/shm
fill_memory
judge 'memory is short, with the cure remount' 'sum 3' ''
expect "$status" 'memory is short, after remount: counted' "status $status: $(cat "$tmp/err")"
umount /dev/shm "$small"

# Checks that under these limits, options of ulimit, the tool ends with status 3 and a complaint that has the pattern.
limited() { # NAME LIMITS PATTERN
    (eval "ulimit $2"; exec "$B/armpmu" stat -x, -e INST_RETIRED "$p" forks 3) >"$tmp/stdout" 2>"$tmp/err"
    status=$?
    if [ "$status" -eq 3 ] && grep -qE "^armpmu stat: $3" "$tmp/err"; then ok "limit $1"; else
        not_ok "limit $1" "$status: $(cat "$tmp/stdout" "$tmp/err")"; fi
}
limited 'size of files' '-f 1' '.*: File too large; raise the limit of the size of files, ulimit -f$'
limited 'size of files, of images' '-f 60000' '.*ulimit -f$'
for n in 4 5 6 7 8; do
    limited "open files $n" "-n $n" '.*: Too many open files; raise the limit of open files, ulimit -n$'
done
limited 'memory of the emulator' '-v 200000' '.*(its message is above; |; raise the limit of memory, ulimit -v)'
summary
