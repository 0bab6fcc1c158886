/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defects of other models of the PMU, one case each, so that this model never has them.  Each name begins with the
 * model in which the defect was found: QEMU's cpregs-pmu.c, gem5's pmu.cc, KVM's pmu-emul.c, Arm's 2023 ASL in Sail.
 */

#include <string.h>

#include <armpmu/model.h>

#include "../../lib/tap.h"

enum { EVENT = 0x0024, COUNTERS = 6, HPMN = 4 };

static struct apmu p;
static struct apmu_pe pe;
static struct apmu_out out;

/* PMUv3p9 at Non-secure EL1.  Counters 0..3 are the first range, 4 and 5 the second; all count EVENT. */
static void begin(uint64_t without)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) |
                                          APMU_FEAT(AA32EL0) | APMU_FEAT(PMUv3p9) | APMU_FEAT(Debugv8p4) |
                                          APMU_FEAT(SEL2) | APMU_FEAT(HPMN0)) & ~without,
        .counters = COUNTERS,
    };

    apmu_init(&p, &cfg);
    pe = (struct apmu_pe){
        .el = 1,
        .scr_el3 = APMU_MASK(SCR_EL3, NS) | APMU_MASK(SCR_EL3, RW) | APMU_MASK(SCR_EL3, FGTEn2),
        .hcr_el2 = APMU_MASK(HCR_EL2, RW),
        .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, HPMN) | APMU_MASK(MDCR_EL2, HPME),
        .hdfgrtr2_el2 = ~UINT64_C(0),
        .hdfgwtr2_el2 = ~UINT64_C(0),
    };
    p.pmcr = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, LC);
    p.cnten = UINT64_C(0x8000003F);
    for (unsigned n = 0; n < COUNTERS; n++) {
        p.typer[n] = EVENT;
        p.cntr[n] = 100 + n;
    }
    apmu_settle(&p);
}

#define PEEK(reg, n) apmu_peek(&p, &pe, APMU_REG_##reg, n)
#define POKE(reg, n, value) apmu_poke(&p, &pe, APMU_REG_##reg, n, value, &out)
#define HAPPENS(times) apmu_event(&p, &pe, EVENT, times, 1, &out)

/* ---------------------------------------------------------------------------------------------------------------
 * QEMU.
 */

static void qemu_pmcr_p_at_el1_spares_the_counters_of_el2(void)
{
    begin(0);
    POKE(PMCR_EL0, 0, p.pmcr | APMU_MASK(PMCR_EL0, P));
    MUST_EQ(p.cntr[HPMN - 1], 0, "the last counter of the first range");
    MUST_EQ(p.cntr[HPMN], 100 + HPMN, "the first counter of the second range");
}

static void qemu_registers_with_a_bit_for_each_counter_end_at_hpmn(void)
{
    begin(0);
    p.cnten = p.inten = p.ovs = 0;
    POKE(PMCNTENSET_EL0, 0, 0x3F);
    POKE(PMINTENSET_EL1, 0, 0x3F);
    POKE(PMOVSSET_EL0, 0, 0x3F);
    MUST_EQ(p.cnten | p.inten << 8 | p.ovs << 16, 0x0F0F0F, "what EL1 could set");
    p.cnten = p.inten = p.ovs = 0x3F;
    MUST_EQ(PEEK(PMCNTENSET_EL0, 0) | PEEK(PMINTENCLR_EL1, 0) << 8 | PEEK(PMOVSCLR_EL0, 0) << 16, 0x0F0F0F,
            "what EL1 sees");
}

static void qemu_second_range_interrupts_by_hpme_and_not_by_pmcr_e(void)
{
    begin(0);
    p.ovs = p.inten = UINT64_C(1) << HPMN;
    p.pmcr &= ~APMU_MASK(PMCR_EL0, E);
    MUST(apmu_pmuirq(&p, &pe), "HPME is 1, E is 0: PMUIRQ is low");
    p.pmcr |= APMU_MASK(PMCR_EL0, E);
    pe.mdcr_el2 &= ~APMU_MASK(MDCR_EL2, HPME);
    MUST(!apmu_pmuirq(&p, &pe), "HPME is 0, E is 1: PMUIRQ is high");
}

static void qemu_pmuirq_follows_a_write_of_pmcr(void)
{
    begin(0);
    p.ovs = p.inten = 1;
    POKE(PMCR_EL0, 0, 0);
    MUST(!out.pmuirq, "PMUIRQ stays high with PMCR.E = 0");
    POKE(PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E));
    MUST(out.pmuirq, "PMUIRQ does not rise with PMCR.E");
}

