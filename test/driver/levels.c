/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks what discovery reports and what sessions may do, from each Exception level, in each Execution state and
 * version of the PMU; and that counts survive a loss of power.
 */
#include "driver.h"

#define ANY APMU_COUNTER_ANY

static struct driver_bench b;

/* The features that ID_AA64DFR0_EL1, ID_AA64DFR1_EL1, ID_AA64PFR0_EL1 and PMMIR_EL1 show. */
static const uint64_t shown =
    APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3p1) | APMU_FEAT(PMUv3p4) | APMU_FEAT(PMUv3p5) | APMU_FEAT(PMUv3p7) |
    APMU_FEAT(PMUv3p8) | APMU_FEAT(PMUv3p9) | APMU_FEAT(HPMN0) | APMU_FEAT(MTPMU) | APMU_FEAT(SPEv1p2) |
    APMU_FEAT(SEBEP) | APMU_FEAT(EBEP) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(SPE_DPFZS) |
    APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4) | APMU_FEAT(Debugv8p9) | APMU_FEAT(PMUv3_SME) | APMU_FEAT(PMUv3_TH) |
    APMU_FEAT(PMUv3_EDGE) | APMU_FEAT(PMUv3_TH2) | APMU_FEAT(PMUv1) | APMU_FEAT(PMUv2) | APMU_FEAT(SEL2) |
    APMU_FEAT(RME) | APMU_FEAT(AA64) | APMU_FEAT(AA32) | APMU_BITS(APMU_FEAT_BIT_AA32EL3, APMU_FEAT_BIT_AA64EL0);

static void features(void)
{
    static const uint64_t more[] = {
        0,
        APMU_FEAT(MTPMU) | EL2_FEATURES,
        APMU_FEAT(HPMN0) | EL2_FEATURES,
        APMU_FEAT(SPEv1p2),
        APMU_FEAT(EBEP),
        APMU_FEAT(SEBEP) | APMU_FEAT(EBEP),
        APMU_FEAT(PMUv3_SS),
        APMU_FEAT(PMUv3_ICNTR),
        APMU_FEAT(SPEv1p2) | APMU_FEAT(SPE_DPFZS),
        APMU_FEAT(Debugv8p2),
        APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4),
        APMU_FEAT(PMUv3_SME),
        APMU_FEAT(PMUv3_TH),
        APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_EDGE),
        APMU_FEAT(PMUv3_TH) | APMU_FEAT(PMUv3_EDGE) | APMU_FEAT(PMUv3_TH2),
        APMU_FEAT(AA64EL3),
        APMU_FEAT(AA32EL0),
        APMU_FEAT(SEL2) | EL2_FEATURES | APMU_FEAT(AA64EL3),
        APMU_FEAT(RME) | EL2_FEATURES | APMU_FEAT(AA64EL3),
    };
    bool ok = true;

    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        const uint64_t features = apmu_features_closure(P9_FEATURES | more[i]);

        ok &= bench_init(&b, features, 6) && (b.pmu.features & shown) == (features & shown) && b.pmu.version == 9;
        ok &= (b.pmu.features & ~shown) == 0 && b.pmu.instr == apmu_pmu_has(&b.pmu, APMU_FEAT(PMUv3_ICNTR));
        if (!ok) {
            printf("# %zu: 0x%llx, not 0x%llx\n", i, (unsigned long long)b.pmu.features,
                   (unsigned long long)(features & shown));
            break;
        }
    }
    check("levels: what the ID registers say is what the PMU has", ok);
    ok = bench_init(&b, P1_FEATURES, 6) && b.pmu.version == 4 && b.pmu.pmmir == 0 && !apmu_pmu_long(&b.pmu);
    ok &= bench_init(&b, P1_FEATURES & ~APMU_FEAT(PMUv3p1), 6) && b.pmu.version == 3;
    ok &= bench_init(&b, P5_FEATURES, 6) && b.pmu.version == 6 && apmu_pmu_long(&b.pmu);
    check("levels: discovery reports the version", ok);
}

