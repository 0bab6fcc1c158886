#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The demonstration: counts the PMU events of Debian's sqlite3 for arm64, and of a C program that it compiles.
set -eu
: "${B:=build}"
cd "$(dirname "$0")/.."

title() { printf '\n== %s\n' "$1"; }

title "sqlite3 from Debian's arm64 packages: a table of 200,000 rows and a query over it"
if B=$B sh tools/arm64-root.sh; then
    root=$B/root-arm64
    cat >"$B/demo.sql" <<'SQL'
create table visit(id integer primary key, page integer, ms integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
insert into visit select i, (i * 7919) % 101, (i * 104729) % 997 from n;
create index by_page on visit(page);
select page, count(*), avg(ms) from visit group by page order by 3 desc limit 3;
SQL
    "$B/armpmu" stat --sysroot "$root" -- "$root/usr/bin/sqlite3" <"$B/demo.sql"
else
    echo "skipped: the packages cannot be had here"
fi

title "a C program, cross-compiled here: its branches, with outcomes, and what the counters cannot know exactly"
cat >"$B/demo.c" <<'C'
#include <stdio.h>

int main(void)
{
    unsigned long primes = 0;

    for (unsigned n = 2; n < 60000; n++) {
        unsigned d = 2;
        while (d * d <= n && n % d != 0) {
            d++;
        }
        primes += d * d > n;
    }
    printf("%lu primes below 60000\n", primes);
    return 0;
}
C
if command -v aarch64-linux-gnu-gcc >/dev/null 2>&1; then
    aarch64-linux-gnu-gcc -O2 -static "$B/demo.c" -o "$B/demo"
    "$B/armpmu" stat --engine=qemu-user -e INST_RETIRED,BR_COND_RETIRED,BR_COND_TAKEN_RETIRED \
        -e BR_SKIP_RETIRED,BR_RETIRED,CPU_CYCLES -- "$B/demo"
else
    echo "skipped: no aarch64-linux-gnu-gcc"
fi
