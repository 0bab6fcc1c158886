/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks apmu_config_check(), apmu_features_closure() and apmu_events_closure(). */

#include <string.h>

#include <armpmu/model.h>

#include "../../lib/tap.h"

#define EL1 (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define EXT32 (APMU_FEAT(PMUv3_EXT) | APMU_FEAT(PMUv3_EXT32))
#define ALL_ELS (EL1 | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))

static struct apmu_config with(uint64_t features)
{
    return (struct apmu_config){
        .size = sizeof(struct apmu_config),
        .features = features,
        .counters = 6,
        .thwidth = (features & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0,
    };
}

static const char *check_features(uint64_t features)
{
    const struct apmu_config cfg = with(features);
    return apmu_config_check(&cfg);
}

static bool says(const char *said, const char *word)
{
    return said != NULL && strstr(said, word) != NULL;
}

static void small_and_large_are_allowed(void)
{
    const uint64_t newest = ~(APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3) |
                              APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2));
    const uint64_t a32 = APMU_FEAT(PMUv3) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32);
    const uint64_t sets[] = {EL1, ALL_ELS, newest & ((UINT64_C(1) << APMU_FEAT_END) - 1), a32};

    for (unsigned i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const char *said = check_features(sets[i]);
        MUST(said == NULL, "set %u: %s", i, said);
    }
}

/*
 * Each feature is allowed together with the features that it requires: on a PE with all Exception levels, or, for a PMU
 * of ARMv7, on a PE of ARMv7.
 */
static void every_feature_can_be_had(void)
{
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const bool armv7 = bit == APMU_FEAT_BIT_PMUv1 || bit == APMU_FEAT_BIT_PMUv2;
        uint64_t features = (armv7 ? 0 : ALL_ELS) | UINT64_C(1) << bit;
        if ((apmu_features_closure(features) & APMU_FEAT(PMUv3_EXT)) != 0 && bit != APMU_FEAT_BIT_PMUv3_EXT32) {
            features |= APMU_FEAT(PMUv3_EXT64);
        }
        if (bit >= APMU_FEAT_BIT_AA32EL1 && bit <= APMU_FEAT_BIT_AA32EL3) {
            features |= APMU_FEAT(AA32EL2); /* EL2 is implemented, so an AArch32 EL3 needs an AArch32 EL2 */
        }
        const char *said = check_features(apmu_features_closure(features));
        MUST(said == NULL, "%s: %s", apmu_feature_name(bit), said);
    }
}

/* A refusal names both the feature and the requirement that is missing. */
static void every_missing_requirement_is_named(void)
{
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const uint64_t feature = UINT64_C(1) << bit;
        const uint64_t required = apmu_features_closure(feature) & ~feature;
        for (unsigned other = 0; other < APMU_FEAT_END; other++) {
            if ((required >> other & 1) != 0) {
                const uint64_t whole = apmu_features_closure(feature | ALL_ELS);
                const char *said = check_features(whole & ~(UINT64_C(1) << other));
                MUST(said != NULL, "%s without %s is allowed", apmu_feature_name(bit), apmu_feature_name(other));
                MUST(other == APMU_FEAT_BIT_PMUv3 || says(said, apmu_feature_name(other)), "%s without %s: %s",
                     apmu_feature_name(bit), apmu_feature_name(other), said);
            }
        }
    }
}

static void closure_is_least_and_idempotent(void)
{
    MUST_EQ(apmu_features_closure(0), 0, "closure of nothing");
    MUST_EQ(apmu_features_closure(APMU_FEAT(PMUv3p5)),
            APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p1) | APMU_FEAT(PMUv3), "closure of PMUv3p5");
    MUST_EQ(apmu_features_closure(APMU_FEAT(PMUv3p9) | APMU_FEAT(AA64EL2)) & APMU_FEAT(FGT2), APMU_FEAT(FGT2),
            "an implication of two features");
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const uint64_t closed = apmu_features_closure(UINT64_C(1) << bit);
        MUST_EQ(apmu_features_closure(closed), closed, "%s", apmu_feature_name(bit));
    }
}