/* Returns whether a session of @count wishes gives @want for the events of a program at EL0. */
static bool counts(const struct apmu_dev *dev, const struct apmu_wish *wishes, size_t count, const uint64_t *want)
{
    struct apmu_session s;
    struct apmu_reading out[4];
    enum apmu_error error = apmu_session_open(&s, dev, &b.pmu, wishes, count, NULL);
    bool ok = error == APMU_OK && apmu_session_start(&s) == APMU_OK;

    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 9, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, 4, 1, NULL);
    apmu_cycles(&b.model, &b.program_pe, 30, NULL);
    ok = ok && apmu_session_stop(&s) == APMU_OK && apmu_session_read(&s, out) == APMU_OK;
    for (size_t i = 0; i < count; i++) {
        ok = ok && out[i].valid && out[i].count == want[i];
    }
    ok = apmu_session_close(&s) == APMU_OK && ok;
    if (!ok) {
        char reg[24];

        printf("# %s, %s\n", apmu_error_text(error), apmu_reg_name(b.refused.reg, b.refused.n, reg));
    }
    return ok;
}

static void user_level(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = ANY, .dedicated = true},
        {.event = APMU_EV_LD_RETIRED, .counter = ANY, .period = 3},
        {.event = APMU_EV_CPU_CYCLES, .counter = ANY, .dedicated = true},
    };
    struct apmu_wish raised = wishes[1];
    struct apmu_pmu pmu;
    struct apmu_session s;
    size_t refused = 9;
    bool ok = bench_init_at(&b, P9_FEATURES | APMU_FEAT(PMUv3_ICNTR), 4, 0, false);

    ok &= b.pmu.place.el == 0 && !b.pmu.instr && b.pmu.counters == 4 && !apmu_pmu_interrupts(&b.pmu);
    ok &= counts(&b.dev, wishes, 3, (const uint64_t[]){9, 4, 30});
    ok &= apmu_pmu_discover(&b.dev, NULL, &pmu) == APMU_E_LEVEL;
    raised.interrupt = true;
    ok &= apmu_session_open(&s, &b.dev, &b.pmu, &raised, 1, &refused) == APMU_E_LEVEL && refused == 0;
    ok &= apmu_session_open(&s, &b.dev, &b.pmu, wishes, 3, NULL) == APMU_OK;
    ok &=
        apmu_session_allow_user(&s, APMU_USER_FULL) == APMU_E_LEVEL && b.model.userenr == APMU_MASK(PMUSERENR_EL0, EN);
    ok &= apmu_session_close(&s) == APMU_OK && b.model.userenr == APMU_MASK(PMUSERENR_EL0, EN);
    check("levels: EL0 counts as far as EL1 allows it, and writes no register of EL1", ok);
    b.model.userenr = 0;
    ok = apmu_pmu_discover(&b.dev, &b.ids, &pmu) == APMU_E_ACCESS && b.refused.reg == APMU_REG_PMCR_EL0 &&
         !b.refused.write;
    check("levels: EL0 without access learns which register refused", ok);
}

/* Checks that from EL2 up all counters are visible, and that sessions use only those below HPMN. */
static void hypervisor(void)
{
    const struct apmu_wish wishes[] = {{.event = APMU_EV_INST_RETIRED, .counter = 2},
                                       {.event = APMU_EV_LD_RETIRED, .counter = ANY}};
    struct apmu_wish beyond = wishes[0];
    struct apmu_slot slots[4];
    struct apmu_pmu pmu;
    bool ok = true;

    for (unsigned el = 2; el <= 3; el++) {
        ok &= bench_init_at(&b, P5_FEATURES | EL2_FEATURES | APMU_FEAT(AA64EL3), 6, el, false);
        ok &= b.pmu.counters == 6 && b.pmu.first_range == 6 && b.pmu.place.el == el;
        b.driver_pe.mdcr_el2 = 3;
        ok &= apmu_pmu_discover(&b.dev, NULL, &pmu) == APMU_OK && pmu.counters == 6 && pmu.first_range == 3;
        b.pmu = pmu;
        b.program_pe.mdcr_el2 = 3;
        ok &= counts(&b.dev, wishes, 2, (const uint64_t[]){9, 4});
        beyond.counter = 3;
        ok &= apmu_plan(&pmu, &beyond, 1, slots, NULL) == APMU_E_SECOND_RANGE;
        beyond.counter = 6;
        ok &= apmu_plan(&pmu, &beyond, 1, slots, NULL) == APMU_E_NO_SUCH_COUNTER;
        b.model.cnten = 0x20; /* enabled by the hypervisor */
        ok &= apmu_pmu_reset(&b.dev, &pmu) == APMU_OK && b.model.cnten == 0;
    }
    ok &= bench_init_at(&b, P5_FEATURES | EL2_FEATURES, 6, 1, false);
    b.driver_pe.mdcr_el2 = 3;
    ok &= apmu_pmu_discover(&b.dev, NULL, &pmu) == APMU_OK && pmu.counters == 3 && pmu.first_range == 3;
    ok &= apmu_pmu_reset(&b.dev, &pmu) == APMU_OK;
    check("levels: the counters from HPMN on are EL2's", ok);
    ok = bench_init_at(&b, P1_FEATURES | APMU_FEAT(AA64EL3), 6, 3, false);
    ok &= apmu_pmu_discover(&b.dev, NULL, &pmu) == APMU_OK && pmu.first_range == 6;
    check("levels: EL3 without EL2 has all counters", ok);
}

