/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The external view: the register that an access reaches (tables/external.def), what blocks the access (I3.1.4), and
 * reading and writing.  Values come from the row of the register in registers.def; this file has only what depends on
 * the view.
 */

#include "registers.h"

enum { COMPONENT_BYTES = 0x1000, MANAGEMENT_FROM = 0xF00 };
#define LOCK_KEY UINT64_C(0xC5ACCE55)

/* ---------------------------------------------------------------------------------------------------------------
 * Locations.
 */

/* The form of a register in one of the two layouts. */
struct ext_location_layout {
    uint8_t high_gate; /* enum apmu_gate: where bits 63:32 are implemented */
    bool whole;        /* one access reaches both halves */
};

/* Column `rule` of external.def: what can block an access. */
enum ext_condition { RULE_COUNTERS, RULE_SAMPLES, RULE_SNAPSHOTS, RULE_CONFIG, RULE_MANAGEMENT };

struct ext_location {
    uint8_t reg, gate, rule;              /* enum apmu_reg, enum apmu_gate, enum ext_condition */
    bool allows[2];                       /* a read, a write */
    struct ext_location_layout layout[2]; /* [1] with FEAT_PMUv3_EXT64 */
};

enum {
    ROW_NONE,
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) ROW_##id,
#include <armpmu/tables/external.def>
    ROW_COUNT
};

/*
 * The columns layout32 and layout64 expanded as a struct ext_location_layout.  PMEVTYPER's layout32 is
 * SPLIT(0x400, 0xA00, 31, WIDE_TYPERS): {APMU_GATE_WIDE_TYPERS, false}, because its halves are at two places.
 */
#define NONE {APMU_GATE_NEVER, false}
#define PAIR(offset, copies, gate) {APMU_GATE_##gate, true}
#define SPLIT(low, high, copies, gate) {APMU_GATE_##gate, false}
#define WORD(offset, copies) {APMU_GATE_NEVER, false}
#define HIGH(offset) {APMU_GATE_ALWAYS, false}
#define SHARED(offset) {APMU_GATE_NEVER, false}
#define DOUBLE(offset, copies) {APMU_GATE_ALWAYS, true}
#define TWICE(offset) {APMU_GATE_ALWAYS, true}
#define ALLOWS_RW {true, true}
#define ALLOWS_RO {true, false}
#define ALLOWS_WO {false, true}

