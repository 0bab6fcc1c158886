/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known inputs that are similar: which answers belong to the words of an input, by the table of similar.def.  The
 * arithmetic is naive Bayes: each word speaks for an answer by the share of the answer's cases that have it, over its
 * share of all cases.  All numbers are whole ones, so the answer is the same on each machine.
 */
#include "similar.h"

#include <stdlib.h>
#include <string.h>

#include "rules.h"

#define BIT 1024 /* the unit of logarithms of base 2 */
/*
 * Each answer is given SMOOTHING / 10 cases more, which have each word as often as all cases do.  The words of an input
 * depend on each other, so the sum over n words is divided by sqrt(n + FEW): a short text proves less.
 */
#define SMOOTHING 12
#define FEW       20
#define NAMES_AT  60 /* percent from which an answer is named behind what is not known */
#define EVIDENCE  4  /* words that are quoted at most */
/* What a word must say to be quoted: the cases of the answer have it six times as often as all. */
#define QUOTED_AT (5 * BIT / 2)

static const struct similar_row {
    const char *word;
    unsigned cases;
    const char *answers;
} rows[] = {
#define SIMILAR(word, cases, answers) {word, cases, answers},
#include "similar.def"
};

enum {
    ROWS = sizeof rows / sizeof rows[0],
#define SIMILAR_CASES(cases) CASES = (cases)
#include "similar.def"
};

/* An answer, and what speaks for it. */
struct similar_answer {
    unsigned number; /* as in similar.def */
    unsigned cases;
    int score;       /* in BIT: a logarithm of its probability, less that of something all answers share */
    unsigned percent;
    struct similar_evidence {
        int weight;
        const char *from; /* NULL: none */
        size_t length;
    } evidence[EVIDENCE]; /* the words that say the most */
};

static const struct {
    unsigned number, cases;
} known[] = {
#define SIMILAR_ANSWER(number, cases) {number, cases},
#include "similar.def"
};

enum { ANSWERS = sizeof known / sizeof known[0] };

/* Returns the logarithm of base 2 of @x, which is not 0, in BIT. */
static int logarithm(uint64_t x)
{
    unsigned top = 0;
    int result;

    for (uint64_t y = x; y > 1; y >>= 1) {
        top++;
    }
    result = (int)top * BIT;
    x = top > 31 ? x >> (top - 31) : x << (31 - top); /* 1 to 2, with 31 bits behind the point */
    for (int bit = BIT / 2; bit > 0; bit /= 2) {
        x = x * x >> 31;
        if (x >> 32 != 0) {
            result += bit;
            x >>= 1;
        }
    }
    return result;
}

/* Returns 2 to the power of -@x / BIT, times 65536.  Between whole powers it is a line. */
static unsigned power(unsigned x)
{
    return x / BIT > 20 ? 0 : (65536 - x % BIT * 32) >> x / BIT;
}

/* Returns what a word says for @a, which is in @with of its cases and in @cases of all. */
static int weight(const struct similar_answer *a, unsigned with, unsigned cases)
{
    return logarithm((uint64_t)10 * with * CASES / cases + SMOOTHING) -
           logarithm((uint64_t)10 * a->cases + SMOOTHING);
}

/* Returns what a word says for @a that is in none of its cases. */
static int weight_of_lack(const struct similar_answer *a)
{
    return weight(a, 0, 1);
}

static int compare_row(const void *word, const void *row)
{
    return strcmp(word, ((const struct similar_row *)row)->word);
}

/* Keeps a word among those that say the most for @a.  A part of a name is not kept beside the name. */
static void keep_evidence(struct similar_answer *a, struct similar_evidence e)
{
    for (size_t i = 0; i < EVIDENCE; i++) {
        if (a->evidence[i].from != NULL && e.from >= a->evidence[i].from &&
            e.from < a->evidence[i].from + a->evidence[i].length) {
            return;
        }
        if (a->evidence[i].from == NULL || e.weight > a->evidence[i].weight) {
            const struct similar_evidence less = a->evidence[i];

            a->evidence[i] = e;
            e = less;
        }
    }
}

/* Adds what the word of @row, which stands @from there, says for each answer. */
static void add_row(struct similar_answer answers[ANSWERS], const struct similar_row *row, const char *from,
                    size_t length)
{
    const char *p = row->answers;
    size_t i = 0;

    while (*p != '\0') {
        char *end;
        const unsigned number = (unsigned)strtoul(p, &end, 10), with = (unsigned)strtoul(end + 1, &end, 10);

        while (answers[i].number != number) {
            i++;
        }
        const int says = weight(&answers[i], with, row->cases);

        answers[i].score += says - weight_of_lack(&answers[i]);
        if (says >= QUOTED_AT && with >= 2) {
            keep_evidence(&answers[i], (struct similar_evidence){says, from, length});
        }
        p = end;
    }
}