static void armv7(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = ANY}, {.event = APMU_EV_LD_RETIRED, .counter = ANY},
        {.event = APMU_EV_CPU_CYCLES, .counter = ANY, .dedicated = true},
    };
    struct apmu_dev dev;
    struct apmu_slot slot;
    bool ok = true;

    for (unsigned version = 1; version <= 2; version++) {
        for (unsigned el = 0; el <= 1; el++) {
            struct apmu_wish w = wishes[0];
            struct apmu_session s;
            struct apmu_reading out;

            ok &= bench_init_at(&b, A32_FEATURES | (version == 1 ? APMU_FEAT(PMUv1) : APMU_FEAT(PMUv2)), 4, el, true);
            ok &= b.pmu.version == version && b.pmu.counters == 4 && b.pmu.place.view == APMU_VIEW_A32;
            dev = (struct apmu_dev){.ops = &apmu_select_ops, .ctx = &b.dev, .refused = &b.refused};
            ok &= counts(&dev, wishes, 3, (const uint64_t[]){9, 4, 30});
            w.event = 0x100;
            ok &= apmu_plan(&b.pmu, &w, 1, &slot, NULL) == APMU_E_EVENT_NUMBER;
            w = wishes[0];
            w.filter = APMU_FILTER(P);
            ok &= apmu_plan(&b.pmu, &w, 1, &slot, NULL) == (version == 1 ? APMU_E_FILTER : APMU_OK);
            w.filter = APMU_FILTER(SH);
            ok &= apmu_plan(&b.pmu, &w, 1, &slot, NULL) == APMU_E_FILTER;
            w.filter = APMU_FILTER(M); /* for EL3 in AArch64 state, which this PE lacks */
            ok &= apmu_plan(&b.pmu, &w, 1, &slot, NULL) == APMU_OK && slot.type == APMU_EV_INST_RETIRED;
            w = wishes[2];
            w.wide = true;
            w.counter = APMU_CYCLE;
            ok &= apmu_plan(&b.pmu, &w, 1, &slot, NULL) == APMU_E_NO_CHAIN;
            w = wishes[2];
            w.period = 10; /* cycles have 32 bits, and wrap */
            ok &= apmu_session_open(&s, &dev, &b.pmu, &w, 1, NULL) == APMU_OK && apmu_session_start(&s) == APMU_OK;
            apmu_cycles(&b.model, &b.program_pe, 25, NULL);
            ok &= apmu_session_read(&s, &out) == APMU_OK && out.count == 25 && out.raw == 15 && out.overflowed;
            ok &= b.model.ovs == 0 && apmu_session_close(&s) == APMU_OK;
        }
    }
    b.model.ovs = 1;
    struct apmu_pmu_saved saved;

    b.model.pmcr |= APMU_MASK(PMCR_EL0, E);
    ok &= apmu_pmu_save(&dev, &b.pmu, &saved) == APMU_E_UNSUPPORTED && APMU_GET(PMCR_EL0, E, b.model.pmcr) == 1;
    check("levels: PMUv1 and PMUv2 of ARMv7, at EL1 and EL0", ok);
    ok = bench_init_at(&b, A32_FEATURES | APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3p1), 4, 1, true);
    ok &= b.pmu.version == 4 && b.pmu.counters == 4 && counts(&b.dev, wishes, 3, (const uint64_t[]){9, 4, 30});
    struct apmu_wish pair = wishes[0];

    pair.wide = true;
    ok &= apmu_plan(&b.pmu, &pair, 1, &slot, NULL) == APMU_OK && slot.pair && slot.bits == 64;
    ok &= bench_init_at(&b, P5_FEATURES | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32), 4, 1, true);
    ok &=
        b.pmu.version == 6 && apmu_plan(&b.pmu, &pair, 1, &slot, NULL) == APMU_OK && slot.pair; /* sees 32 of 64 bits */
    ok &= counts(&b.dev, &pair, 1, (const uint64_t[]){9});
    check("levels: PMUv3 in AArch32 state", ok);
}

