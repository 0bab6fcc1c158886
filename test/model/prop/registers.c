/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of registers, on random implementations, states and accesses.  A read has no effect, and shows only what
 * is implemented.  A write leaves every word within what its registers can hold.  Writing back a value that was read
 * changes nothing, if the read shows all bits.  SET and CLR read the same.
 */
#include "../../../lib/model/registers.h"
#include "any.h"

static bool complain(const char *what, const struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n,
                     uint64_t value)
{
    char name[24];

    snprintf(any_message, sizeof any_message, "%s: %s at EL%u: 0x%llx (features 0x%llx, counters %u)", what,
             apmu_reg_name(reg, n, name), pe->el, (unsigned long long)value, (unsigned long long)p->cfg.features,
             p->cfg.counters);
    return true;
}

static bool reads_wrong(const struct apmu *p, const struct apmu_pe *pe)
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;
        for (unsigned n = 0; n < apmu_reg_info(reg)->copies; n++) {
            const uint64_t value = apmu_peek(p, pe, reg, n);
            const bool there = apmu_reg_exists(p, reg, n) && apmu_reg_info(reg)->readable;
            const uint64_t shown = there ? apmu_readable(&p->cfg, reg, n) | apmu_res1(&p->cfg, reg, n) : 0;
            if ((value & ~shown) != 0) {
                return complain("a read shows bits that are not implemented", p, pe, reg, n, value);
            }
        }
    }
    return false;
}

static bool pairs_differ(const struct apmu *p, const struct apmu_pe *pe)
{
    static const enum apmu_reg pairs[3][2] = {{APMU_REG_PMCNTENSET_EL0, APMU_REG_PMCNTENCLR_EL0},
                                              {APMU_REG_PMINTENSET_EL1, APMU_REG_PMINTENCLR_EL1},
                                              {APMU_REG_PMOVSSET_EL0, APMU_REG_PMOVSCLR_EL0}};

    for (unsigned i = 0; i < 3; i++) {
        if (apmu_peek(p, pe, pairs[i][0], 0) != apmu_peek(p, pe, pairs[i][1], 0)) {
            return complain("SET and CLR read differently", p, pe, pairs[i][0], 0, apmu_peek(p, pe, pairs[i][0], 0));
        }
    }
    return false;
}

static bool is_word(enum apmu_op op)
{
    return op == APMU_OP_PLAIN || op == APMU_OP_COUNTER || op == APMU_OP_TYPER;
}

/* Writes back what a read shows, for registers whose reads show everything. */
static bool write_back_changes(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n)
{
    const enum apmu_op op = apmu_reg_op(reg);

    if (!is_word(op) && op != APMU_OP_SET && op != APMU_OP_UACR && op != APMU_OP_CONTROL &&
        op != APMU_OP_SELECT_CNTR && op != APMU_OP_SELECT_TYPER) {
        return false;
    }
    const struct apmu before = *p;
    apmu_poke(p, pe, reg, n, apmu_peek(p, pe, reg, n), NULL);
    return memcmp(&before, p, sizeof before) != 0 &&
           complain("writing back what was read changed the unit", p, pe, reg, n, apmu_peek(&before, pe, reg, n));
}

static bool sequence_fails(struct choices *c)
{
    struct apmu p;
    struct apmu_pe pe;
    const struct apmu_config cfg = any_legal_config(c);

    memset(&p, 0, sizeof p);
    apmu_init(&p, &cfg);
    for (unsigned step = 0; step < 24; step++) {
        struct apmu_out out;
        any_pe(c, &cfg, &pe);
        pe.hdfgrtr2_el2 = pick(c, 8);
        pe.hdfgwtr2_el2 = pick(c, 8);
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_ALL);
        const unsigned n = apmu_reg_info(reg)->copies > 1 ? pick_of(c, 8) : 0;
        if (pick(c, 5) == 0) {
            apmu_on_reset(&p, APMU_RESET_WARM);
        }
        apmu_poke(&p, &pe, reg, n, pick(c, 64), &out);
        const struct apmu before = p;
        if (reads_wrong(&p, &pe) || pairs_differ(&p, &pe)) {
            return true;
        }
        if (memcmp(&before, &p, sizeof p) != 0) {
            return complain("reading changed the unit", &p, &pe, reg, n, 0);
        }
        if (out.pmuirq != apmu_pmuirq(&p, &pe)) {
            return complain("PMUIRQ after a write is not its level", &p, &pe, reg, n, out.pmuirq);
        }
        if (write_back_changes(&p, &pe, reg, n)) {
            return true;
        }
    }
    return false;
}

