/* SPDX-License-Identifier: BSD-2-Clause */
/* The storage of each register in struct apmu, and what an access does: columns of the register table. */

#include "registers.h"

#define READ_RW true
#define READ_RO true
#define READ_WO false
#define WRITE_RW true
#define WRITE_RO false
#define WRITE_WO true

const struct apmu_row apmu_rows[APMU_REG_ALL] = {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = {offsetof(struct apmu, storage), APMU_OP_##op, APMU_GATE_##gate, copies, \
                       {READ_##access, WRITE_##access}},
#define APMU_EXTERNAL(id, storage, op, gate, text) \
    [APMU_REG_##id] = {offsetof(struct apmu, storage), APMU_OP_##op, APMU_GATE_##gate, 1, {true, true}},
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) \
    [APMU_REG_##id] = {0, APMU_OP_NONE, APMU_GATE_##gate, 1, {true, true}},
#define APMU_UNCODED(id, gate, text) [APMU_REG_##id] = {0, APMU_OP_NONE, APMU_GATE_##gate, 1, {true, true}},
#include <armpmu/tables/registers.def>
};

_Static_assert(APMU_GATE_COUNT <= 255 && sizeof(struct apmu) <= 65535,
               "the members of struct apmu_row are wide enough");
