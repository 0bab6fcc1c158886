/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers armpmu why for ARM1136, ARM1156 and ARM1176, whose PMU has three counters and one control register. */
#define _GNU_SOURCE
#include <string.h>

#include "why.h"

static const char *const names[APMU_ARM11_COUNTERS] = {"PMN0", "PMN1", "CCNT"};

/* The bits of PMNC that hold each counter's event. */
static const uint32_t events[APMU_ARM11_COUNTERS] = {APMU_MASK(PMNC, EvtCount0), APMU_MASK(PMNC, EvtCount1), 0};

/* Conditions of the core that the input may leave open. */
enum { SECURE = 1, SPNIDEN = 2, SUNIDEN = 4, USER = 8, CONDITIONS = 16 };

/* Returns the conditions that the input leaves open.  Only ARM1176 has such conditions. */
static unsigned unknown_conditions(const struct state *s, const struct state_arm11 *m)
{
    uint64_t value;

    if (m->p.cfg.part != APMU_ARM1176) {
        return 0;
    }
    return (STATE_FIELD(s, SCR_EL3, 0, NS, &value) ? 0u : SECURE) |
           (STATE_FIELD(s, DBGAUTHSTATUS_EL1, 0, SNID, &value) ? 0u : SPNIDEN) |
           (STATE_FIELD(s, SDER32_EL3, 0, SUNIDEN, &value) ? 0u : SUNIDEN) |
           (STATE_FIELD(s, PSTATE, 0, M, &value) ? 0u : USER);
}

/* Makes *@pe the core @is, but with the conditions of @unknown as @choice has them. */
static void suppose(struct apmu_arm11_pe *pe, const struct apmu_arm11_pe *is, unsigned unknown, unsigned choice)
{
    *pe = *is;
    pe->secure = unknown & SECURE ? (choice & SECURE) != 0 : is->secure;
    pe->spniden = unknown & SPNIDEN ? (choice & SPNIDEN) != 0 : is->spniden;
    pe->suniden = unknown & SUNIDEN ? (choice & SUNIDEN) != 0 : is->suniden;
    pe->user = unknown & USER ? (choice & USER) != 0 : is->user;
}

void why_arm11_ask(const struct state *s, const struct state_arm11 *m, enum apmu_arm11_counter n, uint64_t *always,
                   uint64_t *maybe)
{
    const uint32_t known = (uint32_t)s->arm11[APMU_ARM11_REG_PMNC].known;
    const uint32_t unknown = ~known & ((uint32_t)APMU_MASK(PMNC, E) | events[n]);
    const unsigned conditions = unknown_conditions(s, m);
    const unsigned lsb = n == APMU_ARM11_PMN0 ? APMU_PMNC_EvtCount0_LSB : APMU_PMNC_EvtCount1_LSB;
    struct state_arm11 with = *m;

    *always = ~UINT64_C(0);
    *maybe = 0;
    /* Bit 0 of i is PMNC.E, bits 8:1 are the event, and those from 9 up the conditions. */
    for (unsigned i = 0; i < 2 * 256 * CONDITIONS; i++) {
        const uint32_t e = i & 1, event = i >> 1 & 255;

        if ((unknown == 0 && (i & 511) != 0) || (i >> 9 & ~conditions) != 0) {
            continue; /* it differs from one tried before in known bits only */
        }
        suppose(&with.pe, &m->pe, conditions, i >> 9);
        with.p.pmnc = (m->p.pmnc & ~unknown) | ((event << lsb & events[n]) & unknown) | (e & unknown);
        const uint64_t why = apmu_arm11_why(&with.p, &with.pe, n);

        *always &= why;
        *maybe |= why;
    }
    *maybe &= ~*always;
}

bool why_arm11_misplaced(uint32_t pmnc, char because[400], char cure[400])
{
    const unsigned first = (unsigned)APMU_GET(PMNC, EvtCount0, pmnc);
    const unsigned second = (unsigned)APMU_GET(PMNC, EvtCount1, pmnc);
    const uint32_t meant = (uint32_t)APMU_PUT(PMNC, EvtCount0, second) | (pmnc & ~(events[0] | events[1]));

    if (APMU_GET(PMNC, E, pmnc) == 0 || first != 0 || second == 0) {
        return false;
    }
    snprintf(because, 400,
             "PMN0 counts event 0, %s: EvtCount0 (bits 27:20 of PMNC) is 0; event %u, %s, stands in EvtCount1 "
             "(bits 19:12), which is PMN1's",
             apmu_arm11_event_by_number(0)->name, second,
             apmu_arm11_event_by_number(second) != NULL ? apmu_arm11_event_by_number(second)->name : "reserved");
    snprintf(cure, 400, "write PMNC = 0x%x, %u << 20 in place of %u << 12; or read PMN1: mrc p15, 0, r0, c15, c12, 3",
             (unsigned)meant, second, second);
    return true;
}

