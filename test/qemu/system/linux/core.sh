# SPDX-License-Identifier: BSD-2-Clause
# core.sh all|names|slots|topdown MISS MAKE: in the guest, perf counts what a modelled core does: in user mode and in
# the kernel, by the names of perf's own events, with samples, as slots, or by its own metrics.  MISS and MAKE are the
# addresses of the load and of the store of chase.S that miss.
is() { if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: got '$2', want '$3'"; fi; } # NAME GOT WANT
within() { # NAME GOT LEAST MOST
    [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && echo "ok $1" || echo "not ok $1: got '$2', want $3 to $4"
}
count() { awk -F, -v event="$1" '$3 == event { print $1 }' x; } # EVENT: prints its count
miss=$2 make=$3 rounds=200000 lines=65536 pages=1024

if [ "$1" = all ]; then # nothing else asks the core for anything, so all that it counts is in these counts
    events=r0003,r0004,r0001,r0014,r0005,r0017,r0016,r0034,r0010,r0012
    perf stat -x, -o x -e "$events" chase 2>err || echo "not ok perf stat: $(head -n 2 err)"
    for event in $(echo $events | tr , ' '); do echo "counted 0x$(printf %x 0x"${event#r}") $(count "$event")"; done
    # The kernel clears each page by DC ZVA.
    within "perf stat, refills of L1D" "$(count r0003)" $((rounds + 2 * lines)) $((rounds + 2 * lines + 60000))
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

if [ "$1" = topdown ]; then # by the formulas that perf has for this core
    perf stat -x, -o x -M TopdownL1 chase 2>err || echo "not ok perf stat -M TopdownL1: $(head -n 2 err)"
    percent() { # METRIC
        awk -F, -v metric="percent of slots  $1" 'index($7, metric) == 1 { s += $6 } END { print int(s + .5) }' x
    }
    within "perf stat -M TopdownL1, percent of all slots" "$(percent '')" 99 101
    within "perf stat -M TopdownL1, a list is bound by the back end" "$(percent backend_bound)" 80 100
    within "perf stat -M TopdownL1, and little else" "$(percent retiring)" 1 10
    perf stat -a -x, -o x --topdown chase 2>err || echo "not ok perf stat --topdown: $(head -n 2 err)"
    within "perf stat --topdown, percent of all slots" "$(tail -n 1 x | tr , '\n' |
        awk '{ s += $1; n += $1 != "" } END { print n == 4 ? int(s + .5) : "of " n " metrics" }')" 99 101
    exit
fi

perf stat -x, -o x -e cache-misses:u,cache-references:u,branch-misses:u,stalled-cycles-backend:u,cycles:u,r0008:u \
    chase 2>err || echo "not ok perf stat by name: $(head -n 2 err)"
# The first store of a page hits, because the kernel has just cleared the page.
within "cache-misses" "$(count cache-misses:u)" $((rounds + lines - pages)) $((rounds + lines - pages + 999))
is "cache-references" "$(count cache-references:u)" $((rounds + lines))
within "branch-misses" "$(count branch-misses:u)" 1 16
within "stalled-cycles-backend" "$(count stalled-cycles-backend:u)" "$(count r0008:u)" "$(count cycles:u)"

sysctl -q kernel.perf_cpu_time_max_percent=0
sysctl -q kernel.perf_event_max_sample_rate=1000000
perf record -q -e cache-misses:u -c 1000 -o data chase 2>err || echo "not ok perf record: $(head -n 2 err)"
perf script -i data -F ip 2>err | tr -d ' ' >ips
at=$(grep -c -e "^0*$miss\$" -e "^0*$make\$" ips)
within "perf record, samples" "$(wc -l <ips)" $(((rounds + lines) / 1000 * 9 / 10)) $(((rounds + lines) / 1000 + 1))
within "perf record, at an instruction that missed, percent" $((at * 100 / $(wc -l <ips))) 99 100
