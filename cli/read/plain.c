/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rewrites lines of other notations as the readers know them:
 *
 *     {"core":1,"reg":"PMCR_EL0","val":"0x41033041"}            cpu 1: PMCR_EL0 = 0x41033041
 *     <register name="PMCR_EL0" size="64" value="0x41033041"/>  PMCR_EL0 = 0x41033041
 *     <tr><td>PMCR_EL0</td><td>0x41033041</td></tr>             PMCR_EL0 | 0x41033041
 *     ^done,value="0x41033041"                                  $1 = 0x41033041
 *     +	isb();                                              	isb();
 *     mww 0xE0001000 1                                          mww(0xE0001000,1);
 *     mem32[0xE0001000] |= 1                                    *(u32*)(0xE0001000) |= 1
 *     [18:02] <ann> it reads 0                                  it reads 0
 *     A57;PMCR_EL0;0x41023040;                                  A57|PMCR_EL0|0x41023040|
 *
 * No line becomes longer by more than PLAIN_GROWTH.
 */
#define _GNU_SOURCE
#include "plain.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"

/* A part of a line. */
struct plain_part {
    const char *at; /* NULL: there is none */
    size_t length;
};

/* Returns true if @part is one of the words in @list, which has a blank behind each. */
static bool is_one_of(struct plain_part part, const char *list)
{
    for (; *list != '\0'; list += strcspn(list, " ") + 1) {
        if (strcspn(list, " ") == part.length && strncasecmp(list, part.at, part.length) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns true if @part is a number: 0x41, 41033041, 12. */
static bool is_number(struct plain_part part)
{
    size_t i = part.length > 2 && part.at[0] == '0' && (part.at[1] | 0x20) == 'x' ? 2 : 0;

    if (part.length == 0) {
        return false;
    }
    while (i < part.length && isxdigit((unsigned char)part.at[i])) {
        i++;
    }
    return i == part.length;
}

/* Returns true if @part may be the name of a register. */
static bool is_name(struct plain_part part)
{
    size_t i = 0;

    while (i < part.length && (isalnum((unsigned char)part.at[i]) || strchr("_<>[].", part.at[i]) != NULL)) {
        i++;
    }
    return part.length > 2 && i == part.length && isalpha((unsigned char)part.at[0]);
}

/* What a record says of a register. */
struct plain_register {
    struct plain_part name, value, cpu;
};

/* Notes the member @key of a record, with its @value. */
static void note_member(struct plain_register *record, struct plain_part key, struct plain_part value)
{
    if (record->name.at == NULL && is_one_of(key, "reg register name regname id key ") && is_name(value)) {
        record->name = value;
    } else if (record->value.at == NULL && is_one_of(key, "val value hex data raw contents ") && is_number(value)) {
        record->value = value;
    } else if (record->cpu.at == NULL && is_one_of(key, "cpu core pe ") && is_number(value) && value.length <= 3) {
        record->cpu = value;
    }
}

/* Writes @record over @line, of @length characters.  Returns the new length; @length if it is no register's. */
static size_t write_record(char *line, size_t length, const struct plain_register *record)
{
    char text[200];
    int used;

    if (record->name.at == NULL || record->value.at == NULL || record->name.length > 40 || record->value.length > 24) {
        return length;
    }
    used = record->cpu.at == NULL ? 0 : snprintf(text, 16, "cpu %.*s: ", (int)record->cpu.length, record->cpu.at);
    used += snprintf(text + used, sizeof text - (size_t)used, "%.*s = %.*s", (int)record->name.length, record->name.at,
                     (int)record->value.length, record->value.at);
    if ((size_t)used > length) {
        return length;
    }
    memcpy(line, text, (size_t)used + 1);
    return (size_t)used;
}

/* Returns the text in quotes or the word at *@at, and moves that behind it.  A quote that does not end gives none. */
static struct plain_part take_value(const char **at)
{
    struct plain_part part = {*at, strcspn(*at, " \t,}]/>")};

    if (**at == '"' || **at == '\'') {
        const char *end = strchr(*at + 1, **at);

        part.at = end == NULL ? NULL : *at + 1;
        part.length = end == NULL ? 0 : (size_t)(end - *at) - 1;
        *at = end == NULL ? *at + strlen(*at) : end + 1;
        return part;
    }
    *at += part.length;
    return part;
}

/* Reads the members of an object of JSON, or the attributes of a tag of XML, in which @joint stands behind a key. */
static void read_record(const char *line, char joint, struct plain_register *record)
{
    memset(record, 0, sizeof *record);
    for (const char *at = line; *at != '\0';) {
        struct plain_part key = {at, 0}, value;

        while (isalnum((unsigned char)at[key.length]) || at[key.length] == '_' || at[key.length] == '-') {
            key.length++;
        }
        at += key.length;
        if (key.length == 0) {
            at++;
            continue;
        }
        at += joint == ':' && *at == '"';
        at += strspn(at, " ");
        if (*at != joint) {
            continue;
        }
        at++;
        at += strspn(at, " ");
        value = take_value(&at);
        if (value.at != NULL) {
            note_member(record, key, value);
        }
    }
}

/* Returns the cell at @at, up to a semicolon, without its quotes. */
static struct plain_part cell_at(const char *at)
{
    struct plain_part cell = {at, strcspn(at, ";")};

    if (cell.length >= 2 && at[0] == '"' && at[cell.length - 1] == '"') {
        cell.at++;
        cell.length -= 2;
    }
    return cell;
}

/*
 * Makes bars of the semicolons of "A57;PMCR_EL0;0x41023040;", a row of a table: a name stands before a number.  What
 * has other marks is code.
 */
static void divide_cells(char *line, const char *name, const char *value)
{
    const struct plain_part a = cell_at(name), b = cell_at(value);

    if (a.length < 5 || !is_name(a) || memchr(a.at, '_', a.length) == NULL || !is_number(b) ||
        line[strcspn(line, "={}()")] != '\0') {
        return;
    }
    for (char *at = line; *at != '\0'; at++) {
        *at = *at == ';' ? '|' : *at;
    }
}

/*
 * Removes TRACE32's class of memory before an address and its word: "EAPB:80430E04|>41033041" becomes "80430E04:
 * 41033041".  SPR and C15 are no memory.  Returns the new length.
 */
static size_t plain_class(char *line, size_t length)
{
    const size_t class = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    const char *digits = line + class + 1;

    if (class == 0 || class > 6 || line[class] != ':' || strspn(digits, "0123456789ABCDEFabcdef") != 8 ||
        (digits[8] != '|' && digits[8] != ' ') || strncmp(line, "SPR", 3) == 0) {
        return length;
    }
    memmove(line, digits, length - class);
    line[8] = ':';
    line[9] = line[9] == '>' ? ' ' : line[9];
    return length - class - 1;
}

/* Rewrites a row of a table with semicolons. */
static void plain_cells(char *line)
{
    const char *name = line;

    for (char *end = strchr(line, ';'); end != NULL; end = strchr(end + 1, ';')) {
        divide_cells(line, name, end + 1);
        name = end + 1;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * HTML.
 */

/* Returns the character that stands for the entity at @at, and its length in *@length; '\0' if it is none. */
static char entity(const char *at, size_t *length)
{
    static const struct {
        const char *name;
        char c;
    } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&nbsp;", ' '}, {"&#39;", '\''}};

    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        *length = strlen(entities[i].name);
        if (strncmp(at, entities[i].name, *length) == 0) {
            return entities[i].c;
        }
    }
    return '\0';
}

/* Returns the length of the tag of HTML at @at, or 0.  *@cell is set if it divides cells of a table. */
static size_t tag_length(const char *at, bool *cell)
{
    const char *name = at + 1 + (at[1] == '/');
    const struct plain_part word = {name, strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ123456")};
    const char *end = strchr(name, '>');

    *cell = false;
    if (end == NULL || word.length == 0 || (name[word.length] != '>' && name[word.length] != ' ') ||
        !is_one_of(word, "table thead tbody tr td th p b i em strong br ul ol li pre code tt span div font h1 h2 h3 h4 "
                         "h5 a html body ")) {
        return 0;
    }
    *cell = is_one_of(word, "td th ") && at[1] == '/';
    return (size_t)(end - at) + 1;
}

/* Removes the tags of HTML from @line.  Returns its new length. */
static size_t strip_html(char *line)
{
    size_t used = 0;
    bool cell, divide = false;

    for (const char *at = line; *at != '\0';) {
        const size_t tag = *at == '<' ? tag_length(at, &cell) : 0;
        size_t length = 1;
        char c = tag == 0 && *at == '&' ? entity(at, &length) : *at;

        if (tag != 0) {
            divide |= cell && used != 0;
            at += tag;
            continue;
        }
        if (c == '\0') {
            c = *at;
            length = 1;
        }
        if (divide) { /* "</td>" is longer */
            memcpy(line + used, " | ", 3);
            used += 3;
            divide = false;
        }
        line[used++] = c;
        at += length;
    }
    line[used] = '\0';
    return used;
}

/* Returns true if the line is one of HTML: it has a tag that closes, and no other language has. */
static bool is_html(const char *line)
{
    static const char *const marks[] = {"</td>", "</th>", "</tr>", "</p>", "</li>", "</pre>", "</code>", "</h"};

    if (strchr(line, '<') == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strcasestr(line, marks[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------------------
 * GDB/MI.
 */

/* Moves the text of @line from @from on, up to its last quote, behind @head.  Returns the new length. */
static size_t move_text(char *line, const char *head, size_t from)
{
    const size_t begin = strlen(head);
    size_t used = begin, end = strlen(line);

    while (end > from && line[end - 1] != '"') {
        end--;
    }
    end -= end > from;
    memcpy(line, head, begin);
    for (size_t i = from; i < end; i++) {
        if (line[i] == '\\' && i + 1 < end) {
            i++;
            line[used++] = line[i] == 'n' || line[i] == 't' || line[i] == 'r' ? ' ' : line[i];
        } else {
            line[used++] = line[i];
        }
    }
    while (used > 0 && line[used - 1] == ' ') {
        used--;
    }
    line[used] = '\0';
    return used;
}

/* Rewrites a record of GDB/MI as what GDB's console shows.  Returns the new length; @length if it is none. */
static size_t plain_mi(char *line, size_t length)
{
    static const char request[] = "-data-evaluate-expression ", answer[] = "^done,value=\"";
    const size_t token = strspn(line, "0123456789");

    if (strncmp(line + token, request, sizeof request - 1) == 0) {
        const size_t from = token + sizeof request - 1;

        memcpy(line, "p/x ", 4);
        memmove(line + 4, line + from, length - from + 1);
        return length - from + 4;
    }
    if (strncmp(line + token, answer, sizeof answer - 1) == 0) {
        return move_text(line, "$1 = ", token + sizeof answer - 1);
    }
    return length > 3 && strchr("~&@", line[0]) != NULL && line[1] == '"' && line[length - 1] == '"'
               ? move_text(line, "", 2)
               : length;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Scripts.
 */

/* Rewrites MicroPython's mem32[ADDRESS], of which a line may have two, as C has it.  Returns the new length. */
static size_t plain_mem32(char *line, size_t length)
{
    const size_t before = length;
    char *at = line;

    if (strchr(line, '#') != NULL && strstr(line, "mem32[") != NULL) { /* a comment of Python */
        char *comment = strchr(line, '#');

        *comment = '\0';
        length = (size_t)(comment - line);
    }
    for (unsigned i = 0; i < 2 && (at = strstr(at, "mem32[")) != NULL; i++) {
        char *end = strchr(at, ']');

        if (end == NULL || (at != line && (text_is_word(at[-1]) || at[-1] == '['))) {
            return length;
        }
        *end = ')';
        if (at > line + 7 && strncmp(at - 8, "machine.", 8) == 0) { /* the module's name */
            memmove(at - 8, at, strlen(at) + 1);
            at -= 8;
            length -= 8;
        }
        memmove(at + 8, at + 6, strlen(at + 6) + 1);
        memcpy(at, "*(u32*)(", 8);
        length += 2;
    }
    if (at != line && strstr(line, "*(u32*)(") != NULL && length < before + 8) {
        memcpy(line + length, ";", 2);
        length++;
    }
    return length;
}

/*
 * Rewrites a debugger's write of a word, "mww 0xE0001000 1" of OpenOCD, "w4 0xE0001000, 1" of J-Link and "ww" of pyOCD,
 * as a call.  Returns the new length; @length if it is none.
 */
static size_t plain_word_write(char *line, size_t length)
{
    static const char *const commands[] = {"mww ", "w4 ", "W4 ", "ww "};
    const size_t blanks = strspn(line, " \t");

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const size_t name = strlen(commands[i]) - 1;
        char *address = line + blanks + name + 1;
        const size_t digits = strcspn(address, " ,\t"), gap = strspn(address + digits, " ,\t");
        const char *value = address + digits + gap;
        const size_t word = strspn(value, "0123456789abcdefxABCDEFX");

        if (strncmp(line + blanks, commands[i], name + 1) != 0 || strncmp(address, "0x", 2) != 0 || gap == 0 ||
            word == 0 || value[word] != '\0') {
            continue;
        }
        line[blanks] |= 0x20;
        address[-1] = '(';
        address[digits] = ',';
        memmove(address + digits + 1, value, word);
        memcpy(address + digits + 1 + word, ");", 3);
        return (size_t)(address - line) + digits + 1 + word + 2;
    }
    return length;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Lines.
 */

/* Returns true if the line names a file of a patch. */
static bool is_patched_file(const char *line)
{
    return strncmp(line, "diff --git ", 11) == 0 ||
           ((strncmp(line, "--- ", 4) == 0 || strncmp(line, "+++ ", 4) == 0) && strpbrk(line + 4, "/.") != NULL &&
            line[4 + strcspn(line + 4, " \t")] != ' ');
}

/* Rewrites a line of a patch as it is with the patch: without its mark, and empty if the patch removes it. */
static size_t plain_patch(struct plain_text *plain, char *line, size_t length)
{
    const bool head = strncmp(line, "@@ -", 4) == 0 && strstr(line + 4, " @@") != NULL;

    if (strncmp(line, "From ", 5) == 0 && strstr(line, " Mon Sep 17 00:00:00 2001") != NULL) { /* of git */
        line[0] = '\0';
        return 0;
    }
    if (head || is_patched_file(line)) {
        plain->hunk = head;
        line[0] = '\0';
        return 0;
    }
    if (!plain->hunk || length == 0) {
        return length;
    }
    if (strncmp(line, "-- ", 3) == 0 || strncmp(line, "diff ", 5) == 0 || strchr("+- \t\\", line[0]) == NULL) {
        plain->hunk = false;
        return length;
    }
    if (line[0] == '-') {
        line[0] = '\0';
        return 0;
    }
    if (line[0] != '\t') {
        memmove(line, line + 1, length);
        return length - 1;
    }
    return length;
}

/*
 * Puts the address before the words that "probe-rs read b32 ADDRESS COUNT" prints, "e0001000: 40000000 00000000".
 * Returns the new length.
 */
static size_t plain_words(struct plain_text *plain, char *line, size_t length)
{
    const char *asked = strstr(line, "probe-rs read ");
    const bool words = plain->asked != 0 && length != 0 && line[strspn(line, "0123456789abcdefABCDEF ")] == '\0';
    char address[PLAIN_GROWTH + 1];
    const int head = snprintf(address, sizeof address, "%08lx: ", plain->asked);

    plain->asked = asked != NULL && (asked = strstr(asked, " 0x")) != NULL ? strtoul(asked, NULL, 16) & UINT32_MAX : 0;
    if (!words) {
        return length;
    }
    memmove(line + head, line, length + 1);
    memcpy(line, address, (size_t)head);
    return length + (size_t)head;
}

/* Returns the length of a time of day at @at, with its brackets and the blanks behind it; 0 if there is none. */
static size_t time_length(const char *at)
{
    const size_t open = at[0] == '[' || at[0] == '(' ? 1 : 0;
    size_t digits = strspn(at + open, "0123456789"), used = open;

    if (digits == 4 && at[open + 4] == '-') { /* a date */
        used += strspn(at + used, "0123456789-");
        used += at[used] == 'T' || at[used] == ' ' ? 1 : 0;
        digits = strspn(at + used, "0123456789");
    }
    if (digits == 0 || digits > 2 || at[used + digits] != ':' || strspn(at + used + digits + 1, "0123456789") != 2) {
        return 0;
    }
    used += strspn(at + used, "0123456789:");
    used += strncasecmp(at + used, " am", 3) == 0 || strncasecmp(at + used, " pm", 3) == 0 ? 3 : 0;
    if (open != 0 && at[used] != ']' && at[used] != ')') {
        return 0;
    }
    used += open;
    return at[used] == ' ' ? used + strspn(at + used, " ") : 0;
}

/* Returns the length of the name of one who speaks at @at: "<ann> ", "< ann> ", "<@ann> "; 0 if there is none. */
static size_t speaker_length(const char *at)
{
    size_t used = 1;

    if (at[0] != '<') {
        return 0;
    }
    used += strspn(at + used, " @+~&%");
    const size_t name = strcspn(at + used, " <>=/\"'()");

    used += name;
    return name != 0 && name <= 32 && isalpha((unsigned char)at[used - name]) && at[used] == '>' && at[used + 1] == ' '
               ? used + 2 : 0;
}

/* Removes the time and the speaker before a line of a chat.  Returns the new length. */
static size_t plain_chat(char *line, size_t length)
{
    const size_t when = time_length(line), who = speaker_length(line + when);
    const size_t name = when != 0 ? strcspn(line + when, " :[]=()") : 0;
    const bool said = name != 0 && name <= 32 && line[when + name] == ':' && line[when + name + 1] == ' ' &&
                      strncmp(line + when, "kernel", 6) != 0;
    const size_t used = who != 0 ? when + who : said ? when : 0;

    if (who != 0 && when == 0 && !isalpha((unsigned char)line[used])) {
        return length;
    }
    memmove(line, line + used, length - used + 1);
    return length - used;
}

size_t plain_line(struct plain_text *plain, char *line, size_t length)
{
    const size_t blanks = strspn(line, " \t");
    struct plain_register record;

    length = plain_patch(plain, line, length);
    if (length == 0 || length > 2000) {
        return length;
    }
    if (line[blanks] == '{' && line[blanks + 1] != '\0' && strchr(line + blanks, '}') != NULL) {
        read_record(line, ':', &record);
        return write_record(line, length, &record);
    }
    if (is_html(line)) {
        return strip_html(line);
    }
    length = plain_chat(line, length);
    if (line[blanks] == '<') {
        read_record(line, '=', &record);
        return write_record(line, length, &record);
    }
    plain_cells(line);
    length = plain_class(line, length);
    length = plain_words(plain, line, length);
    length = plain_word_write(line, plain_mem32(line, length));
    return plain_mi(line, length);
}
