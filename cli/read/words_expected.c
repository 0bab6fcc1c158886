/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares what a text says to be expected with what it says to be seen: "I expect 200 cycles and see 3". */
#include "words.h"

/* Returns the index of a number at @i or up to @reach tokens behind it in the sentence; the count of tokens: none. */
static size_t number_near(const struct prose *p, size_t i, size_t reach)
{
    for (size_t k = i; k < p->count && k <= i + reach && p->tokens[k].sentence == p->tokens[i].sentence; k++) {
        if (p->tokens[k].number) {
            const bool other = p->tokens[k].hex || p->tokens[k].index ||
                               words_prose_is(p, k + 1, "%/percent/bit/bits/cores/cpus/times/x/counters/events/mhz/"
                                                      "ghz");

            return other ? p->count : k;
        }
    }
    return p->count;
}

/* Notes that the count @seen is near the expected one, @wanted.  Returns false if it is not. */
static bool is_as_expected(struct reading *r, const struct prose *p, size_t wanted, size_t seen)
{
    const struct prose_token *a = &p->tokens[seen], *b = &p->tokens[wanted];

    if (b->value < 100 || !words_is_near(a->value, b->value, 0.02)) {
        return false;
    }
    words_add_pair(r, CLUE_words_as_expected, a->line, a->value, b->value);
    return true;
}

/* Looks for a count before what is expected: "prints 30.1 million for a loop that should have 30 million". */
static bool find_before(struct reading *r, const struct prose *p, size_t wanted)
{
    for (size_t k = wanted; k > 0 && wanted - k < 16 && p->tokens[k - 1].sentence == p->tokens[wanted].sentence; k--) {
        const struct prose_token *t = &p->tokens[k - 1];

        if (t->number && !t->hex && !t->index && words_seconds(p, k) == words_seconds(p, wanted + 1) &&
            is_as_expected(r, p, wanted, k - 1)) {
            return true;
        }
    }
    return false;
}

void words_prose_expected(struct reading *r, const struct prose *p)
{
    static const char expects[] = "expect/expected/expecting/should/want/wanted/supposed/anticipated/ought";
    static const char sees[] = "see/sees/saw/get/gets/got/gives/shows/reads/prints/instead/have/reports/is/it/but/"
                               "measure/measured/only/not";

    for (size_t i = 0; i + 2 < p->count; i++) {
        const size_t wanted = words_prose_is(p, i, expects) ? number_near(p, i + 1, 4) : p->count;

        if (wanted < p->count && find_before(r, p, wanted)) {
            return;
        }
        for (size_t k = wanted + 1; k < p->count && k < wanted + 14 &&
                                    p->tokens[k].sentence == p->tokens[i].sentence; k++) {
            const size_t seen = words_prose_is(p, k, sees) ? number_near(p, k + 1, 2) : p->count;

            if (seen >= p->count || (words_seconds(p, wanted + 1) != 0) != (words_seconds(p, seen + 1) != 0) ||
                words_seconds(p, wanted + 1) != words_seconds(p, seen + 1) || p->tokens[wanted].value < 3) {
                continue;
            }
            if (is_as_expected(r, p, wanted, seen)) {
                return;
            }
            if (p->tokens[seen].value == 0) {
                reading_symptom(r, READING_zero, p->tokens[seen].line);
            } else if (p->tokens[seen].value * 1.6 < p->tokens[wanted].value) {
                reading_symptom(r, READING_small, p->tokens[seen].line);
            } else if (p->tokens[seen].value > p->tokens[wanted].value * 1.6) {
                reading_symptom(r, READING_large, p->tokens[seen].line);
            }
            return;
        }
    }
}
