/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of jobs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jobs.h"

#define LIST_MAX (256u << 20) /* the most bytes of a list */
#define NAME_MAX_LENGTH 200u
#define WORDS_MAX 4096u

/*
 * Takes the next word off *@text, which this function changes.  Blanks end a word; '...' and "..." keep them, and a
 * backslash keeps one character, not between '...'.  Nothing else is special.  Returns NULL at the end; *@open: a quote
 * is not closed.
 */
static char *take_word(char **text, bool *open)
{
    char *in = *text + strspn(*text, " \t"), *word = in, *out = in;
    char quote = '\0';

    if (*in == '\0') {
        return NULL;
    }
    for (; *in != '\0' && (quote != '\0' || (*in != ' ' && *in != '\t')); in++) {
        if (*in == quote && quote != '\0') {
            quote = '\0';
        } else if (quote == '\0' && (*in == '\'' || *in == '"')) {
            quote = *in;
        } else if (*in == '\\' && quote != '\'' && in[1] != '\0') {
            *out++ = *++in;
        } else {
            *out++ = *in;
        }
    }
    *open = quote != '\0';
    *text = *in == '\0' ? in : in + 1;
    *out = '\0';
    return word;
}

/* Splits job->command into words.  Returns NULL, or what is wrong with it. */
static const char *split(struct job *job)
{
    char *copy = strcpy(cli_allocate(NULL, strlen(job->command) + 1, 1), job->command), *rest = copy, *word;
    bool open = false;
    size_t count = 0;

    job->words = cli_allocate(NULL, 2, sizeof *job->words);
    while (count < WORDS_MAX && (word = take_word(&rest, &open)) != NULL) {
        job->words = cli_allocate(job->words, count + 2, sizeof *job->words);
        job->words[count] = strcpy(cli_allocate(NULL, strlen(word) + 1, 1), word);
        job->words[++count] = NULL;
    }
    free(copy);
    return open ? "a quote is not closed" : count == 0 ? "there is no command after the name"
           : count == WORDS_MAX ? "it has too many words" : NULL;
}

/* Returns NULL if @name can be a name and that of a file, or what is wrong with it. */
static const char *check_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+=@,:-";

    if (name[0] == '\0' || strlen(name) > NAME_MAX_LENGTH) {
        return "a name has 1 to 200 characters";
    }
    return name[0] == '.' || name[strspn(name, letters)] != '\0'
               ? "a name has letters, digits and . _ + = @ , : - and does not begin with a point" : NULL;
}

/* Adds the job of @line, which this function changes.  Returns NULL, or what is wrong with the line. */
static const char *add(struct job_list *list, char *line)
{
    char *tab = strchr(line, '\t');
    struct job *job = &list->jobs[list->count];
    const char *wrong;

    if (tab == NULL) {
        return "there is no tab after the job's name";
    }
    *tab = '\0';
    *job = (struct job){.name = line, .command = tab + 1 + strspn(tab + 1, " \t")};
    list->count++;
    wrong = check_name(job->name);
    return wrong != NULL ? wrong : split(job);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns a name that two jobs have, or NULL. */
static const char *find_twin(const struct job_list *list)
{
    const char **names = cli_allocate(NULL, list->count + 1, sizeof *names), *twin = NULL;

    for (size_t i = 0; i < list->count; i++) {
        names[i] = list->jobs[i].name;
    }
    qsort(names, list->count, sizeof *names, compare_names);
    for (size_t i = 1; i < list->count && twin == NULL; i++) {
        twin = strcmp(names[i - 1], names[i]) == 0 ? names[i] : NULL;
    }
    free(names);
    return twin;
}

/* Counts the lines of list->text, so that there is room for as many jobs. */
static size_t count_lines(const char *text)
{
    size_t lines = 1;

    for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++) {
        lines++;
    }
    return lines;
}

