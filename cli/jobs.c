/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the jobs of a list, each by a process of this tool. */
#define _GNU_SOURCE
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARALLEL_MAX 4096
#define CAUSE_SIZE 600
#define LOG_TAIL 16384 /* bytes at the end of a log in which its cause is looked for */

struct jobs_options {
    const char *list, *output, *csv, *logs;
    unsigned part, parts, parallel;
    bool resume;
};

/* A process that runs a job. */
struct worker {
    pid_t pid; /* 0: none */
    struct job *job;
    struct timespec begin;
};

struct conduct {
    const struct cli_args *args;
    const struct jobs_way *way;
    struct jobs_options o;
    struct job_list *list;
    struct worker *workers;
    char folder[64]; /* of the files of workers; "" before it is made */
    FILE *out;      /* NULL: rows are not printed */
    size_t printed; /* the jobs before this one have their rows in the output */
    bool failed;    /* a job failed */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Options.
 */

/* Returns the decimal number @text from 1 to @max, or 0. */
static unsigned parse_number(const char *text, size_t length, unsigned max)
{
    unsigned value = 0;

    if (length == 0 || length > 7 || strspn(text, "0123456789") < length) {
        return 0;
    }
    for (size_t i = 0; i < length; i++) {
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    return value <= max ? value : 0;
}

/* Returns the number in the environment variable @name, or -1. */
static long variable(const char *name)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10
               ? strtol(text, NULL, 10) : -1;
}

/* Finds out which part of the list is that of this task of a Slurm array. */
static bool take_slurm_part(struct jobs_options *o)
{
    const long id = variable("SLURM_ARRAY_TASK_ID"), count = variable("SLURM_ARRAY_TASK_COUNT");
    const long first = variable("SLURM_ARRAY_TASK_MIN"), step = variable("SLURM_ARRAY_TASK_STEP");
    const long part = (id - (first < 0 ? 0 : first)) / (step < 1 ? 1 : step) + 1;

    if (id < 0 || count < 1 || part < 1 || part > count) {
        return false;
    }
    o->part = (unsigned)part;
    o->parts = (unsigned)count;
    return true;
}

static int parse_part(const struct cli_verb *verb, const char *text, struct jobs_options *o)
{
    const size_t slash = strcspn(text, "/");

    if (strcmp(text, "slurm") == 0) {
        if (take_slurm_part(o)) {
            return CLI_YES;
        }
        cli_complain(verb, "--job-part: slurm: SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT are not those of an "
                           "array of tasks 0 to N or 1 to N; use sbatch --array, or give K/N");
        return CLI_USAGE;
    }
    o->part = parse_number(text, slash, 1000000);
    o->parts = text[slash] == '/' ? parse_number(text + slash + 1, strlen(text + slash + 1), 1000000) : 0;
    if (o->part == 0 || o->part > o->parts) {
        cli_complain(verb, "--job-part: %s is no part; give K/N, such as 1/8, or slurm", text);
        return CLI_USAGE;
    }
    return CLI_YES;
}

static int parse_options(const struct cli_args *args, struct jobs_options *o)
{
    int status = CLI_YES;

    *o = (struct jobs_options){.part = 1, .parts = 1, .parallel = 1};
    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        const char *value = args->given[i].value;

        switch (args->given[i].id) {
        case CLI_JOBS: o->list = value; break;
        case CLI_OUTPUT: o->output = value; break;
        case CLI_CSV: o->csv = value; break;
        case CLI_LOGS: o->logs = value; break;
        case CLI_RESUME: o->resume = true; break;
        case CLI_JOB_PART: status = parse_part(args->verb, value, o); break;
        case CLI_PARALLEL:
            o->parallel = parse_number(value, strlen(value), PARALLEL_MAX);
            if (o->parallel == 0) {
                cli_complain(args->verb, "--parallel: %s is no number of jobs; give 1 to %d", value, PARALLEL_MAX);
                status = CLI_USAGE;
            }
            break;
        default: break;
        }
    }
    if (status == CLI_YES && o->resume && o->output == NULL) {
        cli_complain(args->verb, "--resume: there is no file that says what is done; give -o FILE too");
        status = CLI_USAGE;
    }
    return status;
}

