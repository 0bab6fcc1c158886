/* SPDX-License-Identifier: BSD-2-Clause */
/* apmu_config_check() and apmu_features_closure(). */

#include <string.h>

#include <armpmu/model.h>

#include "../lib/tap.h"

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

static void members_out_of_range_are_refused(void)
{
    struct apmu_config c;

#define REFUSED(member, value, features) \
    c = with(features); \
    c.member = (value); \
    MUST(says(apmu_config_check(&c), words_before(#member)), #member " = " #value ": not refused")
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
    REFUSED(pmceid[0], UINT64_C(1) << 32, EL1);
    ALLOWED(pmceid[0], UINT64_C(1) << 31, EL1);
    REFUSED(pmceid[1], UINT64_C(1) << 32, EL1);
    ALLOWED(pmceid[1], UINT64_C(1) << 32, EL1 | APMU_FEAT(PMUv3p1));
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
    RUN(members_out_of_range_are_refused);
    return tap_status;
}
