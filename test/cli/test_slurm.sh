#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests work lists in an array of tasks of Slurm: a controller and a node of this test's own, on this machine, as root.
# Each task does its part of the list, the rows of all tasks are the list, and a task that is run again by --resume does
# nothing twice.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. tools/emulator.sh
: "${B:=build}" "${CROSS:=aarch64-linux-gnu-}"
need "${CROSS}gcc" python3 slurmctld slurmd sbatch munged
[ "$(id -u)" -eq 0 ] || skip_all "slurmd needs root"
aarch64_emulator >/dev/null || skip_all "no emulator with plugins: make qemu-user"
armpmu=$(cd "$B" && pwd)/armpmu
dir=$(mktemp -d) || exit 2
munge_pid= controller= node=
end() {
    for pid in $node $controller $munge_pid; do
        kill "$pid" 2>/dev/null
    done
    wait
    rm -rf "$dir"
}
trap end EXIT
chmod 755 "$dir"

cat >"$dir/count.c" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    for (volatile int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) { }
    return 0;
}
END
"${CROSS}gcc" -O1 -static "$dir/count.c" -o "$dir/count" || { not_ok 'count.c' 'it cannot be compiled'; summary; }
awk -v dir="$dir" 'BEGIN { for (i = 0; i < 50; i++) printf "job%02d\t-- %s/count %d\n", i, dir, i * 100 }' >"$dir/list"

# munged, slurmctld and slurmd with files and ports of their own.
host=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir -p "$dir/munge" "$dir/state" "$dir/spool"
chmod 700 "$dir/munge"
head -c 128 /dev/urandom >"$dir/munge/key"
chmod 600 "$dir/munge/key"
munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge.socket" --pid-file="$dir/munge/pid" \
    --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" >"$dir/munged.log" 2>&1 &
munge_pid=$!
cat >"$dir/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$dir/slurm.conf"
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$dir/munge.socket" ] && break
    sleep 0.5
done
slurmctld -D -f "$SLURM_CONF" >"$dir/slurmctld.out" 2>&1 &
controller=$!
slurmd -D -f "$SLURM_CONF" -N "$host" >"$dir/slurmd.out" 2>&1 &
node=$!
idle=false
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    sinfo -h -o %T 2>/dev/null | grep -q idle && idle=true && break
    sleep 1
done
if ! $idle; then
    skip_all "Slurm does not start here: $(cat "$dir"/munged.log "$dir"/slurmctld.log "$dir"/slurmd.log 2>/dev/null |
        grep -iE 'error|fatal' | tail -n 2 | tr '\n' ';')"
fi

cat >"$dir/task.sh" <<END
#!/bin/sh
exec "$armpmu" stat --engine=qemu-user -e INST_RETIRED --jobs "$dir/list" --job-part slurm --resume \
    -o "$dir/rows.\$SLURM_ARRAY_TASK_ID" --csv "$dir/csv.\$SLURM_ARRAY_TASK_ID"
END
timeout 300 sbatch --wait --array=0-3 -o "$dir/task.%a.out" "$dir/task.sh" >"$dir/sbatch" 2>&1
expect $? 'an array of four tasks ends well' "$(cat "$dir/sbatch" "$dir"/task.*.out "$dir/slurmctld.log" | tail -n 5)"
[ "$(wc -l <"$dir/rows.0")" -eq 13 ] && [ "$(wc -l <"$dir/rows.3")" -eq 12 ]
expect $? 'each task did its part' "$(wc -l "$dir"/rows.* | tr '\n' ';')"
python3 - "$dir"/rows.? >"$dir/log" 2>&1 <<'END'
import json, sys
rows = sorted((json.loads(line) for name in sys.argv[1:] for line in open(name)), key=lambda row: row["job"])
assert [row["job"] for row in rows] == [f"job{i:02}" for i in range(50)], rows
counts = [row["result"]["events"][0]["mean"] for row in rows]
assert all(row["status"] == 0 for row in rows) and counts == sorted(counts) and counts[0] < counts[-1], counts
END
expect $? 'the rows of all tasks are those of the list' "$(tail -n 2 "$dir/log")"
cat "$dir"/rows.? >"$dir/before"
timeout 300 sbatch --wait --array=0-3 -o "$dir/task.%a.out" "$dir/task.sh" >"$dir/sbatch" 2>&1 &&
    cat "$dir"/rows.? | cmp -s - "$dir/before"
expect $? 'run again, nothing is done twice' "$(cat "$dir/sbatch")"
summary
