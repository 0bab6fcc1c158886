/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what Linux and its tools print, line by line. */
#include "linux.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct clue *linux_note(struct linux_input *in, enum clue_kind kind, const char *words, uint64_t first, uint64_t second)
{
    struct clue *c;

    if (in->kinds[kind] >= LINUX_MOST) {
        return NULL;
    }
    in->kinds[kind]++;
    c = reading_clue(in->r, kind, in->number, words);
    c->values[0] = first;
    c->values[1] = second;
    return c;
}

struct clue *linux_clue(struct linux_input *in, enum clue_kind kind, const char *words, uint64_t first, uint64_t second)
{
    text_claim(&in->r->text, in->i, TEXT_LINUX);
    return linux_note(in, kind, words, first, second);
}

/* Returns @line behind a time stamp of the kernel log, "[   12.345678] ", which may have a level or a thread. */
static const char *after_stamp(const char *line)
{
    const char *at = line + text_blanks(line);
    const char *end;

    if (at[0] == '<' && isdigit((unsigned char)at[1])) {
        end = strchr(at, '>');
        at = end != NULL && end - at < 5 ? end + 1 : at;
    }
    if (at[0] != '[') {
        return at;
    }
    end = at + 1 + strspn(at + 1, " 0123456789.T+-:C");
    if (*end == ']' && end > at + 1 && strpbrk(at, "0123456789") < end) {
        at = end + 1;
        at += text_blanks(at);
        if (at[0] == '[' && (at[1] == 'T' || at[1] == 'C')) {
            end = strchr(at, ']');
            at = end != NULL ? end + 1 + text_blanks(end + 1) : at;
        }
    }
    return at;
}

/* Returns @line behind the time that a console's recorder puts before it: "T+00:09 | ", "12:01:44.503 ". */
static const char *after_clock(const char *line)
{
    const char *at = line + text_blanks(line);
    const bool since = (at[0] == 'T' || at[0] == 't') && at[1] == '+';
    const char *digits = at + (since ? 2 : 0);
    const size_t length = strspn(digits, "0123456789:.");
    const char *const colon = memchr(digits, ':', length);
    const char *const second = colon == NULL ? NULL : memchr(colon + 1, ':', (size_t)(digits + length - colon - 1));

    if (colon == NULL || colon == digits || length < 5 || (!since && second == NULL) || digits[length] == '\0' ||
        strchr(" \t|", digits[length]) == NULL) {
        return line;
    }
    at = digits + length + text_blanks(digits + length);
    return at[0] == '|' || at[0] == '>' ? at + 1 + text_blanks(at + 1) : at;
}

/* Returns @line behind what journalctl and syslog put before a message of the kernel, "Nov 02 10:11:12 host kernel: ".
 */
static const char *after_journal(const char *line)
{
    const char *kernel = strstr(line, " kernel: ");

    return kernel != NULL && kernel - line < 80 ? after_stamp(kernel + 9) : line;
}

/* Prepares the patterns' view of the line. */
static void lower_line(struct linux_input *in)
{
    size_t used = 0;

    for (; in->line[used] != '\0' && used + 1 < LINUX_LINE; used++) {
        in->lower[used] = (char)tolower((unsigned char)in->line[used]);
    }
    in->lower[used] = '\0';
    in->pairs = linux_pairs(in->lower);
}

/* The messages that are known: one pattern a row. */
static const struct {
    enum clue_kind kind;
    const char *pattern;
    bool is_log; /* nobody writes it in a sentence */
} message_rows[] = {
#define LINE(id, pattern) {CLUE_linux_##id, pattern, true},
#define NOTE(id, pattern) {CLUE_linux_##id, pattern, false},
#include "linux_lines.def"
};

#define MESSAGES (sizeof message_rows / sizeof message_rows[0])

/* Returns the pairs of the patterns of message_rows. */
static const uint64_t *message_pairs(void)
{
    static uint64_t pairs[MESSAGES];

    for (size_t i = 0; i < MESSAGES && pairs[0] == 0; i++) {
        pairs[MESSAGES - 1 - i] = linux_pairs(message_rows[MESSAGES - 1 - i].pattern);
    }
    return pairs;
}

