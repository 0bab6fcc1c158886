/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu why`: says what keeps a counter from counting. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "why/why.h"

struct why_options {
    const char *symptom; /* NULL: none */
    unsigned states;     /* a set of APMU_STATE(x); 0: all */
    bool all_states;
    uint64_t counters; /* bit n is counter n; 0: all */
    bool json, cure;
    unsigned level; /* the highest level that may write, as for apmu_cure() */
    enum why_code code;
};

/* Complains about @value, which the user gave to --@option.  Returns false. */
static bool complain_of(const struct cli_args *args, const char *option, const char *value,
                        const char *cause_and_cure)
{
    cli_complain(args->verb, "--%s: %s: %s", option, value, cause_and_cure);
    return false;
}

/* Parses "NS_EL1", "EL1" (which is Non-secure) or "all".  Returns false after it complained. */
static bool parse_state(const struct cli_args *args, const char *text, struct why_options *options)
{
    if (strcasecmp(text, "all") == 0) {
        options->all_states = true;
        return true;
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        const char *name = apmu_state_name((enum apmu_state)s);

        if (strcasecmp(text, name) == 0 || (strncmp(name, "NS_", 3) == 0 && strcasecmp(text, name + 3) == 0)) {
            options->states |= 1u << s;
            return true;
        }
    }
    return complain_of(args, "at", text, "no such state; give all, EL3, or NS_EL0, S_EL1, RL_EL2 and so on");
}

static bool parse_counter(const struct cli_args *args, const char *text, struct why_options *options)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);

    if (strcmp(text, "cycle") == 0) {
        options->counters |= UINT64_C(1) << APMU_CYCLE;
    } else if (strcmp(text, "instr") == 0) {
        options->counters |= UINT64_C(1) << APMU_INSTR;
    } else if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && n < APMU_EVENT_COUNTERS) {
        options->counters |= UINT64_C(1) << n;
    } else {
        return complain_of(args, "counter", text, "no such counter; give cycle, instr, or 0 to 30");
    }
    return true;
}

static bool parse_level(const struct cli_args *args, const char *text, struct why_options *options)
{
    static const char *const levels[] = {"EL1", "EL2", "EL3", "external"};

    for (unsigned i = 0; i < 4; i++) {
        if (strcasecmp(text, levels[i]) == 0) {
            options->level = i + 1;
            return true;
        }
    }
    return complain_of(args, "level", text, "no such level; give EL1, EL2, EL3 or external");
}

static bool parse(const struct cli_args *args, struct why_options *options)
{
    *options = (struct why_options){.level = 3};
    for (size_t i = 0; i < args->given_count; i++) {
        const char *value = args->given[i].value;
        bool good = true;

        switch (args->given[i].id) {
        case CLI_AT:
            good = parse_state(args, value, options);
            break;
        case CLI_COUNTER:
            good = parse_counter(args, value, options);
            break;
        case CLI_LEVEL:
            good = parse_level(args, value, options);
            break;
        case CLI_SYMPTOM:
            options->symptom = value;
            break;
        case CLI_JSON:
            options->json = true;
            break;
        case CLI_CURE:
            options->cure = true;
            break;
        case CLI_C:
            options->cure = true;
            options->code = WHY_C;
            break;
        case CLI_MSR:
            options->cure = true;
            options->code = WHY_MSR;
            break;
        default:
            break;
        }
        if (!good) {
            return false;
        }
    }
    if (options->cure && options->json) {
        cli_complain(args->verb, "--json-output: a cure has no JSON form; give -c or --msr");
        return false;
    }
    return true;
}

/* Checks that --symptom is given without INPUT.  Returns false after it complained. */
static bool check_no_input(const struct cli_args *args)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (args->given[i].id == CLI_GDB || args->given[i].id == CLI_LIVE) {
            cli_complain(args->verb, "--symptom, --%s: --symptom takes no INPUT; give one of the two",
                         cli_option_name(args->verb, args->given[i].id));
            return false;
        }
    }
    if (args->operands[0] != NULL) {
        cli_complain(args->verb, "%s: --symptom takes no INPUT; give one of the two", args->operands[0]);
        return false;
    }
    return true;
}

/* Returns true on a terminal that has colours, unless NO_COLOR is set. */
static bool colour_wanted(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && (no == NULL || no[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

/* Restricts @w to the states and counters of the options.  Returns false, after it complained, if the PE lacks one. */
static bool restrict_to(struct why *w, const struct why_options *options, const struct cli_args *args)
{
    char list[128], counters[96];

    if ((options->states & ~w->states) != 0) {
        cli_complain(args->verb, "--at: the PE has no such state; it has %s", why_state_list(w->states, 0, list));
        return false;
    }
    if ((options->counters & ~w->counters) != 0) {
        cli_complain(args->verb, "--counter: the PMU has no such counter; it has %s",
                     why_counter_list(w->counters, counters));
        return false;
    }
    if (options->states != 0 && !options->all_states) {
        w->states = options->states;
    }
    if (options->counters != 0) {
        w->counters = options->counters;
    }
    return true;
}

/* Complains about the counters for which WHY_WORK did not suffice: for them the answer "depends" is not proved. */
static void complain_of_cuts(const struct why *w, const struct cli_args *args)
{
    uint64_t set = 0;
    char counters[96];

    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
            const bool asked = (w->counters >> n & 1) != 0 && (w->states >> s & 1) != 0;

            const struct apmu_verdict *v = &w->verdicts[n][s];

            set |= asked && !v->complete && v->is == APMU_ANSWER_DEPENDS ? UINT64_C(1) << n : 0;
        }
    }
    if (set != 0) {
        cli_complain(args->verb, "%s: too much is unknown to try every value for %s, so \"depends\" may be \"no\" "
                     "there; name more registers, or ask for less with --counter and --at", w->state->input,
                     why_counter_list(set, counters));
    }
}

int cli_why(const struct cli_args *args)
{
    static struct state state;
    static struct why w;
    struct why_options options;
    int status;

    if (!parse(args, &options)) {
        return CLI_USAGE;
    }
    if (options.symptom != NULL) {
        return check_no_input(args) ? why_symptoms(args, options.symptom, options.json) : CLI_USAGE;
    }
    if (!state_read(args, &state, &status)) {
        return status;
    }
    state_complain(args->verb, &state);
    if (state_is_arm11(&state)) {
        return why_arm11(&state, args, options.json, colour_wanted());
    }
    why_begin(&w, &state);
    if (!restrict_to(&w, &options, args)) {
        return CLI_USAGE;
    }
    why_decide(&w, WHY_WORK);
    complain_of_cuts(&w, args);
    if (options.counters != 0) {
        w.in_use = w.counters;
    }
    if (options.cure) {
        return why_cure(&w, args, options.level, options.code);
    }
    why_readers(&w);
    if (options.json) {
        return why_json(&w, args);
    }
    why_print(&w, colour_wanted());
    return cli_flush(args->verb, stdout, "stdout", CLI_YES);
}
