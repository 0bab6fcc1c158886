/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the input that a command line names. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../state/read.h"
#include "reading.h"

/* What the options say. */
struct open_options {
    bool live_input;   /* --gdb or --live */
    const char *said;  /* --symptom */
    struct state_frame frame;
};

/* Returns true if the operands are words and not the path of a file. */
static bool are_words(char *const *operands)
{
    if (strcmp(operands[0], "-") == 0 || access(operands[0], F_OK) == 0) {
        return false;
    }
    if (operands[1] != NULL && strncmp(operands[1], "--", 2) == 0) {
        return false; /* an option after INPUT */
    }
    return operands[1] != NULL || strchr(operands[0], ' ') != NULL || strpbrk(operands[0], "./") == NULL;
}

static bool parse_options(const struct cli_args *args, struct state *s, struct open_options *options)
{
    bool bad;

    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < args->given_count; i++) {
        const char *m = args->given[i].id == CLI_CORE ? state_m_core(args->given[i].value) : NULL;

        if (m != NULL) {
            s->m_core = m;
        } else if (state_option(args, i, s, &options->frame, &bad)) {
            if (bad) {
                return false;
            }
        } else if (args->given[i].id == CLI_SYMPTOM) {
            options->said = args->given[i].value;
        } else if (args->given[i].id == CLI_GDB || args->given[i].id == CLI_LIVE) {
            options->live_input = true;
        }
    }
    return true;
}

/* Complains about @text, which was read from @name, if it is one of the binary forms.  Returns true then. */
static bool is_binary(const struct cli_verb *verb, const char *name, const char *text, size_t length)
{
    static const struct {
        const char *magic, *what, *cure;
        size_t length;
    } forms[] = {
        {"\x7F" "ELF", "an ELF file", "give its source, or the output of objdump -d", 4},
        {"\xD0\x0D\xFE\xED", "a device tree blob", "give the output of dtc -I dtb -O dts", 4},
        {"PERFILE2", "a file of perf record", "give the output of perf report --stdio -i", 8},
        {"\x1F\x8B", "a file of gzip", "give the output of zcat", 2},
        {"\x89PNG", "a picture", "give the text", 4},
        {"%PDF-", "a PDF", "give the text", 5},
    };

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (length > forms[i].length && memcmp(text, forms[i].magic, forms[i].length) == 0) {
            cli_complain(verb, "%s: %s is not a text: %s", name, forms[i].what, forms[i].cure);
            return true;
        }
    }
    return false;
}

/* Reads the file at @path, or @words where that is not NULL. */
static bool open_text(const struct cli_args *args, struct reading *r, const struct state *s,
                      const struct open_options *options)
{
    const char *name;
    size_t length;
    char *text;

    if (args->operands[0] == NULL) {
        reading_init(r, "--symptom", "", 0, options->said, s, &options->frame);
        return true;
    }
    if (are_words(args->operands)) {
        text = cli_join(args->operands);
        reading_init(r, "your words", text, strlen(text), options->said, s, &options->frame);
        r->sentence = true;
        free(text);
        return true;
    }
    if (args->operands[1] != NULL) {
        cli_complain(args->verb, "%s: %s", args->operands[1],
                     args->operands[1][0] == '-' ? "options come before INPUT" : "INPUT is one file, or - for stdin");
        return false;
    }
    text = state_read_text(args->verb, args->operands[0], &length);
    if (text == NULL) {
        return false;
    }
    name = strcmp(args->operands[0], "-") == 0 ? "stdin" : args->operands[0];
    if (is_binary(args->verb, name, text, length)) {
        free(text);
        return false;
    }
    reading_init(r, name, text, length, options->said, s, &options->frame);
    free(text);
    return true;
}

bool reading_open(const struct cli_args *args, struct reading *r, int *status)
{
    struct state *s = cli_allocate(NULL, 1, sizeof *s);
    struct open_options options;
    bool good;

    *status = CLI_USAGE;
    state_init(s, args->operands[0] == NULL ? "" : strcmp(args->operands[0], "-") == 0 ? "stdin" : args->operands[0]);
    good = parse_options(args, s, &options);
    if (good && options.live_input) {
        good = state_read(args, s, status);
        if (good) {
            reading_of_state(r, s);
        }
    } else if (good && args->operands[0] == NULL && options.said == NULL) {
        cli_complain(args->verb, "INPUT: give one: a file, - for stdin, a sentence, --gdb=HOST:PORT, or --live");
        good = false;
    } else if (good) {
        *status = args->operands[0] != NULL && args->operands[1] != NULL ? CLI_USAGE : CLI_CANNOT;
        good = open_text(args, r, s, &options);
    }
    free(s);
    return good;
}

void reading_again(const struct cli_args *args, const struct reading *before, const char *text, struct reading *r)
{
    struct state *s = cli_allocate(NULL, 1, sizeof *s);
    struct open_options options;

    state_init(s, before->input);
    parse_options(args, s, &options); /* they were good before */
    reading_init(r, before->input, text, strlen(text), before->said, s, &options.frame);
    free(s);
}
