/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints cures of registers for armpmu why --cure and -c: as text, or as code in a form. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "form.h"
#include "why.h"

/* Writes the fields of a register write and their new values to @buf: "E = 1, FZO = 0", or "write 0x1". */
static const char *fields_of(const struct why *w, const struct apmu_cure_write *write, unsigned n, char *buf,
                             size_t size)
{
    size_t used = 0;

    buf[0] = '\0';
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT && used + 1 < size; i++) {
        const enum apmu_subject subject = (enum apmu_subject)i;
        struct apmu_subject_name name;
        const struct apmu_reg_info *info = apmu_reg_info(write->reg);
        uint64_t value = 1;

        if ((write->subjects >> i & 1) == 0) {
            continue;
        }
        apmu_subject_name(&w->model.cfg, subject, n, &name);
        for (unsigned k = 0; k < info->field_count; k++) {
            if (strcmp(info->fields[k].name, name.field) == 0) {
                value = (write->value & APMU_BITS(info->fields[k].msb, info->fields[k].lsb)) >> info->fields[k].lsb;
            }
        }
        if (name.field[0] == '\0' || name.field[0] == '[') {
            used += (size_t)snprintf(buf + used, size - used, "%swrite 0x%" PRIX64, used == 0 ? "" : ", ", write->mask);
        } else {
            used += (size_t)snprintf(buf + used, size - used, "%s%s = %" PRIu64, used == 0 ? "" : ", ", name.field,
                                     value);
        }
    }
    return buf;
}

/* Returns true for registers that set or clear the bits that are written as 1. */
static bool is_action(enum apmu_reg reg)
{
    return reg == APMU_REG_PMCNTENSET_EL0 || reg == APMU_REG_PMOVSCLR_EL0;
}

