/* SPDX-License-Identifier: BSD-2-Clause */
/* apmu_config_check(): the rules between features, and the ranges of other members. */
#include <armpmu/model.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Rules between features.
 */

enum feature_rule_kind { REQUIRES_ALL, REQUIRES_ANY, EXCLUDES_ALL };

struct feature_rule {
    enum feature_rule_kind kind;
    uint64_t condition, other;
};

/*
 * The rules as sets of features.  `sentences` has the message for each, in the same order.  F(PMUv3)F(FGT) in a row is
 * | APMU_FEAT(PMUv3) | APMU_FEAT(FGT) here and " FEAT_PMUv3" " FEAT_FGT" there.
 */
static const struct feature_rule rules[] = {
#define F(x) | APMU_FEAT(x)
#define APMU_FEATURE(id, bit, requires, text) {REQUIRES_ALL, APMU_FEAT(id), UINT64_C(0) requires},
#define APMU_IMPLIES(condition, then) {REQUIRES_ALL, UINT64_C(0) condition, UINT64_C(0) then},
#define APMU_ANY_OF(condition, choice) {REQUIRES_ANY, UINT64_C(0) condition, UINT64_C(0) choice},
#define APMU_EXCLUDES(condition, other) {EXCLUDES_ALL, UINT64_C(0) condition, UINT64_C(0) other},
#include <armpmu/tables/features.def>
#undef F
};

static const char *const sentences[] = {
#define F(x) " FEAT_" #x
#define APMU_FEATURE(id, bit, requires, text) \
    "features: FEAT_" #id " requires" requires ": add what is missing, or leave FEAT_" #id " out",
#define APMU_IMPLIES(condition, then) "features:" condition " together require" then ": add what is missing",
#define APMU_ANY_OF(condition, choice) "features:" condition " requires at least one of" choice ": add one",
#define APMU_EXCLUDES(condition, other) "features:" condition " excludes" other ": leave one of them out",
#include <armpmu/tables/features.def>
#undef F
};

enum { RULES = sizeof rules / sizeof rules[0] };

_Static_assert(RULES == sizeof sentences / sizeof sentences[0], "each rule has its sentence");

static bool satisfied(const struct feature_rule *rule, uint64_t features)
{
    if ((features & rule->condition) != rule->condition) {
        return true;
    }
    switch (rule->kind) {
    case REQUIRES_ALL:
        return (features & rule->other) == rule->other;
    case REQUIRES_ANY:
        return (features & rule->other) != 0;
    default:
        return (features & rule->other) == 0;
    }
}

static const char *check_features(uint64_t features)
{
    if (features >> APMU_FEAT_END != 0) {
        return "features: a bit at or above APMU_FEAT_END is set, which is not a feature: clear it";
    }
    if ((features & (APMU_FEAT(PMUv3) | APMU_FEAT(PMUv2) | APMU_FEAT(PMUv1))) == 0) {
        return "features: FEAT_PMUv3 is missing: add it, or PMUv2 or PMUv1 for a PMU of ARMv7";
    }
    for (unsigned i = 0; i < RULES; i++) {
        if (!satisfied(&rules[i], features)) {
            return sentences[i];
        }
    }
    return NULL;
}

