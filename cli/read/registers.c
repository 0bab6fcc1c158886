/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the values of registers in a text, CPU by CPU (cli/state). */
#define _GNU_SOURCE
#include "registers.h"

#include "code/code.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST 65536             /* lines that tell what a text has in common */
#define MUCH    ((size_t)1 << 20) /* bytes of a text in which each line is looked at; behind these, and */
                                  /* behind LONGEST lines, a line needs a name with PM */

/* Returns true if a line of a log names a register of the PMU. */
static bool names_register(const char *text)
{
    static const char *const names[] = {
        "pmcr",    "pmcnten", "pmuseren", "pmccntr", "pmevcntr", "pmevtyper", "pmselr", "pminten", "pmovs",
        "mdcr_el", "pmccfil", "pmnc",     "cntens",  "pmlsr",    "pmdevarch", "pmcfgr", "devmem",  "demcr",
        "dwt_",    "edprsr",  "pmceid",   "pmxev",   "midr_el1", "currentel", "oslsr",  "spr:",
        "typer",   "evcntr",  "cntr0",    "cntr1",   "cntr2",    "cntr3",     "ccntr",  "useren",
    };
    static struct text_words words = {.words = names, .count = sizeof names / sizeof names[0]};
    size_t found;

    return text_search(&words, text, &found) != NULL;
}

