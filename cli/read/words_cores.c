/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the core that is named right behind the board that has other cores, too: "AM64x, Cortex-R5F". */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "words.h"

enum { NEAR = 16 }; /* bytes between the name of the board and that of the core */

/* Returns true if the text behind the number of a core makes the name of its subsystem: the "FSS0" of R5FSS0. */
static bool is_subsystem(const char *text)
{
    text += *text == 'F' || *text == 'f';
    return strncasecmp(text, "ss", 2) == 0 && (isdigit((unsigned char)text[2]) || strchr(" ,.:;", text[2]) != NULL);
}

const struct apmu_core_info *words_core_at(const char *text, size_t word)
{
    const bool whole = word == 6 && strncasecmp(text, "cortex", 6) == 0 && (text[6] == '-' || text[6] == ' ');
    const char *model = text + (whole ? 7 : 0);
    size_t digits = 1;
    char name[24];

    if (strchr("AR", model[0]) == NULL || model[0] == '\0') {
        return NULL;
    }
    while (isdigit((unsigned char)model[digits])) {
        digits++;
    }
    snprintf(name, sizeof name, "Cortex-%.*s", (int)(digits < 4 ? digits : 4), model);
    return digits > 1 && (whole || word <= digits + 1 || is_subsystem(model + digits)) ? apmu_core_by_name(name) : NULL;
}

const struct apmu_core_info *words_core_of_token(const struct prose *p, size_t i)
{
    const char *text = p->tokens[i].text;
    char name[8];

    text += strncmp(text, "cortex-", 7) == 0 ? 7 : 0;
    snprintf(name, sizeof name, "%s", text);
    name[0] = (char)toupper((unsigned char)name[0]);
    return strlen(text) < sizeof name ? words_core_at(name, strlen(name)) : NULL;
}

/* Returns true if the two names with @between between them may be those of one machine. */
static bool is_one_machine(const char *between, size_t length)
{
    static const char *const words[] = {" and ", " or ", " to ", " not ", " vs", " than ", " nor ", " but "};

    for (size_t i = 0; i < length; i++) {
        if (strchr(".;:!?&+/", between[i]) != NULL) {
            return false;
        }
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if (strncasecmp(between + i, words[k], strlen(words[k])) == 0) {
                return false;
            }
        }
    }
    return true;
}

void words_core_replace(struct reading *r, const char *text, size_t at, size_t word, size_t board, uint32_t line)
{
    const struct apmu_core_info *core = words_core_at(text + at, word);

    board += text[board] == '+'; /* Zynq UltraScale+ */
    if (core == NULL || core == r->machine.core || at - board > NEAR || !is_one_machine(text + board, at - board)) {
        return;
    }
    r->machine.core = NULL;
    r->machine.pmu.known = r->machine.pmu.known && r->machine.pmu.line != line;
}
