/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds code that asks something else than the PMU about it: an ID register that Linux hides, or a variable. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "code.h"

/* Finds a program at EL0 that reads ID_AA64DFR0_EL1: Linux emulates the read and shows PMUVer as 0. */
static void check_hidden(struct code_case *k)
{
    const struct clue *c = reading_find(k->r, CLUE_exception_instruction);
    const bool linux_words = code_says(k, "perf") || reading_value(&k->r->machine.linux_os, 0) != 0;
    char because[400], quote[160];

    if (c == NULL || strstr(c->words, "ID_AA64DFR0") == NULL || k->c->facts[CODE_HAS_MAIN] == 0 ||
        k->c->facts[CODE_HAS_STDIO] == 0 || !(k->user || linux_words) || k->place == READING_PLACE_BARE) {
        return;
    }
    reading_quote(k->r, c->line, quote, sizeof quote);
    suspect_text(because,
                 "%s -- at EL0 Linux emulates this read and shows PMUVer (bits 11:8) as 0, whatever the core has",
                 quote);
    suspect_add(
        k->all, WHY_id_register_hidden_from_el0, SUSPECT_CERTAIN, c->line, because,
        "ask the kernel: perf stat -e cycles, ls /sys/bus/event_source/devices, dmesg | grep -i perfevents; or read "
        "the register at EL1")
        ->weight = 82;
}

/* Returns true if @text, a value that is written, is one variable, and copies its name to @name. */
static bool is_variable(const char *text, size_t length, char name[40])
{
    size_t n = 0;

    while (n < length && n < 39 && (isalnum((unsigned char)text[n]) || text[n] == '_')) {
        name[n] = text[n];
        n++;
    }
    name[n] = '\0';
    return n != 0 && n == length && !isdigit((unsigned char)name[0]);
}

/* Returns true if the text shifts the variable @name right by 11 or 24, as for N or IMP of PMCR. */
static bool takes_fields(const char *text, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        const char *shift = at + length + strspn(at + length, " ");

        if ((at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_')) || strncmp(shift, ">>", 2) != 0) {
            continue;
        }
        shift += 2 + strspn(shift + 2, " ");
        if ((strncmp(shift, "11", 2) == 0 || strncmp(shift, "24", 2) == 0) && !isdigit((unsigned char)shift[2])) {
            return true;
        }
    }
    return false;
}

/* Finds code that takes N or IMP out of the variable that it wrote to PMCR, and reads PMCR nowhere. */
static void check_written(struct code_case *k)
{
    const size_t at = code_last_write(k, CODE_PMCR);
    const struct text *t = &k->r->text;
    char cure[400], name[40];
    size_t line;

    for (size_t i = 0; i < k->c->step_count; i++) {
        if (k->c->steps[i].act == CODE_READ && k->c->steps[i].reg == CODE_PMCR) {
            return;
        }
    }
    line = at == SIZE_MAX ? t->count : text_find(t, k->c->steps[at].line);
    if (line >= t->count) {
        return;
    }
    const char *value = strstr(t->lines[line].text, "\"r\"(");
    value = value != NULL ? value + strlen("\"r\"(") : strchr(t->lines[line].text, '(');
    value = value != NULL && *value == '(' ? value + 1 : value;
    if (value == NULL || !is_variable(value, strcspn(value, ",)"), name) || !takes_fields(t->joined, name)) {
        return;
    }
    suspect_text(cure, "read PMCR back after the write, %s, and take N (bits 15:11) and IMP (bits 31:24) from that",
                 k->aarch32 ? "MRC p15, 0, <r>, c9, c12, 0" : "MRS <x>, PMCR_EL0");
    code_suspect(
        k, WHY_pmcr_value_copied_from_write, SUSPECT_CERTAIN, at,
        "this writes PMCR and nothing reads it: the fields that are read-only come from the variable, and not from "
        "the PMU",
        cure)
        ->weight = 71;
}

void code_check_identity(struct code_case *k)
{
    if (!k->m_profile && !k->arm11) {
        check_hidden(k);
        check_written(k);
    }
}
