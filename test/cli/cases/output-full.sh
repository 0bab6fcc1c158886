# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A full disk: the program runs, the tool complains.
armpmu stat -e INST_RETIRED -o /dev/full say
echo $?
armpmu stat -x, -I 3600000 -e INST_RETIRED say 2>/dev/full
echo $?
armpmu stat -x, -e INST_RETIRED say 2>/dev/full
