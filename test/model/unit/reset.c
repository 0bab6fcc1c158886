/* SPDX-License-Identifier: BSD-2-Clause */
/* Cold and Warm reset, field by field; external snapshot requests; and the limits that apmu_init() applies. */

#include <string.h>

#include <armpmu/model.h>

#include "../../lib/tap.h"

#define EL1_ONLY (APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(PMUv3))
#define ALL_ELS (EL1_ONLY | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3))
#define A32_ONLY (APMU_FEAT(AA32) | APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(PMUv3))
#define EXTPMN (APMU_FEAT(PMUv3_EXTPMN) | APMU_FEAT(PMUv3_EXT64) | APMU_FEAT(PMUv3_EXT))
#define C31 (UINT64_C(1) << 31)
#define F0 (UINT64_C(1) << 32)
#define ALL_ONES (~UINT64_C(0))
#define FILL UINT64_C(0xAAAAAAAAAAAAAAAA)

static struct apmu p;
static struct apmu_pe pe;

/* Makes a unit with six counters, seen from the highest Exception level.  UNKNOWN fields are FILL. */
static void unit(uint64_t features)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(features),
        .counters = 6,
        .thwidth = 12,
        .export_bus = true,
        .unknown_fill = FILL,
    };

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){.el = (features & APMU_FEAT(AA64EL3)) != 0 ? 3 : 1};
}

/* Writes 1 to every bit of every register. */
static void write_all_ones(void)
{
    for (unsigned r = 0; r < APMU_REG_COUNT; r++) {
        for (unsigned n = 0; n < apmu_reg_info((enum apmu_reg)r)->copies; n++) {
            const bool acts = r == APMU_REG_PMSSCR_EL1 || r == APMU_REG_PMZR_EL0 || r == APMU_REG_PMCNTENCLR_EL0 ||
                              r == APMU_REG_PMINTENCLR_EL1 || r == APMU_REG_PMOVSCLR_EL0 || r == APMU_REG_PMCR_EL0;
            if (!acts) {
                apmu_poke(&p, &pe, (enum apmu_reg)r, n, ALL_ONES, NULL);
            }
        }
    }
    apmu_poke(&p, &pe, APMU_REG_PMCR_EL0, 0, ALL_ONES & ~(APMU_MASK(PMCR_EL0, C) | APMU_MASK(PMCR_EL0, P)), NULL);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.svr[n] = ALL_ONES;
    }
}

#define PEEK(reg, n) apmu_peek(&p, &pe, APMU_REG_##reg, n)

static void warm_reset_leaves_nothing_without_extpmn(void)
{
    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS));
    write_all_ones();
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(PEEK(PMCNTENSET_EL0, 0), (C31 | 0x3F) & FILL, "PMCNTENSET_EL0: UNKNOWN, and F0 is 0");
    MUST_EQ(PEEK(PMINTENSET_EL1, 0), (C31 | 0x3F) & FILL, "PMINTENSET_EL1");
    MUST_EQ(PEEK(PMOVSSET_EL0, 0), (C31 | 0x3F) & FILL, "PMOVSSET_EL0");
    MUST_EQ(PEEK(PMEVCNTR_EL0, 3), FILL, "PMEVCNTR3_EL0");
    MUST_EQ(PEEK(PMCCNTR_EL0, 0), FILL, "PMCCNTR_EL0");
    MUST_EQ(PEEK(PMICNTR_EL0, 0), FILL, "PMICNTR_EL0");
    MUST_EQ(PEEK(PMEVCNTSVR_EL1, 3), FILL, "PMEVCNTSVR3_EL1");
    MUST_EQ(PEEK(PMICFILTR_EL0, 0) & 0xFFFF, 8, "PMICFILTR_EL0.evtCount");
    MUST_EQ(PEEK(PMSELR_EL0, 0), FILL & 31, "PMSELR_EL0");
    MUST_EQ(PEEK(PMUSERENR_EL0, 0), FILL & 0x7F, "PMUSERENR_EL0");
    MUST_EQ(PEEK(PMUACR_EL1, 0) & 0x3F, FILL & 0x3F, "PMUACR_EL1");
    MUST_EQ(PEEK(PMSSCR_EL1, 0), F0, "PMSSCR_EL1.{NC, SS} = {1, 0}");
    MUST_EQ(PEEK(PMCR_EL0, 0) & 1, 0, "PMCR_EL0.E");
    MUST_EQ(PEEK(PMCR_EL0, 0) & 0x2A0, FILL & 0x2A0, "PMCR_EL0.{FZO, LP, DP} are UNKNOWN");
    MUST_EQ(PEEK(PMECR_EL1, 0), 0x18, "a Warm reset does not reset PMECR_EL1.SSE");
}

