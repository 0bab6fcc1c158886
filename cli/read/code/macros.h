/* SPDX-License-Identifier: BSD-2-Clause */
/* Words, symbols, expressions and macros of assemblers, which expand.c expands. */
#ifndef ARMPMU_CLI_READ_CODE_MACROS_H
#define ARMPMU_CLI_READ_CODE_MACROS_H

#include "internal.h"

/* A part of a line. */
struct code_word {
    const char *text; /* not terminated */
    size_t length;
};

enum { CODE_SYMBOLS = 256 };

/* The symbols that have a value.  Initialize it with zeros. */
struct code_symbols {
    struct {
        struct code_word name;
        int64_t value;
    } list[CODE_SYMBOLS];
    size_t count;
};

/* Returns true if @c may be part of a symbol of an assembler. */
bool code_is_symbol(char c);
const char *code_skip_space(const char *p, const char *end);
/* Takes the name at *@p, and moves behind it and the blanks that follow. */
struct code_word code_take_word(const char **p, const char *end);
/* Compares in any case of letters, as assemblers do. */
bool code_word_is(struct code_word w, const char *text);
bool code_word_equals(struct code_word a, struct code_word b);
/* Returns what is between the blanks around the text. */
struct code_word code_trim(const char *from, const char *to);
/* Notes the value of the symbol @name; one that is not known has none from now on. */
void code_set_symbol(struct code_symbols *symbols, struct code_word name, struct code_word text);
/* Evaluates @text.  Returns false if a symbol has no value here, or it is no expression. */
bool code_evaluate_symbols(const struct code_symbols *symbols, struct code_word text, int64_t *value);

enum { CODE_MACRO_PARAMETERS = 12, CODE_MACRO_LINE = 512 };

struct code_macro {
    struct code_word name;
    struct code_word parameters[CODE_MACRO_PARAMETERS], defaults[CODE_MACRO_PARAMETERS];
    unsigned count;
    bool rest;   /* the last parameter takes the rest of the line: :vararg */
    bool unused; /* its parameters have no values */
    bool define; /* it is one of the preprocessor */
    const struct text_line *body;
    size_t body_count;
};

/* Returns the end of a line without its comment.  A "@" behind a backslash is a number. */
const char *code_cut_comment(const char *p, const char *end);
/* Takes an argument at *@p, up to a comma outside of brackets and quotes, or to a blank if @blanks. */
struct code_word code_take_macro_argument(const char **p, const char *end, bool blanks);
/* Takes the parameters of a macro at @p: "n, event=0x11 tmp:req". */
void code_take_macro_parameters(struct code_macro *m, const char *p, const char *end);
/* Fills @values with the arguments of a call of @m, at @p. */
void code_bind_macro(const struct code_macro *m, const char *p, const char *end, struct code_word *values);
/* Writes @line, where parameters of @m have the values @values and \@ is @count, to @to.  Returns its length. */
size_t code_substitute_macro(const struct code_macro *m, const struct code_word *values, unsigned count,
                             const struct text_line *line, char to[CODE_MACRO_LINE]);
/* Returns the body in @line, of @count ones, of "#define a(x) b" if it is assembly, also of the next line; or NULL. */
const char *code_find_macro_body(const struct text_line *line, size_t count);

#endif
