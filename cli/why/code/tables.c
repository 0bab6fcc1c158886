/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: numbers of events in tables, enumerations and macros, against their names. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "code.h"

/* Returns true if the name is that of another kind of number: the index of a counter, a limit, a bit. */
static bool is_other(const char *name)
{
    static const char *const parts[] = {
        "LIMIT",  "MAX", "MIN",   "THRES", "IDX",  "INDEX", "CTR",  "COUNTER", "NUM",  "SHIFT", "BIT",  "MASK",
        "PERIOD", "_MS", "_US",   "COUNT", "SLOT", "SIZE",  "ITER", "LOOPS",   "RATE", "DELAY", "PORT", "IRQ",
        "INTR",   "FREQ", "PER_",
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strcasestr(name, parts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static const char *name_of(const struct code_number_name *n, char buf[64])
{
    snprintf(buf, 64, "%.*s", (int)(n->length < 63 ? n->length : 63), n->name);
    return buf;
}

/* Counts the numbers that are those of the events that their names say. */
static unsigned count_right(const struct code_case *k)
{
    unsigned right = 0;
    char name[64];

    for (size_t i = 0; i < k->c->number_count; i++) {
        const struct code_number_name *n = &k->c->numbers[i];

        right += code_judge_event(k->core, name_of(n, name), (unsigned)n->value, n->decimal) == CODE_EVENT_RIGHT;
    }
    return right;
}

/* Returns true if the numbers of the text are those of events. */
static bool has_events(const struct code_case *k)
{
    static const char *const words[] = {"PERF_TYPE_RAW", "event", "evt", "evtyper", "pmu", "pmev", "xevtyper"};
    const char *text = k->r->text.joined;

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasestr(text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Sentences.
 */

/* Returns how many characters "pmevtyper0_el0 = " at @p has before its number, 0 if something else is there. */
static size_t assigned_type(const char *p)
{
    static const char *const names[] = {"pmevtyper", "pmxevtyper"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncasecmp(p, names[i], strlen(names[i])) == 0) {
            const size_t name = strcspn(p, " \t=,.;:()"), joint = strspn(p + name, " \t=");

            return memchr(p + name, '=', joint) != NULL && isdigit((unsigned char)p[name + joint]) ? name + joint : 0;
        }
    }
    return 0;
}

/* Reads an event's number at @p: 0x0C, r13, "event 13".  Returns the characters that it has, 0 if there is none. */
static size_t event_number(const char *text, const char *p, unsigned *event, bool *decimal)
{
    static const char *const names[] = {"event ", "event number ", "event no. ", "event id "};
    char *end;
    size_t name = assigned_type(p);
    const bool begins = p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_');

    for (size_t i = 0; i < sizeof names / sizeof names[0] && name == 0; i++) {
        const size_t length = strlen(names[i]);

        name = strncasecmp(p, names[i], length) == 0 && isdigit((unsigned char)p[length]) ? length : 0;
    }

    *decimal = false;
    if (!begins) {
        return 0;
    }
    if (strncasecmp(p, "0x", 2) == 0) {
        *event = (unsigned)strtoul(p + 2, &end, 16);
    } else if (*p == 'r' && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])) {
        *event = (unsigned)strtoul(p + 1, &end, 16);
    } else if (name != 0 && p[name + 1] != 'x') {
        *event = (unsigned)strtoul(p + name, &end, 10);
        *decimal = true;
    } else {
        return 0;
    }
    const size_t used = (size_t)(end - p);

    return used > 2 && used <= (name > 6 ? name + 3 : 9) && !isalnum((unsigned char)*end) && *event != 0 &&
                   *event <= 0x3FF
               ? (size_t)(end - p)
               : 0;
}

#define CLAUSE 240 /* bytes of a sentence before an event's number */

/*
 * Copies the clause before the number at @p of @text to @words if it ends as a choice of an event does: "for L2 misses
 * I took event", "I count L2 misses with".  Returns false if it does not.
 */
static bool chosen_for(const char *text, const char *p, char words[CLAUSE])
{
    static const char *const ends[] = {"event", "number", "raw", "type", "code", "the", "id", "pmu"};
    static const char *const verbs[] = {"took",  "take",    "use",    "used", "using",   "chose",      "picked",
                                        "wrote", "program", "set up", "with", "counted", "programmed", "selected"};
    const char *from = p;
    size_t length;
    bool more = true;

    while (from > text && strchr(".;:!?,", from[-1]) == NULL && p - from < 80) {
        from--;
    }
    length = (size_t)(p - from);
    snprintf(words, CLAUSE, "%.*s", (int)length, from);
    while (more) {
        more = false;
        while (length != 0 && (words[length - 1] == ' ' || words[length - 1] == '(')) {
            words[--length] = '\0';
        }
        for (size_t i = 0; i < sizeof ends / sizeof ends[0] && !more; i++) {
            const size_t end = strlen(ends[i]);

            more = length > end && words[length - end - 1] == ' ' && strcasecmp(words + length - end, ends[i]) == 0;
            length -= more ? end : 0;
        }
    }
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        const size_t verb = strlen(verbs[i]);

        if (length > verb && words[length - verb - 1] == ' ' &&
            strncasecmp(words + length - verb, verbs[i], verb) == 0) {
            return strcasestr(words, "for ") != NULL || strcasestr(words, "count ") != NULL ||
                   strcasestr(words, "counting ") != NULL || strcasestr(words, "measure ") != NULL ||
                   strcasestr(words, "counted ") != NULL;
        }
    }
    return false;
}

/*
 * Copies the sentence of the text before its byte @at to @words.  Returns false unless it names the event that the
 * decimal @event would be in hexadecimal, which nothing in the text has: "I want mispredictions; the manual has them
 * as event 10".
 */
static bool meant_hexadecimal(const struct reading *r, size_t at, unsigned event, char words[CLAUSE])
{
    const struct text *t = &r->text;
    const char *from = t->joined + at, *const end = from;
    char number[16];

    while (from > t->joined && end - from < CLAUSE - 1 &&
           !((from[-1] == ' ' || from[-1] == '\n') && from - t->joined > 1 && strchr(".?!\n", from[-2]) != NULL)) {
        from--;
    }
    snprintf(words, CLAUSE, "%.*s", (int)(end - from), from);
    snprintf(number, sizeof number, "0x%u", event);
    return code_judge_event(r->machine.core, words, event, true) == CODE_EVENT_DECIMAL &&
           strcasestr(t->joined, number) == NULL;
}

/* Copies what @text says to be wanted instead: "I expected instructions".  Returns false if it says nothing. */
static bool expected_instead(const char *text, char words[CLAUSE])
{
    static const char *const verbs[] = {"expected ", "expect ", "wanted ", "want ", "meant ", "hoped for ",
                                        "should count ", "should be counting "};

    char front[80];

    snprintf(front, sizeof front, "%.79s", text); /* what stands far behind is about something else */
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        const char *at = strcasestr(front, verbs[i]);

        if (at != NULL) {
            at += strlen(verbs[i]);
            snprintf(words, CLAUSE, "%.*s", (int)(strcspn(at, ".,;:()?!") < 60 ? strcspn(at, ".,;:()?!") : 60), at);
            return true;
        }
    }
    return false;
}

