/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay [-r] [-u FILL] FILE...: replays trace files, with or without gzip compression.  -u sets the value of UNKNOWN
 * fields.  -r prints the trace with the model's own results instead of comparing them.  Exit status 0: no mismatch; 1:
 * a mismatch; 2: a file is unreadable, or holds a word that is not understood.
 */

#include "../../../cli/trace/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SHOWN = 10 };

static struct trace_file {
    const char *path, *name;
    bool record;
    unsigned long mismatches;
} file; /* the file that is being replayed */

/* ---------------------------------------------------------------------------------------------------------------
 * Results.
 */

static const char *const outcome_words[] = {
    [TRACE_OUTCOME_OK] = "ok", [TRACE_OUTCOME_WI] = "wi", [TRACE_OUTCOME_RAZ] = "raz", [TRACE_OUTCOME_UNDEF] = "undef",
    [TRACE_OUTCOME_TRAP] = "trap", [TRACE_OUTCOME_ERR] = "err", [TRACE_OUTCOME_UNPREDICTABLE] = "unpredictable",
};

enum { OUTCOMES = sizeof outcome_words / sizeof outcome_words[0] };

static const char *result_text(const struct trace_reply *r, char buf[80])
{
    int used = snprintf(buf, 80, "%s", outcome_words[r->outcome]);

    if (r->outcome == TRACE_OUTCOME_TRAP) {
        used += snprintf(buf + used, 80 - (size_t)used, " %u 0x%x", r->el, r->ec);
    }
    if (r->has_value) {
        used += snprintf(buf + used, 80 - (size_t)used, " 0x%llx", (unsigned long long)r->value);
    }
    if (r->has_value && r->mask != UINT64_MAX) {
        snprintf(buf + used, 80 - (size_t)used, " 0x%llx", (unsigned long long)r->mask);
    }
    return buf;
}

static struct trace_reply expected_result(struct trace_reader *f)
{
    struct trace_reply r = {.mask = UINT64_MAX};
    unsigned at = 1;
    unsigned outcome = 0;

    while (outcome < OUTCOMES && strcmp(f->expected[0], outcome_words[outcome]) != 0) {
        outcome++;
    }
    if (outcome == OUTCOMES) {
        trace_refuse(f, f->expected[0], "no outcome of an access has this name");
        return r;
    }
    r.outcome = (enum trace_outcome)outcome;
    if (r.outcome == TRACE_OUTCOME_TRAP && f->expectations >= 3) {
        r.el = trace_small_number(f, f->expected[at++]);
        r.ec = trace_small_number(f, f->expected[at++]);
    }
    if (at < f->expectations) {
        r.has_value = true;
        r.value = trace_number(f, f->expected[at++]);
    }
    if (at < f->expectations) {
        r.mask = trace_number(f, f->expected[at++]);
    }
    if (at != f->expectations) {
        trace_refuse(f, f->expected[at], "one word too many");
    }
    return r;
}

static void mismatch(struct trace_reader *f, const char *model)
{
    file.mismatches++;
    if (file.mismatches <= SHOWN) {
        printf("%s:%lu: trace %s: %s\n    the model gives %s\n", file.name, f->line, f->trace.name, f->text, model);
    }
}

static void print_recorded(struct trace_reader *f, const char *result)
{
    for (unsigned i = 0; i < f->words; i++) {
        printf("%s ", f->word[i]);
    }
    printf("-> %s\n", result);
}

static void compare(struct trace_reader *f, const struct trace_reply *got)
{
    char buf[80];

    if (file.record) {
        print_recorded(f, result_text(got, buf));
        return;
    }
    if (f->expectations == 0) {
        trace_refuse(f, f->word[0], "a result is missing after it");
        return;
    }
    const struct trace_reply want = expected_result(f);
    if (!f->unreadable && (want.outcome != got->outcome || want.el != got->el || want.ec != got->ec ||
                           want.has_value != got->has_value || ((want.value ^ got->value) & want.mask) != 0)) {
        mismatch(f, result_text(got, buf));
    }
}

static void compare_bit(struct trace_reader *f, bool got)
{
    if (file.record) {
        print_recorded(f, got ? "1" : "0");
    } else if (f->expectations != 1) {
        trace_refuse(f, f->word[0], "0 or 1 must follow it");
    } else if (trace_number(f, f->expected[0]) != got) {
        mismatch(f, got ? "1" : "0");
    }
}

/* Handles an action without a result. */
static void no_result(struct trace_reader *f)
{
    if (file.record) {
        puts(f->text);
    }
}

static const struct trace_listener listener = {compare, compare_bit, no_result};

/* ---------------------------------------------------------------------------------------------------------------
 * Files.
 */

static void replay(struct trace_reader *r, gzFile in)
{
    static char line[TRACE_LINE + 2];
    int error;

    while (gzgets(in, line, (int)sizeof line) != NULL && trace_reader_line(r, line, strlen(line))) {
    }
    const char *message = gzerror(in, &error);

    if (error < 0) {
        trace_refuse(r, "cannot read to its end", message);
    } else if (!r->unreadable) {
        trace_reader_end(r);
    }
}

static int run(const char *path, bool record, uint64_t fill)
{
    static struct trace_reader r;
    const char *slash = strrchr(path, '/');
    gzFile in = gzopen(path, "rb");

    file = (struct trace_file){.path = path, .name = slash != NULL ? slash + 1 : path, .record = record};
    trace_reader_init(&r, &listener, fill);
    if (in == NULL) {
        fprintf(stderr, "replay: %s: cannot read: %s\n", path, strerror(errno));
        return 2;
    }
    replay(&r, in);
    gzclose(in);
    if (r.unreadable) {
        fprintf(stderr, "replay: %s:%lu: %s\n", path, r.line, r.error);
        return 2;
    }
    if (!record) {
        printf("%s: %lu traces, %lu actions, %lu mismatches\n", file.name, r.traces, r.actions, file.mismatches);
    }
    return file.mismatches != 0;
}

int main(int argc, char **argv)
{
    bool record = false;
    uint64_t fill = 0;
    int status = 0;
    int i = 1;
    char *end = NULL;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-r") == 0) {
            record = true;
        } else if (strcmp(argv[i], "-u") == 0 && i + 1 < argc) {
            fill = strtoull(argv[++i], &end, 0);
        } else {
            break;
        }
    }
    if (i >= argc || argv[i][0] == '-' || (end != NULL && *end != '\0')) {
        fputs("usage: replay [-r] [-u FILL] FILE...\n", stderr);
        return 2;
    }
    for (; i < argc; i++) {
        const int s = run(argv[i], record, fill);
        status = s > status ? s : status;
    }
    return status;
}
