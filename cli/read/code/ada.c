/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads Ada: its objects, assignments, and Asm of System.Machine_Code in the order in which subprograms call one
 * another.
 *
 * A name is the same object in all subprograms.  A subprogram's own objects are unknown, or have their first value,
 * each time that it is called.  The result of a function is the value of its name.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

enum { SUBPROGRAMS = 64, DEPTH = 12, LISTS = 1 << 14 };

struct subprogram {
    const struct code_token *name;
    size_t declared; /* the token after the name */
    size_t from, to; /* the tokens from "begin" to "end" */
    bool called;
};

struct ada {
    struct code_walk *w;
    struct subprogram list[SUBPROGRAMS];
    unsigned count;
    const struct code_token *running; /* the name of the subprogram that is executed; NULL: none is */
    uint32_t *last;   /* by hash of a name: index + 1 of the last "end" that stands before such a name; 0: none */
    uint32_t *before; /* by index of an "end": index + 1 of the one before it in the same list; 0: none */
};

static bool is_word(const struct code_token *t, const char *word)
{
    return t->kind == TOKEN_NAME && (t->text[0] | 0x20) == (word[0] | 0x20) && t->length == strlen(word) &&
           strncasecmp(t->text, word, t->length) == 0;
}

static bool same_name(const struct code_token *a, const struct code_token *b)
{
    return a->kind == TOKEN_NAME && a->length == b->length && (a->text[0] | 0x20) == (b->text[0] | 0x20) &&
           strncasecmp(a->text, b->text, a->length) == 0;
}

/* Returns true if ":=" stands at @at. */
static bool is_assigned(const struct code_walk *w, size_t at)
{
    return at + 1 < w->count && is_mark(&w->tokens[at], ":") && is_mark(&w->tokens[at + 1], "=");
}

/* Returns the index of the next ";" from @at on, at most @to.  Those within brackets are passed over. */
static size_t end_of_statement(const struct code_walk *w, size_t at, size_t to)
{
    while (at < to && !is_mark(&w->tokens[at], ";")) {
        at = is_mark(&w->tokens[at], "(") ? code_skip_bracket(w, at, to) : at + 1;
    }
    return at;
}

static struct code_variable *object_of(struct code_walk *w, const struct code_token *name)
{
    return code_make_variable(w, code_hash(CODE_HASH, name->text, name->length));
}

static struct code_value evaluate(struct code_walk *w, size_t from, size_t to)
{
    struct code_term term = code_evaluate(w, (struct code_range){from, to});

    return code_value_of(w, &term);
}

/* Takes the object that "Name : Type := value;" at @at declares.  Returns false if it has no first value. */
static bool take_object(struct code_walk *w, size_t at)
{
    size_t i = at + 1;
    struct code_value value;

    if (i + 4 >= w->count || !is_mark(&w->tokens[i], ":") || is_assigned(w, i)) {
        return false;
    }
    while (i + 2 < w->count && i < at + 12 && !is_assigned(w, i) && !is_mark(&w->tokens[i], ";")) {
        i++;
    }
    if (!is_assigned(w, i)) {
        return false;
    }
    value = evaluate(w, i + 2, end_of_statement(w, i + 2, w->count));
    object_of(w, &w->tokens[at])->value = value;
    return true;
}

/* Makes the objects between @from and @to new: those without a first value are unknown. */
static void renew_objects(struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i + 2 < to; i++) {
        if (w->tokens[i].kind == TOKEN_NAME && is_mark(&w->tokens[i + 1], ":") && !is_assigned(w, i + 1) &&
            !take_object(w, i)) {
            object_of(w, &w->tokens[i])->value = code_unknown();
        }
    }
}

/* Takes T'Asm_Input ("r", value) and T'Asm_Output ("=r", name) between @from and @to. */
static void take_operands(struct code_walk *w, struct code_operands_list *list, size_t from, size_t to, bool output)
{
    for (size_t i = from; i + 3 < to; i++) {
        const bool is = is_word(&w->tokens[i], output ? "Asm_Output" : "Asm_Input");

        if (is && is_mark(&w->tokens[i + 1], "(") && list->count < 16) {
            const size_t after = code_skip_bracket(w, i + 1, to);
            struct code_operand *o = &list->list[list->count++];
            struct code_term term = code_evaluate(w, (struct code_range){i + 4, after - 1});

            memset(o, 0, sizeof *o);
            o->output = output;
            o->place = term.place;
            o->value = output ? code_unknown() : code_value_of(w, &term);
            i = after - 1;
        }
    }
}

