/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns the assembly of armasm and of IAR's assembler into that of the GNU assembler, line by line:
 *
 *     CNT     EQU   A :OR: 2           .set CNT, A | 2
 *             MACRO                    .macro SETEVENT n, ev=0x11
 *             SETEVENT $n, $ev=0x11
 *             MOV   r12, #$n           MOV   r12, #\n
 *             MEND                     .endm
 *     Start   PROC                     Start:
 *     loop    SUBS  r0, r0, #1         loop: SUBS  r0, r0, #1
 *             AREA, EXPORT, ENDP       nothing
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "macros.h"

enum { LINE = 512 };

struct turner {
    char *store; /* the lines that are made */
    size_t used, room;
    struct text *out;
    bool prototype; /* the next line is that of a macro's name and parameters */
    bool macro;     /* the line is that of a macro, where comments are not those of the line that uses it */
    struct code_word parameters[CODE_MACRO_PARAMETERS], label;
    unsigned parameter_count;
};

/* A line, cut: "label operation operands ; comment". */
struct parts {
    struct code_word label, operation, operands, comment;
};

/* Returns true if @w is one of the @count words. */
static bool is_among(struct code_word w, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code_word_is(w, words[i])) {
            return true;
        }
    }
    return false;
}

/* Takes the characters at *@p up to a blank, and moves behind the blanks that follow. */
static struct code_word take_field(const char **p, const char *end)
{
    struct code_word w = {*p, 0};

    while (*p < end && !isspace((unsigned char)**p)) {
        (*p)++;
    }
    w.length = (size_t)(*p - w.text);
    *p = code_skip_space(*p, end);
    return w;
}

static void cut(const struct text_line *line, struct parts *parts)
{
    const char *p = line->text, *end = p + line->length, *comment = p;
    bool quoted = false;

    memset(parts, 0, sizeof *parts);
    while (comment < end && (quoted || *comment != ';')) {
        quoted ^= *comment++ == '"';
    }
    parts->comment = (struct code_word){comment, (size_t)(end - comment)};
    end = comment;
    if (p < end && !isspace((unsigned char)*p)) {
        parts->label = take_field(&p, end);
    }
    p = code_skip_space(p, end);
    parts->operation = take_field(&p, end);
    parts->operands = code_trim(p, end);
}

bool code_is_armasm(const struct text *t)
{
    static const char *const alone[] = {"MEND", "ENDP", "PRESERVE8", "ENDFUNC"};

    for (size_t i = 0; i < t->count && i < 2000; i++) {
        struct parts parts;

        cut(&t->lines[i], &parts);
        if (parts.label.length == 0 &&
            ((parts.operands.length == 0 && is_among(parts.operation, alone, sizeof alone / sizeof alone[0])) ||
             (code_word_is(parts.operation, "AREA") && memchr(parts.operands.text, ',', parts.operands.length)))) {
            return true;
        }
    }
    return false;
}

/* Appends @length characters to the line that is being made. */
static void put(struct turner *x, const char *text, size_t length)
{
    if (x->used + length + 1 < x->room) {
        memcpy(x->store + x->used, text, length);
        x->used += length;
    }
}

static void put_text(struct turner *x, const char *text)
{
    put(x, text, strlen(text));
}

/* Appends the parameter "$name" or "$name." at *@p, and moves behind it.  Returns false if there is none. */
static bool put_parameter(struct turner *x, const char **p, const char *end)
{
    const char *from = *p + 1, *q = from;

    while (q < end && (isalnum((unsigned char)*q) || *q == '_')) {
        q++;
    }
    for (unsigned i = 0; i < x->parameter_count && **p == '$'; i++) {
        if (code_word_equals(x->parameters[i], (struct code_word){from, (size_t)(q - from)})) {
            put_text(x, "\\");
            put(x, from, (size_t)(q - from));
            *p = q + (q < end && *q == '.');
            put_text(x, *p > q ? "\\()" : "");
            return true;
        }
    }
    return false;
}

/* Appends code with the operators and numbers of the GNU assembler: | for :OR:, 0x for &, 0b for 2_. */
static void put_code(struct turner *x, struct code_word code)
{
    static const char *const operators[][2] = {{":OR:", "|"},   {":AND:", "&"},  {":EOR:", "^"},   {":SHL:", "<<"},
                                               {":SHR:", ">>"}, {":NOT:", "~"},  {":MOD:", "%"},   {":LOR:", "||"},
                                               {":LAND:", "&&"}, {":LNOT:", "!"}, {"{TRUE}", "1"}, {"{FALSE}", "0"}};
    const char *p = code.text, *end = p + code.length;

    while (p < end) {
        size_t i = 0, length = 0;
        const bool begins = p == code.text || strchr(" \t,#=(", p[-1]) != NULL;

        for (; i < sizeof operators / sizeof operators[0]; i++) {
            length = strlen(operators[i][0]);
            if ((size_t)(end - p) >= length && strncasecmp(p, operators[i][0], length) == 0) {
                break;
            }
        }
        if (i < sizeof operators / sizeof operators[0]) {
            put_text(x, operators[i][1]);
            p += length;
        } else if (*p == '&' && begins && end - p > 1 && isxdigit((unsigned char)p[1])) {
            put_text(x, "0x");
            p++;
        } else if (begins && end - p > 2 && memcmp(p, "2_", 2) == 0) {
            put_text(x, "0b");
            p += 2;
        } else if (!put_parameter(x, &p, end)) {
            put(x, p++, 1);
        }
    }
}

