/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * similar FOLDER: prints cli/why/similar.def for the cases of FOLDER (verdict.py says what a case is): in how many
 * cases of each answer a word is.  test_similar.sh compares the result with the committed table.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../cli/read/text.h"
#include "../../../cli/why/similar.h"

/* The answers of causes.def and the two others. */
static const struct slug_number {
    const char *slug;
    unsigned number;
} answers[] = {
    {"none", SIMILAR_NONE},
    {"unknown", SIMILAR_UNKNOWN},
#define CAUSE(number, slug, symptom, odds, reason, text, sign, check, cure, test) {#slug, number},
#define CAUSE_OUTSIDE(number, slug, symptom, odds, reason, text, sign, check, cure) {#slug, number},
#include "../../../cli/why/causes.def"
};

enum { ANSWERS = SIMILAR_UNKNOWN + 1 };

/* A word of a case. */
struct case_word {
    char word[SIMILAR_WORD];
    unsigned of; /* an index of cases */
};

static struct case_word *entries;
static size_t count;
static bool (*cases)[ANSWERS]; /* by case: its right answers */
static unsigned case_count;

static _Noreturn void stop(const char *what, const char *name)
{
    fprintf(stderr, "similar: %s: %s\n", name, what);
    exit(1);
}

/* Returns the contents of a file, which the caller frees, with a final 0; NULL if it cannot be read. */
static char *contents(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    *length = 0;
    if (file != NULL && getdelim(&text, &size, EOF, file) > 0) {
        *length = (size_t)ftell(file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* Adds the words of @text to those of the last case. */
static void add_words(const char *text, size_t length)
{
    struct similar_place place = {text, text + (length < SIMILAR_TEXT ? length : SIMILAR_TEXT), NULL, NULL};
    struct case_word e = {.of = case_count - 1};
    const char *from;
    size_t size;

    while (similar_word(&place, e.word, &from, &size)) {
        if ((count & (count - 1)) == 0) {
            entries = realloc(entries, (count == 0 ? 1 : 2 * count) * sizeof *entries);
        }
        if (entries == NULL) {
            stop("no memory is left", "words");
        }
        entries[count++] = e;
    }
}

/* Adds the words of what @ask gives: of the file that it names, and of its sentences. */
static void add_input(const char *folder, char *ask)
{
    for (char *at = ask, *word; *at != '\0';) {
        const char quote = *at == '\'' || *at == '"' ? *at++ : '\0';
        char *path = NULL, *text;
        size_t length;
        struct text lines;

        word = at;
        at += strcspn(at, quote == '\'' ? "'" : quote == '"' ? "\"" : " \n'\"");
        if (*at != '\0' && (quote != '\0' || (*at != '\'' && *at != '"'))) {
            *at++ = '\0';
        } else if (*at != '\0') {
            continue; /* an option and the sentence behind it: --symptom='...' */
        }
        if (asprintf(&path, "%s/%s", folder, word) < 0) {
            stop("no memory is left", folder);
        }
        text = strchr(word, '/') == NULL && *word != '\0' ? contents(path, &length) : NULL;
        if (text != NULL) {
            text_init(&lines, text, length);
            add_words(lines.joined, lines.length);
            text_free(&lines);
        } else if (strchr(word, ' ') != NULL) {
            add_words(word, strlen(word));
        }
        free(text);
        free(path);
    }
}

/* Notes the right answers of the last case: the lines "first SLUG" of @expect. */
static void add_answers(const char *name, char *expect)
{
    for (char *line = strtok(expect, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        size_t i = 0;

        if (strncmp(line, "first ", 6) != 0) {
            continue;
        }
        for (char *p = line; *p != '\0'; p++) {
            *p = *p == '-' ? '_' : *p;
        }
        while (i < sizeof answers / sizeof answers[0] && strcmp(answers[i].slug, line + 6) != 0) {
            i++;
        }
        if (i == sizeof answers / sizeof answers[0]) {
            stop("its first is no cause", name);
        }
        cases[case_count - 1][answers[i].number] = true;
    }
}

static void add_case(const char *folders, const char *name)
{
    char *folder = NULL, *path = NULL, *ask, *expect;
    size_t length;

    if (asprintf(&folder, "%s/%s", folders, name) < 0 || asprintf(&path, "%s/ask", folder) < 0) {
        stop("no memory is left", name);
    }
    ask = contents(path, &length);
    free(path);
    if (asprintf(&path, "%s/expect", folder) < 0) {
        stop("no memory is left", name);
    }
    expect = contents(path, &length);
    if (ask == NULL || expect == NULL) {
        stop("it lacks ask or expect", name);
    }
    case_count++;
    add_input(folder, ask);
    add_answers(name, expect);
    free(ask);
    free(expect);
    free(folder);
    free(path);
}

static int compare(const void *a, const void *b)
{
    const struct case_word *x = a, *y = b;
    const int order = strcmp(x->word, y->word);

    return order != 0 ? order : (x->of > y->of) - (x->of < y->of);
}

/* Prints the row of a word, which the @n entries at @e have, if enough cases and not too many have it. */
static void print_word(const struct case_word *e, size_t n)
{
    unsigned of[ANSWERS] = {0}, have = 0;
    int column;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || e[i].of != e[i - 1].of) {
            have++;
            for (unsigned a = 0; a < ANSWERS; a++) {
                of[a] += cases[e[i].of][a];
            }
        }
    }
    if (have < 2 || have * 10 > case_count * 3) {
        return;
    }
    column = printf("SIMILAR(\"%s\", %u, \"", e->word, have);
    for (unsigned a = 0, first = 1; a < ANSWERS; a++) {
        if (of[a] != 0) {
            if (column > 105) {
                column = printf("\"\n    \"") - 2;
            }
            column += printf("%s%u:%u", first ? "" : " ", a, of[a]);
            first = 0;
        }
    }
    puts("\")");
}

static void print_table(void)
{
    puts("/* SPDX-License-Identifier: BSD-2-Clause */\n"
         "/*\n"
         " * The words of known inputs, for similar.c.  `sh test/cli/why/test_similar.sh --write` makes this file\n"
         " * from the cases of test/cli/why/cases/.\n"
         " *\n"
         " * SIMILAR_CASES(cases): there are so many cases.\n"
         " *\n"
         " * SIMILAR_ANSWER(number, cases): so many of them have this answer.  number is a cause's of causes.def,\n"
         " * SIMILAR_NONE or SIMILAR_UNKNOWN.\n"
         " *\n"
         " * SIMILAR(word, cases, \"number:cases ...\"): so many cases have the word, and so many of each answer.\n"
         " * The rows are in the order of strcmp().  Words that one case has, or more than three of ten, have no row.\n"
         " */\n"
         "#ifndef SIMILAR_CASES\n#define SIMILAR_CASES(cases)\n#endif\n"
         "#ifndef SIMILAR_ANSWER\n#define SIMILAR_ANSWER(number, cases)\n#endif\n"
         "#ifndef SIMILAR\n#define SIMILAR(word, cases, answers)\n#endif\n");
    printf("SIMILAR_CASES(%u)\n\n", case_count);
    for (unsigned a = 0; a < ANSWERS; a++) {
        unsigned have = 0;

        for (unsigned i = 0; i < case_count; i++) {
            have += cases[i][a];
        }
        if (have != 0) {
            printf("SIMILAR_ANSWER(%u, %u)\n", a, have);
        }
    }
    puts("");
    qsort(entries, count, sizeof *entries, compare);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && strcmp(entries[i].word, entries[next].word) == 0; next++) {
        }
        print_word(&entries[i], next - i);
    }
    puts("\n#undef SIMILAR_CASES\n#undef SIMILAR_ANSWER\n#undef SIMILAR");
}

int main(int argc, char **argv)
{
    struct dirent **names;
    const int n = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1;

    if (n < 0) {
        stop("give the folder of the cases", argc > 1 ? argv[1] : "");
    }
    cases = calloc((size_t)n, sizeof *cases);
    for (int i = 0; i < n; i++) {
        if (names[i]->d_name[0] != '.') {
            add_case(argv[1], names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    print_table();
    free(entries);
    free(cases);
    return 0;
}
