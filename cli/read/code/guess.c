/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of functions that the text does not have: their names tell what they do. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "internal.h"

/* A function whose name says register and direction: read_pmcr_el0(), write_pmevtypern_el0(i, v). */
bool code_do_named(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    struct code_name name;
    unsigned write;
    const unsigned count = call->arguments->count;

    if (!code_find_in_function(call->name->text, call->name->length, &name, &write)) {
        return false;
    }
    if (!name.n_known && count == (write == 1 ? 2u : 1u)) {
        const struct code_value n = code_argument(w, call, 0);

        name.n_known = code_is_known(&n);
        name.n = (unsigned)(n.bits & 31);
    }
    if (write == 1 || (write == 2 && count == 1 && name.n_known)) {
        if (count == 0) {
            return false;
        }
        code_write_register(w, &name, call->name, code_argument(w, call, count - 1), name.aarch32 ? 32 : 64,
                            CODE_NAMED);
        return true;
    }
    if (write == 0 || count == 0) {
        if (write == 2 && memmem(call->name->text, call->name->length, "enable", 6) != NULL) {
            return false;
        }
        *result = code_read_register(w, &name, call->name, name.aarch32 ? 32 : 64, CODE_NAMED);
        return true;
    }
    return false;
}

/*
 * A template of any name for the name of a register, of which the text has no definition: write<PMCR_EL0>(v),
 * SysReg<PMCR_EL0>::read().
 */
static bool do_template(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    const size_t at = (size_t)(call->name - w->tokens);
    const struct code_range of = w->specials;
    const unsigned count = call->arguments->count;
    struct code_name name;

    if (of.to != of.from + 1 || (of.from != at + 2 && of.to + 2 != at) || count > 1) {
        return false;
    }
    const struct code_token *t = code_resolve(w, &w->tokens[of.from]);

    if (t->kind != TOKEN_NAME || !code_find_register(t->text, t->length, &name)) {
        return false;
    }
    if (count == 0) {
        *result = code_read_register(w, &name, call->name, name.aarch32 ? 32 : 64, 0);
    } else {
        code_write_register(w, &name, call->name, code_argument(w, call, 0), name.aarch32 ? 32 : 64, 0);
    }
    return true;
}

/* A macro of any name that takes the name of a register: rd(pmccntr_el0), PMU_WR(PMCR, v). */
bool code_do_generic(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    struct code_name name;
    const unsigned count = call->arguments->count;
    static const char *const constants[] = {"MASK", "FIELD", "BIT", "SHIFT", "POS", "OFFSET", "ADDR", "NAME", "KEY",
                                            "LSB", "MSB", "mask", "field", "shift", "offset", "name", "ROW", "row",
                                            "REG("};
    static const char *const texts[] = {"cmp", "CMP", "print", "PRINT", "Print", "show", "SHOW", "dump", "DUMP",
                                        "puts", "log", "LOG", "report", "assert", "ASSERT", "expect", "EXPECT",
                                        "find", "lookup", "strs"};

    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (memmem(call->name->text, call->name->length, constants[i], strlen(constants[i])) != NULL) {
            return false; /* APMU_MASK(PMCR_EL0, E) is a constant */
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (memmem(call->name->text, call->name->length, texts[i], strlen(texts[i])) != NULL) {
            return false; /* strcmp(name, "pmceid0") and print_hex("PMCEID0", value) use a name as a text */
        }
    }
    if (do_template(w, call, result)) {
        return true;
    }
    for (unsigned i = 0; i < count && i < 2 && count <= 2; i++) {
        const struct code_range range = call->arguments->ranges[i];
        const struct code_token *t = code_resolve(w, &w->tokens[range.from]);

        if (range.to != range.from + 1 || (t->kind != TOKEN_NAME && t->kind != TOKEN_STRING) ||
            code_find_variable(w, code_hash(CODE_HASH, t->text, t->length)) != NULL ||
            !code_find_register(t->text, t->length, &name) || !code_is_pmu(name.reg) || name.reg >= CODE_DEMCR) {
            continue;
        }
        if (count == 1) {
            *result = code_read_register(w, &name, call->name, name.aarch32 ? 32 : 64, 0);
        } else {
            code_write_register(w, &name, call->name, code_argument(w, call, 1 - i), name.aarch32 ? 32 : 64, 0);
        }
        return true;
    }
    return false;
}

/* Returns the next word of a name: "now" of "cyc_now", "Cycles" of "readCycles".  *@at moves behind it. */
static size_t next_word(const struct code_token *t, size_t *at, const char **word)
{
    size_t i = *at;

    while (i < t->length && !isalpha((unsigned char)t->text[i])) {
        i++;
    }
    *word = t->text + i;
    for (*at = i + 1; *at < t->length && isalpha((unsigned char)t->text[*at]); (*at)++) {
        if (isupper((unsigned char)t->text[*at]) && islower((unsigned char)t->text[*at - 1])) {
            break;
        }
    }
    return i < t->length ? *at - i : 0;
}

