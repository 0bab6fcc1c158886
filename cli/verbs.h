/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of the table of verbs (verbs.c) that other files have: verbs_profile.c those of what shows recordings,
 * verbs_export.c those of the exporter.
 */
#ifndef ARMPMU_CLI_VERBS_H
#define ARMPMU_CLI_VERBS_H

#include "cli.h"

#define HELP_OPTION {CLI_HELP, 'h', "help", "", "Print this help and exit."}
#define END_OF_OPTIONS {.name = NULL}
#define END_OF_TEXT {.text = NULL}

/* verbs_export.c */
extern const struct cli_option verbs_export_options[];
extern const struct cli_text verbs_export_sections[];

/* verbs_profile.c */
extern const struct cli_option verbs_report_options[], verbs_annotate_options[], verbs_diff_options[];
extern const struct cli_text verbs_report_sections[], verbs_annotate_sections[], verbs_diff_sections[];

#endif
