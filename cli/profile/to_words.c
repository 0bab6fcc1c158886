/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers texts. */
#include <stdlib.h>
#include <string.h>

#include "to_words.h"

enum { FEW_SLOTS = 1024 };

/* Returns the FNV-1a hash of @text. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    }
    return hash ^ hash >> 32;
}

/* Returns the slot that has @text, or the free one where it belongs. */
static size_t find_slot(const struct to_words *w, const char *text)
{
    size_t slot = (size_t)hash_text(text) & (w->slot_count - 1);

    while (w->slots[slot] != 0 && strcmp(w->texts[w->slots[slot] - 1], text) != 0) {
        slot = (slot + 1) & (w->slot_count - 1);
    }
    return slot;
}

/* Makes room for one more text, so that at least half of the slots stay free. */
static bool make_room(struct to_words *w)
{
    if (2 * (w->count + 1) <= w->slot_count) {
        return true;
    }
    const size_t slot_count = w->slot_count == 0 ? FEW_SLOTS : 2 * w->slot_count;

    if (w->count >= UINT32_MAX / 4) {
        return false;
    }
    char **texts = realloc(w->texts, slot_count / 2 * sizeof *texts);

    if (texts == NULL) {
        return false;
    }
    w->texts = texts;
    uint32_t *slots = calloc(slot_count, sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    free(w->slots);
    w->slots = slots;
    w->slot_count = slot_count;
    for (size_t i = 0; i < w->count; i++) {
        slots[find_slot(w, w->texts[i])] = (uint32_t)i + 1;
    }
    return true;
}

uint32_t to_word(struct to_words *w, const char *text)
{
    if (w->failed || !make_room(w)) {
        w->failed = true;
        return 0;
    }
    const size_t slot = find_slot(w, text);

    if (w->slots[slot] == 0) {
        const size_t size = strlen(text) + 1;
        char *copy = malloc(size);

        if (copy == NULL) {
            w->failed = true;
            return 0;
        }
        memcpy(copy, text, size);
        w->texts[w->count++] = copy;
        w->slots[slot] = (uint32_t)w->count;
    }
    return w->slots[slot] - 1;
}

void to_words_free(struct to_words *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->texts[i]);
    }
    free(w->texts);
    free(w->slots);
    *w = (struct to_words){.texts = NULL};
}
