/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The actions on each PMU in the text format of the model's traces, which test/model/replay/ replays.  Each vCPU has a
 * file, with a line for each change of what the PMU borrows from the PE, for each access, and for each batch of
 * cycles and events between them.
 */
#include "observe.h"

static const char *trace_name;    /* the file that the user named; NULL: no trace is requested */
static const char *name_of_first; /* the same file while traces are written, else NULL */
static FILE *files[MAX_VCPUS];

void trace_open(const char *file)
{
    FILE *first = fopen(file, "w"); /* a file that cannot be written is reported before anything runs */

    if (first == NULL || fclose(first) != 0) {
        observe_fail(file, errno);
    }
    trace_name = name_of_first = file;
}

void trace_close(void)
{
    name_of_first = NULL;
    for (int i = 0; i < MAX_VCPUS; i++) {
        if (files[i] != NULL) {
            fputs("end\n", files[i]);
            const bool written = observe_close(files[i]);

            files[i] = NULL;
            if (!written) {
                observe_fail(trace_name, errno);
            }
        }
    }
}

/* Writes the first lines of a trace. */
static void begin(FILE *f, const struct armpmu_vcpu *v)
{
    const struct apmu_config *cfg = &v->pmu.cfg;

    fprintf(f, "armpmu-trace 1\ntrace cpu%d\n", CPU(v->cpu)->cpu_index);
    if (v->is_arm11) {
        fprintf(f, "config part=%d\n", v->arm11.cfg.part == APMU_ARM1136   ? 1136
                                       : v->arm11.cfg.part == APMU_ARM1156 ? 1156
                                                                           : 1176);
        return;
    }
    fprintf(f, "config feat=0x%" PRIx64 " n=%u pmceid0=0x%" PRIx64 " pmceid1=0x%" PRIx64 " pmmir=0x%" PRIx64
            " imp=0x%x idcode=0x%x mpidr=0x%" PRIx64 "\n",
            cfg->features, cfg->counters, cfg->pmceid[0], cfg->pmceid[1],
            apmu_peek(&v->pmu, &v->pe, APMU_REG_PMMIR_EL1, 0), cfg->imp, cfg->idcode, cfg->mpidr);
}

/* Returns the file of a vCPU, which is opened for its first line, or NULL if no trace is written. */
static FILE *file_of(struct armpmu_vcpu *v)
{
    const int index = CPU(v->cpu)->cpu_index;

    if (name_of_first == NULL) {
        return NULL;
    }
    if (files[index] == NULL) {
        g_autofree char *name = index == 0 ? g_strdup(name_of_first) : g_strdup_printf("%s.%d", name_of_first, index);

        files[index] = fopen(name, "w");
        if (files[index] == NULL) {
            observe_fail(name, errno);
        }
        begin(files[index], v);
    }
    return files[index];
}

/* A member of what the PMU borrows from the PE, and its key in a trace. */
struct trace_field {
    const char *key;
    size_t offset, size;
};

static const struct trace_field fields[] = {
#define FIELD_ROW(key, name) {key, offsetof(struct apmu_pe, name), sizeof(((struct apmu_pe *)0)->name)}
    FIELD_ROW("el", el), FIELD_ROW("a32", a32), FIELD_ROW("sm", sm),
    FIELD_ROW("oslk", os_lock), FIELD_ROW("dlk", double_lock),
    FIELD_ROW("dbgen", dbgen), FIELD_ROW("niden", niden),
    FIELD_ROW("mdcr_el2", mdcr_el2), FIELD_ROW("mdcr_el3", mdcr_el3),
    FIELD_ROW("hcr_el2", hcr_el2), FIELD_ROW("scr_el3", scr_el3),
    FIELD_ROW("sder32_el3", sder32_el3), FIELD_ROW("hstr_el2", hstr_el2),
    FIELD_ROW("hdfgrtr_el2", hdfgrtr_el2), FIELD_ROW("hdfgwtr_el2", hdfgwtr_el2),
    FIELD_ROW("hdfgrtr2_el2", hdfgrtr2_el2), FIELD_ROW("hdfgwtr2_el2", hdfgwtr2_el2),
#undef FIELD_ROW
};

static const struct trace_field fields_arm11[] = {
#define FIELD_ROW(name) {#name, offsetof(struct apmu_arm11_pe, name), sizeof(((struct apmu_arm11_pe *)0)->name)}
    FIELD_ROW(user), FIELD_ROW(user_v), FIELD_ROW(secure), FIELD_ROW(spniden), FIELD_ROW(suniden),
#undef FIELD_ROW
};

/* Writes a line with those of the @count fields in @list in which the struct @is differs from @was, if it does. */
static void print_changes(FILE *f, const struct trace_field *list, size_t count, const char *is, const char *was)
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

void trace_pe(struct armpmu_vcpu *v)
{
    FILE *f = file_of(v);

    if (f != NULL && v->is_arm11) {
        print_changes(f, fields_arm11, ARRAY_SIZE(fields_arm11), (const char *)&v->pe11, (const char *)&v->traced11);
        v->traced11 = v->pe11;
    } else if (f != NULL) {
        print_changes(f, fields, ARRAY_SIZE(fields), (const char *)&v->pe, (const char *)&v->traced);
        v->traced = v->pe;
    }
}

void trace_cycles(struct armpmu_vcpu *v, uint64_t cycles, const struct apmu_occurrence *ev, size_t count)
{
    FILE *f = file_of(v);

    if (f != NULL) {
        fprintf(f, "cycles %" PRIu64, cycles);
        for (size_t i = 0; i < count; i++) {
            fprintf(f, " 0x%x*%" PRIu64, ev[i].event, ev[i].count);
        }
        fputc('\n', f);
    }
}

void trace_event(struct armpmu_vcpu *v, uint16_t event, uint64_t times)
{
    FILE *f = file_of(v);

    if (f != NULL) {
        fprintf(f, "events 0x%x*%" PRIu64 "\n", event, times);
    }
}

void trace_access(struct armpmu_vcpu *v, bool writes, const char *view, const char *name, uint64_t value)
{
    FILE *f = file_of(v);

    if (f == NULL) {
        return;
    }
    if (writes) {
        fprintf(f, "w %s %s 0x%" PRIx64, view, name, value);
    } else {
        fprintf(f, "r %s %s", view, name);
    }
    switch (v->access.outcome) {
    case APMU_ACCESS_OK:
        fputs(" -> ok", f);
        if (!writes) {
            fprintf(f, " 0x%" PRIx64, value);
        }
        fputc('\n', f);
        break;
    case APMU_ACCESS_TRAP:
        fprintf(f, " -> trap %u 0x%x\n", v->access.el, v->access.ec);
        break;
    default:
        fprintf(f, " -> %s\n", v->access.outcome == APMU_ACCESS_RAZ     ? "raz"
                               : v->access.outcome == APMU_ACCESS_WI    ? "wi"
                               : v->access.outcome == APMU_ACCESS_ERROR ? "err"
                                                                        : "undef");
        break;
    }
}

void trace_reset(struct armpmu_vcpu *v)
{
    FILE *f = file_of(v);

    if (f != NULL) {
        fputs("reset cold\n", f);
    }
}
