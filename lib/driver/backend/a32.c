/* SPDX-License-Identifier: BSD-2-Clause */
/* The PMU of this PE in AArch32 state, or of ARMv7: a CP15 access for each row of aarch32.def whose gate holds. */
#include <armpmu/driver.h>

#if defined(__arm__) && __ARM_ARCH >= 7 && __ARM_ARCH_PROFILE != 'M'
#include <armpmu/backend.h>
#include <armpmu/native.h>

/* Values of ID_DFR0.PerfMon, as in apmu_pmu.version. */
enum { PMUV2 = 2, PMUV3 = 3, PMUV3P1 = 4 };

static uint64_t id_dfr0(const struct apmu_ids *ids)
{
    uint32_t value;

    if (ids != NULL) {
        return ids->id_dfr0;
    }
    APMU_NATIVE_MRC(value, 0, APMU_NATIVE_ID_DFR0_EL1);
    return value;
}

static unsigned version_of(const struct apmu_ids *ids)
{
    return (unsigned)APMU_GET(ID_DFR0_EL1, PerfMon, id_dfr0(ids));
}

/*
 * Returns whether ID_PFR1.Virtualization is not 0: then PMUv2 has PMOVSSET.  With @ids, for callers that cannot read
 * ID_PFR1, theirs is taken.
 */
static bool has_virtualization(const struct apmu_ids *ids)
{
    uint32_t id_pfr1;

    if (ids != NULL) {
        return APMU_GET(ID_PFR1_EL1, Virtualization, ids->id_pfr1) != 0;
    }
    APMU_NATIVE_MRC(id_pfr1, 0, APMU_NATIVE_ID_PFR1_EL1);
    return APMU_GET(ID_PFR1_EL1, Virtualization, id_pfr1) != 0;
}

/* The gates of aarch32.def for a PMU of version @v.  PMUv1 may have PMCEID<n>, but no register says whether it does. */
#define HAS_ALWAYS(v) true
#define HAS_NOT_ARMV7(v) ((v) >= PMUV3)
#define HAS_PMUv3p1(v) ((v) >= PMUV3P1)
#define HAS_OVERFLOW_SET(v) ((v) >= PMUV3 || ((v) == PMUV2 && has_virtualization(ctx)))
#define HAS_EVENT_ID(v) ((v) >= PMUV2)

/* The access column of registers.def for the register behind a view. */
enum register_access { ACCESS_RO = 1, ACCESS_WO = 2, ACCESS_RW = 3 };
enum allowed_access {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    MAY_##id = ACCESS_##access,
#include <armpmu/tables/registers.def>
};

/*
 * The place column of aarch32.def as an encoding.  SAME is the encoding of the AArch64 row with opc1 = 0.  Bit 15
 * stands for MRRC and MCRR.
 */
#define IS_PAIR(key) (((key) & 0x8000) != 0)
#define OPC1(key) ((key) >> 11 & 7)
#define PLACE_SAME(of) (APMU_NATIVE_##of & APMU_A32_KEY(0, 15, 15, 7))
#define PLACE_AT(opc1, crn, crm, opc2) APMU_A32_KEY(opc1, crn, crm, opc2) AND_NOT_THAT
#define PLACE_PAIR(opc1, crm) APMU_A32_KEY_PAIR(opc1, crm) AND_NOT_THAT
#define AND_NOT_THAT(of)

enum key32 {
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) KEY_##id = PLACE_##place(of),
#include <armpmu/tables/aarch32.def>
};

#define COPIES_1(X, id) X(0, id)
#define COPIES_31(X, id) APMU_NATIVE_COPIES(X, id)
#define SHIFT_LOW 0
#define SHIFT_HIGH 32
#define SHIFT_BOTH 0
/*
 * The access to one copy of a bank.  READ_COPY(3, PMEVCNTR) becomes
 *     case 3:
 *         APMU_NATIVE_MRC(word, OPC1(KEY_PMEVCNTR), KEY_PMEVCNTR + 3);
 *         break;
 */
