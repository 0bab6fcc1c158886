/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of a vCPU's PMU.  It follows from the CPU that QEMU emulates and from `-cpu NAME,pmu-...`, by which
 * the user asks for more.  The ID registers are then made to agree with it.
 */
#include "core_feed.h"

#include <armpmu/core_file.h>

#include "cpu-features.h"
#include "internals.h"
#include "qapi/error.h"
#include "qapi/visitor.h"

struct armpmu_options armpmu_options;

/* Returns the Exception levels of the CPU and the Execution states of each, as features. */
static uint64_t level_features(ARMCPU *cpu)
{
    const uint64_t pfr0 = ID(cpu, id_aa64pfr0, ID_AA64PFR0);
    uint64_t features = 0;

    for (unsigned el = 0; el < 4; el++) {
        if ((el == 2 && !arm_feature(&cpu->env, ARM_FEATURE_EL2)) ||
            (el == 3 && !arm_feature(&cpu->env, ARM_FEATURE_EL3))) {
            continue;
        }
        if (arm_feature(&cpu->env, ARM_FEATURE_AARCH64)) {
            features |= APMU_FEAT(AA64EL0) << el | APMU_FEAT(AA64);
            /* 2 in the field of an Exception level: it has AArch32 too */
            features |= (pfr0 >> 4 * el & 15) == 2 ? APMU_FEAT(AA32EL0) << el | APMU_FEAT(AA32) : 0;
        } else {
            features |= APMU_FEAT(AA32EL0) << el | APMU_FEAT(AA32);
        }
    }
    return features;
}

/* Returns the features of the CPU that the PMU depends on. */
static uint64_t cpu_features(ARMCPU *cpu)
{
    const ARMISARegisters *isar = &cpu->isar;
    uint64_t features = level_features(cpu);

    if (arm_feature(&cpu->env, ARM_FEATURE_AARCH64)) {
        features |= apmu_id_features(APMU_REG_ID_AA64DFR0_EL1, ID(cpu, id_aa64dfr0, ID_AA64DFR0)) &
                    (APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4));
        features |= isar_feature_aa64_vh(isar) && (features & APMU_FEAT(AA64EL2)) != 0
                        ? APMU_FEAT(VHE) | APMU_FEAT(E2H0) : 0;
        features |= isar_feature_aa64_sel2(isar) && (features & APMU_FEAT(AA64EL2)) != 0 ? APMU_FEAT(SEL2) : 0;
        features |= isar_feature_aa64_rme(isar) ? APMU_FEAT(RME) : 0;
        features |= isar_feature_aa64_fgt(isar) ? APMU_FEAT(FGT) : 0;
    }
    return features;
}

#define PMU_VERSIONS \
    (APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3p1) | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p7) | \
     APMU_FEAT(PMUv3p8) | APMU_FEAT(PMUv3p9) | APMU_FEAT(PMUv2) | APMU_FEAT(PMUv1))

/* Returns the features of the CPU's own PMU. */
static uint64_t pmu_features(ARMCPU *cpu)
{
    if (arm_feature(&cpu->env, ARM_FEATURE_AARCH64)) {
        const uint64_t hpmn0 = arm_feature(&cpu->env, ARM_FEATURE_EL2) ? APMU_FEAT(HPMN0) : 0;

        return apmu_id_features(APMU_REG_ID_AA64DFR0_EL1, ID(cpu, id_aa64dfr0, ID_AA64DFR0)) &
               (PMU_VERSIONS | APMU_FEAT(MTPMU) | hpmn0);
    }
    const uint64_t dfr0 = ID(cpu, id_dfr0, ID_DFR0);

    if (APMU_GET(ID_DFR0_EL1, PerfMon, dfr0) == 0) { /* Cortex-A8 and Cortex-A9, which are older than the field */
        return APMU_FEAT(PMUv1);
    }
    return apmu_id_features(APMU_REG_ID_DFR0_EL1, dfr0) & PMU_VERSIONS;
}

