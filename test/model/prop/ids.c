/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the ID fields of tables/features.def: reading undoes writing, and the ID registers that the model implements
 * show what the rows say.
 */
#include "any.h"

/* Returns the features that the fields of @reg show. */
static uint64_t shown_by(enum apmu_reg reg)
{
    const struct apmu_id_field *field;
    uint64_t features = 0;

    for (size_t i = 0; (field = apmu_id_field_at(i)) != NULL; i++) {
        features |= field->reg == reg ? UINT64_C(1) << field->feature : 0;
    }
    return features;
}

static bool reading_differs(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_ALL);
    uint64_t want = cfg.features & shown_by(reg);
    const uint64_t value = apmu_id_value(reg, cfg.features);

    if (reg == APMU_REG_ID_AA64PFR0_EL1) { /* AArch32 at an Exception level implies AArch64 in that register */
        want |= want >> 4 & APMU_BITS(3, 0);
    } else if (reg == APMU_REG_ID_AA64MMFR4_EL1 && (cfg.features & APMU_FEAT(VHE)) == 0) {
        want |= APMU_FEAT(E2H0); /* 0 says that it is implemented, or that there is no FEAT_VHE */
    }
    HOLDS(apmu_id_features(reg, value) == want, "%s = 0x%llx: features 0x%llx, want 0x%llx", apmu_reg_info(reg)->name,
          (unsigned long long)value, (unsigned long long)apmu_id_features(reg, value), (unsigned long long)want);
    return false;
}

/* Checks that a merged register shows the features, and has the caller's bits in all fields without a row. */
static bool merging_differs(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_ALL);
    const uint64_t yours = pick(c, 64), value = apmu_id_value(reg, cfg.features);
    const uint64_t merged = apmu_id_merge(reg, yours, cfg.features);
    const struct apmu_id_field *field;
    uint64_t ours = 0;

    for (size_t i = 0; (field = apmu_id_field_at(i)) != NULL; i++) {
        ours |= field->reg == reg ? APMU_BITS(field->msb, field->lsb) : 0;
    }
    HOLDS(merged == ((yours & ~ours) | (value & ours)) && (value & ~ours) == 0, "%s = 0x%llx of 0x%llx",
          apmu_reg_info(reg)->name, (unsigned long long)merged, (unsigned long long)yours);
    return false;
}

/* Fills @ids with the ID registers that software on a PE with @features can read.  Returns their number. */
static size_t ids_of(uint64_t features, struct apmu_reg_value *ids)
{
    size_t count = 0;

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        const char *name = apmu_reg_info(reg)->name;
        const bool a64 = strncmp(name, "ID_AA64", 7) == 0, a32 = strncmp(name, "ID_", 3) == 0 && !a64;

        if (shown_by(reg) != 0 && (!a64 || (features & APMU_FEAT(AA64)) != 0) &&
            (!a32 || (features & APMU_FEAT(AA32)) != 0)) {
            ids[count++] = (struct apmu_reg_value){reg, apmu_id_value(reg, features)};
        }
    }
    return count;
}

static bool features_differ(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    struct apmu_reg_value ids[APMU_REG_ALL];
    const size_t count = ids_of(cfg.features, ids);
    uint64_t visible = 0;

    if (apmu_config_check(&cfg) != NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        visible |= shown_by(ids[i].reg);
    }
    visible |= APMU_BITS(APMU_FEAT_BIT_AA32EL3, APMU_FEAT_BIT_AA64EL0);
    uint64_t want = cfg.features & visible, got = apmu_features_from_ids(ids, count);

    if ((cfg.features & APMU_FEAT(AA64)) != 0) { /* as in reading_differs() */
        want |= want >> 4 & APMU_BITS(3, 0);
    }
    want = apmu_features_closure(want);
    if ((cfg.features & APMU_FEAT(VHE)) == 0) { /* nothing depends on FEAT_E2H0 */
        want &= ~APMU_FEAT(E2H0);
        got &= ~APMU_FEAT(E2H0);
    }
    HOLDS(got == want, "features 0x%llx, want 0x%llx", (unsigned long long)got, (unsigned long long)want);
    return false;
}

