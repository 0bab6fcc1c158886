/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of the PMUs over time, as a Value Change Dump (IEEE 1364, section 18). */
#include "observe.h"

#include "qemu/timer.h"

static const char *dump_name;
static FILE *dump; /* NULL: no wave is requested */
static int64_t last_time = -1;
static unsigned signals;

/* One signal of one vCPU.  observe_point() takes a sample of all signals after each flush and each update. */
struct wave_signal {
    const struct armpmu_vcpu *vcpu;
    uint64_t (*value)(const struct armpmu_vcpu *v, unsigned n);
    unsigned n;     /* the argument of .value() */
    unsigned width; /* in bits */
    uint64_t last;  /* the value that was written last */
};
static struct wave_signal *list;

static uint64_t exception_level(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pe.el;
}

static uint64_t security_state(const struct armpmu_vcpu *v, unsigned n)
{
    return (uint64_t)apmu_security_state(&v->pmu, &v->pe);
}

static uint64_t enabled(const struct armpmu_vcpu *v, unsigned n)
{
    return APMU_GET(PMCR_EL0, E, v->pmu.pmcr);
}

static uint64_t counter_enables(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pmu.cnten;
}

static uint64_t interrupt_enables(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pmu.inten;
}

static uint64_t overflows(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pmu.ovs;
}

static uint64_t interrupt(const struct armpmu_vcpu *v, unsigned n)
{
    return apmu_pmuirq(&v->pmu, &v->pe);
}

static uint64_t count(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pmu.cntr[n];
}

static uint64_t event_type(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pmu.typer[n];
}

static uint64_t why(const struct armpmu_vcpu *v, unsigned n)
{
    return apmu_why(&v->pmu, &v->pe, n);
}

static uint64_t why_arm11(const struct armpmu_vcpu *v, unsigned n)
{
    return apmu_arm11_why(&v->arm11, &v->pe11, (enum apmu_arm11_counter)n);
}

static uint64_t user_mode(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pe11.user;
}

static uint64_t secure_world(const struct armpmu_vcpu *v, unsigned n)
{
    return v->pe11.secure;
}

static uint64_t not_interrupt_arm11(const struct armpmu_vcpu *v, unsigned n)
{
    return !apmu_arm11_irq(&v->arm11);
}

static uint64_t enabled_arm11(const struct armpmu_vcpu *v, unsigned n)
{
    return APMU_GET(PMNC, E, v->arm11.pmnc);
}

static uint64_t register_arm11(const struct armpmu_vcpu *v, unsigned n)
{
    return apmu_arm11_peek(&v->arm11, (enum apmu_arm11_reg)n);
}

/* Writes the identifier of signal @n: one printable character if @n is below 94, otherwise more. */
static void print_id(unsigned n)
{
    do {
        fputc('!' + (int)(n % 94), dump);
        n /= 94;
    } while (n != 0);
}

/* Declares a signal of @width bits, whose value is value(v, n). */
static void declare(const struct armpmu_vcpu *v, const char *name, unsigned width,
                    uint64_t (*value)(const struct armpmu_vcpu *v, unsigned n), unsigned n)
{
    list = g_renew(struct wave_signal, list, signals + 1);
    list[signals] = (struct wave_signal){.vcpu = v, .value = value, .n = n, .width = width};
    fprintf(dump, "$var %s %u ", width == 1 ? "wire" : "reg", width);
    print_id(signals++);
    if (width == 1) {
        fprintf(dump, " %s $end\n", name);
    } else {
        fprintf(dump, " %s [%u:0] $end\n", name, width - 1);
    }
}

static void declare_arm11(const struct armpmu_vcpu *v)
{
    declare(v, "User", 1, user_mode, 0);
    declare(v, "Secure", 1, secure_world, 0);
    declare(v, "nPMUIRQ", 1, not_interrupt_arm11, 0);
    declare(v, "PMNC_E", 1, enabled_arm11, 0);
    for (unsigned reg = 0; reg < APMU_ARM11_REG_COUNT; reg++) {
        declare(v, apmu_arm11_reg_info((enum apmu_arm11_reg)reg)->name, 32, register_arm11, reg);
    }
    declare(v, "CCNT_WHY", 64, why_arm11, APMU_ARM11_CCNT);
    declare(v, "PMN0_WHY", 64, why_arm11, APMU_ARM11_PMN0);
    declare(v, "PMN1_WHY", 64, why_arm11, APMU_ARM11_PMN1);
}

/* Declares the counter @n of register @reg, and the set of reasons that keep it from counting. */
static void declare_counter(const struct armpmu_vcpu *v, enum apmu_reg reg, unsigned copy, unsigned n)
{
    char name[24], why_name[32];

    declare(v, apmu_reg_name(reg, copy, name), 64, count, n);
    snprintf(why_name, sizeof why_name, "%s_WHY", name);
    declare(v, why_name, 64, why, n);
}

static void declare_pmuv3(const struct armpmu_vcpu *v)
{
    char name[24];

    declare(v, "EL", 2, exception_level, 0);
    declare(v, "SecurityState", 2, security_state, 0);
    declare(v, "PMUIRQ", 1, interrupt, 0);
    declare(v, "PMCR_EL0_E", 1, enabled, 0);
    declare(v, "PMCNTENSET_EL0", APMU_COUNTERS, counter_enables, 0);
    declare(v, "PMINTENSET_EL1", APMU_COUNTERS, interrupt_enables, 0);
    declare(v, "PMOVSSET_EL0", APMU_COUNTERS, overflows, 0);
    declare_counter(v, APMU_REG_PMCCNTR_EL0, 0, APMU_CYCLE);
    if ((v->pmu.cfg.features & APMU_FEAT(PMUv3_ICNTR)) != 0) {
        declare_counter(v, APMU_REG_PMICNTR_EL0, 0, APMU_INSTR);
    }
    for (unsigned n = 0; n < v->pmu.cfg.counters; n++) {
        declare_counter(v, APMU_REG_PMEVCNTR_EL0, n, n);
        declare(v, apmu_reg_name(APMU_REG_PMEVTYPER_EL0, n, name), 64, event_type, n);
    }
}

void wave_close(void)
{
    if (dump == NULL) {
        return;
    }
    if (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) > last_time) { /* the last values hold until then */
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

/* Writes that signal @n, which is @s, has @value. */
static void print_value(const struct wave_signal *s, uint64_t value, unsigned n)
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

/* Writes the signals that changed; with @all, every signal. */
static void dump_changes(bool all)
{
    for (unsigned i = 0; i < signals; i++) {
        const uint64_t value = list[i].value(list[i].vcpu, list[i].n);

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
    fprintf(dump, "$version armpmu $end\n$comment SecurityState: 0 Secure, 1 Non-secure, 2 Root, 3 Realm; "
                  "NAME_WHY: the reasons why NAME does not count, as bits of armpmu's tables/reasons.def $end\n"
                  "$timescale 1ns $end\n");
    for (int i = 0; i < MAX_VCPUS; i++) {
        const struct armpmu_vcpu *v = vcpu_at(i);

        if (v != NULL) {
            fprintf(dump, "$scope module cpu%d $end\n", i);
            (v->is_arm11 ? declare_arm11 : declare_pmuv3)(v);
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
        if (list[i].value(list[i].vcpu, list[i].n) != list[i].last) {
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
