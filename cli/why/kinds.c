/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the PMUs of a machine with two kinds of core, for cures. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "../state/boards.h"
#include "kinds.h"

static void add_pmu(struct kinds *kinds, const char *pmu)
{
    for (size_t i = 0; i < kinds->count; i++) {
        if (strcmp(kinds->pmus[i], pmu) == 0) {
            return;
        }
    }
    if (kinds->count < KINDS && strlen(pmu) < sizeof kinds->pmus[0]) {
        memcpy(kinds->pmus[kinds->count++], pmu, strlen(pmu) + 1);
    }
}

/* Returns true if the kernel's name of the PMU of @core, "A710" or "X2", begins with armv9. */
static bool is_v9(const char *core)
{
    const bool x = core[0] == 'X';

    return x ? strncmp(core, "X1", 2) != 0 : strlen(core) >= 4 && isdigit((unsigned char)core[3]);
}

/* Adds the PMU of the core @name, "Cortex-A53", if the tables have it and Linux runs on it. */
static void add_core(struct kinds *kinds, const char *name)
{
    const struct apmu_core_info *core = apmu_core_by_name(name);
    char pmu[40];

    if (core == NULL || strncmp(core->name, "Cortex-", 7) != 0 || (core->name[7] != 'A' && core->name[7] != 'X')) {
        return;
    }
    snprintf(pmu, sizeof pmu, "arm%s_cortex_%s",
             core->pmu != APMU_CORE_PMU_V3 ? "v7" : is_v9(core->name + 7) ? "v9" : "v8", core->name + 7);
    for (char *c = pmu; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    add_pmu(kinds, pmu);
}

/* Adds the cores that @text names: "cortex-a53", "armv8_cortex_a53", "CA53" or "A53". */
static void add_named(struct kinds *kinds, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const bool family = strncasecmp(at, "cortex", 6) == 0 && at[6] != '\0';
        const char *number = at + (family ? 6 + (strchr("-_ ", at[6]) != NULL) : 0);
        size_t digits;
        char name[24];

        if (tolower((unsigned char)number[0]) != 'a' && !(family && tolower((unsigned char)number[0]) == 'x')) {
            continue;
        }
        digits = strspn(number + 1, "0123456789");
        if (digits == 0 || digits > 3 || isalnum((unsigned char)number[1 + digits]) ||
            (!family && (digits < 2 || (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))))) {
            continue;
        }
        snprintf(name, sizeof name, "Cortex-%.*s", (int)digits + 1, number);
        add_core(kinds, name);
        at = number + digits;
    }
}

/* Adds the cores of the board, "Cortex-A53 + Cortex-A72". */
static void add_board(struct kinds *kinds, const char *board)
{
    const char *name, *cores;

    if (board[0] != '\0' && state_find_board(board, &name, &cores) && strchr(cores, '+') != NULL) {
        add_named(kinds, cores);
    }
}

void kinds_find(const struct reading *r, struct kinds *kinds)
{
    static const enum clue_kind lists[] = {CLUE_linux_listed_pmu, CLUE_linux_pmu_cpus};

    *kinds = (struct kinds){0};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        for (const struct clue *c = reading_find(r, lists[i]); c != NULL; c = reading_next(r, lists[i], c)) {
            add_pmu(kinds, c->words);
        }
        if (kinds->count > 1) {
            return;
        }
    }
    if (r->text.joined != NULL) {
        add_named(kinds, r->text.joined);
    }
    if (r->said != NULL) {
        add_named(kinds, r->said);
    }
    if (kinds->count < 2) {
        add_board(kinds, r->machine.board);
    }
}

void kinds_complete(const struct reading *r, struct suspects *all)
{
    struct kinds kinds = {0};

    for (size_t i = 0; i < all->count; i++) {
        struct suspect *s = &all->list[i];
        bool lacks = false;
        size_t used = strlen(s->cure);

        if (s->cause != WHY_big_little_other_core && s->cause != WHY_wrong_pmu_type) {
            continue;
        }
        if (kinds.count == 0) {
            kinds_find(r, &kinds);
        }
        for (size_t k = 0; k < kinds.count; k++) {
            lacks |= strstr(s->cure, kinds.pmus[k]) == NULL;
        }
        for (size_t k = 0; lacks && kinds.count > 1 && k < kinds.count; k++) {
            snprintf(s->cure + used, sizeof s->cure - used, "%s%s", k == 0 ? "; the PMUs here: " : ", ", kinds.pmus[k]);
            used = strlen(s->cure);
        }
    }
}
