/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMUs over time, as a Value Change Dump (IEEE 1364, section 18). */
#include "observe.h"

#include "qemu/timer.h"

static const char *dump_name;
static FILE *dump; /* NULL: none is asked for */
static int64_t last_time = -1;
static unsigned signals;

/* One signal of one vCPU.  A change of the model between two samples is not seen; there is a sample wherever it matters. */
struct signal {
    const struct unit *unit;
    uint64_t (*value)(const struct unit *u, unsigned n);
    unsigned n, width;
    uint64_t last;
};
static struct signal *list;

static uint64_t exception_level(const struct unit *u, unsigned n)
{
    return u->pe.el;
}

static uint64_t security_state(const struct unit *u, unsigned n)
{
    return (uint64_t)apmu_security_state(&u->pmu, &u->pe);
}

static uint64_t enabled(const struct unit *u, unsigned n)
{
    return APMU_GET(PMCR_EL0, E, u->pmu.pmcr);
}

static uint64_t counter_enables(const struct unit *u, unsigned n)
{
    return u->pmu.cnten;
}

static uint64_t interrupt_enables(const struct unit *u, unsigned n)
{
    return u->pmu.inten;
}

static uint64_t overflows(const struct unit *u, unsigned n)
{
    return u->pmu.ovs;
}

static uint64_t interrupt(const struct unit *u, unsigned n)
{
    return apmu_pmuirq(&u->pmu, &u->pe);
}

static uint64_t count(const struct unit *u, unsigned n)
{
    return u->pmu.cntr[n];
}

static uint64_t user_mode(const struct unit *u, unsigned n)
{
    return u->pe11.user;
}

static uint64_t secure_world(const struct unit *u, unsigned n)
{
    return u->pe11.secure;
}

static uint64_t not_interrupt_arm11(const struct unit *u, unsigned n)
{
    return !apmu_arm11_irq(&u->arm11);
}

static uint64_t enabled_arm11(const struct unit *u, unsigned n)
{
    return APMU_GET(PMNC, E, u->arm11.pmnc);
}

static uint64_t register_arm11(const struct unit *u, unsigned n)
{
    return apmu_arm11_peek(&u->arm11, (enum apmu_arm11_reg)n);
}

/* A short name of printable characters. */
static void print_id(unsigned n)
{
    do {
        fputc('!' + (int)(n % 94), dump);
        n /= 94;
    } while (n != 0);
}

static void declare(const struct unit *u, const char *name, unsigned width,
                    uint64_t (*value)(const struct unit *u, unsigned n), unsigned n)
{
    list = g_renew(struct signal, list, signals + 1);
    list[signals] = (struct signal){.unit = u, .value = value, .n = n, .width = width};
    fprintf(dump, "$var %s %u ", width == 1 ? "wire" : "reg", width);
    print_id(signals++);
    if (width == 1) {
        fprintf(dump, " %s $end\n", name);
    } else {
        fprintf(dump, " %s [%u:0] $end\n", name, width - 1);
    }
}

static void declare_arm11(const struct unit *u)
{
    declare(u, "User", 1, user_mode, 0);
    declare(u, "Secure", 1, secure_world, 0);
    declare(u, "nPMUIRQ", 1, not_interrupt_arm11, 0);
    declare(u, "PMNC_E", 1, enabled_arm11, 0);
    for (unsigned reg = 0; reg < APMU_ARM11_REG_COUNT; reg++) {
        declare(u, apmu_arm11_reg_info((enum apmu_arm11_reg)reg)->name, 32, register_arm11, reg);
    }
}

static void declare_pmuv3(const struct unit *u)
{
    char name[24];

    declare(u, "EL", 2, exception_level, 0);
    declare(u, "SecurityState", 2, security_state, 0);
    declare(u, "PMUIRQ", 1, interrupt, 0);
    declare(u, "PMCR_EL0_E", 1, enabled, 0);
    declare(u, "PMCNTENSET_EL0", APMU_COUNTERS, counter_enables, 0);
    declare(u, "PMINTENSET_EL1", APMU_COUNTERS, interrupt_enables, 0);
    declare(u, "PMOVSSET_EL0", APMU_COUNTERS, overflows, 0);
    declare(u, "PMCCNTR_EL0", 64, count, APMU_CYCLE);
    if ((u->pmu.cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0) {
        declare(u, "PMICNTR_EL0", 64, count, APMU_INSTR);
    }
    for (unsigned n = 0; n < u->pmu.cfg.counters; n++) {
        declare(u, apmu_reg_name(APMU_REG_PMEVCNTR_EL0, n, name), 64, count, n);
    }
}

void wave_close(void)
{
    if (dump == NULL) {
        return;
    }
    if (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) > last_time) { /* the last values hold until here */
        fprintf(dump, "#%" PRId64 "\n", qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    }
    const bool written = observe_close(dump);

    dump = NULL;
    if (!written) {
        observe_fail(dump_name, errno);
    }
}

void wave_open(const char *file)
{
    dump_name = file;
    dump = fopen(file, "w");
    if (dump == NULL) {
        observe_fail(file, errno);
    }
}

static void print_value(const struct signal *s, uint64_t value, unsigned n)
{
    if (s->width == 1) {
        fputc(value != 0 ? '1' : '0', dump);
    } else {
        unsigned bit = s->width - 1;

        while (bit > 0 && (value >> bit & 1) == 0) {
            bit--;
        }
        fputc('b', dump);
        do {
            fputc('0' + (int)(value >> bit & 1), dump);
        } while (bit-- > 0);
        fputc(' ', dump);
    }
    print_id(n);
    fputc('\n', dump);
}

static void dump_changes(bool all)
{
    for (unsigned i = 0; i < signals; i++) {
        const uint64_t value = list[i].value(list[i].unit, list[i].n);

        if (all || list[i].last != value) {
            print_value(&list[i], value, i);
            list[i].last = value;
        }
    }
}

void wave_begin(void)
{
    if (dump == NULL || signals != 0) {
        return;
    }
    fprintf(dump, "$version armpmu $end\n$comment SecurityState: 0 Secure, 1 Non-secure, 2 Root, 3 Realm $end\n"
                  "$timescale 1ns $end\n");
    for (int i = 0; i < MAX_UNITS; i++) {
        const struct unit *u = unit_at(i);

        if (u != NULL) {
            fprintf(dump, "$scope module cpu%d $end\n", i);
            (u->is_arm11 ? declare_arm11 : declare_pmuv3)(u);
            fprintf(dump, "$upscope $end\n");
        }
    }
    fprintf(dump, "$enddefinitions $end\n#0\n$dumpvars\n");
    dump_changes(true);
    fprintf(dump, "$end\n");
    last_time = 0;
}

static bool changed(void)
{
    for (unsigned i = 0; i < signals; i++) {
        if (list[i].value(list[i].unit, list[i].n) != list[i].last) {
            return true;
        }
    }
    return false;
}

void wave_sample(void)
{
    if (dump == NULL || !changed()) {
        return;
    }
    const int64_t now = MAX(last_time, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));

    if (now != last_time) {
        fprintf(dump, "#%" PRId64 "\n", now);
        last_time = now;
    }
    dump_changes(false);
}
