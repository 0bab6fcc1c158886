/* SPDX-License-Identifier: BSD-2-Clause */
/* The options and the documentation of `armpmu coverage`. */
#include "verbs.h"

const struct cli_option verbs_coverage_options[] = {
    {CLI_JOBS, '\0', "jobs", "FILE",
     "The tests are the jobs of FILE, a line each: a name, a tab, and the options and operands of armpmu stat, or "
     "with --images of armpmu run."},
    {CLI_INPUT, 'i', "input", "FILE",
     "The tests are those of FILE, results that were counted before: the lines of JSON of armpmu stat --jobs, of "
     "armpmu run --jobs, or of -o. May be given more than once, and beside programs or --jobs."},
    {CLI_IMAGES, '\0', "images", "",
     "The programs are images of firmware. armpmu run executes them, and the events are those that their own counters "
     "count."},
    {CLI_EVENT, 'e', "event", "EVENT,...",
     "Count these events. May be given more than once. Without it, all that are counted exactly are counted, with "
     "--core all of the core's too. Events of --intents are counted in any case."},
    {CLI_CORE, '\0', "core", "NAME",
     "Model the caches, TLBs, branch predictor and time of this core, as armpmu stat --core or armpmu run --core."},
    {CLI_CORE_FILE, '\0', "core-file", "FILE", "The same for the core that FILE describes."},
    {CLI_DETERMINISTIC, '\0', "deterministic", "", "Hold still what differs between two runs, as for armpmu stat."},
    {CLI_SYSROOT, 'L', "sysroot", "DIR", "Take the programs' dynamic loader and libraries from DIR."},
    {CLI_REACHED, '\0', "reached", "N", "A test reaches an event of which it counts at least N; the default is 1."},
    {CLI_MINUS, '\0', "minus", "TEST",
     "Subtract from each test what TEST counts, and leave TEST out. TEST is the name of one of the tests: a program "
     "that does nothing, so that counts are without those of the C library's start."},
    {CLI_INTENTS, '\0', "intents", "FILE", "Check what tests are meant to reach. See INTENTS."},
    {CLI_BASELINE, '\0', "baseline", "FILE", "Compare with FILE, which --save wrote before. See COMPARING."},
    {CLI_TOLERANCE, '\0', "tolerance", "PERCENT",
     "With --baseline: a count that fell by at most so many per cent is no loss; the default is 1%."},
    {CLI_SAVE, '\0', "save", "FILE", "Write the results to FILE as JSON, for --baseline."},
    {CLI_JSON, 'j', "json-output", "", "Print the results as JSON, in place of text."},
    {CLI_HTML, '\0', "html", "FILE", "Write a page for a browser to FILE. make page builds what it needs."},
    {CLI_OUTPUT, 'o', "output", "FILE", "Write a line of JSON for each test to FILE, which -i takes."},
    {CLI_RESUME, '\0', "resume", "", "With -o FILE: keep what FILE has of tests that ended well."},
    {CLI_PARALLEL, 'P', "parallel", "N", "Run N tests at the same time (1, the default, to 4096)."},
    {CLI_JOB_PART, '\0', "job-part", "K/N|slurm",
     "Run part K of N only, each N-th test; slurm takes K and N from a task of sbatch --array."},
    {CLI_LOGS, '\0', "job-logs", "DIR", "Keep what each test prints in DIR/NAME.log."},
    {CLI_SUMMARY, '\0', "summary", "",
     "Leave out the list of events and the table of tests and events, of which there may be many."},
    {CLI_VERBOSE, 'v', "verbose", "", "Print also the intents that are met, and each count that fell."},
    HELP_OPTION,
    END_OF_OPTIONS,
};

const struct cli_text verbs_coverage_sections[] = {
    {NULL, "Runs tests and says which events they reach: how many tests reach each event and which counts most of it, "
           "which events no test reaches, what each test adds to those before it, and the smallest set of tests that "
           "keeps all events. A test is a program, named by the last part of its path, or a job of a list; programs "
           "run in the emulator of armpmu stat --engine=qemu-user. A test that fails covers nothing."},
    {NULL, "The table of tests and events has a digit for each count, its number of digits; -j and the page have the "
           "counts. The smallest set is exact, or it says how many tests are needed at least."},
    {"IMAGES", "For an image the final value of each counter that counted is taken, as the image programmed it. Where "
               "several counters of a CPU count the same event, the greatest value stands for it; CPUs are added up. "
               "The cycle counter is CPU_CYCLES, the instruction counter INST_RETIRED."},
    {"INTENTS", "Each line of the file has names of tests, in which * stands for any characters and ? for one, with "
                "blanks between; a colon and a blank; and conditions with commas between: \"evict_*: L1D_CACHE_REFILL "
                ">= 10K, BR_MIS_PRED_RETIRED / BR_RETIRED > 5%\". A condition compares two formulas by >=, <=, >, <, "
                "== or !=. A formula has numbers (12, 0.05, 10K, 2M, 1G, 5%), events, + - * / and parentheses. Lines "
                "that begin with # are left out."},
    {NULL, "An intent is undecided if no test has one of its names, if its test failed or did not count one of the "
           "events, and if it divides by 0. The exit status is then 1, as for one that is missed."},
    {"COMPARING", "Losses are tests that are gone or fail now; events that tests reached and none does; intents that "
                  "were met; and counts that fell below --reached, or by more than --tolerance. New tests, new events "
                  "and intents that are met now are named, too. An event that is not counted now, or by another mark, "
                  "is not compared."},
    {"OUTPUT", "The object of -j has reached, minus, events, tests, order, set, set_at_least, intents and baseline. "
               "The counts of a test are in the order of the events; null, or a count beyond the end, is not counted. "
               "doc/coverage.md describes each member."},
    {"EXIT STATUS", "0: all tests ran, all intents are met, nothing was lost. 1: a test failed, an intent is not met, "
                    "or something was lost. 2: the command line or the file of intents is wrong. 3: nothing can be "
                    "counted here, a file cannot be read or written, or nothing could be compared."},
    {"EXAMPLES", "armpmu coverage --core cortex-a72 --intents intents.txt -- build/test_*"},
    {NULL, "armpmu coverage --jobs list -P 8 --deterministic --save new.json --baseline old.json --html coverage.html"},
    {NULL, "armpmu coverage -i rows.1 -i rows.2 --intents intents.txt"},
    END_OF_TEXT,
};
