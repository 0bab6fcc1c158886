/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on registers: overflow flags, and the interrupts that they raise or do not raise. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

#define PPIS UINT64_C(0x01ff0000) /* INTIDs that may be the PMU's: timers and the like have 25 to 31 */

/* What keeps the interrupt from the core. */
struct mask {
    char cure[400], what[200];
    uint32_t line; /* where it is shown */
};

/* Returns true if @text names the PMU's interrupt as PPI 7, INTID 23: "INTID is 23", "PPI 7", "irq = 23". */
static bool names_ppi_23(const char *text)
{
    static const char *const words[] = {"id", "irq", "interrupt", "bit", "ppi"};

    for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++) {
        for (const char *at = strcasestr(text, words[i]); at != NULL; at = strcasestr(at + 1, words[i])) {
            const char *number = at + strlen(words[i]);
            unsigned long value;

            number += strspn(number, " =:#(");
            number += strncasecmp(number, "is ", 3) == 0 ? 3 : 0;
            number += strspn(number, " =:#(");
            value = strtoul(number, NULL, 10);
            if (value == 23 || (value == 7 && words[i][0] == 'p')) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Returns the INTID of the private interrupt that the input shows to be pending and not enabled, and stores the line of
 * the enables in *@line; 0: none, or it does not tell which one is the PMU's.
 */
static unsigned waiting_ppi(const struct registers_case *c, uint32_t *line)
{
    const struct reading_number *x = c->r->extras;
    const bool redistributor = x[READING_GICR_ENABLE].known && x[READING_GICR_PENDING].known;
    const struct reading_number *enable = &x[redistributor ? READING_GICR_ENABLE : READING_GICD_ENABLE];
    const struct reading_number *pending = &x[redistributor ? READING_GICR_PENDING : READING_GICD_PENDING];
    const uint64_t waits = enable->known && pending->known ? pending->value & ~enable->value & PPIS : 0;
    unsigned id = 16;

    *line = enable->line;
    if ((waits >> 23 & 1) != 0) {
        return 23;
    }
    if (waits == 0 || (waits & (waits - 1)) != 0) {
        return 0;
    }
    while ((waits >> id & 1) == 0) {
        id++;
    }
    return id;
}

/* Fills @m with an interrupt that ISENABLER0 keeps out.  @pending: ISPENDR0 shows it. */
static void mask_ppi(struct mask *m, unsigned id, bool pending)
{
    snprintf(m->cure, sizeof m->cure,
             "enable INTID %u in the GIC: write 0x%08x (bit %u) to GICD_ISENABLER0, with GICv3 to GICR_ISENABLER0 of "
             "the core", id, 1u << id, id);
    snprintf(m->what, sizeof m->what, "%sbit %u of this ISENABLER0 is 0: the GIC keeps the PMU's PPI, INTID %u, out",
             pending ? "it is pending in ISPENDR0, and " : "", id, id);
}

/* Returns true if a register of the GIC shows that it keeps the interrupt out. */
static bool gic_masks(const struct registers_case *c, struct mask *m)
{
    const bool ppi_23 = names_ppi_23(c->r->text.joined) || names_ppi_23(c->r->said);
    const unsigned waiting = waiting_ppi(c, &m->line);

    if (waiting != 0) {
        mask_ppi(m, waiting, true);
        return true;
    }
    for (unsigned i = READING_GICD_CTLR; i <= READING_ICC_IGRPEN; i++) {
        const struct reading_number *x = &c->r->extras[i];
        const bool ppi = i == READING_GICD_ENABLE || i == READING_GICR_ENABLE;

        if (!x->known || (x->value != 0 && !(ppi && ppi_23 && (x->value >> 23 & 1) == 0))) {
            continue;
        }
        m->line = x->line;
        if (x->value != 0) {
            mask_ppi(m, 23, false);
            return true;
        }
        snprintf(m->cure, sizeof m->cure,
                 "unmask it in the GIC: GICD_CTLR, the PMU's bit of GICD_ISENABLER<n> or GICR_ISENABLER0, ICC_PMR_EL1 "
                 "= 0xff and ICC_IGRPEN1_EL1 = 1; GICv2: GICC_PMR = 0xff and GICC_CTLR = 1");
        snprintf(m->what, sizeof m->what, "the GIC keeps the interrupt out: this register is 0");
        return true;
    }
    return false;
}

/* Returns true if the input shows that the interrupt is masked, and fills @m. */
static bool is_masked(const struct registers_case *c, struct mask *m)
{
    const struct reading_number *daif = &c->r->extras[READING_DAIF];
    const struct clue *told = reading_find(c->r, CLUE_words_gic_off);
    uint64_t masked;

    if (daif->known && (daif->value & 0x80) != 0) {
        snprintf(m->cure, sizeof m->cure,
                 "clear DAIF.I: msr daifclr, #2; and enable the PMU's interrupt in the GIC (PPI 23 or the SPI of the "
                 "core)");
        snprintf(m->what, sizeof m->what, "DAIF.I (bit 7) is 1, so the core takes no interrupt");
        m->line = daif->line;
        return true;
    }
    if (STATE_FIELD(c->s, PSTATE, 0, nRW, &masked) && (c->s->cells[APMU_REG_PSTATE].value & 0x80) != 0 &&
        (c->s->cells[APMU_REG_PSTATE].known & 0x80) != 0) {
        snprintf(m->cure, sizeof m->cure, "clear %s; and enable the PMU's interrupt in the GIC",
                 c->a32 ? "CPSR.I: cpsie i" : "PSTATE.I: msr daifclr, #2");
        snprintf(m->what, sizeof m->what, "the I bit (bit 7) of PSTATE is 1, so the core takes no interrupt");
        m->line = c->s->cells[APMU_REG_PSTATE].line;
        return true;
    }
    if (gic_masks(c, m)) {
        return true;
    }
    const struct clue *off = reading_find(c->r, CLUE_exception_gic_off);

    if (off != NULL) {
        snprintf(m->cure, sizeof m->cure, "enable interrupt %u in the GIC: bit %u of GICD_ISENABLER%u",
                 (unsigned)off->values[0], (unsigned)off->values[0] % 32, (unsigned)off->values[0] / 32);
        snprintf(m->what, sizeof m->what, "interrupt %u is pending in the GIC's distributor and not enabled there",
                 (unsigned)off->values[0]);
        m->line = off->line;
        return true;
    }
    if (told != NULL) {
        snprintf(m->cure, sizeof m->cure,
                 "enable it in the GIC: the PMU's bit of GICD_ISENABLER<n>, or for a PPI of GICR_ISENABLER0 (PPI 23: "
                 "bit 23)");
        snprintf(m->what, sizeof m->what, "the words say that the GIC keeps the interrupt out");
        m->line = told->line;
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

/* Returns true if @text, a line of a disassembly, has the instruction @mnemonic with @operand, "" for any. */
static bool has_instruction(const char *text, const char *mnemonic, const char *operand)
{
    const size_t length = strlen(mnemonic);

    for (const char *at = strcasestr(text, mnemonic); at != NULL; at = strcasestr(at + 1, mnemonic)) {
        if (at > text && isspace((unsigned char)at[-1]) && !isalnum((unsigned char)at[length]) &&
            strcasestr(at + length, operand) != NULL) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if a debugger stops in the handler twice and shows its code to the end, in which nothing writes
 * PMOVSCLR: "Breakpoint 2, pmu_isr ()" and a disassembly with RET or ERET.
 */
static bool handler_keeps_flag(const struct registers_case *c)
{
    static const char *const names[] = {"isr", "irq", "handler", "pmi"};
    unsigned stops = 0;
    bool ends = false;

    for (size_t i = 0; i < c->r->text.count && i < 2000; i++) {
        const char *line = c->r->text.lines[i].text, *at = strcasestr(line, "breakpoint ");
        bool handler = false;

        for (size_t n = 0; at != NULL && n < sizeof names / sizeof names[0]; n++) {
            handler |= strcasestr(at, names[n]) != NULL;
        }
        stops += handler;
        ends |=
            has_instruction(line, "ret", "") || has_instruction(line, "eret", "") || has_instruction(line, "bx", "lr");
        if (has_instruction(line, "msr", "pmovsclr") || has_instruction(line, "msr", "pmcr") ||
            has_instruction(line, "bl", "") || has_instruction(line, "mcr", "c9")) {
            return false; /* it clears the flag, or what it calls may */
        }
    }
    return stops >= 2 && ends;
}

/* The interrupt is asserted. */
static void pending(const struct registers_case *c, uint64_t flags)
{
    struct mask mask = {0};
    char because[400], clear[400], list[96], name[48], write[240];
    const bool zero = registers_sees(c, READING_zero), unheard = registers_sees(c, READING_no_interrupt);
    const bool open = c->r->extras[READING_GICD_ENABLE].known || c->r->extras[READING_GICR_ENABLE].known;
    const bool weak = zero || (unheard && !open); /* it follows from what keeps the interrupt out */

    suspect_text(clear, "in the handler write 0x%" PRIx64 " to %s%s", flags,
                 registers_name(c, APMU_REG_PMOVSCLR_EL0, 0, name),
                 registers_write(c, APMU_REG_PMOVSCLR_EL0, 0, flags, 0, write));
    if (registers_sees(c, READING_storm) || handler_runs(c) || handler_keeps_flag(c)) {
        registers_suspect(c, WHY_overflow_flag_never_cleared, SUSPECT_CERTAIN, 75, APMU_REG_PMOVSSET_EL0, 0, clear,
                          "the flag of counter %s is still set, so the interrupt stays asserted",
                          why_counter_list(flags, list));
        return;
    }
    if (is_masked(c, &mask)) {
        suspect_text(because, "flag and enable of counter %s are set, and %s", why_counter_list(flags, list),
                     mask.what);
        suspect_add(c->all, WHY_irq_not_unmasked, SUSPECT_CERTAIN, mask.line, because, mask.cure)->weight = 72;
        return; /* that it is pending and not handled follows */
    }
    if (unheard) {
        registers_suspect(
            c, WHY_irq_not_unmasked, SUSPECT_LIKELY, 60, APMU_REG_PMOVSSET_EL0, 0,
            "enable the PMU's interrupt in the GIC (PPI 23 on most boards, or an SPI for each core), raise "
            "ICC_PMR_EL1, and clear the I bit: msr daifclr, #2",
            "flag and enable of counter %s are set, so the PMU asks for the interrupt", why_counter_list(flags, list));
    }
    suspect_text(because, "%s; unmask it in the GIC and clear PSTATE.I if the handler is never called", clear);
    registers_suspect(c, WHY_interrupt_pending_not_handled, weak ? SUSPECT_POSSIBLE : SUSPECT_CERTAIN,
                      weak ? 20 : 55, APMU_REG_PMOVSSET_EL0, 0, because,
                      "the overflow flag and the interrupt enable of counter %s are both set",
                      why_counter_list(flags, list));
}

/* Returns true if one of @flags freezes the counters. */
static bool is_frozen(const struct registers_case *c, uint64_t flags)
{
    return flags != 0 && APMU_GET(PMCR_EL0, FZO, registers_value(c, APMU_REG_PMCR_EL0, 0)) != 0;
}

/* An overflow asks for no interrupt. */
static void not_enabled(const struct registers_case *c, uint64_t flags, uint64_t enables)
{
    const bool served = registers_say(c->r, "handler") || registers_say(c->r, "isr") ||
                        registers_say(c->r, "interrupt");
    const bool missed = registers_sees(c, READING_no_interrupt) ||
                        (served && flags != 0 && (enables & ~flags) != 0 && registers_sees(c, READING_wraps) &&
                         !registers_sees(c, READING_storm));
    const bool unwanted = reading_find(c->r, CLUE_words_no_irq_wanted) != NULL;
    const uint64_t wanted = flags != 0 ? flags : c->focus;
    char cure[400], list[96], name[48], write[240];

    if (is_frozen(c, flags) && (registers_sees(c, READING_stuck) || registers_sees(c, READING_zero))) {
        return; /* the flag freezes the counters: that is what is seen */
    }
    if (!missed && (unwanted || flags == 0 || c->symptom || registers_sees(c, READING_good) ||
                    (enables & ~flags) == 0)) {
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
    struct mask mask = {0};
    const bool told = registers_known(c, APMU_REG_PMOVSSET_EL0, 0) == 0 && registers_sees(c, READING_no_interrupt) &&
                      reading_find(c->r, CLUE_words_flag_set) != NULL && is_masked(c, &mask); /* words give the flag */
    const uint64_t flags = registers_value(c, told ? APMU_REG_PMINTENSET_EL1 : APMU_REG_PMOVSSET_EL0, 0) & all;
    const uint64_t enables = registers_value(c, APMU_REG_PMINTENSET_EL1, 0) & all;
    const uint64_t known = registers_known(c, APMU_REG_PMINTENSET_EL1, 0);
    const bool on =
        (registers_value(c, APMU_REG_PMCR_EL0, 0) & 1) != 0 || (registers_known(c, APMU_REG_PMCR_EL0, 0) & 1) == 0;

    if ((flags & enables) != 0 && on) {
        pending(c, flags & enables);
    } else if (known != 0 && (enables & (flags != 0 ? flags : c->focus)) == 0) {
        not_enabled(c, flags, enables);
    }
    if ((registers_sees(c, READING_storm) || (registers_say(c->r, "poll") && !is_frozen(c, flags))) &&
        (flags & enables) == 0 && flags != 0) {
        registers_suspect(c, WHY_overflow_flag_never_cleared, SUSPECT_CERTAIN, 70, APMU_REG_PMOVSSET_EL0, 0,
                          "write the set bits to PMOVSCLR_EL0 (ARMv7: PMOVSR)", "an overflow flag is still set");
    }
}
