# SPDX-License-Identifier: BSD-2-Clause
# needs: programs.  Intervals add up; each is later than the one before, and there are as many as time allows.
armpmu stat -x, -I 50 -e INST_RETIRED,EXC_SVC -o out nap
awk -F, 'NF != 8 && NR > 2 { print "fields", NF }
         NF == 8 { sum[$4] += $2; lines[$4]++; if ($1 + 0 < last) print "time"; last = $1 + 0; ns[$4] += $5 }
         END { for (e in sum) print e, sum[e], (lines[e] >= 4 && lines[e] <= 20), (ns[e] - last * 1e9 < 1000) }' out |
    sort