/* The features that pmu-features refuses, because they are not the PMU's alone. */
static const struct {
    uint64_t features;
    const char *why;
} refused[] = {
    {APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL0) |
     APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3) | APMU_FEAT(AA64) | APMU_FEAT(AA32) |
     APMU_FEAT(VHE) | APMU_FEAT(E2H0) | APMU_FEAT(SEL2) | APMU_FEAT(RME),
     "is a feature of the CPU: choose another CPU, or options of the machine"},
    {APMU_FEAT(SPEv1p2) | APMU_FEAT(SPE_DPFZS) | APMU_FEAT(SPE_EXC),
     "needs the Statistical Profiling Extension, which QEMU lacks"},
    {APMU_FEAT(EBEP) | APMU_FEAT(SEBEP), "needs PSTATE.PM and PMU Profiling exceptions, which QEMU lacks"},
    {APMU_FEAT(Debugv8p9), "needs an External Debug Request and Debug state, which QEMU lacks"},
    {APMU_FEAT(DoPD), "needs power domains, which QEMU lacks"},
    {APMU_FEAT(PCSRv8p2) | APMU_FEAT(PCSRv8p9), "needs the program counter of a running CPU, which QEMU does not keep"},
};

/* Adds the feature @name, with or without FEAT_, to @features. */
static bool parse_feature(const char *name, uint64_t *features, Error **errp)
{
    const char *plain = g_str_has_prefix(name, "FEAT_") ? name + strlen("FEAT_") : name;
    unsigned bit = 0;

    while (bit < APMU_FEAT_END &&
           (apmu_feature_name(bit) == NULL || strcmp(apmu_feature_name(bit) + strlen("FEAT_"), plain) != 0)) {
        bit++;
    }
    if (bit == APMU_FEAT_END) {
        error_setg(errp, "pmu-features: '%s' is no feature of a PMU", name);
        return false;
    }
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        if ((refused[i].features >> bit & 1) != 0) {
            error_setg(errp, "pmu-features: '%s' %s", name, refused[i].why);
            return false;
        }
    }
    *features |= UINT64_C(1) << bit;
    return true;
}

/* Sets @features to those of @names, a list joined by +. */
static bool parse_features(const char *names, uint64_t *features, Error **errp)
{
    g_auto(GStrv) list = g_strsplit(names, "+", -1);

    *features = 0;
    for (char **name = list; *name != NULL; name++) {
        if (!parse_feature(*name, features, errp)) {
            return false;
        }
    }
    return true;
}

#define MTPMU_NONE 15u /* no multithreading: PMEVTYPER<n>_EL0.MT is RES0 */

/*
 * Returns the value of ID_AA64DFR0_EL1.MTPMU and ID_DFR1.MTPMU; @own is the CPU's.  From Armv8.6 on 0 is not permitted:
 * such a CPU has FEAT_ECV, which Armv8.6 makes mandatory, and a PMU with FEAT_PMUv3p7 belongs to Armv8.6 or later.
 */
static unsigned multithreading(const struct armpmu_vcpu *v, unsigned own)
{
    const bool ecv = arm_feature(&v->cpu->env, ARM_FEATURE_AARCH64) &&
                     FIELD_EX64(ID(v->cpu, id_aa64mmfr0, ID_AA64MMFR0), ID_AA64MMFR0, ECV) != 0;

    if ((v->pmu.cfg.features & APMU_FEAT(MTPMU)) != 0) {
        return 1;
    }
    return own != 0 || ecv || (v->pmu.cfg.features & APMU_FEAT(PMUv3p7)) != 0 ? MTPMU_NONE : 0;
}

/* Returns @value of ID register @reg with the fields of @mask as a PMU with @features has them. */
static uint64_t with_fields(enum apmu_reg reg, uint64_t value, uint64_t mask, uint64_t features)
{
    return (value & ~mask) | (apmu_id_value(reg, features) & mask);
}

