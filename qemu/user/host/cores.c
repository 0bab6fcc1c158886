/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the modelled cores of each image.  The tool reads the head of each core, which has all that was counted, and
 * trusts nothing else in it: parameters and places follow from the row.
 */
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ACCESSING_PARTS (APMU_CORE_L1D | APMU_CORE_DTLB | APMU_CORE_L2 | APMU_CORE_LAST | APMU_CORE_TIMING)
#define FETCHING_PARTS (APMU_CORE_L1I | APMU_CORE_ITLB | APMU_CORE_TIMING)
#define BRANCHING_PARTS (APMU_CORE_BRANCH | APMU_CORE_TIMING)

/* Returns what a core with @parts has to be told, a set of enum apmu_tell.  Without parts it sums up all that. */
static uint32_t tells_for(uint32_t parts)
{
    if (parts == 0) {
        return APMU_TELL_BLOCKS | APMU_TELL_BRANCHES | APMU_TELL_ACCESSES;
    }
    return (parts & ACCESSING_PARTS ? (uint32_t)APMU_TELL_ACCESSES : 0) |
           (parts & (FETCHING_PARTS | BRANCHING_PARTS) ? (uint32_t)APMU_TELL_BLOCKS : 0) |
           (parts & BRANCHING_PARTS ? (uint32_t)APMU_TELL_BRANCHES : 0);
}

/* Plans to record the events by instruction.  Samples at a frequency need time, and an element of shapes for each. */
static bool plan_record(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    struct apmu_modelled *core = &run->core;
    const uint32_t most = opt->core_frequency != 0 ? APMU_CORE_RECORDED / 2 : APMU_CORE_RECORDED;

    if (opt->core_event_count > most) {
        return host_refuse(no, 2, "%zu events of the modelled core\nrecord %u or fewer of them", opt->core_event_count,
                           most);
    }
    core->tells |= APMU_TELL_BLOCKS; /* they say which instruction accesses memory */
    core->events = (uint32_t)opt->core_event_count;
    core->period = opt->core_period;
    core->frequency = opt->core_frequency;
    core->clock = opt->core_clock;
    core->cycles = opt->core_cycles;
    memcpy(core->event, opt->core_events, opt->core_event_count * sizeof opt->core_events[0]);
    if (core->frequency != 0) {
        const uint32_t parts = apmu_core_parts(opt->core, &core->cycles, 1);

        core->parts |= parts;
        core->tells |= tells_for(parts);
    }
    return true;
}

bool cores_plan(struct apmu_run *run, const struct apmu_run_options *opt, struct apmu_refusal *no)
{
    if (opt->core == NULL) {
        return true;
    }
    const char *wrong = apmu_core_row_check(opt->core);

    if (wrong != NULL || opt->core_event_count > APMU_RUN_CORE_EVENTS) {
        return host_refuse(no, 2, "the core that is to be modelled: %s\n", wrong != NULL ? wrong : "too many events");
    }
    run->core.row = *opt->core;
    if (opt->core_event_count == 0) {
        return true;
    }
    run->core.parts = apmu_core_parts(opt->core, opt->core_events, opt->core_event_count);
    run->core_event_count = opt->core_event_count;
    for (size_t i = 0; i < opt->core_event_count; i++) {
        run->core_events[i] = opt->core_events[i];
        run->core.tells |= tells_for(apmu_core_parts(opt->core, &opt->core_events[i], 1));
    }
    if (opt->record && !plan_record(run, opt, no)) {
        return false;
    }
    if (opt->core_parts != 0) {
        run->core.parts = opt->core_parts;
        run->core.tells = tells_for(opt->core_parts);
    }
    return true;
}

static void name_file(const struct apmu_image_head *head, char name[64])
{
    snprintf(name, 64, APMU_CHIP_PREFIX "%d.%u", (int)head->pid, (unsigned)head->chip - 1);
}

/* Adds what @core counted, of which the members that it counts in are known to be read. */
static void add_core(const struct apmu_run *run, struct apmu_core *core, uint64_t *counts)
{
    core->row = run->core.row;
    core->parts = run->core.parts;
    for (size_t i = 0; i < run->core_event_count; i++) {
        counts[i] += apmu_core_read(core, run->core_events[i]);
    }
}

void cores_add(struct apmu_run *run, const struct apmu_image_head *head, uint64_t *counts)
{
    const size_t one = apmu_chip_size(&run->core.row, run->core.parts, 1);
    const size_t stride = apmu_chip_size(&run->core.row, run->core.parts, 2) - one;
    struct apmu_core core;
    char name[64];

    if (run->core.tells == 0 || head->chip == 0 || head->cores == 0) {
        return;
    }
    name_file(head, name);
    const int fd = openat(run->dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0) {
        shared_lose(run, name, errno == ENOENT ? "was removed" : "could not be read");
        return;
    }
    for (uint32_t n = 0; n < apmu_at_most(head->cores, APMU_CHIP_THREADS); n++) {
        if (pread(fd, &core, sizeof core, (off_t)(one - stride + n * stride)) != (ssize_t)sizeof core) {
            shared_lose(run, name, "was truncated");
            break;
        }
        add_core(run, &core, counts);
    }
    close(fd);
}

void cores_remove(struct apmu_run *run, const struct apmu_image_head *head)
{
    char name[64];

    if (head->chip != 0) {
        name_file(head, name);
        unlinkat(run->dirfd, name, 0);
    }
}
