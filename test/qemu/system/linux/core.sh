# SPDX-License-Identifier: BSD-2-Clause
# core.sh all|names|slots MISS: in the guest, perf counts what a modelled core does: in user mode and in the kernel, by
# the names of perf's own events, with samples, or as slots.  MISS is the address of the load of chase.S that misses.
is() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: got '$2', want '$3'"; fi; } # NAME GOT WANT
within() { # NAME GOT LEAST MOST
    [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && echo "ok $1" || echo "not ok $1: got '$2', want $3 to $4"
}
count() { awk -F, -v event="$1" '$3 == event { print $1 }' x; } # EVENT: prints its count
miss=$2 rounds=200000 lines=65536

if [ "$1" = all ]; then # nothing else asks the core for anything, so all that it counts is in these counts
    events=r0003,r0004,r0001,r0014,r0005,r0017,r0016,r0034,r0010,r0012
    perf stat -x, -o x -e "$events" chase 2>err || echo "not ok perf stat: $(head -n 2 err)"
    for event in $(echo $events | tr , ' '); do echo "counted 0x$(printf %x 0x"${event#r}") $(count "$event")"; done
    within "perf stat, refills of L1D" "$(count r0003)" $((rounds + lines)) $((rounds + lines + 60000))
    exit
fi

if [ "$1" = slots ]; then # top-down analysis adds up
    perf stat -x, -o x -e r0011,r003b,r003f,r003e,r003d,r0008 chase 2>err || echo "not ok perf stat: $(head -n 2 err)"
    slots=$(($(cat /sys/bus/event_source/devices/armv8_pmuv3*/caps/slots)))
    within "slots of a cycle" "$slots" 2 16
    all=$((slots * $(count r0011))) used=$(($(count r003b) + $(count r003f)))
    within "operations and lost slots are all slots" "$used" "$all" $((all + slots))
    is "lost to the front end and to the back end" $(($(count r003e) + $(count r003d))) "$(count r003f)"
    within "a list is bound by the back end, percent" $(($(count r003d) * 100 / all)) 80 100
    exit
fi

perf stat -x, -o x -e cache-misses:u,cache-references:u,branch-misses:u,stalled-cycles-backend:u,cycles:u,r0008:u \
    chase 2>err || echo "not ok perf stat by name: $(head -n 2 err)"
within "cache-misses" "$(count cache-misses:u)" $((rounds + lines)) $((rounds + lines + 16))
is "cache-references" "$(count cache-references:u)" $((rounds + lines))
within "branch-misses" "$(count branch-misses:u)" 1 16
within "stalled-cycles-backend" "$(count stalled-cycles-backend:u)" "$(count r0008:u)" "$(count cycles:u)"

sysctl -q kernel.perf_cpu_time_max_percent=0
sysctl -q kernel.perf_event_max_sample_rate=1000000
perf record -q -e cache-misses:u -c 1000 -o data chase 2>err || echo "not ok perf record: $(head -n 2 err)"
perf script -i data -F ip 2>err | tr -d ' ' >ips
at=$(grep -c "^0*$miss\$" ips)
within "perf record, samples" "$(wc -l <ips)" $(((rounds + lines) / 1000 * 9 / 10)) $(((rounds + lines) / 1000 + 1))
store=$(sort ips | uniq -c | sort -rn | awk 'NR == 2 { print $1 }') # the store that makes the ring misses, too
within "perf record, at an instruction that missed, percent" $(((at + ${store:-0}) * 100 / $(wc -l <ips))) 99 100
