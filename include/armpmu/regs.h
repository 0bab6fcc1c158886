/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: registers, fields, features and encodings of the PMU, printed from the tables in tables/.
 *
 * For everyone who includes any other header of armpmu: the driver and the model share it, and it needs neither.
 * Names are Arm's.  A register is an `enum apmu_reg` and, of a bank such as PMEVCNTR<n>_EL0, the number of the copy.
 * Nothing here keeps state; every function is safe in any context.
 */
#ifndef ARMPMU_REGS_H
#define ARMPMU_REGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------------
 * Counters, numbered as in the pseudocode of the Arm ARM (DDI 0487 M.a.a): 0..30 are the event counters
 * PMEVCNTR<n>_EL0, 31 is the cycle counter PMCCNTR_EL0, 32 is the instruction counter PMICNTR_EL0; bit n of every set
 * of counters is counter n.
 */

#define APMU_EVENT_COUNTERS 31u /* the most event counters that a PMU can have */
#define APMU_CYCLE 31u          /* the cycle counter, PMCCNTR_EL0 */
#define APMU_INSTR 32u          /* the instruction counter, PMICNTR_EL0 */
#define APMU_COUNTERS 33u       /* the length of an array with an entry for each counter */

/* ---------------------------------------------------------------------------------------------------------------
 * Features: rows of tables/features.def.
 */

/** The bit of a feature in a set of features. */
enum apmu_feature {
#define APMU_FEATURE(id, bit, requires, text) APMU_FEAT_BIT_##id = bit,
#include <armpmu/tables/features.def>
    APMU_FEAT_END = 48 /* bits from here up are unused */
};

/** The set that holds the one feature @id, Arm's name without FEAT_: APMU_FEAT(PMUv3p5). */
#define APMU_FEAT(id) (UINT64_C(1) << APMU_FEAT_BIT_##id)

/** The name with FEAT_ of the feature with bit @bit; NULL if there is none. */
const char *apmu_feature_name(unsigned bit);

/** What fields and registers depend on: a feature, or a condition that features.def names. */
enum apmu_gate {
#define APMU_FEATURE(id, bit, requires, text) APMU_GATE_##id,
#include <armpmu/tables/features.def>
#define APMU_GATE(id, condition, text) APMU_GATE_##id,
#include <armpmu/tables/features.def>
    APMU_GATE_COUNT
};

/** The condition in words: "FEAT_PMUv3p5", "EL3 is implemented". */
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

