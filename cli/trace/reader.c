/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads traces line by line, performs their actions on a unit of the model, and reports the results to a listener. */

#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trace_refuse(struct trace_reader *f, const char *word, const char *why)
{
    if (!f->unreadable) {
        snprintf(f->error, sizeof f->error, "%.60s: %s", word, why);
    }
    f->unreadable = true;
}

uint64_t trace_number(struct trace_reader *f, const char *s)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(s, &end, 0);
    if (*s < '0' || *s > '9' || *end != '\0' || errno != 0) {
        trace_refuse(f, s, "not a number");
    }
    return value;
}

unsigned trace_small_number(struct trace_reader *f, const char *s)
{
    const uint64_t value = trace_number(f, s);

    if (value > 0xFF) {
        trace_refuse(f, s, "out of range");
    }
    return (unsigned)(value & 0xFF);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Actions.
 */

/* Refuses an action that this kind of unit lacks.  Returns true if it refused. */
static bool refuse_absent(struct trace_reader *f, bool present)
{
    if (!present) {
        trace_refuse(f, f->word[0], "this kind of unit has no such action");
    }
    return !present;
}

static bool split_setting(struct trace_reader *f, char *word, const char **key, uint64_t *value)
{
    char *equals = strchr(word, '=');

    if (equals == NULL) {
        trace_refuse(f, word, "not KEY=VALUE");
        return false;
    }
    *value = trace_number(f, equals + 1);
    *equals = '\0';
    *key = word;
    return !f->unreadable;
}

static void do_config(struct trace_reader *f)
{
    struct trace_setting settings[TRACE_WORDS];
    struct trace *t = &f->trace;
    const char *bad = "";
    unsigned count = 0;

    for (unsigned i = 1; i < f->words; i++, count++) {
        if (!split_setting(f, f->word[i], &settings[count].key, &settings[count].value)) {
            return;
        }
    }
    const bool arm11 = count != 0 && strcmp(settings[0].key, "part") == 0;
    if (!(arm11 ? trace_configure_arm11 : trace_configure_pmuv3)(t, settings, count, &bad)) {
        trace_refuse(f, bad, "no configuration of the model has this setting");
    }
    f->listener->plain(f);
}

static void do_pe(struct trace_reader *f)
{
    if (refuse_absent(f, f->trace.unit->set_pe != NULL)) {
        return;
    }
    for (unsigned i = 1; i < f->words; i++) {
        const char *key;
        uint64_t value;
        if (!split_setting(f, f->word[i], &key, &value)) {
            return;
        }
        if (!f->trace.unit->set_pe(&f->trace, key, value)) {
            trace_refuse(f, key, "the PE has no such state");
        }
    }
    f->listener->plain(f);
}

static void do_access(struct trace_reader *f)
{
    struct trace_access a = {.write = f->word[0][0] == 'w', .reg = f->word[2]};
    struct trace_reply r = {.outcome = TRACE_OUTCOME_OK, .mask = UINT64_MAX};

    if (a.write) {
        a.value = trace_number(f, f->word[3]);
    }
    for (const struct trace_view *v = f->trace.unit->views; v->name != NULL; v++) {
        if (strcmp(v->name, f->word[1]) != 0) {
            continue;
        }
        if (!v->access(&f->trace, &a, &r)) {
            trace_refuse(f, a.reg, "the view has no register of this name");
        } else {
            f->listener->access(f, &r);
        }
        return;
    }
    trace_refuse(f, f->word[1], "the unit has no view of this name");
}

static bool split_event(struct trace_reader *f, char *word, struct apmu_occurrence *ev)
{
    char *star = strchr(word, '*');

    if (star == NULL) {
        trace_refuse(f, word, "not EVENT*COUNT");
        return false;
    }
    ev->count = trace_number(f, star + 1);
    *star = '\0';
    const uint64_t event = trace_number(f, word);
    *star = '*';
    if (event > UINT16_MAX) {
        trace_refuse(f, word, "events have 16 bits");
    }
    ev->event = (uint16_t)event;
    return !f->unreadable;
}

static void do_cycles(struct trace_reader *f)
{
    struct apmu_occurrence ev[TRACE_EVENTS];
    const uint64_t n = trace_number(f, f->word[1]);
    size_t count = 0;

    if (n >> 40 != 0) { /* each overflow takes time to model, and 2^40 cycles may have very many */
        trace_refuse(f, f->word[1], "more cycles than 2^40");
        return;
    }
    for (unsigned i = 2; i < f->words; i++, count++) {
        if (count == TRACE_EVENTS) {
            trace_refuse(f, f->word[i], "more events than 32");
            return;
        }
        if (!split_event(f, f->word[i], &ev[count])) {
            return;
        }
    }
    if (!f->unreadable) {
        f->trace.unit->cycles(&f->trace, n, ev, count);
        f->listener->plain(f);
    }
}

/* `events` extends the original format: events of an engine that does not know in which cycles they occurred. */
static void do_events(struct trace_reader *f)
{
    struct apmu_occurrence ev;

    if (refuse_absent(f, f->trace.unit->event != NULL)) {
        return;
    }
    for (unsigned i = 1; i < f->words && split_event(f, f->word[i], &ev); i++) {
        f->trace.unit->event(&f->trace, ev.event, ev.count);
    }
    if (!f->unreadable) {
        f->listener->plain(f);
    }
}

static void do_counts(struct trace_reader *f)
{
    if (!refuse_absent(f, f->trace.unit->counts != NULL)) {
        f->listener->bit(f, f->trace.unit->counts(&f->trace, trace_small_number(f, f->word[1])));
    }
}

static void do_irq(struct trace_reader *f)
{
    f->listener->bit(f, f->trace.unit->irq(&f->trace));
}

static void do_fiq(struct trace_reader *f)
{
    if (!refuse_absent(f, f->trace.unit->fiq != NULL)) {
        f->listener->bit(f, f->trace.unit->fiq(&f->trace));
    }
}

static void do_snapshot(struct trace_reader *f)
{
    if (!refuse_absent(f, f->trace.unit->snapshot != NULL)) {
        f->trace.unit->snapshot(&f->trace);
        f->listener->plain(f);
    }
}

static void do_reset(struct trace_reader *f)
{
    const bool cold = strcmp(f->word[1], "cold") == 0;

    if (!cold && strcmp(f->word[1], "warm") != 0) {
        trace_refuse(f, f->word[1], "a reset is cold or warm");
        return;
    }
    f->trace.unit->reset(&f->trace, cold);
    f->listener->plain(f);
}

static const struct trace_action {
    const char *word;
    unsigned least, most; /* number of words in the line, the action included */
    void (*run)(struct trace_reader *f);
} actions[] = {
    {"pe", 2, TRACE_WORDS, do_pe}, {"r", 3, 3, do_access},   {"w", 4, 4, do_access},
    {"irq", 1, 1, do_irq},       {"fiq", 1, 1, do_fiq},    {"cycles", 2, TRACE_WORDS, do_cycles},
    {"events", 2, TRACE_WORDS, do_events},
    {"counts", 2, 2, do_counts}, {"reset", 2, 2, do_reset}, {"snapshot", 1, 1, do_snapshot},
};

static void perform(struct trace_reader *f)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        const struct trace_action *a = &actions[i];
        if (strcmp(a->word, f->word[0]) != 0) {
            continue;
        }
        if (f->words < a->least || f->words > a->most) {
            trace_refuse(f, f->word[0], "too few or too many words");
        } else {
            a->run(f);
            f->actions++;
        }
        return;
    }
    trace_refuse(f, f->word[0], "no action has this name");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

