/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line of a verb with getopt_long(), by the verb's table of options. */
#define _GNU_SOURCE
#include <getopt.h>
#include <string.h>

#include "cli.h"

#define OPTIONS_MAX 32 /* the most options of a verb */

/* Returns the option of @verb that getopt_long() reports as @code, an id or a letter, or NULL. */
static const struct cli_option *find_option(const struct cli_verb *verb, int code)
{
    for (const struct cli_option *o = verb->options; o->name != NULL; o++) {
        if (code == (int)o->id || (code != 0 && code == o->letter)) {
            return o;
        }
    }
    return NULL;
}

const char *cli_option_name(const struct cli_verb *verb, enum cli_option_id id)
{
    return find_option(verb, (int)id)->name;
}

/* Complains about the option that getopt_long() has just refused with @code. */
static void complain_about_option(const struct cli_verb *verb, int code, char **argv)
{
    const struct cli_option *o = optopt != 0 ? find_option(verb, optopt) : NULL;
    const char *word = argv[optind - 1];

    if (code == ':' && o != NULL) {
        cli_complain(verb, "--%s: %s is missing; give --%s=%s", o->name, o->argument, o->name, o->argument);
    } else if (o != NULL) {
        cli_complain(verb, "--%s: it takes no value; write --%s alone", o->name, o->name);
    } else if (optopt != 0 && word[1] != '-') {
        cli_complain(verb, "-%c: no such option; see armpmu %s --help", optopt, verb->name);
    } else {
        cli_complain(verb, "%s: no such option, or short for more than one; see armpmu %s --help", word,
                     verb->name);
    }
}

bool cli_parse(const struct cli_verb *verb, int argc, char **argv, struct cli_args *args, int *status)
{
    struct option long_options[OPTIONS_MAX + 1] = {{0}};
    /* '+' ends the options at the first operand; ':' has getopt_long() return ':' for a missing value. */
    char letters[2 + 2 * OPTIONS_MAX + 1] = "+:";
    size_t used = 2, count = 0;
    int code;

    for (const struct cli_option *o = verb->options; o->name != NULL && count < OPTIONS_MAX; o++, count++) {
        const int has_value = o->argument[0] != '\0';

        long_options[count] = (struct option){.name = o->name, .has_arg = has_value, .val = (int)o->id};
        if (o->letter != '\0') {
            letters[used++] = o->letter;
            if (has_value) {
                letters[used++] = ':';
            }
        }
    }
    *args = (struct cli_args){.verb = verb};
    args->given = cli_allocate(NULL, (size_t)argc + 1, sizeof *args->given);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        const struct cli_option *o = code == '?' || code == ':' ? NULL : find_option(verb, code);

        if (o == NULL) {
            complain_about_option(verb, code, argv);
            *status = CLI_USAGE;
            return false;
        }
        if (o->id == CLI_HELP) {
            cli_help(stdout, verb);
            *status = cli_flush(verb, stdout, "stdout", CLI_YES);
            return false;
        }
        args->given[args->given_count].id = o->id;
        args->given[args->given_count++].value = optarg;
    }
    args->operands = argv + optind;
    return true;
}
