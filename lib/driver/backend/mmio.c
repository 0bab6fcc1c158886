/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The external view of a PMU as a back end: offsets from tables/external.def, 64-bit registers in 32-bit halves.
 *
 * PMDEVARCH names the layout, so it is read first.  Its own offset is the same in both layouts.
 */
#include <armpmu/mmio.h>

#define DEVARCH_PMUV3_EXT32 UINT32_C(0x47702A16)
#define DEVARCH_PMUV3_EXT64 UINT32_C(0x47702A26)
#define DEVARCH_REVISION ((uint32_t)APMU_MASK(PMDEVARCH, REVISION))
#define DEVTYPE_PE_PMU 0x16u
#define LOCK_KEY UINT32_C(0xC5ACCE55)

/* ID_AA64DFR0_EL1.PMUVer */
enum pmuver { PMUVER_PMUV3 = 1, PMUVER_PMUV3P1 = 4, PMUVER_PMUV3P4 = 5, PMUVER_PMUV3P7 = 7, PMUVER_PMUV3P9 = 9 };

/* ---------------------------------------------------------------------------------------------------------------
 * Offsets.
 */

/* The words of a register in one layout. */
struct mmio_place {
    bool low, high; /* bits 31:0 and bits 63:32 exist */
    uint8_t step;   /* bytes from one copy to the next */
    uint16_t at_low, at_high;
};

/* A row of tables/external.def. */
struct mmio_row {
    enum apmu_reg reg;
    bool readable, writable;
    struct mmio_place place[2]; /* [1] with FEAT_PMUv3_EXT64 */
};

/*
 * The layouts of external.def.  A word whose gate does not hold is RES0, so gates are not checked here.  Nothing tells
 * which register is at a SHARED offset, so it is left out.  The second offset of TWICE adds nothing.
 */
#define NONE {false, false, 0, 0, 0}
#define PAIR(offset, copies, gate) {true, true, 8, offset, (offset) + 4}
#define SPLIT(low, high, copies, gate) {true, true, 4, low, high}
#define WORD(offset, copies) {true, false, 4, offset, 0}
#define HIGH(offset) {false, true, 4, 0, offset}
#define SHARED(offset) NONE
#define DOUBLE(offset, copies) {true, true, 8, offset, (offset) + 4}
#define TWICE(offset) {true, false, 8, offset, 0}
#define READ_RW true
#define READ_RO true
#define READ_WO false
#define WRITE_RW true
#define WRITE_RO false
#define WRITE_WO true

static const struct mmio_row rows[] = {
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) \
    {APMU_REG_##reg, READ_##access, WRITE_##access, {layout32, layout64}},
#include <armpmu/tables/external.def>
};

/*
 * Returns the words of @reg.  A register may have two rows, one for each half.  If a half has two places the first is
 * taken.
 */
static struct mmio_place find(const struct apmu_mmio *m, enum apmu_reg reg, bool write)
{
    struct mmio_place found = NONE;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct mmio_place *place = &rows[i].place[m->layout64];

        if (rows[i].reg != reg || !(write ? rows[i].writable : rows[i].readable)) {
            continue;
        }
        if (place->low && !found.low) {
            found.low = true;
            found.step = place->step;
            found.at_low = place->at_low;
        }
        if (place->high && !found.high) {
            found.high = true;
            found.step = place->step;
            found.at_high = place->at_high;
        }
    }
    return found;
}

/* Returns whether the component has what @gate requires, as far as it tells. */
static bool holds(const struct apmu_mmio *m, enum apmu_gate gate)
{
    switch (gate) {
    case APMU_GATE_PMUv3_ICNTR:
        return m->instr;
    case APMU_GATE_PMUv3_SS:
        return m->snapshots;
    case APMU_GATE_ICNTR_SS:
        return m->instr && m->snapshots;
    case APMU_GATE_PMUv3p9: /* PMZR_EL0, and before it perhaps PMSWINC_EL0 in its place */
        return m->version >= PMUVER_PMUV3P9;
    default:
        return true;
    }
}

