/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words of a text. */
#include "similar.h"

#include <ctype.h>
#include <string.h>

#include "../read/text.h"

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the end of the digits at @p, of base 16 or 10, with the points and commas between them. */
static const char *end_of_number(const char *p, const char *end)
{
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && isxdigit((unsigned char)p[2])) {
        for (p += 2; p < end && isxdigit((unsigned char)*p); p++) {
        }
        return p;
    }
    while (p < end && (is_digit(*p) || ((*p == '.' || *p == ',') && end - p > 1 && is_digit(p[1])))) {
        p++;
    }
    return p < end && *p == '%' ? p + 1 : p;
}

/* Returns the end of the name at @p.  A hyphen may be between two of its letters. */
static const char *end_of_name(const char *p, const char *end)
{
    while (p < end && (text_is_word(*p) || (*p == '-' && end - p > 1 && text_is_word(p[1])))) {
        p++;
    }
    return p;
}

/* Writes a number: one of base 16 up to 0xff, and one of at most three characters.  Returns false for another one. */
static bool put_number(const char *from, size_t length, char word[SIMILAR_WORD])
{
    if (length > 2 && (from[1] == 'x' || from[1] == 'X')) {
        for (from += 2, length -= 2; length > 1 && *from == '0'; from++, length--) {
        }
        if (length > 2) {
            return false;
        }
        memcpy(word, "0x", 2);
        word += 2;
    }
    if (length > 3) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        *word++ = (char)tolower((unsigned char)from[i]);
    }
    *word = '\0';
    return true;
}

/* Cuts the ending of a plain word: "counters" and "counted" become "counter" and "count". */
static void cut_ending(char *word)
{
    static const char *const endings[] = {"ing", "ed", "es", "ly", "s"};
    const size_t length = strlen(word);

    for (size_t i = 0; i < length; i++) {
        if (!isalpha((unsigned char)word[i])) {
            return;
        }
    }
    for (size_t i = 0; length > 4 && i < sizeof endings / sizeof endings[0]; i++) {
        const size_t cut = strlen(endings[i]);

        if (length - cut >= 3 && strcmp(word + length - cut, endings[i]) == 0) {
            word[length - cut] = '\0';
            return;
        }
    }
}

/* Writes a name, unless it is too long: PMEVCNTR3_EL0 as "pmevcntr_el0".  Returns whether it did. */
static bool put_name(const char *from, size_t length, char word[SIMILAR_WORD])
{
    const bool numbered = length > 4 && (memcmp(from, "pmev", 4) == 0 || memcmp(from, "PMEV", 4) == 0);
    bool suffix = false;
    size_t n = 0;

    for (size_t i = 0; i < length; i++) {
        suffix |= from[i] == '_';
        if (numbered && !suffix && is_digit(from[i])) {
            continue;
        }
        if (n == SIMILAR_WORD - 1) {
            return false;
        }
        word[n++] = (char)tolower((unsigned char)from[i]);
    }
    word[n] = '\0';
    cut_ending(word);
    return true;
}

/* Reads the next part of a name, of three letters or more.  Returns false behind the last. */
static bool next_part(struct similar_place *place, char word[SIMILAR_WORD], const char **from, size_t *length)
{
    while (place->part < place->last) {
        const char *p = place->part;

        while (p < place->last && *p != '_' && *p != '-') {
            p++;
        }
        *from = place->part;
        *length = (size_t)(p - *from);
        place->part = p + 1;
        if (*length > 2 && put_name(*from, *length, word)) {
            return true;
        }
    }
    place->part = place->last = NULL;
    return false;
}

bool similar_word(struct similar_place *place, char word[SIMILAR_WORD], const char **from, size_t *length)
{
    if (place->part != NULL && next_part(place, word, from, length)) {
        return true;
    }
    while (place->at < place->end) {
        const char *const p = place->at;
        const bool number = is_digit(*p);

        if (!number && !is_letter(*p)) {
            place->at += *p == '\\' && place->end - p > 1 ? 2 : 1; /* an escape in a string is no word */
            continue;
        }
        place->at = (number ? end_of_number : end_of_name)(p, place->end);
        *from = p;
        *length = (size_t)(place->at - p);
        if (!number && (memchr(p, '_', *length) != NULL || memchr(p, '-', *length) != NULL)) {
            place->part = p;
            place->last = place->at;
        }
        if ((number ? put_number : put_name)(p, *length, word)) {
            return true;
        }
        if (place->part != NULL && next_part(place, word, from, length)) {
            return true;
        }
    }
    return false;
}
