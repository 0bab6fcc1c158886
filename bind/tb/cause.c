/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes what an action does not give to counters, and says why a counter of a design differs. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Notes.
 */

static unsigned event_of(const struct apmu *p, unsigned n)
{
    return n >= APMU_CYCLE ? 0 : (unsigned)APMU_GET(PMEVTYPER_EL0, evtCount, p->typer[n]);
}

/* Adds to what the counter has missed since it was last read right. */
static void note_missed(struct apmu_tb *tb, unsigned n)
{
    const struct tb_held *held = &tb->held[n];

    if (held->why != 0 && held->amount != 0) {
        tb->missed[n].why = held->why;
        tb->missed[n].el = held->el;
        tb->missed[n].amount += held->amount;
    }
}

void tb_cause_note_step(struct apmu_tb *tb, uint64_t cycles, const uint32_t *counts)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t amount = cycles * tb_step_amount(tb, n, counts);

        tb->held[n] = (struct tb_held){apmu_why(&tb->p, &tb->pe, n), amount, tb->pe.el, TB_BY_STEP};
    }
}

void tb_cause_note_chain(struct apmu_tb *tb, uint64_t cycles)
{
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        if ((n & 1) == 1 && n < APMU_CYCLE && event_of(&tb->p, n) == APMU_EV_CHAIN) {
            tb->held[n].amount = (tb->overflowed >> (n - 1) & 1) != 0 ? cycles : 0;
        }
        note_missed(tb, n);
    }
}

void tb_cause_note_access(struct apmu_tb *tb, const struct tb_access *access)
{
    enum apmu_reg reg = APMU_REG_ALL;
    unsigned copy;
    const bool increments = tb_access_reached(&tb->p, access, &reg, &copy) && reg == APMU_REG_PMSWINC_EL0 &&
                            access->write;
    const unsigned written = access->write ? tb_access_counter(&tb->p, access) : APMU_COUNTERS;

    if (written < APMU_COUNTERS) {
        tb->missed[written].amount = 0;
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const bool software = increments && n < APMU_CYCLE && event_of(&tb->p, n) == APMU_EV_SW_INCR;

        tb->held[n] = (struct tb_held){increments ? apmu_why(&tb->p, &tb->pe, n) : 0,
                                       software ? access->value >> n & 1 : 0, tb->pe.el,
                                       increments ? TB_BY_SOFTWARE : TB_BY_NONE};
        note_missed(tb, n);
    }
}

void tb_cause_forget(struct apmu_tb *tb)
{
    memset(tb->held, 0, sizeof tb->held);
    memset(tb->missed, 0, sizeof tb->missed);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

/* Writes how often the event of counter @n occurred, "its event occurred 2 times". */
static void words_of_event(const struct apmu_tb *tb, unsigned n, char *text, size_t room)
{
    const struct tb_held *held = &tb->held[n];
    char buf[24];

    if (held->amount != 0) {
        snprintf(text, room, "its event occurred %llu time%s", (tb_number)held->amount, held->amount == 1 ? "" : "s");
    } else if (held->by == TB_BY_SOFTWARE) {
        snprintf(text, room, "PMSWINC_EL0 does not increment it");
    } else if (n % 2 == 1 && n < APMU_CYCLE && event_of(&tb->p, n) == APMU_EV_CHAIN) {
        snprintf(text, room, "%s did not overflow", tb_counter_name(n - 1, buf));
    } else {
        snprintf(text, room, "its event did not occur");
    }
}

void tb_cause_of_ahead(const struct apmu_tb *tb, unsigned n, uint64_t ahead, char *text, size_t room)
{
    const struct tb_held *held = &tb->held[n];
    char reason[TB_SENTENCE / 2], event[64];

    if (held->by == TB_BY_NONE) {
        snprintf(text, room, "no event occurs in this action");
        return;
    }
    words_of_event(tb, n, event, sizeof event);
    if (held->why == 0) {
        snprintf(text, room, "%s", event);
        return;
    }
    tb_words_of_reason(tb, held->why, n, held->el, reason, sizeof reason);
    if (held->amount != 0 && ahead <= held->amount) {
        snprintf(text, room, "%s", reason);
    } else {
        snprintf(text, room, "%s, and %s", event, reason);
    }
}

const char *tb_cause_of_behind(const struct apmu_tb *tb, unsigned n)
{
    const struct tb_held *held = &tb->held[n];

    return held->why == 0 && held->amount != 0 ? "nothing stops it" : "an earlier access or reset differs";
}

bool tb_cause_of_phase(const struct apmu_tb *tb, unsigned n, char *text, size_t room)
{
    if (n != APMU_CYCLE || tb->held[n].by != TB_BY_STEP || !apmu_cycle_divides(&tb->p, &tb->pe)) {
        return false;
    }
    if (tb->phase.any) {
        snprintf(text, room, "PMCR_EL0.D divides by 64, and no phase of its divider explains this");
    } else {
        snprintf(text, room, "PMCR_EL0.D divides by 64, and the model's divider is at %u; the architecture leaves its "
                 "phase open (divider=any)", tb->p.divider);
    }
    return true;
}

void tb_cause_of_read(const struct apmu_tb *tb, unsigned n, uint64_t got, uint64_t want, char *text, size_t room)
{
    const struct tb_held *missed = &tb->missed[n];
    const uint64_t mask = ~UINT64_C(0) >> (64 - apmu_counter_size(&tb->p, n));
    const uint64_t ahead = (got - want) & mask, behind = (want - got) & mask;
    char reason[TB_SENTENCE / 2];

    if (behind < ahead) {
        snprintf(text, room, ": it is %llu behind", (tb_number)behind);
    } else if (missed->amount == 0 || ahead > missed->amount) {
        snprintf(text, room, ": it is %llu ahead", (tb_number)ahead);
    } else {
        tb_words_of_reason(tb, missed->why, n, missed->el, reason, sizeof reason);
        snprintf(text, room, ": it is %llu ahead; of its event %llu do not count: %s", (tb_number)ahead,
                 (tb_number)missed->amount, reason);
    }
}
