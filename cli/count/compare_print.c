/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints comparisons as text, JSON and Markdown. */
#include <inttypes.h>
#include <string.h>

#include "compare.h"
#include "print.h"

#define CELL 48 /* room for a number with groups of thousands, a sign and a unit */

/* Writes the difference of @row, "+1,234".  */
static void write_difference(const struct compared *row, char buf[CELL])
{
    struct cli_number digits;
    const double size = row->now > row->before ? row->now - row->before : row->before - row->now;

    if (row->verdict == COMPARE_EQUAL) {
        buf[0] = '\0';
        return;
    }
    snprintf(buf, CELL, "%s%s", row->now > row->before ? "+" : row->now < row->before ? "-" : "",
             cli_grouped((uint64_t)(size + 0.5), &digits));
}

/* Writes the difference of @row in per cent, "+1.01 %". */
static void write_percent(const struct compared *row, char buf[CELL])
{
    double percent;

    if (row->verdict == COMPARE_EQUAL) {
        buf[0] = '\0';
    } else if (!compare_percent(row, &percent)) {
        snprintf(buf, CELL, "from 0");
    } else {
        snprintf(buf, CELL, "%+.*f %%", percent > -0.01 && percent < 0.01 ? 6 : 2, percent);
    }
}

/* Writes a verdict for people. */
static void write_verdict(const struct compared *row, char *buf, size_t size)
{
    static const char *const words[] = {[COMPARE_EQUAL] = "equal", [COMPARE_LESS] = "less", [COMPARE_MORE] = "more"};

    if (row->verdict == COMPARE_APART) {
        snprintf(buf, size, "not compared: %s", row->why);
    } else if (row->verdict == COMPARE_ABOVE) {
        snprintf(buf, size, "above %g %%", row->limit);
    } else {
        snprintf(buf, size, "%s", words[row->verdict]);
    }
}

/* Writes what the comparison says as a whole. */
static void write_summary(const struct result_comparison *c, char *buf, size_t size)
{
    const size_t compared = c->count - c->tally[COMPARE_APART], equal = c->tally[COMPARE_EQUAL];
    char apart[64] = "", above[64] = "";

    if (c->tally[COMPARE_APART] != 0) {
        snprintf(apart, sizeof apart, "; %zu not compared", c->tally[COMPARE_APART]);
    }
    if (c->tally[COMPARE_ABOVE] != 0) {
        snprintf(above, sizeof above, "; %zu above %s", c->tally[COMPARE_ABOVE],
                 c->tally[COMPARE_ABOVE] == 1 ? "its limit" : "their limits");
    }
    if (c->refusal[0] != '\0') {
        snprintf(buf, size, "not compared: %s", c->refusal);
    } else if (equal == compared) {
        snprintf(buf, size, "equal: %s%zu event%s%s", compared > 1 ? "all " : "", compared, compared == 1 ? "" : "s",
                 apart);
    } else {
        snprintf(buf, size, "%zu of %zu events differ%s%s%s", compared - equal, compared,
                 compared - equal == 1 ? "s" : "", above, apart);
    }
}

void compare_print_text(FILE *out, const struct result_comparison *c)
{
    char summary[400];

    fprintf(out, "\n Compared with ");
    cli_print(out, c->path, strlen(c->path));
    fprintf(out, ":\n\n");
    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->rows[i];
        char difference[CELL] = "", percent[CELL] = "", verdict[256];

        if (row->verdict != COMPARE_APART) {
            write_difference(row, difference);
            write_percent(row, percent);
        }
        write_verdict(row, verdict, sizeof verdict);
        fprintf(out, "%18s      ", difference);
        cli_print(out, row->name, strlen(row->name));
        fprintf(out, "%*s %14s  ", (int)(strlen(row->name) < 25 ? 25 - strlen(row->name) : 0), "", percent);
        cli_print(out, verdict, strlen(verdict));
        fputc('\n', out);
    }
    for (size_t i = 0; i < c->note_count; i++) {
        fprintf(out, "%s remark: ", i == 0 ? "\n" : "");
        cli_print(out, c->notes[i], strlen(c->notes[i]));
        fputc('\n', out);
    }
    write_summary(c, summary, sizeof summary);
    fprintf(out, "\n %s\n\n", summary);
}

