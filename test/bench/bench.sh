#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures what counting costs: user time of ten programs under armpmu stat as a ratio to the plain emulator's, in
# rounds, each compared with plain runs of the same round.  A run takes two to three seconds, so that translation, which
# is slower with any plugin, has the weight that it has in real work.  Prints the median of the ratios.  For three of
# the programs it also measures outcomes, plugins that call for each block or instruction, and callgrind on this
# machine's own build of the program, which is what one would use without armpmu.
#
# The ten programs have one thread.  An eleventh row, which is not in the median, has several: plugin interface 1 adds
# without a lock to one place, so there each block calls back when a program has threads.
#
# The first table is of the emulator that `armpmu stat` takes.  If `make qemu-user` has built another one, a second
# table has its ratios: its plugin interface differs, and so does its code for an add (doc/stat.md, "What it costs").
#
# `make bench` calls it; ROUNDS (3), PROGRAMS (a list of names), QEMU (an emulator), KINDS ("ours record graph" alone)
# and B (build) may be set.  If QEMU is set there is one table.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}" "${ROUNDS:=3}"
. tools/emulator.sh
other=$B/qemu/armpmu-qemu-aarch64
[ -z "${QEMU:-}" ] && [ -x "$other" ] || other=
QEMU=${QEMU:-$(aarch64_emulator)} || { echo "skip: no emulator with plugins: make qemu-user"; exit 77; }
: "${PROGRAMS:=sqlite3 gzip bzip2 xz zstd perl lua python3 awk kernel threads}"
export ARMPMU_QEMU="$QEMU"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
root=$B/root-bench

# Prints the exact events that armpmu lists and that cost a callback, or those that cost no more than a block's inline
# add.
events() { # CALLBACK: yes or no
    "$B/armpmu" list -v exact | awk -v callback="$1" '/^0x/ { name = $2; next }
        (/costs a callback/ ? "yes" : "no") == callback { printf "%s%s", comma, name; comma = "," }'
}
exact=$(events no)
all=$exact,$(events yes)
branches=$(echo "$all" | sed 's/,UNALIGNED_LDST_RETIRED//')
stat() { # EVENTS ROOT PROGRAM...
    chosen=$1 under=$2
    shift 2
    "$B/armpmu" stat -x, -o "$tmp/counts" -e "$chosen" --sysroot "$under" -- "$@"
}

# Prints the milliseconds of user time that a command takes, with the input that $input names.
time_of() {
    (
        "$@" <"$input" >/dev/null 2>&1 || echo "bench: $*: status $?" >&2
        times
    ) | awk 'END { split($1, t, /[ms]/); printf "%d\n", (t[1] * 60 + t[2]) * 1000 }'
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# Prints the kinds of run that are measured of a program: "ours", "record" and "graph", and of three programs all.
kinds() { # NAME
    [ -z "${KINDS:-}" ] || { echo "$KINDS"; return; }
    case $1 in
    sqlite3 | gzip | kernel) echo ours record graph callgrind taken outcomes block insn ;;
    *) echo ours record graph ;;
    esac
}

# Prints this machine's own build of the program PROGRAM, if it has one.
native() { # PROGRAM
    [ "$1" != "$B/test/bench/kernel" ] || { echo "$tmp/kernel"; return; }
    PATH=/usr/bin:/bin command -v "${1##*/}"
}
"${CC:-cc}" -std=c11 -O2 -o "$tmp/kernel" test/bench/kernel.c || exit 1

