/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and the documentation of the verbs that make and show recordings: rows of the table in verbs.c. */
#include "verbs.h"

const struct cli_option verbs_record_options[] = {
    {CLI_CALL_GRAPH, 'g', "call-graph", "",
     "Record also which functions called which, and what each call cost with all that it called. See CALL GRAPHS."},
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Record these events, in this order. May be given more than once. Without it, INST_RETIRED is recorded; with "
     "perf, CPU_CYCLES."},
    {CLI_CORE, '\0', "core", "NAME",
     "Model the caches, TLBs, branch predictor and time of this core, such as cortex-a72, and record its events. Any "
     "other word lists the names. See EVENTS OF A CORE."},
    {CLI_CORE_FILE, '\0', "core-file", "FILE", "The same with a core that FILE describes, as for armpmu stat."},
    {CLI_PERIOD, 'c', "count", "N",
     "Take samples as an interrupt at overflow would: one after every N occurrences of an event in a thread. See "
     "SAMPLES."},
    {CLI_FREQUENCY, 'F', "freq", "FREQ",
     "The same with a period that adapts, so that each event has about FREQ samples in a second: of the modelled "
     "core's time, which needs --core and --clock; with perf, of this machine's, and 4000 is the default."},
    {CLI_CLOCK, '\0', "clock", "CLOCK", "qemu-user: with -F, the clock of the modelled core, such as 1.5GHz."},
    {CLI_ENGINE, '\0', "engine", "NAME",
     "What records: qemu-user (the default), which runs the program in the emulator, or perf, which samples this "
     "machine's counters. See SAMPLES OF THIS MACHINE."},
    {CLI_ALL_CPUS, 'a', "all-cpus", "",
     "perf: sample everything on every CPU, until PROGRAM ends or the user interrupts."},
    {CLI_PID, 'p', "pid", "PID,...",
     "perf: sample these processes that run already, until they end, PROGRAM ends or the user interrupts."},
    {CLI_TID, 't', "tid", "TID,...", "perf: like -p, for single threads."},
    {CLI_OUTPUT, 'o', "output", "FILE",
     "Write the recording to FILE instead of armpmu.data. A recording that is there is replaced, any other file is "
     "not."},
    {CLI_SYSROOT, 'L', "sysroot", "DIR",
     "Take the program's dynamic loader and libraries from DIR, like qemu-aarch64 -L."},
    {CLI_DETERMINISTIC, '\0', "deterministic", "",
     "Hold still what differs between two runs of the same program, as for armpmu stat. The recording has no times "
     "then, so that equal runs make equal files."},
    {CLI_ENV, '\0', "env", "NAME[=VALUE]",
     "With --deterministic: give the program this variable too. May be given more than once."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_record_sections[] = {
    {NULL, "Runs an Arm Linux program, AArch64 or 32-bit, in the emulator of armpmu stat, and writes to a file how "
           "often each event occurred at each instruction. Nothing is sampled: the counts of all instructions add up "
           "to what armpmu stat counts, and cost what stat costs. The recording covers all processes and threads of "
           "the program, its libraries, and code that it generates."},
    {NULL, "armpmu report shows the recording by function, line, file or thread, armpmu annotate beside source and "
           "assembly, and armpmu diff what changed between two."},
    {"EVENTS", "The events that armpmu stat counts, by the same names. Each is counted at the instruction that caused "
               "it. A taken branch is counted at the branch."},
    {NULL, "Several events cost no more time than one, unless they depend on more than which instructions were "
           "executed: branches taken and unaligned accesses."},
    {"EVENTS OF A CORE", "With --core up to 32 events of the modelled core can be recorded. A miss counts at the load, "
                         "the store or the instruction whose fetch missed, with the write-backs and prefetches that "
                         "follow from it, and a misprediction at the branch. A stall counts at the load that dispatch "
                         "waits for, not at the instruction that waits; a cycle at the instruction that fills it. The "
                         "counts of all instructions add up to what armpmu stat --core counts. The instructions of "
                         "the program are told to the core one at a time, so that this takes some three times as "
                         "long as armpmu stat --core."},
    {"CALL GRAPHS", "With --call-graph each thread has a tree of calls: a node for each function as it was called from "
                    "one place of its caller's node, with its own counts. Costs are exact: they add up to what armpmu "
                    "stat counts, and a function's cost with all that it called is the sum below its nodes. It takes "
                    "up to twice the time of the plain emulator."},
    {NULL, "A branch to the beginning of another function is a call of it by the function that branches. A signal's "
           "handler is called by the function that the signal interrupted. longjmp() and exceptions leave the "
           "functions that they jump out of. A coroutine, which has a stack of its own, is a root of its own; so is "
           "each thread. A recursion has nodes for its first rounds; a further round has its costs in those, as long "
           "as no other function comes between."},
    {NULL, "Where functions begin is known from the symbols of a file, or from its unwind information if it is "
           "stripped; for generated code and other files without either, from the calls that lead there."},
    {"SAMPLES", "With -c N the recording has what a counter of each thread finds that overflows after every N "
                "occurrences: a sample at the instruction before which the interrupt is taken. That is the next one, "
                "not the one that caused the overflow; with cycles, the one behind what was waited for. A sample "
                "counts N occurrences. So samples show what a profiler on a machine without further skid would show, "
                "beside the exact counts of a recording without -c. What is left of a thread's last period is lost. "
                "Of the events of a core samples need --core; INST_RETIRED and other sums of what the program does "
                "need none."},
    {NULL, "With -F FREQ the period adapts as that of Linux perf does: it begins at 1, and after each sample and each "
           "tick of 4 ms it goes an eighth of the way to the period that would have given FREQ samples a second. The "
           "time that an emulator takes says nothing of a machine, and differs from run to run. So these seconds are "
           "modelled ones: CPU_CYCLES of the thread's core, divided by --clock. Equal runs have equal samples. Each "
           "sample counts what occurred in its period."},
    {"SAMPLES OF THIS MACHINE", "With --engine=perf, on an Arm Linux machine, the program runs on it, and Linux "
                                "samples its counters (perf_event). The events are those of armpmu stat "
                                "--engine=perf, by the same names and with the same modifiers; the default is "
                                "CPU_CYCLES. Each sample has its time, its CPU and the occurrences for which it "
                                "stands, and it is where the interrupt was taken, which is behind the instruction "
                                "that caused it. The recording has the processes, threads and maps that Linux told "
                                "of, so all that reads recordings reads it."},
    {NULL, "With --call-graph each sample has the call chain that Linux finds by frame pointers, so programs need "
           "-fno-omit-frame-pointer and -mno-omit-leaf-frame-pointer. Costs are then those of samples, and calls are "
           "not counted. What the kernel does is sampled too unless the event has :u or the user may not look at it "
           "(kernel.perf_event_paranoid); its functions have names where /proc/kallsyms shows addresses. Records that "
           "were lost, because a ring was full, and samples that Linux held back are told by a remark."},
    {"THE FILE", "The file is written at the beginning, and again after 1, 2, 4 and so on up to every 30 seconds, each "
                 "time as a whole. If armpmu is killed, the last state is there, marked as incomplete. A terminal at "
                 "stderr shows the progress."},
    {NULL, "A process that writes names of its generated code to /tmp/perf-PID.map, as JIT compilers do for Linux "
           "perf, has these names in the recording."},
    {NULL, "Each thread has its own counts, with its id and its name. Threads that begin while 64 others of their "
           "process run have theirs together, under the first of them; its name says how many more there are."},
    {"EXIT STATUS", "The program's exit status, or 128 + N if signal N killed it. 2: the command line is wrong. 3: the "
                    "program cannot be recorded here, or the file cannot be written. 126: the program cannot be "
                    "executed. 127: there is no such program. Where the status is armpmu's own, a line on stderr "
                    "begins with \"armpmu record:\"."},
    {"SIGNALS", "As for armpmu stat: the program gets the signals, and the recording is written when it has ended."},
    {"EXAMPLES", "armpmu record -- ./program"},
    {NULL, "armpmu record -e INST_RETIRED,LD_RETIRED,ST_RETIRED -o sort.data -- ./sort words"},
    {NULL, "armpmu record --call-graph -- ./program && armpmu report --call-graph"},
    {NULL, "armpmu record -c 10000 --core cortex-a72 -e CPU_CYCLES -o samples.data -- ./program"},
    {NULL, "armpmu record --engine=perf -F 1000 --call-graph -p 1234"},
    {NULL, "armpmu record --core cortex-a72 -e L1D_CACHE_REFILL,BR_MIS_PRED_RETIRED,CPU_CYCLES -- ./program"},
    END_OF_TEXT,
};

/*
 * The options that all verbs have that show recordings; those of report begin with
 *
 *     SHOWING_OPTIONS,      expands to {CLI_SYSROOT, ...}, {CLI_DEBUG, ...}, ...
 */
#define SHOWING_OPTIONS \
    {CLI_SYSROOT, 'L', "sysroot", "DIR", \
     "Look for the program's files below DIR first, and for their debug information below DIR/usr/lib/debug."}, \
    {CLI_DEBUG, '\0', "debug", "DIR", \
     "Look for debug information in DIR: by build id in DIR/.build-id, and by name. May be given more than once."}, \
    {CLI_MANGLED, '\0', "mangled", "", "Print symbols of C++ and Rust as they are in the symbol table."}, \
    {CLI_TID, 't', "thread", "THREAD", \
     "Show only these threads: a number, or a name as below. All sums and percentages are theirs."}, \
    {CLI_SEPARATOR, 'x', "field-separator", "SEP", "Print fields separated by SEP; \\t is a tab."}, \
    {CLI_JSON, 'j', "json-output", "", "Print a JSON object on each line."}, \
    {CLI_COLOUR, '\0', "color", "WHEN", "Print colours: auto (the default), on a terminal; always; or never."}, \
    {CLI_NO_PAGER, '\0', "no-pager", "", "Start no pager."}

#define PAGER_TEXT \
    {"ENVIRONMENT", "ARMPMU_PAGER, PAGER: the pager on a terminal, which gets LESS=FRX if LESS is not set; the " \
                    "default is less. An empty value or cat is none. NO_COLOR: print no colours."}

const struct cli_option verbs_report_options[] = {
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Print these events of the recording, in this order; the first one sorts. The default is all of them."},
    {CLI_BY, '\0', "by", "WHAT",
     "Print a row for each function (the default), inlined function, line, address (of an instruction), file, thread "
     "or process."},
    {CLI_CHILDREN, '\0', "children", "",
     "Print what each function cost with everything that it called, and sort by that. It needs a call graph."},
    {CLI_CALL_GRAPH, 'g', "call-graph", "", "Print the call tree. It needs a call graph."},
    {CLI_MIN, '\0', "min", "PERCENT", "With -g: leave out what costs less with what it calls; the default is 0.5."},
    {CLI_SORT, '\0', "sort", "ORDER", "Sort by self (the default), total or name."},
    {CLI_ROWS, 'n', "rows", "N", "Print the first N rows."},
    {CLI_FUNCTION, '\0', "function", "NAME",
     "Print functions with this name: a part of it, or the whole with *, ? and [...] for other characters."},
    {CLI_FILE, '\0', "file", "NAME", "Print rows of these files or source files."},
    {CLI_HTML, '\0', "html", "PAGE",
     "Write a page for a browser to PAGE, \"-\" for stdout, instead of a report: summary, flame graph, functions, code "
     "and timeline, and with two recordings what changed. It needs no network. make page builds what it needs."},
    {CLI_TO, '\0', "to", "FORMAT",
     "Print nothing; write the recording for another tool: callgrind, perf-data, pprof, collapsed, speedscope, "
     "firefox, perfetto or perf-script. --to=help prints them with the tools that open each."},
    {CLI_OUTPUT, 'o', "output", "FILE", "With --to: write to FILE; - is stdout, which is the default."},
    SHOWING_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_report_sections[] = {
    {NULL, "Says where the events of a recording happened: FILE, which armpmu record wrote, or armpmu.data. Every "
           "count has its share of all. An exact recording has no sampling error: its counts add up to what armpmu "
           "stat counts."},
    {NULL, "A row counts what its own instructions cost (self) and, with --children, what it cost with all that it "
           "called (total); a function that calls itself counts once. Names come from the symbols of the program's "
           "files and of their debug information, by build id. A file of another build gives no names, and a remark "
           "says so. --by=inlined takes inlined functions apart; it and --by=line need debug information."},
    {NULL, "Lines on a terminal are never wider than it; what does not fit ends in two dots. In a file or a pipe "
           "nothing is cut."},
    {"OUTPUT", "The fields of -x are: event, self, its percentage, total, its percentage, function, file, source file, "
               "line, address, thread and process; what does not apply is empty. With -g they are: event, self, its "
               "percentage, total, its percentage, depth, calls and function."},
    {"EXIT STATUS", "0: the report was printed. 2: the command line is wrong. 3: the recording cannot be read or lacks "
                    "what was asked for, or the results could not be written."},
    PAGER_TEXT,
    {"EXAMPLES", "armpmu report --by=line -n 20"},
    {NULL, "armpmu report -e LD_RETIRED --children armpmu.data"},
    {NULL, "armpmu report -g --min=1"},
    END_OF_TEXT,
};

const struct cli_option verbs_annotate_options[] = {
    {CLI_EVENT, 'e', "event", "EVENT,...", "Print these events; the first one says what is hot. The default is all."},
    {CLI_ROWS, 'n', "rows", "N", "Without FUNCTION: annotate the N functions that cost most; the default is 1."},
    {CLI_FILE, '\0', "file", "NAME", "Annotate functions of these files only."},
    {CLI_SOURCE_PREFIX, '\0', "source-prefix", "FROM=TO",
     "Where the path of a source file begins with FROM, look for it at TO instead. May be given more than once."},
    {CLI_INPUT, 'i', "input", "RECORDING", "The recording; the default is armpmu.data."},
    SHOWING_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_annotate_sections[] = {
    {NULL, "Prints functions with the cost of each instruction: first each source line with the sum over its "
           "instructions, and below it its instructions with theirs. FUNCTION is a name as report prints it, a part "
           "of it, or a pattern with *. Without it, the function that costs most is annotated."},
    {NULL, "Instructions that were not executed are left out of the sums, and printed if the program's file is there. "
           "Generated code is printed out of the words in the recording. Instructions are disassembled by objdump of "
           "binutils, which is given their words and no file. Without it they are printed as words."},
    {"OUTPUT", "The fields of -x are: event, count, its percentage of the function, address, word, instruction, "
               "source file, line and function."},
    {"EXIT STATUS", "0: a function was annotated. 1: there is no such function. 2: the command line is wrong. 3: the "
                    "recording cannot be read, or the results could not be written."},
    {"ENVIRONMENT", "ARMPMU_OBJDUMP: the objdump for AArch64, or for A32 where the recording is of a 32-bit program, "
                    "in place of the one in PATH."},
    {"EXAMPLES", "armpmu annotate main"},
    {NULL, "armpmu annotate --source-prefix=/build/app=. -e LD_RETIRED 'parse_*'"},
    END_OF_TEXT,
};

const struct cli_option verbs_diff_options[] = {
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Compare these events; the default is all that both recordings have."},
    {CLI_BY, '\0', "by", "WHAT", "Compare functions (function, the default), inlined functions, lines or files."},
    {CLI_FAIL_ABOVE, '\0', "fail-above", "LIMIT",
     "Exit with 1 if the sum of an event grew by more than LIMIT: a number of occurrences, or a percentage of the sum "
     "before, as 1%."},
    {CLI_ROWS, 'n', "rows", "N", "Print the N rows of each event that changed most; the default is 20 on a terminal."},
    {CLI_FUNCTION, '\0', "function", "NAME", "Compare functions with this name only, and their sum for --fail-above."},
    SHOWING_OPTIONS,
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_diff_sections[] = {
    {NULL, "Says what changed from recording BEFORE to recording AFTER: for each event the two sums, then the "
           "functions by how much their counts changed, new and gone ones too. Equal functions are not printed."},
    {NULL, "Functions are compared by name, and not by address, so that another build, another place in memory and "
           "another process number make no difference. Names are taken without what compilers append, such as "
           ".constprop.0 or Rust's hashes, and files without their folder and version. The program itself is the "
           "same file whatever its name."},
    {"OUTPUT", "The fields of -x are: event, count before, count after, difference, its percentage of the count "
               "before (empty for what is new), state (changed, new or gone), function, file, source file and line. "
               "The first line of each event has the sums, and the state sum."},
    {"EXIT STATUS", "0: the difference was printed, and is within --fail-above. 1: an event grew by more. 2: the "
                    "command line is wrong. 3: a recording cannot be read, the two have no event in common, or the "
                    "results could not be written."},
    {"EXAMPLES", "armpmu diff --fail-above=1% before.data after.data"},
    {NULL, "armpmu diff -e INST_RETIRED --by=line before.data after.data"},
    END_OF_TEXT,
};
