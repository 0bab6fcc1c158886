#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests armpmu why -c on code: patches.py puts the cure into the code, where the answer says, and asks again. The lines
# of the cures are compiled for each form.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
relay_python "cures" test/cli/why/patches.py
summary
