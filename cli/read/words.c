/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what people write in sentences: around dumps and logs, in comments, and as the whole input. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define LONG_LINE     ((size_t)1 << 16) /* bytes of a sentence's line in which the machine is looked for */
#define MACHINE_LINES 500 /* lines without sentences in which the machine is looked for */

/* What a row of phrases.def finds. */
struct phrase {
    bool symptom;
    bool told;   /* not by a question that yes or no answers */
    unsigned id; /* enum reading_symptom or enum clue_kind */
};

static const struct phrase phrases[] = {
#define SEES(symptom, patterns) {true, false, READING_##symptom},
#define SAYS(clue, patterns) {false, false, CLUE_##clue},
#define TELLS(clue, patterns) {false, true, CLUE_##clue},
#include "phrases.def"
};

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

/* What a line consists of. */
struct line_shape {
    unsigned words;    /* letters only, two or more */
    unsigned plain;    /* of these, words of sentences: "the", "my" */
    unsigned symbols;  /* characters that code has */
};

static bool is_plain(const char *word, size_t length)
{
    static const char plain[] = " the a an is are my i we it in on of to and but with for when that this does not from "
                                "be have has after if no same was which by or as do only why what how can all then "
                                "so always never get gets our its still there also works even each every both hello "
                                "hi please they them until while than because into instead "
                                "ich der das und ist nicht mit auf ein eine aber wenn immer nur bei den dem "
                                "que con para una pero por cuando siempre los "
                                "les est une avec sur mais pas pour dans toujours ";
    char key[16];

    if (length + 3 > sizeof key) {
        return false;
    }
    key[0] = ' ';
    for (size_t i = 0; i < length; i++) {
        key[1 + i] = (char)tolower((unsigned char)word[i]);
    }
    memcpy(key + 1 + length, " ", 2);
    return strstr(plain, key) != NULL;
}

static struct line_shape shape_of(const char *text, size_t length)
{
    struct line_shape shape = {0};

    for (size_t i = 0; i < length;) {
        const size_t from = i;

        while (i < length && (isalpha((unsigned char)text[i]) != 0 || text[i] == '\'')) {
            i++;
        }
        if (i - from >= 1 && (i == length || text[i] != '_')) {
            shape.words += i - from >= 2;
            shape.plain += is_plain(text + from, i - from);
        }
        if (i == from) {
            shape.symbols += strchr(";{}=<>|\\[]", text[i]) != NULL;
            i++;
        }
    }
    return shape;
}

/* Returns true if the line is a comment of code from its beginning. */
static bool is_comment(const char *text)
{
    const char *at = text + text_blanks(text);

    return strchr("/*#;@", at[0]) != NULL && at[0] != '\0';
}

/* Returns true if line @i goes on with the sentence of the line before it: "... the vector is", "never entered." */
static bool goes_on(const struct text *t, size_t i)
{
    const struct text_line *before = &t->lines[i - 1];
    const char last = before->length != 0 ? before->text[before->length - 1] : '\0';

    return islower((unsigned char)t->lines[i].text[0]) != 0 && (islower((unsigned char)last) != 0 || last == ',');
}

/* Returns true if line @i is a sentence, or a part of one.  @follows says that the line before is prose. */
static bool is_prose(const struct text *t, size_t i, bool follows)
{
    const struct text_line *line = &t->lines[i];
    const struct line_shape shape = shape_of(line->text, line->length < 400 ? line->length : 400);
    const unsigned others = line->claimed & ~(1u << TEXT_WORDS);
    const char last = line->length != 0 ? line->text[line->length - 1] : '\0';

    if (last == '{' || last == '}' || last == '\\' || line->text[0] == '[' ||
        (last == ';' && (shape.plain < 4 || shape.words < 10 || is_comment(line->text)))) {
        return false; /* a sentence may end in a statement */
    }
    if ((others & 1u << TEXT_CODE) != 0) {
        return shape.plain >= 3 && shape.words >= 6 && shape.plain * 5 >= shape.words && !is_comment(line->text);
    }
    if (others != 0) {
        if (t->count <= 2 && shape.words >= 5 && shape.symbols * 5 <= shape.words) {
            return true;
        }
        if (follows && i > 0 && shape.plain >= 1 && shape.words >= 3 && shape.symbols == 0 && goes_on(t, i)) {
            return true;
        }
        return shape.plain >= 2 && shape.words >= 4 && shape.plain * 8 >= shape.words &&
               shape.symbols <= shape.words / 2;
    }
    if (t->count <= 2 || (follows && shape.symbols == 0)) {
        return shape.words >= 2 && shape.symbols <= shape.words;
    }
    return shape.words >= 3 && (shape.plain >= 2 || (shape.plain == 1 && shape.symbols == 0)) &&
           shape.symbols <= shape.words;
}