static void qemu_chain_counts(void)
{
    begin(0);
    p.typer[1] = APMU_EV_CHAIN;
    apmu_settle(&p);
    p.cntr[0] = UINT32_MAX;
    p.cntr[1] = 0;
    HAPPENS(1);
    MUST_EQ(p.cntr[1], 1, "PMEVCNTR1");
}

static void qemu_divided_counter_is_due_after_64_cycles_a_count(void)
{
    begin(0);
    p.pmcr = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, D);
    p.cntr[APMU_CYCLE] = UINT32_MAX - 1;
    MUST_EQ(apmu_until(&p, &pe, APMU_EV_CPU_CYCLES, 1), 127, "cycles without overflow");
    apmu_cycles(&p, &pe, 127, &out);
    MUST_EQ(out.overflowed, 0, "after 127 cycles");
    apmu_cycles(&p, &pe, 1, &out);
    MUST_EQ(out.overflowed, UINT64_C(1) << APMU_CYCLE, "in cycle 128");
}

static void qemu_counter_at_all_ones_overflows_with_the_next_event(void)
{
    begin(0);
    p.cntr[0] = UINT32_MAX;
    MUST_EQ(apmu_until(&p, &pe, EVENT, 1), 0, "events without overflow");
    p.cntr[0] = UINT32_MAX - 1;
    MUST_EQ(apmu_until(&p, &pe, EVENT, 1), 1, "one before");
}

static void qemu_no_overflow_is_lost_in_a_long_batch(void)
{
    begin(0);
    p.cntr[0] = 0;
    HAPPENS(UINT64_C(3) << 32);
    MUST_EQ(p.ovs & 1, 1, "the flag after 3 * 2^32 events");
}

static void qemu_filter_m_asks_for_el3_and_not_for_el1(void)
{
    begin(0);
    pe.el = 3;
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME);
    p.typer[0] = EVENT | APMU_MASK(PMEVTYPER_EL0, M);
    apmu_settle(&p);
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(FILTER_M), "M = 1, P = 0");
    p.typer[0] |= APMU_MASK(PMEVTYPER_EL0, P);
    apmu_settle(&p);
    MUST_EQ(apmu_why(&p, &pe, 0), 0, "M = P");
}

static void qemu_secure_el2_has_its_own_filter(void)
{
    begin(0);
    pe.el = 2;
    pe.scr_el3 = (pe.scr_el3 & ~APMU_MASK(SCR_EL3, NS)) | APMU_MASK(SCR_EL3, EEL2);
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME);
    p.typer[0] = EVENT | APMU_MASK(PMEVTYPER_EL0, NSH) | APMU_MASK(PMEVTYPER_EL0, SH);
    apmu_settle(&p);
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(FILTER_SH), "SH = NSH = 1");
    p.typer[0] = EVENT | APMU_MASK(PMEVTYPER_EL0, SH);
    apmu_settle(&p);
    MUST_EQ(apmu_why(&p, &pe, 0), 0, "SH = 1, NSH = 0");
}

static void qemu_tpm_traps_what_pmuserenr_grants(void)
{
    begin(0);
    pe.el = 0;
    p.userenr = APMU_MASK(PMUSERENR_EL0, CR) | APMU_MASK(PMUSERENR_EL0, ER);
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPM);
    const struct apmu_access a = apmu_access(&p, &pe, APMU_REG_PMCCNTR_EL0, 0, false);
    MUST(a.outcome == APMU_ACCESS_TRAP && a.el == 2, "PMCCNTR_EL0 at EL0: outcome %d to EL%d", (int)a.outcome, a.el);
}

static void qemu_tpmcr_traps_pmcr(void)
{
    begin(0);
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, TPMCR);
    MUST_EQ(apmu_access(&p, &pe, APMU_REG_PMCR_EL0, 0, true).el, 2, "PMCR_EL0 at EL1 traps to");
    MUST(apmu_access(&p, &pe, APMU_REG_PMSELR_EL0, 0, true).outcome == APMU_ACCESS_OK, "PMSELR_EL0 traps too");
}

/* ---------------------------------------------------------------------------------------------------------------
 * gem5.
 */

