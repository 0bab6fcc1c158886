/* SPDX-License-Identifier: BSD-2-Clause */
/* Follows the registers through the steps of code, and helps the rules on code with texts. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"

/* ---------------------------------------------------------------------------------------------------------------
 * The registers, step by step.
 */

/* Stores @value in @cell.  Under a condition that is not known, bits that differ become unknown. */
static void put(struct code_cell *cell, const struct code_step *s, size_t step, struct code_value value)
{
    if ((s->flags & (CODE_MAYBE | CODE_HANDLER)) != 0) {
        value.known &= cell->value.known & ~(cell->value.bits ^ value.bits);
        value.bits &= value.known;
        value.kept &= cell->value.kept;
    }
    cell->value = value;
    cell->line = s->line;
    cell->column = s->column;
    cell->step = step;
}

/* Writes 1 to set bits, or to clear them. */
static void set_bits(struct code_cell *cell, const struct code_step *s, size_t step, bool set)
{
    const uint64_t ones = s->value.bits, maybe = ~s->value.known & UINT32_MAX;
    struct code_value v = cell->value;

    cell->maybe |= set && s->value.read == 0 ? maybe : 0;
    cell->maybe |= set && (s->flags & CODE_MAYBE) != 0 ? ones : 0;
    v.bits = set ? v.bits | ones : v.bits & ~ones;
    v.known |= ones;
    if (set) {
        v.known &= ~(maybe & ~v.bits); /* a bit that may be written as 1 may be set now */
    } else {
        v.known &= ~(maybe & v.bits);
        v.bits &= v.known;
    }
    put(cell, s, step, v);
}

/*
 * Returns a value that was read and modified with what was known of the register when it was read, for "read | 1".  The
 * register is @plain of @st; a value that was saved before other writes restores what it was.
 */
static struct code_value merged(const struct code_case *k, const struct code_step *s, const struct code_state *st,
                                const struct code_cell *plain)
{
    struct code_value v = s->value;

    if (v.read != 0 && !v.vague && v.read <= k->c->step_count && k->c->steps[v.read - 1].reg == s->reg) {
        const struct code_cell *cell = (const struct code_cell *)(const void *)((const char *)&k->states[v.read - 1] +
                                                                 ((const char *)plain - (const char *)st));

        v.bits |= cell->value.bits & cell->value.known & ~v.known;
        v.known |= cell->value.known;
    }
    return v;
}

static void write_type(struct code_state *st, const struct code_step *s, size_t step)
{
    unsigned n = s->n;

    if (s->reg == CODE_PMXEVTYPER) {
        const struct code_value *sel = &st->selr.value;

        if ((sel->known & 31) != 31) {
            return;
        }
        n = (unsigned)(sel->bits & 31);
    } else if (s->reg == CODE_PMCCFILTR) {
        n = CODE_CYCLE;
    } else if (!s->n_known) {
        return;
    }
    put(&st->types[n & 31], s, step, s->value);
}

/* Returns step @step, as part of the code where handlers alone set the PMU up. */
static struct code_step executed(const struct code_case *k, size_t step)
{
    struct code_step s = k->c->steps[step];

    if (k->handlers_alone) {
        s.flags &= (uint16_t)~CODE_HANDLER;
    }
    return s;
}

static void apply(const struct code_case *k, struct code_state *st, size_t step)
{
    const struct code_step copy = executed(k, step), *const s = &copy;
    struct code_cell *plain = NULL;

    if (s->act != CODE_WRITE) {
        return;
    }
    switch (s->reg) {
    case CODE_PMCNTENSET:
    case CODE_PMCNTENCLR:
        set_bits(&st->cnten, s, step, s->reg == CODE_PMCNTENSET);
        return;
    case CODE_PMINTENSET:
    case CODE_PMINTENCLR:
        set_bits(&st->inten, s, step, s->reg == CODE_PMINTENSET);
        return;
    case CODE_PMEVTYPER:
    case CODE_PMXEVTYPER:
    case CODE_PMCCFILTR:
        write_type(st, s, step);
        return;
    case CODE_PMCR:
        plain = &st->pmcr;
        break;
    case CODE_PMSELR:
        plain = &st->selr;
        break;
    case CODE_PMUSERENR:
        plain = &st->userenr;
        break;
    case CODE_MDCR_EL2:
        plain = &st->mdcr2;
        break;
    case CODE_MDCR_EL3:
        plain = &st->mdcr3;
        break;
    case CODE_HCR_EL2:
        plain = &st->hcr;
        break;
    case CODE_SCR_EL3:
        plain = &st->scr;
        break;
    case CODE_SDER:
        plain = &st->sder;
        break;
    case CODE_DEMCR:
        plain = &st->demcr;
        break;
    case CODE_DWT_CTRL:
        plain = &st->dwt;
        break;
    default:
        return;
    }
    plain->maybe = s->value.read == 0 ? ~s->value.known : plain->maybe;
    put(plain, s, step, merged(k, s, st, plain));
    st->ever_e |= s->reg == CODE_PMCR && (s->value.bits & 1) != 0;
}

