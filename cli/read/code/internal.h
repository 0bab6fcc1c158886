/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of the reader of code share. */
#ifndef ARMPMU_CLI_READ_CODE_INTERNAL_H
#define ARMPMU_CLI_READ_CODE_INTERNAL_H

#include <string.h>

#include "code.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Tokens (lex.c).
 */

enum code_token_kind {
    TOKEN_END, /* the end of a #define */
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_CHARACTER,
    TOKEN_MARK,     /* punctuation of 1 to 3 characters */
    TOKEN_ASSEMBLY, /* a line of assembly, without labels, opcodes and comments */
    TOKEN_LABEL,    /* the label of such a line */
    TOKEN_DEFINE,   /* #define, or .equ and .set; the tokens up to TOKEN_END follow */
};

struct code_token {
    const char *text;
    uint32_t length, line, column;
    uint8_t kind;
    bool first; /* of its line */
};

/* What the lexer makes of a text. */
struct code_lexed {
    struct code_token *tokens;
    size_t count;
    uint32_t *after; /* by token: the index after the bracket that closes it; 0: it opens none */
    struct code_comment *comments;
    size_t comment_count;
    uint32_t assembly_lines, c_lines;
    bool python, ada, go_assembly, zig;
};

/* Makes tokens of @t.  Release @lexed with code_lexed_free(). */
void code_lex(struct code_lexed *lexed, const struct text *t);
void code_lexed_free(struct code_lexed *lexed);
/* armasm.c: Returns true if the text is assembly of armasm: it has its directives, AREA, MEND or ENDP. */
bool code_is_armasm(const struct text *t);
/* Turns it into assembly of the GNU assembler.  Free @out->lines and, after what was made of them, *@store. */
void code_turn_armasm(const struct text *in, struct text *out, char **store);
/* language.c: Returns true if the text is a program in Python: it has its keywords, and hardly any semicolon. */
bool code_is_python(const struct text *t);
/* Returns true if the text is Ada: Asm of System.Machine_Code, or its keywords, and ":=". */
bool code_is_ada(const struct text *t);
/* zig.c: Returns true if the text is Zig: it has its builtin functions or types. */
bool code_is_zig(const struct text *t);
/* go_assembly.c: Returns true if the text is Go's assembly: it has a line "TEXT ·Cycles(SB), NOSPLIT, $0-8". */
bool code_is_go_assembly(const struct text *t);
/* Cuts the line between *@from and *@to, which has no comment, to its label or instruction.  TOKEN_END: it is none. */
enum code_token_kind code_cut_go(const char **from, const char **to);
/* Returns true if the line from @text is an instruction or a directive. */
bool code_is_assembly(const char *text, size_t length);
/* Returns true if the line at @p looks like a macro of a file that is not here, or an instruction that we lack. */
bool code_is_stranger(const char *p, const char *end);
/* Returns the length of the name of an instruction without its condition, "orr" of "orrne"; 0 if it has none. */
size_t code_unconditional(const char *name, size_t length);
/* Returns the end of the instruction at @p: where a comment of an assembler begins, or @end. */
const char *code_cut_assembly(const char *p, const char *end, bool armasm);
/* Skips "400590:", "0x0000 <main+4>:", "=>" and opcodes, as objdump and debuggers print them. */
const char *code_skip_listing(const char *p, const char *end);
/*
 * Returns true if a debugger is told something, "(gdb) p/x pmcr", answers, "$1 = 17", or says what the program does:
 * "0x00010448 in read_cycles () at cycles.c:7".
 */
bool code_is_debugger(const char *p, const char *end);
const char *code_skip_blanks(const char *p, const char *end);
/* Returns true if the token is the mark or the name @text. */
static inline bool code_token_is(const struct code_token *t, const char *text)
{
    const size_t length = strlen(text);

    return length == t->length && memcmp(t->text, text, length) == 0;
}
/* Returns true if @t, which may be NULL, is the mark or the name @mark, and not a string or a number. */
static inline bool is_mark(const struct code_token *t, const char *mark)
{
    return t != NULL && (t->kind == TOKEN_MARK || t->kind == TOKEN_NAME) && code_token_is(t, mark);
}
/* Returns true if @c may be part of a name. */
bool code_is_word(char c);
/* Reads the number at @text, as C, Rust and assemblers write it.  Returns the characters used, 0 if there is none. */
size_t code_number(const char *text, size_t length, uint64_t *value, uint8_t *width);

