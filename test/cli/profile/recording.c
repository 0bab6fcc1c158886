/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of a recording: what is written is read back the same, every damage is refused in one line, and nothing is
 * left behind.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../../../cli/profile/recording_table.h"
#include "../../lib/tap.h"

#define TEXT(member) (char *)(uintptr_t)(member)

static char folder[] = "/tmp/armpmu-recording-XXXXXX";

/* Returns a recording with rows in every table. */
static struct recording *make(void)
{
    static const uint8_t id[20] = {1, 2, 3, 0xff};
    struct recording *r = recording_new();
    uint64_t counts[2] = {7, 1};

    recording_set_text(&r->engine, "qemu-user");
    recording_set_text(&r->command, "./program \xff\n argument");
    r->complete = r->call_graph = r->sampled = true;
    r->wait_status = -5;
    r->elapsed_ns = UINT64_MAX;
    recording_add_event(r, "INST_RETIRED", "", 0);
    recording_add_event(r, "LD_RETIRED", "modelled:cortex-a72", 1000);
    recording_add_file(r, RECORDING_FILE_ELF, "/bin/program", id, sizeof id);
    recording_add_file(r, RECORDING_FILE_CODE, "[code]", NULL, 0);
    recording_add_image(r, &(struct recording_image){.pid = 4, .parent = RECORDING_NONE, .name = TEXT("program"),
                                                     .command = TEXT("program x")});
    recording_add_image(r, &(struct recording_image){.pid = 5, .parent = 0, .forked = true, .a32 = true,
                                                     .start_ns = 9, .name = TEXT("child")});
    for (int32_t i = 0; i < 2; i++) {
        recording_add_thread(r, &(struct recording_thread){(uint32_t)i, 4 + i, TEXT(i == 0 ? "" : "worker")});
    }
    recording_add_map(r, &(struct recording_map){0, 0, 0x1000, 0x9000, 0x400});
    recording_add_map(r, &(struct recording_map){1, 1, UINT64_MAX - 0xfff, UINT64_MAX, 0});
    recording_add_symbol(r, &(struct recording_symbol){1, UINT64_MAX - 99, 50, TEXT("jitted")});
    for (uint64_t i = 0; i < 40; i++) { /* in an order that must be sorted */
        counts[0] = i;
        recording_add_code(r, &(struct recording_code){0, 0, 0x1000 + 4 * (i * 17 % 40), (uint32_t)i, 4}, counts);
    }
    recording_add_code(r, &(struct recording_code){1, RECORDING_NONE, 3, 0, 0}, counts);
    recording_add_code(r, &(struct recording_code){1, 1, UINT64_MAX - 98, 0xbf00, 2}, counts);
    recording_add_node(r, &(struct recording_node){.parent = RECORDING_NONE, .entry_map = 0, .site_map = RECORDING_NONE,
                                                   .entry = 0x1000, .calls = 1, .kind = RECORDING_CALL_ROOT}, counts);
    recording_add_node(r, &(struct recording_node){.parent = 0, .entry_map = RECORDING_NONE, .site_map = 0,
                                                   .entry = 8, .site = 0x1004, .calls = 3}, counts);
    recording_add_sample(r, &(struct recording_sample){0, 1, 1, 0, 0x1008, 77, 1000, RECORDING_NONE});
    recording_add_interval(r, &(struct recording_interval){0, 10}, counts);
    recording_sort(r);
    return r;
}

