/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what an image printed: which machine it is, and what deviates, in groups. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include <armpmu/model.h>

#include "conform.h"

enum { GROUPS = 512, PART = 160 };

/* Deviations of one kind at one register for one reason. */
struct conform_group {
    char kind[16];     /* "value", "outcome", "count" */
    char access[PART]; /* "MRS PMEVCNTR<n>_EL0", with the fields that differ */
    char why[PART];
    char example[400]; /* the first one */
    unsigned long first, later; /* the first of their scene; behind another deviation of their scene */
};

struct conform_summary {
    struct conform_group groups[GROUPS];
    size_t count;
    unsigned long lost; /* deviations that no group has room for */
    unsigned long checked, deviate, skipped;
    bool ended, other;      /* the image came to its end; it was for another machine */
    char other_text[PART * 2];
};

/* ---------------------------------------------------------------------------------------------------------------
 * The machine.
 */

/* Finds the register that has the name @name in one of the Execution states: "PMCR_EL0", "PMCR", "ID_DFR0". */
static bool find_register(const char *name, enum apmu_reg *reg, unsigned *n)
{
    char longer[40];
    enum apmu_reg32 reg32;

    if (apmu_reg32_by_name(name, &reg32, n)) {
        *reg = apmu_reg32_info(reg32)->of;
        return true;
    }
    snprintf(longer, sizeof longer, "%s_EL1", name);
    return apmu_reg_by_name(name, reg, n) || apmu_reg_by_name(longer, reg, n);
}

void conform_identify(const char *text, struct conform_machine *machine)
{
    struct apmu_reg_value ids[APMU_REG_ALL];
    size_t count = 0;

    *machine = (struct conform_machine){.features = 0};
    for (const char *line = text; *line != '\0';) {
        char name[32];
        unsigned long long value;
        enum apmu_reg reg;
        unsigned n;

        if (sscanf(line, "%31[A-Za-z0-9_] = 0x%llx", name, &value) == 2) {
            if (strcmp(name, "CurrentEL") == 0) {
                machine->el = (unsigned)(value >> 2 & 3);
            } else if (find_register(name, &reg, &n) && reg == APMU_REG_PMCR_EL0) {
                machine->counters = (unsigned)APMU_GET(PMCR_EL0, N, value);
            } else if (find_register(name, &reg, &n) && count < sizeof ids / sizeof ids[0]) {
                ids[count++] = (struct apmu_reg_value){reg, value};
            }
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    machine->features = apmu_features_from_ids(ids, count);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Deviations.
 */

/* Appends the fields of @reg in which @got and @want differ: ".LP", ".{P, NSK}". */
static void add_fields(char *out, size_t room, enum apmu_reg reg, uint64_t difference)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);
    char names[PART] = "";
    size_t used = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < info->field_count && used < sizeof names; i++) {
        const struct apmu_field *f = &info->fields[i];

        if ((difference & APMU_BITS(f->msb, f->lsb)) != 0 && f->msb - f->lsb < 63) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count++ == 0 ? "" : ", ", f->name);
        }
    }
    if (count != 0) {
        snprintf(out + strlen(out), room - strlen(out), count == 1 ? ".%s" : ".{%s}", names);
    }
}

/* Writes the access without a counter's number and a written value: "MRS PMEVCNTR<n>_EL0". */
static void name_access(struct conform_group *g, const char *access, size_t length, uint64_t difference)
{
    char verb[8], name[32];
    enum apmu_reg32 reg32;
    enum apmu_reg reg;
    unsigned n;

    if (length >= sizeof g->access || sscanf(access, "%7s %31[A-Za-z0-9_]", verb, name) != 2) {
        snprintf(g->access, sizeof g->access, "%.*s", (int)length, access);
        return;
    }
    if (!find_register(name, &reg, &n)) {
        snprintf(g->access, sizeof g->access, "%s %s", verb, name);
        return;
    }
    const char *bank = apmu_reg32_by_name(name, &reg32, &n) ? apmu_reg32_info(reg32)->name : apmu_reg_info(reg)->name;
    const char *tail = strrchr(bank, '_');

    tail = tail == NULL ? bank + strlen(bank) : tail;
    if (apmu_reg_info(reg)->copies > 1) {
        snprintf(g->access, sizeof g->access, "%s %.*s<n>%s", verb, (int)(tail - bank), bank, tail);
    } else {
        snprintf(g->access, sizeof g->access, "%s %s", verb, bank);
    }
    if (reg != APMU_REG_PMEVCNTR_EL0) {
        add_fields(g->access, sizeof g->access, reg, difference);
    }
}