/*
 * Expands the macros, repetitions and conditions of the GNU assembler in @in (expand.c).  Returns false if there are
 * none.  Free @out->lines and, after what was made of them, *@store.
 */
bool code_expand(const struct text *in, struct text *out, char **store);

/* ---------------------------------------------------------------------------------------------------------------
 * Values (value.c).
 */

struct code_value code_known(uint64_t bits);
struct code_value code_unknown(void);
static inline bool code_is_known(const struct code_value *v)
{
    return v->known == UINT64_MAX;
}
/* Returns @a @operator @b.  @operator is a mark of C with one or two characters: '<' + '<' * 256. */
struct code_value code_operate(unsigned operator, struct code_value a, struct code_value b);
struct code_value code_not(struct code_value a);
/* Returns the low @width bits of @a. */
struct code_value code_cut(struct code_value a, unsigned width);
#define CODE_MARK2(a, b) ((unsigned)(a) | (unsigned)(b) << 8)

/* ---------------------------------------------------------------------------------------------------------------
 * Registers (names.c, constants.c).
 */

struct code_name {
    enum code_register reg;
    unsigned n;
    bool n_known;
    bool aarch32;
    bool pair;
    struct code_operands operands;
    uint64_t page; /* of a memory-mapped register: its address / 4 KB; 0: it is not known */
};

/* Finds a register by a name in any spelling.  Returns false if there is none. */
bool code_find_register(const char *text, size_t length, struct code_name *name);
/* Finds the register of these operands of MRC and the like. */
bool code_find_operands(const struct code_operands *operands, bool pair, struct code_name *name);
/* Finds the register at a physical address, or, if @pmu, at an offset of the PMU's frame. */
bool code_find_address(struct code_value address, bool pmu, struct code_name *name);
/* Finds a register in the name of a function, such as read_pmcr_el0.  *@write is 1 for writes, 0 reads, 2 unknown. */
bool code_find_in_function(const char *text, size_t length, struct code_name *name, unsigned *write);
/* Returns the offset of the half of PMCCNTR that a name means, "PMCCNTR_LO" or "PMCCNTRH"; 0: it means none. */
unsigned code_half_by_name(const char *text, size_t length);
/* Returns true if @address is known, or its offset from a base that is not, and is that of a half of PMCCNTR. */
bool code_is_half(const struct code_value *address);
/* Stores the value of a constant that kernels and firmware define. */
bool code_constant(const char *text, size_t length, uint64_t *value);

/* ---------------------------------------------------------------------------------------------------------------
 * The walk.
 */

/* Where a value is stored. */
enum code_where { WHERE_NOWHERE, WHERE_VARIABLE, WHERE_MEMORY, WHERE_REGISTER };

struct code_place {
    enum code_where where;
    uint64_t name;             /* of a variable: the hash of its path */
    struct code_value address; /* of memory */
    struct code_name reg;
    uint8_t width;
    const struct code_token *token;
    bool known_pmu; /* of memory: its name says that it is a PMU */
    bool pointed;   /* of a variable: a pointer points to it */
    uint8_t shift, bits; /* of a member of an object that is one value: which bits it is; no bits: it is all */
    uint64_t type;       /* of such an object or member: the hash of its type; 0: it is not known */
    uint64_t around[2];  /* of a member of another object: the object, and that of which the object is a member */
};

/* The result of an expression: a value, or a place that holds it. */
struct code_term {
    struct code_value value;
    struct code_place place;
};

/* A range of tokens. */
struct code_range {
    size_t from, to;
};

struct code_variable {
    uint64_t name;
    uint32_t frame;
    uint32_t alias_frame;
    struct code_range alias; /* an argument of a macro, unless it is empty: the tokens */
    struct code_value value;
    struct code_place place; /* a variable that is another name of a register */
    uint64_t class;          /* the hash of its type's name, if the text has methods of it; 0: none */
    struct code_range specials; /* the arguments of its type, if that is a template */
    uint8_t width;
};

#define CODE_PARAMETERS 8

/* How deep functions and macros may lie in each other, with the statements and expressions that they are in. */
enum { CODE_DEPTH = 96 };

