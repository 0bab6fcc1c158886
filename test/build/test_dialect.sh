#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks the dialect of the code: braces, lines, functions, files and macros (dialect.py).
# Runs beside other tests.
set -u
. test/lib/tap.sh
need git python3
git rev-parse --git-dir >/dev/null 2>&1 || skip_all "no git repository to list the files of"
exec python3 test/build/dialect.py
