/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads tables whose heading names registers:
 *
 *     # cpu  PMCR_EL0  PMCNTENSET  PMEVCNTR0
 *       0    41033041  00000001    00000000
 *
 * and those whose rows are counters:
 *
 *     sel  type        count
 *      0   0x00000008  0x1a07c3f2
 *     cyc              0x2f00a7b1
 *
 * and lines that name what they give of a counter:
 *
 *     sel 4 type 0x12 count 0x00000000
 *
 * and lines that end in the name of the register, behind its offset and value:
 *
 *     0xFB4  0x00000003  PMLSR
 *
 * and those whose columns are what was written and what was read back:
 *
 *     reg         written   read back
 *     PMCNTENSET  8000000F  80000007
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "registers.h"

enum { COLUMNS = 40 }; /* columns of a table that are looked at */

/* Finds the next word of a row, or the next cell between bars, from *@at on.  Returns its length, 0 at the end. */
static size_t next_word(const char **at, bool bars)
{
    size_t length;

    if (!bars) {
        *at += strspn(*at, " \t|,;\"#>*");
        return strcspn(*at, " \t|,;\"");
    }
    *at += strspn(*at, " \t|");
    length = strcspn(*at, "|");
    while (length > 0 && ((*at)[length - 1] == ' ' || (*at)[length - 1] == '\t')) {
        length--;
    }
    return length;
}

/* Returns the length of @word without a suffix that says the moment: "pmccntr_el0_t1", "PMCCNTR_after". */
static size_t without_moment(const char *word, size_t length)
{
    static const char *const moments[] = {"_t0", "_t1", "_t2", "_before", "_after", "_start", "_end", "_begin",
                                          "_first", "_second", "_then", "_now"};

    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        const size_t n = strlen(moments[i]);

        if (length > n + 3 && strncasecmp(word + length - n, moments[i], n) == 0) {
            return length - n;
        }
    }
    return length;
}

static bool is_register(const char *word, size_t length)
{
    struct names_place place;
    char whole[24] = "PM";

    length = without_moment(word, length);
    if (length <= 3 || names_by_name(word, length, &place)) {
        return length > 3;
    }
    if (length >= 16 || memchr(word, ' ', length) != NULL) {
        return false;
    }
    memcpy(whole + 2, word, length);
    return names_by_name(whole, length + 2, &place);
}

/* Returns true if the word is a number in hexadecimal or decimal. */
static bool is_number(const char *word, size_t length)
{
    size_t i = length > 2 && word[0] == '0' && (word[1] | 0x20) == 'x' ? 2 : 0;

    if (i == length) {
        return false;
    }
    for (; i < length; i++) {
        if (!isxdigit((unsigned char)word[i])) {
            return false;
        }
    }
    return true;
}

static bool is_cpu(const char *word, size_t length)
{
    return (length == 3 && strncasecmp(word, "cpu", 3) == 0) || (length == 4 && strncasecmp(word, "core", 4) == 0);
}

bool registers_is_head(const char *line)
{
    const bool bars = strchr(line, '|') != NULL, divided = strpbrk(line, "|,;\t") != NULL;
    size_t length, registers = 0, cpus = 0, words = 0;

    for (; (length = next_word(&line, bars)) != 0 && words < COLUMNS; line += length, words++) {
        if (is_number(line, length)) {
            return false;
        }
        registers += is_register(line, length);
        cpus += is_cpu(line, length);
        if (!divided && registers + cpus < words) { /* one column may be a label */
            return false;
        }
    }
    return registers + cpus >= 2 && registers >= 1 && 2 * (registers + cpus) >= words;
}

bool registers_is_row(const char *head, const char *row, unsigned *cpu)
{
    const bool bars = strchr(head, '|') != NULL && strchr(row, '|') != NULL;
    size_t name, value;

    *cpu = UINT_MAX;
    for (unsigned k = 0; k < COLUMNS; k++) {
        name = next_word(&head, bars);
        value = next_word(&row, bars);
        if (name == 0 || value == 0) {
            return name == value && k > 0;
        }
        if (is_cpu(head, name)) {
            const char *digits = row + strcspn(row, "0123456789");

            if (digits >= row + value || digits - row > 4) {
                return false;
            }
            *cpu = (unsigned)strtoul(digits, NULL, 10);
        } else if (is_register(head, name) && !is_number(row, value)) {
            return false;
        }
        head += name;
        row += value;
    }
    return false;
}

size_t registers_cell(const char *head, const char *row, size_t column, char *buf, size_t size)
{
    const bool bars = strchr(head, '|') != NULL && strchr(row, '|') != NULL;

    for (size_t k = 0;; k++) {
        const size_t name = next_word(&head, bars), value = next_word(&row, bars);

        if (name == 0 || value == 0 || name + value + 4 > size) {
            return 0;
        }
        if (k == column) {
            const bool level = (name == 2 && strncasecmp(head, "el", 2) == 0) ||
                               (name == 9 && strncasecmp(head, "currentel", 9) == 0);

            if (level && value == 3 && strncasecmp(row, "EL", 2) == 0 && row[2] >= '1' && row[2] <= '3') {
                return (size_t)snprintf(buf, size, "CurrentEL = 0x%x", (unsigned)(row[2] - '0') << 2);
            }
            return (size_t)snprintf(buf, size, "%.*s = %.*s", (int)without_moment(head, name), head, (int)value, row);
        }
        head += name;
        row += value;
    }
}

