/* SPDX-License-Identifier: BSD-2-Clause */
/* Performs the actions of traces on a PMUv3 unit: its configuration, accesses, the state of the PE, time and reset. */

#include "trace.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------------------------
 * Views.
 */

bool trace_store_outcome(const struct apmu_access *access, struct trace_reply *r)
{
    static const enum trace_outcome outcomes[] = {
        [APMU_ACCESS_OK] = TRACE_OUTCOME_OK,
        [APMU_ACCESS_RAZ] = TRACE_OUTCOME_RAZ,
        [APMU_ACCESS_WI] = TRACE_OUTCOME_WI,
        [APMU_ACCESS_UNDEFINED] = TRACE_OUTCOME_UNDEF,
        [APMU_ACCESS_UNPREDICTABLE] = TRACE_OUTCOME_UNPREDICTABLE,
        [APMU_ACCESS_TRAP] = TRACE_OUTCOME_TRAP,
        [APMU_ACCESS_ERROR] = TRACE_OUTCOME_ERR,
    };

    r->outcome = outcomes[access->outcome];
    r->el = access->el;
    r->ec = access->ec;
    return access->outcome == APMU_ACCESS_OK;
}

static bool access_a64(struct trace *t, const struct trace_access *a, struct trace_reply *r)
{
    enum apmu_reg reg;
    unsigned n;

    if (!apmu_reg_by_name(a->reg, &reg, &n) || reg >= APMU_REG_COUNT) {
        return false;
    }
    const struct apmu_access access = apmu_access(&t->p, &t->pe, reg, n, a->write);
    if (!trace_store_outcome(&access, r)) {
        return true;
    }
    if (a->write) {
        apmu_poke(&t->p, &t->pe, reg, n, a->value, NULL);
    } else {
        r->has_value = true;
        r->value = apmu_peek(&t->p, &t->pe, reg, n);
    }
    return true;
}

static bool access_a32(struct trace *t, const struct trace_access *a, struct trace_reply *r)
{
    enum apmu_reg32 reg;
    unsigned n;

    if (!apmu_reg32_by_name(a->reg, &reg, &n)) {
        return false;
    }
    const struct apmu_access access = apmu_access_a32(&t->p, &t->pe, reg, n, a->write);
    if (!trace_store_outcome(&access, r)) {
        return true;
    }
    if (a->write) {
        apmu_poke_a32(&t->p, &t->pe, reg, n, a->value, NULL);
    } else {
        r->has_value = true;
        r->value = apmu_peek_a32(&t->p, &t->pe, reg, n);
    }
    return true;
}

static const struct trace_view views[] = {
    {"a64", access_a64}, {"a32", access_a32}, {"ext", trace_access_ext}, {NULL, NULL},
};

/* ---------------------------------------------------------------------------------------------------------------
 * The state of the PE.
 */

static const struct pe_member {
    const char *key;
    size_t offset;
    enum { BYTE, BOOL, WORD } type;
} pe_members[] = {
#define MEMBER(name, type) {#name, offsetof(struct apmu_pe, name), type}
    MEMBER(el, BYTE),          MEMBER(a32, BOOL),          MEMBER(sm, BOOL),           MEMBER(halted, BOOL),
    MEMBER(sdd, BOOL),         MEMBER(dbgen, BOOL),        MEMBER(niden, BOOL),        MEMBER(spiden, BOOL),
    MEMBER(spniden, BOOL),     MEMBER(mdcr_el2, WORD),     MEMBER(hcr_el2, WORD),      MEMBER(scr_el3, WORD),
    MEMBER(sder32_el3, WORD),  MEMBER(hstr_el2, WORD),     MEMBER(hdfgrtr_el2, WORD),  MEMBER(hdfgwtr_el2, WORD),
    MEMBER(hdfgrtr2_el2, WORD), MEMBER(hdfgwtr2_el2, WORD),
#undef MEMBER
    {"oslk", offsetof(struct apmu_pe, os_lock), BOOL},
    {"dlk", offsetof(struct apmu_pe, double_lock), BOOL},
};

static bool set_member(struct apmu_pe *pe, const char *key, uint64_t value)
{
    for (size_t i = 0; i < sizeof pe_members / sizeof pe_members[0]; i++) {
        unsigned char *at = (unsigned char *)pe + pe_members[i].offset;
        if (strcmp(pe_members[i].key, key) != 0) {
            continue;
        }
        switch (pe_members[i].type) {
        case BYTE:
            *at = (uint8_t)value;
            break;
        case BOOL:
            *(bool *)(void *)at = value != 0;
            break;
        case WORD:
            *(uint64_t *)(void *)at = value;
            break;
        }
        return true;
    }
    return false;
}

