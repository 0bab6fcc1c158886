/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completes command lines for shells.  `armpmu --complete WORD...` has the words after "armpmu" up to the cursor, of
 * which the last is to be completed, and prints a line for each candidate: the word, a tab, and what it is.  A line
 * that begins with a colon asks the shell to add its own: ":files", ":folders" or ":commands".  The files of
 * package/completion/ are what bash, zsh and fish call it with.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <armpmu/core.h>
#include <armpmu/cores.h>
#include <armpmu/events.h>
#include <armpmu/explain.h>
#include <armpmu/metrics.h>

#include "cli.h"
#include "profile/to.h"
#include "profile/view.h"
#include "state/fields.h"
#include "why/form.h"
#include "why/why.h"

/* A word to complete. */
struct completion {
    const struct cli_verb *verb;
    const char *word;   /* what is typed of it */
    const char *head;   /* what stands before it in the same word: "--event=INST_RETIRED," */
    size_t head_length;
    char *const *operands; /* the operands before it, */
    size_t operand_count;  /* of which there are so many */
};

/* Prints the candidate @word if it begins with what is typed, in any case.  @text may be NULL. */
static void offer(const struct completion *c, const char *word, const char *text)
{
    if (strncasecmp(word, c->word, strlen(c->word)) == 0) {
        printf("%.*s%s\t%.100s\n", (int)c->head_length, c->head, word, text == NULL ? "" : text);
    }
}

static void offer_events(const struct completion *c)
{
    for (size_t i = 0; i < apmu_event_count(); i++) {
        offer(c, apmu_event_at(i)->name, apmu_event_at(i)->text);
    }
}

static void offer_metrics(const struct completion *c)
{
    const struct apmu_metric_set *common = apmu_metric_set_of(NULL, 0);
    struct apmu_metric metric;

    for (size_t i = 0; apmu_metric_at(common, i, &metric); i++) {
        offer(c, metric.name, metric.text);
    }
}

static void offer_cores(const struct completion *c)
{
    for (size_t i = 0; i < apmu_core_count(); i++) {
        const char *name = apmu_core_at(i)->name;
        char word[64] = "";

        for (size_t k = 0; name[k] != '\0' && k < sizeof word - 1; k++) { /* --core takes them without blanks, too */
            word[k] = name[k] == ' ' ? '-' : (char)tolower((unsigned char)name[k]);
        }
        offer(c, word, name);
    }
}

static void offer_models(const struct completion *c)
{
    struct apmu_core_row row = {.size = sizeof row};

    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        offer(c, row.name, "a core of the core model");
    }
}

static void offer_features(const struct completion *c)
{
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *name = apmu_feature_name(bit);

        if (name != NULL) {
            offer(c, strncmp(name, "FEAT_", 5) == 0 ? name + 5 : name, NULL);
        }
    }
}

static void offer_states(const struct completion *c)
{
    offer(c, "all", "each state");
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        offer(c, apmu_state_name((enum apmu_state)s), NULL);
    }
}

static void offer_counters(const struct completion *c)
{
    offer(c, "cycle", "PMCCNTR_EL0");
    offer(c, "instr", "PMICNTR_EL0");
    for (unsigned n = 0; n < APMU_EVENT_COUNTERS; n++) {
        char word[4];

        snprintf(word, sizeof word, "%u", n);
        offer(c, word, NULL);
    }
}

static void offer_symptoms(const struct completion *c)
{
    offer(c, "all", "the causes of all symptoms");
    for (unsigned i = 0; i < WHY_SYMPTOM_COUNT; i++) {
        offer(c, why_symptom_id((enum why_symptom)i), NULL);
    }
}

static void offer_dumpers(const struct completion *c)
{
#define DUMPER_FORM(name, view, write, text) offer(c, name, text);
#include "dumper/forms.def"
}

/* Offers the lines "NAME  TEXT" that @print prints. */
static void offer_lines(const struct completion *c, void (*print)(FILE *out))
{
    char *text = NULL, *next;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return;
    }
    print(out);
    fclose(out);
    for (char *line = text; line != NULL && *line != '\0'; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *rest = line + strcspn(line, " ");

        if (*rest != '\0') {
            *rest++ = '\0';
        }
        offer(c, line, rest + strspn(rest, " "));
    }
    free(text);
}

static void offer_forms(const struct completion *c)
{
    offer_lines(c, form_list);
}

static void offer_formats(const struct completion *c)
{
    offer_lines(c, to_print_formats);
}

static void offer_keys(const struct completion *c)
{
    for (unsigned i = 0; i <= PROFILE_BY_IMAGE; i++) {
        offer(c, view_key_name((enum profile_key)i), NULL);
    }
}

