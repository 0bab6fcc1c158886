# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  Without stderr the counts would be lost: the program does not start.
armpmu stat -e INST_RETIRED say 2>&-
echo $?
armpmu stat -x, -e INST_RETIRED -o out say 2>&-
echo $?
sed -e 1,2d -e 's/,[0-9]*,100/,ns,100/' out
