# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  The interval is the first key.
armpmu stat -j -I 3600000 -e INST_RETIRED loop
