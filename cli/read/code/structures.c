/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures of C, C++ and Rust: the order of their members, and those that lie over the registers of a PMU. */
#define _GNU_SOURCE
#include <stdio.h>
#include <strings.h>

#include "internal.h"

enum { MEMBERS = 128 };

/* Finds the register that a member of a device's structure is: PMCR, pmcr_el0, CNTENSET, LAR. */
static bool find_register(const struct code_token *t, struct code_name *name)
{
    static const struct {
        const char *text;
        enum code_register reg;
    } others[] = {{"CTRL", CODE_PMCR}, {"LAR", CODE_PMLAR}, {"PMLAR", CODE_PMLAR}, {"OSLAR", CODE_OSLAR},
                  {"PMU_CTRL", CODE_PMCR}};
    char text[40];

    if (t->length > 30) {
        return false;
    }
    if (code_find_register(t->text, t->length, name) && code_is_pmu(name->reg) && name->reg < CODE_DEMCR) {
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strlen(others[i].text) == t->length && strncasecmp(others[i].text, t->text, t->length) == 0) {
            *name = (struct code_name){.reg = others[i].reg, .n_known = true};
            return true;
        }
    }
    snprintf(text, sizeof text, "PM%.*s", (int)t->length, t->text);
    return t->length > 1 && code_find_register(text, strlen(text), name) && code_is_pmu(name->reg) &&
           name->reg < CODE_DEMCR;
}

/* Returns the name of the member that the tokens from @from to @to declare; NULL if there is none. */
static const struct code_token *member_name(const struct code_walk *w, size_t from, size_t to, bool rust)
{
    const struct code_token *name = NULL;

    for (size_t i = from; i < to; i++) {
        const struct code_token *t = &w->tokens[i];

        if (is_mark(t, "(") && i + 2 < to && is_mark(&w->tokens[i + 1], "*")) {
            return &w->tokens[i + 2]; /* void (*write)(uint64_t) */
        }
        if (is_mark(t, "[") || is_mark(t, "=") || is_mark(t, "(")) {
            return name;
        }
        if (rust && is_mark(t, ":")) {
            return name;
        }
        name = t->kind == TOKEN_NAME ? t : name;
    }
    return name;
}

static uint64_t hash_of(const char *prefix, const struct code_token *t)
{
    return code_hash(code_hash(CODE_HASH, prefix, strlen(prefix)), t->text, t->length);
}

/* Returns true if a word among the tokens says that the members are registers of a device. */
static bool is_device(const struct code_walk *w, size_t from, size_t to)
{
    static const char *const words[] = {"volatile", "__IO",      "__IOM", "__IM",         "__OM", "vu32",
                                        "vuint32_t", "ReadWrite", "RW",    "VolatileCell", "__I",  "__O",
                                        "Volatile", "WriteOnly",  "ReadOnly"};

    for (size_t i = from; i < to; i++) {
        for (size_t k = 0; w->tokens[i].kind == TOKEN_NAME && k < sizeof words / sizeof words[0]; k++) {
            if (code_token_is(&w->tokens[i], words[k])) {
                return true;
            }
        }
    }
    return false;
}

void code_take_structure(struct code_walk *w, size_t from, size_t to)
{
    const bool rust = w->code->facts[CODE_HAS_RUST] != 0;
    const struct code_token *members[MEMBERS];
    unsigned count = 0, registers = 0;
    size_t start = from;
    struct code_name name;

    for (size_t i = from; i <= to && count < MEMBERS && i < w->count; i++) {
        const struct code_token *t = &w->tokens[i];

        if (i < to && (is_mark(t, "{") || is_mark(t, "(") || is_mark(t, "["))) {
            i = code_skip_bracket(w, i, to) - 1;
            continue;
        }
        if (i == to || is_mark(t, ";") || is_mark(t, ",")) {
            const struct code_token *member = member_name(w, start, i, rust);

            if (member != NULL) {
                registers += find_register(member, &name);
                members[count++] = member;
            }
            start = i + 1;
        }
    }
    for (unsigned n = 0; n < count; n++) {
        code_make_variable(w, hash_of("\002order", members[n]))->value = code_known(n);
        if (registers >= 2 && is_device(w, from, to) && find_register(members[n], &name)) {
            code_make_variable(w, hash_of("\002device", members[n]))->value = code_known(1);
        }
    }
    w->has_devices |= registers >= 2;
}

bool code_names_pmu(const struct code_token *t)
{
    return t != NULL && (memmem(t->text, t->length, "pmu", 3) != NULL || memmem(t->text, t->length, "PMU", 3) != NULL ||
                         memmem(t->text, t->length, "perfmon", 7) != NULL);
}

bool code_find_member(const struct code_token *base, const struct code_token *member, struct code_name *name)
{
    char text[64];

    if (base->length + member->length + 2 > sizeof text) {
        return false;
    }
    if (code_token_is(base, "DWT") || code_token_is(base, "dwt") || code_token_is(base, "ITM") ||
        code_token_is(base, "dwt_regs")) {
        snprintf(text, sizeof text, "%s_%.*s", (base->text[0] | 0x20) == 'i' ? "ITM" : "DWT", (int)member->length,
                 member->text);
        if (code_find_register(text, strlen(text), name)) {
            return true;
        }
        *name = (struct code_name){.reg = CODE_DWT_OTHER, .n_known = true};
        return (base->text[0] | 0x20) == 'd' && base->text[0] == 'D';
    }
    if (code_token_is(base, "CoreDebug") || code_token_is(base, "DCB") || code_token_is(base, "CORE_DEBUG")) {
        *name = (struct code_name){.reg = CODE_DEMCR, .n_known = true};
        return code_token_is(member, "DEMCR") || code_token_is(member, "demcr");
    }
    if (code_token_is(base, "PMU") || code_token_is(base, "pmu")) {
        static const char *const members[][2] = {
            {"CTRL", "PMCR"},       {"CNTENSET", "PMCNTENSET"}, {"CNTENCLR", "PMCNTENCLR"}, {"CCNTR", "PMCCNTR"},
            {"OVSCLR", "PMOVSCLR"}, {"OVSSET", "PMOVSSET"},     {"INTENSET", "PMINTENSET"}, {"INTENCLR", "PMINTENCLR"},
            {"SWINC", "PMSWINC"},   {"CCFILTR", "PMCCFILTR"},   {"EVCNTR", "PMEVCNTR"},     {"EVTYPER", "PMEVTYPER"},
        };

        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
            if (code_token_is(member, members[i][0])) {
                return code_find_register(members[i][1], strlen(members[i][1]), name);
            }
        }
    }
    return false;
}

bool code_find_device(struct code_walk *w, const struct code_token *member, struct code_name *name)
{
    const bool is = w->has_devices && code_find_variable(w, hash_of("\002device", member)) != NULL &&
                    find_register(member, name);

    name->aarch32 = false;
    return is;
}

bool code_find_order(struct code_walk *w, const struct code_token *member, uint64_t *n)
{
    const struct code_variable *v = code_find_variable(w, hash_of("\002order", member));

    if (v != NULL) {
        *n = v->value.bits;
    }
    return v != NULL;
}
