/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of this folder share. */
#ifndef ARMPMU_BIND_IMAGE_INTERNAL_H
#define ARMPMU_BIND_IMAGE_INTERNAL_H

#include "../tb/internal.h"
#include "image.h"

/* The kinds of rows and the controls, as in target.c. */
enum image_kind { ROW_IDENTITY, ROW_GUARD, ROW_SCENE, ROW_CONTROL, ROW_READ, ROW_WRITE, ROW_COUNT };
enum image_control {
    CONTROL_SCR_EL3, CONTROL_MDCR_EL3, CONTROL_HCR_EL2, CONTROL_MDCR_EL2, CONTROL_HSTR_EL2, CONTROL_HDFGRTR_EL2,
    CONTROL_HDFGWTR_EL2, CONTROL_HDFGRTR2_EL2, CONTROL_HDFGWTR2_EL2, CONTROLS,
};

/* struct target_row of target.c. */
struct image_row {
    enum image_kind kind;
    unsigned cell, text, el, taken;
    uint32_t esr;
    uint64_t value, want, mask, room;
};

/* An instruction, or two, and what it is called. */
struct image_cell {
    uint32_t word, second; /* second: 0, there is one instruction */
    bool a32;
    char name[32];
};

/* In place of an Exception level: EL0 in AArch32 state, below an EL1 in AArch64 state. */
enum { IMAGE_EL0_A32 = 4 };

enum { IMAGE_CELLS = 1024, IMAGE_TEXTS = 512, IMAGE_TEXT = 256, IMAGE_UNITS = 2 };

/* One of the units that answer. */
struct image_unit {
    struct apmu p;
    struct apmu_pe pe;
};

/* An image that is being made. */
struct image {
    const struct image_options *options;
    struct apmu_tb *tb; /* the guide: it plans, and it has the state that the plans believe in */
    struct image_unit units[IMAGE_UNITS];
    bool counts;        /* this scene counts instructions; otherwise software increments */
    unsigned long checked;
    struct image_summary summary;
    struct image_row *rows; /* row_count of row_room */
    unsigned long row_count, row_room;
    struct image_cell cells[IMAGE_CELLS];
    unsigned cell_count;
    char texts[IMAGE_TEXTS][IMAGE_TEXT]; /* the first is "" */
    unsigned text_count;
    bool full; /* there is no memory for another row, cell or text */
};

/* Returns whether the image has one of @features. */
static inline bool image_has(const struct image *m, uint64_t features)
{
    return (m->options->features & features) != 0;
}

/* Returns whether all Exception levels are in AArch32 state. */
static inline bool image_is_a32(const struct image *m)
{
    return m->options->isa == IMAGE_A32;
}

/* image.c: makes the image in *@m, which is zero.  Returns what image_write() does; the caller frees .tb and .rows. */
const char *image_make(struct image *m, const struct image_options *options, char fault[256]);

/* table.c: adds a row. */
void image_add(struct image *m, const struct image_row *row);
/* table.c: returns the cell, whose name is not compared. */
unsigned image_cell(struct image *m, const struct image_cell *cell);
/* table.c: returns the number of the text. */
unsigned image_text(struct image *m, const char *text);
/* table.c: returns the cell that accesses the register with the encoding @key by X3; in AArch32 state by R3 and R4. */
unsigned image_access_cell(struct image *m, enum apmu_tb_view view, unsigned key, bool write);
/* table.c: returns the cell that reads a register of the PMU or the PE. */
unsigned image_read_cell(struct image *m, enum apmu_reg reg);
/* table.c: returns the name of a register of the PE in the states of the image. */
const char *image_register_name(const struct image *m, enum apmu_reg reg);

/* answer.c: makes the units for the options. */
void image_make_units(struct image *m);
/*
 * answer.c: adds a row that accesses a register at @el, with the answer.  Returns false, with nothing changed, if the
 * answer is not the same for all implementations.  @text says why a value that is read is what it is, or is "".
 */
bool image_access(struct image *m, unsigned el, const struct tb_access *access, const char *text);
/* answer.c: the same by register, at the level of the program; in AArch32 state perhaps by way of PMSELR. */
bool image_access_high(struct image *m, enum apmu_reg reg, unsigned n, bool write, uint64_t value, const char *text);
/* answer.c: gives a control a value, and adds the row. */
void image_set_control(struct image *m, enum tb_state state, uint64_t value);
/* answer.c: counts a loop at @el, from PMCR_EL0.E = @e and MDCR_EL2.HPME = @hpme on, and adds the row. */
void image_count(struct image *m, unsigned el, bool e, bool hpme);

/* plan.c: adds the scenes. */
void image_plan(struct image *m);
/* plan.c: returns what to write instead of @value, where @reg is what the access reaches. */
uint64_t image_fit_word(const struct image *m, enum apmu_reg reg, uint64_t value);
/* plan.c: returns the fields of a register of the PE that are the PMU's and that the image may change. */
uint64_t image_own_fields(const struct image *m, enum tb_state state);
/* plan.c: returns whether the image gives a register of the PE values. */
bool image_changes(const struct image *m, enum tb_state state);
/* plan.c: returns whether the image never writes it: snapshots take time, and exceptions by the PMU would come. */
bool image_leaves_alone(enum apmu_reg reg);
/* plan.c: returns whether the PE may execute at @el under the controls of now. */
bool image_is_legal(const struct image *m, unsigned el);

/* walk.c: adds accesses to all registers under one control, number @index of those that there are. */
void image_walk(struct image *m, uint64_t index);

/* print.c: prints the source. */
void image_print(FILE *out, const struct image *m);

#endif
