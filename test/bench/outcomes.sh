#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what outcomes cost on the emulators that `make qemu-user` builds: user time as a ratio to the plain
# emulator's, when branches taken and skipped alone are counted, unaligned accesses alone, and all exact events.  In A32
# all of these depend on the outcomes of conditions.
#
# `make bench` calls it; ROUNDS (3), PROGRAMS (a list of names) and B (build) may be set.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}" "${ROUNDS:=3}" "${PROGRAMS:=gzip sqlite3 bzip2 lua kernel kernel-a32 kernel-t32}"
[ -x "$B/qemu/armpmu-qemu-aarch64" ] || { echo 'skip: no built emulator: make qemu-user'; exit 77; }
packages='sqlite3 gzip busybox bzip2 xz-utils zstd perl-base lua5.4 python3-minimal'
# shellcheck disable=SC2086 # words
why=$(B=$B sh tools/arm64-root.sh root-bench $packages) || { echo "skip: $why"; exit 77; }
root=$B/root-bench
ARMPMU_LIBDIR=$(cd "$B" && pwd)
export ARMPMU_LIBDIR
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
awk 'BEGIN { for (i = 0; i < 250000; i++) printf "%d line %x\n", i, i * 7919 }' >"$tmp/lines"
cat >"$tmp/sql" <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000)
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 200003) FROM n;
CREATE INDEX x ON t(b);
SQL
cat >"$tmp/sort.lua" <<'LUA'
local words = {}
for i = 1, 250000 do words[i] = ("%x"):format(i * 7919 % 65521) end
table.sort(words)
LUA
outcomes=$("$B/armpmu" list -v exact | awk '/^0x/ { name = $2; next }
    /costs a callback/ && name != "UNALIGNED_LDST_RETIRED" { printf "%s%s", comma, name; comma = "," }')
exact=$("$B/armpmu" list -v exact | awk '/^0x/ { printf "%s%s", comma, $2; comma = "," }')

# Prints the milliseconds of user time that a command takes, with the input that $input names.
time_of() {
    ("$@" <"$input" >/dev/null 2>&1; times) |
        awk 'END { split($1, t, /[ms]/); printf "%d\n", (t[1] * 60 + t[2]) * 1000 }'
}

# Prints the ratio of $words with counted events to plain runs between them: of each the least of some rounds.
ratio() { # EVENTS
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        # shellcheck disable=SC2086 # words
        before=$(time_of "$emulator" -L "$root" $words)
        # shellcheck disable=SC2086 # words
        echo "$(ARMPMU_QEMU=$emulator time_of "$B/armpmu" stat -x, -o "$tmp/out" -e "$1" --sysroot "$root" -- $words)" \
            "$before"
        round=$((round + 1))
    done | awk 'NR == 1 || $1 < a { a = $1 }
        NR == 1 || $2 < b { b = $2 }
        END { printf "%14.2f", a / (b ? b : 1) }'
}

# Sets $input, the emulator and the program's words.
choose() { # NAME
    input=/dev/null emulator=$B/qemu/armpmu-qemu-aarch64
    case $1 in
    gzip) input=$tmp/lines words="$root/usr/bin/gzip -9 -c" ;;
    bzip2) input=$tmp/lines words="$root/usr/bin/bzip2 -c" ;;
    sqlite3) input=$tmp/sql words="$root/usr/bin/sqlite3 :memory:" ;;
    lua) words="$root/usr/bin/lua5.4 $tmp/sort.lua" ;;
    kernel) words="$B/test/bench/kernel 20" ;;
    *) words="$B/test/bench/$1 20" emulator=$B/qemu/armpmu-qemu-arm ;;
    esac
}

echo "User time as a ratio to the plain built emulator's, least of $ROUNDS rounds, when these are counted:"
printf '%-10s %14s %14s %14s\n' program branches unaligned exact
for name in $PROGRAMS; do
    choose "$name"
    [ -x "${words%% *}" ] || { echo "skip $name: no ${words%% *}"; continue; }
    printf '%-10s %s %s %s\n' "$name" "$(ratio "$outcomes")" "$(ratio UNALIGNED_LDST_RETIRED)" "$(ratio "$exact")"
done
