/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells lines of assembly from C and from prose, by mnemonics.def, and what debuggers print from all of them. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

enum operand_shape { SHAPE_REGISTER, SHAPE_TARGET, SHAPE_BARRIER, SHAPE_COPROC, SHAPE_SYSTEM, SHAPE_LIST, SHAPE_ANY };

static const struct mnemonic {
    const char *text;
    uint8_t length;
    uint8_t shape; /* enum operand_shape */
} mnemonics[] = {
#define MNEMONIC(text, operands) {text, sizeof text - 1, SHAPE_##operands},
#include "mnemonics.def"
};

/* Returns the length of the register name at @p: x0, w12, r3, sp, or %0 and {0} of inline assembly; 0: none. */
static size_t register_length(const char *p, const char *end)
{
    static const char *const names[] = {"xzr", "wzr", "sp", "lr", "pc", "ip", "fp"};
    const size_t left = (size_t)(end - p);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const size_t length = strlen(names[i]);

        if (left >= length && strncasecmp(p, names[i], length) == 0 && (left == length || !code_is_word(p[length]))) {
            return length;
        }
    }
    if (left >= 2 && strchr("xwrXWRaA", *p) != NULL && isdigit((unsigned char)p[1])) {
        const size_t length = left >= 3 && isdigit((unsigned char)p[2]) ? 3 : 2;

        return left == length || !code_is_word(p[length]) ? length : 0;
    }
    return left >= 1 && (*p == '%' || *p == '{' || *p == '\\') ? 1 : 0;
}

const char *code_skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    return p;
}

static bool has_shape(enum operand_shape shape, const char *p, const char *end)
{
    const char *const comma = p < end ? memchr(p, ',', (size_t)(end - p)) : NULL;

    switch (shape) {
    case SHAPE_REGISTER: {
        const char *const after = p + register_length(p, end);

        return after > p && comma != NULL;
    }
    case SHAPE_TARGET:
        for (const char *q = p; q < end; q++) {
            if (*q == '=' || *q == '(' || *q == ' ') {
                return false;
            }
        }
        return p < end && (code_is_word(*p) || *p == '.');
    case SHAPE_BARRIER:
        return p >= end || (end - p <= 6 && isalnum((unsigned char)*p)) || *p == '#' || *p == '\\';
    case SHAPE_COPROC:
        return comma != NULL && *p != '(';
    case SHAPE_SYSTEM:
        return comma != NULL && *p != '(' && *p != '=';
    case SHAPE_LIST:
        return p < end && *p == '{';
    default:
        return true;
    }
}

/* Cuts what begins with a comment mark of an assembler from the line, and returns the new end. */
const char *code_cut_assembly(const char *p, const char *end, bool armasm)
{
    for (const char *q = p; q < end; q++) {
        const bool slashes = *q == '/' && q + 1 < end && (q[1] == '/' || q[1] == '*');

        if (slashes || *q == '@' || (*q == ';' && (armasm || !code_is_assembly(q + 1, (size_t)(end - q) - 1)))) {
            return q;
        }
        if (*q == '<' && q > p && q[-1] == ' ' && memchr(q, '>', (size_t)(end - q)) != NULL) {
            return q; /* objdump's and GDB's "<main+4>" */
        }
        if (*q == '#' && q > p && (q[-1] == ' ' || q[-1] == '\t') && q + 1 < end && q[1] == ' ') {
            return q;
        }
    }
    return end;
}

static const struct mnemonic *find_mnemonic(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof mnemonics / sizeof mnemonics[0]; i++) {
        if (mnemonics[i].length == length && (mnemonics[i].text[0] | 0x20) == (name[0] | 0x20) &&
            strncasecmp(mnemonics[i].text, name, length) == 0) {
            return &mnemonics[i];
        }
    }
    return NULL;
}

size_t code_unconditional(const char *name, size_t length)
{
    static const char conditions[][3] = {"eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl",
                                         "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"};

    for (size_t i = 0; length > 2 && i < sizeof conditions / sizeof conditions[0]; i++) {
        if (strncasecmp(name + length - 2, conditions[i], 2) == 0) {
            return find_mnemonic(name, length) == NULL && find_mnemonic(name, length - 2) != NULL ? length - 2 : 0;
        }
    }
    return 0;
}