/* Makes the ID registers of AArch64 state agree with the PMU. */
static void write_ids_aarch64(struct armpmu_vcpu *v)
{
    const uint64_t features = v->pmu.cfg.features, own = ID(v->cpu, id_aa64dfr0, ID_AA64DFR0);
    const uint64_t dfr1 = ID(v->cpu, id_aa64dfr1, ID_AA64DFR1), mmfr0 = ID(v->cpu, id_aa64mmfr0, ID_AA64MMFR0);
    const unsigned mtpmu = multithreading(v, (unsigned)APMU_GET(ID_AA64DFR0_EL1, MTPMU, own));
    uint64_t mask = APMU_MASK(ID_AA64DFR0_EL1, PMUVer) | APMU_MASK(ID_AA64DFR0_EL1, HPMN0) |
                    APMU_MASK(ID_AA64DFR0_EL1, PMSS);
    uint64_t dfr0;

    if (APMU_GET(ID_AA64DFR0_EL1, DebugVer, apmu_id_value(APMU_REG_ID_AA64DFR0_EL1, features)) >
        APMU_GET(ID_AA64DFR0_EL1, DebugVer, own)) {
        mask |= APMU_MASK(ID_AA64DFR0_EL1, DebugVer);
    }
    dfr0 = with_fields(APMU_REG_ID_AA64DFR0_EL1, own, mask, features) & ~APMU_MASK(ID_AA64DFR0_EL1, MTPMU);
    SET_ID(v->cpu, id_aa64dfr0, ID_AA64DFR0, dfr0 | APMU_PUT(ID_AA64DFR0_EL1, MTPMU, mtpmu));
    SET_ID(v->cpu, id_aa64dfr1, ID_AA64DFR1,
           with_fields(APMU_REG_ID_AA64DFR1_EL1, dfr1, APMU_MASK(ID_AA64DFR1_EL1, PMICNTR), features));
    if ((features & APMU_FEAT(FGT)) != 0) { /* QEMU then has the registers of FEAT_FGT */
        SET_ID(v->cpu, id_aa64mmfr0, ID_AA64MMFR0,
               with_fields(APMU_REG_ID_AA64MMFR0_EL1, mmfr0, APMU_MASK(ID_AA64MMFR0_EL1, FGT), features));
    }
}

/* Makes the ID registers of AArch32 state agree with the PMU.  A PMUv1 leaves ID_DFR0.PerfMon as the CPU has it. */
static void write_ids_aarch32(struct armpmu_vcpu *v)
{
    const uint64_t features = v->pmu.cfg.features, dfr0 = ID(v->cpu, id_dfr0, ID_DFR0);
    const uint64_t perfmon = (features & APMU_FEAT(PMUv1)) != 0 ? 0 : APMU_MASK(ID_DFR0_EL1, PerfMon);
    uint32_t dfr1 = ID(v->cpu, id_dfr1, ID_DFR1);

    dfr1 = FIELD_DP32(dfr1, ID_DFR1, MTPMU, multithreading(v, FIELD_EX32(dfr1, ID_DFR1, MTPMU)));
    SET_ID(v->cpu, id_dfr0, ID_DFR0, (uint32_t)with_fields(APMU_REG_ID_DFR0_EL1, dfr0, perfmon, features));
    SET_ID(v->cpu, id_dfr1, ID_DFR1,
           (uint32_t)with_fields(APMU_REG_ID_DFR1_EL1, dfr1, APMU_MASK(ID_DFR1_EL1, HPMN0), features));
}

/* Makes all ID registers, and what QEMU derives from them, agree with the PMU. */
static void write_ids(struct armpmu_vcpu *v)
{
    const uint64_t features = v->pmu.cfg.features;

    if ((features & APMU_FEAT(AA64)) != 0) {
        write_ids_aarch64(v);
    }
    if ((features & APMU_FEAT(AA32)) != 0) {
        write_ids_aarch32(v);
    }
    /* QEMU takes the number of counters from here: MDCR_EL2.HPMN resets to it. */
    v->cpu->isar.reset_pmcr_el0 = (v->cpu->isar.reset_pmcr_el0 & ~APMU_MASK(PMCR_EL0, N)) |
                                  APMU_PUT(PMCR_EL0, N, v->pmu.cfg.counters);
    v->cpu->pmceid0 = v->pmu.cfg.pmceid[0];
    v->cpu->pmceid1 = v->pmu.cfg.pmceid[1];
}

