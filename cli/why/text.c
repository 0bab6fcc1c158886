/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the answers of armpmu why as text: verdicts, causes, reasons, set-up, readers, and assumptions. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include <armpmu/cores.h>

#include "why.h"

enum { FIRST_COLUMN = 26, COLUMN = 8 }; /* widths of the matrix, in characters */

static void paint(bool colour, const char *code)
{
    if (colour) {
        printf("\033[%sm", code);
    }
}

static void heading(bool colour, const char *text)
{
    putchar('\n');
    paint(colour, "1");
    fputs(text, stdout);
    paint(colour, "0");
    putchar('\n');
}

/* ---------------------------------------------------------------------------------------------------------------
 * The matrix.
 */

/* Prints a verdict on counter @n.  Returns its width in characters. */
static size_t print_answer(const struct why *w, unsigned n, enum apmu_answer answer, bool colour)
{
    static const char *const words[] = {"counts", "no", "?"}, *const codes[] = {"32", "31", "33"};
    const bool no_event = answer == APMU_ANSWER_COUNTS && n < APMU_CYCLE && (w->in_use >> n & 1) != 0 &&
                          w->setups[n].event_known && w->setups[n].implemented == APMU_NO;
    const char *word = no_event ? "nothing" : words[answer]; /* it is on, and its event never occurs */

    paint(colour, codes[no_event ? APMU_ANSWER_STANDS : answer]);
    fputs(word, stdout);
    paint(colour, "0");
    return strlen(word);
}

static bool same_row(const struct why *w, unsigned a, unsigned b)
{
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if ((w->states >> s & 1) != 0 && w->verdicts[a][s].is != w->verdicts[b][s].is) {
            return false;
        }
    }
    return true;
}

/* Writes the name of the row for the counters in @set, whose first is @n. */
static void row_name(const struct why *w, uint64_t set, unsigned n, char *buf, size_t size)
{
    const struct apmu_counter_setup *setup = &w->setups[n];
    const char *event = setup->event_known ? apmu_core_event_name(w->state->core, setup->event) : NULL;
    char list[96];

    why_counter_list(set, list);
    if ((w->in_use & set) == 0) {
        snprintf(buf, size, "%s (not set up)", list);
    } else if (n >= APMU_CYCLE) {
        snprintf(buf, size, "%s", list);
    } else if (!setup->event_known) {
        snprintf(buf, size, "%s (event unknown)", list);
    } else if (event != NULL) {
        snprintf(buf, size, "%s %s", list, event);
    } else {
        snprintf(buf, size, "%s event 0x%04X", list, setup->event);
    }
}

static void print_row(const struct why *w, uint64_t set, unsigned n, bool colour)
{
    char name[160];

    row_name(w, set, n, name, sizeof name);
    printf("%.*s", FIRST_COLUMN - 1, name);
    size_t pad = FIRST_COLUMN - (strlen(name) < FIRST_COLUMN ? strlen(name) : FIRST_COLUMN - 1);
    for (unsigned i = 0; i < APMU_STATE_COUNT; i++) {
        const enum apmu_state s = why_order[i];

        if ((w->states >> s & 1) != 0) {
            printf("%*s", (int)pad, "");
            pad = COLUMN - print_answer(w, n, w->verdicts[n][s].is, colour);
        }
    }
    putchar('\n');
}

