#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What counting costs: wall time of programs under plain qemu-aarch64 and under plugins, in rounds, each beside a plain
# run of the same round.  Prints the median of the ratios.  `make bench` calls it; ROUNDS (5) and B (build) may be set.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=build}" "${ROUNDS:=5}"
. tools/emulator.sh
QEMU=${QEMU:-$(aarch64_emulator)} || { echo "skip: no emulator with plugins: make qemu-user"; exit 77; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
root=$B/root-arm64

# The exact events that cost nothing more than a block's inline add, and those that cost a callback, as armpmu lists them.
events() { # yes or no: is there a callback
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

now() { date +%s%N; }

# Milliseconds that a command takes, with the input that $input names.
time_of() {
    begin=$(now)
    "$@" <"$input" >/dev/null 2>&1 || echo "bench: $*: status $?" >&2
    echo $((($(now) - begin) / 1000000))
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

row() { # NAME INPUT ROOT PROGRAM ARGUMENTS
    name=$1 input=$2 lib=$3
    shift 3
    for f in plain ours taken outcomes block insn; do : >"$tmp/$f"; done
    round=0
    while [ $round -lt "$ROUNDS" ]; do
        [ -t 2 ] && printf '\r%s: round %d of %d ' "$name" $((round + 1)) "$ROUNDS" >&2
        plain=$(time_of "$QEMU" -L "$lib" "$@")
        echo "$plain" >>"$tmp/plain"
        ours=$(time_of stat "$exact" "$lib" "$@")
        again=$(time_of "$QEMU" -L "$lib" "$@")
        taken=$(time_of stat "$branches" "$lib" "$@")
        outcomes=$(time_of stat "$all" "$lib" "$@")
        block=$(time_of "$QEMU" -L "$lib" -plugin "$B/test/block_plugin.so" "$@")
        insn=$(time_of "$QEMU" -L "$lib" -plugin "$B/test/insn_plugin.so" "$@")
        # A plain run before and one after: what else the machine does meanwhile counts for half.
        for pair in "ours $ours" "taken $taken" "outcomes $outcomes" "block $block" "insn $insn"; do
            echo "$pair $plain $again" | awk '{ print 2 * $2 / ($3 + $4) }' >>"$tmp/${pair%% *}"
        done
        round=$((round + 1))
    done
    [ -t 2 ] && printf '\r%60s\r' '' >&2
    printf '%-10s %8d ms %10.2f %14.2f %14.2f %14.2f %14.2f\n' "$name" "$(median <"$tmp/plain")" "$(median <"$tmp/ours")" \
        "$(median <"$tmp/taken")" \
        "$(median <"$tmp/outcomes")" "$(median <"$tmp/block")" "$(median <"$tmp/insn")"
    median <"$tmp/ours" >>"$tmp/medians"
}

cat >"$tmp/sql" <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80000)
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 80021) FROM n;
CREATE INDEX x ON t(b);
SELECT count(*), sum(a), max(b) FROM t WHERE b LIKE '%99%';
SELECT substr(b, 1, 6), count(*) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3;
SQL
awk 'BEGIN { srand(1); for (i = 0; i < 250000; i++) printf "%d line %x %s\n", i, i * 7919, substr("abcdefghijklmnop", int(rand() * 9), 7) }' \
    >"$tmp/lines"

echo "Wall time as a ratio to plain qemu-aarch64, median of $ROUNDS pairs."
echo "armpmu: armpmu stat with all $(echo "$exact" | tr , '\n' | wc -l) exact events that follow from blocks; + branches: with those of branches"
echo "taken and skipped; + unaligned: with unaligned accesses as well, so with all $(echo "$all" | tr , '\n' | wc -l) exact events."
printf '%-10s %11s %10s %14s %14s %14s %14s\n' program plain armpmu '+ branches' '+ unaligned' 'a call/block' 'a call/insn'
if why=$(B=$B sh tools/arm64-root.sh); then
    row sqlite3 "$tmp/sql" "$root" "$root/usr/bin/sqlite3" :memory:
    row gzip "$tmp/lines" "$root" "$root/bin/gzip" -9 -c
else
    echo "skip sqlite3 and gzip: $why"
fi
[ -x "$B/test/bench/kernel" ] && row kernel /dev/null / "$B/test/bench/kernel" 8
awk '{ if ($1 > worst) worst = $1 } END { printf "worst median of armpmu: %.2f (goal: at most 1.15)\n", worst }' "$tmp/medians"
