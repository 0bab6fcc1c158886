/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INST_RETIRED and CPU_CYCLES around exceptions.  The counter counts at one level only, so that handlers at others
 * are not in the count, and the count is known by inspection (except_code.S).  An instruction that raises an
 * exception does not retire, but takes its cycle.
 */
#include "../../hardware/bare/rt.h"
#include "levels.h"

#define EL0 0x3C0u
#define EL1 0x3C5u
#define EL2 0x3C9u
#define SVC 0x1D3u

#define SCR 0x531u /* NS, RES1, HCE, RW: SMC is enabled */
#define HCR_RW (UINT64_C(1) << 31)
#define HCR_TWI (UINT64_C(1) << 13)
#define HCR_TID3 (UINT64_C(1) << 18)
#define HCR_TSC (UINT64_C(1) << 19)
#define MDCR_EL2_TPMCR (UINT64_C(1) << 5)
#define HPMN 6u
#define CPTR_EL2_TFP (UINT64_C(1) << 10)
#define CPACR_FPEN (UINT64_C(3) << 20)
#define SCTLR_nTWI (UINT64_C(1) << 16)
#define SCTLR_UCI_UCT_DZE (UINT64_C(1) << 26 | UINT64_C(1) << 15 | UINT64_C(1) << 14)
#define SCTLR_M UINT64_C(1)
#define SCTLR_RES1 0x30D00800u
#define SCTLR_A32 0x00C50818u
#define INST_RETIRED 8u
#define CPU_CYCLES 0x11u
#define TYPER_P (UINT64_C(1) << 31)
#define TYPER_U (UINT64_C(1) << 30)
#define TYPER_NSH (UINT64_C(1) << 27)
#define TYPER_M (UINT64_C(1) << 26)
#define RAM_END UINT64_C(0x48000000) /* the machine has 128 MiB by default */
#define HANDLER 13 /* instructions of a handler in except_code.S at the level that counts */
#define HANDLER_PC 9
#define HANDLER_A32 1
#define NOWHERE UINT64_C(0x100000000000) /* above all memory and devices */

int main(void);
uint64_t except_call_at(uint64_t spsr, uint64_t (*window)(void), uint64_t x4);
uint64_t except_call_a32(uint64_t spsr, uint64_t (*window)(void));
uint64_t except_window_nop(void), except_window_undefined(void), except_window_unknown_register(void);
uint64_t except_window_fp(void), except_window_counter_timer(void), except_window_pmcr(void), except_window_id(void);
uint64_t except_window_svc(void), except_window_hvc(void), except_window_smc(void), except_window_load(void);
uint64_t except_window_store(void), except_window_wfi(void), except_window_ldp(void), except_window_stp(void);
uint64_t except_window_ldp_fp(void), except_window_modifies(void), except_window_modifies_ahead(void);
uint64_t except_window_brk(void), except_window_pc(void), except_window_bti(void);
uint64_t except_window_a32_nop(void), except_window_a32_undefined(void), except_window_a32_bkpt(void);
uint64_t except_window_a32_mrs_own(void), except_window_a32_msr_own(void), except_window_a32_mrs_other(void);
uint64_t except_window_a32_vmrs(void);
extern char vectors_a32[], vectors_el1[];

struct except_controls {
    uint64_t hcr, mdcr_el2, cptr_el2, cpacr, sctlr, cntkctl, cnthctl;
};

static uint64_t data;
static uint64_t event; /* what the counter counts */
static const char *level;

/* The physical timer of EL1, for which WFI waits.  Its interrupt is enabled, but masked. */
#define GICD_ISENABLER0 (*(volatile uint32_t *)0x08000100)
#define TIMER_INTID 30u

/* Has the timer signal its interrupt in @ticks ticks of the system counter; 0: now. */
static void set_timer(uint64_t ticks)
{
    rt_gic_enable(1);
    GICD_ISENABLER0 = 1u << TIMER_INTID;
    MSR("cntp_cval_el0", MRS("cntpct_el0") + ticks);
    MSR("cntp_ctl_el0", 1);
}

/* Returns what the counter counts around @window at the level of @spsr, under the controls @c. */
static uint64_t run(unsigned spsr, uint64_t (*window)(void), const struct except_controls *c, uint64_t x4)
{
    const unsigned el = spsr >> 2 & 3;

    MSR("scr_el3", SCR);
    MSR("hcr_el2", HCR_RW | c->hcr);
    MSR("mdcr_el2", HPMN | c->mdcr_el2);
    MSR("cptr_el2", 0x33FF | c->cptr_el2);
    MSR("cptr_el3", 0);
    MSR("cpacr_el1", c->cpacr);
    MSR("sctlr_el1", SCTLR_RES1 | SCTLR_UCI_UCT_DZE | c->sctlr);
    MSR("cntkctl_el1", c->cntkctl);
    MSR("cnthctl_el2", c->cnthctl);
    MSR("tpidr_el0", el);
    /* Counts at that level only; at EL3 only if M equals P. */
    MSR("pmevtyper0_el0", event | (el == 0   ? TYPER_P
                                          : el == 1 ? TYPER_U | TYPER_M
                                                    : TYPER_P | TYPER_U | TYPER_NSH));
    return except_call_at(spsr, window, x4);
}

