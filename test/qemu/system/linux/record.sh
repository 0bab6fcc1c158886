# SPDX-License-Identifier: BSD-2-Clause
# record.sh all|nopmu|nointerrupt: in the guest, armpmu record samples this machine's counters: programs whose
# instructions are known (work.S, sampled.c), and beside Debian's perf.
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', want '$3'"; fi; } # NAME GOT WANT
between() { # NAME GOT LOW HIGH
    if [ -n "$2" ] && [ "$2" -ge "$3" ] 2>/dev/null && [ "$2" -le "$4" ]; then
        ok "$1"
    else
        not_ok "$1" "got '$2', want $3 to $4: $(head -n 2 err)"
    fi
}
record() { armpmu record --engine=perf -o data "$@" >out 2>err </dev/null; status=$?; } # OPTION... PROGRAM...
says() { # NAME STATUS WORDS...
    name=$1 want=$2
    shift 2
    [ "$status" -eq "$want" ] || { not_ok "$name" "exit status $status: $(cat err)"; return; }
    for words; do
        grep -qF -- "$words" err || { not_ok "$name" "no '$words' in: $(cat err)"; return; }
    done
    ok "$name"
}
report() { armpmu report -x, "$@" data 2>>err | cat; } # OPTION...: a row on a line
count() { awk -F, -v name="$1" -v column="${2:-6}" '$column == name { n += $2 } END { printf "%d", n }'; } # NAME COLUMN
in_work() { awk -F, '$7 ~ /work$|longer$/ { n += $2 } END { printf "%d", n }'; } # prints the sum in the file
event=INST_RETIRED:u period=99991 work=10000006

if [ "$1" = nopmu ]; then
    record work
    says "no PMU" 3 "armpmu record: engine perf: the kernel has no PMU of an Arm core"
    exit
elif [ "$1" = nointerrupt ]; then
    armpmu stat -x, -o x -e $event work
    grep -q "^$work,," x && ok "no interrupt, stat counts" || not_ok "no interrupt, stat counts" "$(cat x)"
    record -e $event work
    says "no interrupt" 3 "event $event: " "has no interrupt at overflow, so it takes no samples"
    exit
fi
# On a busy host Linux finds that interrupts take too long, and would leave samples out.
sysctl -q kernel.perf_cpu_time_max_percent=0

# Each sample is where perf has it, and they add up to what stat counts, but for the last period.
record -c $period -e $event work
is "exit status" "$status" 0
report --by=address | awk -F, '{ print substr($10, 3), $2 }' | sort >ours
perf record -q -e r0008:u -c $period -o perf.data work 2>>err
perf script -i perf.data -F ip 2>>err | awk -v n=$period '{ s[$1] += n } END { for (i in s) print i, s[i] }' |
    sort >theirs
[ "$(wc -l <ours)" -gt 5 ] && cmp -s ours theirs && ok "each of $(wc -l <ours) rows is perf's" ||
    not_ok "each row is perf's" "$(diff ours theirs | head -n 4 | tr '\n' ' ') $(cat err)"
between "the sum" "$(report | in_work)" $((work - period)) $work
is "the function" "$(report | count _start)" "$(report | in_work)"
cp data before
record -c $period -e $event work
armpmu diff before data >x 2>&1 && grep -q '^# no difference' x && ok "two runs are equal" ||
    not_ok "two runs are equal" "$(cat x)"

# What reads recordings reads it; the samples have times, CPUs and weights.
armpmu report --to perf-data -o converted data 2>err && perf report -i converted --stdio -s dso,sym 2>>err >x &&
    grep -q '100\.00% .*work .*_start' x && ok "perf reads it" || not_ok "perf reads it" "$(grep -v '^#' x) $(cat err)"
is "perf-script" "$(armpmu report --to perf-script data 2>err | grep -c "$event")" $((work / period))

