/* SPDX-License-Identifier: BSD-2-Clause */
/* Names reasons, and puts a set of them into words. */
#include <armpmu/model.h>

const struct apmu_reason_info *apmu_reason_info(enum apmu_reason reason)
{
    static const struct apmu_reason_info infos[APMU_REASON_COUNT] = {
#define APMU_REASON(id, rule, cure, text) {#id, rule, cure, text},
#include <armpmu/tables/reasons.def>
#undef APMU_REASON
    };
    return &infos[reason];
}

/* Adds @words to a text of @length characters, as far as the @room bytes at @text hold it.  Returns the new length. */
static size_t add_words(const char *words, char *text, size_t room, size_t length)
{
    for (; *words != '\0'; words++, length++) {
        if (length + 1 < room) {
            text[length] = *words;
        }
    }
    return length;
}

size_t apmu_why_text(uint64_t why, char *text, size_t room)
{
    size_t length = 0;

    for (unsigned reason = 0; reason < APMU_REASON_COUNT; reason++) {
        if ((why >> reason & 1) != 0) {
            length = add_words(length == 0 ? "" : "; ", text, room, length);
            length = add_words(apmu_reason_info((enum apmu_reason)reason)->text, text, room, length);
        }
    }
    if (length == 0) {
        length = add_words("it counts", text, room, length);
    }
    if (room != 0) {
        text[length < room ? length : room - 1] = '\0';
    }
    return length;
}