static const struct ext_location rows[ROW_COUNT] = {
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) \
    [ROW_##id] = {APMU_REG_##reg, APMU_GATE_##gate, RULE_##rule, ALLOWS_##access, {layout32, layout64}},
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

/* An entry of words[]: the word is half @high of copy @n of row @id. */
#define AT(id, n, high) (uint16_t)((unsigned)(id) << 7 | (unsigned)(n) << 1 | (high))
#define AT_ROW(at) ((at) >> 7)
#define AT_COPY(at) ((at) >> 1 & 63u)
#define AT_HIGH(at) (((at) & 1u) != 0)

/*
 * The columns layout32 and layout64 expanded a second time, as designated initializers of the words that a register
 * occupies.  Two rows at one place do not compile (-Woverride-init).  Each layout becomes a macro of words and its
 * arguments, which TAKES() calls with the row in front; each macro of words halves the copies until one is left:
 *
 *   TAKES(ROW_PMCCNTR, PAIR(0x0F8, 1, ALWAYS))
 *   PAIRS_1(ROW_PMCCNTR, 0x0F8 / 4, 0)
 *   [62] = AT(ROW_PMCCNTR, 0, 0), [63] = AT(ROW_PMCCNTR, 0, 1),
 */
#define NOTHING(id, w)
#define WORDS_1(id, w, n, high) [w] = AT(id, n, high),
#define WORDS_2(id, w, n, high) WORDS_1(id, w, n, high) WORDS_1(id, (w) + 1, (n) + 1, high)
#define WORDS_4(id, w, n, high) WORDS_2(id, w, n, high) WORDS_2(id, (w) + 2, (n) + 2, high)
#define WORDS_8(id, w, n, high) WORDS_4(id, w, n, high) WORDS_4(id, (w) + 4, (n) + 4, high)
#define WORDS_16(id, w, n, high) WORDS_8(id, w, n, high) WORDS_8(id, (w) + 8, (n) + 8, high)
#define WORDS_31(id, w, n, high) \
    WORDS_16(id, w, n, high) WORDS_8(id, (w) + 16, (n) + 16, high) WORDS_4(id, (w) + 24, (n) + 24, high) \
    WORDS_2(id, (w) + 28, (n) + 28, high) WORDS_1(id, (w) + 30, (n) + 30, high)
#define WORDS_33(id, w, n, high) WORDS_31(id, w, n, high) WORDS_2(id, (w) + 31, (n) + 31, high)
#define PAIRS_1(id, w, n) WORDS_1(id, w, n, 0) WORDS_1(id, (w) + 1, n, 1)
#define PAIRS_2(id, w, n) PAIRS_1(id, w, n) PAIRS_1(id, (w) + 2, (n) + 1)
#define PAIRS_4(id, w, n) PAIRS_2(id, w, n) PAIRS_2(id, (w) + 4, (n) + 2)
#define PAIRS_8(id, w, n) PAIRS_4(id, w, n) PAIRS_4(id, (w) + 8, (n) + 4)
#define PAIRS_16(id, w, n) PAIRS_8(id, w, n) PAIRS_8(id, (w) + 16, (n) + 8)
#define PAIRS_31(id, w, n) \
    PAIRS_16(id, w, n) PAIRS_8(id, (w) + 32, (n) + 16) PAIRS_4(id, (w) + 48, (n) + 24) PAIRS_2(id, (w) + 56, (n) + 28) \
    PAIRS_1(id, (w) + 60, (n) + 30)
#define PAIRS_33(id, w, n) PAIRS_31(id, w, n) PAIRS_2(id, (w) + 62, (n) + 31)
#define HALVES_1(id, low, high) WORDS_1(id, low, 0, 0) WORDS_1(id, high, 0, 1)
#define HALVES_31(id, low, high) WORDS_31(id, low, 0, 0) WORDS_31(id, high, 0, 1)
#define SAME_2(id, w) WORDS_1(id, w, 0, 0) WORDS_1(id, (w) + 1, 0, 0)

#define NONE NOTHING, 0
#define PAIR(offset, copies, gate) PAIRS_##copies, (offset) / 4, 0
#define SPLIT(low, high, copies, gate) HALVES_##copies, (low) / 4, (high) / 4
#define WORD(offset, copies) WORDS_##copies, (offset) / 4, 0, 0
#define HIGH(offset) WORDS_1, (offset) / 4, 0, 1
#define SHARED(offset) NOTHING, 0
#define DOUBLE(offset, copies) PAIRS_##copies, (offset) / 4, 0
#define TWICE(offset) SAME_2, (offset) / 4
#define TAKES(id, ...) TAKES_WORDS(id, __VA_ARGS__)
#define TAKES_WORDS(id, words, ...) words(id, __VA_ARGS__)

static const uint16_t words[2][COMPONENT_BYTES / 4] = { /* [1] with FEAT_PMUv3_EXT64 */
    {
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) TAKES(ROW_##id, layout32)
#include <armpmu/tables/external.def>
    },
    {
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) TAKES(ROW_##id, layout64)
#include <armpmu/tables/external.def>
    },
};
_Static_assert((int)ROW_COUNT <= 512 && (int)APMU_REG_ALL <= 256 && (int)APMU_GATE_COUNT <= 256, "wide enough");

/* The register that an access reaches. */
struct ext_target {
    const struct ext_location *row; /* NULL: a reserved location */
    unsigned n;            /* the copy */
    uint64_t bits;         /* the bits of the register: 31:0, 63:32, or all */
    unsigned shift;        /* the number of the lowest of them */
};

static inline bool holds(const struct apmu *p, unsigned gate)
{
    return gate == APMU_GATE_ALWAYS || apmu_holds(&p->cfg, (enum apmu_gate)gate, 0);
}

static inline bool copy_exists(const struct apmu *p, enum apmu_reg reg, unsigned n)
{
    if (reg == APMU_REG_PMEVFILT2R) { /* event counters, the cycle counter, the instruction counter */
        return apmu_reg_implemented(p, reg) &&
               (n < p->cfg.counters || n == APMU_CYCLE || (n == APMU_INSTR && apmu_has(p, APMU_FEAT(PMUv3_ICNTR))));
    }
    return apmu_reg_exists(p, reg, n);
}

/* Returns the target whose word is at @offset, if its register is implemented. */
static APMU_FOLDED struct ext_target target_of_word(const struct apmu *p, bool layout64, unsigned offset)
{
    const unsigned at = words[layout64][offset / 4], n = AT_COPY(at);
    const bool high = AT_HIGH(at);
    const struct ext_location *row = &rows[AT_ROW(at)];

    if (at == AT(ROW_PMZR, 0, 0) && !apmu_has(p, APMU_FEAT(PMUv3p9)) && !layout64) {
        row = &rows[ROW_PMSWINC]; /* SHARED */
    }
    if (at == 0 || !copy_exists(p, (enum apmu_reg)row->reg, n) || !holds(p, row->gate) ||
        (high && !holds(p, row->layout[layout64].high_gate))) {
        return (struct ext_target){.row = NULL};
    }
    return (struct ext_target){row, n, high ? ~apmu_ones(32) : apmu_ones(32), high ? 32 : 0};
}

/* Returns why a 64-bit access whose first word is reserved is an error, or NULL if it is none. */
static APMU_COLD const char *whole_at_nothing(const struct apmu *p, bool layout64, unsigned offset)
{
    return target_of_word(p, layout64, offset + 4).row != NULL ? "size" : NULL;
}

/* Fills *@target and returns NULL, or returns why there is no such access. */
static APMU_FOLDED const char *locate(const struct apmu *p, const struct apmu_ext *at, struct ext_target *target)
{
    const bool layout64 = apmu_has(p, APMU_FEAT(PMUv3_EXT64));

    *target = (struct ext_target){.row = NULL};
    if (!layout64 && !apmu_has(p, APMU_FEAT(PMUv3_EXT32))) {
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
    *target = target_of_word(p, layout64, offset);
    if (at->size == 4) {
        return NULL;
    }
    if (target->row == NULL) {
        return whole_at_nothing(p, layout64, offset);
    }
    target->bits = ~UINT64_C(0);
    const struct ext_location_layout *layout = &target->row->layout[layout64];
    return layout->whole && holds(p, layout->high_gate) ? NULL : "size";
}

/* ---------------------------------------------------------------------------------------------------------------
 * What blocks an access.
 */

bool apmu_is_most_secure(const struct apmu *p, enum apmu_pas pas)
{
    if (apmu_has(p, APMU_FEAT(RME))) {
        return pas == APMU_PAS_ROOT;
    }
    return apmu_have_el(&p->cfg, 3) || p->cfg.secure_only ? pas == APMU_PAS_SECURE : true;
}

/*
 * AllowExternalPMUAccess() before FEAT_Debugv8p4.  H8.5 requires non-invasive debug to be enabled, and IMWDRP always
 * admits most secure accesses.  The pseudocode requires invasive debug to be enabled, for every access.  Returns true
 * if this decides the access; *@control is then NULL, or what forbids it.
 */
static bool prose_differs_invasive_debug_admits(const struct apmu *p, const struct apmu_pe *pe, const char **control)
{
    const bool secure_state = apmu_have_el(&p->cfg, 3) || p->cfg.secure_only;

    *control = pe->dbgen ? NULL : "DBGEN";
    return !pe->dbgen || (secure_state && pe->spiden);
}

/* AllowExternalPMUAccess(): returns NULL, or what forbids the access. */
static APMU_FOLDED const char *external_access_refused(const struct apmu *p, const struct apmu_pe *pe,
                                                       enum apmu_pas pas)
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

/* AllowExternalPMSSAccess(): returns NULL, or what forbids the access. */
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

/* Returns what makes the access an error, the highest priority first (Tables I3-1 and I3-2), or NULL. */
static APMU_FOLDED const char *refused(const struct apmu *p, const struct apmu_pe *pe, enum ext_condition rule,
                                       enum apmu_pas pas)
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

/*
 * H8.5.6: a reserved location is RES0.  Below the management registers it may be an error where a counter would be one.
 */
static APMU_COLD struct apmu_access reserved(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at,
                                             bool write)
{
    const bool as_counters = at->offset < MANAGEMENT_FROM && p->cfg.reserved_ext_errors;
    const char *control = refused(p, pe, as_counters ? RULE_COUNTERS : RULE_MANAGEMENT, at->pas);

    return control != NULL ? answer(APMU_ACCESS_ERROR, control) : ignored(write, "reserved");
}

static inline bool software_locked(const struct apmu *p, const struct apmu_ext *at)
{
    return p->cfg.software_lock && p->locked && !at->debugger;
}

/* IWYJGF: less secure accesses do not see the third range. */
static inline bool hidden(const struct apmu *p, const struct ext_target *target, const struct apmu_ext *at)
{
    const bool bank = apmu_rows[target->row->reg].copies == APMU_EVENT_COUNTERS ||
                      target->row->reg == APMU_REG_PMEVFILT2R;

    return bank && target->n < APMU_CYCLE && target->n >= apmu_third_range(p) && !apmu_is_most_secure(p, at->pas);
}

struct apmu_access apmu_access_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at,
                                   bool write)
{
    struct ext_target target;
    const char *control = pe->debug_off ? "the Debug power domain is off" : locate(p, at, &target);

    if (control != NULL) {
        return answer(APMU_ACCESS_ERROR, control);
    }
    if (target.row == NULL || !target.row->allows[write]) {
        return reserved(p, pe, at, write);
    }
    if ((control = refused(p, pe, (enum ext_condition)target.row->rule, at->pas)) != NULL) {
        return answer(APMU_ACCESS_ERROR, control);
    }
    if (target.row->rule == RULE_CONFIG && !apmu_is_most_secure(p, at->pas)) {
        return ignored(write, "IsMostSecureAccess()");
    }
    if (hidden(p, &target, at)) {
        return ignored(write, "PMCCR.EPMN");
    }
    if (write && target.row->rule == RULE_COUNTERS && software_locked(p, at)) {
        return answer(APMU_ACCESS_WI, "PMLSR.SLK");
    }
    return answer(APMU_ACCESS_OK, "");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Reading and writing.
 */

/* Returns the counters that an access reaches in registers with a bit for each counter. */
static inline uint64_t reach_of(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    const unsigned n = apmu_is_most_secure(p, at->pas) ? p->cfg.counters : apmu_epmn(p, pe);

    return apmu_ones(n) | UINT64_C(1) << APMU_CYCLE |
           (apmu_has(p, APMU_FEAT(PMUv3_ICNTR)) ? UINT64_C(1) << APMU_INSTR : 0);
}

static uint64_t plain_value(const struct apmu *p, const struct apmu_pe *pe, const struct ext_target *target,
                            const struct apmu_ext *at)
{
    const enum apmu_reg reg = (enum apmu_reg)target->row->reg;
    const uint64_t word = apmu_reg_value(p, reg, target->n);

    if (reg == APMU_REG_PMPCSR && target->shift == 0) {
        return apmu_sampled(p, pe, !software_locked(p, at));
    }
    return reg != APMU_REG_PMPCSCTL ? word
                                    : apmu_shown(&p->cfg, reg, 0, word) | APMU_PUT(PMPCSCTL, IMP, p->cfg.sample_enable);
}

static inline uint64_t whole_value(const struct apmu *p, const struct apmu_pe *pe, const struct ext_target *target,
                                   const struct apmu_ext *at)
{
    const enum apmu_reg reg = (enum apmu_reg)target->row->reg;

    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
        return plain_value(p, pe, target, at);
    case APMU_OP_COUNTER:
    case APMU_OP_TYPER:
        return apmu_reg_value(p, reg, target->n);
    case APMU_OP_CONTROL: /* without the read-only fields: this view has PMCFGR and PMIIDR instead */
        return p->pmcr;
    case APMU_OP_SET:
    case APMU_OP_CLR:
    case APMU_OP_IMAGE:
        return apmu_reg_value(p, reg, 0) & reach_of(p, pe, at);
    case APMU_OP_IDENTITY:
        return apmu_identity(p, pe, reg, at);
    case APMU_OP_FILTER2:
        return p->filter2[target->n];
    default:
        return apmu_peek(p, pe, reg, target->n);
    }
}

static inline bool is_readable(const struct ext_target *target)
{
    return target->row != NULL && target->row->allows[false];
}

uint64_t apmu_peek_ext(const struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    struct ext_target target;

    if (locate(p, at, &target) != NULL || !is_readable(&target)) {
        return 0;
    }
    return (whole_value(p, pe, &target, at) & target.bits) >> target.shift;
}

uint64_t apmu_read_ext(struct apmu *p, const struct apmu_pe *pe, const struct apmu_ext *at)
{
    struct ext_target target;

    if (locate(p, at, &target) != NULL || !is_readable(&target)) {
        return 0;
    }
    const uint64_t value = (whole_value(p, pe, &target, at) & target.bits) >> target.shift;
    if (target.row->reg == APMU_REG_PMPCSR && target.shift == 0 && !software_locked(p, at)) {
        apmu_sample_on_read(p, pe);
    }
    return value;
}

static void write_target(struct apmu *p, const struct apmu_pe *pe, const struct ext_target *target,
                         const struct apmu_ext *at, uint64_t value, struct apmu_out *out)
{
    const enum apmu_reg reg = (enum apmu_reg)target->row->reg;

    switch (apmu_reg_op(reg)) {
    case APMU_OP_PLAIN:
        apmu_replace(apmu_reg_storage(p, reg, target->n), apmu_writable(&p->cfg, reg, target->n) & target->bits, value);
        break;
    case APMU_OP_COUNTER:
        apmu_write_counter(p, apmu_counter_at(reg, target->n), value, target->bits);
        break;
    case APMU_OP_TYPER:
        apmu_write_typer(p, apmu_counter_at(reg, target->n), value, target->bits);
        break;
    case APMU_OP_CONTROL:
        apmu_write_control(p, value, target->bits, reach_of(p, pe, at) & apmu_ones(APMU_EVENT_COUNTERS));
        break;
    case APMU_OP_SET:
        *apmu_reg_storage(p, reg, 0) |= value & reach_of(p, pe, at);
        break;
    case APMU_OP_CLR:
        *apmu_reg_storage(p, reg, 0) &= ~(value & reach_of(p, pe, at));
        break;
    case APMU_OP_IMAGE:
        apmu_replace(apmu_reg_storage(p, reg, 0), reach_of(p, pe, at) & target->bits, value);
        break;
    case APMU_OP_SWINC:
        apmu_sw_increment(p, pe, value & reach_of(p, pe, at), out);
        break;
    case APMU_OP_ZERO:
        apmu_zero(p, value & reach_of(p, pe, at));
        break;
    case APMU_OP_SNAPSHOT:
        apmu_write_snapshot(p, pe, value, target->bits, out);
        break;
    case APMU_OP_FILTER2:
        p->filter2[target->n] = (uint32_t)((p->filter2[target->n] & ~target->bits) | (value & p->cfg.filter2));
        break;
    case APMU_OP_KEY: /* a debugger neither locks nor unlocks */
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
    struct ext_target target;

    o->overflowed = 0;
    o->exported = false;
    if (locate(p, at, &target) == NULL && target.row != NULL && target.row->allows[true]) {
        write_target(p, pe, &target, at, value << target.shift & target.bits, o);
    }
    apmu_signal(p, pe, o);
}