bool code_is_assembly(const char *text, size_t length)
{
    const struct mnemonic *mnemonic;
    const char *end = text + length, *p = code_skip_blanks(text, end), *name = p;
    size_t n;

    while (p < end && (code_is_word(*p) || *p == '.')) {
        p++;
    }
    n = (size_t)(p - name);
    if (n == 0 || n > 8 || (p < end && *p != ' ' && *p != '\t' && *p != ';' && *p != '\\' && *p != '/')) {
        return false;
    }
    if (name[0] == '.' && *code_skip_blanks(p, end) == '=') {
        return false; /* a member of a structure: ".type = PERF_TYPE_RAW," */
    }
    if (name[0] == '.' && n > 3 && memchr(p, '=', (size_t)(end - p)) == NULL) {
        return true; /* a directive */
    }
    mnemonic = find_mnemonic(name, n);
    if (mnemonic == NULL && code_unconditional(name, n) != 0) {
        mnemonic = find_mnemonic(name, n - 2);
    }
    if (mnemonic == NULL) {
        return false;
    }
    p = code_skip_blanks(p, end);
    end = code_cut_assembly(p, end, true);
    while (end > p && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    return has_shape((enum operand_shape)mnemonic->shape, p, end);
}

bool code_is_stranger(const char *p, const char *end)
{
    const char *name = code_skip_blanks(p, end), *q = name;
    bool joined = false;

    end = code_cut_assembly(name, end, false);
    while (end > name && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    for (; q < end && (code_is_word(*q) || *q == '.'); q++) {
        joined |= *q == '_';
    }
    if (q == name || isdigit((unsigned char)*name) || (q < end && *q != ' ' && *q != '\t')) {
        return false;
    }
    q = code_skip_blanks(q, end);
    for (const char *c = q; c < end; c++) {
        if (strchr("={}!?\"", *c) != NULL) {
            return false;
        }
    }
    return strchr(";.:", end[-1]) == NULL && (joined || (q < end && memchr(q, ',', (size_t)(end - q)) != NULL));
}

/* Returns the end of the hexadecimal digits at @p. */
static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && isxdigit((unsigned char)*p)) {
        p++;
    }
    return p;
}

/* Skips "NSR:0000000040081000  D5033FDF", the access class, the address and the opcode of Trace32; @p if none. */
static const char *skip_trace32(const char *p, const char *end)
{
    const char *q = p, *address, *opcode;

    while (q < end && isupper((unsigned char)*q)) {
        q++;
    }
    if (q == p || q - p > 4 || q >= end || *q != ':') {
        return p;
    }
    address = skip_digits(q + 1, end);
    opcode = code_skip_blanks(address, end);
    q = skip_digits(opcode, end);
    if (address - p < 6 || opcode == address || (q - opcode != 8 && q - opcode != 4) || q >= end || *q != ' ') {
        return p;
    }
    return code_skip_blanks(q, end);
}

const char *code_skip_listing(const char *p, const char *end)
{
    const char *q = code_skip_blanks(p, end), *const trace32 = skip_trace32(q, end);

    if (trace32 != q) {
        return trace32;
    }
    if (end - q > 2 && q[0] == '=' && q[1] == '>') {
        q = code_skip_blanks(q + 2, end);
    }
    const char *const start = q;

    q = code_skip_blanks(skip_digits(q + (end - q > 2 && q[0] == '0' && q[1] == 'x' ? 2 : 0), end), end);
    if (q < end && *q == '<') {
        const char *close = memchr(q, '>', (size_t)(end - q));

        q = close != NULL ? close + 1 : q;
    }
    if (q == start || q >= end || *q != ':') {
        return p;
    }
    q = code_skip_blanks(q + 1, end);
    for (;;) { /* opcodes: groups of 4 or 8 hexadecimal digits */
        const char *word = q;

        q = skip_digits(q, end);
        if ((q - word != 4 && q - word != 8 && q - word != 2) || q >= end || (*q != ' ' && *q != '\t')) {
            return word;
        }
        q = code_skip_blanks(q, end);
    }
}

/* Returns true if @end is that of a frame: "read_cycles () at cycles.c:7". */
static bool ends_frame(const char *p, const char *end)
{
    const char *number = end;

    while (number > p && isdigit((unsigned char)number[-1])) {
        number--;
    }
    return number < end && number > p && number[-1] == ':' && memmem(p, (size_t)(end - p), ") at ", 5) != NULL;
}

bool code_is_debugger(const char *p, const char *end)
{
    static const char *const begins[] = {"Starting program:", "Program received signal", "Program terminated with",
                                         "Program stopped",   "[Inferior ",              "[New Thread ",
                                         "[Switching to ",    "Reading symbols from ",   "(gdb) ",
                                         "(lldb) ",           "^C"};
    const size_t length = (size_t)(end - p);

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (length >= strlen(begins[i]) && memcmp(p, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    if (length > 5 && p[0] == '$' && isdigit((unsigned char)p[1]) && memmem(p, length, " = ", 3) != NULL) {
        return true; /* the value that was asked for */
    }
    if (ends_frame(p, end)) {
        return true;
    }
    if (length < 3 || p[0] != '0' || p[1] != 'x') {
        return false;
    }
    for (p += 2; p < end && isxdigit((unsigned char)*p); p++) {
    }
    return end - p > 4 && memcmp(p, " in ", 4) == 0;
}
