# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  A modelled core: its marks in all formats, groups, and its usual events.  The program loops 1000
# times over two loads and a store; the lines of its data and the pages that it touches are few.
armpmu stat --core Cortex-A53 -e '{INST_RETIRED,L1D_CACHE,MEM_ACCESS}:u' -e L1D_CACHE_REFILL_WR,OP_RETIRED loop
armpmu stat --core a72 -x, -e L1D_CACHE,BR_RETIRED,BR_PRED -o fields loop
sed '/^#/d;/^$/d' fields | cut -d , -f 1,3,7
armpmu stat --core neoverse-n1 -j -e L1I_TLB_REFILL -o json loop
cut -d , -f 1,3,6-8 json
printf 'core cortex-a72\nname mine\nl2.size 2M\n' >mine
armpmu stat --core-file mine -x, -e L2D_TLB,BR_RETURN_MIS_PRED_RETIRED -o fields loop
sed '/^#/d;/^$/d' fields | cut -d , -f 1,3,7
armpmu stat --core cortex-a76 -x, -o fields loop
awk -F, '$3 ~ /[A-Z]/ { printf "%s ", $3 }' fields
