#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The assemblers of this machine agree with the encodings of the register table.
exec sh tools/witness.sh
