/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the cores of a board or SoC by its name: boards.def. */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "boards.h"

static const struct board_row {
    const char *words, *name, *cores;
} rows[] = {
#define BOARD(words, name, cores, pmu) {words, name, cores},
#include "boards.def"
};

/*
 * Compares one alternative of a row, which ends at "|" or '\0', with @text, without blanks, "-", "_", "." and "/" and
 * without regard to case.  Returns true if they are the same, or if the alternative ends with * and begins @text.
 */
static bool is_same(const char *pattern, const char *text)
{
    static const char separators[] = " -_./";

    for (;;) {
        while (*pattern != '\0' && strchr(separators, *pattern) != NULL) {
            pattern++;
        }
        while (*text != '\0' && strchr(separators, *text) != NULL) {
            text++;
        }
        if (*pattern == '*') {
            return true;
        }
        if (*pattern == '\0' || *pattern == '|') {
            return *text == '\0';
        }
        if (tolower((unsigned char)*pattern) != tolower((unsigned char)*text)) {
            return false;
        }
        pattern++;
        text++;
    }
}

bool state_find_board(const char *text, const char **name, const char **cores)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool found = is_same(rows[i].name, text);

        for (const char *one = rows[i].words; one != NULL && !found; one = strchr(one, '|')) {
            one += *one == '|';
            found = is_same(one, text);
        }
        if (found && rows[i].cores[0] != '\0' && rows[i].name[0] != '\0') {
            *name = rows[i].name;
            *cores = rows[i].cores;
            return true;
        }
    }
    return false;
}
