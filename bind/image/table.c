/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of an image: rows, cells and texts. */
#include <limits.h>
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

unsigned image_cell(struct image *m, const struct image_cell *cell)
{
    for (unsigned i = 0; i < m->cell_count; i++) {
        if (m->cells[i].word == cell->word && m->cells[i].second == cell->second && m->cells[i].a32 == cell->a32) {
            return i;
        }
    }
    if (m->cell_count == IMAGE_CELLS) {
        m->full = true;
        return 0;
    }
    m->cells[m->cell_count] = *cell;
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

/* The registers of the PE that AArch32 state accesses by MRC and MCR of p15. */
static const struct image_borrowed {
    enum apmu_reg reg;
    unsigned coproc, key;
    const char *name;
} borrowed[] = {
#define APMU_BORROWED32(id, of, coproc, opc1, crn, crm, opc2, part, text) \
    {APMU_REG_##of, coproc, APMU_A32_KEY(opc1, crn, crm, opc2), #id},
#include <armpmu/tables/aarch32.def>
};

/* Returns the row of borrowed[] with the register, or with the encoding of p15, or NULL. */
static const struct image_borrowed *find_borrowed(enum apmu_reg reg, unsigned key)
{
    for (size_t i = 0; i < sizeof borrowed / sizeof borrowed[0]; i++) {
        if (borrowed[i].coproc == 15 && (borrowed[i].reg == reg || borrowed[i].key == key)) {
            return &borrowed[i];
        }
    }
    return NULL;
}

const char *image_register_name(const struct image *m, enum apmu_reg reg)
{
    const struct image_borrowed *row = find_borrowed(reg, UINT_MAX);

    return image_is_a32(m) && row != NULL ? row->name : apmu_reg_info(reg)->name;
}

unsigned image_read_cell(struct image *m, enum apmu_reg reg)
{
    const struct image_borrowed *row = find_borrowed(reg, UINT_MAX);
    const unsigned key = apmu_reg_info(reg)->key;

    if (!image_is_a32(m)) {
        return image_access_cell(m, APMU_TB_A64, key, false);
    }
    return image_access_cell(m, APMU_TB_A32, row != NULL ? row->key : APMU_A32_SAME(key), false);
}

/* Returns the cell of an MRC, MCR, MRRC or MCRR. */
static unsigned access_cell_a32(struct image *m, unsigned key, bool write)
{
    const bool pair = (key & 0x8000u) != 0;
    const uint32_t opc1 = key >> 11 & 7, crn = key >> 7 & 15, crm = key >> 3 & 15, opc2 = key & 7;
    const uint32_t load = write ? 0 : UINT32_C(1) << 20;
    struct image_cell cell = {.a32 = true};
    enum apmu_reg32 reg = APMU_REG32_COUNT;
    unsigned n = 0;
    char name[24] = "?";

    if (apmu_reg_by_a32((uint16_t)key, &reg, &n)) {
        apmu_reg32_name(reg, n, name);
    } else if (find_borrowed(APMU_REG_ALL, key) != NULL) {
        snprintf(name, sizeof name, "%s", find_borrowed(APMU_REG_ALL, key)->name);
    }
    cell.word = pair ? UINT32_C(0xEC443F00) | load | opc1 << 4 | crm
                     : UINT32_C(0xEE003F10) | load | opc1 << 21 | crn << 16 | opc2 << 5 | crm;
    snprintf(cell.name, sizeof cell.name, "%s %s", pair ? write ? "MCRR" : "MRRC" : write ? "MCR" : "MRC", name);
    return image_cell(m, &cell);
}

unsigned image_access_cell(struct image *m, enum apmu_tb_view view, unsigned key, bool write)
{
    const uint32_t x3 = 3, read = UINT32_C(1) << 21;
    struct image_cell cell = {.word = UINT32_C(0xD5000000) | (write ? 0 : read) | key << 5 | x3};
    enum apmu_reg reg;
    unsigned n;
    char name[24] = "?";

    if (view == APMU_TB_A32) {
        return access_cell_a32(m, key, write);
    }
    if (apmu_reg_by_a64((uint16_t)key, &reg, &n)) {
        apmu_reg_name(reg, n, name);
    }
    snprintf(cell.name, sizeof cell.name, "%s %s", write ? "MSR" : "MRS", name);
    return image_cell(m, &cell);
}
