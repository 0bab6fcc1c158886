/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The external view: where an access lands (tables/external.def), what keeps it away (I3.1.4), and reading and writing.
 * Values come from the row of the register in registers.def; only what depends on the view is here.
 */

#include "registers.h"

enum { COMPONENT_BYTES = 0x1000, MANAGEMENT_FROM = 0xF00 };
#define LOCK_KEY UINT64_C(0xC5ACCE55)

/* ---------------------------------------------------------------------------------------------------------------
 * Places.
 */

enum place_kind { PLACE_NONE, PLACE_PAIR, PLACE_SPLIT, PLACE_WORD, PLACE_HIGH, PLACE_TWICE };

struct place {
    enum place_kind kind;
    uint16_t low, high;       /* offsets of bits 31:0 and 63:32 of copy 0 */
    enum apmu_gate high_gate; /* bits 63:32 are there */
};

enum rule { RULE_COUNTERS, RULE_SAMPLES, RULE_SNAPSHOTS, RULE_CONFIG, RULE_MANAGEMENT };

struct row {
    enum apmu_reg reg;
    struct place place[2]; /* [1] with FEAT_PMUv3_EXT64 */
    bool readable, writable;
    enum rule rule;
    enum apmu_gate gate;
};

enum row_id {
#define EXT(id, reg, layout32, layout64, access, rule, gate) ROW_##id,
#include <armpmu/tables/external.def>
    ROW_NONE
};

#define NONE {PLACE_NONE, 0, 0, APMU_GATE_NEVER}
#define PAIR(offset, copies, gate) {PLACE_PAIR, offset, (offset) + 4, APMU_GATE_##gate}
#define SPLIT(low, high, copies, gate) {PLACE_SPLIT, low, high, APMU_GATE_##gate}
#define WORD(offset, copies) {PLACE_WORD, offset, offset, APMU_GATE_NEVER}
#define HIGH(offset) {PLACE_HIGH, offset, offset, APMU_GATE_ALWAYS}
#define SHARED(offset) WORD(offset, 1)
#define DOUBLE(offset, copies) {PLACE_PAIR, offset, (offset) + 4, APMU_GATE_ALWAYS}
#define TWICE(offset) {PLACE_TWICE, offset, (offset) + 4, APMU_GATE_ALWAYS}
#define READ_RW true
#define READ_RO true
#define READ_WO false
#define WRITE_RW true
#define WRITE_RO false
#define WRITE_WO true