static void refusals(void)
{
    struct apmu_pmu pmu = pmu_of(9, 4, ~UINT64_C(0), ~UINT64_C(0));
    struct apmu_wish w = {.event = APMU_EV_INST_RETIRED, .counter = ANY};
    struct apmu_slot slot;
    bool ok = true;

    w.threshold = APMU_PUT(PMEVTYPER_EL0, TC, 4) | APMU_PUT(PMEVTYPER_EL0, TH, 3);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_THRESHOLD;
    pmu.features |= APMU_FEAT(PMUv3_TH);
    pmu.pmmir = APMU_PUT(PMMIR_EL1, THWIDTH, 2);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_OK && slot.type == (w.threshold | APMU_EV_INST_RETIRED);
    w.dedicated = pmu.instr = true;
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_OK && slot.counter == 0; /* PMICFILTR_EL0 has no threshold */
    w.counter = APMU_INSTR;
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_THRESHOLD;
    w.counter = ANY;
    w.threshold = APMU_PUT(PMEVTYPER_EL0, TC, 4) | APMU_PUT(PMEVTYPER_EL0, TH, 4);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_THRESHOLD;
    w.threshold = APMU_PUT(PMEVTYPER_EL0, TE, 1) | APMU_PUT(PMEVTYPER_EL0, TH, 1);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_THRESHOLD;
    pmu.features |= APMU_FEAT(PMUv3_EDGE);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_OK;
    w.threshold = APMU_PUT(PMEVTYPER_EL0, TLC, 1);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_THRESHOLD;
    check("levels: thresholds as far as PMMIR_EL1 goes", ok);
    w = (struct apmu_wish){.event = APMU_EV_INST_RETIRED, .counter = ANY, .filter = APMU_FILTER(VS)};
    ok = apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_FILTER;
    pmu.features |= APMU_FEAT(PMUv3_SME);
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_OK;
    pmu = pmu_of(3, 4, ~(UINT64_C(1) << APMU_EV_CHAIN), 0);
    w = (struct apmu_wish){.event = APMU_EV_INST_RETIRED, .counter = ANY, .wide = true};
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_E_NO_CHAIN;
    pmu.pmceid[1] = 0;
    w = (struct apmu_wish){.event = 0x3F, .counter = ANY, .unlisted = true};
    ok &= apmu_plan(&pmu, &w, 1, &slot, NULL) == APMU_OK && slot.doubts == APMU_DOUBT_UNLISTED;
    check("levels: VS, CHAIN and unlisted events", ok);
}

/*
 * Returns the Exception levels at which a wish of @text counts, bit n for ELn, in Non-secure state if @ns, else in
 * Secure state.
 */
static unsigned counting_levels(const char *text, bool ns)
{
    struct apmu_wish wish;
    struct apmu_session s;
    unsigned levels = 0;

    if (!bench_init_at(&b,
                       P9_FEATURES | EL2_FEATURES | APMU_FEAT(AA64EL3) | APMU_FEAT(Debugv8p2) | APMU_FEAT(Debugv8p4) |
                           APMU_FEAT(SEL2),
                       4, 3, false) ||
        apmu_wish_parse(text, &wish) != APMU_OK || apmu_session_open(&s, &b.dev, &b.pmu, &wish, 1, NULL) != APMU_OK ||
        apmu_session_start(&s) != APMU_OK) {
        return 99;
    }
    b.program_pe.mdcr_el3 |= APMU_MASK(MDCR_EL3, SPME); /* allow counting in Secure state */
    b.program_pe.mdcr_el2 = 4;
    b.program_pe.scr_el3 = ns ? APMU_MASK(SCR_EL3, NS) : APMU_MASK(SCR_EL3, EEL2);
    for (unsigned el = 0; el < 4; el++) {
        b.program_pe.el = (uint8_t)el;
        levels |= (unsigned)apmu_counts(&b.model, &b.program_pe, s.slots[0].counter) << el;
    }
    return levels;
}

