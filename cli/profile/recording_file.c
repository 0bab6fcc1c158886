/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes and reads the file of a recording.  All numbers are little-endian.
 *
 *      8 bytes  "\x89" "APMU\r\n\x1a"         a text mode that changes line ends is noticed
 *      4 bytes  the version of the format     RECORDING_VERSION
 *      chunks:  4 bytes tag, 8 bytes length, the content, 4 bytes CRC-32 of all three
 *
 * HEAD comes first, then a chunk for each table, with its number of rows and its rows, then DONE with the sums.  A
 * chunk whose tag begins with a small letter may be skipped.  doc/profile.md has the rows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "recording_table.h"

#define MAGIC RECORDING_MAGIC
#define MAGIC_SIZE 8
#define RECORDING_VERSION 1
#define HEADER_SIZE (MAGIC_SIZE + 4)
#define CHUNK_HEADER 12

/* Bytes that grow. */
struct file_bytes {
    uint8_t *data;
    size_t size, room;
    bool failed; /* there was no memory */
};

static void put(struct file_bytes *b, const void *data, size_t size)
{
    if (size > b->room - b->size) {
        const size_t room = 2 * (b->size + size) + 256;
        uint8_t *memory = room > b->size ? realloc(b->data, room) : NULL;

        if (memory == NULL) {
            b->failed = true;
            return;
        }
        b->data = memory;
        b->room = room;
    }
    if (size != 0) {
        memcpy(b->data + b->size, data, size);
        b->size += size;
    }
}

static void put_number(struct file_bytes *b, uint64_t value, size_t width)
{
    uint8_t bytes[8];

    for (size_t i = 0; i < width; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    put(b, bytes, width);
}

/* Returns the bytes that a number takes in the file. */
static size_t width_in_file(enum recording_member_kind kind)
{
    switch (kind) {
    case RECORDING_MEMBER_U8:
    case RECORDING_MEMBER_FLAG:
    case RECORDING_MEMBER_ENUM: return 1;
    case RECORDING_MEMBER_U64: return 8;
    default: return 4;
    }
}

static void put_row(struct file_bytes *b, const struct recording_table *t, void *row)
{
    for (size_t i = 0; i < t->member_count; i++) {
        const struct recording_member *m = &t->members[i];

        if (m->kind == RECORDING_MEMBER_TEXT) {
            const char *text = *recording_member_text(m, row);

            put_number(b, strlen(text), 4);
            put(b, text, strlen(text));
            continue;
        }
        const uint64_t value = recording_member_number(m, row);

        put_number(b, value, width_in_file(m->kind));
        if (m->kind == RECORDING_MEMBER_BUILD_ID) {
            put(b, ((const struct recording_file *)row)->build_id, (size_t)value);
        }
    }
}

/* Begins a chunk.  Returns where it begins. */
static size_t begin_chunk(struct file_bytes *b, const char *tag)
{
    const size_t start = b->size;

    put(b, tag, 4);
    put_number(b, 0, 8);
    return start;
}

/* Ends the chunk that begins at @start: fills in its length and adds its checksum. */
static void end_chunk(struct file_bytes *b, size_t start)
{
    if (b->failed) {
        return;
    }
    const uint64_t length = b->size - start - CHUNK_HEADER;

    for (size_t i = 0; i < 8; i++) {
        b->data[start + 4 + i] = (uint8_t)(length >> (8 * i));
    }
    put_number(b, crc32_z(0, b->data + start, b->size - start), 4);
}

static void put_table(struct file_bytes *b, const struct recording *r, const struct recording_table *t)
{
    const size_t count = recording_table_count(r, t), start = begin_chunk(b, t->tag);

    put_number(b, count, 8);
    for (size_t row = 0; row < count; row++) {
        const uint64_t *counts = recording_table_counts(r, t, row);

        put_row(b, t, recording_table_row(r, t, row));
        for (size_t i = 0; counts != NULL && i < r->event_count; i++) {
            put_number(b, counts[i], 8);
        }
    }
    end_chunk(b, start);
}

/* Puts the chunk that ends a file: for each event the sum over all instructions. */
static void put_sums(struct file_bytes *b, const struct recording *r)
{
    const size_t start = begin_chunk(b, "DONE");

    put_number(b, r->event_count, 8);
    for (size_t event = 0; event < r->event_count; event++) {
        uint64_t sum = 0;

        for (size_t i = 0; i < r->code_count; i++) {
            sum += r->code_counts[i * r->event_count + event];
        }
        put_number(b, sum, 8);
    }
    end_chunk(b, start);
}

__attribute__((format(printf, 2, 3)))
static void refuse(struct recording_refusal *no, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(no->text, sizeof no->text, format, arguments);
    va_end(arguments);
}

/* Writes @b to the new file @path, which is removed if that fails.  Returns false with errno. */
static bool write_new(const char *path, const struct file_bytes *b)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int failure = 0;

    if (fd == -1) {
        return false;
    }
    for (size_t at = 0; failure == 0 && at < b->size;) {
        const ssize_t done = write(fd, b->data + at, b->size - at);

        if (done >= 0) {
            at += (size_t)done;
        } else if (errno != EINTR) {
            failure = errno;
        }
    }
    if (close(fd) != 0 && failure == 0) {
        failure = errno;
    }
    if (failure != 0) {
        unlink(path);
        errno = failure;
    }
    return failure == 0;
}

