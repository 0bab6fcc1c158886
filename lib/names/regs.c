/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the register tables as data, looks up registers by name, and proves that the tables are complete.  This file
 * needs only tables/, so a driver can link it without the model.
 */
#include <armpmu/regs.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Proofs.  An incomplete table does not compile.
 */

/*
 * Every bit of every register of the PMU is described exactly once, from bit 63 down; the fields of a borrowed register
 * may leave bits out.  TOP_<reg>_<field> is the highest bit that the fields above leave, because an enumerator without
 * a value is one more than the last.  PMSELR_EL0, with RES0_63_5 and SEL, becomes
 *
 *   START_PMSELR_EL0 = 62, TOP_PMSELR_EL0_RES0_63_5, BELOW_PMSELR_EL0_RES0_63_5 = 5 - 2, TOP_PMSELR_EL0_SEL,
 *   BELOW_PMSELR_EL0_SEL = 0 - 2, LEFT_PMSELR_EL0
 *
 * which gives TOP_PMSELR_EL0_SEL the value 4, and LEFT_PMSELR_EL0 the value -1: no bit is left.
 */
enum {
#define APMU_FIELDS_OF(reg) START_##reg = 62,
#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) TOP_##reg##_##field, BELOW_##reg##_##field = (lsb) - 2,
#define APMU_FIELDS_END(reg) LEFT_##reg,
#include <armpmu/tables/fields.def>
};

enum {
#define APMU_FIELDS_OF(reg) WHOLE_##reg = 1,
#define APMU_BORROWED_FIELDS_OF(reg) WHOLE_##reg = 0,
#define APMU_FIELDS_END(reg)
#define APMU_BORROWED_FIELDS_END(reg)
#include <armpmu/tables/fields.def>
};