static void print_matrix(const struct why *w, bool colour)
{
    char word[16];
    uint64_t done = 0;
    size_t pad = FIRST_COLUMN;

    for (unsigned i = 0; i < APMU_STATE_COUNT; i++) {
        if ((w->states >> why_order[i] & 1) != 0) {
            printf("%*s%s", (int)pad, "", why_state_word(why_order[i], word));
            pad = COLUMN - strlen(word);
        }
    }
    putchar('\n');
    for (unsigned i = 0; i < APMU_COUNTERS; i++) {
        const unsigned n = (APMU_CYCLE + i) % APMU_COUNTERS;
        uint64_t set = UINT64_C(1) << n;

        if ((w->counters >> n & 1) == 0 || (done >> n & 1) != 0) {
            continue;
        }
        for (unsigned k = n + 1; n < APMU_CYCLE && (w->in_use >> n & 1) == 0 && k < APMU_CYCLE; k++) {
            if ((w->counters & ~w->in_use) >> k & 1 && same_row(w, n, k)) {
                set |= UINT64_C(1) << k;
            }
        }
        print_row(w, set, n, colour);
        done |= set;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reasons.
 */

/* Prints a line for each set of counters that share their states: "cycle, 0-5: NS EL0, NS EL1". */
static void print_where(const struct why *w, const struct why_finding *found)
{
    unsigned states[APMU_COUNTERS] = {0};
    uint64_t done = 0;
    char counters[96], list[128];

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            states[n] |= (unsigned)(found->where[s] >> n & 1) << s;
        }
    }
    for (unsigned i = 0; i < APMU_COUNTERS; i++) {
        const unsigned n = (APMU_CYCLE + i) % APMU_COUNTERS;
        uint64_t set = 0;

        if (states[n] == 0 || (done >> n & 1) != 0) {
            continue;
        }
        for (unsigned k = 0; k < APMU_COUNTERS; k++) {
            set |= states[k] == states[n] ? UINT64_C(1) << k : 0;
        }
        done |= set;
        printf("      %s: %s\n", why_counter_list(set, counters), why_state_list(states[n], w->states, list));
    }
}

static void print_findings(const struct why *w, const struct why_finding *list, size_t count, bool maybe, bool colour)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        const struct apmu_reason_info *info = apmu_reason_info(list[i].reason);

        if (list[i].maybe != maybe) {
            continue;
        }
        if (!any) {
            heading(colour, maybe ? "IT DEPENDS on what the input does not say" : "WHY NOT");
            any = true;
        }
        printf("  ");
        paint(colour, maybe ? "33" : "31");
        fputs(list[i].quote, stdout);
        paint(colour, "0");
        printf("%s%s%s\n", list[i].origin[0] != '\0' ? " (" : "", list[i].origin, list[i].origin[0] != '\0' ? ")" : "");
        printf("      %s [%s %s]\n", info->text, info->name, info->rule);
        printf("      lifted by: %s\n", info->cure);
        print_where(w, &list[i]);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The counters.
 */

static const char *known_word(enum apmu_truth known, const char *yes, const char *no, const char *unknown)
{
    return known == APMU_YES ? yes : known == APMU_NO ? no : unknown;
}

static void print_event(const struct why *w, unsigned n)
{
    const struct apmu_counter_setup *setup = &w->setups[n];
    const char *event = setup->event_known ? apmu_core_event_name(w->state->core, setup->event) : NULL;
    char name[8];

    printf("  %s: ", why_counter_name(n, name));
    if (!setup->event_known) {
        printf("event unknown: PMEVTYPER%u_EL0 is not in the input\n", n);
    } else if (n < APMU_CYCLE) {
        printf("0x%04X %s, %s\n", setup->event, event != NULL ? event : "(no common event)",
               known_word(setup->implemented, "implemented (PMCEID)", "NOT IMPLEMENTED (PMCEID): counts nothing",
                          (setup->event & ~0x403F) != 0
                              ? "implemented or not: PMCEID<n>_EL0 has no bit for it, see the core's manual"
                              : "implemented or not: PMCEID<n>_EL0 is not in the input"));
    } else {
        printf("%s\n", n == APMU_CYCLE ? "cycles" : "INST_RETIRED");
    }
    printf("      %u bits; ", setup->width);
    if (setup->overflow_width == 0) {
        printf("overflows from bit 31 or 63: %s is not in the input",
               n == APMU_CYCLE ? "PMCR_EL0.LC" : "PMCR_EL0.LP, MDCR_EL2.HLP or HPMN");
    } else {
        printf("overflows from bit %u", setup->overflow_width - 1);
    }
    if (setup->overflow_width == 32 && setup->chained != APMU_YES) {
        printf(setup->interrupts == APMU_YES ? ", with an interrupt" : ": unseen, unless software reads PMOVSSET_EL0");
    }
    printf("%s%s%s%s\n", setup->chained == APMU_YES ? "; the next counter counts that (CHAIN)" : "",
           known_word(setup->divided, "; COUNTS EVERY 64TH CYCLE (PMCR_EL0.D)", "",
                      "; every 64th cycle only, if PMCR_EL0.D is 1"),
           known_word(setup->threshold, "; a threshold decides what it adds (TC, TH)", "", ""),
           known_word(setup->overflowed, "; its overflow flag is set", "", ""));
}

