/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the machine in words: ../state/boards.def, the cores of tables/cores.def, and clock rates. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "words.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Rows.
 */

/* What a row says. */
struct machine_row {
    const char *words;  /* alternatives separated by | */
    const char *name;   /* of the board; NULL: a fact */
    const char *cores;
    uint8_t pmu;
    bool fold;          /* upper-case letters of .words match lower-case ones too */
    size_t member;      /* of a fact: the offset in struct reading_machine */
    uint64_t value;
};

static const struct machine_row rows[] = {
#define BOARD(words, name, cores, pmu) {words, name, cores, READING_PMU_##pmu, false, 0, 0},
#define FACT(words, member, value) {words, NULL, NULL, 0, false, offsetof(struct reading_machine, member), value},
#include "../state/boards.def"
#define APMU_CORE(id, name, implementer, part, counters, pmu, version, note) \
    {name, name, name, READING_PMU_UNKNOWN, true, 0, 0},
#include <armpmu/tables/cores.def>
};

#define ROWS (sizeof rows / sizeof rows[0])
#define ALTERNATIVES 3000
#define LETTERS 128
#define SECONDS 32

/* One alternative of a row, in the list of those that begin alike. */
struct alternative {
    const char *words;
    uint16_t length;
    uint16_t row;
    uint16_t next; /* index + 1; 0: the last */
};

/* The alternatives by how they begin.  They are constant: machine_index() makes them once. */
struct machine_index {
    bool made;
    size_t count;
    uint16_t heads[LETTERS][SECONDS]; /* index + 1; 0: none; see second_of() */
    struct alternative list[ALTERNATIVES];
};

static bool is_separator(char c)
{
    return c == ' ' || c == '-' || c == '_' || c == '.' || c == '/' || c == '\t';
}

static bool is_alnum(char c)
{
    return isalnum((unsigned char)c) != 0;
}

/*
 * Returns a number from 1 on for the second letter or digit of @text, which may stand behind a separator, and 0 if
 * there is none.  An alternative whose number is 0 may match any text that begins with its letter.
 */
static unsigned second_of(const char *text, size_t length)
{
    const size_t at = length > 1 && is_separator(text[1]) ? 2 : 1;

    return at < length && is_alnum(text[at]) ? 1 + (unsigned)tolower((unsigned char)text[at]) % (SECONDS - 1) : 0;
}

static void add_alternative(struct machine_index *index, const char *words, size_t length, size_t row)
{
    const bool mark = length > 1 && !is_alnum(words[1]) && words[1] != ' ' && words[1] != '-';
    uint16_t *head = &index->heads[(unsigned)tolower((unsigned char)words[0]) % LETTERS]
                                  [mark ? 0 : second_of(words, length)];

    if (index->count == ALTERNATIVES) {
        return;
    }
    index->list[index->count] = (struct alternative){words, (uint16_t)length, (uint16_t)row, *head};
    *head = (uint16_t)++index->count;
}

/* Returns the last of two lists' first alternatives and moves that list on; 0 if there is none. */
static unsigned next_alternative(const struct machine_index *index, unsigned *a, unsigned *b)
{
    unsigned *last = *a > *b ? a : b;
    const unsigned i = *last;

    *last = i == 0 ? 0 : index->list[i - 1].next;
    return i;
}

