/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that compute constants, and the methods and functions of register libraries. */
#define _GNU_SOURCE
#include <stdio.h>

#include "internal.h"

/* Computes BIT(31), GENMASK(4, 0), UINT64_C(1), Shift_Left (1, 31) and the like. */
bool code_do_constant(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    static const char *const bits[] = {"BIT",     "BIT64", "BIT_ULL", "BIT_32", "BIT_64", "_BITUL",
                                       "_BITULL", "BIT32", "_BV",     "BIT_UL", "bit"};
    static const char *const same[] = {"UL",       "ULL",         "U",      "UINT64_C", "UINT32_C", "_AC",
                                       "_UL",      "_ULL",        "UINT64", "uint32_t", "uint64_t", "u32",
                                       "u64",      "cpu_to_le32", "UINT32", "INT64_C",  "c_uint64", "c_uint32",
                                       "Wrapping", "unlikely",    "likely", "int",      "Unsigned_32", "Unsigned_64",
                                       "UInt32",   "UInt64"};
    const struct code_token *t = call->name;

    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        if (code_token_is(t, bits[i]) && call->arguments->count == 1) {
            *result = code_operate(CODE_MARK2('<', '<'), code_known(1), code_argument(w, call, 0));
            return true;
        }
    }
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        if (code_token_is(t, same[i])) {
            *result = code_argument(w, call, 0);
            return true;
        }
    }
    if ((code_token_is(t, "Shift_Left") || code_token_is(t, "Shift_Right")) && call->arguments->count == 2) {
        *result = code_operate(code_token_is(t, "Shift_Left") ? CODE_MARK2('<', '<') : CODE_MARK2('>', '>'),
                               code_argument(w, call, 0), code_argument(w, call, 1));
        return true;
    }
    if ((code_token_is(t, "GENMASK") || code_token_is(t, "GENMASK_ULL")) && call->arguments->count == 2) {
        const struct code_value high = code_argument(w, call, 0), low = code_argument(w, call, 1);

        if (code_is_known(&high) && code_is_known(&low) && high.bits < 64 && low.bits <= high.bits) {
            *result = code_known(UINT64_MAX >> (63 - high.bits) & ~((UINT64_C(1) << low.bits) - 1));
        }
        return true;
    }
    if (code_token_is(t, "ioremap") || code_token_is(t, "devm_ioremap") || code_token_is(t, "mmap") ||
        code_token_is(t, "devm_platform_ioremap_resource") || code_token_is(t, "of_iomap")) {
        const struct code_value address = code_argument(w, call, 0);

        *result = code_is_known(&address) && address.bits > 4096 ? address : (struct code_value){.known = 0xFFF};
        result->element = 1;
        return true;
    }
    return false;
}

/* Finds the register that a method is called on: PMCR_EL0.write(..), dwt.lar.write(..), (*DWT::ptr()).lar. */
static bool method_register(struct code_walk *w, const struct code_one_call *call, struct code_name *name)
{
    static const char *const dwt[] = {"lar", "ctrl", "cyccnt", "CTRL", "LAR", "CYCCNT"};
    const size_t at = (size_t)(call->name - w->tokens);
    const struct code_token *t;

    if (at < 2 || w->tokens[at - 1].kind != TOKEN_MARK || w->tokens[at - 2].kind != TOKEN_NAME) {
        return false;
    }
    t = code_resolve(w, &w->tokens[at - 2]);
    for (size_t i = 0; i < sizeof dwt / sizeof dwt[0]; i++) {
        if (code_token_is(t, dwt[i])) {
            char text[16];

            snprintf(text, sizeof text, "DWT_%.*s", (int)t->length, t->text);
            return code_find_register(text, strlen(text), name);
        }
    }
    return code_find_register(t->text, t->length, name) && (code_is_pmu(name->reg) || name->reg == CODE_CNTVCT);
}

/* Evaluates |r| r | 1 with r = @value. */
static struct code_value closure(struct code_walk *w, struct code_range range, struct code_value value)
{
    struct code_variable *v;
    const struct code_token *t = &w->tokens[range.from];
    struct code_term term;
    size_t from = range.from + 1;