void compare_print_json(FILE *out, const struct result_comparison *c)
{
    static const char *const words[] = {[COMPARE_EQUAL] = "equal", [COMPARE_LESS] = "less", [COMPARE_MORE] = "more",
                                        [COMPARE_ABOVE] = "above", [COMPARE_APART] = "not compared"};
    json_t *notes = json_array(), *whole = json_object();
    char summary[400];

    for (size_t i = 0; i < c->count; i++) {
        const struct compared *row = &c->rows[i];
        json_t *object = json_object();
        double percent;

        json_object_set_new(object, "event", json_string(row->name));
        json_object_set_new(object, "verdict", json_string(words[row->verdict]));
        if (row->verdict == COMPARE_APART) {
            json_object_set_new(object, "cause", json_string(row->why));
        } else {
            const bool has_percent = compare_percent(row, &percent);

            json_object_set_new(object, "baseline-value", json_real(row->before));
            json_object_set_new(object, "mean-value", json_real(row->now));
            json_object_set_new(object, "difference", json_real(row->now - row->before));
            json_object_set_new(object, "percent", has_percent ? json_real(percent) : json_null());
        }
        json_object_set_new(object, "limit", row->limit < 0 ? json_null() : json_real(row->limit));
        json_dumpf(object, out, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
        fputc('\n', out);
        json_decref(object);
    }
    for (size_t i = 0; i < c->note_count; i++) {
        json_array_append_new(notes, json_string(c->notes[i]));
    }
    write_summary(c, summary, sizeof summary);
    json_object_set_new(whole, "baseline", json_string(c->path));
    json_object_set_new(whole, "comparison", json_string(summary));
    json_object_set_new(whole, "above", json_integer((json_int_t)c->tally[COMPARE_ABOVE]));
    json_object_set_new(whole, "remarks", notes);
    json_dumpf(whole, out, JSON_PRESERVE_ORDER);
    fputc('\n', out);
    json_decref(whole);
}

/* Prints @text so that Markdown shows it as it is, on one line: a baseline may come from anybody. */
static void print_escaped(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ') {
            fputc(' ', out);
        } else if (strchr("\\`*_[]<>#|~&@", *c) != NULL) {
            fprintf(out, "&#%d;", *c);
        } else {
            fputc(*c, out);
        }
    }
}

/* Prints @text as code, on one line, also in a table. */
static void print_code(FILE *out, const char *text)
{
    fputc('`', out);
    for (const char *c = text; *c != '\0'; c++) {
        fputc((unsigned char)*c < ' ' ? ' ' : *c == '`' ? '\'' : *c == '|' ? '/' : *c, out);
    }
    fputc('`', out);
}

static void print_row(FILE *out, const struct compared *row)
{
    struct cli_number before, now;
    char difference[CELL], percent[CELL], verdict[256];
    const char *bold = row->verdict == COMPARE_ABOVE ? "**" : "";

    write_verdict(row, verdict, sizeof verdict);
    fprintf(out, "| ");
    print_code(out, row->name);
    if (row->verdict == COMPARE_APART) {
        fprintf(out, " | | | | | ");
    } else {
        write_difference(row, difference);
        write_percent(row, percent);
        fprintf(out, " | %s | %s | %s | %s | %s", cli_grouped((uint64_t)(row->before + 0.5), &before),
                cli_grouped((uint64_t)(row->now + 0.5), &now), difference, percent, bold);
    }
    print_escaped(out, verdict);
    fprintf(out, "%s |\n", bold);
}

void compare_print_markdown(FILE *out, const struct result_comparison *c)
{
    char summary[400];

    write_summary(c, summary, sizeof summary);
    fprintf(out, "### PMU counts of ");
    print_code(out, c->now->program);
    fprintf(out, "\n\n**");
    print_escaped(out, summary);
    fprintf(out, "**\n");
    if (c->count > 0) {
        fprintf(out, "\n| event | baseline | now | difference | per cent | |\n|---|---:|---:|---:|---:|---|\n");
    }
    for (size_t i = 0; i < c->count; i++) {
        print_row(out, &c->rows[i]);
    }
    for (size_t i = 0; i < c->note_count; i++) {
        fprintf(out, "%s* ", i == 0 ? "\n" : "");
        print_escaped(out, c->notes[i]);
        fputc('\n', out);
    }
}
