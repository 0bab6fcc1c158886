/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what perf, simpleperf and strace print: tables, CSV, JSON, samples and refusals. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/cores.h>

#include "linux.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Names of events.
 */

/* Returns true if perf knows @name as an event. */
static bool is_event(const char *name)
{
    static const char *const names[] = {
        "cycles",
        "cpu-cycles",
        "instructions",
        "branches",
        "branch-instructions",
        "branch-misses",
        "cache-references",
        "cache-misses",
        "bus-cycles",
        "ref-cycles",
        "stalled-cycles-frontend",
        "stalled-cycles-backend",
        "idle-cycles-frontend",
        "idle-cycles-backend",
        "task-clock",
        "cpu-clock",
        "context-switches",
        "cs",
        "cpu-migrations",
        "migrations",
        "page-faults",
        "faults",
        "minor-faults",
        "major-faults",
        "alignment-faults",
        "emulation-faults",
        "duration_time",
        "user_time",
        "system_time",
        "bpf-output",
        "dummy",
        "cgroup-switches",
    };
    static const char *const begins[] = {"l1-",    "llc-",   "dtlb-", "itlb-", "branch-",   "node-", "raw-",
                                         "armv8_", "armv7_", "l1d",   "l1i",   "l2",        "l3",    "ll_",
                                         "inst_",  "br_",    "mem_",  "stall", "cpu_cycles"};
    char bare[96];
    size_t length = linux_word(name, ":,", bare, sizeof bare);

    if (length == 0 || !isalpha((unsigned char)bare[0])) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(bare, names[i]) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(bare, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    if (bare[0] == 'r' && length > 1 && length < 9 && strspn(bare + 1, "0123456789abcdefx") == length - 1) {
        return true;
    }
    return (strchr(bare, '/') != NULL && bare[length - 1] == '/') || apmu_core_event_parse(NULL, bare) >= 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Rows of a table.
 */

enum row_kind { ROW_NONE, ROW_COUNT, ROW_NOT_SUPPORTED, ROW_NOT_COUNTED };

struct row {
    enum row_kind kind;
    uint64_t count;
    uint64_t share; /* hundredths of a per cent */
    bool separated; /* the count has separators of thousands */
};

/* Reads a count, "1,234,567", "1.234.567", "1 234 567" or "12.34".  Returns its end, or NULL. */
static const char *read_count(const char *at, struct row *row)
{
    if (!isdigit((unsigned char)*at)) {
        return NULL;
    }
    row->kind = ROW_COUNT;
    row->count = 0;
    row->separated = false;
    while (isdigit((unsigned char)*at)) {
        row->count = row->count * 10 + (uint64_t)(*at - '0');
        at++;
        if ((*at == ',' || *at == '.' || *at == ' ' || *at == '\'') && strspn(at + 1, "0123456789") == 3) {
            row->separated = true;
            at++;
        }
    }
    if (*at == '.' || *at == ',') {
        at++;
        at += strspn(at, "0123456789");
    }
    return *at == ' ' || *at == '\t' || *at == '\0' ? at : NULL;
}

/* Reads the count of a row, or what stands for it.  Returns its end, or NULL. */
static const char *read_value(const char *at, struct row *row)
{
    static const char supported[] = "<not supported>", counted[] = "<not counted>";

    if (strncmp(at, supported, sizeof supported - 1) == 0) {
        row->kind = ROW_NOT_SUPPORTED;
        return at + sizeof supported - 1;
    }
    if (strncmp(at, counted, sizeof counted - 1) == 0) {
        row->kind = ROW_NOT_COUNTED;
        return at + sizeof counted - 1;
    }
    return read_count(at, row);
}

/* Returns the share of time, in hundredths of a per cent, that @text ends with: "(49.87%)", "[49.87%]". */
static uint64_t read_share(const char *text)
{
    const char *sign = strrchr(text, '%'), *begin;
    const char *end;
    uint64_t share;

    if (sign == NULL || (sign[1] != ')' && sign[1] != ']')) {
        return LINUX_WHOLE;
    }
    for (begin = sign; begin > text && strchr("([", *begin) == NULL; begin--) {
    }
    if (*begin != '(' && *begin != '[') {
        return LINUX_WHOLE;
    }
    begin += 1 + strspn(begin + 1, " ");
    share = linux_number(begin, &end) * 100;
    if ((*end == '.' || *end == ',') && isdigit((unsigned char)end[1])) {
        share += (uint64_t)(end[1] - '0') * 10 + (isdigit((unsigned char)end[2]) ? (uint64_t)(end[2] - '0') : 0);
    }
    return share > LINUX_WHOLE ? LINUX_WHOLE : share;
}

static void add_row(struct linux_input *in, const struct row *row, const char *event)
{
    static const enum clue_kind kinds[] = {[ROW_COUNT] = CLUE_linux_counted,
                                           [ROW_NOT_SUPPORTED] = CLUE_linux_not_supported,
                                           [ROW_NOT_COUNTED] = CLUE_linux_not_counted};

    linux_clue(in, kinds[row->kind], event, row->count, row->share);
}

/* Reads a row of the table of perf stat, @at its first word.  Returns true if it is one. */
static bool read_row(struct linux_input *in, const char *at)
{
    struct row row = {.share = LINUX_WHOLE};
    char event[96];
    const char *end = read_value(at, &row);
    size_t length;

    if (end == NULL) {
        return false;
    }
    const size_t blanks = text_blanks(end);

    end += blanks;
    if (strncmp(end, "msec ", 5) == 0 || strncmp(end, "ns ", 3) == 0 || strncmp(end, "ms ", 3) == 0) {
        end += strcspn(end, " ");
        end += text_blanks(end);
    }
    length = linux_word(end, "#(;", event, sizeof event);
    if (blanks == 0 || !is_event(event)) {
        return false;
    }
    /* "1000 cycles" in a sentence has one blank; a table aligns its columns. */
    if (row.kind == ROW_COUNT && !in->statistics && blanks < 2 && !row.separated &&
        strncmp(in->command, "perf stat", 9) != 0) {
        return false;
    }
    row.share = read_share(end + length);
    add_row(in, &row, event);
    return true;
}

/* Reads a row behind what some options of perf stat put before it: a time, a CPU, a task. */
static bool read_table(struct linux_input *in)
{
    const char *at = in->lower + text_blanks(in->lower);

    for (unsigned words = 0; words < 4 && *at != '\0'; words++) {
        if (read_row(in, at)) {
            return true;
        }
        if (!isdigit((unsigned char)*at) && strncmp(at, "cpu", 3) != 0 && strncmp(at, "s0", 2) != 0 &&
            strncmp(at, "s1", 2) != 0 && strchr(at, '-') == NULL) {
            return false;
        }
        at += strcspn(at, " \t");
        at += text_blanks(at);
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * CSV and JSON.
 */

#define FIELDS 10

/* Splits @text at @separator.  Returns the number of fields. */
static size_t split(char *text, char separator, char *fields[FIELDS])
{
    size_t count = 0;

    while (count < FIELDS) {
        char *end = strchr(text, separator);

        fields[count++] = text;
        if (end == NULL) {
            break;
        }
        *end = '\0';
        text = end + 1;
    }
    return count;
}

/* Reads a row of perf stat -x: value, unit, event, run time, share.  Returns true if it is one. */
static bool read_csv(struct linux_input *in)
{
    static const char separators[] = ",;|@\t";

    for (const char *separator = separators; *separator != '\0'; separator++) {
        char copy[256], *fields[FIELDS];
        size_t count;

        if (strchr(in->lower, *separator) == NULL || strlen(in->lower) >= sizeof copy) {
            continue;
        }
        memcpy(copy, in->lower, strlen(in->lower) + 1);
        count = split(copy, *separator, fields);
        for (size_t i = 0; i + 3 < count && i < 3; i++) {
            struct row row = {.share = LINUX_WHOLE};
            const char *value = fields[i] + strspn(fields[i], " "), *end = read_value(value, &row);

            if (end != NULL && *end == '\0' && strlen(fields[i + 1]) < 8 && is_event(fields[i + 2])) {
                const char *rest;

                if (i + 4 < count && isdigit((unsigned char)fields[i + 4][0])) {
                    row.share = linux_number(fields[i + 4], &rest) * 100;
                    row.share += *rest == '.' ? (linux_number(rest + 1, &rest) % 100) : 0;
                }
                add_row(in, &row, fields[i + 2]);
                return true;
            }
        }
    }
    return false;
}

/* Stores the value of the member @name of the JSON in the line in @value.  Returns false if there is none. */
static bool read_member(const char *lower, const char *name, char *value, size_t size)
{
    const char *at = strstr(lower, name);

    if (at == NULL || at[strlen(name)] != '"') {
        return false;
    }
    at += strlen(name) + 1;
    at += strspn(at, " :\"");
    size_t used = 0;

    for (;
         *at != '\0' && *at != '"' && *at != '}' && !(*at == ',' && !isdigit((unsigned char)at[1])) && used + 1 < size;
         at++) {
        value[used++] = *at;
    }
    value[used] = '\0';
    return true;
}

static bool read_json(struct linux_input *in)
{
    struct row row = {.share = LINUX_WHOLE};
    char value[64], event[96], share[32];
    const char *rest;

    if (!read_member(in->lower, "counter-value", value, sizeof value) ||
        !read_member(in->lower, "\"event", event, sizeof event) || read_value(value, &row) == NULL) {
        return false;
    }
    if (read_member(in->lower, "pcnt-running", share, sizeof share)) {
        row.share = linux_number(share, &rest) * 100;
        row.share += *rest == '.' ? linux_number(rest + 1, &rest) % 100 : 0;
    }
    add_row(in, &row, event);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Refusals.
 */

static const struct {
    uint64_t number;
    const char *name, *text;
} errors[] = {
    {13, "eacces", "permission denied"},        {1, "eperm", "operation not permitted"},
    {2, "enoent", "no such file or directory"}, {22, "einval", "invalid argument"},
    {19, "enodev", "no such device"},           {95, "eopnotsupp", "operation not supported"},
    {95, "enotsup", "not supported"},           {38, "enosys", "function not implemented"},
    {16, "ebusy", "device or resource busy"},   {28, "enospc", "no space left"},
};

/* Returns the errno that a refusal in @text names; 0: none. */
static uint64_t find_error(const char *text)
{
    static const char *const marks[] = {
        "returned with ", "errno ", "errno=", "errno = ", "errno: ", "error ", "returned -", "error -"};

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (linux_has_word(text, errors[i].name) || strstr(text, errors[i].text) != NULL) {
            return errors[i].number;
        }
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *at = strstr(text, marks[i]);

        if (at != NULL && isdigit((unsigned char)at[strlen(marks[i])])) {
            const char *end;
            const uint64_t number = linux_number(at + strlen(marks[i]), &end);

            return number < 200 ? number : 0;
        }
    }
    return 0;
}

/* Reads a call of perf_event_open() in a trace, or a message of its failure. */
static bool read_open(struct linux_input *in)
{
    const char *at = linux_find(in, "perf_event_open"), *result;
    uint64_t error;

    if (at == NULL) {
        return false;
    }
    result = strstr(at, ") = ");
    if (result != NULL && isdigit((unsigned char)result[4])) {
        const char *end;

        linux_clue(in, CLUE_linux_opened, at, linux_number(result + 4, &end), 0);
        return true;
    }
    error = find_error(result != NULL ? result : at);
    if (error == 0 && linux_has_word(at, "-1")) {
        return false;
    }
    if (error != 0) {
        linux_clue(in, CLUE_linux_refused, at, error, 0);
    }
    return error != 0;
}

/* Returns the result behind the call at @call, "8" of "read(3, ..., 8)     = 8", or NULL. */
static const char *result_of(const char *call)
{
    const char *close = strrchr(call, ')'), *equals = close != NULL ? close + 1 + text_blanks(close + 1) : "";

    return equals[0] == '=' ? equals + 1 + text_blanks(equals + 1) : NULL;
}

/* Returns 2 if a trace shows that @read, a call of read() on descriptor *@fd, gave a count of 0; 1: another; 0: no. */
static unsigned count_of_read(const char *read, uint64_t *fd)
{
    static const char zero[] = "\\0\\0\\0\\0\\0\\0\\0\\0"; /* what strace prints for a count of 64 bits */
    const char *end, *quote = strchr(read, '"'), *result = result_of(read);

    *fd = linux_number(read + 5, &end);
    if (end == read + 5 || quote == NULL || result == NULL || linux_number(result, &end) < 8) {
        return 0;
    }
    return strncmp(quote + 1, zero, sizeof zero - 1) == 0 ? 2 : 1;
}

/* Reads other calls of a trace that concern an event: ioctl(3, PERF_EVENT_IOC_ENABLE, 0) = 0, read(3, "..."). */
static void read_call(struct linux_input *in)
{
    const char *read = linux_find(in, "read(");
    uint64_t fd = 0;

    if (read != NULL && result_of(read) != NULL) {
        const unsigned count = count_of_read(read, &fd);

        linux_clue(in, CLUE_linux_call, in->lower, fd, count);
    } else if (linux_find(in, "perf_event_ioc_") != NULL && linux_find(in, "ioctl(") != NULL) {
        linux_clue(in, CLUE_linux_call, in->lower, 0, 0);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Samples.
 */

/* Returns a count that may end with K or M: "161K". */
static uint64_t short_count(const char *text, const char **end)
{
    uint64_t count = linux_number(text, end);

    if (**end == 'k' || **end == 'm') {
        count *= **end == 'k' ? 1000 : 1000000;
        (*end)++;
    }
    return count;
}

static void read_samples(struct linux_input *in)
{
    const char *at = linux_find(in, "samples: "), *end;
    char event[96] = "";

    if (linux_find(in, "lost samples: ") != NULL) {
        return; /* perf report says how many are not there */
    }
    if (at != NULL && isdigit((unsigned char)at[9])) {
        const uint64_t count = short_count(at + 9, &end);
        const char *of = strstr(end, "event '");

        if (of != NULL) {
            linux_word(of + 7, "'", event, sizeof event);
        }
        linux_clue(in, CLUE_linux_samples, event, count, 0);
        return;
    }
    at = linux_find(in, "captured and wrote ");
    if (at == NULL) {
        at = linux_find(in, "samples recorded: ");
        if (at != NULL) {
            linux_clue(in, CLUE_linux_samples, "", linux_number(at + 18, &end), 0);
        }
        return;
    }
    const char *samples = strstr(at, " samples)");

    if (samples == NULL) {
        const uint64_t megabytes = linux_number(at + 19, &end);
        const uint64_t thousandths =
            *end == '.' && strspn(end + 1, "0123456789") == 3 ? linux_number(end + 1, &end) : 0;

        linux_clue(in, CLUE_linux_captured, "", megabytes * 1000 + thousandths, 0);
        return;
    }
    while (samples > at && samples[-1] != '(') {
        samples--;
    }
    samples += strspn(samples, "~");
    linux_clue(in, CLUE_linux_samples, "", linux_number(samples, &end), 0);
}

/* Returns the number behind @name in the line: "time_enabled=500", "running: 12"; 0 if there is none. */
static uint64_t number_behind(const struct linux_input *in, const char *name)
{
    const char *at = linux_find(in, name);

    if (at == NULL) {
        return 0;
    }
    at += strlen(name);
    at += strspn(at, " =:\t\"'");
    return strtoull(at, NULL, 10);
}

#define TIMES_COLUMNS 16 /* of a table; one with more is not read */

/* Stores where the columns of the line begin.  Returns how many there are, TIMES_COLUMNS at most. */
static unsigned split_columns(const struct linux_input *in, const char *columns[TIMES_COLUMNS])
{
    const char *const blanks = in->times_by_comma ? " \t,;" : " \t|;";
    unsigned count = 0;

    for (const char *at = in->lower + strspn(in->lower, blanks); *at != '\0' && count < TIMES_COLUMNS;) {
        columns[count++] = at;
        at += strcspn(at, blanks);
        at += strspn(at, blanks);
    }
    return count;
}

/* Takes the line for the head of a table if two of its columns are times: "event value time_enabled time_running". */
static void read_times_head(struct linux_input *in)
{
    const char *columns[TIMES_COLUMNS], *enabled = linux_find(in, "enabled"), *running = linux_find(in, "running");
    unsigned count;

    in->times[0] = in->times[1] = 0;
    if (enabled == NULL || running == NULL) {
        return;
    }
    in->times_by_comma = strchr(in->lower, ',') != NULL;
    count = split_columns(in, columns);
    for (unsigned i = 0; i < count && count < TIMES_COLUMNS; i++) {
        const char *end = i + 1 < count ? columns[i + 1] : in->lower + strlen(in->lower);

        in->times[0] = enabled >= columns[i] && enabled < end ? count - i : in->times[0];
        in->times[1] = running >= columns[i] && running < end ? count - i : in->times[1];
    }
}

/* Reads the times of a row below read_times_head().  Returns false if the line is no such row. */
static bool read_times_row(struct linux_input *in, uint64_t *enabled, uint64_t *running)
{
    const char *columns[TIMES_COLUMNS];
    const unsigned count = split_columns(in, columns);
    uint64_t values[2];

    for (unsigned i = 0; i < 2; i++) {
        char *end;

        if (in->times[i] == 0 || in->times[i] > count) {
            return false;
        }
        values[i] = strtoull(columns[count - in->times[i]], &end, 10);
        if (end == columns[count - in->times[i]] || strchr(" \t,;|", *end) == NULL) {
            return false;
        }
    }
    *enabled = values[0];
    *running = values[1];
    return true;
}

/* Reads the times of an event, as programs print them: for how long it was enabled, and how long it counted. */
static void read_times(struct linux_input *in)
{
    uint64_t enabled = number_behind(in, "enabled"), running = number_behind(in, "running");

    if (in->lower[strspn(in->lower, " \t")] == '\0') {
        return; /* a blank line may be within a table */
    }
    if ((enabled == 0 || running == 0) && !read_times_row(in, &enabled, &running)) {
        read_times_head(in);
        return;
    }
    if (enabled > 1000 && running != 0 && running <= enabled) {
        linux_note(in, CLUE_linux_times, NULL, enabled, running);
    }
}

void linux_read_perf(struct linux_input *in)
{
    if (linux_find(in, "performance counter stat") != NULL) {
        in->statistics = true;
    } else if (linux_find(in, "seconds time elapsed") != NULL || linux_find(in, "total test time") != NULL) {
        in->statistics = false;
    }
    if (in->times[0] != 0) {
        read_times(in);
        if (in->times[0] != 0) {
            return; /* a row of the table, whatever else it looks like */
        }
    }
    if (read_json(in) || read_open(in) || read_table(in) || read_csv(in)) {
        return;
    }
    read_call(in);
    read_samples(in);
    read_times(in);
}