static void print_counters(const struct why *w, bool colour)
{
    heading(colour, "WHAT THEY COUNT");
    for (unsigned i = 0; i < APMU_COUNTERS; i++) {
        const unsigned n = (APMU_CYCLE + i) % APMU_COUNTERS;

        if ((w->in_use >> n & 1) != 0) {
            print_event(w, n);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Accesses.
 */

static void answer_words(const struct apmu_access *a, char *buf, size_t size)
{
    switch (a->outcome) {
    case APMU_ACCESS_OK:
        snprintf(buf, size, "yes");
        break;
    case APMU_ACCESS_RAZ:
    case APMU_ACCESS_WI:
        snprintf(buf, size, "reads as 0 (%s)", a->control);
        break;
    case APMU_ACCESS_TRAP:
        snprintf(buf, size, "traps to EL%u (%s)", a->el, a->control);
        break;
    case APMU_ACCESS_UNPREDICTABLE:
        snprintf(buf, size, "UNPREDICTABLE (%s)", a->control);
        break;
    default:
        snprintf(buf, size, "UNDEFINED (%s)",
                 a->gate != APMU_GATE_ALWAYS ? apmu_gate_text((enum apmu_gate)a->gate) : a->control);
        break;
    }
}

/*
 * Writes what a read of counter @n in @state does: "yes", or "yes, or traps to EL2 (MDCR_EL2.TPM); depends on
 * MDCR_EL2.TPM".
 */
static void reader_words(const struct why *w, unsigned n, enum apmu_state state, bool a32, char *buf, size_t size)
{
    const struct apmu_reach reach = w->reach[a32][n][state];
    char one[96];
    size_t used = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < reach.count && used + 1 < size; i++) {
        answer_words(&reach.answers[i], one, sizeof one);
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i == 0 ? "" : ", or ", one);
    }
    for (unsigned i = 0, first = 1; i < APMU_SUBJECT_COUNT && used + 1 < size; i++) {
        if ((reach.subjects >> i & 1) != 0) {
            struct apmu_subject_name name;

            apmu_subject_name(&w->model.cfg, (enum apmu_subject)i, n, &name);
            used += (size_t)snprintf(buf + used, size - used, "%s%s%s%s", first ? "; depends on " : ", ", name.reg,
                                     name.field[0] == '[' ? "" : ".", name.field);
            first = 0;
        }
    }
}

/* Prints the reads of each counter in use.  Event counters with the same answers share their lines. */
static void print_readers(const struct why *w, bool a32, bool colour)
{
    char words[APMU_STATE_COUNT][400], other[400], counters[96], word[16];
    uint64_t done = 0;

    heading(colour, a32 ? "WHO READS THEM in AArch32 state" : "WHO READS THEM");
    for (unsigned i = 0; i < APMU_COUNTERS; i++) {
        const unsigned n = (APMU_CYCLE + i) % APMU_COUNTERS;
        uint64_t set = UINT64_C(1) << n;

        if ((w->in_use >> n & 1) == 0 || (done >> n & 1) != 0) {
            continue;
        }
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            if ((w->states >> s & 1) != 0) {
                reader_words(w, n, (enum apmu_state)s, a32, words[s], sizeof words[s]);
            }
        }
        for (unsigned k = n + 1; k < APMU_CYCLE && n < APMU_CYCLE; k++) {
            bool same = (w->in_use >> k & 1) != 0;

            for (unsigned s = 0; same && s < APMU_STATE_COUNT; s++) {
                if ((w->states >> s & 1) != 0) {
                    reader_words(w, k, (enum apmu_state)s, a32, other, sizeof other);
                    same = strcmp(other, words[s]) == 0;
                }
            }
            set |= same ? UINT64_C(1) << k : 0;
        }
        done |= set;
        printf("  %s\n", why_counter_list(set, counters));
        for (unsigned k = 0; k < APMU_STATE_COUNT; k++) {
            const enum apmu_state s = why_order[k];

            if ((w->states >> s & 1) != 0 && (a32 ? why_has_a32(w, s) : why_has_a64(w, s))) {
                printf("      %-7s %s\n", why_state_word(s, word), words[s]);
            }
        }
    }
}

