/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of verbs, with their options and their documentation.  help.c prints all help from it. */
#include <string.h>

#include "state/state.h"
#include "verbs.h"

static const struct cli_option stat_options[] = {
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Count these events, in this order. May be given more than once. Without it, a set of common events is counted."},
    {CLI_METRICS, 'M', "metrics", "METRIC,...",
     "Print these metrics beside the counts of the events that they need, which are counted too. METRIC is a metric or "
     "a group that armpmu list --metrics prints; topdown, level 1 of top-down analysis with what to look at next; or "
     "NAME=FORMULA. May be given more than once."},
    {CLI_SEPARATOR, 'x', "field-separator", "SEP",
     "Print fields separated by SEP, as perf stat -x does; \\t is a tab."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON object for each count, as perf stat -j does."},
    {CLI_INTERVAL, 'I', "interval-print", "MS",
     "Print the counts of each interval of MS milliseconds (1 to 3600000), after the time since the start."},
    {CLI_TO, '\0', "to", "FORMAT",
     "With -I: write the intervals to the file of -o as a timeline for another tool: perfetto, for ui.perfetto.dev and "
     "trace_processor. --to=help prints it."},
    {CLI_REPEAT, 'r', "repeat", "N",
     "Run PROGRAM N times (1 to 1000000), and print the mean of each count with its spread, least and greatest."},
    {CLI_SAVE, '\0', "save", "FILE", "Write the result to FILE as JSON, for --baseline."},
    {CLI_BASELINE, '\0', "baseline", "FILE",
     "Compare the result with that of FILE, which --save wrote, and print what differs."},
    {CLI_FAIL_ABOVE, '\0', "fail-above", "PERCENT,EVENT=PERCENT,...",
     "With --baseline: exit with status 1 if the count of any event, or of EVENT, is greater by more than PERCENT of "
     "the baseline's."},
    {CLI_MARKDOWN, '\0', "markdown", "FILE", "With --baseline: write what differs to FILE as Markdown too."},
    {CLI_DETERMINISTIC, '\0', "deterministic", "",
     "qemu-user: hold still what differs between two runs of the same program: addresses, time, random numbers, "
     "process ids, the environment, the number of CPUs."},
    {CLI_ENV, '\0', "env", "NAME[=VALUE]",
     "With --deterministic: give the program this variable too. May be given more than once."},
    JOBS_OPTIONS,
    {CLI_OUTPUT, 'o', "output", "FILE", "Print the results to FILE instead of stderr."},
    {CLI_APPEND, '\0', "append", "", "With -o: append to FILE."},
    {CLI_ENGINE, '\0', "engine", "NAME",
     "Count with this engine: perf; qemu-user; or auto (the default), which is perf if this machine has it. "
     "--engine=help lists the engines."},
    {CLI_ALL_CPUS, 'a', "all-cpus", "",
     "perf: count everything on every CPU while PROGRAM runs; without PROGRAM, until SIGINT."},
    {CLI_PID, 'p', "pid", "PID,...",
     "perf: count these processes instead of PROGRAM, while it runs; without PROGRAM, until they end or SIGINT."},
    {CLI_TID, 't', "tid", "TID,...", "perf: like -p, for single threads."},
    {CLI_CORE, '\0', "core", "NAME",
     "qemu-user: model the caches, TLBs, branch predictor and time of this core, such as cortex-a72, and count its "
     "events. Any other word lists the names."},
    {CLI_CORE_FILE, '\0', "core-file", "FILE",
     "qemu-user: the same for the core that FILE describes: \"core NAME\", \"name MINE\", then \"l2.size 2M\" and the "
     "like, a line each."},
    {CLI_EL0, '\0', "el0", "",
     "qemu-user: let the program use a PMU at EL0. Its event counters 0, 1, ... count the events in their order, and "
     "its cycle counter counts cycles."},
    {CLI_SYSROOT, 'L', "sysroot", "DIR",
     "qemu-user: take the program's dynamic loader and libraries from DIR, like qemu-aarch64 -L."},
    {CLI_VERBOSE, 'v', "verbose", "",
     "Print also which emulator ran the program, and the version of its plugin interface."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text stat_sections[] = {
    {NULL, "Runs a program and counts its PMU events, like perf stat. The program keeps its own stdin, stdout, stderr, "
           "signals and exit status. The counts cover all of its processes and threads."},
    {NULL, "The engine perf counts with this machine's own PMU through Linux's perf_event; it needs an Arm machine. "
           "The engine qemu-user runs an Arm Linux program, AArch64 or 32-bit, in an emulator on any machine: every "
           "count is a read of PMEVCNTR<n>_EL0, a counter of a model PMU that the driver programmed through its "
           "registers to count at EL0. There are as many PMUs as the events need, so no count of this engine is "
           "scaled."},
    {"EVENTS", "An event is one of Arm's names, as armpmu list prints them, in upper or lower case; one of perf's "
               "generic names (instructions, cycles, branches); or a hexadecimal number, r8 or 0x8. The engine perf "
               "also knows the names that the kernel has for this core. A modifier after the event chooses what is "
               "counted: :u the application, :k the kernel, :h the hypervisor. Events in braces, {A,B}:u, are counted "
               "at the same times."},
    {NULL, "With perf, events take turns where there are fewer counters than events. A percentage then says for how "
           "much of the time an event was counted, and its count is an estimate. A user who may not count the kernel "
           "(kernel.perf_event_paranoid is 2) counts the application only, and the event's name gets :u. With -a, the "
           "kernel stops counting a CPU that is taken offline, and does not resume when it comes back. Then the counts "
           "have a percentage too, but they are sums, not estimates, and a remark says what they lack."},
    {NULL, "With qemu-user, a count without a mark is exact: it is what the architecture defines. 'retired for "
           "speculated' marks an event of speculation that is counted at retirement, which is right for a machine that "
           "never speculates wrongly. '1 an instruction' marks CPU_CYCLES without --core. 'modelled:NAME' marks a "
           "count of a modelled core."},
    {"A MODELLED CORE", "With --core, a core runs the program: caches, TLBs, translation table walks, a branch "
                        "predictor and an interval model of time, by a table of parameters. So events such as "
                        "L1D_CACHE_REFILL, BR_MIS_PRED_RETIRED, CPU_CYCLES and STALL_BACKEND are counted: those that "
                        "armpmu list --core NAME calls modelled, which with -v says what each leaves out. Only the "
                        "parts that the events need are simulated, and each event has the value that it has with all "
                        "parts. CPU_CYCLES and stalls need all of them."},
    {NULL, "Each thread has a core of its own. Cores share the levels that the row says, in the order in which the "
           "emulator executes the threads. At most 64 threads of a process have a core at the same time; a remark "
           "tells of more. A thread that begins after another one ended takes over its core. The child of fork, and a "
           "program that another becomes by exec, begin with cold cores."},
    {"METRICS", "A metric is a formula over counts. It is printed beside the count of the first event of its formula, "
                "on lines of their own if there are several, as perf stat prints it: # 1.23 per cycle ipc. Each event "
                "is counted once, however many metrics need it; events in braces that --event names are counted at "
                "the same times. Every core has the metrics of common events, and some have formulas of their own and "
                "the number of slots in a cycle, which Arm publishes. The engine perf takes the core from its MIDR, "
                "and slots from the kernel."},
    {NULL, "A metric that needs an event that is not counted here is an error, which names the event. If the metric "
           "was chosen by its group, it is left out, and a remark names the event. A value whose divisor is 0 is nan. "
           "In parentheses after the name stand the mark of the events, and 'estimate' if an event shared its "
           "counter. Counts that were chosen anyway have a comment where the counts beside them allow it, such as # "
           "1.23 insn per cycle."},
    {NULL, "-M topdown prints level 1 of top-down analysis also as bars, and then the metrics and groups to look at "
           "next, by the decision tree of the core. Levels that are chosen beside it are printed below it: -M "
           "topdown,topdown_frontend,topdown_backend."},
    {NULL, "NAME=FORMULA has a formula of your own: numbers (12, 0.5, 10K, 5%), events, + - * / and parentheses, and "
           "the words slots, line (bytes of a line of cache) and seconds, for instance -M "
           "'svc=EXC_SVC / INST_RETIRED * 1M'."},
    {"OUTPUT", "The fields of -x are: the count; its unit (empty); the event; the nanoseconds for which it was "
               "counted; the percentage of the time for which it was counted (100.00 with qemu-user, which multiplexes "
               "nothing); a metric (empty without one); and the unit and name of the metric, or the mark (empty for "
               "exact counts and with perf). A further metric has a line of its own, on which the first five fields "
               "are empty. -I puts the time in seconds before them. <not counted> stands for an event that never "
               "had a counter."},
    {NULL, "The objects of -j have the keys of perf stat -j, and \"trust\": exact, retired or modelled; with perf, "
           "measured. A further metric is an object with metric-value (null if it is undefined), metric-unit and "
           "trust. With -x and -j, remarks on what the counts leave out go to stderr."},
    {"SEVERAL RUNS", "With -r, the program runs N times, one after the other. After the mean of a count stands the "
                     "standard deviation of the mean in per cent, as perf stat -r prints it, and if the counts differ "
                     "the least and the greatest. -x puts the per cent after the event, and least and greatest at the "
                     "end; -j has variance (the per cent), min, max and runs. Metrics are computed from the means. "
                     "The runs end with one that does not end as the first one did; the results are those of the runs "
                     "before."},
    {"COMPARING", "An event is compared with that of the baseline if both mean the same: its name, its trust, and its "
                  "mark, so also the modelled core. Other events are named with the cause. Another program, other "
                  "arguments, another emulator and the like are said. If the program did not end with the status that "
                  "it has in the baseline, nothing is compared."},
    {NULL, "With -j, an object for each event has verdict (equal, less, more, above, not compared), baseline-value, "
           "mean-value, difference, percent (null if the baseline counted 0) and limit; the last object has the "
           "comparison as a sentence."},
    {"JOBS", "With --jobs, each line of FILE is a job: a name, a tab, and what follows armpmu stat on a command line, "
             "in words as a shell's: quotes and backslashes keep blanks, and nothing else is special. Lines that are "
             "empty or begin with # are left out. A job reads nothing from stdin. The result of a job is a line of "
             "JSON on stdout or in -o FILE: job, command, status, cause, seconds, and result, which has what --save "
             "writes, or null. A job that fails is a line with its cause, and the others are done."},
    {NULL, "The columns of --csv are: job, status, cause, seconds, program, engine, emulator, core, runs, event, mean, "
           "min, max, spread, trust, mark; a row for each event, or one for a job without counts. Texts are quoted, "
           "numbers are not, and what is absent is empty."},
    {"DETERMINISTIC RUNS", "With --deterministic, two runs of the same program with the same input count the same, "
                           "also as another user and on another machine with the same emulator. Time begins at the "
                           "same moment, and passes by a microsecond with each look at a clock and by the length of "
                           "each sleep. Random numbers are a fixed sequence. Process ids begin with 2. There is one "
                           "CPU. The environment has PATH, HOME, LC_ALL=C, TZ and what --env adds. Addresses do not "
                           "depend on the machine. The program's path and arguments are part of its memory."},
    {NULL, "What cannot be held still is named when it occurs, a remark for each: the order in which threads take "
           "turns, the sizes of reads from pipes, timers, the order of a folder's files, the value of times(), the "
           "counter of the generic timer, and process ids where a user may have no namespaces. What a program leaves "
           "in files is its next run's input."},
    {"EXIT STATUS", "The program's exit status, or 128 + N if signal N killed it (perf stat gives 0 then); with -r, "
                    "that of the run that did not end as the first one did, or of the first. If the program's status "
                    "is 0: 1 if a count is past its limit of --fail-above; 3 if nothing could be compared with "
                    "--baseline, or not an event that has a limit of its own. With --jobs: 1 if a job "
                    "failed. 2: the "
                    "command line is wrong. 3: armpmu cannot do this here, such as a metric without its events, or "
                    "could not write the results. 126: the program cannot be executed. 127: there is no such program. "
                    "Where the status is armpmu's own, a line on stderr begins with \"armpmu stat:\"."},
    {"SIGNALS", "While the program runs, armpmu leaves SIGINT and SIGQUIT to the program, because a terminal sends "
                "them to both, and passes SIGTERM and SIGHUP on to it. The counts are printed when the program has "
                "ended. A program that ignores these signals goes on. If armpmu is killed by SIGKILL, the emulator is "
                "killed too; processes that the program started go on, as with perf stat. Without a program, SIGINT, "
                "SIGTERM and SIGHUP end counting, and the counts are printed."},
    {"ENVIRONMENT", "ARMPMU_ENGINE: the engine to use without --engine, in place of auto."},
    {NULL, "ARMPMU_QEMU: the qemu-aarch64 to use, in place of the one in PATH or the one that make qemu-user builds. "
           "ARMPMU_QEMU_ARM: the same for 32-bit Arm programs; it must be QEMU 9.1 to 11.1."},
    {NULL, "ARMPMU_TMPDIR: the directory for the emulator's counts while the program runs, in place of /dev/shm, or of "
           "TMPDIR or /tmp where /dev/shm has less than 64 MB of room."},
    {"EXAMPLES", "armpmu stat -e INST_RETIRED,LD_RETIRED,ST_RETIRED -- ./program"},
    {NULL, "armpmu stat --core cortex-a72 -e L1D_CACHE_REFILL,BR_MIS_PRED_RETIRED -- ./program"},
    {NULL, "armpmu stat -x, -I 100 -o counts.csv -L /usr/aarch64-linux-gnu -- ./program"},
    {NULL, "armpmu stat -M instruction_mix,branch -- ./program"},
    {NULL, "armpmu stat --deterministic --save base.json -- ./program"},
    {NULL, "armpmu stat --deterministic --baseline base.json --fail-above 1% -- ./program"},
    {NULL, "armpmu stat --jobs list -P 8 -o results.jsonl --csv results.csv --deterministic"},
    {NULL, "armpmu stat --engine=perf -e {INST_RETIRED,CPU_CYCLES}:u -a -- sleep 1"},
    END_OF_TEXT,
};

static const struct cli_option run_options[] = {
    {CLI_CPU, '\0', "cpu", "NAME",
     "The CPU: max (the default for AArch64 images), cortex-a15 (the default for AArch32 images), or another that "
     "armpmu run -- -cpu help lists. arm1136 and arm1176 run on a versatilepb board."},
    {CLI_FEATURES, '\0', "features", "LIST",
     "The features of its PMU, in place of the CPU's own: PMUv3p9,PMUv3_ICNTR,... with all that they require."},
    {CLI_COUNTERS, '\0', "counters", "N", "The number of event counters of its PMU, 1 to 31."},
    {CLI_CORE, '\0', "core", "NAME",
     "Give the machine a core of the core model, as cortex-a72: the PMU then counts its caches, TLBs, branches and "
     "cycles too. doc/core.md lists the cores. Without it these events do not occur."},
    {CLI_CORE_FILE, '\0', "core-file", "FILE", "The same with a core that FILE describes."},
    {CLI_EL, '\0', "el", "LEVEL",
     "The Exception level at which the image starts, the highest of the machine: 1 (the default), 2 or 3."},
    {CLI_TRACE, '\0', "trace", "FILE",
     "Record every action on the PMU of CPU 0, with its result, in FILE, and those of CPU N in FILE.N. The traces can "
     "be replayed."},
    {CLI_WAVE, '\0', "wave", "FILE",
     "Write the PMUs over time to FILE as a Value Change Dump for GTKWave: counters, PMOVS, PMUIRQ, enables, Exception "
     "level and Security state; for ARM11 its registers, nPMUIRQ, User mode and the Secure world."},
    {CLI_HTML, '\0', "html", "FILE",
     "Write a page for a browser to FILE: counters, the causes for which they stood still, and PMUIRQ over time. "
     "make page builds what it needs."},
    {CLI_TO, '\0', "to", "FORMAT",
     "Write the same to the file of -o as a timeline for another tool: perfetto, for ui.perfetto.dev and "
     "trace_processor. --to=help prints it."},
    {CLI_LIMIT, '\0', "limit", "N", "End the run when a CPU has executed N instructions."},
    {CLI_SAVE, '\0', "save", "FILE", "Write what each counter counted to FILE as JSON."},
    JOBS_OPTIONS,
    {CLI_OUTPUT, 'o', "output", "FILE",
     "With --to: the file of the timeline. With --jobs: print the results to FILE instead of stdout."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text run_sections[] = {
    {NULL, "Runs firmware, an ELF file, on an emulated machine with a complete PMU: QEMU's system emulator with the "
           "model in place of its own PMU, which make qemu builds. The console is the machine's serial line and "
           "semihosting; an exit by semihosting ends the run. At the end armpmu prints what each counter counted, for "
           "how long it stood still, and why."},
    {NULL, "An instruction takes one cycle (-icount shift=0), counts are exact at each instruction, and an overflow "
           "interrupt is taken right after the instruction that overflows. Arguments after -- are the emulator's, for "
           "any other machine; counts there are as exact as its -icount makes them."},
    {"JOBS", "With --jobs, each line of FILE is a job: a name, a tab, and what follows armpmu run on a command line, "
             "as armpmu stat --help says. The columns of --csv are: job, status, cause, seconds, cpu, instructions, "
             "counter, event, value, counted, still; a row for each counter."},
    {"EXIT STATUS", "The exit status of the image, or 128 + N if signal N killed the emulator. With --jobs: 1 if a job "
                    "failed. 2: the command line is "
                    "wrong. 3: the emulator is not built here, or could not run."},
    {"ENVIRONMENT", "ARMPMU_QEMU_SYSTEM: the emulator to use, in place of the one that is built or installed with "
                    "armpmu."},
    {"EXAMPLES", "armpmu run --el 3 --features PMUv3p9,PMUv3_ICNTR --wave pmu.vcd firmware.elf"},
    {NULL, "armpmu run -- -M virt -cpu max -icount shift=0 -nic none -nographic -kernel Image -append console=ttyAMA0"},
    END_OF_TEXT,
};

static const struct cli_option list_options[] = {
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array."},
    {CLI_VERBOSE, 'v', "details", "",
     "Print also the kind of each event and, where the architecture leaves room, what is counted."},
    {CLI_METRICS, '\0', "metrics", "",
     "List metrics instead of events: name, unit, groups, what it says, and its formula. With --core, those of this "
     "core by its own formulas; without it, those of common events, which hold for every core."},
    {CLI_CORE, '\0', "core", "NAME|MIDR",
     "List the events that the manual of this core lists, by the names that it gives them, and those that a model of "
     "the core counts. armpmu decode --cores prints the names of cores."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text list_sections[] = {
    {NULL, "Lists the common events of PMUv3: number, name, how the emulator counts them (exact, retired or modelled; "
           "- if it does not), and what they are. With --core, events are modelled that armpmu stat --core counts; -v "
           "says what their counts leave out. With words, lists only the events that have all of them, in upper or "
           "lower case. With --metrics, lists metrics instead, which armpmu stat -M prints."},
    {"EXIT STATUS", "0: something was listed. 1: nothing has all of the words. 2: the command line is wrong. 3: the "
                    "list could not be written."},
    {"EXAMPLES", "armpmu list exact"},
    {NULL, "armpmu list --core A72 cache"},
    {NULL, "armpmu list -v --core A72 modelled"},
    {NULL, "armpmu list --metrics --core V1 topdown_l1"},
    END_OF_TEXT,
};

/*
 * The first two rows of the options of armpmu decode and of armpmu encode:
 *
 *     static const struct cli_option encode_options[] = {
 *         CONFIGURATION_OPTIONS,      expands to {CLI_FEATURES, ...}, {CLI_CORE, ...}
 */
#define CONFIGURATION_OPTIONS \
    {CLI_FEATURES, '\0', "features", "[+|-]FEATURE,...", \
     "The features of the PE, Arm's names without FEAT_, with all that they require: PMUv3p5,AA32EL0. A field that " \
     "requires another feature is reserved. Without --features and --core, fields are printed with the features that " \
     "they require."}, \
    {CLI_CORE, '\0', "core", "NAME|MIDR", \
     "The core, by the name that --cores prints, by its MIDR, or by a board or SoC that has it."}

static const struct cli_option decode_options[] = {
    CONFIGURATION_OPTIONS,
    {CLI_FILE, 'f', "file", "FILE",
     "Instead of operands: print every register in FILE, a text; - is stdin. It may have lines of NAME=VALUE or NAME: "
     "VALUE; columns; the output of GDB, OpenOCD, Trace32 or U-Boot's md; JSON; or a trace that the model replays, or "
     "its first lines."},
    {CLI_GDB, '\0', "gdb", "HOST:PORT",
     "Instead of operands: print every register of a target by the GDB remote protocol, such as QEMU's -s or OpenOCD's "
     "gdb_port (doc/state.md). The target is stopped, read and resumed."},
    {CLI_LIVE, '\0', "live", "",
     "Instead of operands: print what is known of this Arm Linux machine: cores, PMU devices, what the kernel allows, "
     "and the registers that a program may read."},
    {CLI_BASE, '\0', "base", "ADDRESS",
     "With -f or --gdb: the address of the PMU's external view in the memory that FILE shows or --gdb reads."},
    {CLI_REGISTERS, '\0', "registers", "", "List the registers of every view by name, and exit."},
    {CLI_CORES, '\0', "cores", "", "List the cores with MIDR, kind of PMU and number of event counters, and exit."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text decode_sections[] = {
    {NULL, "Prints the fields of registers of the PMU, and of registers that control it: bits, name, value and "
           "meaning. An event is printed with its name, a set of counters with their numbers. A field that is reserved "
           "in the given configuration but not 0 is pointed out."},
    {"REGISTERS", "A register is named as in any of its views: PMCR_EL0 (AArch64), PMCR or HDCR (AArch32), PMCFGR "
                  "(external), PMNC (ARM11); by its encoding, S3_3_C9_C12_0 or 'p15, 0, c9, c12, 0'; by its offset in "
                  "the external view, 0xE04; or by an instruction that accesses it, an MRS, MSR, MRC, MCR, MRRC or "
                  "MCRR as eight hexadecimal digits, d53b9c00, or as assembly, 'mrs x0, pmcr_el0'. ESR_EL1=VALUE, "
                  "HSR=VALUE and ISS=VALUE are the syndrome of an exception, and the access that was trapped."},
    {NULL, "A value is decimal, or hexadecimal with 0x. Without a value only the fields are printed."},
    {"EXIT STATUS", "0: everything was printed. 2: the command line is wrong. 3: the results could not be written."},
    {"EXAMPLES", "armpmu decode PMCR_EL0=0x41023001"},
    {NULL, "armpmu decode --features=PMUv3p5 0xD51BEC05=0x80000008"},
    {NULL, "armpmu decode --gdb=localhost:1234"},
    END_OF_TEXT,
};

static const struct cli_option encode_options[] = {
    CONFIGURATION_OPTIONS,
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array, with all fields."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text encode_sections[] = {
    {NULL, "Prints a register with the given fields, and 0 in all others, as NAME=VALUE. armpmu decode and every verb "
           "that takes an INPUT read this form. With REG=VALUE the other fields stay as they are in VALUE. Registers "
           "are named as for armpmu decode; an event may be given by name."},
    {"EXIT STATUS", "0: the register was printed. 2: the command line is wrong. 3: the results could not be written."},
    {"EXAMPLES", "armpmu encode PMEVTYPER0_EL0 evtCount=INST_RETIRED P=1"},
    END_OF_TEXT,
};

static const struct cli_option why_options[] = {
    {CLI_COUNTER, '\0', "counter", "N",
     "Answer for this counter only: cycle, instr, or 0 to 30. May be given more than once."},
    {CLI_AT, '\0', "at", "STATE",
     "Answer for this state only: EL3, NS_EL0 to NS_EL2 (or EL0 to EL2), S_EL0 to S_EL2, RL_EL0 to RL_EL2. May be "
     "given more than once."},
    {CLI_CURE, '\0', "cure", "",
     "For registers: print the smallest set of register writes that makes the counter count there."},
    {CLI_LEVEL, '\0', "level", "LEVEL",
     "With --cure: allow writes from up to EL1, EL2 or EL3 (the default), or external ones too."},
    {CLI_C, 'c', "code", "",
     "Print the cure as code in the form that INPUT has: write_sysreg() for a kernel, inline assembly for bare metal, "
     "Rust, assembly, and so on. For INPUT that is code, say where it belongs; the place is checked by reading the "
     "changed code again."},
    {CLI_FORM, '\0', "form", "FORM",
     "With -c: print the code in this form: c, linux, tf-a, rust, asm, armasm, memory, u-boot or armpmu. --form=list "
     "lists the forms."},
    {CLI_MSR, '\0', "msr", "", "The same as --form=asm."},
    {CLI_SYMPTOM, '\0', "symptom", "SYMPTOM",
     "Without INPUT: list the causes of a symptom (zero, fault, absent, few, interrupt, small, large or wraps), of all "
     "symptoms (all), or the cause with a given number."},
    {CLI_DUMPER, '\0', "dumper", "FORM",
     "Without INPUT: print a program or script that reads the registers of a PMU and prints them as an INPUT: C, a "
     "Linux module, or commands of a debugger or boot loader. --dumper=list lists the forms."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON object."},
    {CLI_VERBOSE, 'v', "verbose", "",
     "Print the verdict, and then what the registers say of every counter, level and Security state."},
    STATE_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text why_sections[] = {
    {NULL, "Says in at most five lines why a counter does not count, or counts wrong: the most likely cause, what in "
           "INPUT shows it, the cure, and how to be sure; then other causes that are as sure, one line each."},
    {NULL, "INPUT is what you have: code that sets the PMU up, registers in any usual form (doc/state.md), a log or a "
           "device tree of Linux, an oops, the output of perf or of a debugger; or - for stdin; or a sentence that "
           "tells what you see, such as \"illegal instruction when I read PMCCNTR_EL0\"."},
    {NULL, "A cause is certain, likely or possible. Where INPUT does not decide, the answer says what to look at."},
    {"OUTPUT", "The verdict comes first. With -v the causes that are less sure follow, and a matrix for registers. The "
               "matrix says for every counter, at every Exception level and in every Security state, whether it "
               "counts. Then come the causes, with the numbers of --symptom; the reasons that hold; the reasons that "
               "depend on what is unknown; what each counter counts and where it overflows; and who may read it."},
    {"EXIT STATUS", "0: nothing wrong is seen, or what was asked for was printed. 1: a cause was found; with --cure, "
                    "there is none. 2: the command line is wrong. 3: the cause cannot be told from INPUT, or INPUT "
                    "cannot be read, or the results could not be written."},
    {"ENVIRONMENT", "NO_COLOR: print no colours on a terminal."},
    {"EXAMPLES", "armpmu why pmu.c"},
    {NULL, "dmesg | armpmu why -"},
    {NULL, "armpmu why --at NS_EL1 dump.txt"},
    {NULL, "armpmu why --cure --level EL1 --counter cycle --at NS_EL1 dump.txt"},
    {NULL, "armpmu why --symptom zero"},
    {NULL, "armpmu why --dumper module --core Cortex-A72 >armpmu_dump.c"},
    END_OF_TEXT,
};

static const struct cli_option audit_options[] = {
    {CLI_PROFILE, '\0', "profile", "PROFILE",
     "What to protect: tf-a (the default), Secure state and EL3 from the rest; el2, EL2 from the levels below it; or a "
     "file."},
    {CLI_JSON, 'j', "json-output", "", "Print a JSON array."},
    STATE_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text audit_sections[] = {
    {NULL, "Says what software can learn about more trusted states through the PMU: for each leak the field to blame, "
           "the value that closes it, and which counters reveal which states. Registers that INPUT lacks, and "
           "registers that less trusted software can write, may hold any value."},
    {"PROFILES", "Each line of a file has one of these forms: level 3 (firmware protects) or level 2 (EL2 protects "
                 "itself); protect STATE..., where a STATE is EL3, S_EL0 to S_EL2, RL_EL0 to RL_EL2, NS_EL2, secure, "
                 "realm, el2 or all; moment between (the values that hold between entries to these states, the "
                 "default) or moment entered (those that an entry has written); accept LEAK..., the leaks to accept. # "
                 "begins a comment."},
    {"EXIT STATUS", "0: nothing leaks. 1: something leaks. 2: the command line or the profile is wrong. 3: INPUT "
                    "cannot be read or has no register, or the results could not be written."},
    {"EXAMPLES", "armpmu audit dump.txt"},
    END_OF_TEXT,
};

static const struct cli_option doctor_options[] = {
    {CLI_ALL_CPUS, 'a', "all-cpus", "",
     "Examine every CPU on which armpmu may run. Without it, one CPU of each kind of core is examined."},
    {CLI_JSON, 'j', "json-output", "",
     "Print a JSON object: \"verdict\", as armpmu why -j has it, and \"pmus\", with every finding."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

static const struct cli_text doctor_sections[] = {
    {NULL, "Says whether the counters of this Arm Linux machine can be believed. It runs loops whose content is known "
           "to the instruction, counts them with perf events, and gives a verdict for each event, for each kind of "
           "core, in a virtual machine too. With EVENTs, by Arm's names or as r8 or 0x8, it examines these only. It "
           "changes no setting."},
    {NULL, "Each loop runs for n and for 2n iterations, five times, and the difference of the two counts is judged: "
           "what starting and stopping adds is in both. Events whose count the architecture defines are judged at "
           "EL0 alone, with the kernel excluded, and two exact counts of five are enough, because an interrupt may add "
           "or hide an instruction. All other events have bounds, with room for what an implementation may do: wrong "
           "means that neither this room nor noise explains the count."},
    {"VERDICTS", "exact: the count is what the loop contains. plausible: it is within the bounds. stands still: it is "
                 "0 after every run. wrong by N %: it is outside of the bounds. absent: the PMU does not have the "
                 "event. refused: the kernel does not let this process count it, with the reason. no loop: no loop "
                 "here says what it must count."},
    {NULL, "Besides events it checks the number of event counters, whether each of them counts, whether EL0 may read "
           "them where the kernel says so, and whether an overflow raises an interrupt. A fault has the causes that "
           "explain it, the likeliest first, with the numbers of armpmu why --symptom."},
    {"EXIT STATUS", "0: nothing is wrong. 1: a fault was found: an event or a counter is wrong or stands still, or an "
                    "event or a PMU that should be there is missing. 2: the command line is wrong. 3: this is no Arm "
                    "machine, or too little could be judged on some kind of core, or the results could not be "
                    "written. A refusal alone is no fault."},
    {"EXAMPLES", "armpmu doctor"},
    {NULL, "armpmu doctor -a INST_RETIRED CPU_CYCLES"},
    END_OF_TEXT,
};

const struct cli_verb cli_verbs[] = {
    {"stat", "[--] PROGRAM [ARGUMENT...]", "run a program and count its PMU events", stat_options,
     stat_sections, cli_stat},
    {"record", "[--] PROGRAM [ARGUMENT...]", "run a program and record which instructions its events belong to",
     verbs_record_options, verbs_record_sections, cli_record},
    {"run", "IMAGE | -- QEMU-ARGUMENT...", "run firmware on an emulated machine and say why a counter stood still",
     run_options, run_sections, cli_run},
    {"coverage", "[PROGRAM...]", "say which events a set of tests reaches, and what was lost", verbs_coverage_options,
     verbs_coverage_sections, cli_coverage},
    {"list", "[WORD...]", "list the events of PMUv3 and say which can be counted", list_options, list_sections,
     cli_list},
    {"decode", "[REG[=VALUE]...]", "print the fields of registers", decode_options, decode_sections, cli_decode},
    {"encode", "REG[=VALUE] [FIELD=VALUE]...", "make the value of a register from its fields", encode_options,
     encode_sections, cli_encode},
    {"why", "INPUT", "say why a counter does not count, and what makes it count", why_options, why_sections, cli_why},
    {"audit", "INPUT", "say what less trusted software can learn through the PMU", audit_options, audit_sections,
     cli_audit},
    {"doctor", "[EVENT...]", "say whether this machine's counters count what they should", doctor_options,
     doctor_sections, cli_doctor},
    {"report", "[FILE [OTHER]]", "say where the events of a recording happened", verbs_report_options,
     verbs_report_sections,
     cli_report},
    {"annotate", "[FUNCTION]", "print a function's source and instructions with what each cost",
     verbs_annotate_options, verbs_annotate_sections, cli_annotate},
    {"diff", "BEFORE AFTER", "say what changed between two recordings", verbs_diff_options, verbs_diff_sections,
     cli_diff},
    {"export", "", "give this machine's counts to Prometheus", verbs_export_options, verbs_export_sections, cli_export},
    {"conform", "[-- COMMAND...]", "say where a machine's PMU differs from the architecture", verbs_conform_options,
     verbs_conform_sections, cli_conform},
    {"generate", "", "make a bare-metal program that checks a PMU", verbs_generate_options, verbs_generate_sections,
     cli_generate},
    {.name = NULL},
};

const struct cli_text cli_common[] = {
    {NULL, "Counts the events of Arm's Performance Monitoring Unit (PMU) on any Linux machine, with the hardware or "
           "without it, and explains and checks the registers of a PMU."},
    END_OF_TEXT,
};

const struct cli_verb *cli_find_verb(const char *name)
{
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        if (strcmp(v->name, name) == 0) {
            return v;
        }
    }
    return NULL;
}