/* Adds the words of @text that were not @seen.  Returns how many. */
static unsigned add_text(struct similar_answer answers[ANSWERS], const char *text, size_t length, bool seen[ROWS])
{
    struct similar_place place = {text, text + (length < SIMILAR_TEXT ? length : SIMILAR_TEXT), NULL, NULL};
    char word[SIMILAR_WORD];
    unsigned count = 0;
    const char *from;

    while (similar_word(&place, word, &from, &length)) {
        const struct similar_row *row = bsearch(word, rows, ROWS, sizeof rows[0], compare_row);

        if (row != NULL && !seen[row - rows]) {
            seen[row - rows] = true;
            count++;
            add_row(answers, row, from, length);
        }
    }
    return count;
}

static int compare_answers(const void *a, const void *b)
{
    const struct similar_answer *x = a, *y = b;

    return x->score != y->score ? (x->score > y->score ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

/* Makes percents of the scores, which @words gave, and sorts the answers by them. */
static void weigh(struct similar_answer answers[ANSWERS], unsigned words)
{
    unsigned root = 1, sum = 0;

    while ((root + 1) * (root + 1) <= 256 * (words + FEW)) { /* 16 times the square root */
        root++;
    }
    for (size_t i = 0; i < ANSWERS; i++) {
        struct similar_answer *a = &answers[i];

        a->score += (int)words * weight_of_lack(a); /* add_row() took it off again for the words that it has */
        a->score = (logarithm(a->cases) + a->score * 16 / (int)root) * 3 / 2;
    }
    qsort(answers, ANSWERS, sizeof *answers, compare_answers);
    for (size_t i = 0; i < ANSWERS; i++) {
        answers[i].percent = power((unsigned)(answers[0].score - answers[i].score));
        sum += answers[i].percent;
    }
    for (size_t i = 0; i < ANSWERS; i++) {
        answers[i].percent = answers[i].percent * 100 / sum;
    }
}

/* Returns the id of the cause with this number, or WHY_CAUSE_IDS. */
static enum why_cause_id cause_of(unsigned number)
{
    size_t i = 0;

    while (i < WHY_CAUSE_IDS && why_causes[i].number != number) {
        i++;
    }
    return (enum why_cause_id)i;
}

/* Adds @a as possible, with the words that speak for it, unless it is known already or cannot be named. */
static void name(struct suspects *all, const struct reading *r, const struct similar_answer *a)
{
    const enum why_cause_id cause = cause_of(a->number);
    const char *const from = a->evidence[0].from;
    char because[400] = "known inputs with this cause have the same words:";
    uint32_t line = 0;

    /* An erratum is one core's, which no likeness of words shows. */
    if (cause == WHY_CAUSE_IDS || cause == WHY_core_erratum || suspect_is_cleared(all, cause) ||
        a->evidence[1].from == NULL || suspect_find(all, cause) != NULL) {
        return;
    }
    for (size_t i = 0; i < EVIDENCE && a->evidence[i].from != NULL; i++) {
        why_append(because, sizeof because, "%s \"%.*s\"", i == 0 ? "" : ",", (int)a->evidence[i].length,
                   a->evidence[i].from);
    }
    if (r->text.joined != NULL && from >= r->text.joined && from < r->text.joined + r->text.length) {
        for (size_t i = 0; i < r->text.count; i++) {
            line = r->text.joined + (r->text.lines[i].text - r->text.lines[0].text) <= from ? r->text.lines[i].number
                                                                                           : line;
        }
    }
    suspect_add(all, cause, SUSPECT_POSSIBLE, line, because, NULL)->weight = 0;
}

void similar_causes(struct suspects *all, const struct reading *r, size_t most)
{
    struct similar_answer *const answers = cli_allocate(NULL, ANSWERS, sizeof *answers);
    bool *const seen = cli_allocate(NULL, ROWS, sizeof *seen);
    unsigned words = 0;

    for (size_t i = 0; i < ANSWERS; i++) {
        answers[i] = (struct similar_answer){.number = known[i].number, .cases = known[i].cases};
    }
    words += add_text(answers, r->text.joined, r->text.length, seen);
    words += r->said != NULL && !r->sentence ? add_text(answers, r->said, strlen(r->said), seen) : 0;
    weigh(answers, words);
    for (size_t i = 0; i < ANSWERS && answers[i].percent >= NAMES_AT && all->count < most; i++) {
        name(all, r, &answers[i]);
    }
    free(seen);
    free(answers);
}
