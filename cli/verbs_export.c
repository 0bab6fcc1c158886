/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and the documentation of `armpmu export`. */
#include "verbs.h"

const struct cli_option verbs_export_options[] = {
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Count these events, as armpmu stat -e. May be given more than once. Without it, a set of common events is "
     "counted."},
    {CLI_METRICS, 'M', "metrics", "METRIC,...",
     "Export these metrics too, as armpmu stat -M prints them. May be given more than once."},
    {CLI_ALL_CPUS, 'a', "all-cpus", "", "Count everything on every CPU, each by itself. This is the default."},
    {CLI_PID, 'p', "pid", "PID,...", "Count these processes instead, together, until they have all ended."},
    {CLI_CGROUP, 'G', "cgroup", "PATTERN",
     "Count the cgroups that match PATTERN instead, each over all CPUs: kubepods.slice/*/*.slice, where * matches any "
     "part of one name. The path is that of /proc/PID/cgroup or below /sys/fs/cgroup. Cgroups that are made later are "
     "counted, too, from the end of that window. May be given more than once."},
    {CLI_LISTEN, '\0', "listen", "ADDR:PORT",
     "Serve http://ADDR:PORT/metrics. The default is 127.0.0.1:9876, unless --textfile is given alone. Port 0 takes "
     "one that is free, which is printed."},
    {CLI_TEXTFILE, '\0', "textfile", "FILE",
     "Write the counts to FILE after each interval, for the textfile collector of node_exporter, which reads names "
     "that end in .prom. FILE is replaced in one step, and removed at the end."},
    {CLI_INTERVAL, '\0', "interval", "SECONDS",
     "The length of a window: 1 to 3600 seconds, 10 by default."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_export_sections[] = {
    {NULL, "Counts with this machine's PMU as long as it runs, and gives the counts to Prometheus: over HTTP as "
           "OpenMetrics, or in a file for node_exporter. It needs CAP_PERFMON and kernel.perf_event_paranoid of at "
           "most 2 (above it, Debian's and Ubuntu's kernels ask for CAP_SYS_ADMIN), or else 0 or less; doc/export.md "
           "has a unit for systemd. It neither encrypts nor asks for passwords: where others than this machine may "
           "reach it, put a proxy before it."},
    {NULL, "A request reads the counts at that moment. Besides, time is divided into windows of --interval. What says "
           "something of a window says it of the last one that has ended."},
    {"SERIES", "armpmu_event_total: occurrences while the event had a counter. armpmu_event_enabled_seconds_total and "
               "armpmu_event_running_seconds_total: for how long it was to be counted, and for how long it had a "
               "counter. Where they differ, events took turns, and the rate of the count times the rate of the first "
               "by that of the second is an estimate. armpmu_event_missed_seconds_total: further time in which a CPU "
               "may have run uncounted. armpmu_event_valid: 1 if the event had a counter in all of the last window."},
    {NULL, "Their labels are event, cpu (or cgroup, or pid, the argument of --pid), core, engine and mark. None of "
           "these counters decreases while the exporter runs; armpmu_event_created says when it began. The series of a "
           "cgroup end with it."},
    {NULL, "armpmu_event_healthy: of CPU_CYCLES and INST_RETIRED, 0 if the CPU was busy for a tenth of a second in a "
           "window and the counter stood still in it, 1 if it moved. There is no sample while nothing can be said. "
           "armpmu doctor examines a counter that stands still."},
    {NULL, "armpmu_cpu_online: 0 for a CPU that is offline. Its counts stay as they are. When it is online again they "
           "go on, half a second later at most. armpmu_metric: a metric in the last window, with the labels metric, "
           "cpu, cgroup or pid, core and per, the unit. armpmu_cgroups, armpmu_cgroups_left_out: how many cgroups "
           "are counted, and how many match and are not: beyond 256, or for lack of file descriptors. "
           "armpmu_build_info: the version. armpmu_export_cpu_seconds_total: what the exporter itself cost."},
    {"EXIT STATUS", "0: a signal ended it, or the processes have ended. 2: the command line is wrong. 3: nothing can "
                    "be counted here, or the address or the file cannot be used."},
    {"EXAMPLES", "armpmu export"},
    {NULL, "armpmu export -e CPU_CYCLES,INST_RETIRED -M ipc --listen 0.0.0.0:9876"},
    {NULL, "armpmu export --textfile /var/lib/prometheus/node-exporter/armpmu.prom --interval 15"},
    END_OF_TEXT,
};
