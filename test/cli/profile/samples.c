/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of perf_event make the right tables: over the end of a ring, out of order, with programs that fork, execute
 * others and map other files, with call chains, and with records that were lost.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "../../../cli/profile/recording_table.h"
#include "../../../cli/profile/sample_tables.h"
#include "../../lib/tap.h"

enum { ID = 77, OTHER_ID = 78, RING = 4096 };

/* A record under construction. */
struct record_bytes {
    uint8_t data[512];
    size_t size;
};

static void add(struct record_bytes *b, uint64_t value, size_t size)
{
    const uint32_t half = (uint32_t)value;

    memcpy(b->data + b->size, size == 4 ? (const void *)&half : (const void *)&value, size);
    b->size += size;
}

static void add_text(struct record_bytes *b, const char *text)
{
    const size_t padded = (strlen(text) + 8) & ~(size_t)7;

    memset(b->data + b->size, 0, padded);
    memcpy(b->data + b->size, text, strlen(text));
    b->size += padded;
}

static struct record_bytes begin(void)
{
    return (struct record_bytes){.size = sizeof(struct perf_event_header)};
}

/* Writes the header, and the trailer of a record that is no sample. */
static void finish(struct record_bytes *b, uint32_t type, uint16_t misc, uint64_t time)
{
    if (type != PERF_RECORD_SAMPLE) {
        add(b, 0, 8);
        add(b, time, 8);
        add(b, 0, 8);
        add(b, ID, 8);
    }
    const struct perf_event_header header = {.type = type, .misc = misc, .size = (uint16_t)b->size};

    memcpy(b->data, &header, sizeof header);
}

static struct record_bytes sample(uint64_t time, int pid, int tid, uint64_t address, uint64_t period,
                                  const uint64_t *chain)
{
    struct record_bytes b = begin();

    add(&b, ID, 8);
    add(&b, address, 8);
    add(&b, (uint32_t)pid, 4);
    add(&b, (uint32_t)tid, 4);
    add(&b, time, 8);
    add(&b, 3, 8);
    add(&b, period, 8);
    for (size_t i = 0; chain != NULL && i <= chain[0]; i++) {
        add(&b, chain[i], 8);
    }
    finish(&b, PERF_RECORD_SAMPLE, address >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, 0);
    return b;
}

static struct record_bytes map(uint64_t time, int pid, uint64_t start, uint64_t size, uint64_t offset, const char *path)
{
    struct record_bytes b = begin();

    add(&b, (uint32_t)pid, 4);
    add(&b, (uint32_t)pid, 4);
    add(&b, start, 8);
    add(&b, size, 8);
    add(&b, offset, 8);
    for (int i = 0; i < 4; i++) {
        add(&b, 0, 8);
    }
    add_text(&b, path);
    finish(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, time);
    return b;
}

static struct record_bytes name(uint64_t time, int pid, int tid, const char *text, bool executes)
{
    struct record_bytes b = begin();

    add(&b, (uint32_t)pid, 4);
    add(&b, (uint32_t)tid, 4);
    add_text(&b, text);
    finish(&b, PERF_RECORD_COMM, executes ? PERF_RECORD_MISC_COMM_EXEC : 0, time);
    return b;
}

static struct record_bytes fork_of(uint64_t time, int parent, int parent_tid, int pid, int tid)
{
    struct record_bytes b = begin();

    add(&b, (uint32_t)pid, 4);
    add(&b, (uint32_t)parent, 4);
    add(&b, (uint32_t)tid, 4);
    add(&b, (uint32_t)parent_tid, 4);
    add(&b, time, 8);
    finish(&b, PERF_RECORD_FORK, 0, time);
    return b;
}

static struct record_bytes numbers(uint32_t type, uint64_t first, uint64_t second)
{
    struct record_bytes b = begin();

    add(&b, first, 8);
    add(&b, second, 8);
    add(&b, 0, 8);
    finish(&b, type, 0, 5);
    return b;
}

static void put(struct sample_tables *t, struct record_bytes b)
{
    sample_tables_put(t, b.data, b.size);
}

static struct sample_tables *tables(bool call_graph)
{
    const struct sample_options options = {.start_ns = 1000, .event_count = 1, .call_graph = call_graph};
    struct sample_tables *t = sample_tables_new(&options);

    sample_tables_event(t, ID, 0);
    return t;
}

/* Returns the recording of @t, which it frees.  It is sound. */
static struct recording *recording_of(struct sample_tables *t)
{
    struct recording *r = recording_new();
    char why[256] = "";

    recording_add_event(r, "INST_RETIRED", "", 10);
    MUST(sample_tables_recording(t, r), "there is no memory");
    MUST(recording_check(r, why, sizeof why), "it is not sound: %.200s", why);
    sample_tables_free(t);
    return r;
}

/* Returns the path of the file that row @i of code is in, "" if in none. */
static const char *path_of(const struct recording *r, size_t i)
{
    return r->code[i].map == RECORDING_NONE ? "" : r->files[r->maps[r->code[i].map].file].path;
}

