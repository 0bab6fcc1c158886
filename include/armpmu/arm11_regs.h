/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names: registers, fields and events of the performance monitor unit of ARM1136, ARM1156 and ARM1176.  They are rows
 * of tables/arm11.def and tables/events_arm11.def.
 *
 * The model (arm11.h) and the driver (arm11_driver.h) share this header.  Nothing here keeps state; every function is
 * safe in any context.  All data behind pointers that functions return is constant.
 *
 * @code
 * #include <stdio.h>
 * #include <armpmu/arm11_regs.h>
 *
 * int main(void)
 * {
 *     const struct apmu_arm11_event_info *event = apmu_arm11_event_by_name("BR_EXEC");
 *
 *     if (event == NULL || (event->parts & APMU_ARM1176) == 0) {
 *         return 1;
 *     }
 *     printf("0x%02x: %s\n", (unsigned)event->number, event->text);
 *     return event->number == APMU_ARM11_EV_BR_EXEC ? 0 : 1;
 * }
 * @endcode
 *
 * Source: Application Note 195 (ARM DAI 0195B).
 */
#ifndef ARMPMU_ARM11_REGS_H
#define ARMPMU_ARM11_REGS_H

#include <armpmu/regs.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The parts that have this unit, as bits of a set. */
enum apmu_arm11_parts {
    APMU_ARM1136 = 1,
    APMU_ARM1156 = 2,
    APMU_ARM1176 = 4,
    APMU_ARM11_ALL = APMU_ARM1136 | APMU_ARM1156 | APMU_ARM1176,
    APMU_ARM11_NOT_1156 = APMU_ARM1136 | APMU_ARM1176,
    APMU_ARM11_ONLY_1156 = APMU_ARM1156,
    APMU_ARM11_ONLY_1176 = APMU_ARM1176
};

/** The counters.  Their overflow flags and enables are in PMNC in this order, from the lowest bit. */
enum apmu_arm11_counter { APMU_ARM11_PMN0, APMU_ARM11_PMN1, APMU_ARM11_CCNT, APMU_ARM11_COUNTERS };

/** The registers.  Each is opc2 of MRC and MCR p15, 0, <Rd>, c15, c12, opc2. */
enum apmu_arm11_reg {
#define APMU_ARM11_REGISTER(id, opc2, storage, also, text) APMU_ARM11_REG_##id = opc2,
#include <armpmu/tables/arm11.def>
    APMU_ARM11_REG_COUNT = 4
};

/** First and last bit of each field: APMU_GET(PMNC, EvtCount0, pmnc), APMU_MASK(PMNC, E). */
enum apmu_arm11_field_bits {
#define APMU_ARM11_FIELD(reg, field, msb, lsb, access, parts, text) \
    APMU_##reg##_##field##_MSB = msb, APMU_##reg##_##field##_LSB = lsb,
#include <armpmu/tables/arm11.def>
    APMU_ARM11_FIELD_BITS_END = 32
};

/** What an access to a field does. */
enum apmu_arm11_field_access {
    APMU_ARM11_RW,
    APMU_ARM11_W1C, /**< a flag: write 1 clears */
    APMU_ARM11_WO,  /**< write 1 acts; the value read is unpredictable */
    APMU_ARM11_SBZ, /**< should be zero; the value read is unpredictable */
};

/** Describes a field of a register. */
struct apmu_arm11_field {
    const char *name;
    uint8_t msb, lsb;
    enum apmu_arm11_field_access access;
    uint8_t parts; /**< the parts that have it, a set of enum apmu_arm11_parts; it is SBZ in the others */
    const char *text;
};

/** Describes a register. */
struct apmu_arm11_reg_info {
    const char *name;                      /**< "PMN0" */
    const char *also;                      /**< its name in Application Note 195: "PMNC0" */
    const struct apmu_arm11_field *fields; /**< from bit 31 down */
    uint8_t field_count;
    const char *text;
};

/** Returns the row of @reg. */
const struct apmu_arm11_reg_info *apmu_arm11_reg_info(enum apmu_arm11_reg reg);

/** Finds the register that has @name as one of its two names.  Case is ignored.  Returns false if there is none. */
bool apmu_arm11_reg_by_name(const char *name, enum apmu_arm11_reg *reg);

/** The number of each event: APMU_ARM11_EV_BR_EXEC. */
enum apmu_arm11_event_number {
#define APMU_ARM11_EVENT(number, name, parts, most, text) APMU_ARM11_EV_##name = number,
#include <armpmu/tables/events_arm11.def>
    APMU_ARM11_EV_END = 0x100
};

/** Describes an event. */
struct apmu_arm11_event_info {
    uint8_t number;
    uint8_t parts; /**< the parts that have it, a set of enum apmu_arm11_parts */
    uint8_t most;  /**< the largest count in one cycle */
    const char *name;
    const char *text;
};

/** Returns event @i, from 0, in ascending order of number; NULL past the last one. */
const struct apmu_arm11_event_info *apmu_arm11_event_at(size_t i);

/** Returns the event that has number @number on any part; NULL if the number is reserved on all. */
const struct apmu_arm11_event_info *apmu_arm11_event_by_number(uint32_t number);

/** Returns the event called @name; NULL if there is none.  Case is ignored. */
const struct apmu_arm11_event_info *apmu_arm11_event_by_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
