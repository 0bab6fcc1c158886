/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that cli/options.c parses every option of a verb with many: OPTIONS of them, every third with a letter. */
#include <stdlib.h>
#include <string.h>

#include "../../cli/cli.h"
#include "../lib/tap.h"

enum { OPTIONS = 78 };

static struct cli_option options[OPTIONS + 1]; /* .name == NULL ends them */
static char names[OPTIONS][8];
static const struct cli_verb verb = {.name = "many", .operands = "", .options = options};

/* options.c calls it for --help, which this test does not give. */
void cli_help(FILE *out, const struct cli_verb *of)
{
    fprintf(out, "%s\n", of->name);
}

/* Fills the table.  Options with an odd index take a value; those whose index is a multiple of 3 have a letter. */
static void make_options(void)
{
    for (int i = 0; i < OPTIONS; i++) {
        snprintf(names[i], sizeof names[i], "o%02d", i);
        options[i] = (struct cli_option){.id = (enum cli_option_id)(CLI_WAVE + 1 + i), .name = names[i],
                                         .letter = i % 3 == 0 ? (char)('A' + i / 3) : '\0',
                                         .argument = i % 2 != 0 ? "VALUE" : "", .text = ""};
    }
}

/* Parses @option alone, and checks that it is option @i. */
static void check_one(int i, char *option)
{
    char word[] = "many", value[] = "7";
    char *argv[] = {word, option, i % 2 != 0 ? value : NULL, NULL};
    struct cli_args args;
    int status = CLI_YES;

    MUST(cli_parse(&verb, i % 2 != 0 ? 3 : 2, argv, &args, &status), "%s: refused with status %d", option, status);
    if (!tap_bad) {
        MUST_EQ(args.given_count, 1, "%s: options", option);
        MUST_EQ(args.given[0].id, (unsigned)CLI_WAVE + 1 + (unsigned)i, "%s: id", option);
        MUST(i % 2 == 0 || strcmp(args.given[0].value, "7") == 0, "%s: another value", option);
    }
    free(args.given);
}

static void parses_names(void)
{
    for (int i = 0; i < OPTIONS; i++) {
        char option[16];

        snprintf(option, sizeof option, "--%s", names[i]);
        check_one(i, option);
    }
}

static void parses_letters(void)
{
    for (int i = 0; i < OPTIONS; i += 3) {
        char option[] = {'-', options[i].letter, '\0'};

        check_one(i, option);
    }
}

int main(void)
{
    make_options();
    tap_run("options: every name of a verb with many is parsed", parses_names);
    tap_run("options: every letter of a verb with many is parsed", parses_letters);
    return tap_status;
}