    if (!code_token_is(t, "|") || range.to < range.from + 4) {
        return (struct code_value){.known = 0, .read = value.read};
    }
    v = code_make_variable(w, code_hash(CODE_HASH, w->tokens[from].text, w->tokens[from].length));
    v->value = value;
    v->alias = (struct code_range){0, 0};
    while (from < range.to && !code_token_is(&w->tokens[from], "|")) {
        from++;
    }
    term = code_evaluate(w, (struct code_range){from + 1, range.to});
    return code_value_of(w, &term);
}

/* Evaluates flags.bits() and the like: the value of the object.  Returns false if it is something else. */
static bool do_value(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    static const char *const names[] = {"bits", "into", "raw", "value", "to_raw", "into_bits", "clone", "into_raw"};
    const size_t at = (size_t)(call->name - w->tokens);

    if (call->arguments->count != 0 || at < 2 || at - 1 <= call->path.from || !code_token_is(call->name - 1, ".")) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (code_token_is(call->name, names[i])) {
            struct code_term term = code_evaluate(w, (struct code_range){call->path.from, at - 1});

            *result = code_value_of(w, &term);
            return true;
        }
    }
    return false;
}

/* The fields of registers, as the crates tock-registers and aarch64-cpu name them. */
static const struct field_row {
    const char *name;
    uint8_t shift;
} field_rows[] = {
    {"E", 0},    {"P", 1},   {"C", 2},     {"D", 3},   {"X", 4},   {"DP", 5},   {"LC", 6},   {"LP", 7},
    {"FZO", 9},  {"N", 11},  {"EN", 0},    {"SW", 1},  {"CR", 2},  {"ER", 3},   {"SEL", 0},  {"U", 30},
    {"NSK", 29}, {"NSU", 28}, {"NSH", 27}, {"M", 26},  {"MT", 25}, {"SH", 24},  {"evtCount", 0}, {"EVTCOUNT", 0},
    {"HPMN", 0}, {"TPMCR", 5}, {"TPM", 6}, {"HPME", 7}, {"HPMD", 17}, {"SPME", 17}, {"HCCD", 23}, {"SCCD", 23},
};

/* Returns the lowest bit of the field of register @reg; 64 if there is none. */
static unsigned field_shift(const struct code_token *t, enum code_register reg)
{
    const bool mask = reg == CODE_PMCNTENSET || reg == CODE_PMCNTENCLR || reg == CODE_PMINTENSET ||
                      reg == CODE_PMINTENCLR || reg == CODE_PMOVSCLR || reg == CODE_PMOVSSET;
    const bool filter = reg == CODE_PMCCFILTR || reg == CODE_PMEVTYPER || reg == CODE_PMXEVTYPER;
    uint64_t n;
    uint8_t width;

    if (mask && code_token_is(t, "C")) {
        return 31;
    }
    if (filter && code_token_is(t, "P")) {
        return 31;
    }
    if (mask && t->length > 1 && t->length < 4 && t->text[0] == 'P' &&
        code_number(t->text + 1, t->length - 1, &n, &width) == t->length - 1 && n < 31) {
        return (unsigned)n;
    }
    for (size_t i = 0; i < sizeof field_rows / sizeof field_rows[0]; i++) {
        if (code_token_is(t, field_rows[i].name)) {
            return field_rows[i].shift;
        }
    }
    return 64;
}

