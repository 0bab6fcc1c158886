# SPDX-License-Identifier: BSD-2-Clause
# reboot.sh ADDRESS: in the guest, reboots three times while counters run, sample and multiplex.  Each time Linux
# finds a PMU that works and has no interrupt pending.  ADDRESS is that of memory that outlives a reboot.
is() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: got '$2', want '$3'"; fi; } # NAME GOT WANT
field() { awk -F, -v event="$1" '$3 == event { print $1 }' x; } # EVENT: prints its count in the results of -x,
address=$1 magic=0xA9300000
word=$(busybox devmem "$address" 32)
[ $((word & 0xFFFF0000)) -eq $((magic)) ] && boots=$((word & 0xFFFF)) || boots=0
busybox devmem "$address" 32 $((magic + boots + 1))

is "boot $boots, PMU interrupts" \
    "$(awk '/arm-pmu/ { n += $2 + $3; lines++ } END { print lines, n + 0 }' /proc/interrupts)" "1 0"
for n in 0 1; do # a page fault takes a cycle in which nothing retires
    taskset -c $n armpmu stat -x, -o x -e INST_RETIRED:u,CPU_CYCLES:u,BR_RETIRED:u,EXC_PABORT:u,EXC_DABORT:u work
    is "boot $boots, CPU $n" "$(field INST_RETIRED:u) $(field CPU_CYCLES:u) $(field BR_RETIRED:u)" \
        "10000006 $((10000006 + $(field EXC_PABORT:u) + $(field EXC_DABORT:u))) 3000000"
done
# No counter started with a value that made it overflow early.
is "boot $boots, interrupts of counts" "$(awk '/arm-pmu/ { print $2 + $3 }' /proc/interrupts)" 0
sysctl -q kernel.perf_cpu_time_max_percent=0
perf record -q -e r8:u -c 100000 -o data work 2>err || cat err
is "boot $boots, interrupts of samples" "$(awk '/arm-pmu/ { print $2 + $3 }' /proc/interrupts)" 100

if [ "$boots" -lt 3 ]; then
    perf record -q -a -e r8 -c 200000 -o data2 sleep 100 2>/dev/null &
    perf stat -a -e r8,r11,r6,r7,rd,re,r21,r7e,r13 sleep 100 2>/dev/null &
    long &
    taken=0 tries=0
    while [ "$taken" -lt 200 ] && [ $tries -lt 100 ]; do
        usleep 50000
        taken=$(awk '/arm-pmu/ { print $2 + $3 }' /proc/interrupts) tries=$((tries + 1))
    done
    is "boot $boots, it samples" "$((taken >= 200))" 1
    reboot -f
fi
is "boots" "$boots" 3