/* Executes Asm ("...", Outputs => ..., Inputs => ..., Volatile => True) with "(" at @open. */
static void do_asm(struct code_walk *w, size_t open)
{
    const size_t to = code_skip_bracket(w, open, w->count);
    struct code_operands_list list = {.count = 0};
    const uint16_t flags = w->flags;
    bool is_volatile = false;
    size_t piece = open + 1;

    for (size_t i = open; i + 2 < to; i++) {
        is_volatile |= is_word(&w->tokens[i], "Volatile") && is_word(&w->tokens[i + 2], "True");
    }
    take_operands(w, &list, open, to, true);
    list.not_volatile = !is_volatile && list.count != 0;
    take_operands(w, &list, open, to, false);
    w->flags |= CODE_INLINE | (list.not_volatile ? CODE_NOT_VOLATILE : 0);
    for (; piece < to && !is_mark(&w->tokens[piece], ","); piece++) {
        const struct code_token *t = &w->tokens[piece];

        for (size_t from = 1; t->kind == TOKEN_STRING && from + 1 < t->length;) {
            const char *semicolon = memchr(t->text + from, ';', t->length - 1 - from);
            const size_t end = semicolon != NULL ? (size_t)(semicolon - t->text) : (size_t)t->length - 1;

            code_execute(w, t->text + from, end - from, t, &list);
            from = end + 1;
        }
    }
    w->flags = flags;
    for (unsigned i = 0; i < list.count; i++) {
        if (list.list[i].output) {
            code_store(w, &list.list[i].place, list.list[i].value);
        }
    }
}

static void execute(struct ada *a, size_t from, size_t to, unsigned depth);

/* Gives the parameters of @s the values of the arguments in the bracket at @open, in their order. */
static void bind(struct code_walk *w, const struct subprogram *s, size_t open)
{
    struct code_arguments arguments = {0};
    unsigned n = 0;
    size_t after;

    renew_objects(w, s->declared, s->from);
    if (!is_mark(&w->tokens[open], "(")) {
        return;
    }
    after = code_skip_bracket(w, open, w->count);
    code_split_arguments(w, open + 1, after > open + 1 ? after - 1 : open + 1, &arguments);
    for (size_t i = s->declared; i + 1 < s->from && !is_word(&w->tokens[i], "is") && n < arguments.count; i++) {
        if (w->tokens[i].kind == TOKEN_NAME && is_mark(&w->tokens[i + 1], ":")) {
            object_of(w, &w->tokens[i])->value = evaluate(w, arguments.ranges[n].from, arguments.ranges[n].to);
            n++;
        }
    }
}

/* Executes @s, which token @at calls. */
static void run(struct ada *a, const struct subprogram *s, size_t at, unsigned depth)
{
    const struct code_token *running = a->running;

    bind(a->w, s, at + 1);
    a->running = s->name;
    object_of(a->w, s->name)->value = code_unknown();
    execute(a, s->from, s->to, depth);
    a->running = running;
}

/* Executes the subprogram whose name is token @at, unless its body begins at @from.  Returns false if there is none. */
static bool call(struct ada *a, size_t at, size_t from, unsigned depth)
{
    for (unsigned k = 0; k < a->count; k++) {
        if (same_name(&a->w->tokens[at], a->list[k].name) && a->list[k].from != from) {
            run(a, &a->list[k], at, depth + 1);
            return true;
        }
    }
    return false;
}

/*
 * Returns the value of the expression between @from and @to, whose calls were executed.  The value of a call with
 * arguments is known only if the call is all of it.
 */
static struct code_value value_of(struct ada *a, size_t from, size_t to)
{
    struct code_walk *w = a->w;

    for (size_t i = from; i + 1 < to; i++) {
        for (unsigned k = 0; k < a->count && is_mark(&w->tokens[i + 1], "("); k++) {
            if (same_name(&w->tokens[i], a->list[k].name)) {
                return i == from && code_skip_bracket(w, i + 1, to) == to ? object_of(w, a->list[k].name)->value
                                                                          : code_unknown();
            }
        }
    }
    return evaluate(w, from, to);
}

/* Stores @value in @v.  Where it is not sure that the statement is executed, only the bits that stay are known. */
static void assign(struct code_variable *v, struct code_value value, bool perhaps)
{
    if (perhaps) {
        value.known &= v->value.known & ~(value.bits ^ v->value.bits);
        value.bits &= value.known;
    }
    v->value = value;
}

/* Counts the statements around: "if", "case" and "loop" open one, and "end" before them closes it. */
static unsigned count_around(const struct code_token *before, const struct code_token *t, unsigned around)
{
    if (!is_word(t, "if") && !is_word(t, "case") && !is_word(t, "loop")) {
        return around;
    }
    return !is_word(before, "end") ? around + 1 : around - (around != 0);
}

