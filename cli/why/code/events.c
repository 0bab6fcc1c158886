/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: events, what they count, and whether the core has them; CHAIN. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

#define WORD_EVENTS 12

static const struct event_words {
    const char *first, *second, *without;
    uint16_t events[WORD_EVENTS]; /* 0xFFFF ends them, unless all are used */
} event_words[] = {
#define WORDS(first, second, without, ...) {first, second, without, {__VA_ARGS__}},
#include "event_words.def"
};

/* Returns true if "return" is a verb, as what is behind it says: "returns zero", "return value". */
static bool is_verb(const char *behind)
{
    static const char *const objects[] = {"zero",   "the ", "a ",    "an ",  "nothing", "always",
                                          "value",  "code", "to ",   "only", "same",    "from ",
                                          "it",     "garbage", "true", "false", "number", "constant"};

    behind += *behind == 's';
    if (*behind != ' ') {
        return false;
    }
    behind += strspn(behind, " ");
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        if (strncasecmp(behind, objects[i], strlen(objects[i])) == 0) {
            return true;
        }
    }
    return *behind == '-' || isdigit((unsigned char)*behind);
}

/* Returns true if @text has @word: whole, or as a part of a name that "_" separates. */
static bool has_part(const char *text, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = strcasestr(text, word); p != NULL; p = strcasestr(p + 1, word)) {
        const char after = p[length] == 's' || p[length] == 'S' ? p[length + 1] : p[length];

        if ((p == text || !isalpha((unsigned char)p[-1])) &&
            (!isalpha((unsigned char)after) || strncasecmp(&after, "e", 1) == 0) &&
            (strcmp(word, "return") != 0 || !is_verb(p + length))) {
            return true;
        }
    }
    return false;
}

/* Finds the row that the words of @text fit.  Returns NULL if there is none. */
static const struct event_words *find_words(const char *text, const struct event_words *after)
{
    const struct event_words *end = event_words + sizeof event_words / sizeof event_words[0];

    for (const struct event_words *w = after == NULL ? event_words : after + 1; w < end; w++) {
        if (has_part(text, w->first) && (w->second[0] == '\0' || has_part(text, w->second)) &&
            (w->without[0] == '\0' || !has_part(text, w->without))) {
            return w;
        }
    }
    return NULL;
}

static bool is_among(const struct event_words *w, unsigned event)
{
    for (unsigned i = 0; i < WORD_EVENTS; i++) {
        if (w->events[i] == event && (event != 0 || i == 0)) {
            return true;
        }
    }
    return false;
}

/* Returns the number that @event is, if its hexadecimal digits were typed as decimal ones: 0x11 for 11. */
static unsigned as_typed(unsigned event)
{
    char digits[16];
    unsigned value = 0;

    snprintf(digits, sizeof digits, "%u", event);
    for (const char *p = digits; *p != '\0'; p++) {
        value = value * 16 + (unsigned)(*p - '0');
    }
    return value;
}

/* Returns true if the text has @event as a decimal number. */
static bool is_decimal(const struct code_case *k, unsigned event)
{
    char digits[16];
    const char *text = k->r->text.joined;

    snprintf(digits, sizeof digits, "%u", event);
    for (const char *p = strstr(text, digits); p != NULL && event > 9; p = strstr(p + 1, digits)) {
        if ((p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) &&
            !isalnum((unsigned char)p[strlen(digits)])) {
            return true;
        }
        if (p != text && !isalnum((unsigned char)p[-1]) && strchr("uUlL", p[strlen(digits)]) != NULL &&
            p[strlen(digits)] != '\0') {
            return true;
        }
    }
    return false;
}

static const char *event_name(const struct apmu_core_info *core, unsigned event)
{
    const char *name = apmu_core_event_name(core, event);

    return name != NULL                                                         ? name
           : core != NULL && apmu_core_lists_event(core, event) ? "an event of the core's own"
                                                                       : "no event that is known";
}

