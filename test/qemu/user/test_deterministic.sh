#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu stat --deterministic: programs in C, Rust and Python whose work depends on time, random numbers, hashes,
# process ids, temporary files, addresses and the environment count the same in 20 runs, and do not without the option.
# What cannot be held still is named.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
unset ARMPMU_ENGINE
armpmu=$(pwd)/$B/armpmu
sources=$(pwd)/test/qemu/user/steady
causes='time loop random file process temporary addresses surroundings cpus'
"${CROSS}gcc" -O1 "$sources/varies.c" -o "$tmp/varies" &&
    "${CROSS}gcc" -O1 -static "$sources/varies.c" -o "$tmp/static" ||
    { not_ok 'varies.c' 'it cannot be compiled'; summary; }
ARMPMU_QEMU=$QEMU
export ARMPMU_QEMU

# Counts the program RUNS times into $tmp/result.  Its remarks are in $tmp/err.
count() { # RUNS OPTION... -- PROGRAM...
    runs=$1
    shift
    "$armpmu" stat -r "$runs" -e INST_RETIRED,LD_RETIRED --save "$tmp/result" "$@" >/dev/null 2>"$tmp/err"
}
# Succeeds if all runs of $tmp/result counted the same.
is_steady() {
    python3 - "$tmp/result" <<'END'
import json, sys
sys.exit(any(e["min"] != e["max"] for e in json.load(open(sys.argv[1]))["events"]))
END
}
# Checks that the program counts the same in RUNS runs with --deterministic, and does not in one of 10 without it.
holds() { # NAME RUNS OPTION... -- PROGRAM...
    name=$1 runs=$2
    shift 2
    count "$runs" --deterministic "$@" && is_steady
    expect $? "$name: $runs runs count the same" "$(grep -E 'INST|LD|armpmu' "$tmp/err" | tr '\n' ';')"
}
differs() { # NAME PROGRAM...
    name=$1
    shift
    count 10 -- "$@" && ! is_steady
    expect $? "$name: without --deterministic runs differ" "$(grep -E 'INST|LD|armpmu' "$tmp/err" | tr '\n' ';')"
}

need python3
for form in varies static; do
    holds "C, $form" 20 -- "$tmp/$form"
    for cause in $causes; do
        holds "C, $form, $cause" 3 -- "$tmp/$form" "$cause"
    done
done
for cause in time random file process temporary; do
    differs "C, $cause" "$tmp/varies" "$cause"
done

# Another environment, another number of descriptors, another size of the stack: the counts are those of the baseline.
count 1 --deterministic -- "$tmp/varies"
mv "$tmp/result" "$tmp/base"
(
    ulimit -n 500
    LONG=$(head -c 5000 /dev/zero | tr '\0' x) TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$armpmu" stat --deterministic -r 3 \
        -e INST_RETIRED,LD_RETIRED --baseline "$tmp/base" --fail-above 0% -- "$tmp/varies" >"$tmp/out" 2>&1
)
expect $? 'another environment, the same counts' "$(cat "$tmp/out")"
grep -q '^ equal: all 2 events$' "$tmp/out"
expect $? 'the comparison says equal' "$(cat "$tmp/out")"
"$armpmu" stat --deterministic --env LONG=................................................ -e INST_RETIRED,LD_RETIRED \
    --baseline "$tmp/base" --fail-above 0% -- "$tmp/varies" >"$tmp/out" 2>&1
[ $? -eq 1 ]
expect $? '--env gives the program a variable more' "$(cat "$tmp/out")"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$tmp"
    setpriv --reuid 65534 --regid 65534 --clear-groups "$armpmu" stat --deterministic -e INST_RETIRED,LD_RETIRED \
        --baseline "$tmp/base" --fail-above 0% -- "$tmp/varies" >"$tmp/out" 2>&1
    status=$?
    if grep -q 'not held still: process ids' "$tmp/out"; then
        skip 'a user without rights' "$(grep 'process ids' "$tmp/out")"
    else
        expect $status 'a user without rights, the same counts' "$(cat "$tmp/out")"
    fi
fi
holds 'another emulator or the same: 5 runs' 5 -- "$tmp/varies"
if [ -x "$B/qemu/armpmu-qemu-aarch64" ]; then
    ARMPMU_QEMU=$(pwd)/$B/qemu/armpmu-qemu-aarch64
    holds 'C, the built emulator' 20 -- "$tmp/varies"
    ARMPMU_QEMU=$QEMU
fi

