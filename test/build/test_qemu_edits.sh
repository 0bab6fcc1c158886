#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The edits that put the glue into QEMU's source fit small trees of the test's own (qemu_edits.py).
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 test/build/qemu_edits.py .
