#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The model and the driver link into firmware: no C library, no writable data, on four targets.
exec sh tools/freestanding.sh
