/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of a vCPU's PMU.  It follows from the CPU that QEMU emulates and from `-cpu NAME,pmu-...`, by which
 * the user asks for more.  The ID registers are then made to agree with it.
 */
#include "vcpu.h"

#include "cpu-features.h"
#include "internals.h"
#include "qapi/error.h"
#include "qapi/visitor.h"

struct armpmu_options armpmu_options;

/* The versions by their number in ID_AA64DFR0_EL1.PMUVer and ID_DFR0.PerfMon, the newest first. */
static const struct {
    unsigned number;
    uint64_t features;
} versions[] = {
    {9, APMU_FEAT(PMUv3p9)}, {8, APMU_FEAT(PMUv3p8)}, {7, APMU_FEAT(PMUv3p7)}, {6, APMU_FEAT(PMUv3p5)},
    {5, APMU_FEAT(PMUv3p4)}, {4, APMU_FEAT(PMUv3p1)}, {1, APMU_FEAT(PMUv3)},
};

#define PMUVER_OTHER 15u /* a PMU that is not PMUv3 */
#define PERFMON_PMUV1 1u
#define PERFMON_PMUV2 2u
#define PERFMON_PMUV3 3u

/* Returns the features of a PMU whose version field is @number; 0: there is no PMUv3. */
static uint64_t version_features(unsigned number)
{
    for (size_t i = 0; i < ARRAY_SIZE(versions) && number != PMUVER_OTHER; i++) {
        if (number >= versions[i].number) {
            return versions[i].features;
        }
    }
    return 0;
}

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
        const unsigned debug = FIELD_EX64(ID(cpu, id_aa64dfr0, ID_AA64DFR0), ID_AA64DFR0, DEBUGVER);

        features |= debug >= 8 ? APMU_FEAT(Debugv8p2) : 0;
        features |= debug >= 9 ? APMU_FEAT(Debugv8p4) : 0;
        features |= isar_feature_aa64_vh(isar) && (features & APMU_FEAT(AA64EL2)) != 0
                        ? APMU_FEAT(VHE) | APMU_FEAT(E2H0) : 0;
        features |= isar_feature_aa64_sel2(isar) && (features & APMU_FEAT(AA64EL2)) != 0 ? APMU_FEAT(SEL2) : 0;
        features |= isar_feature_aa64_rme(isar) ? APMU_FEAT(RME) : 0;
        features |= isar_feature_aa64_fgt(isar) ? APMU_FEAT(FGT) : 0;
    }
    return features;
}

/* Returns the features of the CPU's own PMU. */
static uint64_t pmu_features(ARMCPU *cpu)
{
    if (arm_feature(&cpu->env, ARM_FEATURE_AARCH64)) {
        const uint64_t dfr0 = ID(cpu, id_aa64dfr0, ID_AA64DFR0);
        const bool hpmn0 = APMU_GET(ID_AA64DFR0_EL1, HPMN0, dfr0) != 0 && arm_feature(&cpu->env, ARM_FEATURE_EL2);
        const bool mtpmu = APMU_GET(ID_AA64DFR0_EL1, MTPMU, dfr0) == 1;

        return version_features((unsigned)APMU_GET(ID_AA64DFR0_EL1, PMUVer, dfr0)) | (hpmn0 ? APMU_FEAT(HPMN0) : 0) |
               (mtpmu ? APMU_FEAT(MTPMU) : 0);
    }
    const unsigned perfmon = FIELD_EX32(ID(cpu, id_dfr0, ID_DFR0), ID_DFR0, PERFMON);

    switch (perfmon) {
    case 0: /* Cortex-A8 and Cortex-A9, which are older than the field */
    case PERFMON_PMUV1:
        return APMU_FEAT(PMUv1);
    case PERFMON_PMUV2:
        return APMU_FEAT(PMUv2);
    case PERFMON_PMUV3:
        return APMU_FEAT(PMUv3);
    default:
        return version_features(perfmon);
    }
}

/* The features that the user cannot ask for, because they are not the PMU's alone. */
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

#define SAY(value, REG, FIELD, says) (((value) & ~APMU_MASK(REG, FIELD)) | APMU_PUT(REG, FIELD, says))

