/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes the functions of a text in a plausible order: what sets up comes first. */
#define _GNU_SOURCE
#include <strings.h>

#include "internal.h"

static bool contains(const struct code_token *t, const char *word)
{
    return memmem(t->text, t->length, word, strlen(word)) != NULL;
}

/* Calls that take a function which is then followed, so that it is no beginning of its own. */
static bool follows_argument(const struct code_token *t)
{
    return contains(t, "on_each_cpu") || contains(t, "smp_call") || contains(t, "cpuhp_setup") ||
           contains(t, "work_on_cpu") || contains(t, "schedule_on_each") || contains(t, "smp_rendezvous") ||
           contains(t, "stop_machine") || contains(t, "pthread_create") || contains(t, "kthread_run");
}

/* Marks the methods of all classes that have the name of @first. */
static void mark_same_name(struct code_walk *w, const struct code_definition *first)
{
    for (size_t i = 0; i < w->definition_count && code_spend(w, 1); i++) {
        struct code_definition *d = &w->definitions[i];

        if (d->hash == first->hash && d->qualified != 0) {
            d->called = true;
            w->code->functions[d->function].called = true;
        }
    }
}

/* Returns true if token @i is an item of a list, or what a pointer is set to. */
static bool is_listed(const struct code_walk *w, size_t i)
{
    const struct code_token *before = i > 0 ? &w->tokens[i - 1] : NULL, *after = &w->tokens[i + 1];

    return (is_mark(before, ",") || is_mark(before, "{") || is_mark(before, "=") || is_mark(before, "&")) &&
           (is_mark(after, ",") || is_mark(after, "}") || is_mark(after, ";"));
}

/* Returns true if @d has the name of its class and a part: "()" for a constructor, "~" for a destructor. */
static bool is_special(const struct code_definition *d, const char *part)
{
    return d->class != 0 && d->qualified == code_qualified(d->class, part, strlen(part));
}

/* Returns true if token @i is the name behind the ~ of a destructor, and not a call of constructor @d. */
static bool names_destructor(const struct code_walk *w, size_t i, const struct code_definition *d)
{
    return i > 0 && is_mark(&w->tokens[i - 1], "~") && is_special(d, "()");
}

/* Returns true if the name at @i is declared there, behind a type: "void handler(void);". */
static bool is_declared(const struct code_walk *w, size_t i)
{
    static const char *const words[] = {"return", "else", "do",    "in",    "await", "co_await", "go",  "defer", "try",
                                        "case",   "not",  "and",   "or",    "yield", "throw",    "mut", "move",  "then",
                                        "unsafe", "is",   "until", "while", "if",    "call",     "begin"};

    if (i == 0 || w->tokens[i - 1].kind != TOKEN_NAME || w->tokens[i].first || w->lexed->python) {
        return false;
    }
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (code_token_is(&w->tokens[i - 1], words[k])) {
            return false;
        }
    }
    return true;
}

/* Marks the macros that the text uses somewhere. */
static void mark_used(struct code_walk *w)
{
    for (size_t i = 0; i < w->count; i++) {
        struct code_definition *d =
            w->tokens[i].kind == TOKEN_NAME ? code_find_definition(w, &w->tokens[i]) : NULL;

        if (d != NULL && d->macro && d->name != &w->tokens[i]) {
            d->used = true;
        }
    }
}

/* Returns the definition of the function that branch @t of assembly calls, or NULL. */
static struct code_definition *branch_target(struct code_walk *w, const struct code_token *t)
{
    struct code_token name = *t;

    name.kind = TOKEN_NAME;
    while (name.length != 0 && *name.text != ' ' && *name.text != '\t') {
        name.text++;
        name.length--;
    }
    while (name.length != 0 && (*name.text == ' ' || *name.text == '\t')) {
        name.text++;
        name.length--;
    }
    return code_find_definition(w, &name);
}

/* Returns true if the name of an object, or "{", follows a class at @at, where the arguments of a template may be. */
static bool names_object(const struct code_walk *w, size_t at)
{
    if (is_mark(&w->tokens[at], "<")) {
        while (at + 1 < w->count && !is_mark(&w->tokens[at], ">") && !is_mark(&w->tokens[at], ";")) {
            at++;
        }
        at += is_mark(&w->tokens[at], ">") && at + 1 < w->count;
    }
    return w->tokens[at].kind == TOKEN_NAME || is_mark(&w->tokens[at], "{");
}