/* A function or a macro of the text. */
struct code_definition {
    const struct code_token *name;
    uint64_t hash;
    bool again; /* another macro has the name, too */
    bool macro, with_parameters, used, called, busy, loose, constants, assembly;
    bool listed, entered;          /* it is an item of a list of functions; it was executed */
    bool reference;                /* it returns one: T& f() */
    bool ambiguous;                /* methods of several classes have the name */
    uint64_t qualified, class;     /* the hashes of the class with the name, and of the class; 0: it is no method */
    struct code_range body;
    struct code_range first;       /* of a constructor: the list before the body */
    struct code_range placeholders; /* the parameters of the template that it is */
    const struct code_token *parameters[CODE_PARAMETERS];
    uint8_t widths[CODE_PARAMETERS];
    unsigned parameter_count;
    uint8_t returns;
    uint16_t function; /* index of code.functions */
    uint32_t rank;
};

/* A member of a type whose objects are one value (layouts.c).  The row of .member 0 has the bits of all. */
struct code_field {
    uint64_t type, member;   /* the hashes of their names */
    uint64_t sub;            /* the type of the member; without a member, the type of which .type is another name */
    struct code_range first; /* the tokens of its first value */
    uint8_t shift, bits;
};

/* Registers that a function of assembly saved on the stack by one instruction. */
struct code_piece {
    uint16_t function;
    unsigned count;
    struct code_value values[32];
};

struct code_walk {
    struct reading *r;
    struct code *code;
    const struct code_lexed *lexed;
    const struct code_token *tokens;
    size_t count;
    struct code_definition *definitions;
    size_t definition_count, definition_room;
    uint32_t *index; /* of definitions by hash: position + 1 */
    size_t index_size;
    struct code_variable *variables;
    size_t variable_count, variable_room;
    struct code_field *fields;
    size_t field_count;
    uint32_t frame, next_frame;
    struct code_expansion {
        uint32_t frame, caller;
    } expansions[32]; /* the macros that are being expanded: what is no parameter is the caller's */
    unsigned expansion_count;
    uint16_t strangers; /* how many values that are not known have got a number: see .whose of values */
    unsigned depth; /* of functions, macros, statements and expressions: see CODE_DEPTH */
    uint64_t budget;
    uint16_t flags; /* of the next steps: CODE_IN_LOOP and the like */
    uint16_t function;
    size_t at, end;                /* the tokens that are being read */
    const struct code_token *site; /* the outermost macro that is being expanded: steps have its line; NULL: none */
    struct code_value last, result;
    bool returned;
    struct code_value registers[32];
    struct code_piece pieces[16]; /* the stack of the functions of assembly that are executed */
    unsigned piece_count;
    bool a32;
    uint8_t function_returns;
    bool function_reference;
    struct code_place place; /* to which the function that was called last returns a reference */
    uint64_t class, owner; /* of the function that is executed, or whose members are collected: with and without <> */
    struct code_range placeholders;      /* of the template that is collected */
    struct code_range specials;          /* the arguments of the template that is called */
    struct code_range own;               /* those of the class whose method is executed */
    unsigned level; /* the Exception level at which the code runs, as comments say; 0: they say none, or several */
    bool has_classes, has_operators, has_devices;
    bool has_halves; /* the text has the offsets of the cycle counter's halves, 0xF8 and 0xFC */
    bool has_frame; /* the text has offsets of the PMU's frame: whatever the base is called, they are the PMU's */
    struct code_definition *endings[16]; /* destructors that the end of a block calls */
    struct code_range ending_specials[16]; /* the arguments of their classes */
    unsigned ending_count;
};

/* Spends @work of the budget.  Returns false when it is used up. */
bool code_spend(struct code_walk *w, uint64_t work);
uint64_t code_hash(uint64_t hash, const char *text, size_t length);
#define CODE_HASH UINT64_C(0xcbf29ce484222325)
/* Returns the hash of the name that @t is. */
static inline uint64_t code_hash_of(const struct code_token *t)
{
    return code_hash(CODE_HASH, t->text, t->length);
}
/* Adds a step at @token; @line 0 means its line.  The result is valid until the next one. */
struct code_step *code_step_add(struct code_walk *w, enum code_act act, const struct code_token *token);
/* Adds the read of a register, and returns its value. */
struct code_value code_read_register(struct code_walk *w, const struct code_name *name, const struct code_token *token,
                                     unsigned width, uint16_t flags);