/* Returns the comment in a line of code or of a dump, or NULL. */
static const char *find_comment(const char *text, bool *block)
{
    const char *at = text + text_blanks(text);
    const char *slash = strchr(text, '/');
    const char *found = slash != NULL ? strstr(slash, "//") : NULL;
    const char *open = slash != NULL ? strstr(slash, "/*") : NULL;

    if (*block || open != NULL) {
        *block = strstr(open != NULL ? open : text, "*/") == NULL;
        return open != NULL ? open + 2 : at + (at[0] == '*');
    }
    if (found != NULL && (found == text || found[-1] != ':')) {
        return found + 2;
    }
    if (at[0] == '#' && strncmp(at, "#include", 8) != 0 && strncmp(at, "#define", 7) != 0 &&
        strncmp(at, "#if", 3) != 0 &&
        strncmp(at, "#e", 2) != 0 && strncmp(at, "#pragma", 7) != 0) {
        return at + 1;
    }
    for (const char *c = text; (c = strpbrk(c, "#;@-")) != NULL; c++) {
        if ((*c != '-' && c[1] == ' ' && (c == text || c[-1] == ' ' || c[-1] == '\t')) ||
            (*c == '-' && c[1] == '-' && c[2] == ' ')) {
            return c + (*c == '-' ? 2 : 1);
        }
    }
    return NULL;
}

/* Returns true if line @i has values of registers and nothing else: no sentence ends within it. */
static bool is_only_registers(const struct reading *r, size_t i)
{
    return text_is_claimed(&r->text, i, TEXT_REGISTERS) && !r->sentence &&
           strstr(r->text.lines[i].text, ". ") == NULL;
}

/* Learns the machine from line @i, which is no sentence. */
static void read_line_of_log(struct reading *r, size_t i)
{
    const struct text_line *line = &r->text.lines[i];
    const size_t length = line->length < 300 ? line->length : 300;

    if (i >= MACHINE_LINES || text_is_claimed(&r->text, i, TEXT_CODE)) {
        return;
    }
    if (text_is_claimed(&r->text, i, TEXT_LINUX) || is_only_registers(r, i)) {
        read_board_words(r, line->text, length, line->number);
    } else {
        read_machine_words(r, line->text, length, line->number);
    }
}

/* Notes that code beside the sentences grants EL0 the access. */
static void find_grants(struct reading *r)
{
    for (size_t i = 0; i < r->text.count && i < MACHINE_LINES; i++) {
        const struct text_line *line = &r->text.lines[i];

        if (strcasestr(line->text, "pmuserenr") != NULL && reading_find(r, CLUE_words_grants) == NULL &&
            (strcasestr(line->text, "msr") != NULL || strcasestr(line->text, "write_sysreg") != NULL)) {
            reading_clue(r, CLUE_words_grants, line->number, "pmuserenr");
        }
    }
}

/* Returns the line's text behind the prompt of a program whose name says something else: "crash> # VHE host". */
static struct text_line without_prompt(const struct text_line *line)
{
    static const char prompt[] = "crash>";
    struct text_line rest = *line;

    if (rest.length >= sizeof prompt && strncmp(rest.text, prompt, sizeof prompt - 1) == 0) {
        rest.text += sizeof prompt - 1;
        rest.length -= sizeof prompt - 1;
    }
    return rest;
}

/* Adds the prose of line @i to @p. */
static void add_line(struct reading *r, struct prose *p, size_t i, bool *block, bool *follows)
{
    const struct text_line shown = without_prompt(&r->text.lines[i]), *line = &shown;
    const char *comment;

    if (line->text[strspn(line->text, " \t*/#")] == '\0') {
        find_comment(line->text, block); /* "/" and "*" alone begin a comment, or end it */
        words_prose_end(p);
        *follows = false;
    } else if (is_prose(&r->text, i, *follows)) {
        *follows = true;
        words_prose_add(p, line->text, line->length, line->number);
        read_machine_words(r, line->text, line->length < LONG_LINE ? line->length : LONG_LINE, line->number);
        text_claim(&r->text, i, TEXT_WORDS);
    } else {
        const bool inside = *block;

        *follows = false;
        read_line_of_log(r, i);
        comment = find_comment(line->text, block);
        if (comment != NULL && strlen(comment) > 3) {
            if (!inside) {
                words_prose_end(p);
            }
            words_prose_add(p, comment, strlen(comment), line->number);
            read_machine_words(r, comment, strnlen(comment, LONG_LINE), line->number);
        } else if (text_is_claimed(&r->text, i, TEXT_REGISTERS)) {
            words_prose_end(p); /* a heading above values and what is said below them are two sentences */
        }
    }
}

