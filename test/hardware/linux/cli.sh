# SPDX-License-Identifier: BSD-2-Clause
# Runs in the guest's shell: checks armpmu stat on the machine's own counters, with programs whose instructions are
# known.
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', want '$3'"; fi; } # NAME GOT WANT
between() { # NAME GOT LOW HIGH
    if [ -n "$2" ] && [ "$2" -ge "$3" ] 2>/dev/null && [ "$2" -le "$4" ]; then
        ok "$1"
    else
        not_ok "$1" "got '$2', want $3 to $4"
    fi
}
says() { # NAME STATUS WORDS...: checks the exit status and the message of the last `refused`
    name=$1 want=$2
    shift 2
    [ "$status" -eq "$want" ] || { not_ok "$name" "exit status $status: $(cat err)"; return; }
    for words; do
        grep -qF -- "$words" err || { not_ok "$name" "no '$words' in: $(cat err)"; return; }
    done
    ok "$name"
}
refused() { "$@" >out 2>err; status=$?; }
field() { grep ",$1," x | cut -d, -f "$2"; } # EVENT NUMBER: prints that column of the event's line in the output of -x
loop=5005 spin=80000007

# Exact counts.
armpmu stat -x, -o x -e INST_RETIRED:u loop
is "cli counts a program" "$(field INST_RETIRED:u 1)" $loop
is "cli nothing is shared" "$(field INST_RETIRED:u 5)" 100.00
armpmu stat -x, -o x -e '{inst_retired,cpu_cycles}:u,r8:k' loop
is "cli a group" "$(field INST_RETIRED:u 1) $(field CPU_CYCLES:u 1)" "$loop $loop"
between "cli the kernel" "$(field INST_RETIRED:k 1)" 10000 10000000
armpmu stat -x, -o x -e instructions,INST_RETIRED:u,INST_RETIRED:k loop
is "cli both are the sum" "$(field INST_RETIRED 1)" "$(($(field INST_RETIRED:u 1) + $(field INST_RETIRED:k 1)))"
armpmu stat -x, -o x -e INST_RETIRED:u sh -c 'loop; loop'
between "cli children are counted" "$(field INST_RETIRED:u 1)" $((2 * loop)) 10000000
armpmu stat sh -c 'exit 7' 2>text
is "cli exit status" $? 7
grep -q "^ Performance counter stats for 'sh -c exit 7':$" text && grep -qE '^ +[0-9,]+ +CPU_CYCLES$' text &&
    grep -qE '^ +[0-9,]+ +INST_RETIRED +# +[0-9.]+ +insn per cycle$' text &&
    grep -q 'seconds time elapsed' text && ! grep -q L1D_CACHE text &&
    ok "cli the usual events" || not_ok "cli the usual events" "$(cat text)"
armpmu stat -e INST_RETIRED:u sh -c 'kill -TERM $$' 2>text
is "cli killed" $? 143
armpmu stat -j -o j -e INST_RETIRED:u loop
is "cli json" "$(grep -o '"counter-value": "[^"]*"\|"pcnt-running": [0-9.]*\|"trust": "[a-z]*"' j | tr '\n' ' ')" \
    "\"counter-value\": \"$loop.000000\" \"pcnt-running\": 100.0 \"trust\": \"measured\" "

# More events than counters: they take turns, and their counts are scaled as perf does it.
more=INST_RETIRED:u,r100,r101,r102,r103,r104,r105,r106,r107
armpmu stat -x, -o x -e $more spin
between "cli a shared count is estimated" "$(field INST_RETIRED:u 1)" $((spin - spin / 20)) $((spin + spin / 20))
between "cli and says for how long it was counted" "$(field INST_RETIRED:u 5 | cut -d. -f 1)" 40 90
armpmu stat -e $more spin 2>text
grep -qE '^ +[78][0-9],[0-9]{3},[0-9]{3} +INST_RETIRED:u +\([4-8][0-9]\.[0-9]{2}%\)$' text &&
    grep -q 'counts with a percentage are estimates' text &&
    ok "cli percentages" || not_ok "cli percentages" "$(cat text)"
refused armpmu stat -e "{$more}" spin
says "cli braces that do not fit" 3 "armpmu stat: event without a name (0x0105): it is wish 7, and the kernel takes 6"

# Intervals: there are several, and their sum is the whole count.  Their number depends on how fast the tool starts.
armpmu stat -x, -I 20 -o x -e INST_RETIRED:u spin
is "cli intervals" "$(grep INST_RETIRED x |
    awk -F, '{ s += $2 } END { print (NR >= 3 && NR <= 7) + 0, sprintf("%d", s) }')" "1 $spin"