/* Replaces the file @path by one with the bytes of @b. */
static bool replace(const char *path, const struct file_bytes *b, struct recording_refusal *no)
{
    struct stat there;
    char *target = realpath(path, NULL), *beside = NULL; /* a symbolic link stays one */
    const char *name = target != NULL ? target : path;
    bool done = false;

    if (stat(name, &there) == 0 && !S_ISREG(there.st_mode)) {
        refuse(no, "%s: a recording is written to a regular file, and this is none; name another file", path);
    } else if (asprintf(&beside, "%s.%ld", name, (long)getpid()) < 0) {
        beside = NULL;
        refuse(no, "%s: there is no memory to write the recording; end other programs", path);
    } else {
        unlink(beside); /* it is what a killed process of the same id left */
        done = write_new(beside, b) && rename(beside, name) == 0;
        if (!done) {
            refuse(no, "%s: the recording cannot be written: %s; make room, or name a file elsewhere", path,
                   strerror(errno));
            unlink(beside);
        }
    }
    free(beside);
    free(target);
    return done;
}

bool recording_write(const struct recording *r, const char *path, struct recording_refusal *no)
{
    struct file_bytes b = {0};
    char why[256];
    size_t start;
    bool done = false;

    if (!recording_check(r, why, sizeof why)) {
        refuse(no, "%s: the recording is not sound: %s; please report this as a fault of %s", path, why, r->tool);
        return false;
    }
    put(&b, MAGIC, MAGIC_SIZE);
    put_number(&b, RECORDING_VERSION, 4);
    start = begin_chunk(&b, recording_head.tag);
    put_row(&b, &recording_head, (void *)(uintptr_t)r);
    end_chunk(&b, start);
    for (size_t i = 0; i < RECORDING_TABLES; i++) {
        put_table(&b, r, &recording_tables[i]);
    }
    put_sums(&b, r);
    if (b.failed) {
        refuse(no, "%s: there is no memory to write the recording; end other programs", path);
    } else {
        done = replace(path, &b, no);
    }
    free(b.data);
    return done;
}

#define DAMAGED "the file is damaged: copy it again, or record again"

/* Reads the bytes at @data. */
struct file_reader {
    const char *name;
    const uint8_t *data;
    size_t size, at;
    size_t end;      /* of the content of the chunk */
    const char *tag; /* of the chunk */
    size_t row;
    struct recording_refusal *no;
};

/* Refuses the file for @cause, at the row that is being read.  Returns false. */
static bool refuse_row(struct file_reader *f, const char *member, const char *cause)
{
    refuse(f->no, "%s: byte %zu, row %zu of %s: %s %s; " DAMAGED, f->name, f->at, f->row, f->tag, member, cause);
    return false;
}

static uint64_t number_at(const uint8_t *data, size_t width)
{
    uint64_t value = 0;

    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)data[i] << (8 * i);
    }
    return value;
}

/* Takes @width bytes of the chunk.  Returns false if it has less. */
static bool take(struct file_reader *f, size_t width, const char *member, uint64_t *value)
{
    if (f->end - f->at < width) {
        return refuse_row(f, member, "is beyond the end of the chunk");
    }
    *value = number_at(f->data + f->at, width);
    f->at += width;
    return true;
}

static bool take_text(struct file_reader *f, const char *member, char **text)
{
    uint64_t length;

    if (!take(f, 4, member, &length)) {
        return false;
    }
    if (length > f->end - f->at) {
        return refuse_row(f, member, "is longer than the chunk");
    }
    if (memchr(f->data + f->at, '\0', (size_t)length) != NULL) {
        return refuse_row(f, member, "contains a NUL");
    }
    *text = strndup((const char *)f->data + f->at, (size_t)length);
    f->at += (size_t)length;
    if (*text == NULL) {
        refuse(f->no, "%s: there is no memory to read it; end other programs", f->name);
    }
    return *text != NULL;
}