/* Evaluates PMCR_EL0::E::SET + PMSELR_EL0::SEL.val(2) and the like, of the crate tock-registers. */
static struct code_value field_value(struct code_walk *w, struct code_range range, enum code_register reg,
                                     uint64_t *mask)
{
    struct code_value value = code_known(0);
    bool fields = false;

    *mask = 0;
    for (size_t i = range.from; i + 2 < range.to; i++) {
        const struct code_token *how = &w->tokens[i + 2];
        const unsigned n = w->tokens[i].kind == TOKEN_NAME ? field_shift(&w->tokens[i], reg) : 64;

        if (n == 64) {
            continue;
        }
        if (code_token_is(&w->tokens[i + 1], "::")) {
            const bool set = code_token_is(how, "SET") || code_token_is(how, "Enable") || code_token_is(how, "Reset") ||
                             code_token_is(how, "Enabled") || code_token_is(how, "True");

            fields = true;
            *mask |= UINT64_C(1) << n;
            value.bits |= set ? UINT64_C(1) << n : 0;
        } else if (code_token_is(&w->tokens[i + 1], ".") && code_token_is(how, "val") && i + 4 < range.to) {
            const size_t after = code_skip_bracket(w, i + 3, range.to);
            struct code_term term = code_evaluate(w, (struct code_range){i + 4, after - 1});
            const struct code_value v = code_value_of(w, &term);

            fields = true;
            *mask |= UINT64_C(0xFFFF) << n;
            value = code_operate('|', value, code_operate(CODE_MARK2('<', '<'), v, code_known(n)));
        }
    }
    if (!fields) {
        struct code_term term = code_evaluate(w, range);

        value = code_value_of(w, &term);
        *mask = UINT64_MAX;
    }
    return value;
}

bool code_do_method(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    struct code_name name;
    struct code_value value, now;
    uint64_t mask;
    const unsigned width = 64;

    if (!method_register(w, call, &name)) {
        return do_value(w, call, result);
    }
    if (code_token_is(call->name, "read") || code_token_is(call->name, "get") || code_token_is(call->name, "is_set")) {
        *result = code_read_register(w, &name, call->name, width, 0);
        return true;
    }
    if (call->arguments->count == 0) {
        return false;
    }
    if (code_token_is(call->name, "write") || code_token_is(call->name, "set")) {
        value = field_value(w, call->arguments->ranges[0], name.reg, &mask);
        code_write_register(w, &name, call->name, value, width, 0);
        return true;
    }
    if (code_token_is(call->name, "modify")) {
        now = code_read_register(w, &name, call->name, width, 0);
        if (code_token_is(&w->tokens[call->arguments->ranges[0].from], "|")) {
            value = closure(w, call->arguments->ranges[0], now);
        } else {
            value = field_value(w, call->arguments->ranges[0], name.reg, &mask);
            value = code_operate('|', code_operate('&', now, code_known(~mask)), value);
        }
        code_write_register(w, &name, call->name, value, width, 0);
        return true;
    }
    return false;
}

/* The calls of the crate cortex-m. */
bool code_do_cortex_m(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    struct code_name name = {.n_known = true};
    struct code_value v;

    if (code_token_is(call->name, "enable_cycle_counter") || code_token_is(call->name, "enable_trace")) {
        const bool trace = call->name->length == 12;

        name.reg = trace ? CODE_DEMCR : CODE_DWT_CTRL;
        v = code_read_register(w, &name, call->name, 32, CODE_MEMORY);
        code_write_register(w, &name, call->name, code_operate('|', v, code_known(trace ? 1u << 24 : 1)), 32,
                            CODE_MEMORY);
        return true;
    }
    if (code_token_is(call->name, "cycle_count") || code_token_is(call->name, "get_cycle_count")) {
        name.reg = CODE_DWT_CYCCNT;
        *result = code_read_register(w, &name, call->name, 32, CODE_MEMORY);
        return true;
    }
    if (code_token_is(call->name, "unlock") && call->path.to - call->path.from < 10) {
        name.reg = CODE_DWT_LAR;
        code_write_register(w, &name, call->name, code_known(0xC5ACCE55), 32, CODE_MEMORY);
        return true;
    }
    if (code_token_is(call->name, "set_cycle_count")) {
        name.reg = CODE_DWT_CYCCNT;
        code_write_register(w, &name, call->name, code_argument(w, call, 0), 32, CODE_MEMORY);
        return true;
    }
    return false;
}

