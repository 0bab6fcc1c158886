/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * retrace FILE RECORDS [EVENT...]: replays a trace that the user emulator's plugin recorded (qemu/core/trace.h), all of
 * it on the row that it was recorded for and RECORDS records on each row of the table.  Each replay goes to lib/core,
 * with short cuts and without, and to the witness, and must leave the same count of each event on each core.  Prints
 * how much was compared, or the first difference, and "CORE EVENT COUNT" of each EVENT on the trace's row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../qemu/core/trace.h"
#include "../witness/witness.h"

enum { MOST_CORES = 64, UNLIMITED = -1 };

/* What is compared. */
struct retrace {
    struct apmu_core_row row;
    unsigned cores;
    struct apmu_chip *fast, *slow;
    struct witness *witness;
};

static void *must(void *memory, const char *what)
{
    if (memory == NULL) {
        fprintf(stderr, "retrace: no %s\n", what);
        exit(2);
    }
    return memory;
}

static struct apmu_chip *new_chip(const struct apmu_core_row *row, uint32_t parts, unsigned cores)
{
    const size_t size = apmu_chip_size(row, parts, cores);
    struct apmu_chip *chip = must(size != 0 ? malloc(size) : NULL, "chip");
    const char *why = apmu_chip_init(chip, size, row, parts, cores);

    if (why != NULL) {
        fprintf(stderr, "retrace: %s: %s\n", row->name, why);
        exit(2);
    }
    return chip;
}

/* Does what a record says.  Returns whether it was a branch that was mispredicted. */
static bool tell(struct apmu_chip *chip, const struct core_trace_record *r)
{
    struct apmu_core *core = apmu_chip_core(chip, r->core);

    switch (r->call) {
    case CORE_TRACE_LOAD:
        apmu_core_load(core, r->address, r->size);
        break;
    case CORE_TRACE_LOAD_AFTER:
        apmu_core_load_after(core, r->address, r->size);
        break;
    case CORE_TRACE_STORE:
        apmu_core_store(core, r->address, r->size);
        break;
    case CORE_TRACE_FETCH:
        apmu_core_fetch(core, r->address, r->size);
        break;
    case CORE_TRACE_INSTRUCTIONS:
        apmu_core_instructions(core, r->more);
        break;
    default:
        return apmu_core_branch(core, r->kind, r->address, r->more, r->size != 0);
    }
    return false;
}

static bool tell_witness(struct witness *w, const struct core_trace_record *r)
{
    switch (r->call) {
    case CORE_TRACE_LOAD:
    case CORE_TRACE_LOAD_AFTER:
        witness_load(w, r->core, r->address, r->size, r->call == CORE_TRACE_LOAD_AFTER);
        break;
    case CORE_TRACE_STORE:
        witness_store(w, r->core, r->address, r->size);
        break;
    case CORE_TRACE_FETCH:
        witness_fetch(w, r->core, r->address, r->size);
        break;
    case CORE_TRACE_INSTRUCTIONS:
        witness_instructions(w, r->core, r->more);
        break;
    default:
        return witness_branch(w, r->core, r->kind, r->address, r->more, r->size != 0);
    }
    return false;
}

/* Reads a record.  Returns false at the end of the trace. */
static bool read_record(FILE *file, struct core_trace_record *r)
{
    if (fread(r, sizeof *r, 1, file) != 1) {
        return false;
    }
    if (r->call == 0 || r->call >= CORE_TRACE_CALLS || r->core >= MOST_CORES) {
        fprintf(stderr, "retrace: a record has call %u of core %u\n", r->call, r->core);
        exit(2);
    }
    return true;
}

/* Compares all events.  Returns their number, 0 after a difference. */
static unsigned compare_events(const struct retrace *t)
{
    unsigned compared = 0;

    for (unsigned event = 0; event <= 0xFFFF; event++) {
        for (unsigned n = 0; n < t->cores && apmu_core_models(&t->row, (uint16_t)event); n++) {
            const uint64_t fast = apmu_core_read(apmu_chip_core(t->fast, n), (uint16_t)event);
            const uint64_t slow = apmu_core_read(apmu_chip_core(t->slow, n), (uint16_t)event);
            uint64_t count = 0;

            if (!witness_read(t->witness, n, (uint16_t)event, &count) || fast != count || slow != count) {
                printf("%s: event 0x%04x on core %u: %llu, unfiltered %llu, the witness %llu\n", t->row.name, event, n,
                       (unsigned long long)fast, (unsigned long long)slow, (unsigned long long)count);
                return 0;
            }
            compared++;
        }
    }
    return compared;
}