/** What a field does when it is accessed. */
enum apmu_field_access {
    APMU_RES0,
    APMU_RW,
    APMU_RO,
    APMU_WO,  /**< reads as zero */
    APMU_W1S, /**< write 1 sets */
    APMU_W1C, /**< write 1 clears */
    APMU_RW1, /**< RW; RES1 where it is not implemented */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Registers: rows of tables/registers.def.
 */

/**
 * The registers of the PMU's AArch64 view (before APMU_REG_COUNT); then those that only its external view has; then
 * those of the PE that it borrows (from APMU_REG_BORROWED on).  APMU_REG_ALL is the length of an array over all.
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

/** An AArch64 System register encoding in 16 bits: op0, op1, CRn, CRm, op2 from the top, as in MRS bits 20:5. */
#define APMU_A64_KEY(op0, op1, crn, crm, op2) \
    (((unsigned)(op0) << 14) | ((unsigned)(op1) << 11) | ((unsigned)(crn) << 7) | ((unsigned)(crm) << 3) | \
     (unsigned)(op2))

/** The same, as a function. */
static inline uint16_t apmu_a64_key(unsigned op0, unsigned op1, unsigned crn, unsigned crm, unsigned op2)
{
    return (uint16_t)APMU_A64_KEY(op0 & 3u, op1 & 7u, crn & 15u, crm & 15u, op2 & 7u);
}

/** One field of a register. */
struct apmu_field {
    const char *name;
    uint8_t msb, lsb;
    enum apmu_field_access access;
    enum apmu_gate gate; /**< where the field is implemented */
    const char *text;
};

/** A register or bank. */
struct apmu_reg_info {
    const char *name;                /**< a bank's without the number: "PMEVCNTR_EL0" */
    uint16_t key;                    /**< AArch64 encoding (APMU_A64_KEY) of copy 0; 0 of an external register */
    uint8_t copies;                  /**< 1, or 31 of a bank */
    bool readable, writable;
    enum apmu_gate gate;             /**< where the register is implemented */
    const struct apmu_field *fields; /**< from bit 63 down */
    uint8_t field_count;
    const char *text;
};

/** The row of @reg, one of the APMU_REG_ALL. */
const struct apmu_reg_info *apmu_reg_info(enum apmu_reg reg);

/** Writes the name of copy @n of @reg to @buf, "PMEVCNTR5_EL0", and returns @buf.  @n is ignored where there is one. */
const char *apmu_reg_name(enum apmu_reg reg, unsigned n, char buf[24]);

/** Finds the register with @name, upper or lower case.  @n becomes the copy's number, 0 where there is one. */
bool apmu_reg_by_name(const char *name, enum apmu_reg *reg, unsigned *n);

/** Finds the register with the AArch64 encoding @key.  @n becomes the copy's number, 0 where there is one. */
bool apmu_reg_by_a64(uint16_t key, enum apmu_reg *reg, unsigned *n);

/* ---------------------------------------------------------------------------------------------------------------
 * ID registers: rows APMU_ID_FIELD of tables/features.def.
 */

/** A field of an ID register that shows whether a feature is implemented. */
struct apmu_id_field {
    enum apmu_reg reg;
    uint8_t feature;      /**< the feature's bit in a set: enum apmu_feature */
    uint8_t msb, lsb;     /**< of the field */
    uint16_t least, most; /**< the feature is implemented if the field has a value from .least to .most */
};

/** Returns row @i of the ID fields, or NULL behind the last one.  A feature may have several rows. */
const struct apmu_id_field *apmu_id_field_at(size_t i);

/** Returns the features that @value of ID register @reg shows, without those that they require. */
uint64_t apmu_id_features(enum apmu_reg reg, uint64_t value);

/** Returns the fields by which ID register @reg shows @features, and 0 in all others: DebugVer is 0 before Armv8.2. */
uint64_t apmu_id_value(enum apmu_reg reg, uint64_t features);

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
/** The same of MRRC and MCRR: bit 15, opc1, CRm. */
#define APMU_A32_KEY_PAIR(opc1, crm) (0x8000u | ((unsigned)(opc1) << 11) | ((unsigned)(crm) << 3))

/**
 * Column `place` of aarch32.def for a register whose AArch64 encoding is @key: SAME has CRn, CRm and opc2 of that, the
 * others say where it is.
 */
#define APMU_A32_SAME(key) ((unsigned)(key) & APMU_A32_KEY(0, 15, 15, 7))
#define APMU_A32_AT(opc1, crn, crm, opc2) APMU_A32_KEY(opc1, crn, crm, opc2) APMU_A32_ELSEWHERE
#define APMU_A32_PAIR(opc1, crm) APMU_A32_KEY_PAIR(opc1, crm) APMU_A32_ELSEWHERE
#define APMU_A32_ELSEWHERE(key)

/** Which bits of the AArch64 register an AArch32 register shows. */
enum apmu_part { APMU_PART_LOW, APMU_PART_HIGH, APMU_PART_BOTH };

/** A register or bank in AArch32 state. */
struct apmu_reg32_info {
    const char *name;    /**< a bank's without the number: "PMEVCNTR" */
    uint16_t key;        /**< encoding (APMU_A32_KEY) of copy 0 */
    enum apmu_reg of;    /**< the AArch64 register, with the same copies */
    enum apmu_part part;
    enum apmu_gate gate; /**< what it needs beyond AArch32 state and what .of needs */
    uint64_t hides;      /**< bits of .of that this view does not have */
};

/** The row of @reg. */
const struct apmu_reg32_info *apmu_reg32_info(enum apmu_reg32 reg);

/** Writes the name of copy @n of @reg to @buf, "PMEVCNTR5", and returns @buf.  @n is ignored where there is one. */
const char *apmu_reg32_name(enum apmu_reg32 reg, unsigned n, char buf[24]);

/** Finds the AArch32 register with @name, upper or lower case; PMCCNTR64 is PMCCNTR by MRRC and MCRR. */
bool apmu_reg32_by_name(const char *name, enum apmu_reg32 *reg, unsigned *n);

/** Finds the register with the AArch32 encoding @key.  @n becomes the copy's number, 0 where there is one. */
bool apmu_reg_by_a32(uint16_t key, enum apmu_reg32 *reg, unsigned *n);

#ifdef __cplusplus
}
#endif
#endif
