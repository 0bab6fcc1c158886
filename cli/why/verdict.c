/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders the suspects, and prints the verdict. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "rules.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The order.
 */

#define NAMED 3 /* so many causes are named, if they are not equally sure */

/* A suspect with what decides its place. */
struct ranked {
    const struct suspect *suspect;
    unsigned score; /* its confidence, then its weight and the odds of its cause in such an input */
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return x->suspect < y->suspect ? -1 : 1;
}

static unsigned score_of(const struct suspect *s, enum reading_kind kind)
{
    return (unsigned)s->confidence * 100000 + s->weight * 100 + why_causes[s->cause].odds[kind];
}

/* Puts what follows from another suspect, which is as sure, behind it. */
static void put_effects_last(struct suspects *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (!suspect_is_cleared(all, all->list[i].cause)) {
            related_follow(all, &all->list[i], all->list[i].confidence);
        }
    }
    for (size_t i = 0; i < all->count; i++) {
        struct suspect *s = &all->list[i];

        if ((all->followed[s->cause / 64] >> s->cause % 64 & 1) != 0) {
            s->follows = true;
            s->confidence = SUSPECT_POSSIBLE;
            s->weight = 0;
        }
    }
}

/* Orders the suspects, and drops those that were cleared. */
static void order(struct suspects *all, enum reading_kind kind)
{
    struct ranked ranked[WHY_CAUSE_IDS];
    struct suspect *sorted = cli_allocate(NULL, WHY_CAUSE_IDS, sizeof *sorted);
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        if (!suspect_is_cleared(all, all->list[i].cause)) {
            ranked[count++] = (struct ranked){&all->list[i], score_of(&all->list[i], kind)};
        }
    }
    qsort(ranked, count, sizeof ranked[0], compare_ranked);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = *ranked[i].suspect;
    }
    memcpy(all->list, sorted, count * sizeof *sorted);
    all->count = count;
    free(sorted);
}

/*
 * Drops what is less sure than the first: what merely fits would only distract from it.  What follows from the first
 * stays.  The first of the others are kept apart, for readers who want to see all.
 */
static void drop_less_sure(struct suspects *all)
{
    const enum suspect_confidence best = all->count != 0 ? all->list[0].confidence : SUSPECT_POSSIBLE;
    size_t kept = 0;

    if (all->count != 0 && all->list[0].follows) {
        all->count = 0; /* what it would follow from does not hold */
    }
    for (size_t i = 0; i < all->count; i++) {
        const struct suspect *s = &all->list[i];

        if (s->confidence == best || (kept < NAMED && s->follows)) {
            all->list[kept++] = *s;
        } else if (all->less_count < LESS_SURE && !s->follows) {
            all->less[all->less_count++] = *s;
        }
    }
    all->count = kept;
}

static int compare_questions(const void *a, const void *b)
{
    const struct question *x = a, *y = b;

    return x->weight == y->weight ? 0 : x->weight > y->weight ? -1 : 1;
}

/* Makes the checks ones for EL3 where words say that the code runs there. */
static void look_at_level(const struct reading_machine *m, struct suspects *all)
{
    const bool firmware = reading_value(&m->place, READING_PLACE_UNKNOWN) == READING_PLACE_FIRMWARE;

    for (size_t i = 0; i < all->count && reading_value(&m->el, firmware ? 3 : 1) == 3; i++) {
        suspect_look_at_el3(&all->list[i]);
    }
}

/* Returns true if the input asks something and tells of nothing that is wrong: no cause is open then. */
static bool only_asks(const struct reading *r)
{
    for (unsigned s = 0; s < READING_good; s++) {
        if (r->sees[s]) {
            return false;
        }
    }
    return reading_kind(r) == READING_WORDS && r->text.joined != NULL && strchr(r->text.joined, '?') != NULL &&
           reading_find(r, CLUE_words_wonders) == NULL;
}

enum verdict_answer verdict_decide(const struct rules_input *given, struct suspects *all)
{
    struct rules_input with_form = *given;
    const struct rules_input *const in = &with_form;
    struct cure_form form;