/* Marks the functions that others call.  What a macro calls is called where the macro is used. */
static void mark_called(struct code_walk *w)
{
    size_t following = 0, unused_to = 0;
    unsigned depth = 0; /* of parentheses */

    for (size_t i = 0; i + 1 < w->count; i++) {
        const struct code_token *t = &w->tokens[i];
        struct code_definition *d;

        if (t->kind == TOKEN_ASSEMBLY && t->length > 3 && strncasecmp(t->text, "bl", 2) == 0) {
            d = branch_target(w, t);
            if (d != NULL) {
                d->called = true;
            }
        }
        depth += is_mark(t, "(");
        depth -= depth != 0 && is_mark(t, ")");
        if (t->kind != TOKEN_NAME) {
            continue;
        }
        if (follows_argument(t) && is_mark(&w->tokens[i + 1], "(")) {
            following = code_skip_bracket(w, i + 1, w->count);
        }
        d = code_find_definition(w, t);
        if (d != NULL && d->macro && d->name == t && !d->used) {
            unused_to = d->body.to; /* the text has no user: #define portCONFIGURE_TIMER...() of FreeRTOS */
        }
        if (w->has_classes) {
            struct code_definition *begin =
                code_find_hash(w, code_qualified(code_class(w, t, (struct code_range){0, 0}), "()", 2));

            if (begin != NULL && begin->name != t && names_object(w, i + 1)) {
                begin->called |= !is_mark(&w->tokens[i - (i > 0)], "class") &&
                                 !is_mark(&w->tokens[i - (i > 0)], "struct");
            }
        }
        if (d != NULL && d->ambiguous && is_mark(&w->tokens[i + 1], "(") && d->name != t) {
            mark_same_name(w, d);
        }
        if (d != NULL && depth == 0 && !d->macro && !d->loose && !d->assembly && is_listed(w, i)) {
            d->listed = true; /* { "cr", write_pmcr, 0x41 }: it may be called through the list */
        }
        if (d != NULL && !d->macro && d->name != t && (i < following || is_mark(&w->tokens[i + 1], "(")) &&
            i >= unused_to && !(i >= d->body.from && i < d->body.to) && !names_destructor(w, i, d) &&
            !is_declared(w, i)) {
            d->called = true;
            w->code->functions[d->function].called = true;
        }
    }
}

static void run_one(struct code_walk *w, struct code_definition *d)
{
    const struct code_arguments none = {0};

    if (d->loose) {
        w->frame = 0;
        w->function = 0;
        code_statements(w, d->body.from, d->body.to);
    } else {
        w->flags = 0;
        for (unsigned n = 0; d->assembly && n < 4; n++) { /* the arguments */
            code_number_stranger(w, &w->registers[n]);
        }
        code_follow(w, d, &none);
    }
    w->flags = 0;
    w->returned = false;
}

/*
 * Runs the macros without parameters that the text does not use: FreeRTOSConfig.h has such.  @set_up: those that set
 * something up by their names; otherwise the others.
 */
static void run_macros(struct code_walk *w, bool set_up)
{
    static const char *const early[] = {"CONFIG", "INIT", "START", "SETUP", "SET_UP", "ENABLE"};

    for (size_t i = 0; i < w->definition_count; i++) {
        struct code_definition *d = &w->definitions[i];
        bool sets_up = false;

        if (!d->macro || d->used || !d->with_parameters || d->parameter_count != 0) {
            continue;
        }
        for (size_t k = 0; k < sizeof early / sizeof early[0]; k++) {
            sets_up |= memmem(d->name->text, d->name->length, early[k], strlen(early[k])) != NULL;
        }
        if (sets_up == set_up) {
            run_one(w, d);
        }
    }
}

void code_run(struct code_walk *w)
{
    mark_used(w);
    mark_called(w);
    for (size_t i = 0; i < w->definition_count; i++) {
        if (w->definitions[i].loose && w->definitions[i].constants) {
            run_one(w, &w->definitions[i]);
        }
    }
    run_macros(w, true);
    for (uint32_t rank = 0; rank < 3; rank++) {
        for (size_t i = 0; i < w->definition_count; i++) {
            struct code_definition *d = &w->definitions[i];

            if (!d->macro && !d->constants && !d->called && !d->listed && d->rank == rank) {
                run_one(w, d);
            }
        }
    }
    run_macros(w, false);
    for (uint32_t rank = 0; rank < 3; rank++) { /* what nobody called through its list */
        for (size_t i = 0; i < w->definition_count; i++) {
            struct code_definition *d = &w->definitions[i];

            if (d->listed && !d->entered && !d->called && d->rank == rank) {
                run_one(w, d);
            }
        }
    }
    for (size_t i = 0; i < w->definition_count; i++) { /* destructors of classes of which the text has no object */
        struct code_definition *d = &w->definitions[i];

        if (!d->entered && is_special(d, "~")) {
            (void)code_step_add(w, CODE_WORK, d->name); /* what is in the block of the object */
            run_one(w, d);
        }
    }
}