/* Reads the member @m to @row.  Rows of other tables that it names are checked later. */
static bool take_member(struct file_reader *f, const struct recording_member *m, void *row)
{
    uint64_t value;

    if (m->kind == RECORDING_MEMBER_TEXT) {
        char *text = NULL;

        if (!take_text(f, m->name, &text)) {
            return false;
        }
        free(*recording_member_text(m, row));
        *recording_member_text(m, row) = text;
        return true;
    }
    if (!take(f, width_in_file(m->kind), m->name, &value)) {
        return false;
    }
    if ((m->kind == RECORDING_MEMBER_FLAG && value > 1) || (m->kind == RECORDING_MEMBER_ENUM && value > m->most)) {
        return refuse_row(f, m->name, "is a value that it cannot have");
    }
    recording_member_set(m, row, value);
    if (m->kind == RECORDING_MEMBER_BUILD_ID) {
        if (value > RECORDING_BUILD_ID || value > f->end - f->at) {
            recording_member_set(m, row, 0);
            return refuse_row(f, m->name, "is too large");
        }
        memcpy(((struct recording_file *)row)->build_id, f->data + f->at, (size_t)value);
        f->at += (size_t)value;
    }
    return true;
}

static bool take_row(struct file_reader *f, const struct recording_table *t, void *row)
{
    for (size_t i = 0; i < t->member_count; i++) {
        if (!take_member(f, &t->members[i], row)) {
            return false;
        }
    }
    return true;
}

/* Any row, with the alignment of all. */
union any_row {
    struct recording_event event;
    struct recording_file file;
    struct recording_image image;
    struct recording_thread thread;
    struct recording_map map;
    struct recording_symbol symbol;
    struct recording_code code;
    struct recording_node node;
    struct recording_sample sample;
    struct recording_interval interval;
};

/* Reads a table.  @counts has room for those of a row. */
static bool take_table(struct file_reader *f, struct recording *r, const struct recording_table *t, uint64_t *counts)
{
    uint64_t count;

    f->row = 0;
    if (!take(f, 8, "the number of rows", &count)) {
        return false;
    }
    for (; f->row < count; f->row++) {
        union any_row row;
        bool whole;

        memset(&row, 0, sizeof row);
        whole = take_row(f, t, &row);
        for (size_t i = 0; whole && t->counts != 0 && i < r->event_count; i++) {
            whole = take(f, 8, "a count", &counts[i]);
        }
        if (whole && recording_table_add(r, t, &row, counts) == RECORDING_NONE) {
            refuse(f->no, "%s: there is no memory to read it; end other programs", f->name);
            whole = false;
        }
        if (!whole) {
            recording_row_free(t, &row);
            return false;
        }
        if (t == &recording_tables[RECORDING_EVENTS] && r->event_count > RECORDING_EVENTS_MOST) {
            return refuse_row(f, "the number of events", "is higher than any recording has");
        }
    }
    return true;
}

/* Reads the sums and compares them. */
static bool take_sums(struct file_reader *f, const struct recording *r)
{
    uint64_t count;

    f->row = 0;
    if (!take(f, 8, "the number of sums", &count)) {
        return false;
    }
    if (count != r->event_count) {
        return refuse_row(f, "the number of sums", "is not that of the events");
    }
    for (; f->row < count; f->row++) {
        uint64_t want, sum = 0;

        for (size_t i = 0; i < r->code_count; i++) {
            sum += r->code_counts[i * r->event_count + f->row];
        }
        if (!take(f, 8, "the sum", &want)) {
            return false;
        }
        if (want != sum) {
            return refuse_row(f, "the sum", "is not that of the instructions");
        }
    }
    return true;
}

/*
 * Goes to the content of the chunk @tag, which comes next but for chunks that may be skipped, and checks its checksum.
 */
static bool open_chunk(struct file_reader *f, const char *tag)
{
    f->tag = tag;
    for (;;) {
        const uint8_t *chunk = f->data + f->at;
        const size_t left = f->size - f->at;
        const uint64_t length = left < CHUNK_HEADER ? 0 : number_at(chunk + 4, 8);

        if (left < CHUNK_HEADER + 4 || length > left - CHUNK_HEADER - 4) {
            refuse(f->no, "%s: byte %zu: it ends here, before the end of the chunk %s; the file was cut short: copy it "
                   "again, or record again", f->name, f->size, tag);
            return false;
        }
        f->end = f->at + CHUNK_HEADER + (size_t)length;
        if (crc32_z(0, chunk, CHUNK_HEADER + (size_t)length) != number_at(f->data + f->end, 4)) {
            refuse(f->no, "%s: byte %zu: the checksum of the chunk that should be %s is wrong; " DAMAGED, f->name,
                   f->at, tag);
            return false;
        }
        if (memcmp(chunk, tag, 4) == 0) {
            f->at += CHUNK_HEADER;
            return true;
        }
        if (chunk[0] < 'a' || chunk[0] > 'z') {
            refuse(f->no, "%s: byte %zu: another chunk is where %s should be; " DAMAGED, f->name, f->at, tag);
            return false;
        }
        f->at = f->end + 4;
    }
}

