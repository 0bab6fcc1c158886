/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares answers to accesses, and signals, of a design with the unit's. */
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Answers.
 */

const char *tb_answer_text(int outcome)
{
    static const char *const texts[] = {"is performed", "reads as zero", "is ignored", "is UNDEFINED",
                                        "is CONSTRAINED UNPREDICTABLE", "traps", "is an error"};

    return outcome >= 0 && outcome < 7 ? texts[outcome] : "has no known outcome";
}

/* Returns whether the design may trap an access that the model leaves open: to EL2, as it must with FEAT_FGT. */
static bool may_trap(const struct apmu_tb *tb, uint64_t syndrome)
{
    struct apmu p = tb->p;
    struct apmu_pe pe = tb->pe;
    struct tb_access access = tb->last;

    p.cfg.features |= APMU_FEAT(FGT);
    pe.hdfgrtr_el2 = pe.hdfgwtr_el2 = 0;
    tb_access_decide(&p, &pe, &access, false, NULL);
    return access.result.outcome == APMU_ACCESS_TRAP && syndrome == tb_access_syndrome(&access.result);
}

/* Returns whether an access that is CONSTRAINED UNPREDICTABLE may have this outcome, by the setting beyond=. */
static bool permitted(const struct apmu_tb *tb, int outcome, uint64_t syndrome, uint64_t value)
{
    const bool any = tb->beyond == TB_BEYOND_ANY, zero = any || tb->beyond == TB_BEYOND_RAZWI;

    switch (outcome) {
    case APMU_ACCESS_OK:
        return any || (zero && (tb->last.write || value == 0));
    case APMU_ACCESS_RAZ:
        return zero && !tb->last.write;
    case APMU_ACCESS_WI:
        return zero && tb->last.write;
    case APMU_ACCESS_UNDEFINED:
        return tb->beyond != TB_BEYOND_RAZWI;
    case APMU_ACCESS_UNPREDICTABLE:
        return any;
    default:
        return any && outcome == APMU_ACCESS_TRAP && may_trap(tb, syndrome);
    }
}

/* Compares the outcome of an access that the model leaves open. */
static int check_open(struct apmu_tb *tb, const char *access, int outcome, uint64_t syndrome, uint64_t value)
{
    static const char *const musts[] = {
        [TB_BEYOND_ANY] = "may be UNDEFINED, RAZ/WI, a NOP or, with n < PMCR_EL0.N, a trap to EL2",
        [TB_BEYOND_UNDEFINED] = "must be UNDEFINED (beyond=undefined)",
        [TB_BEYOND_RAZWI] = "must be RAZ/WI (beyond=razwi)",
    };
    enum apmu_reg reg;
    unsigned n;

    if (!permitted(tb, outcome, syndrome, value)) {
        tb_mismatch(tb, "%s at EL%u %s and %s; the model leaves it open (CONSTRAINED UNPREDICTABLE: n >= %s)", access,
                    tb->pe.el, tb_answer_text(outcome), musts[tb->beyond], tb->last.result.control);
        return 1;
    }
    tb->open.waits = tb->last.write && outcome == APMU_ACCESS_OK && tb->beyond == TB_BEYOND_ANY &&
                     tb_access_reached(&tb->p, &tb->last, &reg, &n) &&
                     (reg == APMU_REG_PMXEVCNTR_EL0 || reg == APMU_REG_PMXEVTYPER_EL0);
    if (tb->open.waits) {
        tb->open.reg = reg == APMU_REG_PMXEVCNTR_EL0 ? APMU_REG_PMEVCNTR_EL0 : APMU_REG_PMEVTYPER_EL0;
        tb->open.value = tb->last.value;
    }
    return 0;
}

/* Compares what a read returned. */
static int check_value(struct apmu_tb *tb, const char *access, uint64_t value)
{
    const unsigned n = tb_access_counter(&tb->p, &tb->last);
    char cause[TB_SENTENCE / 2] = "";

    if (value != tb->last.value && n < APMU_COUNTERS) {
        tb_cause_of_read(tb, n, value, tb->last.value, cause, sizeof cause);
    }
    if (n < APMU_COUNTERS) {
        tb->missed[n].amount = 0;
    }
    if (value != tb->last.value) {
        tb_mismatch(tb, "%s at EL%u reads 0x%llX and must read 0x%llX%s", access, tb->pe.el, (tb_number)value,
                    (tb_number)tb->last.value, cause);
    }
    return value != tb->last.value;
}

