/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes lines of a pasted text. */
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../cli.h"
#include "plain.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Encodings.
 */

/* Appends the code point @c to @out as UTF-8.  Returns how many bytes it takes, 1 to 4. */
static size_t put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/* The order of the bytes of UTF-16. */
enum utf16 { NOT_UTF16, LITTLE_ENDIAN, BIG_ENDIAN };

/* Tells UTF-16 by its byte order mark, or by the zero bytes of ASCII characters at the beginning. */
static enum utf16 find_utf16(const unsigned char *in, size_t length)
{
    size_t even = 0, odd = 0, n = length < 64 ? length & ~(size_t)1 : 64;

    if (length >= 2 && in[0] == 0xFF && in[1] == 0xFE) {
        return LITTLE_ENDIAN;
    }
    if (length >= 2 && in[0] == 0xFE && in[1] == 0xFF) {
        return BIG_ENDIAN;
    }
    for (size_t i = 0; i < n; i += 2) {
        even += in[i] == 0;
        odd += in[i + 1] == 0;
    }
    if (n >= 8 && odd > n / 4 && even == 0) {
        return LITTLE_ENDIAN;
    }
    return n >= 8 && even > n / 4 && odd == 0 ? BIG_ENDIAN : NOT_UTF16;
}

/* Returns 16-bit unit @i of @in. */
static uint32_t unit_at(const unsigned char *in, size_t i, enum utf16 order)
{
    const unsigned low = in[2 * i + (order == BIG_ENDIAN)], high = in[2 * i + (order != BIG_ENDIAN)];

    return low | high << 8;
}

/* Writes @in, UTF-16 in @order, to @out as UTF-8.  @out has room for 3 bytes a unit.  Returns the bytes written. */
static size_t from_utf16(char *out, const unsigned char *in, size_t length, enum utf16 order)
{
    size_t used = 0;

    for (size_t i = 0; i < length / 2; i++) {
        uint32_t c = unit_at(in, i, order);

        if (c >= 0xD800 && c < 0xDC00 && i + 1 < length / 2) {
            const uint32_t low = unit_at(in, i + 1, order);

            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c & 0x3FF) << 10) + (low & 0x3FF);
                i++;
            }
        }
        used += put_utf8(out + used, c);
    }
    return used;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Marks of the way that a text took.
 */

/* Returns how many bytes of terminal control sequence begin at @at: "\033[1;31m". */
static size_t escape_length(const char *at, const char *end)
{
    const char *p = at;

    if (end - p < 2 || p[0] != '\033' || p[1] != '[') {
        return 0;
    }
    for (p += 2; p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x40; p++) {
    }
    return p < end ? (size_t)(p - at) + 1 : 0;
}

/*
 * Writes the line from @at to @end to @out without marks, and returns its length.  @mail says that lines begin with
 * "> ".  A control character becomes a blank, except a tab, and a no-break space becomes a space.
 */
static size_t clean_line(char *out, const char *at, const char *end, bool mail)
{
    size_t used = 0;

    while (mail && at < end && *at == '>') {
        at++;
        at += at < end && *at == ' ';
    }
    for (; at < end; at++) {
        const unsigned char c = (unsigned char)*at;
        const size_t escape = escape_length(at, end);

        if (escape != 0) {
            at += escape - 1;
        } else if (c == 0xC2 && at + 1 < end && (unsigned char)at[1] == 0xA0) {
            out[used++] = ' ';
            at++;
        } else {
            out[used++] = (char)((c < 0x20 && c != '\t') || c == 0x7F ? ' ' : c);
        }
    }
    while (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '\t')) {
        used--;
    }
    out[used] = '\0';
    return used;
}

/* Returns true if most lines that are not empty begin with ">", as in the answer to a mail. */
static bool is_quoted(const char *bytes, size_t length)
{
    size_t quoted = 0, lines = 0;

    for (const char *at = bytes, *end = bytes + length; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));

        if (*at != '\n' && *at != '\r') {
            lines++;
            quoted += *at == '>';
        }
        at = next == NULL ? end : next + 1;
    }
    return quoted * 2 > lines && quoted > 0;
}

