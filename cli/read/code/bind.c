/* SPDX-License-Identifier: BSD-2-Clause */
/* Binds the parameters of functions, macros and templates to the arguments of a call. */
#define _GNU_SOURCE
#include "internal.h"

uint32_t code_bind_parameters(struct code_walk *w, const struct code_definition *d,
                              const struct code_arguments *arguments)
{
    const uint32_t frame = ++w->next_frame, caller = w->frame;

    for (unsigned i = 0; i < d->parameter_count; i++) {
        const uint64_t hash = code_hash(CODE_HASH, d->parameters[i]->text, d->parameters[i]->length);
        struct code_value value = code_unknown();
        struct code_variable *v;

        if (!d->macro && i < arguments->count) {
            struct code_term term = code_evaluate(w, arguments->ranges[i]);

            value = code_value_of(w, &term);
        } else if (!d->macro) {
            code_number_stranger(w, &value);
        }
        w->frame = frame;
        v = code_make_local(w, hash);
        v->value = value;
        v->width = d->widths[i];
        v->class = d->macro ? 0 : code_type_of_parameter(w, d->parameters[i]);
        if (d->widths[i] == 32) {
            v->value = code_cut(v->value, 32);
        }
        if (d->macro && i < arguments->count) {
            v->alias = arguments->ranges[i];
            v->alias_frame = caller;
        } else if (i < arguments->count && arguments->ranges[i].to == arguments->ranges[i].from + 1 &&
                   !code_is_known(&value)) {
            /* the name of a register that a function passes on */
            const struct code_token *t = code_resolve(w, &w->tokens[arguments->ranges[i].from]);
            struct code_name name;

            const struct code_definition *callee = w->tokens == w->lexed->tokens ? code_find_definition(w, t) : NULL;

            if ((t->kind == TOKEN_STRING && code_find_register(t->text, t->length, &name)) ||
                (callee != NULL && !callee->macro && !callee->loose)) {
                v->alias = (struct code_range){(size_t)(t - w->tokens), (size_t)(t - w->tokens) + 1};
                v->alias_frame = caller;
            }
        }
        w->frame = caller;
    }
    return frame;
}

/* Computes the constants of the class of @d that depend on the arguments of a template, which frame @frame has. */
static void compute_constants(struct code_walk *w, const struct code_definition *d, uint32_t frame)
{
    const uint32_t caller = w->frame;
    const size_t steps = w->code->step_count;

    if (d->class == 0 || d->placeholders.to <= d->placeholders.from) {
        return;
    }
    w->frame = frame;
    for (size_t i = 0; i < w->definition_count && code_spend(w, 1); i++) {
        const struct code_definition *c = &w->definitions[i];

        if (c->loose && c->constants && c->class == d->class) {
            code_statements(w, c->body.from, c->body.to);
        }
    }
    w->code->step_count = steps; /* they execute nothing */
    w->frame = caller;
}

void code_bind_template(struct code_walk *w, const struct code_definition *d, struct code_range specials,
                        uint32_t frame)
{
    struct code_arguments arguments;
    const struct code_token *name = NULL;
    unsigned n = 0;
    const uint32_t caller = w->frame;

    if (specials.to <= specials.from || d->placeholders.to <= d->placeholders.from) {
        compute_constants(w, d, frame);
        return;
    }
    code_split_arguments(w, specials.from, specials.to, &arguments);
    for (size_t i = d->placeholders.from; i <= d->placeholders.to; i++) {
        const struct code_token *t = &w->tokens[i];

        if (i < d->placeholders.to && !code_token_is(t, ",")) {
            name = t->kind == TOKEN_NAME ? t : name;
            continue;
        }
        if (name != NULL && n < arguments.count) {
            struct code_term term = code_evaluate(w, arguments.ranges[n]);
            const struct code_value value = code_value_of(w, &term);

            w->frame = frame;
            code_make_variable(w, code_hash(CODE_HASH, name->text, name->length))->value = value;
            w->frame = caller;
        }
        n++;
        name = NULL;
    }
    compute_constants(w, d, frame);
}