static void refusals_name_the_object(void)
{
    static const struct {
        uint64_t features;
        const char *word;
    } wrong[] = {
        {0, "FEAT_PMUv3"},
        {APMU_FEAT(PMUv3), "FEAT_AA64EL0"},
        {EL1 | UINT64_C(1) << 63, "APMU_FEAT_END"},
        {EL1 | APMU_FEAT(PMUv3p9), "FEAT_PMUv3p8"},
        {APMU_FEAT(PMUv3) | APMU_FEAT(AA64), "FEAT_AA64EL0"},
        {EL1 | APMU_FEAT(SEL2) | APMU_FEAT(Debugv8p4) | APMU_FEAT(Debugv8p2), "FEAT_AA64EL2"},
        {EL1 | APMU_FEAT(MTPMU), "at least one of"},
        {EL1 | APMU_FEAT(PMUv2) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32), "FEAT_PMUv2 excludes"},
        {APMU_FEAT(PMUv1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32),
         "FEAT_PMUv1 excludes"},
        {EL1 | APMU_FEAT(PMUv3_EXT) | APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64), "excludes"},
    };

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *said = check_features(wrong[i].features);
        MUST(says(said, wrong[i].word), "set %u: %s", i, said != NULL ? said : "allowed");
    }
}

/* Returns "revision" for "revision[i]". */
static const char *words_before(const char *member)
{
    static char word[32];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(member, "["), member);
    return word;
}

/* SW_INCR, INST_RETIRED and CPU_CYCLES, which every PMUv3 announces if it lacks INST_SPEC. */
#define V3 (UINT64_C(1) << 0x00 | UINT64_C(1) << 0x08 | UINT64_C(1) << 0x11)

/* The events that a feature requires (the Arm ARM, D14.6), as bits of PMCEID0_EL0 and PMCEID1_EL0. */
static const struct {
    uint64_t feature;
    const char *name;
    unsigned word, bit;
    const char *event;
} required[] = {
    {APMU_FEAT(PMUv3), "FEAT_PMUv3", 0, 0x00, "SW_INCR"},
    {APMU_FEAT(PMUv3), "FEAT_PMUv3", 0, 0x11, "CPU_CYCLES"},
    {APMU_FEAT(PMUv3p1), "FEAT_PMUv3p1", 1, 0x23 - 0x20, "STALL_FRONTEND"},
    {APMU_FEAT(PMUv3p1), "FEAT_PMUv3p1", 1, 0x24 - 0x20, "STALL_BACKEND"},
    {APMU_FEAT(PMUv3p4), "FEAT_PMUv3p4", 1, 0x3C - 0x20, "STALL"},
    {APMU_FEAT(PMUv3p4), "FEAT_PMUv3p4", 1, 0x39 - 0x20, "L1D_CACHE_LMISS_RD"},
    {APMU_FEAT(PMUv3p4), "FEAT_PMUv3p4", 0, 32 + 0x06, "L1I_CACHE_LMISS"},
    {APMU_FEAT(PMUv3p9), "FEAT_PMUv3p9", 0, 0x14, "L1I_CACHE"},
    {APMU_FEAT(PMUv3_ICNTR), "FEAT_PMUv3_ICNTR", 0, 0x08, "INST_RETIRED"},
    {APMU_FEAT(SPEv1p2), "FEAT_SPEv1p2", 0, 32, "SAMPLE_POP"},
    {APMU_FEAT(SPEv1p2), "FEAT_SPEv1p2", 0, 33, "SAMPLE_FEED"},
    {APMU_FEAT(SPEv1p2), "FEAT_SPEv1p2", 0, 34, "SAMPLE_FILTRATE"},
    {APMU_FEAT(SPEv1p2), "FEAT_SPEv1p2", 0, 35, "SAMPLE_COLLISION"},
};

/*
 * Checks that the closure of no event is what the table above says, and that apmu_config_check() names the feature and
 * the event if one of these is missing.
 */
