/* SPDX-License-Identifier: BSD-2-Clause */
/* Symptoms that comments of code show as values: two reads that are equal, results of 0, interrupts that were 0. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "code.h"

#define COMMENTS 200 /* comments that are looked at */

/* Returns true if @text, of @length bytes, has @word, in any case. */
static bool has(const char *text, size_t length, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i + n <= length; i++) {
        if (strncasecmp(text + i, word, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the comment says that two names are equal, and always: "begin == end, always". */
static bool shows_equal(const struct code_comment *c)
{
    static const char *const words[] = {"always", "every", "both", "never", "still"};

    for (size_t i = 2; i + 3 < c->length; i++) {
        const char *p = c->text + i;

        if (p[0] != '=' || p[1] != '=' || !isalpha((unsigned char)p[p[2] == ' ' ? 3 : 2]) ||
            !isalnum((unsigned char)p[p[-1] == ' ' ? -2 : -1])) {
            continue;
        }
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            if (has(c->text, c->length, words[w])) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if the comment gives 0 for @name: "time_enabled=0", "isr hits: 0". */
static bool shows_zero(const struct code_comment *c, const char *name)
{
    const size_t n = strlen(name);

    for (size_t i = 0; i + n + 1 < c->length; i++) {
        size_t at = i + n;

        if (strncasecmp(c->text + i, name, n) != 0) {
            continue;
        }
        at += strspn(c->text + at, " =:");
        if (at > i + n && at < c->length && c->text[at] == '0' &&
            (at + 1 >= c->length || (!isalnum((unsigned char)c->text[at + 1]) && c->text[at + 1] != '.'))) {
            return true;
        }
    }
    return false;
}

/* Returns true if the word that ends before offset @at of the comment is @word; @part: if it begins so. */
static bool ends_in(const struct code_comment *c, size_t at, const char *word, bool part)
{
    const size_t n = strlen(word);
    size_t from = at;

    while (from > 0 && !isspace((unsigned char)c->text[from - 1]) && strchr("(,;:=\"", c->text[from - 1]) == NULL) {
        from--;
    }
    return at - from >= n && (part ? has(c->text + from, at - from, word)
                                   : at - from == n && strncasecmp(c->text + from, word, n) == 0);
}

/*
 * Returns the symptom of a result of 0 that the comment shows: "-> 0", "cycles=0", "delta: 0", "n_samples == 0".
 * READING_SYMPTOMS: it shows none.  What sets a counter to 0 is no result.
 */
static enum reading_symptom shows_result(const struct code_comment *c)
{
    static const char *const results[] = {"result", "results", "output", "prints", "printed", "cycles", "cyc", "cycle",
                                          "instructions", "instr", "insns", "insn", "delta", "diff", "dt", "elapsed",
                                          "->", "=>", "-->", "==>", "got", "gives", "shows", "reads", "says", "misses",
                                          "refills", "branches", "enabled/running"};
    static const char *const interrupts[] = {"samples", "irq", "isr", "hits", "interrupts", "fired"};
    static const char *const sets[] = {"reset", "clear",    "start at", "start from", "set to",
                                       "init",  "zero the", "begin",    "preload",    "write"};

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (has(c->text, c->length, sets[i])) {
            return READING_SYMPTOMS;
        }
    }
    for (size_t i = 1; i < c->length; i++) {
        const char next = i + 1 < c->length ? c->text[i + 1] : '\0';
        size_t at = i;

        if (c->text[i] != '0' || isalnum((unsigned char)next) || next == '.' || next == '_' ||
            strchr(" =:\"", c->text[i - 1]) == NULL) {
            continue;
        }
        while (at > 0 && strchr(" =:\"", c->text[at - 1]) != NULL) {
            at--;
        }
        for (size_t k = 0; k < sizeof interrupts / sizeof interrupts[0]; k++) {
            if (memchr(c->text + at, '=', i - at) != NULL && ends_in(c, at, interrupts[k], true)) {
                return READING_no_interrupt;
            }
        }
        for (size_t k = 0; k < sizeof results / sizeof results[0]; k++) {
            if (ends_in(c, at, results[k], false)) {
                return READING_zero;
            }
        }
    }
    return READING_SYMPTOMS;
}

/* Returns true if a count only passes the zero at @at of comment @n: "goes through zero", "starts from zero". */
static bool is_passed(const struct code *code, size_t n, size_t at)
{
    static const char *const ways[] = {"through", "past", "across", "beyond", "around", "over", "from"};
    const struct code_comment *c = &code->comments[n];

    while (at > 0 && strchr(" \t*", c->text[at - 1]) != NULL) {
        at--;
    }
    if (at == 0 && n > 0) { /* each line is a comment of its own */
        c--;
        at = c->length;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (ends_in(c, at, ways[i], false)) {
            return true;
        }
    }
    return false;
}

/* Returns true if the words before @at of a comment are "PMSELR is": what follows is the number of a counter. */
static bool is_selection(const struct code_comment *c, size_t at)
{
    static const char *const names[] = {"PMSELR is", "PMSELR_EL0 is", "PMNXSEL is", "PMSELR", "PMSELR_EL0", "PMNXSEL"};

    while (at > 0 && c->text[at - 1] == ' ') {
        at--;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);

        if (at >= length && strncasecmp(c->text + at - length, names[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if comment @n has @word at the beginning of a word, and does not deny it. */
static bool has_word(const struct code *code, size_t n, const char *word)
{
    const struct code_comment *c = &code->comments[n];
    const size_t length = strlen(word);

    for (size_t i = 0; i + length <= c->length; i++) {
        if (strncasecmp(c->text + i, word, length) == 0 && (i == 0 || !isalnum((unsigned char)c->text[i - 1])) &&
            !text_denies(c->text, i) && !is_selection(c, i) &&
            !(strncmp(word, "zero", 4) == 0 && is_passed(code, n, i))) {
            return true;
        }
    }
    return false;
}

bool code_hints(const struct code *code)
{
    static const char *const words[] = {
        "no progress", "does nothing", "do nothing", "not counting", "not work", "cannot get", "can't get", "zero.",
        "zero!", "all the same", "the same value", "the same number", "times out", "time out", "timed out",
        "until reboot", "no idea", "broken", "? why", "bug:", "equals start", "equals begin", "== 0", "0 on ",
        "0 until", "0 times", "0?", "0 0", "00000000", "it's 0", "its 0", "all 0", "only 0", "still 0", "but 0",
        "stays", "stuck", "never returns", "no effect", "fails", "crash", "hang", "freezes", "look funny",
        "looks funny", "bogus", "make no sense", "makes no sense", "doesn't seem", "does not seem", "don't seem",
        "do not seem", "all over the place", "no matter what", "way off", "far off", "off by", "different numbers",
        "different number each", "different value", "doing wrong", "is wrong", "are wrong", "goes wrong",
        "went wrong", "wrong value", "wrong number", "wrong count", "wrong result", "refuses to", "up as 0",
        "up at 0", "up with 0", "printed as 0", "shown as 0", "gives 0", "get 0", "suspicious", "too good to",
        "not increasing", "not advancing", "not moving", "not increment", "not advance", "not increase", "not tick",
        "garbage", "nonsense", "useless", "crazy", "weird", "strange", "ridiculous", "insane", "implausib",
        "impossible", "unexpected", "inconsistent", "puzzl", "confus", "any idea", "any hint", "any clue",
        "please help", "help me", "no clue", "what is up", "what's up", "why?", "why is", "why are", "why do",
        "why can", "how come", "returns zero", "returns 0", "reads zero", "reads 0", "reads as 0", "reads as zero",
        "is zero", "are zero", "always zero", "always 0", "is always", "are always", "is dead", "does not move",
        "doesn't move", "does not count", "doesn't count", "does not work", "doesn't work", "not counted", "too low",
        "too high", "too small", "too large", "too big", "too few", "too many",
    };

    if (code->facts[CODE_HAS_LICENCE] != 0) {
        return false;
    }
    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if (has_word(code, i, words[k])) {
                return true;
            }
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Counts of cores: "core 0: 18231 / 994120   core 1: 0 / 0", "cpu1 prints 0", "the others: 0".
 */

/* What comments show of the counts of cores. */
struct shown_cores {
    bool some, none; /* a core that counts, and one of which all counts are 0 */
};

/* Returns the end of "core 1", "CPU1:", "hart #2" or "cores 1-3" at @p; NULL if it is something else. */
static const char *skip_core(const char *p, const char *end)
{
    static const char *const words[] = {"core", "cpu", "hart", "pe"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i]);
        const char *at = p + n;

        if ((size_t)(end - p) <= n || strncasecmp(p, words[i], n) != 0) {
            continue;
        }
        at += at < end && (*at | 0x20) == 's';
        while (at < end && strchr(" #_[(", *at) != NULL) {
            at++;
        }
        if (at >= end || !isdigit((unsigned char)*at)) {
            continue;
        }
        while (at < end && (isdigit((unsigned char)*at) || (strchr("-.,&", *at) != NULL && at + 1 < end &&
                                                             (isdigit((unsigned char)at[1]) || at[1] == '.')))) {
            at++;
        }
        return at;
    }
    return NULL;
}

/* Returns the end of "others", "other cores" or "boot core" at @p; NULL if it is something else. */
static const char *skip_named(const char *p, const char *end)
{
    static const char *const words[] = {"other cores", "other cpus", "other harts", "other three", "others",
                                        "secondary cores", "secondaries", "remaining cores", "the rest",
                                        "other core", "other cpu", "second core", "boot core", "boot cpu", "first core",
                                        "first hart", "boot hart", "primary core", "main core", "primary cpu"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i]);

        if ((size_t)(end - p) > n && strncasecmp(p, words[i], n) == 0 && !isalnum((unsigned char)p[n])) {
            return p + n;
        }
    }
    return NULL;
}

/* Skips what may stand between a core and its counts: marks and at most two verbs. */
static const char *skip_link(const char *p, const char *end)
{
    static const char *const verbs[] = {"prints", "print", "shows", "show", "reads", "read", "gives", "give", "gets",
                                        "get", "has", "have", "says", "say", "counts", "count", "returns", "return",
                                        "always", "only", "all", "cycles", "delta", "just", "report", "reports"};

    for (bool more = true; more;) {
        more = false;
        while (p < end && strchr(" \t:=->])|\"", *p) != NULL) {
            p++;
        }
        for (size_t i = 0; i < sizeof verbs / sizeof verbs[0] && !more; i++) {
            const size_t n = strlen(verbs[i]);

            more = (size_t)(end - p) > n && strncasecmp(p, verbs[i], n) == 0 && !isalnum((unsigned char)p[n]);
            p += more ? n : 0;
        }
    }
    return p;
}

/* Takes the counts at @p, "18231 / 994120", of one core.  Returns their end. */
static const char *take_counts(const char *p, const char *end, struct shown_cores *shown)
{
    unsigned zeros = 0, counts = 0;

    while (p < end && isdigit((unsigned char)*p)) {
        const char *digits = p;
        unsigned length = 0;

        while (p < end && (isdigit((unsigned char)*p) || (strchr(",'_", *p) != NULL && end - p > 3 &&
                                                           isdigit((unsigned char)p[1])))) {
            length += isdigit((unsigned char)*p++) != 0;
        }
        if (p < end && (isalpha((unsigned char)*p) || (*p == '.' && p + 1 < end && isdigit((unsigned char)p[1])))) {
            return p; /* "0x80", "1.4 GHz" */
        }
        zeros += length == 1 && *digits == '0';
        counts += length >= 3;
        while (p < end && strchr(" /|;,", *p) != NULL) {
            p++;
        }
        if (end - p > 3 && (strncasecmp(p, "MHz", 3) == 0 || strncasecmp(p, "KB", 2) == 0 ||
                            strncasecmp(p, "bytes", 5) == 0 || strncasecmp(p, "ms", 2) == 0)) {
            return p;
        }
    }
    shown->some |= counts != 0;
    shown->none |= zeros != 0 && counts == 0;
    return p;
}

/* Returns true if the comment speaks of cores. */
static bool says_core(const struct code_comment *c)
{
    return has(c->text, c->length, "core") || has(c->text, c->length, "cpu") || has(c->text, c->length, "hart");
}

/* Takes "[0] 18231 [1] 0" of a comment that speaks of cores, or stands below one that does. */
static void take_numbered(const struct code_comment *c, struct shown_cores *shown)
{
    const char *end = c->text + c->length;

    for (const char *p = c->text; p + 3 < end; p++) {
        if (p[0] == '[' && isdigit((unsigned char)p[1]) && p[2] == ']' &&
            (p == c->text || !isalnum((unsigned char)p[-1]))) {
            const char *counts = skip_link(p + 3, end);

            take_counts(counts, end, shown);
        }
    }
}

/* Returns true if comments give counts of cores, of which some are 0 and some are not. */
static bool shows_one_core(const struct code *code)
{
    struct shown_cores shown = {false, false};
    bool numbered = false;

    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &code->comments[i];
        const char *end = c->text + c->length;

        for (const char *p = c->text; p < end;) {
            const bool begins = p == c->text || !isalnum((unsigned char)p[-1]);
            const char *core = begins ? skip_core(p, end) : NULL;

            core = core == NULL && begins ? skip_named(p, end) : core;
            p = core != NULL ? take_counts(skip_link(core, end), end, &shown) : p + 1;
        }
        numbered = says_core(c) || (numbered && i > 0 && c->line - c[-1].line == 1);
        if (numbered) {
            take_numbered(c, &shown);
        }
    }
    return shown.some && shown.none;
}

unsigned code_shown(const struct code *code)
{
    static const struct {
        const char *name;
        enum reading_symptom symptom;
    } names[] = {
        {"time_enabled", READING_zero}, {"time_running", READING_zero},      {"hits", READING_no_interrupt},
        {"irqs", READING_no_interrupt}, {"isr count", READING_no_interrupt}, {"isr calls", READING_no_interrupt},
        {"interrupts", READING_no_interrupt}, {"called", READING_no_interrupt}, {"isr runs", READING_no_interrupt},
    };
    unsigned symptoms = shows_one_core(code) ? 1u << READING_one_cpu : 0;

    for (size_t i = 0; i < code->comment_count && i < COMMENTS; i++) {
        const struct code_comment *c = &code->comments[i];

        const enum reading_symptom result = shows_result(c);

        symptoms |= shows_equal(c) ? 1u << READING_stuck : 0;
        symptoms |= result != READING_SYMPTOMS ? 1u << result : 0;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            symptoms |= shows_zero(c, names[k].name) ? 1u << names[k].symptom : 0;
        }
    }
    return symptoms;
}
