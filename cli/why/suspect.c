/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the suspects that rules add. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Returns true if @a comes before a suspect with @confidence and @weight. */
static bool is_surer(const struct suspect *a, enum suspect_confidence confidence, unsigned weight)
{
    return a->confidence > confidence || (a->confidence == confidence && a->weight >= weight);
}

struct suspect *suspect_find(struct suspects *all, enum why_cause_id cause)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].cause == cause) {
            return &all->list[i];
        }
    }
    return NULL;
}

struct suspect *suspect_add(struct suspects *all, enum why_cause_id cause, enum suspect_confidence confidence,
                            uint32_t line, const char *because, const char *cure)
{
    const struct why_cause *row = &why_causes[cause];
    struct suspect *s = suspect_find(all, cause);

    if (s != NULL && is_surer(s, confidence, s->weight)) {
        all->unused = *s;
        return &all->unused;
    }
    s = s != NULL ? s : &all->list[all->count++];
    *s = (struct suspect){.cause = cause, .confidence = confidence, .weight = 50, .line = line};
    snprintf(s->because, sizeof s->because, "%s", because != NULL ? because : row->sign);
    snprintf(s->cure, sizeof s->cure, "%s", cure != NULL ? cure : row->cure);
    return s;
}

void suspect_look_at_el3(struct suspect *s)
{
    if (s->cause == WHY_secure_events_prohibited && s->look[0] == '\0') {
        snprintf(s->look, sizeof s->look, "armpmu why --at EL3 DUMP");
    }
}

const char *suspect_text(char buf[400], const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(buf, 400, format, arguments);
    va_end(arguments);
    return buf;
}

void suspect_clear(struct suspects *all, enum why_cause_id cause)
{
    all->cleared[cause / 64] |= UINT64_C(1) << cause % 64;
}

void suspect_allow(struct suspects *all, enum why_cause_id cause)
{
    all->cleared[cause / 64] &= ~(UINT64_C(1) << cause % 64);
}

bool suspect_is_cleared(const struct suspects *all, enum why_cause_id cause)
{
    return (all->cleared[cause / 64] >> cause % 64 & 1) != 0;
}

void suspect_follow(struct suspects *all, enum why_cause_id cause)
{
    all->followed[cause / 64] |= UINT64_C(1) << cause % 64;
}

void suspect_ask(struct suspects *all, unsigned weight, const char *format, ...)
{
    struct question *q = &all->questions[0];
    va_list arguments;

    if (all->question_count < QUESTIONS) {
        q = &all->questions[all->question_count++];
    } else {
        for (size_t i = 1; i < all->question_count; i++) {
            q = all->questions[i].weight < q->weight ? &all->questions[i] : q;
        }
        if (q->weight >= weight) {
            return;
        }
    }
    q->weight = weight;
    va_start(arguments, format);
    vsnprintf(q->text, sizeof q->text, format, arguments);
    va_end(arguments);
}
