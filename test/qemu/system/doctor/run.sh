# SPDX-License-Identifier: BSD-2-Clause
# run.sh CASE...: in the guest, what armpmu doctor must say.
#   clean LEAST               nothing is wrong, and at least LEAST verdicts are "exact"
#   planted CAUSE WORDS...    a fault is found; a line has the WORDS, and the next says cause CAUSE
#   doc PLAN                  prints what the commands of doc/doctor.md print, in the file /doc.PLAN
#   others                    users, containers, crowds, kinds of cores, the command line
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; }
doctor() { "$@" armpmu doctor >x 2>err; status=$?; } # COMMAND...
first() { sed '/^$/d' x | head -n "${1:-6}" | tr '\n' '|'; } # [LINES]
says() { # NAME STATUS WORDS...
    name=$1 want=$2
    shift 2
    [ "$status" -eq "$want" ] || { not_ok "$name" "exit status $status: $(first) $(cat err)"; return; }
    for words; do
        cat x err | grep -qF -- "$words" || { not_ok "$name" "no '$words' in: $(first)"; return; }
    done
    ok "$name"
}
[ ! -e /proc/sys/kernel/perf_user_access ] || sysctl -q kernel.perf_user_access=1
case $1 in
clean)
    doctor
    exact=$(grep -cE '^  [A-Z0-9_]+(:u)? +exact ' x)
    if [ "$status" -ne 0 ] || grep -qE 'wrong by|stands still|fault' x; then
        not_ok "nothing is wrong" "exit status $status: $(first) $(grep -E 'wrong by|stands still' x | head -n 4)"
    elif [ "$exact" -lt "$2" ]; then
        not_ok "exact verdicts" "$exact, want at least $2"
    else
        ok "nothing is wrong, $exact events are exact"
    fi
    grep -qE '^  each counter +exact' x && ok "each counter" || not_ok "each counter" "$(grep counter x)"
    grep -qE '^  overflow interrupt +(exact|plausible)' x && ok "interrupt" || not_ok "interrupt" "$(grep interr x)"
    [ ! -e /proc/sys/kernel/perf_user_access ] || [ -n "$3" ] || grep -q 'EL0 reads the counters' x && ok "direct" ||
        not_ok "direct" "$(grep direct x)" ;;
planted)
    cause=$2
    shift 2
    doctor
    line=$(grep -nF -m 1 "$*" x | cut -d : -f 1)
    if [ "$status" -ne 1 ]; then
        not_ok "$*" "exit status $status: $(first)"
    elif [ -z "$line" ]; then
        not_ok "$*" "not found: $(first)"
    elif ! sed -n "$((line + 1))p" x | grep -qF "(cause $cause)"; then
        not_ok "$*" "cause $cause is not the first: $(sed -n "$((line + 1)),$((line + 3))p" x)"
    else
        ok "$*, cause $cause"
    fi ;;
doc)
    while read -r command; do
        printf 'doc| $ %s\n' "$command"
        sh -c "$command" 2>&1 </dev/null | sed 's/^/doc| /'
    done <"/doc.$2"
    ok "the commands of the page" ;;
others)
    chmod 777 .
    sysctl -q kernel.perf_user_access=0
    doctor
    says "a kernel without user access" 0 "direct reads: refused: kernel.perf_user_access is 0" "(cause 4)"
    doctor as crowd
    says "a crowd" 3 "refused: the kernel could not keep the session on its counters" "(cause 21)"
    doctor as container
    says "a container" 3 "a seccomp filter" "(cause 88)" "too little could be judged"
    sysctl -q kernel.perf_event_paranoid=3
    doctor as user
    says "a user who may count nothing" 3 "kernel.perf_event_paranoid is 3, and to count an application" "(cause 12)"
    sysctl -q kernel.perf_event_paranoid=2
    doctor as user
    says "a user who may not count the kernel" 0 "INST_RETIRED:k" "and to count the kernel it may be at most 1" \
        "nothing is wrong"
    grep -qE '^  INST_RETIRED:u +exact' x && ok "and may count itself" || not_ok "and may count itself" "$(first)"
    armpmu doctor NO_SUCH_EVENT >x 2>err
    status=$?
    says "no such event" 2 "armpmu doctor: NO_SUCH_EVENT: no such event; armpmu list lists them"
    armpmu doctor INST_RETIRED 0x4 >x 2>err
    status=$?
    says "two events" 0 "INST_RETIRED:u               exact" "L1D_CACHE:u                  absent"
    armpmu doctor -a INST_RETIRED >x 2>err
    status=$?
    says "every CPU" 0 "on CPU 0 (Cortex-A57)" "on CPU 1 (Cortex-A57)"
    taskset 2 armpmu doctor INST_RETIRED >x 2>err
    status=$?
    says "a cpuset" 0 "on CPU 1 (Cortex-A57): nothing is wrong"
    armpmu doctor -j INST_RETIRED >x 2>err
    status=$?
    says "json" 0 '"verdict": []' '"subject": "INST_RETIRED:u"' '"verdict": "exact"' '"expected": 90000'
    type=$(cat /sys/bus/event_source/devices/armv8_pmuv3/type)
    mount -t tmpfs none /sys/bus/event_source/devices
    n=0
    for pmu in armv8_cortex_a53 armv8_cortex_a72; do
        mkdir -p /sys/bus/event_source/devices/$pmu/events
        echo "$type" >/sys/bus/event_source/devices/$pmu/type
        echo $n >/sys/bus/event_source/devices/$pmu/cpus
        echo event=0x008 >/sys/bus/event_source/devices/$pmu/events/inst_retired
        echo event=0x011 >/sys/bus/event_source/devices/$pmu/events/cpu_cycles
        n=$((n + 1))
    done
    armpmu doctor INST_RETIRED >x 2>err
    status=$?
    says "two kinds of cores" 0 "armv8_cortex_a53 on CPU 0" "armv8_cortex_a72 on CPU 1"
    rm -r /sys/bus/event_source/devices/*
    doctor
    says "no PMU" 1 "PMU: absent: no PMU of a core" "(cause 14)" ;;
esac