static void gem5_enabling_again_keeps_the_count(void)
{
    begin(0);
    HAPPENS(5);
    POKE(PMCR_EL0, 0, 0);
    POKE(PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E));
    MUST_EQ(p.cntr[0], 105, "PMEVCNTR0");
}

static void gem5_every_counter_has_its_direct_registers(void)
{
    enum apmu_reg reg;
    unsigned n;

    for (unsigned want = 0; want < APMU_EVENT_COUNTERS; want++) {
        const uint16_t key = apmu_a64_key(3, 3, 14, 8 + (want >> 3), want & 7);
        MUST(apmu_reg_by_a64(key, &reg, &n) && reg == APMU_REG_PMEVCNTR_EL0 && n == want, "PMEVCNTR%u_EL0", want);
    }
}

static void gem5_pmcr_n_is_the_number_of_counters(void)
{
    begin(0);
    pe.el = 2;
    MUST_EQ(APMU_GET(PMCR_EL0, N, PEEK(PMCR_EL0, 0)), COUNTERS, "PMCR_EL0.N at EL2");
    POKE(PMEVCNTR_EL0, COUNTERS - 1, 7);
    MUST_EQ(PEEK(PMEVCNTR_EL0, COUNTERS - 1), 7, "the last counter");
}

static void gem5_pmcr_lc_and_lp_are_kept(void)
{
    const uint64_t bits = APMU_MASK(PMCR_EL0, LC) | APMU_MASK(PMCR_EL0, LP) | APMU_MASK(PMCR_EL0, D);

    begin(0);
    POKE(PMCR_EL0, 0, bits);
    MUST_EQ(PEEK(PMCR_EL0, 0) & bits, bits, "PMCR_EL0");
}

static void gem5_the_first_software_increment_counts(void)
{
    begin(0);
    POKE(PMEVTYPER_EL0, 0, APMU_EV_SW_INCR);
    POKE(PMEVCNTR_EL0, 0, 0);
    for (int i = 0; i < 100; i++) {
        POKE(PMSWINC_EL0, 0, 1);
    }
    MUST_EQ(p.cntr[0], 100, "PMEVCNTR0 after 100 writes");
}

static void gem5_the_cycle_counter_has_bit_31_of_the_flags(void)
{
    begin(0);
    p.pmcr &= ~APMU_MASK(PMCR_EL0, LC);
    p.cntr[APMU_CYCLE] = UINT32_MAX;
    apmu_cycles(&p, &pe, 1, &out);
    MUST_EQ(PEEK(PMOVSCLR_EL0, 0), UINT64_C(1) << 31, "PMOVSCLR_EL0");
    POKE(PMOVSSET_EL0, 0, ~UINT64_C(0));
    MUST_EQ(p.ovs, UINT64_C(0x8000000F), "flags of counters that are not implemented, or out of reach");
}

static void gem5_the_interrupt_follows_its_enable(void)
{
    begin(0);
    p.ovs = 2;
    POKE(PMINTENSET_EL1, 0, 2);
    MUST(out.pmuirq, "enabling with the flag set does not raise PMUIRQ");
    p.ovs = 3;
    POKE(PMINTENCLR_EL1, 0, 2);
    MUST(!out.pmuirq, "disabling does not lower PMUIRQ");
}

static void gem5_a_copy_is_the_whole_state(void)
{
    begin(0);
    p.typer[0] = EVENT | APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSK);
    apmu_settle(&p);
    struct apmu saved;
    memcpy(&saved, &p, sizeof p);
    HAPPENS(3);
    apmu_event(&saved, &pe, EVENT, 3, 1, NULL);
    MUST(memcmp(&saved, &p, sizeof p) == 0, "the copy behaves differently");
}

static void gem5_a_new_event_ends_the_old_one(void)
{
    begin(0);
    POKE(PMEVTYPER_EL0, 0, 0x03FF); /* an event that never occurs here */
    HAPPENS(10);
    MUST_EQ(p.cntr[0], 100, "PMEVCNTR0");
}

/* ---------------------------------------------------------------------------------------------------------------
 * KVM.
 */

static void kvm_hpmd_reaches_the_cycle_counter_by_dp_alone(void)
{
    begin(0);
    pe.el = 2;
    p.typer[APMU_CYCLE] = APMU_MASK(PMCCFILTR_EL0, NSH);
    apmu_settle(&p);
    pe.mdcr_el2 |= APMU_MASK(MDCR_EL2, HPMD);
    MUST_EQ(apmu_why(&p, &pe, APMU_CYCLE), 0, "DP = 0");
    p.pmcr |= APMU_MASK(PMCR_EL0, DP);
    MUST_EQ(apmu_why(&p, &pe, APMU_CYCLE), APMU_WHY(HPMD), "DP = 1");
}

