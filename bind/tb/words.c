/* SPDX-License-Identifier: BSD-2-Clause */
/* Reasons and mismatches in words. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

const char *tb_counter_name(unsigned n, char buf[24])
{
    return n == APMU_CYCLE   ? "PMCCNTR_EL0"
           : n == APMU_INSTR ? "PMICNTR_EL0"
                             : apmu_reg_name(APMU_REG_PMEVCNTR_EL0, n, buf);
}

void tb_words_of_reason(const struct apmu_tb *tb, uint64_t why, unsigned n, unsigned el, char *text, size_t room)
{
    struct apmu_facts facts;
    struct apmu_subject_name name = {.reg = ""};
    enum apmu_reason reason = (enum apmu_reason)0;

    while (reason < APMU_REASON_COUNT - 1 && (why >> reason & 1) == 0) {
        reason++;
    }
    if (reason == APMU_REASON_HALTED) {
        snprintf(text, room, "Debug state stops it");
        return;
    }
    apmu_facts_of(&facts, &tb->p, &tb->pe);
    const uint64_t subjects = apmu_reason_subjects(&facts, n, reason);
    for (unsigned s = 0; s < APMU_SUBJECT_COUNT && name.reg[0] == '\0'; s++) {
        if ((subjects >> s & 1) != 0) {
            apmu_subject_name(&tb->p.cfg, (enum apmu_subject)s, n, &name);
        }
    }
    if (name.reg[0] == '\0') {
        snprintf(text, room, "%s", apmu_reason_info(reason)->text);
    } else if (name.field[0] == '[') {
        snprintf(text, room, "%s%s stops it at EL%u", name.reg, name.field, el);
    } else {
        snprintf(text, room, "%s%s%s stops it at EL%u", name.reg, name.field[0] != '\0' ? "." : "", name.field, el);
    }
}

/* Writes the name of the register with the filters of counter @n. */
static void name_filters(unsigned n, char buf[24])
{
    const enum apmu_reg reg = n == APMU_CYCLE   ? APMU_REG_PMCCFILTR_EL0
                              : n == APMU_INSTR ? APMU_REG_PMICFILTR_EL0
                                                : APMU_REG_PMEVTYPER_EL0;

    apmu_reg_name(reg, n, buf);
}

const char *apmu_tb_why_text(struct apmu_tb *tb, int n)
{
    static const char any[] = "PMEVTYPER<n>_EL0";
    char words[TB_TEXT], filters[24] = "";
    size_t used = 0;

    apmu_why_text(apmu_tb_why(tb, n), words, sizeof words);
    name_filters((unsigned)n, filters);
    for (const char *at = words, *next; at[0] != '\0' && used < sizeof tb->text; at = next) {
        const char *found = strstr(at, any);
        next = found == NULL ? at + strlen(at) : found + strlen(any);
        used += (size_t)snprintf(tb->text + used, sizeof tb->text - used, "%.*s%s",
                                 (int)((found == NULL ? next : found) - at), at, found == NULL ? "" : filters);
    }
    return tb->text;
}

void tb_mismatch(struct apmu_tb *tb, const char *format, ...)
{
    va_list list;

    if (tb->mismatches < APMU_TB_MISMATCHES) {
        va_start(list, format);
        vsnprintf(tb->sentences[tb->mismatches], TB_SENTENCE, format, list);
        va_end(list);
    }
    tb->mismatches++;
}

int apmu_tb_mismatches(const struct apmu_tb *tb)
{
    return tb->mismatches;
}

const char *apmu_tb_mismatch(const struct apmu_tb *tb, int i)
{
    return i >= 0 && i < tb->mismatches && i < APMU_TB_MISMATCHES ? tb->sentences[i] : "";
}

void apmu_tb_forget(struct apmu_tb *tb)
{
    tb->mismatches = 0;
}