/* Does the same at AArch32 EL1, in Supervisor mode without an MMU. */
static uint64_t run_a32(uint64_t (*window)(void), uint64_t hcr)
{
    MSR("scr_el3", SCR);
    MSR("hcr_el2", hcr);
    MSR("mdcr_el2", HPMN);
    MSR("cptr_el2", 0x33FF);
    MSR("cptr_el3", 0);
    MSR("cpacr_el1", CPACR_FPEN);
    MSR("sctlr_el1", SCTLR_A32);
    MSR("vbar_el1", vectors_a32);
    MSR("pmevtyper0_el0", event | TYPER_U | TYPER_M);
    const uint64_t count = (uint32_t)except_call_a32(SVC, window);

    MSR("vbar_el1", vectors_el1);
    return count;
}

/*
 * Checks both events of @window at the level of @spsr: INST_RETIRED is @want, and CPU_CYCLES @raises more, because
 * @raises instructions take a cycle and do not retire.
 */
static void check(const char *name, unsigned spsr, uint64_t (*window)(void), uint64_t x4, uint64_t want,
                  uint64_t raises, const struct except_controls *c)
{
    event = INST_RETIRED;
    rt_context(level, "");
    rt_equal(name, run(spsr, window, c, x4), want);
    event = CPU_CYCLES;
    rt_context(level, "cycles of ");
    rt_equal(name, run(spsr, window, c, x4), want + raises);
}

/* Does the same at AArch32 EL1. */
static void check_a32(const char *name, uint64_t (*window)(void), uint64_t hcr, uint64_t want, uint64_t raises)
{
    event = INST_RETIRED;
    rt_context(level, "");
    rt_equal(name, run_a32(window, hcr), want);
    event = CPU_CYCLES;
    rt_context(level, "cycles of ");
    rt_equal(name, run_a32(window, hcr), want + raises);
}

/*
 * Check a window in which no instruction raises an exception, and one in which one instruction does.  The arguments
 * after @want are members of struct except_controls.
 */
#define CHECK(name, level, window, x4, want, ...) \
    check(name, level, window, x4, want, 0, &(const struct except_controls){__VA_ARGS__})
#define RAISES(name, level, window, x4, want, ...) \
    check(name, level, window, x4, want, 1, &(const struct except_controls){__VA_ARGS__})
#define PLAIN .cpacr = CPACR_FPEN, .sctlr = SCTLR_nTWI, .cntkctl = 3, .cnthctl = 3

static void at_el0(void)
{
    level = "EL0, ";
    CHECK("a NOP", EL0, except_window_nop, 0, 14, PLAIN);
    RAISES("UNDEFINED", EL0, except_window_undefined, 0, 13, PLAIN);
    RAISES("a register that does not exist", EL0, except_window_unknown_register, 0, 13, PLAIN);
    CHECK("FP, which is enabled", EL0, except_window_fp, 0, 14, PLAIN);
    RAISES("FP, trapped by CPACR_EL1", EL0, except_window_fp, 0, 13, .sctlr = SCTLR_nTWI);
    RAISES("FP, trapped by CPTR_EL2", EL0, except_window_fp, 0, 13, PLAIN, .cptr_el2 = CPTR_EL2_TFP);
    CHECK("a timer register", EL0, except_window_counter_timer, 0, 14, PLAIN);
    RAISES("a timer register, trapped to EL1", EL0, except_window_counter_timer, 0, 13, .cpacr = CPACR_FPEN);
    RAISES("PMCR_EL0, trapped by MDCR_EL2.TPMCR", EL0, except_window_pmcr, 0, 13, PLAIN, .mdcr_el2 = MDCR_EL2_TPMCR);
    RAISES("a register of EL1", EL0, except_window_id, 0, 13, PLAIN);
    RAISES("BRK", EL0, except_window_brk, 0, 13, PLAIN);
    RAISES("a branch to a PC that is not aligned", EL0, except_window_pc, 0, 16, PLAIN);
    CHECK("SVC", EL0, except_window_svc, 0, 14, PLAIN);
    RAISES("HVC, UNDEFINED", EL0, except_window_hvc, 0, 13, PLAIN);
    CHECK("a load", EL0, except_window_load, (uintptr_t)&data, 14, PLAIN);
    RAISES("a load that aborts", EL0, except_window_load, NOWHERE, 13, PLAIN);
    RAISES("a store that aborts", EL0, except_window_store, NOWHERE, 13, PLAIN);
    CHECK("a pair", EL0, except_window_ldp, RAM_END - 16, 14, PLAIN);
    RAISES("LDP of which a half aborts", EL0, except_window_ldp, RAM_END - 8, 13, PLAIN);
    RAISES("STP of which a half aborts", EL0, except_window_stp, RAM_END - 8, 13, PLAIN);
    RAISES("LDP of Q registers of which the second aborts", EL0, except_window_ldp_fp, RAM_END - 16, 13, PLAIN);
    set_timer(0);
    CHECK("WFI that need not wait", EL0, except_window_wfi, 0, 14, PLAIN);
    set_timer(1000000);
    CHECK("WFI that waits", EL0, except_window_wfi, 0, 14, PLAIN);
    MSR("cntp_ctl_el0", 0);
    RAISES("WFI, trapped to EL1", EL0, except_window_wfi, 0, 13, .cpacr = CPACR_FPEN);
    RAISES("WFI, trapped to EL2", EL0, except_window_wfi, 0, 13, PLAIN, .hcr = HCR_TWI);
    CHECK("code that is modified", EL0, except_window_modifies, 0, 19, PLAIN);
    CHECK("code that is modified, again", EL0, except_window_modifies, 0, 19, PLAIN);
    CHECK("code that is modified just ahead", EL0, except_window_modifies_ahead, 0, 14, PLAIN);
}

