/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts a title and data into the page. */
#define _GNU_SOURCE
#include "page.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#define PAGE      "page.html"
#define PATH_SIZE 4096
#define PAGE_MAX  (16u << 20) /* no page is longer, in bytes */

/* Where the page is: beside the tool that was built, and below the folder in which it is installed. */
static const char *const places[] = {"/" PAGE, "/" APMU_LIB_PLACE "/" PAGE};

static bool refuse(struct recording_refusal *no, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct recording_refusal *no, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(no->text, sizeof no->text, format, args);
    va_end(args);
    return false;
}

/* Opens the page.  Returns NULL and fills @no if there is none. */
static FILE *open_page(struct recording_refusal *no)
{
    const char *named = getenv("ARMPMU_LIBDIR");
    char path[PATH_SIZE];

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (named != NULL) {
            snprintf(path, sizeof path, "%s/" PAGE, named);
        } else {
            const ssize_t n = readlink("/proc/self/exe", path, sizeof path - sizeof "/" APMU_LIB_PLACE "/" PAGE);
            char *slash;

            path[n > 0 ? n : 0] = '\0';
            slash = strrchr(path, '/');
            strcpy(slash != NULL ? slash : path, places[i]);
        }
        FILE *page = fopen(path, "re");
        if (page != NULL) {
            return page;
        }
        if (errno != ENOENT) {
            refuse(no, "%s: %s; make it readable, or build it again with make page", path, strerror(errno));
            return NULL;
        }
    }
    refuse(no, PAGE ": not built here; build it once with make page, which needs npm and the network");
    return NULL;
}

bool page_is_built(struct recording_refusal *no)
{
    FILE *page = open_page(no);

    if (page == NULL) {
        return false;
    }
    fclose(page);
    return true;
}

/* Returns the page as a text, which the caller frees, or NULL after it filled @no. */
static char *read_page(struct recording_refusal *no)
{
    FILE *page = open_page(no);
    char *text = NULL;

    if (page == NULL) {
        return NULL;
    }
    text = malloc(PAGE_MAX + 1);
    if (text == NULL) {
        refuse(no, PAGE ": there is no memory for it; end other programs");
    } else {
        const size_t length = fread(text, 1, PAGE_MAX, page);

        text[length] = '\0';
        if (ferror(page) || strstr(text, "@TITLE@") == NULL || strstr(text, "@DATA@") == NULL) {
            refuse(no, PAGE ": it is no page without data; build it again with make page");
            free(text);
            text = NULL;
        }
    }
    fclose(page);
    return text;
}

/* Writes @text as the contents of an element of HTML. */
static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        default: fputc(*text, out); break;
        }
    }
}

/* A stream of base64 of gzip into a file. */
struct packer {
    FILE *out;
    z_stream z;
    uint8_t group[3]; /* bytes that wait for the rest of their group */
    unsigned waiting;
    bool failed;
};

/* Writes the bytes of a group, 1 to 3 of them, as four characters. */
static void put_group(struct packer *p)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned n = p->waiting;
    const uint32_t word = (uint32_t)p->group[0] << 16 | (n > 1 ? (uint32_t)p->group[1] << 8 : 0) |
                          (n > 2 ? (uint32_t)p->group[2] : 0);

    fputc(digits[word >> 18 & 63], p->out);
    fputc(digits[word >> 12 & 63], p->out);
    fputc(n > 1 ? digits[word >> 6 & 63] : '=', p->out);
    fputc(n > 2 ? digits[word & 63] : '=', p->out);
    p->waiting = 0;
}

/* Compresses what is in p->z.next_in; @flush is zlib's. */
static void pack(struct packer *p, int flush)
{
    uint8_t buffer[16384];
    int status = Z_OK;

    do {
        p->z.next_out = buffer;
        p->z.avail_out = sizeof buffer;
        status = deflate(&p->z, flush);
        p->failed |= status == Z_STREAM_ERROR;
        for (const uint8_t *b = buffer; b < p->z.next_out; b++) {
            p->group[p->waiting++] = *b;
            if (p->waiting == 3) {
                put_group(p);
            }
        }
    } while (!p->failed && p->z.avail_out == 0);
}

static int pack_json(const char *bytes, size_t size, void *packer)
{
    struct packer *p = packer;

    p->z.next_in = (Bytef *)(uintptr_t)bytes;
    p->z.avail_in = (uInt)size;
    pack(p, Z_NO_FLUSH);
    return p->failed ? -1 : 0;
}

/* Writes @data, packed.  Returns false if there is no memory. */
static bool put_data(FILE *out, const json_t *data)
{
    struct packer p = {.out = out};
    bool done;

    if (deflateInit2(&p.z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    done = json_dump_callback(data, pack_json, &p, JSON_COMPACT) == 0;
    pack(&p, Z_FINISH);
    if (p.waiting != 0) {
        put_group(&p);
    }
    deflateEnd(&p.z);
    return done && !p.failed;
}

/* Writes the page @text with @title and @data to @out. */
static bool fill(FILE *out, char *text, const char *title, const json_t *data)
{
    bool done = true;

    for (char *rest = text; rest != NULL;) {
        char *mark = strchr(rest, '@');

        while (mark != NULL && strncmp(mark, "@TITLE@", 7) != 0 && strncmp(mark, "@DATA@", 6) != 0) {
            mark = strchr(mark + 1, '@');
        }
        if (mark == NULL) {
            fputs(rest, out);
            break;
        }
        fwrite(rest, 1, (size_t)(mark - rest), out);
        if (mark[1] == 'T') {
            put_text(out, title);
            rest = mark + 7;
        } else {
            done = put_data(out, data) && done;
            rest = mark + 6;
        }
    }
    return done;
}

bool page_write(const char *path, const char *title, const json_t *data, struct recording_refusal *no)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    char *text = read_page(no);
    FILE *out;
    bool packed, written;

    if (text == NULL) {
        return false;
    }
    out = to_stdout ? stdout : fopen(path, "we");
    if (out == NULL) {
        refuse(no, "%s: %s; choose another file", path, strerror(errno));
        free(text);
        return false;
    }
    packed = fill(out, text, title, data);
    free(text);
    written = fflush(out) == 0 && !ferror(out);
    if (!to_stdout) {
        written = fclose(out) == 0 && written;
    }
    if (!packed) {
        return refuse(no, "%s: there is no memory to write it; end other programs", path);
    }
    return written || refuse(no, "%s: %s; make room, or choose another file", path, strerror(errno));
}