/* Makes an access as an emulator does: asks first, and performs it only if it is allowed. */
static bool denied_changes(struct apmu *p, const struct apmu_pe *pe, enum apmu_reg reg, unsigned n, bool write,
                           uint64_t value)
{
    const struct apmu before = *p;
    const struct apmu_access a = apmu_access(p, pe, reg, n, write);
    const bool there = apmu_reg_exists(p, reg, n);

    if (memcmp(&before, p, sizeof before) != 0) {
        return complain("asking changed the unit", p, pe, reg, n, value);
    }
    if (a.outcome == APMU_ACCESS_OK) {
        apmu_poke(p, pe, write ? reg : APMU_REG_ALL, n, value, NULL);
        return !there && reg != APMU_REG_PMXEVTYPER_EL0 &&
               complain("access to a register that is not there", p, pe, reg, n, value);
    }
    if ((a.outcome == APMU_ACCESS_TRAP) != (a.el != 0) || a.el > 3 || a.hyp || a.control[0] == '\0') {
        return complain("a refusal that does not name its target and its cause", p, pe, reg, n, a.el);
    }
    if (a.outcome == APMU_ACCESS_UNPREDICTABLE || !there) { /* RAZ/WI by our choice, or nothing to show */
        const uint64_t shown = apmu_peek(p, pe, reg, n);
        apmu_poke(p, pe, reg, n, value, NULL);
        return (shown != 0 || memcmp(&before, p, sizeof before) != 0) &&
               complain("an access that must be RAZ/WI is not", p, pe, reg, n, shown);
    }
    return false;
}

static bool denied_access_changes(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    struct apmu p;
    struct apmu_pe pe;

    memset(&p, 0, sizeof p);
    apmu_init(&p, &cfg);
    for (unsigned step = 0; step < 40; step++) {
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_COUNT);
        const unsigned n = apmu_reg_info(reg)->copies > 1 ? pick_of(c, 8) : 0;
        any_engine_pe(c, &cfg, &pe);
        pe.a32 = false;
        if (denied_changes(&p, &pe, reg, n, pick_bool(c), pick(c, 64))) {
            return true;
        }
    }
    return false;
}

/* Checks that apmu_access(), with its fast path apmu_access_is_plain(), returns what apmu_access_decided() does. */
static bool short_way_differs(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    p.cfg.features = cfg.features;
    apmu_settle(&p);
    p.selr = pick(c, 5);
    p.userenr = pick_bool(c) ? pick(c, 7) : APMU_MASK(PMUSERENR_EL0, EN);
    for (unsigned step = 0; step < 40; step++) {
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_COUNT + 1);
        const unsigned n = reg < APMU_REG_COUNT && apmu_reg_info(reg)->copies > 1 ? pick_of(c, 33) : pick_of(c, 2);
        const bool write = pick_bool(c);
        any_engine_pe(c, &p.cfg, &pe);
        pe.mdcr_el3 &= pick_bool(c) ? ~APMU_MASK(MDCR_EL3, TPM) : ~UINT64_C(0);
        pe.hdfgrtr_el2 &= pick_bool(c) ? 0 : ~UINT64_C(0);
        const struct apmu_access is = apmu_access(&p, &pe, reg, n, write);
        const struct apmu_access want = apmu_access_decided(&p, &pe, reg, n, write);
        if (is.outcome != want.outcome || is.el != want.el || is.hyp != want.hyp || is.ec != want.ec ||
            is.gate != want.gate || is.iss != want.iss || strcmp(is.control, want.control) != 0) {
            return complain("apmu_access() is not what was decided", &p, &pe, reg < APMU_REG_COUNT ? reg : 0, n, write);
        }
    }
    return false;
}

/*
 * Checks that the fast path takes every access that it should take.  If no control traps, or if the Exception level is
 * above those to which the control applies, an allowed access is plain.  The exception is PMCCFILTR_EL0 through
 * PMXEVTYPER_EL0.  Controls of Exception levels that are not implemented are random.
 */