static void records_are_taken_in_the_order_of_time(void)
{
    struct sample_tables *t = tables(false);

    put(t, sample(1300, 5, 5, 0x1010, 10, NULL)); /* another CPU's ring was read first */
    put(t, sample(1100, 5, 5, 0x1010, 10, NULL));
    put(t, name(1010, 5, 5, "prog", true));
    put(t, map(1020, 5, 0x1000, 0x1000, 0, "/bin/prog"));
    put(t, map(1200, 5, 0x1000, 0x1000, 0, "/lib/other.so"));
    sample_tables_settle(t, 1250);
    MUST_EQ(sample_tables_count(t), 1u, "only what cannot be preceded any more is taken");
    put(t, sample(1240, 5, 5, 0x1014, 10, NULL)); /* which comes too late to be in order, and is taken */
    sample_tables_settle(t, UINT64_MAX);

    struct recording *r = recording_of(t);

    MUST_EQ(r->code_count, 3u, "rows of code");
    MUST(strcmp(path_of(r, 0), "/bin/prog") == 0, "%s", path_of(r, 0));
    MUST(strcmp(path_of(r, 1), "/lib/other.so") == 0, "%s", path_of(r, 1));
    MUST(strcmp(r->images[0].name, "prog") == 0, "%s", r->images[0].name);
    MUST_EQ(r->samples[0].time_ns, 100u, "times are since the start");
    recording_free(r);
}

static void programs_and_threads_are_told_apart(void)
{
    struct sample_tables *t = tables(false);

    sample_tables_process(t, 5, "old", "old -x");
    sample_tables_map(t, 5, 0x1000, 0x2000, 0, "/bin/old");
    put(t, sample(1010, 5, 5, 0x1010, 10, NULL));
    put(t, fork_of(1020, 5, 5, 5, 6));
    put(t, name(1030, 5, 6, "worker", false));
    put(t, sample(1040, 5, 6, 0x1010, 10, NULL));
    put(t, fork_of(1050, 5, 6, 7, 7));
    put(t, sample(1060, 7, 7, 0x1010, 10, NULL)); /* the child has the maps of its parent */
    put(t, name(1070, 7, 7, "new", true));
    put(t, sample(1080, 7, 7, 0x1010, 10, NULL)); /* and none after exec */
    put(t, sample(1090, 9, 9, 0x1010, 10, NULL)); /* nothing is known of this one */
    sample_tables_settle(t, UINT64_MAX);

    struct recording *r = recording_of(t);

    MUST_EQ(r->image_count, 4u, "images");
    MUST_EQ(r->thread_count, 5u, "threads");
    MUST(!r->images[0].forked && r->images[1].forked && r->images[1].parent == 0, "the child of fork");
    MUST(!r->images[2].forked && r->images[2].parent == 1 && strcmp(r->images[2].name, "new") == 0, "exec");
    MUST(r->images[3].parent == RECORDING_NONE && strcmp(r->images[3].name, "[unknown]") == 0, "an unknown process");
    MUST(strcmp(r->images[1].command, "old -x") == 0, "%s", r->images[1].command);
    MUST(r->threads[1].tid == 6 && strcmp(r->threads[1].name, "worker") == 0, "%s", r->threads[1].name);
    MUST(strcmp(r->threads[0].name, "") == 0, "%s", r->threads[0].name);
    MUST_EQ(r->map_count, 2u, "maps: the parent's and the child's");
    recording_free(r);
}

static void maps_cut_each_other(void)
{
    struct sample_tables *t = tables(false);

    sample_tables_process(t, 5, "prog", NULL);
    sample_tables_map(t, 5, 0x1000, 0x5000, 0x100, "/bin/prog");
    sample_tables_map(t, 5, 0x2000, 0x3000, 0, "//anon");
    sample_tables_map(t, 5, 0x4800, 0x6000, 0, "[vdso]");
    sample_tables_map(t, 5, 0x9000, 0x8000, 0, "/bin/inverted");
    for (uint64_t address = 0x0800; address < 0x6800; address += 0x400) {
        put(t, sample(1100, 5, 5, address, 10, NULL));
    }
    put(t, sample(1200, 5, 5, UINT64_C(0xffff800000001000), 10, NULL));
    sample_tables_settle(t, UINT64_MAX);

    struct recording *r = recording_of(t);

    for (size_t i = 0; i < r->code_count; i++) {
        const uint64_t a = r->code[i].address;
        const char *want = a >> 63 ? "[kernel]" : a < 0x1000 || a >= 0x6000 ? "" : a >= 0x4800 ? "[vdso]"
                           : a >= 0x2000 && a < 0x3000 ? "[generated code]" : "/bin/prog";

        MUST(strcmp(path_of(r, i), want) == 0, "0x%llx is in %s, not %s", (unsigned long long)a, path_of(r, i), want);
        if (strcmp(want, "/bin/prog") == 0) {
            const struct recording_map *m = &r->maps[r->code[i].map];

            MUST_EQ(a - m->start + m->offset, a - 0x1000 + 0x100, "the offset in the file");
        }
    }
    MUST_EQ(r->code_count, 25u, "rows of code");
    recording_free(r);
}

