#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Programs that set a PMU up rightly get "nothing wrong"; each single mistake in them is named with its line.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
relay_python "code" test/cli/code/mistakes.py
summary
