/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes tokens of C, C++, Rust and assembly, line by line.  Fragments are usual, so nothing is refused: a line of prose
 * becomes a comment, and an odd character is skipped.  Of #if, #elif and #else the first branch that Arm takes is read.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

enum { TOKENS = 1 << 20 }; /* what follows is not read: nobody pastes so much */

struct lexer {
    struct code_lexed *out;
    size_t token_room, comment_room;
    const struct text_line *line;
    bool in_comment, in_docstring, in_define, first;
    unsigned depth, skip_from; /* of #if; the depth from which lines are skipped, 0: none */
    bool taken[32];            /* a branch of the #if at this depth was read */
};

static struct code_token *add_token(struct lexer *x, enum code_token_kind kind, const char *text, size_t length)
{
    struct code_lexed *out = x->out;
    struct code_token *t;

    if (out->count == x->token_room) {
        x->token_room = x->token_room == 0 ? 256 : 2 * x->token_room;
        out->tokens = cli_allocate(out->tokens, x->token_room, sizeof *out->tokens);
    }
    t = &out->tokens[out->count++];
    *t = (struct code_token){text,          (uint32_t)length, x->line->number, (uint32_t)(text - x->line->text) + 1,
                             (uint8_t)kind, x->first};
    x->first = false;
    return t;
}

