/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu why for the unit of ARM1136, ARM1156 and ARM1176: three counters, one register of control. */
#define _GNU_SOURCE
#include <string.h>

#include "why.h"

static const char *const names[APMU_ARM11_COUNTERS] = {"PMN0", "PMN1", "CCNT"};

static const uint32_t events[APMU_ARM11_COUNTERS] = {APMU_MASK(PMNC, EvtCount0), APMU_MASK(PMNC, EvtCount1), 0};

/* What a counter's reasons are, whatever the bits of PMNC are that the source does not have. */
struct answer {
    uint64_t always, maybe;
};

static struct answer ask(const struct state_arm11 *m, uint64_t known, enum apmu_arm11_counter n)
{
    const uint32_t unknown = ~(uint32_t)known & ((uint32_t)APMU_MASK(PMNC, E) | events[n]);
    struct answer a = {.always = ~UINT64_C(0), .maybe = 0};
    struct state_arm11 with = *m;
    const unsigned lsb = n == APMU_ARM11_PMN0 ? APMU_PMNC_EvtCount0_LSB : APMU_PMNC_EvtCount1_LSB;

    for (unsigned event = 0; event < 256; event++) {
        for (uint32_t e = 0; e < 2; e++) {
            with.p.pmnc = (m->p.pmnc & ~unknown) | (((uint32_t)event << lsb & events[n]) & unknown) | (e & unknown);
            const uint64_t why = apmu_arm11_why(&with.p, &with.pe, n);

            a.always &= why;
            a.maybe |= why;
        }
    }
    a.maybe &= ~a.always;
    return a;
}

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

static void print_reader(const struct state *s, const struct state_arm11 *m, bool user)
{
    struct apmu_arm11_pe pe = m->pe;
    struct apmu_access a;

    pe.user = user;
    a = apmu_arm11_access(&m->p, &pe, APMU_ARM11_REG_CCNT, false);
    printf("  %-16s %s%s%s%s\n", user ? "User mode" : "privileged modes", a.outcome == APMU_ACCESS_OK ? "yes" : "UNDEFINED",
           a.control[0] == '\0' ? "" : " (", a.control, a.control[0] == '\0' ? "" : ")");
    if (user && s->arm11[STATE_ARM11_SUNAVCR].known == 0) {
        printf("                   the V bit (c15, c9, 0) is not in the source: with 1 they may\n");
    }
}

static void print_text(const struct state *s, const struct state_arm11 *m, bool colour)
{
    const struct state_cell *pmnc = &s->arm11[APMU_ARM11_REG_PMNC];
    const uint64_t causes = why_causes(&(struct why){.state = s}, m);
    char words[96], origin[128];

    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        const struct answer a = ask(m, pmnc->known, (enum apmu_arm11_counter)n);
        const char *is = a.always != 0 ? "no" : a.maybe != 0 ? "?" : "counts";
        const char *code = a.always != 0 ? "31" : a.maybe != 0 ? "33" : "32";

        event_words(m, pmnc->known, (enum apmu_arm11_counter)n, words, sizeof words);
        printf("%s %-26s%s%s%s%s%s%s\n", names[n], words, colour ? "\033[" : "", colour ? code : "", colour ? "m" : "", is,
               colour ? "\033[0m" : "", (m->p.pmnc >> (APMU_PMNC_OC0_LSB + n) & 1) != 0 ? "  (overflow flag set)" : "");
        print_reasons(a.always, "");
        print_reasons(a.maybe, "perhaps: ");
    }
    if (pmnc->known != 0) {
        printf("\nPMNC = 0x%08X (%s)\n", (unsigned)m->p.pmnc, state_origin(s, pmnc, origin));
    } else {
        printf("\nPMNC is not in the source: with E = 0 nothing counts\n");
    }
    printf("\nWHO READS THEM\n");
    print_reader(s, m, false);
    print_reader(s, m, true);
    for (size_t i = 0, first = 1; why_cause_at(i) != NULL; i++) {
        if ((causes >> i & 1) != 0) {
            printf("%s  %2u %s\n     %s\n", first ? "\nKNOWN CAUSES (armpmu why --symptom)\n" : "",
                   why_cause_at(i)->number, why_cause_at(i)->text, why_cause_at(i)->cure);
            first = 0;
        }
    }
    if (!m->part_known) {
        printf("\nASSUMED, since the source does not say it\n  the core is an ARM1176 (--core)\n");
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

static int print_json(const struct state *s, const struct state_arm11 *m, const struct cli_args *args)
{
    json_t *object = json_object(), *counters = json_array(), *list = json_array();
    const uint64_t causes = why_causes(&(struct why){.state = s}, m);

    json_object_set_new(object, "source", json_string(s->source));
    for (unsigned n = 0; n < APMU_ARM11_COUNTERS; n++) {
        const struct answer a = ask(m, s->arm11[APMU_ARM11_REG_PMNC].known, (enum apmu_arm11_counter)n);
        json_t *one = json_object();

        json_object_set_new(one, "counter", json_string(names[n]));
        json_object_set_new(one, "answer", json_string(a.always != 0 ? "no" : a.maybe != 0 ? "depends" : "counts"));
        json_object_set_new(one, "always", reasons_json(a.always));
        json_object_set_new(one, "maybe", reasons_json(a.maybe));
        json_array_append_new(counters, one);
    }
    json_object_set_new(object, "counters", counters);
    for (size_t i = 0; why_cause_at(i) != NULL; i++) {
        if ((causes >> i & 1) != 0) {
            json_array_append_new(list, why_json_cause(why_cause_at(i)));
        }
    }
    json_object_set_new(object, "causes", list);
    return why_dump(args, object);
}

int why_arm11(const struct state *s, const struct cli_args *args, bool json, bool colour)
{
    struct state_arm11 m;

    state_to_arm11(s, &m);
    if (json) {
        return print_json(s, &m, args);
    }
    print_text(s, &m, colour);
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}