void code_write_register(struct code_walk *w, const struct code_name *name, const struct code_token *token,
                         struct code_value value, unsigned width, uint16_t flags);
/* Notes that the text has @fact in @line. */
void code_note(struct code_walk *w, enum code_fact fact, uint32_t line);

/* Gives a value of which nothing is known a number, by which its copies are found. */
void code_number_stranger(struct code_walk *w, struct code_value *v);
struct code_variable *code_find_variable(struct code_walk *w, uint64_t name);
struct code_variable *code_make_variable(struct code_walk *w, uint64_t name);
/* Finds or makes the variable of this frame, and none of a caller or a global one. */
struct code_variable *code_make_local(struct code_walk *w, uint64_t name);
/* Notes that names which frame @frame lacks are those of frame @caller, until .expansion_count is decremented. */
void code_push_expansion(struct code_walk *w, uint32_t frame, uint32_t caller);
/* Drops the variables from index @first on that frame @frame and later ones have: they are not needed any more. */
void code_drop_locals(struct code_walk *w, size_t first, uint32_t frame);
struct code_definition *code_find_definition(struct code_walk *w, const struct code_token *token);
/* Follows the argument that @token stands for in a macro.  Returns the token itself if it stands for none. */
const struct code_token *code_resolve(struct code_walk *w, const struct code_token *token);

/* expression.c */
struct code_term code_expression(struct code_walk *w); /* with commas */
struct code_term code_assignment(struct code_walk *w); /* without */
struct code_value code_value_of(struct code_walk *w, struct code_term *term);
void code_store(struct code_walk *w, struct code_place *place, struct code_value value);
/* Notes that @b was subtracted from @a, if both were read from registers. */
void code_note_difference(struct code_walk *w, const struct code_value *a, const struct code_value *b,
                          const struct code_token *token);
/* Evaluates the tokens of @range.  The place where the walk is stays. */
struct code_term code_evaluate(struct code_walk *w, struct code_range range);
/* Does the same for tokens of the text, while w->tokens may be those of an operand of an instruction. */
struct code_term code_evaluate_text(struct code_walk *w, struct code_range range);
bool code_at(struct code_walk *w, const char *mark);
bool code_take(struct code_walk *w, const char *mark);
/* Returns the index after the bracket that closes the one at @open. */
size_t code_skip_bracket(const struct code_walk *w, size_t open, size_t end);
bool code_is_type(const struct code_token *t, uint8_t *width);

/* The token at the cursor; at the end, a token of no text. */
const struct code_token *code_now(const struct code_walk *w);
struct code_term code_plain(struct code_value value);
struct code_term code_unary(struct code_walk *w);
/* methods.c: takes "uint64_t{3}", "std::uint64_t(3)" or, in a template, "T{3}".  Returns false if none is here. */
bool code_take_braced(struct code_walk *w, struct code_term *term);
/* Returns what the pointer @term points to.  @token is the mark that follows it. */
struct code_term code_dereference(struct code_walk *w, struct code_term term, const struct code_token *token);

/* zig.c: takes the ".*" of Zig that follows the pointer @term.  Returns false if none is at the cursor. */
bool code_take_pointer(struct code_walk *w, struct code_term *term);
/* Notes a count of 64 bits that loses its upper half, and one of 32 bits that pretends to have one. */
void code_note_width(struct code_walk *w, const struct code_value *value, unsigned width,
                     const struct code_token *token);
/* primary.c */
struct code_term code_primary(struct code_walk *w);
/* Returns true if the token is a name that says that it is a PMU. */
bool code_names_pmu(const struct code_token *t);