static void words(void)
{
    static const struct {
        const char *text;
        unsigned levels;
    } levels[] = {
        {"INST_RETIRED", 0xB}, {"INST_RETIRED:u", 1}, {"inst_retired:k", 2}, {"r8:h", 4},   {"0x8:m", 8},
        {"r8:uk", 3},          {"r8:ku", 3},          {"r8:uh", 5},          {"r8:um", 9},  {"r8:km", 10},
        {"r8:ukhm", 15},       {"r8:hm", 12},         {"r8:kh", 6},          {"r8:ukh", 7}, {"r8:ukm", 11},
        {"r8:uhm", 13},        {"r8:khm", 14},
    };
    struct apmu_wish wish = {0};
    bool ok = true;

    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        for (unsigned ns = 0; ns <= 1; ns++) {
            const unsigned got = counting_levels(levels[i].text, ns != 0);

            if (got != levels[i].levels) {
                printf("# %s: levels 0x%x, not 0x%x\n", levels[i].text, got, levels[i].levels);
                ok = false;
            }
        }
    }
    check("levels: a wish made from a text counts at the levels of the text", ok);
    ok = apmu_wish_parse("r0x", &wish) == APMU_E_EVENT_NAME && apmu_wish_parse("NO_SUCH", &wish) == APMU_E_EVENT_NAME;
    ok &= apmu_wish_parse("", &wish) == APMU_E_EVENT_NAME && apmu_wish_parse(":u", &wish) == APMU_E_EVENT_NAME;
    ok &= apmu_wish_parse("r8:", &wish) == APMU_E_LEVELS && apmu_wish_parse("r8:x", &wish) == APMU_E_LEVELS;
    ok &= apmu_wish_parse("r8:u:k", &wish) == APMU_E_LEVELS && apmu_wish_parse("r8:u ", &wish) == APMU_E_LEVELS;
    ok &= apmu_wish_parse("AN_EVENT_NAME_THAT_IS_LONGER_THAN_ANY_EVENT_NAME_THAT_THERE_IS_OR_WILL_BE", &wish) ==
          APMU_E_EVENT_NAME;
    ok &= apmu_wish_parse("instructions", &wish) == APMU_OK && wish.event == APMU_EV_INST_RETIRED;
    ok &= apmu_wish_parse("r0x11", &wish) == APMU_OK && wish.event == 0x11;
    ok &= apmu_wish_parse("r11", &wish) == APMU_OK && wish.event == 0x11 && wish.counter == ANY && wish.dedicated;
    ok &= apmu_wish_parse("rffff:u", &wish) == APMU_OK && wish.event == 0xFFFF && wish.filter == APMU_FILTER(P);
    check("levels: texts that are no wish are refused", ok);
}

/*
 * Saves the registers while counters count, fills them with other values, restores them, and checks that counting
 * continues.
 */