/* Checks that ID registers that show features of EL2 or EL3 but not the level, as QEMU's do, do not add the level. */
static bool a_level_comes_back(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    const uint64_t level = pick_bool(c) ? APMU_FEAT(AA64EL2) : APMU_FEAT(AA64EL3);
    struct apmu_reg_value ids[APMU_REG_ALL];
    const size_t count = ids_of(cfg.features, ids);
    uint64_t got;

    if ((cfg.features & APMU_FEAT(AA64)) == 0 || apmu_config_check(&cfg) != NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const unsigned field = level == APMU_FEAT(AA64EL2) ? 8 : 12;

        ids[i].value &= ids[i].reg == APMU_REG_ID_AA64PFR0_EL1 ? ~(UINT64_C(15) << field) : ~UINT64_C(0);
    }
    got = apmu_features_from_ids(ids, count);
    HOLDS((got & level) == 0, "features 0x%llx of 0x%llx, which lack 0x%llx", (unsigned long long)got,
          (unsigned long long)cfg.features, (unsigned long long)level);
    return false;
}

/* Checks PMMIR_EL1, PMDEVARCH and PMDEVID, which the model implements. */
static bool model_differs(struct choices *c)
{
    static const struct apmu_pe el3 = {.el = 3};
    static const struct apmu_ext devarch = {.offset = 0xFBC, .size = 4}, devid = {.offset = 0xFC8, .size = 4};
    struct apmu_config cfg = any_legal_config(c);
    struct apmu p;
    uint64_t value;

    if ((cfg.features & APMU_FEAT(PMUv3)) != 0) {
        cfg.features |= pick_bool(c) ? APMU_FEAT(PMUv3_EXT32) : APMU_FEAT(PMUv3_EXT64);
        cfg.features |= pick_bool(c) ? APMU_FEAT(PCSRv8p2) : pick_bool(c) ? APMU_FEAT(PCSRv8p9) : 0;
        cfg.features = apmu_features_closure(cfg.features);
    }
    apmu_init(&p, &cfg);

    if ((cfg.features & APMU_FEAT(PMUv3p4)) != 0) {
        value = apmu_peek(&p, &el3, APMU_REG_PMMIR_EL1, 0);
        HOLDS(apmu_id_features(APMU_REG_PMMIR_EL1, value) == (cfg.features & shown_by(APMU_REG_PMMIR_EL1)),
              "PMMIR_EL1 0x%llx of features 0x%llx", (unsigned long long)value, (unsigned long long)cfg.features);
    }
    if ((cfg.features & (APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64))) != 0) {
        value = apmu_peek_ext(&p, &el3, &devarch);
        HOLDS(apmu_id_features(APMU_REG_PMDEVARCH, value) == (cfg.features & shown_by(APMU_REG_PMDEVARCH)),
              "PMDEVARCH 0x%llx of features 0x%llx", (unsigned long long)value, (unsigned long long)cfg.features);
        value = apmu_peek_ext(&p, &el3, &devid);
        HOLDS((cfg.features & APMU_FEAT(Debugv8p2)) == 0 ||
                  apmu_id_features(APMU_REG_PMDEVID, value) == (cfg.features & shown_by(APMU_REG_PMDEVID)),
              "PMDEVID 0x%llx of features 0x%llx", (unsigned long long)value, (unsigned long long)cfg.features);
    }
    return false;
}

/* Checks that each feature has a row, except for three that follow from others, and DoPD, which no field shows. */
static bool a_row_is_missing(struct choices *c)
{
    const unsigned bit = (unsigned)pick_of(c, APMU_FEAT_END);
    const uint64_t without = APMU_FEAT(AA64) | APMU_FEAT(AA32) | APMU_FEAT(PMUv3_EXT) | APMU_FEAT(DoPD);
    uint64_t shown = 0;

    for (unsigned reg = 0; reg < APMU_REG_ALL; reg++) {
        shown |= shown_by((enum apmu_reg)reg);
    }
    HOLDS((shown >> bit & 1) != (without >> bit & 1), "%s", apmu_feature_name(bit));
    return false;
}

PROPERTIES(
    {"an ID register with the features of a PE shows these features", reading_differs, .rounds = 200000},
    {"what is merged into an ID register leaves the other fields", merging_differs, .rounds = 100000},
    {"features come back from their ID registers", features_differ, .rounds = 200000},
    {"features of a level that ID registers lack do not bring it back", a_level_comes_back, .rounds = 100000},
    {"the model's ID registers are those of the rows", model_differs, .rounds = 100000},
    {"each feature that software can see has a row", a_row_is_missing, .rounds = 5000})