# Groups, processes, exec, frequencies.
record -c 10007 -e '{INST_RETIRED,CPU_CYCLES}:u' sh -c 'work; work'
between "a group, instructions" "$(report | grep ^INST | count _start)" $((2 * work - 2 * 10007)) $((2 * work))
between "a group, cycles" "$(report | grep ^CPU_CYCLES | count _start)" $((2 * work - 2 * 10007)) $((2 * work + 99))
is "two processes" "$(report --by=process | awk -F, '/^INST/ && $2 > 9900000 { n++ } END { print n }')" 2
record -F 10000 -e $event work
samples=$(armpmu report --to perf-script data 2>err | grep -c "$event")
between "a frequency: 10 ms have 100 samples, and some at the beginning" "$samples" 80 140
between "a frequency, the sum" "$(report | count _start)" 9500000 $work
armpmu report data 2>err | grep -q "in the mean, 10000 a second" && ok "a frequency, the heading" ||
    not_ok "a frequency, the heading" "$(armpmu report data 2>&1 | head -n 3)"

# What runs already, and every CPU; with the kernel, whose functions have names.
longer &
record -c 10007 -e $event -p $!
between "a process" "$(report | in_work)" 1000000 200000006
longer &
record -c 10007 -e $event -t $! -- usleep 20000
between "a thread, while another program runs" "$(report | in_work)" 1000000 150000000
wait
record -a -c 10007 -e $event,INST_RETIRED:k work
between "every CPU" "$(report -e $event | in_work)" $((work - 20014)) $((work + 20014))
report -e INST_RETIRED:k --file kernel |
    awk -F, '$6 !~ /unknown/ && $7 ~ /kernel/ { found = 1 } END { exit !found }' && ok "the kernel's functions" ||
    not_ok "the kernel's functions" "$(report | head -n 4)"

# Call chains, threads, generated code.
record -g -c 10007 -e $event sampled calls
armpmu report --to collapsed data 2>err | awk '/;main;outer;inner/ { n += $NF } END { exit !(n > 3900000) }' &&
    ok "call chains" || not_ok "call chains" "$(armpmu report --to collapsed data 2>&1 | tail -n 3)"
between "call chains, the total of outer()" "$(report --children | awk -F, '$6 == "outer" { print $4 }')" \
    3900000 4010007
record -c 10007 -e $event sampled threads
between "threads, the first" "$(report -t one | count inner)" 3900000 4010007
between "threads, the second" "$(report -t two | count inner)" 7900000 8010007
record -c 10007 -e $event sampled code
between "generated code" "$(report | count generated_loop)" 3900000 4010007

# More samples than kernel.perf_event_max_sample_rate allows are held back, and a remark says so.
record -c 500 -e $event work
says "throttled" 0 "armpmu: remark: the kernel held sampling back"

# Users and refusals.
chmod 777 .
rm -f data
sysctl -q kernel.perf_event_paranoid=2
as user armpmu record --engine=perf -o user.data -c $period -e INST_RETIRED work 2>err
is "a user who may not look at the kernel" "$(armpmu report -x, user.data 2>>err | cut -d, -f1,6)" "$event,_start"
as user armpmu record --engine=perf -a -o user.data work 2>err
status=$?
says "a user, every CPU" 3 "is 2, and to count everything on a CPU it may be at most 0"
as user armpmu record --engine=perf -o user.data -e INST_RETIRED:k work 2>err
status=$?
says "a user, the kernel" 3 "is 2, and to count the kernel it may be at most 1"
sysctl -q kernel.perf_event_paranoid=3
as user armpmu record --engine=perf -o user.data work 2>err
status=$?
says "a user who may not sample" 3 "is 3, and to count an application it may be at most 2"
record -e L1D_CACHE work
says "an event that the PMU lacks" 3 "does not have it"
record -F 1000000000 work
says "a frequency that is too high" 3 "kernel.perf_event_max_sample_rate"
record --clock 1GHz work
says "a clock" 2 "this machine has time"
record --core cortex-a72 work
says "a core" 2 "engine perf counts what the core of this machine does"
record nosuch
says "no such program" 127 "nosuch: no such program in PATH"
record
says "no program" 2 "PROGRAM is missing; usage: armpmu record"
armpmu record --engine=nosuch work 2>err
status=$?
says "no such engine" 2 "there are qemu-user and perf"
[ ! -e data ] && ok "a refusal leaves no file" || not_ok "a refusal leaves no file" "$(ls)"
