# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  Events that cost a callback.
armpmu stat -x, -e PC_WRITE_RETIRED,BR_COND_TAKEN_RETIRED -o out loop
cut -d, -f1,3 out | sed 1,2d