/* Offers the registers of AArch64 state, a bank as its first copy. */
static void offer_registers(const struct completion *c)
{
    for (unsigned reg = 0; reg < APMU_REG_ALL; reg++) {
        char name[24];

        offer(c, apmu_reg_name((enum apmu_reg)reg, 0, name), apmu_reg_info((enum apmu_reg)reg)->text);
    }
}

/* Offers the fields of the register that is the first operand, or the events of its evtCount. */
static void offer_fields(const struct completion *c)
{
    struct names_place place;
    struct fields_register f;
    const size_t length = strcspn(c->operands[0], "=");

    if (c->head_length == 9 && strncasecmp(c->head, "evtCount=", 9) == 0) {
        offer_events(c);
        return;
    }
    if (c->head_length > 0 || !names_by_name(c->operands[0], length, &place)) {
        return;
    }
    fields_list(&place, &(struct fields_config){.cfg = NULL}, &f);
    for (unsigned i = 0; i < f.count; i++) {
        char word[64];

        if (!f.rows[i].reserved) {
            snprintf(word, sizeof word, "%s=", f.rows[i].name);
            offer(c, word, f.rows[i].text);
        }
    }
}

static void ask_files(const struct completion *c)
{
    (void)c;
    printf(":files\n");
}

static void ask_commands(const struct completion *c)
{
    (void)c;
    printf(":commands\n");
}

static void ask_folders(const struct completion *c)
{
    (void)c;
    printf(":folders\n");
}

/* What the value of an option is.  An option without a row takes a number or a text. */
static const struct value_row {
    enum cli_option_id id;
    const char *verbs;   /* blanks around each: " stat run ".  NULL: every verb */
    const char *choices; /* words with blanks between; NULL: see .offer */
    bool list;           /* a comma ends a value, and another one follows */
    void (*offer)(const struct completion *c);
} values[] = {
    {CLI_EVENT, NULL, NULL, true, offer_events},
    {CLI_METRICS, NULL, NULL, true, offer_metrics},
    {CLI_CORE, " stat record run coverage ", NULL, false, offer_models},
    {CLI_CORE, NULL, NULL, false, offer_cores},
    {CLI_FEATURES, NULL, NULL, true, offer_features},
    {CLI_AT, NULL, NULL, false, offer_states},
    {CLI_COUNTER, NULL, NULL, false, offer_counters},
    {CLI_SYMPTOM, NULL, NULL, false, offer_symptoms},
    {CLI_DUMPER, NULL, NULL, false, offer_dumpers},
    {CLI_FORM, NULL, NULL, false, offer_forms},
    {CLI_TO, NULL, NULL, false, offer_formats},
    {CLI_BY, NULL, NULL, false, offer_keys},
    {CLI_LEVEL, NULL, "EL1 EL2 EL3 external", false, NULL},
    {CLI_EL, NULL, "1 2 3", false, NULL},
    {CLI_ENGINE, " record ", "perf qemu-user", false, NULL},
    {CLI_ENGINE, NULL, "auto perf qemu-user", false, NULL},
    {CLI_SORT, NULL, "self total name", false, NULL},
    {CLI_COLOUR, NULL, "auto always never", false, NULL},
    {CLI_CPU, NULL, "max cortex-a15 cortex-a53 cortex-a57 cortex-a72 arm1136 arm1176", false, NULL},
    {CLI_ISA, NULL, "A64 A32", false, NULL},
    {CLI_CONSOLE, NULL, "semihosting memory pl011:", false, NULL},
    {CLI_COMPILER, NULL, NULL, false, ask_commands},
    {CLI_PROFILE, NULL, "tf-a el2", false, ask_files},
    {CLI_SYSROOT, NULL, NULL, false, ask_folders},
    {CLI_DEBUG, NULL, NULL, false, ask_folders},
    {CLI_LOGS, NULL, NULL, false, ask_folders},
};

/* Offers the values of option @o. */
static void offer_values(struct completion *c, const struct cli_option *o)
{
    char verb[32];

    snprintf(verb, sizeof verb, " %s ", c->verb->name);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const struct value_row *row = &values[i];

        if (row->id != o->id || (row->verbs != NULL && strstr(row->verbs, verb) == NULL)) {
            continue;
        }
        const char *last = row->list ? strrchr(c->word, ',') : NULL;
        const char *word = last == NULL ? c->word : last + 1;

        word += row->offer == offer_features && (*word == '+' || *word == '-');
        c->head_length += (size_t)(word - c->word);
        c->word = word;
        for (const char *choice = row->choices; choice != NULL && *choice != '\0';) {
            const size_t length = strcspn(choice, " ");
            char text[32];

            snprintf(text, sizeof text, "%.*s", (int)length, choice);
            offer(c, text, NULL);
            choice += length + (choice[length] == ' ');
        }
        if (row->offer != NULL) {
            row->offer(c);
        }
        return;
    }
    if (strcmp(o->argument, "FILE") == 0 || strcmp(o->argument, "PAGE") == 0 ||
        strcmp(o->argument, "RECORDING") == 0) {
        ask_files(c);
    }
}

