/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of verbs (verbs.c) as help, as a man page in mdoc, and as a completion for bash. */
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

static void print_man_verb(FILE *out, const struct cli_verb *verb)
{
    bool first = true;

    fprintf(out, ".Ss armpmu %s\n", verb->name);
    for (const struct cli_text *t = verb->sections; t->text != NULL && t->title == NULL; t++) {
        fputs(first ? "" : ".Pp\n", out);
        print_mdoc(out, t->text, true);
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
        print_mdoc(out, o->text, true);
    }
    fprintf(out, ".El\n");
}

/* Prints the section @title: the paragraphs that each verb has under this title. */
static void print_man_section(FILE *out, const char *title)
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
                print_mdoc(out, t->text, false);
                continue;
            }
            if (first) {
                fprintf(out, ".Ss armpmu %s\n", v->name);
            } else {
                fprintf(out, ".Pp\n");
            }
            print_mdoc(out, t->text, true);
            first = false;
        }
    }
}

/* The sections that end the man page, in the order in which man pages have them. */
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

/* Returns whether a verb before @verb has a section with this title. */
static bool is_in_earlier_verb(const char *title, const struct cli_verb *verb)
{
    for (const struct cli_verb *v = cli_verbs; v != verb; v++) {
        for (const struct cli_text *t = v->sections; t->text != NULL; t++) {
            if (t->title != NULL && strcmp(t->title, title) == 0) {
                return true;
            }
        }
    }
    return false;
}

void cli_man(FILE *out)
{
    fprintf(out, ".Dd %s\n.Dt ARMPMU 1\n.Os\n.Sh NAME\n.Nm armpmu\n"
                 ".Nd count the PMU events of Arm programs\n.Sh SYNOPSIS\n", APMU_VERSION_DATE);
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        fprintf(out, ".Nm armpmu\n.Cm %s\n.Op Ar OPTION ...\n", v->name);
        if (v->operands[0] != '\0') {
            fputs(".No ", out);
            print_mdoc(out, v->operands, false);
        }
    }
    fprintf(out, ".Nm armpmu\n.Cm help\n.Op Ar VERB\n.Sh DESCRIPTION\n");
    for (const struct cli_text *t = cli_common; t->text != NULL; t++) {
        print_mdoc(out, t->text, true);
    }
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        print_man_verb(out, v);
    }
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        for (const struct cli_text *t = v->sections; t->text != NULL; t++) {
            if (t->title != NULL && !is_last_section(t->title) && !is_in_earlier_verb(t->title, v)) {
                print_man_section(out, t->title);
            }
        }
    }
    for (size_t i = 0; i < LAST_SECTIONS; i++) {
        print_man_section(out, last_sections[i]);
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
