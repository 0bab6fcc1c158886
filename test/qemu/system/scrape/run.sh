# SPDX-License-Identifier: BSD-2-Clause
# run.sh ADDRESS: in the guest, makes 10.0.2.ADDRESS its own and obeys scrape.py: a line of the console is a command.
# After each it prints "done STATUS".  What `perf stat` counts is printed as "count PART EVENT COUNT".
say_failed() { echo "failed: $1"; }
insmod /e1000.ko || say_failed insmod
ifconfig lo 127.0.0.1 up
ifconfig eth0 "10.0.2.$1" netmask 255.255.255.0 up || say_failed ifconfig
mount -t cgroup2 none /sys/fs/cgroup || say_failed cgroup2
echo +pids >/sys/fs/cgroup/cgroup.subtree_control # from then on, Linux has perf_event in cgroups below the root
mkdir -p /sys/fs/cgroup/kube/pod1 /sys/fs/cgroup/kube/pod2 /sys/fs/cgroup/system
sysctl -q kernel.perf_event_paranoid=2 # above it, Debian's kernels ask for CAP_SYS_ADMIN
taskset -p 1 $$ >/dev/null # CPU 0 has everything but what is to be counted on the others
stty -F /dev/console -echo

# Becomes a command as nobody, with the capabilities "-all", or "-all,+perfmon", and no other.
as_nobody() { # CAPABILITIES COMMAND...
    capabilities=$1
    shift
    exec /setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps="$capabilities" \
        --ambient-caps="$capabilities" --bounding-set="$capabilities" "$@"
}
# Starts an exporter on a port, as nobody with CAP_PERFMON; its process is in the file PORT.
begin() { # PORT OPTIONS...
    port=$1
    shift
    : >"log.$port"
    (as_nobody -all,+perfmon armpmu export --listen "0.0.0.0:$port" "$@") 2>"log.$port" &
    echo $! >"$port"
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        grep -q serving "log.$port" && return
        usleep 100000
    done
    cat "log.$port"
    return 1
}
# Ends the exporter of a port, and prints its exit status.
finish() { # PORT
    kill "$(cat "$1")"
    wait "$(cat "$1")"
    echo "exit $?"
}
counts() { awk -F, -v part="$1" '/^[0-9]/ { print "count", part, $3, $1 } /^</' x; } # PART: prints what is in x
events=r8:u,r11:u,r21:u

# Each of these runs `work`, and counts what the exporter is to count meanwhile.
count_dsb() { perf stat -a -x, -o x -e r7d:u work && counts 0; }
count_cgroup() { # NAME
    perf stat -a -x, -o x -e $events -G "$1,$1,$1" sh -c "echo \$\$ >/sys/fs/cgroup/$1/cgroup.procs && exec work" &&
        counts "/$1"
}
# Begins a process on some CPUs that runs `work` when it reads a line.
begin_worker() { # MASK
    mkfifo ask answer
    taskset "$1" sh -c 'while read -r line; do work; echo "$line"; done' <>ask 1<>answer &
    worker=$!
    usleep 300000
}
# It is counted as a process, because perf itself runs on a CPU that it counts.
count_worker() { # PART
    perf stat -x, -o x -e $events -p $worker &
    counter=$!
    usleep 300000
    echo go >ask
    read -r _ <answer
    usleep 100000
    kill -INT $counter
    wait $counter
    counts "$1"
}
cpu() { echo "$2" >/sys/devices/system/cpu/cpu"$1"/online; } # NUMBER 0|1
# Prints what the exporter of a port costs in ten seconds: instructions at EL0 and at EL1, and time.
cost() { # PORT
    perf stat -x, -o x -e r8:u,r8:k,task-clock -p "$(cat "$1")" sleep 10 &&
        awk -F, '/r8|task/ { print "cost", $3, $1 }' x
}

echo ready
while read -r command; do
    eval "$command"
    echo "done $?"
done </dev/console
