/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: overflow flags, and the interrupts that they raise or do not raise. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "registers.h"

/* Returns true if the input says that the PMU's interrupt is PPI 7, INTID 23. */
static bool is_ppi_23(const struct registers_case *c)
{
    static const char *const words[] = {"intid 23", "intid23", "ppi 7",  "ppi7",         "ppi 23",  "bit 23",
                                        "id 23",    "irq 23",  "irq23",  "interrupt 23", "intid=23", "ppi #7"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasestr(c->r->text.joined, words[i]) != NULL ||
            (c->r->said != NULL && strcasestr(c->r->said, words[i]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Returns true if the input shows that the interrupt is masked; *@cure is what unmasks it, *@line where it is shown. */
static bool is_masked(const struct registers_case *c, const char **cure, const char **what, uint32_t *line)
{
    const struct reading_number *daif = &c->r->extras[READING_DAIF];
    const struct clue *told = reading_find(c->r, CLUE_words_gic_off);
    uint64_t masked;

    if (daif->known && (daif->value & 0x80) != 0) {
        *cure =
            "clear DAIF.I: msr daifclr, #2; and enable the PMU's interrupt in the GIC (PPI 23 or the SPI of the core)";
        *what = "DAIF.I (bit 7) is 1, so the core takes no interrupt";
        *line = daif->line;
        return true;
    }
    if (STATE_FIELD(c->s, PSTATE, 0, nRW, &masked) && (c->s->cells[APMU_REG_PSTATE].value & 0x80) != 0 &&
        (c->s->cells[APMU_REG_PSTATE].known & 0x80) != 0) {
        *cure = c->a32 ? "clear CPSR.I: cpsie i; and enable the PMU's interrupt in the GIC"
                       : "clear PSTATE.I: msr daifclr, #2; and enable the PMU's interrupt in the GIC";
        *what = "the I bit (bit 7) of PSTATE is 1, so the core takes no interrupt";
        *line = c->s->cells[APMU_REG_PSTATE].line;
        return true;
    }
    for (unsigned i = READING_GICD_CTLR; i <= READING_ICC_IGRPEN; i++) {
        const bool ppi = i == READING_GICD_ENABLE || i == READING_GICR_ENABLE;
        const bool zero = c->r->extras[i].known && c->r->extras[i].value == 0;
        const bool bit = c->r->extras[i].known && ppi && (c->r->extras[i].value >> 23 & 1) == 0 && is_ppi_23(c);

        if (zero || bit) {
            *cure = zero ? "unmask it in the GIC: GICD_CTLR, the PMU's bit of GICD_ISENABLER<n> or GICR_ISENABLER0, "
                           "ICC_PMR_EL1 = 0xff and ICC_IGRPEN1_EL1 = 1"
                         : "enable INTID 23 in the GIC: write 0x00800000 (bit 23) to GICD_ISENABLER0, with GICv3 to "
                           "GICR_ISENABLER0 of the core";
            *what = zero ? "the GIC keeps the interrupt out: this register is 0"
                         : "bit 23 of this ISENABLER0 is 0: the GIC keeps the PMU's PPI, INTID 23, out";
            *line = c->r->extras[i].line;
            return true;
        }
    }
    if (told != NULL) {
        *cure = "enable it in the GIC: the PMU's bit of GICD_ISENABLER<n>, or for a PPI of GICR_ISENABLER0 (PPI 23: "
                "bit 23)";
        *what = "the words say that the GIC keeps the interrupt out";
        *line = told->line;
    }
    return told != NULL;
}

/* Returns true if the words say that the handler runs, and nothing of one that does not. */
static bool handler_runs(const struct registers_case *c)
{
    static const char *const runs[] = {"in the isr", "in my isr",         "in the handler",     "my handler does",
                                       "isr does",   "nothing else than", "enters the handler", "again and again",
                                       "irq count",  "isr_count",         "isr count",          "irq_count"};
    static const char *const rests[] = {"never",     "not called", "no interrupt",    "calls: 0",
                                        "count = 0", "count: 0",   "count 0",         "does not ",
                                        "doesn't",   "not come",   "nothing happens", "no irq"};
    bool found = false;

    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        if (registers_say(c->r, rests[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        found |= registers_say(c->r, runs[i]);
    }
    return found && !registers_sees(c, READING_no_interrupt);
}

/* The interrupt is asserted. */
static void pending(const struct registers_case *c, uint64_t flags)
{
    const char *cure = NULL, *what = NULL;
    char because[400], clear[400], list[96], name[48], write[240];
    const bool zero = registers_sees(c, READING_zero);
    uint32_t line = 0;

    suspect_text(clear, "in the handler write 0x%" PRIx64 " to %s%s", flags,
                 registers_name(c, APMU_REG_PMOVSCLR_EL0, 0, name),
                 registers_write(c, APMU_REG_PMOVSCLR_EL0, 0, flags, 0, write));
    if (registers_sees(c, READING_storm) || handler_runs(c)) {
        registers_suspect(c, WHY_overflow_flag_never_cleared, SUSPECT_CERTAIN, 75, APMU_REG_PMOVSSET_EL0, 0, clear,
                          "the flag of counter %s is still set, so the interrupt stays asserted",
                          why_counter_list(flags, list));
        return;
    }
    if (is_masked(c, &cure, &what, &line)) {
        suspect_text(because, "flag and enable of counter %s are set, and %s", why_counter_list(flags, list), what);
        suspect_add(c->all, WHY_irq_not_unmasked, SUSPECT_CERTAIN, line, because, cure)->weight = 72;
    } else if (registers_sees(c, READING_no_interrupt)) {
        registers_suspect(
            c, WHY_irq_not_unmasked, SUSPECT_LIKELY, 60, APMU_REG_PMOVSSET_EL0, 0,
            "enable the PMU's interrupt in the GIC (PPI 23 on most boards, or an SPI for each core), raise "
            "ICC_PMR_EL1, and clear the I bit: msr daifclr, #2",
            "flag and enable of counter %s are set, so the PMU asks for the interrupt", why_counter_list(flags, list));
    }
    suspect_text(because, "%s; unmask it in the GIC and clear PSTATE.I if the handler is never called", clear);
    registers_suspect(c, WHY_interrupt_pending_not_handled, zero ? SUSPECT_POSSIBLE : SUSPECT_CERTAIN, zero ? 20 : 55,
                      APMU_REG_PMOVSSET_EL0, 0, because,
                      "the overflow flag and the interrupt enable of counter %s are both set",
                      why_counter_list(flags, list));
}

/* An overflow asks for no interrupt. */
static void not_enabled(const struct registers_case *c, uint64_t flags, uint64_t enables)
{
    const bool missed = registers_sees(c, READING_no_interrupt);
    const uint64_t wanted = flags != 0 ? flags : c->focus;
    char cure[400], list[96], name[48], write[240];

    if (!missed && (flags == 0 || c->symptom || registers_sees(c, READING_good) || (enables & ~flags) == 0)) {
        return;
    }
    suspect_text(cure, "write 0x%" PRIx64 " to %s%s", wanted, registers_name(c, APMU_REG_PMINTENSET_EL1, 0, name),
                 registers_write(c, APMU_REG_PMINTENSET_EL1, 0, wanted, 0, write));
    registers_suspect(c, WHY_overflow_interrupt_not_enabled, missed ? SUSPECT_CERTAIN : SUSPECT_LIKELY,
                      missed ? 70 : 50, APMU_REG_PMINTENSET_EL1, 0, cure,
                      "the bit of counter %s in %s is 0, so an overflow asks for no interrupt",
                      why_counter_list(wanted, list), name);
}

void registers_irq(const struct registers_case *c)
{
    const uint64_t exist = (UINT64_C(1) << c->w->model.cfg.counters) - 1;
    const uint64_t all = exist | REGISTERS_CYCLE | UINT64_C(1) << APMU_INSTR;
    const uint64_t flags = registers_value(c, APMU_REG_PMOVSSET_EL0, 0) & all;
    const uint64_t enables = registers_value(c, APMU_REG_PMINTENSET_EL1, 0) & all;
    const uint64_t known = registers_known(c, APMU_REG_PMINTENSET_EL1, 0);
    const bool on =
        (registers_value(c, APMU_REG_PMCR_EL0, 0) & 1) != 0 || (registers_known(c, APMU_REG_PMCR_EL0, 0) & 1) == 0;

    if ((flags & enables) != 0 && on) {
        pending(c, flags & enables);
    } else if (known != 0 && (enables & (flags != 0 ? flags : c->focus)) == 0) {
        not_enabled(c, flags, enables);
    }
    if ((registers_sees(c, READING_storm) || registers_say(c->r, "poll")) && (flags & enables) == 0 && flags != 0) {
        registers_suspect(c, WHY_overflow_flag_never_cleared, SUSPECT_CERTAIN, 70, APMU_REG_PMOVSSET_EL0, 0,
                          "write the set bits to PMOVSCLR_EL0 (ARMv7: PMOVSR)", "an overflow flag is still set");
    }
}
