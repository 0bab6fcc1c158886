/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes bytes, numbers, strings of JSON, and gzip. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../cli.h"
#include "to_out.h"

enum {
    CHUNK = 1 << 16,
    GZIP_WINDOW = 15 + 16, /* the largest window, with the header of gzip */
    GZIP_MEMORY = 8,
};

struct deflate {
    z_stream stream;
    uint8_t bytes[CHUNK];
};

void to_fail(struct to_out *out, const char *why)
{
    if (!out->failed) {
        out->failed = true;
        out->error = 0;
        out->why = why;
    }
}

static void write_bytes(struct to_out *out, const void *bytes, size_t size)
{
    if (out->failed || out->file == NULL || size == 0) {
        return;
    }
    errno = 0;
    if (fwrite(bytes, 1, size, out->file) != size) {
        out->failed = true;
        out->error = errno != 0 ? errno : EIO;
    }
}

/* Compresses what the stream has as input, with @flush as deflate() knows it. */
static void compress_input(struct to_out *out, int flush)
{
    struct deflate *d = out->deflate;

    do {
        d->stream.next_out = d->bytes;
        d->stream.avail_out = CHUNK;
        const int status = deflate(&d->stream, flush);

        if (status == Z_STREAM_ERROR) {
            to_fail(out, "zlib refuses to compress it");
            return;
        }
        write_bytes(out, d->bytes, CHUNK - d->stream.avail_out);
    } while (d->stream.avail_out == 0 && !out->failed);
}

void to_put(struct to_out *out, const void *bytes, size_t size)
{
    out->size += size;
    if (out->deflate == NULL) {
        write_bytes(out, bytes, size);
        return;
    }
    struct deflate *d = out->deflate;
    const uint8_t *from = bytes;

    while (size > 0 && !out->failed) {
        const size_t part = size < CHUNK ? size : CHUNK;

        d->stream.next_in = (z_const Bytef *)(uintptr_t)from;
        d->stream.avail_in = (uInt)part;
        compress_input(out, Z_NO_FLUSH);
        from += part;
        size -= part;
    }
}

void to_gzip_begin(struct to_out *out)
{
    struct deflate *d = calloc(1, sizeof *d);

    if (d == NULL || deflateInit2(&d->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
                                  Z_DEFAULT_STRATEGY) != Z_OK) {
        free(d);
        to_fail(out, "there is not enough memory");
        return;
    }
    out->deflate = d;
}

void to_gzip_end(struct to_out *out)
{
    struct deflate *d = out->deflate;

    if (d != NULL) {
        d->stream.avail_in = 0;
        compress_input(out, Z_FINISH);
    }
    to_out_free(out);
}

void to_out_free(struct to_out *out)
{
    struct deflate *d = out->deflate;

    if (d != NULL) {
        (void)deflateEnd(&d->stream);
        free(d);
        out->deflate = NULL;
    }
}

void to_text(struct to_out *out, const char *text)
{
    to_put(out, text, strlen(text));
}

void to_line(struct to_out *out, const char *text, char separator)
{
    const char special[] = {'\n', '\r', separator, '\0'};

    for (const char *s = text; *s != '\0';) {
        const size_t plain = strcspn(s, special);

        to_put(out, s, plain);
        s += plain;
        if (*s != '\0') {
            to_put(out, *s++ == separator ? ":" : " ", 1);
        }
    }
}

void to_printf(struct to_out *out, const char *format, ...)
{
    char small[512];
    va_list args;

    va_start(args, format);
    const int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0) {
        to_fail(out, "a text cannot be formatted");
        return;
    }
    if ((size_t)length < sizeof small) {
        to_put(out, small, (size_t)length);
        return;
    }
    char *large = malloc((size_t)length + 1);

    if (large == NULL) {
        to_fail(out, "there is not enough memory");
        return;
    }
    va_start(args, format);
    (void)vsnprintf(large, (size_t)length + 1, format, args);
    va_end(args);
    to_put(out, large, (size_t)length);
    free(large);
}

void to_number(struct to_out *out, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;

    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    to_put(out, digits + first, sizeof digits - first);
}

void to_json(struct to_out *out, const char *text)
{
    to_put(out, "\"", 1);
    for (const uint8_t *s = (const uint8_t *)text; *s != '\0';) {
        size_t plain = 0;

        while (s[plain] >= ' ' && s[plain] < 0x80 && s[plain] != '"' && s[plain] != '\\') {
            plain++;
        }
        to_put(out, s, plain);
        s += plain;
        if (*s == '\0') {
            break;
        }
        const size_t length = cli_character((const char *)s, 4); /* the end of the text is no part of it */

        if (length == 0) {
            to_text(out, "\xef\xbf\xbd");
        } else if (length > 1) {
            to_put(out, s, length);
        } else if (*s < ' ') {
            to_printf(out, "\\u%04x", *s);
        } else {
            to_printf(out, "\\%c", *s);
        }
        s += length == 0 ? 1 : length;
    }
    to_put(out, "\"", 1);
}
