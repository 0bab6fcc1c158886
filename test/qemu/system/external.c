/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows that access the external view: every word and doubleword of the frame, from both Security states. */
#include "expect.h"

/* LDR and STR of w3 or x3 at the address in x4. */
#define LDR(size) ((size) == 8 ? 0xF9400083u : 0xB9400083u)
#define STR(size) ((size) == 8 ? 0xF9000083u : 0xB9000083u)
#define EC_DATA_ABORT 0x24u /* from a lower level; one more: from the same level */

static const char *frame_name(unsigned size)
{
    return size == 8 ? "doubleword" : "word";
}

/* Writes r->value to the frame, without PMCR_EL0.E if that would start the counters. */
static void write_quietly(struct expect_row *r, const struct apmu_ext *at)
{
    const struct apmu before = expect_pmu;

    apmu_poke_ext(&expect_pmu, &expect_pe, at, r->value, NULL);
    if ((expect_pmu.pmcr & APMU_MASK(PMCR_EL0, E)) != 0) {
        expect_pmu = before;
        r->value &= ~APMU_MASK(PMCR_EL0, E) & ~(APMU_MASK(PMCR_EL0, E) << 32);
        apmu_poke_ext(&expect_pmu, &expect_pe, at, r->value, NULL);
    }
}

/* Adds a row that reads or writes @size bytes, 4 or 8, at @offset in the frame. */
static void access_frame(struct expect_group *g, unsigned offset, unsigned size, bool write)
{
    struct expect_row *r = expect_new_row(g);
    const unsigned el = (unsigned)g->spsr >> 2 & 3;

    expect_look(g, el, false);
    const struct apmu_ext at = {
        .offset = offset, .size = size, .pas = el == 3 || (g->scr & 1) == 0 ? APMU_PAS_SECURE : APMU_PAS_NONSECURE,
    };
    const struct apmu_access a = apmu_access_ext(&expect_pmu, &expect_pe, &at, write);

    r->cell = expect_cell(write ? STR(size) : LDR(size), false, frame_name(size), write);
    r->writes = write;
    r->frame = true;
    r->offset = (uint16_t)offset;
    if (a.outcome == APMU_ACCESS_ERROR) {
        r->taken = (uint8_t)(el == 0 ? TAKEN_EL1 : el);
        r->esr = ESR(EC_DATA_ABORT + (el != 0), 0);
    }
    if (write) {
        r->value = size == 8 ? expect_random() : (uint32_t)expect_random();
        if (a.outcome == APMU_ACCESS_OK) {
            write_quietly(r, &at);
        }
        return;
    }
    r->result = a.outcome == APMU_ACCESS_OK ? apmu_read_ext(&expect_pmu, &expect_pe, &at) : 0;
}

void expect_walk_frame(struct expect_group *g)
{
    if (g->place != AT_EL3 && g->place != AT_EL1 && g->place != AT_S_EL1) {
        return;
    }
    for (unsigned offset = 0; offset < 0x1000; offset += 4) {
        access_frame(g, offset, 4, true);
        access_frame(g, offset, 4, false);
        access_frame(g, offset, 8, true); /* at odd words, too, where the frame refuses it */
        access_frame(g, offset, 8, false);
    }
}
