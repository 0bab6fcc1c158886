/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes core files. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <armpmu/core_file.h>

enum { WORD_SIZE = 64 };

/* A core file that is being read. */
struct core_reader {
    const char *at, *end;
    struct apmu_core_row *row;
    struct apmu_core_file_fault *fault;
    bool based, named, seen[APMU_CORE_KEY_COUNT];
};

__attribute__((format(printf, 2, 3))) static bool fail(struct core_reader *r, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(r->fault->text, sizeof r->fault->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the next word of the line from @*at to @end into @word.  Returns false if it is too long or not text. */
static bool next_word(const char **at, const char *end, char word[WORD_SIZE])
{
    size_t n = 0;

    while (*at < end && is_blank(**at)) {
        ++*at;
    }
    for (; *at < end && !is_blank(**at) && **at != '#'; ++*at) {
        if (n + 1 == WORD_SIZE || **at <= ' ' || **at > '~') {
            return false;
        }
        word[n++] = **at;
    }
    word[n] = 0;
    if (*at < end && **at == '#') {
        *at = end;
    }
    return true;
}

/* Reads a number, as 64, 0x40, 64K or 1M.  Returns false if @text is none or it exceeds 32 bits. */
static bool read_number(const char *text, uint32_t *value)
{
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    uint64_t number = 0;
    size_t n = 0;

    for (; digits[n] != 0; n++) {
        const char c = digits[n] >= 'A' && digits[n] <= 'Z' ? (char)(digits[n] - 'A' + 'a') : digits[n];
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : 99;

        if (digit >= (hexadecimal ? 16u : 10u)) {
            break;
        }
        number = number * (hexadecimal ? 16 : 10) + digit;
        if (number > UINT32_MAX) {
            return false;
        }
    }
    const unsigned shift = digits[n] == 'K' || digits[n] == 'k' ? 10 : digits[n] == 'M' || digits[n] == 'm' ? 20 : 0;

    if (n == 0 || digits[n + (shift != 0)] != 0 || number << shift > UINT32_MAX) {
        return false;
    }
    *value = (uint32_t)(number << shift);
    return true;
}

/* Returns the number of @word in @words, names separated by blanks, or -1. */
static int find_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (int i = 0; *words != 0; i++) {
        const size_t here = strcspn(words, " ");

        if (here == length && strncmp(words, word, length) == 0) {
            return i;
        }
        words += here + (words[here] == ' ');
    }
    return -1;
}

/* Says that there is no key @key, and which there are in its group. */
static bool fail_key(struct core_reader *r, const char *key)
{
    const size_t group = strcspn(key, ".") + 1;
    char there[160] = "";
    size_t used = 0;

    for (unsigned i = 0; apmu_core_key_info(i) != NULL; i++) {
        const char *name = apmu_core_key_info(i)->name;

        if (strncmp(name, key, group) == 0 && used + strlen(name) + 2 < sizeof there) {
            used += (size_t)snprintf(there + used, sizeof there - used, " %s", name);
        }
    }
    if (used == 0) {
        return fail(r,
                    "%s: there is no such key; the groups are l1i. l1d. l2. last. itlb. dtlb. tlb2. walk. branch. "
                    "tage. btb. indirect. returns. timing.",
                    key);
    }
    return fail(r, "%s: there is no such key; near it are%s", key, there);
}

/* Sets the parameter @key. */
static bool set_value(struct core_reader *r, const char *key, const char *value)
{
    const struct apmu_core_key_info *info = NULL;
    unsigned i = 0;

    while ((info = apmu_core_key_info(i)) != NULL && strcmp(info->name, key) != 0) {
        i++;
    }
    if (info == NULL) {
        return fail_key(r, key);
    }
    if (r->seen[i]) {
        return fail(r, "%s: it was set before; keep one of the lines", key);
    }
    r->seen[i] = true;
    if (info->words[0] != 0) {
        const int word = find_word(info->words, value);

        if (word < 0) {
            return fail(r, "%s: \"%s\" is none of its words; use one of: %s", key, value, info->words);
        }
        r->row->value[i] = (uint32_t)word;
        return true;
    }
    if (!read_number(value, &r->row->value[i])) {
        return fail(r, "%s: \"%s\" is no number; write it as 64, 0x40, 64K or 1M", key, value);
    }
    if (r->row->value[i] < info->lowest || r->row->value[i] > info->highest) {
        return fail(r, "%s: %s is outside of %lu to %lu; choose a value within", key, value,
                    (unsigned long)info->lowest, (unsigned long)info->highest);
    }
    return true;
}

/* Takes the line "core NAME". */
static bool set_base(struct core_reader *r, const char *name)
{
    if (r->based) {
        return fail(r, "core: a second one; a file describes one core");
    }
    if (!apmu_core_row_by_name(name, r->row)) {
        return fail(r, "core: there is no model of \"%s\"; name one that there is, as cortex-a72 or neoverse-n1", name);
    }
    r->based = true;
    return true;
}

/* Takes the line "name NAME". */
static bool set_name(struct core_reader *r, const char *name)
{
    const size_t length = strlen(name);
    struct apmu_core_row other;

    if (apmu_core_row_by_name(name, &other)) {
        return fail(r, "name: %s is a core of the table; choose a name of its own", name);
    }
    if (r->named) {
        return fail(r, "name: a second one; keep one of the lines");
    }
    if (length >= sizeof r->row->name) {
        return fail(r, "name: it is longer than 27 characters; choose a shorter one");
    }
    memset(r->row->name, 0, sizeof r->row->name);
    memcpy(r->row->name, name, length);
    r->named = true;
    return true;
}

/* Takes the line from @at to @end. */
static bool read_line(struct core_reader *r, const char *at, const char *end)
{
    char key[WORD_SIZE], value[WORD_SIZE], more[WORD_SIZE];

    if (!next_word(&at, end, key) || !next_word(&at, end, value) || !next_word(&at, end, more)) {
        return fail(r, "the line has a word of more than 63 bytes, or one that is not ASCII text; write KEY VALUE");
    }
    if (key[0] == 0) {
        return true;
    }
    if (value[0] == 0 || more[0] != 0) {
        return fail(r, "%s: a line has one key and one value; write %s VALUE", key, key);
    }
    if (strcmp(key, "core") == 0) {
        return set_base(r, value);
    }
    if (!r->based) {
        return fail(r, "%s: no core yet; begin with the line \"core NAME\", the core that the file changes", key);
    }
    return strcmp(key, "name") == 0 ? set_name(r, value) : set_value(r, key, value);
}

bool apmu_core_file_parse(const char *text, size_t length, struct apmu_core_row *row,
                          struct apmu_core_file_fault *fault)
{
    struct core_reader r = {.at = text, .end = text + length, .row = row, .fault = fault};

    *fault = (struct apmu_core_file_fault){0};
    while (r.at < r.end) {
        const char *newline = memchr(r.at, '\n', (size_t)(r.end - r.at));
        const char *end = newline != NULL ? newline : r.end;

        fault->line++;
        if (!read_line(&r, r.at, end)) {
            return false;
        }
        r.at = newline != NULL ? newline + 1 : r.end;
    }
    fault->line = 0;
    if (!r.based) {
        return fail(&r, "the file is empty; begin with the line \"core NAME\", the core that it changes");
    }
    if (!r.named) {
        return fail(
            &r, "name: the core has no name of its own; add the line \"name NAME\", as its counts are not those of %s",
            row->name);
    }
    const char *wrong = apmu_core_row_check(row);

    return wrong == NULL || fail(&r, "%s", wrong);
}

/* Appends to a text of @room bytes, of which @used are used or were cut.  Returns how many are then. */
__attribute__((format(printf, 4, 5))) static size_t append(char *text, size_t room, size_t used, const char *format,
                                                           ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length =
        used < room ? vsnprintf(text + used, room - used, format, arguments) : vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    return used + (size_t)(length > 0 ? length : 0);
}

size_t apmu_core_file_write(const struct apmu_core_row *row, const char *base, char *text, size_t room)
{
    size_t used = append(text, room, 0, "core %s\nname %s\n", base, row->name);

    for (unsigned i = 0; apmu_core_key_info(i) != NULL; i++) {
        const struct apmu_core_key_info *info = apmu_core_key_info(i);
        const char *word = info->words;

        if (word[0] == 0) {
            used = append(text, room, used, "%s %lu  # %s\n", info->name, (unsigned long)row->value[i], info->text);
            continue;
        }
        for (uint32_t n = 0; n < row->value[i] && *word != 0; n++) {
            word += strcspn(word, " ");
            word += *word == ' ';
        }
        used = append(text, room, used, "%s %.*s  # %s\n", info->name, (int)strcspn(word, " "), word, info->text);
    }
    return used;
}
