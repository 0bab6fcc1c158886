#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests that control characters in names, and bytes that are not UTF-8, are escaped before they reach a terminal.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/qemu/user/lib.sh
ARMPMU_ENGINE=qemu-user
export ARMPMU_ENGINE

# Checks that LINE is all that armpmu stat PROGRAM prints to stderr.
says() { # NAME LINE PROGRAM
    "$B/armpmu" stat "$3" >/dev/null 2>"$tmp/err"
    if [ "$(cat "$tmp/err")" = "$2" ]; then ok "names $1"; else not_ok "names $1" "$(cat "$tmp/err")"; fi
}
tail=': no such program in PATH; check the name, or give its path'
says 'a newline' "armpmu stat: no\\nsuch$tail" 'no
such'
says 'an escape sequence' "armpmu stat: no\\x1b[31msuch$tail" "$(printf 'no\033[31msuch')"
says 'not UTF-8' "armpmu stat: no\\xff\\xc3(such$tail" "$(printf 'no\377\303(such')"
says 'a control character in UTF-8' "armpmu stat: no\\xc2\\x9bsuch$tail" "$(printf 'no\302\233such')"
says 'UTF-8' "armpmu stat: größe→😀$tail" 'größe→😀'
program=$B/test/c/process
if [ -x "$program" ]; then
    mkdir "$tmp/a
b" && cp "$program" "$tmp/a
b/process"
    "$B/armpmu" stat -e INST_RETIRED "$tmp/a
b/process" signal 15 'x
y' >/dev/null 2>"$tmp/err"
    if grep -qxF "$tmp/a\\nb/process: Terminated" "$tmp/err" &&
        grep -qxF " Performance counter stats for '$tmp/a\\nb/process signal 15 x\\ny':" "$tmp/err"; then
        ok 'names in the results'
    else
        not_ok 'names in the results' "$(cat "$tmp/err")"
    fi
else
    skip 'names in the results' 'no program'
fi
summary
