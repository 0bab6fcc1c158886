# SPDX-License-Identifier: BSD-2-Clause
# The engine perf on a machine without the PMU of an Arm core, and options that an engine lacks.
for pmu in /sys/bus/event_source/devices/armv*; do
    [ -e "$pmu" ] && echo "this machine has $pmu" >&2 && exit 77
done
for words in '--engine=perf true' '-e INST_RETIRED -a' '-p 1 true' '--engine=perf --el0 true' \
    '--engine=perf -L / true' '--engine=perf' '-a -t 1' '--engine=qemu-user -a true' '--engine=qemu-user -t 1'; do
    # shellcheck disable=SC2086 # words
    ARMPMU_ENGINE='' armpmu stat $words
    echo $?
done
ARMPMU_ENGINE=nosuch armpmu stat true
