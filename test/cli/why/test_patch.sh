#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu why -c on code: patches.py puts the cure into the code, where the answer says, and asks again. The lines
# of the cures are compiled for each form.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
need python3
log=$(mktemp)
trap 'rm -f "$log"' EXIT
B="$B" python3 test/cli/why/patches.py >"$log" 2>&1
relay "cures" $? "$log"
summary