/* Adds a deviation to its group. */
static void add_to_group(struct conform_summary *r, const struct conform_group *one, bool later)
{
    size_t i = 0;

    while (i < r->count && (strcmp(r->groups[i].kind, one->kind) != 0 || strcmp(r->groups[i].why, one->why) != 0 ||
                            strcmp(r->groups[i].access, one->access) != 0)) {
        i++;
    }
    if (i == GROUPS) {
        r->lost++;
        return;
    }
    if (i == r->count) {
        r->groups[r->count++] = *one;
    }
    if (!later && r->groups[i].first == 0) {
        memcpy(r->groups[i].example, one->example, sizeof one->example);
    }
    *(later ? &r->groups[i].later : &r->groups[i].first) += 1;
}

/*
 * Reads "deviates (value): MRS PMCR_EL0 at EL3: 0x30e1, expected 0x3061 in the bits 0xf0; why [row 5]", or "deviates
 * after another (...".
 */
static void read_deviation(struct conform_summary *r, const char *line, size_t length)
{
    char text[400];
    struct conform_group one = {.first = 0};
    unsigned long long got = 0, want = 0;

    snprintf(text, sizeof text, "%.*s", (int)length, line);
    const bool later = strncmp(text, "deviates after another", 22) == 0;
    const char *kind = strchr(text, '('), *colon = strstr(text, "): ");

    if (kind == NULL || colon == NULL || kind > colon) {
        return;
    }
    const char *access = colon + 3, *level = strstr(access, " at EL"), *why = strstr(access, "; ");
    const char *row = strstr(access, " [row ");

    snprintf(one.kind, sizeof one.kind, "%.*s", (int)(colon - kind - 1), kind + 1);
    snprintf(one.example, sizeof one.example, "%s", access);
    if (why != NULL && row != NULL && row > why && strncmp(why, "; written at ", 13) != 0) {
        snprintf(one.why, sizeof one.why, "%.*s", (int)(row - why - 2), why + 2);
    }
    if (level != NULL && strcmp(one.kind, "value") == 0) {
        sscanf(level, " at EL%*u: 0x%llx, expected 0x%llx", &got, &want);
    }
    name_access(&one, access, level == NULL ? strlen(access) : (size_t)(level - access), got ^ want);
    add_to_group(r, &one, later);
}

/* Orders groups: those that begin a scene's deviations, by their number, then the others. */
static int compare_groups(const void *a, const void *b)
{
    const struct conform_group *x = a, *y = b;

    if (x->first != y->first) {
        return x->first < y->first ? 1 : -1;
    }
    return x->later != y->later ? (x->later < y->later ? 1 : -1) : strcmp(x->access, y->access);
}

static void read_text(struct conform_summary *r, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");

        if (strncmp(line, "deviates", 8) == 0) {
            read_deviation(r, line, length);
        } else if (strncmp(line, "the image is for another machine: ", 34) == 0) {
            r->other = true;
            snprintf(r->other_text, sizeof r->other_text, "%.*s", (int)length - 34, line + 34);
        } else if (isdigit((unsigned char)*line) &&
                   sscanf(line, "%lu checked, %lu deviate, %lu skipped", &r->checked, &r->deviate, &r->skipped) == 3) {
            r->ended = true;
        }
        line += length + (line[length] == '\n');
    }
    qsort(r->groups, r->count, sizeof r->groups[0], compare_groups);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Output.
 */

