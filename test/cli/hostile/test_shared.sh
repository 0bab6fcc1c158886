#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the directory with the counts of `armpmu stat` against other users and tools: links and directories next to it,
# many tools at once, and files in it that are removed, truncated or replaced while the program runs.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}gcc" gcc-aarch64-linux-gnu
need_package flock util-linux
ARMPMU_ENGINE=qemu-user
export ARMPMU_ENGINE

base=/dev/shm # the tool takes it if it has room for 64 MB
[ "$(df --output=avail -k "$base" 2>/dev/null | tail -n 1)" -ge 65536 ] 2>/dev/null || base=${TMPDIR:-/tmp}
p=$B/test/c/process

# Counts once.  Fails if there is no count.
counts() {
    "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$p" args >/dev/null 2>"$tmp/err" && grep -q '^[1-9]' "$tmp/out"
}

# Passes the check NAME if the command succeeds.
check() { # NAME COMMAND...
    name=$1
    shift
    if "$@"; then
        ok "shared $name"
    else
        not_ok "shared $name" "not $*: $(find "$base" -maxdepth 2 -path "*/armpmu-*" | tr '\n' ' ')"
    fi
}
gone() { [ ! -e "$1" ]; }

# Directories and links next to it: the tool removes what a killed tool of this user left behind, and nothing else.
victim=$tmp/victim
mkdir -m 700 "$victim" && : >"$victim/setup" && : >"$victim/p.1.0" && : >"$victim/file" && : >"$victim/lock"
ln -s "$victim" "$base/armpmu-4100000-x"
ln -s "$victim" "$base/armpmu-run.linked"
live=$base/armpmu-run.Lively dead=$base/armpmu-run.Dead00 empty=$base/armpmu-run.Empty0 mine=$base/armpmu-run.Mine00
wide=$base/armpmu-run.Wide00 other=$base/armpmu-run.Other0 long=$base/armpmu-run.results
for dir in "$live" "$dead" "$mine" "$other" "$long"; do
    mkdir -m 700 "$dir" && : >"$dir/lock" && : >"$dir/setup" && : >"$dir/p.1.0"
done
mkdir -m 700 "$empty"
mkdir -m 755 "$wide" && : >"$wide/lock" && : >"$wide/setup"
: >"$mine/thesis"
ln -s "$victim/file" "$dead/shapes"
[ "$(id -u)" -ne 0 ] || chown -R nobody "$other"
exec 9<>"$live/lock"
flock -n 9
counts
expect $? 'shared counts' "$(cat "$tmp/err")"
exec 9<&-
check 'a link is not followed' test -e "$victim/setup" -a -e "$victim/p.1.0" -a -e "$victim/file"
check 'a directory in use stays' test -e "$live/p.1.0"
check 'a directory out of use goes' gone "$dead"
check 'an empty directory goes' gone "$empty"
check 'a file that is not ours stays' test -e "$mine/thesis"
check 'a directory of another mode stays' test -e "$wide/setup"
check 'a directory of another name stays' test -e "$long/setup"
if [ "$(id -u)" -eq 0 ]; then
    check "another user's directory stays" test -e "$other/p.1.0"
else
    skip "shared another user's directory stays" 'not root'
fi
rm -rf "$base/armpmu-4100000-x" "$base/armpmu-run.linked" "$live" "$dead" "$empty" "$mine" "$wide" "$other" "$long"

# Many tools at once: each removes old directories while the others make theirs.
at_once() {
    for i in 1 2 3 4 5 6; do
        for j in 1 2 3 4; do
            "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out$i.$j" "$p" args >/dev/null 2>&1 || echo "status $?"
        done &
    done
    wait
}
at_once >"$tmp/failures"
# 24 runs: each output has one empty line, below its heading; any other line is a count.
lost=$(cat "$tmp"/out?.? | grep -vc '^[1-9#]' | grep -v '^24$')
if [ ! -s "$tmp/failures" ] && [ -z "$lost" ]; then ok 'shared many at once'; else
    not_ok 'shared many at once' "$(cat "$tmp/failures" "$tmp"/out?.?)"; fi

# Starts a run of the program with these arguments, which waits until finish() ends its input.  Sets dir to the run's
# directory, by the descriptors of the tool, since the tool of another test may have such a directory too.
started() { # ARGS...
    mkfifo "$tmp/stdin" 2>/dev/null
    "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/out" "$p" after-stdin "$@" >"$tmp/stdout" 2>"$tmp/err" <"$tmp/stdin" &
    run=$!
    exec 8>"$tmp/stdin"
    dir=
    for _ in $(seq 100); do
        dir=$(readlink /proc/"$run"/fd/* | grep '/armpmu-run\.[^/]*$')
        ls "$dir"/p.* >/dev/null 2>&1 || dir=
        [ -z "$dir" ] || break
        sleep 0.05
    done
    sleep 0.2
}
finish() {
    exec 8>&-
    wait "$run"
    status=$?
}

# A tool in another pid namespace must not take this run for one that was killed, although it cannot see its process.
if unshare -pf true 2>/dev/null; then
    started forks 3
    unshare -pf "$B/armpmu" stat -x, -e INST_RETIRED -o "$tmp/second" "$p" args >/dev/null 2>&1
    finish
    if [ "$status" -eq 0 ] && grep -q '^[1-9]' "$tmp/out"; then ok 'shared a second pid namespace'; else
        not_ok 'shared a second pid namespace' "$status: $(cat "$tmp/out" "$tmp/err")"; fi
else
    skip 'shared a second pid namespace' 'none can be made here'
fi

# Each of the run's files is removed, truncated or replaced, and so is the directory.
# Runs the command in $dir while the program runs.  Checks that the tool prints no count, but a complaint with the
# pattern.
spoiled() { # NAME COMMAND PATTERN
    started forks 3
    if [ -z "$dir" ]; then
        finish
        not_ok "shared $1" "it did not begin: $(cat "$tmp/err")"
        return
    fi
    (cd "$dir" && eval "$2")
    finish
    lost="^armpmu stat: .*/armpmu-run\\..*: $3 while the program ran, so its counts are lost; "
    if [ "$status" -ne 3 ] || ! grep -q "$lost" "$tmp/err"; then
        not_ok "shared $1" "$status: $(cat "$tmp/out" "$tmp/err")"
    elif grep -q '^[0-9]' "$tmp/out"; then
        not_ok "shared $1" "a count: $(cat "$tmp/out")"
    else
        ok "shared $1"
    fi
    rm -rf "$dir" "$dir.away"
}
spoiled 'setup removed' 'rm setup' 'was removed'
spoiled 'shapes removed' 'rm shapes' 'was removed'
spoiled 'image removed' 'rm p.*' 'was removed or truncated'
spoiled 'all removed' 'rm *' 'was removed'
spoiled 'setup truncated' ': >setup' 'was truncated'
spoiled 'shapes truncated' ': >shapes' 'was truncated'
spoiled 'image truncated' 'for f in p.*; do : >$f; done' 'was removed or truncated'
spoiled 'shapes shortened' 'truncate -s 2000000 shapes' 'was truncated'
spoiled 'image shortened' 'for f in p.*; do truncate -s 100000 $f; done' 'was truncated'
spoiled 'setup replaced' 'cp setup x && mv x setup' 'was replaced'
spoiled 'shapes replaced' 'cp --sparse=always shapes x && mv x shapes' 'was replaced'
spoiled 'directory removed' 'rm -r "$dir"' 'was removed'
spoiled 'directory moved' 'mv "$dir" "$dir.away"' 'was removed'
summary