const char *why_spell(const char *text, bool a32, char buf[400])
{
    static const struct {
        const char *a64, *a32;
    } names[] = {{"MDCR_EL2", "HDCR"}, {"MDCR_EL3", "SDCR"}, {"HCR_EL2", "HCR"}, {"SCR_EL3", "SCR"}};
    size_t used = 0;

    while (*text != '\0' && used + 16 < 400) {
        size_t i = 0;

        while (a32 && i < sizeof names / sizeof names[0] && strncmp(text, names[i].a64, strlen(names[i].a64)) != 0) {
            i++;
        }
        if (a32 && i < sizeof names / sizeof names[0]) {
            used += (size_t)snprintf(buf + used, 400 - used, "%s", names[i].a32);
            text += strlen(names[i].a64);
        } else if (a32 && (strncmp(text, "_EL0", 4) == 0 || strncmp(text, "_EL1", 4) == 0)) {
            text += 4; /* PMCR_EL0 is PMCR, PMINTENSET_EL1 is PMINTENSET */
        } else {
            buf[used++] = *text++;
        }
    }
    buf[used] = '\0';
    return buf;
}

void why_print_causes(const struct why_cause_list *list, bool a32, bool colour)
{
    char text[400], cure[400];

    if (list->count != 0) {
        heading(colour, "KNOWN CAUSES (armpmu why --symptom)");
    }
    for (size_t i = 0; i < list->count; i++) {
        const struct why_cause *c = list->causes[i];

        printf("  %2u %s\n     %s\n", c->number, why_spell(c->text, a32, text), why_spell(c->cure, a32, cure));
    }
}

static void print_assumptions(const struct why *w, bool colour)
{
    char name[24];

    if (w->model.contradiction != NULL) {
        heading(colour, "THE INPUT CONTRADICTS ITSELF");
        printf("  %s\n", w->model.contradiction);
    }
    for (size_t i = 0; i < w->model.assumed_count; i++) {
        if (i == 0) {
            heading(colour, "ASSUMED, since the input does not say it");
        }
        printf("  %s (%s)\n", w->model.assumed[i].text, apmu_reg_name(w->model.assumed[i].reg, 0, name));
    }
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        struct why_finding differ;

        if (why_feature_matters(w, bit, &differ)) {
            printf("  %s %s, the answers differ for:\n", apmu_feature_name(bit),
                   (w->model.cfg.features >> bit & 1) != 0 ? "is implemented; without it"
                                                           : "is not implemented; with it");
            print_where(w, &differ);
        }
    }
}

void why_print(const struct why *w, bool colour)
{
    size_t count;
    struct why_finding *list = why_findings(w, &count);
    struct why_cause_list causes;
    bool a32 = false, a64 = false;

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        a32 |= (w->states >> s & 1) != 0 && why_has_a32(w, (enum apmu_state)s);
        a64 |= (w->states >> s & 1) != 0 && why_has_a64(w, (enum apmu_state)s);
    }
    print_matrix(w, colour);
    why_find_causes(w, NULL, &causes);
    why_print_causes(&causes, w->aarch32 || (w->model.cfg.features & APMU_FEAT(AA64)) == 0, colour);
    print_findings(w, list, count, false, colour);
    print_findings(w, list, count, true, colour);
    print_counters(w, colour);
    if (a64) {
        print_readers(w, false, colour);
    }
    if (a32) {
        print_readers(w, true, colour);
    }
    print_assumptions(w, colour);
    free(list);
}