/* Notes the parameters of the macro whose name and parameters are in @parts, and makes the line that begins it. */
static void begin_macro(struct turner *x, const struct parts *parts)
{
    const char *p = parts->operands.text, *end = p + parts->operands.length;

    x->prototype = false;
    x->macro = true;
    x->label = parts->label;
    x->parameter_count = 0;
    put_text(x, ".macro ");
    put(x, parts->operation.text, parts->operation.length);
    while (p < end) {
        const struct code_word argument = code_take_macro_argument(&p, end, false);
        const char *q = argument.text + (argument.length != 0 && *argument.text == '$');
        const char *const last = argument.text + argument.length, *name = q;

        while (q < last && (isalnum((unsigned char)*q) || *q == '_')) {
            q++;
        }
        if (x->parameter_count < CODE_MACRO_PARAMETERS && q > name) {
            put_text(x, x->parameter_count == 0 ? " " : ", ");
            put(x, name, (size_t)(last - name));
            x->parameters[x->parameter_count++] = (struct code_word){name, (size_t)(q - name)};
        }
    }
}

/* Makes the line that stands for @parts. */
static void turn(struct turner *x, const struct parts *parts)
{
    static const char *const nothing[] = {
        "AREA", "EXPORT", "IMPORT", "EXTERN", "GLOBAL", "PRESERVE8", "REQUIRE8", "ARM", "THUMB", "CODE16", "CODE32",
        "ALIGN", "END", "ENDP", "ENDFUNC", "LTORG", "GET", "INCLUDE", "KEEP", "ENTRY", "TTL", "SUBT", "OPT", "PUBLIC",
        "SECTION", "RSEG", "MODULE", "GBLA", "GBLL", "GBLS", "LCLA", "LCLL", "LCLS", "MEXIT", "ROUT", "ASSERT",
        "DATA", "FRAME", "NOFP", "INFO"};
    static const char *const others[][2] = {{"IF", ".if "},      {"[", ".if "},     {"ELSE", ".else"},
                                            {"|", ".else"},      {"ELIF", ".elseif "}, {"ENDIF", ".endif"},
                                            {"]", ".endif"},     {"MEND", ".endm"}};
    static const char *const symbols[] = {"EQU", "SETA", "SETL", "*", "DEFINE"};
    static const char *const functions[] = {"PROC", "FUNCTION"};
    const bool own = x->label.length != 0 && code_word_equals(parts->label, x->label); /* the macro's label */

    if (is_among(parts->operation, symbols, sizeof symbols / sizeof symbols[0]) && parts->label.length != 0) {
        put_text(x, ".set ");
        put(x, parts->label.text, parts->label.length);
        put_text(x, ", ");
        put_code(x, parts->operands);
        return;
    }
    if (is_among(parts->operation, nothing, sizeof nothing / sizeof nothing[0])) {
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0] && parts->label.length == 0; i++) {
        if (code_word_is(parts->operation, others[i][0])) {
            put_text(x, others[i][1]);
            put_code(x, parts->operands);
            x->macro = x->macro && !code_word_is(parts->operation, "MEND");
            x->parameter_count = x->macro ? x->parameter_count : 0;
            return;
        }
    }
    if (parts->label.length != 0 && !own) {
        put_code(x, parts->label);
        put_text(x, parts->label.text[parts->label.length - 1] == ':' ? " " : ": ");
    }
    if (!is_among(parts->operation, functions, sizeof functions / sizeof functions[0])) {
        put_text(x, parts->label.length == 0 ? "        " : "");
        put(x, parts->operation.text, parts->operation.length);
        put_text(x, parts->operands.length != 0 ? " " : "");
        put_code(x, parts->operands);
    }
}

/* Returns true if a line that begins in the first column begins with an instruction, not with a label. */
static bool is_unindented(const struct text_line *line)
{
    return line->length != 0 && !isspace((unsigned char)line->text[0]) && code_is_assembly(line->text, line->length);
}

void code_turn_armasm(const struct text *in, struct text *out, char **store)
{
    struct turner x = {.out = out, .room = 2 * in->length + 64 * in->count + LINE};

    memset(out, 0, sizeof *out);
    out->lines = cli_allocate(NULL, in->count + 1, sizeof *out->lines);
    x.store = *store = cli_allocate(NULL, 2 * x.room, 1); /* the lines, and all of them joined */
    for (size_t i = 0; i < in->count; i++) {
        struct parts parts;
        const size_t from = x.used;

        cut(&in->lines[i], &parts);
        if (is_unindented(&in->lines[i])) {
            put_code(&x, (struct code_word){in->lines[i].text, (size_t)(parts.comment.text - in->lines[i].text)});
        } else if (parts.operation.length == 0 && parts.label.length == 0) {
            /* a comment alone */
        } else if (code_word_is(parts.operation, "MACRO") && parts.label.length == 0) {
            x.prototype = true;
        } else if (x.prototype) {
            begin_macro(&x, &parts);
        } else {
            turn(&x, &parts);
        }
        if (x.used == from || !x.macro) {
            put_text(&x, x.used > from && parts.comment.length != 0 ? " " : "");
            put(&x, parts.comment.text, parts.comment.length);
        }
        out->lines[out->count++] = (struct text_line){
            .text = x.store + from, .length = x.used - from, .number = in->lines[i].number};
        x.store[x.used++] = '\n';
    }
    x.store[x.used] = '\0';
    out->joined = x.store + x.room;
    memcpy(out->joined, x.store, x.used + 1);
    out->length = x.used;
    for (size_t i = 0; i < x.used; i++) {
        x.store[i] = x.store[i] == '\n' ? '\0' : x.store[i]; /* a line ends with a 0 */
    }
}