# Runs a program in one of these ways, or "plain", and prints the milliseconds of user time.
run_as() { # KIND ROOT PROGRAM ARGUMENTS
    kind=$1 lib=$2
    shift 2
    case $kind in
    plain) time_of "$QEMU" -L "$lib" "$@" ;;
    ours) time_of stat "$exact" "$lib" "$@" ;;
    record) time_of "$B/armpmu" record -o "$tmp/data" -e INST_RETIRED --sysroot "$lib" -- "$@" ;;
    graph) time_of "$B/armpmu" record --call-graph -o "$tmp/data" -e INST_RETIRED --sysroot "$lib" -- "$@" ;;
    callgrind)
        program=$(native "$1") && shift && command -v valgrind >/dev/null &&
            time_of valgrind --tool=callgrind --callgrind-out-file="$tmp/callgrind" "$program" "$@"
        ;;
    taken) time_of stat "$branches" "$lib" "$@" ;;
    outcomes) time_of stat "$all" "$lib" "$@" ;;
    *) time_of "$QEMU" -L "$lib" -plugin "$B/test/${kind}_plugin.so" "$@" ;;
    esac
}

# Measures a program in rounds, and prints its row of the table.
row() { # NAME INPUT PROGRAM ARGUMENTS
    name=$1 input=$2
    shift 2
    case " $PROGRAMS " in *" $name "*) ;; *) return ;; esac
    [ -x "$1" ] || { echo "skip $name: no $1"; return; }
    rm -f "$tmp"/ratios.*
    : >"$tmp/plain"
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        [ -t 2 ] && printf '\r%s: round %d of %d ' "$name" $((round + 1)) "$ROUNDS" >&2
        # Each run is compared with a plain run before and one after it, because the load of the machine changes.
        before=$(run_as plain "$root" "$@")
        for kind in $(kinds "$name"); do
            counted=$(run_as "$kind" "$root" "$@")
            after=$(run_as plain "$root" "$@")
            [ -z "$counted" ] ||
                echo "$counted $before $after" | awk '{ print 2 * $1 / ($2 + $3) }' >>"$tmp/ratios.$kind"
            echo "$before" >>"$tmp/plain"
            before=$after
        done
        round=$((round + 1))
    done
    [ -t 2 ] && printf '\r%60s\r' '' >&2
    printf '%-10s %8d ms' "$name" "$(median <"$tmp/plain")"
    for kind in $(kinds "$name"); do
        if [ -s "$tmp/ratios.$kind" ]; then printf ' %14.2f' "$(median <"$tmp/ratios.$kind")"; else printf ' %14s' -; fi
    done
    echo
    [ "$name" != threads ] || return
    for kind in ours record graph; do
        [ ! -s "$tmp/ratios.$kind" ] || echo "$(median <"$tmp/ratios.$kind") $name" >>"$tmp/medians.$kind"
    done
}

