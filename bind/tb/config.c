/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the text of a configuration. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The members of struct apmu_config that are numbers. */
static const struct setting {
    const char *name;
    size_t offset, size;
} settings[] = {
#define APMU_TB_SETTING(name, member) \
    {#name, offsetof(struct apmu_config, member), sizeof ((struct apmu_config *)0)->member},
#include "settings.def"
};

static void fail(struct apmu_tb *tb, const char *what, const char *word, const char *cure)
{
    if (tb->fault[0] == '\0') {
        snprintf(tb->fault, sizeof tb->fault, "%s: %.80s: %s", what, word, cure);
    }
}

/* Stores a number in a member of @size bytes, of which a bool has one.  Returns false if it does not fit. */
static bool store(struct apmu_config *cfg, const struct setting *s, uint64_t value)
{
    unsigned char *at = (unsigned char *)cfg + s->offset;

    if (s->size < 8 && value >> 8 * s->size != 0) {
        return false;
    }
    for (size_t i = 0; i < s->size; i++) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
    return true;
}

/* Returns how many characters two names have in common at the beginning. */
static size_t common(const char *a, const char *b)
{
    size_t length = 0;

    while (a[length] != '\0' && a[length] == b[length]) {
        length++;
    }
    return length;
}

/* Refuses a setting that there is not, with one that begins alike. */
static void refuse_setting(struct apmu_tb *tb, const char *name)
{
    static const char *const others[] = {"features", "hold", "views", "leave_out", "divider", "beyond", "cycles",
                                         "occurrences"};
    const size_t count = sizeof others / sizeof others[0], all = count + sizeof settings / sizeof settings[0];
    const char *nearest = "";
    char cure[120] = "there is no such setting; tb.h and bind/tb/settings.def list them";

    for (size_t i = 0; i < all; i++) {
        const char *known = i < count ? others[i] : settings[i - count].name;
        nearest = common(name, known) > common(name, nearest) ? known : nearest;
    }
    if (common(name, nearest) >= 3) {
        snprintf(cure, sizeof cure, "there is no such setting; did you mean %s?", nearest);
    }
    fail(tb, "configuration", name, cure);
}

/* Returns the member of struct apmu_config called @name, or NULL. */
static const struct setting *find_setting(const char *name)
{
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (strcmp(name, settings[i].name) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

static void set_number(struct apmu_tb *tb, const char *name, const char *text)
{
    char *end;
    const uint64_t value = strtoull(text, &end, 0);
    const struct setting *setting = find_setting(name);
    const bool cycles = strcmp(name, "cycles") == 0, occurrences = strcmp(name, "occurrences") == 0;

    if (setting == NULL && !cycles && !occurrences) {
        refuse_setting(tb, name);
    } else if (end == text || *end != '\0' || *text == '-') {
        fail(tb, name, text, "it is no number");
    } else if (cycles) {
        tb->stimulus.most_cycles = value == 0 || value > 1000000 ? 1 : (unsigned)value;
    } else if (occurrences && (value == 0 || value > 255)) {
        fail(tb, name, text, "it is not 1 to 255");
    } else if (occurrences) {
        tb->stimulus.most_events = (unsigned)value;
    } else if (!store(&tb->p.cfg, setting, value)) {
        fail(tb, name, text, "it is too large");
    }
}

static void add_feature(struct apmu_tb *tb, const char *name)
{
    const char *plain = strncmp(name, "FEAT_", 5) == 0 ? name + 5 : name;

    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *known = apmu_feature_name(bit);
        if (known != NULL && strcmp(known + 5, plain) == 0) {
            tb->p.cfg.features |= UINT64_C(1) << bit;
            return;
        }
    }
    fail(tb, "features", name, "there is no such feature; tables/features.def lists them");
}

static void hold_state(struct apmu_tb *tb, const char *name)
{
    const int row = apmu_tb_pe_find(name);

    if (row < 0) {
        fail(tb, "hold", name, "there is no such state; bind/tb/states.def lists them");
        return;
    }
    tb->stimulus.held |= UINT64_C(1) << row;
}

static void add_view(struct apmu_tb *tb, const char *name)
{
    static const char *const views[] = {"a64", "a32", "ext"};

    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(name, views[i]) == 0) {
            tb->stimulus.views |= 1u << i;
            return;
        }
    }
    fail(tb, "views", name, "the views are a64, a32 and ext");
}

int64_t apmu_tb_number(const char *text)
{
    char *end;

    if (*text < '0' || *text > '9') {
        return -1;
    }
    errno = 0;
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const long long value = strtoll(text, &end, hexadecimal ? 16 : 10);
    return errno == 0 && *end == '\0' ? value : -1;
}

