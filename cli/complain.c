/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints complaints and numbers, finds out whether output was written, and allocates memory, for all verbs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

size_t cli_character(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t bytes = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3
                       : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;

    if (bytes > length) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    switch (c[0]) {
    case 0xe0: /* overlong forms of three bytes */
        return c[1] < 0xa0 ? 0 : bytes;
    case 0xed: /* surrogates */
        return c[1] >= 0xa0 ? 0 : bytes;
    case 0xf0: /* overlong forms of four bytes */
        return c[1] < 0x90 ? 0 : bytes;
    case 0xf4: /* beyond U+10FFFF */
        return c[1] >= 0x90 ? 0 : bytes;
    default:
        return bytes;
    }
}

void cli_make_utf8(char *text)
{
    while (*text != '\0') {
        const size_t bytes = cli_character(text, 4); /* the end of the text is no part of a character */

        if (bytes == 0) {
            *text = '?';
        }
        text += bytes == 0 ? 1 : bytes;
    }
}

/* Returns whether the character at @text, of @bytes bytes, is a control character, which no terminal should get. */
static bool is_control(const char *text, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)text;

    return bytes == 1 ? c[0] < ' ' || c[0] == 0x7f : c[0] == 0xc2 && c[1] < 0xa0;
}

void cli_print(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t bytes = cli_character(text + i, length - i);

        bytes = bytes != 0 && is_control(text + i, bytes) ? 0 : bytes;
        if (bytes != 0) {
            fwrite(text + i, 1, bytes, out);
        } else if (text[i] == '\n' || text[i] == '\t') {
            fputs(text[i] == '\n' ? "\\n" : "\\t", out);
        } else {
            fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
        }
        i += bytes != 0 ? bytes : 1;
    }
}

void cli_complain(const struct cli_verb *verb, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    int length;

    fflush(stdout);
    fprintf(stderr, "armpmu%s%s: ", verb == NULL ? "" : " ", verb == NULL ? "" : verb->name);
    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        cli_print(stderr, text, (size_t)length);
        free(text);
    }
    fputc('\n', stderr);
}

int cli_flush(const struct cli_verb *verb, FILE *out, const char *name, int status)
{
    errno = 0;
    if (fflush(out) == 0 && !ferror(out)) {
        return status;
    }
    cli_complain(verb, "%s: the results could not be written: %s; make room, or write them elsewhere", name,
                 errno != 0 ? strerror(errno) : "an earlier write failed");
    return CLI_CANNOT;
}

void *cli_allocate(void *old, size_t count, size_t size)
{
    /* What calloc() returns takes pages only where it is written, so large and short-lived tables are cheap. */
    void *memory = old == NULL ? calloc(count, size) : reallocarray(old, count, size);

    if (memory == NULL) {
        cli_complain(NULL, "memory: none is left; end other programs");
        exit(CLI_CANNOT);
    }
    return memory;
}

char *cli_join(char *const *words)
{
    size_t size = 1;
    char *text;

    for (size_t i = 0; words[i] != NULL; i++) {
        size += strlen(words[i]) + 1;
    }
    text = cli_allocate(NULL, size, 1);
    for (size_t i = 0, length = 0; words[i] != NULL; i++) {
        length += (size_t)sprintf(text + length, "%s%s", i == 0 ? "" : " ", words[i]);
    }
    return text;
}

const char *cli_grouped(uint64_t value, struct cli_number *number)
{
    char *p = &number->text[sizeof number->text - 1];
    unsigned digits = 0;

    *p = '\0';
    do {
        if (digits++ % 3 == 0 && digits > 1) {
            *--p = ',';
        }
        *--p = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return p;
}

void cli_reserve_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            /* open() gives the lowest free descriptor, which is fd.  The wrong direction makes every use fail. */
            if (open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd) {
                return;
            }
        }
    }
}