static void power(void)
{
    static const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = ANY, .interrupt = true, .period = 5},
        {.event = APMU_EV_LD_RETIRED, .counter = ANY},
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE},
    };
    static const uint64_t with[] = {
        P1_FEATURES,
        P9_FEATURES | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS),
        P9_FEATURES | APMU_FEAT(EBEP) | APMU_FEAT(SEBEP),
    };
    bool ok = true;

    for (unsigned pass = 0; pass < 3; pass++) {
        struct apmu_session s;
        struct apmu_pmu_saved saved;
        struct apmu_reading out[3];

        ok &= bench_init(&b, with[pass], 5) && apmu_session_open(&s, &b.dev, &b.pmu, wishes, 3, NULL) == APMU_OK;
        ok &= apmu_session_allow_user(&s, APMU_USER_READ) == APMU_OK && apmu_session_start(&s) == APMU_OK;
        apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 7, 1, NULL);
        apmu_cycles(&b.model, &b.program_pe, 11, NULL);
        apmu_poke(&b.model, &b.driver_pe, APMU_REG_PMIAR_EL1, 0, UINT64_C(0x12345678), NULL);
        const struct apmu before = b.model;

        ok &= apmu_pmu_save(&b.dev, &b.pmu, &saved) == APMU_OK && !apmu_counts(&b.model, &b.program_pe, 0);
        for (unsigned reg = 0; reg < APMU_REG_COUNT; reg++) {
            for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)reg)->copies; n++) {
                apmu_poke(&b.model, &b.driver_pe, (enum apmu_reg)reg, n, ~UINT64_C(0) / 3 << (reg & 1), NULL);
            }
        }
        ok &= apmu_pmu_restore(&b.dev, &b.pmu, &saved) == APMU_OK;
        ok &= b.model.cnten == before.cnten && b.model.inten == before.inten && b.model.ovs == before.ovs;
        ok &= b.model.pmcr == before.pmcr && b.model.userenr == before.userenr && b.model.uacr == before.uacr;
        ok &= b.model.ecr == before.ecr && b.model.selr == before.selr && b.model.iar == before.iar;
        ok &= memcmp(b.model.cntr, before.cntr, sizeof before.cntr) == 0 &&
              memcmp(b.model.typer, before.typer, sizeof before.typer) == 0;
        ok &= apmu_pmuirq(&b.model, &b.driver_pe);
        apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 2, 1, NULL);
        apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, 3, 1, NULL);
        apmu_cycles(&b.model, &b.program_pe, 4, NULL);
        ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count == 9 && out[1].count == 3 && out[2].count == 15;
        ok &= out[0].overflowed;
    }
    check("levels: across a loss of power all counts go on", ok);
}

/* Reads a register, and lets one event of each kind occur.  So only a snapshot sees equal counts. */
static enum apmu_error ticking_read(void *ctx, enum apmu_reg reg, unsigned n, uint64_t *value)
{
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 1, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, 1, 1, NULL);
    return apmu_model_ops.read(ctx, reg, n, value);
}

static void snapshots(void)
{
    const struct apmu_wish wishes[] = {{.event = APMU_EV_INST_RETIRED, .counter = ANY},
                                       {.event = APMU_EV_LD_RETIRED, .counter = ANY, .period = 8}};
    struct apmu_reg_ops ops = apmu_model_ops;
    struct apmu_session s;
    struct apmu_reading out[2];
    bool ok = bench_init(&b, P9_FEATURES | EL2_FEATURES | APMU_FEAT(PMUv3_SS), 5);

    ops.read = ticking_read;
    b.dev.ops = &ops;
    ok &= apmu_session_open(&s, &b.dev, &b.pmu, wishes, 2, NULL) == APMU_OK && apmu_session_start(&s) == APMU_OK;
    ok &= apmu_session_read(&s, out) == APMU_OK && out[0].count != out[1].count;
    apmu_event(&b.model, &b.program_pe, APMU_EV_LD_RETIRED, 5, 1, NULL);
    apmu_event(&b.model, &b.program_pe, APMU_EV_INST_RETIRED, 5, 1, NULL);
    ok &= apmu_session_snapshot(&s, out) == APMU_OK && out[0].count == out[1].count && out[0].count > 5;
    ok &= out[0].valid && out[1].overflowed && b.model.ovs != 0; /* the flag stays set */
    check("levels: a snapshot is of one instant", ok);
    b.driver_pe.mdcr_el2 &= ~APMU_MASK(MDCR_EL2, PMSSE);
    ok = apmu_session_snapshot(&s, out) == APMU_E_SNAPSHOT && !out[0].valid;
    check("levels: a snapshot that EL2 prohibits", ok);
    ok = bench_init(&b, P9_FEATURES, 5) && apmu_session_open(&s, &b.dev, &b.pmu, wishes, 2, NULL) == APMU_OK;
    ok &= apmu_session_snapshot(&s, out) == APMU_E_UNSUPPORTED && !out[0].valid;
    check("levels: a snapshot is refused where the PMU has none", ok);
}

int main(void)
{
    features();
    user_level();
    hypervisor();
    armv7();
    refusals();
    words();
    power();
    snapshots();
    return failures != 0;
}