/* Copies the text of the line of step @s to @buf, and of the line before it if that is a comment. */
static void words_of(const struct code_case *k, uint32_t line, bool assembly, char *buf, size_t size)
{
    char before[160];
    size_t length;

    reading_quote(k->r, line, buf, size);
    length = strlen(buf);
    reading_quote(k->r, line - 1, before, sizeof before);
    if (length + 2 < size &&
        (strncmp(before, "//", 2) == 0 || strncmp(before, "/*", 2) == 0 || before[0] == '@' || before[0] == ';' ||
         (assembly && strncasecmp(before, "mov", 3) == 0)) &&
        strlen(before) > 4) {
        snprintf(buf + length, size - length, " %s", before);
    }
}

/* Returns true if the words of the text as a whole mean one event, and no other row of the table. */
static const struct event_words *whole_text(const struct code_case *k, unsigned event)
{
    const struct event_words *found = NULL;

    for (size_t i = 0; i < k->c->comment_count && i < 200; i++) {
        const struct code_comment *c = &k->c->comments[i];
        const struct event_words *w;
        char text[300];

        snprintf(text, sizeof text, "%.*s", (int)(c->length < 299 ? c->length : 299), c->text);
        w = find_words(text, NULL);
        if (w != NULL && is_among(w, event)) {
            return NULL;
        }
        if (w != NULL && found == NULL) {
            found = w;
        } else if (w != NULL && w->events[0] != found->events[0] && w->events[0] != 0x11) {
            return NULL;
        }
    }
    return found;
}

/* Writes what event @event counts, and the one to program instead, for the words of row @w. */
static void explain(const struct apmu_core_info *core, const struct event_words *w, unsigned event, bool decimal,
                    char because[400], char cure[400])
{
    const unsigned typed = as_typed(event);
    const struct apmu_event_info *info = apmu_event_by_number(event);
    const struct apmu_event_info *wanted = apmu_event_by_number(decimal ? typed : w->events[0]);

    if (decimal) {
        suspect_text(because, "%u is 0x%02X, %s; event numbers are hexadecimal, and 0x%02X, %s, is meant", event, event,
                     event_name(core, event), typed, event_name(core, typed));
    } else {
        suspect_text(because, "event 0x%02X is %s%s%.120s, not what the words beside it say", event,
                     event_name(core, event), info != NULL ? ": " : "", info != NULL ? info->text : "");
    }
    suspect_text(cure, "program event 0x%02X, %s%s", wanted != NULL ? wanted->number : w->events[0],
                 wanted != NULL ? wanted->name : "the one that fits",
                 w->events[0] == 0x12 ? " (or 0x21, BR_RETIRED, where the core has it); 0x0C counts taken branches only"
                                      : "");
}

/* Returns true if the core's numbers of events are no common ones of ARMv7 and later: those of ARM11 are its own. */
static bool has_own_numbers(const struct apmu_core_info *core)
{
    return core != NULL && core->pmu == APMU_CORE_PMU_ARM11;
}

enum code_event_judgement code_judge_event(const struct apmu_core_info *core, const char *name, unsigned event,
                                           bool decimal)
{
    const struct apmu_event_info *info = apmu_event_by_number(event), *named = apmu_event_by_name(name);
    bool found = false, typed = false;

    if (has_own_numbers(core)) {
        return CODE_EVENT_OTHER;
    }
    if ((info != NULL && strcasestr(name, info->name) != NULL) || (named != NULL && named->number == event)) {
        return CODE_EVENT_RIGHT;
    }
    if (named != NULL) {
        return decimal && as_typed(event) == named->number ? CODE_EVENT_DECIMAL : CODE_EVENT_WRONG;
    }
    for (const struct event_words *w = find_words(name, NULL); w != NULL; w = find_words(name, w)) {
        if (is_among(w, event)) {
            return CODE_EVENT_RIGHT;
        }
        found = true;
        typed |= as_typed(event) != event && is_among(w, as_typed(event));
    }
    return !found ? CODE_EVENT_OTHER : decimal && typed ? CODE_EVENT_DECIMAL : CODE_EVENT_WRONG;
}

