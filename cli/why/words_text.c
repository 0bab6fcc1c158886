/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for words of a whole text that rules on sentences combine. */
#define _GNU_SOURCE
#include <ctype.h>
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

/* Returns true if @at, a word of denial in a question that ends at @mark, is its tag: "that is right, isn't it?" */
static bool is_tag(const char *at, const char *mark)
{
    static const char *const tags[] = {"n't it", "n't that", "n't this", "n't they", "n't these", "n't i"};

    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        const size_t length = strlen(tags[i]);

        if (strncasecmp(at, tags[i], length) == 0 && at + length + strspn(at + length, " ") == mark) {
            return true;
        }
    }
    return false;
}

bool rules_ask_for_reason(const struct text *text)
{
    static const char *const words[] = {" not ", "n't ", " never ", " only ", " no ", "without ", "cannot ", "why ",
                                        "what stops", "what prevents", "how come", "forbid", "prohibit", "block"};
    const char *from = text->joined;

    for (const char *mark = strchr(from, '?'); mark != NULL; mark = strchr(mark + 1, '?')) {
        for (const char *p = mark; p > text->joined && mark - p < 300; p--) {
            from = p;
            if (strchr(".!?", p[-1]) != NULL && isspace((unsigned char)*p)) {
                break;
            }
        }
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            const char *at = strcasestr(from, words[i]);

            if (at != NULL && at < mark && !is_tag(at, mark)) {
                return true;
            }
        }
    }
    return false;
}

bool rules_are_words_only(const struct text *t)
{
    bool words = t->count == 0;

    for (size_t i = 0; i < t->count; i++) {
        const bool sentence = text_is_claimed(t, i, TEXT_WORDS);

        if (!sentence && t->lines[i].claimed != 0) {
            return false;
        }
        words = words || sentence;
    }
    return words;
}