static void call_chains_make_a_tree(void)
{
    const uint64_t kernel = UINT64_C(0xffff800000001000);
    /* The length, then marks and addresses, the innermost first. */
    const uint64_t first[] = {4, PERF_CONTEXT_USER, 0x1010, 0x1104, 0x1204};
    const uint64_t second[] = {4, PERF_CONTEXT_USER, 0x1020, 0x1104, 0x1204};
    const uint64_t third[] = {6, PERF_CONTEXT_KERNEL, kernel, kernel + 0x104, PERF_CONTEXT_USER, 0x1100, 0x1204};
    struct sample_tables *t = tables(true);

    sample_tables_process(t, 5, "prog", NULL);
    sample_tables_map(t, 5, 0x1000, 0x2000, 0, "/bin/prog");
    put(t, sample(1100, 5, 5, 0x1010, 10, first));
    put(t, sample(1110, 5, 5, 0x1020, 20, second));
    put(t, sample(1120, 5, 5, kernel, 40, third));
    sample_tables_settle(t, UINT64_MAX);

    struct recording *r = recording_of(t);
    uint64_t sum = 0;

    MUST_EQ(r->node_count, 6u, "nodes: 0x1200, 0x1100, two leaves, two of the kernel");
    MUST(r->nodes[0].parent == RECORDING_NONE && r->nodes[0].entry == 0x1200 &&
         r->nodes[0].kind == RECORDING_CALL_ROOT, "the root");
    MUST(r->nodes[1].parent == 0 && r->nodes[1].entry == 0x1100 && r->nodes[1].site == 0x1200, "its callee");
    for (size_t i = 0; i < r->node_count; i++) {
        sum += r->node_counts[i];
    }
    MUST_EQ(sum, 70u, "the sum over the nodes");
    MUST_EQ(r->node_counts[r->samples[0].node], 10u, "a leaf's own cost");
    MUST(r->nodes[r->samples[2].node].entry == kernel, "the kernel's leaf");
    recording_free(r);
}

static void what_is_lost_is_counted(void)
{
    struct sample_tables *t = tables(false);
    struct record_bytes b = sample(1100, 5, 5, 0x1010, 10, NULL);

    put(t, numbers(PERF_RECORD_LOST, ID, 12));
    put(t, numbers(PERF_RECORD_LOST, ID, 30));
    put(t, numbers(PERF_RECORD_THROTTLE, 0, ID));
    b.data[sizeof(struct perf_event_header)] = OTHER_ID; /* of no event */
    put(t, b);
    sample_tables_put(t, b.data, 20);
    put(t, sample(1100, 5, 5, 0x1010, UINT64_MAX, NULL));
    put(t, sample(1100, 5, 5, 0x1010, 1, NULL)); /* the sum has no 64 bits */
    sample_tables_settle(t, UINT64_MAX);
    MUST_EQ(sample_tables_losses(t)->lost, 42u, "lost records");
    MUST_EQ(sample_tables_losses(t)->throttled, 1u, "moments without samples");
    MUST_EQ(sample_tables_losses(t)->broken, 3u, "records without sense");
    MUST_EQ(sample_tables_count(t), 1u, "samples");
    recording_free(recording_of(t));
}

static void rings_are_read_over_their_end(void)
{
    uint8_t data[RING], scratch[SAMPLE_RECORD_MOST];
    uint64_t written = 7 * RING - 100, read = written;
    uint64_t broken = 0;

    for (uint64_t i = 0; i < 300; i++) {
        const struct record_bytes b = sample(1000 + i, 5, 5, i, 10, NULL);
        struct sample_record s;
        size_t size = 0;

        for (size_t k = 0; k < b.size; k++) {
            data[(written + k) % RING] = b.data[k];
        }
        written += b.size;
        struct sample_ring ring = {.data = data, .size = RING, .head = written, .tail = read};
        const uint8_t *bytes = sample_ring_next(&ring, scratch, &size, &broken);

        MUST(bytes != NULL && size == b.size && broken == 0, "record %llu", (unsigned long long)i);
        MUST(bytes != NULL && sample_record_parse(bytes, size, false, &s) && s.address == i && s.cpu == 3,
             "what it says");
        read = ring.tail;
        MUST(sample_ring_next(&ring, scratch, &size, &broken) == NULL && broken == 0, "there is no other one");
    }
    memset(data, 0, sizeof data); /* records of no length */
    struct sample_ring ring = {.data = data, .size = RING, .head = 64, .tail = 0};
    size_t size;

    MUST(sample_ring_next(&ring, scratch, &size, &broken) == NULL && broken == 1 && ring.tail == 64, "a broken ring");
}

int main(void)
{
    tap_run("records are taken in the order of time", records_are_taken_in_the_order_of_time);
    tap_run("programs and threads are told apart", programs_and_threads_are_told_apart);
    tap_run("maps cut each other", maps_cut_each_other);
    tap_run("call chains make a tree", call_chains_make_a_tree);
    tap_run("what is lost is counted", what_is_lost_is_counted);
    tap_run("rings are read over their end", rings_are_read_over_their_end);
    return tap_status;
}