/*
 * Returns true if event @number is one of another architecture: no core of the tables has it, or the writer speaks of
 * another processor and it is no common event.
 */
static bool is_of_another_architecture(const struct reading *r, unsigned number)
{
    static const char *const names[] = {"xeon", "x86", "intel", "epyc", "ryzen", "amd64", "power9", "risc-v"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (number >= 0x40 && strcasestr(r->text.joined, names[i]) != NULL && apmu_event_by_number(number) == NULL) {
            return true;
        }
    }
    return apmu_event_by_number(number) == NULL && !why_any_core_lists(number);
}

/* Adds the suspects of event @number, which @core lacks, as line @line calls it: @name. */
static void suspect_missing_event(const struct reading *r, struct suspects *all, const struct apmu_core_info *core,
                                  unsigned number, const char *name, uint32_t line)
{
    char because[400], cure[400], instead[WHY_INSTEAD];
    const bool known = why_instead(core, number, instead) != NULL, foreign = is_of_another_architecture(r, number);

    suspect_text(because, "%s (0x%02X) is no event of the %s", name, number, core->name);
    if (foreign) {
        suspect_text(cure, "numbers of another architecture mean other events here, or none: 0x08 INST_RETIRED counts "
                           "instructions (x86: 0xC0), 0x11 CPU_CYCLES cycles, 0x10 BR_MIS_PRED branch misses, 0x37 "
                           "LL_CACHE_MISS_RD misses of the last cache (x86: 0x412E); or take perf's names: "
                           "instructions, cache-misses");
    } else {
        suspect_text(cure,
                     "choose another event%s%s: armpmu list --core='%s' shows those of this core; what it has is in "
                     "PMCEID0_EL0 and PMCEID1_EL0",
                     known ? ", such as " : "", known ? instead : "", core->name);
    }
    suspect_add(all, foreign ? WHY_event_number_unknown : WHY_event_not_of_this_core, SUSPECT_LIKELY, line,
                because, cure)->weight = 92;
    suspect_add(all, WHY_event_not_implemented, SUSPECT_POSSIBLE, line, because, cure);
}