cat >"$tmp/sql" <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 200003) FROM n;
CREATE INDEX x ON t(b);
SELECT count(*), sum(a), max(b) FROM t WHERE b LIKE '%99%';
SELECT substr(b, 1, 6), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3;
SQL
awk 'BEGIN {
    srand(1)
    for (i = 0; i < 500000; i++)
        printf "%d line %x %s\n", i, i * 7919, substr("abcdefghijklmnop", int(rand() * 9), 7)
}' >"$tmp/lines"
head -n 350000 "$tmp/lines" >"$tmp/fewer-lines"
cat >"$tmp/count.pl" <<'PERL'
my (%n, $s);
while (<STDIN>) { my @w = split; $n{$w[2] =~ s/[0-9]+/#/gr}++; $s += length $w[-1]; }
print scalar(keys %n), " $s\n";
PERL
cat >"$tmp/queens.lua" <<'LUA'
local function place(n, row, cols, up, down)
    if row > n then return 1 end
    local found = 0
    for c = 1, n do
        if not cols[c] and not up[row + c] and not down[row - c + n] then
            cols[c], up[row + c], down[row - c + n] = true, true, true
            found = found + place(n, row + 1, cols, up, down)
            cols[c], up[row + c], down[row - c + n] = nil, nil, nil
        end
    end
    return found
end
local words = {}
for i = 1, 400000 do words[i] = ("%x"):format(i * 7919 % 65521) end
table.sort(words)
print(place(9, 1, {}, {}, {}), #table.concat(words))
LUA
cat >"$tmp/life.py" <<'PYTHON'
def neighbours(cell):
    x, y = cell
    return [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
alive = {(0, 0), (1, 0), (-1, 1), (0, -1), (0, 1)}
for generation in range(750):
    seen = {}
    for cell in alive:
        for n in neighbours(cell):
            seen[n] = seen.get(n, 0) + 1
    alive = {c for c, n in seen.items() if n == 3 or n == 2 and c in alive}
print(len(alive), sum(x * y for x, y in alive))
PYTHON

release=$("$QEMU" --version | sed -n 's/^\(qemu-[^ ]*\) version \([0-9.]*\).*/\1 \2/p')
length() { echo "$1" | tr , '\n' | wc -l; }
echo "User time as a ratio to plain $release, median of $ROUNDS rounds."
echo "stat: armpmu stat with all $(length "$exact") exact events that follow from blocks.  record: armpmu record of"
echo "INST_RETIRED, with the time in which it writes the file.  graph: the same with --call-graph."
if [ -n "${KINDS:-}" ]; then
    printf '%-10s %11s %14s %14s %14s\n' program plain stat record graph
else
    echo "callgrind: valgrind --tool=callgrind of this machine's own build of the program, as a ratio to the same time."
    echo "+ branches: with those of branches taken and skipped; + unaligned: with unaligned accesses as well, so with"
    echo "all $(length "$all") exact events."
    printf '%-10s %11s %14s %14s %14s %14s %14s %14s %14s %14s\n' \
        program plain stat record graph callgrind '+ branches' '+ unaligned' 'a call/block' 'a call/insn'
fi
packages='sqlite3 gzip busybox bzip2 xz-utils zstd perl-base lua5.4 python3-minimal'
# shellcheck disable=SC2086 # words
if why=$(B=$B sh tools/arm64-root.sh root-bench $packages); then
    row sqlite3 "$tmp/sql" "$root/usr/bin/sqlite3" :memory:
    row gzip "$tmp/lines" "$root/usr/bin/gzip" -9 -c
    row bzip2 "$tmp/lines" "$root/usr/bin/bzip2" -c
    row xz "$tmp/lines" "$root/usr/bin/xz" -1 -c
    row zstd "$tmp/lines" "$root/usr/bin/zstd" --single-thread --no-asyncio -7 -c
    row perl "$tmp/fewer-lines" "$root/usr/bin/perl" "$tmp/count.pl"
    row lua /dev/null "$root/usr/bin/lua5.4" "$tmp/queens.lua"
    row python3 /dev/null "$root/usr/bin/python3" -S -E "$tmp/life.py"
    row awk "$tmp/lines" "$root/usr/bin/busybox" awk '{ n[$1] += NF; s += NF / 7 } END { print length(n), s }'
else
    echo "skip Debian's programs: $why"
fi
row kernel /dev/null "$B/test/bench/kernel" 20
[ ! -x "$root/usr/bin/zstd" ] || row threads "$tmp/lines" "$root/usr/bin/zstd" -T1 -7 -c
# Prints the median and the worst of a kind.
medians() { # KIND NAME GOAL WORST
    [ -s "$tmp/medians.$1" ] || return
    printf '%s: median of %d programs: %.2f (goal: at most %s)\n' "$2" \
        "$(wc -l <"$tmp/medians.$1")" "$(cut -d ' ' -f 1 "$tmp/medians.$1" | median)" "$3"
    sort -n "$tmp/medians.$1" | tail -n 1 |
        awk -v name="$2" -v goal="$4" '{ printf "%s: worst: %s %.2f (goal: at most %s)\n", name, $2, $1, goal }'
}
[ -s "$tmp/medians.ours" ] || { echo "skip the median: none of its programs was measured: $PROGRAMS"; exit 77; }
medians ours stat 1.06 1.15
medians record record 1.15 1.15
medians graph graph 2.0 2.0
if [ -n "$other" ] && [ "$other" != "$QEMU" ]; then
    echo
    QEMU=$other KINDS='ours record graph' PROGRAMS=$PROGRAMS ROUNDS=$ROUNDS sh test/bench/bench.sh
fi
