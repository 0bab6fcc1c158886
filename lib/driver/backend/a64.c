/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU of this PE in AArch64 state: one MRS and one MSR for each row of registers.def and each copy of a bank. */
#include <armpmu/driver.h>

#ifdef __aarch64__
#include <armpmu/native.h>

/*
 * READ_COPY(3, PMEVCNTR_EL0) becomes
 *     case 3:
 *         APMU_NATIVE_MRS(*value, APMU_NATIVE_PMEVCNTR_EL0 + 3);
 *         return APMU_OK;
 */
#define READ_COPY(copy, id) \
    case copy: \
        APMU_NATIVE_MRS(*value, APMU_NATIVE_##id + copy); \
        return APMU_OK;

/* WRITE_COPY(3, PMEVCNTR_EL0) becomes the same case with APMU_NATIVE_MSR(value, ...). */
#define WRITE_COPY(copy, id) \
    case copy: \
        APMU_NATIVE_MSR(value, APMU_NATIVE_##id + copy); \
        return APMU_OK;

/*
 * A row becomes the case of its register.  A copy that the register lacks falls out of the switch.  The row of
 * PMCCNTR_EL0, CASE(PMCCNTR_EL0, READ_COPY(0, PMCCNTR_EL0)), becomes
 *     case APMU_REG_PMCCNTR_EL0:
 *         switch (n) {
 *         case 0:
 *             APMU_NATIVE_MRS(*value, APMU_NATIVE_PMCCNTR_EL0 + 0);
 *             return APMU_OK;
 *         default:
 *             break;
 *         }
 *         break;
 * A bank has one inner case for each copy.
 */
#define CASE(id, cases) \
    case APMU_REG_##id: \
        switch (n) { \
            cases \
        default: \
            break; \
        } \
        break;
#define READ_1(id) CASE(id, READ_COPY(0, id))
#define READ_31(id) CASE(id, APMU_NATIVE_COPIES(READ_COPY, id))
#define WRITE_1(id) CASE(id, WRITE_COPY(0, id))
#define WRITE_31(id) CASE(id, APMU_NATIVE_COPIES(WRITE_COPY, id))
#define READ_RW(copies, id) READ_##copies(id)
#define READ_RO(copies, id) READ_##copies(id)
#define READ_WO(copies, id)
#define WRITE_RW(copies, id) WRITE_##copies(id)
#define WRITE_RO(copies, id)
#define WRITE_WO(copies, id) WRITE_##copies(id)

static enum apmu_error native_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    (void)ctx;
    switch (reg) {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    READ_##access(copies, id)
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) READ_1(id)
#include <armpmu/tables/registers.def>
    default:
        break;
    }
    return APMU_E_NO_REGISTER;
}

static enum apmu_error native_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    (void)ctx;
    switch (reg) {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    WRITE_##access(copies, id)
    /*
     * Borrowed registers can be written, except the ID registers, whose CRn is 0.  The row of MDCR_EL2 becomes
     *     case APMU_REG_MDCR_EL2:
     *         if (n == 0 && (1) != 0) {
     *             APMU_NATIVE_MSR(value, APMU_NATIVE_MDCR_EL2);
     *             return APMU_OK;
     *         }
     *         break;
     */
#define APMU_BORROWED(id, op0, op1, crn, crm, op2, gate, text) \
    case APMU_REG_##id: \
        if (n == 0 && (crn) != 0) { \
            APMU_NATIVE_MSR(value, APMU_NATIVE_##id); \
            return APMU_OK; \
        } \
        break;
#include <armpmu/tables/registers.def>
    default:
        break;
    }
    return APMU_E_NO_REGISTER;
}

static void native_sync(void *ctx)
{
    (void)ctx;
    apmu_native_sync();
}

static struct apmu_place native_place(void *ctx)
{
    uint64_t current = 0;

    if (ctx == NULL) { /* not at EL0, which cannot read CurrentEL */
        __asm__ __volatile__("mrs %0, CurrentEL" : "=r"(current));
    }
    return (struct apmu_place){.view = APMU_VIEW_A64, .el = (uint8_t)(current >> 2 & 3)};
}

const struct apmu_reg_ops apmu_native_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = native_read, .write = native_write, .sync = native_sync,
    .place = native_place,
};

#endif