static void kvm_filters_hold_for_software_increments_and_chain(void)
{
    const uint64_t not_here = APMU_MASK(PMEVTYPER_EL0, P) | APMU_MASK(PMEVTYPER_EL0, NSK);

    begin(APMU_FEAT(AA64EL3) | APMU_FEAT(SEL2));
    p.typer[0] = APMU_EV_SW_INCR | not_here;
    apmu_settle(&p);
    POKE(PMSWINC_EL0, 0, 1);
    MUST_EQ(p.cntr[0], 100, "SW_INCR filtered at EL1");
    p.typer[2] = EVENT;
    p.typer[3] = APMU_EV_CHAIN | not_here;
    apmu_settle(&p);
    p.cntr[2] = UINT32_MAX;
    HAPPENS(1);
    MUST_EQ(p.cntr[3], 103, "CHAIN filtered at EL1");
}

static void kvm_software_increments_of_the_second_range_need_hpme_alone(void)
{
    begin(0);
    pe.el = 2;
    p.pmcr = 0;
    p.typer[HPMN] = APMU_EV_SW_INCR | APMU_MASK(PMEVTYPER_EL0, NSH);
    apmu_settle(&p);
    POKE(PMSWINC_EL0, 0, UINT64_C(1) << HPMN);
    MUST_EQ(p.cntr[HPMN], 100 + HPMN + 1, "PMCR.E = 0, HPME = 1");
}

static void kvm_pmselr_31_does_not_reach_pmccntr(void)
{
    begin(0);
    p.cntr[APMU_CYCLE] = 77;
    POKE(PMSELR_EL0, 0, 31);
    POKE(PMXEVCNTR_EL0, 0, 5);
    MUST_EQ(p.cntr[APMU_CYCLE], 77, "PMCCNTR_EL0 after a write of PMXEVCNTR_EL0");
    MUST_EQ(PEEK(PMXEVCNTR_EL0, 0), 0, "PMXEVCNTR_EL0");
}

static void kvm_a_refusal_by_pmuserenr_is_a_trap_with_ec_18(void)
{
    begin(0);
    pe.el = 0;
    const struct apmu_access a = apmu_access(&p, &pe, APMU_REG_PMCCNTR_EL0, 0, false);
    MUST(a.outcome == APMU_ACCESS_TRAP && a.el == 1, "outcome %d to EL%d", (int)a.outcome, a.el);
    MUST_EQ(a.ec, 0x18, "EC");
}

static void kvm_the_interrupt_does_not_ask_for_pmcnten(void)
{
    begin(0);
    p.cnten = 0;
    p.ovs = p.inten = 1;
    MUST(apmu_pmuirq(&p, &pe), "PMUIRQ is low for a counter that was disabled after its overflow");
}

static void kvm_pmcr_p_and_c_are_not_kept(void)
{
    begin(0);
    POKE(PMCR_EL0, 0, APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C));
    MUST_EQ(p.pmcr & (APMU_MASK(PMCR_EL0, P) | APMU_MASK(PMCR_EL0, C)), 0, "stored");
}

static void kvm_pmcr_d_divides(void)
{
    begin(0);
    p.pmcr = APMU_MASK(PMCR_EL0, E) | APMU_MASK(PMCR_EL0, D);
    p.cntr[APMU_CYCLE] = 0;
    apmu_cycles(&p, &pe, 640, &out);
    MUST_EQ(p.cntr[APMU_CYCLE], 10, "PMCCNTR_EL0 after 640 cycles");
}

static void kvm_a_32_bit_write_keeps_its_value(void)
{
    enum apmu_reg32 reg;
    unsigned n;

    begin(0);
    p.cntr[0] = UINT64_C(0xAAAAAAAA55555555);
    MUST(apmu_reg32_by_name("PMEVCNTR0", &reg, &n), "no register PMEVCNTR0");
    apmu_poke_a32(&p, &pe, reg, n, 0x12345678, &out);
    MUST_EQ(p.cntr[0] & UINT32_MAX, 0x12345678, "PMEVCNTR0");
}

/* ---------------------------------------------------------------------------------------------------------------
 * Arm's ASL of 2023, in Sail.
 */

