/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expands what the GNU assembler expands before it assembles: .macro, .rept, .irp, .irpc and .if.  Each line of an
 * expansion has the number of the line that asked for it.
 *
 *     .macro enable n                        7: enable 3
 *     mov x9, #(1 << \n)        becomes      7: mov x9, #(1 << 3)
 *     msr pmcntenset_el0, x9                 7: msr pmcntenset_el0, x9
 *     .endm
 *
 * Macros of the preprocessor whose body is assembly are expanded, too.  In them the names of parameters have no
 * backslash, and a ## joins what is beside it.
 *
 * A macro that the text does not use stays as it is, because somebody may paste nothing but a macro.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "macros.h"

enum { MACROS = 64, DEPTH = 16, LINES = 20000, STORE = 1 << 18, REPEATS = 64 };
enum { SEARCH = 1 << 20 }; /* lines in which uses of macros are looked for, in all */
enum { PIECES = 512 };     /* lines of macros of the preprocessor */

struct expander {
    const struct text *in;
    struct text *out;
    char *store; /* the text of lines that are not the input's */
    size_t used, room;
    struct code_macro macros[MACROS];
    size_t macro_count, searched;
    struct text_line pieces[PIECES];
    size_t piece_count;
    struct code_symbols symbols;
    unsigned expansions; /* what \@ stands for */
    bool assembler;      /* the text has directives that are expanded, so "a = 1" is a symbol */
    uint32_t site;       /* the line of the outermost expansion; 0: none */
};

/* ---------------------------------------------------------------------------------------------------------------
 * Words.
 */

/* Moves *@p behind the label at the beginning of a line, and returns it; its length is 0 if there is none. */
static struct code_word take_label(const char **p, const char *end)
{
    const char *q = *p;
    const struct code_word w = code_take_word(&q, end);

    if (w.length == 0 || q >= end || *q != ':') {
        return (struct code_word){*p, 0};
    }
    *p = code_skip_space(q + 1, end);
    return w;
}

/* Returns the first word of a line, behind its label. */
static struct code_word first_word(const struct text_line *line)
{
    const char *p = line->text, *end = line->text + line->length;