int code_counter_of(const struct code_case *k, size_t step)
{
    const struct code_step *s = &k->c->steps[step];
    const struct code_value *sel = &k->states[step].selr.value;

    switch (s->reg) {
    case CODE_PMCCNTR:
    case CODE_PMCCFILTR:
        return CODE_CYCLE;
    case CODE_PMEVCNTR:
    case CODE_PMEVTYPER:
        return s->n_known && s->n < 31 ? s->n : -1;
    case CODE_PMXEVCNTR:
    case CODE_PMXEVTYPER:
        return (sel->known & 31) == 31 ? (int)(sel->bits & 31) : -1;
    default:
        return -1;
    }
}

/* Returns true if handlers alone enable counters: they are those of calls, such as SMC, and interrupt nothing. */
static bool set_up_in_handlers(const struct code_case *k)
{
    bool inside = false, outside = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if (code_does(s, CODE_WRITE, CODE_PMCR) || code_does(s, CODE_WRITE, CODE_PMCNTENSET)) {
            *((s->flags & CODE_HANDLER) != 0 ? &inside : &outside) = true;
        }
    }
    return inside && !outside;
}

void code_simulate(struct code_case *k)
{
    struct code_state st;
    uint32_t maybe = 0;

    k->handlers_alone = set_up_in_handlers(k);
    memset(&st, 0, sizeof st);
    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        int n;

        apply(k, &st, i);
        k->states[i] = st;
        n = s->act == CODE_READ || s->act == CODE_WRITE ? code_counter_of(k, i) : -1;
        if ((s->flags & CODE_GUESSED) != 0) {
            continue;
        }
        if (s->act == CODE_READ && n >= 0 && s->reg != CODE_PMCCFILTR && s->reg != CODE_PMEVTYPER &&
            s->reg != CODE_PMXEVTYPER) {
            *((s->flags & CODE_MAYBE) != 0 ? &maybe : &k->read_counters) |= UINT32_C(1) << n;
            k->read_lines[n] = k->read_lines[n] == 0 ? s->line : k->read_lines[n];
        }
        k->reads |= s->act == CODE_READ && (s->reg == CODE_PMCCNTR || s->reg == CODE_PMEVCNTR ||
                                            s->reg == CODE_PMXEVCNTR || s->reg == CODE_DWT_CYCCNT);
        k->typed |= s->act == CODE_WRITE && n >= 0 && n < 31 && (s->reg == CODE_PMEVTYPER || s->reg == CODE_PMXEVTYPER)
                        ? UINT32_C(1) << n
                        : 0;
        k->enabled |= code_does(s, CODE_WRITE, CODE_PMCNTENSET) ? (uint32_t)s->value.bits : 0;
        k->set_up |= s->act == CODE_WRITE && (s->reg == CODE_PMCR || s->reg == CODE_PMCNTENSET);
    }
    k->last = st;
    if ((maybe & (maybe - 1) & ((maybe & (maybe - 1)) - 1)) == 0) { /* more than two are the cases of a switch */
        k->read_counters |= maybe;
    }
    k->enabled |= k->enabled == 0 && k->typed == 0 && k->read_counters == 0 &&
                          (st.types[CODE_CYCLE].line != 0 || (st.userenr.value.bits & 4) != 0) && st.pmcr.line != 0
                      ? UINT32_C(1) << CODE_CYCLE
                      : 0;
    k->used = k->read_counters | k->typed | k->enabled;
}

