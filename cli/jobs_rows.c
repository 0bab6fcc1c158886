/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of jobs: lines of JSON, one for each job, and CSV of fixed columns. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jobs.h"

#define ROW_FLAGS (JSON_PRESERVE_ORDER | JSON_COMPACT | JSON_REAL_PRECISION(17))

/* Returns the job that @row is of if it is done: its name, its command, and no failure. */
static struct job *find_done(struct job_list *list, const json_t *row)
{
    const char *name = json_string_value(json_object_get(row, "job"));
    const char *command = json_string_value(json_object_get(row, "command"));
    const json_t *status = json_object_get(row, "status");

    if (name == NULL || command == NULL || !json_is_integer(status) || json_integer_value(status) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->jobs[i].name, name) == 0) {
            return strcmp(list->jobs[i].line, command) == 0 ? &list->jobs[i] : NULL;
        }
    }
    return NULL;
}

void rows_resume(struct job_list *list, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    while (file != NULL && getline(&line, &room, file) > 0) {
        json_t *row = strchr(line, '\n') == NULL ? NULL : json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        struct job *job = row == NULL ? NULL : find_done(list, row);

        if (job != NULL && job->row == NULL) {
            job->row = json_incref(row);
            job->kept = true;
        }
        json_decref(row);
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
}

bool rows_print(FILE *out, const struct job *job)
{
    return json_dumpf(job->row, out, ROW_FLAGS) == 0 && fputc('\n', out) != EOF && fflush(out) == 0;
}

void rows_json(FILE *out, const struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->jobs[i].row != NULL) {
            rows_print(out, &list->jobs[i]);
        }
    }
}

bool rows_write(const struct job_list *list, const char *path, void (*print)(FILE *out, const struct job_list *list))
{
    char *new = NULL;
    FILE *file = asprintf(&new, "%s.new", path) < 0 ? NULL : fopen(new, "we");
    bool ok = file != NULL;

    if (ok) {
        print(file, list);
        ok = !ferror(file);
    }
    if (file != NULL && fclose(file) != 0) {
        ok = false;
    }
    ok = ok && rename(new, path) == 0;
    if (!ok && new != NULL) {
        const int error = errno;

        unlink(new);
        errno = error;
    }
    free(new);
    return ok;
}

/* ---------------------------------------------------------------------------------------------------------------
 * CSV.
 */

/* Prints a field: between quotes if it is a text, as it is if it is a number, empty if it is absent or null. */
static void print_field(FILE *out, const json_t *value)
{
    if (json_is_string(value)) {
        fputc('"', out);
        for (const char *c = json_string_value(value); *c != '\0'; c++) {
            fputs(*c == '"' ? "\"\"" : (char[2]){*c == '\n' || *c == '\r' ? ' ' : *c}, out);
        }
        fputc('"', out);
    } else if (json_is_integer(value)) {
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_real(value)) {
        fprintf(out, "%.17g", json_real_value(value));
    }
}

static void print_fields(FILE *out, const json_t *object, const char *const *keys, size_t count, char before)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 || before != '\0') {
            fputc(i > 0 ? ',' : before, out);
        }
        print_field(out, json_object_get(object, keys[i]));
    }
}

/* Prints the heading, and for each job a row for each element of its list @list_key, or one row if it has none. */
static void print_csv(FILE *out, const struct job_list *list, const char *const *run_keys, size_t run_count,
                      const char *list_key, const char *const *keys, size_t count)
{
    static const char *const job_keys[] = {"job", "status", "cause", "seconds"};

    fprintf(out, "job,status,cause,seconds");
    for (size_t i = 0; i < run_count; i++) {
        fprintf(out, ",%s", run_keys[i]);
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(out, ",%s", keys[i]);
    }
    fputc('\n', out);
    for (size_t i = 0; i < list->count; i++) {
        const json_t *result = json_object_get(list->jobs[i].row, "result");
        const json_t *elements = json_object_get(result, list_key);

        for (size_t k = 0; list->jobs[i].row != NULL && (k == 0 || k < json_array_size(elements)); k++) {
            print_fields(out, list->jobs[i].row, job_keys, 4, '\0');
            print_fields(out, result, run_keys, run_count, ',');
            print_fields(out, json_array_get(elements, k), keys, count, ',');
            fputc('\n', out);
        }
    }
}

void rows_csv_stat(FILE *out, const struct job_list *list)
{
    static const char *const run_keys[] = {"program", "engine", "emulator", "core", "runs"};
    static const char *const keys[] = {"event", "mean", "min", "max", "spread", "trust", "mark"};

    print_csv(out, list, run_keys, 5, "events", keys, 7);
}

void rows_csv_run(FILE *out, const struct job_list *list)
{
    static const char *const keys[] = {"cpu", "instructions", "counter", "event", "value", "counted", "still"};

    print_csv(out, list, NULL, 0, "counters", keys, 7);
}
