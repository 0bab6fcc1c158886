#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that set a PMU up rightly get "nothing wrong"; each single mistake in them is named with its line.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
need python3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
B="$B" python3 test/cli/code/mistakes.py >"$log" 2>&1
relay "code" $? "$log"
summary
