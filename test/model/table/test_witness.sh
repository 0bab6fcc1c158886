#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that the assemblers of this machine agree with the encodings of the register table.
# Runs beside other tests.
set -u
. test/lib/tap.sh
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
sh tools/witness.sh >"$log" 2>&1
status=$?
[ $status -ne 77 ] || skip_all "$(tail -n 1 "$log")"
relay "encodings" $status "$log"
summary