static const char *check_external(const struct apmu_config *cfg)
{
    const bool ext32 = (cfg->features & APMU_FEAT(PMUv3_EXT32)) != 0;

    if (cfg->software_lock && (!ext32 || (cfg->features & (APMU_FEAT(Debugv8p4) | APMU_FEAT(DoPD))) != 0)) {
        return "software_lock: needs FEAT_PMUv3_EXT32, without FEAT_Debugv8p4 and FEAT_DoPD: clear it";
    }
    if (cfg->external_swinc && (!ext32 || (cfg->features & APMU_FEAT(PMUv3p9)) != 0)) {
        return "external_swinc: needs FEAT_PMUv3_EXT32, without FEAT_PMUv3p9: clear it";
    }
    if (cfg->sample_enable && (cfg->features & APMU_FEAT(PCSRv8p9)) == 0) {
        return "sample_enable: needs FEAT_PCSRv8p9: clear it, or add the feature";
    }
    if (cfg->part > 0xFFF || cfg->designer > 0x7FF) {
        return "part, designer: have 12 and 11 bits: use 0..0xFFF and 0..0x7FF";
    }
    if (cfg->revision[0] > 15 || cfg->revision[1] > 15 || cfg->revision[2] > 15) {
        return "revision[0], revision[1], revision[2]: have four bits: use 0..15";
    }
    if (cfg->reserved_epmssad != 0 && cfg->reserved_epmssad != 3) {
        return "reserved_epmssad: must be 0 or 3: the values that a reserved EPMSSAD may behave as";
    }
    return NULL;
}

/* Returns what is wrong with a configuration that has every member this library knows, or NULL. */
static const char *check_known(const struct apmu_config *cfg)
{
    const char *wrong = check_features(cfg->features);
    if (wrong != NULL) {
        return wrong;
    }
    if (cfg->counters > APMU_EVENT_COUNTERS) {
        return "counters: a PMU has at most 31 event counters: lower it";
    }
    if (cfg->secure_only && (cfg->features & (APMU_FEAT(AA64EL3) | APMU_FEAT(AA32EL3))) != 0) {
        return "secure_only: is only for a PE without EL3: clear it, or leave EL3 out";
    }
    if (cfg->bus_width > 15) {
        return "bus_width: has four bits: use 0..15";
    }
    if ((cfg->features & APMU_FEAT(PMUv3_TH)) != 0 ? cfg->thwidth < 1 || cfg->thwidth > 12 : cfg->thwidth != 0) {
        return "thwidth: must be 1..12 with FEAT_PMUv3_TH and 0 without it";
    }
    if (cfg->sync_event_count > sizeof cfg->sync_events / sizeof cfg->sync_events[0]) {
        return "sync_event_count: sync_events has 14 entries: lower it";
    }
    if (cfg->multithreaded && (cfg->features & APMU_FEAT(PMUv3)) == 0) {
        return "multithreaded: the PMUs of ARMv7 have no MT: clear it";
    }
    if ((cfg->features & APMU_FEAT(PMUv3p1)) == 0 && (cfg->pmceid[0] | cfg->pmceid[1]) >> 32 != 0) {
        return "pmceid[0], pmceid[1]: events from 0x4000 need FEAT_PMUv3p1: clear bits 63:32, or add it";
    }
    if (cfg->counters != 0 && (cfg->pmceid[0] | cfg->pmceid[1]) != 0) {
        wrong = apmu_events_check(cfg->features, cfg->pmceid);
        if (wrong != NULL) {
            return wrong;
        }
    }
    if (cfg->reserved_hpmn > APMU_EVENT_COUNTERS || cfg->reserved_epmn > APMU_EVENT_COUNTERS) {
        return "reserved_hpmn, reserved_epmn: are numbers of event counters: use 0..31";
    }
    if (cfg->reserved_threshold > 63) {
        return "reserved_threshold: has six bits (TC, TE, TLC): use 0..63";
    }
    if (cfg->reserved_pmee > 3 || cfg->reserved_sse > 3) {
        return "reserved_pmee, reserved_sse: have two bits: use 0..3";
    }
    return check_external(cfg);
}

const char *apmu_config_check(const struct apmu_config *cfg)
{
    struct apmu_config known;

    switch (apmu_sized_check(cfg, sizeof known, APMU_CONFIG_SIZE_FIRST)) {
    case APMU_SIZED_SMALL:
        return "size: is smaller than struct apmu_config of 0.1, or not set: set it to sizeof(struct apmu_config)";
    case APMU_SIZED_NEWER:
        return "size: is larger than this library knows, and what it does not know is not 0: "
               "link a newer one, or clear it";
    default:
        apmu_sized_take(&known, sizeof known, cfg);
        return check_known(&known);
    }
}