void code_explain_event(const struct apmu_core_info *core, const char *text, unsigned event, bool decimal,
                        char because[400], char cure[400])
{
    const struct apmu_event_info *named = apmu_event_by_name(text);
    const struct event_words *w = find_words(text, NULL);

    if (named != NULL) {
        const struct event_words exact = {.events = {(uint16_t)named->number}};

        explain(core, &exact, event, decimal, because, cure);
    } else if (w != NULL) {
        explain(core, w, event, decimal, because, cure);
    }
}

/* Returns true if @text has the name of an event of another architecture: "INST_RETIRED.ANY_P", or words of such. */
static bool names_foreign_event(const char *text)
{
    static const char *const words[] = {"umask", "unhalted", "longest_lat", "Intel", "Xeon", "Skylake", "AMD ",
                                        "ex_ret_", "ls_not_halted", "PMCx0", "br_misp_", "br_inst_retired"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasestr(text, words[i]) != NULL) {
            return true;
        }
    }
    for (const char *p = strchr(text, '.'); p != NULL; p = strchr(p + 1, '.')) {
        const char *from = p;
        bool joined = false;

        while (from > text && (isupper((unsigned char)from[-1]) || isdigit((unsigned char)from[-1]) ||
                               from[-1] == '_')) {
            joined |= *--from == '_';
        }
        if (joined && p - from >= 6 && isupper((unsigned char)p[1]) && isupper((unsigned char)p[2])) {
            return true;
        }
    }
    return false;
}

/* Returns what is wrong with @event for the words @text: it is another one, or no event of the core. */
static enum why_cause_id wrong_event(const struct apmu_core_info *core, unsigned event, const char *text)
{
    const bool known = apmu_event_by_number(event) != NULL;

    if (core == NULL || !apmu_core_lists_event(core, APMU_EV_SW_INCR)) { /* a core without a list says nothing */
        return !known && names_foreign_event(text) ? WHY_event_number_unknown : WHY_event_counts_other_than_thought;
    }
    return apmu_core_lists_event(core, event) || !names_foreign_event(text) ? WHY_event_counts_other_than_thought
           : known                                                        ? WHY_event_not_of_this_core
                                                                          : WHY_event_number_unknown;
}

bool code_check_event_words(struct code_case *k, uint32_t line, uint32_t column, unsigned event, bool single,
                            bool assembly)
{
    const struct event_words *w;
    enum why_cause_id cause;
    struct suspect *suspect;
    char quote[120], reason[400];
    char text[400], because[400], cure[400];
    const struct apmu_event_info *info;
    const unsigned typed = as_typed(event);
    bool decimal = false;

    if (has_own_numbers(k->core)) {
        return false;
    }
    words_of(k, line, assembly, text, sizeof text);
    info = apmu_event_by_number(event);
    if (info != NULL && strcasestr(text, info->name) != NULL) {
        return false;
    }
    w = find_words(text, NULL);
    for (const struct event_words *other = w; other != NULL; other = find_words(text, other)) {
        if (is_among(other, event)) {
            return false;
        }
        decimal |= is_among(other, typed);
    }
    if (w == NULL && single) {
        w = whole_text(k, event);
        if (w == NULL || !(code_complains(k) || is_among(w, typed))) {
            return false;
        }
        decimal = is_among(w, typed);
    }
    if (w == NULL) {
        return false;
    }
    decimal = decimal && typed != event && is_decimal(k, event);
    cause = decimal ? WHY_event_counts_other_than_thought : wrong_event(k->core, event, text);
    explain(k->core, w, event, decimal, because, cure);
    if (cause != WHY_event_counts_other_than_thought) {
        suspect_text(because, "0x%02X is no event of %s%s, and the words beside it are those of another architecture's "
                              "list", event, k->core != NULL ? "the " : "Arm's",
                     k->core != NULL ? k->core->name : "");
    }
    reading_quote(k->r, line, quote, sizeof quote);
    snprintf(reason, sizeof reason, "%s -- %.270s", quote, because);
    suspect = suspect_add(k->all, cause,
                          decimal || code_complains(k) ? SUSPECT_CERTAIN : SUSPECT_LIKELY, line, reason, cure);
    suspect->weight = 55;
    suspect->column = column;
    return true;
}