/* Ends the chunk, which must have been read to its end. */
static bool close_chunk(struct file_reader *f)
{
    if (f->at != f->end) {
        refuse(f->no, "%s: byte %zu: the chunk %s has %zu bytes too many; " DAMAGED, f->name, f->at, f->tag,
               f->end - f->at);
        return false;
    }
    f->at += 4;
    return true;
}

static bool take_header(struct file_reader *f)
{
    static const struct {
        const char *bytes, *what;
    } others[] = {
        {"PERFILE2", "perf record wrote it; perf report reads it"},
        {"\x7f" "ELF", "it is a program; record it with armpmu record"},
        {"\x1f\x8b", "it is compressed; decompress it with gunzip"},
    };
    const size_t common = f->size < MAGIC_SIZE ? f->size : MAGIC_SIZE;

    if (f->size == 0) {
        refuse(f->no, "%s: the file is empty; record again", f->name);
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (f->size >= strlen(others[i].bytes) && memcmp(f->data, others[i].bytes, strlen(others[i].bytes)) == 0) {
            refuse(f->no, "%s: byte 0: this is no recording of armpmu record: %s", f->name, others[i].what);
            return false;
        }
    }
    if (memcmp(f->data, MAGIC, common) != 0) {
        refuse(f->no, "%s: byte 0: this is no recording; name a file that armpmu record wrote", f->name);
        return false;
    }
    if (f->size < HEADER_SIZE) {
        refuse(f->no, "%s: byte %zu: it ends here, in its header; the file was cut short: copy it again, or record "
               "again", f->name, f->size);
        return false;
    }
    const uint64_t version = number_at(f->data + MAGIC_SIZE, 4);

    if (version != RECORDING_VERSION) {
        refuse(f->no, "%s: byte %d: the recording is of version %" PRIu64 ", and this armpmu reads version %d; %s",
               f->name, MAGIC_SIZE, version, RECORDING_VERSION,
               version > RECORDING_VERSION ? "read it with a newer armpmu" : DAMAGED);
        return false;
    }
    f->at = HEADER_SIZE;
    return true;
}

static bool take_all(struct file_reader *f, struct recording *r)
{
    uint64_t counts[RECORDING_EVENTS_MOST];

    if (!take_header(f) || !open_chunk(f, recording_head.tag) || !take_row(f, &recording_head, r) || !close_chunk(f)) {
        return false;
    }
    for (size_t i = 0; i < RECORDING_TABLES; i++) {
        const struct recording_table *t = &recording_tables[i];

        if (!open_chunk(f, t->tag) || !take_table(f, r, t, counts) || !close_chunk(f)) {
            return false;
        }
    }
    if (!open_chunk(f, "DONE") || !take_sums(f, r) || !close_chunk(f)) {
        return false;
    }
    if (f->at != f->size) {
        refuse(f->no, "%s: byte %zu: %zu bytes follow the end of the recording; " DAMAGED, f->name, f->at,
               f->size - f->at);
        return false;
    }
    return true;
}

struct recording *recording_parse(const uint8_t *bytes, size_t size, const char *name, struct recording_refusal *no)
{
    struct file_reader f = {.name = name, .data = bytes, .size = size, .no = no, .tag = "HEAD"};
    struct recording *r = recording_new();
    char why[256];

    if (r == NULL) {
        refuse(no, "%s: there is no memory to read it; end other programs", name);
        return NULL;
    }
    if (!take_all(&f, r)) {
        recording_free(r);
        return NULL;
    }
    if (!recording_check(r, why, sizeof why)) {
        refuse(no, "%s: %s; " DAMAGED, name, why);
        recording_free(r);
        return NULL;
    }
    return r;
}

struct recording *recording_read(const char *path, struct recording_refusal *no)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct file_bytes b = {0};
    struct recording *r = NULL;
    ssize_t got = fd == -1 ? -1 : 1;

    while (got > 0 && !b.failed) {
        uint8_t block[65536];

        got = read(fd, block, sizeof block);
        if (got > 0) {
            put(&b, block, (size_t)got);
        } else if (got < 0 && errno == EINTR) {
            got = 1;
        }
    }
    if (got < 0) {
        refuse(no, "%s: it cannot be read: %s; name a file that armpmu record wrote", path, strerror(errno));
    } else if (b.failed) {
        refuse(no, "%s: there is no memory to read it; end other programs", path);
    } else {
        r = recording_parse(b.data, b.size, path, no);
    }
    if (fd != -1) {
        close(fd);
    }
    free(b.data);
    return r;
}