    form_find(given->r, false, &form);
    with_form.form = &form;
    rules_code(in, all);
    rules_registers(in, all);
    rules_linux(in, all);
    rules_exception(in, all);
    rules_event_words(in, all);
    rules_sessions(in, all);
    related_deny(all, in->r); /* no row of words is weighed against a cause that is denied */
    rules_words(in, all);
    related_deny(all, in->r);
    put_effects_last(all);
    look_at_level(&given->r->machine, all);
    order(all, reading_kind(in->r));
    drop_less_sure(all);
    if (all->count != 0) {
        related_alternates(all, in->r, NAMED);
    }
    kinds_complete(in->r, all);
    qsort(all->questions, all->question_count, sizeof all->questions[0], compare_questions);
    if ((all->fine || in->r->works) && !all->doubtful &&
        (all->count == 0 || all->list[0].confidence == SUSPECT_POSSIBLE)) {
        return VERDICT_NONE; /* it works, so what is merely possible is not a cause */
    }
    if (all->count != 0) {
        return VERDICT_CAUSES;
    }
    if (all->question_count == 0) {
        suspect_ask(all, 1, "the registers of the PMU where the code runs: PMCR_EL0, PMCNTENSET_EL0 and the counter's "
                            "filter, read back twice; armpmu why --dumper list has programs that print them. Or give "
                            "the code that sets the PMU up, or on Linux the lines of dmesg with perfevents");
    }
    if (!only_asks(in->r) && !all->foreign) {
        similar_causes(all, in->r, NAMED - 1);
    }
    return VERDICT_UNKNOWN;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Output.
 */

static const char *const confidence_words[] = {"possible", "likely", "certain"};

/* Prints a line about @s, which begins with @mark. */
static void print_other(const struct suspect *s, const char *mark, bool a32)
{
    char text[400];

    printf("%s %s (%s, cause %u)%s%.100s\n", mark, why_spell(why_causes[s->cause].text, a32, text),
           confidence_words[s->confidence], why_causes[s->cause].number, s->because[0] != '\0' ? ": " : "",
           s->because);
}

/* Prints the suspects from index @i on, a line each. */
static void print_others(const struct suspects *all, size_t i, bool a32)
{
    for (size_t first = i; i < all->count && i < 6; i++) {
        const struct suspect *s = &all->list[i];

        print_other(s, s->follows ? "so:" : i == first || s[-1].follows ? "or:" : "   ", a32);
    }
}

static void print_first(const struct reading *r, const struct suspect *s, bool a32, bool colour)
{
    const struct why_cause *row = &why_causes[s->cause];
    char text[400];

    printf("%s%s: %s%s (%s, cause %u)\n", colour ? "\033[1m" : "", r->input, why_spell(row->text, a32, text),
           colour ? "\033[0m" : "", confidence_words[s->confidence], row->number);
    if (s->line != 0 && s->column != 0) {
        printf("  because:    line %u, column %u: %s\n", s->line, s->column, s->because);
    } else if (s->line != 0) {
        printf("  because:    line %u: %s\n", s->line, s->because);
    } else {
        printf("  because:    %s\n", s->because);
    }
    printf("  cure:       %s\n", s->cure);
    printf("  to be sure: %s\n", s->look[0] != '\0' ? s->look : row->check);
}

void verdict_print(const struct reading *r, const struct suspects *all, enum verdict_answer answer, bool verbose,
                   bool colour)
{
    const bool a32 = all->aarch32 || reading_value(&r->machine.pmu, READING_PMU_UNKNOWN) == READING_PMU_V7 ||
                     reading_value(&r->machine.aarch32, 0) == 1;

    if (answer == VERDICT_NONE) {
        printf("%s: nothing wrong is seen here\n", r->input);
    } else if (answer == VERDICT_UNKNOWN) {
        printf("%s: the cause cannot be told from this\n", r->input);
        printf("  look at:    %s\n", all->questions[0].text);
        print_others(all, 0, a32);
    } else {
        print_first(r, &all->list[0], a32, colour);
        print_others(all, 1, a32);
        for (size_t i = 0; verbose && i < all->less_count; i++) {
            print_other(&all->less[i], "less sure:", a32);
        }
    }
}

/* Returns @text as JSON.  Bytes that are no UTF-8, as in a text that was cut within a character, become "?". */
static json_t *text_json(const char *text)
{
    json_t *string = json_string(text);
    char copy[400];

    if (string != NULL) {
        return string;
    }
    snprintf(copy, sizeof copy, "%s", text);
    for (char *c = copy; *c != '\0'; c++) {
        *c = (unsigned char)*c >= 0x80 ? '?' : *c;
    }
    return json_string(copy);
}

json_t *verdict_json(const struct suspects *all, enum verdict_answer answer)
{
    json_t *array = json_array();

    if (answer == VERDICT_UNKNOWN) {
        json_t *object = json_object();

        json_object_set_new(object, "cause", json_string("unknown"));
        json_object_set_new(object, "ask", text_json(all->questions[0].text));
        json_array_append_new(array, object);
    }
    for (size_t i = 0; answer != VERDICT_NONE && i < all->count; i++) {
        const struct suspect *s = &all->list[i];
        char slug[48];
        json_t *object = json_object();

        json_object_set_new(object, "cause", json_string(why_slug(&why_causes[s->cause], slug)));
        json_object_set_new(object, "number", json_integer(why_causes[s->cause].number));
        json_object_set_new(object, "confidence", json_string(confidence_words[s->confidence]));
        json_object_set_new(object, "line", s->line != 0 ? json_integer(s->line) : json_null());
        json_object_set_new(object, "column", s->column != 0 ? json_integer(s->column) : json_null());
        json_object_set_new(object, "because", text_json(s->because));
        json_object_set_new(object, "cure", text_json(s->cure));
        json_array_append_new(array, object);
    }
    return array;
}
