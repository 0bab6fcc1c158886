/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads traces line by line, performs their actions on a unit of the model, and reports the results to a listener. */

#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trace_refuse(struct trace_reader *reader, const char *word, const char *why)
{
    if (!reader->unreadable) {
        snprintf(reader->error, sizeof reader->error, "%.60s: %s", word, why);
    }
    reader->unreadable = true;
}

uint64_t trace_number(struct trace_reader *reader, const char *s)
{
    char *end;

    errno = 0;
    const unsigned long long value = strtoull(s, &end, 0);
    if (*s < '0' || *s > '9' || *end != '\0' || errno != 0) {
        trace_refuse(reader, s, "not a number");
    }
    return value;
}

unsigned trace_small_number(struct trace_reader *reader, const char *s)
{
    const uint64_t value = trace_number(reader, s);

    if (value > 0xFF) {
        trace_refuse(reader, s, "out of range");
    }
    return (unsigned)(value & 0xFF);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Actions.
 */

/* Refuses an action that this kind of unit lacks.  Returns true if it refused. */
static bool refuse_absent(struct trace_reader *reader, bool present)
{
    if (!present) {
        trace_refuse(reader, reader->word[0], "this kind of unit has no such action");
    }
    return !present;
}

/* Splits a KEY=VALUE @word, in place.  Returns false after it refused the word. */
static bool split_setting(struct trace_reader *reader, char *word, const char **key, uint64_t *value)
{
    char *equals = strchr(word, '=');

    if (equals == NULL) {
        trace_refuse(reader, word, "not KEY=VALUE");
        return false;
    }
    *value = trace_number(reader, equals + 1);
    *equals = '\0';
    *key = word;
    return !reader->unreadable;
}

static void do_config(struct trace_reader *reader)
{
    struct trace_setting settings[TRACE_WORDS];
    struct trace *t = &reader->trace;
    const char *bad = "";
    unsigned count = 0;

    for (unsigned i = 1; i < reader->words; i++, count++) {
        if (!split_setting(reader, reader->word[i], &settings[count].key, &settings[count].value)) {
            return;
        }
    }
    const bool arm11 = count != 0 && strcmp(settings[0].key, "part") == 0;
    if (!(arm11 ? trace_configure_arm11 : trace_configure_pmuv3)(t, settings, count, &bad)) {
        trace_refuse(reader, bad, "no configuration of the model has this setting");
    }
    reader->listener->plain(reader);
}

static void do_pe(struct trace_reader *reader)
{
    if (refuse_absent(reader, reader->trace.unit->set_pe != NULL)) {
        return;
    }
    for (unsigned i = 1; i < reader->words; i++) {
        const char *key;
        uint64_t value;
        if (!split_setting(reader, reader->word[i], &key, &value)) {
            return;
        }
        if (!reader->trace.unit->set_pe(&reader->trace, key, value)) {
            trace_refuse(reader, key, "the PE has no such state");
        }
    }
    reader->listener->plain(reader);
}

static void do_access(struct trace_reader *reader)
{
    struct trace_access a = {.write = reader->word[0][0] == 'w', .reg = reader->word[2]};
    struct trace_reply r = {.outcome = TRACE_OUTCOME_OK, .mask = UINT64_MAX};

    if (a.write) {
        a.value = trace_number(reader, reader->word[3]);
    }
    for (const struct trace_view *v = reader->trace.unit->views; v->name != NULL; v++) {
        if (strcmp(v->name, reader->word[1]) != 0) {
            continue;
        }
        if (!v->access(&reader->trace, &a, &r)) {
            trace_refuse(reader, a.reg, "the view has no register of this name");
        } else {
            reader->listener->access(reader, &r);
        }
        return;
    }
    trace_refuse(reader, reader->word[1], "the unit has no view of this name");
}

/* Parses an EVENT*COUNT @word, and leaves it as it was.  Returns false after it refused the word. */
static bool split_event(struct trace_reader *reader, char *word, struct apmu_occurrence *ev)
{
    char *star = strchr(word, '*');

    if (star == NULL) {
        trace_refuse(reader, word, "not EVENT*COUNT");
        return false;
    }
    ev->count = trace_number(reader, star + 1);
    *star = '\0';
    const uint64_t event = trace_number(reader, word);
    *star = '*';
    if (event > UINT16_MAX) {
        trace_refuse(reader, word, "events have 16 bits");
    }
    ev->event = (uint16_t)event;
    return !reader->unreadable;
}

static void do_cycles(struct trace_reader *reader)
{
    struct apmu_occurrence ev[TRACE_EVENTS];
    const uint64_t n = trace_number(reader, reader->word[1]);
    size_t count = 0;

    if (n >> 40 != 0) { /* each overflow takes time to model, and 2^40 cycles may have very many */
        trace_refuse(reader, reader->word[1], "more cycles than 2^40");
        return;
    }
    for (unsigned i = 2; i < reader->words; i++, count++) {
        if (count == TRACE_EVENTS) {
            trace_refuse(reader, reader->word[i], "more events than 32");
            return;
        }
        if (!split_event(reader, reader->word[i], &ev[count])) {
            return;
        }
    }
    if (!reader->unreadable) {
        reader->trace.unit->cycles(&reader->trace, n, ev, count);
        reader->listener->plain(reader);
    }
}

/* Performs `events`, an extension of the format, for emulators that do not know in which cycles events occurred. */
static void do_events(struct trace_reader *reader)
{
    struct apmu_occurrence ev;

    if (refuse_absent(reader, reader->trace.unit->event != NULL)) {
        return;
    }
    for (unsigned i = 1; i < reader->words && split_event(reader, reader->word[i], &ev); i++) {
        reader->trace.unit->event(&reader->trace, ev.event, ev.count);
    }
    if (!reader->unreadable) {
        reader->listener->plain(reader);
    }
}

static void do_counts(struct trace_reader *reader)
{
    if (!refuse_absent(reader, reader->trace.unit->counts != NULL)) {
        const unsigned counter = trace_small_number(reader, reader->word[1]);

        reader->listener->bit(reader, reader->trace.unit->counts(&reader->trace, counter));
    }
}

static void do_irq(struct trace_reader *reader)
{
    reader->listener->bit(reader, reader->trace.unit->irq(&reader->trace));
}

static void do_fiq(struct trace_reader *reader)
{
    if (!refuse_absent(reader, reader->trace.unit->fiq != NULL)) {
        reader->listener->bit(reader, reader->trace.unit->fiq(&reader->trace));
    }
}

static void do_snapshot(struct trace_reader *reader)
{
    if (!refuse_absent(reader, reader->trace.unit->snapshot != NULL)) {
        reader->trace.unit->snapshot(&reader->trace);
        reader->listener->plain(reader);
    }
}

static void do_reset(struct trace_reader *reader)
{
    const bool cold = strcmp(reader->word[1], "cold") == 0;

    if (!cold && strcmp(reader->word[1], "warm") != 0) {
        trace_refuse(reader, reader->word[1], "a reset is cold or warm");
        return;
    }
    reader->trace.unit->reset(&reader->trace, cold);
    reader->listener->plain(reader);
}

static const struct trace_action {
    const char *word;
    unsigned least, most; /* number of words in the line, the action included */
    void (*run)(struct trace_reader *reader);
} actions[] = {
    {"pe", 2, TRACE_WORDS, do_pe}, {"r", 3, 3, do_access},   {"w", 4, 4, do_access},
    {"irq", 1, 1, do_irq},       {"fiq", 1, 1, do_fiq},    {"cycles", 2, TRACE_WORDS, do_cycles},
    {"events", 2, TRACE_WORDS, do_events},
    {"counts", 2, 2, do_counts}, {"reset", 2, 2, do_reset}, {"snapshot", 1, 1, do_snapshot},
};

/* Performs the action whose words were read. */
static void perform(struct trace_reader *reader)
{
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        const struct trace_action *a = &actions[i];
        if (strcmp(a->word, reader->word[0]) != 0) {
            continue;
        }
        if (reader->words < a->least || reader->words > a->most) {
            trace_refuse(reader, reader->word[0], "too few or too many words");
        } else {
            a->run(reader);
            reader->actions++;
        }
        return;
    }
    trace_refuse(reader, reader->word[0], "no action has this name");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

static void begin_trace(struct trace_reader *reader)
{
    const uint64_t fill = reader->trace.fill;

    if (reader->words != 2 || strlen(reader->word[1]) >= TRACE_NAME) {
        trace_refuse(reader, reader->text, "not `trace NAME`, or a name longer than 63");
        return;
    }
    reader->trace = (struct trace){.fill = fill};
    memcpy(reader->trace.name, reader->word[1], strlen(reader->word[1]) + 1);
    reader->in_trace = true;
    reader->traces++;
    reader->listener->plain(reader);
}

/* Splits the line at blanks into the action and, after "->", the result. */
static void split_line(struct trace_reader *reader, char *line)
{
    bool result = false;

    reader->words = reader->expectations = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        if (strcmp(word, "->") == 0) {
            result = true;
        } else if (!result && reader->words < TRACE_WORDS) {
            reader->word[reader->words++] = word;
        } else if (result && reader->expectations < sizeof reader->expected / sizeof reader->expected[0]) {
            reader->expected[reader->expectations++] = word;
        } else {
            trace_refuse(reader, word, "one word too many");
        }
    }
}

