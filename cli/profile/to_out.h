/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an exporter writes.  After the first failure nothing more is written, so callers check once, at the end.
 */
#ifndef ARMPMU_CLI_TO_OUT_H
#define ARMPMU_CLI_TO_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct to_out {
    FILE *file;    /**< NULL: bytes are only counted */
    void *deflate; /**< while the bytes are compressed; see to_gzip_begin() */
    uint64_t size; /**< the bytes so far, before compression */
    bool failed;
    int error;       /**< errno of the failed write; 0: see `why` */
    const char *why; /**< what failed if no write did */
};

/** Notes that the file cannot be written because of @why, a text that lasts. */
void to_fail(struct to_out *out, const char *why);

void to_put(struct to_out *out, const void *bytes, size_t size);
void to_text(struct to_out *out, const char *text);

/**
 * Writes @text on one line: each line break becomes a blank, and each @separator, which ends a name in the format, ':'.
 * @separator may be '\0' if there is none.
 */
void to_line(struct to_out *out, const char *text, char separator);

__attribute__((format(printf, 2, 3))) void to_printf(struct to_out *out, const char *format, ...);

/** Writes @number in decimal digits. */
void to_number(struct to_out *out, uint64_t number);

/** Writes @text as a string of JSON with its quotation marks.  Bytes that are not UTF-8 become U+FFFD. */
void to_json(struct to_out *out, const char *text);

/** Compresses by gzip what is written from here to to_gzip_end(). */
void to_gzip_begin(struct to_out *out);
void to_gzip_end(struct to_out *out);

/** Frees what an @out that failed may still hold. */
void to_out_free(struct to_out *out);

#endif