static void required_events_are_announced(void)
{
    unsigned checked = 0;

    for (unsigned bit = APMU_FEAT_BIT_PMUv3; bit < APMU_FEAT_END; bit++) {
        const uint64_t features = apmu_features_closure(EL1 | UINT64_C(1) << bit);
        struct apmu_config cfg = with(features);
        uint64_t want[2] = {V3, 0};

        if (apmu_config_check(&cfg) != NULL) {
            continue; /* the feature needs a PE with more than EL1 */
        }
        checked++;
        apmu_events_closure(features, cfg.pmceid);
        for (unsigned i = 0; i < sizeof required / sizeof required[0]; i++) {
            if ((features & required[i].feature) != 0) {
                want[required[i].word] |= UINT64_C(1) << required[i].bit;
            }
        }
        MUST_EQ(cfg.pmceid[0], want[0], "%s: PMCEID0_EL0", apmu_feature_name(bit));
        MUST_EQ(cfg.pmceid[1], want[1], "%s: PMCEID1_EL0", apmu_feature_name(bit));
        MUST(apmu_config_check(&cfg) == NULL, "%s: %s", apmu_feature_name(bit), apmu_config_check(&cfg));
        for (unsigned i = 0; i < sizeof required / sizeof required[0]; i++) {
            struct apmu_config less = cfg;

            less.pmceid[required[i].word] &= ~(UINT64_C(1) << required[i].bit);
            if ((features & required[i].feature) != 0 && required[i].bit != 0x08) {
                const char *said = apmu_config_check(&less);

                MUST(says(said, required[i].name) && says(said, required[i].event), "%s without %s: %s",
                     apmu_feature_name(bit), required[i].event, said != NULL ? said : "allowed");
            }
            less.counters = 0;
            MUST(apmu_config_check(&less) == NULL, "without event counters %s is required", required[i].event);
        }
    }
    MUST(checked > 20, "only %u features were checked", checked);
}

/* One of INST_RETIRED and INST_SPEC is enough, but with FEAT_PMUv3_ICNTR it is INST_RETIRED. */
static void events_that_depend_on_others(void)
{
    const uint64_t inst_spec = UINT64_C(1) << 0x1B, inst_retired = UINT64_C(1) << 0x08;
    const uint64_t icntr = apmu_features_closure(EL1 | APMU_FEAT(PMUv3_ICNTR));
    const uint64_t p1 = apmu_features_closure(EL1 | APMU_FEAT(PMUv3p1));
    const uint64_t slots = UINT64_C(7) << (0x3D - 0x20);
    uint64_t pmceid[2] = {V3 & ~inst_retired, 0};

    MUST(says(apmu_events_check(EL1, pmceid), "INST_RETIRED INST_SPEC"), "neither of the two");
    pmceid[0] |= inst_spec;
    MUST(apmu_events_check(EL1, pmceid) == NULL, "INST_SPEC alone");
    apmu_events_closure(EL1, pmceid);
    MUST_EQ(pmceid[0], (V3 & ~inst_retired) | inst_spec, "INST_SPEC alone is enough");
    apmu_events_closure(icntr, pmceid);
    MUST((pmceid[0] & inst_retired) != 0, "FEAT_PMUv3_ICNTR does not require INST_RETIRED");
    pmceid[0] &= ~inst_retired;
    MUST(says(apmu_events_check(icntr, pmceid), "FEAT_PMUv3_ICNTR"), "FEAT_PMUv3_ICNTR without INST_RETIRED");
    for (unsigned set = 1; set < 7; set++) {
        pmceid[0] = V3;
        pmceid[1] = 0x18 | (uint64_t)set << (0x3D - 0x20);
        MUST(says(apmu_events_check(p1, pmceid), "STALL_SLOT"), "some of the three: %u", set);
        apmu_events_closure(p1, pmceid);
        MUST_EQ(pmceid[1], 0x18 | slots, "the closure of some of the three");
    }
    MUST(apmu_events_check(APMU_FEAT(PMUv2), (const uint64_t[2]){0, 0}) == NULL, "a PMU of ARMv7");
}