static void leave_out(struct apmu_tb *tb, const char *name)
{
    const int address = apmu_tb_find(tb, APMU_TB_A64, name);
    enum apmu_reg reg;
    unsigned n;

    if (address < 0 || !apmu_reg_by_a64((uint16_t)address, &reg, &n)) {
        fail(tb, "leave_out", name, "there is no such register; give PMSWINC_EL0, or a counter's, PMEVCNTR0_EL0");
        return;
    }
    tb->stimulus.left_out[reg] = true;
}

/* Reads a setting whose values have names.  Returns the number of the name. */
static unsigned take_choice(struct apmu_tb *tb, const char *what, const char *value, const char *const *names,
                            const char *cure)
{
    for (unsigned i = 0; names[i] != NULL; i++) {
        if (strcmp(value, names[i]) == 0) {
            return i;
        }
    }
    fail(tb, what, value, cure);
    return 0;
}

/* Calls @take for each word of a list with commas, which it cuts. */
static void take_list(struct apmu_tb *tb, char *list, void (*take)(struct apmu_tb *tb, const char *word))
{
    char *rest = list;

    while (rest != NULL) {
        char *word = rest;
        rest = strchr(word, ',');
        if (rest != NULL) {
            *rest++ = '\0';
        }
        take(tb, word);
    }
}

static void take_word(struct apmu_tb *tb, char *word)
{
    static const char *const dividers[] = {"model", "any", NULL};
    static const char *const beyonds[] = {
        [TB_BEYOND_ANY] = "any", [TB_BEYOND_UNDEFINED] = "undefined", [TB_BEYOND_RAZWI] = "razwi", NULL,
    };
    char *value = strchr(word, '=');

    if (value == NULL) {
        fail(tb, "configuration", word, "it is not NAME=VALUE");
        return;
    }
    *value++ = '\0';
    if (strcmp(word, "features") == 0) {
        take_list(tb, value, add_feature);
    } else if (strcmp(word, "hold") == 0) {
        take_list(tb, value, hold_state);
    } else if (strcmp(word, "views") == 0) {
        take_list(tb, value, add_view);
    } else if (strcmp(word, "leave_out") == 0) {
        take_list(tb, value, leave_out);
    } else if (strcmp(word, "divider") == 0) {
        tb->phase.any = take_choice(tb, word, value, dividers, "it is model or any") == 1;
    } else if (strcmp(word, "beyond") == 0) {
        tb->beyond = (enum tb_beyond)take_choice(tb, word, value, beyonds, "it is any, undefined or razwi");
    } else {
        set_number(tb, word, value);
    }
}

/* Makes the configuration complete, and leaves out the views that the unit lacks. */
static void complete(struct apmu_tb *tb)
{
    struct apmu_config *cfg = &tb->p.cfg;
    unsigned has = 0;

    cfg->size = sizeof *cfg;
    cfg->features = apmu_features_closure(cfg->features);
    if (cfg->pmceid[0] != 0 || cfg->pmceid[1] != 0) {
        apmu_events_closure(cfg->features, cfg->pmceid);
    }
    has |= (cfg->features & APMU_FEAT(AA64)) != 0 ? 1u << APMU_TB_A64 : 0;
    has |= (cfg->features & APMU_FEAT(AA32)) != 0 ? 1u << APMU_TB_A32 : 0;
    has |= (cfg->features & APMU_FEAT(PMUv3_EXT)) != 0 ? 1u << APMU_TB_EXT : 0;
    tb->stimulus.views = tb->stimulus.views == 0 ? has : tb->stimulus.views & has;
    tb->stimulus.most_cycles = tb->stimulus.most_cycles == 0 ? 8 : tb->stimulus.most_cycles;
    tb->stimulus.most_events = tb->stimulus.most_events == 0 ? 255 : tb->stimulus.most_events;
    if (tb->stimulus.views == 0) {
        fail(tb, "views", has == 0 ? "there is none" : "none of them",
             has == 0 ? "the features name no Exception level, such as AA64EL0 and AA64EL1"
                      : "the unit lacks these views; add their features");
    }
    const char *wrong = apmu_config_check(cfg);
    if (wrong != NULL) {
        fail(tb, "configuration", "refused", wrong);
    }
}

void tb_configure(struct apmu_tb *tb, const char *config)
{
    char text[TB_TEXT];

    if (strlen(config) >= sizeof text) {
        fail(tb, "configuration", "too long", "it has at most 1023 characters");
        return;
    }
    strcpy(text, config);
    for (char *at = text; *at != '\0';) {
        char *word = at + strspn(at, " \t\n");
        at = word + strcspn(word, " \t\n");
        if (*at != '\0') {
            *at++ = '\0';
        }
        if (*word != '\0') {
            take_word(tb, word);
        }
    }
    complete(tb);
}
