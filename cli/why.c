/* SPDX-License-Identifier: BSD-2-Clause */
/* armpmu why: what keeps a counter from counting. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "why/why.h"

struct wishes {
    const char *symptom;
    unsigned states;
    bool all_states;
    uint64_t counters;
    bool json, cure;
    unsigned level;
    enum why_code code;
};

static bool complain_of(const struct cli_args *args, const char *option, const char *value, const char *cure)
{
    cli_complain(args->verb, "--%s: %s: %s", option, value, cure);
    return false;
}

/* "NS_EL1", "EL1" (Non-secure), "now" or "all". */
static bool parse_state(const struct cli_args *args, const char *text, struct wishes *wishes)
{
    if (strcasecmp(text, "all") == 0) {
        wishes->all_states = true;
        return true;
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        const char *name = apmu_state_name((enum apmu_state)s);

        if (strcasecmp(text, name) == 0 || (strncmp(name, "NS_", 3) == 0 && strcasecmp(text, name + 3) == 0)) {
            wishes->states |= 1u << s;
            return true;
        }
    }
    return complain_of(args, "at", text, "no such state; give all, EL3, or NS_EL0, S_EL1, RL_EL2 and so on");
}

static bool parse_counter(const struct cli_args *args, const char *text, struct wishes *wishes)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);

    if (strcmp(text, "cycle") == 0) {
        wishes->counters |= UINT64_C(1) << APMU_CYCLE;
    } else if (strcmp(text, "instr") == 0) {
        wishes->counters |= UINT64_C(1) << APMU_INSTR;
    } else if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && n < APMU_EVENT_COUNTERS) {
        wishes->counters |= UINT64_C(1) << n;
    } else {
        return complain_of(args, "counter", text, "no such counter; give cycle, instr, or 0 to 30");
    }
    return true;
}

static bool parse_level(const struct cli_args *args, const char *text, struct wishes *wishes)
{
    static const char *const levels[] = {"EL1", "EL2", "EL3", "external"};

    for (unsigned i = 0; i < 4; i++) {
        if (strcasecmp(text, levels[i]) == 0) {
            wishes->level = i + 1;
            return true;
        }
    }
    return complain_of(args, "level", text, "no such level; give EL1, EL2, EL3 or external");
}

static bool parse(const struct cli_args *args, struct wishes *wishes)
{
    *wishes = (struct wishes){.level = 3};
    for (size_t i = 0; i < args->given_count; i++) {
        const char *value = args->given[i].value;
        bool good = true;

        switch (args->given[i].id) {
        case CLI_AT:
            good = parse_state(args, value, wishes);
            break;
        case CLI_COUNTER:
            good = parse_counter(args, value, wishes);
            break;
        case CLI_LEVEL:
            good = parse_level(args, value, wishes);
            break;
        case CLI_SYMPTOM:
            wishes->symptom = value;
            break;
        case CLI_JSON:
            wishes->json = true;
            break;
        case CLI_CURE:
            wishes->cure = true;
            break;
        case CLI_C:
            wishes->cure = true;
            wishes->code = WHY_C;
            break;
        case CLI_MSR:
            wishes->cure = true;
            wishes->code = WHY_MSR;
            break;
        default:
            break;
        }
        if (!good) {
            return false;
        }
    }
    if (wishes->cure && wishes->json) {
        cli_complain(args->verb, "--json-output: not of a cure; give -c or --msr");
        return false;
    }
    return true;
}

/* Colour on a terminal, unless NO_COLOR is set or the terminal has none. */
static bool colour_wanted(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

/* What is asked for must exist. */
static bool choose(struct why *w, const struct wishes *wishes, const struct cli_args *args)
{
    char list[128], counters[96];

    if ((wishes->states & ~w->states) != 0) {
        cli_complain(args->verb, "--at: the PE has no such state; it has %s", why_state_list(w->states, 0, list));
        return false;
    }
    if ((wishes->counters & ~w->counters) != 0) {
        cli_complain(args->verb, "--counter: the PMU has no such counter; it has %s",
                     why_counter_list(w->counters, counters));
        return false;
    }
    if (wishes->states != 0 && !wishes->all_states) {
        w->states = wishes->states;
    }
    if (wishes->counters != 0) {
        w->counters = wishes->counters;
    }
    return true;
}

/* An answer that needs more work than there is says DEPENDS without proof. */
static void complain_of_cuts(const struct why *w, const struct cli_args *args)
{
    uint64_t set = 0;
    char counters[96];

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            const bool asked = (w->counters >> n & 1) != 0 && (w->states >> s & 1) != 0;

            set |= asked && !w->verdicts[n][s].complete && w->verdicts[n][s].is == APMU_ANSWER_DEPENDS ? UINT64_C(1) << n : 0;
        }
    }
    if (set != 0) {
        cli_complain(args->verb, "%s: too much is unknown to try all of it for %s, so \"depends\" may be \"no\" there; name "
                     "more registers, or ask for less with --counter and --at", w->state->input,
                     why_counter_list(set, counters));
    }
}

int cli_why(const struct cli_args *args)
{
    static struct state state;
    static struct why w;
    struct wishes wishes;
    int status;

    if (!parse(args, &wishes)) {
        return CLI_USAGE;
    }
    if (wishes.symptom != NULL) {
        return why_symptoms(args, wishes.symptom, wishes.json);
    }
    if (!state_read(args, &state, &status)) {
        return status;
    }
    state_complain(args->verb, &state);
    if (state_is_arm11(&state)) {
        return why_arm11(&state, args, wishes.json, colour_wanted());
    }
    why_begin(&w, &state);
    if (!choose(&w, &wishes, args)) {
        return CLI_USAGE;
    }
    why_decide(&w, WHY_WORK);
    complain_of_cuts(&w, args);
    if (wishes.counters != 0) {
        w.in_use = w.counters;
    }
    if (wishes.cure) {
        return why_cure(&w, args, wishes.level, wishes.code);
    }
    why_readers(&w);
    if (wishes.json) {
        return why_json(&w, args);
    }
    why_print(&w, colour_wanted());
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}