/* What locate() needs of the rows of registers.def. */
static const struct {
    uint8_t gate, copies;
} registers[APMU_REG_ALL] = {
#define APMU_REGISTER(id, op0, op1, crn, crm, op2, copies, storage, op, access, gate, known, reset, text) \
    [APMU_REG_##id] = {APMU_GATE_##gate, copies},
#define APMU_EXTERNAL(id, storage, op, gate, text) [APMU_REG_##id] = {APMU_GATE_##gate, 1},
#include <armpmu/tables/registers.def>
};

/* Finds the words of copy @n of @reg for a read or a write. */
static enum apmu_error locate(const struct apmu_mmio *m, enum apmu_reg reg, unsigned n, bool write,
                              struct mmio_place *place)
{
    if (reg >= APMU_REG_ALL) {
        return APMU_E_NO_REGISTER;
    }
    const bool bank = registers[reg].copies > 1;
    const bool for_each_counter = reg == APMU_REG_PMEVFILT2R;

    *place = find(m, reg, write);
    if (!place->low && !place->high) {
        return APMU_E_VIEW;
    }
    if (!holds(m, (enum apmu_gate)registers[reg].gate) || (bank && n >= m->counters) ||
        (for_each_counter && n >= m->counters && n != APMU_CYCLE && !(n == APMU_INSTR && m->instr))) {
        return APMU_E_NO_REGISTER;
    }
    if (bank || for_each_counter) {
        place->at_low = (uint16_t)(place->at_low + n * place->step);
        place->at_high = (uint16_t)(place->at_high + n * place->step);
    }
    return APMU_OK;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

static enum apmu_error get(const struct apmu_mmio *m, uint32_t offset, uint32_t *value)
{
    if (m->base != NULL) {
        *value = m->base[offset / 4];
        return APMU_OK;
    }
    return m->read32(m->access, offset, value);
}

static enum apmu_error put(const struct apmu_mmio *m, uint32_t offset, uint32_t value)
{
    if (m->base != NULL) {
        m->base[offset / 4] = value;
        return APMU_OK;
    }
    return m->write32(m->access, offset, value);
}

/* Returns whether the register can change between the reads of its halves. */
static bool changes(enum apmu_reg reg)
{
    return reg == APMU_REG_PMEVCNTR_EL0 || reg == APMU_REG_PMCCNTR_EL0 || reg == APMU_REG_PMICNTR_EL0;
}

/* Reads low before high, because reading the low word of PMPCSR takes the sample to which the high word belongs. */
static enum apmu_error get_halves(const struct apmu_mmio *m, enum apmu_reg reg, const struct mmio_place *place,
                                  uint64_t *value)
{
    enum apmu_error error = APMU_OK;
    uint32_t low = 0, high = 0, before;

    if (place->high && changes(reg)) {
        error = get(m, place->at_high, &high);
    }
    do {
        before = high;
        if (place->low && error == APMU_OK) {
            error = get(m, place->at_low, &low);
        }
        if (place->high && error == APMU_OK) {
            error = get(m, place->at_high, &high);
        }
    } while (error == APMU_OK && high != before && changes(reg)); /* until no carry comes between the halves */
    *value = error == APMU_OK ? (uint64_t)high << 32 | low : 0;
    return error;
}

/* Writes high before low, because the low word has the field that acts at once, PMSSCR_EL1.SS. */
static enum apmu_error put_halves(const struct apmu_mmio *m, const struct mmio_place *place, uint64_t value)
{
    enum apmu_error error = APMU_OK;

    if (place->high) {
        error = put(m, place->at_high, (uint32_t)(value >> 32));
    }
    if (place->low && error == APMU_OK) {
        error = put(m, place->at_low, (uint32_t)value);
    }
    return error;
}

static enum apmu_error mmio_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    const struct apmu_mmio *m = ctx;
    struct mmio_place place;

    *value = 0;
    if (reg == APMU_REG_ID_AA64DFR0_EL1) {
        *value = APMU_PUT(ID_AA64DFR0_EL1, PMUVer, m->version) | APMU_PUT(ID_AA64DFR0_EL1, PMSS, m->snapshots);
        return APMU_OK;
    }
    if (reg == APMU_REG_ID_AA64DFR1_EL1) {
        *value = APMU_PUT(ID_AA64DFR1_EL1, PMICNTR, m->instr);
        return APMU_OK;
    }
    if (m->layout64 && (reg == APMU_REG_PMCEID0_EL0 || reg == APMU_REG_PMCEID1_EL0)) {
        *value = m->pmceid[reg == APMU_REG_PMCEID1_EL0];
        return APMU_OK;
    }
    enum apmu_error error = locate(m, reg, n, false, &place);

    if (error == APMU_OK) {
        error = get_halves(m, reg, &place, value);
    }
    if (error == APMU_OK && reg == APMU_REG_PMCR_EL0) { /* this view has N in PMCFGR */
        *value = (*value & ~APMU_MASK(PMCR_EL0, N)) | APMU_PUT(PMCR_EL0, N, m->counters);
    }
    return error;
}

static enum apmu_error mmio_write(void *ctx, enum apmu_reg reg, unsigned n, uint64_t value)
{
    const struct apmu_mmio *m = ctx;
    struct mmio_place place;
    const enum apmu_error error = locate(m, reg, n, true, &place);

    return error == APMU_OK ? put_halves(m, &place, value) : error;
}

/* Reads the low word of a register that has the same offset in both layouts. */
static enum apmu_error get_register(const struct apmu_mmio *m, enum apmu_reg reg, uint32_t *low)
{
    const struct mmio_place place = find(m, reg, false);

    return get(m, place.at_low, low);
}

/* Waits for writes through base: a read of the same component completes after them. */
static void mmio_sync(void *ctx)
{
    const struct apmu_mmio *m = ctx;

    if (m->base != NULL) {
        uint32_t arrived;

        (void)get_register(m, APMU_REG_PMDEVARCH, &arrived);
#if defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
        __asm__ volatile("dsb sy" ::: "memory");
#endif
    }
}

static struct apmu_place mmio_place(void *ctx)
{
    (void)ctx;
    return (struct apmu_place){.view = APMU_VIEW_EXTERNAL};
}

const struct apmu_reg_ops apmu_mmio_ops = {
    .size = sizeof(struct apmu_reg_ops), .read = mmio_read, .write = mmio_write, .sync = mmio_sync, .place = mmio_place,
};

/* ---------------------------------------------------------------------------------------------------------------
 * Opening.
 */

/* Checks that the component is a PMU, and sets its layout.  PMDEVTYPE is OPTIONAL, and reads as 0 if it is absent. */
static enum apmu_error identify(struct apmu_mmio *m)
{
    uint32_t devarch = 0, devtype = 0;
    enum apmu_error error = get_register(m, APMU_REG_PMDEVARCH, &devarch);

    if (error == APMU_OK) {
        error = get_register(m, APMU_REG_PMDEVTYPE, &devtype);
    }
    if (error != APMU_OK) {
        return error;
    }
    devarch &= ~DEVARCH_REVISION;
    m->layout64 = devarch == DEVARCH_PMUV3_EXT64;
    return (m->layout64 || devarch == DEVARCH_PMUV3_EXT32) && (devtype == 0 || devtype == DEVTYPE_PE_PMU)
               ? APMU_OK : APMU_E_COMPONENT;
}

/* Opens the Software Lock if it is closed. */
static enum apmu_error unlock(struct apmu_mmio *m)
{
    const struct mmio_place key = find(m, APMU_REG_PMLAR, true);
    uint32_t status = 0;
    enum apmu_error error = get_register(m, APMU_REG_PMLSR, &status);

    if (error != APMU_OK || APMU_GET(PMLSR, SLI, status) == 0 || APMU_GET(PMLSR, SLK, status) == 0) {
        return error;
    }
    m->relock = true;
    error = put(m, key.at_low, LOCK_KEY);
    if (error == APMU_OK) {
        error = get_register(m, APMU_REG_PMLSR, &status);
    }
    return error != APMU_OK || APMU_GET(PMLSR, SLK, status) == 0 ? error : APMU_E_LOCK;
}

/*
 * Sets the version: EDDFR's, or the lowest version that has what is seen.  If the real one is higher, counters of 64
 * bits are used as counters of 32 bits, which is correct.
 */
static enum apmu_error find_version(struct apmu_mmio *m, uint32_t pmcfgr)
{
    uint64_t pmceid[2];
    uint32_t pmmir = 0;
    enum apmu_error error;

    if (m->eddfr != 0) {
        m->version = (uint8_t)APMU_GET(ID_AA64DFR0_EL1, PMUVer, m->eddfr);
        return APMU_OK;
    }
    if (m->instr || m->snapshots) {
        m->version = PMUVER_PMUV3P9;
        return APMU_OK;
    }
    if (APMU_GET(PMCFGR, FZO, pmcfgr) != 0) {
        m->version = PMUVER_PMUV3P7;
        return APMU_OK;
    }
    error = get_register(m, APMU_REG_PMMIR_EL1, &pmmir);
    for (unsigned i = 0; i < 2 && error == APMU_OK; i++) {
        error = mmio_read(m, i == 0 ? APMU_REG_PMCEID0_EL0 : APMU_REG_PMCEID1_EL0, 0, &pmceid[i]);
    }
    if (error == APMU_OK) {
        m->version = pmmir != 0                                   ? PMUVER_PMUV3P4
                     : pmceid[0] >> 32 != 0 || pmceid[1] >> 32 != 0 ? PMUVER_PMUV3P1
                                                                    : PMUVER_PMUV3;
    }
    return error;
}

/* Reads PMCFGR: the counters and the version. */
static enum apmu_error find_counters(struct apmu_mmio *m)
{
    uint32_t pmcfgr = 0;
    const enum apmu_error error = get_register(m, APMU_REG_PMCFGR, &pmcfgr);

    if (error != APMU_OK) {
        return error;
    }
    m->instr = APMU_GET(PMCFGR, NCG, pmcfgr) != 0;
    m->snapshots = APMU_GET(PMCFGR, SS, pmcfgr) != 0;
    const uint64_t others = APMU_GET(PMCFGR, N, pmcfgr); /* all counters but one: the event counters, and PMICNTR_EL0 if
                                                            it exists */

    if (APMU_GET(PMCFGR, SIZE, pmcfgr) != 63 || APMU_GET(PMCFGR, CC, pmcfgr) == 0 || others < m->instr ||
        others - m->instr > APMU_EVENT_COUNTERS) {
        return APMU_E_COMPONENT;
    }
    m->counters = (uint8_t)(others - m->instr);
    return find_version(m, pmcfgr);
}

enum apmu_error apmu_mmio_open(struct apmu_mmio *m)
{
    enum apmu_error error;

    m->relock = false;
    error = identify(m);
    if (error == APMU_OK) {
        error = unlock(m);
    }
    if (error == APMU_OK) {
        error = find_counters(m);
    }
    if (error != APMU_OK) {
        (void)apmu_mmio_close(m); /* the first error is the one to report */
    }
    return error;
}

enum apmu_error apmu_mmio_close(struct apmu_mmio *m)
{
    enum apmu_error error = APMU_OK;

    if (m->relock) {
        error = put(m, find(m, APMU_REG_PMLAR, true).at_low, 0); /* any value but the key */
        m->relock = error != APMU_OK;
    }
    return error;
}
