/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ARM11 unit's tables as data, look-up by name and number, and the proofs that the tables are complete.  Depends on
 * tables/ alone.
 */

#include <armpmu/arm11_regs.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Proofs: every bit of every register is described exactly once.
 */

#define APMU_ARM11_FIELDS_OF(reg) _Static_assert((UINT64_C(0)
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) | APMU_BITS(msb, lsb)
#define APMU_ARM11_FIELDS_END(reg) ) == UINT32_MAX, #reg ": a bit is described by no field");
#include <armpmu/tables/arm11.def>

#define APMU_ARM11_FIELDS_OF(reg) _Static_assert((0
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) + ((msb) - (lsb) + 1)
#define APMU_ARM11_FIELDS_END(reg) ) == 32, #reg ": a bit is described by two fields");
#include <armpmu/tables/arm11.def>

enum field_row {
#define APMU_ARM11_FIELDS_OF(reg) FIRST_##reg, FIRST_##reg##_ = FIRST_##reg - 1,
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) ROW_##reg##_##field,
#define APMU_ARM11_FIELDS_END(reg) END_##reg, END_##reg##_ = END_##reg - 1,
#include <armpmu/tables/arm11.def>
    FIELD_ROWS
};

/* ---------------------------------------------------------------------------------------------------------------
 * Data.
 */

static const struct apmu_arm11_field field_rows[FIELD_ROWS] = {
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) \
    {#field, msb, lsb, APMU_ARM11_##access, APMU_ARM11_##parts, text},
#include <armpmu/tables/arm11.def>
};

static const struct apmu_arm11_reg_info reg_rows[APMU_ARM11_REG_COUNT] = {
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) \
    [opc2] = {#id, also, &field_rows[FIRST_##id], (uint8_t)(END_##id - FIRST_##id), text},
#include <armpmu/tables/arm11.def>
};

static const struct apmu_arm11_event_info event_rows[] = {
#define APMU_ARM11_EVENT(number, name, parts, most, text) {number, APMU_ARM11_##parts, most, #name, text},
#include <armpmu/tables/events_arm11.def>
};

const struct apmu_arm11_reg_info *apmu_arm11_reg_info(enum apmu_arm11_reg reg)
{
    return &reg_rows[reg];
}

const struct apmu_arm11_event_info *apmu_arm11_event_at(size_t i)
{
    return i < sizeof event_rows / sizeof event_rows[0] ? &event_rows[i] : NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Look-up.
 */

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a != '\0' && upper(*a) == upper(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

bool apmu_arm11_reg_by_name(const char *name, enum apmu_arm11_reg *reg)
{
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        if (same_name(name, reg_rows[r].name) || same_name(name, reg_rows[r].also)) {
            *reg = (enum apmu_arm11_reg)r;
            return true;
        }
    }
    return false;
}

const struct apmu_arm11_event_info *apmu_arm11_event_by_number(uint32_t number)
{
    const struct apmu_arm11_event_info *e = NULL;

    for (size_t i = 0; (e = apmu_arm11_event_at(i)) != NULL && e->number != number;) {
        i++;
    }
    return e;
}

const struct apmu_arm11_event_info *apmu_arm11_event_by_name(const char *name)
{
    const struct apmu_arm11_event_info *e = NULL;

    for (size_t i = 0; (e = apmu_arm11_event_at(i)) != NULL && !same_name(name, e->name);) {
        i++;
    }
    return e;
}
