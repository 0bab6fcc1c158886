#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks what documents name, the tour of README.md, and that no two types share a name (names.py).
# Runs beside other tests.
set -u
. test/lib/tap.sh
need git python3
git rev-parse --git-dir >/dev/null 2>&1 || skip_all "no git repository to list the files of"
exec python3 test/build/names.py