/* CMSIS' functions of the PMU of Armv8.1-M. */
bool code_do_cmsis_pmu(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    static const struct {
        const char *name;
        enum code_register reg;
        uint8_t how; /* 0 reads, 1 writes the argument, 2 sets .bits, 3 clears them, 4 typer */
        uint32_t bits;
    } calls[] = {
        {"ARM_PMU_Enable", CODE_PMCR, 2, 1},
        {"ARM_PMU_Disable", CODE_PMCR, 3, 1},
        {"ARM_PMU_CYCCNT_Reset", CODE_PMCR, 2, 4},
        {"ARM_PMU_EVCNTR_ALL_Reset", CODE_PMCR, 2, 2},
        {"ARM_PMU_CNTR_Enable", CODE_PMCNTENSET, 1, 0},
        {"ARM_PMU_CNTR_Disable", CODE_PMCNTENCLR, 1, 0},
        {"ARM_PMU_Get_CCNTR", CODE_PMCCNTR, 0, 0},
        {"ARM_PMU_Get_EVCNTR", CODE_PMEVCNTR, 0, 1},
        {"ARM_PMU_Set_EVTYPER", CODE_PMEVTYPER, 4, 0},
        {"ARM_PMU_Set_CNTR_OVS", CODE_PMOVSCLR, 1, 0},
        {"ARM_PMU_Get_CNTR_OVS", CODE_PMOVSSET, 0, 0},
        {"ARM_PMU_Set_CNTR_IRQ_Enable", CODE_PMINTENSET, 1, 0},
        {"ARM_PMU_Set_CNTR_IRQ_Disable", CODE_PMINTENCLR, 1, 0},
        {"ARM_PMU_CNTR_Increment", CODE_PMSWINC, 1, 0},
    };

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct code_name name = {.reg = calls[i].reg, .n_known = true};
        struct code_value v;

        if (!code_token_is(call->name, calls[i].name)) {
            continue;
        }
        code_note(w, CODE_HAS_M, call->name->line);
        if (calls[i].how == 4 || calls[i].bits == 1) {
            v = calls[i].how == 4 || calls[i].how == 0 ? code_argument(w, call, 0) : code_known(0);
            name.n_known = code_is_known(&v);
            name.n = (unsigned)(v.bits & 31);
        }
        if (calls[i].how == 0) {
            *result = code_read_register(w, &name, call->name, 32, CODE_MEMORY);
        } else if (calls[i].how == 2 || calls[i].how == 3) {
            v = code_read_register(w, &name, call->name, 32, CODE_MEMORY | CODE_CLEAR_SET);
            v = calls[i].how == 2 ? code_operate('|', v, code_known(calls[i].bits))
                                  : code_operate('&', v, code_known(~(uint64_t)calls[i].bits));
            code_write_register(w, &name, call->name, v, 32, CODE_MEMORY | CODE_CLEAR_SET);
        } else {
            code_write_register(w, &name, call->name, code_argument(w, call, calls[i].how == 4), 32, CODE_MEMORY);
        }
        return true;
    }
    return false;
}

bool code_take_braced(struct code_walk *w, struct code_term *term)
{
    const struct code_token *t = code_now(w);
    const size_t open = w->at + 1;
    uint8_t width;
    size_t after;

    if (code_token_is(t, "std") && w->at + 3 < w->end && code_token_is(&w->tokens[open], "::") &&
        code_is_type(&w->tokens[w->at + 2], &width) &&
        (code_token_is(&w->tokens[w->at + 3], "{") || code_token_is(&w->tokens[w->at + 3], "("))) {
        w->at += 2;
        *term = code_primary(w);
        return true;
    }
    if (open >= w->end || !code_token_is(&w->tokens[open], "{") ||
        !(code_is_type(t, &width) || (t->length == 1 && t->text[0] == 'T'))) {
        return false;
    }
    after = code_skip_bracket(w, open, w->end);
    *term = code_evaluate(w, (struct code_range){open + 1, after > open + 1 ? after - 1 : after});
    *term = code_plain(code_value_of(w, term));
    w->at = after;
    return true;
}
