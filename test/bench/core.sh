#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what a modelled core costs: user time of five programs as a ratio to the plain emulator's, on each emulator
# that is here, with more and more parts of the core simulated.  A thread of its own may simulate the predictor and keep
# time on another CPU: then user time is that of both threads, and the ratio of elapsed times stands beside it.
# Beside them: the same ratio of cachegrind with caches and branches, of the same packages built for this machine, to
# the time that these take without it, and how our time with L1I and branches compares to cachegrind's.  It should be at
# most half of it; the worst program is named.
#
# `make bench` calls it; ROUNDS (3), PROGRAMS (a list of names), CORE (cortex-a72) and B (build) may be set.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}" "${ROUNDS:=3}" "${CORE:=cortex-a72}" "${PROGRAMS:=gzip bzip2 sqlite3 lua perl}"
. tools/emulator.sh
emulators=
for emulator in qemu-aarch64 "$B/qemu/armpmu-qemu-aarch64"; do
    emulator=$(command -v "$emulator") && has_plugins "$emulator" && emulators="$emulators $emulator"
done
[ -n "$emulators" ] || { echo 'skip: no emulator with plugins: make qemu-user'; exit 77; }
packages='sqlite3 gzip busybox bzip2 xz-utils zstd perl-base lua5.4 python3-minimal'
# shellcheck disable=SC2086 # words
why=$(B=$B sh tools/arm64-root.sh root-bench $packages) || { echo "skip: $why"; exit 77; }
root=$B/root-bench
ARMPMU_LIBDIR=$(cd "$B" && pwd)
export ARMPMU_LIBDIR
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
awk 'BEGIN {
    srand(1)
    for (i = 0; i < 350000; i++)
        printf "%d line %x %s\n", i, i * 7919, substr("abcdefghijklmnop", int(rand() * 9), 7)
}' >"$tmp/lines"
cat >"$tmp/sql" <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 200003) FROM n;
CREATE INDEX x ON t(b);
SELECT count(*), sum(a), max(b) FROM t WHERE b LIKE '%99%';
SQL
cat >"$tmp/count.pl" <<'PERL'
my (%n, $s);
while (<STDIN>) { my @w = split; $n{$w[2] =~ s/[0-9]+/#/gr}++; $s += length $w[-1]; }
print scalar(keys %n), " $s\n";
PERL
cat >"$tmp/sort.lua" <<'LUA'
local words = {}
for i = 1, 400000 do words[i] = ("%x"):format(i * 7919 % 65521) end
table.sort(words)
print(#table.concat(words))
LUA

# Prints the milliseconds of user time and of elapsed time that a command takes, with the input that $input names.
time_of() {
    (
        began=$(date +%s%N)
        "$@" <"$input" >/dev/null 2>&1
        ended=$(date +%s%N)
        times
        echo $(((ended - began) / 1000000))
    ) | awk 'NR == 2 { split($1, t, /[ms]/) } END { printf "%d %d\n", (t[1] * 60 + t[2]) * 1000, $1 }'
}
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# Prints the ratio of a command's user time, after --, to that of the plain one before it, the former in milliseconds,
# and the ratio of elapsed times: the least of some rounds in which they take turns.
ratio() { # PLAIN... -- COMMAND...
    plain=
    while [ "$1" != -- ]; do plain="$plain $1"; shift; done
    shift
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        # shellcheck disable=SC2086 # words
        before=$(time_of $plain)
        echo "$(time_of "$@") $before"
        round=$((round + 1))
    done | awk '{ for (i = 1; i <= 4; i++) least[i] = NR == 1 || $i < least[i] ? $i : least[i] }
        END { printf "%.3f %d %.3f\n", least[1] / (least[3] ? least[3] : 1), least[1],
                  least[2] / (least[4] ? least[4] : 1) }'
}

# Sets $input and the program's words.
choose() { # NAME
    input=/dev/null
    case $1 in
    gzip) input=$tmp/lines words='gzip -9 -c' ;;
    bzip2) input=$tmp/lines words='bzip2 -c' ;;
    sqlite3) input=$tmp/sql words='sqlite3 :memory:' ;;
    lua) words="lua5.4 $tmp/sort.lua" ;;
    perl) input=$tmp/lines words="perl $tmp/count.pl" ;;
    esac
}

