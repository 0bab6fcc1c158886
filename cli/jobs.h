/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work lists: --jobs FILE of `armpmu stat`, `armpmu run` and `armpmu coverage`.  Each line of FILE is a job, a name, a
 * tab, and the words of a command line of stat or run.  Each job is run by a process of this tool, with the options
 * that all jobs share.
 *
 *      jobs.c       jobs_do(): runs the jobs, several at a time
 *       |-- jobs_list.c   jobs_read(): reads the list
 *       `-- jobs_rows.c   rows_write(), rows_resume(), rows_csv_stat(): the results, in the order of the list
 */
#ifndef ARMPMU_CLI_JOBS_H
#define ARMPMU_CLI_JOBS_H

#include <jansson.h>

#include "cli.h"

/** A job. */
struct job {
    const char *name, *command; /**< both are in the text of the list */
    char *line;   /**< the options that all jobs share, and the command, for its row */
    char **words; /**< the command as words; NULL ends them */
    json_t *row;  /**< its result; NULL: it has not ended */
    bool kept;    /**< an earlier run did it */
};

struct job_list {
    char *text; /**< the file */
    struct job *jobs;
    size_t count;
};

/** Reads the file @path.  Returns CLI_YES; or, after a complaint that names the line, CLI_USAGE or CLI_CANNOT. */
int jobs_read(struct job_list *list, const struct cli_verb *verb, const char *path);

/** Takes the text of a list, @size bytes.  Returns as jobs_read() does; @path is for complaints. */
int jobs_parse(struct job_list *list, const struct cli_verb *verb, const char *path, const char *text, size_t size);

/**
 * Makes a job of each of the @programs, which NULL ends, named by the last part of its path.  @before, unless it is
 * NULL, stands before the path on the command line.  Returns as jobs_read() does.
 */
int jobs_of_programs(struct job_list *list, const struct cli_verb *verb, char *const *programs, const char *before);

/** Keeps the jobs of part @part of @parts, counted from 1: each job in its turn. */
void jobs_keep_part(struct job_list *list, unsigned part, unsigned parts);

void jobs_free(struct job_list *list);

/** Gives the jobs that the results in the file @path say are done their rows.  A line that is no row is left out. */
void rows_resume(struct job_list *list, const char *path);

/** Prints the row of a job as a line of JSON.  Returns whether that is written. */
bool rows_print(FILE *out, const struct job *job);

/** Writes the rows of all jobs that have one, to @path, whole or not at all: as lines of JSON, or as CSV. */
bool rows_write(const struct job_list *list, const char *path, void (*print)(FILE *out, const struct job_list *list));
void rows_json(FILE *out, const struct job_list *list);
void rows_csv_stat(FILE *out, const struct job_list *list);
void rows_csv_run(FILE *out, const struct job_list *list);

/** Returns whether @args has --jobs. */
bool jobs_wanted(const struct cli_args *args);

/** Returns CLI_YES; or CLI_USAGE after a complaint if @args, without --jobs, has an option of jobs. */
int jobs_check_absent(const struct cli_args *args);

/** Returns CLI_YES, or CLI_USAGE after a complaint if @args, which has --jobs, has operands too. */
int jobs_check_operands(const struct cli_args *args);

/** How jobs are done. */
struct jobs_way {
    const char *verb; /**< the verb of this tool that does them, "stat" or "run" */
    char **options;   /**< its options that all jobs share, a word each; NULL ends them */
    size_t count;     /**< of the options */
    bool quiet;       /**< without -o rows are not printed */
};

/** Adds the option @name with its @value, or NULL, to those that all jobs share. */
void jobs_way_add(struct jobs_way *way, const char *name, const char *value);

/** Frees the options. */
void jobs_way_free(struct jobs_way *way);

/**
 * Does the jobs of --jobs, which it reads into @list, or without that option the jobs that @list has; the other options
 * of jobs of @args say how many at a time, which part, and where rows go.  Gives each job its row.  Returns CLI_YES, or
 * CLI_NO if one failed, or another exit status after a complaint.  The caller frees @list.
 */
int jobs_do(const struct cli_args *args, const struct jobs_way *way, struct job_list *list);

/** Runs the jobs of --jobs of stat or run.  Returns as jobs_do() does. */
int jobs_conduct(const struct cli_args *args);

#endif