static unsigned count_bits(uint64_t set)
{
    unsigned count = 0;

    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* Prints the groups; those that are only behind another deviation of their scene are counted, or with @all listed. */
static void print_groups(const struct conform_summary *r, bool all)
{
    unsigned long behind = 0;

    printf("%8s %8s  %-8s %s\n", "first", "later", "kind", "access");
    for (size_t i = 0; i < r->count; i++) {
        const struct conform_group *g = &r->groups[i];

        if (g->first == 0) {
            behind += g->later;
        }
        if (g->first != 0 || all) {
            printf("%8lu %8lu  %-8s %s%s%s\n", g->first, g->later, g->kind, g->access,
                   g->why[0] == '\0' ? "" : "; ", g->why);
            printf("%28s%s\n", "", g->example);
        }
    }
    if (behind != 0 && !all) {
        printf("%8d %8lu  of other kinds, behind another deviation of their scene and so perhaps its effects: -v\n", 0,
               behind);
    }
}

static void print_text(const struct conform_summary *r, const struct conform_options *o,
                       const struct image_options *image, const struct image_summary *summary)
{
    if (r->count != 0) {
        print_groups(r, o->verbose);
    }
    printf("%s%lu checked, %lu deviate, %lu skipped; EL%u, %u event counters, %lu scenes, %u of %u reasons\n",
           r->count == 0 ? "" : "\n", r->checked, r->deviate, r->skipped, image->el, image->counters, summary->scenes,
           count_bits(summary->reached), count_bits(summary->reachable));
    if (r->skipped != 0) {
        printf("skipped: PMCEID0_EL0 does not announce INST_RETIRED, so no instructions were counted\n");
    }
    if (r->lost != 0) {
        printf("%lu further deviations are in none of the %d groups\n", r->lost, (int)GROUPS);
    }
}

static void print_json(const struct conform_summary *r, const struct conform_options *o,
                       const struct image_options *image, const struct image_summary *summary)
{
    json_t *rows = json_array();

    (void)o; /* all groups are listed */
    json_t *object = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "checked", (int)r->checked, "deviate",
                               (int)r->deviate, "skipped", (int)r->skipped, "el", (int)image->el, "counters",
                               (int)image->counters, "scenes", (int)summary->scenes, "reasons",
                               (int)count_bits(summary->reached), "reasons_possible",
                               (int)count_bits(summary->reachable));

    for (size_t i = 0; i < r->count; i++) {
        const struct conform_group *g = &r->groups[i];

        json_array_append_new(rows, json_pack("{s:i, s:i, s:s, s:s, s:s, s:s}", "first", (int)g->first, "later",
                                              (int)g->later, "kind", g->kind, "access", g->access, "why", g->why,
                                              "example", g->example));
    }
    json_object_set_new(object, "deviations", rows);
    json_dumpf(object, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(object);
}

int conform_report(const struct cli_verb *verb, const struct conform_options *o, const struct image_options *image,
                   const struct image_summary *summary, const char *text)
{
    struct conform_summary *r = cli_allocate(NULL, 1, sizeof *r);
    int status = CLI_CANNOT;

    read_text(r, text);
    if (r->other) {
        cli_complain(verb, "the image is for another machine: %s; leave out --features, --core and --el, and the "
                           "machine is asked", r->other_text);
    } else if (!r->ended) {
        const size_t length = strlen(text);

        if (r->count != 0 && !o->json) {
            print_groups(r, o->verbose);
        }
        cli_complain(verb, "the image did not come to its end, so this is not all; its last words: %s",
                     text + (length > 200 ? length - 200 : 0));
    } else {
        status = r->deviate == 0 ? CLI_YES : CLI_NO;
        (o->json ? print_json : print_text)(r, o, image, summary);
    }
    free(r);
    return status;
}
