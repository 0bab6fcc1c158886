/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a unit and a PE as text with all their registers, and reads them back.  The result must be the same: the
 * configuration as far as registers show it, the registers, and the reasons why each counter does not count.
 */
#include <inttypes.h>
#include <string.h>

#include "../../../cli/state/state.h"
#include "../../model/prop/any.h"

static struct state s;

/* A text of registers. */
struct dump {
    char bytes[16384];
    size_t length;
};

static void add(struct dump *t, const char *name, uint64_t value)
{
    t->length += (size_t)snprintf(t->bytes + t->length, sizeof t->bytes - t->length, "%s=0x%" PRIx64 "\n", name, value);
}

static void add_reg(struct dump *t, enum apmu_reg reg, unsigned n, uint64_t value)
{
    char name[24];

    add(t, apmu_reg_name(reg, n, name), value);
}

static unsigned has(const struct apmu_config *cfg, uint64_t feature)
{
    return (cfg->features & feature) != 0;
}

/* Returns NULL or what is wrong with @cfg, whatever its PMCEID<n>_EL0 say, which are as in the input. */
static const char *wrong_with(struct apmu_config cfg)
{
    apmu_events_closure(cfg.features, cfg.pmceid);
    return apmu_config_check(&cfg);
}

/* Returns whether a unit can reach the state of @p, whatever its PMCEID<n>_EL0 say. */
static bool reachable(struct apmu p)
{
    apmu_events_closure(p.cfg.features, p.cfg.pmceid);
    return apmu_check(&p);
}

/* Adds the ID registers of @cfg. */
static void add_ids(struct dump *t, const struct apmu_config *cfg)
{
    static const enum apmu_reg ids[] = {
        APMU_REG_ID_AA64PFR0_EL1, APMU_REG_ID_AA64DFR0_EL1, APMU_REG_ID_AA64DFR1_EL1, APMU_REG_ID_AA64DFR2_EL1,
        APMU_REG_ID_AA64MMFR0_EL1, APMU_REG_ID_AA64MMFR1_EL1, APMU_REG_PMDEVID,
    };

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        add_reg(t, ids[i], 0, apmu_id_value(ids[i], cfg->features));
    }
    add(t, "ID_AA64MMFR4_EL1", APMU_PUT(ID_AA64MMFR4_EL1, E2H0, has(cfg, APMU_FEAT(E2H0)) ? 0 : 15));
    add(t, "PMMIR_EL1", (apmu_id_value(APMU_REG_PMMIR_EL1, cfg->features) & ~APMU_MASK(PMMIR_EL1, THWIDTH)) |
                            APMU_PUT(PMMIR_EL1, THWIDTH, cfg->thwidth) | APMU_PUT(PMMIR_EL1, SLOTS, cfg->slots));
    if (has(cfg, APMU_FEAT(PMUv3_EXT))) {
        add(t, "PMDEVARCH", has(cfg, APMU_FEAT(PMUv3_EXT64)) ? 0x47702A26 : 0x47702A16);
    }
}

static void add_unit(struct dump *t, const struct apmu *p)
{
    static const enum apmu_reg regs[] = {
        APMU_REG_PMCR_EL0, APMU_REG_PMCNTENSET_EL0, APMU_REG_PMINTENCLR_EL1, APMU_REG_PMOVSSET_EL0,
        APMU_REG_PMSELR_EL0, APMU_REG_PMCEID0_EL0, APMU_REG_PMCEID1_EL0, APMU_REG_PMCCNTR_EL0, APMU_REG_PMCCFILTR_EL0,
        APMU_REG_PMUSERENR_EL0, APMU_REG_PMICNTR_EL0, APMU_REG_PMICFILTR_EL0, APMU_REG_PMUACR_EL1, APMU_REG_PMECR_EL1,
        APMU_REG_PMIAR_EL1, APMU_REG_PMSSCR_EL1,
    };
    const struct apmu_pe el3 = {.el = 3};

    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        add_reg(t, regs[i], 0, apmu_peek(p, &el3, regs[i], 0));
    }
    for (unsigned n = 0; n < p->cfg.counters; n++) {
        add_reg(t, APMU_REG_PMEVTYPER_EL0, n, apmu_peek(p, &el3, APMU_REG_PMEVTYPER_EL0, n));
        add_reg(t, APMU_REG_PMEVCNTR_EL0, n, apmu_peek(p, &el3, APMU_REG_PMEVCNTR_EL0, n));
    }
    add_reg(t, APMU_REG_PMCCR, 0, p->ccr);
}

static void add_pe(struct dump *t, const struct apmu_pe *pe)
{
    add(t, "MDCR_EL2", pe->mdcr_el2);
    add(t, "MDCR_EL3", pe->mdcr_el3);
    add(t, "HCR_EL2", pe->hcr_el2);
    add(t, "SCR_EL3", pe->scr_el3);
    add(t, "SDER32_EL3", pe->sder32_el3);
    add(t, "PMBLIMITR_EL1", pe->pmblimitr_el1);
    add(t, "PMBSR_EL1", pe->pmbsr_el1);
    add(t, "PMBSR_EL2", pe->pmbsr_el2);
    add(t, "PMBSR_EL3", pe->pmbsr_el3);
    add(t, "PMSCR_EL2", pe->pmscr_el2);
    add(t, "EDSCR", (pe->halted ? 0x13u : 2u) | APMU_PUT(EDSCR, SDD, pe->sdd));
    add(t, "OSLSR_EL1", APMU_PUT(OSLSR_EL1, OSLK, pe->os_lock));
    add(t, "SVCR", pe->sm);
    add(t, "DBGAUTHSTATUS_EL1", APMU_PUT(DBGAUTHSTATUS_EL1, NSID, pe->dbgen ? 3 : 2) |
                                    APMU_PUT(DBGAUTHSTATUS_EL1, NSNID, pe->niden ? 3 : 2) |
                                    APMU_PUT(DBGAUTHSTATUS_EL1, SID, pe->spiden ? 3 : 2) |
                                    APMU_PUT(DBGAUTHSTATUS_EL1, SNID, pe->spniden ? 3 : 2));
    add(t, "CurrentEL", APMU_PUT(CurrentEL, EL, pe->el));
}

