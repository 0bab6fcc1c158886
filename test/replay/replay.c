/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay [-r] [-u FILL] FILE...: replays trace files, gzip'ed or not.  -u: what UNKNOWN fields hold; -r: prints the
 * trace with the model's own results instead of comparing.
 * Exit 0: no mismatch; 1: a mismatch; 2: a file that it cannot read, or that holds a word that it does not know.
 */

#include "replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SHOWN = 10, LINE = 8192 };

struct file {
    const char *path, *name;
    bool record;
    bool unreadable;         /* a line is not understood: the file ends there */
    bool left;               /* the rest of the trace is left out */
    bool in_trace;
    unsigned long line;
    char text[LINE];         /* the whole line, for messages */
    char *word[MAX_WORDS];   /* the action */
    unsigned words;
    char *expected[4];       /* what follows "->" */
    unsigned expectations;
    unsigned long traces, actions, mismatches;
    const char *missing;     /* a view that the model does not have, and how many traces use one */
    unsigned long left_out;
    struct trace trace;
};

static void refuse(struct file *f, const char *word, const char *why)
{
    if (!f->unreadable) {
        fprintf(stderr, "replay: %s:%lu: %.60s: %s\n", f->path, f->line, word, why);
    }
    f->unreadable = true;
}

static uint64_t number(struct file *f, const char *s)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(s, &end, 0);
    if (*s < '0' || *s > '9' || *end != '\0' || errno != 0) {
        refuse(f, s, "not a number");
    }
    return value;
}

