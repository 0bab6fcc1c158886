/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks up registers by encoding, and converts between features and ID registers.  This file has no texts and needs
 * only tables/, so firmware without names has it too, and a driver can link it without the model.
 */
#include <armpmu/regs.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Registers by encoding.
 */

/* The encodings of AArch64 registers; 0 for a register without one. */
enum {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    KEY_##id = APMU_A64_KEY(op0, op1, crn, crm, op2),
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) KEY_##id = APMU_A64_KEY(op0, op1, crn, crm, op2),
#include <armpmu/tables/registers.def>
};

static const uint16_t keys[APMU_REG_ALL] = {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = KEY_##id,
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) [APMU_REG_##id] = KEY_##id,
#include <armpmu/tables/registers.def>
};

static const uint16_t keys32[APMU_REG32_COUNT] = {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) [APMU_REG32_##id] = APMU_A32_##place(KEY_##of),
#include <armpmu/tables/aarch32.def>
};

#define CASES_1(key) case (key):
#define CASES_4(key) case (key): case (key) + 1: case (key) + 2: case (key) + 3:
#define CASES_31(key) \
    CASES_4(key) CASES_4((key) + 4) CASES_4((key) + 8) CASES_4((key) + 12) CASES_4((key) + 16) CASES_4((key) + 20) \
    CASES_4((key) + 24) case (key) + 28: case (key) + 29: case (key) + 30:

/*
 * Two rows with the same encoding would be two equal case labels, which do not compile.  So each encoding leads to one
 * row.
 */
bool apmu_reg_by_a64(uint16_t key, enum apmu_reg *reg, unsigned *n)
{
    switch (key) {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    CASES_##copies(APMU_A64_KEY(op0, op1, crn, crm, op2)) *reg = APMU_REG_##id; break;
#include <armpmu/tables/registers.def>
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) \
    CASES_1(APMU_A64_KEY(op0, op1, crn, crm, op2)) *reg = APMU_REG_##id; break;
#include <armpmu/tables/registers.def>
    default:
        return false;
    }
    *n = (unsigned)key - keys[*reg];
    return true;
}

