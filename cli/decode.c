/* SPDX-License-Identifier: BSD-2-Clause */
/* `armpmu decode`: prints the fields of registers, and the lists of registers and cores. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

/*
 * Returns the bits of @value that no field of @f describes.  Only registers of the PE have such bits: those that do not
 * concern the PMU.
 */
static uint64_t undescribed(const struct fields_register *f, uint64_t value)
{
    for (unsigned i = 0; i < f->count; i++) {
        value &= ~APMU_BITS(f->rows[i].msb, f->rows[i].lsb);
    }
    return value;
}

static void print_row(const struct fields_register *f, const struct fields_row *row, const struct registers_value *v)
{
    char bits[8], number[24] = "?", meaning[1024] = "";
    uint64_t part;
    const bool known = registers_field(row, v, &part);

    snprintf(bits, sizeof bits, row->msb == row->lsb ? "%u" : "%u:%u", row->msb, row->lsb);
    if (known) {
        snprintf(number, sizeof number, part < 10 ? "%" PRIu64 : "0x%" PRIX64, part);
        fields_meaning(f, row, part, meaning, sizeof meaning);
    }
    printf("  %-5s %-14s ", bits, row->name);
    if (v->known != 0) {
        printf("%s  ", number);
    }
    if (meaning[0] != '\0') {
        printf("%s; ", meaning);
    }
    if (row->reserved && known && part != 0) {
        printf("should be 0: ");
    }
    if (row->unless != NULL) {
        printf("RES%d unless %s: ", row->res1, row->unless);
    }
    printf("%s", row->text);
    if (row->only_if != NULL) {
        printf(" [if %s]", row->only_if);
    }
    putchar('\n');
}

static void print_decoded(const struct registers_operand *o, const struct fields_register *f,
                          const struct registers_value *v)
{
    const uint64_t whole = f->bits == 32 ? UINT32_MAX : UINT64_MAX;
    char insn[96];

    if (o->instruction) {
        registers_instruction(o, insn);
        printf("0x%08" PRIX32 "  %s\n", o->word, insn);
    }
    printf("%s", f->name);
    if (f->where[0] != '\0') {
        printf(" (%s)", f->where);
    }
    if (v->known != 0) {
        printf(" = 0x%0*" PRIX64, f->bits == 32 ? 8 : 16, v->value);
    }
    if (v->known != 0 && v->known != whole) {
        printf(" in the bits 0x%" PRIX64, v->known);
    }
    printf(": %s", f->text);
    if (v->origin != NULL) {
        printf("  (%s)", v->origin);
    }
    putchar('\n');
    if (f->absent != NULL) {
        printf("  not implemented unless %s\n", f->absent);
    }
    for (unsigned i = 0; i < f->count; i++) {
        print_row(f, &f->rows[i], v);
    }
    if (undescribed(f, v->value) != 0) {
        printf("  other bits that are set, which do not concern the PMU: 0x%" PRIX64 "\n", undescribed(f, v->value));
    }
    if (v->known != 0 && o->place.view != NAMES_ARM11 && o->place.reg == APMU_REG_MIDR_EL1) {
        const struct apmu_core_info *core = apmu_core_by_midr((uint32_t)v->value);

        printf("  core: %s\n", core != NULL ? core->name : "not in the list of armpmu decode --cores");
    }
}

