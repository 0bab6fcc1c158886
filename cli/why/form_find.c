/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the form in which an input's cures are printed. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "form.h"

#define SEARCHED 200000 /* the bytes at the beginning of the text in which words are looked for */

static bool has(const struct reading *r, const char *word)
{
    return memmem(r->text.joined, r->text.length < SEARCHED ? r->text.length : SEARCHED, word, strlen(word)) != NULL;
}

/* Returns true if an access of the PMU has flag @flag. */
static bool has_access(const struct code *c, unsigned flag)
{
    for (size_t i = 0; i < c->step_count; i++) {
        const struct code_step *s = &c->steps[i];

        if ((s->act == CODE_READ || s->act == CODE_WRITE) && (s->flags & flag) != 0 &&
            (code_is_pmu(s->reg) || s->reg == CODE_UNKNOWN)) {
            return true;
        }
    }
    return false;
}

static bool is_armasm(const struct reading *r)
{
    return has(r, "AREA ") || has(r, "AREA\t") || has(r, " PROC\n") || has(r, "\tEXPORT") || has(r, " EXPORT ") ||
           (has(r, "\n        END\n") && has(r, "; "));
}

/* ---------------------------------------------------------------------------------------------------------------
 * The base of the memory-mapped view.
 */

/* Reads the number at @text if it may be the address of a frame: 4 KiB aligned, and no mask. */
static bool is_frame(const char *text)
{
    char *end;
    const unsigned long long value = strtoull(text, &end, 0);

    return end != text && value >= 0x10000 && (value & 0xFFF) == 0 && (value & (value - 1)) != 0;
}

/* Takes the name or the number at @text, of @length characters, for the base. */
static void take_base(struct cure_form *f, const char *text, size_t length)
{
    if (length < sizeof f->base) {
        snprintf(f->base, sizeof f->base, "%.*s", (int)length, text);
    }
}

/* Finds "#define NAME 0x80410000" in a line.  Returns true if it defines a frame. */
static bool find_definition(const char *text, struct cure_form *f)
{
    const char *name;
    size_t length = 0;

    text += strspn(text, " \t");
    if (strncmp(text, "#define", 7) != 0) {
        return false;
    }
    name = text + 7 + strspn(text + 7, " \t");
    while (text_is_word(name[length])) {
        length++;
    }
    text = name + length;
    if (length == 0 || *text == '(') { /* a macro with arguments */
        return false;
    }
    text += strspn(text, " \t(");
    if (!is_frame(text)) {
        return false;
    }
    take_base(f, name, length);
    return true;
}

/* Finds "NAME + 0xE04" or "NAME + offset" in a line.  Returns true if NAME is called a base or is a PMU's. */
static bool find_sum(const char *text, struct cure_form *f)
{
    for (const char *plus = strchr(text, '+'); plus != NULL; plus = strchr(plus + 1, '+')) {
        const char *end = plus, *start;
        char name[64];

        while (end > text && (end[-1] == ' ' || end[-1] == ')')) {
            end--;
        }
        start = end;
        while (start > text && text_is_word(start[-1])) {
            start--;
        }
        if (start == end || (size_t)(end - start) >= sizeof name || isdigit((unsigned char)*start)) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
        if (strcasestr(name, "base") != NULL || strcasestr(name, "pmu") != NULL) {
            take_base(f, name, strlen(name));
            return true;
        }
    }
    return false;
}

/* Finds the first number in a line that may be a frame's address. */
static bool find_number(const char *text, struct cure_form *f)
{
    for (const char *at = strstr(text, "0x"); at != NULL; at = strstr(at + 2, "0x")) {
        if (is_frame(at)) {
            size_t length = 2;

            while (isxdigit((unsigned char)at[length])) {
                length++;
            }
            take_base(f, at, length);
            return true;
        }
    }
    return false;
}

static void find_base(const struct reading *r, struct cure_form *f)
{
    static bool (*const finders[])(const char *, struct cure_form *) = {find_definition, find_sum, find_number};
    const size_t lines = r->text.count < 4000 ? r->text.count : 4000;

    for (size_t k = 0; k < sizeof finders / sizeof finders[0]; k++) {
        for (size_t i = 0; i < lines; i++) {
            if (finders[k](r->text.lines[i].text, f)) {
                return;
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The form.
 */

static enum form_id form_of_code(const struct reading *r, const struct code *c, const struct cure_form *f)
{
    if (has(r, "armpmu/") && has(r, "apmu_")) {
        return FORM_ARMPMU;
    }
    if (c->facts[CODE_HAS_RUST] != 0 || has(r, "asm!(")) {
        return FORM_RUST;
    }
    if (c->facts[CODE_HAS_M] != 0) {
        return FORM_MEMORY;
    }
    if (has_access(c, CODE_ASM_FILE) && !has_access(c, CODE_INLINE)) {
        return is_armasm(r) ? FORM_ARMASM : FORM_ASM;
    }
    if (c->facts[CODE_HAS_KERNEL] != 0 || has(r, "write_sysreg(")) {
        return FORM_LINUX;
    }
    if (!f->a32 && (c->facts[CODE_HAS_TFA] != 0 || has(r, "write_pmcr_el0(") || has(r, "write_mdcr_el3("))) {
        return FORM_TFA;
    }
    return f->memory ? FORM_MEMORY : FORM_C;
}

static enum form_id form_of_machine(const struct reading *r)
{
    const struct reading_machine *m = &r->machine;

    if (reading_value(&m->pmu, READING_PMU_UNKNOWN) == READING_PMU_M) {
        return FORM_MEMORY;
    }
    return reading_value(&m->place, READING_PLACE_UNKNOWN) == READING_PLACE_KERNEL || m->linux_os.known ? FORM_LINUX
                                                                                                        : FORM_C;
}

void form_find(const struct reading *r, bool a32, struct cure_form *f)
{
    const struct reading_machine *m = &r->machine;
    const uint64_t pmu = reading_value(&m->pmu, READING_PMU_UNKNOWN);

    *f = (struct cure_form){.a32 = a32 || pmu == READING_PMU_V7 || pmu == READING_PMU_ARM11};
    snprintf(f->base, sizeof f->base, "PMU_BASE");
    f->selected = true;
    f->underscores = r->code == NULL || has(r, "__asm__"); /* asm is no word of strict C11 */
    f->isb_macro = r->text.length != 0 && has(r, "isb();") && has(r, "isb()");
    f->cmsis = r->text.length != 0 && (has(r, "CoreDebug") || has(r, "DWT->"));
    if (r->code != NULL) {
        f->a32 |= has_access(r->code, CODE_A32);
        f->memory = has_access(r->code, CODE_MEMORY) || r->code->facts[CODE_HAS_M] != 0;
        if (r->code->facts[CODE_HAS_M] != 0) {
            snprintf(f->base, sizeof f->base, "0xE0003000"); /* the PMU of Armv8.1-M */
        } else if (f->memory) {
            find_base(r, f);
        }
        f->id = form_of_code(r, r->code, f);
        return;
    }
    f->a32 |= reading_value(&m->aarch32, 0) == 1;
    f->memory = pmu == READING_PMU_M;
    f->id = form_of_machine(r);
}

void form_choose(struct cure_form *f, enum form_id id)
{
    f->memory = id == FORM_MEMORY || id == FORM_UBOOT || (f->memory && id == FORM_LINUX);
    f->id = id;
}