# A process that already runs: the shell's own instructions before its exec count too.
spin &
armpmu stat -x, -o x -e INST_RETIRED:u -p $!
between "cli a process until it ends" "$(field INST_RETIRED:u 1)" 1000000 $((spin + 100000))
spin &
armpmu stat -x, -o x -e INST_RETIRED:u -p $! -- usleep 20000
between "cli a process while another runs" "$(field INST_RETIRED:u 1)" 1000000 40000000
wait
spin &
armpmu stat -o text -e INST_RETIRED:u -t $! -- usleep 20000
wait
grep -q "Performance counter stats for thread id '[0-9]*':" text && grep -qE '^ +[0-9]+,[0-9]{3},[0-9]{3} +INST' text &&
    ok "cli a thread" || not_ok "cli a thread" "$(cat text)"
armpmu stat -x, -o x -e INST_RETIRED:u,INST_RETIRED:k -a -- loop
between "cli every CPU" "$(field INST_RETIRED:u 1)" $loop 10000000
spin &
armpmu stat -e INST_RETIRED:u -a 2>text &
usleep 30000
kill -TERM $!
wait
grep -q "for 'system wide':" text && grep -qE '^ +[0-9,]+ +INST_RETIRED:u$' text &&
    ok "cli every CPU until a signal" || not_ok "cli every CPU until a signal" "$(cat text)"

# The doctor, on an emulator that counts instructions and cycles and nothing else.
armpmu doctor INST_RETIRED CPU_CYCLES >text 2>err
is "cli doctor" "$? $(grep -cE '^  (INST_RETIRED:u +exact|CPU_CYCLES:u +plausible) ' text)" "0 2"

# Refusals.
refused armpmu stat -e L1D_CACHE loop
says "cli an event that the PMU lacks" 3 \
    "armpmu stat: event L1D_CACHE: armv8_pmuv3 does not have it (0x0004); use an event of"
refused armpmu stat -e INST_RETIERD loop
says "cli an event that nobody has" 2 "the nearest are INST_RETIRED"
refused armpmu stat nosuch
says "cli no such program" 127 "armpmu stat: nosuch: no such program in PATH; check the name"
refused armpmu stat ./err
says "cli no program" 126 "armpmu stat: ./err: cannot be executed: Permission denied"
refused armpmu stat -p 4194303
says "cli no such process" 3 "armpmu stat: process 4194303: there is none"
refused armpmu stat -t 1,x
says "cli no id" 2 "--tid: x is not a list of ids"
refused armpmu stat --engine=qemu-user loop
says "cli the emulator if asked" 3 "qemu-aarch64: the emulator is not on this machine"

sysctl -q kernel.perf_event_paranoid=2
chmod 777 .
rm x
/perf as-user armpmu stat -x, -o x -e INST_RETIRED loop
is "cli a user who may not count the kernel counts the application only" "$(field INST_RETIRED:u 1)" $loop
rm x
refused /perf as-user armpmu stat -e INST_RETIRED:k loop
says "cli a user who may not count the kernel" 3 \
    "kernel.perf_event_paranoid is 2, and to count the kernel it may be at most 1"
refused /perf as-user armpmu stat -a loop
says "cli a user who may not count a CPU" 3 "is 2, and to count everything on a CPU it may be at most 0"
sysctl -q kernel.perf_event_paranoid=3
refused /perf as-user armpmu stat loop
says "cli a user who may not count anything" 3 "is 3, and to count an application it may be at most 2" "CAP_PERFMON"

# Two kinds of cores, as far as sysfs shows them: each event is counted on both, under the kernel's own names.
type=$(cat /sys/bus/event_source/devices/armv8_pmuv3/type)
mount -t tmpfs none /sys/bus/event_source/devices
for pmu in armv8_cortex_a53 armv8_cortex_a72; do
    mkdir -p /sys/bus/event_source/devices/$pmu/events
    echo "$type" >/sys/bus/event_source/devices/$pmu/type
    echo event=0x008 >/sys/bus/event_source/devices/$pmu/events/inst_retired
    echo event=0x108 >/sys/bus/event_source/devices/$pmu/events/own_of_$pmu
done
armpmu stat -x, -o x -e INST_RETIRED:u,own_of_armv8_cortex_a72 loop
own="0 armv8_cortex_a72/own_of_armv8_cortex_a72/"
is "cli two kinds of cores" "$(sed -n '3,$s/\(.*\),,\([^,]*\),.*/\1 \2/p' x | tr '\n' ' ')" \
    "$loop armv8_cortex_a53/INST_RETIRED/u $loop armv8_cortex_a72/INST_RETIRED/u $own "
umount /sys/bus/event_source/devices

# decode --live: what the kernel reports, and what it allows a program to read.
armpmu decode --live >text 2>err
is "cli live" $? 0
grep -q '^perf_event_paranoid [-0-9]*: programs may' text && grep -q '^perf_user_access 0: EL0 may not' text &&
    grep -q '^PMU armv8_' text && grep -q '^CPUs 0.*MIDR_EL1 0x' text && ok "cli live machine" ||
    not_ok "cli live machine" "$(head -n 5 text)"
grep -q '^PMUSERENR_EL0 .* = 0x0000000000000000' text && grep -q 'PMCR_EL0: it is left out: a read of it at EL0' err &&
    ok "cli live at EL0" || not_ok "cli live at EL0" "$(grep PMUSERENR text) $(cat err)"
