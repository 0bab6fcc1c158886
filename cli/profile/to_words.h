/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of texts, each once, numbered in the order of their addition: the string table of many formats. */
#ifndef ARMPMU_CLI_TO_WORDS_H
#define ARMPMU_CLI_TO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct to_words {
    char **texts;
    size_t count;
    uint32_t *slots; /* numbers plus 1, found by hash; 0: free */
    size_t slot_count;
    bool failed; /**< there was no memory for some text */
};

/** Returns the number of @text, which is copied; 0 if there is no memory, which @w notes. */
uint32_t to_word(struct to_words *w, const char *text);
void to_words_free(struct to_words *w);

#endif
