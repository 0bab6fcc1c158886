/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options and operands of `armpmu decode` and `armpmu encode`, and makes their JSON output. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"
#include "state/read.h"

bool registers_options(const struct cli_args *args, struct registers_setup *setup)
{
    static struct state s;
    struct state_frame frame = {0};
    bool given = false; /* --features is given: it names all features, so none is undecided */
    bool gdb = false;

    memset(setup, 0, sizeof *setup);
    setup->verb = args->verb;
    state_init(&s, "");
    for (size_t i = 0; i < args->given_count; i++) {
        bool bad;

        if (state_option(args, i, &s, &frame, &bad)) {
            if (bad) {
                return false;
            }
            setup->config.cfg = &setup->model.cfg;
            setup->config.core = s.core;
            given |= args->given[i].id == CLI_FEATURES;
        } else if (args->given[i].id == CLI_JSON) {
            setup->array = setup->array == NULL ? json_array() : setup->array;
        } else if (args->given[i].id == CLI_REGISTERS) {
            setup->registers = true;
        } else if (args->given[i].id == CLI_CORES) {
            setup->cores = true;
        } else if (args->given[i].id == CLI_FILE) {
            setup->file = args->given[i].value;
        } else if (args->given[i].id == CLI_GDB || args->given[i].id == CLI_LIVE) {
            setup->live = true;
            gdb |= args->given[i].id == CLI_GDB;
        }
    }
    if (frame.given && setup->file == NULL && !gdb) {
        cli_complain(args->verb, "--base: it says where the PMU is in the memory of FILE or of a target; give "
                     "--file=FILE or --gdb=HOST:PORT too");
        return false;
    }
    if (setup->config.cfg != NULL) {
        state_finish(&s);
        state_to_model(&s, &setup->model);
        setup->config.undecided = given ? 0 : setup->model.undecided;
        if (setup->model.contradiction != NULL) {
            cli_complain(args->verb, "--features, --core: %s", setup->model.contradiction);
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Operands.
 */

/* Parses "0x" and 1 to @max_digits hexadecimal digits.  Returns false if @text is anything else. */
static bool parse_hex(const char *text, unsigned max_digits, uint64_t *value)
{
    char *end;

    if (text[0] != '0' || (text[1] | 0x20) != 'x' || !isxdigit((unsigned char)text[2])) {
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, 16);
    return *end == '\0' && errno == 0 && strlen(text) <= 2 + max_digits;
}

/*
 * Finds the register at @offset, in bytes, of the external view.  If the two layouts have different registers there,
 * --features must select one of them.  Returns false after it complained.
 */
static bool find_offset(const struct registers_setup *setup, struct registers_operand *o, unsigned offset)
{
    struct names_place place[2];
    const bool there[2] = {names_by_offset(offset, NAMES_EXT32, &place[0]),
                           names_by_offset(offset, NAMES_EXT64, &place[1])};
    unsigned layout = there[0] ? 0 : 1;

    if (!there[0] && !there[1]) {
        cli_complain(setup->verb, "%s: no register of the external view has this offset; armpmu decode --registers "
                     "lists them", o->text);
        return false;
    }
    const uint64_t features = setup->config.cfg != NULL ? setup->config.cfg->features : 0;

    if ((features & (APMU_FEAT(PMUv3_EXT32) | APMU_FEAT(PMUv3_EXT64))) != 0) {
        layout = (features & APMU_FEAT(PMUv3_EXT64)) != 0;
    } else if (there[0] && there[1] && (place[0].reg != place[1].reg || place[0].n != place[1].n ||
                                        place[0].shift != place[1].shift)) {
        cli_complain(setup->verb, "%s: a different register in each layout of the external view; choose one: "
                     "--features=PMUv3_EXT32 or PMUv3_EXT64", o->text);
        return false;
    }
    if (!there[layout]) {
        cli_complain(setup->verb, "%s: no register has this offset in this layout of the external view; remove "
                     "--features=%s", o->text, layout == 0 ? "PMUv3_EXT32" : "PMUv3_EXT64");
        return false;
    }
    o->place = place[layout];
    return true;
}

/* Finds the register that o->insn accesses.  Returns false after it complained. */
static bool find_accessed(const struct registers_setup *setup, struct registers_operand *o)
{
    char name[40];

    switch (instruction_place(&o->insn, &o->place)) {
    case INSTRUCTION_PMU:
    case INSTRUCTION_ARM11:
        return true;
    case INSTRUCTION_TIMER:
        cli_complain(setup->verb,
            "%s: accesses %s, a register of the generic timer and not of the PMU; the cycle counter "
                     "is %s", o->text, instruction_register(&o->insn, name),
                     o->insn.a32 ? "PMCCNTR, p15, 0, c9, c13, 0" : "PMCCNTR_EL0, S3_3_C9_C13_0");
        return false;
    default:
        cli_complain(setup->verb, "%s: accesses %s, which is not a register of the PMU", o->text,
                     instruction_register(&o->insn, name));
        return false;
    }
}

/* Finds the register that the instruction @word accesses.  Returns false after it complained. */
static bool find_instruction(const struct registers_setup *setup, struct registers_operand *o, uint32_t word)
{
    o->instruction = true;
    o->word = word;
    if (!names_instruction(word, &o->insn)) {
        cli_complain(setup->verb, "%s: not the encoding of an MRS, MSR, MRC, MCR, MRRC or MCRR", o->text);
        return false;
    }
    return find_accessed(setup, o);
}

/* Returns true if @text is eight hexadecimal digits: an opcode as objdump and oopses print it. */
static bool is_opcode(const char *text, uint64_t *word)
{
    char *end;

    if (strlen(text) != 8 || strspn(text, "0123456789abcdefABCDEF") != 8) {
        return false;
    }
    *word = strtoull(text, &end, 16);
    return true;
}

/* Complains of o->text, which is no register. */
static void complain_of_name(const struct registers_setup *setup, const struct registers_operand *o)
{
    char name[NAMES_LENGTH];

    if (instruction_did_you_mean(o->text, strlen(o->text), name) != NULL) {
        cli_complain(setup->verb, "%s: not a register of the PMU; did you mean %s?", o->text, name);
    } else {
        cli_complain(setup->verb, "%s: not a register of the PMU, nor one that controls it; armpmu decode --registers "
                     "lists them", o->text);
    }
}

bool registers_find(const struct registers_setup *setup, const char *text, struct registers_operand *o)
{
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    uint64_t number;
    char unknown[NAMES_LENGTH] = "";

    memset(o, 0, sizeof *o);
    snprintf(o->text, sizeof o->text, "%.*s", (int)(length < 60 ? length : 60), text);
    o->value = equals != NULL ? equals + 1 : NULL;
    if (parse_hex(o->text, 3, &number) || (o->text[0] == '+' && parse_hex(o->text + 1, 3, &number))) {
        return find_offset(setup, o, (unsigned)number);
    }
    if (parse_hex(o->text, 8, &number) || is_opcode(o->text, &number)) {
        return find_instruction(setup, o, (uint32_t)number);
    }
    if (instruction_parse(o->text, strlen(o->text), &o->insn, unknown) != 0) {
        o->instruction = true;
        o->word = instruction_word(&o->insn);
        return find_accessed(setup, o);
    }
    if (names_by_name(text, length, &o->place) || names_by_generic(text, length, &o->place) ||
        (length > 0 && names_by_operands(text, length, &o->place) == length)) {
        return true;
    }
    if (unknown[0] != '\0') {
        snprintf(o->text, sizeof o->text, "%s", unknown);
    }
    complain_of_name(setup, o);
    return false;
}

bool registers_number(const struct registers_setup *setup, const char *name, const char *text, unsigned bits,
                      uint64_t *value)
{
    if (!cli_word(text, value)) {
        cli_complain(setup->verb, "%s=%s: not a number; give a decimal one, or a hexadecimal one with 0x", name, text);
        return false;
    }
    if (bits < 64 && *value >> bits != 0) {
        cli_complain(setup->verb, "%s=%s: has more than %u bits", name, text, bits);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Output.
 */

void registers_instruction(const struct registers_operand *o, char buf[96])
{
    instruction_spell(&o->insn, buf);
}

bool registers_field(const struct fields_row *row, const struct registers_value *v, uint64_t *value)
{
    const uint64_t mask = APMU_BITS(row->msb, row->lsb);

    *value = fields_get(row, v->value);
    return (v->known & mask) == mask;
}

/* Makes a JSON string, not a number, because many readers of JSON keep only 53 bits of a number. */
static json_t *hex(uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "0x%" PRIX64, value);
    return json_string(text);
}

void registers_json(json_t *array, const struct registers_operand *o, const struct fields_register *f,
                    const struct registers_value *v)
{
    const uint64_t whole = f->bits == 32 ? UINT32_MAX : UINT64_MAX;
    json_t *object = json_object(), *fields = json_array();
    char insn[96], meaning[1024];

    if (o->instruction) {
        registers_instruction(o, insn);
        json_object_set_new(object, "instruction", json_string(insn));
    }
    json_object_set_new(object, "register", json_string(f->name));
    json_object_set_new(object, "where", json_string(f->where));
    json_object_set_new(object, "text", json_string(f->text));
    json_object_set_new(object, "unless", f->absent != NULL ? json_string(f->absent) : json_null());
    if (v->origin != NULL) {
        json_object_set_new(object, "origin", json_string(v->origin));
    }
    json_object_set_new(object, "value", v->known == whole ? hex(v->value) : json_null());
    for (unsigned i = 0; i < f->count; i++) {
        const struct fields_row *row = &f->rows[i];
        json_t *field = json_object();
        uint64_t part;

        json_object_set_new(field, "field", json_string(row->name));
        json_object_set_new(field, "msb", json_integer(row->msb));
        json_object_set_new(field, "lsb", json_integer(row->lsb));
        json_object_set_new(field, "reserved", json_boolean(row->reserved || row->res1));
        json_object_set_new(field, "unless", row->unless != NULL ? json_string(row->unless) : json_null());
        json_object_set_new(field, "if", row->only_if != NULL ? json_string(row->only_if) : json_null());
        if (registers_field(row, v, &part)) {
            json_object_set_new(field, "value", hex(part));
            json_object_set_new(field, "meaning",
                                json_string(fields_meaning(f, row, part, meaning, sizeof meaning)));
        }
        json_object_set_new(field, "text", json_string(row->text));
        json_array_append_new(fields, field);
    }
    json_object_set_new(object, "fields", fields);
    json_array_append_new(array, object);
}

int registers_finish(struct registers_setup *setup, int status)
{
    if (setup->array != NULL) {
        if (status == CLI_YES) {
            json_dumpf(setup->array, stdout, JSON_PRESERVE_ORDER | JSON_INDENT(1));
            putchar('\n');
        }
        json_decref(setup->array);
    }
    return cli_flush(setup->verb, stdout, "stdout", status);
}
