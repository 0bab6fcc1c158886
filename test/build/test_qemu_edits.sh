#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The edits that put the glue into QEMU's source fit small trees of the test's own (qemu_edits.py).
# Runs beside other tests.
set -u
. test/lib/tap.sh
need python3
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
python3 test/build/qemu_edits.py . >"$log" 2>&1
relay "edits" $? "$log"
summary
