/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns verdicts into reasons in words: each reason once, with the counters and states for which it holds. */
#define _GNU_SOURCE
#include <string.h>

#include "why.h"

static void quote_value(char *buf, size_t size, enum apmu_subject subject, uint64_t value)
{
    why_append(buf, size, subject == APMU_SUBJECT_OVS || subject == APMU_SUBJECT_EVENT ? "0x%llX" : "%llu",
           (unsigned long long)value);
}

/* Appends the name of a subject: "MDCR_EL2.HPMD", or "PMEVTYPER<n>_EL0.NSH" for every event counter. */
static void subject_words(char *buf, size_t size, const struct why *w, enum apmu_subject subject, unsigned n)
{
    struct apmu_subject_name name;
    unsigned copy;
    const enum apmu_reg reg = apmu_subject_reg(subject, n, &copy);

    apmu_subject_name(&w->model.cfg, subject, n, &name);
    if (n < APMU_CYCLE && reg == APMU_REG_PMEVTYPER_EL0) { /* one text for all counters that share the reason */
        why_append(buf, size, "PMEVTYPER<n>%s.%s", strchr(name.reg, '_') == NULL ? "" : "_EL0", name.field);
        return;
    }
    if (n < APMU_CYCLE && name.field[0] == '[') {
        why_append(buf, size, "%s[n]", name.reg);
        return;
    }
    why_append(buf, size, name.field[0] == '\0' || name.field[0] == '[' ? "%s%s" : "%s.%s", name.reg, name.field);
}

/* Notes where the input gives the register of the subject, unless a register was noted before. */
static void find_origin(struct why_finding *found, const struct why *w, enum apmu_subject subject, unsigned n)
{
    unsigned copy;
    const enum apmu_reg reg = apmu_subject_reg(subject, n, &copy);

    if (found->origin[0] == '\0' && reg != APMU_REG_ALL && state_cell(w->state, reg, copy)->known != 0) {
        const struct state_cell *cell = state_cell(w->state, reg, copy);

        state_origin(w->state, cell, found->origin);
        found->line = cell->line == STATE_LINE_CORE ? 0 : cell->line;
    }
}

/* Writes the known fields of the reason: "PMEVTYPER<n>_EL0.NSK = 1, PMEVTYPER<n>_EL0.P = 0". */
static void quote_reason(struct why_finding *found, const struct why *w, const struct apmu_facts *f, unsigned n)
{
    const uint64_t own = apmu_reason_subjects(f, n, found->reason);

    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        const enum apmu_subject subject = (enum apmu_subject)i;
        uint64_t value;

        if ((own >> i & 1) == 0 || !apmu_subject_known(f, subject, n, &value)) {
            continue;
        }
        why_append(found->quote, sizeof found->quote, "%s", why_comma(found->quote));
        subject_words(found->quote, sizeof found->quote, w, subject, n);
        why_append(found->quote, sizeof found->quote, " = ");
        quote_value(found->quote, sizeof found->quote, subject, value);
        find_origin(found, w, subject, n);
    }
    if (found->quote[0] == '\0') {
        why_append(found->quote, sizeof found->quote, "%s",
                   found->reason == APMU_REASON_NO_COUNTER ? "no such counter" : "whatever the unknown fields are");
    }
}

/* Appends the values of a field at which a reason holds, a member of .values of struct apmu_dependence. */
static void quote_values(char *buf, size_t size, enum apmu_subject subject, uint32_t values)
{
    if (subject == APMU_SUBJECT_OVS) {
        why_append(buf, size, (values & 1) != 0 ? " is 0" : " is not 0");
        return;
    }
    if (subject == APMU_SUBJECT_AUTH) { /* SNID is 3 if non-invasive debug is enabled */
        why_append(buf, size, (values & 1) != 0 ? " is not 3" : " is 3");
        return;
    }
    why_append(buf, size, " is ");
    for (unsigned v = 0, first = 1; v < 32; v++) {
        unsigned last = v;

        if ((values >> v & 1) == 0) {
            continue;
        }
        while (last < 31 && (values >> (last + 1) & 1) != 0) {
            last++;
        }
        why_append(buf, size, first ? "" : " or ");
        why_append(buf, size, last > v + 1 ? "%u to %u" : last > v ? "%u or %u" : "%u", v, last);
        first = 0;
        v = last;
    }
}

