/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what debuggers and exception handlers print: syndromes, saved states, opcodes, disassembly and signals. */
#define _GNU_SOURCE
#include "exception.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINES        3000u /* at the beginning and at the end of the input that are looked at */
#define INSTRUCTIONS 200u   /* that are kept */
#define REPORTS      400u   /* that are kept */

/* What is known while an input is read. */
struct exception_reader {
    struct reading *r;
    size_t line; /* the index of the line */
    uint32_t number;
    size_t instructions, reports;
    unsigned asked;       /* the counter that GDB is asked for: 1 for PMCCNTR, 2 + n for PMEVCNTR<n>; 0: none */
    uint64_t printed[33]; /* by the same number: the value that it printed last */
    bool window;          /* the line before asks a debugger for memory: x/4wx, mdw, d.dump */
    uint64_t names;       /* those of line_names[] that the line has, a set of 1 << index */
};

uint64_t exception_pack(const struct names_instruction *i)
{
    return i->key | (uint64_t)i->coproc << 16 | (uint64_t)i->rt << 20 | (uint64_t)i->rt2 << 25 |
           (uint64_t)i->a32 << 30 | (uint64_t)i->pair << 31 | (uint64_t)i->read << 32;
}

struct names_instruction exception_unpack(uint64_t value)
{
    return (struct names_instruction){.key = (uint16_t)value,
                                      .coproc = value >> 16 & 15,
                                      .rt = value >> 20 & 31,
                                      .rt2 = value >> 25 & 31,
                                      .a32 = (value >> 30 & 1) != 0,
                                      .pair = (value >> 31 & 1) != 0,
                                      .read = (value >> 32 & 1) != 0};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Numbers and words.
 */

/*
 * The names that behind_word() finds, with a number each.  A line is searched once for all of them, so a name that is
 * looked for has a row here.
 */
#define SYNDROMES(NAME) /* the level, 0 if it is not named; CLASS: no more than the class */ \
    NAME("esr_el1", 1) NAME("esr_el2", 2) NAME("esr_el3", 3) NAME("hsr", 2) NAME("esr", 0) NAME("esr_el", 0) \
    NAME("esr_eln", 0) NAME("esr_elx", 0) NAME("ec", CLASS)
#define STATES(NAME) \
    NAME("spsr_el1", 1) NAME("spsr_el2", 2) NAME("spsr_el3", 3) NAME("spsr_hyp", 2) NAME("spsr", 0) NAME("pstate", 0) \
    NAME("cpsr", 0) NAME("spsr_eln", 0) NAME("spsr_elx", 0)
#define MODES(NAME) /* the mode's number */ \
    NAME("user_32", 0x10) NAME("svc_32", 0x13) NAME("hyp_32", 0x1A) NAME("mon_32", 0x16) NAME("und_32", 0x1B) \
    NAME("irq_32", 0x12) NAME("fiq_32", 0x11) NAME("abt_32", 0x17) NAME("sys_32", 0x1F)
#define MNEMONICS(NAME) NAME("mrs", 0) NAME("msr", 0) NAME("mrc", 0) NAME("mcr", 0) NAME("mrrc", 0) NAME("mcrr", 0)
/* OPCODE_WORDS(ROW) is ROW("opcode", 0) ROW("word", 0) and so on. */
#define OPCODE_WORDS(NAME) \
    NAME(CODE, 0) NAME("codes", 0) NAME("opcode", 0) \
    NAME("word", 0) NAME("insn", 0) NAME("instr", 0) NAME("instruction", 0) \
    NAME("inst", 0) NAME("opc", 0) NAME("elr", 0) NAME("undefinstr", 0) NAME("undefined", 0) NAME("faulting", 0) \
    NAME("fault", 0) NAME("at pc", 0) NAME("pc", 0) NAME("epc", 0) NAME("instruction:", 0) NAME("insn:", 0) \
    NAME("bytes", 0) NAME("encoding", 0)
#define OTHERS(NAME) NAME(MODE, 0) NAME(CFSR, 0) NAME(BFAR, 0) NAME(UFSR, 0)

#define CLASS 9u
#define CODE "code"
#define MODE "mode"
#define CFSR "cfsr"
#define BFAR "bfar"
#define UFSR "ufsr"

#define JUST_NAME(name, number) name,
#define WITH_NUMBER(name, number) {name, number},

static const char *const line_names[] = {SYNDROMES(JUST_NAME) STATES(JUST_NAME) MODES(JUST_NAME) MNEMONICS(JUST_NAME)
                                             OPCODE_WORDS(JUST_NAME) OTHERS(JUST_NAME)};

_Static_assert(sizeof line_names / sizeof line_names[0] <= 64, "struct text_words has 64 words");

static struct text_words name_words = {.words = line_names, .count = sizeof line_names / sizeof line_names[0]};

static bool is_name(char c)
{
    return text_is_word(c);
}

/* Reads a hexadecimal number at @at, with 0x or not, of up to 16 digits.  Returns its length, 0 if there is none. */
static size_t take_hex(const char *at, uint64_t *value, size_t *digits)
{
    const char *from = at;

    if (at[0] == '0' && (at[1] | 0x20) == 'x') {
        at += 2;
    }
    *value = 0;
    for (*digits = 0; isxdigit((unsigned char)at[*digits]) != 0 && *digits < 17; ++*digits) {
        const int c = tolower((unsigned char)at[*digits]);

        *value = *value << 4 | (uint64_t)(isdigit(c) != 0 ? c - '0' : c - 'a' + 10);
    }
    if (*digits == 0 || *digits > 16 || is_name(at[*digits])) {
        return 0;
    }
    return (size_t)(at - from) + *digits;
}

/* Reads the number behind a name: " = 0x..", ": ..", "(EC 0x18) ..".  Returns false if none follows nearby. */
static bool value_behind(const char *at, uint64_t *value)
{
    size_t digits, skipped = 0;

    while (*at != '\0' && skipped < 24 && strchr(" \t:=|-'\"[(", *at) != NULL) {
        at++;
        skipped++;
    }
    if (skipped == 0 || take_hex(at, value, &digits) == 0) {
        return false;
    }
    return digits >= 5 || strncmp(at, "0x", 2) == 0;
}

/* Returns true if the line has @word, one of line_names[], as a whole name. */
static bool has_name(const struct exception_reader *e, const char *word)
{
    uint64_t left = name_words.first[(unsigned char)word[0]] & name_words.second[(unsigned char)word[1]];

    while (left != 0 && strcmp(line_names[__builtin_ctzll(left)], word) != 0) {
        left &= left - 1;
    }
    return left != 0 && (e->names >> __builtin_ctzll(left) & 1) != 0;
}

/* Finds @word, one of line_names[], in the line @text, where it is a whole name.  Returns what follows it, or NULL. */
static const char *behind_word(const struct exception_reader *e, const char *text, const char *word)
{
    const size_t length = strlen(word);

    if (!has_name(e, word)) {
        return NULL;
    }
    for (const char *at = text; (at = strcasestr(at, word)) != NULL; at++) {
        if ((at == text || !is_name(at[-1])) && !is_name(at[length])) {
            return at + length;
        }
    }
    return NULL;
}

static struct clue *add(struct exception_reader *e, enum clue_kind kind, const char *words)
{
    return reading_clue(e->r, kind, e->number, words);
}

static void claim(const struct exception_reader *e)
{
    text_claim(&e->r->text, e->line, TEXT_EXCEPTION);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Syndromes and saved states.
 */

/* Adds the syndrome of @text, or the class of one: "EC 0x18". */
static void find_syndromes(struct exception_reader *e, const char *text)
{
    static const struct {
        const char *name;
        uint64_t level;
    } names[] = {SYNDROMES(WITH_NUMBER)};
    uint64_t value;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = behind_word(e, text, names[i].name);

        if (at != NULL && value_behind(at, &value) && names[i].level == CLASS) {
            add(e, CLUE_exception_class, NULL)->values[0] = value;
        } else if (at != NULL && value_behind(at, &value)) {
            struct clue *c = add(e, CLUE_exception_syndrome, NULL);

            c->values[0] = value;
            c->values[1] = names[i].level;
            claim(e);
            return;
        }
    }
}

/* Returns the Exception level of a saved state, or 9 if it has none. */
static uint64_t level_of(uint64_t state)
{
    static const uint8_t modes[16] = {0, 1, 1, 1, 9, 9, 3, 1, 9, 9, 2, 1, 9, 9, 9, 1};

    return (state & 0x10) != 0 ? modes[state & 15] : state >> 2 & 3;
}

static void add_status(struct exception_reader *e, const char *name, uint64_t value, uint64_t level)
{
    struct clue *c = add(e, CLUE_exception_status, name);

    c->values[0] = value;
    c->values[1] = level;
    if (level != 9) {
        reading_learn(&e->r->machine.el, level, e->number);
        reading_learn(&e->r->machine.aarch32, value >> 4 & 1, e->number);
    }
}

/* Adds saved states: "SPSR_EL2 0x60400005", "cpsr: 600001d3", "Mode SVC_32", "pstate: 60400005 (nZCv ...)". */
static void find_states(struct exception_reader *e, const char *text)
{
    static const char *const names[] = {STATES(JUST_NAME)};
    static const struct {
        const char *name;
        uint64_t mode;
    } modes[] = {MODES(WITH_NUMBER)};
    uint64_t value;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = behind_word(e, text, names[i]);

        if (at != NULL && value_behind(at, &value)) {
            add_status(e, names[i], value, level_of(value));
            claim(e);
            return;
        }
    }
    for (size_t i = 0; i < sizeof modes / sizeof modes[0] && behind_word(e, text, MODE) != NULL; i++) {
        if (behind_word(e, text, modes[i].name) != NULL) {
            add_status(e, "mode", modes[i].mode, level_of(modes[i].mode));
            claim(e);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Instructions.
 */

static void add_instruction(struct exception_reader *e, const struct names_instruction *i, uint32_t word, bool faulted)
{
    char words[96];
    struct clue *c;

    if (e->instructions++ >= INSTRUCTIONS) {
        return;
    }
    c = add(e, CLUE_exception_instruction, instruction_spell(i, words));
    c->values[0] = exception_pack(i) | (faulted ? EXCEPTION_FAULTED : 0);
    c->values[1] = word;
    if (faulted && word != 0) {
        c = add(e, CLUE_exception_opcode, NULL);
        c->values[0] = word;
    }
}

/* Returns true if the line marks its instruction as the one at the PC. */
static bool is_marked(const char *text)
{
    const char *at = text + strspn(text, " \t|");

    return strncmp(at, "=>", 2) == 0 || strncmp(at, "->", 2) == 0 || strstr(text, ">>>") != NULL ||
           strncasecmp(at, "pc:", 3) == 0;
}

/* Adds the instructions that the line has as text. */
static void find_disassembly(struct exception_reader *e, const char *text)
{
    static const char *const mnemonics[] = {MNEMONICS(JUST_NAME)};
    struct names_instruction i;
    char name[NAMES_LENGTH];

    for (size_t n = 0; n < sizeof mnemonics / sizeof mnemonics[0]; n++) {
        const char *at = behind_word(e, text, mnemonics[n]);
        const size_t length = strlen(mnemonics[n]);

        if (at != NULL && instruction_parse(at - length, strlen(at) + length, &i, name) != 0) {
            add_instruction(e, &i, 0, is_marked(text));
            if (is_marked(text)) {
                claim(e);
            }
        }
    }
}

/* Returns true if the text before an opcode says that it is one. */
static bool has_opcode_word(const struct exception_reader *e, const char *text)
{
    static const char *const words[] = {OPCODE_WORDS(JUST_NAME)};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (behind_word(e, text, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if @text has eight or sixteen hexadecimal digits in a row, or four and four. */
static bool has_opcode(const char *text)
{
    size_t digits = 0, words = 0;

    for (const char *at = text;; at++) {
        if (isxdigit((unsigned char)*at) != 0) {
            digits++;
            continue;
        }
        words = digits == 4 ? words + 1 : 0;
        if (digits == 8 || digits == 16 || words == 2) {
            return true;
        }
        if (*at == '\0') {
            return false;
        }
        digits = 0;
    }
}

/* Makes an instruction of @word, or of the same halfwords of T32 in the order of memory.  */
static bool is_access(uint32_t word, struct names_instruction *i)
{
    struct names_place place;

    return names_instruction(word, i) && (!i->a32 || i->coproc >= 14) &&
           (instruction_place(i, &place) != INSTRUCTION_OTHER || (i->a32 && i->coproc == 15) || !i->a32);
}

/* Adds the opcodes of the line. */
static void find_opcodes(struct exception_reader *e, const char *text)
{
    const char *code = behind_word(e, text, CODE);
    const bool dump = e->window || (text[0] != '\0' && strchr(text, ':') != NULL && strstr(text, ">:") != NULL);
    struct names_instruction i;

    if (!has_opcode(text) || (!dump && !has_opcode_word(e, text))) {
        return;
    }
    for (const char *at = text; *at != '\0'; at++) {
        uint64_t value;
        size_t digits, used;

        if ((at != text && is_name(at[-1])) || isxdigit((unsigned char)*at) == 0) {
            continue;
        }
        used = take_hex(at, &value, &digits);
        if (used != 0 && (digits == 8 || (digits == 16 && value >> 32 == 0)) && is_access((uint32_t)value, &i)) {
            const bool enclosed = at != text && at[-1] == '(' && at[used] == ')';

            /* Behind "Code:" only the word in parentheses faulted. */
            add_instruction(e, &i, (uint32_t)value, code == NULL || enclosed || strchr(text, '(') == NULL);
            claim(e);
        } else if (used == 4 && digits == 4 && at[4] == ' ' && take_hex(at + 5, &value, &digits) == 4) {
            const uint32_t first = (uint32_t)strtoul(at, NULL, 16);

            if (is_access(first << 16 | (uint32_t)value, &i) && first >> 12 == 0xE) {
                add_instruction(e, &i, first << 16 | (uint32_t)value,
                                code == NULL || (at != text && at[-1] == '('));
                claim(e);
            }
        }
        at += used != 0 ? used - 1 : 0;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Signals, panics and debuggers.
 */

/* A phrase that says what kind of report this is. */
static const struct report {
    const char *phrase;
    enum clue_kind kind;
    uint64_t value;
    bool claims; /* the phrase is no phrase of prose */
} reports[] = {
    {"received signal SIGILL", CLUE_exception_signal, 4, true},
    {"signal SIGILL", CLUE_exception_signal, 4, true},
    {"SIGILL {", CLUE_exception_signal, 4, true},
    {"SIGILL/ILL_ILLOPC", CLUE_exception_signal, 4, true},
    {"signal 4 (SIGILL)", CLUE_exception_signal, 4, true},
    {"EXC_BAD_INSTRUCTION", CLUE_exception_signal, 4, true},
    {"Illegal instruction (core dumped)", CLUE_exception_signal, 4, true},
    {"terminated with signal SIGILL", CLUE_exception_signal, 4, true},
    {"Signal: 4 (ILL)", CLUE_exception_signal, 4, true}, /* of coredumpctl */
    {"status=4/ILL", CLUE_exception_signal, 4, true}, /* of systemd */
    {"received signal SIGBUS", CLUE_exception_signal, 7, true},
    {"signal SIGBUS", CLUE_exception_signal, 7, true},
    {"Bus error (core dumped)", CLUE_exception_signal, 7, true},
    {"received signal SIGSEGV", CLUE_exception_signal, 11, true},
    {"SIGILL (0x4)", CLUE_exception_signal, 4, true}, /* of a Java VM */
    {"terminated SIGILL", CLUE_exception_signal, 4, true},
    {"code c000001d", CLUE_exception_signal, 4, true}, /* of Windows */
    {"user exception 0", CLUE_exception_undefined, 0, false}, /* of seL4 */
    {"]: undefined instruction", CLUE_exception_signal, 4, true}, /* of a program: "bench[2231]: ..." */
    {"]: unhandled exception", CLUE_exception_signal, 4, true},
    {"undefined instruction", CLUE_exception_undefined, 0, false},
    {"undefined exception", CLUE_exception_undefined, 0, false},
    {"undef ", CLUE_exception_undefined, 0, false},
    {"undef!", CLUE_exception_undefined, 0, false},
    {"sync exception", CLUE_exception_undefined, 0, false},
    {"synchronous exception", CLUE_exception_undefined, 0, false},
    {"synchronous abort", CLUE_exception_undefined, 0, false},
    {"unknown reason", CLUE_exception_undefined, 0, false},
    {"unhandled exception", CLUE_exception_undefined, 0, false},
    {"undefinstr", CLUE_exception_undefined, 0, false},
    {"undef_instr", CLUE_exception_undefined, 0, false},
    {"PANIC in EL3", CLUE_exception_panic, 3, true},
    {"Unhandled Exception in EL3", CLUE_exception_panic, 3, true},
    {"Unhandled Exception from EL", CLUE_exception_panic, 3, true},
    {"BL31: ", CLUE_exception_panic, 3, true},
    {"unhandled sysreg trap", CLUE_exception_panic, 2, true},
    {"unexpected trap from", CLUE_exception_panic, 2, true},
    {"(XEN)", CLUE_exception_panic, 2, true},
    {"traps.c:", CLUE_exception_panic, 2, false},
    {"(gdb)", CLUE_exception_debugger, 0, true},
    {"(lldb)", CLUE_exception_debugger, 0, true},
    {"Open On-Chip Debugger", CLUE_exception_debugger, 0, true},
    {"target halted in", CLUE_exception_debugger, 0, true},
    {"halted due to", CLUE_exception_debugger, 0, true},
    {"J-Link>", CLUE_exception_debugger, 0, true},
    {"B::", CLUE_exception_debugger, 0, true},
    {"xsct%", CLUE_exception_debugger, 0, true},
    {"xsdb%", CLUE_exception_debugger, 0, true},
    {"(gdb) c", CLUE_exception_resumes, 0, true},
    {"(lldb) c", CLUE_exception_resumes, 0, true},
    {"Continuing.", CLUE_exception_resumes, 0, true},
    {"> resume", CLUE_exception_resumes, 0, true},
    {"J-Link>go", CLUE_exception_resumes, 0, true},
    {"J-Link>g", CLUE_exception_resumes, 0, true},
    {"Go.", CLUE_exception_resumes, 0, false},
};

enum { ROWS = sizeof reports / sizeof reports[0] };
_Static_assert(ROWS <= 64, "text_search_all() returns a set of 64");

/* Adds the reports that the line has, in the order of the rows. */
static void find_reports(struct exception_reader *e, const char *text)
{
    static const char *phrases[ROWS];
    static struct text_words words = {.words = phrases, .count = ROWS};

    for (size_t i = 0; i < ROWS && !words.made; i++) {
        phrases[i] = reports[i].phrase;
    }
    for (uint64_t left = text_search_all(&words, text, false); left != 0; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);

        if (e->reports++ < REPORTS) {
            add(e, reports[i].kind, reports[i].phrase)->values[0] = reports[i].value;
            if (reports[i].claims) {
                claim(e);
            }
        }
    }
}

/* Returns the bit of CFSR that stands for what an RTOS says in words, or 0. */
static uint64_t m_fault_words(const char *text)
{
    static const struct {
        const char *words;
        uint64_t bit;
    } rows[] = {
        {"No coprocessor instructions", 0x80000}, /* of Zephyr */
        {"No coprocessor usage fault", 0x80000},
        {"UFSR.NOCP", 0x80000},
        {"NOCP: 1", 0x80000},
        {"Attempt to execute undefined instruction", 0x10000},
    };

    if (strchr(text, 'C') == NULL && strchr(text, 'u') == NULL) {
        return 0;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strstr(text, rows[i].words) != NULL) {
            return rows[i].bit;
        }
    }
    return 0;
}

/* Adds the fault registers of an M-profile core. */
static void find_m_fault(struct exception_reader *e, const char *text)
{
    const char *cfsr = behind_word(e, text, CFSR), *bfar = behind_word(e, text, BFAR);
    const char *ufsr = behind_word(e, text, UFSR);
    uint64_t value = m_fault_words(text), address = 0;
    struct clue *c;

    if (value != 0) {
        /* words say it */
    } else if (ufsr != NULL && value_behind(ufsr, &value)) {
        value <<= 16;
    } else if ((cfsr == NULL || !value_behind(cfsr, &value)) && (bfar == NULL || !value_behind(bfar, &address))) {
        return;
    }
    if (bfar != NULL) {
        value_behind(bfar, &address);
    }
    reading_learn(&e->r->machine.pmu, READING_PMU_M, e->number);
    c = (struct clue *)(uintptr_t)reading_find(e->r, CLUE_exception_m_fault);
    c = c != NULL ? c : add(e, CLUE_exception_m_fault, NULL);
    c->values[0] |= value;
    c->values[1] |= address;
    claim(e);
}

/* Notes that the counter works if @text has its values at several stops, each larger than the one before. */
static void find_rising_values(struct exception_reader *e, const char *text)
{
    const char *at = text + text_blanks(text);
    uint64_t value, last = 0;
    size_t digits, used, count = 0;

    if (strncasecmp(at, "PMCCNTR", 7) != 0 && strncasecmp(at, "PMEVCNTR", 8) != 0 && strcasestr(at, "CYCCNT") == NULL) {
        return;
    }
    at += strcspn(at, " \t:=");
    for (at += strspn(at, " \t:=|"); (used = take_hex(at, &value, &digits)) != 0; at += strspn(at, " \t|,")) {
        if (digits < 4 || (count != 0 && value <= last)) {
            return;
        }
        last = value;
        count++;
        at += used;
    }
    if (count >= 3 && *at == '\0') {
        reading_works(e->r);
        claim(e);
    }
}

/*
 * Follows what GDB prints of a counter: "(gdb) p $PMCCNTR_EL0" and, on the next line, "$4 = 118203344".  Notes that the
 * counter works if a later value is larger.
 */
static void follow_printed_values(struct exception_reader *e, const char *text)
{
    const char *name = strchr(text, '$');
    const char *value = strstr(text, " = ");

    if (strncmp(text, "(gdb) p", 7) == 0 && name != NULL) {
        e->asked = strncasecmp(name + 1, "PMCCNTR", 7) == 0    ? 1
                   : strncasecmp(name + 1, "PMEVCNTR", 8) == 0 ? 2 + (unsigned)strtoul(name + 9, NULL, 10) % 31
                                                               : 0;
    } else if (text[0] == '$' && value != NULL && e->asked != 0) {
        const uint64_t now = strtoull(value + 3, NULL, 0);

        if (e->printed[e->asked] != 0 && now > e->printed[e->asked]) {
            reading_works(e->r);
        }
        e->printed[e->asked] = now;
        e->asked = 0;
        claim(e);
    }
}

/* Returns true if @text asks a debugger for words of memory, so that the next line has them. */
static bool asks_for_words(const char *text)
{
    return strstr(text, "x/") != NULL || strstr(text, "mdw ") != NULL || strcasestr(text, "data.dump") != NULL ||
           strstr(text, "mem32") != NULL || strstr(text, "md.l") != NULL || strstr(text, "memory read") != NULL ||
           strstr(text, "Instructions: (pc=") != NULL;
}

void read_exception(struct reading *r)
{
    struct exception_reader e = {.r = r};

    for (e.line = 0; e.line < r->text.count; e.line++) {
        const char *text;

        if (e.line == LINES && r->text.count > 2 * (size_t)LINES) {
            e.line = r->text.count - LINES;
        }
        text = r->text.lines[e.line].text;

        e.number = r->text.lines[e.line].number;
        e.names = text_search_all(&name_words, text, true);
        find_syndromes(&e, text);
        find_states(&e, text);
        find_disassembly(&e, text);
        if (e.names != 0 && exception_read_result(r, text, e.number)) {
            claim(&e);
        }
        find_opcodes(&e, text);
        find_reports(&e, text);
        find_m_fault(&e, text);
        find_rising_values(&e, text);
        follow_printed_values(&e, text);
        e.window = asks_for_words(text);
    }
}