static char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Returns the bytes of the file @path, which the caller frees, and sets *@size. */
static uint8_t *bytes_of(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(65536);

    *size = file != NULL ? fread(data, 1, 65536, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return data;
}

/* Checks that the rows of table @t are the same in @a and @b. */
static void compare_tables(const struct recording *a, const struct recording *b, const struct recording_table *t)
{
    const size_t count = t == &recording_head ? 1 : recording_table_count(a, t);

    MUST(t == &recording_head || recording_table_count(b, t) == count, "%s: the number of rows differs", t->name);
    for (size_t row = 0; row < count && !tap_bad; row++) {
        void *x = t == &recording_head ? TEXT(a) : recording_table_row(a, t, row);
        void *y = t == &recording_head ? TEXT(b) : recording_table_row(b, t, row);

        for (size_t i = 0; i < t->member_count; i++) {
            const struct recording_member *m = &t->members[i];

            if (m->kind == RECORDING_MEMBER_TEXT) {
                MUST(strcmp(*recording_member_text(m, x), *recording_member_text(m, y)) == 0, "%s: %s", t->name,
                     m->name);
            } else {
                MUST_EQ(recording_member_number(m, y), recording_member_number(m, x), "%s: %s", t->name, m->name);
            }
        }
        if (t->counts != 0) {
            MUST(memcmp(recording_table_counts(a, t, row), recording_table_counts(b, t, row),
                        a->event_count * sizeof(uint64_t)) == 0, "%s: counts of row %zu", t->name, row);
        }
    }
}

static void what_is_written_is_read(void)
{
    struct recording_refusal no = {""};
    struct recording *r = make(), *again;

    MUST(recording_write(r, path_of("whole"), &no), "%.200s", no.text);
    again = recording_read(path_of("whole"), &no);
    MUST(again != NULL, "%.200s", no.text);
    if (again != NULL) {
        compare_tables(r, again, &recording_head);
        for (size_t i = 0; i < RECORDING_TABLES; i++) {
            compare_tables(r, again, &recording_tables[i]);
        }
        MUST(memcmp(again->files[0].build_id, r->files[0].build_id, 20) == 0, "the build id");
        MUST_EQ(again->code_count, 42, "instructions");
        MUST(again->code[41].map == RECORDING_NONE && again->code[1].address == 0x1004, "the order");
    }
    recording_free(again);
    recording_free(r);
}

static void equal_recordings_are_equal_files(void)
{
    struct recording_refusal no;
    struct recording *r = make();
    size_t one_size, two_size;
    uint8_t *one, *two;

    recording_write(r, path_of("one"), &no);
    recording_write(r, path_of("two"), &no);
    one = bytes_of(path_of("one"), &one_size);
    two = bytes_of(path_of("two"), &two_size);
    MUST(one_size > 500 && one_size == two_size && memcmp(one, two, one_size) == 0, "%zu and %zu bytes", one_size,
         two_size);
    free(one);
    free(two);
    recording_free(r);
}

/* Checks that @size bytes at @data are refused in one line with a place and a cure. */
static void must_refuse(const uint8_t *data, size_t size, const char *what)
{
    struct recording_refusal no = {""};
    struct recording *r = recording_parse(data, size, "x.data", &no);

    MUST(r == NULL, "%s: it was taken", what);
    MUST(strncmp(no.text, "x.data: ", 8) == 0 && strchr(no.text, '\n') == NULL && strpbrk(no.text, ";:") != NULL,
         "%s: '%.150s'", what, no.text);
    MUST(strstr(no.text, what) != NULL, "it lacks '%s': %.150s", what, no.text);
    recording_free(r);
}

static void a_cut_file_is_refused(void)
{
    size_t size;
    uint8_t *data = bytes_of(path_of("whole"), &size);

    MUST(size > 500, "%zu bytes", size);
    for (size_t cut = 1; cut < size; cut++) {
        must_refuse(data, cut, "the file was cut short: copy it again, or record again");
    }
    must_refuse(data, 0, "the file is empty");
    data[size] = 0;
    must_refuse(data, size + 1, "1 bytes follow the end");
    free(data);
}

static void each_changed_bit_is_refused(void)
{
    size_t size;
    uint8_t *data = bytes_of(path_of("whole"), &size);

    MUST(size > 500, "%zu bytes", size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        must_refuse(data, size, bit < 64 ? "no recording" : bit < 96 ? "is of version" : ";");
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    free(data);
}

static void other_files_are_refused(void)
{
    struct recording_refusal no;

    must_refuse((const uint8_t *)"PERFILE2hhhhhhhhhhhhh", 20, "perf report reads it");
    must_refuse((const uint8_t *)"\x7f" "ELF\2\1\1", 7, "it is a program");
    must_refuse((const uint8_t *)"\x1f\x8b\x08", 3, "decompress it");
    must_refuse((const uint8_t *)"hello world", 11, "byte 0: this is no recording; name a file");
    must_refuse((const uint8_t *)"\x89" "APMU\r\n\x1a\2\0\0\0", 12, "is of version 2, and this armpmu reads version 1; "
                "read it with a newer armpmu");
    MUST(recording_read(path_of("absent"), &no) == NULL && strstr(no.text, "No such file") != NULL, "%.200s", no.text);
    MUST(recording_read(folder, &no) == NULL && strstr(no.text, "Is a directory") != NULL, "%.200s", no.text);
}

/* Corrects the checksum of each chunk of @data. */
static void correct(uint8_t *data, size_t size)
{
    for (size_t at = 12; at + 16 <= size;) {
        size_t length = 0;

        for (size_t i = 8; i-- > 0;) {
            length = length << 8 | data[at + 4 + i];
        }
        if (length > size - at - 16) {
            return;
        }
        const uint32_t crc = (uint32_t)crc32_z(0, data + at, 12 + length);

        for (size_t i = 0; i < 4; i++) {
            data[at + 12 + length + i] = (uint8_t)(crc >> (8 * i));
        }
        at += 16 + length;
    }
}

static void a_skippable_chunk_is_skipped(void)
{
    static const uint8_t extra[20] = "xtra\4\0\0\0\0\0\0\0data";
    struct recording_refusal no;
    struct recording *r;
    size_t size;
    uint8_t *data = bytes_of(path_of("whole"), &size);

    memmove(data + 12 + sizeof extra, data + 12, size - 12);
    memcpy(data + 12, extra, sizeof extra);
    correct(data, size + sizeof extra);
    r = recording_parse(data, size + sizeof extra, "x.data", &no);
    MUST(r != NULL, "%.200s", no.text);
    recording_free(r);
    data[12] = 'X';
    correct(data, size + sizeof extra);
    must_refuse(data, size + sizeof extra, "another chunk is where HEAD should be");
    free(data);
}

/* Gives the test of unsound_rows_are_refused() for a change of a recording that make() made. */
static void refuse_to_write(struct recording *r, const char *what)
{
    struct recording_refusal no = {""};

    MUST(!recording_write(r, path_of("unsound"), &no), "%s: it was written", what);
    MUST(strstr(no.text, what) != NULL, "it lacks '%s': %.150s", what, no.text);
    MUST(access(path_of("unsound"), F_OK) != 0, "%s: there is a file", what);
    recording_free(r);
}

static void unsound_rows_are_refused(void)
{
    struct recording *r;

#define CHANGED(change, what) \
    do { /* CHANGED(r->maps[0].end = 0, "text") tests a recording with that change */ \
        r = make(); \
        change; \
        refuse_to_write(r, what); \
    } while (0)
    CHANGED(r->maps[0].end = r->maps[0].start, "map 0: it ends before it begins");
    CHANGED(r->maps[0].image = 2, "map 0: its image is 2, and there are 2");
    CHANGED(r->images[1].parent = 1, "image 1: its parent is 1, which does not come before it");
    CHANGED(r->nodes[0].parent = 1, "node 0: its parent is 1");
    CHANGED(r->nodes[1].thread = 1, "node 1: its parent 0 is of another thread");
    CHANGED(r->nodes[0].entry = 0, "node 0: the address 0x0 is outside of map 0");
    CHANGED(r->code[0].thread = RECORDING_NONE, "instruction 0: its thread is 4294967295");
    CHANGED(r->code[0].thread = 1, "instruction 0: map 0 is of another image than thread 1");
    CHANGED(r->code[0].address = 0x9000, "instruction 0: the address 0x9000 is outside");
    CHANGED(r->code[1].address = 0x1000 + 400, "instruction 2: it belongs before");
    CHANGED(r->code[0].length = 3, "instruction 0: its length is 3");
    CHANGED(r->samples[0].event = 2, "sample 0: its event is 2");
    CHANGED(r->code_counts[0] = r->code_counts[2] = UINT64_MAX, "event 0: the sum of its counts");
    CHANGED(r->nodes[0].calls = UINT64_MAX, "node 1: the sum of all calls");
    CHANGED(r->sampled = false; r->sample_count = 0, "event 0: the nodes have");
    CHANGED(r->sampled = false, "samples without sampling");
    CHANGED(r->call_graph = false, "nodes without a call graph");
#undef CHANGED
    refuse_to_write(recording_new(), "0 events");
}

static void a_file_keeps_its_name_and_place(void)
{
    struct recording_refusal no = {""};
    struct recording *r = make();
    struct stat there;
    char link_path[256];

    snprintf(link_path, sizeof link_path, "%s", path_of("link"));
    MUST(symlink("whole", link_path) == 0 && recording_write(r, link_path, &no), "%.200s", no.text);
    MUST(lstat(link_path, &there) == 0 && S_ISLNK(there.st_mode), "the link was replaced");
    MUST(!recording_write(r, "/dev/null", &no) && strstr(no.text, "regular file") != NULL, "%.200s", no.text);
    MUST(!recording_write(r, path_of("no/where"), &no) && strstr(no.text, "No such file") != NULL, "%.200s", no.text);
    recording_free(r);
}

static void texts_and_events_have_bounds(void)
{
    struct recording *r = make();

    MUST_EQ(recording_add_event(r, "LATE", "", 0), RECORDING_NONE, "an event after counts");
    recording_free(r);
    recording_free(NULL);
}

/* Removes what the tests made. */
static void nothing_else_is_left(void)
{
    static const char *const names[] = {"whole", "one", "two", "link"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(path_of(names[i]));
    }
    MUST(rmdir(folder) == 0, "%s has another file", folder);
}

int main(int argc, char **argv)
{
    if (argc > 1) { /* writes a recording, for the corpus of test/fuzz/recording.c */
        struct recording_refusal no = {""};
        struct recording *r = make();
        const bool done = recording_write(r, argv[1], &no);

        recording_free(r);
        return done ? 0 : 1;
    }
    if (mkdtemp(folder) == NULL) {
        return 2;
    }
    RUN(what_is_written_is_read);
    RUN(equal_recordings_are_equal_files);
    RUN(a_cut_file_is_refused);
    RUN(each_changed_bit_is_refused);
    RUN(other_files_are_refused);
    RUN(a_skippable_chunk_is_skipped);
    RUN(unsound_rows_are_refused);
    RUN(a_file_keeps_its_name_and_place);
    RUN(texts_and_events_have_bounds);
    RUN(nothing_else_is_left);
    return tap_status;
}
