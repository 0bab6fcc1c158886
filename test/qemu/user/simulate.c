/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * simulate CORE EVENT,... [PERIOD]: tells the plain core model (test/core/) what a trace of trace_plugin.c on stdin
 * says, an instruction after the other, and prints what each instruction counted of each event:
 *
 *   ADDRESS COUNT...
 *
 * With PERIOD these are samples: counters overflow after so many, and the instruction behind has the whole period.
 * It knows the few instructions that the programs of test_record_core.sh have.  The rules are those of
 * qemu/core/stream.h and depend.c, in other words.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/events.h>

#include "../../core/plain.h"

enum { MOST_EVENTS = 32, MOST_ROWS = 65536 };

/* What an instruction counted. */
struct insn_row {
    uint64_t pc, counts[MOST_EVENTS];
};

static struct {
    struct plain *plain;
    uint32_t line;       /* bytes of a line of L1I */
    uint64_t fetched;    /* the line fetched last */
    unsigned depth[32];  /* of registers, as depend.c explains */
    uint16_t events[MOST_EVENTS];
    size_t event_count;
    uint64_t last[MOST_EVENTS];
    uint64_t period, over[MOST_EVENTS]; /* 0: there are no samples */
    struct insn_row rows[MOST_ROWS];
    size_t row_count;
} sim;

/* An instruction of the trace, with its accesses. */
struct traced {
    uint64_t pc, address;
    uint32_t word, size;
    char access; /* 'l', 's' or 0 */
};

/* A plain_watcher, whose tickets are rows. */
static void watch(void *context, unsigned n, uint64_t ticket)
{
    (void)context;
    for (size_t e = 0; e < sim.event_count; e++) {
        const uint64_t now = plain_read(sim.plain, n, sim.events[e]);

        if (sim.period == 0) {
            sim.rows[ticket].counts[e] += now - sim.last[e];
        }
        sim.over[e] += now - sim.last[e];
        sim.last[e] = now;
    }
}

/* Takes the samples that are due before the instruction of @row. */
static void take_samples(size_t row)
{
    for (size_t e = 0; sim.period != 0 && e < sim.event_count; e++) {
        sim.rows[row].counts[e] += sim.over[e] / sim.period * sim.period;
        sim.over[e] %= sim.period;
    }
}

static size_t row_of(uint64_t pc)
{
    for (size_t i = 0; i < sim.row_count; i++) {
        if (sim.rows[i].pc == pc) {
            return i;
        }
    }
    if (sim.row_count == MOST_ROWS) {
        fprintf(stderr, "simulate: too many instructions\n");
        exit(2);
    }
    sim.rows[sim.row_count].pc = pc;
    return sim.row_count++;
}

/* Returns whether the word of @t is @value where @mask has ones. */
static bool is(const struct traced *t, uint32_t mask, uint32_t value)
{
    return (t->word & mask) == value;
}

/* Returns the kind of branch of @t, or -1.  *@target becomes where a direct one leads. */
static int branch_kind(const struct traced *t, uint64_t *target)
{
    const int64_t near = (int64_t)((uint64_t)t->word << 40) >> 45, far = (int64_t)((uint64_t)t->word << 38) >> 38;
    const int64_t test = (int64_t)((uint64_t)t->word << 45) >> 50;

    const int64_t words = is(t, 0x7c000000, 0x14000000) ? far : is(t, 0x7e000000, 0x36000000) ? test : near;

    *target = t->pc + (uint64_t)(words * 4);
    if (is(t, 0x7c000000, 0x14000000)) {
        return is(t, 0x80000000, 0) ? APMU_CORE_JUMP : APMU_CORE_CALL;
    }
    if (is(t, 0xff000010, 0x54000000) || is(t, 0x7c000000, 0x34000000)) {
        return APMU_CORE_JUMP | APMU_CORE_CONDITIONAL;
    }
    *target = 0;
    if (!is(t, 0xfe000000, 0xd6000000)) {
        return -1;
    }
    return is(t, 0x00600000, 0x00400000)   ? APMU_CORE_RETURN
           : is(t, 0x00600000, 0x00200000) ? APMU_CORE_INDIRECT_CALL
                                           : APMU_CORE_INDIRECT;
}

