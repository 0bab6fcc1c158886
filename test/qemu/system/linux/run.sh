# SPDX-License-Identifier: BSD-2-Clause
# run.sh ARCHITECTURE VCPUS: in the guest, Debian's perf counts a program whose instructions are known (work.S,
# work32.S).
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; }
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got '$2', want '$3'"; fi; } # NAME GOT WANT
count() { awk -F, -v event="$1" '$3 == event { print $1 }' x; } # EVENT: prints its count
architecture=$1 vcpus=$2
n=1000000

is "vCPUs" "$(nproc)" "$vcpus"
perf list >x 2>&1
[ "$(grep -c 'Kernel PMU event' x)" -ge 10 ] && grep -qi 'armv[78][^/]*/inst_retired/' x && ok "perf list" ||
    not_ok "perf list" "$(head -n 5 x | tr '\n' ' ')"

# Prints lines EVENT NAME COUNT: ten events of the program at EL0.
events() {
    echo "r0008 INST_RETIRED $((10 * n + 6))"
    echo "r0011 CPU_CYCLES $((10 * n + 6 + ${faults:-0}))" # a page fault takes a cycle in which nothing retires
    case $architecture in
    arm64)
        echo "r0006 LD_RETIRED $((2 * n))"
        echo "r0007 ST_RETIRED $n"
        echo "r000d BR_IMMED_RETIRED $((2 * n))"
        echo "r000e BR_RETURN_RETIRED $n"
        echo "r0021 BR_RETIRED $((3 * n))"
        echo "r007e DMB_SPEC $n"
        echo "r0013 MEM_ACCESS $((3 * n))"
        echo "r0072 LDST_SPEC $((3 * n))" ;;
    armhf)
        echo "r0006 LD_RETIRED $n"
        echo "r0007 ST_RETIRED $((2 * n))"
        echo "r000c PC_WRITE_RETIRED $((3 * n - 1))"
        echo "r000d BR_IMMED_RETIRED $((2 * n))"
        echo "r000e BR_RETURN_RETIRED $n"
        echo "r0013 MEM_ACCESS $((3 * n))"
        echo "r0021 BR_RETIRED $((3 * n))"
        echo "r007e DMB_SPEC $n" ;;
    esac
}
all=$(events | while read -r event _; do printf '%s' ",$event:u"; done)
if perf stat -x, -o x -e "${all#,},page-faults:u" work 2>err; then
    faults=$(count page-faults:u)
    events | while read -r event name want; do is "perf stat $name" "$(count "$event:u")" "$want"; done
else
    not_ok "perf stat" "$(head -n 2 err)"
fi

# One program on each vCPU, all at once.
cpu=0
while [ $cpu -lt "$vcpus" ]; do
    taskset -c $cpu perf stat -x, -o x$cpu -e r0008:u work &
    cpu=$((cpu + 1))
done
wait
is "perf stat, all vCPUs at once" "$(cat x?* | awk -F, '$3 == "r0008:u" { s += $1 } END { printf "%d", s }')" \
    $((vcpus * (10 * n + 6)))
is "perf stat, system-wide" "$(perf stat -x, -o x -a -e r0008:u work 2>err && count r0008:u |
    awk -v least=$((10 * n + 6)) '{ print ($1 >= least && $1 < least + 2000000) ? "enough" : $1 }')" enough

# The 100 overflows of a period of 100000 are 100 samples, all in the program.  Without -icount the guest's clock is
# the host's.  On a busy host Linux finds that interrupts take too long, and would leave samples out without the
# setting below.
sysctl -q kernel.perf_cpu_time_max_percent=0
perf record -q -e r0008:u -c 100000 -o data work 2>err || not_ok "perf record" "$(head -n 2 err)"
is "perf record, samples" "$(perf report -i data -D 2>err | grep -c PERF_RECORD_SAMPLE)" 100
perf report -i data --stdio -s dso 2>err | grep -q '100\.00% *work' && ok "perf record, where" ||
    not_ok "perf record, where" "$(perf report -i data --stdio -s dso 2>&1 | grep -v '^#' | head -n 3 | tr '\n' ' ')"

if [ "$architecture" = arm64 ]; then
    sysctl -q kernel.perf_user_access=1
    region >x 2>&1
    grep -qE '^[4-9][0-9]{3} instructions, [4-9][0-9]{3} cycles, read directly$' x && ok "direct read" ||
        not_ok "direct read" "$(cat x)"
fi