/* Returns true if the line is a fence of Markdown: three backquotes or tildes, and perhaps a word. */
static bool is_fence(const char *line)
{
    const char *p = line + strspn(line, " ");
    const size_t marks = strspn(p, "`");
    const size_t tildes = strspn(p, "~");

    return (marks >= 3 || tildes >= 3) && strlen(p) < 24;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

static size_t count_lines(const char *bytes, size_t length)
{
    size_t count = 1;

    for (size_t i = 0; i < length; i++) {
        count += bytes[i] == '\n' || bytes[i] == '\r';
    }
    return count;
}

/* Cuts @bytes into the lines of @t.  CR, LF and CR LF end a line. */
static void cut(struct text *t, const char *bytes, size_t length)
{
    const bool mail = is_quoted(bytes, length);
    const char *at = bytes, *end = bytes + length;
    char *out = t->bytes;
    struct plain_text plain = {0};
    uint32_t number = 0;

    while (at < end) {
        const char *stop = at;
        struct text_line *line = &t->lines[t->count];

        while (stop < end && *stop != '\n' && *stop != '\r') {
            stop++;
        }
        *line = (struct text_line){.text = out, .number = ++number};
        line->length = plain_line(&plain, out, clean_line(out, at, stop, mail));
        if (!is_fence(out)) {
            out += line->length + 1;
            t->count++;
        }
        at = stop + 1 < end && stop[0] == '\r' && stop[1] == '\n' ? stop + 2 : stop + 1;
    }
    t->length = (size_t)(out - t->bytes);
}

void text_init(struct text *t, const char *input, size_t length)
{
    const enum utf16 order = find_utf16((const unsigned char *)input, length);
    char *bytes = cli_allocate(NULL, order != NOT_UTF16 ? length / 2 * 3 + 4 : length + 1, 1);
    const char *from = bytes;

    memset(t, 0, sizeof *t);
    if (order != NOT_UTF16) {
        length = from_utf16(bytes, (const unsigned char *)input, length, order);
    } else if (length != 0) {
        memcpy(bytes, input, length);
    }
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        from += 3;
        length -= 3;
    }
    const size_t lines = count_lines(from, length);

    t->lines = cli_allocate(NULL, lines, sizeof *t->lines);
    t->bytes = cli_allocate(NULL, length + 2 + lines * PLAIN_GROWTH, 1);
    cut(t, from, length);
    free(bytes);
    t->joined = cli_allocate(NULL, t->length + 1, 1);
    memcpy(t->joined, t->bytes, t->length);
    for (size_t i = 0; i < t->count; i++) {
        t->joined[t->lines[i].text - t->bytes + (ptrdiff_t)t->lines[i].length] = '\n';
    }
    t->joined[t->length] = '\0';
}

void text_free(struct text *t)
{
    free(t->lines);
    free(t->bytes);
    free(t->joined);
    memset(t, 0, sizeof *t);
}

bool text_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Prepares @w for searches. */
static void make_words(struct text_words *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const unsigned char first = (unsigned char)w->words[i][0], second = (unsigned char)w->words[i][1];

        w->first[tolower(first)] |= UINT64_C(1) << i;
        w->first[toupper(first)] |= UINT64_C(1) << i;
        w->second[tolower(second)] |= UINT64_C(1) << i;
        w->second[toupper(second)] |= UINT64_C(1) << i;
    }
    w->made = true;
}

const char *text_search(struct text_words *w, const char *text, size_t *found)
{
    if (!w->made) {
        make_words(w);
    }
    for (; *text != '\0'; text++) {
        uint64_t left = w->first[(unsigned char)text[0]] & w->second[(unsigned char)text[1]];

        for (; left != 0; left &= left - 1) {
            const size_t i = (size_t)__builtin_ctzll(left);

            if (strncasecmp(text + 2, w->words[i] + 2, strlen(w->words[i] + 2)) == 0) {
                *found = i;
                return text;
            }
        }
    }
    return NULL;
}

