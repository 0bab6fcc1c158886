/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles with events. */
#include "internal.h"

/* Returns the count of line @line. */
static unsigned count_of(const uint32_t *counts, unsigned line)
{
    return counts[line / 4] >> line % 4 * 8 & 0xFFu;
}

void apmu_tb_line(struct apmu_tb *tb, int line, int event)
{
    if (line < 0 || line >= APMU_TB_LINES) {
        return;
    }
    tb->lines[line] = (uint16_t)event;
    if ((unsigned)line >= tb->line_count) {
        tb->line_count = (unsigned)line + 1;
    }
}

void tb_step(const struct apmu_tb *tb, struct apmu *p, const struct apmu_pe *pe, uint64_t cycles,
             const uint32_t *counts, struct apmu_out *out)
{
    struct apmu_occurrence events[APMU_TB_LINES];
    size_t count = 0;

    for (unsigned line = 0; line < tb->line_count; line++) {
        if (count_of(counts, line) != 0) {
            events[count++] = (struct apmu_occurrence){tb->lines[line], count_of(counts, line)};
        }
    }
    apmu_step(p, pe, cycles, events, count, out);
}

uint64_t tb_step_amount(const struct apmu_tb *tb, unsigned n, const uint32_t *counts)
{
    const uint16_t event = n == APMU_CYCLE   ? APMU_EV_CPU_CYCLES
                           : n == APMU_INSTR ? APMU_EV_INST_RETIRED
                                             : (uint16_t)APMU_GET(PMEVTYPER_EL0, evtCount, tb->p.typer[n]);
    uint64_t amount = event == APMU_EV_CPU_CYCLES;

    for (unsigned line = 0; line < tb->line_count; line++) {
        amount += tb->lines[line] == event ? count_of(counts, line) : 0;
    }
    return amount;
}

void apmu_tb_step(struct apmu_tb *tb, uint64_t cycles, const uint32_t *counts)
{
    struct apmu_out out;

    tb_cause_note_step(tb, cycles, counts);
    tb_phase_note(tb, cycles, counts);
    tb_cover_step(tb, counts);
    tb_step(tb, &tb->p, &tb->pe, cycles, counts, &out);
    tb->overflowed = out.overflowed;
    tb_cause_note_chain(tb, cycles);
    tb_cover_step(tb, NULL);
}
