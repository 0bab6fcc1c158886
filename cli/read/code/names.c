/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds registers by their names in any spelling, by operands, by address, and in the names of functions. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>

#include "../../state/names.h"
#include "internal.h"

static const struct register_row {
    const char *id;
    bool model;
    enum apmu_reg reg;
} rows[CODE_REGISTERS] = {
#define CODE_PMU(id, reg) [CODE_##id] = {#id, true, APMU_REG_##reg},
#define CODE_PLAIN(id)    [CODE_##id] = {#id, false, 0},
#include "registers.def"
};

bool code_is_timer(enum code_register reg)
{
    return reg == CODE_CNTVCT || reg == CODE_CNTPCT;
}

bool code_is_pmu(enum code_register reg)
{
    return (reg >= CODE_PMCR && reg <= CODE_MDCR_EL3) || (reg >= CODE_A11_PMNC && reg <= CODE_OSLAR);
}

const char *code_register_name(enum code_register reg, unsigned n, bool aarch32, char buf[32])
{
    static const char *const others[][2] = {
        [CODE_A11_PMNC] = {"PMNC", "PMNC"},
        [CODE_A11_CCNT] = {"CCNT", "CCNT"},
        [CODE_A11_PMN0] = {"PMN0", "PMN0"},
        [CODE_A11_PMN1] = {"PMN1", "PMN1"},
        [CODE_A11_VALIDATION] = {"the Access Validation Control Register", "the Access Validation Control Register"},
        [CODE_OTHER_LAR] = {"the LAR of another unit", ""},
        [CODE_UNKNOWN] = {"no register of the PMU", "no register of the PMU"},
        [CODE_OTHER] = {"another register", "another register"},
        [CODE_CURRENTEL] = {"CurrentEL", ""},
        [CODE_CNTVCT] = {"CNTVCT_EL0", "CNTVCT"},
        [CODE_CNTPCT] = {"CNTPCT_EL0", "CNTPCT"},
        [CODE_CNTFRQ] = {"CNTFRQ_EL0", "CNTFRQ"},
    };
    char name[24];

    if (rows[reg].model) {
        apmu_reg_name(rows[reg].reg, n, name);
        if (aarch32) {
            char *suffix = strstr(name, "_EL");

            if (suffix != NULL && reg != CODE_MDCR_EL2 && reg != CODE_MDCR_EL3) {
                *suffix = '\0';
            }
        }
        snprintf(buf, 32, "%s",
                 reg == CODE_MDCR_EL2 && aarch32   ? "HDCR"
                 : reg == CODE_MDCR_EL3 && aarch32 ? "SDCR"
                                                   : name);
    } else if (reg < sizeof others / sizeof others[0] && others[reg][0] != NULL) {
        snprintf(buf, 32, "%s", others[reg][aarch32 && others[reg][1][0] != '\0']);
    } else {
        snprintf(buf, 32, "%s", reg == CODE_NO_REGISTER ? "no register" : rows[reg].id);
    }
    return buf;
}

const char *code_register_generic(enum code_register reg, char buf[24])
{
    const uint16_t key = rows[reg].model ? apmu_reg_info(rows[reg].reg)->key : 0;

    snprintf(buf, 24, "S%u_%u_C%u_C%u_%u", key >> 14 & 3u, key >> 11 & 7u, key >> 7 & 15u, key >> 3 & 15u, key & 7u);
    return buf;
}

/* Turns a place of cli/state into a register of ours. */
static bool from_place(const struct names_place *place, struct code_name *name)
{
    name->n = place->n;
    name->n_known = true;
    name->aarch32 = place->view == NAMES_A32 || place->view == NAMES_ARM11;
    if (place->view == NAMES_ARM11) {
        static const enum code_register arm11[] = {CODE_A11_PMNC, CODE_A11_CCNT, CODE_A11_PMN0, CODE_A11_PMN1};

        name->reg = place->arm11 < 4 ? arm11[place->arm11] : CODE_A11_VALIDATION;
        return true;
    }
    for (unsigned i = 1; i < CODE_REGISTERS; i++) {
        if (rows[i].model && rows[i].reg == place->reg) {
            name->reg = (enum code_register)i;
            return true;
        }
    }
    name->reg = CODE_OTHER;
    return true;
}

static bool find_alias(const char *text, size_t length, struct code_name *name)
{
    static const struct {
        const char *text;
        enum code_register reg;
        bool aarch32;
    } aliases[] = {
#define ALIAS(text, reg, aarch32) {text, CODE_##reg, aarch32},
#include "aliases.def"
    };

    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strlen(aliases[i].text) == length && strncasecmp(aliases[i].text, text, length) == 0) {
            *name = (struct code_name){.reg = aliases[i].reg, .n_known = true, .aarch32 = aliases[i].aarch32};
            return true;
        }
    }
    return false;
}