static const struct row rows[ROW_NONE] = {
#define EXT(id, reg, layout32, layout64, access, rule, gate) \
    [ROW_##id] = {APMU_REG_##reg, {layout32, layout64}, READ_##access, WRITE_##access, RULE_##rule, APMU_GATE_##gate},
#include <armpmu/tables/external.def>
};

#undef NONE
#undef PAIR
#undef SPLIT
#undef WORD
#undef HIGH
#undef SHARED
#undef DOUBLE
#undef TWICE

/* The words that a place takes, as case labels: two rows at one place are two equal labels, which do not compile. */
#define CASES_1(w) case (w):
#define CASES_2(w) CASES_1(w) CASES_1((w) + 1)
#define CASES_4(w) CASES_2(w) CASES_2((w) + 2)
#define CASES_8(w) CASES_4(w) CASES_4((w) + 4)
#define CASES_16(w) CASES_8(w) CASES_8((w) + 8)
#define CASES_31(w) CASES_16(w) CASES_8((w) + 16) CASES_4((w) + 24) CASES_2((w) + 28) CASES_1((w) + 30)
#define CASES_33(w) CASES_31(w) CASES_2((w) + 31)
#define PAIRS_1(w) CASES_2(w)
#define PAIRS_31(w) CASES_31(w) CASES_31((w) + 31)
#define PAIRS_33(w) CASES_33(w) CASES_33((w) + 33)

#define NONE
#define PAIR(offset, copies, gate) PAIRS_##copies((offset) / 4)
#define SPLIT(low, high, copies, gate) CASES_##copies((low) / 4) CASES_##copies((high) / 4)
#define WORD(offset, copies) CASES_##copies((offset) / 4)
#define HIGH(offset) CASES_1((offset) / 4)
#define SHARED(offset)
#define DOUBLE(offset, copies) PAIRS_##copies((offset) / 4)
#define TWICE(offset) CASES_2((offset) / 4)

static enum row_id row_at(bool layout64, unsigned word)
{
    if (layout64) {
        switch (word) {
#define EXT(id, reg, layout32, layout64, access, rule, gate) \
    layout64 return ROW_##id;
#include <armpmu/tables/external.def>
        default:
            return ROW_NONE;
        }
    }
    switch (word) {
#define EXT(id, reg, layout32, layout64, access, rule, gate) \
    layout32 return ROW_##id;
#include <armpmu/tables/external.def>
    default:
        return ROW_NONE;
    }
}

/* Where an access lands. */
struct spot {
    const struct row *row; /* NULL: at a reserved location */
    unsigned n;            /* the copy */
    unsigned shift;        /* the bits of the register that it takes: 31:0, 63:32, or all */
    uint64_t bits;
};

static bool copy_exists(const struct apmu_config *cfg, enum apmu_reg reg, unsigned n)
{
    if (reg == APMU_REG_PMEVFILT2R) { /* event counters, the cycle counter, the instruction counter */
        return apmu_holds(cfg, APMU_GATE_FILTER2, 0) &&
               (n < cfg->counters || n == APMU_CYCLE || (n == APMU_INSTR && apmu_holds(cfg, APMU_GATE_PMUv3_ICNTR, 0)));
    }
    return apmu_reg_exists(cfg, reg, n);
}

/* The register, if it is implemented, whose word is at @offset. */
static struct spot spot_of_word(const struct apmu_config *cfg, bool layout64, unsigned offset)
{
    const struct spot reserved = {NULL, 0, 0, 0};
    enum row_id id = row_at(layout64, offset / 4);

    if (!layout64 && offset == rows[ROW_PMSWINC].place[0].low && !apmu_holds(cfg, APMU_GATE_PMUv3p9, 0)) {
        id = ROW_PMSWINC;
    }
    if (id == ROW_NONE) {
        return reserved;
    }
    const struct row *row = &rows[id];
    const struct place *place = &row->place[layout64];
    bool high = false;
    unsigned n = 0;

    switch (place->kind) {
    case PLACE_PAIR:
        n = (offset - place->low) / 8;
        high = (offset & 4) != 0;
        break;
    case PLACE_SPLIT:
        high = offset >= place->high;
        n = (offset - (high ? place->high : place->low)) / 4;
        break;
    case PLACE_HIGH:
        high = true;
        break;
    default: /* the upper word of PMMIR in its second place is not there: it is 0 in any case */
        n = place->kind == PLACE_WORD ? (offset - place->low) / 4 : 0;
        break;
    }
    if (!apmu_holds(cfg, row->gate, n) || !copy_exists(cfg, row->reg, n) ||
        (high && !apmu_holds(cfg, place->high_gate, n))) {
        return reserved;
    }
    return (struct spot){row, n, high ? 32 : 0, high ? ~apmu_ones(32) : apmu_ones(32)};
}

/* Fills *spot, or says why there is no such access. */
static const char *locate(const struct apmu_config *cfg, const struct apmu_ext *at, struct spot *spot)
{
    const bool layout64 = (cfg->features & APMU_FEAT(PMUv3_EXT64)) != 0;

    *spot = (struct spot){NULL, 0, 0, 0};
    if (!layout64 && (cfg->features & APMU_FEAT(PMUv3_EXT32)) == 0) {
        return "FEAT_PMUv3_EXT is not implemented";
    }
    if (at->size != 4 && at->size != 8) {
        return "size";
    }
    if (at->offset >= COMPONENT_BYTES) {
        return "offset";
    }
    const unsigned offset = (unsigned)at->offset;
    if ((offset & (at->size - 1)) != 0) {
        return "alignment";
    }
    const struct spot low = spot_of_word(cfg, layout64, offset);
    if (at->size == 4) {
        *spot = low;
        return NULL;
    }
    const struct spot high = spot_of_word(cfg, layout64, offset + 4);
    if (low.row == NULL && high.row == NULL) {
        return NULL;
    }
    if (low.row != high.row || low.row->place[layout64].kind == PLACE_WORD ||
        low.row->place[layout64].kind == PLACE_SPLIT) {
        return "size";
    }
    *spot = (struct spot){low.row, low.n, 0, ~UINT64_C(0)};
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * What keeps an access away.
 */

bool apmu_is_most_secure(const struct apmu *p, enum apmu_pas pas)
{
    if (apmu_has(p, APMU_FEAT(RME))) {
        return pas == APMU_PAS_ROOT;
    }
    return apmu_have_el(&p->cfg, 3) || p->cfg.secure_only ? pas == APMU_PAS_SECURE : true;
}

/*
 * AllowExternalPMUAccess() before FEAT_Debugv8p4.  H8.5 asks for non-invasive debug to be enabled, and IMWDRP admits
 * most secure accesses always; the pseudocode asks for invasive debug, and asks all of them.
 */
static bool prose_differs_invasive_debug_admits(const struct apmu *p, const struct apmu_pe *pe, const char **control)
{
    const bool secure_state = apmu_have_el(&p->cfg, 3) || p->cfg.secure_only;

    *control = pe->dbgen ? NULL : "DBGEN";
    return !pe->dbgen || (secure_state && pe->spiden);
}

/* AllowExternalPMUAccess(): NULL, or what forbids it. */
static const char *external_access_refused(const struct apmu *p, const struct apmu_pe *pe, enum apmu_pas pas)
{
    const bool epmad = APMU_GET(MDCR_EL3, EPMAD, pe->mdcr_el3) != 0;
    const bool epmade = APMU_GET(MDCR_EL3, EPMADE, pe->mdcr_el3) != 0;
    const char *control;

    if (apmu_has(p, APMU_FEAT(RME))) {
        const bool admitted = pas == APMU_PAS_ROOT || (!epmad && !epmade) || (pas == APMU_PAS_SECURE && !epmade) ||
                              (pas == APMU_PAS_REALM && !epmad);
        return admitted ? NULL : "MDCR_EL3.{EPMADE, EPMAD}";
    }
    if (apmu_has(p, APMU_FEAT(Debugv8p4))) {
        if (pas == APMU_PAS_SECURE) {
            return NULL;
        }
    } else if (prose_differs_invasive_debug_admits(p, pe, &control)) {
        return control;
    }
    if (apmu_have_el(&p->cfg, 3)) {
        return epmad ? "MDCR_EL3.EPMAD" : NULL;
    }
    return p->cfg.secure_only ? "the PE is Secure only" : NULL;
}

/* AllowExternalPMSSAccess(): NULL, or what forbids it. */
static const char *external_snapshot_refused(const struct apmu *p, const struct apmu_pe *pe, enum apmu_pas pas)
{
    const bool rme = apmu_has(p, APMU_FEAT(RME));
    unsigned epmssad = 3;

    if (apmu_have_el(&p->cfg, 3)) {
        epmssad = (unsigned)APMU_GET(MDCR_EL3, EPMSSAD, pe->mdcr_el3);
        epmssad = !rme && (epmssad == 1 || epmssad == 2) ? p->cfg.reserved_epmssad : epmssad;
    }
    const bool admitted = epmssad == 3 || pas == (rme ? APMU_PAS_ROOT : APMU_PAS_SECURE) ||
                          (epmssad == 1 && pas == APMU_PAS_REALM) || (epmssad == 2 && pas == APMU_PAS_SECURE);
    return admitted ? NULL : "MDCR_EL3.EPMSSAD";
}

/* IYWTNH: PMCCR.OSLO lifts the OS Lock for the most secure accesses. */
static bool os_locked(const struct apmu *p, const struct apmu_pe *pe, enum apmu_pas pas)
{
    return pe->os_lock && !(apmu_has(p, APMU_FEAT(PMUv3_EXTPMN)) && apmu_is_most_secure(p, pas) &&
                            APMU_GET(PMCCR, OSLO, p->ccr) != 0);
}

/* What answers an error, the highest priority first (Tables I3-1 and I3-2), or NULL. */
static const char *refused(const struct apmu *p, const struct apmu_pe *pe, enum rule rule, enum apmu_pas pas)
{
    if (rule == RULE_MANAGEMENT) {
        return apmu_has(p, APMU_FEAT(DoPD)) && pe->core_off ? "the Core power domain is off" : NULL;
    }
    if (pe->core_off) {
        return "the Core power domain is off";
    }
    if (pe->double_lock) {
        return "DoubleLockStatus()";
    }
    if ((rule == RULE_COUNTERS || rule == RULE_SAMPLES) && os_locked(p, pe, pas)) {
        return "OSLSR_EL1.OSLK";
    }
    if (rule == RULE_COUNTERS) {
        return external_access_refused(p, pe, pas);
    }
    return rule == RULE_SNAPSHOTS ? external_snapshot_refused(p, pe, pas) : NULL;
}

static struct apmu_access answer(enum apmu_outcome outcome, const char *control)
{
    return (struct apmu_access){.outcome = outcome, .gate = APMU_GATE_ALWAYS, .control = control};
}

static struct apmu_access ignored(bool write, const char *control)
{
    return answer(write ? APMU_ACCESS_WI : APMU_ACCESS_RAZ, control);
}

/* H8.5.6: RES0.  Below the management registers, one may answer an error where a counter would. */
static struct apmu_access reserved(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at,
                                   bool write)
{
    const bool as_counters = at->offset < MANAGEMENT_FROM && p->cfg.reserved_ext_errors;
    const char *control = refused(p, pe, as_counters ? RULE_COUNTERS : RULE_MANAGEMENT, at->pas);

    return control != NULL ? answer(APMU_ACCESS_ERROR, control) : ignored(write, "reserved");
}

static bool software_locked(const struct apmu *p, const struct apmu_ext *at)
{
    return p->cfg.software_lock && p->locked && !at->debugger;
}

/* IWYJGF: the third range is not there for less secure accesses. */
static bool hidden(const struct apmu *p, const struct apmu_pe *pe, const struct spot *spot, const struct apmu_ext *at)
{
    const bool bank = apmu_rows[spot->row->reg].copies > 1 || spot->row->reg == APMU_REG_PMEVFILT2R;

    return bank && apmu_has(p, APMU_FEAT(PMUv3_EXTPMN)) && apmu_range(p, pe, spot->n) == 3 &&
           !apmu_is_most_secure(p, at->pas);
}

struct apmu_access apmu_access_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at,
                                   bool write)
{
    struct spot spot;
    const char *control = pe->debug_off ? "the Debug power domain is off" : locate(&p->cfg, at, &spot);

    if (control != NULL) {
        return answer(APMU_ACCESS_ERROR, control);
    }
    if (spot.row == NULL || !(write ? spot.row->writable : spot.row->readable)) {
        return reserved(p, pe, at, write);
    }
    if ((control = refused(p, pe, spot.row->rule, at->pas)) != NULL) {
        return answer(APMU_ACCESS_ERROR, control);
    }
    if (spot.row->rule == RULE_CONFIG && !apmu_is_most_secure(p, at->pas)) {
        return ignored(write, "IsMostSecureAccess()");
    }
    if (hidden(p, pe, &spot, at)) {
        return ignored(write, "PMCCR.EPMN");
    }
    if (write && spot.row->rule == RULE_COUNTERS && software_locked(p, at)) {
        return answer(APMU_ACCESS_WI, "PMLSR.SLK");
    }
    return answer(APMU_ACCESS_OK, "");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reading and writing.
 */

/* The counters that an access reaches in registers with a bit for each. */
static uint64_t reach_of(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    const unsigned n = apmu_is_most_secure(p, at->pas) ? p->cfg.counters : apmu_epmn(p, pe);

    return apmu_ones(n) | UINT64_C(1) << APMU_CYCLE |
           (apmu_has(p, APMU_FEAT(PMUv3_ICNTR)) ? UINT64_C(1) << APMU_INSTR : 0);
}

static uint64_t whole_value(const struct apmu *p, const struct apmu_pe *pe, const struct spot *spot,
                            const struct apmu_ext *at)
{
    const enum apmu_reg reg = spot->row->reg;

    switch (apmu_reg_op(reg)) {
    case APMU_OP_SET:
    case APMU_OP_CLR:
    case APMU_OP_IMAGE:
        return apmu_reg_value(p, reg, 0) & reach_of(p, pe, at);
    case APMU_OP_CONTROL: /* this view has PMCFGR and PMIIDR instead of these fields */
        return apmu_peek(p, pe, reg, 0) &
               ~(APMU_MASK(PMCR_EL0, N) | APMU_MASK(PMCR_EL0, IMP) | APMU_MASK(PMCR_EL0, IDCODE));
    case APMU_OP_IDENTITY:
        return apmu_identity(p, pe, reg, at);
    case APMU_OP_FILTER2:
        return p->filter2[spot->n];
    default:
        break;
    }
    if (reg == APMU_REG_PMPCSR && spot->shift == 0) {
        return apmu_sampled(p, pe, !software_locked(p, at));
    }
    return (apmu_reg_op(reg) == APMU_OP_PLAIN ? apmu_shown(&p->cfg, reg, spot->n, apmu_reg_value(p, reg, spot->n))
                                              : apmu_peek(p, pe, reg, spot->n)) |
           (reg == APMU_REG_PMPCSCTL ? APMU_PUT(PMPCSCTL, IMP, p->cfg.sample_enable) : 0);
}

uint64_t apmu_peek_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    struct spot spot;

    if (locate(&p->cfg, at, &spot) != NULL || spot.row == NULL || !spot.row->readable) {
        return 0;
    }
    return (whole_value(p, pe, &spot, at) & spot.bits) >> spot.shift;
}

uint64_t apmu_read_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    const uint64_t value = apmu_peek_ext(p, pe, at);
    struct spot spot;

    if (locate(&p->cfg, at, &spot) == NULL && spot.row != NULL && spot.row->reg == APMU_REG_PMPCSR &&
        spot.shift == 0 && !software_locked(p, at)) {
        apmu_sample_on_read(p, pe);
    }
    return value;
}

