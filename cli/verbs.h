/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the table of verbs (verbs.c) that other files have: verbs_profile.c those of what makes and shows
 * recordings, verbs_export.c those of the exporter, verbs_coverage.c those of coverage, verbs_conform.c those of
 * conformance images.
 */
#ifndef ARMPMU_CLI_VERBS_H
#define ARMPMU_CLI_VERBS_H

#include "cli.h"

#define HELP_OPTION {CLI_HELP, 'h', "help", "", "Print this help and exit."}
#define END_OF_OPTIONS {.name = NULL}
#define END_OF_TEXT {.text = NULL}

/*
 * The options of lists of jobs, which stat and run have: JOBS_OPTIONS, becomes
 *     {CLI_JOBS, '\0', "jobs", "FILE", "Do the jobs of FILE ..."}, {CLI_PARALLEL, 'P', ...}, ...
 */
#define JOBS_OPTIONS \
    {CLI_JOBS, '\0', "jobs", "FILE", \
     "Do the jobs of FILE, a line each: a name, a tab, and the options and operands of this verb. The options given " \
     "here hold for all of them. Print a line of JSON for each, in their order."}, \
    {CLI_PARALLEL, 'P', "parallel", "N", "With --jobs: do N jobs at the same time (1, the default, to 4096)."}, \
    {CLI_JOB_PART, '\0', "job-part", "K/N|slurm", \
     "With --jobs: do part K of N only, each N-th job; slurm takes K and N from a task of sbatch --array."}, \
    {CLI_RESUME, '\0', "resume", "", "With --jobs and -o FILE: keep what FILE has of jobs that ended well."}, \
    {CLI_CSV, '\0', "csv", "FILE", \
     "With --jobs: write FILE with the results as CSV, columns that are always the same."}, \
    {CLI_LOGS, '\0', "job-logs", "DIR", "With --jobs: keep what each job prints in DIR/NAME.log."}

/* verbs_coverage.c */
extern const struct cli_option verbs_coverage_options[];
extern const struct cli_text verbs_coverage_sections[];

/* verbs_conform.c */
extern const struct cli_option verbs_generate_options[], verbs_conform_options[];
extern const struct cli_text verbs_generate_sections[], verbs_conform_sections[];

/* verbs_export.c */
extern const struct cli_option verbs_export_options[];
extern const struct cli_text verbs_export_sections[];

/* verbs_profile.c */
extern const struct cli_option verbs_record_options[], verbs_report_options[], verbs_annotate_options[],
    verbs_diff_options[];
extern const struct cli_text verbs_record_sections[], verbs_report_sections[], verbs_annotate_sections[],
    verbs_diff_sections[];

#endif