/* Features of the external view that these registers do not show for certain. */
#define SILENT (APMU_FEAT(DoPD) | APMU_FEAT(PCSRv8p2) | APMU_FEAT(PCSRv8p9))

static bool same_registers(const struct apmu *a, const struct apmu *b, const struct apmu_pe *pe, char name[24])
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        if (r == APMU_REG_PMEVCNTSVR_EL1 || r == APMU_REG_PMCCNTSVR_EL1 || r == APMU_REG_PMICNTSVR_EL1) {
            continue; /* the behaviour of the unit does not depend on them */
        }
        for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)r)->copies; n++) {
            apmu_reg_name((enum apmu_reg)r, n, name);
            if (apmu_peek(a, pe, (enum apmu_reg)r, n) != apmu_peek(b, pe, (enum apmu_reg)r, n)) {
                return false;
            }
        }
    }
    return true;
}

/* Writes a unit and a PE as text, reads it, and compares. */
static bool comes_back_otherwise(struct choices *c)
{
    static struct dump t;
    static struct state_model m;
    struct apmu_config cfg = any_legal_config(c);
    struct apmu p;
    struct apmu_pe pe;
    char name[24];

    if (!has(&cfg, APMU_FEAT(AA64EL1)) || !has(&cfg, APMU_FEAT(PMUv3)) || apmu_config_check(&cfg) != NULL) {
        return false; /* no ID register shows it */
    }
    apmu_init(&p, &cfg);
    any_engine_pe(c, &cfg, &pe);
    for (unsigned i = 0; i < 24; i++) {
        const struct apmu_pe el3 = {.el = 3};

        apmu_poke(&p, &el3, (enum apmu_reg)pick_of(c, APMU_REG_BORROWED), pick_of(c, 6), pick(c, 64), NULL);
    }
    t.length = 0;
    add_ids(&t, &cfg);
    add_unit(&t, &p);
    add_pe(&t, &pe);
    state_init(&s, "test");
    state_parse(&s, t.bytes, t.length, NULL);
    state_finish(&s);
    HOLDS(s.remark_count == 0, "a remark on %s", s.remarks[0].name);
    state_to_model(&s, &m);
    HOLDS(m.contradiction == NULL, "%s", m.contradiction);
    HOLDS(wrong_with(m.cfg) == NULL, "%s", wrong_with(m.cfg));
    HOLDS(reachable(m.p), "the unit is in a state that it cannot reach");
    HOLDS((m.cfg.features & ~SILENT) == (cfg.features & ~SILENT), "features 0x%" PRIx64 ", not 0x%" PRIx64,
          m.cfg.features, cfg.features);
    HOLDS(m.cfg.counters == cfg.counters && m.cfg.thwidth == cfg.thwidth, "%u counters", m.cfg.counters);
    HOLDS(m.el_known && m.pe.el == pe.el, "EL%u, not EL%u", m.pe.el, pe.el);
    m.pe.a32 = pe.a32; /* not shown by any of these registers, like the choices of the implementation */
    m.pe.unattributable = pe.unattributable;
    m.p.cfg = p.cfg;
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        const uint64_t got = apmu_why(&m.p, &m.pe, n), want = apmu_why(&p, &pe, n);

        HOLDS(got == want, "counter %u: why 0x%" PRIx64 ", not 0x%" PRIx64, n, got, want);
    }
    HOLDS(same_registers(&m.p, &p, &pe, name), "%s", name);
    return false;
}

/* Checks that any facts give a legal configuration, and a unit in a state that it can reach. */
static bool facts_make_no_unit(struct choices *c)
{
    static struct state_model m;

    state_init(&s, "test");
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)r)->copies && n < 8; n++) {
            if (pick_bool(c)) {
                const uint64_t known = pick_bool(c) ? UINT64_MAX : pick(c, 64);

                state_put(&s, (enum apmu_reg)r, n, known, pick(c, 64), 1, "");
            }
        }
    }
    s.features = pick(c, 2) == 0 ? pick(c, APMU_FEAT_END) : 0;
    s.core = pick_bool(c) ? apmu_core_at(pick_of(c, 70)) : NULL;
    state_finish(&s);
    state_to_model(&s, &m);
    HOLDS(wrong_with(m.cfg) == NULL, "%s", wrong_with(m.cfg));
    HOLDS(reachable(m.p), "the unit is in a state that it cannot reach");
    return false;
}

PROPERTIES(
    {"a unit written as text comes back", comes_back_otherwise, .rounds = 20000},
    {"any facts make a unit", facts_make_no_unit, .rounds = 20000})