int apmu_tb_check(struct apmu_tb *tb, int outcome, uint64_t syndrome, uint64_t value)
{
    const struct apmu_access *want = &tb->last.result;
    char access[160];

    tb_access_text(&tb->p, &tb->last, access, sizeof access);
    if (want->outcome == APMU_ACCESS_UNPREDICTABLE) {
        return check_open(tb, access, outcome, syndrome, value);
    }
    if (outcome != (int)want->outcome) {
        tb_mismatch(tb, "%s at EL%u %s and must be so that it %s%s%s", access, tb->pe.el, tb_answer_text(outcome),
                    tb_answer_text((int)want->outcome), want->control[0] != '\0' ? ": " : "", want->control);
        return 1;
    }
    if (want->outcome == APMU_ACCESS_TRAP && syndrome != apmu_tb_syndrome(tb)) {
        tb_mismatch(tb, "%s at EL%u traps to EL%u with EC 0x%02X, ISS 0x%07X and must to EL%u with EC 0x%02X, ISS "
                    "0x%07X: %s", access, tb->pe.el, (unsigned)(syndrome >> 32), (unsigned)(syndrome >> 26 & 63),
                    (unsigned)(syndrome & 0x1FFFFFF), want->el, want->ec, (unsigned)want->iss, want->control);
        return 1;
    }
    return !tb->last.write && want->outcome == APMU_ACCESS_OK ? check_value(tb, access, value) : 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Signals.
 */

/* Says what keeps overflows with an interrupt enable of 1 from PMUIRQ. */
static const char *cause_of_gate(const struct apmu_tb *tb, uint64_t asks)
{
    const struct apmu *p = &tb->p;
    const uint64_t events = (UINT64_C(1) << p->cfg.counters) - 1;
    const uint64_t R3 = events & ~((UINT64_C(1) << apmu_epmn(p, &tb->pe)) - 1);
    const uint64_t R2 = events & ~R3 & ~((UINT64_C(1) << apmu_hpmn(p, &tb->pe)) - 1);
    const bool R1_asks = (asks & ~R2 & ~R3) != 0;

    if ((R1_asks && APMU_GET(PMCR_EL0, E, p->pmcr) != 0) ||
        ((asks & R2) != 0 && APMU_GET(MDCR_EL2, HPME, tb->pe.mdcr_el2) != 0) ||
        ((asks & R3) != 0 && APMU_GET(PMCCR, EPME, p->ccr) != 0)) {
        return "PMEE asks for no interrupt";
    }
    return R1_asks ? "PMCR_EL0.E is 0" : (asks & R2) != 0 ? "MDCR_EL2.HPME is 0" : "PMCCR.EPME is 0";
}

/* Says why PMUIRQ has its level. */
static const char *cause_of_irq(const struct apmu_tb *tb)
{
    const uint64_t asks = tb->p.ovs & tb->p.inten;

    if (apmu_pmuirq(&tb->p, &tb->pe)) {
        return "an overflow flag is set whose interrupt and global enable are 1";
    }
    if (tb->p.ovs == 0) {
        return "no overflow flag is set";
    }
    return asks == 0 ? "PMINTENSET_EL1 enables none of the overflow flags" : cause_of_gate(tb, asks);
}

int apmu_tb_check_signals(struct apmu_tb *tb, uint32_t signals, uint32_t mask)
{
    static const char *const names[] = {"PMUIRQ", "the CTI trigger", "EDBGRQ", "the PMU Profiling exception",
                                        "its being synchronous", "its target (0)", "its target (1)",
                                        "the BRBE freeze of R1", "the BRBE freeze of R2"};
    const uint32_t want = apmu_tb_signals(tb), differ = (signals ^ want) & mask & 0x1FF;

    for (unsigned i = 0; i < 9; i++) {
        if ((differ >> i & 1) != 0) {
            tb_mismatch(tb, "%s is %u and must be %u%s%s", names[i], signals >> i & 1, want >> i & 1,
                        i == 0 ? ": " : "", i == 0 ? cause_of_irq(tb) : "");
        }
    }
    return differ != 0;
}
