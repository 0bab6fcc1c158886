/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of an image: rows, cells and texts. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

void image_add(struct image *m, const struct image_row *row)
{
    if (m->row_count == m->row_room) {
        const unsigned long room = m->row_room == 0 ? 1024 : 2 * m->row_room;
        struct image_row *rows = realloc(m->rows, room * sizeof *rows);

        if (rows == NULL) {
            m->full = true;
            return;
        }
        m->rows = rows;
        m->row_room = room;
    }
    m->rows[m->row_count++] = *row;
    m->checked += row->kind == ROW_READ || row->kind == ROW_WRITE || row->kind == ROW_COUNT;
}

unsigned image_cell(struct image *m, uint32_t word, uint32_t second, const char *name)
{
    for (unsigned i = 0; i < m->cell_count; i++) {
        if (m->cells[i].word == word && m->cells[i].second == second) {
            return i;
        }
    }
    if (m->cell_count == IMAGE_CELLS) {
        m->full = true;
        return 0;
    }
    struct image_cell *cell = &m->cells[m->cell_count];

    *cell = (struct image_cell){.word = word, .second = second};
    snprintf(cell->name, sizeof cell->name, "%s", name);
    return m->cell_count++;
}

unsigned image_text(struct image *m, const char *text)
{
    for (unsigned i = 0; i < m->text_count; i++) {
        if (strcmp(m->texts[i], text) == 0) {
            return i;
        }
    }
    if (m->text_count == IMAGE_TEXTS) {
        return 0;
    }
    snprintf(m->texts[m->text_count], IMAGE_TEXT, "%s", text);
    return m->text_count++;
}

unsigned image_access_cell(struct image *m, unsigned key, bool write)
{
    const uint32_t x3 = 3, read = UINT32_C(1) << 21;
    enum apmu_reg reg;
    unsigned n;
    char name[24] = "?", text[32];

    if (apmu_reg_by_a64((uint16_t)key, &reg, &n)) {
        apmu_reg_name(reg, n, name);
    }
    snprintf(text, sizeof text, "%s %s", write ? "MSR" : "MRS", name);
    return image_cell(m, UINT32_C(0xD5000000) | (write ? 0 : read) | key << 5 | x3, 0, text);
}
