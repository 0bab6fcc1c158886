/* SPDX-License-Identifier: BSD-2-Clause */
/* What the PMU is, and its known state. */
#include "internal.h"

#define PMUVER_IMPLEMENTATION_DEFINED 15u /* a PMU, but not PMUv3 */

enum apmu_error apmu_discover(const struct apmu_dev *dev, const struct apmu_ids *ids, struct apmu_unit *unit)
{
    struct io io = {.dev = dev};
    struct apmu_ids read_ids;

    if (ids == NULL) {
        read_ids.id_aa64dfr0_el1 = io_read(&io, APMU_REG_ID_AA64DFR0_EL1, 0);
        read_ids.id_aa64dfr1_el1 = io_read(&io, APMU_REG_ID_AA64DFR1_EL1, 0);
        if (io.error != APMU_OK) {
            return io.error;
        }
        ids = &read_ids;
    }
    *unit = (struct apmu_unit){0};
    unit->version = (uint8_t)APMU_GET(ID_AA64DFR0_EL1, PMUVer, ids->id_aa64dfr0_el1);
    if (unit->version == 0 || unit->version == PMUVER_IMPLEMENTATION_DEFINED) {
        return APMU_E_NO_PMU;
    }
    unit->instr = APMU_GET(ID_AA64DFR1_EL1, PMICNTR, ids->id_aa64dfr1_el1) != 0;
    unit->counters = (uint8_t)APMU_GET(PMCR_EL0, N, io_read(&io, APMU_REG_PMCR_EL0, 0));
    unit->pmceid[0] = io_read(&io, APMU_REG_PMCEID0_EL0, 0);
    unit->pmceid[1] = io_read(&io, APMU_REG_PMCEID1_EL0, 0);
    return io.error;
}

uint64_t apmu_unit_counters(const struct apmu_unit *unit)
{
    return ((UINT64_C(1) << unit->counters) - 1) | UINT64_C(1) << APMU_CYCLE |
           (unit->instr ? UINT64_C(1) << APMU_INSTR : 0);
}

enum apmu_error apmu_reset(const struct apmu_dev *dev, const struct apmu_unit *unit)
{
    const uint64_t all = apmu_unit_counters(unit);
    struct io io = {.dev = dev};

    /* First the unit stands still, then its enables, whose reset values are UNKNOWN, then the flags they let rise. */
    io_write(&io, APMU_REG_PMCR_EL0, 0, unit_control(unit) | APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C));
    io_write(&io, APMU_REG_PMCNTENCLR_EL0, 0, all);
    io_write(&io, APMU_REG_PMINTENCLR_EL1, 0, all);
    io_switch_off(&io, APMU_REG_PMUSERENR_EL0);
    if (unit_has(unit, APMU_PMUVER_PMUV3P9)) {
        io_switch_off(&io, APMU_REG_PMUACR_EL1);
    }
    io_sync(&io);
    io_write(&io, APMU_REG_PMOVSCLR_EL0, 0, all);
    if (unit->instr) {
        io_write(&io, APMU_REG_PMICNTR_EL0, 0, 0);
    }
    io_sync(&io);
    return io.error;
}
