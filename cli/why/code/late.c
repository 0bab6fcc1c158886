/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: set-up that comes after what it is for. */
#include "code.h"

/* Returns true if step @s may let counters count. */
static bool enables(const struct code_step *s)
{
    const uint64_t maybe = s->value.bits | ~s->value.known;

    return (code_does(s, CODE_WRITE, CODE_PMCR) && (maybe & 1) != 0) ||
           (code_does(s, CODE_WRITE, CODE_PMCNTENSET) && (maybe & UINT32_MAX) != 0);
}

/* Returns the first step after @from that enables, in function @f before it ends; SIZE_MAX if there is none. */
static size_t enabled_behind(const struct code_case *k, size_t from, unsigned f)
{
    for (size_t i = from + 1; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->function == f && s->act == CODE_LEAVE) {
            return SIZE_MAX;
        }
        if (s->function == f && enables(s)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Finds a region, between two reads, of a counter that is enabled only behind it. */
void rules_code_late(struct code_case *k)
{
    size_t first = 0;

    while (first < k->c->step_count && !enables(&k->c->steps[first])) {
        first++;
    }
    for (size_t i = 0; i < k->c->step_count && !k->m_profile && !(k->user && !k->granted); i++) {
        const struct code_step *s = &k->c->steps[i];
        size_t at;

        if (s->act != CODE_DIFFERENCE || s->value.read == 0 || s->used == 0 || s->value.read > first) {
            continue;
        }
        at = enabled_behind(k, s->value.read - 1, s->function);
        if (at != SIZE_MAX) {
            code_suspect(k, WHY_counter_not_enabled,
                         k->sees[READING_zero] || k->sees[READING_stuck] ? SUSPECT_CERTAIN : SUSPECT_LIKELY, at,
                         "the counters are enabled here, behind the region: at the first call both reads are of a "
                         "counter that stands",
                         "enable first: write PMCNTENSET and PMCR.E, then ISB, before the first read")
                ->weight = 70;
            return;
        }
    }
}
