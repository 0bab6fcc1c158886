/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * register-models FORMAT CONFIG: prints the registers of the external view as ipxact (IEEE 1685-2014), rdl (SystemRDL
 * 2.0) or ral (UVM).  CONFIG is that of apmu_tb_create().
 */
#include <stdio.h>
#include <string.h>

#include "models.h"

/* Returns whether the most secure access of @size bytes is performed. */
static bool performs(const struct apmu *p, unsigned offset, unsigned size, bool write)
{
    const bool rme = (p->cfg.features & APMU_FEAT(RME)) != 0;
    const struct apmu_ext at = {offset, size, rme ? APMU_PAS_ROOT : APMU_PAS_SECURE, false};
    const struct apmu_pe pe = {.dbgen = true, .spiden = true, .mdcr_el3 = APMU_MASK(MDCR_EL3, EPMSSAD)};

    return apmu_access_ext(p, &pe, &at, write).outcome == APMU_ACCESS_OK;
}

static uint64_t value_at(const struct apmu *p, unsigned offset, unsigned size)
{
    const struct apmu_ext at = {offset, size, APMU_PAS_ROOT, false};
    const struct apmu_pe pe = {.dbgen = true};

    return apmu_peek_ext(p, &pe, &at);
}

static enum model_access access_of(const struct apmu_field *field, bool writable)
{
    switch (field->access) {
    case APMU_RO:
        return MODEL_RO;
    case APMU_WO:
        return MODEL_WO;
    case APMU_W1S:
        return writable ? MODEL_W1S : MODEL_RO;
    case APMU_W1C:
        return writable ? MODEL_W1C : MODEL_RO;
    default:
        return writable ? MODEL_RW : MODEL_RO;
    }
}

/* Adds the fields that are in the bits from @shift on.  A field that reaches beyond them is cut. */
static void add_fields(const struct apmu *p, enum apmu_reg reg, unsigned n, unsigned shift, struct model_register *out)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    for (unsigned i = 0; i < info->field_count && out->field_count < 64; i++) {
        const struct apmu_field *f = &info->fields[i];
        const unsigned low = f->lsb < shift ? shift : f->lsb;
        const unsigned high = f->msb >= shift + out->bits ? shift + out->bits - 1 : f->msb;

        if (f->access == APMU_RES0 || !apmu_holds(&p->cfg, f->gate, n) || f->msb < shift || low > high) {
            continue;
        }
        struct model_field *field = &out->fields[out->field_count++];
        snprintf(field->name, sizeof field->name, "%s", f->name);
        field->lsb = low - shift;
        field->bits = high - low + 1;
        field->access = access_of(f, out->writable);
        field->text = f->text;
    }
}

/* Prints the register at @offset, if the configuration has it.  It shows the bits from @shift on. */
static void print_register(const struct apmu *p, const struct tb_access_place *place, unsigned n, unsigned offset,
                           unsigned shift, const struct model_format *format)
{
    struct model_register reg = {.offset = offset, .text = apmu_reg_info(place->reg)->text};
    const bool wide = performs(p, offset, 8, false) || performs(p, offset, 8, true);
    char number[8] = "";

    reg.bits = wide ? 64 : 32;
    reg.readable = performs(p, offset, reg.bits / 8, false);
    reg.writable = performs(p, offset, reg.bits / 8, true);
    if (!reg.readable && !reg.writable) {
        return;
    }
    if (place->copies > 1) {
        snprintf(number, sizeof number, "%u", n);
    }
    snprintf(reg.name, sizeof reg.name, "%.12s%s%s", place->name, number, shift != 0 && !place->upper ? "_HI" : "");
    reg.reset = value_at(p, offset, reg.bits / 8);
    add_fields(p, place->reg, n, shift, &reg);
    format->add(&reg);
}

static void print_model(const struct apmu *p, const char *config, const struct model_format *format)
{
    struct tb_access_place place;

    format->begin(config);
    for (unsigned i = 0; tb_access_row(p, i, 0, &place); i++) {
        const unsigned copies = place.copies > p->cfg.counters && place.copies > 1 ? p->cfg.counters : place.copies;

        for (unsigned n = 0; n < copies; n++) {
            tb_access_row(p, i, n, &place);
            print_register(p, &place, n, place.offset, place.upper ? 32 : 0, format);
            if (place.high != 0) {
                print_register(p, &place, n, place.high, 32, format);
            }
        }
    }
    format->end();
}

int main(int argc, char **argv)
{
    const struct model_format *const formats[] = {&model_ipxact, &model_rdl, &model_ral};
    struct apmu_tb *tb = argc == 3 ? apmu_tb_create(argv[2]) : NULL;

    /* The configuration is printed in a comment of one line. */
    for (char *end = tb != NULL ? strchr(argv[2], '\n') : NULL; end != NULL; end = strchr(end, '\n')) {
        *end = ' ';
    }

    for (unsigned i = 0; tb != NULL && apmu_tb_fault(tb)[0] == '\0' && i < 3; i++) {
        if (strcmp(argv[1], formats[i]->name) == 0) {
            print_model(&tb->p, argv[2], formats[i]);
            apmu_tb_destroy(tb);
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    fprintf(stderr, "register-models: %s\nusage: register-models ipxact|rdl|ral CONFIG\n",
            tb != NULL && apmu_tb_fault(tb)[0] != '\0' ? apmu_tb_fault(tb) : "a format and a configuration are needed");
    apmu_tb_destroy(tb);
    return 2;
}