static void add_comment(struct lexer *x, const char *text, const char *end)
{
    struct code_lexed *out = x->out;

    while (text < end && (isspace((unsigned char)*text) || *text == '*' || *text == '/')) {
        text++;
    }
    if (text >= end) {
        return;
    }
    if (out->comment_count == x->comment_room) {
        x->comment_room = x->comment_room == 0 ? 64 : 2 * x->comment_room;
        out->comments = cli_allocate(out->comments, x->comment_room, sizeof *out->comments);
    }
    out->comments[out->comment_count++] =
        (struct code_comment){x->line->number, (uint32_t)(text - x->line->text) + 1, text, (size_t)(end - text)};
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines of assembly.
 */

/* Adds the label at @p, if there is one, and returns what follows. */
static const char *take_label(struct lexer *x, const char *p, const char *end)
{
    const char *q = p = code_skip_blanks(p, end);

    while (q < end && (code_is_word(*q) || *q == '.')) {
        q++;
    }
    if (q > p && q < end && *q == ':' && (q + 1 == end || q[1] != ':') && (q - p) < 64) {
        add_token(x, TOKEN_LABEL, p, (size_t)(q - p));
        return code_skip_blanks(q + 1, end);
    }
    return p;
}

/* Returns true if the line is indented among lines of assembly and looks like an instruction. */
static bool is_stranger(const struct lexer *x, const char *p, const char *end)
{
    const struct code_lexed *out = x->out;
    const uint8_t before = out->count != 0 ? out->tokens[out->count - 1].kind : TOKEN_END;

    return (before == TOKEN_ASSEMBLY || before == TOKEN_LABEL) && out->c_lines <= out->assembly_lines / 4 &&
           isspace((unsigned char)x->line->text[0]) && code_is_stranger(p, end);
}

/* Takes a line of assembly.  Returns false if it is none. */
static bool take_assembly(struct lexer *x, const char *p, const char *end)
{
    const char *const after = code_skip_listing(p, end), *body, *q;
    size_t before = x->out->count;

    for (q = code_skip_blanks(after, end); q < end && (code_is_word(*q) || *q == '.'); q++) {
    }
    body = q < end && *q == ':' ? code_skip_blanks(q + 1, end) : after;
    if (!code_is_assembly(body, (size_t)(end - body)) && !is_stranger(x, body, end)) {
        if (body != after && x->out->assembly_lines != 0 && (body == end || strchr("/@;#", *body) != NULL)) {
            take_label(x, after, end);
            add_comment(x, body, end);
            return true;
        }
        /* "name PROC", "FUNC name", or a name alone in the first column, of armasm */
        if (q > after && after == p && !isspace((unsigned char)*p) && end - q >= 5 && strncasecmp(q, " PROC", 5) == 0) {
            add_token(x, TOKEN_LABEL, p, (size_t)(q - p));
            return true;
        }
        return false;
    }
    body = take_label(x, after, end);
    q = code_cut_assembly(body, end, false);
    if (q < end) {
        add_comment(x, *q == '<' ? end : q + 1, end);
        x->in_comment = end - q >= 2 && q[0] == '/' && q[1] == '*' && memmem(q, (size_t)(end - q), "*/", 2) == NULL;
    }
    while (q > body && (q[-1] == ' ' || q[-1] == '\t')) {
        q--;
    }
    x->first = before == x->out->count;
    add_token(x, TOKEN_ASSEMBLY, body, (size_t)(q - body));
    x->out->assembly_lines++;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Prose.
 */

static bool starts_code(const char *p, size_t length)
{
    static const char *const words[] = {
        "static",   "inline",   "extern", "unsigned", "signed", "volatile", "const",   "struct", "union",
        "enum",     "typedef",  "return", "else",     "if",     "while",    "for",     "do",     "switch",
        "case",     "pub",      "fn",     "unsafe",   "let",    "use",      "void",    "int",    "long",
        "uint32_t", "uint64_t", "u32",    "u64",      "asm",    "__asm",    "__asm__", "class",  "template",
        "import",   "from",     "def",    "impl",     "mod",    "goto",
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (length != 0 && words[i][0] == *p && strlen(words[i]) == length && memcmp(words[i], p, length) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if the line is a sentence: four plain words in a row or more outside of quotes, and nothing at its
 * beginning or its end that only code has.
 */
static bool is_prose(const char *p, const char *end)
{
    unsigned run = 0, longest = 0;
    bool quoted = false, first = true;

    p = code_skip_blanks(p, end);
    if (p == end || end[-1] == ';' || end[-1] == '{' || end[-1] == '\\' || end[-1] == ',') {
        return p < end && end[-1] == ',' && memchr(p, '(', (size_t)(end - p)) == NULL &&
               memchr(p, '=', (size_t)(end - p)) == NULL && is_prose(p, end - 1);
    }
    for (const char *q = p; q < end && !(q[0] == '/' && q + 1 < end && (q[1] == '/' || q[1] == '*'));) {
        const char *word = q;
        bool letters = true;

        while (q < end && *q != ' ' && *q != '\t') {
            quoted ^= *q == '"';
            letters &= isalpha((unsigned char)*q) || (strchr(",.'?!-", *q) != NULL && q > word);
            q++;
        }
        if (first && starts_code(word, (size_t)(q - word))) {
            return false;
        }
        first = false;
        run = letters && !quoted ? run + 1 : 0;
        longest = run > longest ? run : longest;
        q = code_skip_blanks(q, end);
    }
    return longest >= 4;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tokens of C and Rust.
 */

/* Reads a number of Ada: 16#8000_0000#, 2#1010#.  Returns @length, 0 if it is none. */
static size_t based_number(const char *text, size_t length, uint64_t *value)
{
    const size_t mark = text[1] == '#' ? 1 : 2;
    const unsigned first = (unsigned)(text[0] - '0');
    const unsigned base = mark == 1 ? first : first * 10 + (unsigned)(text[1] - '0');

    for (size_t i = mark + 1; i + 1 < length; i++) {
        const char c = text[i];
        const unsigned digit = isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;

        if (c == '_') {
            continue;
        }
        if (digit >= base || base > 16) {
            return 0;
        }
        *value = *value * base + digit;
    }
    return length;
}

size_t code_number(const char *text, size_t length, uint64_t *value, uint8_t *width)
{
    size_t at = 0;
    unsigned base = 10;
    bool any = false;

    *value = 0;
    *width = 0;
    if (length > 4 && text[length - 1] == '#' && (text[1] == '#' || text[2] == '#')) {
        return based_number(text, length, value);
    }
    if (length >= 3 && text[0] == '0') {
        const char c = (char)(text[1] | 0x20);

        base = c == 'x' ? 16 : c == 'b' && (text[2] == '0' || text[2] == '1' || text[2] == '_') ? 2 : c == 'o' ? 8 : 10;
        at = base != 10 ? 2 : 0;
    }
    for (; at < length; at++) {
        const char c = text[at];
        const int digit = c >= '0' && c <= '9'                       ? c - '0'
                          : base == 16 && isxdigit((unsigned char)c) ? (c | 0x20) - 'a' + 10
                                                                     : -1;

        if (digit < 0 || (unsigned)digit >= base) {
            if (any && (c == '_' || c == '\'') && at + 1 < length && isxdigit((unsigned char)text[at + 1])) {
                continue;
            }
            break;
        }
        *value = *value * base + (unsigned)digit;
        any = true;
    }
    if (!any) {
        return 0;
    }
    for (const size_t from = at; at < length && code_is_word(text[at]); at++) {
        if (memchr("6", text[at], 1) != NULL && text[at + 1] == '4') {
            *width = 64;
        } else if ((text[at] | 0x20) == 'l') {
            *width = 64;
        } else if (text[at] == '3') {
            *width = 32;
        }
        if (at - from > 6) {
            return 0;
        }
    }
    return at;
}

bool code_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Returns the length of the string that begins with the quote at @p, or to the end of the line. */
static size_t string_length(const char *p, const char *end)
{
    const char *q = p + 1;

    while (q < end && *q != '"') {
        q += *q == '\\' && q + 1 < end ? 2 : 1;
    }
    return (size_t)((q < end ? q + 1 : end) - p);
}

static size_t mark_length(const char *p, const char *end)
{
    static const char *const marks[] = {
        "<<=", ">>=", "...", "..=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "|=",
        "&=",  "^=",  "+=",  "-=",  "*=", "/=", "++", "--", "->", "::", "=>", "##", "//"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const size_t length = strlen(marks[i]);

        if ((size_t)(end - p) >= length && memcmp(p, marks[i], length) == 0) {
            return length;
        }
    }
    return 1;
}

/* Takes one token or comment at @p, and returns what follows. */
static const char *take_token(struct lexer *x, const char *p, const char *end)
{
    const char *q = p;

    if (end - p >= 2 && p[0] == '/' && p[1] == '/' && !x->out->python) {
        add_comment(x, p + 2, end);
        return end;
    }
    if (end - p >= 2 && p[0] == '/' && p[1] == '*' && !x->out->python) {
        const char *close = memmem(p + 2, (size_t)(end - p) - 2, "*/", 2);

        add_comment(x, p + 2, close != NULL ? close : end);
        x->in_comment = close == NULL;
        return close != NULL ? close + 2 : end;
    }
    if ((x->out->python && *p == '#') || (x->out->ada && end - p >= 2 && p[0] == '-' && p[1] == '-')) {
        add_comment(x, p + 1 + x->out->ada, end);
        return end;
    }
    if (isdigit((unsigned char)*p)) {
        while (q < end && (code_is_word(*q) || (*q == '\'' && q + 1 < end && isxdigit((unsigned char)q[1])))) {
            q++;
        }
        if (x->out->ada && q < end && *q == '#') { /* 16#8000_0000# */
            const char *close = memchr(q + 1, '#', (size_t)(end - q) - 1);

            q = close != NULL ? close + 1 : q;
        }
        add_token(x, TOKEN_NUMBER, p, (size_t)(q - p));
    } else if (code_is_word(*p) || (unsigned char)*p >= 0x80) {
        while (q < end && (code_is_word(*q) || (unsigned char)*q >= 0x80)) {
            q++;
        }
        if (*q == '"' && q - p <= 2 && q < end) { /* r"..", b"..", L"..", u8".." */
            return q;
        }
        add_token(x, TOKEN_NAME, p, (size_t)(q - p));
    } else if (x->out->zig && end - p > 1 && p[0] == '\\' && p[1] == '\\') { /* a line of a string */
        add_token(x, TOKEN_STRING, p + 1, (size_t)(end - p));
        return end;
    } else if (*p == '"') {
        q = p + string_length(p, end);
        add_token(x, TOKEN_STRING, p, (size_t)(q - p));
    } else if (*p == '\'') {
        const char *close = end - p > 2 ? memchr(p + 2, '\'', (size_t)(end - p - 2 < 3 ? end - p - 2 : 3)) : NULL;

        if (x->out->python && (close = end - p > 1 ? memchr(p + 1, '\'', (size_t)(end - p - 1)) : NULL) != NULL) {
            add_token(x, TOKEN_STRING, p, (size_t)(close + 1 - p));
            return close + 1;
        }
        if (close != NULL) {
            add_token(x, TOKEN_CHARACTER, p, (size_t)(close + 1 - p));
        }
        q = close != NULL ? close + 1 : p + 1;
    } else {
        q = p + (x->out->ada && end - p >= 2 && p[0] == '*' && p[1] == '*' ? 2 : mark_length(p, end));
        add_token(x, TOKEN_MARK, p, (size_t)(q - p));
    }
    return q;
}

static void take_tokens(struct lexer *x, const char *p, const char *end)
{
    while ((p = code_skip_blanks(p, end)) < end && x->out->count < TOKENS) {
        if (*p == '\\' && code_skip_blanks(p + 1, end) == end) {
            return; /* the line goes on */
        }
        p = take_token(x, p, end);
    }
    if (x->in_define && !x->in_comment) {
        x->in_define = false;
        add_token(x, TOKEN_END, end, 0);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Preprocessor lines.
 */

/* Returns true if the condition of #if is one that Arm code does not meet. */
static bool is_foreign(const char *p, const char *end)
{
    static const char *const words[] = {"x86", "i386", "amd64", "riscv", "RISCV", "powerpc", "mips", "_M_X64"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (memmem(p, (size_t)(end - p), words[i], strlen(words[i])) != NULL) {
            return memmem(p, (size_t)(end - p), "arm", 3) == NULL && memmem(p, (size_t)(end - p), "aarch", 5) == NULL;
        }
    }
    return p < end && *p == '0' && code_skip_blanks(p + 1, end) == end;
}

static void take_condition(struct lexer *x, const char *word, size_t length, const char *p, const char *end)
{
    const bool skipping = x->skip_from != 0 && x->skip_from < x->depth;

    if (word[0] == 'i') {
        const bool negated = length == 6;

        x->depth++;
        x->taken[x->depth % 32] = negated || !is_foreign(p, end);
        if (x->skip_from == 0 && !x->taken[x->depth % 32]) {
            x->skip_from = x->depth;
        }
    } else if (length == 5) { /* endif */
        x->skip_from = x->skip_from == x->depth ? 0 : x->skip_from;
        x->depth -= x->depth != 0;
    } else if (!skipping && x->depth != 0) { /* elif, else */
        const bool take = !x->taken[x->depth % 32] && (word[2] == 's' || !is_foreign(p, end));

        x->taken[x->depth % 32] |= take;
        x->skip_from = take ? 0 : x->depth;
    }
}

/* Takes a line that begins with #.  Returns false if it is no line of the preprocessor. */
static bool take_directive(struct lexer *x, const char *p, const char *end)
{
    const char *word = code_skip_blanks(p + 1, end), *q = word;
    size_t length;

    while (q < end && isalpha((unsigned char)*q)) {
        q++;
    }
    length = (size_t)(q - word);
    q = code_skip_blanks(q, end);
#define IS(text) (length == sizeof text - 1 && memcmp(word, text, length) == 0)
    if (IS("if") || IS("ifdef") || IS("ifndef") || IS("elif") || IS("endif") ||
        (IS("else") && (q == end || *q == '/' || *q == '!'))) {
        take_condition(x, word, IS("endif") ? 5 : IS("ifndef") ? 6 : length == 5 ? 4 : length, q, end);
        return true;
    }
    if (x->skip_from != 0) {
        return true;
    }
    if (IS("define")) {
        add_token(x, TOKEN_DEFINE, word, length);
        x->in_define = true;
        take_tokens(x, q, end);
        return true;
    }
    if (IS("include")) {
        add_token(x, TOKEN_DEFINE, word, length);
        add_token(x, TOKEN_STRING, q, (size_t)(end - q));
        add_token(x, TOKEN_END, end, 0);
        return true;
    }
#undef IS
    return length != 0 && word == p + 1 &&
           (memcmp(word, "pragma", length < 6 ? length : 6) == 0 ||
            memcmp(word, "error", length < 5 ? length : 5) == 0 || memcmp(word, "undef", length < 5 ? length : 5) == 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The text.
 */

/* Returns true if the line is a command behind the prompt of a shell: "$ objdump -dS a.o", "me@board:~$ cat a.c". */
static bool is_shell_command(const char *p, const char *end)
{
    const char *q = p;

    while (q < end && (isalnum((unsigned char)*q) || strchr("@:~/._-", *q) != NULL)) {
        q++;
    }
    return end - q > 2 && q[0] == '$' && q[1] == ' ' && (isalpha((unsigned char)q[2]) || strchr("./~", q[2]) != NULL);
}

/* Takes a line of a string of Python in three quotes that stands alone: a comment.  Returns false if it is none. */
static bool take_docstring(struct lexer *x, const char *p, const char *end)
{
    const size_t skip = x->in_docstring ? 0 : 3;
    const char *close;

    if (!x->in_docstring && (!x->out->python || end - p < 3 || memcmp(p, "\"\"\"", 3) != 0)) {
        return false;
    }
    close = memmem(p + skip, (size_t)(end - p) - skip, "\"\"\"", 3);
    add_comment(x, p + skip, close != NULL ? close : end);
    x->in_docstring = close == NULL;
    return true;
}

/* Takes a line of Go's assembly, without what ends with a comment mark. */
static void take_go(struct lexer *x, const char *p, const char *end)
{
    const char *comment = memmem(p, (size_t)(end - p), "//", 2);
    enum code_token_kind kind;

    if (comment != NULL) {
        add_comment(x, comment, end);
        end = comment;
    }
    kind = code_cut_go(&p, &end);
    if (kind == TOKEN_ASSEMBLY && !isspace((unsigned char)x->line->text[0])) {
        add_comment(x, p, end); /* somebody's words */
    } else if (kind != TOKEN_END) {
        add_token(x, kind, p, (size_t)(end - p));
        x->out->assembly_lines++;
    }
}

static void take_line(struct lexer *x, const char *p, const char *end)
{
    x->first = true;
    if (x->in_comment) {
        const char *close = memmem(p, (size_t)(end - p), "*/", 2);

        add_comment(x, p, close != NULL ? close : end);
        x->in_comment = close == NULL;
        if (close == NULL) {
            return;
        }
        p = close + 2;
    }
    p = x->in_define ? p : code_skip_blanks(p, end);
    if (p == end || x->in_define) {
        take_tokens(x, p, end);
        return;
    }
    if (take_docstring(x, p, end)) {
        return;
    }
    if (*p == '#' && !x->out->python) {
        if (take_directive(x, p, end)) {
            return;
        }
        if (end - p < 2 || (p[1] != '[' && p[1] != '!')) {
            add_comment(x, p + 1, end);
            return;
        }
    }
    if (x->skip_from != 0 || code_is_debugger(p, end) || is_shell_command(p, end)) {
        return;
    }
    if ((*p == '@' || *p == ';') && end - p > 1 && p[1] == ' ') {
        add_comment(x, p + 1, end);
    } else if (x->out->ada) {
        take_tokens(x, p, end);
        x->out->c_lines++;
    } else if (*p == '/' && end - p > 1 && p[1] == '/') {
        add_comment(x, p + 2, end);
    } else if (x->out->go_assembly && !(*p == '/' && end - p > 1 && p[1] == '*')) {
        take_go(x, p, end);
    } else if (take_assembly(x, p, end)) {
        return;
    } else if (*p != '/' && is_prose(p, end)) {
        add_comment(x, p, end);
    } else {
        take_tokens(x, p, end);
        x->out->c_lines++;
    }
}

/* Finds the bracket that closes each one.  Brackets of all kinds are alike, because fragments mix them. */
static void match_brackets(struct code_lexed *lexed)
{
    uint32_t *open = cli_allocate(NULL, lexed->count + 1, sizeof *open);
    size_t depth = 0;

    lexed->after = cli_allocate(NULL, lexed->count + 1, sizeof *lexed->after);
    for (size_t i = 0; i < lexed->count; i++) {
        const struct code_token *t = &lexed->tokens[i];

        lexed->after[i] = 0;
        if (t->kind != TOKEN_MARK || t->length != 1) {
            continue;
        }
        if (strchr("([{", t->text[0]) != NULL) {
            lexed->after[i] = (uint32_t)lexed->count;
            open[depth++] = (uint32_t)i;
        } else if (strchr(")]}", t->text[0]) != NULL && depth != 0) {
            lexed->after[open[--depth]] = (uint32_t)i + 1;
        }
    }
    free(open);
}

void code_lex(struct code_lexed *lexed, const struct text *t)
{
    struct lexer x = {.out = lexed};

    memset(lexed, 0, sizeof *lexed);
    lexed->go_assembly = code_is_go_assembly(t);
    lexed->python = !lexed->go_assembly && code_is_python(t); /* Go has few semicolons, too */
    lexed->ada = code_is_ada(t);
    lexed->zig = code_is_zig(t);
    for (size_t i = 0; i < t->count && lexed->count < TOKENS; i++) {
        x.line = &t->lines[i];
        take_line(&x, x.line->text, x.line->text + x.line->length);
    }
    match_brackets(lexed);
}

void code_lexed_free(struct code_lexed *lexed)
{
    free(lexed->after);
    free(lexed->tokens);
    memset(lexed, 0, sizeof *lexed);
}
