/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints remedies as lines of C, Rust, assembly or U-Boot commands. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../state/names.h"
#include "form.h"
#include "why.h"

/* Where the lines go. */
struct form_printer {
    const struct cure_form *form;
    const char *indent;
    char *buf;
    size_t size;
};

static const struct {
    const char *name, *text;
} forms[] = {
#define FORM(id, name, text) {name, text},
#include "forms.def"
};

/* Registers that the model lacks: their names, and where MCR or a store reaches them. */
static const struct {
    enum code_register reg;
    const char *coproc, *cmsis, *address;
} plains[] = {
    {CODE_A11_PMNC, "p15, 0, %s, c15, c12, 0", NULL, NULL},
    {CODE_A11_CCNT, "p15, 0, %s, c15, c12, 1", NULL, NULL},
    {CODE_A11_PMN0, "p15, 0, %s, c15, c12, 2", NULL, NULL},
    {CODE_A11_PMN1, "p15, 0, %s, c15, c12, 3", NULL, NULL},
    {CODE_A11_VALIDATION, "p15, 0, %s, c15, c9, 0", NULL, NULL},
    {CODE_DEMCR, NULL, "CoreDebug->DEMCR", "0xE000EDFCU"},
    {CODE_DWT_CTRL, NULL, "DWT->CTRL", "0xE0001000U"},
    {CODE_DWT_CYCCNT, NULL, "DWT->CYCCNT", "0xE0001004U"},
    {CODE_DWT_LAR, NULL, NULL, "0xE0001FB0U"},
};

enum { PLAINS = sizeof plains / sizeof plains[0] };

bool form_by_name(const char *name, enum form_id *id)
{
    for (size_t i = 0; i < FORM_IDS; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            *id = (enum form_id)i;
            return true;
        }
    }
    return false;
}

void form_list(FILE *out)
{
    for (size_t i = 0; i < FORM_IDS; i++) {
        fprintf(out, "%-8s %s\n", forms[i].name, forms[i].text);
    }
}

bool form_has_functions(const struct cure_form *f)
{
    return f->id != FORM_ASM && f->id != FORM_ARMASM && f->id != FORM_UBOOT;
}