# The parts are sets of enum apmu_core_part: L1D and L2; and the data TLB; and L1I, its TLB, the predictor; and time.
columns='6 38 119 255'
cell() { awk -v width=$([ "$1" -ge 119 ] && echo 15 || echo 9) '{ printf "%*.2f", width, $1 }'; } # PARTS
for emulator in $emulators; do
    release=$("$emulator" --version | sed -n '1s/\(version [^ ]*\).*/\1/p')
    echo "User time with a $CORE as a ratio to plain $release, least of $ROUNDS rounds."
    printf '%-10s %8s %8s %14s %8s %14s %8s\n' program L1D+L2 +TLB +L1I,branches elapsed +time elapsed
    for name in $PROGRAMS; do
        choose "$name"
        printf '%-10s' "$name"
        for parts in $columns; do
            # shellcheck disable=SC2086 # words
            ARMPMU_QEMU=$emulator ratio "$emulator" -L "$root" "$root/usr/bin/"$words -- "$B/test/run_program" \
                -o "$tmp/out" --core "$CORE" --parts "$parts" --sysroot "$root" -- "$root/usr/bin/"$words |
                tee -a "$tmp/column.$parts" "$tmp/last" | cell "$parts"
            [ "$parts" -ge 119 ] || continue
            [ "$parts" != 119 ] || tail -n 1 "$tmp/last" >>"$tmp/time.$name"
            tail -n 1 "$tmp/last" | awk '{ print $3 }' | tee -a "$tmp/column.elapsed.$parts" | cell 0
        done
        echo
    done
    printf '%-10s' median
    for parts in 6 38 119 elapsed.119 255 elapsed.255; do
        median <"$tmp/column.$parts" | case $parts in elapsed*) cell 0 ;; *) cell "$parts" ;; esac
        rm -f "$tmp/column.$parts"
    done
    echo
    echo
done
command -v valgrind >/dev/null || { echo 'skip cachegrind: no valgrind'; exit 0; }
machine=$(dpkg --print-architecture)
# shellcheck disable=SC2086 # words
why=$(B=$B ARCHITECTURE=$machine sh tools/arm64-root.sh "root-bench-$machine" $packages) ||
    { echo "skip cachegrind: $why"; exit 0; }
native=$B/root-bench-$machine
libraries=$(dirname "$(find "$native/usr/lib" -name 'libc.so.6' | head -n 1)")
echo "cachegrind with caches and branches, of the same packages for $machine: its user time as a ratio to their own,"
echo 'and ours with L1I and branches, in the faster emulator, as a part of that of cachegrind:'
printf '%-10s %10s %8s\n' program cachegrind ours
for name in $PROGRAMS; do
    choose "$name"
    # shellcheck disable=SC2086 # words
    theirs=$(export LD_LIBRARY_PATH="$libraries"
        ratio "$native/usr/bin/"$words -- valgrind --tool=cachegrind --cache-sim=yes --branch-sim=yes \
            --cachegrind-out-file=/dev/null "$native/usr/bin/"$words)
    sort -k 2n "$tmp/time.$name" | head -n 1 |
        awk -v name="$name" -v theirs="$theirs" '{
            split(theirs, t)
            printf "%-10s %10.2f %8.2f\n", name, t[1], $2 / t[2]
        }' | tee -a "$tmp/parts"
done
sort -k 3n "$tmp/parts" | tail -n 1 | awk '{
    printf "worst: %s, %.2f of the time of cachegrind; the goal, 0.50, is %s\n", $1, $3, $3 <= 0.5 ? "met" : "not met"
}'