/* Replays @most records.  Returns the number of counts that were compared, 0 after a difference. */
static unsigned replay(struct retrace *t, FILE *file, long begin, long most, unsigned long *records)
{
    struct core_trace_record r;
    unsigned compared = 0;
    bool same = true;

    t->fast = new_chip(&t->row, APMU_CORE_ALL, t->cores);
    t->slow = new_chip(&t->row, APMU_CORE_ALL | APMU_CORE_UNFILTERED, t->cores);
    t->witness = witness_new(&t->row, t->cores);
    if (fseek(file, begin, SEEK_SET) != 0) {
        perror("retrace");
        exit(2);
    }
    for (*records = 0; same && (most < 0 || *records < (unsigned long)most) && read_record(file, &r); ++*records) {
        const bool wrong = tell(t->fast, &r);

        same = tell(t->slow, &r) == wrong && tell_witness(t->witness, &r) == wrong;
        if (!same) {
            printf("%s: record %lu: a branch at 0x%llx is predicted differently\n", t->row.name, *records,
                   (unsigned long long)r.address);
        }
    }
    compared = same ? compare_events(t) : 0;
    free(t->fast);
    free(t->slow);
    return compared;
}

/* Reads the head, and how many cores there are.  Returns where the records begin. */
static long read_head(FILE *file, struct retrace *t)
{
    const uint16_t time = APMU_EV_CPU_CYCLES;
    struct core_trace_head head;
    struct core_trace_record r;

    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, CORE_TRACE_MAGIC, sizeof head.magic) != 0 ||
        head.version != CORE_TRACE_VERSION || head.record_bytes != sizeof r || head.keys != APMU_CORE_KEY_COUNT ||
        fseek(file, (long)head.bytes, SEEK_SET) != 0) {
        fprintf(stderr, "retrace: this is no trace of this version\n");
        exit(2);
    }
    t->row.size = sizeof t->row;
    memcpy(t->row.name, head.name, sizeof t->row.name - 1);
    memcpy(t->row.value, head.value, sizeof head.value);
    if (head.parts != apmu_core_parts(&t->row, &time, 1)) {
        fprintf(stderr, "retrace: the trace is of parts 0x%x: count CPU_CYCLES, which needs all\n", head.parts);
        exit(2);
    }
    for (t->cores = 1; read_record(file, &r);) {
        t->cores = r.core >= t->cores ? r.core + 1u : t->cores;
    }
    return (long)head.bytes;
}

int main(int argc, char **argv)
{
    static struct retrace t;
    FILE *file = must(argc > 2 ? fopen(argv[1], "rb") : NULL, "trace");
    const long begin = read_head(file, &t), most = strtol(argv[2], NULL, 10);
    unsigned long records, total = 0;
    unsigned compared = replay(&t, file, begin, UNLIMITED, &records), rows = 0;
    const unsigned long all = records;

    for (int i = 3; compared != 0 && i < argc; i++) {
        for (unsigned n = 0; n < t.cores; n++) {
            uint64_t count = 0;

            witness_read(t.witness, n, (uint16_t)strtoul(argv[i], NULL, 0), &count);
            printf("%u %s %llu\n", n, argv[i], (unsigned long long)count);
        }
    }
    witness_free(t.witness);
    for (size_t i = 0; compared != 0 && apmu_core_row_at(i, &t.row); i++) {
        const unsigned more = replay(&t, file, begin, most, &records);

        compared = more != 0 ? compared + more : 0;
        total += records;
        rows++;
        witness_free(t.witness);
    }
    fclose(file);
    if (compared != 0) {
        printf("%u counts on %u cores are equal: %lu calls on the row of the trace, %lu on %u rows\n", compared,
               t.cores, all, total, rows);
    }
    return compared != 0 && all != 0 ? 0 : 1;
}
