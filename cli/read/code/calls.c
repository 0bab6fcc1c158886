/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls: of functions and macros of the text, and of those that kernels, firmware and compilers define. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

enum known_call {
    CALL_READ,
    CALL_WRITE,
    CALL_CHANGE,
    CALL_COPROC,
    CALL_LOAD,
    CALL_STORE,
    CALL_PERCPU,
    CALL_WAIT,
    CALL_FACT,
    CALL_ISB,
    CALL_DSB,
    CALL_IDLE
};
enum percpu { EACH, ONE, HANDLER, THREAD };

#define NONE 9 /* no such argument */

static const struct call_row {
    const char *name;
    uint8_t kind, a, b, c;
    uint8_t coproc[5];
} rows[] = {
#define READ(name, argument)               {name, CALL_READ, argument, 0, 0, {0}},
#define WRITE(name, reg, value)            {name, CALL_WRITE, reg, value, 0, {0}},
#define CHANGE(name, reg, clear, set)      {name, CALL_CHANGE, reg, clear, set, {0}},
#define COPROC(name, write, value, ...)    {name, CALL_COPROC, write, value, 0, __VA_ARGS__},
#define LOAD(name, address, width)         {name, CALL_LOAD, address, width, 0, {0}},
#define STORE(name, address, value, width) {name, CALL_STORE, address, value, width, {0}},
#define PERCPU(name, function, kind)       {name, CALL_PERCPU, function, kind, 0, {0}},
#define WAIT(name)                         {name, CALL_WAIT, 0, 0, 0, {0}},
#define FACT(name, fact)                   {name, CALL_FACT, CODE_HAS_##fact, 0, 0, {0}},
#define ISB(name)                          {name, CALL_ISB, 0, 0, 0, {0}},
#define DSB(name)                          {name, CALL_DSB, 0, 0, 0, {0}},
#define IDLE(name)                         {name, CALL_IDLE, 0, 0, 0, {0}},
#include "calls.def"
};

static const struct call_row *find_row(const struct code_token *name, const struct call_row *after)
{
    const struct call_row *end = rows + sizeof rows / sizeof rows[0];

    for (const struct call_row *row = after == NULL ? rows : after + 1; row < end; row++) {
        if (row->name[0] == name->text[0] && code_token_is(name, row->name)) {
            return row;
        }
    }
    return NULL;
}

struct code_value code_argument(struct code_walk *w, const struct code_one_call *call, unsigned i)
{
    struct code_term term;

    if (i >= call->arguments->count) {
        return code_unknown();
    }
    term = code_evaluate(w, call->arguments->ranges[i]);
    return code_value_of(w, &term);
}

/* Returns the token that names argument @i, after macros' arguments were followed; NULL if it is none. */
static const struct code_token *argument_token(struct code_walk *w, const struct code_one_call *call, unsigned i)
{
    const struct code_token *t;

    if (i >= call->arguments->count) {
        return NULL;
    }
    t = &w->tokens[call->arguments->ranges[i].from];
    for (size_t k = call->arguments->ranges[i].from; k < call->arguments->ranges[i].to; k++) {
        if (w->tokens[k].kind == TOKEN_NAME || w->tokens[k].kind == TOKEN_STRING) {
            t = &w->tokens[k]; /* the last of "sys::PMCR_EL0" */
            if (k + 1 < call->arguments->ranges[i].to && code_token_is(&w->tokens[k + 1], "(")) {
                break;
            }
        }
    }
    return code_resolve(w, t);
}

