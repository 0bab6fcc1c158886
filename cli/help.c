/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of verbs (verbs.c) as help. */
#define _GNU_SOURCE
#include <string.h>

#include <armpmu/version.h>

#include "cli.h"

#define COLUMNS 80

/* Prints @text in the columns from @indent to COLUMNS, and a newline.  The line has @column characters already. */
static void print_wrapped(FILE *out, const char *text, size_t indent, size_t column)
{
    bool first = true;

    while (*text != '\0') {
        const size_t word = strcspn(text, " ");

        if (!first && column + 1 + word > COLUMNS) {
            fputc('\n', out);
            column = 0;
            first = true;
        }
        if (column < indent) {
            fprintf(out, "%*s", (int)(indent - column), "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)word, text);
        column += word;
        first = false;
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

/* Writes the option @o to @line: "-e, --event=EVENT,...", with four blanks in place of a letter that it lacks. */
static void write_option(char *line, size_t size, const struct cli_option *o)
{
    const bool value = o->argument[0] != '\0';
    char letter[8] = "    ";

    if (o->letter != '\0') {
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    }
    snprintf(line, size, "%s--%s%s%s", letter, o->name, value ? "=" : "", o->argument);
}

static void print_verb(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, "armpmu %s - %s\n\nUsage: armpmu %s [OPTION...]%s%s\n", verb->name, verb->summary, verb->name,
            verb->operands[0] != '\0' ? " " : "", verb->operands);
    for (const struct cli_text *t = verb->sections; t->text != NULL && t->title == NULL; t++) {
        fputc('\n', out);
        print_wrapped(out, t->text, 0, 0);
    }
    fprintf(out, "\nOPTIONS\n");
    for (const struct cli_option *o = verb->options; o->name != NULL; o++) {
        char line[80];
        const size_t column = 30;
        int length;

        write_option(line, sizeof line, o);
        length = fprintf(out, "  %s", line);
        if ((size_t)length >= column) {
            fputc('\n', out);
            length = 0;
        }
        print_wrapped(out, o->text, column, (size_t)length);
    }
    bool titled = false;
    for (const struct cli_text *t = verb->sections; t->text != NULL; t++) {
        titled |= t->title != NULL;
        if (t->title != NULL) {
            fprintf(out, "\n%s\n", t->title);
        } else if (titled) {
            fputc('\n', out);
        }
        if (titled) {
            print_wrapped(out, t->text, 2, 0);
        }
    }
}

void cli_help(FILE *out, const struct cli_verb *verb)
{
    if (verb != NULL) {
        print_verb(out, verb);
        return;
    }
    fprintf(out, "Usage: armpmu VERB [OPTION...] [OPERAND...]\n\n");
    for (const struct cli_text *t = cli_common; t->text != NULL; t++) {
        print_wrapped(out, t->text, 0, 0);
    }
    fprintf(out, "\nVERBS\n");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, "  %-10s %s\n", v->name, v->summary);
    }
    fprintf(out, "  %-10s %s\n", "help", "print the help of a verb, as armpmu VERB --help does");
    fprintf(out, "\nOPTIONS\n  --help     print this help\n  --version  print the version\n");
}
