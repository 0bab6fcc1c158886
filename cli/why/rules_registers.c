/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on the values of registers: what the model proves of them. */
#include <stdlib.h>

#include "rules.h"

/* Adds the causes that the registers of PE @i show. */
static void add_causes_of(const struct rules_input *in, size_t i, struct suspects *all)
{
    struct why *w = cli_allocate(NULL, 1, sizeof *w);
    struct state_arm11 arm11;
    struct why_cause_list found;
    const struct state *s = &in->r->states[i];

    if (state_is_arm11(s)) {
        w->state = s;
        state_to_arm11(s, &arm11);
        why_find_causes(w, &arm11, &found);
    } else {
        why_begin(w, s);
        w->states = (in->states & w->states) != 0 ? in->states & w->states : w->states;
        w->counters = (in->counters & w->counters) != 0 ? in->counters & w->counters : w->counters;
        why_decide(w, WHY_WORK);
        w->in_use = in->counters != 0 ? w->counters : w->in_use;
        why_readers(w);
        why_find_causes(w, NULL, &found);
    }
    for (size_t k = 0; k < found.count; k++) {
        suspect_add(all, (enum why_cause_id)(found.causes[k] - why_causes), SUSPECT_CERTAIN, 0, NULL, NULL);
    }
    free(w);
}

void rules_registers(const struct rules_input *in, struct suspects *all)
{
    for (size_t i = 0; i < in->r->state_count; i++) {
        if (in->r->states[i].facts != 0) {
            add_causes_of(in, i, all);
        }
    }
}
