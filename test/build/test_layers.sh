#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks the dependencies of DESIGN.md and the licences (layers.py).
set -u
cd "$(dirname "$0")/../.." || exit 2
git rev-parse --git-dir >/dev/null 2>&1 || { echo "no git repository to list the files of"; exit 77; }
exec python3 test/build/layers.py
