/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code: preloads of the cycle counter, whose overflow is of 32 or of 64 bits. */
#include "code.h"

/* Finds a cycle counter that is preloaded with 32 bits for an interrupt, while its overflow is that of 64 bits. */
static void check_short_preload(struct code_case *k)
{
    const struct code_value *pmcr = &k->last.pmcr.value;

    for (size_t i = 0; i < k->c->step_count && (pmcr->known & pmcr->bits & 0x40) != 0 && k->sees[READING_no_interrupt];
         i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMCCNTR) && s->value.known == UINT64_MAX && s->value.bits >> 32 == 0 &&
            s->value.bits >> 31 != 0 && (k->last.inten.value.bits >> 31 & 1) != 0) {
            code_suspect(k, WHY_cycle_overflow_at_32_bits, SUSPECT_CERTAIN, i,
                         "LC (bit 6 of PMCR) is 1, so the cycle counter overflows at 64 bits, and this preloads 32",
                         "preload 64 bits, -(uint64_t)period; or write LC, bit 6 of PMCR, as 0")
                ->weight = 70;
            suspect_clear(k->all, WHY_irq_not_unmasked);
            return;
        }
    }
}

/* Finds a cycle counter that is preloaded for more than 2^32 cycles while its overflow is that of 32 bits. */
static void check_long_period(struct code_case *k)
{
    const struct code_cell *pmcr = &k->last.pmcr;
    const bool lc_clear = pmcr->line != 0 && (pmcr->value.known & 0x40) != 0 && (pmcr->value.bits & 0x40) == 0;
    char cure[400], text[160];

    for (size_t i = 0; i < k->c->step_count && lc_clear; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMCCNTR) && s->width == 64 && (s->value.known >> 32) == UINT32_MAX &&
            (s->value.bits >> 63) != 0 && (s->value.bits >> 32) != UINT32_MAX) {
            suspect_text(cure, "set LC, bit 6 of PMCR: %s",
                         code_write_text(k, CODE_PMCR, 0, "value | 0x41 (LC, E)", text));
            code_suspect(k, WHY_cycle_overflow_at_32_bits, SUSPECT_CERTAIN, k->last.pmcr.step,
                         "LC (bit 6 of PMCR) is 0, so the cycle "
                         "counter overflows at 32 bits, and the period is longer",
                         cure)
                ->weight = 66;
            return;
        }
    }
}

void rules_code_periods(struct code_case *k)
{
    check_long_period(k);
    check_short_preload(k);
}
