# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  Intervals in the text for people.
armpmu stat -I 3600000 -e INST_RETIRED,LD_SPEC loop
