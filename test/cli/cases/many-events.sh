# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  More events than a PMU has counters: there are more PMUs, and each event is counted all the time.
events=$(armpmu list exact | awk '{ print $2 }' | paste -sd, -)
armpmu stat -x, -e "$events,CPU_CYCLES" -o all loop
for event in INST_RETIRED LD_RETIRED ST_RETIRED BR_RETIRED BR_COND_RETIRED LDST_ANY_RETIRED EXC_SVC CPU_CYCLES; do
    awk -F, -v e="$event" '$3 == e { print e, $1 }' all
done
awk -F, 'NF == 7' all | wc -l | awk '{ print ($1 > 31) }'
awk -F, 'NF == 7 && $5 != "100.00"' all