static unsigned small_number(struct file *f, const char *s)
{
    const uint64_t value = number(f, s);

    if (value > 0xFF) {
        refuse(f, s, "out of range");
    }
    return (unsigned)(value & 0xFF);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Results.
 */

static const char *const outcome_words[] = {
    [OUTCOME_OK] = "ok", [OUTCOME_WI] = "wi", [OUTCOME_RAZ] = "raz", [OUTCOME_UNDEF] = "undef",
    [OUTCOME_TRAP] = "trap", [OUTCOME_ERR] = "err", [OUTCOME_UNPREDICTABLE] = "unpredictable",
};

enum { OUTCOMES = sizeof outcome_words / sizeof outcome_words[0] };

static const char *result_text(const struct result *r, char buf[80])
{
    int used = snprintf(buf, 80, "%s", outcome_words[r->outcome]);

    if (r->outcome == OUTCOME_TRAP) {
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

static struct result expected_result(struct file *f)
{
    struct result r = {.mask = UINT64_MAX};
    unsigned at = 1;
    unsigned outcome = 0;

    while (outcome < OUTCOMES && strcmp(f->expected[0], outcome_words[outcome]) != 0) {
        outcome++;
    }
    if (outcome == OUTCOMES) {
        refuse(f, f->expected[0], "no outcome of an access has this name");
        return r;
    }
    r.outcome = (enum outcome)outcome;
    if (r.outcome == OUTCOME_TRAP && f->expectations >= 3) {
        r.el = small_number(f, f->expected[at++]);
        r.ec = small_number(f, f->expected[at++]);
    }
    if (at < f->expectations) {
        r.has_value = true;
        r.value = number(f, f->expected[at++]);
    }
    if (at < f->expectations) {
        r.mask = number(f, f->expected[at++]);
    }
    if (at != f->expectations) {
        refuse(f, f->expected[at], "one word too many");
    }
    return r;
}

static void mismatch(struct file *f, const char *model)
{
    f->mismatches++;
    if (f->mismatches <= SHOWN) {
        printf("%s:%lu: trace %s: %s\n    the model gives %s\n", f->name, f->line, f->trace.name, f->text, model);
    }
}

static void print_recorded(struct file *f, const char *result)
{
    for (unsigned i = 0; i < f->words; i++) {
        printf("%s ", f->word[i]);
    }
    printf("-> %s\n", result);
}

static void compare(struct file *f, const struct result *got)
{
    char buf[80];

    if (f->record) {
        print_recorded(f, result_text(got, buf));
        return;
    }
    if (f->expectations == 0) {
        refuse(f, f->word[0], "a result is missing after it");
        return;
    }
    const struct result want = expected_result(f);
    if (!f->unreadable && (want.outcome != got->outcome || want.el != got->el || want.ec != got->ec ||
                           want.has_value != got->has_value || ((want.value ^ got->value) & want.mask) != 0)) {
        mismatch(f, result_text(got, buf));
    }
}

static void compare_bit(struct file *f, bool got)
{
    if (f->record) {
        print_recorded(f, got ? "1" : "0");
    } else if (f->expectations != 1) {
        refuse(f, f->word[0], "0 or 1 must follow it");
    } else if (number(f, f->expected[0]) != got) {
        mismatch(f, got ? "1" : "0");
    }
}

/* An action that has no result. */
static void no_result(struct file *f)
{
    if (f->record) {
        puts(f->text);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Actions.
 */

/* An action that not every kind of unit has. */
static bool absent(struct file *f, bool present)
{
    if (!present) {
        refuse(f, f->word[0], "this kind of unit has no such action");
    }
    return !present;
}

static bool split_setting(struct file *f, char *word, const char **key, uint64_t *value)
{
    char *equals = strchr(word, '=');

    if (equals == NULL) {
        refuse(f, word, "not KEY=VALUE");
        return false;
    }
    *value = number(f, equals + 1);
    *equals = '\0';
    *key = word;
    return !f->unreadable;
}

static void do_config(struct file *f)
{
    struct setting settings[MAX_WORDS];
    struct trace *t = &f->trace;
    const char *bad = "";
    unsigned count = 0;

    for (unsigned i = 1; i < f->words; i++, count++) {
        if (!split_setting(f, f->word[i], &settings[count].key, &settings[count].value)) {
            return;
        }
    }
    const bool arm11 = count != 0 && strcmp(settings[0].key, "part") == 0;
    if (!(arm11 ? arm11_config : pmuv3_config)(t, settings, count, &bad)) {
        refuse(f, bad, "no configuration of the model has this setting");
    }
    no_result(f);
}

static void do_pe(struct file *f)
{
    if (absent(f, f->trace.unit->set_pe != NULL)) {
        return;
    }
    for (unsigned i = 1; i < f->words; i++) {
        const char *key;
        uint64_t value;
        if (!split_setting(f, f->word[i], &key, &value)) {
            return;
        }
        if (!f->trace.unit->set_pe(&f->trace, key, value)) {
            refuse(f, key, "the PE has no such state");
        }
    }
    no_result(f);
}

static void leave_out(struct file *f, const char *view)
{
    f->missing = view;
    f->left = true;
    f->left_out++;
}

static void do_access(struct file *f)
{
    struct access a = {.write = f->word[0][0] == 'w', .reg = f->word[2]};
    struct result r = {.outcome = OUTCOME_OK, .mask = UINT64_MAX};

    if (a.write) {
        a.value = number(f, f->word[3]);
    }
    for (const struct view *v = f->trace.unit->views; v->name != NULL; v++) {
        if (strcmp(v->name, f->word[1]) != 0) {
            continue;
        }
        if (v->access == NULL) {
            leave_out(f, v->name);
        } else if (!v->access(&f->trace, &a, &r)) {
            refuse(f, a.reg, "the view has no register of this name");
        } else {
            compare(f, &r);
        }
        return;
    }
    refuse(f, f->word[1], "the unit has no view of this name");
}

static bool split_event(struct file *f, char *word, struct apmu_occurrence *ev)
{
    char *star = strchr(word, '*');

    if (star == NULL) {
        refuse(f, word, "not EVENT*COUNT");
        return false;
    }
    ev->count = number(f, star + 1);
    *star = '\0';
    const uint64_t event = number(f, word);
    *star = '*';
    if (event > UINT16_MAX) {
        refuse(f, word, "events have 16 bits");
    }
    ev->event = (uint16_t)event;
    return !f->unreadable;
}

static void do_cycles(struct file *f)
{
    struct apmu_occurrence ev[MAX_EVENTS];
    const uint64_t n = number(f, f->word[1]);
    size_t count = 0;

    for (unsigned i = 2; i < f->words; i++, count++) {
        if (count == MAX_EVENTS) {
            refuse(f, f->word[i], "more events than 32");
            return;
        }
        if (!split_event(f, f->word[i], &ev[count])) {
            return;
        }
    }
    if (!f->unreadable) {
        f->trace.unit->cycles(&f->trace, n, ev, count);
        no_result(f);
    }
}

/* Not of the format as it came to us: events of an engine that does not know in which cycles they occurred. */
static void do_events(struct file *f)
{
    struct apmu_occurrence ev;

    if (absent(f, f->trace.unit->event != NULL)) {
        return;
    }
    for (unsigned i = 1; i < f->words && split_event(f, f->word[i], &ev); i++) {
        f->trace.unit->event(&f->trace, ev.event, ev.count);
    }
    no_result(f);
}

static void do_counts(struct file *f)
{
    if (!absent(f, f->trace.unit->counts != NULL)) {
        compare_bit(f, f->trace.unit->counts(&f->trace, small_number(f, f->word[1])));
    }
}

static void do_irq(struct file *f)
{
    compare_bit(f, f->trace.unit->irq(&f->trace));
}

static void do_fiq(struct file *f)
{
    if (!absent(f, f->trace.unit->fiq != NULL)) {
        compare_bit(f, f->trace.unit->fiq(&f->trace));
    }
}

static void do_snapshot(struct file *f)
{
    if (!absent(f, f->trace.unit->snapshot != NULL)) {
        f->trace.unit->snapshot(&f->trace);
        no_result(f);
    }
}

static void do_reset(struct file *f)
{
    const bool cold = strcmp(f->word[1], "cold") == 0;

    if (!cold && strcmp(f->word[1], "warm") != 0) {
        refuse(f, f->word[1], "a reset is cold or warm");
        return;
    }
    f->trace.unit->reset(&f->trace, cold);
    no_result(f);
}

static const struct action {
    const char *word;
    unsigned least, most; /* words */
    void (*run)(struct file *f);
} actions[] = {
    {"pe", 2, MAX_WORDS, do_pe}, {"r", 3, 3, do_access},   {"w", 4, 4, do_access},
    {"irq", 1, 1, do_irq},       {"fiq", 1, 1, do_fiq},    {"cycles", 2, MAX_WORDS, do_cycles},
    {"events", 2, MAX_WORDS, do_events},
    {"counts", 2, 2, do_counts}, {"reset", 2, 2, do_reset}, {"snapshot", 1, 1, do_snapshot},
};

static void act(struct file *f)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        const struct action *a = &actions[i];
        if (strcmp(a->word, f->word[0]) != 0) {
            continue;
        }
        if (f->words < a->least || f->words > a->most) {
            refuse(f, f->word[0], "too few or too many words");
        } else {
            a->run(f);
            f->actions += !f->left;
        }
        return;
    }
    refuse(f, f->word[0], "no action has this name");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Files.
 */

static void begin(struct file *f)
{
    const uint64_t fill = f->trace.fill;

    if (f->words != 2 || strlen(f->word[1]) >= NAME_LENGTH) {
        refuse(f, f->text, "not `trace NAME`, or a name longer than 63");
        return;
    }
    f->trace = (struct trace){.file = f, .fill = fill};
    memcpy(f->trace.name, f->word[1], strlen(f->word[1]) + 1);
    f->in_trace = true;
    f->left = false;
    f->traces++;
    no_result(f);
}

/* Splits the line at blanks into the action and, after "->", the result. */
static void split(struct file *f, char *line)
{
    bool result = false;

    f->words = f->expectations = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "->") == 0) {
            result = true;
        } else if (!result && f->words < MAX_WORDS) {
            f->word[f->words++] = word;
        } else if (result && f->expectations < sizeof f->expected / sizeof f->expected[0]) {
            f->expected[f->expectations++] = word;
        } else {
            refuse(f, word, "one word too many");
        }
    }
}

static void replay_line(struct file *f, char *line)
{
    split(f, line);
    if (f->unreadable) {
        return;
    }
    if (f->words == 0) {
        no_result(f);
    } else if (!f->in_trace) {
        if (strcmp(f->word[0], "trace") == 0) {
            begin(f);
        } else {
            refuse(f, f->word[0], "outside a trace");
        }
    } else if (strcmp(f->word[0], "end") == 0) {
        f->in_trace = false;
        no_result(f);
    } else if (strcmp(f->word[0], "config") == 0 && f->trace.unit == NULL) {
        do_config(f);
    } else if (f->trace.unit == NULL) {
        refuse(f, f->word[0], "before `config`, or `config` a second time");
    } else if (!f->left) {
        act(f);
    }
}

/* Reads a line without its end and comment; false at the end of the file. */
static bool read_line(struct file *f, gzFile in)
{
    if (gzgets(in, f->text, LINE) == NULL) {
        return false;
    }
    f->line++;
    if (strchr(f->text, '\n') == NULL && strlen(f->text) == LINE - 1) {
        refuse(f, "line", "too long");
    }
    f->text[strcspn(f->text, "\r\n")] = '\0';
    return true;
}

static void replay(struct file *f, gzFile in)
{
    static char line[LINE];

    if (!read_line(f, in) || strcmp(f->text, "armpmu-trace 1") != 0) {
        refuse(f, f->text, "not the first line `armpmu-trace 1`");
        return;
    }
    no_result(f);
    while (!f->unreadable && read_line(f, in)) {
        memcpy(line, f->text, sizeof line);
        line[strcspn(line, "#")] = '\0';
        replay_line(f, line);
    }
    int error;
    const char *message = gzerror(in, &error);
    if (error < 0) {
        refuse(f, "cannot read to its end", message);
    } else if (f->in_trace) {
        refuse(f, "end", "the last trace does not have it");
    }
}

static int run(const char *path, bool record, uint64_t fill)
{
    static struct file f;
    const char *slash = strrchr(path, '/');
    gzFile in = gzopen(path, "rb");

    f = (struct file){.path = path, .name = slash != NULL ? slash + 1 : path, .record = record};
    f.trace.fill = fill;
    if (in == NULL) {
        fprintf(stderr, "replay: %s: cannot read: %s\n", path, strerror(errno));
        return 2;
    }
    replay(&f, in);
    gzclose(in);
    if (f.unreadable) {
        return 2;
    }
    if (!record) {
        printf("%s: %lu traces, %lu actions, %lu mismatches\n", f.name, f.traces, f.actions, f.mismatches);
    }
    if (f.left_out != 0) {
        fprintf(stderr, "replay: %s: %lu traces use the view %s, which the model does not have: from there on they "
                        "were left out\n", path, f.left_out, f.missing);
        return 2;
    }
    return f.mismatches != 0;
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