#define MPIDR_RES1 (UINT64_C(1) << 31)

void config_apply(struct armpmu_vcpu *v)
{
    const uint64_t reset_pmcr = v->cpu->isar.reset_pmcr_el0;
    struct apmu_config cfg = {
        .size = sizeof cfg,
        .counters = (uint8_t)APMU_GET(PMCR_EL0, N, reset_pmcr),
        .imp = (uint8_t)APMU_GET(PMCR_EL0, IMP, reset_pmcr),
        .idcode = (uint8_t)APMU_GET(PMCR_EL0, IDCODE, reset_pmcr),
        .mpidr = v->cpu->mp_affinity | MPIDR_RES1,
        .a32_long_counters = false,
    };
    uint64_t features = pmu_features(v->cpu);

    if (core_feed_row.size != 0) {
        v->feed = g_new0(struct core_feed, 1);
        cfg.slots = (uint8_t)core_feed_row.value[APMU_CORE_KEY_TIMING_WIDTH];
    }
    if (armpmu_options.features != NULL) {
        parse_features(armpmu_options.features, &features, &error_fatal);
    }
    if (armpmu_options.has_frame && (features & (APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64))) == 0) {
        features |= (features & APMU_FEAT(PMUv3p9)) != 0 ? APMU_FEAT(PMUv3_EXT64) : APMU_FEAT(PMUv3_EXT32);
    }
    cfg.features = apmu_features_closure(features | cpu_features(v->cpu));
    if (armpmu_options.counters != 0) {
        cfg.counters = armpmu_options.counters;
    }
    if ((cfg.features & APMU_FEAT(PMUv3_TH)) != 0) {
        cfg.thwidth = 12;
    }
    if ((cfg.features & APMU_FEAT(PMUv3p7)) != 0) {
        cfg.imp = cfg.idcode = 0;
    }
    for (unsigned n = 0; n < 64; n++) { /* PMCEID<n>_EL0: 0x0000..0x001F and 0x4000..0x401F, 0x0020.. and 0x4020.. */
        const uint16_t event = (uint16_t)((n & 32) << 9 | (n & 31));

        if (n == 32 && (cfg.features & APMU_FEAT(PMUv3p1)) == 0) {
            break;
        }
        cfg.pmceid[0] |= batch_counts_event(v, event) ? UINT64_C(1) << n : 0;
        cfg.pmceid[1] |= batch_counts_event(v, event + 32) ? UINT64_C(1) << n : 0;
    }
    /* Without a core, other events that the version requires never occur: no cycle stalls, and there are no caches. */
    apmu_events_closure(cfg.features, cfg.pmceid);

    const char *fault = apmu_config_check(&cfg);

    if (fault != NULL) {
        error_setg(&error_fatal, "armpmu: the PMU of '%s' cannot be: %s", object_get_typename(OBJECT(v->cpu)), fault);
    }
    apmu_init(&v->pmu, &cfg);
    pe_refresh(v);
    write_ids(v);
}

/* ---------------------------------------------------------------------------------------------------------------
 * -cpu NAME[,pmu-features=NAME+NAME...][,pmu-counters=N][,pmu-core=NAME|,pmu-core-file=FILE][,pmu-frame=ADDRESS]
 * [,pmu-irq=N][,pmu-check=on].  The options hold for all CPUs of the machine.
 */

static void set_features(Object *o, const char *value, Error **errp)
{
    uint64_t features;

    if (parse_features(value, &features, errp)) {
        g_free(armpmu_options.features);
        armpmu_options.features = g_strdup(value);
    }
}

static char *get_features(Object *o, Error **errp)
{
    return g_strdup(armpmu_options.features == NULL ? "" : armpmu_options.features);
}

static void set_counters(Object *o, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint8_t value;

    if (!visit_type_uint8(v, name, &value, errp)) {
        return;
    }
    if (value < 1 || value > APMU_EVENT_COUNTERS) {
        error_setg(errp, "%s: a PMU has 1 to %u event counters, not %u", name, APMU_EVENT_COUNTERS, value);
        return;
    }
    armpmu_options.counters = value;
}