static void offer_options(const struct completion *c)
{
    for (const struct cli_option *o = c->verb->options; o->name != NULL; o++) {
        char word[64], text[100];

        snprintf(word, sizeof word, "--%s", o->name);
        snprintf(text, sizeof text, "%s", o->text); /* its first sentence */
        text[strcspn(text, ".")] = '\0';
        offer(c, word, text);
    }
}

static void offer_operands(struct completion *c)
{
    const char *verb = c->verb->name;

    if (strcmp(verb, "stat") == 0 || strcmp(verb, "record") == 0 || strcmp(verb, "conform") == 0) {
        printf(c->operand_count == 0 ? ":commands\n" : ":files\n");
    } else if (strcmp(verb, "list") == 0 || strcmp(verb, "doctor") == 0) {
        offer_events(c);
    } else if (strcmp(verb, "decode") == 0 || (strcmp(verb, "encode") == 0 && c->operand_count == 0)) {
        offer_registers(c);
    } else if (strcmp(verb, "encode") == 0) {
        const char *equals = strchr(c->word, '=');

        if (equals != NULL) {
            c->head_length = (size_t)(equals + 1 - c->word);
            c->word = equals + 1;
        }
        offer_fields(c);
    } else if (strcmp(verb, "annotate") != 0 && strcmp(verb, "export") != 0 && strcmp(verb, "generate") != 0) {
        printf(":files\n");
    }
}

static void offer_verbs(const struct completion *c, bool options)
{
    for (const struct cli_verb *v = cli_verbs; v->name != NULL; v++) {
        offer(c, v->name, v->summary);
    }
    if (options) {
        offer(c, "help", "print the help of a verb");
        offer(c, "--help", "print the help");
        offer(c, "--version", "print the version");
    }
}

/* Returns the option of @verb at the end of @word, which begins with "-", if its value is the next word; or NULL. */
static const struct cli_option *option_without_value(const struct cli_verb *verb, const char *word)
{
    for (const struct cli_option *o = verb->options; o->name != NULL; o++) {
        const bool is_long = strncmp(word, "--", 2) == 0;

        if (o->argument[0] != '\0' &&
            (is_long ? strcmp(word + 2, o->name) == 0 : o->letter != '\0' && word[strlen(word) - 1] == o->letter)) {
            return o;
        }
    }
    return NULL;
}

/* Returns the option of @verb that "--NAME=" at the beginning of @word names, and in *@length that of all this. */
static const struct cli_option *option_with_value(const struct cli_verb *verb, const char *word, size_t *length)
{
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;

    *length = equals == NULL ? 0 : (size_t)(equals + 1 - word);
    for (const struct cli_option *o = verb->options; equals != NULL && o->name != NULL; o++) {
        if (strlen(o->name) == *length - 3 && strncmp(word + 2, o->name, *length - 3) == 0) {
            return o;
        }
    }
    return NULL;
}

/* Completes the last of the @count words that follow the verb. */
static void complete_verb(struct completion *c, size_t count, char *const *words)
{
    const struct cli_option *open = NULL; /* the option whose value comes next */
    size_t first = 0, length;

    c->word = c->head = words[count - 1];
    for (; first < count - 1 && (open != NULL || (words[first][0] == '-' && words[first][1] != '\0')); first++) {
        if (open == NULL && strcmp(words[first], "--") == 0) {
            break;
        }
        open = open != NULL ? NULL : option_without_value(c->verb, words[first]);
    }
    const bool ended = first < count - 1 && open == NULL;

    if (ended) {
        first += strcmp(words[first], "--") == 0;
    }
    c->operands = words + first;
    c->operand_count = count - 1 - first;
    if (open != NULL) {
        offer_values(c, open);
    } else if (ended || c->word[0] != '-') {
        offer_operands(c);
    } else if ((open = option_with_value(c->verb, c->word, &length)) != NULL) {
        c->head_length = length;
        c->word += length;
        offer_values(c, open);
    } else {
        offer_options(c);
    }
}

void cli_complete(int count, char *const *words)
{
    struct completion c = {.word = count == 0 ? "" : words[count - 1]};

    c.head = c.word;
    if (count <= 1) {
        offer_verbs(&c, true);
    } else if (strcmp(words[0], "help") == 0) {
        offer_verbs(&c, false);
    } else if ((c.verb = cli_find_verb(words[0])) != NULL) {
        complete_verb(&c, (size_t)count - 1, words + 1);
    }
}