/* Returns CLI_YES, or CLI_USAGE after a complaint if stat or run is given what does not go with --jobs. */
static int check_others(const struct cli_args *args)
{
    for (size_t i = 0; i < args->given_count; i++) {
        switch (args->given[i].id) {
        case CLI_SAVE:
        case CLI_APPEND:
        case CLI_JSON:
        case CLI_SEPARATOR:
        case CLI_INTERVAL:
        case CLI_BASELINE:
        case CLI_MARKDOWN:
            cli_complain(args->verb, "--jobs, --%s: the results of jobs are lines of JSON and --csv; leave it out",
                         cli_option_name(args->verb, args->given[i].id));
            return CLI_USAGE;
        default: break;
        }
    }
    return jobs_check_operands(args);
}

int jobs_check_operands(const struct cli_args *args)
{
    if (args->operands[0] != NULL) {
        cli_complain(args->verb, "%s: with --jobs, programs are in the list; leave it out", args->operands[0]);
        return CLI_USAGE;
    }
    return CLI_YES;
}

bool jobs_wanted(const struct cli_args *args)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (args->given[i].id == CLI_JOBS) {
            return true;
        }
    }
    return false;
}

int jobs_check_absent(const struct cli_args *args)
{
    for (size_t i = 0; i < args->given_count; i++) {
        const enum cli_option_id id = args->given[i].id;

        if (id == CLI_PARALLEL || id == CLI_JOB_PART || id == CLI_RESUME || id == CLI_CSV || id == CLI_LOGS) {
            cli_complain(args->verb, "--%s: there are no jobs; give --jobs FILE too", cli_option_name(args->verb, id));
            return CLI_USAGE;
        }
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Workers.
 */

/* Returns "NAME/WORKER.WHAT" in the folder of the workers, which the caller frees. */
static char *file_of(const struct conduct *c, const struct worker *w, const char *what)
{
    char *path = NULL;

    return asprintf(&path, "%s/%zu.%s", c->folder, (size_t)(w - c->workers), what) < 0 ? NULL : path;
}

static char *log_of(const struct conduct *c, const struct worker *w)
{
    char *path = NULL;

    if (c->o.logs == NULL) {
        return file_of(c, w, "log");
    }
    return asprintf(&path, "%s/%s.log", c->o.logs, w->job->name) < 0 ? NULL : path;
}

/* Returns whether the option @id is that of the list, not of its jobs. */
static bool is_own(enum cli_option_id id)
{
    return id == CLI_JOBS || id == CLI_OUTPUT || id == CLI_CSV || id == CLI_LOGS || id == CLI_RESUME ||
           id == CLI_JOB_PART || id == CLI_PARALLEL;
}

void jobs_way_add(struct jobs_way *way, const char *name, const char *value)
{
    const size_t size = strlen(name) + (value == NULL ? 0 : strlen(value)) + 4;
    char *word = cli_allocate(NULL, size, 1);

    snprintf(word, size, "--%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "");
    way->options = cli_allocate(way->options, way->count + 2, sizeof *way->options);
    way->options[way->count++] = word;
    way->options[way->count] = NULL;
}

void jobs_way_free(struct jobs_way *way)
{
    for (size_t i = 0; i < way->count; i++) {
        free(way->options[i]);
    }
    free(way->options);
}

/* Gives each job its line: a result is kept only if the options that all jobs share are still the same. */
static void make_lines(struct conduct *c)
{
    static char *const none[] = {NULL};
    char *shared = cli_join(c->way->count > 0 ? c->way->options : none);

    for (size_t i = 0; i < c->list->count; i++) {
        struct job *job = &c->list->jobs[i];
        const size_t size = strlen(shared) + strlen(job->command) + 2;

        job->line = cli_allocate(NULL, size, 1);
        snprintf(job->line, size, "%s%s%s", shared, shared[0] == '\0' ? "" : " ", job->command);
    }
    free(shared);
}

/* Makes the command line of a job: the shared options, --save, and the job's words.  The child never frees it. */
static char **command_of(const struct conduct *c, const struct job *job, const char *save)
{
    const struct jobs_way *way = c->way;
    size_t words = 0, n = 0;

    while (job->words[words] != NULL) {
        words++;
    }
    char **argv = cli_allocate(NULL, way->count + words + 4, sizeof *argv);

    argv[n++] = (char *)(uintptr_t) "armpmu";
    argv[n++] = (char *)(uintptr_t)way->verb;
    for (size_t i = 0; i < way->count; i++) {
        argv[n++] = way->options[i];
    }
    if (asprintf(&argv[n++], "--save=%s", save) < 0) {
        _exit(CLI_CANNOT);
    }
    memcpy(argv + n, job->words, words * sizeof *argv);
    return argv;
}

/* Becomes the tool with the job's command line, in the child. */
static _Noreturn void become_job(const struct conduct *c, const struct worker *w, pid_t parent)
{
    char *save = file_of(c, w, "json"), *log = log_of(c, w);
    int in = open("/dev/null", O_RDONLY), out = log == NULL ? -1 : open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    /* SIGTERM has armpmu end its program too. */
    if (save == NULL || in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(out, STDERR_FILENO) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) {
        _exit(CLI_CANNOT);
    }
    execv("/proc/self/exe", command_of(c, w->job, save));
    _exit(CLI_CANNOT);
}

static void start(struct conduct *c, struct worker *w, struct job *job)
{
    const pid_t parent = getpid();
    char *save;

    w->job = job;
    save = file_of(c, w, "json");
    if (save != NULL) {
        unlink(save);
    }
    free(save);
    clock_gettime(CLOCK_MONOTONIC, &w->begin);
    w->pid = fork();
    if (w->pid == 0) {
        become_job(c, w, parent);
    }
}

/*
 * Writes into @cause the last complaint of armpmu in the log of @w, or its last line that is not empty.  Complaints
 * begin with "armpmu VERB:".
 */
static void find_cause(const struct conduct *c, const struct worker *w, char cause[CAUSE_SIZE])
{
    char *path = log_of(c, w), *tail = cli_allocate(NULL, LOG_TAIL + 1, 1);
    FILE *file = path == NULL ? NULL : fopen(path, "re");
    bool complaint = false;

    if (file != NULL) {
        if (fseek(file, -(long)LOG_TAIL, SEEK_END) != 0) {
            rewind(file);
        }
        tail[fread(tail, 1, LOG_TAIL, file)] = '\0';
        fclose(file);
    }
    for (char *line = tail, *next; line != NULL && *line != '\0'; line = next) {
        const bool ours = strncmp(line, "armpmu ", 7) == 0;

        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (line[strspn(line, " \t")] != '\0' && (ours || !complaint)) {
            snprintf(cause, CAUSE_SIZE, "%.*s", CAUSE_SIZE - 1, line);
            complaint = ours;
        }
    }
    if (!complaint) { /* a line of results says nothing about the failure */
        cause[0] = '\0';
    }
    free(tail);
    free(path);
}

/* Returns what the job saved, or null. */
static json_t *take_result(const struct conduct *c, const struct worker *w)
{
    char *path = file_of(c, w, "json");
    json_t *result = path == NULL ? NULL : json_load_file(path, JSON_REJECT_DUPLICATES, NULL);

    if (path != NULL) {
        unlink(path);
    }
    free(path);
    return result != NULL ? result : json_null();
}

/* Makes the row of the job that @w ran, which ended with @wait_status. */
static void end_job(struct conduct *c, struct worker *w, int wait_status)
{
    const int status = WIFSIGNALED(wait_status) ? CLI_SIGNALLED + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    char cause[CAUSE_SIZE] = "";
    struct timespec end;
    json_t *row = json_object(), *text;

    clock_gettime(CLOCK_MONOTONIC, &end);
    if (status != 0) {
        find_cause(c, w, cause);
        c->failed = true;
    }
    if (status != 0 && cause[0] == '\0') {
        snprintf(cause, sizeof cause, status > CLI_SIGNALLED ? "the program was killed: %s"
                                                             : "the program ended with status %.0s%d",
                 status > CLI_SIGNALLED ? strsignal(status - CLI_SIGNALLED) : "", status);
    }
    json_object_set_new(row, "job", json_string(w->job->name));
    text = json_string(w->job->line);
    json_object_set_new(row, "command", text != NULL ? text : json_string("not UTF-8"));
    json_object_set_new(row, "status", json_integer(status));
    text = json_string(cause);
    json_object_set_new(row, "cause", text != NULL ? text : json_string("not UTF-8"));
    json_object_set_new(row, "seconds", json_real((double)(end.tv_sec - w->begin.tv_sec) +
                                                  (double)(end.tv_nsec - w->begin.tv_nsec) / 1e9));
    json_object_set_new(row, "result", take_result(c, w));
    w->job->row = row;
    w->pid = 0;
}

/* Prints the rows of jobs that ended, as far as those before them ended too.  Returns false if that failed. */
static bool print_rows(struct conduct *c)
{
    bool ok = true;

    for (; ok && c->printed < c->list->count && c->list->jobs[c->printed].row != NULL; c->printed++) {
        const struct job *job = &c->list->jobs[c->printed];

        ok = c->out == NULL || (job->kept && c->o.output != NULL) || rows_print(c->out, job);
    }
    return ok;
}

/* Returns a worker that has no job, or NULL. */
static struct worker *find_idle(const struct conduct *c)
{
    for (unsigned i = 0; i < c->o.parallel; i++) {
        if (c->workers[i].pid == 0) {
            return &c->workers[i];
        }
    }
    return NULL;
}

/* Waits for a job to end.  Returns false if none runs. */
static bool wait_for_one(struct conduct *c)
{
    int wait_status;
    pid_t pid;

    while ((pid = waitpid(-1, &wait_status, 0)) < 0 && errno == EINTR) {
    }
    for (unsigned i = 0; pid > 0 && i < c->o.parallel; i++) {
        if (c->workers[i].pid == pid) {
            end_job(c, &c->workers[i], wait_status);
        }
    }
    return pid > 0;
}

/* Runs all jobs that have no row yet.  Returns false if the results cannot be written. */
static bool run_all(struct conduct *c)
{
    size_t next = 0;
    bool running = true, ok = true;

    while (ok && (running || next < c->list->count)) {
        struct worker *w = find_idle(c);

        while (next < c->list->count && c->list->jobs[next].row != NULL) {
            next++;
        }
        if (w != NULL && next < c->list->count) {
            start(c, w, &c->list->jobs[next++]);
            if (w->pid < 0) { /* no process: its job is a row with that cause */
                end_job(c, w, CLI_CANNOT << 8);
            }
            running = true;
        } else {
            running = wait_for_one(c);
        }
        ok = print_rows(c);
    }
    return ok;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The list.
 */

static int complain_unwritten(const struct conduct *c, const char *path, const char *option)
{
    cli_complain(c->args->verb, "%s: cannot be written: %s; choose another file for %s", path, strerror(errno), option);
    return CLI_CANNOT;
}

/* Opens the output.  With --resume it begins with the rows that were kept. */
static int open_output(struct conduct *c)
{
    c->out = c->way->quiet ? NULL : stdout;
    if (c->o.output == NULL) {
        return CLI_YES;
    }
    if (c->o.resume) {
        rows_resume(c->list, c->o.output);
        if (!rows_write(c->list, c->o.output, rows_json)) {
            return complain_unwritten(c, c->o.output, "-o");
        }
    }
    c->out = fopen(c->o.output, c->o.resume ? "ae" : "we");
    return c->out != NULL ? CLI_YES : complain_unwritten(c, c->o.output, "-o");
}

static int make_folders(struct conduct *c)
{
    const char *base = getenv("TMPDIR");

    if (c->o.logs != NULL && mkdir(c->o.logs, 0777) != 0 && errno != EEXIST) {
        return complain_unwritten(c, c->o.logs, "--job-logs");
    }
    if (snprintf(c->folder, sizeof c->folder, "%.40s/armpmu-jobs.XXXXXX", base != NULL && strlen(base) <= 40 ? base :
                 "/tmp") < 0 || mkdtemp(c->folder) == NULL) {
        const int status = complain_unwritten(c, c->folder, "TMPDIR");

        c->folder[0] = '\0';
        return status;
    }
    return CLI_YES;
}

/* Removes the files of the workers and their folder. */
static void remove_folder(struct conduct *c)
{
    static const char *const files[] = {"json", "log", "json.new"};

    for (unsigned i = 0; c->folder[0] != '\0' && i < c->o.parallel; i++) {
        for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
            char *path = file_of(c, &c->workers[i], files[k]);

            if (path != NULL) {
                unlink(path);
            }
            free(path);
        }
    }
    if (c->folder[0] != '\0') {
        rmdir(c->folder);
    }
}

/* Writes what comes at the end: the rows in the order of the list, where kept ones came before, and the CSV. */
static int finish(struct conduct *c)
{
    const bool is_stat = strcmp(c->way->verb, "stat") == 0;

    if (c->o.resume && !rows_write(c->list, c->o.output, rows_json)) {
        return complain_unwritten(c, c->o.output, "-o");
    }
    if (c->o.csv != NULL && !rows_write(c->list, c->o.csv, is_stat ? rows_csv_stat : rows_csv_run)) {
        return complain_unwritten(c, c->o.csv, "--csv");
    }
    return c->failed ? CLI_NO : CLI_YES;
}

int jobs_do(const struct cli_args *args, const struct jobs_way *way, struct job_list *list)
{
    struct conduct c = {.args = args, .way = way, .list = list};
    int status = parse_options(args, &c.o);

    if (status == CLI_YES && c.o.list != NULL) {
        status = jobs_read(list, args->verb, c.o.list);
    }
    if (status == CLI_YES) {
        jobs_keep_part(list, c.o.part, c.o.parts);
        make_lines(&c);
        c.workers = cli_allocate(NULL, c.o.parallel, sizeof *c.workers);
        status = open_output(&c);
    }
    if (status == CLI_YES) {
        status = make_folders(&c);
    }
    if (status == CLI_YES) {
        status = run_all(&c) ? finish(&c) : complain_unwritten(&c, c.o.output == NULL ? "stdout" : c.o.output, "-o");
    }
    remove_folder(&c);
    if (c.out != NULL && c.out != stdout) {
        fclose(c.out);
    }
    free(c.workers);
    return status;
}

int jobs_conduct(const struct cli_args *args)
{
    struct jobs_way way = {.verb = args->verb->name};
    struct job_list list = {.text = NULL};
    int status = check_others(args);

    for (size_t i = 0; i < args->given_count && status == CLI_YES; i++) {
        if (!is_own(args->given[i].id)) {
            jobs_way_add(&way, cli_option_name(args->verb, args->given[i].id), args->given[i].value);
        }
    }
    if (status == CLI_YES) {
        status = jobs_do(args, &way, &list);
    }
    jobs_way_free(&way);
    jobs_free(&list);
    return status;
}
