#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The model and the driver link into firmware: no C library, no writable data, on four targets.
# Runs beside other tests.
set -u
. test/lib/tap.sh
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
sh tools/freestanding.sh >"$log" 2>&1
relay "lib/" $? "$log"
summary
