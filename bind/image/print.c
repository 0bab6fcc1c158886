/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the source of an image: its options, the program, its tables. */
#include <inttypes.h>
#include <string.h>

#include "internal.h"

/* The texts of the program. */
static const unsigned char text_head[] = {
#include "bind/image/target.h.inc"
};
static const unsigned char text_a64[] = {
#include "bind/image/target_a64.c.inc"
};
static const unsigned char text_a32[] = {
#include "bind/image/target_a32.c.inc"
};
static const unsigned char text_rows[] = {
#include "bind/image/target.c.inc"
};

static void print_head(FILE *out, const struct image *m)
{
    static const char *const consoles[] = {"SEMIHOSTING", "PL011", "MEMORY"};
    const struct image_options *o = m->options;
    const char *comma = "";

    fprintf(out, "/*\n * A conformance image for a PMU, made by armpmu generate: EL%u, %u event counters, seed %" PRIu64
                 ", %lu rows\n * in %lu scenes.  Its features: ", o->el, o->counters, o->seed, m->summary.rows,
            m->summary.scenes);
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *name = apmu_feature_name(bit);

        if (name != NULL && (o->features >> bit & 1) != 0) {
            fprintf(out, "%s%s", comma, name + strlen("FEAT_"));
            comma = ",";
        }
    }
    fprintf(out, "\n *\n"
                 " * %s -O1 -ffreestanding %s -fno-pic -nostdlib -static\n"
                 " *     -fno-stack-protector -Wl,-N,--build-id=none,-Ttext-segment=0x40200000 -o IMAGE THIS-FILE\n"
                 " */\n"
                 "#define HIGHEST %u\n#define HYP %d\n#define CONSOLE %s\n",
            image_is_a32(m) ? "arm-none-eabi-gcc" : "aarch64-linux-gnu-gcc",
            image_is_a32(m) ? "-march=armv7-a -marm -mfloat-abi=soft -mno-unaligned-access"
                            : "-mgeneral-regs-only -mstrict-align",
            o->el, image_has(m, APMU_FEAT(AA64EL2) | APMU_FEAT(AA32EL2)), consoles[o->console]);
    if (o->console == IMAGE_PL011) {
        fprintf(out, "#define UART 0x%" PRIx64 "\n", o->uart);
    }
}

/* Returns the instruction by which a cell ends: that of EL0, or that of the levels above. */
static uint32_t call_of(const struct image *m, bool el0, bool a32)
{
    static const uint32_t calls[2][4] = {{0, 0xD4000001, 0xD4000002, 0xD4000003}, /* svc, hvc, smc of A64 */
                                         {0, 0xEF000000, 0xE1400070, 0xE1600070}}; /* of A32 */

    return calls[a32][el0 || (a32 && !image_is_a32(m)) ? 1 : m->options->el];
}

static void print_cells(FILE *out, const struct image *m)
{
    fprintf(out, "\n/* The cells: for EL1 and above, then for EL0. */\n"
                 "__asm__(\".text\\n .balign 32\\n .global cells\\n\"\n\"cells:\\n\"\n");
    for (unsigned i = 0; i < m->cell_count; i++) {
        const struct image_cell *c = &m->cells[i];

        fprintf(out, "\".inst ");
        for (unsigned el0 = 0; el0 < 2; el0++) {
            const uint32_t call = call_of(m, el0 != 0, c->a32);

            fprintf(out, "%s0x%08" PRIX32 ", 0x%08" PRIX32 ", 0x%08" PRIX32 ", 0x%08" PRIX32, el0 == 0 ? "" : ", ",
                    c->word, c->second != 0 ? c->second : call, call, call);
        }
        fprintf(out, "\\n\" /* %s */\n", c->name);
    }
    fprintf(out, ");\n\nconst char *const cell_names[] = {\n");
    for (unsigned i = 0; i < m->cell_count; i++) {
        fprintf(out, "    \"%s\",\n", m->cells[i].name);
    }
    fprintf(out, "};\n");
}

static void print_row(FILE *out, const struct image_row *r)
{
    static const char *const kinds[] = {"IDENTITY", "GUARD", "SCENE", "CONTROL", "READ", "WRITE", "COUNT"};
    static const char *const controls[] = {"SCR_EL3",     "MDCR_EL3",    "HCR_EL2",      "MDCR_EL2",     "HSTR_EL2",
                                           "HDFGRTR_EL2", "HDFGWTR_EL2", "HDFGRTR2_EL2", "HDFGWTR2_EL2"};

    fprintf(out, "    {.kind = ROW_%s", kinds[r->kind]);
    if (r->kind == ROW_CONTROL) {
        fprintf(out, ", .cell = CONTROL_%s", controls[r->cell]);
    } else if (r->kind != ROW_SCENE || r->mask != 0) {
        fprintf(out, ", .cell = %u, .el = %u", r->cell, r->el);
    }
    if (r->value != 0) {
        fprintf(out, ", .value = 0x%" PRIx64, r->value);
    }
    if (r->want != 0 || r->mask != 0) {
        fprintf(out, ", .want = 0x%" PRIx64 ", .mask = 0x%" PRIx64, r->want, r->mask);
    }
    if (r->room != 0) {
        fprintf(out, ", .room = 0x%" PRIx64, r->room);
    }
    if (r->taken != 0) {
        fprintf(out, ", .taken = TAKEN_EL%u, .esr = 0x%08" PRIX32, r->taken, r->esr);
    }
    fprintf(out, r->text == 0 ? "},\n" : ", .text = %u},\n", r->text);
}

void image_print(FILE *out, const struct image *m)
{
    print_head(out, m);
    fwrite(text_head, 1, sizeof text_head, out);
    if (image_is_a32(m)) {
        fwrite(text_a32, 1, sizeof text_a32, out);
    } else {
        fwrite(text_a64, 1, sizeof text_a64, out);
    }
    fwrite(text_rows, 1, sizeof text_rows, out);
    print_cells(out, m);
    fprintf(out, "\nconst char *const texts[] = {\n");
    for (unsigned i = 0; i < m->text_count; i++) {
        fprintf(out, "    \"%s\",\n", m->texts[i]);
    }
    fprintf(out, "};\n\nconst struct target_row rows[] = {\n");
    for (unsigned long i = 0; i < m->row_count; i++) {
        print_row(out, &m->rows[i]);
    }
    fprintf(out, "};\nconst uint32_t row_count = %lu;\n", m->row_count);
}
