/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions that access System registers. */
#include "instruction.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "state.h"

/* Registers that no other table has, and that people read in place of the PMU's. */
static const struct other {
    const char *name;
    bool a32, pair;
    uint8_t coproc;
    uint16_t key;
    bool timer;
} others[] = {
    {"CNTVCT_EL0", false, false, 0, APMU_A64_KEY(3, 3, 14, 0, 2), true},
    {"CNTPCT_EL0", false, false, 0, APMU_A64_KEY(3, 3, 14, 0, 1), true},
    {"CNTVCTSS_EL0", false, false, 0, APMU_A64_KEY(3, 3, 14, 0, 6), true},
    {"CNTPCTSS_EL0", false, false, 0, APMU_A64_KEY(3, 3, 14, 0, 5), true},
    {"CNTFRQ_EL0", false, false, 0, APMU_A64_KEY(3, 3, 14, 0, 0), true},
    {"CTR_EL0", false, false, 0, APMU_A64_KEY(3, 3, 0, 0, 1), false},
    {"DCZID_EL0", false, false, 0, APMU_A64_KEY(3, 3, 0, 0, 7), false},
    {"TPIDR_EL0", false, false, 0, APMU_A64_KEY(3, 3, 13, 0, 2), false},
    {"TPIDRRO_EL0", false, false, 0, APMU_A64_KEY(3, 3, 13, 0, 3), false},
    {"MPIDR_EL1", false, false, 0, APMU_A64_KEY(3, 0, 0, 0, 5), false},
    {"SCTLR_EL1", false, false, 0, APMU_A64_KEY(3, 0, 1, 0, 0), false},
    {"CPACR_EL1", false, false, 0, APMU_A64_KEY(3, 0, 1, 0, 2), false},
    {"CNTKCTL_EL1", false, false, 0, APMU_A64_KEY(3, 0, 14, 1, 0), false},
    {"CNTVCT", true, true, 15, APMU_A32_KEY_PAIR(1, 14), true},
    {"CNTPCT", true, true, 15, APMU_A32_KEY_PAIR(0, 14), true},
    {"CNTFRQ", true, false, 15, APMU_A32_KEY(0, 14, 0, 0), true},
    {"TPIDRURO", true, false, 15, APMU_A32_KEY(0, 13, 0, 3), false},
    {"MPIDR", true, false, 15, APMU_A32_KEY(0, 0, 0, 5), false},
    {"SCTLR", true, false, 15, APMU_A32_KEY(0, 1, 0, 0), false},
};

#define OTHERS (sizeof others / sizeof others[0])