static void add_lines(struct reading *r, struct prose *p)
{
    bool block = false, follows = false;

    if (r->said != NULL) {
        words_prose_add(p, r->said, strlen(r->said), 0);
        words_prose_end(p);
        read_machine_words(r, r->said, strlen(r->said), 0);
    }
    for (size_t i = 0; i < r->text.count && p->count + 1 < PROSE_TOKENS; i++) {
        add_line(r, p, i, &block, &follows);
    }
    words_prose_end(p);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Phrases.
 */

/* Adds a clue with the words from token @from to @end. */
static void add_clue(struct reading *r, const struct prose *p, enum clue_kind kind, size_t from, size_t end)
{
    char words[160] = "";
    size_t used = 0;

    for (size_t i = from; i < end && used + p->tokens[i].length + 2 < sizeof words; i++) {
        if (i != from) {
            words[used++] = ' ';
        }
        memcpy(words + used, p->tokens[i].text, p->tokens[i].length + 1u);
        used += p->tokens[i].length;
    }
    reading_clue(r, kind, p->tokens[from].line, words);
}

/* Finds the first of the patterns of row @i of the phrases. */
static void apply_phrase(struct reading *r, const struct prose *p, const struct prose_marks *m, size_t i)
{
    const struct phrase *phrase = &phrases[i];
    size_t end = 0;
    const size_t first = words_prose_find(m, i, phrase->told, &end);

    if (first == p->count) {
        return;
    }
    if (phrase->symptom) {
        reading_symptom(r, (enum reading_symptom)phrase->id, p->tokens[first].line);
    } else {
        add_clue(r, p, (enum clue_kind)phrase->id, first, end);
    }
}

/* Returns true if token @i is what "how many" asks for, and no number of several answers it. */
static bool is_asked_number(const struct prose *p, size_t i)
{
    if (i < 2 || !words_prose_is(p, i - 2, "how") || !words_prose_is(p, i - 1, "many")) {
        return false;
    }
    for (size_t k = i + 1; k < p->count && k <= i + 4; k++) {
        if ((p->tokens[k].number && p->tokens[k].value >= 2) ||
            words_prose_is(p, k, "two/three/four/five/six/seven/eight/several/many")) {
            return false;
        }
    }
    return true;
}

/* Returns true if token @i is the 0 of "0 to 4": numbers of counters, and no count. */
static bool is_range_of_counters(const struct prose *p, size_t i)
{
    return i + 2 < p->count && words_prose_is(p, i, "0") && words_prose_is(p, i + 1, "to/through") &&
           p->tokens[i + 2].number && !p->tokens[i + 2].hex && p->tokens[i + 2].value >= 1 &&
           p->tokens[i + 2].value <= 30 &&
           (i + 3 == p->count || !words_prose_is(p, i + 3, "%/percent/ms/us/ns/cycles/counts"));
}

/* Returns true if token @i is the 0 of "PMSELR is still 0": the number of a counter, and no count. */
static bool is_selected_number(const struct prose *p, size_t i)
{
    size_t k = i;

    while (k != 0 && i - k < 3 && words_prose_is(p, k - 1, "is/=/still/always/stays/remains/to/at/was")) {
        k--;
    }
    return words_prose_is(p, i, "0") && k != 0 && words_prose_is(p, k - 1, "pmselr*/pmnxsel*/pmxsel*/selr");
}

/* Returns true if token @i is a 0 that somebody expected, and did not see: "I would have thought that it is 0". */
static bool is_expected_zero(const struct prose *p, size_t i)
{
    size_t k = i;

    while (k != 0 && i - k < 9 && p->tokens[k - 1].sentence == p->tokens[i].sentence &&
           !words_prose_is(p, k - 1, "but/and/yet/while")) {
        k--;
        if (words_prose_is(p, k, "have/had") && words_prose_is(p, k + 1, "thought/expected/guessed/assumed/supposed")) {
            return words_prose_is(p, i, "0/zero");
        }
    }
    return false;
}

/* Returns true if token @i is an argument of a call of perf_event_open() that is 0, and no count. */
static bool is_argument(const struct prose *p, size_t i)
{
    size_t k = i;

    while (k != 0 && i - k < 5 &&
           (p->tokens[k - 1].number || words_prose_is(p, k - 1, "-1/attr/pe/pea/null/nullptr"))) {
        k--;
    }
    return words_prose_is(p, i, "0") && k != 0 && words_prose_is(p, k - 1, "perf_event_open*");
}

/* Returns true if token @i is a "same" that is none: "nearly the same number". */
static bool is_nearly_same(const struct prose *p, size_t i)
{
    const size_t before = i - (i != 0 && words_prose_is(p, i - 1, "the/exactly"));

    return words_prose_is(p, i, "same/equal/identical") && before != 0 &&
           words_prose_is(p, before - 1, "nearly/almost/practically/roughly/approximately/virtually");
}

/* Returns true if token @i is the "less" of how long something takes: "our runs take less than two seconds". */
static bool is_short_time(const struct prose *p, size_t i)
{
    if (i == 0 || !words_prose_is(p, i, "less/shorter/fewer") || !words_prose_is(p, i + 1, "than") ||
        !words_prose_is(p, i - 1, "take/takes/last/lasts/need/needs/run/runs/for/within/much/well/far/always") ||
        words_amount(p, i + 2) == 0 || words_seconds(p, i + 3) == 0) {
        return false;
    }
    for (size_t k = 0; k < p->count; k++) {
        if (p->tokens[k].sentence == p->tokens[i].sentence &&
            words_prose_is(p, k, "but/why/although/though/while/instead/expect*/should/yet/shows/says/reads/gives/"
                                 "reports/prints")) {
            return false;
        }
    }
    return true;
}

/* Replaces words that mean something else before certain words: "right after" judges nothing, a "trap path" is code. */
static void replace_words(struct reading *r, struct prose *p)
{
    static const struct {
        const char *word, *before, *meant;
    } rows[] = {
        {"multiple", "of/times/events/counters/cores/threads/runs/processes/cpus", "several"}, /* and not "multiplex" */
        {"right", "after/before/behind/when/where/there", "directly"},
        {"trap", "path/paths/handling/cost/costs/latency/frame/code/entry/table/overhead", "kernel-entry"},
    };

    for (size_t i = 0; i < p->count; i++) {
        if (is_asked_number(p, i)) {
            p->tokens[i].text = "things-asked-for"; /* a question how many there are tells of none */
            p->tokens[i].length = 16;
        }
        if (i != 0 && words_prose_is(p, i, "samples/events/records") &&
            words_prose_is(p, i - 1, "lost/missed/dropped")) {
            p->tokens[i].text = "losses"; /* none of these is good */
            p->tokens[i].length = 6;
        }
        if (is_short_time(p, i)) {
            p->tokens[i].text = "within"; /* it is no count that is too small */
            p->tokens[i].length = 6;
        }
        if (words_is_below_wrap(p, i)) {
            words_add_pair(r, CLUE_words_shorter_than_wrap, p->tokens[i].line, 4294967295.0, 0);
            p->tokens[i].text = "the-limit"; /* what never wraps tells of no wrap */
            p->tokens[i].length = 9;
        }
        if (is_nearly_same(p, i)) {
            p->tokens[i].text = "similar"; /* what is nearly the same moves */
            p->tokens[i].length = 7;
        }
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if (words_prose_is(p, i, rows[k].word) && words_prose_is(p, i + 1, rows[k].before)) {
                p->tokens[i].text = rows[k].meant;
                p->tokens[i].length = (uint16_t)strlen(rows[k].meant);
            }
        }
        if (is_range_of_counters(p, i) || is_selected_number(p, i) || is_argument(p, i) || is_expected_zero(p, i)) {
            p->tokens[i].text = "first";
            p->tokens[i].length = 5;
        }
        if (i != 0 && words_prose_is(p, i, "0x00/0x0/0") && words_prose_is(p, i - 1, "event") &&
            (i < 2 || !words_prose_is(p, i - 2, "every/each/all/any/the/an/this/that/no"))) {
            p->tokens[i].text = "sw_incr"; /* the number of an event is no count */
            p->tokens[i].length = 7;
        }
    }
}