/* Returns true if another reader understood line @i, so that its numbers are no registers' values. */
static bool is_other(const struct text *t, size_t i)
{
    return text_is_claimed(t, i, TEXT_CODE) || (text_is_claimed(t, i, TEXT_LINUX) && !names_register(t->lines[i].text));
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tables that look like code.
 */

/* Returns true if @at, a place in @text or NULL, is not behind a letter or digit. */
static bool begins_word(const char *text, const char *at)
{
    return at != NULL && (at == text || !isalnum((unsigned char)at[-1]));
}

/* Returns true if a line is a command of OpenOCD that reads a register: "> aarch64 mrs 3 3 9 12 0". */
static bool is_openocd(const char *text)
{
    static const char *const commands[] = {"aarch64 mrs ", "aarch64 mrc ", "aarch64 msr ", "arm mrc ", "arm mcr "};

    text += strspn(text, "> \t");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strncasecmp(text, commands[i], strlen(commands[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if a line has the marks of code: a statement's end, a body, an instruction, or a call. */
static bool has_marks_of_code(const char *text)
{
    static const char *const marks[] = {
        "mrs",  "msr",  "mrc",          "mcr",         "mrrc", "asm", "#define", "#include", "ldr ",
        "mov ", "write_sysreg", "read_sysreg", "|=",   "&=",  "return ", "ioctl",    "perf_event",
        "isb",  "+="};
    static struct text_words words = {.words = marks, .count = sizeof marks / sizeof marks[0]};
    const size_t length = strlen(text);
    uint64_t passed = 0; /* the first place of a mark counts alone */
    size_t i;

    if (is_openocd(text)) {
        return false;
    }

    for (const char *at = text; (at = text_search(&words, at, &i)) != NULL; at++) {
        if ((passed >> i & 1) == 0 && begins_word(text, at)) {
            return true;
        }
        passed |= UINT64_C(1) << i;
    }
    return begins_word(text, strchr(text, '{')) || begins_word(text, strchr(text, '}')) ||
           (length > 0 && text[length - 1] == ';');
}

/* Returns true if the line is a register's name, = or :, and a number in hexadecimal, and nothing else. */
static bool is_value(const char *text)
{
    struct names_place place;
    char *end;

    text += text_blanks(text);
    const size_t name = strcspn(text, " \t=:"), joint = strspn(text + name, " \t=:");

    if (joint == 0 || strncasecmp(text + name + joint, "0x", 2) != 0 || !names_by_name(text, name, &place)) {
        return false;
    }
    (void)strtoull(text + name + joint, &end, 16);
    return end[strspn(end, " \t\r")] == '\0';
}

/* Returns true if the line is what a debugger answers: a number alone, or "$1 = 17". */
static bool is_answer(const char *text)
{
    const size_t digits = strspn(text, "0123456789abcdefABCDEFx");

    return registers_printed(text) != NULL ||
           (isdigit((unsigned char)*text) && text[digits + strspn(text + digits, " \t\r")] == '\0');
}

/*
 * Takes back the claim of the code's reader on what a program or a debugger printed in a session of a debugger, which
 * lists code.
 */
static void take_printed_back(struct text *t)
{
    const bool session = strstr(t->joined, "(gdb)") != NULL || strstr(t->joined, "(lldb)") != NULL ||
                         strstr(t->joined, "Program received signal") != NULL;

    for (size_t i = 0; session && i < t->count && i < LONGEST; i++) {
        if (text_is_claimed(t, i, TEXT_CODE) && (is_value(t->lines[i].text) || is_answer(t->lines[i].text))) {
            t->lines[i].claimed &= (uint8_t) ~(1u << TEXT_CODE);
        }
    }
}

/*
 * "PMCR_EL0 = 0x41" is an assignment to whoever reads code, and a value here.  Takes back the claim of the code's
 * reader on lines that give values and have no mark of code; if no line has one, there is no code.
 */
static void take_tables_back(struct reading *r)
{
    size_t tables = 0, code = 0;

    if (r->code == NULL || r->code->perf != NULL) {
        return; /* perf_event_open() is no register */
    }
    take_printed_back(&r->text);
    for (size_t i = 0; i < r->text.count; i++) {
        struct text_line *line = &r->text.lines[i];

        if (!text_is_claimed(&r->text, i, TEXT_CODE)) {
            continue;
        }
        if (has_marks_of_code(line->text)) {
            code++;
        } else if (strpbrk(line->text, "0123456789") != NULL) {
            tables++;
        }
    }
    if (tables == 0 || code > tables) {
        return;
    }
    for (size_t i = 0; i < r->text.count; i++) {
        if (code == 0 || (code < tables && !has_marks_of_code(r->text.lines[i].text))) {
            r->text.lines[i].claimed &= (uint8_t) ~(1u << TEXT_CODE);
        }
    }
    if (code == 0) {
        code_free(r->code);
        r->code = NULL;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Texts that state_parse() reads.
 */

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

/* Returns true if the line is of TRACE32's space of system registers, which is no memory. */
static bool is_spr(const char *text)
{
    return strncasecmp(text + text_blanks(text), "SPR:", 4) == 0;
}

/* Puts the lines of the text before state_parse(); with @memory, the lines of memory dumps only. */
static void parse_whole(struct reading *r, struct state *s, const struct state_frame *given, bool memory)
{
    struct text *t = &r->text;
    const size_t last = t->count == 0 ? 1 : t->lines[t->count - 1].number;
    char *copy = cli_allocate(NULL, 2 * t->length + 64 * t->count + last + 1, 1);
    struct state_frame frame = *given;
    struct registers_memory words = {0};
    size_t used = 0;
    uint32_t number = 1; /* of the next line of .copy */

    /* The parser counts lines itself, so lines that are left out stay as empty ones. */
    for (size_t i = 0; i < t->count; i++) {
        const struct text_line *line = &t->lines[i];
        const bool whole = !memory || state_is_memory_line(line->text, line->length);
        char word[64];
        const size_t length = is_other(t, i) || is_spr(line->text) ? 0
                              : whole        ? line->length
                                             : registers_memory_line(&words, line->text, line->length, word);

        if (length != 0 && !whole && registers_extras(r, word, line->number)) {
            text_claim(&r->text, i, TEXT_REGISTERS);
        }
        if (length != 0) {
            memset(copy + used, '\n', line->number - number);
            used += line->number - number;
            memcpy(copy + used, whole ? line->text : word, length);
            used += length;
            copy[used++] = '\n';
            number = line->number + 1;
        }
    }
    if (memory && used != 0 && !frame.given) {
        (void)registers_find_frame(t, copy, used, &frame);
    }
    if (used != 0) {
        state_parse(s, copy, used, &frame);
    }
    free(copy);
    claim_lines(r, s);
}

/* ---------------------------------------------------------------------------------------------------------------
 * What the text has in common.
 */

/* Returns true if a bare word of the line is a hexadecimal number of eight digits or more with letters and digits. */
static bool has_bare_hex(const char *text)
{
    while (*text != '\0') {
        size_t length = 0, digits = 0, letters = 0;

        if (!isalnum((unsigned char)*text)) {
            text++;
            continue;
        }
        while (isalnum((unsigned char)text[length]) || text[length] == '_') {
            digits += isdigit((unsigned char)text[length]) != 0;
            letters += strchr("abcdefABCDEF", text[length]) != NULL;
            length++;
        }
        if ((length == 8 || length == 16) && digits + letters == length && letters != 0 && digits != 0) {
            return true;
        }
        if (length == 8 && digits == 8 && *text == '0' && strspn(text, "0") < 7) {
            return true; /* padded with zeros */
        }
        text += length;
    }
    return false;
}

/* Returns true if the text calls the registers as cores of ARMv7 have them, so that PMNC is PMCR. */
static bool is_armv7_text(const struct reading *r)
{
    enum { ARM11 = 4 }; /* the first words say ARM11, the others ARMv7 */
    static const char *const names[] = {"c15,c12", "c15, c12", "c15 c12",   "arm11", "cntens",   "intens", "evtsel",
                                        "pmnxsel", "useren",   "pmcnten",   "cortex-a", "=0x41", "cnten",  "xevtyper",
                                        "pmcr"};
    static struct text_words words = {.words = names, .count = sizeof names / sizeof names[0]};
    bool arm11 = false, armv7 = false;
    size_t found;

    for (size_t i = 0; i < r->text.count && i < LONGEST && !(arm11 && armv7); i++) {
        for (const char *at = r->text.lines[i].text; (at = text_search(&words, at, &found)) != NULL; at++) {
            arm11 |= found < ARM11;
            armv7 |= found >= ARM11;
        }
    }
    if (r->machine.core != NULL) {
        return r->machine.core->pmu != APMU_CORE_PMU_ARM11;
    }
    return armv7 && !arm11;
}

static void find_context(const struct reading *r, struct state_loose *context)
{
    *context = (struct state_loose){.armv7 = is_armv7_text(r)};
    for (size_t i = 0; i < r->text.count && i < LONGEST && !context->hex; i++) {
        context->hex = !is_other(&r->text, i) && has_bare_hex(r->text.lines[i].text);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

/* Returns true if a line has "pm" in any case of letters. */
static bool has_pm(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if ((*at | 0x20) == 'p' && (at[1] | 0x20) == 'm') {
            return true;
        }
    }
    return false;
}

/* Makes room for a state of each CPU that the text names. */
static void add_states(struct reading *r, const struct state *given, const struct registers_cpus *cpus)
{
    const size_t count = cpus->count > 1 ? cpus->count : 1;

    r->states = cli_allocate(r->states, count, sizeof *r->states);
    r->cpus = cli_allocate(r->cpus, count, sizeof *r->cpus);
    for (size_t i = 0; i < count; i++) {
        r->states[i] = *given;
        r->states[i].moments = true;
        r->cpus[i] = i < cpus->count ? cpus->numbers[i] : UINT_MAX;
    }
    r->state_count = count;
}

/* Takes the cells of a row of the table that line @head, an index + 1, begins. */
static unsigned take_row(struct reading *r, struct state *s, struct state_loose *context, size_t head,
                         const struct text_line *line)
{
    const char *names = r->text.lines[head - 1].text;
    char column[160];
    size_t length;
    unsigned taken = 0;

    for (size_t k = 0; (length = registers_cell(names, line->text, k, column, sizeof column)) != 0; k++) {
        taken += state_line(s, context, column, length, line->number);
    }
    return taken;
}

/*
 * Writes CurrentEL's value of a line that names the level, "CurrentEL : EL2" or "CurrentEL = 2".  Returns the length
 * of the text, 0 if it is another line.
 */
static size_t level_line(const char *text, char buf[160])
{
    const char *at = strcasestr(text, "currentel");

    if (!begins_word(text, at)) {
        return 0;
    }
    at += strlen("currentel");
    at += strspn(at, " \t:=_-(");
    at += strncasecmp(at, "EL", 2) == 0 && isdigit((unsigned char)at[2]) ? 2 : 0;
    if (*at < '1' || *at > '3' || isalnum((unsigned char)at[1])) {
        return 0;
    }
    return (size_t)snprintf(buf, 160, "CurrentEL = 0x%x", (unsigned)(*at - '0') << 2);
}

/*
 * Writes a system register of TRACE32's space SPR, "SPR:00034111 | 0000000000000004", as "S3_4_C1_C1_1 = 0x4": the
 * digits of its address are op0, op1, CRn, CRm and op2.  Returns the length of the text, 0 if it is another line.
 */
static size_t spr_line(const char *text, char buf[160])
{
    const char *at = text + text_blanks(text);
    char *end;
    unsigned long key;

    if (strncasecmp(at, "SPR:", 4) != 0 || !isxdigit((unsigned char)at[4])) {
        return 0;
    }
    key = strtoul(at + 4, &end, 16);
    end += text_blanks(end);
    if (*end != '|' || key < 0x20000 || key > 0x3FFFF || (key & 7) != (key & 15)) {
        return 0;
    }
    at = end + 1 + text_blanks(end + 1);
    return (size_t)snprintf(buf, 160, "S%lu_%lu_C%lu_C%lu_%lu = 0x%.*s", key >> 16, key >> 12 & 7, key >> 8 & 15,
                            key >> 4 & 15, key & 7, (int)strspn(at, "0123456789abcdefABCDEF"), at);
}

/*
 * Gives line @i to the state of the CPU that it is about, or to @common if it is about all of them.  Returns how many
 * values were taken.
 */
static unsigned take_line(struct reading *r, const struct registers_cpus *cpus, struct state_loose *context,
                          struct state *common, size_t i)
{
    const struct text_line *line = &r->text.lines[i];
    const uint8_t cpu = cpus->cpus[i];
    struct state *s = r->state_count == 1 ? &r->states[0] : cpu < r->state_count ? &r->states[cpu] : common;
    char column[160];
    unsigned taken = 0;
    size_t length = level_line(line->text, column);

    length = length != 0 ? length : spr_line(line->text, column);
    length = length != 0 || cpus->heads[i] != 0 ? length : registers_name_last(line->text, column, sizeof column);
    if (length != 0) {
        return state_line(s, context, column, length, line->number);
    }

    if (cpu == REGISTERS_MORE_CPUS && r->state_count > 1) {
        return 0;
    }
    if (cpus->heads[i] != 0) {
        return take_row(r, s, context, cpus->heads[i], line);
    }
    if (s != common || cpus->columns[i] < 2) {
        return state_line(s, context, line->text, line->length, line->number);
    }
    for (size_t k = 0; k < r->state_count && k < cpus->columns[i] &&
                       (length = registers_column(line->text, k, column, sizeof column)) != 0; k++) {
        taken += state_line(&r->states[k], context, column, length, line->number);
    }
    return taken;
}

/* Adds what the lines about all CPUs give of a register to what a CPU's own lines give, in the order of the lines. */
static void merge_cell(struct state_cell *own, const struct state_cell *common)
{
    const bool later = own->times == 0 || own->line < common->line;
    const struct state_cell first = later ? *own : *common, second = later ? *common : *own;
    const uint64_t both = first.known & second.known;

    if (common->times == 0) {
        return;
    }
    *own = (struct state_cell){
        .known = first.known | second.known,
        .value = first.value | (second.value & ~first.known),
        .line = (second.known & ~first.known) != 0 ? second.line : first.line,
        .last = (first.last & ~second.known) | (second.last & second.known),
        .last_line = second.last_line,
        .times = first.times + second.times,
        .moved = first.moved || second.moved || ((first.value ^ second.value) & both) != 0,
    };
}

/* Adds what is known of all CPUs to the state of one. */
static void merge_common(struct state *s, const struct state *common)
{
    for (size_t i = 0; i < STATE_CELLS; i++) {
        merge_cell(&s->cells[i], &common->cells[i]);
    }
    for (size_t i = 0; i < STATE_ARM11_CELLS; i++) {
        merge_cell(&s->arm11[i], &common->arm11[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        merge_cell(&s->selected[i], &common->selected[i]);
    }
    s->facts += common->facts;
}

/* Moves the remarks on the lines about all CPUs to the state of the first one. */
static void move_remarks(struct state *s, const struct state *common)
{
    for (unsigned i = 0; i < common->remark_count; i++) {
        if (i < STATE_REMARKS && s->remark_count < STATE_REMARKS) {
            s->remarks[s->remark_count] = common->remarks[i];
        }
        s->remark_count++;
    }
}

/* Takes a word of memory for the register that the line before names.  Returns false if that names none. */
static bool take_named_word(struct reading *r, struct state_loose *context, size_t i)
{
    const struct text_line *line = &r->text.lines[i];
    char word[64];
    const size_t length = line->length < 100 ? registers_named_word(r->text.lines[i - 1].text, line->text, word) : 0;

    return length != 0 && state_line(&r->states[0], context, word, length, line->number) != 0;
}

/* Takes what is written to a register where nothing was read from it. */
static void merge_written(struct state *s, const struct state *written)
{
    for (size_t i = 0; i < STATE_CELLS; i++) {
        const struct state_cell *cell = &written->cells[i];
        const bool flags = cell == state_cell(written, APMU_REG_PMOVSSET_EL0, 0);
        const bool set = cell == state_cell(written, APMU_REG_PMCNTENSET_EL0, 0) ||
                         cell == state_cell(written, APMU_REG_PMINTENSET_EL1, 0);

        if (set && cell->value == 0) {
            continue; /* 0 written to a SET register changes nothing */
        }
        if (s->cells[i].known == 0 && cell->known != 0 && !flags) {
            s->cells[i] = *cell;
            s->facts++;
        }
    }
    for (size_t i = 0; i < STATE_ARM11_CELLS; i++) {
        if (s->arm11[i].known == 0 && written->arm11[i].known != 0) {
            s->arm11[i] = written->arm11[i];
            s->facts++;
        }
    }
}

static void parse_lines(struct reading *r, const struct state *given, const struct state_frame *frame)
{
    struct registers_cpus cpus;
    struct state_loose context;
    struct state *written = cli_allocate(NULL, 1, sizeof *written), *common = cli_allocate(NULL, 1, sizeof *common);

    find_context(r, &context);
    registers_sort(&r->text, &cpus);
    add_states(r, given, &cpus);
    state_init(written, given->input);
    state_init(common, given->input);
    common->moments = true;
    context.written = written;
    size_t read = 0;

    for (size_t i = 0; i < r->text.count; i++) {
        const struct text_line *line = &r->text.lines[i];

        read += line->length;
        if (line->length != 0 && (registers_extras_printed(r, i) || (registers_printed(line->text) != NULL &&
                                  text_is_claimed(&r->text, i, TEXT_CODE) &&
                                  registers_extras(r, line->text, line->number)))) {
            continue; /* code, which GDB lists too, has no such lines */
        }
        if (line->length == 0 || is_other(&r->text, i) || ((read > MUCH || i > LONGEST) && !has_pm(line->text))) {
            continue;
        }
        if (registers_extras(r, line->text, line->number)) {
            text_claim(&r->text, i, TEXT_REGISTERS);
        }
        if (i > 0 && take_named_word(r, &context, i)) {
            text_claim(&r->text, i, TEXT_REGISTERS);
        } else if ((!state_is_memory_line(line->text, line->length) || is_spr(line->text)) &&
                   take_line(r, &cpus, &context, common, i) != 0) {
            text_claim(&r->text, i, TEXT_REGISTERS);
        }
    }
    parse_whole(r, &r->states[0], frame, true);
    for (size_t i = 0; i < r->state_count; i++) {
        merge_common(&r->states[i], common);
        merge_written(&r->states[i], written);
    }
    move_remarks(&r->states[0], common);
    registers_release(&cpus);
    free(common);
    r->written = written;
}

void read_registers(struct reading *r, const struct state *given, const struct state_frame *frame)
{
    take_tables_back(r);
    if (state_is_whole(r->text.joined, r->text.length)) {
        r->states[0] = *given;
        parse_whole(r, &r->states[0], frame, false);
    } else {
        struct registers_spelled *const originals = r->text.count < LONGEST ? registers_spell_out(&r->text) : NULL;

        parse_lines(r, given, frame);
        registers_restore(&r->text, originals);
        registers_gic(r);
    }
    for (size_t i = 0; i < r->state_count; i++) {
        state_finish(&r->states[i]);
        reading_learn_core(r, r->states[i].core);
    }
}