static bool is_assembly(const struct cure_form *f)
{
    return f->id == FORM_ASM || f->id == FORM_ARMASM;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Words: registers, numbers.
 */

/* Returns the index of the row of a register that the model lacks, or PLAINS. */
static size_t find_plain(enum code_register reg)
{
    size_t i = 0;

    while (i < PLAINS && plains[i].reg != reg) {
        i++;
    }
    return i;
}

/* Returns true if old assemblers know the register by its name: it came with no later extension. */
static bool is_old(enum apmu_reg reg)
{
    const enum apmu_gate gate = apmu_reg_info(reg)->gate;

    return gate == APMU_GATE_ALWAYS || gate == APMU_GATE_PMUv3 || gate == APMU_GATE_AA64EL2 ||
           gate == APMU_GATE_AA64EL3 || gate == APMU_GATE_EL2 || gate == APMU_GATE_EL3;
}

/* Writes the name by which A64 assemblers know the register: pmcr_el0, or s3_3_c9_c12_0 if it is a newer one. */
static const char *a64_name(enum apmu_reg reg, unsigned n, char buf[48])
{
    char name[24];

    if (!is_old(reg) && apmu_reg_info(reg)->key != 0) {
        const unsigned key = apmu_reg_info(reg)->key + n;

        snprintf(buf, 48, "s%u_%u_c%u_c%u_%u", key >> 14 & 3u, key >> 11 & 7u, key >> 7 & 15u, key >> 3 & 15u,
                 key & 7u);
        return buf;
    }
    snprintf(buf, 48, "%s", apmu_reg_name(reg, n, name));
    for (char *c = buf; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
    return buf;
}

/* Writes the operands of MRC and MCR for a register, with @operand for the general register. */
static const char *coproc(const struct remedy_step *s, const char *operand, char buf[80])
{
    const size_t i = find_plain(s->plain);

    buf[0] = '\0';
    if (i < PLAINS && plains[i].coproc != NULL) {
        const char *mark = strstr(plains[i].coproc, "%s");

        snprintf(buf, 80, "%.*s%s%s", (int)(mark - plains[i].coproc), plains[i].coproc, operand, mark + 2);
    } else if (s->plain == CODE_NO_REGISTER) {
        why_operands_a32(s->reg, s->n, operand, buf);
    }
    return buf;
}

/* Finds the offset of a register in the external view.  Returns false if it is not there. */
static bool offset_of(enum apmu_reg reg, unsigned n, unsigned *offset)
{
    struct names_place place;
    char name[24], *end;

    apmu_reg_name(reg, n, name);
    end = strstr(name, "_EL");
    if (end != NULL) {
        *end = '\0';
    }
    if (!names_external(name, &place) || place.offset[NAMES_EXT32] == NAMES_NOWHERE) {
        return false;
    }
    *offset = place.offset[NAMES_EXT32];
    return true;
}

/* Writes the register as something to assign to.  Returns false if it is not in memory. */
static bool lvalue(const struct cure_form *f, const struct remedy_step *s, char *buf)
{
    const size_t i = find_plain(s->plain);
    unsigned offset;

    if (i < PLAINS && plains[i].address != NULL) {
        if (f->cmsis && plains[i].cmsis != NULL) {
            snprintf(buf, 120, "%s", plains[i].cmsis);
        } else {
            snprintf(buf, 120, "*(volatile uint32_t *)%s", plains[i].address);
        }
        return true;
    }
    if (s->plain != CODE_NO_REGISTER || !offset_of(s->reg, s->n, &offset)) {
        return false;
    }
    snprintf(buf, 120, "*(volatile uint32_t *)(%s%s + 0x%03X)", f->base,
             isdigit((unsigned char)f->base[0]) ? "UL" : "", offset);
    return true;
}

bool form_place(const struct cure_form *f, enum apmu_reg reg, unsigned n, char buf[120])
{
    const struct remedy_step s = {.reg = reg, .n = n};

    return lvalue(f, &s, buf);
}

/* Returns the number of the only bit of @value that is 1, or -1. */
static int single_bit(uint64_t value)
{
    int n = 0;

    if (value == 0 || (value & (value - 1)) != 0) {
        return -1;
    }
    while ((value >> n & 1) == 0) {
        n++;
    }
    return n;
}

/* Writes @value as a number of the language. */
static const char *number(const struct cure_form *f, uint64_t value, char buf[40])
{
    const int bit = single_bit(value);
    const bool wide = !f->a32 && !f->memory;

    if (is_assembly(f) || f->id == FORM_UBOOT) {
        snprintf(buf, 40, "0x%" PRIx64, value);
    } else if (f->id == FORM_LINUX && bit >= 0) {
        snprintf(buf, 40, "BIT(%d)", bit);
    } else if (f->id == FORM_RUST) {
        snprintf(buf, 40, "0x%" PRIx64 "u%d", value, wide ? 64 : 32);
    } else if (bit >= 4) {
        snprintf(buf, 40, "1%s << %d", wide ? "UL" : "U", bit);
    } else {
        snprintf(buf, 40, value < 10 ? "%" PRIu64 "%s" : "0x%" PRIx64 "%s", value, wide ? "UL" : "U");
    }
    return buf;
}

/* Writes the same in parentheses if it is an expression. */
static const char *operand(const struct cure_form *f, uint64_t value, char buf[48])
{
    char text[40];

    snprintf(buf, 48, strchr(number(f, value, text), '<') != NULL ? "(%s)" : "%s", text);
    return buf;
}

/* Writes the value of a step, made from @old: "(value & ~8UL) | 1UL". */
static const char *expression(const struct cure_form *f, const struct remedy_step *s, const char *old, char buf[240])
{
    const char *not_sign = f->id == FORM_RUST ? "!" : "~";
    char set[48], clear[48];

    operand(f, s->set, set);
    operand(f, s->clear, clear);
    if (s->act == REMEDY_WRITE) {
        number(f, s->set, buf);
    } else if (s->clear == 0) {
        snprintf(buf, 240, "%s | %s", old, set);
    } else if (s->set == 0) {
        snprintf(buf, 240, "%s & %s%s", old, not_sign, clear);
    } else {
        snprintf(buf, 240, "(%s & %s%s) | %s", old, not_sign, clear, set);
    }
    return buf;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

static void line(const struct form_printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void line(const struct form_printer *p, const char *format, ...)
{
    char text[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    why_append(p->buf, p->size, "%s%s\n", p->indent, text);
}

void form_remark(const struct cure_form *f, const char *indent, const char *text, char *buf, size_t size)
{
    const char *sign = f->id == FORM_ARMASM         ? ";"
                       : f->id == FORM_UBOOT        ? "#"
                       : f->a32 && is_assembly(f)   ? "@"
                                                    : "//";

    if (is_assembly(f) || f->id == FORM_RUST || f->id == FORM_UBOOT) {
        why_append(buf, size, "%s%s %s\n", indent, sign, text);
    } else {
        why_append(buf, size, "%s/* %s */\n", indent, text);
    }
}

static void print_sync(const struct form_printer *p)
{
    switch (p->form->id) {
    case FORM_LINUX:
    case FORM_TFA:
        line(p, "isb();");
        return;
    case FORM_RUST:
        line(p, "unsafe { core::arch::asm!(\"isb\") };");
        return;
    case FORM_ASM:
    case FORM_ARMASM:
        line(p, "isb");
        return;
    case FORM_ARMPMU:
        line(p, "dev->ops->sync(dev->ctx);");
        return;
    case FORM_MEMORY:
    case FORM_UBOOT:
        return;
    default:
        if (p->form->isb_macro) {
            line(p, "isb();");
        } else {
            line(p, "%s volatile(\"isb\" : : : \"memory\");", p->form->underscores ? "__asm__" : "asm");
        }
    }
}

/* Prints a step as C with inline assembly, or as Rust. */
static void print_inline(const struct form_printer *p, const struct remedy_step *s)
{
    const struct cure_form *f = p->form;
    const char *word = f->underscores ? "__asm__" : "asm";
    const char *type = f->a32 ? "unsigned int" : "unsigned long";
    char get[100], put[100], name[48], text[80], value[240];

    if (f->a32) {
        snprintf(get, sizeof get, "mrc %s", coproc(s, f->id == FORM_RUST ? "{0}" : "%0", text));
        snprintf(put, sizeof put, "mcr %s", text);
    } else {
        a64_name(s->reg, s->n, name);
        snprintf(get, sizeof get, f->id == FORM_RUST ? "mrs {0}, %s" : "mrs %%0, %s", name);
        snprintf(put, sizeof put, f->id == FORM_RUST ? "msr %s, {0}" : "msr %s, %%0", name);
    }
    expression(f, s, "value", value);
    if (f->id == FORM_RUST) {
        line(p, "unsafe {");
        if (s->act == REMEDY_CHANGE) {
            line(p, "    let value: u%d;", f->a32 ? 32 : 64);
            line(p, "    core::arch::asm!(\"%s\", out(reg) value);", get);
        }
        line(p, "    core::arch::asm!(\"%s\", in(reg) %s);", put, value);
        line(p, "}");
    } else if (s->act == REMEDY_WRITE) {
        line(p, "%s volatile(\"%s\" : : \"r\"(%s));", word, put, value);
    } else {
        line(p, "{");
        line(p, "    %s value;", type);
        line(p, "    %s volatile(\"%s\" : \"=r\"(value));", word, get);
        line(p, "    %s volatile(\"%s\" : : \"r\"(%s));", word, put, value);
        line(p, "}");
    }
}

/* Prints a step as a call of functions that read and write: those of the kernel, or TF-A's. */
static void print_calls(const struct form_printer *p, const struct remedy_step *s)
{
    const struct cure_form *f = p->form;
    char name[48], old[80], value[240], set[40], clear[40];

    a64_name(s->reg, s->n, name);
    snprintf(old, sizeof old, f->id == FORM_TFA ? "read_%s()" : "read_sysreg(%s)", name);
    if (f->id == FORM_TFA) {
        line(p, "write_%s(%s);", name, expression(f, s, old, value));
    } else if (s->act == REMEDY_CHANGE && s->clear != 0 && s->set != 0) {
        line(p, "sysreg_clear_set(%s, %s, %s);", name, number(f, s->clear, clear), number(f, s->set, set));
    } else {
        line(p, "write_sysreg(%s, %s);", expression(f, s, old, value), name);
    }
}

/* Prints a step as a store of Rust to @place, an lvalue of C: its address follows the cast. */
static void print_rust_store(const struct form_printer *p, const struct remedy_step *s, const char *place)
{
    const char *star = strrchr(place, '*');
    char address[100], value[240], old[120];

    if (star == NULL) { /* C's name of a register, whose address the code does not give */
        line(p, "// write %s", expression(p->form, s, place, value));
        return;
    }
    snprintf(address, sizeof address, "%s", star + 2);
    for (char *c = address; *c != '\0'; c++) { /* 0xE0001000U */
        *c = *c == 'U' || *c == 'L' ? ' ' : *c;
    }
    snprintf(old, sizeof old, "core::ptr::read_volatile(%.*s as *const u32)", (int)strcspn(address, " "), address);
    line(p, "unsafe { core::ptr::write_volatile(%.*s as *mut u32, %s) };", (int)strcspn(address, " "), address,
         expression(p->form, s, old, value));
}

/* Prints a step as a store. */
static void print_store(const struct form_printer *p, const struct remedy_step *s)
{
    char place[140], number_text[48], value[240], address[100];
    const struct cure_form *f = p->form;
    unsigned offset;

    if (f->id == FORM_LINUX && s->plain == CODE_NO_REGISTER && offset_of(s->reg, s->n, &offset)) {
        snprintf(address, sizeof address, "%s + 0x%03X", isdigit((unsigned char)f->base[0]) ? "base" : f->base, offset);
        snprintf(place, sizeof place, "readl(%s)", address);
        line(p, "writel(%s, %s);", expression(f, s, place, value), address);
    } else if (f->id == FORM_RUST && lvalue(f, s, place)) {
        print_rust_store(p, s, place);
    } else if (!lvalue(f, s, place)) {
        line(p, "/* %s is not in the memory-mapped view */", apmu_reg_info(s->reg)->name);
    } else if (s->act == REMEDY_WRITE) {
        line(p, "%s = %s;", place, number(f, s->set, number_text));
    } else {
        if (s->clear != 0) {
            line(p, "%s &= ~%s;", place, operand(f, s->clear, number_text));
        }
        if (s->set != 0) {
            line(p, "%s |= %s;", place, number(f, s->set, number_text));
        }
    }
}

/* Prints a step as U-Boot commands. */
static void print_uboot(const struct form_printer *p, const struct remedy_step *s)
{
    char place[100], value[48];
    const size_t i = find_plain(s->plain);
    unsigned offset = 0;
    char *end;
    uint64_t base = strtoull(p->form->base, &end, 0);

    if (i < PLAINS && plains[i].address != NULL) {
        snprintf(place, sizeof place, "%.10s", plains[i].address);
    } else if (s->plain != CODE_NO_REGISTER || !offset_of(s->reg, s->n, &offset)) {
        line(p, "# %s is not in the memory-mapped view", apmu_reg_info(s->reg)->name);
        return;
    } else if (end != p->form->base) {
        snprintf(place, sizeof place, "0x%" PRIx64, base + offset);
    } else {
        line(p, "setexpr.l address ${pmu_base} + 0x%x", offset);
        snprintf(place, sizeof place, "${address}");
    }
    if (s->act == REMEDY_WRITE) {
        line(p, "mw.l %s %s", place, number(p->form, s->set, value));
        return;
    }
    if (s->clear != 0) {
        snprintf(value, sizeof value, "0x%08" PRIx64, ~s->clear & UINT32_MAX);
        line(p, "setexpr.l value *%s & %s", place, value);
        line(p, "mw.l %s ${value}", place);
    }
    if (s->set != 0) {
        line(p, "setexpr.l value *%s | %s", place, number(p->form, s->set, value));
        line(p, "mw.l %s ${value}", place);
    }
}

/* Takes the lowest run of ones, of @longest bits at most, out of *@value, and returns it. */
static uint64_t take_run(uint64_t *value, unsigned longest)
{
    const uint64_t low = *value & (~*value + 1);
    uint64_t run = 0;

    for (uint64_t bit = low; bit != 0 && (*value & bit) != 0 && longest-- != 0; bit <<= 1) {
        run |= bit;
    }
    *value &= ~run;
    return run;
}

/* Prints a step as instructions.  An immediate is one run of ones, which both instruction sets can encode. */
static void print_assembly(const struct form_printer *p, const struct remedy_step *s)
{
    const struct cure_form *f = p->form;
    const char *reg = f->a32 ? "r12" : "x9";
    const unsigned longest = f->a32 ? 7 : 63;
    uint64_t clear = s->clear, set = s->set, first = s->set;
    char name[48], text[80];

    if (s->act == REMEDY_WRITE) {
        first = set != 0 ? take_run(&set, longest) : 0;
        if (set == 0) {
            line(p, "mov %s, #0x%" PRIx64, reg, first);
        } else {
            line(p, "ldr %s, =0x%" PRIx64, reg, s->set);
        }
    } else {
        line(p, f->a32 ? "mrc %s" : "mrs x9, %s", f->a32 ? coproc(s, reg, text) : a64_name(s->reg, s->n, name));
        while (clear != 0) {
            line(p, "bic %s, %s, #0x%" PRIx64, reg, reg, take_run(&clear, longest));
        }
        while (set != 0) {
            line(p, "orr %s, %s, #0x%" PRIx64, reg, reg, take_run(&set, longest));
        }
    }
    if (f->a32) {
        line(p, "mcr %s", coproc(s, reg, text));
    } else {
        line(p, "msr %s, x9", a64_name(s->reg, s->n, name));
    }
}

/* Prints a step as a call of this library's register functions. */
static void print_armpmu(const struct form_printer *p, const struct remedy_step *s)
{
    if (s->plain != CODE_NO_REGISTER) {
        line(p, "/* this register is none of the library's */");
    } else if (s->act == REMEDY_WRITE) {
        line(p, "if (error == APMU_OK) {");
        line(p, "    error = dev->ops->write(dev->ctx, APMU_REG_%s, %u, UINT64_C(0x%" PRIX64 "));",
             apmu_reg_info(s->reg)->name, s->n, s->set);
        line(p, "}");
    } else {
        line(p, "if (error == APMU_OK) {");
        line(p, "    error = change(dev, APMU_REG_%s, %u, UINT64_C(0x%" PRIX64 "), UINT64_C(0x%" PRIX64 "));",
             apmu_reg_info(s->reg)->name, s->n, s->clear | s->set, s->set);
        line(p, "}");
    }
}

static void print_register(const struct form_printer *p, const struct remedy_step *s)
{
    const struct cure_form *f = p->form;
    const size_t i = find_plain(s->plain);

    if (f->id == FORM_UBOOT) {
        print_uboot(p, s);
    } else if (f->id == FORM_ARMPMU) {
        print_armpmu(p, s);
    } else if (f->memory || f->id == FORM_MEMORY || (i < PLAINS && plains[i].address != NULL && !is_assembly(f))) {
        print_store(p, s);
    } else if (is_assembly(f)) {
        print_assembly(p, s);
    } else if (!f->a32 && (f->id == FORM_LINUX || f->id == FORM_TFA)) {
        print_calls(p, s);
    } else {
        print_inline(p, s);
    }
}

/* Returns true for the registers that ARMv7 reaches by PMSELR. */
static bool needs_select(const struct cure_form *f, const struct remedy_step *s)
{
    return f->a32 && f->selected && !f->memory && f->id != FORM_ARMPMU && f->id != FORM_UBOOT &&
           f->id != FORM_MEMORY && s->plain == CODE_NO_REGISTER &&
           (s->reg == APMU_REG_PMEVTYPER_EL0 || s->reg == APMU_REG_PMEVCNTR_EL0 || s->reg == APMU_REG_PMCCFILTR_EL0);
}

/* Prints a step that accesses the register that PMSELR selects. */
static void print_selected(const struct form_printer *p, const struct remedy_step *s)
{
    const unsigned n = s->reg == APMU_REG_PMCCFILTR_EL0 ? APMU_CYCLE : s->n;
    const struct remedy_step select = {.act = REMEDY_WRITE, .reg = APMU_REG_PMSELR_EL0, .set = n};
    struct remedy_step access = *s;

    access.reg = s->reg == APMU_REG_PMEVCNTR_EL0 ? APMU_REG_PMXEVCNTR_EL0 : APMU_REG_PMXEVTYPER_EL0;
    access.n = 0;
    print_register(p, &select);
    print_sync(p);
    print_register(p, &access);
}

void form_print(const struct cure_form *f, const struct remedy *m, const char *indent, char *buf, size_t size)
{
    const struct form_printer p = {f, indent, buf, size};

    for (size_t i = 0; i < m->count; i++) {
        const struct remedy_step *s = &m->steps[i];

        if (s->act == REMEDY_SYNC) {
            print_sync(&p);
        } else if (s->act == REMEDY_TEXT) {
            line(&p, "%s", s->text);
        } else if (needs_select(f, s)) {
            print_selected(&p, s);
        } else {
            print_register(&p, s);
        }
    }
}