/* Finds an event in a sentence, by its name or number, that the core does not have, where a count is 0. */
static void find_missing_event(const struct reading *r, struct suspects *all)
{
    const struct clue *named = reading_find(r, CLUE_words_named_event);
    const struct clue *lacks = reading_find(r, CLUE_words_event_core_lacks);
    const struct apmu_event_info *info = named == NULL ? NULL : apmu_event_by_name(named->words);
    const struct apmu_core_info *core = lacks != NULL ? apmu_core_by_name(lacks->words) : r->machine.core;

    if (core == NULL || !(r->sees[READING_zero] || r->sees[READING_absent]) ||
        reading_value(&r->machine.guest, 0) == 1 || reading_value(&r->machine.emulator, 0) > READING_EMULATOR_NONE) {
        return;
    }
    if (lacks != NULL) {
        const struct apmu_event_info *event = apmu_event_by_number((uint32_t)lacks->values[0]);

        suspect_missing_event(r, all, core, (unsigned)lacks->values[0], event != NULL ? event->name : "the number",
                              lacks->line);
    } else if (info != NULL && !apmu_core_lists_event(core, info->number) && apmu_core_lists_event(core, 0x11)) {
        suspect_missing_event(r, all, core, info->number, named->words, named->line);
    }
}

void rules_event_words(const struct rules_input *in, struct suspects *all)
{
    const struct reading *r = in->r;
    const struct apmu_core_info *core = r->machine.core;

    if (r->code != NULL || suspect_find(all, WHY_event_counts_other_than_thought) != NULL) {
        return;
    }
    find_missing_event(r, all);
    for (size_t i = 0; i < r->text.count && i < 200; i++) {
        const char *text = r->text.lines[i].text;

        for (const char *p = text; *p != '\0' && text_is_claimed(&r->text, i, TEXT_WORDS); p++) {
            char words[CLAUSE + 8], before[CLAUSE], because[400], cure[400];
            unsigned event;
            bool decimal;
            const size_t used = event_number(text, p, &event, &decimal);
            enum code_event_judgement is;

            if (used == 0) {
                continue;
            }
            snprintf(words, sizeof words, "%.80s", p + used);
            words[strcspn(words, ".;:()?!")] = '\0';
            is = code_judge_event(core, words, event, decimal);
            if (is <= CODE_EVENT_WRONG && is != CODE_EVENT_RIGHT && expected_instead(p + used, before) &&
                code_judge_event(core, before, event, decimal) == CODE_EVENT_WRONG) {
                snprintf(words, sizeof words, " for %s", before);
                is = CODE_EVENT_WRONG;
            } else if (is == CODE_EVENT_OTHER && chosen_for(text, p, before)) {
                const size_t whole = (size_t)(p - text);

                if (code_judge_event(core, before, event, decimal) == CODE_EVENT_OTHER && whole < CLAUSE) {
                    snprintf(before, sizeof before, "%.*s", (int)whole, text); /* "my data cache ...: misses" */
                }
                if (code_judge_event(core, before, event, decimal) == CODE_EVENT_WRONG) {
                    snprintf(words, sizeof words, " for %s", before);
                    is = CODE_EVENT_WRONG;
                }
            }
            if (is == CODE_EVENT_OTHER && decimal &&
                meant_hexadecimal(r, (size_t)(p - r->text.lines[0].text), event, before)) {
                snprintf(words, sizeof words, "%s", before);
                is = CODE_EVENT_DECIMAL;
            }
            if ((is == CODE_EVENT_WRONG && (strstr(words, " for ") == words || strstr(words, " should be") == words ||
                                            strstr(words, " is ") == words)) ||
                is == CODE_EVENT_DECIMAL) {
                code_explain_event(core, words, event, is == CODE_EVENT_DECIMAL, because, cure);
                suspect_add(all, WHY_event_counts_other_than_thought, SUSPECT_LIKELY, r->text.lines[i].number, because,
                            cure)
                    ->weight = 90;
                return;
            }
        }
    }
}

