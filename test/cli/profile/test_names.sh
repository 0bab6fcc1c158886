#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Names, lines and inlined functions that armpmu report gives to the instructions of real AArch64 programs.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../../.." || exit 2
. test/lib/tap.sh
: "${B:=build}"
need aarch64-linux-gnu-gcc aarch64-linux-gnu-g++
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
relay_python "names" test/cli/profile/show/check_names.py "$dir"
summary
