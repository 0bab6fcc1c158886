/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu encode`: makes the value of a register from its fields. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include <armpmu/cores.h>

#include "registers.h"

/*
 * Finds the field of @f that the first @length characters of @name name, in upper or lower case.  Returns NULL after it
 * complained if there is none, or if it is reserved.
 */
static const struct fields_row *find_field(const struct registers_setup *setup, const struct fields_register *f,
                                           const char *name, size_t length)
{
    const struct fields_row *found = NULL;
    char names[512] = "";

    for (unsigned i = 0; i < f->count; i++) {
        const struct fields_row *row = &f->rows[i];

        if (strcmp(row->name, "RES0") == 0 || strcmp(row->name, "SBZ") == 0) {
            continue;
        }
        if (strlen(row->name) == length && strncasecmp(row->name, name, length) == 0) {
            found = row;
        }
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] != '\0' ? ", " : "", row->name);
    }
    if (found == NULL) {
        cli_complain(setup->verb, "%s: %.*s: no such field; it has %s", f->name, (int)length, name,
                     names[0] != '\0' ? names : "none");
    } else if (found->reserved || found->res1) {
        cli_complain(setup->verb, "%s: %s: reserved unless %s; say so with --features", f->name, found->name,
                     found->unless);
        found = NULL;
    }
    return found;
}

/*
 * Finds one bit of a field that has a bit for each event counter: "P0" is bit 0 of P.  Stores it in *@bit and returns
 * true, or returns false if @name, of @length characters, is no such name.
 */
static bool find_bit(const struct fields_register *f, const char *name, size_t length, struct fields_row *bit)
{
    for (unsigned i = 0; i < f->count; i++) {
        const struct fields_row *row = &f->rows[i];
        const size_t letters = strlen(row->name);
        unsigned n = 0;
        size_t at = letters;

        if (length <= letters || length > letters + 2 || strncasecmp(row->name, name, letters) != 0 ||
            row->msb - row->lsb < 30 || strcmp(row->name, "RES0") == 0) {
            continue;
        }
        for (; at < length && isdigit((unsigned char)name[at]); at++) {
            n = n * 10 + (unsigned)(name[at] - '0');
        }
        if (at == length && n <= (unsigned)(row->msb - row->lsb)) {
            *bit = *row;
            bit->lsb = (uint8_t)(row->lsb + n);
            bit->msb = bit->lsb;
            return true;
        }
    }
    return false;
}

/*
 * Parses @text, the value of the field @row: a number, or the name of an event where the field is an event's number.
 * Returns false after it complained.
 */
static bool field_value(const struct registers_setup *setup, const struct registers_operand *o,
                        const struct fields_register *f, const struct fields_row *row, const char *text,
                        uint64_t *value)
{
    char name[64];

    if (fields_is_event(&o->place, row) && !isdigit((unsigned char)text[0])) {
        const int event = apmu_core_event_parse(setup->config.core, text);
        const struct apmu_arm11_event_info *arm11 = apmu_arm11_event_by_name(text);
        const bool is_arm11 = o->place.view == NAMES_ARM11;

        if (is_arm11 ? arm11 == NULL : event < 0) {
            cli_complain(setup->verb, "%s: %s: no such event; give its number with 0x, or a name as %s", f->name, text,
                         is_arm11 ? "INSTR_EXEC" : "armpmu list prints them, or the core's own with --core");
            return false;
        }
        *value = is_arm11 ? arm11->number : (uint64_t)event;
        return true;
    }
    snprintf(name, sizeof name, "%s.%s", f->name, row->name);
    return registers_number(setup, name, text, row->msb - row->lsb + 1u, value);
}

/*
 * Prints the value of a register.  The first operand is REG or REG=VALUE, the others are FIELD=VALUE.  Returns false
 * after it complained.
 */
static bool encode(const struct registers_setup *setup, char **operands)
{
    struct registers_operand o;
    struct fields_register f;
    uint64_t value = 0;
    char *const reg = *operands++;

    if (!registers_find(setup, reg, &o)) {
        return false;
    }
    fields_list(&o.place, &setup->config, &f);
    if (o.value != NULL && !registers_number(setup, f.name, o.value, f.bits, &value)) {
        return false;
    }
    for (unsigned i = 0; i < f.count && o.value == NULL; i++) {
        value |= f.rows[i].res1 ? APMU_BITS(f.rows[i].msb, f.rows[i].lsb) : 0;
    }
    if (f.absent != NULL) {
        cli_complain(setup->verb, "%s: not implemented unless %s; say so with --features", f.name, f.absent);
        return false;
    }
    for (; *operands != NULL; operands++) {
        const char *equals = strchr(*operands, '=');
        const struct fields_row *row;
        struct fields_row bit;
        uint64_t part = 0;

        if (equals == NULL) {
            cli_complain(setup->verb, "%s: not FIELD=VALUE; give a value, such as %s=1", *operands, *operands);
            return false;
        }
        row = find_bit(&f, *operands, (size_t)(equals - *operands), &bit)
                  ? &bit
                  : find_field(setup, &f, *operands, (size_t)(equals - *operands));
        if (row == NULL || !field_value(setup, &o, &f, row, equals + 1, &part)) {
            return false;
        }
        value = (value & ~APMU_BITS(row->msb, row->lsb)) | part << row->lsb;
    }
    if (setup->array != NULL) {
        const struct registers_value v = {f.bits == 32 ? UINT32_MAX : UINT64_MAX, value, NULL};

        registers_json(setup->array, &o, &f, &v);
    } else {
        printf("%s=0x%0*" PRIX64 "\n", f.name, f.bits == 32 ? 8 : 16, value);
    }
    return true;
}

int cli_encode(const struct cli_args *args)
{
    struct registers_setup setup;
    int status = CLI_USAGE;

    if (!registers_options(args, &setup)) {
        return CLI_USAGE;
    }
    if (args->operands[0] == NULL) {
        cli_complain(args->verb, "REG is missing; give one and its fields, such as PMCR_EL0 E=1 LC=1");
    } else if (encode(&setup, args->operands)) {
        status = CLI_YES;
    }
    return registers_finish(&setup, status);
}