# What cannot be held still is named.
cat >"$tmp/loose.c" <<'END'
#include <dirent.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/times.h>
#include <stdint.h>
#include <stdio.h>
static void *nothing(void *p) { return p; }
int main(void)
{
    struct itimerval timer = {{0, 0}, {1000, 0}};
    struct tms used;
    uint64_t count;
    pthread_t thread;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    times(&used);
    setitimer(ITIMER_REAL, &timer, NULL);
    DIR *d = opendir("/");
    while (readdir(d) != NULL) { }
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    while (getchar() != EOF) { }
    return count == 0;
}
END
"${CROSS}gcc" -O1 "$tmp/loose.c" -o "$tmp/loose" -lpthread
(echo a; sleep 0.3; echo b) | "$armpmu" stat --deterministic -e INST_RETIRED -- "$tmp/loose" >"$tmp/out" 2>&1
for what in 'CNTVCT_EL0' 'times() returns' "a timer's signal" "a folder's files" 'read of a pipe' 'threads take turns'
do
    grep -F 'not held still: ' "$tmp/out" | grep -qF "$what"
    expect $? "named: $what" "$(cat "$tmp/out")"
done
"$armpmu" stat --deterministic -e INST_RETIRED -- "$tmp/varies" random 2>&1 | grep 'not held' >"$tmp/out"
[ ! -s "$tmp/out" ]
expect $? 'nothing is named where all is held' "$(cat "$tmp/out")"

# Where there can be no pid namespace, this is said, and all else is held.
if unshare -r sh -c 'echo 0 >/proc/sys/user/max_pid_namespaces' 2>/dev/null; then
    unshare -r sh -c 'echo 0 >/proc/sys/user/max_pid_namespaces && exec "$@"' sh "$armpmu" stat --deterministic -r 3 \
        -e INST_RETIRED,LD_RETIRED --save "$tmp/result" -- "$tmp/varies" random >"$tmp/out" 2>&1
    grep -q 'not held still: process ids, because there can be no pid namespace here: ' "$tmp/out" && is_steady
    expect $? 'no pid namespace: it is named' "$(cat "$tmp/out")"
else
    skip 'no pid namespace' 'unshare cannot limit them here'
fi

# A program that executes others, one after the other.
if why=$(sh tools/arm64-root.sh 2>&1); then
    holds 'busybox sh, and two programs' 5 -L "$B/root-arm64" -- "$B/root-arm64/usr/bin/busybox" sh -c \
        "$tmp/static; $tmp/static process; echo \$\$"
else
    skip 'busybox sh' "$why"
fi

# Rust: Debian's compiler with its library for arm64.
if [ -x /usr/bin/rustc ] && why=$(sh tools/arm64-root.sh root-rust sqlite3 gzip busybox libstd-rust-dev 2>&1) &&
    why=$(/usr/bin/rustc -O --target aarch64-unknown-linux-gnu --sysroot "$B/root-rust/usr" -C "linker=${CROSS}gcc" \
        -o "$tmp/rust" "$sources/varies.rs" 2>&1); then
    holds 'Rust' 20 -- "$tmp/rust"
    differs 'Rust' "$tmp/rust"
else
    skip 'Rust' "${why:-no /usr/bin/rustc: apt-get install rustc}"
fi

# Python.  Compiled modules are files that a run leaves to the next, so none are written.
packages='sqlite3 gzip busybox bzip2 xz-utils zstd perl-base lua5.4 python3-minimal'
# shellcheck disable=SC2086 # words
if why=$(sh tools/arm64-root.sh root-bench $packages 2>&1); then
    root=$(cd "$B/root-bench" && pwd)
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONDONTWRITEBYTECODE
    cat >"$tmp/hash.py" <<'END'
words = {f"word{i}" for i in range(200)}
print(sum(i * len(word) for i, word in enumerate(words) if hash(word) % 3 == 0))
END
    for script in "$tmp/hash.py" "$sources/varies.py"; do
        if "$armpmu" stat -L "$root" -e INST_RETIRED -- "$root/usr/bin/python3" "$script" >"$tmp/out" 2>&1; then
            holds "Python, ${script##*/}" 20 --env PYTHONDONTWRITEBYTECODE -L "$root" -- \
                "$root/usr/bin/python3" "$script"
        else
            skip "Python, ${script##*/}" "$(grep -m 1 Error "$tmp/out")"
        fi
    done
    count 3 -L "$root" -- "$root/usr/bin/python3" "$tmp/hash.py" && ! is_steady
    expect $? 'Python: without --deterministic runs differ' "$(cat "$tmp/err")"
else
    skip 'Python' "$why"
fi
summary