static void set_frame(Object *o, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint64_t value;

    if (!visit_type_uint64(v, name, &value, errp)) {
        return;
    }
    if (value % FRAME_STRIDE != 0) {
        error_setg(errp, "%s: 0x%" PRIx64 " is no multiple of 64 KiB, the distance of the CPUs' frames: use 0x%"
                   PRIx64, name, value, value - value % FRAME_STRIDE);
        return;
    }
    armpmu_options.frame = value;
    armpmu_options.has_frame = true;
}

static void set_irq(Object *o, Visitor *v, const char *name, void *opaque, Error **errp)
{
    if (visit_type_uint32(v, name, &armpmu_options.irq, errp)) {
        armpmu_options.has_irq = true;
        irq_connect_later();
    }
}

/* Sets the core whose events the PMU counts to @row, which @name stands for. */
static bool choose_core(Object *o, const char *name, const struct apmu_core_row *row, Error **errp)
{
    const bool of_arm11 = row->value[APMU_CORE_KEY_EVENTS] == APMU_CORE_EVENTS_ARM11;

    if (of_arm11 != config_is_arm11(ARM_CPU(o))) {
        error_setg(errp, "%s: core '%s' counts events of %s, which this PMU has not: choose another core", name,
                   row->name, of_arm11 ? "ARM11" : "PMUv3");
        return false;
    }
    core_feed_row = *row;
    g_free(armpmu_options.core);
    armpmu_options.core = g_strdup(name);
    return true;
}

static void set_core(Object *o, const char *value, Error **errp)
{
    struct apmu_core_row row;

    if (!apmu_core_row_by_name(value, &row)) {
        g_autoptr(GString) names = g_string_new("");

        for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
            g_string_append_printf(names, " %s", row.name);
        }
        error_setg(errp, "pmu-core: '%s' is no core of the model: choose one of%s, or write a core file for "
                   "pmu-core-file", value, names->str);
        return;
    }
    choose_core(o, value, &row, errp);
}

static void set_core_file(Object *o, const char *value, Error **errp)
{
    struct apmu_core_file_fault fault;
    struct apmu_core_row row;
    g_autofree char *text = NULL;
    g_autoptr(GError) failure = NULL;
    gsize length;

    if (!g_file_get_contents(value, &text, &length, &failure)) {
        error_setg(errp, "pmu-core-file: %s", failure->message);
    } else if (!apmu_core_file_parse(text, length, &row, &fault)) {
        error_setg(errp, "pmu-core-file: %s:%u: %s", value, fault.line, fault.text);
    } else {
        choose_core(o, value, &row, errp);
    }
}

static char *get_core(Object *o, Error **errp)
{
    return g_strdup(armpmu_options.core == NULL ? "" : armpmu_options.core);
}

static bool get_check(Object *o, Error **errp)
{
    return armpmu_options.check;
}

static void set_check(Object *o, bool value, Error **errp)
{
    armpmu_options.check = value;
}

bool config_is_arm11(ARMCPU *cpu)
{
    return arm_feature(&cpu->env, ARM_FEATURE_V6) && !arm_feature(&cpu->env, ARM_FEATURE_V7) &&
           !arm_feature(&cpu->env, ARM_FEATURE_M);
}

void armpmu_add_properties(Object *o)
{
    ARMCPU *cpu = ARM_CPU(o);

    if (!arm_feature(&cpu->env, ARM_FEATURE_PMU) && !config_is_arm11(cpu)) {
        return;
    }
    object_property_add(o, "pmu-irq", "uint32", NULL, set_irq, NULL, NULL);
    object_property_add_str(o, "pmu-core", get_core, set_core);
    object_property_add_str(o, "pmu-core-file", get_core, set_core_file);
    if (config_is_arm11(cpu)) {
        return; /* every ARM11 has the same PMU */
    }
    object_property_add_str(o, "pmu-features", get_features, set_features);
    object_property_add(o, "pmu-counters", "uint8", NULL, set_counters, NULL, NULL);
    object_property_add_bool(o, "pmu-check", get_check, set_check);
    object_property_add(o, "pmu-frame", "uint64", NULL, set_frame, NULL, NULL);
}