size_t code_last_write(const struct code_case *k, enum code_register reg)
{
    for (size_t i = k->c->step_count; i-- > 0;) {
        if (code_does(&k->c->steps[i], CODE_WRITE, reg)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Texts.
 */

const char *code_name_text(const struct code_case *k, enum code_register reg, unsigned n, char buf[32])
{
    return code_register_name(reg, n, k->aarch32, buf);
}

/* Writes "p15, 0, %s, c9, c12, 1" for @reg.  Returns false if AArch32 has no such register. */
static bool coproc_text(enum code_register reg, unsigned n, const char *operand, char buf[80])
{
    static const struct {
        enum code_register reg;
        const char *text;
    } rows[] = {
        {CODE_PMCR, "p15, 0, %s, c9, c12, 0"},           {CODE_PMCNTENSET, "p15, 0, %s, c9, c12, 1"},
        {CODE_PMCNTENCLR, "p15, 0, %s, c9, c12, 2"},     {CODE_PMOVSCLR, "p15, 0, %s, c9, c12, 3"},
        {CODE_PMSWINC, "p15, 0, %s, c9, c12, 4"},        {CODE_PMSELR, "p15, 0, %s, c9, c12, 5"},
        {CODE_PMCCNTR, "p15, 0, %s, c9, c13, 0"},        {CODE_PMXEVTYPER, "p15, 0, %s, c9, c13, 1"},
        {CODE_PMXEVCNTR, "p15, 0, %s, c9, c13, 2"},      {CODE_PMUSERENR, "p15, 0, %s, c9, c14, 0"},
        {CODE_PMINTENSET, "p15, 0, %s, c9, c14, 1"},     {CODE_PMINTENCLR, "p15, 0, %s, c9, c14, 2"},
        {CODE_PMOVSSET, "p15, 0, %s, c9, c14, 3"},       {CODE_PMCCFILTR, "p15, 0, %s, c14, c15, 7"},
        {CODE_MDCR_EL2, "p15, 4, %s, c1, c1, 1"},        {CODE_MDCR_EL3, "p15, 0, %s, c1, c3, 1"},
        {CODE_A11_PMNC, "p15, 0, %s, c15, c12, 0"},      {CODE_A11_CCNT, "p15, 0, %s, c15, c12, 1"},
        {CODE_A11_PMN0, "p15, 0, %s, c15, c12, 2"},      {CODE_A11_PMN1, "p15, 0, %s, c15, c12, 3"},
        {CODE_A11_VALIDATION, "p15, 0, %s, c15, c9, 0"},
    };
    char row[80];

    if (reg == CODE_PMEVTYPER || reg == CODE_PMEVCNTR) {
        snprintf(row, sizeof row, "p15, 0, %%s, c14, c%u, %u", (reg == CODE_PMEVTYPER ? 12u : 8u) + n / 8, n % 8);
        snprintf(buf, 80, "p15, 0, %s, c14, c%u, %u", operand, (reg == CODE_PMEVTYPER ? 12u : 8u) + n / 8, n % 8);
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].reg == reg) {
            const char *mark = strstr(rows[i].text, "%s");

            snprintf(buf, 80, "%.*s%s%s", (int)(mark - rows[i].text), rows[i].text, operand, mark + 2);
            return true;
        }
    }
    return false;
}

static void lower(char *text)
{
    for (; *text != '\0'; text++) {
        *text = (char)tolower((unsigned char)*text);
    }
}

/* Returns the register of the model, or APMU_REG_ALL if it has none. */
static enum apmu_reg model_register(enum code_register reg)
{
    static const struct {
        enum code_register reg;
        enum apmu_reg model;
    } rows[] = {
#define CODE_PMU(id, reg) {CODE_##id, APMU_REG_##reg},
#include "../../read/code/registers.def"
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].reg == reg) {
            return rows[i].model;
        }
    }
    return APMU_REG_ALL;
}

/* Writes the memory-mapped register as the code can access it: by its base. */
static const char *memory_text(const struct code_case *k, enum code_register reg, unsigned n, char buf[120])
{
    const enum apmu_reg known = model_register(reg);
    char name[32];

    if (known == APMU_REG_ALL || !form_place(k->form, known, n, buf)) {
        snprintf(buf, 120, "%s", code_register_name(reg, n, true, name));
    }
    return buf;
}

const char *code_write_text(const struct code_case *k, enum code_register reg, unsigned n, const char *value,
                            char buf[160])
{
    char name[32], coproc[80];

    code_register_name(reg, n, k->aarch32, name);
    if (k->form->memory) {
        char place[120];

        snprintf(buf, 160, "%s = %s", memory_text(k, reg, n, place), value);
    } else if (k->aarch32 && coproc_text(reg, n, "Rt", coproc)) {
        snprintf(buf, 160, "MCR %s with Rt = %s (%s)", coproc, value, name);
    } else if (k->form->id == FORM_LINUX) {
        lower(name);
        snprintf(buf, 160, "write_sysreg(%s, %s)", value, name);
    } else if (k->form->id == FORM_TFA) {
        lower(name);
        snprintf(buf, 160, "write_%s(%s)", name, value);
    } else if (k->form->id == FORM_MEMORY) {
        snprintf(buf, 160, "%s = %s", name, value);
    } else {
        snprintf(buf, 160, "MSR %s, Xt with Xt = %s", name, value);
    }
    return buf;
}