static void begin_trace(struct trace_reader *f)
{
    const uint64_t fill = f->trace.fill;

    if (f->words != 2 || strlen(f->word[1]) >= TRACE_NAME) {
        trace_refuse(f, f->text, "not `trace NAME`, or a name longer than 63");
        return;
    }
    f->trace = (struct trace){.fill = fill};
    memcpy(f->trace.name, f->word[1], strlen(f->word[1]) + 1);
    f->in_trace = true;
    f->traces++;
    f->listener->plain(f);
}

/* Splits the line at blanks into the action and, after "->", the result. */
static void split_line(struct trace_reader *f, char *line)
{
    bool result = false;

    f->words = f->expectations = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "->") == 0) {
            result = true;
        } else if (!result && f->words < TRACE_WORDS) {
            f->word[f->words++] = word;
        } else if (result && f->expectations < sizeof f->expected / sizeof f->expected[0]) {
            f->expected[f->expectations++] = word;
        } else {
            trace_refuse(f, word, "one word too many");
        }
    }
}

static void replay_line(struct trace_reader *f, char *line)
{
    split_line(f, line);
    if (f->unreadable) {
        return;
    }
    if (f->words == 0) {
        f->listener->plain(f);
    } else if (!f->in_trace) {
        if (strcmp(f->word[0], "trace") == 0) {
            begin_trace(f);
        } else {
            trace_refuse(f, f->word[0], "outside a trace");
        }
    } else if (strcmp(f->word[0], "end") == 0) {
        f->in_trace = false;
        f->listener->plain(f);
    } else if (strcmp(f->word[0], "config") == 0 && f->trace.unit == NULL) {
        do_config(f);
    } else if (f->trace.unit == NULL) {
        trace_refuse(f, f->word[0], "before `config`, or `config` a second time");
    } else {
        perform(f);
    }
}

void trace_reader_init(struct trace_reader *f, const struct trace_listener *listener, uint64_t fill)
{
    memset(f, 0, sizeof *f);
    f->listener = listener;
    f->trace.fill = fill;
}

bool trace_reader_line(struct trace_reader *f, const char *text, size_t length)
{
    char line[TRACE_LINE];

    f->line++;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        length--;
    }
    if (length >= sizeof line || memchr(text, '\0', length) != NULL) {
        trace_refuse(f, "line", "too long, or not text");
        return false;
    }
    memcpy(f->text, text, length);
    f->text[length] = '\0';
    if (f->line == 1) {
        if (strcmp(f->text, TRACE_FIRST_LINE) != 0) {
            trace_refuse(f, f->text, "not the first line `" TRACE_FIRST_LINE "`");
        } else {
            f->listener->plain(f);
        }
        return !f->unreadable;
    }
    memcpy(line, f->text, length + 1);
    line[strcspn(line, "#")] = '\0';
    replay_line(f, line);
    return !f->unreadable;
}

bool trace_reader_end(struct trace_reader *f)
{
    if (f->line == 0) {
        trace_refuse(f, "", "not the first line `" TRACE_FIRST_LINE "`");
    } else if (f->in_trace) {
        trace_refuse(f, "end", "the last trace does not have it");
    }
    return !f->unreadable;
}