/* Checks with the MMU on and an identity map, in which the pages of the RAM are guarded. */
static void at_el1_guarded(void)
{
    static uint64_t level1[512] __attribute__((aligned(4096)));
    const uint64_t block = 0x401, guarded = UINT64_C(1) << 50;

    if ((MRS("id_aa64pfr1_el1") & 0xF) == 0) {
        return; /* no FEAT_BTI */
    }
    level1[1] = UINT64_C(0x40000000) | block | guarded;
    MSR("mair_el1", 0xFF);
    MSR("ttbr0_el1", (uintptr_t)level1);
    MSR("tcr_el1", UINT64_C(1) << 23 | 25);
    __asm__ volatile("dsb sy\n\ttlbi alle1\n\tdsb sy\n\tisb" : : : "memory");
    level = "EL1, guarded pages, ";
    RAISES("a branch to no landing pad", EL1, except_window_bti, 0, 16 + HANDLER, .cpacr = CPACR_FPEN,
          .sctlr = SCTLR_nTWI | SCTLR_M);
}

static void at_el1(void)
{
    level = "EL1, ";
    CHECK("a NOP", EL1, except_window_nop, 0, 14, PLAIN);
    RAISES("BRK", EL1, except_window_brk, 0, 13 + HANDLER, PLAIN);
    RAISES("a branch to a PC that is not aligned", EL1, except_window_pc, 0, 16 + HANDLER_PC, PLAIN);
    CHECK("HVC", EL1, except_window_hvc, 0, 14, PLAIN);
    CHECK("SMC", EL1, except_window_smc, 0, 14, PLAIN);
    RAISES("SMC, trapped by HCR_EL2.TSC", EL1, except_window_smc, 0, 13, PLAIN, .hcr = HCR_TSC);
    CHECK("an ID register", EL1, except_window_id, 0, 14, PLAIN);
    RAISES("an ID register, trapped by HCR_EL2.TID3", EL1, except_window_id, 0, 13, PLAIN, .hcr = HCR_TID3);
    RAISES("FP, trapped by CPTR_EL2", EL1, except_window_fp, 0, 13, PLAIN, .cptr_el2 = CPTR_EL2_TFP);
    RAISES("WFI, trapped to EL2", EL1, except_window_wfi, 0, 13, PLAIN, .hcr = HCR_TWI);
    CHECK("code that is modified", EL1, except_window_modifies, 0, 19, PLAIN);
    CHECK("code that is modified just ahead", EL1, except_window_modifies_ahead, 0, 14, PLAIN);
}

static void at_el2(void)
{
    level = "EL2, ";
    CHECK("a NOP", EL2, except_window_nop, 0, 14, PLAIN);
    CHECK("SMC", EL2, except_window_smc, 0, 14, PLAIN);
    CHECK("FP", EL2, except_window_fp, 0, 14, PLAIN);
}

static void at_a32(void)
{
    level = "AArch32 EL1, ";
    check_a32("a NOP", except_window_a32_nop, 0, 14, 0);
    check_a32("UNDEFINED", except_window_a32_undefined, 0, 13 + HANDLER_A32, 1);
    check_a32("BKPT", except_window_a32_bkpt, 0, 13 + HANDLER_A32, 1);
    check_a32("MRS of a banked register", except_window_a32_mrs_other, 0, 14, 0);
    check_a32("MRS of the mode's own register, UNDEFINED", except_window_a32_mrs_own, 0, 13 + HANDLER_A32, 1);
    check_a32("MSR of the mode's own register, UNDEFINED", except_window_a32_msr_own, 0, 13 + HANDLER_A32, 1);
    check_a32("VMRS", except_window_a32_vmrs, 0, 14, 0);
    check_a32("VMRS, trapped by HCR_EL2.TID3", except_window_a32_vmrs, HCR_TID3, 13, 1);
}

int main(void)
{
    MSR("pmuserenr_el0", 1);
    MSR("pmcntenset_el0", 1);
    MSR("mdcr_el3", 0);
    MSR("pmcr_el0", 1);
    at_el0();
    at_el1();
    at_el1_guarded();
    at_el2();
    at_a32();
    return rt_status();
}