/* Parses S3_3_C9_C13_0 in any case. */
static bool parse_generic(const char *text, size_t length, struct code_operands *o)
{
    char copy[32];
    unsigned op0, op1, crn, crm, op2;
    int used = 0;

    if (length < 11 || length >= sizeof copy || (text[0] | 0x20) != 's' || !isdigit((unsigned char)text[1])) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        copy[i] = (char)toupper((unsigned char)text[i]);
    }
    copy[length] = '\0';
    if (sscanf(copy, "S%1u_%1u_C%2u_C%2u_%1u%n", &op0, &op1, &crn, &crm, &op2, &used) != 5 || (size_t)used != length) {
        return false;
    }
    *o = (struct code_operands){true, 0, (uint8_t)op0, (uint8_t)op1, (uint8_t)crn, (uint8_t)crm, (uint8_t)op2};
    return true;
}

static bool find_generic(const struct code_operands *o, struct code_name *name)
{
    struct names_place place;

    *name = (struct code_name){.operands = *o, .n_known = true};
    if (o->op0 == 3 && o->opc1 == 3 && o->crn == 14 && o->crm == 0 && o->opc2 <= 6) {
        static const enum code_register timers[] = {CODE_CNTFRQ, CODE_CNTPCT, CODE_CNTVCT, CODE_OTHER,
                                                    CODE_OTHER,  CODE_CNTPCT, CODE_CNTVCT};

        name->reg = timers[o->opc2];
        return true;
    }
    if (o->op0 < 4 && o->opc1 < 8 && o->crn < 16 && o->crm < 16 && o->opc2 < 8 &&
        names_by_a64((uint16_t)APMU_A64_KEY(o->op0, o->opc1, o->crn, o->crm, o->opc2), &place)) {
        return from_place(&place, name);
    }
    name->reg = o->opc1 == 3 && (o->crn == 9 || (o->crn == 14 && o->crm >= 8)) ? CODE_UNKNOWN : CODE_OTHER;
    return true;
}

bool code_find_operands(const struct code_operands *o, bool pair, struct code_name *name)
{
    struct names_place place;

    *name = (struct code_name){.operands = *o, .n_known = true, .aarch32 = true, .pair = pair};
    if (o->coproc == 15 && ((pair && o->crm == 14) || (!pair && o->crn == 14 && o->crm < 8))) {
        name->reg = !pair          ? (o->crm == 0 && o->opc2 == 0 ? CODE_CNTFRQ : CODE_OTHER)
                    : o->opc1 == 0 ? CODE_CNTPCT
                    : o->opc1 == 1 ? CODE_CNTVCT
                                   : CODE_OTHER;
        return true;
    }
    if (o->coproc == 15 && !pair && o->crn == 15 && o->crm == 12 && o->opc1 == 0 && o->opc2 < 4) {
        name->reg = (enum code_register)(CODE_A11_PMNC + o->opc2);
        return true;
    }
    if (o->coproc == 15 && !pair && o->crn == 15 && o->crm == 9 && o->opc1 == 0 && o->opc2 == 0) {
        name->reg = CODE_A11_VALIDATION;
        return true;
    }
    if (o->opc1 < 16 && o->crn < 16 && o->crm < 16 && o->opc2 < 8 &&
        names_by_a32(
            o->coproc,
            (uint16_t)(pair ? APMU_A32_KEY_PAIR(o->opc1, o->crm) : APMU_A32_KEY(o->opc1, o->crn, o->crm, o->opc2)),
            &place)) {
        return from_place(&place, name);
    }
    name->reg = (pair && (o->crm == 9 || o->crm == 13 || o->crm == 12)) || (!pair && o->crn == 9 && o->crm >= 12) ||
                        (!pair && o->crn == 14 && o->crm >= 8)
                    ? CODE_UNKNOWN
                    : CODE_OTHER;
    return true;
}

/* Finds "PMEVCNTRn_EL0" and "PMEVCNTR<n>": a bank without a number. */
static bool find_bank(const char *text, size_t length, struct code_name *name)
{
    static const struct {
        const char *text;
        enum code_register reg;
    } banks[] = {{"PMEVCNTR", CODE_PMEVCNTR}, {"PMEVTYPER", CODE_PMEVTYPER}};

    for (size_t i = 0; i < 2; i++) {
        const size_t prefix = strlen(banks[i].text);

        if (length >= prefix && strncasecmp(text, banks[i].text, prefix) == 0) {
            const char *rest = text + prefix;
            const size_t left = length - prefix;

            if (left == 0 || (left == 4 && strncasecmp(rest, "_EL0", 4) == 0) ||
                (left <= 7 && (rest[0] == 'n' || rest[0] == 'N' || rest[0] == '<') &&
                 strncasecmp(rest, "ne", 2) != 0)) {
                *name = (struct code_name){.reg = banks[i].reg};
                return true;
            }
        }
    }
    return false;
}