static void sail_spme_prohibits_before_pmuv3p7_too(void)
{
    begin(APMU_FEAT(PMUv3p7) | APMU_FEAT(PMUv3p8) | APMU_FEAT(PMUv3p9));
    pe.scr_el3 &= ~APMU_MASK(SCR_EL3, NS);
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(SPME), "Secure EL1 with SPME = 0");
}

static void sail_root_el3_is_prohibited_as_secure_el3_is(void)
{
    begin(0);
    p.cfg.features |= APMU_FEAT(RME);
    apmu_settle(&p);
    pe.el = 3;
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(SPME), "EL3 with {SPME, MPMX} = {0, 0}");
    pe.mdcr_el3 = APMU_MASK(MDCR_EL3, SPME) | APMU_MASK(MDCR_EL3, SCCD);
    MUST_EQ(apmu_why(&p, &pe, APMU_CYCLE), APMU_WHY(SCCD), "the cycle counter with SCCD");
}

static void sail_the_cycle_counter_flag_does_not_freeze(void)
{
    begin(0);
    p.pmcr |= APMU_MASK(PMCR_EL0, FZO);
    p.ovs = UINT64_C(1) << APMU_CYCLE;
    MUST_EQ(apmu_why(&p, &pe, 0), 0, "FZO with PMOVS.C");
}

static void sail_spe_freezes(void)
{
    begin(0);
    p.cfg.features |= APMU_FEAT(SPEv1p2);
    apmu_settle(&p);
    p.pmcr |= APMU_MASK(PMCR_EL0, FZS);
    pe.pmblimitr_el1 = APMU_MASK(PMBLIMITR_EL1, E) | APMU_MASK(PMBLIMITR_EL1, PMFZ);
    pe.pmbsr_el1 = APMU_MASK(PMBSR_EL1, S);
    MUST_EQ(apmu_why(&p, &pe, 0), APMU_WHY(FZS), "PMBSR_EL1.S = 1");
}

int main(void)
{
    RUN(qemu_pmcr_p_at_el1_spares_the_counters_of_el2);
    RUN(qemu_registers_with_a_bit_for_each_counter_end_at_hpmn);
    RUN(qemu_second_range_interrupts_by_hpme_and_not_by_pmcr_e);
    RUN(qemu_pmuirq_follows_a_write_of_pmcr);
    RUN(qemu_chain_counts);
    RUN(qemu_divided_counter_is_due_after_64_cycles_a_count);
    RUN(qemu_counter_at_all_ones_overflows_with_the_next_event);
    RUN(qemu_no_overflow_is_lost_in_a_long_batch);
    RUN(qemu_filter_m_asks_for_el3_and_not_for_el1);
    RUN(qemu_secure_el2_has_its_own_filter);
    RUN(qemu_tpm_traps_what_pmuserenr_grants);
    RUN(qemu_tpmcr_traps_pmcr);
    RUN(gem5_enabling_again_keeps_the_count);
    RUN(gem5_every_counter_has_its_direct_registers);
    RUN(gem5_pmcr_n_is_the_number_of_counters);
    RUN(gem5_pmcr_lc_and_lp_are_kept);
    RUN(gem5_the_first_software_increment_counts);
    RUN(gem5_the_cycle_counter_has_bit_31_of_the_flags);
    RUN(gem5_the_interrupt_follows_its_enable);
    RUN(gem5_a_copy_is_the_whole_state);
    RUN(gem5_a_new_event_ends_the_old_one);
    RUN(kvm_hpmd_reaches_the_cycle_counter_by_dp_alone);
    RUN(kvm_filters_hold_for_software_increments_and_chain);
    RUN(kvm_software_increments_of_the_second_range_need_hpme_alone);
    RUN(kvm_pmselr_31_does_not_reach_pmccntr);
    RUN(kvm_a_refusal_by_pmuserenr_is_a_trap_with_ec_18);
    RUN(kvm_the_interrupt_does_not_ask_for_pmcnten);
    RUN(kvm_pmcr_p_and_c_are_not_kept);
    RUN(kvm_pmcr_d_divides);
    RUN(kvm_a_32_bit_write_keeps_its_value);
    RUN(sail_spme_prohibits_before_pmuv3p7_too);
    RUN(sail_root_el3_is_prohibited_as_secure_el3_is);
    RUN(sail_the_cycle_counter_flag_does_not_freeze);
    RUN(sail_spe_freezes);
    return tap_status;
}