/* Checks whether the core has the event. */
static void check_core(struct code_case *k, size_t i, unsigned event)
{
    char because[400], cure[400], instead[WHY_INSTEAD];

    if (k->core == NULL || k->core->pmu == APMU_CORE_PMU_ARM11 || k->core->pmu == APMU_CORE_PMU_NONE) {
        if (event < 0x26 && apmu_event_by_number(event) == NULL) {
            suspect_text(because, "0x%02X is the number of no event", event);
            code_suspect(k, WHY_event_number_unknown, SUSPECT_LIKELY, i, because, NULL);
        }
        return;
    }
    if (apmu_core_lists_event(k->core, event) || !apmu_core_lists_event(k->core, APMU_EV_SW_INCR) ||
        (event == 0x1E && k->core->pmu == APMU_CORE_PMU_V3)) {
        return; /* a core without a list says nothing */
    }
    suspect_text(because, "the %s has no event 0x%02X%s%s", k->core->name, event,
                 apmu_event_by_number(event) != NULL ? ", " : "",
                 apmu_event_by_number(event) != NULL ? apmu_event_by_number(event)->name : "");
    if (why_instead(k->core, event, instead) != NULL) {
        suspect_text(cure, "count another event of the %s: %s; armpmu list --core '%s' has all", k->core->name, instead,
                     k->core->name);
    } else {
        suspect_text(cure, "choose an event of the %s: armpmu list --core '%s'", k->core->name, k->core->name);
    }
    if (apmu_event_by_number(event) != NULL) {
        code_suspect(k, WHY_event_not_of_this_core, SUSPECT_CERTAIN, i, because, cure)->weight = 60;
        code_suspect(k, WHY_event_not_implemented, SUSPECT_LIKELY, i, because, cure)->weight = 55;
    } else {
        code_suspect(k, WHY_event_number_unknown, SUSPECT_CERTAIN, i, because, cure)->weight = 60;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * CHAIN.
 */

static bool is_chain(const struct code_cell *type)
{
    return type->line != 0 && (type->value.known & 0xFFFF) == 0xFFFF && (type->value.bits & 0xFFFF) == 0x1E;
}

/* Returns the even counter that counts an event and has no CHAIN above it, where CHAIN is in @chain; 31: none. */
static unsigned event_without_chain(const struct code_case *k, unsigned chain)
{
    const struct code_cell *types = k->last.types;

    for (unsigned n = 0; n + 1 < 31; n += 2) {
        if (n != chain && types[n].line != 0 && !is_chain(&types[n]) && types[n + 1].line == 0) {
            return n;
        }
    }
    return 31;
}

static void check_chain(struct code_case *k)
{
    const struct code_cell *types = k->last.types;
    char because[400], cure[400], name[32], text[160], value[24];
    const struct code_value *on = &k->last.cnten.value;

    for (unsigned n = 0; n < 31; n++) {
        if (!is_chain(&types[n])) {
            continue;
        }
        if (n % 2 == 0) {
            suspect_text(because, "CHAIN (0x1E) is in counter %u, an even one, where it counts nothing", n);
            suspect_text(
                cure,
                "the event belongs in the even counter and CHAIN in the odd one above it: PMEVTYPER%u = the event, "
                "PMEVTYPER%u = 0x1E, both enabled",
                n, n + 1);
            code_suspect(k, WHY_chain_not_programmed, SUSPECT_CERTAIN, types[n].step, because, cure)->weight = 72;
            return;
        }
        if (types[n - 1].line == 0 && (k->typed != 0 || code_complains(k))) {
            suspect_text(because, "CHAIN is in counter %u, but no event is in counter %u below it", n, n - 1);
            const unsigned other = event_without_chain(k, n);

            if (other < 31) {
                suspect_text(cure, "CHAIN of counter %u belongs in the odd counter above it, %u: %s, and enable both",
                             other, other + 1, code_write_text(k, CODE_PMEVTYPER, other + 1, "0x1E", text));
            } else {
                suspect_text(cure, "write the event to the even counter: %s",
                             code_write_text(k, CODE_PMEVTYPER, n - 1, "the event", text));
            }
            code_suspect(k, WHY_chain_not_programmed, SUSPECT_LIKELY, types[n].step, because, cure)->weight = 60;
            return;
        }
        if (k->last.cnten.line != 0 && k->enabled != 0 &&
            ((k->enabled >> n & 1) == 0 || (k->enabled >> (n - 1) & 1) == 0) && (on->read == 0 || on->known != 0)) {
            snprintf(value, sizeof value, "0x%x", 3u << (n - 1));
            suspect_text(because, "PMCNTENSET does not enable both counters of the pair %u and %u", n - 1, n);
            suspect_text(cure, "enable both: %s", code_write_text(k, CODE_PMCNTENSET, 0, value, text));
            code_suspect(k, WHY_chain_not_programmed, SUSPECT_CERTAIN, code_last_write(k, CODE_PMCNTENSET), because,
                         cure)
                ->weight = 72;
            suspect_clear(k->all, WHY_counter_not_enabled);
            return;
        }
    }
    (void)name;
}

/* Finds two counters that are joined to 64 bits, where nothing chains them. */
static void check_unchained(struct code_case *k)
{
    const char *text = k->r->text.joined;

    if (strstr(text, "<< 32") == NULL || k->aarch32) {
        return;
    }
    for (unsigned n = 1; n < 31; n += 2) {
        const struct code_cell *type = &k->last.types[n];

        if ((k->read_counters >> n & 1) == 0 || (k->read_counters >> (n - 1) & 1) == 0 || is_chain(type) ||
            is_chain(&k->last.types[n - 1]) || k->last.types[n - 1].line == 0) {
            continue;
        }
        if (type->line == 0 || (type->value.bits & 0xFFFF) == (k->last.types[n - 1].value.bits & 0xFFFF)) {
            code_suspect(k, WHY_chain_not_programmed, SUSPECT_CERTAIN, k->last.types[n - 1].step,
                         "two counters are joined to 64 bits, "
                         "and the odd one does not count CHAIN (0x1E)",
                         "write 0x1E (CHAIN) to PMEVTYPER of the odd counter, and "
                         "enable both")
                ->weight = 60;
            return;
        }
    }
}

/* Finds PMN1's event in ARM11's PMNC where PMN0 is the counter that is read. */
static void check_arm11(struct code_case *k)
{
    const uint64_t fields = APMU_MASK(PMNC, EvtCount0) | APMU_MASK(PMNC, EvtCount1) | APMU_MASK(PMNC, E);
    bool read[2] = {false, false};
    char because[400], cure[400];

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        read[0] |= s->act == CODE_READ && s->reg == CODE_A11_PMN0;
        read[1] |= s->act == CODE_READ && s->reg == CODE_A11_PMN1;
    }
    for (size_t i = 0; i < k->c->step_count && read[0] && !read[1]; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (s->act == CODE_WRITE && s->reg == CODE_A11_PMNC && (s->value.known & fields) == fields &&
            why_arm11_misplaced((uint32_t)s->value.bits, because, cure)) {
            code_suspect(k, WHY_event_counts_other_than_thought, SUSPECT_LIKELY, i, because, cure)->weight = 72;
            return;
        }
    }
}

void rules_code_events(struct code_case *k)
{
    unsigned events = 0, complained = 0;

    if (k->user && !k->granted) {
        return;
    }
    check_arm11(k);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < k->c->step_count; i++) {
            const struct code_step *s = &k->c->steps[i];
            const unsigned event = (unsigned)(s->value.bits & 0xFFFF);

            if (s->act != CODE_WRITE || (s->reg != CODE_PMEVTYPER && s->reg != CODE_PMXEVTYPER) ||
                (s->value.known & 0x3FF) != 0x3FF || code_counter_of(k, i) == CODE_CYCLE) {
                continue;
            }
            if (pass == 0) {
                events++;
            } else if (complained < 4) {
                complained +=
                    code_check_event_words(k, s->line, s->column, event, events == 1, (s->flags & CODE_ASM_FILE) != 0);
                check_core(k, i, event);
            }
        }
    }
    check_chain(k);
    check_unchained(k);
}
