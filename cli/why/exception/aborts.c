/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains external aborts at the addresses of the external view. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "exception.h"

#define FRAME UINT64_C(0xFFF)  /* the offset within the frame of a PMU */
#define CORE  UINT64_C(0xFFFF) /* the frames of the cores of a cluster are multiples of 64 KiB apart */
#define LINES 1000             /* lines that are looked at */

/* Returns true if the syndrome is of a data abort that the memory system reports at once: DFSC is 0x10. */
static bool is_external_abort(uint64_t esr)
{
    return (esr >> 26 & 0x3E) == 0x24 && (esr & 0x3F) == 0x10;
}

/* Finds the address behind "far" or "FAR_EL1" in the line of the syndrome or one of the three behind it. */
static bool find_address(const struct reading *r, uint32_t number, uint64_t *address)
{
    const size_t first = text_find(&r->text, number);

    for (size_t i = first; i < first + 4 && i < r->text.count; i++) {
        for (const char *at = r->text.lines[i].text; (at = strcasestr(at, "far")) != NULL; at++) {
            const char *value = at + 3 + (strncasecmp(at + 3, "_el", 3) == 0 ? 4 : 0);

            if (at != r->text.lines[i].text && text_is_word(at[-1])) {
                continue;
            }
            value += strspn(value, " \t:=");
            if (value[0] == '0' && (value[1] | 0x20) == 'x') {
                *address = strtoull(value, NULL, 16);
                return true;
            }
        }
    }
    return false;
}

/*
 * Returns true if the input has a word of memory at the same register of another core's frame, or of another register
 * of the frame of @address: "fec30e04: 00000040" for 0xfef30e04.
 */
static bool has_neighbour(const struct reading *r, uint64_t address)
{
    for (size_t i = 0; i < r->text.count && i < LINES; i++) {
        const char *text = r->text.lines[i].text + text_blanks(r->text.lines[i].text);
        char *end;
        const uint64_t at = isxdigit((unsigned char)text[0]) != 0 ? strtoull(text, &end, 16) : 0;
        struct names_place place;

        if (at == 0 || at == address || *end != ':' || end[strspn(end, ": \t")] == '"' ||
            isxdigit((unsigned char)end[strspn(end, ": \t")]) == 0) {
            continue;
        }
        if ((at & CORE) == (address & CORE) ||
            ((at & ~FRAME) == (address & ~FRAME) && names_by_offset((unsigned)(at & FRAME), NAMES_EXT32, &place))) {
            return true;
        }
    }
    return false;
}

/* Returns true if the text says that it is a PMU's frame: by that name, or by words for the external view. */
static bool names_frame(const struct reading *r)
{
    const char *at = r->text.joined;

    while (at != NULL && (at = strcasestr(at, "pmu")) != NULL) {
        if ((at == r->text.joined || !isalnum((unsigned char)at[-1])) && !isalpha((unsigned char)at[3])) {
            return true;
        }
        at++;
    }
    return reading_find(r, CLUE_words_external) != NULL;
}

/* Clears the causes of an instruction that is refused: an access of memory faulted, and no System register. */
static void clear_refusals(struct suspects *all)
{
    static const enum why_cause_id refusals[] = {
        WHY_el0_access_off,     WHY_el0_access_off_aarch32,     WHY_perf_user_access_0, WHY_enabled_on_one_cpu_only,
        WHY_el0_write_not_allowed, WHY_perf_takes_el0_access_away, WHY_el2_traps_pmu,   WHY_el3_traps_pmu,
    };

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        suspect_clear(all, refusals[i]);
    }
}

void exception_explain_abort(struct exception_view *v)
{
    struct names_place place;
    char because[400];
    uint64_t address = 0;

    for (const struct clue *c = NULL; (c = reading_next(v->r, CLUE_exception_syndrome, c)) != NULL;) {
        const bool at_all = is_external_abort(c->values[0]) && find_address(v->r, c->line, &address);
        const uint64_t offset = at_all ? address & FRAME : 0; /* below 0x400 any device has a register */
        char name[24];

        if ((c->values[0] >> 26 & 0x3E) == 0x24 && v->signal == 0 && !v->found) {
            clear_refusals(v->all);
        }
        if (offset < 0x400 || !names_by_offset((unsigned)offset, NAMES_EXT32, &place) ||
            (!has_neighbour(v->r, address) && !names_frame(v->r))) {
            continue;
        }
        suspect_text(because,
                     "an external abort (DFSC 0x10 of ESR 0x%llx) at 0x%llx, where a PMU's frame has %s: the frame "
                     "does not answer",
                     (unsigned long long)c->values[0], (unsigned long long)address, names_spell(&place, name));
        suspect_add(v->all, WHY_external_view_locked, SUSPECT_LIKELY, c->line, because,
                    "power the core up before its frame is read (PSCI CPU_ON, or its bit in the SoC's power "
                    "controller), and the debug logic too; clear the OS Lock (OSLAR_EL1 = 0); see that the address is "
                    "that of the SoC's memory map")
            ->weight = 85;
        return;
    }
}
