/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes what reads the rings of perf_event.  The first byte says whether there are call chains, and where in the ring
 * the records begin.  Whatever the ring has, the tables that are made of it are a sound recording.
 */
#include <string.h>

#include "../../cli/profile/recording_table.h"
#include "../../cli/profile/sample_tables.h"
#include "fuzz.h"

/* Reads the ring of @size bytes at @data, from @tail on.  Returns the number of records. */
static size_t read_ring(struct sample_tables *t, const uint8_t *data, size_t size, size_t tail)
{
    static uint8_t scratch[SAMPLE_RECORD_MOST];
    struct sample_ring ring = {.data = data, .size = size, .head = tail + size, .tail = tail};
    const uint8_t *bytes;
    uint64_t broken = 0;
    size_t length, count = 0;

    while ((bytes = sample_ring_next(&ring, scratch, &length, &broken)) != NULL) {
        sample_tables_put(t, bytes, length);
        if (++count % 4 == 0) {
            sample_tables_settle(t, sample_tables_latest(t));
        }
    }
    if (ring.tail != ring.head) {
        abort();
    }
    sample_tables_settle(t, UINT64_MAX);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sample_options options = {.start_ns = 1000, .event_count = 2};
    size_t length = 8;
    char why[256];

    if (size < 1 + length) {
        return 0;
    }
    while (length * 2 <= size - 1) {
        length *= 2;
    }
    options.call_graph = (data[0] & 1) != 0;
    struct sample_tables *t = sample_tables_new(&options);
    struct recording *r = recording_new();
    uint8_t *ring = malloc(length); /* a sanitizer sees what is read beyond it */

    if (r == NULL || ring == NULL) {
        abort();
    }
    memcpy(ring, data + 1, length);
    sample_tables_event(t, 77, 0);
    sample_tables_event(t, 78, 1);
    read_ring(t, ring, length, (size_t)(data[0] >> 1) * 8);
    recording_add_event(r, "CPU_CYCLES", "", 1);
    recording_add_event(r, "INST_RETIRED", "", 1);
    r->events[1].frequency = 1000;
    if (!sample_tables_recording(t, r) || !recording_check(r, why, sizeof why)) {
        abort();
    }
    recording_free(r);
    sample_tables_free(t);
    free(ring);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/samples")