/* As in AArch64, two rows with the same encoding do not compile. */
bool apmu_reg_by_a32(uint16_t key, enum apmu_reg32 *reg, unsigned *n)
{
    switch (key) {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    CASES_##copies(APMU_A32_##place(KEY_##of)) *reg = APMU_REG32_##id; break;
#include <armpmu/tables/aarch32.def>
    default:
        return false;
    }
    *n = (unsigned)key - keys32[*reg];
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * ID registers.
 */

static const struct apmu_id_field id_fields[] = {
#define APMU_ID_FIELD(id, reg, field, least, most) \
    {APMU_REG_##reg, APMU_FEAT_BIT_##id, APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB, least, most},
#include <armpmu/tables/features.def>
};

enum { ID_FIELDS = sizeof id_fields / sizeof id_fields[0] };

#define APMU_ID_FIELD(id, reg, field, least, most) \
    _Static_assert((least) <= (most) && (uint64_t)(most) <= APMU_GET(reg, field, ~UINT64_C(0)), \
                   "FEAT_" #id ": " #reg "." #field " has no such values");
#include <armpmu/tables/features.def>

const struct apmu_id_field *apmu_id_field_at(size_t i)
{
    return i < ID_FIELDS ? &id_fields[i] : NULL;
}

/* Returns the bits of @field in its register. */
static uint64_t field_mask(const struct apmu_id_field *field)
{
    return APMU_BITS(field->msb, field->lsb);
}

uint64_t apmu_id_features(enum apmu_reg reg, uint64_t value)
{
    uint64_t features = 0;

    for (size_t i = 0; i < ID_FIELDS; i++) {
        const uint64_t found = (value & field_mask(&id_fields[i])) >> id_fields[i].lsb;

        if (id_fields[i].reg == reg && found >= id_fields[i].least && found <= id_fields[i].most) {
            features |= UINT64_C(1) << id_fields[i].feature;
        }
    }
    return features;
}

/* Returns what an ID register with @value has in fields that are 0 in it although no PE may have 0 there. */
static uint64_t not_permitted_as_zero(enum apmu_reg reg, uint64_t features, uint64_t value)
{
    enum { DEBUG_ARMV8 = 6, DEBUG_ARMV8_VHE = 7, NOT_IMPLEMENTED = 15 };
    const bool vhe = (features & APMU_FEAT(VHE)) != 0, e2h0 = (features & APMU_FEAT(E2H0)) != 0;
    const bool armv8 = (features & APMU_FEAT(PMUv3)) != 0, p7 = (features & APMU_FEAT(PMUv3p7)) != 0;
    const bool mtpmu = (features & APMU_FEAT(MTPMU)) != 0;
    const uint64_t debug = vhe ? DEBUG_ARMV8_VHE : DEBUG_ARMV8, none = p7 && !mtpmu ? NOT_IMPLEMENTED : 0;

    if (!armv8) {
        return 0;
    }
    switch (reg) {
    case APMU_REG_ID_AA64DFR0_EL1:
        return (APMU_GET(ID_AA64DFR0_EL1, DebugVer, value) != 0 ? 0 : APMU_PUT(ID_AA64DFR0_EL1, DebugVer, debug)) |
               APMU_PUT(ID_AA64DFR0_EL1, MTPMU, none);
    case APMU_REG_ID_DFR0_EL1:
        return APMU_GET(ID_DFR0_EL1, CopDbg, value) != 0 ? 0 : APMU_PUT(ID_DFR0_EL1, CopDbg, debug);
    case APMU_REG_ID_DFR1_EL1:
        return APMU_PUT(ID_DFR1_EL1, MTPMU, none);
    case APMU_REG_ID_AA64MMFR4_EL1:
        return vhe && !e2h0 ? APMU_PUT(ID_AA64MMFR4_EL1, E2H0, NOT_IMPLEMENTED) : 0;
    default:
        return 0;
    }
}

uint64_t apmu_id_value(enum apmu_reg reg, uint64_t features)
{
    uint64_t value = 0;

    for (size_t i = 0; i < ID_FIELDS; i++) {
        const uint64_t mask = field_mask(&id_fields[i]), least = (uint64_t)id_fields[i].least << id_fields[i].lsb;

        if (id_fields[i].reg == reg && (features >> id_fields[i].feature & 1) != 0 && least > (value & mask)) {
            value = (value & ~mask) | least;
        }
    }
    return value | not_permitted_as_zero(reg, features, value);
}

uint64_t apmu_id_merge(enum apmu_reg reg, uint64_t yours, uint64_t features)
{
    uint64_t ours = 0;

    for (size_t i = 0; i < ID_FIELDS; i++) {
        ours |= id_fields[i].reg == reg ? field_mask(&id_fields[i]) : 0;
    }
    return (yours & ~ours) | apmu_id_value(reg, features);
}

/* Returns the value that @ids give register @reg, 0 if they do not have it. */
static uint64_t given(enum apmu_reg reg, const struct apmu_reg_value *ids, size_t count)
{
    uint64_t value = 0;

    for (size_t i = 0; i < count; i++) {
        value |= ids[i].reg == reg ? ids[i].value : 0;
    }
    return value;
}

/* Returns whether a register of AArch64 state, which is among @ids, shows what @reg, of AArch32 state, does. */
static bool is_overruled(enum apmu_reg reg, const struct apmu_reg_value *ids, size_t count)
{
    switch (reg) {
    case APMU_REG_ID_PFR1_EL1:
        return given(APMU_REG_ID_AA64PFR0_EL1, ids, count) != 0;
    case APMU_REG_ID_DFR0_EL1:
        return given(APMU_REG_ID_AA64DFR0_EL1, ids, count) != 0;
    default:
        return false;
    }
}

/* Returns the features of each PE without AArch64, if @ids are those of such a PE; otherwise 0. */
static uint64_t always_in_aarch32(const struct apmu_reg_value *ids, size_t count)
{
    const bool a32 = (given(APMU_REG_ID_PFR0_EL1, ids, count) | given(APMU_REG_ID_PFR1_EL1, ids, count) |
                      given(APMU_REG_ID_DFR0_EL1, ids, count)) != 0;

    return a32 && given(APMU_REG_ID_AA64PFR0_EL1, ids, count) == 0 ? APMU_FEAT(AA32EL1) : 0;
}

/*
 * Returns @has without features that require an Exception level of @absent.  ID registers of a PE without EL2 may show
 * some, as QEMU's do: FEAT_VHE must not bring EL2 back.
 */
static uint64_t without_absent_levels(uint64_t has, uint64_t absent)
{
    const uint64_t levels = absent & (APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3));
    uint64_t kept = 0;

    for (uint64_t left = has; left != 0; left &= left - 1) {
        const uint64_t feature = left & (~left + 1);

        kept |= (apmu_features_closure(feature) & levels) == 0 ? feature : 0;
    }
    return kept;
}

uint64_t apmu_features_from_ids(const struct apmu_reg_value *ids, size_t count)
{
    uint64_t has = always_in_aarch32(ids, count), decided = 0;

    for (size_t f = 0; f < ID_FIELDS; f++) {
        const enum apmu_reg reg = id_fields[f].reg;
        const uint64_t feature = UINT64_C(1) << id_fields[f].feature;

        for (size_t i = 0; i < count && (decided & feature) == 0; i++) {
            if (ids[i].reg == reg && !is_overruled(reg, ids, count)) {
                has |= apmu_id_features(reg, ids[i].value) & feature;
                decided |= feature;
            }
        }
    }
    return apmu_features_closure(without_absent_levels(has, decided & ~has));
}
