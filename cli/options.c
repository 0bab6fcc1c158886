/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line of a verb with getopt_long(), by the verb's table of options. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

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

/* Makes both tables of getopt_long() from the options of @verb.  The caller frees them. */
static void make_tables(const struct cli_verb *verb, struct option **names, char **letters)
{
    size_t count = 0;

    while (verb->options[count].name != NULL) {
        count++;
    }
    *names = cli_allocate(NULL, count + 1, sizeof **names);
    *letters = cli_allocate(NULL, 2 + 2 * count + 1, 1);
    /* '+' ends the options at the first operand; ':' has getopt_long() return ':' for a missing value. */
    char *end = stpcpy(*letters, "+:");

    for (size_t i = 0; i < count; i++) {
        const struct cli_option *o = &verb->options[i];
        const int has_value = o->argument[0] != '\0';

        (*names)[i] = (struct option){.name = o->name, .has_arg = has_value, .val = (int)o->id};
        if (o->letter != '\0') {
            *end++ = o->letter;
            end = stpcpy(end, has_value ? ":" : "");
        }
    }
}

/*
 * Puts an INPUT that is a file, or -, behind the options that follow it: "why start.c --core A9".  Other operands end
 * the options, since a sentence and the command line of a program may have words with "-".  Returns true if it did.
 */
static bool put_input_last(const struct cli_verb *verb, int argc, char **argv)
{
    char *const input = optind < argc ? argv[optind] : NULL;

    if (strcmp(verb->operands, "INPUT") != 0 || optind + 1 >= argc || argv[optind + 1][0] != '-' ||
        argv[optind + 1][1] == '\0' || strcmp(argv[optind - 1], "--") == 0 ||
        (strcmp(input, "-") != 0 && access(input, F_OK) != 0)) {
        return false;
    }
    memmove(argv + optind, argv + optind + 1, (size_t)(argc - optind - 1) * sizeof *argv);
    argv[argc - 1] = input;
    return true;
}

bool cli_parse(const struct cli_verb *verb, int argc, char **argv, struct cli_args *args, int *status)
{
    struct option *names;
    char *letters;
    bool runs = true;
    int code;

    make_tables(verb, &names, &letters);
    *args = (struct cli_args){.verb = verb};
    args->given = cli_allocate(NULL, (size_t)argc + 1, sizeof *args->given);
    opterr = 0;
    optind = 1;
    while (runs && ((code = getopt_long(argc, argv, letters, names, NULL)) != -1 || put_input_last(verb, argc, argv))) {
        if (code == -1) {
            continue; /* options follow INPUT */
        }
        const struct cli_option *o = code == '?' || code == ':' ? NULL : find_option(verb, code);

        if (o == NULL) {
            complain_about_option(verb, code, argv);
            *status = CLI_USAGE;
            runs = false;
        } else if (o->id == CLI_HELP) {
            cli_help(stdout, verb);
            *status = cli_flush(verb, stdout, "stdout", CLI_YES);
            runs = false;
        } else {
            args->given[args->given_count].id = o->id;
            args->given[args->given_count++].value = optarg;
        }
    }
    args->operands = argv + optind;
    free(names);
    free(letters);
    return runs;
}

/* Reads a number in the base that strtoull() takes. */
static bool read_number(const char *text, int base, uint64_t *value)
{
    char *end;
    unsigned long long number;

    errno = 0;
    number = strtoull(text, &end, base);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        return false;
    }
    *value = number;
    return true;
}

bool cli_decimal(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
    uint64_t number;

    if (!read_number(text, 10, &number) || number < least || number > most) {
        return false;
    }
    *value = number;
    return true;
}

bool cli_word(const char *text, uint64_t *value)
{
    return read_number(text, 0, value);
}