/* Prints the register @o and its value @v, or adds them to the JSON output. */
static void show(const struct registers_setup *setup, const struct registers_operand *o,
                 const struct registers_value *v)
{
    struct fields_register f;

    fields_list(&o->place, &setup->config, &f);
    if (setup->array != NULL) {
        registers_json(setup->array, o, &f, v);
    } else {
        print_decoded(o, &f, v);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Syndromes.
 */

/* Returns true if @text is ESR, ESR_EL1 to ESR_EL3, HSR or ISS, a "=" and a value, which is stored in *@value. */
static bool is_syndrome(const struct registers_setup *setup, const char *text, bool *bad, uint64_t *value)
{
    static const char *const names[] = {"ESR", "ESR_EL1", "ESR_EL2", "ESR_EL3", "HSR", "ISS"};
    const char *equals = strchr(text, '=');

    *bad = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && equals != NULL; i++) {
        const size_t length = (size_t)(equals - text);

        if (strlen(names[i]) == length && strncasecmp(text, names[i], length) == 0) {
            *bad = !registers_number(setup, names[i], equals + 1, 64, value);
            if (strcmp(names[i], "ISS") == 0 && *value >> 25 == 0) {
                *value |= UINT64_C(0x62000000); /* that of a trapped MSR or MRS */
            }
            return true;
        }
    }
    return false;
}

/* Prints the syndrome @value, and the register that the trapped instruction accesses. */
static void show_syndrome(const struct registers_setup *setup, const char *text, uint64_t value)
{
    const unsigned ec = (unsigned)(value >> 26 & 0x3F);
    const uint32_t iss = (uint32_t)value & 0x1FFFFFF;
    const char *class = instruction_class(ec);
    struct registers_operand o = {0};
    const struct registers_value v = {0};
    char spelled[96] = "";
    const bool known = instruction_of_syndrome(ec, iss, &o.insn);

    if (known) {
        instruction_spell(&o.insn, spelled);
    }
    class = class != NULL ? class : "not one that an access of a PMU causes";
    if (setup->array != NULL) {
        json_t *object = json_object();

        json_object_set_new(object, "syndrome", json_string(text));
        json_object_set_new(object, "class", json_integer(ec));
        json_object_set_new(object, "iss", json_integer(iss));
        json_object_set_new(object, "text", json_string(class));
        json_object_set_new(object, "instruction", known ? json_string(spelled) : json_null());
        json_array_append_new(setup->array, object);
    } else {
        printf("%s: the syndrome of an exception\n  31:26 EC             0x%02X  %s\n"
               "  25    IL             %u  the instruction has %u bits\n  24:0  ISS            0x%" PRIX32 "%s%s\n",
               text, ec, class, (unsigned)(value >> 25 & 1), (value >> 25 & 1) != 0 ? 32u : 16u, iss,
               known ? "  " : "", spelled);
    }
    if (known && instruction_place(&o.insn, &o.place) <= INSTRUCTION_ARM11) {
        o.instruction = true;
        o.word = instruction_word(&o.insn);
        show(setup, &o, &v);
    }
}

/* Decodes the operand @text, REG or REG=VALUE.  Returns false after it complained. */
static bool decode_one(const struct registers_setup *setup, const char *text)
{
    struct registers_operand o;
    struct fields_register f;
    struct registers_value v = {0};
    bool bad;

    if (is_syndrome(setup, text, &bad, &v.value)) {
        if (!bad) {
            show_syndrome(setup, text, v.value);
        }
        return !bad;
    }
    if (!registers_find(setup, text, &o)) {
        return false;
    }
    fields_list(&o.place, &setup->config, &f);
    if (o.value != NULL) {
        v.known = f.bits == 32 ? UINT32_MAX : UINT64_MAX;
        if (!registers_number(setup, f.name, o.value, f.bits, &v.value)) {
            return false;
        }
    }
    show(setup, &o, &v);
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The registers of an input: --file, --gdb or --live.
 */

/*
 * Shows the register at @place if @cell has a known bit.  In the text, an empty line comes before each register but the
 * first, for which *@first is true.
 */
static void show_cell(const struct registers_setup *setup, const struct state *s, const struct names_place *place,
                      const struct state_cell *cell, bool *first)
{
    char origin[128];
    const struct registers_operand o = {.place = *place};
    const struct registers_value v = {cell->known, cell->value & cell->known, state_origin(s, cell, origin)};

    if (cell->known == 0) {
        return;
    }
    if (!*first && setup->array == NULL) {
        putchar('\n');
    }
    *first = false;
    show(setup, &o, &v);
}

static int decode_input(const struct cli_args *args, struct registers_setup *setup)
{
    static struct state s;
    struct names_place place;
    char name[24];
    bool first = true;
    int status;

    if (!state_read_input(args, setup->file, &s, &status)) {
        return status;
    }
    state_complain(args->verb, &s);
    if (setup->array == NULL) {
        state_print_host(stdout, &s);
        first = !s.host.known;
    }
    state_to_model(&s, &setup->model);
    setup->config = (struct fields_config){&setup->model.cfg, setup->model.undecided, s.core};
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const enum apmu_reg reg = (enum apmu_reg)r;

        for (unsigned n = 0; n < apmu_reg_info(reg)->copies && state_canonical(reg) == reg; n++) {
            apmu_reg_name(reg, n, name);
            if (names_by_name(name, strlen(name), &place)) {
                show_cell(setup, &s, &place, state_cell(&s, reg, n), &first);
            }
        }
    }
    for (unsigned r = 0; r < STATE_ARM11_CELLS; r++) {
        place = (struct names_place){.view = NAMES_ARM11, .arm11 = r};
        show_cell(setup, &s, &place, &s.arm11[r], &first);
    }
    return CLI_YES;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lists.
 */

/* Prints the register at @place, or appends it to @array if that is not NULL. */
static void list_place(json_t *array, const struct names_place *place, const char *text)
{
    char name[24], where[64];

    names_spell(place, name);
    names_where(place, where);
    if (array == NULL) {
        printf("%-18s %-40s %s\n", name, where, text);
        return;
    }
    json_t *object = json_object();

    json_object_set_new(object, "register", json_string(name));
    json_object_set_new(object, "where", json_string(where));
    json_object_set_new(object, "text", json_string(text));
    json_array_append_new(array, object);
}

/* Lists each register once in each view, and only copy 0 of a bank, as list_place() does. */
static void list_registers(json_t *array)
{
    struct names_place place;
    const char *text;
    char name[24];

    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const struct apmu_reg_info *info = apmu_reg_info((enum apmu_reg)r);

        apmu_reg_name((enum apmu_reg)r, 0, name);
        if (names_by_name(name, strlen(name), &place)) {
            list_place(array, &place, info->text);
        }
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        const struct apmu_reg32_info *info = apmu_reg32_info((enum apmu_reg32)r);

        apmu_reg32_name((enum apmu_reg32)r, 0, name);
        if (names_by_name(name, strlen(name), &place)) {
            list_place(array, &place, apmu_reg_info(info->of)->text);
        }
    }
    for (unsigned i = 0; names_borrowed32(i, &place, &text); i++) {
        list_place(array, &place, text);
    }
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        place = (struct names_place){.view = NAMES_ARM11, .arm11 = r};
        list_place(array, &place, apmu_arm11_reg_info((enum apmu_arm11_reg)r)->text);
    }
}