static void members_out_of_range_are_refused(void)
{
    struct apmu_config c;

/* REFUSED(counters, 32) sets the member to 32 and checks that the configuration is refused. */
#define REFUSED(member, value, features) \
    c = with(features); \
    c.member = (value); \
    MUST(says(apmu_config_check(&c), words_before(#member)), #member " = " #value ": not refused")
/* ALLOWED(counters, 31) sets the member to 31 and checks that the configuration is accepted. */
#define ALLOWED(member, value, features) \
    c = with(features); \
    c.member = (value); \
    MUST(apmu_config_check(&c) == NULL, #member " = " #value ": refused")

    REFUSED(size, 8, EL1);
    REFUSED(counters, 32, EL1);
    ALLOWED(counters, 31, EL1);
    ALLOWED(counters, 0, EL1);
    REFUSED(secure_only, true, ALL_ELS);
    ALLOWED(secure_only, true, EL1);
    REFUSED(secure_only, true, EL1 | APMU_FEAT(AA64EL3));
    ALLOWED(secure_only, true, EL1 | APMU_FEAT(AA64EL2));
    REFUSED(bus_width, 16, EL1);
    ALLOWED(bus_width, 15, EL1);
    REFUSED(thwidth, 1, EL1);
    REFUSED(thwidth, 0, EL1 | APMU_FEAT(PMUv3_TH));
    REFUSED(thwidth, 13, EL1 | APMU_FEAT(PMUv3_TH));
    ALLOWED(thwidth, 1, EL1 | APMU_FEAT(PMUv3_TH));
    ALLOWED(thwidth, 12, EL1 | APMU_FEAT(PMUv3_TH));
    REFUSED(sync_event_count, 15, EL1);
    ALLOWED(sync_event_count, 14, EL1);
    ALLOWED(multithreaded, true, EL1);
    REFUSED(multithreaded, true, APMU_FEAT(PMUv2) | APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1));
    REFUSED(pmceid[0], V3 | UINT64_C(1) << 32, EL1);
    ALLOWED(pmceid[0], V3 | UINT64_C(1) << 31, EL1);
    REFUSED(pmceid[1], UINT64_C(1) << 32, EL1);
    REFUSED(reserved_hpmn, 32, EL1);
    REFUSED(reserved_epmn, 32, EL1);
    ALLOWED(reserved_hpmn, 31, EL1);
    ALLOWED(reserved_epmn, 31, EL1);
    REFUSED(reserved_threshold, 64, EL1);
    ALLOWED(reserved_threshold, 63, EL1);
    REFUSED(reserved_pmee, 4, EL1);
    ALLOWED(reserved_pmee, 3, EL1);
    REFUSED(reserved_sse, 4, EL1);
    ALLOWED(reserved_sse, 3, EL1);
}

static void external_members_out_of_range_are_refused(void)
{
    struct apmu_config c;

    REFUSED(software_lock, true, EL1);
    ALLOWED(software_lock, true, EL1 | EXT32);
    REFUSED(software_lock, true, EL1 | EXT32 | APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4));
    REFUSED(software_lock, true, EL1 | EXT32 | APMU_FEAT(Debugv8p2) | APMU_FEAT(DoPD));
    REFUSED(external_swinc, true, EL1);
    ALLOWED(external_swinc, true, EL1 | EXT32);
    REFUSED(external_swinc, true, apmu_features_closure(EL1 | EXT32 | APMU_FEAT(PMUv3p9)));
    REFUSED(sample_enable, true, EL1 | EXT32 | APMU_FEAT(PCSRv8p2));
    ALLOWED(sample_enable, true, EL1 | EXT32 | APMU_FEAT(PCSRv8p2) | APMU_FEAT(PCSRv8p9));
    REFUSED(part, 0x1000, EL1);
    REFUSED(designer, 0x800, EL1);
    ALLOWED(part, 0xFFF, EL1);
    ALLOWED(designer, 0x7FF, EL1);
    for (unsigned i = 0; i < 3; i++) {
        REFUSED(revision[i], 16, EL1);
        ALLOWED(revision[i], 15, EL1);
    }
    REFUSED(reserved_epmssad, 1, EL1);
    ALLOWED(reserved_epmssad, 3, EL1);
}

int main(void)
{
    RUN(small_and_large_are_allowed);
    RUN(every_feature_can_be_had);
    RUN(every_missing_requirement_is_named);
    RUN(closure_is_least_and_idempotent);
    RUN(refusals_name_the_object);
    RUN(required_events_are_announced);
    RUN(events_that_depend_on_others);
    RUN(members_out_of_range_are_refused);
    RUN(external_members_out_of_range_are_refused);
    return tap_status;
}