/* Keys that set one field of a register. */
static const struct pe_field {
    const char *key;
    size_t offset;
    uint64_t mask;
    unsigned lsb;
} pe_fields[] = {
#define FIELD(key, member, reg, field) \
    {key, offsetof(struct apmu_pe, member), APMU_MASK(reg, field), APMU_##reg##_##field##_LSB}
    FIELD("pmbl_e", pmblimitr_el1, PMBLIMITR_EL1, E),  FIELD("pmbl_pmfz", pmblimitr_el1, PMBLIMITR_EL1, PMFZ),
    FIELD("pmbsr1_s", pmbsr_el1, PMBSR_EL1, S),        FIELD("pmbsr2_s", pmbsr_el2, PMBSR_EL2, S),
    FIELD("pmbsr3_s", pmbsr_el3, PMBSR_EL3, S),        FIELD("pmscr2_ee", pmscr_el2, PMSCR_EL2, EE),
#undef FIELD
};

static bool set_field(struct apmu_pe *pe, const char *key, uint64_t value)
{
    for (size_t i = 0; i < sizeof pe_fields / sizeof pe_fields[0]; i++) {
        if (strcmp(pe_fields[i].key, key) == 0) {
            uint64_t *word = (uint64_t *)(void *)((unsigned char *)pe + pe_fields[i].offset);
            *word = (*word & ~pe_fields[i].mask) | (value << pe_fields[i].lsb & pe_fields[i].mask);
            return true;
        }
    }
    return false;
}

static bool set_pe(struct trace *t, const char *key, uint64_t value)
{
    if (strcmp(key, "mdcr_el3") == 0) {
        t->mdcr_el3 = value;
    } else if (strcmp(key, "pmsee") == 0) {
        t->pmsee = value;
    } else {
        return set_member(&t->pe, key, value) || set_field(&t->pe, key, value);
    }
    t->pe.mdcr_el3 = (t->mdcr_el3 & ~APMU_MASK(MDCR_EL3, PMSEE)) | APMU_PUT(MDCR_EL3, PMSEE, t->pmsee);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The configuration.
 */

/* Stores a setting of the `config` line in @cfg.  Returns false if the model has no such setting. */
static bool store_setting(struct apmu_config *cfg, const char *key, uint64_t value)
{
    if (strcmp(key, "feat") == 0) {
        cfg->features |= value;
    } else if (strcmp(key, "n") == 0) {
        cfg->counters = (uint8_t)value;
    } else if (strcmp(key, "seconly") == 0) {
        cfg->secure_only = value != 0;
    } else if (strcmp(key, "pmceid0") == 0) {
        cfg->pmceid[0] = value;
    } else if (strcmp(key, "pmceid1") == 0) {
        cfg->pmceid[1] = value;
    } else if (strcmp(key, "pmmir") == 0) {
        cfg->slots = (uint8_t)APMU_GET(PMMIR_EL1, SLOTS, value);
        cfg->bus_slots = (uint8_t)APMU_GET(PMMIR_EL1, BUS_SLOTS, value);
        cfg->bus_width = (uint8_t)APMU_GET(PMMIR_EL1, BUS_WIDTH, value);
        cfg->thwidth = (uint8_t)APMU_GET(PMMIR_EL1, THWIDTH, value);
    } else if (strcmp(key, "imp") == 0) {
        cfg->imp = (uint8_t)value;
    } else if (strcmp(key, "idcode") == 0) {
        cfg->idcode = (uint8_t)value;
    } else if (strcmp(key, "x") == 0) {
        cfg->export_bus = value != 0;
    } else if (strcmp(key, "sddprio") == 0) {
        cfg->sdd_undef_priority = value != 0;
    } else if (strcmp(key, "ext") == 0) {
        cfg->features |= value == 0    ? 0
                         : value == 64 ? APMU_FEAT(PMUv3_EXT) | APMU_FEAT(PMUv3_EXT64)
                                       : APMU_FEAT(PMUv3_EXT) | APMU_FEAT(PMUv3_EXT32);
    } else {
        return trace_configure_ext(cfg, key, value);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The other actions.
 */

static void cycles(struct trace *t, uint64_t n, const struct apmu_occurrence *ev, size_t count)
{
    apmu_step(&t->p, &t->pe, n, ev, count, NULL);
}

static void event(struct trace *t, uint16_t number, uint64_t times)
{
    apmu_event(&t->p, &t->pe, number, times, 1, NULL);
}

static bool counts(struct trace *t, unsigned n)
{
    return apmu_counts(&t->p, &t->pe, n);
}

static bool irq(struct trace *t)
{
    return apmu_pmuirq(&t->p, &t->pe);
}

static void snapshot(struct trace *t)
{
    apmu_snapshot(&t->p, &t->pe, NULL);
}

static void reset(struct trace *t, bool cold)
{
    apmu_on_reset(&t->p, cold ? APMU_RESET_COLD : APMU_RESET_WARM);
}

static const struct trace_unit pmuv3_unit = {
    .views = views,
    .set_pe = set_pe,
    .cycles = cycles,
    .event = event,
    .counts = counts,
    .irq = irq,
    .snapshot = snapshot,
    .reset = reset,
};

bool trace_configure_pmuv3(struct trace *t, const struct trace_setting *settings, unsigned count, const char **bad)
{
    struct apmu_config cfg = {.size = sizeof cfg, .unknown_fill = t->fill};

    for (unsigned i = 0; i < count; i++) {
        if (!store_setting(&cfg, settings[i].key, settings[i].value)) {
            *bad = settings[i].key;
            return false;
        }
    }
    apmu_init(&t->p, &cfg);
    t->unit = &pmuv3_unit;
    return true;
}
