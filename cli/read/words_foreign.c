/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts words of other languages into English, where a text is in one: foreign.def. */
#include <string.h>

#include "words.h"

enum foreign_language { FOREIGN_german, FOREIGN_spanish, FOREIGN_french, FOREIGN_LANGUAGES };

static const struct foreign_row {
    enum foreign_language language;
    bool mark;
    const char *words, *english;
} rows[] = {
#define FOREIGN(language, mark, words, english) {FOREIGN_##language, mark, words, english},
#include "foreign.def"
};

#define ROWS      (sizeof rows / sizeof rows[0])
#define MARKS     3   /* so many marks tell a language ... */
#define ONE_OF    9   /* ... if one of so many words is one, */
#define LOOKED_AT 300 /* of the first words of a text */

/* Writes @text without its accents to @buf.  Returns the length, 0 if it is too long or no word. */
static size_t fold(const char *text, size_t length, char buf[40])
{
    /* By the second byte in UTF-8, from 0x80 on, behind 0xC3. */
    static const char *const letters[] = {
        "a", "a", "a", "a", "ae", "a", "ae", "c", "e", "e", "e", "e", "i", "i", "i", "i",
        "d", "n", "o", "o", "o", "o", "oe", "", "o", "u", "u", "u", "ue", "y", "", "ss",
    };
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i], next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
        const char *letter = NULL;

        if (used + 3 > 40) {
            return 0;
        }
        if (c == 0xC3 && next >= 0x80 && next < 0xC0) {
            letter = letters[next & 31];
            i++;
        } else if (c == 0xC5 && next == 0x93) {
            letter = "oe";
            i++;
        }
        if (letter != NULL) {
            memcpy(buf + used, letter, strlen(letter));
            used += strlen(letter);
        } else if (c >= 'a' && c <= 'z') {
            buf[used++] = (char)c;
        } else {
            return 0;
        }
    }
    buf[used] = '\0';
    return used;
}

/* Returns true if @word, of @length bytes, is one of the alternatives @words. */
static bool is_one_of(const char *word, size_t length, const char *words)
{
    for (const char *at = words; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        const bool end = *at == '*';
        const size_t n = strcspn(at + end, "/");

        if (end ? length > n && memcmp(word + length - n, at + 1, n) == 0
                : length == n && memcmp(word, at, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns the row of @language that has token @t, or NULL.  @marks: rows that tell the language alone. */
static const struct foreign_row *find_row(const struct prose_token *t, enum foreign_language language, bool marks)
{
    char word[40];
    const size_t length = t->number ? 0 : fold(t->text, t->length, word);

    for (size_t i = 0; length != 0 && i < ROWS; i++) {
        if (rows[i].language == language && (rows[i].mark || !marks) && is_one_of(word, length, rows[i].words)) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Returns true if the text is in @language. */
static bool is_in(const struct prose *p, enum foreign_language language)
{
    const size_t count = p->count < LOOKED_AT ? p->count : LOOKED_AT;
    size_t marks = 0;

    for (size_t i = 0; i < count; i++) {
        marks += find_row(&p->tokens[i], language, true) != NULL;
    }
    return marks >= MARKS && marks * ONE_OF >= count;
}

static bool begins_clause(const char *word)
{
    return strcmp(word, "and") == 0 || strcmp(word, "but") == 0 || strcmp(word, "because") == 0 ||
           strcmp(word, "while") == 0 || strcmp(word, "although") == 0;
}

void words_prose_translate(struct prose *p)
{
    enum foreign_language language = FOREIGN_german;
    uint32_t clauses = 0; /* more than there were */

    while (language < FOREIGN_LANGUAGES && !is_in(p, language)) {
        language++;
    }
    for (size_t i = 0; i < p->count && language < FOREIGN_LANGUAGES; i++) {
        struct prose_token *t = &p->tokens[i];
        const struct foreign_row *row = find_row(t, language, false);

        clauses += row != NULL && begins_clause(row->english);
        t->clause += clauses;
        if (row != NULL) {
            t->text = row->english;
            t->length = (uint16_t)strlen(row->english);
        }
    }
}