/* Returns the lowest level that may do the write: "EL2", in @buf, or "an external agent". */
static const char *writer_word(const struct apmu_cure_write *write, char buf[8])
{
    if (write->el == APMU_CURE_EXTERNAL) {
        return "an external agent";
    }
    snprintf(buf, 8, "EL%u", write->el);
    return buf;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Text and code.
 */

static void text_write(const struct apmu_cure_write *write, const char *name, const char *fields)
{
    char writer[8];

    printf("    %s: %s, from %s%s%s\n", name, fields, writer_word(write, writer), write->el < 3 ? " or above" : "",
           write->unsure ? ", if nothing traps it" : "");
}

/* Prints what stands before the functions of a form. */
static void print_head(const struct cure_form *form)
{
    if (form->id == FORM_LINUX) {
        printf("#include <linux/bits.h>\n%s#include <asm/barrier.h>\n%s", form->memory ? "#include <linux/io.h>\n" : "",
               form->memory || form->a32 ? "" : "#include <asm/sysreg.h>\n");
        if (form->memory) {
            printf("\nstatic void __iomem *base; /* ioremap(%s, SZ_4K) */\n", form->base);
        }
    } else if (form->id == FORM_TFA) {
        printf("#include <arch_helpers.h>\n");
    } else if (form->id == FORM_MEMORY) {
        printf("#include <stdint.h>\n");
    } else if (form->id == FORM_ARMPMU) {
        printf("#include <armpmu/driver.h>\n\n"
               "static enum apmu_error change(const struct apmu_dev *dev, enum apmu_reg reg, unsigned n, "
               "uint64_t mask,\n"
               "                              uint64_t value)\n{\n"
               "    uint64_t now = 0;\n"
               "    const enum apmu_error error = dev->ops->read(dev->ctx, reg, n, &now);\n\n"
               "    return error != APMU_OK ? error : dev->ops->write(dev->ctx, reg, n, (now & ~mask) | value);\n}\n");
    }
}

/* Prints a line of text: as a comment in the language of @form, unless that is NULL. */
static void print_remark(const struct cure_form *form, const char *indent, const char *text)
{
    char buf[1000] = "";

    if (form == NULL) {
        printf("%s\n", text);
        return;
    }
    form_remark(form, indent, text, buf, sizeof buf);
    fputs(buf, stdout);
}

/* Prints a write as code. */
static void code_write(const struct cure_form *form, const struct apmu_cure_write *write, const char *name,
                       const char *fields)
{
    const bool stores = form->memory || form->id == FORM_UBOOT;
    const char *indent = form->id == FORM_UBOOT ? "" : "    ";
    struct remedy m = {0};
    char writer[8], line[300], code[1000] = "";

    snprintf(line, sizeof line, "%s: %s: %s", writer_word(write, writer), name, fields);
    print_remark(form, indent, line);
    if (write->el == APMU_CURE_EXTERNAL && !stores) {
        return; /* no instruction reaches the register */
    }
    if (is_action(write->reg)) {
        remedy_write(&m, write->reg, write->n, write->mask);
    } else {
        remedy_change(&m, write->reg, write->n, write->mask & ~write->value, write->value);
    }
    form_print(form, &m, indent, code, sizeof code);
    fputs(code, stdout);
}

/* Prints the head of the function for counter @name. */
static void begin_function(const struct cure_form *form, const char *name, enum apmu_state state)
{
    if (form->id == FORM_ARMPMU) {
        printf("enum apmu_error cure_%s_%s(const struct apmu_dev *dev)\n{\n    enum apmu_error error = APMU_OK;\n\n",
               name, apmu_state_name(state));
    } else if (form->id == FORM_RUST) {
        printf("#[allow(non_snake_case)]\npub fn cure_%s_%s() {\n", name, apmu_state_name(state));
    } else if (form_has_functions(form)) {
        printf("void cure_%s_%s(void)\n{\n", name, apmu_state_name(state));
    }
}

static void end_function(const struct cure_form *form)
{
    if (form_has_functions(form)) {
        printf(form->id == FORM_ARMPMU ? "    return error;\n}\n" : "}\n");
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * One counter in one state.
 */

static void print_reasons(const struct cure_form *form, const char *what, uint64_t set)
{
    char line[400];

    for (unsigned r = 0; r < APMU_REASON_COUNT; r++) {
        if ((set >> r & 1) != 0) {
            const struct apmu_reason_info *info = apmu_reason_info((enum apmu_reason)r);

            snprintf(line, sizeof line, "%s%s: %s [%s]", form == NULL ? "    " : "", what, info->text, info->rule);
            print_remark(form, "", line);
        }
    }
}

/* Prints "it also starts cycle, 0-5: NS EL0, NS EL1", a line for each set of counters. */
static void print_effects(const struct cure_form *form, const struct why *w, const uint64_t *sets, const char *verb)
{
    char counters[96], states[128], line[256];
    unsigned done = 0;

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        unsigned same = 0;

        for (unsigned k = 0; k < APMU_STATE_COUNT; k++) {
            same |= sets[k] == sets[s] ? 1u << k : 0;
        }
        if (sets[s] != 0 && (done >> s & 1) == 0) {
            snprintf(line, sizeof line, "%sit also %s %s: %s", form == NULL ? "    " : "", verb,
                     why_counter_list(sets[s], counters),
                     why_state_list(same, apmu_explain_states(&w->model.cfg), states));
            print_remark(form, "", line);
        }
        done |= same;
    }
}

static void print_writes(const struct why *w, const struct apmu_cure *cure, unsigned n, enum apmu_state state,
                         const struct cure_form *form)
{
    const bool a32 = (w->model.cfg.features & APMU_FEAT(AA64)) == 0 || w->model.pe.a32;
    const bool armv7 = (w->model.cfg.features & APMU_FEAT(PMUv3)) == 0;
    const struct remedy sync = {.count = 1, .steps = {{.act = REMEDY_SYNC}}};
    char name[48], fields[160], counter[8], code[100] = "";

    if (form != NULL) {
        begin_function(form, why_counter_name(n, counter), state);
    }
    for (size_t i = 0; i < cure->count; i++) {
        const struct apmu_cure_write *write = &cure->writes[i];

        why_register_name(a32, armv7, write->reg, write->n, name);
        fields_of(w, write, n, fields, sizeof fields);
        if (form != NULL) {
            code_write(form, write, name, fields);
        } else {
            text_write(write, name, fields);
        }
    }
    if (form != NULL) {
        form_print(form, &sync, form->id == FORM_UBOOT ? "" : "    ", code, sizeof code);
        fputs(code, stdout);
        end_function(form);
    }
}

/* Writes the names of the subjects' registers to @buf: "MDCR_EL2, HCR_EL2". */
static const char *registers_of(const struct why *w, uint64_t subjects, unsigned n, char *buf, size_t size)
{
    struct apmu_subject_name name;

    buf[0] = '\0';
    for (unsigned i = 0; i < APMU_SUBJECT_COUNT; i++) {
        if ((subjects >> i & 1) != 0) {
            apmu_subject_name(&w->model.cfg, (enum apmu_subject)i, n, &name);
            if (strstr(buf, name.reg) == NULL) {
                why_append(buf, size, "%s%s", why_comma(buf), name.reg);
            }
        }
    }
    return buf;
}

/* Says that the search was given up, and that some effects of the writes were not worked out. */
static void print_cuts(const struct why *w, const struct apmu_cure *cure, unsigned n, const struct cure_form *form)
{
    char registers[400], line[600];

    if (cure->cut) {
        registers_of(w, cure->unknown, n, registers, sizeof registers);
        snprintf(line, sizeof line, "%sthe search was given up after %" PRIu64 " states, so there may be a %scure%s%s",
                 form == NULL ? "    " : "", cure->tried, cure->result == APMU_CURE_FOUND ? "better " : "",
                 registers[0] != '\0' ? "; name more registers: " : "", registers);
        print_remark(form, "", line);
    }
    if (cure->effects_cut) {
        snprintf(line, sizeof line, "%swhat it starts and stops is not worked out for all counters; ask for one with "
                 "--counter and --at", form == NULL ? "    " : "");
        print_remark(form, "", line);
    }
}

/* Prints the cure of one counter in one state.  Returns false if there is none, or none was found. */
static bool print_cure(const struct why *w, unsigned n, enum apmu_state state, unsigned level, uint64_t *work,
                       const struct cure_form *form)
{
    static const char *const levels[] = {"", "EL1", "EL2", "EL3", "EL3 and outside"};
    static const char *const results[] = {
        [APMU_CURE_FOUND] = "counts after these", [APMU_CURE_NEEDLESS] = "nothing that is known stops it",
        [APMU_CURE_IMPOSSIBLE] = "impossible at this level, because",
        [APMU_CURE_GAVE_UP] = "no cure found",
    };
    struct apmu_cure cure;
    char name[8], word[16], line[200];

    apmu_cure_within(&w->facts, n, state, level, work, &cure);
    if (form != NULL && form_has_functions(form)) {
        putchar('\n');
    }
    snprintf(line, sizeof line, "%s%s at %s, with writes up to %s: %s", n < APMU_CYCLE ? "counter " : "",
             why_counter_name(n, name), why_state_word(state, word), levels[level], results[cure.result]);
    print_remark(form, "", line);
    if (cure.result == APMU_CURE_FOUND) {
        print_writes(w, &cure, n, state, form);
        print_effects(form, w, cure.starts, "starts");
        print_effects(form, w, cure.stops, "stops");
    }
    print_cuts(w, &cure, n, form);
    print_reasons(form, "still open", cure.open);
    print_reasons(form, "not lifted", cure.blocked);
    return cure.result == APMU_CURE_FOUND || cure.result == APMU_CURE_NEEDLESS;
}

int why_cure(const struct why *w, const struct cli_args *args, unsigned level, const struct cure_form *form)
{
    uint64_t left = WHY_WORK, questions = 0;
    bool all = true;

    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            questions += (w->states >> s & 1) != 0 && (w->in_use >> n & 1) != 0;
        }
    }
    if (form != NULL) {
        print_head(form);
    }
    for (unsigned s = 0; s < APMU_STATE_COUNT; s++) {
        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            if ((w->states >> s & 1) != 0 && (w->in_use >> n & 1) != 0) {
                uint64_t work = left / questions--; /* work that this one leaves goes to the next ones */

                left -= work;
                all &= print_cure(w, n, (enum apmu_state)s, level, &work, form);
                left += work;
            }
        }
    }
    return cli_flush(args->verb, stdout, "stdout", all ? CLI_YES : CLI_NO);
}