static const struct other *find_other(const struct names_instruction *i)
{
    for (size_t n = 0; n < OTHERS; n++) {
        if (others[n].a32 == i->a32 && others[n].pair == i->pair && others[n].key == i->key &&
            (!i->a32 || others[n].coproc == i->coproc)) {
            return &others[n];
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Text.
 */

/* Where a text is being read. */
struct operand_scanner {
    const char *text;
    size_t at, length;
};

static void skip_blanks(struct operand_scanner *s)
{
    while (s->at < s->length && strchr(" \t,#{}[]", s->text[s->at]) != NULL) {
        s->at++;
    }
}

/* Takes a word of letters, digits and _.  Returns its length and stores its beginning. */
static size_t take_word(struct operand_scanner *s, const char **word)
{
    size_t from;

    skip_blanks(s);
    from = s->at;
    while (s->at < s->length && (isalnum((unsigned char)s->text[s->at]) != 0 || s->text[s->at] == '_')) {
        s->at++;
    }
    *word = s->text + from;
    return s->at - from;
}

static bool is_word(const char *word, size_t length, const char *expected)
{
    return strlen(expected) == length && strncasecmp(word, expected, length) == 0;
}

/* Takes a general-purpose register: x0, w1, xzr, r0, sp, an operand such as %0 or <Xt>.  Stores its number. */
static bool take_gpr(struct operand_scanner *s, uint8_t *number)
{
    const char *word;
    size_t length;

    skip_blanks(s);
    while (s->at < s->length && (s->text[s->at] == '%' || s->text[s->at] == '<' || s->text[s->at] == '$')) {
        s->at++;
    }
    length = take_word(s, &word);
    while (s->at < s->length && s->text[s->at] == '>') {
        s->at++;
    }
    *number = 0;
    if (length == 0) {
        return false;
    }
    if (is_word(word, length, "xzr") || is_word(word, length, "wzr")) {
        *number = 31;
    } else if (length >= 2 && isdigit((unsigned char)word[1]) != 0) {
        *number = (uint8_t)(strtoul(word + 1, NULL, 10) & 31);
    }
    return isalpha((unsigned char)word[0]) != 0 || isdigit((unsigned char)word[0]) != 0;
}

/* Takes a number of at most @most, which may follow one or two of @letters. */
static bool take_number(struct operand_scanner *s, const char *letters, unsigned most, unsigned *value)
{
    const char *word;
    const size_t length = take_word(s, &word);
    size_t at = 0;

    while (at < length && strchr(letters, tolower((unsigned char)word[at])) != NULL) {
        at++;
    }
    if (at == length || isdigit((unsigned char)word[at]) == 0 || length - at > 3) {
        return false;
    }
    *value = 0;
    for (; at < length; at++) {
        if (isdigit((unsigned char)word[at]) == 0) {
            return false;
        }
        *value = *value * 10 + (unsigned)(word[at] - '0');
    }
    return *value <= most;
}

/* Finds the A64 register called @word. */
static bool find_a64(const char *word, size_t length, uint16_t *key)
{
    struct names_place place;
    unsigned op0, op1, crn, crm, op2;
    char name[NAMES_LENGTH];
    int used = 0;

    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (char *c = name; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
    if (sscanf(name, "S%1u_%1u_C%2u_C%2u_%1u%n", &op0, &op1, &crn, &crm, &op2, &used) == 5 &&
        name[used] == '\0' && (op0 == 2 || op0 == 3) && op1 < 8 && crn < 16 && crm < 16 && op2 < 8) {
        *key = (uint16_t)APMU_A64_KEY(op0, op1, crn, crm, op2);
        return true;
    }
    for (size_t n = 0; n < OTHERS; n++) {
        if (!others[n].a32 && strcmp(others[n].name, name) == 0) {
            *key = others[n].key;
            return true;
        }
    }
    if (!names_by_name(name, strlen(name), &place) || place.view != NAMES_A64) {
        return false;
    }
    *key = (uint16_t)(apmu_reg_info(place.reg)->key + place.n);
    return *key != 0;
}

/* Parses the operands of MRS or MSR. */
static bool parse_a64(struct operand_scanner *s, struct names_instruction *i, char *unknown)
{
    const char *word;
    size_t length;

    if (i->read && !take_gpr(s, &i->rt)) {
        return false;
    }
    length = take_word(s, &word);
    if (length == 0 || !find_a64(word, length, &i->key)) {
        if (length > 3 && strchr("pP", word[0]) != NULL) {
            snprintf(unknown, NAMES_LENGTH, "%.*s", (int)length, word);
        }
        return false;
    }
    return i->read || take_gpr(s, &i->rt);
}

/* Parses the operands of MRC, MCR, MRRC or MCRR. */
static bool parse_a32(struct operand_scanner *s, struct names_instruction *i)
{
    unsigned coproc, opc1, crn, crm, opc2 = 0;
    size_t behind;

    if (!take_number(s, "p", 15, &coproc) || !take_number(s, "", 15, &opc1) || !take_gpr(s, &i->rt)) {
        return false;
    }
    i->coproc = (uint8_t)coproc;
    if (i->pair) {
        if (!take_gpr(s, &i->rt2) || !take_number(s, "cr", 15, &crm) || opc1 > 7) {
            return false;
        }
        i->key = (uint16_t)APMU_A32_KEY_PAIR(opc1, crm);
        return i->rt < 16 && i->rt2 < 16;
    }
    if (opc1 > 7 || !take_number(s, "cr", 15, &crn) || !take_number(s, "cr", 15, &crm)) {
        return false;
    }
    behind = s->at;
    if (!take_number(s, "", 7, &opc2)) {
        s->at = behind;
        opc2 = 0;
    }
    i->key = (uint16_t)APMU_A32_KEY(opc1, crn, crm, opc2);
    return i->rt < 16;
}

size_t instruction_parse(const char *text, size_t length, struct names_instruction *i, char *name)
{
    static const struct {
        const char *mnemonic;
        bool a32, read, pair;
    } mnemonics[] = {{"mrs", false, true, false}, {"msr", false, false, false},  {"mrc", true, true, false},
                     {"mcr", true, false, false}, {"mrrc", true, true, true},    {"mcrr", true, false, true}};
    struct operand_scanner s = {text, 0, length};
    const char *word;
    const size_t used = take_word(&s, &word);

    name[0] = '\0';
    for (size_t n = 0; n < sizeof mnemonics / sizeof mnemonics[0]; n++) {
        const size_t plain = strlen(mnemonics[n].mnemonic);

        /* A condition, as in "mrceq", may follow. */
        if ((used == plain || (used == plain + 2 && mnemonics[n].a32)) &&
            strncasecmp(word, mnemonics[n].mnemonic, plain) == 0) {
            *i = (struct names_instruction){.a32 = mnemonics[n].a32, .read = mnemonics[n].read,
                                            .pair = mnemonics[n].pair};
            if (i->a32 ? parse_a32(&s, i) : parse_a64(&s, i, name)) {
                return s.at;
            }
        }
    }
    return 0;
}

uint32_t instruction_word(const struct names_instruction *i)
{
    const uint32_t key = i->key, read = i->read;

    if (!i->a32) {
        return 0xD5000000u | read << 21 | key << 5 | i->rt;
    }
    if (i->pair) {
        return (i->read ? 0xEC500000u : 0xEC400000u) | (i->rt2 & 15u) << 16 | (i->rt & 15u) << 12 |
               (uint32_t)i->coproc << 8 | (key >> 11 & 7) << 4 | (key >> 3 & 15);
    }
    return 0xEE000010u | read << 20 | (key >> 11 & 7) << 21 | (key >> 7 & 15) << 16 | (i->rt & 15u) << 12 |
           (uint32_t)i->coproc << 8 | (key & 7) << 5 | (key >> 3 & 15);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Syndromes.
 */

const char *instruction_class(unsigned ec)
{
    static const struct {
        unsigned ec;
        const char *text;
    } classes[] = {{0x00, "unknown reason: an UNDEFINED instruction; ELR has its address"},
                   {0x01, "a trapped WFI or WFE"},
                   {0x03, "a trapped MCR or MRC to coprocessor 15 (AArch32)"},
                   {0x04, "a trapped MCRR or MRRC to coprocessor 15 (AArch32)"},
                   {0x05, "a trapped MCR or MRC to coprocessor 14 (AArch32)"},
                   {0x07, "a trapped access to SVE, Advanced SIMD or floating point"},
                   {0x0C, "a trapped MRRC to coprocessor 14 (AArch32)"},
                   {0x0E, "an Illegal Execution state"},
                   {0x11, "SVC in AArch32 state"},
                   {0x12, "HVC in AArch32 state"},
                   {0x13, "SMC in AArch32 state"},
                   {0x15, "SVC in AArch64 state"},
                   {0x16, "HVC in AArch64 state"},
                   {0x17, "SMC in AArch64 state"},
                   {0x18, "a trapped MSR, MRS or System instruction (AArch64)"},
                   {0x20, "an Instruction Abort from a lower Exception level"},
                   {0x21, "an Instruction Abort at the same Exception level"},
                   {0x24, "a Data Abort from a lower Exception level"},
                   {0x25, "a Data Abort at the same Exception level"},
                   {0x2F, "an SError interrupt"},
                   {0x30, "a Breakpoint exception from a lower Exception level"},
                   {0x3C, "a BRK instruction"}};

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (classes[i].ec == ec) {
            return classes[i].text;
        }
    }
    return NULL;
}

bool instruction_of_syndrome(unsigned ec, uint32_t iss, struct names_instruction *i)
{
    const unsigned crm = iss >> 1 & 15, rt = iss >> 5 & 31;

    *i = (struct names_instruction){.read = (iss & 1) != 0, .rt = (uint8_t)rt};
    switch (ec) {
    case 0x18:
        i->key = (uint16_t)APMU_A64_KEY(iss >> 20 & 3, iss >> 14 & 7, iss >> 10 & 15, crm, iss >> 17 & 7);
        return (iss >> 20 & 3) >= 2;
    case 0x03:
    case 0x05:
        i->a32 = true;
        i->coproc = ec == 0x03 ? 15 : 14;
        i->key = (uint16_t)APMU_A32_KEY(iss >> 14 & 7, iss >> 10 & 15, crm, iss >> 17 & 7);
        return true;
    case 0x04:
    case 0x0C:
        i->a32 = true;
        i->pair = true;
        i->coproc = ec == 0x04 ? 15 : 14;
        i->rt2 = (uint8_t)(iss >> 10 & 31);
        i->key = (uint16_t)APMU_A32_KEY_PAIR(iss >> 16 & 7, crm);
        return true;
    default:
        return false;
    }
}

uint32_t instruction_syndrome(const struct names_instruction *i)
{
    const uint32_t word = instruction_word(i);
    const uint32_t op0 = word >> 19 & 3, op1 = word >> 16 & 7, crn = word >> 12 & 15, crm = word >> 8 & 15;
    const uint32_t op2 = word >> 5 & 7, rt = word & 31;

    return 0x18u << 26 | 1u << 25 | op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | rt << 5 | crm << 1 |
           (word >> 21 & 1);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Registers.
 */

enum instruction_kind instruction_place(const struct names_instruction *i, struct names_place *place)
{
    const struct other *other = find_other(i);

    if (other != NULL) {
        return other->timer ? INSTRUCTION_TIMER : INSTRUCTION_OTHER;
    }
    if (i->a32 ? !names_by_a32(i->coproc, i->key, place) : !names_by_a64(i->key, place)) {
        return INSTRUCTION_OTHER;
    }
    return place->view == NAMES_ARM11 ? INSTRUCTION_ARM11 : INSTRUCTION_PMU;
}

const char *instruction_register(const struct names_instruction *i, char buf[40])
{
    const struct other *other = find_other(i);
    struct names_place place;
    const unsigned key = i->key;

    if (other != NULL) {
        snprintf(buf, 40, "%s", other->name);
    } else if (instruction_place(i, &place) != INSTRUCTION_OTHER) {
        names_spell(&place, buf);
    } else if (!i->a32) {
        snprintf(buf, 40, "S%u_%u_C%u_C%u_%u", key >> 14, key >> 11 & 7, key >> 7 & 15, key >> 3 & 15, key & 7);
    } else if (i->pair) {
        snprintf(buf, 40, "p%u, %u, c%u", i->coproc, key >> 11 & 7, key >> 3 & 15);
    } else {
        snprintf(buf, 40, "p%u, %u, c%u, c%u, %u", i->coproc, key >> 11 & 7, key >> 7 & 15, key >> 3 & 15, key & 7);
    }
    return buf;
}

const char *instruction_spell(const struct names_instruction *i, char buf[96])
{
    const unsigned key = i->key;
    char name[40], rt[8];

    if (!i->a32) {
        snprintf(rt, sizeof rt, i->rt == 31 ? "XZR" : "X%u", i->rt);
        instruction_register(i, name);
        snprintf(buf, 96, i->read ? "MRS %s, %s" : "MSR %s, %s", i->read ? rt : name, i->read ? name : rt);
    } else if (i->pair) {
        snprintf(buf, 96, "%s p%u, %u, R%u, R%u, c%u", i->read ? "MRRC" : "MCRR", i->coproc, key >> 11 & 7,
                 i->rt & 15u, i->rt2 & 15u, key >> 3 & 15);
    } else {
        snprintf(buf, 96, "%s p%u, %u, R%u, c%u, c%u, %u", i->read ? "MRC" : "MCR", i->coproc, key >> 11 & 7,
                 i->rt & 15u, key >> 7 & 15, key >> 3 & 15, key & 7);
    }
    return buf;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names that are nearly right.
 */

/* Returns true if @a and @b differ by one letter, or by two that are swapped. */
static bool is_near(const char *a, const char *b)
{
    const size_t x = strlen(a), y = strlen(b), shorter = x < y ? x : y;
    size_t front = 0, back = 0;

    while (front < shorter && a[front] == b[front]) {
        front++;
    }
    while (back < shorter - front && a[x - 1 - back] == b[y - 1 - back]) {
        back++;
    }
    if (x != y) {
        return front + back >= shorter && x + 1 >= y && y + 1 >= x;
    }
    return front + back + 1 >= shorter ||
           (front + back + 2 == shorter && a[front] == b[front + 1] && a[front + 1] == b[front]);
}

const char *instruction_did_you_mean(const char *text, size_t length, char buf[NAMES_LENGTH])
{
    char name[NAMES_LENGTH], known[24];
    struct names_place place;

    if (length < 4 || length + 5 > sizeof name) {
        return NULL;
    }
    for (size_t i = 0; i < length; i++) {
        name[i] = (char)toupper((unsigned char)text[i]);
    }
    name[length] = '\0';
    for (unsigned r = 0; r < APMU_REG_ALL; r++) {
        const unsigned copies = apmu_reg_info((enum apmu_reg)r)->copies;

        for (unsigned n = 0; n < copies; n++) {
            apmu_reg_name((enum apmu_reg)r, n, known);
            if (is_near(name, known)) {
                return strcpy(buf, known);
            }
        }
    }
    for (unsigned r = 0; r < APMU_REG32_COUNT; r++) {
        apmu_reg32_name((enum apmu_reg32)r, 0, known);
        if (is_near(name, known)) {
            return strcpy(buf, known);
        }
    }
    memcpy(name + length, "_EL0", 5);
    return names_by_name(name, length + 4, &place) ? strcpy(buf, name) : NULL;
}