/* Writes the values of unknown fields at which the reason holds: "no, if MDCR_EL2.HPMD is 1 and PMCR_EL0.DP is 1". */
static void quote_dependence(struct why_finding *found, const struct why *w, const struct apmu_facts *f, unsigned n)
{
    struct apmu_dependence d;
    const uint64_t ranges = APMU_SUBJECT(HPMN) | APMU_SUBJECT(EPMN);

    apmu_dependence(f, n, found->reason, &d);
    why_append(found->quote, sizeof found->quote, d.product ? "no, if " : "it depends on ");
    const size_t lead = strlen(found->quote);
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        const enum apmu_subject subject = (enum apmu_subject)i;

        if ((d.subjects >> i & 1) == 0) {
            continue;
        }
        why_append(found->quote, sizeof found->quote, found->quote[lead] == '\0' ? "" : d.product ? " and " : ", ");
        subject_words(found->quote, sizeof found->quote, w, subject, n);
        if (d.product && (ranges >> i & 1) != 0) { /* each value that was tried stands for a range of counters */
            const bool above = (d.values[i] >> (n & 31) & 1) == 0 && n < 31;
            why_append(found->quote, sizeof found->quote, above ? " is above n" : " is n or less");
        } else if (d.product) {
            quote_values(found->quote, sizeof found->quote, subject, d.values[i]);
        }
    }
}

static bool same_reason(const struct why_finding *a, const struct why_finding *b)
{
    return a->reason == b->reason && a->maybe == b->maybe && strcmp(a->quote, b->quote) == 0;
}

/* Adds a finding to the list, or its counters and states to the finding with the same words. */
static void add_finding(struct why_finding **list, size_t *count, const struct why_finding *found)
{
    for (size_t i = 0; i < *count; i++) {
        if (same_reason(&(*list)[i], found)) {
            for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
                (*list)[i].where[s] |= found->where[s];
            }
            return;
        }
    }
    if ((*count & 63) == 0) {
        *list = cli_allocate(*list, *count + 64, sizeof **list);
    }
    (*list)[(*count)++] = *found;
}

/* Adds the findings of one counter in one state: those that hold for sure, or with @maybe those that may. */
static void add_findings(const struct why *w, const struct apmu_facts *f, unsigned n, unsigned state, bool maybe,
                         struct why_finding **list, size_t *count)
{
    const struct apmu_verdict *v = &w->verdicts[n][state];
    const uint64_t set = maybe ? (v->is == APMU_ANSWER_COUNTS ? 0 : v->maybe) : v->always;

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        struct why_finding found = {.reason = (enum apmu_reason)r, .maybe = maybe};

        if ((set >> r & 1) == 0) {
            continue;
        }
        found.where[state] = UINT64_C(1) << n;
        if (maybe) {
            quote_dependence(&found, w, f, n);
        } else {
            quote_reason(&found, w, f, n);
        }
        add_finding(list, count, &found);
    }
}

struct why_finding *why_findings(const struct why *w, size_t *count)
{
    struct why_finding *list = NULL;

    *count = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            const enum apmu_state state = why_order[s];

            if ((w->states >> state & 1) == 0) {
                continue;
            }
            const struct apmu_facts f = why_at(w, state);
            for (unsigned i = 0; i < APMU_COUNTERS; i++) {
                const unsigned n = (APMU_CYCLE + i) % APMU_COUNTERS; /* cycle, instr, 0, 1, ... */

                if ((w->in_use >> n & 1) != 0) {
                    add_findings(w, &f, n, state, pass == 1, &list, count);
                }
            }
        }
    }
    return list;
}