    take_label(&p, end);
    return code_take_word(&p, end);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

/* Keeps @length bytes for the lines of expansions.  Returns NULL if there is no room. */
static char *keep(struct expander *x, const char *text, size_t length)
{
    char *at = x->store + x->used;

    if (x->used + length + 1 > STORE) {
        return NULL;
    }
    memcpy(at, text, length);
    at[length] = '\0';
    x->used += length + 1;
    return at;
}

static void emit(struct expander *x, const char *text, size_t length, uint32_t number)
{
    if (x->out->count == LINES + x->in->count) {
        return;
    }
    if (x->out->count == x->room) {
        x->room = 2 * x->room + 64;
        x->out->lines = cli_allocate(x->out->lines, x->room, sizeof *x->out->lines);
    }
    x->out->lines[x->out->count++] = (struct text_line){.text = text, .length = length, .number = number};
}

static bool is_repeat(struct code_word w)
{
    return code_word_is(w, ".rept") || code_word_is(w, ".irp") || code_word_is(w, ".irpc");
}

/* Returns the index of the line of @lines that closes the block which begins at @at, or @count. */
static size_t find_close(const struct text_line *lines, size_t at, size_t count, bool macro)
{
    unsigned depth = 0;

    for (size_t i = at; i < count; i++) {
        const struct code_word w = first_word(&lines[i]);

        if (macro ? code_word_is(w, ".macro") : is_repeat(w)) {
            depth++;
        } else if (code_word_is(w, macro ? ".endm" : ".endr") && --depth == 0) {
            return i;
        }
    }
    return count;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Macros.
 */

static struct code_macro *find_macro(struct expander *x, struct code_word name)
{
    for (size_t i = x->macro_count; i-- > 0 && name.length != 0;) {
        if (code_word_equals(x->macros[i].name, name)) {
            return &x->macros[i];
        }
    }
    return NULL;
}

/* Returns true if a line of the input uses macro @name. */
static bool is_used(struct expander *x, struct code_word name)
{
    for (size_t i = 0; i < x->in->count && x->searched < SEARCH; i++, x->searched++) {
        const char *p = x->in->lines[i].text, *end = p + x->in->lines[i].length;

        while (p != NULL) {
            take_label(&p, end);
            if (code_word_equals(code_take_word(&p, end), name)) {
                return true;
            }
            p = memchr(p, ';', (size_t)(end - p));
            p = p != NULL ? p + 1 : NULL;
        }
    }
    return false;
}

static void process(struct expander *x, const struct text_line *lines, size_t count, unsigned depth);

/* Processes the body of @m with the values of its parameters. */
static void expand(struct expander *x, const struct code_macro *m, const struct code_word *values, unsigned depth)
{
    struct text_line *lines = cli_allocate(NULL, m->body_count + 1, sizeof *lines);
    size_t count = 0;

    x->expansions++;
    for (size_t i = 0; i < m->body_count; i++) {
        char text[512];
        const size_t length = code_substitute_macro(m, values, x->expansions, &m->body[i], text);
        const char *kept = keep(x, text, length);

        if (kept != NULL) {
            lines[count++] = (struct text_line){
                .text = kept, .length = length, .number = x->site != 0 ? x->site : m->body[i].number};
        }
    }
    process(x, lines, count, depth + 1);
    free(lines);
}

/* Takes the macro that line @at begins.  Returns the index of the line after it. */
static size_t take_macro(struct expander *x, const struct text_line *lines, size_t at, size_t count, unsigned depth)
{
    const size_t close = find_close(lines, at, count, true);
    const char *p = lines[at].text, *end = code_cut_comment(p, p + lines[at].length);
    struct code_macro m = {.body = &lines[at + 1], .body_count = close > at ? close - at - 1 : 0};

    code_take_word(&p, end);
    m.name = code_take_word(&p, end);
    p += p < end && *p == ',';
    code_take_macro_parameters(&m, p, end);
    m.unused = x->macro_count == MACROS || depth != 0 || !is_used(x, m.name);
    if (m.unused) {
        expand(x, &m, NULL, depth);
    } else {
        x->macros[x->macro_count++] = m;
    }
    return close < count ? close + 1 : count;
}

/* Cuts the body of a macro of the preprocessor, @lines from @p on, into instructions.  Returns the lines it takes. */
static size_t cut_define(struct expander *x, struct code_macro *m, const struct text_line *lines, size_t count,
                         const char *p)
{
    size_t i = 0;
    bool more = true;

    m->body = &x->pieces[x->piece_count];
    for (; more && i < count; i++) {
        const char *end = lines[i].text + lines[i].length;

        p = i == 0 ? p : lines[i].text;
        end = code_trim(p, code_cut_comment(p, end)).text + code_trim(p, code_cut_comment(p, end)).length;
        more = end > p && end[-1] == '\\';
        end -= more;
        while (p < end && x->piece_count < PIECES) {
            const char *semicolon = memchr(p, ';', (size_t)(end - p));
            const struct code_word piece = code_trim(p, semicolon != NULL ? semicolon : end);

            if (piece.length != 0) {
                x->pieces[x->piece_count++] =
                    (struct text_line){.text = piece.text, .length = piece.length, .number = lines[i].number};
                m->body_count++;
            }
            p = semicolon != NULL ? semicolon + 1 : end;
        }
    }
    return i;
}

/* Takes the macro of the preprocessor at line @at.  Returns the index of the line after it; @at if there is none. */
static size_t take_define(struct expander *x, const struct text_line *lines, size_t at, size_t count)
{
    const char *p = lines[at].text, *body = code_find_macro_body(&lines[at], count - at);
    struct code_macro m = {.define = true};
    size_t after;

    if (body == NULL || x->macro_count == MACROS) {
        return at;
    }
    p += 7;
    m.name = code_take_word(&p, body);
    if (p < body && *p == '(') {
        code_take_macro_parameters(&m, p + 1, memchr(p, ')', (size_t)(body - p)));
    }
    after = at + cut_define(x, &m, &lines[at], count - at, body);
    if (m.body_count == 0 || !code_is_assembly(m.body[0].text, m.body[0].length) || !is_used(x, m.name)) {
        x->piece_count -= m.body_count;
        return at;
    }
    x->macros[x->macro_count++] = m;
    return after;
}

/* Repeats the lines of .rept, .irp or .irpc, which is the word @w of line @at.  Returns the index of the line after. */
static size_t repeat(struct expander *x, const struct text_line *lines, size_t at, size_t count, unsigned depth)
{
    const size_t close = find_close(lines, at, count, false);
    const char *p = lines[at].text, *end = code_cut_comment(p, p + lines[at].length);
    const struct code_word w = code_take_word(&p, end);
    struct code_macro m = {.body = &lines[at + 1], .body_count = close > at ? close - at - 1 : 0};
    struct code_word value;
    int64_t times = 0;

    if (code_word_is(w, ".rept")) {
        times = code_evaluate_symbols(&x->symbols, code_trim(p, end), &times) ? times : 1;
        for (int64_t i = 0; i < times && i < REPEATS; i++) {
            expand(x, &m, NULL, depth);
        }
        return close < count ? close + 1 : count;
    }
    m.parameters[m.count++] = code_take_word(&p, end);
    p += p < end && *p == ',';
    for (unsigned i = 0; i < REPEATS && (p = code_skip_space(p, end)) < end; i++) {
        value = code_word_is(w, ".irpc") ? (struct code_word){p, 1} : code_take_macro_argument(&p, end, false);
        p += code_word_is(w, ".irpc");
        expand(x, &m, &value, depth);
    }
    return close < count ? close + 1 : count;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Conditions.
 */

/* Returns true if the condition @w with the operands from @p holds.  One that cannot be told does. */
static bool holds(struct expander *x, struct code_word w, const char *p, const char *end)
{
    static const struct {
        const char *name;
        bool below, equal, above;
    } signs[] = {{".if", true, false, true},     {".elseif", true, false, true}, {".ifne", true, false, true},
                 {".ifeq", false, true, false},  {".ifgt", false, false, true},  {".ifge", false, true, true},
                 {".iflt", true, false, false},  {".ifle", true, true, false}};
    const struct code_word rest = code_trim(p, end);
    int64_t v;

    if (code_word_is(w, ".ifb") || code_word_is(w, ".ifnb")) {
        return (rest.length == 0) == code_word_is(w, ".ifb");
    }
    if (code_word_is(w, ".ifc") || code_word_is(w, ".ifnc") || code_word_is(w, ".ifeqs") || code_word_is(w, ".ifnes")) {
        const struct code_word a = code_take_macro_argument(&p, end, false);
        const struct code_word b = code_take_macro_argument(&p, end, false);
        const bool same = a.length == b.length && memcmp(a.text, b.text, a.length) == 0;

        return same == (code_word_is(w, ".ifc") || code_word_is(w, ".ifeqs"));
    }
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (code_word_is(w, signs[i].name)) {
            return !code_evaluate_symbols(&x->symbols, rest, &v) ||
                   (v < 0    ? signs[i].below
                    : v == 0 ? signs[i].equal
                             : signs[i].above);
        }
    }
    return true; /* .ifdef, .ifndef: a file that is not here may define it */
}

static bool is_condition(struct code_word w)
{
    return w.length >= 3 && strncasecmp(w.text, ".if", 3) == 0;
}

/* Processes the branch of the condition at line @at that holds.  Returns the index of the line after ".endif". */
static size_t decide(struct expander *x, const struct text_line *lines, size_t at, size_t count, unsigned depth)
{
    bool taken = false;
    size_t i = at;

    while (i < count) {
        const char *p = lines[i].text, *end = code_cut_comment(p, p + lines[i].length);
        const struct code_word w = code_take_word(&p, end);
        const bool take = !taken && (code_word_is(w, ".else") || holds(x, w, p, end));
        const size_t from = ++i;
        unsigned inner = 0;

        for (; i < count; i++) {
            const struct code_word next = first_word(&lines[i]);

            if (inner == 0 && (code_word_is(next, ".else") || code_word_is(next, ".elseif") ||
                               code_word_is(next, ".endif"))) {
                break;
            }
            inner += is_condition(next);
            inner -= code_word_is(next, ".endif");
        }
        if (take) {
            taken = true;
            process(x, &lines[from], i - from, depth + 1);
        }
        if (i < count && code_word_is(first_word(&lines[i]), ".endif")) {
            return i + 1;
        }
    }
    return count;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The text.
 */

/* Notes the symbol that a line defines: ".equ a, 1", "a = 1 << 2", "#define A 4".  Rewrites the second as the first. */
static bool take_symbol(struct expander *x, const struct text_line *line)
{
    const char *p = line->text, *end = code_cut_comment(p, p + line->length);
    const bool define = end - p > 8 && strncmp(p, "#define ", 8) == 0;
    struct code_word w, value;
    char text[256];

    p += define ? 8 : 0;
    w = code_take_word(&p, end);
    if (define) {
        code_set_symbol(&x->symbols, w, code_trim(p, end));
        return false;
    }
    if (code_word_is(w, ".equ") || code_word_is(w, ".set") || code_word_is(w, ".equiv")) {
        w = code_take_word(&p, end);
        p += p < end && *p == ',';
        code_set_symbol(&x->symbols, w, code_trim(p, end));
        return false;
    }
    if (!x->assembler || w.length == 0 || w.length > 64 || *w.text == '.' || p + 1 >= end || *p != '=' || p[1] == '=' ||
        strchr(";,{", end[-1]) != NULL) {
        return false;
    }
    value = code_trim(p + 1, end);
    code_set_symbol(&x->symbols, w, value);
    snprintf(text, sizeof text, ".set %.*s, %.*s", (int)w.length, w.text, (int)value.length, value.text);
    const char *kept = keep(x, text, strlen(text));

    if (kept != NULL) {
        emit(x, kept, strlen(kept), line->number);
    }
    return kept != NULL;
}

/* Expands the macro that @line uses, and what follows behind ";".  Returns false if it uses none. */
static bool call(struct expander *x, const struct text_line *line, unsigned depth)
{
    const char *p = line->text, *end = code_cut_comment(p, p + line->length);
    const char *semicolon = memchr(p, ';', (size_t)(end - p));
    const struct code_word label = take_label(&p, end);
    struct code_macro *m;
    struct code_word values[CODE_MACRO_PARAMETERS];
    const uint32_t site = x->site;
    const char *after = p;

    m = find_macro(x, code_take_word(&after, end));
    if (m == NULL && semicolon == NULL) {
        return false;
    }
    if (m == NULL) { /* "isb; enable 3" */
        const char *next = semicolon + 1;

        if (find_macro(x, code_take_word(&next, end)) == NULL) {
            return false;
        }
        emit(x, line->text, (size_t)(semicolon - line->text), line->number);
    } else {
        if (label.length != 0) {
            emit(x, label.text, (size_t)(p - label.text), line->number);
        }
        x->site = site != 0 ? site : line->number;
        if (m->define && after < end && *after == '(') {
            const char *close = memrchr(after, ')', (size_t)((semicolon != NULL ? semicolon : end) - after));

            code_bind_macro(m, after + 1, close != NULL ? close : end, values);
        } else {
            code_bind_macro(m, after, semicolon != NULL ? semicolon : end, values);
        }
        expand(x, m, values, depth);
        x->site = site;
    }
    if (semicolon != NULL) {
        const struct text_line rest = {
            .text = semicolon + 1, .length = (size_t)(end - semicolon) - 1, .number = line->number};

        process(x, &rest, 1, depth + 1);
    }
    return true;
}

static void process(struct expander *x, const struct text_line *lines, size_t count, unsigned depth)
{
    for (size_t i = 0; i < count && depth < DEPTH && x->out->count < LINES + x->in->count;) {
        const struct code_word w = first_word(&lines[i]);
        const size_t define = depth == 0 ? take_define(x, lines, i, count) : i;

        if (define > i) {
            i = define;
        } else if (code_word_is(w, ".macro")) {
            i = take_macro(x, lines, i, count, depth);
        } else if (is_repeat(w)) {
            i = repeat(x, lines, i, count, depth);
        } else if (is_condition(w)) {
            i = decide(x, lines, i, count, depth);
        } else {
            if (!take_symbol(x, &lines[i]) && !call(x, &lines[i], depth)) {
                emit(x, lines[i].text, lines[i].length, lines[i].number);
            }
            i++;
        }
    }
}

bool code_expand(const struct text *in, struct text *out, char **store)
{
    static const char *const begins[] = {".macro ", ".macro\t", ".rept ", ".rept\t", ".irp ", ".irpc ", ".endif"};
    struct expander *x;
    bool assembler = false, any;

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        assembler |= strstr(in->joined, begins[i]) != NULL;
    }
    any = assembler;
    for (size_t i = 0; i < in->count && !any; i++) {
        any = code_find_macro_body(&in->lines[i], in->count - i) != NULL;
    }
    if (!any) {
        return false;
    }
    x = cli_allocate(NULL, 1, sizeof *x);
    memset(x, 0, sizeof *x);
    memset(out, 0, sizeof *out);
    x->in = in;
    x->assembler = assembler;
    x->out = out;
    x->store = *store = cli_allocate(NULL, STORE, 1);
    process(x, in->lines, in->count, 0);
    free(x);
    return true;
}