static bool find_plain(const char *text, size_t length, struct code_name *name)
{
    struct names_place place;
    struct code_operands operands;

    if (length < 3 || length > 40) {
        return false;
    }
    if (find_alias(text, length, name)) {
        return true;
    }
    if (parse_generic(text, length, &operands)) {
        return find_generic(&operands, name);
    }
    if (find_bank(text, length, name)) {
        return true;
    }
    memset(name, 0, sizeof *name);
    if (length < NAMES_LENGTH && names_by_name(text, length, &place)) {
        from_place(&place, name);
        return name->reg != CODE_OTHER;
    }
    return false;
}

bool code_find_register(const char *text, size_t length, struct code_name *name)
{
    static const char *const prefixes[] = {"SYS_",    "ARM64_", "REG_",     "CP15_", "ARM_", "sys_",
                                           "SYSREG_", "CSR_",   "AARCH64_", "R_",    "sr_",  "kSYS_"};

    if (length >= 2 && (text[0] == '"' || text[0] == '\'')) {
        text++;
        length -= text[length - 2] == '"' || text[length - 2] == '\'' ? 2 : 1;
    }
    if (find_plain(text, length, name)) {
        return true;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t prefix = strlen(prefixes[i]);

        if (length > prefix && strncmp(text, prefixes[i], prefix) == 0 &&
            find_plain(text + prefix, length - prefix, name)) {
            return true;
        }
    }
    return false;
}

/* Finds a register of the M-profile at @address. */
static bool find_m(uint64_t address, struct code_name *name)
{
    static const struct {
        uint32_t address;
        enum code_register reg;
    } places[] = {
        {0xE000EDFC, CODE_DEMCR},     {0xE0001000, CODE_DWT_CTRL},  {0xE0001004, CODE_DWT_CYCCNT},
        {0xE0001FB0, CODE_DWT_LAR},   {0xE0001FB4, CODE_DWT_LSR},   {0xE0000FB0, CODE_ITM_LAR},
        {0xE0040FB0, CODE_OTHER_LAR}, {0xE0041FB0, CODE_OTHER_LAR},
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].address == address) {
            *name = (struct code_name){.reg = places[i].reg, .n_known = true};
            return true;
        }
    }
    if (address >> 12 == 0xE0001) {
        *name = (struct code_name){.reg = CODE_DWT_OTHER, .n_known = true};
        return true;
    }
    return false;
}

/* Finds the register at @offset of the PMU's frame, which the PMU of Armv8.1-M shares. */
static bool find_offset(unsigned offset, struct code_name *name)
{
    struct names_place place;

    if (offset == 0xFB0 || offset == 0x300) {
        *name = (struct code_name){.reg = offset == 0xFB0 ? CODE_PMLAR : CODE_OSLAR, .n_known = true};
        return true;
    }
    memset(name, 0, sizeof *name);
    if (names_by_offset(offset, NAMES_EXT32, &place)) {
        from_place(&place, name);
        name->aarch32 = false;
        name->pair = place.shift == 32;
        return true;
    }
    return false;
}

unsigned code_half_by_name(const char *text, size_t length)
{
    static const char *const halves[][2] = {{"l", "h"}, {"lo", "hi"}, {"low", "high"}, {"lower", "upper"},
                                            {"lsw", "msw"}, {"31_0", "63_32"}, {"w0", "w1"}};
    static const char *const fillers[] = {"_EL0", "_OFFSET", "_REG"};
    const char *end = text + length, *at;
    size_t left;

    for (at = text; end - at >= 7 && strncasecmp(at, "pmccntr", 7) != 0; at++) {
    }
    if (end - at < 8) {
        return 0;
    }
    at += 7;
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
        const size_t filler = strlen(fillers[i]);

        at += (size_t)(end - at) > filler && strncasecmp(at, fillers[i], filler) == 0 ? filler : 0;
    }
    at += at < end && *at == '_';
    left = (size_t)(end - at);
    for (size_t i = 0; i < 2 * sizeof halves / sizeof halves[0]; i++) {
        const char *half = halves[i / 2][i % 2];
        const size_t part = strlen(half);

        if (left >= part && strncasecmp(at, half, part) == 0 && (left == part || at[part] == '_')) {
            return i % 2 == 0 ? 0xF8 : 0xFC;
        }
    }
    return 0;
}