static void extpmn_keeps_the_counters_over_a_warm_reset(void)
{
    unit(ALL_ELS | EXTPMN | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS) | APMU_FEAT(PMUv3_TH2) | APMU_FEAT(EBEP));
    write_all_ones();
    p.ccr |= APMU_MASK(PMCCR, EPME);
    const uint64_t typer = p.typer[3], icfiltr = p.typer[APMU_INSTR];
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(PEEK(PMCNTENSET_EL0, 0), C31 | 0x3F, "PMCNTENSET_EL0: kept, and F0 is 0");
    MUST_EQ(PEEK(PMINTENSET_EL1, 0), C31 | 0x3F, "PMINTENSET_EL1");
    MUST_EQ(PEEK(PMOVSSET_EL0, 0), C31 | 0x3F, "PMOVSSET_EL0");
    MUST_EQ(PEEK(PMEVCNTR_EL0, 3), ALL_ONES, "PMEVCNTR3_EL0");
    MUST_EQ(PEEK(PMCCNTR_EL0, 0), ALL_ONES, "PMCCNTR_EL0");
    MUST_EQ(PEEK(PMICNTR_EL0, 0), ALL_ONES, "PMICNTR_EL0");
    MUST_EQ(PEEK(PMEVCNTSVR_EL1, 3), ALL_ONES, "PMEVCNTSVR3_EL1");
    MUST_EQ(p.typer[3], typer, "PMEVTYPER3_EL0 with its threshold");
    MUST_EQ(p.typer[APMU_INSTR], icfiltr, "PMICFILTR_EL0");
    MUST_EQ(p.ccr, APMU_MASK(PMCCR, EPME) | 6, "PMCCR is reset by a Cold reset only");
    MUST_EQ(PEEK(PMSELR_EL0, 0), FILL & 31, "PMSELR_EL0 is UNKNOWN nevertheless");
    MUST_EQ(PEEK(PMUSERENR_EL0, 0), FILL & 0x7F, "PMUSERENR_EL0");
    MUST_EQ(PEEK(PMCR_EL0, 0) & 1, 0, "PMCR_EL0.E");
    MUST_EQ(PEEK(PMECR_EL1, 0), 0x18 | (FILL & 7), "PMECR_EL1: SSE is kept, KPME and PMEE are UNKNOWN");
    apmu_on_reset(&p, APMU_RESET_COLD);
    MUST_EQ(PEEK(PMEVCNTR_EL0, 3), FILL, "PMEVCNTR3_EL0 after a Cold reset");
    MUST_EQ(PEEK(PMOVSSET_EL0, 0), (C31 | 0x3F) & FILL, "PMOVSSET_EL0 after a Cold reset");
    MUST_EQ(p.ccr, 6, "PMCCR after a Cold reset");
}

/* Bits that are 0 are kept too: the fill of UNKNOWN fields does not reach them. */
static void extpmn_keeps_zeros_too(void)
{
    unit(ALL_ELS | EXTPMN | APMU_FEAT(PMUv3_ICNTR));
    apmu_poke(&p, &pe, APMU_REG_PMCCNTR_EL0, 0, 0, NULL);
    apmu_poke(&p, &pe, APMU_REG_PMEVCNTR_EL0, 3, 0, NULL);
    apmu_poke(&p, &pe, APMU_REG_PMCNTENCLR_EL0, 0, ALL_ONES, NULL);
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(PEEK(PMCCNTR_EL0, 0), 0, "PMCCNTR_EL0");
    MUST_EQ(PEEK(PMEVCNTR_EL0, 3), 0, "PMEVCNTR3_EL0");
    MUST_EQ(PEEK(PMCNTENSET_EL0, 0), 0, "PMCNTENSET_EL0");
}

static void further_filters_are_unknown_after_a_cold_reset(void)
{
    unit(EL1_ONLY);
    p.cfg.filter2 = 0xFF0F;
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        p.filter2[n] = 0x0505;
    }
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(p.filter2[0], 0x0505, "PMEVFILT2R0 after a Warm reset");
    apmu_on_reset(&p, APMU_RESET_COLD);
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        MUST_EQ(p.filter2[n], FILL & 0xFF0F, "PMEVFILT2R%u after a Cold reset", n);
    }
}