/* Returns true if the word is a value in hexadecimal: with 0x, or of eight digits or more. */
static bool is_value(const char *word, size_t length)
{
    return is_number(word, length) && (length >= 8 || (length > 2 && (word[1] | 0x20) == 'x'));
}

/* Returns true if the number is the offset in the external view, or its address there, of the register at @name. */
static bool is_place_of(const char *number, const char *name, size_t length)
{
    const unsigned offset = (unsigned)strtoull(number, NULL, 16) & 0xFFF;
    struct names_place place, there;

    return names_by_name(name, length, &place) && names_by_offset(offset, NAMES_EXT32, &there) &&
           place.reg == there.reg && place.n == there.n;
}

size_t registers_name_last(const char *line, char *buf, size_t size)
{
    const char *value = NULL;
    size_t length = next_word(&line, false), digits = 0, numbers = 0;

    for (; length != 0 && is_number(line, length) && numbers < 3; line += length, length = next_word(&line, false)) {
        value = line;
        digits = length;
        numbers++;
    }
    const char *name = line, *behind = line + length;

    if (numbers == 0 || numbers > 2 || !is_value(value, digits) || !is_register(name, length) ||
        strncasecmp(name, "PMCCNTR", 7) == 0 || (numbers == 1 && is_place_of(value, name, length)) ||
        behind[strspn(behind, " \t")] == '=' || behind[strspn(behind, " \t")] == ':') {
        return 0;
    }
    const size_t next = next_word(&behind, false);

    if (next != 0 && is_number(behind, next)) {
        return 0; /* what stands before the name is where the register is */
    }
    return (size_t)snprintf(buf, size, "%.*s = %s%.*s", (int)length, name, (value[1] | 0x20) == 'x' ? "" : "0x",
                            (int)digits, value);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tables whose rows are counters.
 */

/* Returns true if the word is one of @words, between blanks. */
static bool is_among(const char *word, size_t length, const char *words)
{
    char key[16];

    if (length + 3 > sizeof key) {
        return false;
    }
    snprintf(key, sizeof key, " %.*s ", (int)length, word);
    return strcasestr(words, key) != NULL;
}

/* Returns what a column with the heading @word holds, 0 if it is none of these. */
static char column_of(const char *word, size_t length)
{
    return is_among(word, length, " sel select n nr no idx index counter ctr cnt slot ")        ? REGISTERS_NUMBER
           : is_among(word, length, " type typer evtyper evtype xevtyper pmxevtyper evt event ") ? REGISTERS_TYPE
           : is_among(word, length, " count value val cntr evcntr xevcntr pmxevcntr ")           ? REGISTERS_COUNT
                                                                                                 : '\0';
}

/* Returns true if a word of a heading says that its column is what was written: "written", "(wrote)". */
static bool is_written(const char *word, size_t length)
{
    return is_among(word, length, " written wrote write wr wanted expected (written) (wrote) (write) (wr) ");
}

/* Returns true if a word of a heading says that its column is what was read back. */
static bool is_read(const char *word, size_t length)
{
    return is_among(word, length, " read readback read-back back rd got actual is (read) (readback) (back) (rd) ");
}

bool registers_is_counter_head(const char *line, char columns[REGISTERS_COLUMNS])
{
    size_t length, used = 0;

    for (; (length = next_word(&line, false)) != 0; line += length) {
        const char column = column_of(line, length);

        if (used > 1 && columns[used - 1] == REGISTERS_TYPE && is_written(line, length)) {
            columns[used - 1] = REGISTERS_WRITTEN;
            continue;
        }
        if (used > 1 && is_read(line, length)) {
            continue;
        }
        if (column == '\0' || used == REGISTERS_COLUMNS - 1 || memchr(columns, column, used) != NULL ||
            (used == 0) != (column == REGISTERS_NUMBER)) {
            return false;
        }
        columns[used++] = column;
    }
    columns[used] = '\0';
    return used >= 2;
}

size_t registers_counter_row(const char columns[REGISTERS_COLUMNS], const char *row, char *buf, size_t size)
{
    const size_t name = next_word(&row, false);
    const bool cycles = is_among(row, name, " cyc ccnt cycle cycles cc 31 ");
    const unsigned long n = strtoul(row, NULL, 10);
    const char *cells = row + name, *at = cells;
    size_t count = 0, used = 0;

    if (name == 0 || (!cycles && (strspn(row, "0123456789") != name || n > 30))) {
        return 0;
    }
    for (size_t length; (length = next_word(&at, false)) != 0 && *at != '<'; at += length, count++) { /* no arrow */
        if (!is_value(at, length)) {
            return 0;
        }
    }
    if (count + 1 != strlen(columns) && !(cycles && count == 1 && strchr(columns, REGISTERS_COUNT) != NULL)) {
        return 0;
    }
    at = cells;
    for (size_t k = 0; k < count && used < size; k++) {
        const size_t length = next_word(&at, false);
        const bool written = columns[k + 1] == REGISTERS_WRITTEN && count + 1 == strlen(columns);
        const bool type = written || (columns[k + 1] == REGISTERS_TYPE && count + 1 == strlen(columns));

        used += (size_t)(cycles ? snprintf(buf + used, size - used, "%s", type ? "PMCCFILTR" : "PMCCNTR")
                                : snprintf(buf + used, size - used, "%s%lu", type ? "PMEVTYPER" : "PMEVCNTR", n));
        if (used < size) {
            used += (size_t)snprintf(buf + used, size - used, " %s %s%.*s %s ", written ? "wrote" : "=",
                                     (at[1] | 0x20) == 'x' ? "" : "0x", (int)length, at, written ? "read" : "");
        }
        at += length;
    }
    return used < size ? used : 0;
}

/* Writes @value, a number of @length characters, to @buf as "NAME<n> = VALUE".  @hex: it is hexadecimal without 0x. */
static size_t put_value(char *buf, size_t size, const char *name, unsigned long n, bool hex, const char *value,
                        size_t length)
{
    const bool bare = hex && !(length > 2 && (value[1] | 0x20) == 'x');

    return (size_t)snprintf(buf, size, "%s%lu = %s%.*s ", name, n, bare ? "0x" : "", (int)length, value);
}

size_t registers_labelled_row(const char *line, char *buf, size_t size)
{
    unsigned long n = 31;
    bool type = false, count = false;
    size_t used = 0;

    for (const char *at = line; *at != '\0' && used < size;) {
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const char column = column_of(at, length), *value = at + length + strspn(at + length, " \t=:#");
        const size_t digits = strcspn(value, " \t,;|)");

        at += length != 0 ? length : 1;
        if (column == '\0' || !is_number(value, digits)) {
            continue;
        }
        if (column == REGISTERS_NUMBER) {
            n = n == 31 && digits <= 2 ? strtoul(value, NULL, 10) : 32; /* two counters in one line */
        } else if (n > 30 || (column == REGISTERS_TYPE ? type : count)) {
            return 0;
        } else if (column == REGISTERS_TYPE) {
            used += put_value(buf + used, size - used, "PMEVTYPER", n, true, value, digits);
            type = true;
        } else {
            used += put_value(buf + used, size - used, "PMEVCNTR", n, digits >= 8, value, digits);
            count = true;
        }
        at = value + digits;
    }
    return type && count && n <= 30 && used < size ? used : 0;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Tables of what was written and what was read back.
 */

bool registers_is_read_back_head(const char *line)
{
    static const char *const fillers = " back value values it came comes reads hex (hex) -> => / ";
    size_t length, words = 0;
    bool written = false, read = false;

    for (; (length = next_word(&line, false)) != 0 && words < COLUMNS; line += length, words++) {
        const size_t bare = length - (line[length - 1] == ':' || line[length - 1] == ')');
        const size_t open = bare > 1 && *line == '(';

        if (is_written(line + open, bare - open)) {
            written = true;
            read = false;
        } else if (written && is_read(line + open, bare - open)) {
            read = true;
        } else if (!is_among(line, length, fillers)) {
            written = read = false;
        }
    }
    return read;
}

/* Finds the number, or the "-" for none, at *@at, behind blanks, bars and arrows.  Returns its length; 0: none. */
static size_t next_value(const char **at)
{
    size_t length;

    *at += strspn(*at, " \t|:=,>");
    if (strncmp(*at, "->", 2) == 0) {
        *at += 2 + strspn(*at + 2, " \t");
    }
    length = strcspn(*at, " \t|,;");
    return is_number(*at, length) || is_among(*at, length, " - -- n/a ") ? length : 0;
}

size_t registers_read_back_row(const char *row, char *buf, size_t size)
{
    const char *name = row + strspn(row, " \t|"), *written, *read;
    const size_t named = strcspn(name, " \t|:=");
    size_t wrote, back, used;

    if (!is_register(name, named)) {
        return 0;
    }
    written = name + named;
    wrote = next_value(&written);
    read = written + wrote;
    back = wrote == 0 ? 0 : next_value(&read);
    if (back == 0 || isdigit((unsigned char)read[back + strspn(read + back, " \t|,;")])) { /* a third value */
        return 0;
    }
    used = (size_t)snprintf(buf, size, "%.*s", (int)named, name);
    if (isxdigit((unsigned char)*written) && used < size) {
        used += (size_t)snprintf(buf + used, size - used, " wrote %s%.*s read back",
                                 wrote >= 8 && written[1] != 'x' ? "0x" : "", (int)wrote, written);
    }
    if (isxdigit((unsigned char)*read) && used < size) {
        used += (size_t)snprintf(buf + used, size - used, " %s%s%.*s", isxdigit((unsigned char)*written) ? "" : "= ",
                                 back >= 8 && read[1] != 'x' ? "0x" : "", (int)back, read);
    }
    return used < size ? used : 0;
}
