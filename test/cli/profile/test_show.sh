#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What armpmu report, annotate and diff print of recordings: sums, trees, filters, formats, the terminal, and refusals.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
need aarch64-linux-gnu-gcc
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
relay_python "show" test/cli/profile/show/check_show.py "$dir"
summary
