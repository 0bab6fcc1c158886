# SPDX-License-Identifier: BSD-2-Clause
# Fields and keys are those of perf stat, where it is installed.
perf stat -x, -e page-faults -o perf.x true 2>/dev/null || { echo "no perf" >&2; exit 77; }
perf stat -x, -I 20 -e page-faults -o perf.xi sleep 0.1
perf stat -j -e page-faults -o perf.j true 2>/dev/null || { echo "no perf stat -j" >&2; exit 77; }
armpmu stat -x, -e LD_RETIRED -o our.x loop 2>/dev/null || { echo "no engine" >&2; exit 77; }
armpmu stat -x, -I 1000 -e LD_RETIRED -o our.xi loop
armpmu stat -j -e LD_RETIRED -o our.j loop
for f in x xi; do
    sed -n -e 's/page-faults:u/page-faults/' -e '3s/[0-9]\{1,\}/N/gp' perf.$f >1
    sed -n -e '3s/LD_RETIRED/page-faults/' -e '3s/[0-9]\{1,\}/N/gp' our.$f >2
    cmp 1 2
    awk 'NR == 1' perf.$f | sed 's/on .*/on/' >1
    awk 'NR == 1' our.$f | sed 's/on .*/on/' >2
    cmp 1 2
done
keys() { tail -n 1 "$1" | grep -o '"[a-z-]*" *:' | tr -d '" :'; }
keys our.j
keys perf.j >theirs
[ -s theirs ] || echo "perf stat -j has no keys"
while read -r key; do keys our.j | grep -qx "$key" || echo "$key of perf stat is missing"; done <theirs