/* Finds the register that argument @i names: pmcr_el0, "pmcr_el0", SYS_PMEVCNTRn_EL0(i), p15-style macros. */
static bool argument_register(struct code_walk *w, const struct code_one_call *call, unsigned i, struct code_name *name)
{
    const struct code_token *t = argument_token(w, call, i);
    struct code_definition *d;
    struct code_range range;

    if (t == NULL) {
        return false;
    }
    d = code_find_definition(w, t); /* #define PMCCNTR S3_3_C9_C13_0, or sys_reg(3, 3, 9, 13, 0) */
    if ((d == NULL || !d->macro) && code_find_register(t->text, t->length, name)) {
        range = call->arguments->ranges[i];
        if (!name->n_known && range.to > range.from + 2 && code_token_is(&w->tokens[range.from + 1], "(")) {
            struct code_term term = code_evaluate(w, (struct code_range){range.from + 2, range.to - 1});

            name->n_known = code_is_known(&term.value);
            name->n = (unsigned)(term.value.bits & 31);
        }
        return true;
    }
    if (d != NULL && d->macro && d->body.to > d->body.from) {
        const struct code_token *first = &w->lexed->tokens[d->body.from];

        if (code_find_register(first->text, first->length, name)) {
            return true;
        }
        if (w->tokens != w->lexed->tokens) {
            return false;
        }
        t = first;
        range = d->body;
    } else {
        range = call->arguments->ranges[i];
        t = &w->tokens[range.from];
    }
    if ((code_token_is(t, "sys_reg") || code_token_is(t, "ARM64_SYSREG") || code_token_is(t, "SYS_REG")) &&
        range.to >= range.from + 12) {
        uint64_t v[5] = {0};
        uint8_t width;
        char generic[32];

        for (unsigned k = 0; k < 5; k++) {
            const struct code_token *number = &w->tokens[range.from + 2 + 2 * k];

            code_number(number->text, number->length, &v[k], &width);
        }
        snprintf(generic, sizeof generic, "S%u_%u_C%u_C%u_%u", (unsigned)v[0] & 7, (unsigned)v[1] & 7,
                 (unsigned)v[2] & 31, (unsigned)v[3] & 31, (unsigned)v[4] & 7);
        return code_find_register(generic, strlen(generic), name);
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Functions and macros of the text.
 */

/* Returns true if the function ends in an instruction: it returns r0 or x0. */
static bool is_assembly_body(const struct code_walk *w, const struct code_definition *d)
{
    return !d->macro && d->body.to > d->body.from && w->lexed->tokens[d->body.to - 1].kind == TOKEN_ASSEMBLY;
}

/* Returns true if the body of a macro is an expression, and no statement. */
static bool is_expression(const struct code_walk *w, const struct code_definition *d)
{
    if (d->body.to <= d->body.from) {
        return false;
    }
    for (size_t i = d->body.from; i < d->body.to; i++) {
        const struct code_token *t = &w->lexed->tokens[i];

        if (t->kind == TOKEN_ASSEMBLY || is_mark(t, ";") || is_mark(t, "do") || is_mark(t, "if") ||
            is_mark(t, "while") || is_mark(t, "{") || is_mark(t, "asm") || is_mark(t, "__asm__") ||
            is_mark(t, "__asm")) {
            return false;
        }
    }
    return is_mark(&w->lexed->tokens[d->body.from], "(") || is_mark(&w->lexed->tokens[d->body.from], "*");
}

/* Evaluates a macro that is an expression: it may be the place of a register. */
static struct code_term follow_expression(struct code_walk *w, struct code_definition *d,
                                          const struct code_arguments *arguments)
{
    const uint32_t caller = w->frame;
    struct code_term term = code_plain(code_unknown());

    if (d->busy || w->depth > CODE_DEPTH) {
        return term;
    }
    w->frame = code_bind_parameters(w, d, arguments);
    code_push_expansion(w, w->frame, caller);
    d->busy = true;
    w->depth++;
    term = code_evaluate_text(w, d->body);
    if (term.place.where == WHERE_VARIABLE) {
        code_value_of(w, &term);
        term.place.where = WHERE_NOWHERE;
    }
    w->depth--;
    d->busy = false;
    w->frame = caller;
    w->expansion_count--;
    return term;
}

/* Begins function @d, whose parameters are bound. */
static void enter(struct code_walk *w, const struct code_definition *d)
{
    w->function = d->function;
    w->function_returns = d->returns;
    w->function_reference = d->reference;
    w->place.where = WHERE_NOWHERE;
    w->flags |= w->code->functions[d->function].handler ? CODE_HANDLER : 0;
    w->code->functions[d->function].called |= w->depth > 1;
    code_step_add(w, CODE_ENTER, d->name);
}

struct code_value code_follow(struct code_walk *w, struct code_definition *d, const struct code_arguments *arguments)
{
    const uint32_t caller = w->frame;
    const uint16_t function = w->function, flags = w->flags;
    const uint8_t returns = w->function_returns;
    const bool returned = w->returned, reference = w->function_reference;
    const size_t at = w->at, end = w->end, variables = w->variable_count;
    const uint64_t class = w->class;
    const struct code_range own = w->own;
    const bool inner = w->specials.to == w->specials.from && d->class != 0 && d->class == class; /* of one object */
    const struct code_range specials = inner ? own : w->specials;
    const unsigned endings = w->ending_count;
    struct code_value result;
    uint32_t frame;

    if (d->busy || w->depth > CODE_DEPTH) {
        return code_unknown();
    }
    frame = code_bind_parameters(w, d, arguments);
    code_bind_template(w, d, specials, frame);
    w->specials = (struct code_range){0, 0};
    w->own = d->macro ? own : specials;
    w->frame = frame;
    code_push_expansion(w, frame, d->macro ? caller : frame);
    d->busy = d->entered = true;
    w->depth++;
    w->class = d->macro ? class : d->class;
    if (!d->macro) {
        enter(w, d);
    }
    w->returned = false;
    w->last = w->result = code_unknown();
    code_do_first(w, d->first);
    code_statements(w, d->body.from, d->body.to);
    result = w->returned || !d->macro ? (w->returned ? w->result : w->last) : w->last;
    if (!w->returned && is_assembly_body(w, d)) {
        result = w->registers[0];
    }
    code_end_block(w, endings);
    code_return_objects(w, d, arguments, caller);
    w->class = class;
    w->own = own;
    if (!d->macro) {
        code_step_add(w, CODE_LEAVE, d->name);
    }
    w->depth--;
    d->busy = false;
    w->frame = caller;
    w->expansion_count--;
    w->function = function;
    w->function_returns = returns;
    w->function_reference = reference;
    w->flags = flags;
    w->returned = returned;
    w->at = at;
    w->end = end;
    code_drop_locals(w, variables, frame);
    return result;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Rows.
 */

static bool do_register(struct code_walk *w, const struct call_row *row, const struct code_one_call *call,
                        struct code_value *result)
{
    struct code_name name;
    struct code_value value;

    unsigned value_at = row->b;

    if (!argument_register(w, call, row->a, &name)) {
        if (row->kind != CALL_WRITE || !argument_register(w, call, row->b, &name)) {
            return false;
        }
        value_at = row->a;
    }
    if (row->kind == CALL_READ) {
        const bool half = code_token_is(call->name, "__arm_rsr") || code_token_is(call->name, "__builtin_arm_rsr");

        *result = code_read_register(w, &name, call->name, name.aarch32 || half ? 32 : 64, name.aarch32 ? CODE_A32 : 0);
        return true;
    }
    if (row->kind == CALL_WRITE) {
        code_write_register(w, &name, call->name, code_argument(w, call, value_at), name.aarch32 ? 32 : 64,
                            name.aarch32 ? CODE_A32 : 0);
        return true;
    }
    value = code_read_register(w, &name, call->name, 64, CODE_CLEAR_SET);
    if (row->b != NONE) {
        value = code_operate('&', value, code_not(code_argument(w, call, row->b)));
    }
    if (row->c != NONE) {
        value = code_operate('|', value, code_argument(w, call, row->c));
    }
    code_write_register(w, &name, call->name, value, 64, CODE_CLEAR_SET);
    return true;
}

/* Reads c9 or 9. */
static uint8_t coproc_number(struct code_walk *w, const struct code_one_call *call, unsigned i)
{
    const struct code_token *t = i < call->arguments->count ? &w->tokens[call->arguments->ranges[i].from] : NULL;
    struct code_value v;
    uint64_t number;
    uint8_t width;

    if (t == NULL) {
        return 255;
    }
    t = code_resolve(w, t);
    if (t->kind == TOKEN_NAME && (t->text[0] | 0x20) == 'c' && t->length > 1 &&
        code_number(t->text + 1, t->length - 1, &number, &width) != 0) {
        return (uint8_t)number;
    }
    if (t->kind == TOKEN_NAME && (t->text[0] | 0x20) == 'p' && t->length > 1 &&
        code_number(t->text + 1, t->length - 1, &number, &width) != 0) {
        return (uint8_t)number;
    }
    v = code_argument(w, call, i);
    return code_is_known(&v) ? (uint8_t)v.bits : 255;
}

static bool do_coproc(struct code_walk *w, const struct call_row *row, const struct code_one_call *call,
                      struct code_value *result)
{
    static const uint8_t returns[5] = {0, 1, 2, 3, 4}; /* IAR's __MRC() has no argument for the value */
    const bool five = row->a == 0 && call->arguments->count == 5;
    const uint8_t *at = five ? returns : row->coproc;
    struct code_operands o = {.given = true};
    struct code_name name;

    o.coproc = coproc_number(w, call, at[0]);
    o.opc1 = coproc_number(w, call, at[1]);
    o.crn = coproc_number(w, call, at[2]);
    o.crm = coproc_number(w, call, at[3]);
    o.opc2 = coproc_number(w, call, at[4]);
    if (o.coproc > 15 || o.crn > 15 || !code_find_operands(&o, false, &name)) {
        return false;
    }
    if (row->a != 0) {
        code_write_register(w, &name, call->name, code_argument(w, call, row->b), 32, CODE_A32);
    } else {
        *result = code_read_register(w, &name, call->name, 32, CODE_A32);
        if (!five && row->b != NONE && row->b < call->arguments->count) { /* __get_CP() stores into an argument */
            struct code_term term = code_evaluate(w, call->arguments->ranges[row->b]);

            code_store(w, &term.place, *result);
        }
    }
    return true;
}

/* Returns true if the call is a method of a pointer, p.write_volatile(v): the object is the address. */
static bool is_pointed(const struct code_walk *w, const struct call_row *row, const struct code_one_call *call)
{
    const size_t at = (size_t)(call->name - w->tokens);

    return at > call->path.from + 1 && code_token_is(call->name - 1, ".") &&
           call->arguments->count == (row->kind == CALL_STORE ? 1 : 0);
}

static bool do_memory(struct code_walk *w, const struct call_row *row, const struct code_one_call *call,
                      struct code_value *result)
{
    const bool method = is_pointed(w, row, call);
    const unsigned a = row->a, b = method ? 0 : row->b;
    struct code_range place = {0, 0};
    struct code_value address = code_unknown();
    struct code_name name;

    if (method) {
        place = (struct code_range){call->path.from, (size_t)(call->name - w->tokens) - 1};
    } else if (a < call->arguments->count) {
        place = call->arguments->ranges[a];
    }
    if (place.to > place.from) {
        struct code_term term = code_evaluate(w, place);

        address = code_value_of(w, &term);
    }
    const bool pmu = code_range_names_pmu(w, place) || (w->has_halves && code_is_half(&address));

    if (!code_find_address(address, pmu, &name)) {
        if (row->kind == CALL_STORE) {
            code_argument(w, call, b);
        }
        return true;
    }
    if (row->kind == CALL_LOAD) {
        *result = code_read_register(w, &name, call->name, row->b, CODE_MEMORY);
    } else {
        code_write_register(w, &name, call->name, code_argument(w, call, b), row->c, CODE_MEMORY);
    }
    return true;
}

static bool do_percpu(struct code_walk *w, const struct call_row *row, const struct code_one_call *call)
{
    const struct code_token *t = argument_token(w, call, row->a);
    struct code_definition *d = t != NULL ? code_find_definition(w, t) : NULL;
    const struct code_arguments none = {0};
    const uint16_t flags = w->flags;

    if (row->b == EACH) {
        code_note(w, CODE_HAS_EACH_CPU, call->name->line);
    }
    if (row->b == THREAD) {
        code_note(w, CODE_HAS_THREADS, call->name->line);
    }
    if (d == NULL || d->macro) {
        if (row->b == EACH) {
            code_note(w, CODE_HAS_EACH_OTHER, call->name->line);
        }
        return true;
    }
    w->code->functions[d->function].per_cpu |= row->b == EACH;
    w->code->functions[d->function].one_cpu |= row->b == ONE;
    w->code->functions[d->function].handler |= row->b == HANDLER;
    if (row->b == HANDLER) {
        code_note(w, CODE_HAS_INTERRUPT, call->name->line);
        return true;
    }
    w->flags |= row->b == EACH ? CODE_PER_CPU : 0;
    code_follow(w, d, &none);
    w->flags = flags;
    return true;
}

static bool do_row(struct code_walk *w, const struct call_row *row, const struct code_one_call *call,
                   struct code_value *result)
{
    switch ((enum known_call)row->kind) {
    case CALL_READ:
    case CALL_WRITE:
    case CALL_CHANGE:
        return do_register(w, row, call, result);
    case CALL_COPROC:
        return do_coproc(w, row, call, result);
    case CALL_LOAD:
    case CALL_STORE:
        return do_memory(w, row, call, result);
    case CALL_PERCPU:
        return do_percpu(w, row, call);
    case CALL_WAIT:
        for (unsigned i = 0; i < call->arguments->count; i++) {
            code_argument(w, call, i);
        }
        code_step_add(w, CODE_DELAY, call->name);
        return true;
    case CALL_FACT:
        code_note(w, (enum code_fact)row->a, call->name->line);
        return false;
    case CALL_ISB:
        code_step_add(w, CODE_ISB, call->name);
        return true;
    case CALL_IDLE:
        code_step_add(w, CODE_WFI, call->name);
        return true;
    default:
        code_step_add(w, CODE_DSB, call->name);
        return true;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Any call.
 */

static bool do_rows(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    for (const struct call_row *row = find_row(call->name, NULL); row != NULL; row = find_row(call->name, row)) {
        if (do_row(w, row, call, result)) {
            return true;
        }
    }
    return false;
}

/* Returns true if a step from @steps on does more than to enter and to leave a function. */
static bool did_something(const struct code *c, size_t steps)
{
    for (size_t i = steps; i < c->step_count; i++) {
        if (c->steps[i].act != CODE_ENTER && c->steps[i].act != CODE_LEAVE) {
            return true;
        }
    }
    return false;
}

struct code_term code_call(struct code_walk *w, const struct code_token *name, struct code_range path,
                           const struct code_arguments *arguments)
{
    const struct code_one_call call = {name, path, arguments};
    struct code_term term = {.value = code_unknown()};
    struct code_definition *d;

    if (!code_spend(w, 4)) {
        return term;
    }
    if (code_token_is(name, "asm") || code_token_is(name, "global_asm") || code_token_is(name, "__asm__") ||
        code_token_is(name, "llvm_asm")) {
        const size_t at = w->at, end = w->end;

        w->at = (size_t)(name - w->tokens);
        term.value = code_inline(w);
        w->at = at;
        w->end = end;
        return term;
    }
    d = code_find_called(w, &call);
    if (d != NULL && d->macro && d->with_parameters && w->tokens == w->lexed->tokens && is_expression(w, d)) {
        term = follow_expression(w, d, arguments);
        term.place.token = name;
        return term;
    }
    if (d != NULL && (!d->macro || d->with_parameters) && w->tokens == w->lexed->tokens) {
        const size_t steps = w->code->step_count;
        const struct code_token *site = w->site;

        w->site = d->macro ? (site != NULL ? site : name) : NULL;
        term.value = code_follow(w, d, arguments);
        w->site = site;
        if (d->reference && w->place.where != WHERE_NOWHERE) {
            term.place = w->place;
            term.place.token = name;
            return term;
        }
        if (did_something(w->code, steps)) {
            return term;
        }
        if (!d->macro && !code_do_named(w, &call, &term.value) && !code_is_known(&term.value)) {
            code_step_add(w, CODE_WORK, name);
        }
        return term;
    }
    if (code_do_constant(w, &call, &term.value) || code_do_level(w, &call, &term.value) ||
        code_do_count(w, &call, &term.value) || do_rows(w, &call, &term.value) ||
        code_do_method(w, &call, &term.value) || code_do_cortex_m(w, &call, &term.value) ||
        code_do_cmsis_pmu(w, &call, &term.value) || code_do_named(w, &call, &term.value) ||
        code_do_generic(w, &call, &term.value) || code_do_guessed(w, &call, &term.value)) {
        return term;
    }
    w->specials = (struct code_range){0, 0};
    code_do_unknown(w, &call);
    return term;
}