/* Returns true if what is said of a wrap stands beside code that subtracts modulo 2^32: no wrap is seen there. */
static bool is_modulo(const struct reading *r)
{
    static const char *const forms[] = {"wrapping_sub(", "mod 2^32", "modulo 2^32", "modulo 32", "mod 2**32",
                                        "wrap-safe", "wrap safe"};
    const size_t line = text_find(&r->text, r->symptoms[READING_wraps]);

    if (line >= r->text.count || !text_is_claimed(&r->text, line, TEXT_CODE)) {
        return false;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strstr(r->text.lines[line].text, forms[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if "no interrupts" stands beside code that switches them off: it says what the code does. */
static bool is_switched_off(const struct reading *r)
{
    static const char *const names[] = {"intenclr", "c9, c14, 2", "c9,c14,2"};
    const size_t line = text_find(&r->text, r->symptoms[READING_no_interrupt]);

    for (size_t i = 0; i < sizeof names / sizeof names[0] && line < r->text.count; i++) {
        if (text_is_claimed(&r->text, line, TEXT_CODE) && strcasestr(r->text.lines[line].text, names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if line @i speaks of another CPU than the first one named: "other cores", "core 1" after "core 0". */
static bool speaks_of_others(const struct reading *r, size_t i, char *first)
{
    static const char *const others[] = {"other ", "others", "second ", "which core", "which cpu", "every ", "each "};
    static const char *const names[] = {"core", "cpu"};
    const char *text = r->text.lines[i].text;

    for (size_t w = 0; w < sizeof others / sizeof others[0]; w++) {
        const char *at = strcasestr(text, others[w]);

        if (at != NULL && (strcasestr(at, "core") != NULL || strcasestr(at, "cpu") != NULL)) {
            return true;
        }
    }
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (const char *at = text; (at = strcasestr(at, names[n])) != NULL; at++) {
            const char *digit = at + strlen(names[n]);

            digit += *digit == ' ' || *digit == '#';
            if (isdigit((unsigned char)*digit) && *first != '\0' && *first != *digit) {
                return true;
            }
            *first = isdigit((unsigned char)*digit) ? *digit : *first;
        }
    }
    return false;
}

/* Returns true if the writer says that all the code runs on one CPU, and speaks of no other one. */
static bool stays_on_one_cpu(const struct reading *r)
{
    char first = '\0';

    if (reading_find(r, CLUE_words_one_cpu_for_all) == NULL) {
        return false;
    }
    for (size_t i = 0; i < r->text.count && i < 2000; i++) {
        if (speaks_of_others(r, i, &first)) {
            return false;
        }
    }
    return true;
}

void read_words(struct reading *r)
{
    struct prose *p = cli_allocate(NULL, 1, sizeof *p);
    struct prose_marks *m;
    const bool fault = r->sees[READING_fault], one_cpu = r->sees[READING_one_cpu]; /* by what other readers found */
    const bool missed = r->sees[READING_no_interrupt], refused = r->sees[READING_refused];

    add_lines(r, p);
    words_prose_translate(p);
    words_level_descends(p);
    replace_words(r, p);
    m = words_prose_mark(p);
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0] && p->count != 0; i++) {
        apply_phrase(r, p, m, i);
    }
    words_prose_release(m);
    words_level_settle(r);
    if (!fault && reading_find(r, CLUE_words_other_fault) != NULL) {
        r->sees[READING_fault] = false;
    }
    if (!missed && reading_find(r, CLUE_words_no_irq_wanted) != NULL) {
        r->sees[READING_no_interrupt] = false;
    }
    if (!refused && reading_find(r, CLUE_words_refusal_wanted) != NULL) {
        r->sees[READING_refused] = false;
    }
    if (!fault && reading_find(r, CLUE_words_traps_wanted) != NULL) {
        r->sees[READING_fault] = false;
    }
    if (!missed && r->sees[READING_storm] && reading_find(r, CLUE_words_irq_comes) != NULL) {
        r->sees[READING_no_interrupt] = false;
    }
    if (!one_cpu && (reading_find(r, CLUE_words_same_everywhere) != NULL || stays_on_one_cpu(r))) {
        r->sees[READING_one_cpu] = false;
    }
    if (r->sees[READING_wraps] && is_modulo(r)) {
        r->sees[READING_wraps] = false;
    }
    if (!missed && r->sees[READING_no_interrupt] && is_switched_off(r)) {
        r->sees[READING_no_interrupt] = false;
    }
    words_prose_numbers(r, p);
    find_grants(r);
    free(p);
}
