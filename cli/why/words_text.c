/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for words of a whole text that rules on sentences combine. */
#define _GNU_SOURCE
#include <string.h>

#include "rules.h"

/* Returns true if @text has one of the @count @words and does not deny it. */
static bool names_one(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (const char *at = strcasestr(text, words[i]); at != NULL; at = strcasestr(at + 1, words[i])) {
            if (!text_denies(text, (size_t)(at - text))) {
                return true;
            }
        }
    }
    return false;
}

bool rules_name_threads(const char *text)
{
    static const char *const others[] = {"threads", "children", "workers", "forks", "openmp"};

    return names_one(text, others, sizeof others / sizeof others[0]);
}

bool rules_read_other_core(const char *text)
{
    static const char *const own[] = {"cyccnt", "dwt", "demcr", "trcena", "systick"};
    static const char *const cores[] = {"cortex-a", "cortex-r", "neoverse"};

    return !names_one(text, own, sizeof own / sizeof own[0]) &&
           names_one(text, cores, sizeof cores / sizeof cores[0]);
}

bool rules_have_int_results(const char *text)
{
    return text != NULL && strstr(text, "ctypes") != NULL &&
           (strstr(text, "CDLL(") != NULL || strstr(text, "LoadLibrary(") != NULL) &&
           strstr(text, "restype") == NULL && strstr(text, "syscall") == NULL;
}
