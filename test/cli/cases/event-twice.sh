# SPDX-License-Identifier: BSD-2-Clause
# An event given twice, under any of its names.
armpmu stat -e INST_RETIRED,inst_retired true
echo $?
armpmu stat -e INST_RETIRED -e instructions true
echo $?
armpmu stat -e 0x8,r8 true