/*
 * Prints a core, or appends it to @array if that is not NULL: its name, MIDR with revision 0, kind of PMU, number of
 * event counters, and a note.
 */
static void list_core(json_t *array, const struct apmu_core_info *core)
{
    static const char *const kinds[] = {NULL, "PMNC", "PMUv1", "PMUv2", "PMUv3"}; /* by struct apmu_core_info.pmu */
    const char *kind = kinds[core->pmu];
    const bool counted = core->counters <= APMU_EVENT_COUNTERS;
    char midr[16], counters[8] = "-";

    snprintf(midr, sizeof midr, "0x%02X0F%03X0", core->implementer, core->part);
    if (array == NULL) {
        if (counted) {
            snprintf(counters, sizeof counters, "%u", core->counters);
        }
        printf("%-22s %s  %-6s %2s%s%s\n", core->name, midr, kind != NULL ? kind : "-", counters,
               core->note[0] != '\0' ? "  " : "", core->note);
        return;
    }
    json_t *object = json_object();

    json_object_set_new(object, "core", json_string(core->name));
    json_object_set_new(object, "midr", json_string(midr));
    json_object_set_new(object, "pmu", kind != NULL ? json_string(kind) : json_null());
    json_object_set_new(object, "counters", counted ? json_integer(core->counters) : json_null());
    json_object_set_new(object, "note", json_string(core->note));
    json_array_append_new(array, object);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The verb.
 */

/* Returns whether the option says what to print, in place of operands. */
static bool replaces_operands(enum cli_option_id id)
{
    return id == CLI_REGISTERS || id == CLI_CORES || id == CLI_FILE || id == CLI_GDB || id == CLI_LIVE;
}

/* Checks that either operands or one such option say what to print.  Returns false after it complained. */
static bool check_choice(const struct cli_args *args)
{
    const char *chosen = NULL;

    for (size_t i = 0; i < args->given_count; i++) {
        const char *name = cli_option_name(args->verb, args->given[i].id);

        if (!replaces_operands(args->given[i].id)) {
            continue;
        }
        if (chosen != NULL && strcmp(chosen, name) != 0) {
            cli_complain(args->verb, "--%s, --%s: each says what to print; give one of them", chosen, name);
            return false;
        }
        chosen = name;
    }
    if (chosen != NULL && args->operands[0] != NULL) {
        cli_complain(args->verb, "%s: --%s takes no operands; give one of the two", args->operands[0], chosen);
        return false;
    }
    return true;
}

int cli_decode(const struct cli_args *args)
{
    struct registers_setup setup;
    int status = CLI_YES;

    if (!check_choice(args) || !registers_options(args, &setup)) {
        return CLI_USAGE;
    }
    if (setup.registers) {
        list_registers(setup.array);
        return registers_finish(&setup, CLI_YES);
    }
    if (setup.cores) {
        for (size_t i = 0; apmu_core_at(i) != NULL; i++) {
            list_core(setup.array, apmu_core_at(i));
        }
        return registers_finish(&setup, CLI_YES);
    }
    if (setup.file != NULL || setup.live) {
        return registers_finish(&setup, decode_input(args, &setup));
    }
    if (args->operands[0] == NULL) {
        cli_complain(args->verb, "REG=VALUE is missing; give one, such as PMCR_EL0=0x41023001");
        status = CLI_USAGE;
    }
    for (char **text = args->operands; *text != NULL && status == CLI_YES; text++) {
        if (text != args->operands && setup.array == NULL) {
            putchar('\n');
        }
        status = decode_one(&setup, *text) ? CLI_YES : CLI_USAGE;
    }
    return registers_finish(&setup, status);
}