static const struct machine_index *machine_index(void)
{
    static struct machine_index index;

    for (size_t i = 0; i < ROWS && !index.made; i++) {
        for (const char *at = rows[i].words; *at != '\0';) {
            const size_t length = strcspn(at, "|");

            add_alternative(&index, at, length, i);
            at += length + (at[length] == '|');
        }
    }
    index.made = true;
    return &index;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Matching.
 */

static bool same_letter(char pattern, char c, bool fold)
{
    if (fold) {
        return tolower((unsigned char)pattern) == tolower((unsigned char)c);
    }
    return pattern == c || (islower((unsigned char)pattern) && pattern == tolower((unsigned char)c));
}

/* Returns true if a separator may stand before pattern[i]. */
static bool may_part(const char *pattern, size_t i)
{
    return i > 0 && is_alnum(pattern[i - 1]) && is_alnum(pattern[i]) &&
           (isdigit((unsigned char)pattern[i - 1]) != 0) != (isdigit((unsigned char)pattern[i]) != 0);
}

/*
 * Returns how many characters of @text @pattern matches, 0 if it does not match.  boards.def has the rules.  *@named is
 * how many of them the pattern names: without what its * stands for.
 */
static size_t match_words(const char *pattern, size_t length, bool fold, const char *text, size_t room, size_t *named)
{
    size_t at = 0, end = pattern[length - 1] == '*' ? length - 1 : length;

    for (size_t i = 0; i < end; i++) {
        if (pattern[i] == ' ' || (fold && pattern[i] == '-')) {
            at += at < room && is_separator(text[at]);
            continue;
        }
        at += may_part(pattern, i) && at < room && is_separator(text[at]);
        if (at >= room || !same_letter(pattern[i], text[at], fold)) {
            return 0;
        }
        at++;
    }
    *named = at;
    if (end < length) {
        while (at < room && is_alnum(text[at])) {
            at++;
        }
        return at;
    }
    if (at + 1 < room && text[at] == '.' && isdigit((unsigned char)text[at - 1]) != 0 &&
        isdigit((unsigned char)text[at + 1]) != 0) {
        return 0; /* a version: "raspberrypi 4.19.97" */
    }
    if (at < room && (text[at] == 's' || (fold && (text[at] | 0x20) == 'f')) &&
        (at + 1 == room || !is_alnum(text[at + 1]))) {
        return at; /* a plural, or a core with an FPU: Cortex-R5F */
    }
    return at < room && is_alnum(text[at]) ? 0 : at;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Learning.
 */

static enum reading_pmu pmu_of_core(const struct apmu_core_info *core)
{
    switch (core->pmu) {
    case APMU_CORE_PMU_ARM11:
        return READING_PMU_ARM11;
    case APMU_CORE_PMU_V1:
    case APMU_CORE_PMU_V2:
        return READING_PMU_V7;
    case APMU_CORE_PMU_V3:
        return READING_PMU_V8;
    default:
        return core->implementer == 0x61 ? READING_PMU_APPLE : READING_PMU_UNKNOWN;
    }
}

static void learn_core(struct reading *r, const struct apmu_core_info *core, uint32_t line)
{
    if (core != NULL && r->machine.big_little.known && r->machine.core == NULL && r->machine.board[0] != '\0') {
        return; /* the core is one of two */
    }
    reading_learn_core(r, core);
    if (core != NULL && pmu_of_core(core) != READING_PMU_UNKNOWN) {
        reading_learn(&r->machine.pmu, pmu_of_core(core), line);
    }
}

static void learn_board(struct reading *r, const struct machine_row *row, uint32_t line)
{
    struct reading_machine *m = &r->machine;

    if (row->pmu == READING_PMU_OTHER) {
        reading_clue(r, CLUE_words_other_cpu, line, row->name);
        return;
    }
    if (row->pmu == READING_PMU_M && strncmp(row->cores, "Cortex-M", 8) == 0 &&
        reading_find(r, CLUE_words_m_core) == NULL) {
        const unsigned long number = strtoul(row->cores + 8, NULL, 10);

        reading_clue(r, CLUE_words_m_core, line, row->cores)->values[0] = number == 1 || number == 23 ? 0 : number;
    }
    if (row->pmu != READING_PMU_UNKNOWN) {
        reading_learn(&m->pmu, row->pmu, line);
    }
    if (strchr(row->cores, '+') != NULL && strstr(row->cores, " + ") != NULL) {
        reading_learn(&m->big_little, 1, line);
    } else if (row->cores[0] != '\0') {
        learn_core(r, apmu_core_by_name(row->cores), line);
    }
    if (m->board[0] == '\0' && row->name[0] != '\0' && row->pmu != READING_PMU_UNKNOWN) {
        snprintf(m->board, sizeof m->board, "%s", row->name);
    }
}

static void learn_row(struct reading *r, const struct machine_row *row, uint32_t line)
{
    if (row->name != NULL) {
        learn_board(r, row, line);
    } else {
        reading_learn((struct reading_number *)((char *)&r->machine + row->member), row->value, line);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Short names and numbers.
 */

/* Learns "N2" or "V1", a word of two characters at @text.  Returns true if it is a Neoverse core. */
static bool learn_neoverse(struct reading *r, const char *text, size_t length, uint32_t line)
{
    char name[16];
    const struct apmu_core_info *core;

    if (length != 2 || strchr("NVE", text[0]) == NULL || text[1] < '1' || text[1] > '3') {
        return false;
    }
    snprintf(name, sizeof name, "Neoverse %.2s", text);
    core = apmu_core_by_name(name);
    learn_core(r, core, line);
    return core != NULL;
}

/* Learns "A72", "a53", "A9" or "R52", a word of @length characters at @text.  Returns true if it is such a name. */
static bool learn_short_name(struct reading *r, const char *text, size_t length, uint32_t line)
{
    char name[24];
    const struct apmu_core_info *core;
    size_t digits = 0;

    if (length < 2 || length > 6 || (tolower((unsigned char)text[0]) != 'a' && text[0] != 'R')) {
        return false;
    }
    while (1 + digits < length && isdigit((unsigned char)text[1 + digits])) {
        digits++;
    }
    if (digits != 0 && length > digits + 2 && words_core_at(text, length) != NULL) {
        core = words_core_at(text, length); /* R5FSS0 */
        learn_core(r, core, line);
        return true;
    }
    if (digits == 0 || (digits == 1 && text[0] != 'A') || (digits == 2 && memcmp(text + 1, "32", 2) == 0)) {
        return false; /* r5 is a register, A32 an instruction set */
    }
    length -= length == digits + 2 && text[length - 1] == 's';
    snprintf(name, sizeof name, "Cortex-%.*s", (int)length, text);
    core = apmu_core_by_name(name);
    learn_core(r, core, line);
    return core != NULL;
}

/* Returns true if one of the words before @at says that what follows is not the clock of the core. */
static bool is_another_clock(const char *text, size_t at)
{
    static const char *const others[] = {"timer", "cntfrq", "counter", "shows", "show", "average", "averages", "ddr",
                                         "bus", "only", "reads", "looks", "says", "crystal", "xtal", "memory", "gives",
                                         "reports", "apb", "ahb", "arch_timer"};
    const size_t from = at < 40 ? 0 : at - 40;
    char before[48];

    if ((at >= 6 && strncasecmp(text + at - 6, "about ", 6) == 0) ||
        (at >= 5 && strncasecmp(text + at - 5, "like ", 5) == 0)) {
        return true;
    }

    snprintf(before, sizeof before, "%.*s", (int)(at - from), text + from);
    for (char *c = before; *c != '\0'; c++) {
        *c = (char)tolower((unsigned char)*c);
        if (*c == ',' || *c == ';' || (*c == '.' && c[1] == ' ')) {
            memset(before, ' ', (size_t)(c - before) + 1); /* another clause */
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        const char *hit = strstr(before, others[i]);

        if (hit != NULL && hit - before >= 6 && strncmp(hit - 6, "cycle counter", 13) == 0) {
            continue; /* it counts the core's clock */
        }
        if (hit != NULL && (hit == before || !is_alnum(hit[-1])) && !is_alnum(hit[strlen(others[i])])) {
            return true;
        }
    }
    return false;
}

/* Returns how many digits stand behind the comma at @at: up to 4; 0 if none is there or it is no comma. */
static size_t digits_behind_comma(const char *text, size_t length, size_t at)
{
    size_t digits = 0;

    while (text[at] == ',' && digits < 4 && at + 1 + digits < length && isdigit((unsigned char)text[at + 1 + digits])) {
        digits++;
    }
    return digits;
}

/* Learns a clock rate at @at, a digit: "1.2 GHz", "900MHz".  Returns how many characters it takes, 0 for none. */
static size_t learn_clock(struct reading *r, const char *text, size_t length, size_t at, uint32_t line)
{
    size_t i = at;
    double value = 0, unit = 1;
    bool point = false, giga;

    for (; i < length && i - at < 12 && (isdigit((unsigned char)text[i]) ||
                                         ((text[i] == '.' || digits_behind_comma(text, length, i) != 0) && !point));
         i++) {
        if (!isdigit((unsigned char)text[i])) {
            point = text[i] == '.' || digits_behind_comma(text, length, i) != 3; /* 1,200 MHz and 1,5 GHz */
        } else {
            value = value * 10 + (text[i] - '0');
            unit *= point ? 10 : 1;
        }
    }
    while (i < length && (text[i] == ' ' || text[i] == '-')) {
        i++;
    }
    if (i + 3 > length || tolower((unsigned char)text[i + 1]) != 'h' || tolower((unsigned char)text[i + 2]) != 'z' ||
        (i + 3 < length && is_alnum(text[i + 3]))) {
        return 0;
    }
    giga = tolower((unsigned char)text[i]) == 'g';
    if (!giga && tolower((unsigned char)text[i]) != 'm') {
        return 0;
    }
    value = value / unit * (giga ? 1e9 : 1e6);
    if (value >= 1e6 && value < 2e10 && !is_another_clock(text, at)) {
        reading_learn(&r->machine.clock, (uint64_t)(value + 0.5), line);
    }
    return i + 3 - at;
}

/* Returns true if a word takes back the name of @used bytes at @at: "without KVM", "QEMU is not used". */
static bool is_denied(const char *text, size_t length, size_t at, size_t used)
{
    static const char *const words[] = {"without", "no", "not", "non", "excludes", "exclude", "excluding"};
    static const char *const counted[] = {"time", "cycles", "instructions", "events", "spent"}; /* before "at EL0" */
    static const char *const behind[] = {" not used", " is not used", " isn't used", " is not in use", " not involved",
                                         " is not involved", " isn't involved", " must not", " is excluded",
                                         " is not counted", " are not counted", " is left out"};
    const bool preposition =
        used > 3 && (strncasecmp(text + at, "at ", 3) == 0 || strncasecmp(text + at, "in ", 3) == 0);

    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++) {
        const size_t n = strlen(behind[i]);

        if (at + used + n <= length && strncasecmp(text + at + used, behind[i], n) == 0) {
            return true;
        }
    }

    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '-')) {
        at--;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);

        if (at >= length && strncasecmp(text + at - length, words[i], length) == 0 &&
            (at == length || !is_alnum(text[at - length - 1]))) {
            return true;
        }
    }
    for (size_t i = 0; preposition && i < sizeof counted / sizeof counted[0]; i++) {
        const size_t length = strlen(counted[i]);

        if (at >= length && strncasecmp(text + at - length, counted[i], length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if the row is a fact that follows from an Exception level. */
static bool is_of_level(const struct machine_row *row)
{
    return row->name == NULL && (row->member == offsetof(struct reading_machine, el) ||
                                 row->member == offsetof(struct reading_machine, place));
}

/* Applies the rows that name most of @text at @at.  Returns the length of the match, 0 for none. */
static size_t learn_words_at(struct reading *r, const char *text, size_t length, size_t at, uint32_t line, bool facts)
{
    const struct machine_index *index = machine_index();
    const uint16_t *heads = index->heads[(unsigned)tolower((unsigned char)text[at]) % LETTERS];
    const unsigned second = second_of(text + at, length - at);
    size_t longest = 0, most = 0, named = 0;
    bool board = false;

    if ((text[at] | 0x20) == 's' && at > 0 && (text[at - 1] == '\'' || text[at - 1] == '\x99')) {
        return 0; /* "the guest's EL1" is not S-EL1; 0x99 ends the other apostrophe in UTF-8 */
    }
    for (unsigned pass = 0; pass < 2; pass++) {
        unsigned any = heads[0], like = second == 0 ? 0 : heads[second], i;

        while ((i = next_alternative(index, &any, &like)) != 0) {
            const struct alternative *a = &index->list[i - 1];
            const struct machine_row *row = &rows[a->row];
            const size_t used = row->name != NULL || facts
                                    ? match_words(a->words, a->length, row->fold, text + at, length - at, &named)
                                    : 0;

            if (pass == 0 && used != 0 && named > most) {
                longest = used;
                most = named;
            } else if (pass == 1 && used != 0 && named == most &&
                       (row->name != NULL || !is_denied(text, length, at, used)) &&
                       !(is_of_level(row) && words_level_begins(r, text, length, at, used, line))) {
                learn_row(r, row, line);
                board = board || row->name != NULL;
            }
        }
        if (longest == 0) {
            return 0;
        }
    }
    return board ? longest : 1;
}

/* Returns true if one of the words of a move to another machine stands in @text before @end. */
static bool says_move(const char *text, const char *end)
{
    static const char *const moves[] = {"port", "move", "migrat", "switch", "chang", "upgrad", "transfer"};

    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        const char *move = strcasestr(text, moves[i]);

        if (move != NULL && move < end) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if @before, which ends at a machine's name, says behind the last of the marks @ends that it is the one
 * of before.
 */
static bool says_former(const char *before, const char *ends)
{
    static const char *const words[] = {" old ", " former ", " previous ", " earlier ", " written for ", " made for ",
                                        " taken from ", " copied from ", " comes from ", " from our ",
                                        " worked on ", " ran on "};
    const char *clause = before;

    for (const char *c = before; *c != '\0'; c++) {
        clause = strchr(ends, *c) != NULL ? c + 1 : clause;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *word = strcasestr(clause, words[i]);

        if (word != NULL && strlen(word) <= strlen(words[i]) + 20) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if @behind, which begins with a machine's name, says on what the code is now: ", now on a Zynq",
 * "rebuilt for the new board with".
 */
static bool says_now_on(const char *behind)
{
    static const char *const news[] = {" on the new ", " on our new ", " on a new ", " for the new ", " for our new ",
                                       " for a new ", " to the new ", " to our new ", " to a new "};
    const char *now = strcasestr(behind, "now "), *on = now != NULL ? strcasestr(now, " on ") : NULL;

    for (size_t i = 0; i < sizeof news / sizeof news[0]; i++) {
        if (strcasestr(behind, news[i]) != NULL) {
            return true;
        }
    }
    return on != NULL && now > behind && !is_alnum(now[-1]) && memchr(now, ',', (size_t)(on - now)) == NULL;
}

/*
 * Returns true if the word at @at is of the machine that the writer has left: "ported from an STM32F407 to an
 * STM32G071", "used on the ARM1176, now moved to the Cortex-A8", "our old Raspberry Pi code, now on a Zynq".
 */
static bool is_left_behind(const char *text, size_t length, size_t at)
{
    const size_t from = at < 80 ? 0 : at - 80;
    char before[84], behind[84];
    char *word, *end, *to;

    snprintf(before, sizeof before, "%.*s", (int)(at - from), text + from);
    snprintf(behind, sizeof behind, "%.*s", (int)(length - at < 80 ? length - at : 80), text + at);
    end = strpbrk(behind, ";!?");
    end = end != NULL ? end : behind + strlen(behind);
    if (strcasestr(behind, ". now ") != NULL && says_former(before, ".;!?")) {
        return true;
    }
    to = strstr(behind, ". ");
    end = to != NULL && to < end ? to : end;
    *end = '\0';
    if (says_now_on(behind) && says_former(before, ".,;:!?")) {
        return true;
    }
    to = strcasestr(behind, " to ");
    if (to == NULL) {
        return false;
    }
    word = strcasestr(before, " from ");
    if (word != NULL && strlen(word) <= 30 && strpbrk(word, ".,;:") == NULL && strcasestr(word, " to ") == NULL) {
        return says_move(before, word);
    }
    word = strcasestr(behind, "now ");
    return word != NULL && word < to && says_move(word, to);
}

/* Learns what is in @text; @facts: not only cores and boards. */
static void learn_all(struct reading *r, const char *text, size_t length, uint32_t line, bool facts)
{
    size_t at = 0, board = SIZE_MAX; /* where the name of the board ends that told the core */

    while (at < length) {
        const struct apmu_core_info *before = r->machine.core;
        size_t word = 0, used = 0;

        if (!is_alnum(text[at])) {
            at++;
            continue;
        }
        while (at + word < length && is_alnum(text[at + word])) {
            word++;
        }
        if (facts && isdigit((unsigned char)text[at])) {
            used = learn_clock(r, text, length, at, line);
        }
        if (facts) {
            words_level_item(r, text, length, at, word, line);
        }
        if (used == 0 && is_left_behind(text, length, at)) {
            used = word;
        }
        if (used == 0 && board != SIZE_MAX) {
            words_core_replace(r, text, at, word, board, line);
        }
        if (used == 0) {
            used = learn_words_at(r, text, length, at, line, facts);
        }
        if (used == 0 && !learn_neoverse(r, text + at, word, line)) {
            learn_short_name(r, text + at, word, line);
        }
        if (before == NULL && r->machine.core != NULL && words_core_at(text + at, word) == NULL) {
            board = at + (used > word ? used : word);
        }
        at += used > word ? used : word;
        while (at < length && is_alnum(text[at])) {
            at++;
        }
    }
}

void read_machine_words(struct reading *r, const char *text, size_t length, uint32_t line)
{
    learn_all(r, text, length, line, true);
}

void read_board_words(struct reading *r, const char *text, size_t length, uint32_t line)
{
    learn_all(r, text, length, line, false);
}
