#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compares every event, including outcomes, with an independent count: count_plugin.c calls back for each instruction,
# and binutils names it.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
need_package "$QEMU" qemu-user
need_package "${CROSS}objdump" binutils-aarch64-linux-gnu

compare() { # NAME
    wrong=$(differences)
    if [ ! -s "$tmp/theirs" ] || ! grep -q '^INST_RETIRED' "$tmp/ours"; then
        not_ok "compare $1" "nothing was counted"
    elif ! cmp -s "$tmp/stdout" "$tmp/stdout.theirs"; then
        not_ok "compare $1" "the program's output differs"
    elif [ -n "$wrong" ]; then
        not_ok "compare $1" "$wrong"
    else
        ok "compare $1: $(awk '$1 == "INST_RETIRED" { print $2 }' "$tmp/ours") instructions"
    fi
}

# Leaves out programs that fault in mid-block, become another program or are killed, which count_plugin miscounts.
for name in loop pairs exclusives calls svc simd threads signal fork; do
    ours --outcomes -- "$B/test/asm/$name"
    theirs "$B/test/asm/$name"
    compare $name
done

why=$(B=$B sh tools/arm64-root.sh) || { echo "skip Debian's arm64 programs: $why"; summary; }
root=$B/root-arm64
# The loader's work depends on where the emulator puts the libraries, which is always the same in memory set aside.
QEMU_RESERVED_VA=0x1000000000
export QEMU_RESERVED_VA
real() { # NAME INPUT PROGRAM ARGUMENTS
    name=$1 input=$2
    shift 2
    ours --outcomes --sysroot "$root" -- "$@" <"$input"
    theirs -L "$root" "$@" <"$input"
    if grep -qx 'status 0' "$tmp/ours"; then
        compare "$name"
    else
        not_ok "compare $name" "$(grep '^status' "$tmp/ours"): $(head -n 1 "$tmp/stderr")"
    fi
}
cat >"$tmp/sql" <<'SQL'
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO t SELECT i, 'row ' || (i * 7919 % 5003), i / 3.0 FROM n;
CREATE INDEX x ON t(b);
SELECT count(*), sum(a), avg(c), max(b) FROM t WHERE b LIKE '%9%';
SELECT substr(b, 1, 5), count(*), round(sum(c), 3) FROM t GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5;
SQL
cat test/qemu/user/*.c test/qemu/user/asm/*.S qemu/classify/*.c >"$tmp/text-file"
real sqlite3 "$tmp/sql" "$root/usr/bin/sqlite3" :memory:
real gzip "$tmp/text-file" "$root/bin/gzip" -9 -c
real busybox "$tmp/text-file" "$root/bin/busybox" sha512sum
real busybox-awk "$tmp/text-file" "$root/bin/busybox" awk '{ n[$1] += NF; s += NF / 7 } END { print length(n), s }'
summary
