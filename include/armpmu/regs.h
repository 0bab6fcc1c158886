/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: registers, fields, features and encodings of the PMU.  They are rows of the tables in tables/.
 *
 * The model and the driver share this header, and it needs neither.  Names are Arm's.  A register is an `enum apmu_reg`
 * and, in a bank such as PMEVCNTR<n>_EL0, the number of the copy.  Nothing here keeps state; every function is safe in
 * any context.  All data behind pointers that functions return is constant.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/regs.h>
 *
 * int main(void)
 * {
 *     enum apmu_reg reg;
 *     unsigned n;
 *
 *     if (!apmu_reg_by_name("PMEVCNTR5_EL0", &reg, &n)) {
 *         return 1;
 *     }
 *     printf("MRS key 0x%04x, copy %u: %s\n", apmu_reg_info(reg)->key + n, n, apmu_reg_info(reg)->text);
 *     return APMU_GET(PMCR_EL0, N, 6u << 11) == 6 ? 0 : 1;
 * }
 * @endcode
 */
#ifndef ARMPMU_REGS_H
#define ARMPMU_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <armpmu/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Counters, numbered as in the pseudocode of the Arm ARM (DDI 0487 M.a.a): 0..30 are the event counters
 * PMEVCNTR<n>_EL0, 31 is the cycle counter PMCCNTR_EL0, 32 is the instruction counter PMICNTR_EL0; bit n of every set
 * of counters is counter n.
 */