#define READ_COPY(copy, id) \
    case copy: \
        APMU_NATIVE_MRC(word, OPC1(KEY_##id), KEY_##id + copy); \
        break;
/* WRITE_COPY(3, PMEVCNTR) becomes the same case with APMU_NATIVE_MCR. */
#define WRITE_COPY(copy, id) \
    case copy: \
        APMU_NATIVE_MCR(word, OPC1(KEY_##id), KEY_##id + copy); \
        break;

/* Whether a row is used for @reg: the PMU has it, and its register allows this kind of access. */
#define VIEW(of, gate, how) (reg == APMU_REG_##of && HAS_##gate(version) && (MAY_##of & (how)) != 0)

static enum apmu_error direct_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const unsigned version = version_of(ctx);
    bool found = false;
    uint32_t word;

    if (reg == APMU_REG_ID_DFR0_EL1) {
        *value = id_dfr0(ctx);
        return APMU_OK;
    }
    if (reg == APMU_REG_ID_PFR1_EL1 && ctx == NULL) { /* not at PL0 */
        APMU_NATIVE_MRC(word, 0, APMU_NATIVE_ID_PFR1_EL1);
        *value = word;
        return APMU_OK;
    }
    if (reg == APMU_REG_MDCR_EL2) { /* HDCR, in Hyp mode */
        APMU_NATIVE_MRC(word, OPC1(APMU_NATIVE_MDCR_EL2), APMU_NATIVE_MDCR_EL2);
        *value = word;
        return APMU_OK;
    }
    /*
     * One access to the whole register, if there is one; otherwise its halves.  The row of the 64-bit PMCCNTR becomes
     *     if (IS_PAIR(KEY_PMCCNTR64) && VIEW(PMCCNTR_EL0, NOT_ARMV7, ACCESS_RO) && n == 0) {
     *         APMU_NATIVE_MRRC(*value, OPC1(KEY_PMCCNTR64), APMU_NATIVE_CRM(KEY_PMCCNTR64));
     *         return APMU_OK;
     *     }
     */
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    if (IS_PAIR(KEY_##id) && VIEW(of, gate, ACCESS_RO) && n == 0) { \
        APMU_NATIVE_MRRC(*value, OPC1(KEY_##id), APMU_NATIVE_CRM(KEY_##id)); \
        return APMU_OK; \
    }
#include <armpmu/tables/aarch32.def>
    *value = 0;
    /*
     * The row of PMCEID2, the upper half of PMCEID0_EL0, becomes
     *     if (!IS_PAIR(KEY_PMCEID2) && VIEW(PMCEID0_EL0, PMUv3p1, ACCESS_RO)) {
     *         switch (n) {
     *             case 0: APMU_NATIVE_MRC(word, OPC1(KEY_PMCEID2), KEY_PMCEID2 + 0); break;
     *         default:
     *             return APMU_E_NO_REGISTER;
     *         }
     *         *value |= (uint64_t)word << SHIFT_HIGH;
     *         found = true;
     *     }
     */
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    if (!IS_PAIR(KEY_##id) && VIEW(of, gate, ACCESS_RO)) { \
        switch (n) { \
            COPIES_##copies(READ_COPY, id) \
        default: \
            return APMU_E_NO_REGISTER; \
        } \
        *value |= (uint64_t)word << SHIFT_##part; \
        found = true; \
    }
#include <armpmu/tables/aarch32.def>
    return found ? APMU_OK : APMU_E_NO_REGISTER;
}

static enum apmu_error direct_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    const unsigned version = version_of(ctx);
    bool found = false;
    uint32_t word;

    if (reg == APMU_REG_MDCR_EL2) {
        word = (uint32_t)value;
        APMU_NATIVE_MCR(word, OPC1(APMU_NATIVE_MDCR_EL2), APMU_NATIVE_MDCR_EL2);
        return APMU_OK;
    }
    /* The row of PMCCNTR64 becomes the same as in direct_read(), with ACCESS_WO and APMU_NATIVE_MCRR. */
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    if (IS_PAIR(KEY_##id) && VIEW(of, gate, ACCESS_WO) && n == 0) { \
        APMU_NATIVE_MCRR(value, OPC1(KEY_##id), APMU_NATIVE_CRM(KEY_##id)); \
        return APMU_OK; \
    }
#include <armpmu/tables/aarch32.def>
    /*
     * The row of PMCNTENSET becomes
     *     if (!IS_PAIR(KEY_PMCNTENSET) && VIEW(PMCNTENSET_EL0, ALWAYS, ACCESS_WO)) {
     *         word = (uint32_t)(value >> SHIFT_LOW);
     *         switch (n) {
     *             case 0: APMU_NATIVE_MCR(word, OPC1(KEY_PMCNTENSET), KEY_PMCNTENSET + 0); break;
     *         default:
     *             return APMU_E_NO_REGISTER;
     *         }
     *         found = true;
     *     }
     */
#define APMU_AARCH32(id, of, copies, place, part, gate, hides) \
    if (!IS_PAIR(KEY_##id) && VIEW(of, gate, ACCESS_WO)) { \
        word = (uint32_t)(value >> SHIFT_##part); \
        switch (n) { \
            COPIES_##copies(WRITE_COPY, id) \
        default: \
            return APMU_E_NO_REGISTER; \
        } \
        found = true; \
    }
#include <armpmu/tables/aarch32.def>
    return found ? APMU_OK : APMU_E_NO_REGISTER;
}

static void native_sync(void *ctx)
{
    (void)ctx;
    apmu_native_sync();
}

static struct apmu_place native_place(void *ctx)
{
    const uint32_t mode_user = 0x10, mode_monitor = 0x16, mode_hyp = 0x1A;
    uint32_t cpsr, mode;

    (void)ctx;
    __asm__ __volatile__("mrs %0, cpsr" : "=r"(cpsr));
    mode = cpsr & 0x1F;
    /* The other modes are EL1, or EL3 in Secure state with an AArch32 EL3, which makes no difference to the PMU. */
    return (struct apmu_place){
        .view = APMU_VIEW_A32,
        .el = mode == mode_user ? 0 : mode == mode_hyp ? 2 : mode == mode_monitor ? 3 : 1,
    };
}

/* Accesses to registers that have a direct form. */
static const struct apmu_reg_ops direct_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = direct_read, .write = direct_write, .sync = native_sync,
};

/* Returns whether the access needs PMSELR: to the banks and to PMCCFILTR of ARMv7.  PMUv1 has no PMCCFILTR. */
static bool is_selected(const struct apmu_ids *ids, enum apmu_reg reg, unsigned n)
{
    const bool bank = reg == APMU_REG_PMEVCNTR_EL0 || reg == APMU_REG_PMEVTYPER_EL0;
    unsigned version;

    if (!(bank && n < APMU_EVENT_COUNTERS) && !(reg == APMU_REG_PMCCFILTR_EL0 && n == 0)) {
        return false;
    }
    version = version_of(ids);
    return !HAS_NOT_ARMV7(version) && (bank || version >= PMUV2);
}

static enum apmu_error native_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    struct apmu_dev direct = {.ops = &direct_ops, .ctx = ctx};

    return is_selected(ctx, reg, n) ? apmu_select_ops.read(&direct, reg, n, value) : direct_read(ctx, reg, n, value);
}

static enum apmu_error native_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    struct apmu_dev direct = {.ops = &direct_ops, .ctx = ctx};

    return is_selected(ctx, reg, n) ? apmu_select_ops.write(&direct, reg, n, value) : direct_write(ctx, reg, n, value);
}

const struct apmu_reg_ops apmu_native_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = native_read, .write = native_write, .sync = native_sync,
    .place = native_place,
};

#endif
