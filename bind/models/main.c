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

/* Returns whether the field is P of a register with a bit for each event counter. */
static bool is_of_counters(const struct apmu_field *field)
{
    return field->lsb == 0 && field->msb == APMU_CYCLE - 1 && strcmp(field->name, "P") == 0;
}

/*
 * Returns whether the field is in the external view of this unit.  PMCR shows there no IMP, IDCODE and N, which PMIIDR
 * and PMCFGR have, and without event counters there is no P.
 */
static bool is_shown(const struct apmu *p, enum apmu_reg reg, unsigned n, const struct apmu_field *field)
{
    return field->access != APMU_RES0 && apmu_holds(&p->cfg, field->gate, n) &&
           (reg != APMU_REG_PMCR_EL0 || field->access != APMU_RO) && (p->cfg.counters != 0 || !is_of_counters(field));
}

/* Returns the last bit of a field: P has a bit for each event counter, and TH as many as PMMIR.THWIDTH says. */
static unsigned last_bit(const struct apmu *p, enum apmu_reg reg, const struct apmu_field *field)
{
    const bool threshold = reg == APMU_REG_PMEVTYPER_EL0 && strcmp(field->name, "TH") == 0;

    return is_of_counters(field) && p->cfg.counters != 0 ? p->cfg.counters - 1u
           : threshold && p->cfg.thwidth != 0            ? field->lsb + p->cfg.thwidth - 1u
                                                         : field->msb;
}

/* Returns the length of Arm's name of the field: the tables append _MSB_LSB to each part of a field that is split. */
static int name_length(const struct apmu_field *field)
{
    char suffix[16];
    const size_t length = strlen(field->name);
    const size_t appended = (size_t)snprintf(suffix, sizeof suffix, "_%u_%u", field->msb, field->lsb);
    const bool part = length > appended && strcmp(field->name + length - appended, suffix) == 0;

    return (int)(part ? length - appended : length);
}

/* Adds bits of a field.  The lower part of a field that is split joins the upper one, which is the one before it. */
static void add_field(const struct apmu_field *f, unsigned high, unsigned low, struct model_register *out)
{
    struct model_field *field = out->field_count == 0 ? NULL : &out->fields[out->field_count - 1];
    const int length = name_length(f);
    char name[sizeof field->name];

    snprintf(name, sizeof name, "%.*s", length, f->name);
    if (field != NULL && f->name[length] != '\0' && strcmp(field->name, name) == 0 && field->lsb == high + 1) {
        field->bits += high + 1 - low;
    } else {
        field = &out->fields[out->field_count++];
        *field = (struct model_field){.bits = high + 1 - low, .access = access_of(f, out->writable), .text = f->text};
        snprintf(field->name, sizeof field->name, "%s", name);
    }
    field->lsb = low;
    field->has_reset = (out->unknown & APMU_BITS(low + field->bits - 1, low)) == 0;
}

/* Adds the fields that are in the bits from @shift on.  A field that reaches beyond them is cut. */
static void add_fields(const struct apmu *p, enum apmu_reg reg, unsigned n, unsigned shift, struct model_register *out)
{
    const struct apmu_reg_info *info = apmu_reg_info(reg);

    for (unsigned i = 0; i < info->field_count && out->field_count < 64; i++) {
        const struct apmu_field *f = &info->fields[i];
        const unsigned low = f->lsb < shift ? shift : f->lsb;
        const unsigned msb = last_bit(p, reg, f);
        const unsigned high = msb >= shift + out->bits ? shift + out->bits - 1 : msb;

        if (is_shown(p, reg, n, f) && msb >= shift && low <= high) {
            add_field(f, high - shift, low - shift, out);
        }
    }
}

/*
 * Prints the register at @offset, if the configuration has it.  It shows the bits from @shift on.  *@other is *@p with
 * other values in the fields that a reset leaves UNKNOWN.
 */
static void print_register(const struct apmu *p, const struct apmu *other, const struct tb_access_place *place,
                           unsigned n, unsigned offset, unsigned shift, const struct model_format *format)
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
    reg.unknown = reg.reset ^ value_at(other, offset, reg.bits / 8);
    add_fields(p, place->reg, n, shift, &reg);
    format->add(&reg);
}

static const char usage[] = "usage: register-models ipxact|rdl|ral CONFIG\n"
                            "Prints the registers of the external view; CONFIG is that of apmu_tb_create():\n"
                            "  register-models rdl \"features=PMUv3p7,PMUv3_EXT32,AA64EL0 counters=8\" >pmu.rdl\n";

/* Returns what is wrong with the arguments, or NULL. */
static const char *fault_of(const struct apmu_tb *tb)
{
    if (tb == NULL) {
        return "a format and a configuration are needed";
    }
    if (apmu_tb_fault(tb)[0] != '\0') {
        return apmu_tb_fault(tb);
    }
    return (tb->p.cfg.features & APMU_FEAT(PMUv3_EXT)) != 0
               ? NULL
               : "the configuration has no external view; add PMUv3_EXT32 or PMUv3_EXT64 to features";
}

static void print_model(const struct apmu *p, const char *config, const struct model_format *format)
{
    struct tb_access_place place;
    struct apmu other;
    struct apmu_config cfg = p->cfg;

    cfg.unknown_fill = ~cfg.unknown_fill;
    apmu_init(&other, &cfg);
    format->begin(config);
    for (unsigned i = 0; tb_access_row(p, i, 0, &place); i++) {
        const unsigned copies = place.copies > p->cfg.counters && place.copies > 1 ? p->cfg.counters : place.copies;

        for (unsigned n = 0; n < copies; n++) {
            tb_access_row(p, i, n, &place);
            print_register(p, &other, &place, n, place.offset, place.upper ? 32 : 0, format);
            if (place.high != 0) {
                print_register(p, &other, &place, n, place.high, 32, format);
            }
        }
    }
    format->end();
}

int main(int argc, char **argv)
{
    const struct model_format *const formats[] = {&model_ipxact, &model_rdl, &model_ral};
    struct apmu_tb *tb = argc == 3 ? apmu_tb_create(argv[2]) : NULL;
    const char *fault = fault_of(tb);

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    /* The configuration is printed in a comment of one line. */
    for (char *end = tb != NULL ? strchr(argv[2], '\n') : NULL; end != NULL; end = strchr(end, '\n')) {
        *end = ' ';
    }

    for (unsigned i = 0; fault == NULL && i < 3; i++) {
        if (strcmp(argv[1], formats[i]->name) == 0) {
            print_model(&tb->p, argv[2], formats[i]);
            apmu_tb_destroy(tb);
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    fprintf(stderr, "register-models: %s\n%s", fault != NULL ? fault : "there is no such format", usage);
    apmu_tb_destroy(tb);
    return 2;
}
