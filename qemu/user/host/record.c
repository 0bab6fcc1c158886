/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what a recorded run counted, by instruction.
 *
 * Images that ended are gone from the shared directory when a record is read, so totals.c hands each image over when it
 * adds it up: record_image() copies the counters that are not 0.  The tables of code and of shapes are read when a
 * record is made.
 */
#define _GNU_SOURCE
#include "record.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/* A counter of a row that is not 0. */
struct record_count {
    uint32_t thread; /* the row; in a record the index of the thread */
    uint32_t number;
    uint64_t times;
};

/* An image, and its counts. */
struct record_image {
    struct apmu_image_head head;
    struct apmu_image_thread *ended; /* threads that ended before another one took their row: rows from APMU_ROWS on */
    uint32_t ended_count;
    struct record_count *counts;
    size_t count, room;
};

/* The images of a run, in the order in which they were read. */
struct run_recorder {
    struct record_image **images;
    size_t count, ended, room; /* the first ones ended */
    bool reading;              /* a record is read, so images that run are read too */
    bool failed;               /* there was no memory */
    struct apmu_code *code;    /* a copy of the file */
};

bool record_begin(struct apmu_run *run)
{
    run->recorder = calloc(1, sizeof *run->recorder);
    if (run->recorder == NULL) {
        return false;
    }
    void *copy = mmap(NULL, sizeof *run->recorder->code, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    run->recorder->code = copy == MAP_FAILED ? NULL : copy;
    return run->recorder->code != NULL;
}

static void free_image(struct record_image *image)
{
    if (image != NULL) {
        free(image->counts);
        free(image->ended);
    }
    free(image);
}

/* Forgets the images after the first @count. */
static void drop_images(struct run_recorder *r, size_t count)
{
    while (r->count > count) {
        free_image(r->images[--r->count]);
    }
}

void record_end(struct apmu_run *run)
{
    struct run_recorder *r = run->recorder;

    if (r == NULL) {
        return;
    }
    drop_images(r, 0);
    free(r->images);
    if (r->code != NULL) {
        munmap(r->code, sizeof *r->code);
    }
    free(r);
    run->recorder = NULL;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Images.
 */

bool record_wants(const struct apmu_run *run, bool ended)
{
    return run->recorder != NULL && (ended || run->recorder->reading);
}

struct record_image *record_image(struct apmu_run *run, const struct apmu_image_head *head, bool ended)
{
    struct run_recorder *r = run->recorder;
    struct record_image *image = calloc(1, sizeof *image);

    if (r->count == r->room && image != NULL) {
        struct record_image **more = realloc(r->images, (r->room * 2 + 16) * sizeof(struct record_image *));
        if (more != NULL) {
            r->images = more;
            r->room = r->room * 2 + 16;
        }
    }
    if (image == NULL || r->count == r->room) {
        free(image);
        r->failed = true;
        return NULL;
    }
    image->head = *head;
    r->images[r->count++] = image;
    if (ended) { /* it goes before those that run, if a record is being read */
        r->images[r->count - 1] = r->images[r->ended];
        r->images[r->ended++] = image;
    }
    return image;
}

void record_count(struct apmu_run *run, struct record_image *image, uint32_t row, uint32_t number, uint64_t times)
{
    if (image->count == image->room) {
        const size_t room = image->room * 2 + 256;
        struct record_count *more = realloc(image->counts, room * sizeof *more);
        if (more == NULL) {
            run->recorder->failed = true;
            return;
        }
        image->counts = more;
        image->room = room;
    }
    image->counts[image->count++] = (struct record_count){row, number, times};
}

/* Adds the thread with @head and @counts: they become those of a row of its own. */
static void add_ended(struct apmu_run *run, struct record_image *image, const struct apmu_ended_thread *head,
                      const struct apmu_ended_count *counts)
{
    struct apmu_image_thread *more = realloc(image->ended, (image->ended_count + 1) * sizeof *more);

    if (more == NULL) {
        run->recorder->failed = true;
        return;
    }
    image->ended = more;
    more[image->ended_count] = (struct apmu_image_thread){.tid = head->tid, .threads = 1};
    memcpy(more[image->ended_count].name, head->name, sizeof head->name);
    for (uint32_t i = 0; i < head->count; i++) {
        record_count(run, image, APMU_ROWS + image->ended_count, counts[i].number, counts[i].times);
        record_count(run, image, head->row, counts[i].number, -counts[i].times);
    }
    image->ended_count++;
}

void record_threads(struct apmu_run *run, struct record_image *image, bool ended)
{
    struct apmu_ended_thread head;
    char name[64];

    snprintf(name, sizeof name, APMU_THREADS_PREFIX "%d.%u", (int)image->head.pid, (unsigned)image->head.number);
    const int fd = openat(run->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    for (off_t at = 0; fd >= 0 && pread(fd, &head, sizeof head, at) == (ssize_t)sizeof head;) {
        const size_t size = head.count * sizeof(struct apmu_ended_count);
        const bool sound = head.magic == APMU_PROTOCOL_MAGIC && head.row < APMU_ROWS &&
                           head.count <= APMU_COUNTER_NUMBERS;
        struct apmu_ended_count *counts = sound ? malloc(size + 1) : NULL;

        at += (off_t)sizeof head;
        const bool whole = counts != NULL && pread(fd, counts, size, at) == (ssize_t)size;
        if (whole) {
            add_ended(run, image, &head, counts);
        }
        free(counts);
        if (!whole) { /* it is being written, or is no such file */
            break;
        }
        at += (off_t)size;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (fd >= 0 && ended) {
        unlinkat(run->dirfd, name, 0);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * The file code.
 */

/* Reads @size bytes at @offset of the file into the same place of the copy. */
static bool read_part(struct apmu_run *run, size_t offset, size_t size)
{
    return pread(run->code_fd, (char *)run->recorder->code + offset, size, (off_t)offset) == (ssize_t)size;
}

/* Copies the file.  Returns false, and fills run->lost, if it is not whole. */
static bool refresh_code(struct apmu_run *run)
{
    struct apmu_code *code = run->recorder->code;

    if (!read_part(run, 0, sizeof code->head) || code->head.magic != APMU_PROTOCOL_MAGIC) {
        return shared_lose(run, APMU_CODE_FILE, "was truncated");
    }
    code->head.places = apmu_at_most(code->head.places, APMU_PLACES); /* they may include some that were refused */
    code->head.insns = apmu_at_most(code->head.insns, APMU_INSNS);
    if (!read_part(run, offsetof(struct apmu_code, place), code->head.places * sizeof code->place[0]) ||
        !read_part(run, offsetof(struct apmu_code, block), run->shapes->head.counters * sizeof code->block[0]) ||
        !read_part(run, offsetof(struct apmu_code, insn), code->head.insns * sizeof code->insn[0])) {
        return shared_lose(run, APMU_CODE_FILE, "was truncated");
    }
    for (uint32_t i = 0; i < code->head.places; i++) {
        code->place[i].path[APMU_PATH - 1] = '\0';
    }
    return true;
}

/* Returns the vector of @shape, or NULL if it is not known. */
static const uint16_t *vector_of(const struct apmu_run *run, uint64_t shape)
{
    return shape < APMU_SHAPES ? run->shapes->vector[shape] : NULL;
}

/* Calls @visit for each instruction of the block @number, of which @insn has the thread. */
static void visit_block(const struct apmu_run *run, uint32_t number, struct apmu_run_insn insn, uint64_t times,
                        apmu_run_visit *visit, void *context)
{
    const struct apmu_code *code = run->recorder->code;
    const struct apmu_code_block *b = &code->block[number];
    const bool known = number < run->shapes->head.counters && b->first < code->head.insns &&
                       b->count <= code->head.insns - b->first;

    insn.place = b->place - 1 < code->head.places ? b->place - 1 : UINT32_MAX;
    insn.address = run->shapes->block[number].address;
    for (uint32_t i = 0; known && i < b->count; i++) {
        const struct apmu_code_insn *in = &code->insn[b->first + i];
        const uint16_t *vector = in->shape == 0 ? NULL : vector_of(run, in->shape - 1);

        insn.word = in->word;
        insn.length = b->t32 && in->word <= UINT16_MAX ? 2 : 4;
        if (vector != NULL) {
            visit(context, &insn, times, vector);
        }
        insn.address += insn.length;
    }
}

void apmu_run_record_each(const struct apmu_run_record *record, apmu_run_visit *visit, void *context)
{
    for (size_t i = 0; i < record->count_count; i++) {
        const struct record_count *c = &record->counts[i];
        const struct apmu_run_insn insn = {.thread = c->thread, .place = UINT32_MAX};
        const uint16_t *vector = c->number < APMU_SHAPES ? vector_of(record->run, c->number) : NULL;

        if (vector != NULL) {
            visit(context, &insn, c->times, vector);
        } else if (c->number >= APMU_SHAPES) {
            visit_block(record->run, c->number - APMU_SHAPES, insn, c->times, visit, context);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Records.
 */

static int by_start(const void *a, const void *b)
{
    const struct apmu_image_head *x = &(*(struct record_image *const *)a)->head;
    const struct apmu_image_head *y = &(*(struct record_image *const *)b)->head;

    return x->start_ns != y->start_ns ? (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns)
           : x->pid != y->pid         ? (x->pid > y->pid) - (x->pid < y->pid)
                                      : (x->number > y->number) - (x->number < y->number);
}

/* Copies a text of a shared file, which may lack its end. */
static void copy_text(char *to, size_t size, const char *from)
{
    memcpy(to, from, size);
    to[size - 1] = '\0';
}

/* Returns the index of the parent of image @at of @images, or UINT32_MAX. */
static uint32_t parent_of(struct record_image *const *images, size_t at)
{
    const struct apmu_image_head *head = &images[at]->head;

    for (size_t i = at; head->parent_pid != 0 && i-- > 0;) { /* the last one, if the process id was used again */
        if (images[i]->head.pid == head->parent_pid && images[i]->head.number == head->parent_number) {
            return (uint32_t)i;
        }
    }
    return UINT32_MAX;
}

/* Adds the thread of @row of the image @index, and returns its index. */
static uint32_t add_thread(struct apmu_run_record *record, uint32_t index, const struct record_image *image,
                           uint32_t row)
{
    const struct apmu_image_head *head = &image->head;
    const struct apmu_image_thread *label = row < APMU_ROWS ? &head->thread[row] : &image->ended[row - APMU_ROWS];
    struct apmu_run_thread *t = &record->threads[record->thread_count];

    *t = (struct apmu_run_thread){.image = index, .tid = label->tid != 0 ? label->tid : head->pid,
                                  .threads = label->threads, .rest = row == APMU_ROWS - 1};
    copy_text(t->name, sizeof t->name, label->name);
    return (uint32_t)record->thread_count++;
}

/* Adds image number @index, with its threads and counts, to @record.  Returns false if there is no memory. */
static bool add_image(const struct apmu_run *run, struct record_image *const *images, uint32_t index,
                      struct apmu_run_record *record)
{
    const struct record_image *image = images[index];
    const struct apmu_image_head *head = &image->head;
    struct apmu_run_image *to = &record->images[record->image_count++];
    uint32_t *threads = calloc(APMU_ROWS + image->ended_count, sizeof *threads);

    if (threads == NULL) {
        return false;
    }
    *to = (struct apmu_run_image){.pid = head->pid, .parent = parent_of(images, index),
                                  .forked = head->origin == APMU_ORIGIN_FORK, .a32 = head->a32 != 0,
                                  .start_ns = head->start_ns > run->start_ns ? head->start_ns - run->start_ns : 0};
    copy_text(to->name, sizeof to->name, head->name);
    copy_text(to->command, sizeof to->command, head->command);
    memset(threads, 255, (APMU_ROWS + image->ended_count) * sizeof *threads);
    for (size_t i = 0; i < image->count; i++) {
        struct record_count c = image->counts[i];

        if (threads[c.thread] == UINT32_MAX) {
            threads[c.thread] = add_thread(record, index, image, c.thread);
        }
        c.thread = threads[c.thread];
        record->counts[record->count_count++] = c;
    }
    free(threads);
    return true;
}

/* Makes room in @record for all that the recorder has.  Returns false if there is no memory. */
static bool make_room(const struct run_recorder *r, struct apmu_run_record *record)
{
    size_t counts = 0, threads = 0;

    for (size_t i = 0; i < r->count; i++) {
        counts += r->images[i]->count;
        threads += APMU_ROWS + r->images[i]->ended_count;
    }
    record->images = calloc(r->count + 1, sizeof *record->images);
    record->threads = calloc(threads + 1, sizeof *record->threads);
    record->counts = calloc(counts + 1, sizeof *record->counts);
    return record->images != NULL && record->threads != NULL && record->counts != NULL;
}

/* Fills @record from the images that were read.  Returns false if there is no memory. */
static bool fill(const struct apmu_run *run, struct apmu_run_record *record)
{
    const struct run_recorder *r = run->recorder;
    struct record_image **images = calloc(r->count + 1, sizeof(struct record_image *));

    if (images == NULL || r->failed || !make_room(r, record)) {
        free(images);
        return false;
    }
    memcpy(images, r->images, r->count * sizeof(struct record_image *));
    qsort(images, r->count, sizeof(struct record_image *), by_start);
    bool ok = true;
    for (uint32_t i = 0; i < r->count && ok; i++) {
        ok = add_image(run, images, i, record);
    }
    free(images);
    return ok;
}

bool apmu_run_record(struct apmu_run *run, struct apmu_run_record *record, struct apmu_refusal *no)
{
    struct run_recorder *r = run->recorder;

    *record = (struct apmu_run_record){.run = run};
    r->reading = true;
    const bool whole = apmu_run_totals(run, record->totals, record->core, no);
    r->reading = false;
    bool ok = whole;
    if (whole && (!shared_refresh(run) || !refresh_code(run))) { /* again: blocks may be new */
        *no = run->lost;
        ok = false;
    }
    if (ok && !fill(run, record)) {
        ok = host_refuse(no, 3, "the recording needs more memory than there is\nend other programs");
    }
    record->places = r->code->place;
    record->place_count = r->code->head.places;
    record->full = r->code->head.full != 0;
    drop_images(r, r->ended);
    if (!ok) {
        apmu_run_record_free(record);
    }
    return ok;
}

void apmu_run_record_free(struct apmu_run_record *record)
{
    free(record->images);
    free(record->threads);
    free(record->counts);
    *record = (struct apmu_run_record){.run = NULL};
}
