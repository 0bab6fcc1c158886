/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes what the scripts for debuggers share. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "script.h"

/* Writes @text, in a dense script without its blanks. */
static void write_expression(FILE *out, const struct dumper_script *script, const char *text)
{
    for (; *text != '\0'; text++) {
        if (!script->dense || *text != ' ') {
            fputc(*text, out);
        }
    }
}

/* Writes the definitions of the features, without the blanks in a dense script. */
void script_write_features(FILE *out, const struct dumper_plan *plan, const struct dumper_script *script)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL) {
        return;
    }
    dumper_write_features(to, plan, &script->language);
    fclose(to);
    for (const char *line = text; *line != '\0';) {
        const size_t indent = strspn(line, " "), length = strcspn(line, "\n");

        fprintf(out, "%.*s", (int)indent, line);
        for (size_t i = indent; i < length; i++) {
            if (!script->dense || line[i] != ' ') {
                fputc(line[i], out);
            }
        }
        fputc('\n', out);
        line += length + (line[length] == '\n');
    }
    free(text);
}

/* Writes the beginning of a statement that depends on the guard of @read.  Returns false if it needs none. */
bool script_begin_guard(FILE *out, const struct dumper_plan *plan, const struct dumper_script *script,
                        const struct dumper_read *read)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool guarded;

    if (to == NULL) {
        return false;
    }
    guarded = dumper_write_guard(to, plan, read, &script->language);
    fclose(to);
    if (guarded) {
        fputs(script->begin_if, out);
        write_expression(out, script, text);
        fputs(script->end_if, out);
    }
    free(text);
    return guarded;
}

void script_write_arm11(FILE *out, const struct dumper_script *script)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to != NULL) {
        dumper_write_arm11(to, &script->language);
        fclose(to);
        write_expression(out, script, text);
        free(text);
    }
}

static bool same_gates(const struct dumper_read *a, const struct dumper_read *b)
{
    return memcmp(a->gates, b->gates, sizeof a->gates) == 0 && a->level == b->level && a->unless == b->unless &&
           a->unless_all == b->unless_all && a->closed_by == b->closed_by && a->asked == b->asked;
}

/* Writes the reads of a moment.  Neighbours with the same guard share it. */
void script_write_shows(FILE *out, const struct dumper_plan *plan, const struct dumper_script *script,
                        enum dumper_moment moment)
{
    const struct dumper_read *last = NULL;
    bool guarded = false;

    for (size_t i = 0; i < plan->count; i++) {
        const struct dumper_read *read = &plan->reads[i];

        if (read->moment != moment) {
            continue;
        }
        if (last == NULL || !same_gates(last, read)) {
            fputs(guarded ? script->close : "", out);
            guarded = moment != DUMPER_ID && script_begin_guard(out, plan, script, read);
        }
        last = read;
        for (unsigned n = 0; read->copies > 1 && n < read->copies; n++) {
            script->show_copy(out, plan, read, n);
        }
        if (read->copies == 1) {
            script->show(out, plan, read, 0);
        }
    }
    fputs(guarded ? script->close : "", out);
}

/* Writes the comment at the head of a script.  @lines end with a newline each. */
void script_write_head(FILE *out, const struct dumper_request *request, const char *comment, const char *const *lines)
{
    fprintf(out, "%s SPDX-License-Identifier: BSD-2-Clause\n"
            "%s Reads the registers of the PMU, and those that control it, twice, and prints them for\n"
            "%s `armpmu why FILE`.  `armpmu why --dumper %s` wrote this file from the tables of armpmu.\n%s\n",
            comment, comment, comment, request->form, comment);
    for (; *lines != NULL; lines++) {
        fprintf(out, "%s%s%s\n", comment, (*lines)[0] != '\0' ? " " : "", *lines);
    }
}

void script_leave_out(struct dumper_plan *plan, enum apmu_reg reg)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].reg != reg) {
            plan->reads[kept++] = plan->reads[i];
        }
    }
    plan->count = kept;
}
