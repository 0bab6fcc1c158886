/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu audit`: says what less trusted software can learn about more trusted software through the PMU. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "why/why.h"

/* A profile: the states to protect.  The default, tf-a, protects what TF-A's firmware does: Secure state and EL3. */
struct audit_profile {
    char name[64];
    unsigned level;    /* the Exception level that protects, 2 or 3, as in struct apmu_policy_request */
    unsigned protect;  /* a set of APMU_STATE(x) */
    bool entered;      /* as in apmu_policy_leaks() */
    uint64_t accepted; /* leaks that are no fault: a set of 1 << enum apmu_policy_leak */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Profiles.
 */

static const struct state_group {
    const char *name;
    unsigned states;
} groups[] = {
    {"secure", APMU_STATES_SECURE}, {"realm", APMU_STATES_REALM}, {"el2", APMU_STATES_EL2},
    {"all", (1u << APMU_STATE_COUNT) - 1},
};

/* Adds the state or group of states that @word names to *@states.  Returns false if nothing has this name. */
static bool add_states(const char *word, unsigned *states)
{
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strcasecmp(word, groups[i].name) == 0) {
            *states |= groups[i].states;
            return true;
        }
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if (strcasecmp(word, apmu_state_name((enum apmu_state)s)) == 0) {
            *states |= 1u << s;
            return true;
        }
    }
    return false;
}

/* Adds the leak whose id in tables/policy.def is @word to *@leaks.  Returns false if there is none. */
static bool add_leak(const char *word, uint64_t *leaks)
{
    static const char *const ids[APMU_LEAK_COUNT] = {
#define APMU_POLICY_LEAK(id, reg, field, states, counters, condition, rule, text) #id,
#include <armpmu/tables/policy.def>
    };

    for (unsigned i = 0; i < APMU_LEAK_COUNT; i++) {
        if (strcasecmp(word, ids[i]) == 0) {
            *leaks |= UINT64_C(1) << i;
            return true;
        }
    }
    return false;
}

/* Parses a line of a profile, a key and its words, into @p.  Returns the word that is wrong, or NULL. */
static const char *parse_line(struct audit_profile *p, char *line)
{
    char *save = NULL, *word;
    bool has_words = false;

    line[strcspn(line, "#\n")] = '\0';
    const char *key = strtok_r(line, " \t", &save);

    while (key != NULL && (word = strtok_r(NULL, " \t", &save)) != NULL) {
        bool good = false;

        has_words = true;
        if (strcmp(key, "level") == 0) {
            p->level = strcmp(word, "2") == 0 ? 2 : 3;
            good = strcmp(word, "2") == 0 || strcmp(word, "3") == 0;
        } else if (strcmp(key, "protect") == 0) {
            good = add_states(word, &p->protect);
        } else if (strcmp(key, "moment") == 0) {
            p->entered = strcmp(word, "entered") == 0;
            good = p->entered || strcmp(word, "between") == 0;
        } else if (strcmp(key, "accept") == 0) {
            good = add_leak(word, &p->accepted);
        } else {
            return key;
        }
        if (!good) {
            return word;
        }
    }
    return key != NULL && !has_words ? key : NULL;
}

/* Makes the profile tf-a or el2, or reads it from the file @name.  Returns false after it complained. */
static bool read_profile(const struct cli_args *args, const char *name, struct audit_profile *p)
{
    char line[512];
    FILE *file;

    *p = (struct audit_profile){.level = 3, .protect = 0};
    snprintf(p->name, sizeof p->name, "%s", name);
    if (strcmp(name, "tf-a") == 0) {
        p->protect = APMU_STATES_SECURE | APMU_STATE(EL3);
        return true;
    }
    if (strcmp(name, "el2") == 0) {
        p->level = 2;
        p->protect = APMU_STATES_EL2;
        return true;
    }
    if ((file = fopen(name, "r")) == NULL) {
        cli_complain(args->verb, "--profile: %s: %s; give tf-a, el2, or a file", name, strerror(errno));
        return false;
    }
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        const char *wrong = parse_line(p, line);

        if (wrong != NULL) {
            cli_complain(args->verb, "%s:%u: %s: not understood; a line is level 2 or 3, protect STATE..., "
                         "moment between or entered, or accept LEAK...", name, number, wrong);
            fclose(file);
            return false;
        }
    }
    fclose(file);
    if (p->protect == 0) {
        cli_complain(args->verb, "%s: it protects nothing; add a line with protect and states, such as secure or EL3",
                     name);
        return false;
    }
    return true;
}

/* Returns the states of the profile that the PE has and that the profile's level can protect. */
static unsigned protected_states(const struct why *w, const struct audit_profile *p)
{
    const unsigned there = apmu_states(w->model.cfg.features);

    return p->protect & there &
           (p->level == 2 ? APMU_STATES_EL2 : ~(APMU_STATE(NS_EL0) | APMU_STATE(NS_EL1)));
}

/* ---------------------------------------------------------------------------------------------------------------
 * Output.
 */

/* Writes the names of the counters in @set, as struct apmu_policy_violation has it, to @buf.  Returns @buf. */
static const char *counter_words(unsigned set, char buf[128])
{
    static const char *const words[] = {"event counters below HPMN", "event counters from HPMN up",
                                        "event counters from EPMN up", "the cycle counter", "the instruction counter"};

    buf[0] = '\0';
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((set >> i & 1) != 0) {
            snprintf(buf + strlen(buf), 128 - strlen(buf), "%s%s", buf[0] == '\0' ? "" : ", ", words[i]);
        }
    }
    return buf;
}

/* Returns the number of the lowest bit that is set in @mask, or 63 if none is. */
static unsigned lsb(uint64_t mask)
{
    unsigned bit = 0;

    while (bit < 63 && (mask >> bit & 1) == 0) {
        bit++;
    }
    return bit;
}

static void print_violation(const struct why *w, const struct apmu_policy_violation *v, bool accepted)
{
    const struct state_cell *cell = state_cell(w->state, v->reg, 0);
    char states[128], counters[128], origin[128];

    printf("%s %s: %s [%s]\n", accepted ? "accepted" : "LEAK", v->id, v->text, v->rule);
    if (v->known) {
        printf("    %s.%s is %" PRIu64 " (%s); %" PRIu64 " closes it\n", v->name, v->field, v->found >> lsb(v->mask),
               state_origin(w->state, cell, origin), v->wanted >> lsb(v->mask));
    } else {
        printf("    %s.%s may be anything: %s; %" PRIu64 " closes it%s\n", v->name, v->field,
               cell->known != 0 ? "less trusted software can write it" : "it is not in the input",
               v->wanted >> lsb(v->mask), cell->known != 0 ? ", written at each entry (moment entered)" : "");
    }
    printf("    reveals %s, by %s\n", why_state_list(v->states, 0, states), counter_words(v->counters, counters));
}

static json_t *violation_json(const struct apmu_policy_violation *v, bool accepted)
{
    json_t *object = json_object(), *states = json_array();

    json_object_set_new(object, "leak", json_string(v->id));
    json_object_set_new(object, "accepted", json_boolean(accepted));
    json_object_set_new(object, "register", json_string(v->name));
    json_object_set_new(object, "field", json_string(v->field));
    json_object_set_new(object, "value", v->known ? json_integer((json_int_t)(v->found >> lsb(v->mask))) : json_null());
    json_object_set_new(object, "wanted", json_integer((json_int_t)(v->wanted >> lsb(v->mask))));
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        if ((v->states >> s & 1) != 0) {
            json_array_append_new(states, json_string(apmu_state_name((enum apmu_state)s)));
        }
    }
    json_object_set_new(object, "states", states);
    json_object_set_new(object, "counters", json_integer(v->counters));
    json_object_set_new(object, "rule", json_string(v->rule));
    json_object_set_new(object, "text", json_string(v->text));
    return object;
}

static void print_notes(const struct why *w, const struct audit_profile *p, unsigned protect)
{
    const struct apmu_policy_request request = {.features = w->model.cfg.features, .level = (uint8_t)p->level,
                                                .counters = w->model.cfg.counters, .protect = (uint16_t)protect};
    struct apmu_policy_note notes[APMU_NOTE_COUNT];
    const size_t count = apmu_policy_notes(&request, notes);
    char states[128];

    for (size_t i = 0; i < count; i++) {
        printf("note %s: %s: %s [%s]\n", notes[i].id, why_state_list(notes[i].states, 0, states), notes[i].text,
               notes[i].rule);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The verb.
 */

/* Audits the state and prints what it finds.  Returns the exit status. */
static int report(const struct why *w, const struct audit_profile *p, const struct cli_args *args, bool json)
{
    struct apmu_policy_violation found[APMU_AUDIT_ROWS];
    const unsigned protect = protected_states(w, p);
    const size_t count = apmu_audit(&w->facts, p->level, protect, p->entered, found);
    json_t *array = json_array();
    size_t open = 0;
    char states[128];

    if (!json) {
        printf("profile %s: what software less trusted than %s learns of %s, %s\n", p->name,
               p->level == 3 ? "EL3" : "EL2", why_state_list(protect, 0, states),
               p->entered ? "once it was entered" : "between entries");
    }
    for (size_t i = 0; i < count; i++) {
        const bool accepted = (p->accepted >> found[i].leak & 1) != 0;

        open += !accepted;
        if (json) {
            json_array_append_new(array, violation_json(&found[i], accepted));
        } else {
            print_violation(w, &found[i], accepted);
        }
    }
    const int status = open != 0 ? CLI_NO : CLI_YES;
    if (json) {
        const int printed = why_dump(args, array);

        return printed != CLI_YES ? printed : status;
    }
    json_decref(array);
    if (open == 0) {
        printf("nothing leaks%s\n", count != 0 ? " but what is accepted" : "");
    }
    print_notes(w, p, protect);
    return cli_flush(args->verb, stdout, "stdout", status);
}

int cli_audit(const struct cli_args *args)
{
    static struct state state;
    static struct why w;
    struct audit_profile profile;
    const char *name = "tf-a";
    bool json = false;
    int status;

    for (size_t i = 0; i < args->given_count; i++) {
        name = args->given[i].id == CLI_PROFILE ? args->given[i].value : name;
        json |= args->given[i].id == CLI_JSON;
    }
    if (!read_profile(args, name, &profile)) {
        return CLI_USAGE;
    }
    if (!state_read(args, &state, &status)) {
        return status;
    }
    state_complain(args->verb, &state);
    if (state_is_arm11(&state)) {
        cli_complain(args->verb, "%s: the ARM11 unit has no policy: SPNIDEN low keeps it out of the Secure world",
                     state.input);
        return CLI_CANNOT;
    }
    why_begin(&w, &state);
    if (protected_states(&w, &profile) == 0) {
        cli_complain(args->verb, "profile %s: the PE has no state that it protects; see --features and --profile",
                     profile.name);
        return CLI_USAGE;
    }
    return report(&w, &profile, args, json);
}