/* If EL1 can use AArch32, which cannot write the threshold fields, these are 0 after every reset. */
static void threshold_fields_are_zero_where_el1_can_use_aarch32(void)
{
    const uint64_t threshold =
        APMU_MASK(PMEVTYPER_EL0, TC) | APMU_MASK(PMEVTYPER_EL0, TE) | APMU_MASK(PMEVTYPER_EL0, TH);

    for (int extpmn = 0; extpmn < 2; extpmn++) {
        unit(ALL_ELS | APMU_FEAT(AA32EL1) | APMU_FEAT(PMUv3_TH2) | (extpmn != 0 ? EXTPMN : 0));
        MUST_EQ(PEEK(PMEVTYPER_EL0, 3) & threshold, 0, "after a Cold reset");
        write_all_ones();
        MUST_EQ(PEEK(PMEVTYPER_EL0, 3) & threshold, threshold, "written");
        apmu_on_reset(&p, APMU_RESET_WARM);
        MUST_EQ(PEEK(PMEVTYPER_EL0, 3) & threshold, 0, "after a Warm reset");
    }
    unit(ALL_ELS | APMU_FEAT(PMUv3_TH2));
    MUST_EQ(PEEK(PMEVTYPER_EL0, 3) & threshold, FILL & threshold, "UNKNOWN where EL1 is always AArch64");
}

/* State without registers: only a Cold reset sets the phase of the divider and of the thresholds to a known value. */
static void state_that_no_register_shows(void)
{
    unit(ALL_ELS | EXTPMN | APMU_FEAT(PMUv3_EDGE) | APMU_FEAT(SEBEP));
    MUST_EQ(p.cnten & ~(C31 | 0x3F), 0, "no bit of PMCNTEN* that is RES0");
    p.divider = 5;
    p.last_threshold = 3;
    p.sync_overflowed = true;
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST(!p.sync_overflowed, "a pending PMU Profiling exception is lost");
    MUST(p.divider == 5 && p.last_threshold == 3, "the counters of external agents continue");
    p.sync_overflowed = true;
    apmu_on_reset(&p, APMU_RESET_COLD);
    MUST(!p.sync_overflowed && p.divider == 0 && p.last_threshold == 0, "after a Cold reset");
}

static void pmcr_fields_are_zero_without_aarch64(void)
{
    unit(A32_ONLY | APMU_FEAT(PMUv3p5) | APMU_FEAT(AA32EL3));
    MUST_EQ(p.pmcr, 0, "PMCR.{LP, DP, X, D} are 0; LC is UNKNOWN, and the fill has a 0 there");
    MUST_EQ(p.typer[APMU_CYCLE] & UINT64_C(0xF8000000), 0, "PMCCFILTR.{P, U, NSK, NSU, NSH}");
    unit(ALL_ELS | A32_ONLY | APMU_FEAT(PMUv3p5));
    MUST_EQ(p.pmcr, FILL & 0xF8, "UNKNOWN with AArch64");
    MUST_EQ(p.typer[APMU_CYCLE] & UINT64_C(0xF8000000), FILL & UINT64_C(0xF8000000), "PMCCFILTR_EL0 with AArch64");
}

static void fzs_is_zero_with_aarch32(void)
{
    unit(ALL_ELS | APMU_FEAT(SPEv1p2) | APMU_FEAT(PMUv3p7));
    p.cfg.unknown_fill = ALL_ONES;
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(p.pmcr & APMU_MASK(PMCR_EL0, FZS), APMU_MASK(PMCR_EL0, FZS), "UNKNOWN");
    p.cfg.features |= APMU_FEAT(AA32) | APMU_FEAT(AA32EL0);
    apmu_settle(&p);
    apmu_on_reset(&p, APMU_RESET_WARM);
    MUST_EQ(p.pmcr & APMU_MASK(PMCR_EL0, FZS), 0, "0 with AArch32");
}

