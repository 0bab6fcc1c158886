/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of verbs (verbs.c) as man pages in mdoc: one of the tool, and one of each verb. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include <armpmu/version.h>

#include "cli.h"

#define COLUMNS 80

/*
 * Writes @length characters of @word to @out, escaped so that mdoc takes nothing in them for a request or an escape.
 * Returns the length of @out.  @out has room for 5 times @length characters, which is more than any escape needs.
 */
static size_t escape_mdoc(char *out, const char *word, size_t length)
{
    char *start = out;

    for (size_t i = 0; i < length; i++) {
        switch (word[i]) {
        case '\\': out = stpcpy(out, "\\e"); break;
        case '-': out = stpcpy(out, "\\-"); break;
        case '"': out = stpcpy(out, "\\(dq"); break;
        case '\'': out = stpcpy(out, "\\(aq"); break;
        case '.': out = stpcpy(out, i == 0 ? "\\&." : "."); break;
        default: *out++ = word[i]; break;
        }
    }
    *out = '\0';
    return (size_t)(out - start);
}

/*
 * Prints @text in mdoc: on one line; or, with @fill, on lines of at most COLUMNS characters, a new line for each
 * sentence.
 */
static void print_mdoc(FILE *out, const char *text, bool fill)
{
    size_t column = 0;

    while (*text != '\0') {
        char word[512];
        const size_t length = strcspn(text, " ");
        const bool ends = length > 0 && text[length - 1] == '.' && (length == 1 || text[length - 2] != '.');
        const size_t width = escape_mdoc(word, text, length < sizeof word / 5 ? length : sizeof word / 5);

        if (column > 0 && fill && column + 1 + width > COLUMNS) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%s%s", column > 0 ? " " : "", word);
        column += (column > 0) + width;
        text += length + strspn(text + length, " ");
        if (fill && ends && *text != '\0') {
            fputc('\n', out);
            column = 0;
        }
    }
    fputc('\n', out);
}

static void print_options(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, ".Sh OPTIONS\n.Bl -tag -width Ds\n");
    for (const struct cli_option *o = verb->options; o->name != NULL; o++) {
        const bool takes = o->argument[0] != '\0';

        fprintf(out, ".It ");
        if (o->letter != '\0') {
            fprintf(out, "Fl %c%s%s , ", o->letter, takes ? " Ar " : "", o->argument);
        }
        fprintf(out, "Fl \\-%s%s%s\n", o->name, takes ? " Ns = Ns Ar " : "", o->argument);
        print_mdoc(out, o->text, true);
    }
    fprintf(out, ".El\n");
}

/* Prints the paragraphs that @verb has under @title; with NULL, those before the first title. */
static void print_paragraphs(FILE *out, const struct cli_verb *verb, const char *title)
{
    bool inside = title == NULL, first = true;

    for (const struct cli_text *t = verb->sections; t->text != NULL; t++) {
        if (t->title != NULL) {
            inside = title != NULL && strcmp(t->title, title) == 0;
        }
        if (inside && title != NULL && strcmp(title, "EXAMPLES") == 0) {
            fprintf(out, ".Dl ");
            print_mdoc(out, t->text, false);
        } else if (inside) {
            fputs(first ? "" : ".Pp\n", out);
            print_mdoc(out, t->text, true);
        }
        first = first && !inside;
    }
}

/* The sections that end a man page, in the order in which man pages have them. */
static const char *const last_sections[] = {"ENVIRONMENT", "EXIT STATUS", "EXAMPLES"};
#define LAST_SECTIONS (sizeof last_sections / sizeof last_sections[0])

static bool is_last_section(const char *title)
{
    for (size_t i = 0; i < LAST_SECTIONS; i++) {
        if (strcmp(title, last_sections[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void print_sections(FILE *out, const struct cli_verb *verb)
{
    for (const struct cli_text *t = verb->sections; t->text != NULL; t++) {
        if (t->title != NULL && !is_last_section(t->title)) {
            fprintf(out, ".Sh %s\n", t->title);
            print_paragraphs(out, verb, t->title);
        }
    }
    for (size_t i = 0; i < LAST_SECTIONS; i++) {
        for (const struct cli_text *t = verb->sections; t->text != NULL; t++) {
            if (t->title != NULL && strcmp(t->title, last_sections[i]) == 0) {
                fprintf(out, ".Sh %s\n", t->title);
                print_paragraphs(out, verb, t->title);
            }
        }
    }
}

static void print_verb_page(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, ".Dd %s\n.Dt ARMPMU-", APMU_VERSION_DATE);
    for (const char *c = verb->name; *c != '\0'; c++) {
        fputc(toupper((unsigned char)*c), out);
    }
    fprintf(out, " 1\n.Os\n.Sh NAME\n.Nm armpmu-%s\n.Nd %s\n.Sh SYNOPSIS\n.Nm armpmu\n.Cm %s\n.Op Ar OPTION ...\n",
            verb->name, verb->summary, verb->name);
    if (verb->operands[0] != '\0') {
        fputs(".No ", out);
        print_mdoc(out, verb->operands, false);
    }
    fprintf(out, ".Sh DESCRIPTION\n");
    print_paragraphs(out, verb, NULL);
    print_options(out, verb);
    print_sections(out, verb);
    fprintf(out, ".Sh SEE ALSO\n.Xr armpmu 1\n");
}

static void print_tool_page(FILE *out)
{
    fprintf(out, ".Dd %s\n.Dt ARMPMU 1\n.Os\n.Sh NAME\n.Nm armpmu\n"
                 ".Nd count the PMU events of Arm programs\n.Sh SYNOPSIS\n", APMU_VERSION_DATE);
    fprintf(out, ".Nm armpmu\n.Ar VERB\n.Op Ar OPTION ...\n.Op Ar OPERAND ...\n"
                 ".Nm armpmu\n.Cm help\n.Op Ar VERB\n"
                 ".Nm armpmu\n.Fl \\-version\n.Sh DESCRIPTION\n");
    for (const struct cli_text *t = cli_common; t->text != NULL; t++) {
        fputs(t == cli_common ? "" : ".Pp\n", out);
        print_mdoc(out, t->text, true);
    }
    fprintf(out, ".Pp\nThe verbs, each with a page of its own:\n.Bl -tag -width Ds\n");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, ".It Xo\n.Cm %s\n", v->name);
        if (v->operands[0] != '\0') {
            fputs(".No ", out);
            print_mdoc(out, v->operands, false);
        }
        fprintf(out, ".Xc\n%c%s.\nSee\n.Xr armpmu-%s 1 .\n", toupper((unsigned char)v->summary[0]), v->summary + 1,
                v->name);
    }
    fprintf(out, ".El\n.Sh SEE ALSO\n.Xr perf-stat 1 ,\n.Xr qemu-aarch64 1\n");
}

void cli_man(FILE *out, const struct cli_verb *verb)
{
    if (verb == NULL) {
        print_tool_page(out);
    } else {
        print_verb_page(out, verb);
    }
}