int jobs_parse(struct job_list *list, const struct cli_verb *verb, const char *path, const char *text, size_t size)
{
    const char *wrong = NULL, *twin;
    unsigned long number = 0;

    *list = (struct job_list){.text = cli_allocate(NULL, size + 1, 1)};
    memcpy(list->text, text, size);
    if (memchr(text, '\0', size) != NULL) {
        cli_complain(verb, "%s: it has a zero byte, and is no list of jobs; give lines NAME<TAB>COMMAND", path);
        return CLI_USAGE;
    }
    list->jobs = cli_allocate(NULL, count_lines(list->text) + 1, sizeof *list->jobs);
    for (char *line = list->text, *next; line != NULL && wrong == NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        number++;
        if (line[0] != '\0' && line[strlen(line) - 1] == '\r') {
            line[strlen(line) - 1] = '\0';
        }
        if (line[0] != '#' && line[strspn(line, " \t")] != '\0') {
            wrong = add(list, line);
        }
    }
    if (wrong != NULL) {
        cli_complain(verb, "%s:%lu: %s; write NAME<TAB>[OPTION...] PROGRAM [ARGUMENT...]", path, number, wrong);
        return CLI_USAGE;
    }
    twin = find_twin(list);
    if (twin != NULL) {
        cli_complain(verb, "%s: two jobs are named %s; give each a name of its own", path, twin);
        return CLI_USAGE;
    }
    return CLI_YES;
}

int jobs_read(struct job_list *list, const struct cli_verb *verb, const char *path)
{
    FILE *file = fopen(path, "re");
    size_t size = 0, room = 0;
    char *text = NULL;
    int status;

    *list = (struct job_list){.text = NULL};
    while (file != NULL && size == room && room <= LIST_MAX) {
        room = room == 0 ? 65536 : room * 2;
        text = cli_allocate(text, room, 1);
        size += fread(text + size, 1, room - size, file);
    }
    if (file == NULL || ferror(file)) {
        cli_complain(verb, "%s: cannot be read: %s; give a list of jobs", path, strerror(errno));
        status = CLI_CANNOT;
    } else if (size == room) {
        cli_complain(verb, "%s: it has more than %u MB; split it", path, LIST_MAX >> 20);
        status = CLI_CANNOT;
    } else {
        status = jobs_parse(list, verb, path, text, size);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(text);
    return status;
}

/* Fills @job for the program @path.  Returns NULL, or what is wrong with its name. */
static const char *take_program(struct job *job, const char *path, const char *before)
{
    const char *slash = strrchr(path, '/');
    size_t n = 0;

    *job = (struct job){.name = slash == NULL ? path : slash + 1, .command = path};
    job->words = cli_allocate(NULL, 3, sizeof *job->words);
    if (before != NULL) {
        job->words[n++] = strcpy(cli_allocate(NULL, strlen(before) + 1, 1), before);
    }
    job->words[n] = cli_allocate(NULL, strlen(path) + 3, 1);
    sprintf(job->words[n], "%s%s", slash == NULL ? "./" : "", path); /* it is a file, not a command in PATH */
    return check_name(job->name);
}

int jobs_of_programs(struct job_list *list, const struct cli_verb *verb, char *const *programs, const char *before)
{
    const char *wrong = NULL, *twin;
    size_t room = 1;

    for (size_t i = 0; programs[i] != NULL; i++) {
        room++;
    }
    *list = (struct job_list){.jobs = cli_allocate(NULL, room, sizeof *list->jobs)};
    for (size_t i = 0; programs[i] != NULL; i++) {
        wrong = take_program(&list->jobs[list->count++], programs[i], before);
        if (wrong != NULL) {
            cli_complain(verb, "%s: %s; give it another name in a list, --jobs FILE", programs[i], wrong);
            return CLI_USAGE;
        }
    }
    twin = find_twin(list);
    if (twin != NULL) {
        cli_complain(verb, "%s: two programs have this name; give them names in a list, --jobs FILE", twin);
        return CLI_USAGE;
    }
    return CLI_YES;
}

static void free_job(struct job *job)
{
    for (size_t i = 0; job->words != NULL && job->words[i] != NULL; i++) {
        free(job->words[i]);
    }
    free(job->words);
    free(job->line);
    json_decref(job->row);
}

void jobs_keep_part(struct job_list *list, unsigned part, unsigned parts)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (i % parts == part - 1) {
            list->jobs[kept++] = list->jobs[i];
        } else {
            free_job(&list->jobs[i]);
        }
    }
    list->count = kept;
}

void jobs_free(struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free_job(&list->jobs[i]);
    }
    free(list->jobs);
    free(list->text);
    *list = (struct job_list){.text = NULL};
}