static bool is_one_of(const char *word, size_t length, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && strncasecmp(words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the name of a function says that it returns the count of cycles: cyc_now, readCycles, ccnt. */
static bool names_cycles(const struct code_token *t)
{
    static const char *const counts[] = {"cyc", "cycle", "cycles", "ccnt", "cyccnt", "pmccntr", "rdcycle",
                                         "rdtsc", "tsc", "clk", "ticks"};
    static const char *const plain[] = {"now", "read", "get", "rd", "sample", "stamp", "current", "count", "val",
                                        "value", "counter", "cpu", "pmu", "core", "arm", "fetch", "snap"};
    size_t at = 0, words = 0;
    const char *word;
    bool counted = false;

    for (size_t length = next_word(t, &at, &word); length != 0; length = next_word(t, &at, &word)) {
        words++;
        if (is_one_of(word, length, counts, sizeof counts / sizeof counts[0])) {
            counted |= length > 3 || strncasecmp(word, "cyc", 3) == 0;
        } else if (!is_one_of(word, length, plain, sizeof plain / sizeof plain[0])) {
            return false;
        }
    }
    return counted && words < 4;
}

/* A function that the text does not have, and whose name says that it reads the cycle counter. */
bool code_do_guessed(struct code_walk *w, const struct code_one_call *call, struct code_value *result)
{
    struct code_name name = {.reg = CODE_PMCCNTR, .n_known = true};

    if (call->arguments->count != 0 || w->code->facts[CODE_HAS_KERNEL] != 0 || !names_cycles(call->name)) {
        return false; /* get_cycles() of Linux is the generic timer */
    }
    if (w->code->facts[CODE_HAS_M] != 0) {
        name.reg = CODE_DWT_CYCCNT;
    }
    *result = code_read_register(w, &name, call->name, 64, CODE_NAMED | CODE_GUESSED);
    result->count = false;
    return true;
}

bool code_name_has(const struct code_token *t, const char *word)
{
    const size_t length = strlen(word);

    for (size_t i = 0; i + length <= t->length; i++) {
        if (strncasecmp(t->text + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Notes what the name of a call says of interrupts: a function that it takes becomes a handler. */
static void note_interrupt(struct code_walk *w, const struct code_one_call *call)
{
    const struct code_token *name = call->name;
    const bool controller = code_name_has(name, "gic") || code_name_has(name, "irq") ||
                            code_name_has(name, "intc") || code_name_has(name, "intr") ||
                            code_name_has(name, "ppi") || code_name_has(name, "interrupt");

    if (controller && (code_name_has(name, "enable") || code_name_has(name, "unmask")) &&
        !code_name_has(name, "disable")) {
        code_note(w, call->arguments->count != 0 ? CODE_HAS_GIC : CODE_HAS_UNMASK, name->line);
    }
    if (controller && code_name_has(name, "disable") && call->arguments->count == 0) {
        code_note(w, CODE_HAS_MASK, name->line);
    }
    if (controller && code_name_has(name, "restore")) {
        code_note(w, CODE_HAS_UNMASK, name->line);
    }
    if (!controller && !code_name_has(name, "isr") && !code_name_has(name, "vector") &&
        !code_name_has(name, "handler")) {
        return;
    }
    for (unsigned i = 0; i < call->arguments->count; i++) {
        const struct code_range range = call->arguments->ranges[i];
        const size_t last = range.to - 1;
        const struct code_definition *d =
            w->tokens == w->lexed->tokens && w->tokens[last].kind == TOKEN_NAME
                ? code_find_definition(w, code_resolve(w, &w->tokens[last]))
                : NULL;

        if (d != NULL && !d->macro && !d->loose && range.to - range.from <= 3) {
            w->code->functions[d->function].handler = true;
            code_note(w, CODE_HAS_INTERRUPT, name->line);
        }
    }
}

void code_do_unknown(struct code_walk *w, const struct code_one_call *call)
{
    struct code_step *s;

    if (memmem(call->name->text, call->name->length, "for_each_", 9) != NULL && call->name->length > 11 &&
        memmem(call->name->text, call->name->length, "cpu", 3) != NULL) {
        code_note(w, CODE_HAS_EACH_CPU, call->name->line);
        code_note(w, CODE_HAS_EACH_OTHER, call->name->line);
        return;
    }
    note_interrupt(w, call);
    for (unsigned i = 0; i < call->arguments->count; i++) {
        code_argument(w, call, i);
    }
    s = code_step_add(w, CODE_WORK, call->name);
    if (memmem(call->name->text, call->name->length, "sleep", 5) != NULL ||
        memmem(call->name->text, call->name->length, "delay", 5) != NULL ||
        memmem(call->name->text, call->name->length, "print", 5) != NULL) {
        s->act = CODE_DELAY;
    }
}