static void pmecr_is_zero_where_el1_is_the_highest(void)
{
    unit(EL1_ONLY | APMU_FEAT(PMUv3_SS) | APMU_FEAT(EBEP));
    p.cfg.unknown_fill = ALL_ONES;
    apmu_on_reset(&p, APMU_RESET_COLD);
    MUST_EQ(PEEK(PMECR_EL1, 0), APMU_MASK(PMECR_EL1, KPME), "PMECR_EL1.{SSE, PMEE} = {0, 0}");
    unit(ALL_ELS | APMU_FEAT(PMUv3_SS) | APMU_FEAT(EBEP));
    p.cfg.unknown_fill = ALL_ONES;
    apmu_on_reset(&p, APMU_RESET_COLD);
    MUST_EQ(PEEK(PMECR_EL1, 0), 0x1F, "UNKNOWN below EL2 or EL3");
}

static void snapshot_request_from_outside(void)
{
    struct apmu_out out = {.overflowed = ALL_ONES};

    unit(ALL_ELS | APMU_FEAT(PMUv3_ICNTR) | APMU_FEAT(PMUv3_SS));
    p.cntr[2] = p.cntr[6] = 1234;
    p.cntr[APMU_CYCLE] = 31;
    p.cntr[APMU_INSTR] = 32;
    p.svr[2] = p.svr[6] = 1;
    p.sscr = 0;
    apmu_snapshot(&p, &pe, &out);
    MUST_EQ(PEEK(PMEVCNTSVR_EL1, 2), 1, "MDCR_EL3.PMSSE = 0: captures are disabled");
    MUST_EQ(PEEK(PMSSCR_EL1, 0), 0, "a disabled request leaves PMSSCR_EL1.NC alone");
    MUST_EQ(out.overflowed, 0, "the caller's answer is overwritten");
    pe.mdcr_el3 = APMU_PUT(MDCR_EL3, PMSSE, 2);
    apmu_snapshot(&p, &pe, NULL);
    MUST_EQ(PEEK(PMEVCNTSVR_EL1, 2), 1, "PMSSE = 2: enabled and prohibited");
    MUST_EQ(PEEK(PMSSCR_EL1, 0), F0, "NC = 1: it captured nothing");
    pe.mdcr_el3 = APMU_PUT(MDCR_EL3, PMSSE, 3);
    apmu_snapshot(&p, &pe, NULL);
    MUST_EQ(PEEK(PMEVCNTSVR_EL1, 2), 1234, "PMSSE = 3: allowed");
    MUST_EQ(PEEK(PMCCNTSVR_EL1, 0), 31, "the cycle counter");
    MUST_EQ(PEEK(PMICNTSVR_EL1, 0), 32, "the instruction counter");
    MUST_EQ(p.svr[6], 1, "PMEVCNTR6_EL0 does not exist");
    MUST_EQ(PEEK(PMSSCR_EL1, 0), 0, "NC = 0: it captured");
}

static void init_cuts_what_there_is_no_room_for(void)
{
    struct apmu_config cfg = {.size = sizeof cfg, .features = EL1_ONLY, .counters = 31, .sync_events = {8}};

    cfg.sync_event_count = sizeof cfg.sync_events / sizeof cfg.sync_events[0];
    apmu_init(&p, &cfg);
    MUST(memcmp(&p.cfg, &cfg, sizeof cfg) == 0, "the largest configuration stays what it is");
    cfg.counters++;
    cfg.sync_event_count++;
    apmu_init(&p, &cfg);
    MUST_EQ(p.cfg.counters, cfg.counters - 1, "counters");
    MUST_EQ(p.cfg.sync_event_count, cfg.sync_event_count - 1, "synchronous events");
    cfg.counters = 6;
    cfg.sync_event_count = 1;
    apmu_init(&p, &cfg);
    MUST(memcmp(&p.cfg, &cfg, sizeof cfg) == 0, "a small one too");
}

int main(void)
{
    RUN(warm_reset_leaves_nothing_without_extpmn);
    RUN(extpmn_keeps_the_counters_over_a_warm_reset);
    RUN(extpmn_keeps_zeros_too);
    RUN(further_filters_are_unknown_after_a_cold_reset);
    RUN(threshold_fields_are_zero_where_el1_can_use_aarch32);
    RUN(state_that_no_register_shows);
    RUN(pmcr_fields_are_zero_without_aarch64);
    RUN(fzs_is_zero_with_aarch32);
    RUN(pmecr_is_zero_where_el1_is_the_highest);
    RUN(snapshot_request_from_outside);
    RUN(init_cuts_what_there_is_no_room_for);
    return tap_status;
}
