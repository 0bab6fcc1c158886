/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the tables of the ARM11 unit as data, looks up registers and events, and proves that the tables are complete.
 * This file needs only tables/.
 */
#include <armpmu/arm11_regs.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Proofs: every bit of every register is described exactly once, from bit 31 down.  As in regs.c, TOP_<reg>_<field> is
 * the highest bit that the fields above leave, and LEFT_<reg> is -1 if they leave none.
 */

enum {
#define APMU_ARM11_FIELDS_OF(reg) START_##reg = 30,
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) \
    TOP_##reg##_##field, BELOW_##reg##_##field = (lsb) - 2,
#define APMU_ARM11_FIELDS_END(reg) LEFT_##reg,
#include <armpmu/tables/arm11.def>
};

#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) \
    _Static_assert((msb) == (int)TOP_##reg##_##field && (msb) >= (lsb), \
                   #reg "." #field ": a gap or an overlap above it");
#define APMU_ARM11_FIELDS_OF(reg)
#define APMU_ARM11_FIELDS_END(reg) _Static_assert((int)LEFT_##reg == -1, #reg ": the lowest bits have no field");
#include <armpmu/tables/arm11.def>

/* The rows of a register's fields in field_rows[]: FIRST_<reg> up to END_<reg>, as in regs.c. */
enum {
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
