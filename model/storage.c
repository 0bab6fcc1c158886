/* SPDX-License-Identifier: BSD-2-Clause */
/* Where each register lives in struct apmu: columns `storage` and `op` of the register table. */

#include "registers.h"

struct place {
    enum apmu_op op;
    size_t offset;
};

static const struct place places[APMU_REG_ALL] = {
#define REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = {APMU_OP_##op, offsetof(struct apmu, storage)},
#define EXTERNAL(id, storage, op, gate, text) [APMU_REG_##id] = {APMU_OP_##op, offsetof(struct apmu, storage)},
#define BORROWED(id, op0, op1, crn, crm, op2, gate, text) [APMU_REG_##id] = {APMU_OP_NONE, 0},
#define UNCODED(id, gate, text) [APMU_REG_##id] = {APMU_OP_NONE, 0},
#include <armpmu/tables/registers.def>
};

enum apmu_op apmu_reg_op(enum apmu_reg reg)
{
    return places[reg].op;
}

uint64_t *apmu_reg_storage(struct apmu *p, enum apmu_reg reg, unsigned n)
{
    return (uint64_t *)(void *)((unsigned char *)p + places[reg].offset) + n;
}

uint64_t apmu_reg_value(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    return ((const uint64_t *)(const void *)((const unsigned char *)p + places[reg].offset))[n];
}

bool apmu_reg_exists(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    if (info->copies == 1 ? n != 0 : n >= cfg->counters) {
        return false;
    }
    return apmu_holds(cfg, info->gate, n);
}
