/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses texts.  One scanner reads all line formats: a name, separators, a number.
 *
 *     PMCR_EL0=0x41023001            PMCR: 0x41023001            PMCR_EL0   0x41023001   1090662401
 *     (81) pmcr_el0 (/64): 0x0000000041023001                    PMCR  41023001
 *     p15, 0, c9, c12, 0 = 0x41023001                            S3_3_C9_C12_0 0x41023001
 *
 * Lines of memory dumps go to memory.c, JSON to json.c, traces to replay.c.  A name without a number is ignored, as it
 * may be part of a sentence.  A # at the beginning of a word begins a comment.
 */
#include <string.h>

#include "internal.h"

/* A scan of one line. */
struct scanner {
    struct state *s;
    const char *text;  /* the line */
    size_t length, at; /* its characters, and the index of the current one */
    uint32_t line;     /* its number, from 1 */
};

/* Returns the character @ahead of the current one, or '\0' beyond the end of the line. */
static char peek(const struct scanner *c, size_t ahead)
{
    return c->at + ahead < c->length ? c->text[c->at + ahead] : '\0';
}

static void skip_blanks(struct scanner *c)
{
    while (peek(c, 0) == ' ' || peek(c, 0) == '\t') {
        c->at++;
    }
}

/* Skips a group of at most 24 characters such as "(/64)" or "[63:0]", and the blanks after it. */
static void skip_group(struct scanner *c, char open, char close)
{
    if (peek(c, 0) == open) {
        for (size_t i = 1; i < 24 && c->at + i < c->length; i++) {
            if (c->text[c->at + i] == close) {
                c->at += i + 1;
                skip_blanks(c);
                return;
            }
        }
    }
}

/* Skips what may stand between a name and its number.  Returns true if it has one of = : | , or ->. */
static bool skip_separators(struct scanner *c)
{
    bool assigns = false;

    if (peek(c, 0) == '"' || peek(c, 0) == '\'') {
        c->at++;
    }
    skip_blanks(c);
    skip_group(c, '(', ')');
    skip_group(c, '[', ']');
    for (;;) {
        const char next = peek(c, 0);

        if (next == '=' || next == ':' || next == '|' || (next == ',' && !assigns)) {
            assigns = true;
            c->at++;
        } else if (next == '-' && peek(c, 1) == '>') {
            assigns = true;
            c->at += 2;
        } else {
            break;
        }
        skip_blanks(c);
    }
    if (peek(c, 0) == '"' || peek(c, 0) == '\'') {
        c->at++;
    }
    return assigns;
}

/* Recognizes general registers, which every dump of a CPU has: x0, w30, r15, v31, q0, d0, s0, sp, pc, fpsr, fpcr. */
static bool is_general(const char *name, size_t length)
{
    static const char *const words[] = {"sp", "pc", "lr", "fp", "fpsr", "fpcr", "fpscr", "xpsr"};
    bool general = length >= 2 && length <= 3 && memchr("xwrvqdshbz", name[0] | 0x20, 10) != NULL;

    for (size_t i = 1; i < length; i++) {
        general &= name[i] >= '0' && name[i] <= '9';
    }
    for (size_t i = 0; !general && i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length) {
            general = true;
            for (size_t k = 0; k < length; k++) {
                general &= (name[k] | 0x20) == words[i][k];
            }
        }
    }
    return general;
}

/* Returns why text of @kind is not a register's value. */
static const char *wrong_number(enum state_number_kind kind)
{
    switch (kind) {
    case STATE_TOO_LARGE:
        return "it has more than 64 bits";
    case STATE_AMBIGUOUS:
        return "is it hexadecimal? write it with 0x";
    default:
        return "its value is not a number";
    }
}

/* Takes the register whose name begins here, with the number after it. */
static void take_pair(struct scanner *c)
{
    const char *name = c->text + c->at;
    const size_t left = c->length - c->at;
    size_t length = 0, used;
    struct names_place place;
    bool known;
    uint64_t value;

    while (length < left && state_is_word(name[length])) {
        length++;
    }
    used = names_by_operands(name, left, &place);
    known = used > 0;
    if (known) {
        length = used;
    } else {
        known = names_by_name(name, length, &place) || names_by_generic(name, length, &place);
    }
    c->at += length;
    const bool assigns = skip_separators(c);
    const bool prefixed = peek(c, 0) == '0' && (peek(c, 1) | 0x20) == 'x';
    const enum state_number_kind kind = state_number(c->text + c->at, c->length - c->at, &value, &used);

    if (!known) {
        if (kind == STATE_NUMBER && (assigns || prefixed) && !is_general(name, length)) {
            state_remark(c->s, STATE_UNKNOWN_NAME, c->line, name, length, "");
        }
        c->at += kind == STATE_NUMBER ? used : 0;
        return;
    }
    if (kind != STATE_NUMBER) {
        if (assigns || prefixed) {
            state_remark(c->s, STATE_BAD_VALUE, c->line, name, length, wrong_number(kind));
        }
        return;
    }
    c->at += used;
    state_take(c->s, &place, value, c->line, name, length);
}

/* Returns true if a comment begins here: "#" at the beginning of the line or after a blank. */
static bool is_comment(const struct scanner *c)
{
    return peek(c, 0) == '#' && (c->at == 0 || c->text[c->at - 1] == ' ' || c->text[c->at - 1] == '\t');
}

/* Takes the registers of one line. */
static void scan_line(struct scanner *c)
{
    while (c->at < c->length && !is_comment(c)) {
        const char next = peek(c, 0);

        if ((next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z')) {
            take_pair(c);
        } else if (state_is_word(next)) { /* skip a number, and the letters that follow it */
            while (state_is_word(peek(c, 0))) {
                c->at++;
            }
        } else {
            c->at++;
        }
    }
}

/* Takes the registers of a text, line by line.  Lines of a memory dump go to memory.c. */
static void scan(struct state *s, const char *text, size_t length, const struct state_frame *frame)
{
    struct state_memory memory;
    uint32_t line = 1;

    state_memory_init(&memory);
    for (size_t at = 0; at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t here = (end != NULL ? (size_t)(end - text) : length) - at;
        struct scanner c = {.s = s, .text = text + at, .length = here, .line = line};

        state_moment(s, c.text, c.length);
        if (!state_memory_line(&memory, s, c.text, c.length, line, frame)) {
            scan_line(&c);
        }
        at += here + 1;
    }
    state_memory_finish(&memory, s, frame);
}

bool state_is_whole(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && memchr(" \t\r\n", text[at], 4) != NULL) {
        at++;
    }
    if (at < length && text[at] == '{') {
        for (at++; at < length && memchr(" \t\r\n", text[at], 4) != NULL; at++) {
        }
        return at < length && text[at] == '"';
    }
    return state_is_trace(text, length);
}

unsigned state_parse(struct state *s, const char *text, size_t length, const struct state_frame *frame)
{
    const unsigned before = s->facts;
    size_t at = 0;
    struct state_json_error error;

    while (at < length && memchr(" \t\r\n", text[at], 4) != NULL) {
        at++;
    }
    const bool braced = at < length && (text[at] == '{' || text[at] == '[');

    if (state_is_trace(text, length)) {
        state_parse_trace(s, text, length);
        return s->facts - before;
    }
    if (braced && state_parse_json(s, text, length, &error)) {
        return s->facts - before;
    }
    scan(s, text, length, frame);
    if (braced && s->facts == before) { /* a log may begin with [ too, but it has facts */
        state_remark(s, STATE_BAD_FORMAT, error.line, error.text, strlen(error.text), "it begins as JSON and is not");
    }
    return s->facts - before;
}
