#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests the page of armpmu report --html and run --html: its modules by node, its data against report, and what a
# browser shows, which test/browser.mjs of the folder page/ clicks through in headless Chromium.  Without npm, or if it
# cannot reach the registry, only the data is tested; without Chromium, no browser.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
need aarch64-linux-gnu-gcc python3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
tool=$(pwd)/$B/armpmu
page=
if sh tools/page.sh >"$dir/log" 2>&1; then
    page=$B/page.html
    sh tools/page.sh test >"$dir/log" 2>&1
    expect $? 'page: the tests of its modules' "$(grep -m 3 '^not ok' "$dir/log" | tr '\n' ';')"
else
    skip 'page: its modules, and what a browser shows' "$(tail -n 1 "$dir/log")"
fi

# Two programs of which one does more, a program that prints nothing, and their recordings.
cat >"$dir/work.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#ifndef ROUNDS
#define ROUNDS 40
#endif
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static unsigned mix(unsigned x) { return (x ^ x >> 3) * 2654435761u; }
__attribute__((noinline)) static int fill(int *v, int n)
{
    for (int i = 0; i < n; i++) {
        v[i] = (int)(mix((unsigned)i) & 0xffff);
    }
    return n;
}
int main(void)
{
    static int v[500];
    for (int i = 0; i < ROUNDS; i++) {
        qsort(v, (size_t)fill(v, 500), sizeof v[0], by_value);
    }
    return v[0] < 0;
}
C
build_work() { # NAME OPTION...
    name=$1
    shift
    aarch64-linux-gnu-gcc -O1 -g -static "$@" "$dir/work.c" -o "$dir/$name" &&
        "$tool" record -e INST_RETIRED,LD_RETIRED,BR_RETIRED -o "$dir/$name.data" -- "$dir/$name" 2>"$dir/err"
}
if ! { build_work before && build_work after -DROUNDS=60; }; then
    skip_all "no recording: $(tail -n 1 "$dir/err")"
fi

# The data, in a page that is nothing else.
printf '@TITLE@\n@DATA@' >"$dir/page.html"
ARMPMU_LIBDIR=$dir "$tool" report --html "$dir/data" "$dir/before.data" 2>"$dir/err"
expect $? 'report --html' "$(cat "$dir/err")"
"$tool" report -j "$dir/before.data" >"$dir/rows" 2>"$dir/err"
python3 test/cli/profile/check_page.py "$dir/data" "$dir/rows" >"$dir/log" 2>&1
relay 'page: the data' $? "$dir/log"
ARMPMU_LIBDIR=$dir "$tool" report --html "$dir/both" "$dir/before.data" "$dir/after.data" 2>"$dir/err"
python3 test/cli/profile/check_page.py "$dir/both" >"$dir/log" 2>&1
relay 'page: the data of two recordings' $? "$dir/log"
ARMPMU_LIBDIR=$dir "$tool" report --html - "$dir/before.data" "$dir/after.data" 2>"$dir/err" | cmp -s - /dev/null
[ ! -s "$dir/err" ]
expect $? 'report --html - writes two recordings to stdout' "$(cat "$dir/err")"

# Refusals.
refused() { # NAME STATUS TEXT ARGUMENT...
    name=$1 wanted=$2 text=$3
    shift 3
    ARMPMU_LIBDIR=$dir "$tool" report "$@" >"$dir/out" 2>"$dir/err"
    status=$?
    [ $status -eq "$wanted" ] && [ "$(grep -c '' "$dir/err")" -eq 1 ] && grep -qF -- "$text" "$dir/err"
    expect $? "report --html: $name" "status $status: $(cat "$dir/err")"
}
refused 'three recordings' 2 'reads one recording, or two for --html' --html "$dir/x" "$dir/before.data" a b
refused 'a full disk' 3 '/dev/full: No space left on device; make room' --html /dev/full "$dir/before.data"
refused 'no recording' 3 'none.data: it cannot be read: No such file' --html "$dir/x" "$dir/none.data"
rm "$dir/page.html"
refused 'no page' 3 'page.html: not built here; build it once with make page' --html "$dir/x" "$dir/before.data"
printf 'nothing' >"$dir/page.html"
refused 'a page without a place for data' 3 'page.html: it is no page without data' --html "$dir/x" "$dir/before.data"

# What a browser shows.
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$page" ] && [ -n "$chromium" ]; then
    "$tool" report --html "$dir/one.html" "$dir/before.data" &&
        "$tool" report --html "$dir/two.html" "$dir/before.data" "$dir/after.data"
    set -- "$dir/one.html" "$dir/two.html"
    root=$B/root-arm64
    if [ -x "$root/usr/bin/sqlite3" ]; then
        echo 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT sum(i) FROM n;' |
            "$tool" record -L "$root" -o "$dir/sqlite3.data" -- "$root/usr/bin/sqlite3" >/dev/null &&
            "$tool" report --html "$dir/sqlite3.html" "$dir/sqlite3.data" && set -- "$@" "$dir/sqlite3.html"
    fi
    printf '#!/bin/sh\ncp test/cli/profile/run.vcd "$ARMPMU_WAVE"\n%s\n' \
        'printf "armpmu-report 1\ncpu 0 1000 pmuv3\n" >"$ARMPMU_REPORT"' >"$dir/emulator"
    chmod +x "$dir/emulator"
    ARMPMU_QEMU_SYSTEM=$dir/emulator "$tool" run --html "$dir/run.html" -- image >/dev/null 2>&1 &&
        set -- "$@" "$dir/run.html"
    [ $# -ge 3 ]
    expect $? 'page: pages for the browser' "there are $# of them: $*"
    timeout 300 node "$B/page/test/browser.mjs" "$chromium" "$@" >"$dir/log" 2>&1
    relay 'page: in Chromium' $? "$dir/log"
elif [ -n "$page" ]; then
    skip 'page: what a browser shows' 'no chromium'
fi
summary