/*
 * Finds codes of another architecture in a table from which a program takes raw events: "RAW = {"llc_miss": 0x412e}".
 * On Arm the configuration is the number of the event, and has no umask.
 */
static void check_raw_codes(struct code_case *k)
{
    const struct code_perf *p = k->c->perf;
    char text[400], quote[120], name[64], cure[400];

    if (p == NULL || !p->fields[CODE_PERF_TYPE].known || p->fields[CODE_PERF_TYPE].value != 4 ||
        p->fields[CODE_PERF_CONFIG].known || k->core == NULL || !apmu_core_lists_event(k->core, APMU_EV_SW_INCR) ||
        !(k->r->sees[READING_zero] || k->r->sees[READING_absent] || k->r->sees[READING_differs])) {
        return;
    }
    for (size_t i = 0; i < k->c->number_count; i++) {
        const struct code_number_name *n = &k->c->numbers[i];

        if (n->decimal || n->value < 0x100 || n->value > 0xFFFF || is_other(name_of(n, name)) ||
            strncmp(name, "PERF_", 5) == 0 || strcasestr(name, "mask") != NULL ||
            apmu_event_by_number((unsigned)n->value) != NULL || apmu_core_lists_event(k->core, (unsigned)n->value)) {
            continue;
        }
        reading_quote(k->r, n->line, quote, sizeof quote);
        suspect_text(text, "%s -- 0x%X is no event of the %s: its raw code is the number of the event, without a umask",
                     quote, (unsigned)n->value, k->core->name);
        suspect_text(cure,
                     "take the numbers from perf list or armpmu list --core='%s': LL_CACHE_MISS_RD is 0x37, "
                     "L2D_CACHE_REFILL 0x17",
                     k->core->name);
        suspect_add(k->all, WHY_event_number_unknown, SUSPECT_LIKELY, n->line, text, cure)->weight = 60;
        return;
    }
}

void rules_code_tables(struct code_case *k)
{
    const unsigned right = k->c->number_count != 0 ? count_right(k) : 0;
    char because[400], cure[400], text[400], quote[120], name[64];

    if (k->c->number_count == 0 || !has_events(k) || k->m_profile || k->arm11 ||
        (k->user && k->c->perf == NULL && !k->granted) ||
        suspect_find(k->all, WHY_event_counts_other_than_thought) != NULL) {
        return;
    }
    check_raw_codes(k);
    for (size_t i = 0; i < k->c->number_count; i++) {
        const struct code_number_name *n = &k->c->numbers[i];
        const unsigned event = (unsigned)n->value;
        const enum code_event_judgement is = code_judge_event(k->core, name_of(n, name), event, n->decimal);
        struct suspect *s;

        if (event > 0x3FF || is_other(name) || is == CODE_EVENT_RIGHT || is == CODE_EVENT_OTHER ||
            (is == CODE_EVENT_WRONG && (!code_complains(k) || (right == 0 && strncasecmp(name, "ev", 2) != 0)))) {
            continue;
        }
        code_explain_event(k->core, name, event, is == CODE_EVENT_DECIMAL, because, cure);
        reading_quote(k->r, n->line, quote, sizeof quote);
        snprintf(text, sizeof text, "%s -- %.270s", quote, because);
        s = suspect_add(k->all, WHY_event_counts_other_than_thought,
                        code_complains(k) || is == CODE_EVENT_DECIMAL ? SUSPECT_CERTAIN : SUSPECT_LIKELY, n->line, text,
                        cure);
        s->weight = 56;
        s->column = n->column;
        return;
    }
}