uint64_t text_search_all(struct text_words *w, const char *text, bool whole)
{
    uint64_t found = 0;

    if (!w->made) {
        make_words(w);
    }
    for (const char *at = text; *at != '\0'; at++) {
        uint64_t left = w->first[(unsigned char)at[0]] & w->second[(unsigned char)at[1]] & ~found;

        for (; left != 0; left &= left - 1) {
            const size_t i = (size_t)__builtin_ctzll(left), length = strlen(w->words[i]);

            if (strncasecmp(at + 2, w->words[i] + 2, length - 2) == 0 &&
                (!whole || ((at == text || !text_is_word(at[-1])) && !text_is_word(at[length])))) {
                found |= UINT64_C(1) << i;
            }
        }
    }
    return found;
}

/* Returns the length of the word at @text that is a number, with or without 0x; 0 if it is none. */
static size_t number_length(const char *text, size_t length)
{
    size_t i = length > 1 && text[0] == '0' && (text[1] | 0x20) == 'x' ? 2 : 0;
    bool digit = i != 0;

    for (; i < length && text_is_word(text[i]); i++) {
        const char lower = (char)(text[i] | 0x20);

        digit |= text[i] >= '0' && text[i] <= '9';
        if (!(text[i] >= '0' && text[i] <= '9') && !(lower >= 'a' && lower <= 'f')) {
            return 0;
        }
    }
    return digit ? i : 0;
}

uint32_t text_shape(const char *text, size_t length)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < length;) {
        const bool begins = i == 0 || !text_is_word(text[i - 1]);
        size_t used = begins && isxdigit((unsigned char)text[i]) ? number_length(text + i, length - i) : 0;

        while (used < length - i && text[i + used] >= '0' && text[i + used] <= '9') { /* of x0, of cpu12 */
            used++;
        }
        hash = (hash ^ (used != 0 ? '0' : (unsigned char)text[i])) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
        i += used != 0 ? used : 1;
    }
    return (uint32_t)(hash ^ hash >> 29);
}

void text_claim(struct text *t, size_t i, enum text_reader reader)
{
    t->lines[i].claimed |= (uint8_t)(1u << reader);
}

bool text_is_claimed(const struct text *t, size_t i, enum text_reader reader)
{
    return (t->lines[i].claimed >> reader & 1) != 0;
}

void text_claims(const struct text *t, size_t claims[TEXT_READERS])
{
    memset(claims, 0, TEXT_READERS * sizeof *claims);
    for (size_t i = 0; i < t->count; i++) {
        for (unsigned reader = 0; t->lines[i].claimed >> reader != 0; reader++) {
            claims[reader] += t->lines[i].claimed >> reader & 1;
        }
    }
}

size_t text_find(const struct text *t, uint32_t number)
{
    size_t low = 0, high = t->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (t->lines[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words that a text denies.
 */

#define NEAR 3 /* so many words before a word may deny it */

static bool is_negation(const char *word, size_t length)
{
    static const char *const words[] = {"not", "no", "never", "without", "nobody", "isn", "cannot"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0) {
            return true;
        }
    }
    return length > 2 && strncasecmp(word + length - 2, "'t", 2) == 0;
}

bool text_denies(const char *text, size_t at)
{
    for (unsigned words = 0; words < NEAR; words++) {
        size_t end = at;

        while (end > 0 && text[end - 1] == ' ') {
            end--;
        }
        at = end;
        while (at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '\'' || text[at - 1] == '_')) {
            at--;
        }
        if (at == end) {
            return false; /* the clause, or the line, begins here */
        }
        if (is_negation(text + at, end - at)) {
            return true;
        }
    }
    return false;
}