static void replay_line(struct trace_reader *reader, char *line)
{
    split_line(reader, line);
    if (reader->unreadable) {
        return;
    }
    if (reader->words == 0) {
        reader->listener->plain(reader);
    } else if (!reader->in_trace) {
        if (strcmp(reader->word[0], "trace") == 0) {
            begin_trace(reader);
        } else {
            trace_refuse(reader, reader->word[0], "outside a trace");
        }
    } else if (strcmp(reader->word[0], "end") == 0) {
        reader->in_trace = false;
        reader->listener->plain(reader);
    } else if (strcmp(reader->word[0], "config") == 0 && reader->trace.unit == NULL) {
        do_config(reader);
    } else if (reader->trace.unit == NULL) {
        trace_refuse(reader, reader->word[0], "before `config`, or `config` a second time");
    } else {
        perform(reader);
    }
}

void trace_reader_init(struct trace_reader *reader, const struct trace_listener *listener, uint64_t fill)
{
    memset(reader, 0, sizeof *reader);
    reader->listener = listener;
    reader->trace.fill = fill;
}

bool trace_reader_line(struct trace_reader *reader, const char *text, size_t length)
{
    char line[TRACE_LINE];

    reader->line++;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
        length--;
    }
    if (length >= sizeof line || memchr(text, '\0', length) != NULL) {
        trace_refuse(reader, "line", "too long, or not text");
        return false;
    }
    memcpy(reader->text, text, length);
    reader->text[length] = '\0';
    if (reader->line == 1) {
        if (strcmp(reader->text, TRACE_FIRST_LINE) != 0) {
            trace_refuse(reader, reader->text, "not the first line `" TRACE_FIRST_LINE "`");
        } else {
            reader->listener->plain(reader);
        }
        return !reader->unreadable;
    }
    memcpy(line, reader->text, length + 1);
    line[strcspn(line, "#")] = '\0';
    replay_line(reader, line);
    return !reader->unreadable;
}

bool trace_reader_end(struct trace_reader *reader)
{
    if (reader->line == 0) {
        trace_refuse(reader, "", "not the first line `" TRACE_FIRST_LINE "`");
    } else if (reader->in_trace) {
        trace_refuse(reader, "end", "the last trace does not have it");
    }
    return !reader->unreadable;
}