/* Writes the event of counter @n to @buf, as far as it is known. */
static void event_words(const struct state_arm11 *m, uint64_t known, enum apmu_arm11_counter n, char *buf, size_t size)
{
    const unsigned lsb = n == APMU_ARM11_PMN0 ? APMU_PMNC_EvtCount0_LSB : APMU_PMNC_EvtCount1_LSB;
    const uint32_t number = (m->p.pmnc & events[n]) >> lsb;
    const struct apmu_arm11_event_info *event = apmu_arm11_event_by_number(number);

    if (n == APMU_ARM11_CCNT) {
        snprintf(buf, size, "cycles%s", APMU_GET(PMNC, D, m->p.pmnc) != 0 ? ", EVERY 64TH (PMNC.D)" : "");
    } else if ((known & events[n]) != events[n]) {
        snprintf(buf, size, "event unknown");
    } else {
        snprintf(buf, size, "0x%02X %s", number, event != NULL ? event->name : "(reserved)");
    }
}

static void print_reasons(uint64_t set, const char *lead)
{
    for (unsigned r = 0; r < APMU_ARM11_REASON_COUNT; r++) {
        if ((set >> r & 1) != 0) {
            const struct apmu_arm11_reason_info *info = apmu_arm11_reason_info((enum apmu_arm11_reason)r);

            printf("      %s%s [%s %s]\n      lifted by: %s\n", lead, info->text, info->name, info->rule, info->cure);
        }
    }
}

/* Prints who reads the counters: privileged modes, or User mode with @user. */
static void print_reader(const struct state *s, const struct state_arm11 *m, bool user)
{
    struct apmu_arm11_pe pe = m->pe;
    struct apmu_access a;

    pe.user = user;
    a = apmu_arm11_access(&m->p, &pe, APMU_ARM11_REG_CCNT, false);
    if (user && s->arm11[STATE_ARM11_SUNAVCR].known == 0) {
        printf("  User mode        if the V bit (c15, c9, 0) is 1, which is not in the input\n");
        return;
    }
    printf("  %-16s %s%s%s%s\n", user ? "User mode" : "privileged modes",
           a.outcome == APMU_ACCESS_OK ? "yes" : "UNDEFINED", a.control[0] == '\0' ? "" : " (", a.control,
           a.control[0] == '\0' ? "" : ")");
}

static void find_causes(const struct state *s, const struct state_arm11 *m, struct why_cause_list *found)
{
    static struct why w; /* too large for the stack */

    w.state = s;
    why_find_causes(&w, m, found);
}

static void print_text(const struct state *s, const struct state_arm11 *m, bool colour)
{
    const struct state_cell *pmnc = &s->arm11[APMU_ARM11_REG_PMNC];
    struct why_cause_list causes;
    char words[96], origin[128];

    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        uint64_t always, maybe;

        why_arm11_ask(s, m, (enum apmu_arm11_counter)n, &always, &maybe);
        const char *is = always != 0 ? "no" : maybe != 0 ? "?" : "counts";
        const char *code = always != 0 ? "31" : maybe != 0 ? "33" : "32";

        event_words(m, pmnc->known, (enum apmu_arm11_counter)n, words, sizeof words);
        printf("%s %-26s%s%s%s%s%s%s\n", names[n], words, colour ? "\033[" : "", colour ? code : "", colour ? "m" : "",
               is, colour ? "\033[0m" : "",
               (m->p.pmnc >> (APMU_PMNC_OC0_LSB + n) & 1) != 0 ? "  (overflow flag set)" : "");
        print_reasons(always, "");
        print_reasons(maybe, "perhaps: ");
    }
    if (pmnc->known != 0) {
        printf("\nPMNC = 0x%08X (%s)\n", (unsigned)m->p.pmnc, state_origin(s, pmnc, origin));
    } else {
        printf("\nPMNC is not in the input: with E = 0 nothing counts\n");
    }
    printf("\nWHO READS THEM\n");
    print_reader(s, m, false);
    print_reader(s, m, true);
    find_causes(s, m, &causes);
    why_print_causes(&causes, true, false);
    if (!m->part_known) {
        printf("\nASSUMED, since the input does not say it\n  the core is an ARM1176 (--core)\n");
    }
}

static json_t *reasons_json(uint64_t set)
{
    json_t *array = json_array();

    for (unsigned r = 0; r < APMU_ARM11_REASON_COUNT; r++) {
        if ((set >> r & 1) != 0) {
            json_array_append_new(array, json_string(apmu_arm11_reason_info((enum apmu_arm11_reason)r)->name));
        }
    }
    return array;
}

static void add_json(const struct state *s, const struct state_arm11 *m, json_t *object)
{
    json_t *counters = json_array();
    struct why_cause_list causes;

    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        json_t *one = json_object();
        uint64_t always, maybe;

        why_arm11_ask(s, m, (enum apmu_arm11_counter)n, &always, &maybe);

        json_object_set_new(one, "counter", json_string(names[n]));
        json_object_set_new(one, "answer", json_string(always != 0 ? "no" : maybe != 0 ? "depends" : "counts"));
        json_object_set_new(one, "always", reasons_json(always));
        json_object_set_new(one, "maybe", reasons_json(maybe));
        json_array_append_new(counters, one);
    }
    json_object_set_new(object, "counters", counters);
    find_causes(s, m, &causes);
    json_object_set_new(object, "causes", why_json_causes(&causes));
}

void why_arm11(const struct state *s, json_t *object, bool colour)
{
    struct state_arm11 m;

    state_to_arm11(s, &m);
    if (object != NULL) {
        add_json(s, &m, object);
    } else {
        print_text(s, &m, colour);
    }
}