/* Executes the statements between @from, a "begin", and @to. */
static void execute(struct ada *a, size_t from, size_t to, unsigned depth)
{
    struct code_walk *w = a->w;
    const struct code_token *target = NULL; /* of the assignment that the next ";" ends */
    size_t first = 0;                       /* the first token of its value */
    unsigned around = 0;

    for (size_t i = from; i < to && depth < DEPTH && code_spend(w, 2); i++) {
        const struct code_token *t = &w->tokens[i];

        if (target != NULL && is_mark(t, ";")) {
            assign(object_of(w, target), value_of(a, first, i), around != 0);
            target = NULL;
        }
        if (t->kind != TOKEN_NAME || i + 1 >= to) {
            continue;
        }
        around = i > from ? count_around(t - 1, t, around) : 0;
        if (is_word(t, "Asm") && is_mark(&w->tokens[i + 1], "(")) {
            do_asm(w, i + 1);
            i = code_skip_bracket(w, i + 1, to) - 1;
            continue;
        }
        if (target == NULL && (is_assigned(w, i + 1) || is_word(t, "return")) && !is_mark(t - (i > from), ".")) {
            target = is_word(t, "return") ? a->running : t;
            first = i + (is_word(t, "return") ? 1 : 3);
        } else if (!call(a, i, from, depth) && is_mark(&w->tokens[i + 1], ":")) {
            take_object(w, i); /* of a block */
        }
        if (is_mark(&w->tokens[i + 1], ";") || is_mark(&w->tokens[i + 1], "(")) {
            code_step_add(w, CODE_WORK, t);
        }
    }
}

/* Returns the list of @name, in any case of letters. */
static uint32_t *list_of(const struct ada *a, const struct code_token *name)
{
    uint32_t hash = UINT32_C(2166136261);

    for (size_t i = 0; i < name->length; i++) {
        hash = (hash ^ (unsigned char)(name->text[i] | 0x20)) * UINT32_C(16777619);
    }
    return &a->last[(hash ^ hash >> 16) % LISTS];
}

/* Lists each "end" by the name behind it, so that a subprogram finds its own without a search of the text. */
static void list_ends(struct ada *a)
{
    const struct code_walk *w = a->w;

    a->last = cli_allocate(NULL, LISTS, sizeof *a->last);
    a->before = cli_allocate(NULL, w->count + 1, sizeof *a->before);
    memset(a->last, 0, LISTS * sizeof *a->last);
    for (size_t i = 0; i + 1 < w->count; i++) {
        if (is_word(&w->tokens[i], "end") && w->tokens[i + 1].kind == TOKEN_NAME) {
            uint32_t *last = list_of(a, &w->tokens[i + 1]);

            a->before[i] = *last;
            *last = (uint32_t)i + 1;
        }
    }
}

/* Finds the body of the procedure or function whose name is token @at. */
static void take_subprogram(struct ada *a, size_t at)
{
    const struct code_walk *w = a->w;
    struct subprogram *s = &a->list[a->count];
    size_t begin = at, end = 0;

    while (begin < w->count && begin < at + 200 && !is_word(&w->tokens[begin], "begin")) {
        if (is_mark(&w->tokens[begin], ";") && begin < at + 4) {
            return; /* a declaration */
        }
        begin++;
    }
    for (size_t i = *list_of(a, &w->tokens[at]); i > begin; i = a->before[i - 1]) { /* the first one is wanted */
        end = same_name(&w->tokens[i], &w->tokens[at]) ? i : end;
    }
    if (end != 0) {
        *s = (struct subprogram){&w->tokens[at], at + 1, begin, end - 1, false};
        a->count++;
    }
}

void code_run_ada(struct code_walk *w)
{
    struct ada a = {.w = w};

    w->end = w->count;
    list_ends(&a);
    for (size_t i = 0; i + 1 < w->count && code_spend(w, 1); i++) {
        if (w->tokens[i].kind != TOKEN_NAME) {
            continue;
        }
        take_object(w, i);
        if ((is_word(&w->tokens[i], "procedure") || is_word(&w->tokens[i], "function")) && a.count < SUBPROGRAMS) {
            take_subprogram(&a, i + 1);
        }
    }
    for (unsigned k = 0; k < a.count; k++) {
        for (unsigned c = 0; c < a.count; c++) {
            for (size_t i = a.list[c].from; i < a.list[c].to && c != k && code_spend(w, 1); i++) {
                a.list[k].called |= same_name(&w->tokens[i], a.list[k].name);
            }
        }
    }
    for (unsigned k = 0; k < a.count; k++) {
        if (!a.list[k].called) {
            run(&a, &a.list[k], (size_t)(a.list[k].name - w->tokens), 0);
        }
    }
    if (a.count == 0) {
        execute(&a, 0, w->count, 0);
    }
    free(a.last);
    free(a.before);
}