/* calls.c: a call of @name with arguments in @arguments. */
struct code_arguments {
    unsigned count;
    struct code_range ranges[16];
};
/* A call: the name, the tokens of its path and arguments, and the arguments. */
struct code_one_call {
    const struct code_token *name;
    struct code_range path;
    const struct code_arguments *arguments;
};
/* Returns the value of argument @i; it is unknown if there is none. */
struct code_value code_argument(struct code_walk *w, const struct code_one_call *call, unsigned i);
/* methods.c: each returns false if it does not know the call. */
bool code_do_constant(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
bool code_do_method(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
bool code_do_cortex_m(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
bool code_do_cmsis_pmu(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
struct code_term code_call(struct code_walk *w, const struct code_token *name, struct code_range path,
                           const struct code_arguments *arguments);
struct code_value code_follow(struct code_walk *w, struct code_definition *d, const struct code_arguments *arguments);

/* classes.c: methods, constructors, operators and templates. */
uint64_t code_qualified(uint64_t class, const char *name, size_t length);
struct code_definition *code_find_hash(struct code_walk *w, uint64_t hash);
/* Returns the hash of the class with the arguments of a template in @range, which may be empty. */
uint64_t code_class(const struct code_walk *w, const struct code_token *name, struct code_range range);
/* Does the same; where the text has no class that is written for these arguments, it is that of any arguments. */
uint64_t code_class_with(const struct code_walk *w, const struct code_token *name, struct code_range range);
/* Finds the function that a call means: the method of the class that its path names, or the function of the name. */
struct code_definition *code_find_called(struct code_walk *w, const struct code_one_call *call);
/* Notes that variable @v points to the function that the tokens from @from to @to name, if they name one. */
bool code_note_function(struct code_walk *w, struct code_variable *v, size_t from, size_t to);
/* Finds the function to which variable @name points; NULL if it points to none. */
struct code_definition *code_find_pointed(struct code_walk *w, uint64_t name);
/* Takes the arguments at the cursor, and calls the function to which @term, an item of a list, points: list[i](). */
struct code_term code_call_item(struct code_walk *w, const struct code_term *term, const struct code_token *last);
/* Calls the constructor of @class, and notes its destructor.  Returns false if the text has neither. */
bool code_construct(struct code_walk *w, uint64_t class, const struct code_arguments *arguments);
/* Calls the destructors that were noted after the first @count. */
void code_end_block(struct code_walk *w, unsigned count);
/* Finds the operator of the class of variable @name, such as "=" or, for a conversion, "". */
struct code_definition *code_find_operator(struct code_walk *w, uint64_t name, const char *text, size_t length);
/* guess.c: Returns true if @t, a name, has @word in any case of letters. */
bool code_name_has(const struct code_token *t, const char *word);

/* bind.c: Binds the parameters of @d to the arguments in a new frame, and returns that frame. */
uint32_t code_bind_parameters(struct code_walk *w, const struct code_definition *d,
                              const struct code_arguments *arguments);
/*
 * Binds the parameters of the template that @d is, or of that whose method it is, to the arguments in @specials, in the
 * new frame @frame, and computes the constants of its class that depend on them.
 */
void code_bind_template(struct code_walk *w, const struct code_definition *d, struct code_range specials,
                        uint32_t frame);
/* Executes the list of a constructor: name(value), name{value}. */
void code_do_first(struct code_walk *w, struct code_range list);
/* Splits the tokens from @from to @to at commas. */
void code_split_arguments(struct code_walk *w, size_t from, size_t to, struct code_arguments *arguments);

/* structures.c: notes the members of the structure between the braces. */
void code_take_structure(struct code_walk *w, size_t from, size_t to);
/* Finds the register that a member of a structure over the registers of a PMU is. */
bool code_find_device(struct code_walk *w, const struct code_token *member, struct code_name *name);
/* Finds the register that "DWT->CTRL" and the like name. */
bool code_find_member(const struct code_token *base, const struct code_token *member, struct code_name *name);
/* Stores the position of @member in its structure, from 0. */
bool code_find_order(struct code_walk *w, const struct code_token *member, uint64_t *n);

/* layouts.c: takes the types whose objects are one value. */
void code_take_layouts(struct code_walk *w);
/* Returns true if the objects of the type with hash @type are one value. */
bool code_has_layout(const struct code_walk *w, uint64_t type);
/* Makes the member @field of the object @term.  Returns false if the object is no single value. */
bool code_narrow(struct code_walk *w, struct code_term *term, const struct code_token *field);
/* Returns @whole with @value in the bits of @place. */
struct code_value code_insert(struct code_value whole, const struct code_place *place, struct code_value value);
/* Takes "{ .e = 1, .lc = 1 }" at the cursor: the value of an object of @type. */
struct code_value code_literal(struct code_walk *w, uint64_t type);
/* Returns the hash of the type with a layout at token @at, if a "{" follows; 0 otherwise. */
uint64_t code_type_before_brace(struct code_walk *w, size_t at);
/* Returns the hash of the type of the parameter whose name is @name, if it has a layout; 0 otherwise. */
uint64_t code_type_of_parameter(const struct code_walk *w, const struct code_token *name);
/* Gives objects of the caller whose addresses were passed to @d, f(&cr), the values that @d has left. */
void code_return_objects(struct code_walk *w, const struct code_definition *d, const struct code_arguments *arguments,
                         uint32_t caller);
/* Forgets the member that holds all of an object, by its name, when another one, @place, is written. */
void code_forget_whole(struct code_walk *w, const struct code_place *place);

/* collect.c: makes constants of the members of an enumeration between @from and @to. */
void code_take_enum(struct code_walk *w, size_t from, size_t to);
/*
 * zig.c: collects "const Name = struct { ... }" at @at: its functions, or the members of an enumeration.  Returns the
 * index after it, 0 if there is none.
 */
size_t code_take_container(struct code_walk *w, size_t at, size_t to);
/* Evaluates a builtin function at the cursor, an "@". */
struct code_term code_builtin(struct code_walk *w);
enum { CODE_DEFERRED = 8 }; /* the most statements that a block defers */
/* Takes "defer f();", which the end of the block executes.  Returns the index after it, 0 if there is none. */
size_t code_take_deferred(struct code_walk *w, size_t at, size_t to, struct code_range list[CODE_DEFERRED],
                          unsigned *count);
/* Finds the names between the bars of "for (list, 0..) |item, i|", with the first bar at @close. */
bool code_find_captures(const struct code_walk *w, size_t close, size_t to, struct code_range *names);

/* level.c: stores the level of which the comments speak in w->level, if they speak of one alone. */
void code_find_level(struct code_walk *w);
/* Answers current_el() and the like, where the level is known.  Returns false if the call is none of these. */
bool code_do_level(struct code_walk *w, const struct code_one_call *call, struct code_value *result);

/* ada.c: executes a text in Ada. */
void code_run_ada(struct code_walk *w);

/* tables.c: notes the numbers to which the text gives names. */
void code_read_numbers(struct code_walk *w);

/* guess.c: calls of functions that the text does not have, whose names tell what they do. */
bool code_do_named(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
bool code_do_generic(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
bool code_do_guessed(struct code_walk *w, const struct code_one_call *call, struct code_value *result);
void code_do_unknown(struct code_walk *w, const struct code_one_call *call);

/* inline.c: asm at the keyword, tokens w->at. */
struct code_value code_inline(struct code_walk *w);

/* assembly.c */
struct code_operand {
    char name[32];
    struct code_value value;
    struct code_place place;
    bool output, written, result; /* .result: it is the value of the statement, as in Zig */
    bool constant; /* the constraint is "i" or "n", or Rust's const: the template has its number */
    const char *modifier;
};
struct code_operands_list {
    struct code_operand list[16];
    unsigned count, next;
    bool rust;
    bool not_volatile;
};
/* An instruction, cut into its operands. */
struct code_instruction {
    struct code_walk *w;
    const struct code_token *token;
    struct code_operands_list *list;
    char name[12];
    unsigned count;
    struct code_part {
        const char *text;
        size_t length;
    } operands[8];
};

/* operands.c: the value of operand @n; *@word says that it is a W register. */
struct code_value code_read_operand(struct code_instruction *i, unsigned n, bool *word);
void code_write_operand(struct code_instruction *i, unsigned n, struct code_value value);
/* Evaluates a constant expression of the assembler: #(1 << 31), =0x80000000. */
struct code_value code_operand_constant(const struct code_instruction *i, const char *text, size_t length);
/* multiple.c: loads or stores several registers.  Returns false if the instruction does something else. */
bool code_do_multiple(struct code_instruction *i);
/* opcodes.c: executes the instruction that ".inst 0xd53b9d00" and the like give as a number.  Returns false if none. */
bool code_do_opcode(struct code_instruction *i);
/* assembly.c: executes the instruction @text, which stands for @from. */
void code_execute_made(const struct code_instruction *from, const char *text);
/* go_assembly.c: gives the operands the order of the other assemblers, and moves from and to memory their names. */
void code_turn_go(struct code_instruction *i);
/* Executes the instructions in @text, which may be several.  @token is where they are.  @operands may be NULL. */
void code_execute(struct code_walk *w, const char *text, size_t length, const struct code_token *token,
                  struct code_operands_list *operands);

/* functions.c: each take function returns the index after what it takes at @at, 0 if there is none. */
struct code_definition *code_add_definition(struct code_walk *w, const struct code_token *name);
uint16_t code_add_function(struct code_walk *w, const struct code_token *name, bool is_function);
size_t code_take_define(struct code_walk *w, size_t at);
size_t code_take_function(struct code_walk *w, size_t from, size_t to);
size_t code_take_assembly(struct code_walk *w, size_t at, size_t to);
/* assembly.c: gives the symbol of .equ, .set or .equiv its value, if line @t is one of them. */
void code_take_symbol(struct code_walk *w, const struct code_token *t);

/* items.c: the items of an array over which a loop runs, and the names that they get. */
struct code_items {
    uint64_t array; /* the hash of the array's name */
    uint64_t count; /* 0: it is not known */
    uint64_t index; /* the hash of the name that has the number of the item; 0: none has it */
    uint64_t item;  /* the hash of the item's name; 0: it has none */
};
enum { CODE_ITEMS = 32 }; /* the most items of an array that are counted */
/* Returns how many items the array @array has, at most CODE_ITEMS; 0 if that is not known. */
uint64_t code_count_items(struct code_walk *w, uint64_t array);
/* Finds the items of "for @names in @list" or "for (@names : @list)". */
void code_find_items(struct code_walk *w, struct code_range names, struct code_range list, struct code_items *items);
/* zig.c: does the same for "for (@list) |@names|". */
void code_find_captured(struct code_walk *w, struct code_range names, struct code_range list, struct code_items *items);
/* Gives the names of @items the values of item @n; UINT64_MAX: none is known. */
void code_bind_item(struct code_walk *w, const struct code_items *items, uint64_t n);
/* Takes "sizeof a / sizeof a[0]" at the cursor.  Returns false if the number of a's items is not known. */
bool code_take_count(struct code_walk *w, uint64_t *count);
/* Skips sizeof and its operand, which is not executed.  Returns false if there is none at the cursor. */
bool code_skip_size(struct code_walk *w);
/* Computes ARRAY_SIZE(a), std::size(a), a.size() and a.len().  Returns false if the call is none, or a is not known. */
bool code_do_count(struct code_walk *w, const struct code_one_call *call, struct code_value *result);

/* branches.c: returns the end of the simple statement at @from: the index of its ";", or of what ends it otherwise. */
size_t code_statement_end(const struct code_walk *w, size_t from, size_t to);
/* Returns the index after the statement at @from, which may be a block or have one. */
size_t code_skip_statement(const struct code_walk *w, size_t from, size_t to);
/* Returns true if the statements from @from to @to end by "return", "goto", "break" or "continue". */
bool code_leaves(const struct code_walk *w, size_t from, size_t to);
/* Returns the values of all variables, to free(). */
struct code_value *code_save_values(const struct code_walk *w);
/* Joins the values of the first @count variables with @others, where another branch of the code was taken. */
void code_join_values(struct code_walk *w, const struct code_value *others, size_t count);
/* Exchanges the values of the first @count variables and @others. */
void code_exchange_values(struct code_walk *w, struct code_value *others, size_t count);

/* walk.c */
void code_statements(struct code_walk *w, size_t from, size_t to);
/* declarations.c: executes the simple statement of the tokens w->at to w->end. */
void code_simple_statement(struct code_walk *w);
void code_collect(struct code_walk *w);
void code_run(struct code_walk *w);

/* perf.c */
void code_read_perf(struct code_walk *w);
void code_perf_free(struct code_perf *perf);
/** Returns true if @word stands somewhere in @t. */
bool code_token_has(const struct code_token *t, const char *word);
static inline bool has(const struct code_token *t, const char *word)
{
    return code_token_has(t, word);
}
/** language.c: Returns true if the text is Go, which has no semicolons. */
bool code_is_go(const struct code_walk *w);
/** Counts the elements of the longest list of numbers or names of events. */
unsigned code_perf_longest_list(const struct code_walk *w);
/** Returns the line of the first direct read of a counter among the steps, 0 if there is none. */
uint32_t code_perf_direct_read(const struct code *c);
/** names.c: Returns true if the tokens of the range name the PMU. */
bool code_range_names_pmu(const struct code_walk *w, struct code_range range);

#endif