static bool plain_access_is_missed(struct choices *c)
{
    const struct apmu_config cfg = any_legal_config(c);
    struct apmu p;
    struct apmu_pe pe;

    any_unit(c, &p);
    p.cfg.features = cfg.features;
    p.selr = pick(c, 5);
    p.userenr = APMU_MASK(PMUSERENR_EL0, EN) |
                (pick(c, 7) & ~(APMU_MASK(PMUSERENR_EL0, UEN) | APMU_MASK(PMUSERENR_EL0, TID)));
    apmu_settle(&p);
    for (unsigned step = 0; step < 40; step++) {
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_COUNT + 1);
        const unsigned n = reg < APMU_REG_COUNT && apmu_reg_info(reg)->copies > 1 ? pick_of(c, 33) : pick_of(c, 2);
        const bool write = pick_bool(c);
        any_engine_pe(c, &p.cfg, &pe);
        if (pe.el < 3 && apmu_have_el(&p.cfg, 3)) {
            pe.mdcr_el3 |= APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS);
            pe.mdcr_el3 &= ~APMU_MASK(MDCR_EL3, TPM);
        }
        if (pe.el < 2 && apmu_have_el(&p.cfg, 2)) {
            pe.mdcr_el2 &= ~(APMU_MASK(MDCR_EL2, TPM) | APMU_MASK(MDCR_EL2, TPMCR));
            pe.hdfgrtr_el2 = pe.hdfgwtr_el2 = 0;
            pe.hdfgrtr2_el2 = pe.hdfgwtr2_el2 = ~UINT64_C(0);
            pe.scr_el3 |= APMU_MASK(SCR_EL3, FGTEn2); /* also consulted without EL3 */
        }
        pe.mdcr_el2 = (pe.mdcr_el2 & ~APMU_MASK(MDCR_EL2, HPMN)) | APMU_PUT(MDCR_EL2, HPMN, p.cfg.counters);
        const bool allowed = apmu_access_decided(&p, &pe, reg, n, write).outcome == APMU_ACCESS_OK;
        const bool selects_cycle = reg == APMU_REG_PMXEVTYPER_EL0 && APMU_GET(PMSELR_EL0, SEL, p.selr) == APMU_CYCLE;
        if (!selects_cycle && allowed != apmu_access_is_plain(&p, &pe, reg, n, write)) {
            return complain(allowed ? "a plain access is not taken for one"
                                    : "an access that is refused is taken for plain",
                            &p, &pe, reg < APMU_REG_COUNT ? reg : 0, n, write);
        }
    }
    return false;
}

/*
 * Checks that apmu_check() accepts a changed bit in the word of a register if and only if the highest Exception level
 * can read that change.
 */
static bool check_misjudges(struct choices *c)
{
    const struct apmu_config cfg = any_checked_config(c);
    struct apmu_pe pe = {.el = 3, .dbgen = true};
    struct apmu p;

    memset(&p, 0, sizeof p);
    apmu_init(&p, &cfg);
    while (pe.el > 1 && ((cfg.features | cfg.features >> 4) >> pe.el & 1) == 0) {
        pe.el--;
    }
    pe.scr_el3 = ~UINT64_C(0);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, EnPM2);
    pe.hdfgrtr2_el2 = pe.hdfgwtr2_el2 = ~UINT64_C(0);
    if (!apmu_check(&p)) {
        return complain("apmu_check() refuses a unit after its reset", &p, &pe, APMU_REG_PMCR_EL0, 0, p.pmcr);
    }
    for (unsigned step = 0; step < 40; step++) {
        const enum apmu_reg reg = (enum apmu_reg)pick_of(c, APMU_REG_COUNT);
        const unsigned n = apmu_reg_info(reg)->copies > 1 ? pick_of(c, 31) : 0;
        const enum apmu_op op = apmu_reg_op(reg);
        if (!is_word(op) && op != APMU_OP_CONTROL && op != APMU_OP_SET && op != APMU_OP_UACR) {
            continue;
        }
        struct apmu q = p;
        *apmu_reg_storage(&q, reg, n) ^= UINT64_C(1) << pick(c, 6);
        apmu_settle(&q);
        const uint64_t given = op == APMU_OP_CONTROL ? ~apmu_writable(&cfg, reg, n) : 0; /* not stored in the word */
        const uint64_t was = apmu_shown(&cfg, reg, n, apmu_peek(&p, &pe, reg, n));
        const uint64_t is = apmu_shown(&cfg, reg, n, apmu_peek(&q, &pe, reg, n));
        const bool shows = ((was ^ is) & ~given) != 0;
        if (apmu_check(&q) != shows) {
            return complain(shows ? "apmu_check() refuses a bit that shows"
                                  : "apmu_check() lets pass what no read shows",
                            &q, &pe, reg, n, *apmu_reg_storage(&q, reg, n));
        }
    }
    ((unsigned char *)&p.derived)[pick_of(c, sizeof p.derived)] ^= (unsigned char)(1u << pick(c, 3));
    return apmu_check(&p) && complain("apmu_check() lets pass what does not follow", &p, &pe, APMU_REG_PMCR_EL0, 0, 0);
}

PROPERTIES(
    {"registers hold and show what is implemented", sequence_fails, .rounds = 10000},
    {"a denied access changes nothing", denied_access_changes, .rounds = 20000},
    {"the short way for an access gives what is decided", short_way_differs, .rounds = 20000},
    {"no plain access is missed", plain_access_is_missed, .rounds = 10000},
    {"apmu_check() draws the line where registers do", check_misjudges, .rounds = 10000})