#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) \
    _Static_assert((msb) <= (int)TOP_##reg##_##field, #reg "." #field ": overlaps the field above it"); \
    _Static_assert((msb) == (int)TOP_##reg##_##field || !WHOLE_##reg, #reg "." #field ": a bit above it has no field");
#define APMU_FIELDS_OF(reg)
#define APMU_FIELDS_END(reg) _Static_assert((int)LEFT_##reg == -1, #reg ": the lowest bits have no field");
#define APMU_BORROWED_FIELDS_OF(reg)
#define APMU_BORROWED_FIELDS_END(reg)
#include <armpmu/tables/fields.def>

/*
 * The rows of a register's fields in field_rows[]: FIRST_<reg> up to END_<reg>.  An enumerator with a trailing '_'
 * takes the numbering back by one, so that FIRST_<reg> has the number of the register's first row.
 */
enum {
#define APMU_FIELDS_OF(reg) FIRST_##reg, FIRST_##reg##_ = FIRST_##reg - 1,
#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) ROW_##reg##_##field,
#define APMU_FIELDS_END(reg) END_##reg, END_##reg##_ = END_##reg - 1,
#include <armpmu/tables/fields.def>
    FIELD_ROWS
};

#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) \
    _Static_assert((int)ROW_##reg##_##field >= (int)FIRST_##reg && (int)ROW_##reg##_##field < (int)END_##reg, \
                   #reg "." #field ": not among the fields of its register"); \
    _Static_assert((msb) >= (lsb) && (msb) < 64, #reg "." #field ": no such bits");
#include <armpmu/tables/fields.def>

/* Every bit below APMU_FEAT_END is exactly one feature. */
_Static_assert(APMU_FEAT_END <= 64, "features are bits of a set");
_Static_assert((UINT64_C(0)
#define APMU_FEATURE(id, bit, requires, text) + APMU_FEAT(id)
#include <armpmu/tables/features.def>
                ) == APMU_BITS(APMU_FEAT_END - 1, 0), "features: a bit is used twice or not at all");

/* ---------------------------------------------------------------------------------------------------------------
 * The tables as data.
 */

static const struct apmu_field field_rows[FIELD_ROWS] = {
#define APMU_FIELD(reg, field, msb, lsb, access, gate, text) \
    {#field, msb, lsb, APMU_##access, APMU_GATE_##gate, text},
#include <armpmu/tables/fields.def>
};

#define READ_RW true
#define READ_RO true
#define READ_WO false
#define WRITE_RW true
#define WRITE_RO false
#define WRITE_WO true
#define FIELD_ROWS_OF(id) &field_rows[FIRST_##id], (uint8_t)(END_##id - FIRST_##id)

static const struct apmu_reg_info reg_rows[APMU_REG_ALL] = {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    { #id, APMU_A64_KEY(op0, op1, crn, crm, op2), copies, READ_##access, WRITE_##access, APMU_GATE_##gate, \
      FIELD_ROWS_OF(id), text },
#include <armpmu/tables/registers.def>
#define APMU_EXTERNAL(id, storage, op, gate, text) \
    { #id, 0, 1, true, true, APMU_GATE_##gate, FIELD_ROWS_OF(id), text },
#include <armpmu/tables/registers.def>
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) \
    { #id, APMU_A64_KEY(op0, op1, crn, crm, op2), 1, true, true, APMU_GATE_##gate, FIELD_ROWS_OF(id), text },
#include <armpmu/tables/registers.def>
#define APMU_UNCODED(id, gate, text) { #id, 0, 1, true, true, APMU_GATE_##gate, FIELD_ROWS_OF(id), text },
#include <armpmu/tables/registers.def>
};

const struct apmu_reg_info *apmu_reg_info(enum apmu_reg reg)
{
    return &reg_rows[reg];
}

const char *apmu_feature_name(unsigned bit)
{
    static const char *const names[APMU_FEAT_END] = {
#define APMU_FEATURE(id, bit, requires, text) [bit] = "FEAT_" #id,
#include <armpmu/tables/features.def>
    };
    return bit < APMU_FEAT_END ? names[bit] : NULL;
}

const char *apmu_gate_text(enum apmu_gate gate)
{
    static const char *const texts[APMU_GATE_COUNT] = {
#define APMU_FEATURE(id, bit, requires, text) "FEAT_" #id,
#include <armpmu/tables/features.def>
#define APMU_GATE(id, condition, text) text,
#include <armpmu/tables/features.def>
    };
    return texts[gate];
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names.
 */

/*
 * Writes the name of copy @n of a register with @copies to @buf and returns @buf.  The number goes before the '_', or
 * at the end.
 */
static const char *spell(const char *name, unsigned copies, unsigned n, char *buf)
{
    bool numbered = copies == 1;
    char *to = buf;

    for (;; name++) {
        if (!numbered && (*name == '_' || *name == '\0')) {
            if (n >= 10) {
                *to++ = (char)('0' + n / 10 % 10);
            }
            *to++ = (char)('0' + n % 10);
            numbered = true;
        }
        *to++ = *name;
        if (*name == '\0') {
            return buf;
        }
    }
}

const char *apmu_reg_name(enum apmu_reg reg, unsigned n, char buf[24])
{
    return spell(reg_rows[reg].name, reg_rows[reg].copies, n, buf);
}

static bool same_letter(char a, char b)
{
    return a == b || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == b);
}

/*
 * Returns true if @name spells one of the @copies of @want, and stores the copy's number in *@n.  The name of a bank
 * needs a decimal number below @copies, without a leading zero.
 */
static bool spells(const char *name, const char *want, unsigned copies, unsigned *n)
{
    bool numbered = copies == 1;

    *n = 0;
    for (;; want++, name++) {
        if (!numbered && (*want == '_' || *want == '\0')) {
            if (*name < '0' || *name > '9') {
                return false;
            }
            *n = (unsigned)(*name++ - '0');
            if (*n > 0 && *name >= '0' && *name <= '9') {
                *n = *n * 10 + (unsigned)(*name++ - '0');
            }
            if (*n >= copies) {
                return false;
            }
            numbered = true;
        }
        if (!same_letter(*name, *want)) {
            return false;
        }
        if (*want == '\0') {
            return true;
        }
    }
}

bool apmu_reg_by_name(const char *name, enum apmu_reg *reg, unsigned *n)
{
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        if (spells(name, reg_rows[r].name, reg_rows[r].copies, n)) {
            *reg = (enum apmu_reg)r;
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * AArch32.
 */

enum {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    KEY_##id = APMU_A64_KEY(op0, op1, crn, crm, op2), COPIES_##id = copies,
#include <armpmu/tables/registers.def>
};

#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    _Static_assert((int)COPIES_##of == copies, #id ": not as many copies as " #of);
#include <armpmu/tables/aarch32.def>

static const struct apmu_reg32_info reg32_rows[APMU_REG32_COUNT] = {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    {#id, APMU_A32_##place(KEY_##of), APMU_REG_##of, APMU_PART_##part, APMU_GATE_##gate, hides},
#include <armpmu/tables/aarch32.def>
};

const struct apmu_reg32_info *apmu_reg32_info(enum apmu_reg32 reg)
{
    return &reg32_rows[reg];
}

const char *apmu_reg32_name(enum apmu_reg32 reg, unsigned n, char buf[24])
{
    return spell(reg32_rows[reg].name, reg_rows[reg32_rows[reg].of].copies, n, buf);
}

bool apmu_reg32_by_name(const char *name, enum apmu_reg32 *reg, unsigned *n)
{
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        if (spells(name, reg32_rows[r].name, reg_rows[reg32_rows[r].of].copies, n)) {
            *reg = (enum apmu_reg32)r;
            return true;
        }
    }
    return false;
}
