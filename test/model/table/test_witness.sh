#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Checks that the assemblers of this machine agree with the encodings of the register table.  tools/witness.sh prints
# the results.
exec sh tools/witness.sh