const char *code_read_text(const struct code_case *k, enum code_register reg, unsigned n, char buf[160])
{
    char name[32], coproc[80];

    code_register_name(reg, n, k->aarch32, name);
    if (k->aarch32 && coproc_text(reg, n, "Rt", coproc)) {
        snprintf(buf, 160, "MRC %s (%s)", coproc, name);
    } else if (k->form->id == FORM_LINUX) {
        lower(name);
        snprintf(buf, 160, "read_sysreg(%s)", name);
    } else {
        snprintf(buf, 160, k->form->id == FORM_MEMORY ? "%s" : "MRS Xt, %s", name);
    }
    return buf;
}

const char *code_isb_text(const struct code_case *k)
{
    return k->form->id == FORM_LINUX || k->form->id == FORM_TFA ? "isb()"
           : k->form->id == FORM_RUST                           ? "asm!(\"isb\")"
                                                                : "ISB";
}

struct suspect *code_suspect(const struct code_case *k, enum why_cause_id cause, enum suspect_confidence confidence,
                             size_t step, const char *text, const char *cure)
{
    const struct code_step *s = step < k->c->step_count ? &k->c->steps[step] : NULL;
    char quote[120], because[400];
    struct suspect *suspect;

    reading_quote(k->r, s != NULL ? s->line : 0, quote, sizeof quote);
    snprintf(because, sizeof because, "%s%s%.270s", quote, quote[0] != '\0' ? " -- " : "", text);
    suspect = suspect_add(k->all, cause, confidence, s != NULL ? s->line : 0, because, cure);
    suspect->column = s != NULL ? s->column : 0;
    return suspect;
}

bool code_is_count(enum code_register reg)
{
    return reg == CODE_PMCCNTR || reg == CODE_PMEVCNTR || reg == CODE_PMXEVCNTR || reg == CODE_DWT_CYCCNT ||
           reg == CODE_A11_CCNT || reg == CODE_A11_PMN0 || reg == CODE_A11_PMN1;
}

bool code_complains(const struct code_case *k)
{
    return k->complains;
}

static bool has_word(const char *text, size_t length, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i + n <= length; i++) {
        if ((text[i] | 0x20) == (word[0] | 0x20) && strncasecmp(text + i, word, n) == 0 &&
            (i == 0 || (!isalnum((unsigned char)text[i - 1]) && text[i - 1] != '\\') ||
             !isalnum((unsigned char)word[0])) && /* "\n" is no word */
            (i + n == length || !isalnum((unsigned char)text[i + n]) || !isalnum((unsigned char)word[n - 1])) &&
            !text_denies(text, i)) {
            return true;
        }
    }
    return false;
}

bool code_comment_says(const struct code_comment *comment, const char *word)
{
    return has_word(comment->text, comment->length, word);
}

bool code_says_beside(const struct code_case *k, const char *word)
{
    return k->r->said != NULL && has_word(k->r->said, strlen(k->r->said), word);
}

bool code_says(const struct code_case *k, const char *word)
{
    for (size_t i = 0; i < k->c->comment_count && i < 2000; i++) {
        if (code_comment_says(&k->c->comments[i], word)) {
            return true;
        }
    }
    return code_says_beside(k, word);
}

bool code_says_any(const struct code_case *k, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code_says(k, words[i])) {
            return true;
        }
    }
    return false;
}

bool code_line_says(const struct code_case *k, uint32_t line, const char *word)
{
    const size_t i = text_find(&k->r->text, line);

    return i < k->r->text.count && k->r->text.lines[i].number == line &&
           has_word(k->r->text.lines[i].text, k->r->text.lines[i].length, word);
}

bool code_line_part(const struct code_case *k, uint32_t line, const char *part)
{
    const size_t i = text_find(&k->r->text, line);

    return i < k->r->text.count && k->r->text.lines[i].number == line &&
           memmem(k->r->text.lines[i].text, k->r->text.lines[i].length, part, strlen(part)) != NULL;
}

bool code_function_says(const struct code_case *k, unsigned function, const char *word)
{
    const struct code_function *f = &k->c->functions[function];

    return function < k->c->function_count && f->length != 0 && memmem(f->name, f->length, word, strlen(word)) != NULL;
}
