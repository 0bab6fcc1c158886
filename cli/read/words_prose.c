/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts prose into words, numbers, clauses and sentences. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "words.h"

/* Where a text is being cut. */
struct cutter {
    const char *from, *at, *end;
    uint32_t line;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) != 0 || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

/* Adds a token of @length bytes at @text, in lower case.  Returns it, or NULL if there is no room. */
static struct prose_token *add_token(struct prose *p, const char *text, size_t length, uint32_t line)
{
    struct prose_token *t = &p->tokens[p->count];
    char *copy = p->bytes + p->used;

    if (p->count + 1 >= PROSE_TOKENS || length > 200 || p->used + length + 1 > sizeof p->bytes) {
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        copy[i] = (char)tolower((unsigned char)text[i]);
    }
    copy[length] = '\0';
    p->used += length + 1;
    *t = (struct prose_token){.text = copy, .length = (uint16_t)length, .line = line, .sentence = p->sentence,
                              .clause = p->clause};
    p->count++;
    return t;
}

static void end_clause(struct prose *p)
{
    if (p->count != 0 && p->tokens[p->count - 1].clause == p->clause) {
        p->clause++;
    }
}

void words_prose_end(struct prose *p)
{
    end_clause(p);
    if (p->count != 0 && p->tokens[p->count - 1].sentence == p->sentence) {
        p->sentence++;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

/* Returns the length of the word at @at with "n't" and the like left out, which *@negated tells. */
static size_t without_negation(const char *at, size_t length, bool *negated)
{
    static const char *const plain[] = {"dont", "doesnt", "didnt", "cant", "wont", "isnt", "arent", "wasnt", "couldnt",
                                        "hasnt", "havent", "wouldnt", "shouldnt", "werent"};

    *negated = length > 3 && (memcmp(at + length - 3, "n't", 3) == 0 || memcmp(at + length - 3, "N'T", 3) == 0);
    if (*negated) {
        return length - 3;
    }
    if (length > 5 && (memcmp(at + length - 5, "n\xE2\x80\x99t", 5) == 0)) {
        *negated = true;
        return length - 5;
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (strlen(plain[i]) == length && strncasecmp(plain[i], at, length) == 0) {
            *negated = true;
            return length - 2;
        }
    }
    if (length == 6 && strncasecmp(at, "cannot", 6) == 0) {
        *negated = true;
        return 3;
    }
    return length;
}

static bool is_clause_word(const struct prose_token *t)
{
    static const char *const words[] = {"but", "while", "whereas", "although", "though", "however", "because", "yet",
                                        "so", "and"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(t->text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the character at @c goes on with a word: also the "." of PMCR.E and the "'" of doesn't. */
static bool continues_word(const struct cutter *c, const char *from)
{
    if (is_word(*c->at)) {
        return true;
    }
    return c->at > from && c->at + 1 < c->end && (*c->at == '\'' || *c->at == '.') && is_word(c->at[1]) &&
           (*c->at == '\'' || c->at + 2 >= c->end || isalpha((unsigned char)c->at[1]) != 0);
}

/* Adds a token of the word, without the _EL0 of PMCR_EL0.E. */
static struct prose_token *add_word(struct prose *p, const char *from, size_t length, uint32_t line)
{
    const char *dot = memchr(from, '.', length);
    char name[64];

    if (dot != NULL && dot - from > 4 && strncasecmp(dot - 4, "_el0", 4) == 0 && length < sizeof name) {
        const size_t front = (size_t)(dot - from) - 4;

        memcpy(name, from, front);
        memcpy(name + front, dot, length - (size_t)(dot - from));
        return add_token(p, name, length - 4, line);
    }
    return add_token(p, from, length, line);
}

static void cut_word(struct prose *p, struct cutter *c)
{
    const char *from = c->at;
    bool negated;
    size_t length;
    struct prose_token *t;

    while (c->at < c->end && continues_word(c, from)) {
        c->at++;
    }
    if (c->end - c->at >= 5 && strncasecmp(c->at, "-free", 5) == 0 && (c->end - c->at == 5 || !is_word(c->at[5]))) {
        c->at += 5; /* "a sleep-free loop": what it names is not there */
        return;
    }
    length = without_negation(from, (size_t)(c->at - from), &negated);
    if (length == 5 && (strncasecmp(from, "__wfi", 5) == 0 || strncasecmp(from, "__wfe", 5) == 0)) {
        from += 2; /* CMSIS' name of the instruction */
        length -= 2;
    }
    t = add_word(p, from, length, c->line);
    if (t != NULL && is_clause_word(t)) {
        p->count--;
        end_clause(p);
        t->clause = p->clause;
        p->count++;
    }
    if (negated) {
        add_token(p, "not", 3, c->line);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Numbers.
 */

/* Returns true for a digit, or for the x of one that the writer leaves out: "1,199,8xx,xxx". */
static bool is_left_out(char c)
{
    return is_digit(c) || c == 'x';
}

/* Returns true if a group of three digits follows a thousands separator at @at. */
static bool is_group(const char *at, const char *end)
{
    return end - at >= 4 && (*at == ',' || *at == ' ' || *at == '_' || *at == '\'') && is_left_out(at[1]) &&
           is_left_out(at[2]) && is_left_out(at[3]) && (is_digit(at[1]) || *at == ',') &&
           (end - at == 4 || !is_word(at[4]));
}

/* Returns true if a decimal comma and one or two digits are at @at, and a unit behind them: "6,4 s", "1,5 GHz". */
static bool is_decimal_comma(const char *at, const char *end)
{
    static const char *const units[] = {"s", "ms", "us", "ns", "sek", "sekunden", "sekunde", "segundos", "secondes",
                                        "sec", "ghz", "mhz", "khz", "%", "millionen", "milliarden", "millones",
                                        "mio", "mrd", "milliards", "millions"};
    size_t i = 1;

    while (i <= 3 && at + i < end && is_digit(at[i])) {
        i++;
    }
    if (*at != ',' || i < 2 || i > 3) {
        return false;
    }
    i += at + i < end && at[i] == ' ';
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        const size_t n = strlen(units[k]);

        if ((size_t)(end - at) >= i + n && strncasecmp(at + i, units[k], n) == 0 &&
            (at + i + n == end || !is_word(at[i + n]))) {
            return true;
        }
    }
    return false;
}

/* Reads decimal digits with separators and a point.  Returns their value. */
static double cut_decimal(struct cutter *c, double *digits)
{
    double value = 0, unit = 1;
    const char *from = c->at;
    bool point = false;
    unsigned group = 0; /* digits that are left of a group */

    for (; c->at < c->end; c->at++) {
        if (is_digit(*c->at) || (group != 0 && *c->at == 'x')) {
            value = value * 10 + (*c->at == 'x' ? 0 : *c->at - '0');
            unit *= point ? 10 : 1;
            group -= group != 0;
        } else if (!point && c->at - from <= 12 && is_group(c->at, c->end)) {
            group = 3;
            continue;
        } else if (!point && ((*c->at == '.' && c->at + 1 < c->end && is_digit(c->at[1])) ||
                              is_decimal_comma(c->at, c->end))) {
            point = true;
        } else {
            break;
        }
    }
    *digits = (double)(c->at - from);
    return value / unit;
}

/* Returns true if what is counted is named at @at: "G cycles". */
static bool names_counts(const char *at, const char *end)
{
    static const char *const counts[] = {" cycles", " cyc ", " instructions", " insn", " instr ", " events", " counts",
                                         " ticks", " clocks", " loads", " stores", " branches", " misses"};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const size_t length = strlen(counts[i]);

        if ((size_t)(end - at) >= length && strncasecmp(at, counts[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the factor that a word behind a number stands for, and how many characters it takes in *@used; 1: none. */
static double find_scale(const char *at, const char *end, size_t *used)
{
    static const struct {
        const char *word;
        double factor;
    } scales[] = {{"billions", 1e9}, {"billion", 1e9}, {"millions", 1e6}, {"million", 1e6}, {"thousands", 1e3},
                  {"thousand", 1e3}, {"milliard", 1e9}, {"millionen", 1e6}, {"milliarden", 1e9}, {"milliards", 1e9},
                  {"mrd", 1e9}, {"millones", 1e6}, {"mio", 1e6}, {"bn", 1e9}, {"mln", 1e6}, {"k", 1e3},
                  {"m", 1e6}, {"g", 1e9}, {"hundred", 100}};
    size_t blanks = 0;

    while (at + blanks < end && at[blanks] == ' ' && blanks < 2) {
        blanks++;
    }
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        const size_t length = strlen(scales[i].word);

        if ((size_t)(end - at) >= blanks + length && strncasecmp(at + blanks, scales[i].word, length) == 0 &&
            ((size_t)(end - at) == blanks + length || !is_word(at[blanks + length])) &&
            (length > 1 || blanks == 0 || names_counts(at + blanks + length, end))) {
            *used = blanks + length;
            return scales[i].factor;
        }
    }
    *used = 0;
    return 1;
}

/* Returns @value * @base^@exponent. */
static double scale(double value, double base, unsigned long exponent)
{
    while (exponent-- > 0) {
        value *= base;
    }
    return value;
}

/* Reads an exponent: "e6", "^32", "*10^9".  Returns the value. */
static double cut_exponent(struct cutter *c, double value)
{
    char *stop;

    if (c->end - c->at >= 2 && (*c->at == 'e' || *c->at == 'E') && (is_digit(c->at[1]) || c->at[1] == '+')) {
        const unsigned long e = strtoul(c->at + 1 + (c->at[1] == '+'), &stop, 10);

        if (e < 40 && stop <= c->end && (stop == c->end || !is_word(*stop))) {
            c->at = stop;
            return scale(value, 10, e);
        }
    } else if (c->end - c->at >= 2 && (*c->at == '^' || (*c->at == '*' && c->at[1] == '*')) && value <= 100) {
        const char *digits = c->at + (*c->at == '^' ? 1 : 2);

        if (digits < c->end && is_digit(*digits)) {
            const unsigned long e = strtoul(digits, &stop, 10);

            c->at = stop <= c->end ? stop : c->end;
            return e < 300 ? scale(1, value, e) : value;
        }
    }
    return value;
}

/* Returns true if a minus stands before the number at @at: "-3e11", "+/- 3e11". */
static bool has_minus(const char *from, const char *at)
{
    const bool blank = at - from >= 3 && at[-1] == ' ' && at[-2] == '-' && at[-3] == '/';

    return blank || (at > from && at[-1] == '-' && (at - 1 == from || strchr(" =:(/", at[-2]) != NULL));
}

/* Returns true if the number in front is the first one of a range: "0..3". */
static bool begins_range(const struct cutter *c)
{
    return c->end - c->at >= 3 && c->at[0] == '.' && c->at[1] == '.' && is_digit(c->at[2]);
}

/* Returns true if the number from @from to c->at is part of a product or a power: each of "2^32 * 64 / 300e6". */
static bool is_operand(const struct prose *p, const struct cutter *c, const char *from)
{
    const char *before = from, *after = c->at;

    while (before > c->from && before[-1] == ' ') {
        before--;
    }
    while (after < c->end && *after == ' ') {
        after++;
    }
    if (before > c->from && before[-1] == '/' && p->count > 1 && p->tokens[p->count - 2].operand) {
        return true;
    }
    return memchr(from, '^', (size_t)(c->at - from)) != NULL || (before > c->from + 1 && before[-1] == '*') ||
           (c->end - after > 2 && *after == '*' && (is_digit(after[1]) || is_digit(after[2])));
}

/* Returns true if the last word before the token that was added, or before "=", is "cpu". */
static bool follows_cpu(const struct prose *p)
{
    const size_t before = p->count > 2 && words_prose_is(p, p->count - 2, "=/is/of") ? p->count - 3 : p->count - 2;

    return p->count > 1 && words_prose_is(p, before, "cpu");
}

static void cut_number(struct prose *p, struct cutter *c)
{
    const char *from = c->at;
    double value, digits = 0;
    size_t used;
    bool hex = false;
    struct prose_token *t;

    if (c->end - c->at > 2 && c->at[0] == '0' && (c->at[1] | 0x20) == 'x') {
        value = 0;
        for (c->at += 2; c->at < c->end && (isxdigit((unsigned char)*c->at) || *c->at == '_'); c->at++) {
            const int digit = tolower((unsigned char)*c->at);

            value = *c->at == '_' ? value : value * 16 + (is_digit(*c->at) ? digit - '0' : digit - 'a' + 10);
        }
        hex = true;
    } else {
        value = cut_exponent(c, cut_decimal(c, &digits));
        if (c->at < c->end && is_word(*c->at)) {
            const char *stop = c->at;

            find_scale(c->at, c->end, &used);
            while (stop < c->end && is_word(*stop)) {
                stop++;
            }
            if (used == 0 && digits <= 3 && stop - c->at > 2 && !isalpha((unsigned char)*c->at)) {
                c->at = stop; /* a name that begins with digits */
                add_token(p, from, (size_t)(c->at - from), c->line);
                return;
            }
        }
        value *= find_scale(c->at, c->end, &used);
        c->at += used;
    }
    t = add_token(p, from, (size_t)(c->at - from), c->line);
    if (t != NULL) {
        if (has_minus(c->from, from)) {
            value = -value;
            if (value == -1 && follows_cpu(p)) { /* of perf_event_open(): any CPU, and not the second one */
                p->count--;
                add_token(p, "any", 3, c->line);
                return;
            }
        }
        t->index = (from > c->from && from[-1] == '=') || begins_range(c) ||
                   (p->count > 1 &&
                    words_prose_is(p, p->count - 2, "core/cpu/counter/bit/event/channel/index/thread/vcpu/el/on"));
        t->number = true;
        t->operand = is_operand(p, c, from);
        t->hex = hex;
        t->value = value;
    }
}

/* Cuts a number whose digits are a word: "ten billion".  Returns false if there is none. */
static bool cut_spelled(struct prose *p, struct cutter *c)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"one", 1},   {"two", 2},   {"three", 3},   {"four", 4},    {"five", 5},   {"six", 6},   {"seven", 7},
                 {"eight", 8}, {"nine", 9},  {"ten", 10},    {"twelve", 12}, {"twenty", 20}, {"fifty", 50}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i].word);
        size_t used;

        if ((size_t)(c->end - c->at) <= length || strncasecmp(c->at, words[i].word, length) != 0 ||
            is_word(c->at[length])) {
            continue;
        }
        const double factor = find_scale(c->at + length, c->end, &used);
        struct prose_token *t = factor < 1e6 || used < 4 ? NULL : add_token(p, c->at, length + used, c->line);

        if (t == NULL) {
            return false;
        }
        t->number = true;
        t->value = words[i].value * factor;
        c->at += length + used;
        return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Text.
 */

/* Returns true if the character at @c ends a sentence. */
static bool ends_sentence(const struct cutter *c)
{
    const char next = c->at + 1 < c->end ? c->at[1] : ' ';

    return *c->at == '?' || *c->at == '!' || (*c->at == '.' && (next == ' ' || next == '\t' ||
        next == '"' || next == ')'));
}

/* Marks the tokens of the sentence that a question mark ends, if yes or no answers it. */
static void mark_asked(struct prose *p)
{
    size_t first = p->count, verb;

    while (first != 0 && p->tokens[first - 1].sentence == p->sentence) {
        first--;
        if (words_prose_is(p, first, "not/no/never/nothing/none")) {
            return; /* "is it not enabled?" complains */
        }
    }
    verb = first + words_prose_is(p, first, "so/and/or/but/then/also/now/hm");
    if (words_prose_is(p, verb, "is/are/was/were/am/does/do/did/has/have/had/can/could/may/might/must/should/shall/"
                                "will/would")) {
        for (size_t i = first; i < p->count; i++) {
            p->tokens[i].asked = true;
        }
    }
}

/* Returns true if the ~ at @c stands for "about", as in "~80k cycles", and does not invert a mask. */
static bool is_about(const struct cutter *c)
{
    const char *before = c->at;

    while (before > c->from && before[-1] == ' ') {
        before--;
    }
    return c->at + 1 < c->end && is_digit(c->at[1]) && !(c->at + 2 < c->end && c->at[2] == 'x') &&
           (before == c->from || strchr("&|=", before[-1]) == NULL);
}

void words_prose_add(struct prose *p, const char *text, size_t length, uint32_t line)
{
    struct cutter c = {text, text, text + length, line};

    while (c.at < c.end) {
        if (is_digit(*c.at)) {
            cut_number(p, &c);
        } else if (is_word(*c.at)) {
            if (!cut_spelled(p, &c)) {
                cut_word(p, &c);
            }
        } else {
            if (*c.at == '~' && !is_about(&c)) {
                add_token(p, "&~", 2, line); /* clears bits */
            } else if (*c.at == '%' || *c.at == '~') {
                add_token(p, c.at, 1, line);
            } else if (ends_sentence(&c)) {
                if (*c.at == '?') {
                    mark_asked(p);
                }
                words_prose_end(p);
            } else if (*c.at == ',' || *c.at == ';' || *c.at == ':' || *c.at == '(' || *c.at == ')') {
                end_clause(p);
            }
            c.at++;
        }
    }
}