/* Notes in the depths of registers what @t, which is no load, writes. */
static void write_register(const struct traced *t)
{
    const unsigned to = t->word & 31, from = t->word >> 5 & 31;
    const bool immediate = is(t, 0x1c000000, 0x10000000), by_register = is(t, 0x0e000000, 0x0a000000);
    const bool adds = is(t, 0x1f000000, 0x11000000) || is(t, 0x1f000000, 0x0b000000);
    const bool keeps = adds || is(t, 0x1f800000, 0x12000000) || is(t, 0x1f800000, 0x13000000) ||
                       is(t, 0x1fe00000, 0x1a800000);

    if ((immediate || by_register) && to != 31) {
        sim.depth[to] = is(t, 0x7f2003e0, 0x2a0003e0) ? sim.depth[t->word >> 16 & 31] : keeps ? sim.depth[from] : 0;
    }
    sim.depth[31] = 0;
}

/* Tells the access of @t. */
static void access_memory(const struct traced *t)
{
    if (t->access == 's') {
        plain_store(sim.plain, 0, t->address, t->size);
        return;
    }
    const unsigned base = t->word >> 5 & 31, index = is(t, 0x3b200c00, 0x38200800) ? t->word >> 16 & 31 : 31;
    const unsigned deeper = sim.depth[base] > sim.depth[index] ? sim.depth[base] : sim.depth[index];

    plain_load(sim.plain, 0, t->address, t->size, deeper >= 3);
    if (is(t, 0x04000000, 0)) {
        sim.depth[t->word & 31] = deeper < 3 ? deeper + 1 : 3;
        sim.depth[31] = 0;
    }
}

/* Tells @t, behind which the instruction at @next is executed; 0: none. */
static void tell(const struct traced *t, uint64_t next)
{
    const size_t row = row_of(t->pc);
    uint64_t target;
    const int kind = branch_kind(t, &target);

    plain_give_ticket(sim.plain, 0, row);
    if (t->pc / sim.line != sim.fetched) {
        plain_fetch(sim.plain, 0, t->pc, 4);
        sim.fetched = t->pc / sim.line;
    }
    watch(NULL, 0, row);
    take_samples(row);
    plain_instructions(sim.plain, 0, 1);
    if (t->access != 0) {
        access_memory(t);
    } else if (kind < 0) {
        write_register(t);
    }
    if (kind >= 0 && next != 0) {
        const bool skipped = (kind & APMU_CORE_CONDITIONAL) != 0 && next == t->pc + 4 && target != next;

        plain_branch(sim.plain, 0, (unsigned)kind, t->pc, target != 0 ? target : next, !skipped);
        sim.fetched = skipped ? sim.fetched : UINT64_MAX;
        if (is(t, 0xfc000000, 0x94000000) || is(t, 0xfe600000, 0xd6200000)) {
            sim.depth[30] = 0;
        }
    }
    watch(NULL, 0, row);
}

/* Reads the events of @list. */
static void find_events(char *list)
{
    for (char *name = strtok(list, ","); name != NULL && sim.event_count < MOST_EVENTS; name = strtok(NULL, ",")) {
        sim.events[sim.event_count++] = (uint16_t)apmu_event_parse(name);
    }
}

/* Reads the trace, and tells each instruction when the next one is known. */
static void run(void)
{
    struct traced now = {.pc = 0};
    uint64_t number;
    char line[128], what;

    while (fgets(line, sizeof line, stdin) != NULL) {
        uint32_t more = 0;

        if (sscanf(line, "%c %" SCNx64 " %" SCNx32, &what, &number, &more) != 3) {
            continue;
        }
        if (what == 'i') {
            if (now.pc != 0) {
                tell(&now, number);
            }
            now = (struct traced){.pc = number, .word = more};
        } else {
            sscanf(line, "%*c %*x %" SCNu32, &more);
            now.access = what;
            now.address = now.size == 0 ? number : now.address; /* the emulator may split an access */
            now.size += more;
        }
    }
    if (now.pc != 0) {
        tell(&now, 0);
    }
}

int main(int argc, char **argv)
{
    struct apmu_core_row row;

    if (argc < 3 || argc > 4 || !apmu_core_row_by_name(argv[1], &row)) {
        fprintf(stderr, "usage: simulate CORE EVENT,... [PERIOD]\n");
        return 2;
    }
    find_events(argv[2]);
    sim.period = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    sim.line = row.value[APMU_CORE_KEY_L1I_LINE];
    sim.fetched = UINT64_MAX;
    sim.plain = plain_new(&row, 1);
    plain_watch(sim.plain, watch, NULL);
    run();
    for (size_t i = 0; i < sim.row_count; i++) {
        printf("%" PRIx64, sim.rows[i].pc);
        for (size_t e = 0; e < sim.event_count; e++) {
            printf(" %" PRIu64, sim.rows[i].counts[e]);
        }
        putchar('\n');
    }
    plain_free(sim.plain);
    return 0;
}
