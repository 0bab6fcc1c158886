/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The controls under which registers are accessed, and the places (expect.h).  Each setting refuses only what its name
 * says.
 */
#include <stdio.h>

#include "expect.h"

#define USERENR(field) APMU_MASK(PMUSERENR_EL0, field)
#define ALL (~UINT64_C(0))

const struct expect_setting expect_settings[] = { /* ends with a NULL name */
    {"open", .userenr = USERENR(EN), .uacr = ALL, .frame = true},
    {"PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL},
    {"PMUSERENR_EL0.ER", .userenr = USERENR(ER), .uacr = ALL},
    {"PMUSERENR_EL0.CR", .userenr = USERENR(CR), .uacr = ALL},
    {"PMUSERENR_EL0.SW", .userenr = USERENR(SW), .uacr = ALL},
    {"PMUSERENR_EL0.UEN", .userenr = USERENR(UEN), .uacr = ALL},
    {"UEN, PMUACR_EL1 = 0", .userenr = USERENR(UEN), .uacr = 0},
    {"UEN and ER CR SW IR TID", .userenr = APMU_BITS(6, 1), .uacr = 5},
    {"PMUSERENR_EL0.TID", .userenr = USERENR(EN) | USERENR(TID), .uacr = ALL},
    {"MDCR_EL2.TPM", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPM)},
    {"MDCR_EL2.TPMCR", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPMCR)},
    {"MDCR_EL2.HPMN = 1", .userenr = USERENR(EN), .uacr = ALL, .hpmn = 1},
    {"HPMN = 2, UEN", .userenr = USERENR(UEN), .uacr = ALL, .hpmn = 2},
    {"MDCR_EL2.HPMN = 0", .userenr = USERENR(EN), .uacr = ALL, .hpmn0 = true},
    {"MDCR_EL3.TPM", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3 = APMU_MASK(MDCR_EL3, TPM)},
    {"MDCR_EL2.TPM and MDCR_EL3.TPM", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPM),
     .mdcr_el3 = APMU_MASK(MDCR_EL3, TPM)},
    {"MDCR_EL3.EnPM2 = 0", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3_clear = APMU_MASK(MDCR_EL3, EnPM2)},
    {"MDCR_EL3.EnPMSS = 0", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3_clear = APMU_MASK(MDCR_EL3, EnPMSS)},
    {"HDFGRTR_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .rtr = ALL},
    {"HDFGWTR_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .wtr = ALL},
    {"HDFGRTR2_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .rtr2_clear = ALL},
    {"HDFGWTR2_EL2 all", .userenr = USERENR(EN), .uacr = ALL, .wtr2_clear = ALL},
    {"SCR_EL3.FGTEn = 0", .userenr = USERENR(EN), .uacr = ALL, .rtr = ALL, .wtr = ALL, .rtr2_clear = ALL,
     .wtr2_clear = ALL, .no_fgten = true},
    {"SCR_EL3.FGTEn2 = 0", .userenr = USERENR(EN), .uacr = ALL, .no_fgten2 = true},
    {"MDCR_EL3.EPMAD", .userenr = USERENR(EN), .uacr = ALL, .mdcr_el3 = APMU_MASK(MDCR_EL3, EPMAD), .frame = true},
    {"the OS Lock", .userenr = USERENR(EN), .uacr = ALL, .os_lock = true, .frame = true},
    {"HCR_EL2.TGE", .userenr = USERENR(EN), .uacr = ALL, .tge = true},
    {"TGE, MDCR_EL2.TPM, PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL, .mdcr_el2 = APMU_MASK(MDCR_EL2, TPM),
     .tge = true},
    {"HCR_EL2.{E2H,TGE}", .userenr = USERENR(EN), .uacr = ALL, .hpmn = 1, .rtr = ALL, .wtr = ALL, .tge = true,
     .e2h = true},
    {"HCR_EL2.{E2H,TGE}, PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL, .tge = true, .e2h = true},
    {"HSTR_EL2.T9", .userenr = USERENR(EN), .uacr = ALL, .t9 = true},
    {"HSTR_EL2.T9, PMUSERENR_EL0 = 0", .userenr = 0, .uacr = ALL, .mdcr_el3 = APMU_MASK(MDCR_EL3, TPM), .t9 = true},
    {.name = NULL},
};

#define SCR_RES1 0x30u
#define SCR_HCE 0x100u
#define SCR_EEL2 0x40000u
#define SCR_FGTEN (UINT64_C(1) << 27)
#define HCR_E2H (UINT64_C(1) << 34)

const struct expect_place_info expect_places[AT_COUNT] = {
    [AT_EL3] = {3, false, false, true, true, 0x3CD},     [AT_EL2] = {2, false, false, true, true, 0x3C9},
    [AT_EL1] = {1, false, false, true, true, 0x3C5},     [AT_EL0] = {0, false, false, true, true, 0x3C0},
    [AT_S_EL2] = {2, true, false, true, true, 0x3C9},    [AT_S_EL1] = {1, true, false, true, true, 0x3C5},
    [AT_S_EL0] = {0, true, false, true, true, 0x3C0},    [AT_HYP] = {2, false, true, false, false, 0x1DA},
    [AT_SVC] = {1, false, true, true, false, 0x1D3},     [AT_USR] = {0, false, true, true, true, 0x1D0},
    [AT_USR_SVC] = {0, false, true, true, false, 0x1D0}, [AT_SVC_HYP] = {1, false, true, false, false, 0x1D3},
    [AT_USR_HYP] = {0, false, true, false, false, 0x1D0}, [AT_S_SVC] = {1, true, true, false, false, 0x1D3},
    [AT_S_USR] = {0, true, true, true, true, 0x1D0},     [AT_MON] = {3, true, true, false, false, 0x1D6},
    [AT_SVC_MON] = {3, true, true, false, false, 0x1D3},
};

bool expect_is_aarch32(void)
{
    return !expect_has(F(AA64EL3));
}

/* Does the same for a PE whose EL3 uses AArch32.  It lacks MDCR_EL3 and the controls of later versions. */
static bool place_exists_aarch32(enum expect_place at, const struct expect_setting *s)
{
    const bool there = at == AT_MON || at == AT_SVC_MON || at == AT_S_USR || at == AT_HYP || at == AT_SVC_HYP ||
                       at == AT_USR_HYP;
    const bool later = s->mdcr_el3 != 0 || s->mdcr_el3_clear != 0 || s->rtr != 0 || s->wtr != 0 || s->rtr2_clear != 0 ||
                       s->wtr2_clear != 0 || s->no_fgten2 || s->os_lock || s->hpmn0 || s->e2h || s->uacr != ALL ||
                       (s->userenr & ~USERENR(EN)) != 0;

    return there && !later && !(s->tge && at == AT_SVC_HYP);
}

bool expect_place_exists(enum expect_place at, const struct expect_setting *s)
{
    if (expect_is_aarch32()) {
        return place_exists_aarch32(at, s);
    }
    const bool levels32[] = {expect_has(F(AA32EL0)), expect_has(F(AA32EL1)), expect_has(F(AA32EL2))};

    if (expect_places[at].a32 && (expect_places[at].el == 3 || !levels32[expect_places[at].el])) {
        return false;
    }
    if (!expect_places[at].rw_scr && expect_places[at].a32 && !levels32[expect_places[at].secure ? 1 : 2]) {
        return false;
    }
    if (expect_places[at].a32 && expect_places[at].el == 0 && !expect_places[at].rw_hcr && !levels32[1]) {
        return false;
    }
    if (s->tge && expect_places[at].el == 1) {
        return false; /* EL3 cannot return there */
    }
    if (s->e2h && (!expect_has(F(VHE)) || (expect_places[at].a32 && !expect_places[at].rw_hcr) ||
                   !expect_places[at].rw_scr)) {
        return false;
    }
    if (s->hpmn0 && !expect_has(F(HPMN0))) {
        return false;
    }
    return at != AT_S_EL2 || expect_has(F(SEL2));
}

struct expect_group expect_group_for(const struct expect_setting *s, enum expect_place at)
{
    struct expect_group g = {.place = at, .spsr = expect_places[at].spsr};
    const bool el2 = !expect_places[at].secure || expect_has(F(SEL2)); /* EL2, Non-secure or Secure, is enabled */
    const uint64_t hpmn = s->hpmn0 ? 0 : s->hpmn != 0 ? s->hpmn : expect_pmu.cfg.counters;

    snprintf(g.setting, sizeof g.setting, "%s", s->name);
    g.scr = SCR_RES1 | SCR_HCE | (expect_places[at].secure ? 0 : SCR_NS) |
            (expect_places[at].rw_scr && !expect_is_aarch32() ? SCR_RW : 0) |
            (expect_has(F(SEL2)) && expect_places[at].secure && expect_places[at].rw_scr ? SCR_EEL2 : 0) |
            (expect_has(F(FGT)) && !s->no_fgten ? SCR_FGTEN : 0) |
            (expect_has(F(FGT2)) && !s->no_fgten2 ? APMU_MASK(SCR_EL3, FGTEn2) : 0);
    g.hcr = (expect_places[at].rw_hcr && !expect_is_aarch32() ? HCR_RW : 0) | (el2 && s->tge ? HCR_TGE : 0) |
            (el2 && s->e2h ? HCR_E2H : 0);
    g.hstr = s->t9 ? 1u << 9 : 0;
    g.mdcr_el2 = s->mdcr_el2 |
                 APMU_PUT(MDCR_EL2, HPMN, hpmn < expect_pmu.cfg.counters ? hpmn : expect_pmu.cfg.counters);
    if (!expect_is_aarch32()) {
        g.mdcr_el3 = ((APMU_MASK(MDCR_EL3, EnPM2) | APMU_MASK(MDCR_EL3, EnPMSS)) & ~s->mdcr_el3_clear) | s->mdcr_el3;
    }
    g.os_lock = s->os_lock;
    g.hdfgrtr = expect_has(F(FGT)) ? s->rtr : 0;
    g.hdfgwtr = expect_has(F(FGT)) ? s->wtr : 0;
    g.hdfgrtr2 = expect_has(F(FGT2)) ? ~s->rtr2_clear : 0;
    g.hdfgwtr2 = expect_has(F(FGT2)) ? ~s->wtr2_clear : 0;
    return g;
}

void expect_look(const struct expect_group *g, unsigned el, bool a32)
{
    expect_pe = (struct apmu_pe){
        .el = (uint8_t)el, .a32 = a32, .dbgen = true, .niden = true, .os_lock = g->os_lock != 0,
        .mdcr_el2 = g->mdcr_el2, .mdcr_el3 = g->mdcr_el3, .hcr_el2 = g->hcr, .scr_el3 = g->scr, .hstr_el2 = g->hstr,
        .hdfgrtr_el2 = g->hdfgrtr, .hdfgwtr_el2 = g->hdfgwtr, .hdfgrtr2_el2 = g->hdfgrtr2, .hdfgwtr2_el2 = g->hdfgwtr2,
    };
}