bool code_is_half(const struct code_value *address)
{
    const bool known = (address->known & 0xFFF) == 0xFFF;

    return ((known ? address->bits & 0xFFF : address->offset) & ~UINT64_C(4)) == 0xF8;
}

static bool find_address(struct code_value address, bool pmu, struct code_name *name)
{
    if (code_is_known(&address) && find_m(address.bits & UINT32_MAX, name)) {
        return true;
    }
    if (code_is_known(&address) && (address.bits & UINT32_MAX) >> 12 == 0xE0003) {
        const unsigned offset = (unsigned)(address.bits & 0xFFF);

        if (offset > 0x7C) {
            return find_offset(offset, name);
        }
        *name = (struct code_name){.reg = offset < 0x7C ? CODE_PMEVCNTR : CODE_PMCCNTR, .n_known = true};
        name->n = offset < 0x7C ? offset / 4 : 0; /* the counters of Armv8.1-M are words */
        return true;
    }
    if ((address.known & 0xFFF) != 0xFFF) { /* a base that is not known, and the offset of the cycle counter */
        return pmu && code_is_half(&address) && find_offset(address.offset, name);
    }
    return pmu && find_offset((unsigned)(address.bits & 0xFFF), name);
}

bool code_find_address(struct code_value address, bool pmu, struct code_name *name)
{
    if (!find_address(address, pmu, name)) {
        return false;
    }
    name->page = code_is_known(&address) ? address.bits >> 12 : 0;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Names of functions: read_pmcr_el0, armv8pmu_pmcr_write, __set_PMUSERENR, arm_pmu_get_ccntr.
 */

static unsigned direction_of(const char *word, size_t length)
{
    static const char *const reads[] = {"read", "get", "mrs", "rd", "load", "readl", "readq", "fetch"};
    static const char *const writes[] = {"write", "set", "msr", "wr", "store", "writel", "writeq", "put"};

    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        if (strlen(reads[i]) == length && strncasecmp(reads[i], word, length) == 0) {
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        if (strlen(writes[i]) == length && strncasecmp(writes[i], word, length) == 0) {
            return 1;
        }
    }
    return 2;
}

/* Finds "evtyper" and the like: names of registers without PM. */
static bool find_short(const char *text, size_t length, struct code_name *name)
{
    static const char *const names[] = {"evtyper",  "evcntr",   "cntenset", "cntenclr", "ccntr",  "ccfiltr",
                                        "ovsclr",   "ovsset",   "intenset", "intenclr", "userenr", "xevtyper",
                                        "xevcntr"};
    char full[16];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == length && strncasecmp(names[i], text, length) == 0) {
            snprintf(full, sizeof full, "pm%s", names[i]);
            return find_plain(full, length + 2, name);
        }
    }
    return false;
}

bool code_find_in_function(const char *text, size_t length, struct code_name *name, unsigned *write)
{
    bool found = false;

    *write = 2;
    for (size_t at = 0; at < length;) {
        size_t end = at;

        while (end < length && text[end] != '_' && text[end] != ':' && text[end] != '.') {
            end++;
        }
        if (end > at) {
            const unsigned direction = direction_of(text + at, end - at);
            const size_t with_level = end + 4 <= length && strncasecmp(text + end, "_el", 3) == 0 ? end + 4 : end;

            *write = direction != 2 && *write == 2 ? direction : *write;
            if (!found && end - at >= 4 && (text[at] | 0x20) != 'f' &&
                (find_plain(text + at, with_level - at, name) || find_plain(text + at, end - at, name) ||
                 find_short(text + at, end - at, name))) {
                found = code_is_pmu(name->reg) || code_is_timer(name->reg);
            }
        }
        at = end + 1;
    }
    return found;
}

enum code_register code_register_by_name(const char *text, size_t length, unsigned *n)
{
    struct code_name name;

    if (!code_find_register(text, length, &name)) {
        return CODE_NO_REGISTER;
    }
    *n = name.n;
    return name.reg;
}

enum code_register code_register_in_function(const char *text, size_t length, unsigned *write)
{
    struct code_name name;

    return code_find_in_function(text, length, &name, write) ? name.reg : CODE_NO_REGISTER;
}

bool code_range_names_pmu(const struct code_walk *w, struct code_range range)
{
    for (size_t i = range.from; i < range.to; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME &&
            (memmem(t->text, t->length, "pmu", 3) != NULL || memmem(t->text, t->length, "PMU", 3) != NULL ||
             memmem(t->text, t->length, "PMC", 3) != NULL)) {
            return true;
        }
    }
    return false;
}