enum apmu_counter {
    APMU_EVENT_COUNTERS = 31, /**< the most event counters that a PMU can have */
    APMU_CYCLE = 31,          /**< the cycle counter, PMCCNTR_EL0 */
    APMU_INSTR = 32,          /**< the instruction counter, PMICNTR_EL0 */
    APMU_COUNTERS = 33,       /**< the length of an array that has an entry for each counter */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Features: rows of tables/features.def.
 */

/** The bit of a feature in a set of features. */
enum apmu_feature {
#define APMU_FEATURE(id, bit, requires, text) APMU_FEAT_BIT_##id = bit,
#include <armpmu/tables/features.def>
    APMU_FEAT_END = 48 /* bits from here up are unused */
};

/** The set with the one feature @id, which is Arm's name without FEAT_: APMU_FEAT(PMUv3p5). */
#define APMU_FEAT(id) (UINT64_C(1) << APMU_FEAT_BIT_##id)

/** Returns the name, with FEAT_, of the feature that is bit @bit of a set; NULL if there is none. */
const char *apmu_feature_name(unsigned bit);

/** Returns @features with all that they require: APMU_FEAT(PMUv3p9) becomes all versions up to it. */
uint64_t apmu_features_closure(uint64_t features);

/** Gates: what fields and registers depend on.  A gate is a feature, or a condition that features.def names. */
enum apmu_gate {
#define APMU_FEATURE(id, bit, requires, text) APMU_GATE_##id,
#include <armpmu/tables/features.def>
#define APMU_GATE(id, condition, text) APMU_GATE_##id,
#include <armpmu/tables/features.def>
    APMU_GATE_COUNT
};

/** Returns a gate in words: "FEAT_PMUv3p5", "EL3 is implemented". */
const char *apmu_gate_text(enum apmu_gate gate);

/* ---------------------------------------------------------------------------------------------------------------
 * Fields: rows of tables/fields.def.  reg and field are Arm's names: APMU_GET(PMCR_EL0, N, pmcr).
 */

/** First and last bit of each field. */
enum apmu_field_bits {
#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) \
    APMU_##reg##_##field##_MSB = msb, APMU_##reg##_##field##_LSB = lsb,
#define APMU_SPAN(reg, name, msb, lsb) APMU_##reg##_##name##_MSB = msb, APMU_##reg##_##name##_LSB = lsb,
#include <armpmu/tables/fields.def>
    APMU_FIELD_BITS_END = 64
};

/** The bits from @msb down to @lsb. */
#define APMU_BITS(msb, lsb) ((~UINT64_C(0) >> (63 - (msb) + (lsb))) << (lsb))
/** The bits of a field. */
#define APMU_MASK(reg, field) APMU_BITS(APMU_##reg##_##field##_MSB, APMU_##reg##_##field##_LSB)
/** The value of a field in the register value @value. */
#define APMU_GET(reg, field, value) \
    (((uint64_t)(value) >> APMU_##reg##_##field##_LSB) & \
     (~UINT64_C(0) >> (63 - APMU_##reg##_##field##_MSB + APMU_##reg##_##field##_LSB)))
/** A register value with @value in a field, cut to its width, and 0 elsewhere. */
#define APMU_PUT(reg, field, value) \
    (((uint64_t)(value) & (~UINT64_C(0) >> (63 - APMU_##reg##_##field##_MSB + APMU_##reg##_##field##_LSB))) \
     << APMU_##reg##_##field##_LSB)

/** What an access to a field does. */
enum apmu_field_access {
    APMU_RES0,
    APMU_RW,
    APMU_RO,
    APMU_WO,  /**< reads as zero */
    APMU_W1S, /**< write 1 sets */
    APMU_W1C, /**< write 1 clears */
    APMU_RW1, /**< RW; RES1 where the field is not implemented */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: rows of tables/registers.def.
 */

/**
 * The registers.  Those below APMU_REG_COUNT are in the PMU's AArch64 view.  Those from there up to APMU_REG_BORROWED
 * are in its external view only.  Those from APMU_REG_BORROWED on belong to the PE, and the PMU's behaviour depends on
 * them.  APMU_REG_ALL is the length of an array over all of them.
 */
enum apmu_reg {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    APMU_REG_##id,
#include <armpmu/tables/registers.def>
    APMU_REG_COUNT,
    APMU_REG_LAST_A64 = APMU_REG_COUNT - 1,
#define APMU_EXTERNAL(id, storage, op, gate, text) APMU_REG_##id,
#include <armpmu/tables/registers.def>
    APMU_REG_BORROWED,
    APMU_REG_LAST_EXTERNAL = APMU_REG_BORROWED - 1,
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) APMU_REG_##id,
#define APMU_UNCODED(id, gate, text) APMU_REG_##id,
#include <armpmu/tables/registers.def>
    APMU_REG_ALL
};

/**
 * Returns true if @reg belongs to the PE: apmu_access(), apmu_peek() and apmu_poke() are not for it, and apmu_pe_set()
 * is for some.
 */
APMU_INLINE bool apmu_reg_is_borrowed(enum apmu_reg reg)
{
    return reg >= APMU_REG_BORROWED;
}

/** An AArch64 System register encoding in 16 bits: op0, op1, CRn, CRm, op2 from the top, as in MRS bits 20:5. */
#define APMU_A64_KEY(op0, op1, crn, crm, op2) \
    (((unsigned)(op0) << 14) | ((unsigned)(op1) << 11) | ((unsigned)(crn) << 7) | ((unsigned)(crm) << 3) | \
     (unsigned)(op2))

/** Returns APMU_A64_KEY() of the arguments, each cut to its width. */
APMU_INLINE uint16_t apmu_a64_key(unsigned op0, unsigned op1, unsigned crn, unsigned crm, unsigned op2)
{
    return (uint16_t)APMU_A64_KEY(op0 & 3u, op1 & 7u, crn & 15u, crm & 15u, op2 & 7u);
}

/** Describes a field of a register. */
struct apmu_field {
    const char *name;
    uint8_t msb, lsb;
    enum apmu_field_access access;
    enum apmu_gate gate; /**< where the field is implemented */
    const char *text;
};

/** Describes a register or a bank. */
struct apmu_reg_info {
    const char *name;                /**< for a bank, without the number: "PMEVCNTR_EL0" */
    uint16_t key;                    /**< AArch64 encoding (APMU_A64_KEY) of copy 0; 0 for a register without one */
    uint8_t copies;                  /**< 1, or the 31 of a bank */
    bool readable, writable;
    enum apmu_gate gate;             /**< where the register is implemented */
    const struct apmu_field *fields; /**< from bit 63 down */
    uint8_t field_count;
    const char *text;
};

/** Returns the row of @reg, which is below APMU_REG_ALL. */
const struct apmu_reg_info *apmu_reg_info(enum apmu_reg reg);

/** Writes the name of copy @n of @reg, "PMEVCNTR5_EL0", to @buf and returns @buf.  Ignores @n outside of banks. */
const char *apmu_reg_name(enum apmu_reg reg, unsigned n, char buf[24]);

/**
 * Finds the register called @name, and its copy: *@n is 0 outside of banks.  Case is ignored.  Returns false if there
 * is none; then *@n is undefined.
 */
bool apmu_reg_by_name(const char *name, enum apmu_reg *reg, unsigned *n);

/**
 * Finds the register with the AArch64 encoding @key, and its copy: *@n is 0 outside of banks.  Returns false if there
 * is none.  It finds registers of the PE as well, such as CurrentEL and MDCR_EL2.  An emulator that asks whether an MRS
 * or MSR is the PMU's calls apmu_reg_is_borrowed(), too: of a register of the PE, apmu_access() says UNDEFINED.
 */
bool apmu_reg_by_a64(uint16_t key, enum apmu_reg *reg, unsigned *n);

/* ---------------------------------------------------------------------------------------------------------------
 * ID registers: rows APMU_ID_FIELD of tables/features.def.
 */

/** A field of an ID register that shows whether a feature is implemented. */
struct apmu_id_field {
    enum apmu_reg reg;
    uint8_t feature;      /**< the feature's bit in a set: enum apmu_feature */
    uint8_t msb, lsb;     /**< the field's first and last bit */
    uint16_t least, most; /**< the feature is implemented if the field has a value from .least to .most */
};

/** Returns row @i of the ID fields, from 0; NULL past the last one.  A feature may have several rows. */
const struct apmu_id_field *apmu_id_field_at(size_t i);

/** Returns the features that ID register @reg shows if it holds @value, without those that they require. */
uint64_t apmu_id_features(enum apmu_reg reg, uint64_t value);

/**
 * Returns the value of ID register @reg of a PE with @features, a set that apmu_features_closure() has closed.  Fields
 * that no row of tables/features.def has are 0, which need not mean "absent": of ID_AA64PFR0_EL1.FP it means that there
 * is floating point.  apmu_id_merge() keeps what the caller has there.  Some fields may not be 0: DebugVer and CopDbg
 * are those of Armv8.0 (6) at least, MTPMU is 15 if a PMUv3p7 lacks FEAT_MTPMU, E2H0 is 15 if a PE with FEAT_VHE lacks
 * FEAT_E2H0.  The number of counters, THWIDTH, SLOTS and the like come from struct apmu_config: apmu_peek() has
 * PMCR_EL0 and PMMIR_EL1, apmu_peek_ext() PMDEVARCH and PMDEVID.
 */
uint64_t apmu_id_value(enum apmu_reg reg, uint64_t features);

/**
 * Returns @yours, the value that ID register @reg of a PE has otherwise, with the fields of tables/features.def as
 * apmu_id_value() gives them for @features.
 */
uint64_t apmu_id_merge(enum apmu_reg reg, uint64_t yours, uint64_t features);

/** A register and its value. */
struct apmu_reg_value {
    enum apmu_reg reg;
    uint64_t value;
};

/**
 * Returns the features of the PE whose ID registers have the @count values @ids, with all that they require: the
 * inverse of apmu_id_value().  Registers without ID fields are ignored.  A feature that no given register shows is
 * absent; where several show it, the first row of tables/features.def whose register is given decides, so AArch64 state
 * precedes AArch32 state.  A feature that requires EL2 or EL3 is absent if ID_AA64PFR0_EL1 shows that the level is.
 * FEAT_DoPD has no ID field.  With .counters of PMCR_EL0.N and the like it is a struct apmu_config.
 */
uint64_t apmu_features_from_ids(const struct apmu_reg_value *ids, size_t count);

/* ---------------------------------------------------------------------------------------------------------------
 * Registers in AArch32 state: rows of tables/aarch32.def, each a view of an AArch64 register.
 */

/** The registers of the PMU's AArch32 view. */
enum apmu_reg32 {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) APMU_REG32_##id,
#include <armpmu/tables/aarch32.def>
    APMU_REG32_COUNT
};

/** An AArch32 System register encoding (coproc 15) in 16 bits: opc1, CRn, CRm, opc2 of MRC and MCR, as in AArch64. */
#define APMU_A32_KEY(opc1, crn, crm, opc2) APMU_A64_KEY(0, opc1, crn, crm, opc2)
/** An AArch32 encoding for MRRC and MCRR: bit 15, opc1, CRm. */
#define APMU_A32_KEY_PAIR(opc1, crm) (0x8000u | ((unsigned)(opc1) << 11) | ((unsigned)(crm) << 3))

/**
 * The encoding that column `place` of aarch32.def gives, for a register whose AArch64 encoding is @key.  SAME has CRn,
 * CRm and opc2 of @key.  AT and PAIR name an encoding and drop @key, so APMU_A32_AT(0, 9, 14, 4)(key) is
 * APMU_A32_KEY(0, 9, 14, 4).
 */
#define APMU_A32_SAME(key) ((unsigned)(key) & APMU_A32_KEY(0, 15, 15, 7))
#define APMU_A32_AT(opc1, crn, crm, opc2) APMU_A32_KEY(opc1, crn, crm, opc2) APMU_A32_ELSEWHERE
#define APMU_A32_PAIR(opc1, crm) APMU_A32_KEY_PAIR(opc1, crm) APMU_A32_ELSEWHERE
#define APMU_A32_ELSEWHERE(key)

/** The bits of the AArch64 register that an AArch32 register shows: 31:0, 63:32, or all. */
enum apmu_part { APMU_PART_LOW, APMU_PART_HIGH, APMU_PART_BOTH };

/** Describes a register or a bank in AArch32 state. */
struct apmu_reg32_info {
    const char *name;    /**< for a bank, without the number: "PMEVCNTR" */
    uint16_t key;        /**< encoding (APMU_A32_KEY) of copy 0 */
    enum apmu_reg of;    /**< the AArch64 register, with the same copies */
    enum apmu_part part;
    enum apmu_gate gate; /**< what it needs beyond AArch32 state and what .of needs */
    uint64_t hides;      /**< bits of .of that this view lacks */
};

/** Returns the row of @reg. */
const struct apmu_reg32_info *apmu_reg32_info(enum apmu_reg32 reg);

/** Writes the name of copy @n of @reg, "PMEVCNTR5", to @buf and returns @buf.  Ignores @n outside of banks. */
const char *apmu_reg32_name(enum apmu_reg32 reg, unsigned n, char buf[24]);

/**
 * Finds the AArch32 register called @name, and its copy: *@n is 0 outside of banks.  Case is ignored.  PMCCNTR64 is
 * PMCCNTR by MRRC and MCRR.  Returns false if there is none; then *@n is undefined.
 */
bool apmu_reg32_by_name(const char *name, enum apmu_reg32 *reg, unsigned *n);

/**
 * Finds the register with the AArch32 encoding @key, and its copy: *@n is 0 outside of banks.  Returns false if there
 * is none.
 */
bool apmu_reg_by_a32(uint16_t key, enum apmu_reg32 *reg, unsigned *n);

#ifdef __cplusplus
}
#endif
#endif
