/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions on each PMU, in the text format of the model's traces, which build/test/replay replays: one file for each
 * vCPU.  A line for each change of what the PMU borrows, each access, and what happened between two of these.
 */
#include "observe.h"

static const char *asked;         /* for; NULL: none */
static const char *name_of_first; /* NULL: no trace is asked for */
static FILE *files[MAX_UNITS];

void trace_open(const char *file)
{
    FILE *first = fopen(file, "w"); /* what cannot be written is said before anything runs */

    if (first == NULL || fclose(first) != 0) {
        observe_fail(file, errno);
    }
    asked = name_of_first = file;
}

void trace_close(void)
{
    name_of_first = NULL;
    for (int i = 0; i < MAX_UNITS; i++) {
        if (files[i] != NULL) {
            fputs("end\n", files[i]);
            const bool written = observe_close(files[i]);

            files[i] = NULL;
            if (!written) {
                observe_fail(asked, errno);
            }
        }
    }
}

static void begin(FILE *f, const struct unit *u)
{
    const struct apmu_config *cfg = &u->pmu.cfg;

    fprintf(f, "armpmu-trace 1\ntrace cpu%d\n", CPU(u->cpu)->cpu_index);
    if (u->is_arm11) {
        fprintf(f, "config part=%d\n", u->arm11.cfg.part == APMU_ARM1136   ? 1136
                                       : u->arm11.cfg.part == APMU_ARM1156 ? 1156
                                                                           : 1176);
        return;
    }
    fprintf(f, "config feat=0x%" PRIx64 " n=%u pmceid0=0x%" PRIx64 " pmceid1=0x%" PRIx64 " pmmir=0x%" PRIx64
            " imp=0x%x idcode=0x%x mpidr=0x%" PRIx64 "\n",
            cfg->features, cfg->counters, cfg->pmceid[0], cfg->pmceid[1],
            apmu_peek(&u->pmu, &u->pe, APMU_REG_PMMIR_EL1, 0), cfg->imp, cfg->idcode, cfg->mpidr);
}

/* The file of a vCPU.  NULL: no trace is asked for. */
static FILE *file_of(struct unit *u)
{
    const int index = CPU(u->cpu)->cpu_index;

    if (name_of_first == NULL) {
        return NULL;
    }
    if (files[index] == NULL) {
        g_autofree char *name = index == 0 ? g_strdup(name_of_first) : g_strdup_printf("%s.%d", name_of_first, index);

        files[index] = fopen(name, "w");
        if (files[index] == NULL) {
            observe_fail(name, errno);
        }
        begin(files[index], u);
    }
    return files[index];
}

struct member {
    const char *key;
    size_t offset, size;
};

static const struct member members[] = {
#define MEMBER(key, name) {key, offsetof(struct apmu_pe, name), sizeof(((struct apmu_pe *)0)->name)}
    MEMBER("el", el), MEMBER("a32", a32), MEMBER("sm", sm), MEMBER("oslk", os_lock), MEMBER("dlk", double_lock),
    MEMBER("dbgen", dbgen), MEMBER("niden", niden), MEMBER("mdcr_el2", mdcr_el2), MEMBER("mdcr_el3", mdcr_el3),
    MEMBER("hcr_el2", hcr_el2), MEMBER("scr_el3", scr_el3), MEMBER("sder32_el3", sder32_el3),
    MEMBER("hstr_el2", hstr_el2), MEMBER("hdfgrtr_el2", hdfgrtr_el2), MEMBER("hdfgwtr_el2", hdfgwtr_el2),
    MEMBER("hdfgrtr2_el2", hdfgrtr2_el2), MEMBER("hdfgwtr2_el2", hdfgwtr2_el2),
#undef MEMBER
};

static const struct member members_arm11[] = {
#define MEMBER(name) {#name, offsetof(struct apmu_arm11_pe, name), sizeof(((struct apmu_arm11_pe *)0)->name)}
    MEMBER(user), MEMBER(user_v), MEMBER(secure), MEMBER(spniden), MEMBER(suniden),
#undef MEMBER
};

static void print_changes(FILE *f, const struct member *list, size_t count, const char *is, const char *was)
{
    bool some = false;

    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;

        if (memcmp(is + list[i].offset, was + list[i].offset, list[i].size) != 0) {
            memcpy(&value, is + list[i].offset, list[i].size);
            fprintf(f, "%s %s=0x%" PRIx64, some ? "" : "pe", list[i].key, value);
            some = true;
        }
    }
    if (some) {
        fputc('\n', f);
    }
}

void trace_pe(struct unit *u)
{
    FILE *f = file_of(u);

    if (f != NULL && u->is_arm11) {
        print_changes(f, members_arm11, ARRAY_SIZE(members_arm11), (const char *)&u->pe11, (const char *)&u->traced11);
        u->traced11 = u->pe11;
    } else if (f != NULL) {
        print_changes(f, members, ARRAY_SIZE(members), (const char *)&u->pe, (const char *)&u->traced);
        u->traced = u->pe;
    }
}

void trace_cycles(struct unit *u, uint64_t cycles, const struct apmu_occurrence *ev, size_t count)
{
    FILE *f = file_of(u);

    if (f != NULL) {
        fprintf(f, "cycles %" PRIu64, cycles);
        for (size_t i = 0; i < count; i++) {
            fprintf(f, " 0x%x*%" PRIu64, ev[i].event, ev[i].count);
        }
        fputc('\n', f);
    }
}

void trace_event(struct unit *u, uint16_t event, uint64_t times)
{
    FILE *f = file_of(u);

    if (f != NULL) {
        fprintf(f, "events 0x%x*%" PRIu64 "\n", event, times);
    }
}

void trace_access(struct unit *u, bool writes, const char *view, const char *name, uint64_t value)
{
    FILE *f = file_of(u);

    if (f == NULL) {
        return;
    }
    if (writes) {
        fprintf(f, "w %s %s 0x%" PRIx64, view, name, value);
    } else {
        fprintf(f, "r %s %s", view, name);
    }
    switch (u->access.outcome) {
    case APMU_ACCESS_OK:
        fputs(" -> ok", f);
        if (!writes) {
            fprintf(f, " 0x%" PRIx64, value);
        }
        fputc('\n', f);
        break;
    case APMU_ACCESS_TRAP:
        fprintf(f, " -> trap %u 0x%x\n", u->access.el, u->access.ec);
        break;
    default:
        fprintf(f, " -> %s\n", u->access.outcome == APMU_ACCESS_RAZ     ? "raz"
                               : u->access.outcome == APMU_ACCESS_WI    ? "wi"
                               : u->access.outcome == APMU_ACCESS_ERROR ? "err"
                                                                        : "undef");
        break;
    }
}

void trace_reset(struct unit *u)
{
    FILE *f = file_of(u);

    if (f != NULL) {
        fputs("reset cold\n", f);
    }
}
