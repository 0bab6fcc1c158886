/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what a program notes of each access that it tries: "mrs x0, pmccntr_el0 -> ok; msr pmcr_el0, x1 -> SIGILL". */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "exception.h"

/* Returns what stands behind a mark of a result at @at, or NULL if none is there. */
static const char *behind_mark(const char *at)
{
    static const char *const marks[] = {"-->", "==>", "->", "=>", "\xE2\x86\x92", ":", "="};

    at += strspn(at, " \t)\"'`]");
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) {
            at += strlen(marks[i]);
            return at + strspn(at, " \t");
        }
    }
    return NULL;
}

/* Returns the signal that the result names, 4 for SIGILL; 0: none. */
static uint64_t signal_of(const char *result)
{
    static const char *const words[] = {"SIGILL", "illegal instruction", "illegal instr", "signal 4"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);

        if (strncasecmp(result, words[i], length) == 0 && !isalnum((unsigned char)result[length])) {
            return 4;
        }
    }
    return 0;
}

/* Returns the level to which the result says that the access trapped: "trap to EL2, EC 0x18"; 0: it says none. */
static unsigned trap_level(const char *result)
{
    const char *level = strcasestr(result, "EL2");

    level = level != NULL ? level : strcasestr(result, "EL3");
    if (level == NULL || level - result > 24 || strncasecmp(result, "trap", 4) != 0) {
        return 0;
    }
    return (unsigned)(level[2] - '0');
}

bool exception_read_result(struct reading *r, const char *text, uint32_t number)
{
    static const char *const mnemonics[] = {"mrs", "msr", "mrc", "mcr", "mrrc", "mcrr"};
    struct names_instruction i;
    char name[NAMES_LENGTH], words[96];
    bool found = false;

    for (const char *at = text; strchr(text, ',') != NULL && *at != '\0' && !found; at++) {
        size_t used = 0;

        for (size_t n = 0; n < sizeof mnemonics / sizeof mnemonics[0] && used == 0; n++) {
            if (strncasecmp(at, mnemonics[n], strlen(mnemonics[n])) == 0 && (at == text || !text_is_word(at[-1]))) {
                used = instruction_parse(at, strlen(at), &i, name);
            }
        }
        const char *result = used != 0 ? behind_mark(at + used) : NULL;
        const uint64_t signal = result != NULL ? signal_of(result) : 0;
        const unsigned level = result != NULL && signal == 0 && !i.a32 ? trap_level(result) : 0;

        if (level != 0) {
            struct clue *c = reading_clue(r, CLUE_exception_syndrome, number, instruction_spell(&i, words));

            c->values[0] = instruction_syndrome(&i);
            c->values[1] = level;
            found = true;
        }
        if (signal != 0) {
            reading_clue(r, CLUE_exception_instruction, number, instruction_spell(&i, words))->values[0] =
                exception_pack(&i) | EXCEPTION_FAULTED;
            reading_clue(r, CLUE_exception_signal, number, "SIGILL")->values[0] = signal;
            found = true;
        }
        at += used != 0 ? used - 1 : 0;
    }
    return found;
}
