/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and the documentation of the verbs that show recordings: rows of the table in verbs.c. */
#include "verbs.h"

/*
 * The options that all of these verbs have; those of report begin with
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