static void tell_aarch64(struct armpmu_vcpu *v, unsigned version)
{
    const uint64_t features = v->pmu.cfg.features;
    uint64_t dfr0 = ID(v->cpu, id_aa64dfr0, ID_AA64DFR0);
    uint64_t dfr1 = ID(v->cpu, id_aa64dfr1, ID_AA64DFR1);

    dfr0 = SAY(dfr0, ID_AA64DFR0_EL1, PMUVer, version);
    dfr0 = SAY(dfr0, ID_AA64DFR0_EL1, HPMN0, (features & APMU_FEAT(HPMN0)) != 0);
    dfr0 = SAY(dfr0, ID_AA64DFR0_EL1, MTPMU, multithreading(v, (unsigned)APMU_GET(ID_AA64DFR0_EL1, MTPMU, dfr0)));
    dfr0 = SAY(dfr0, ID_AA64DFR0_EL1, PMSS, (features & APMU_FEAT(PMUv3_SS)) != 0);
    if ((features & APMU_FEAT(Debugv8p2)) != 0) {
        const unsigned debug = (features & APMU_FEAT(Debugv8p4)) != 0 ? 9 : 8;

        dfr0 = SAY(dfr0, ID_AA64DFR0_EL1, DebugVer, MAX(debug, APMU_GET(ID_AA64DFR0_EL1, DebugVer, dfr0)));
    }
    dfr1 = SAY(dfr1, ID_AA64DFR1_EL1, PMICNTR, (features & APMU_FEAT(PMUv3_ICNTR)) != 0);
    SET_ID(v->cpu, id_aa64dfr0, ID_AA64DFR0, dfr0);
    SET_ID(v->cpu, id_aa64dfr1, ID_AA64DFR1, dfr1);
    if ((features & APMU_FEAT(FGT)) != 0) { /* QEMU then has its registers */
        const uint64_t mmfr0 = ID(v->cpu, id_aa64mmfr0, ID_AA64MMFR0);

        SET_ID(v->cpu, id_aa64mmfr0, ID_AA64MMFR0,
               FIELD_DP64(mmfr0, ID_AA64MMFR0, FGT, (features & APMU_FEAT(FGT2)) != 0 ? 2 : 1));
    }
}

static void tell_aarch32(struct armpmu_vcpu *v, unsigned version)
{
    const uint64_t features = v->pmu.cfg.features;
    const uint32_t dfr0 = ID(v->cpu, id_dfr0, ID_DFR0);
    const unsigned perfmon = (features & APMU_FEAT(PMUv1)) != 0   ? FIELD_EX32(dfr0, ID_DFR0, PERFMON)
                             : (features & APMU_FEAT(PMUv2)) != 0 ? PERFMON_PMUV2
                             : version == 1                       ? PERFMON_PMUV3
                                                                  : version;
    uint32_t dfr1 = ID(v->cpu, id_dfr1, ID_DFR1);

    dfr1 = FIELD_DP32(dfr1, ID_DFR1, MTPMU, multithreading(v, FIELD_EX32(dfr1, ID_DFR1, MTPMU)));
    dfr1 = FIELD_DP32(dfr1, ID_DFR1, HPMN0, (features & APMU_FEAT(HPMN0)) != 0);
    SET_ID(v->cpu, id_dfr0, ID_DFR0, FIELD_DP32(dfr0, ID_DFR0, PERFMON, perfmon));
    SET_ID(v->cpu, id_dfr1, ID_DFR1, dfr1);
}

static void tell_software(struct armpmu_vcpu *v)
{
    const uint64_t features = v->pmu.cfg.features;
    unsigned version = 0;

    for (size_t i = 0; i < ARRAY_SIZE(versions) && version == 0; i++) {
        version = (features & versions[i].features) == versions[i].features ? versions[i].number : 0;
    }
    if ((features & APMU_FEAT(AA64)) != 0) {
        tell_aarch64(v, version);
    }
    if ((features & APMU_FEAT(AA32)) != 0) {
        tell_aarch32(v, version);
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

        cfg.pmceid[0] |= batch_counts_event(v, event) ? UINT64_C(1) << n : 0;
        cfg.pmceid[1] |= batch_counts_event(v, event + 32) ? UINT64_C(1) << n : 0;
    }
    /* Other events that the version requires never occur here: no cycle stalls, and there are no caches. */
    apmu_events_closure(cfg.features, cfg.pmceid);

    const char *fault = apmu_config_check(&cfg);

    if (fault != NULL) {
        error_setg(&error_fatal, "armpmu: the PMU of '%s' cannot be: %s", object_get_typename(OBJECT(v->cpu)), fault);
    }
    apmu_init(&v->pmu, &cfg);
    pe_refresh(v);
    tell_software(v);
}

/* ---------------------------------------------------------------------------------------------------------------
 * -cpu NAME[,pmu-features=NAME+NAME...][,pmu-counters=N][,pmu-frame=ADDRESS][,pmu-irq=N][,pmu-check=on].  The options
 * hold for all CPUs of the machine.
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
    if (config_is_arm11(cpu)) {
        return; /* every ARM11 has the same PMU */
    }
    object_property_add_str(o, "pmu-features", get_features, set_features);
    object_property_add(o, "pmu-counters", "uint8", NULL, set_counters, NULL, NULL);
    object_property_add_bool(o, "pmu-check", get_check, set_check);
    object_property_add(o, "pmu-frame", "uint64", NULL, set_frame, NULL, NULL);
}