void linux_read_message(struct linux_input *in)
{
    struct linux_match m;

    for (size_t i = 0; i < MESSAGES; i++) {
        if ((in->pattern_pairs[i] & ~in->pairs) == 0 && in->kinds[message_rows[i].kind] < LINUX_MOST &&
            linux_match(message_rows[i].pattern, in->lower, &m)) {
            linux_note(in, message_rows[i].kind, m.word, m.numbers[0], m.numbers[1]);
            if (message_rows[i].is_log) {
                text_claim(&in->r->text, in->i, TEXT_LINUX);
            }
        }
    }
}

/* Takes a line of the kernel's log.  If it has registers, these are read as registers, and the kernel printed them. */
static void take_stamp(struct linux_input *in)
{
    static const char *const registers[] = {"pmcr",      "pmcnten", "pmccfiltr", "pmevtyper", "pmevcntr",
                                            "pmxev",     "pmovs",   "pmint",     "pmuserenr", "pmccntr",
                                            "pmselr",    "pmceid",  "mdcr_",     "midr_",     "dfr0",
                                            "currentel", "hcr_el2", "pmnc",      "cnten"};

    for (size_t i = 0; in->stamped && i < sizeof registers / sizeof registers[0]; i++) {
        if (linux_find(in, registers[i]) != NULL) {
            reading_learn(&in->r->machine.place, READING_PLACE_KERNEL, in->number);
            return;
        }
    }
    if (in->stamped) {
        text_claim(&in->r->text, in->i, TEXT_LINUX);
    }
}

/* Reads one line that is no command. */
static void read_line(struct linux_input *in)
{
    linux_read_place(in);
    linux_read_file(in);
    linux_read_machine(in);
    linux_read_guest(in);
    linux_read_perf(in);
    linux_read_message(in);
}

/*
 * Returns the count of the lines of a shape if the line, of a large text, may say something.  Returns NULL if it says
 * nothing, or what lines of its shape said before; it is claimed if these were, or if the kernel printed it.
 */
static struct linux_shape *look(struct linux_input *in, const char *text, size_t length)
{
    const bool worth = linux_quick_look(&in->quick, text, length);
    const uint32_t shape = worth ? text_shape(text, length < LINUX_LINE ? length : LINUX_LINE) : 0;
    struct linux_shape *s = &in->shapes[shape % LINUX_SHAPES];

    if (worth && (s->shape != shape || s->count < LINUX_ALIKE)) {
        *s = (struct linux_shape){shape, (uint16_t)(s->shape == shape ? s->count + 1 : 1), false};
        return s;
    }
    if (worth ? s->claimed : length != 0 && after_stamp(text)[0] != '\0' &&
                                 after_stamp(text) > text + text_blanks(text)) {
        text_claim(&in->r->text, in->i, TEXT_LINUX);
    }
    return NULL;
}

/* Reads the line @in->i. */
static void read_any(struct linux_input *in)
{
    const char *text = in->r->text.lines[in->i].text;

    text = after_clock(text);
    in->line = after_stamp(text);
    in->stamped = in->line > text + text_blanks(text); /* a time stamp of the kernel's */
    in->line = after_journal(in->line);
    lower_line(in);
    if (in->lower[0] == '\0') {
        return;
    }
    take_stamp(in);
    if (linux_read_command(in)) {
        in->heeds_all = linux_expects_values(in->command);
        linux_read_names(in);
        linux_read_guest(in);
        linux_read_instance(in);
        if (strchr(in->lower, ';') != NULL) { /* what the writer adds to it */
            linux_read_message(in);
        }
    } else {
        read_line(in);
    }
}

void read_linux(struct reading *r)
{
    struct linux_input *in = cli_allocate(NULL, 1, sizeof *in);

    in->r = r;
    in->pattern_pairs = message_pairs();
    for (size_t read = 0; in->i < r->text.count; in->i++) {
        const struct text_line *line = &r->text.lines[in->i];
        const bool much = read > LINUX_MUCH_BYTES || in->i > LINUX_MUCH_LINES;

        read += line->length;
        in->number = line->number;
        if (much && !in->quick.prepared) {
            linux_quick_prepare(&in->quick);
        }
        if (!much || in->heeds_all) {
            read_any(in);
            continue;
        }
        struct linux_shape *shape = look(in, line->text, line->length);

        if (shape != NULL) {
            read_any(in);
            shape->claimed = text_is_claimed(&r->text, in->i, TEXT_LINUX);
        }
    }
    free(in);
    linux_read_tree(r);
}
