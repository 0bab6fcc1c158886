/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu why`: says what keeps a counter from counting. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dumper/dumper.h"
#include "why/patch.h"
#include "why/rules.h"

struct why_options {
    const char *symptom; /* NULL: none */
    const char *dumper;  /* NULL, or the form of a dumper */
    unsigned states;     /* a set of APMU_STATE(x); 0: all */
    bool all_states;
    uint64_t counters; /* bit n is counter n; 0: all */
    bool json, cure, verbose, live; /* .live: the input is --gdb or --live */
    unsigned level; /* the highest level that may write, as for apmu_cure(); 0: not given */
    bool code, form_given, list_forms; /* -c, --form */
    enum form_id form;
    const char *base; /* of --base; NULL: not given */
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

static bool parse_form(const struct cli_args *args, const char *text, struct why_options *options)
{
    options->cure = options->code = options->form_given = true;
    options->list_forms |= strcmp(text, "list") == 0;
    return options->list_forms || form_by_name(text, &options->form) ||
           complain_of(args, "form", text, "no such form; --form=list lists them");
}

static bool parse(const struct cli_args *args, struct why_options *options)
{
    *options = (struct why_options){0};
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
        case CLI_GDB:
        case CLI_LIVE:
            options->live = true;
            break;
        case CLI_DUMPER:
            options->dumper = value;
            break;
        case CLI_JSON:
            options->json = true;
            break;
        case CLI_CURE:
            options->cure = true;
            break;
        case CLI_VERBOSE:
            options->verbose = true;
            break;
        case CLI_C:
            options->cure = options->code = true;
            break;
        case CLI_MSR:
        case CLI_FORM:
            good = parse_form(args, value != NULL ? value : "asm", options);
            break;
        case CLI_BASE:
            options->base = value;
            break;
        default:
            break;
        }
        if (!good) {
            return false;
        }
    }
    if (options->cure && options->json) {
        cli_complain(args->verb, "--json-output: a cure has no JSON form; give -c");
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

/* Returns the states of @w at the level of the PE that the input tells. */
static unsigned states_at(const struct why *w, unsigned el)
{
    unsigned set = 0;

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        set |= (w->states >> s & 1) != 0 && why_at(w, (enum apmu_state)s).is.pe.el == el ? 1u << s : 0;
    }
    return set != 0 ? set : w->states;
}

/* Restricts @w to the states and counters of the options.  Returns false, after it complained, if the PE lacks one. */
static bool restrict_to(struct why *w, const struct why_options *options, const struct cli_args *args)
{
    char list[128], missing[128], counters[96];

    if ((options->states & ~w->states) != 0) {
        cli_complain(args->verb, "--at: %s: the PE lacks it; give one that it has: %s",
                     why_state_list(options->states & ~w->states, 0, missing), why_state_list(w->states, 0, list));
        return false;
    }
    if ((options->counters & ~w->counters) != 0) {
        if (options->cure) { /* else the verdict has said so */
            cli_complain(args->verb, "--counter: the PMU has no such counter; it has %s",
                         why_counter_list(w->counters, counters));
        }
        return false;
    }
    if (options->states != 0 && !options->all_states) {
        w->states = options->states;
    } else if (!options->all_states && w->model.el_known) {
        w->states = states_at(w, w->model.pe.el);
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

/* Finds the form in which the cure is printed: NULL for text. */
static const struct cure_form *find_form(const struct why_options *options, const struct reading *r, bool a32,
                                    struct cure_form *form)
{
    if (!options->code) {
        return NULL;
    }
    form_find(r, a32, form);
    if (options->base != NULL) {
        snprintf(form->base, sizeof form->base, "%s", options->base);
        form->memory = true;
        form->id = form->id == FORM_C ? FORM_MEMORY : form->id;
    }
    if (options->form_given) {
        form_choose(form, options->form);
    }
    return form;
}

/* Prints the cure, or everything that the registers of @state say: with @object as JSON.  Returns an exit status. */
static int tell_registers(const struct cli_args *args, const struct why_options *options, const struct reading *r,
                          const struct state *state, bool aarch32, json_t *object)
{
    static struct why w;
    struct cure_form form;

    why_begin(&w, state);
    w.aarch32 = aarch32;
    if (!restrict_to(&w, options, args)) {
        return options->cure || (options->states & ~w.states) != 0 ? CLI_USAGE : CLI_YES;
    }
    why_decide(&w, WHY_WORK);
    complain_of_cuts(&w, args);
    if (options->counters != 0) {
        w.in_use = w.counters;
    }
    if (options->cure) {
        const unsigned reader = w.model.el_known && w.model.pe.el > 0 ? w.model.pe.el : w.model.el_known ? 1 : 3;
        const bool a32 = (w.model.cfg.features & APMU_FEAT(AA64)) == 0 || w.model.pe.a32;

        return why_cure(&w, args, options->level != 0 ? options->level : reader,
                        find_form(options, r, a32, &form));
    }
    why_readers(&w);
    if (object != NULL) {
        why_json(&w, object);
    } else {
        why_print(&w, colour_wanted());
    }
    return CLI_YES;
}

/* Prints the verdict on @r, and what else is asked for.  Returns an exit status. */
static int tell(const struct cli_args *args, const struct why_options *options, const struct reading *r)
{
    struct suspects *all = cli_allocate(NULL, 1, sizeof *all);
    const struct rules_input in = {.r = r, .args = args, .states = options->all_states ? 0 : options->states,
                                   .counters = options->counters};
    const enum verdict_answer answer = verdict_decide(&in, all);
    json_t *object = options->json ? json_object() : NULL;
    int status = CLI_YES;

    if (options->json) {
        json_object_set_new(object, "source", json_string(r->input));
        json_object_set_new(object, "verdict", verdict_json(all, answer));
    } else {
        verdict_print(r, all, answer, options->verbose, colour_wanted());
    }
    for (size_t i = 0; (options->json || options->verbose) && i < r->state_count && status == CLI_YES; i++) {
        if (r->states[i].facts == 0 && !r->states[i].host.known) {
            continue;
        }
        if (!options->json) {
            putchar('\n');
        }
        if (state_is_arm11(&r->states[i])) {
            why_arm11(&r->states[i], object, colour_wanted());
        } else {
            status = tell_registers(args, options, r, &r->states[i], all->aarch32, object);
        }
    }
    free(all);
    if (status != CLI_YES && !options->json) {
        return status;
    }
    status = answer == VERDICT_NONE ? CLI_YES : answer == VERDICT_CAUSES ? CLI_NO : CLI_CANNOT;
    return options->json ? why_dump(args, object) == CLI_YES ? status : CLI_CANNOT
                         : cli_flush(args->verb, stdout, "stdout", status);
}

/* Returns true if @r has registers of PMUv1, PMUv2 or PMUv3, from which the writes of a cure are computed. */
static bool has_registers(const struct reading *r)
{
    const struct state *s = &r->states[0];

    return (s->facts != 0 || s->host.known) && !state_is_arm11(s);
}

/* Prints a cure of the input @r.  Returns an exit status. */
static int tell_cure(const struct cli_args *args, const struct why_options *options, const struct reading *r)
{
    const struct rules_input in = {.r = r, .args = args, .states = options->all_states ? 0 : options->states,
                                   .counters = options->counters};
    const bool named = options->counters != 0 || options->states != 0 || options->all_states || options->level != 0;
    struct cure_form form;

    if (has_registers(r) && r->code == NULL && !(options->code && !named && why_patches(&in))) {
        return tell_registers(args, options, r, &r->states[0], false, NULL);
    }
    if (!options->code) {
        return tell(args, options, r);
    }
    return cli_flush(args->verb, stdout, "stdout", why_patch(&in, find_form(options, r, false, &form)));
}

int cli_why(const struct cli_args *args)
{
    struct why_options options;
    struct reading r;
    int status;

    if (!parse(args, &options)) {
        return CLI_USAGE;
    }
    if (options.dumper != NULL) {
        return dumper_run(args, options.dumper);
    }
    if (options.list_forms) {
        form_list(stdout);
        return cli_flush(args->verb, stdout, "stdout", CLI_YES);
    }
    if (options.symptom != NULL && args->operands[0] == NULL && !options.live && why_lists_symptom(options.symptom)) {
        if (options.base != NULL) {
            cli_complain(args->verb, "--base: %s: it belongs to registers, and a symptom alone has none; give INPUT",
                         options.base);
            return CLI_USAGE;
        }
        return why_symptoms(args, options.symptom, options.json);
    }
    if (!reading_open(args, &r, &status)) {
        return status;
    }
    for (size_t i = 0; i < r.state_count; i++) {
        state_complain(args->verb, &r.states[i]);
    }
    status = options.cure ? tell_cure(args, &options, &r) : tell(args, &options, &r);
    reading_free(&r);
    return status;
}
