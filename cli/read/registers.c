/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the values of registers in a text (cli/state). */
#include "reading.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if another reader understood line @i, so that its numbers are no registers' values. */
static bool is_other(const struct text *t, size_t i)
{
    return (t->lines[i].claimed & (1u << TEXT_CODE | 1u << TEXT_LINUX)) != 0;
}

/* Claims the lines that gave a fact of @s. */
static void claim_lines(struct reading *r, const struct state *s)
{
    for (size_t c = 0; c < STATE_CELLS; c++) {
        const uint32_t line = s->cells[c].line;
        const size_t i = text_find(&r->text, line);

        if (s->cells[c].known != 0 && i < r->text.count && r->text.lines[i].number == line) {
            text_claim(&r->text, i, TEXT_REGISTERS);
        }
    }
}

void read_registers(struct reading *r, const struct state *given, const struct state_frame *frame)
{
    struct text *t = &r->text;
    char *copy = cli_allocate(NULL, 2 * t->length + (t->count == 0 ? 1 : t->lines[t->count - 1].number) + 1, 1);
    size_t used = 0;
    uint32_t number = 1;

    /* The parser counts lines itself, so lines that are left out stay as empty ones. */
    for (size_t i = 0; i < t->count; i++, number++) {
        for (; number < t->lines[i].number; number++) {
            copy[used++] = '\n';
        }
        if (!is_other(t, i)) {
            memcpy(copy + used, t->lines[i].text, t->lines[i].length);
            used += t->lines[i].length;
        }
        copy[used++] = '\n';
    }
    r->states[0] = *given;
    state_parse(&r->states[0], copy, used, frame);
    state_finish(&r->states[0]);
    free(copy);
    reading_learn_core(r, r->states[0].core, state_cell(&r->states[0], APMU_REG_MIDR_EL1, 0)->line);
    claim_lines(r, &r->states[0]);
}
