# SPDX-License-Identifier: BSD-2-Clause
# An unknown event: the nearest names.
armpmu stat -e INST_RETIERD true
echo $?
armpmu stat -e INST_RETIRED,instrctions true
echo $?
armpmu stat -e r10000 true
echo $?
armpmu stat -e INST_RETIRED:k true
echo $?
armpmu stat -e '{INST_RETIRED,LD_RETIRED}:x' true
echo $?
armpmu stat -e 'INST_RETIRED,{LD_RETIRED' true
echo $?
armpmu stat -e 'INST_RETIRED}' true
echo $?
armpmu stat -e INST_RETIRED, true