static void replace(uint64_t *word, uint64_t bits, uint64_t value)
{
    *word = (*word & ~bits) | (value & bits);
}

static void write_spot(struct apmu *p, const struct apmu_pe *pe, const struct spot *spot, const struct apmu_ext *at,
                       uint64_t value, struct apmu_out *out)
{
    const enum apmu_reg reg = spot->row->reg;
    const uint64_t reach = reach_of(p, pe, at);

    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
        replace(apmu_reg_storage(p, reg, spot->n), apmu_writable(&p->cfg, reg, spot->n) & spot->bits, value);
        break;
    case APMU_OP_CONTROL:
        apmu_write_control(p, value, spot->bits, reach & apmu_ones(APMU_EVENT_COUNTERS));
        break;
    case APMU_OP_SET:
        *apmu_reg_storage(p, reg, 0) |= value & reach;
        break;
    case APMU_OP_CLR:
        *apmu_reg_storage(p, reg, 0) &= ~(value & reach);
        break;
    case APMU_OP_IMAGE:
        replace(apmu_reg_storage(p, reg, 0), reach & spot->bits, value);
        break;
    case APMU_OP_SWINC:
        apmu_sw_increment(p, pe, value & reach & apmu_ones(APMU_EVENT_COUNTERS), out);
        break;
    case APMU_OP_ZERO:
        apmu_zero(p, value & reach);
        break;
    case APMU_OP_SNAPSHOT:
        apmu_write_snapshot(p, pe, value, spot->bits, out);
        break;
    case APMU_OP_FILTER2:
        p->filter2[spot->n] = (uint32_t)((p->filter2[spot->n] & ~spot->bits) | (value & p->cfg.filter2));
        break;
    case APMU_OP_KEY: /* the lock is one of memory-mapped accesses */
        p->locked = at->debugger ? p->locked : value != LOCK_KEY;
        break;
    default:
        break;
    }
}

void apmu_poke_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at, uint64_t value,
                   struct apmu_out *out)
{
    struct apmu_out ignored_out;
    struct apmu_out *o = out != NULL ? out : &ignored_out;
    struct spot spot;

    *o = (struct apmu_out){0};
    if (locate(&p->cfg, at, &spot) == NULL && spot.row != NULL && spot.row->writable) {
        write_spot(p, pe, &spot, at, value << spot.shift & spot.bits, o);
    }
    apmu_signal(p, pe, o);
}
