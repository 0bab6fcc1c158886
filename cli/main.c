/* SPDX-License-Identifier: BSD-2-Clause */
/* The tool's main(): finds the verb and runs it. */
#include <stdlib.h>
#include <string.h>

#include <armpmu/version.h>

#include "cli.h"

static void print_version(FILE *out)
{
    fprintf(out, "armpmu %s\n", APMU_VERSION);
}

static void print_tool_help(FILE *out)
{
    cli_help(out, NULL);
}

static int run_verb(const struct cli_verb *verb, int argc, char **argv)
{
    struct cli_args args;
    int status;

    if (cli_parse(verb, argc, argv, &args, &status)) {
        status = verb->run(&args);
    }
    free(args.given);
    return status;
}

/* Complains about @word, which follows the last word that @command takes.  Returns the exit status. */
static int complain_left_over(const char *word, const char *command)
{
    cli_complain(NULL, "%s: armpmu %s takes no more words; leave it out", word, command);
    return CLI_USAGE;
}

/* Lets @print print about the verb @name, or about the tool if @name is NULL.  Returns the exit status. */
static int print_about(const char *name, void (*print)(FILE *out, const struct cli_verb *verb))
{
    const struct cli_verb *verb = name == NULL ? NULL : cli_find_verb(name);

    if (name != NULL && verb == NULL) {
        cli_complain(NULL, "%s: no such verb; armpmu --help lists them", name);
        return CLI_USAGE;
    }
    print(stdout, verb);
    return cli_flush(NULL, stdout, "stdout", CLI_YES);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *word;
        void (*print)(FILE *out);
    } printers[] = {{"--help", print_tool_help}, {"-h", print_tool_help}, {"--version", print_version}};
    static const struct {
        const char *word;
        void (*print)(FILE *out, const struct cli_verb *verb);
    } pages[] = {{"help", cli_help}, {"--man", cli_man}}; /* make writes the man pages with --man */
    const struct cli_verb *verb;

    cli_reserve_descriptors();
    if (argc < 2) {
        cli_complain(NULL, "a verb is missing; armpmu --help lists them");
        return CLI_USAGE;
    }
    for (size_t i = 0; i < sizeof printers / sizeof printers[0]; i++) {
        if (strcmp(argv[1], printers[i].word) == 0) {
            if (argc > 2) {
                return complain_left_over(argv[2], argv[1]);
            }
            printers[i].print(stdout);
            return cli_flush(NULL, stdout, "stdout", CLI_YES);
        }
    }
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        if (strcmp(argv[1], pages[i].word) == 0) {
            if (argc > 3) {
                return complain_left_over(argv[3], i == 0 ? "help VERB" : "--man VERB");
            }
            return print_about(argc > 2 ? argv[2] : NULL, pages[i].print);
        }
    }
    if (strcmp(argv[1], "--complete") == 0) {
        cli_complete(argc - 2, argv + 2);
        return cli_flush(NULL, stdout, "stdout", CLI_YES);
    }
    verb = cli_find_verb(argv[1]);
    if (verb == NULL) {
        cli_complain(NULL, "%s: no such %s; armpmu --help lists them", argv[1], argv[1][0] == '-' ? "option" : "verb");
        return CLI_USAGE;
    }
    return run_verb(verb, argc - 1, argv + 1);
}
