/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of verbs as help, as a man page and as a completion for bash. */
#define _GNU_SOURCE
#include <string.h>

#include <armpmu/version.h>

#include "cli.h"

#define COLUMNS 80

/* Prints @text between column @indent and COLUMNS; the cursor stands at @column. */
static void wrap(FILE *out, const char *text, size_t indent, size_t column)
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

static void synopsis(char *line, size_t size, const struct cli_option *o)
{
    const bool value = o->argument[0] != '\0';
    char letter[8] = "    ";

    if (o->letter != '\0') {
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    }
    snprintf(line, size, "%s--%s%s%s", letter, o->name, value ? "=" : "", o->argument);
}

static void help_verb(FILE *out, const struct cli_verb *verb)
{
    fprintf(out, "armpmu %s - %s\n\nUsage: armpmu %s [OPTION...] %s\n", verb->name, verb->summary, verb->name,
            verb->operands);
    for (const struct cli_text *t = verb->sections; t->text != NULL && t->title == NULL; t++) {
        fputc('\n', out);
        wrap(out, t->text, 0, 0);
    }
    fprintf(out, "\nOPTIONS\n");
    for (const struct cli_option *o = verb->options; o->name != NULL; o++) {
        char line[80];
        const size_t column = 30;
        int length;

        synopsis(line, sizeof line, o);
        length = fprintf(out, "  %s", line);
        if ((size_t)length >= column) {
            fputc('\n', out);
            length = 0;
        }
        wrap(out, o->text, column, (size_t)length);
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
            wrap(out, t->text, 2, 0);
        }
    }
}

void cli_help(FILE *out, const struct cli_verb *verb)
{
    if (verb != NULL) {
        help_verb(out, verb);
        return;
    }
    fprintf(out, "Usage: armpmu VERB [OPTION...] [OPERAND...]\n\n");
    for (const struct cli_text *t = cli_common; t->text != NULL; t++) {
        wrap(out, t->text, 0, 0);
    }
    fprintf(out, "\nVERBS\n");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, "  %-10s %s\n", v->name, v->summary);
    }
    fprintf(out, "  %-10s %s\n", "help", "print the help of a verb, as armpmu VERB --help does");
    fprintf(out, "\nOPTIONS\n  --help     print this help\n  --version  print the version\n");
}

/* A word in mdoc: nothing in it may look like a request or an escape.  Returns its length. */
static size_t mdoc_word(char *out, const char *word, size_t length)
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

/* Text in mdoc: lines that fit, and a sentence begins a line.  Not @fill: all on one line. */
static void mdoc_text(FILE *out, const char *text, bool fill)
{
    size_t column = 0;

    while (*text != '\0') {
        char word[512];
        const size_t length = strcspn(text, " ");
        const bool ends = length > 0 && text[length - 1] == '.';
        const size_t width = mdoc_word(word, text, length < sizeof word / 5 ? length : sizeof word / 5);

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

static void man_verb(FILE *out, const struct cli_verb *verb)
{
    bool first = true;

    fprintf(out, ".Ss armpmu %s\n", verb->name);
    for (const struct cli_text *t = verb->sections; t->text != NULL && t->title == NULL; t++) {
        fputs(first ? "" : ".Pp\n", out);
        mdoc_text(out, t->text, true);
        first = false;
    }
    fprintf(out, ".Bl -tag -width Ds\n");
    for (const struct cli_option *o = verb->options; o->name != NULL; o++) {
        if (o->letter != '\0') {
            fprintf(out, ".It Fl %c%s%s , Fl \\-%s%s%s\n", o->letter, o->argument[0] != '\0' ? " Ar " : "", o->argument,
                    o->name, o->argument[0] != '\0' ? " Ns = Ns Ar " : "", o->argument);
        } else {
            fprintf(out, ".It Fl \\-%s%s%s\n", o->name, o->argument[0] != '\0' ? " Ns = Ns Ar " : "", o->argument);
        }
        mdoc_text(out, o->text, true);
    }
    fprintf(out, ".El\n");
}

/* The paragraphs of section @title of every verb that has one. */
static void man_section(FILE *out, const char *title)
{
    const bool literal = strcmp(title, "EXAMPLES") == 0;

    fprintf(out, ".Sh %s\n", title);
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        bool inside = false, first = true;

        for (const struct cli_text *t = v->sections; t->text != NULL; t++) {
            if (t->title != NULL) {
                inside = strcmp(t->title, title) == 0;
            }
            if (!inside) {
                continue;
            }
            if (literal) {
                fprintf(out, ".Dl ");
                mdoc_text(out, t->text, false);
                continue;
            }
            if (first) {
                fprintf(out, ".Ss armpmu %s\n", v->name);
            } else {
                fprintf(out, ".Pp\n");
            }
            mdoc_text(out, t->text, true);
            first = false;
        }
    }
}

void cli_man(FILE *out)
{
    static const char *const titles[] = {"ENVIRONMENT", "EXIT STATUS", "EXAMPLES"}; /* in the order of man pages */

    fprintf(out, ".Dd %s\n.Dt ARMPMU 1\n.Os\n.Sh NAME\n.Nm armpmu\n"
                 ".Nd count the PMU events of Arm programs\n.Sh SYNOPSIS\n", APMU_VERSION_DATE);
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, ".Nm armpmu\n.Cm %s\n.Op Ar OPTION ...\n.No ", v->name);
        mdoc_text(out, v->operands, false);
    }
    fprintf(out, ".Nm armpmu\n.Cm help\n.Op Ar VERB\n.Sh DESCRIPTION\n");
    for (const struct cli_text *t = cli_common; t->text != NULL; t++) {
        mdoc_text(out, t->text, true);
    }
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        man_verb(out, v);
    }
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        for (const struct cli_text *t = v->sections; t->text != NULL; t++) {
            bool standard = t->title == NULL;

            for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
                standard |= t->title != NULL && strcmp(t->title, titles[i]) == 0;
            }
            if (!standard) {
                man_section(out, t->title);
            }
        }
    }
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        man_section(out, titles[i]);
    }
    fprintf(out, ".Sh SEE ALSO\n.Xr perf-stat 1 ,\n.Xr qemu-aarch64 1\n");
}

void cli_completion(FILE *out)
{
    fprintf(out,
            "# bash completion of armpmu: printed by the program from its own tables\n"
            "_armpmu()\n{\n"
            "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
            "    COMPREPLY=()\n"
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
            "        COMPREPLY=($(compgen -W '");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, "%s ", v->name);
    }
    fprintf(out, "help --help --version' -- \"$cur\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, "    %s)\n        case $cur in -*) COMPREPLY=($(compgen -W '", v->name);
        for (const struct cli_option *o = v->options; o->name != NULL; o++) {
            fprintf(out, "--%s ", o->name);
        }
        fprintf(out, "' -- \"$cur\")) ;; esac ;;\n");
    }
    fprintf(out, "    help) COMPREPLY=($(compgen -W '");
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, "%s ", v->name);
    }
    fprintf(out,
            "' -- \"$cur\")) ;;\n"
            "    esac\n"
            "    if [ \"$prev\" = -e ]; then\n"
            "        local head=\n"
            "        case $cur in *,*) head=${cur%%,*}, ;; esac\n"
            "        COMPREPLY=($(compgen -P \"$head\" -W \"$(armpmu list | awk '$3 != \"-\" { print $2 }')\" "
            "-- \"${cur##*,}\"))\n"
            "    fi\n"
            "}\n"
            "complete -o default -F _armpmu armpmu\n");
}
