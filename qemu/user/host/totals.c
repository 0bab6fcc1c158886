/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the images of processes to totals, and makes remarks on what the totals do not cover. */
#define _GNU_SOURCE
#include "../../classify/feed.h"
#include "internal.h"

#include <armpmu/regs.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reads @size bytes; those beyond the end of the file are 0.  A mapping would give memory to the file's holes. */
static void read_part(int fd, void *buf, size_t size, size_t offset)
{
    ssize_t n = pread(fd, buf, size, (off_t)offset);
    size_t got = n < 0 ? 0 : (size_t)n;
    memset((char *)buf + got, 0, size - got);
}

/* Returns what one count of the counter @number stands for, or NULL if that is not known yet. */
static const uint16_t *vector_of(const struct apmu_shapes *shapes, uint32_t number)
{
    uint64_t shape = number < APMU_SHAPES ? number : shapes->block[number - APMU_SHAPES].shape - 1;
    return shape < APMU_SHAPES ? shapes->vector[shape] : NULL;
}

/*
 * Adds the counters @first to @first + @count - 1 of @row in the image @fd, and notes them in @record, which may be
 * NULL.
 */
static void add_part(struct apmu_run *run, int fd, uint32_t row, uint32_t first, uint32_t count,
                     struct image_totals *totals, struct record_image *record)
{
    uint64_t part[APMU_TILE];
    for (uint32_t done = 0; done < count;) {
        uint32_t n = apmu_at_most(count - done, APMU_TILE - (first + done) % APMU_TILE);
        read_part(fd, part, n * sizeof part[0], apmu_counter(row, first + done));
        for (uint32_t i = 0; i < n; i++) {
            const uint16_t *vector = part[i] != 0 ? vector_of(run->shapes, first + done + i) : NULL;
            for (int s = 0; vector != NULL && s < (int)APMU_SOURCE_COUNT; s++) {
                totals->counts[s] += part[i] * vector[s];
            }
            if (vector != NULL && record != NULL) {
                record_count(run, record, row, first + done + i, part[i]);
            }
        }
        done += n;
    }
}

/* Adds the image @fd, whose head is @head.  If @ended is set, its process is gone. */
static void add_image(struct apmu_run *run, int fd, const struct apmu_image_head *head, bool ended,
                      struct image_totals *totals)
{
    uint32_t blocks = apmu_at_most(__atomic_load_n(&run->shapes->head.blocks, __ATOMIC_ACQUIRE), APMU_BLOCK_SHAPES);
    uint32_t insns =
        apmu_at_most(__atomic_load_n(&run->shapes->head.insns, __ATOMIC_ACQUIRE), APMU_SHAPES - APMU_BLOCK_SHAPES);
    uint32_t counters = apmu_at_most(__atomic_load_n(&run->shapes->head.counters, __ATOMIC_ACQUIRE), APMU_BLOCKS);
    struct record_image *record = record_wants(run, ended) ? record_image(run, head, ended) : NULL;
    for (uint32_t row = 0; row < apmu_at_most(head->rows, APMU_ROWS); row++) {
        add_part(run, fd, row, 0, blocks, totals, record);
        add_part(run, fd, row, APMU_BLOCK_SHAPES, insns, totals, record);
        add_part(run, fd, row, APMU_SHAPES, counters, totals, record);
    }
    if (record != NULL) {
        record_threads(run, record, ended);
    }
    totals->processes += head->origin != APMU_ORIGIN_EXEC;
    totals->execs += head->origin == APMU_ORIGIN_EXEC;
    totals->threads += head->threads;
    if (head->origin == APMU_ORIGIN_EXEC && head->threads > 0) {
        totals->threads--; /* the thread that called exec goes on, and was counted before */
    }
    totals->notes |= head->notes;
    totals->interface = head->interface;
    if (head->not_counted > 0) {
        totals->not_counted += head->not_counted;
        snprintf(totals->not_counted_path, sizeof totals->not_counted_path, "%.255s", head->not_counted_path);
        snprintf(totals->not_counted_why, sizeof totals->not_counted_why, "%.63s", head->not_counted_why);
    }
    if ((head->notes & APMU_NOTE_FAULT) && totals->longest_faulted < head->longest_block) {
        totals->longest_faulted = head->longest_block;
    }
    if (!ended || head->state != APMU_IMAGE_RUNS) {
        return;
    }
    totals->killed++;
    if (!head->precise && head->trapped == 0 && totals->longest_block < head->longest_block) {
        totals->longest_block = head->longest_block;
    }
    if (head->trapped > 0) {
        totals->trapped = true;
        totals->trap_refused = head->trap_refused > 0;
        totals->trap_word = head->trap_word;
        totals->trap_a32 = head->trap_a32 != 0;
        totals->trap_pc = head->trap_pc;
        snprintf(totals->trap_control, sizeof totals->trap_control, "%.47s", head->trap_control);
    }
}

/* Adds the modelled cores of the image with @head likewise. */
static void add_cores(struct apmu_run *run, const struct apmu_image_head *head, bool ended, struct image_totals *totals)
{
    cores_add(run, head, totals->core);
    if (ended) {
        cores_remove(run, head);
    }
}

/* Adds @from to @to.  Of members that cannot be added, @to keeps the greatest or the last. */
static void add_totals(struct image_totals *to, const struct image_totals *from)
{
    for (int s = 0; s < (int)APMU_SOURCE_COUNT; s++) {
        to->counts[s] += from->counts[s];
    }
    for (size_t i = 0; i < APMU_RUN_CORE_EVENTS; i++) {
        to->core[i] += from->core[i];
    }
    to->processes += from->processes;
    to->threads += from->threads;
    to->execs += from->execs;
    to->killed += from->killed;
    to->notes |= from->notes;
    to->interface = from->interface != 0 ? from->interface : to->interface;
    to->not_counted += from->not_counted;
    if (from->not_counted > 0) {
        memcpy(to->not_counted_path, from->not_counted_path, sizeof to->not_counted_path);
        memcpy(to->not_counted_why, from->not_counted_why, sizeof to->not_counted_why);
    }
    if (to->longest_block < from->longest_block) {
        to->longest_block = from->longest_block;
    }
    if (to->longest_faulted < from->longest_faulted) {
        to->longest_faulted = from->longest_faulted;
    }
    if (from->trapped) {
        to->trapped = true;
        to->trap_refused = from->trap_refused;
        to->trap_word = from->trap_word;
        to->trap_a32 = from->trap_a32;
        to->trap_pc = from->trap_pc;
        memcpy(to->trap_control, from->trap_control, sizeof to->trap_control);
    }
}

/*
 * Adds the image @name, open as @fd: to run->finished if it ended, or else to @live.  Returns true if it is an image
 * that stays, and false if it is not published yet or was moved to run->finished.
 */
static bool collect_image(struct apmu_run *run, int fd, const char *name, bool end, struct image_totals *live)
{
    struct apmu_image_head head;
    read_part(fd, &head, sizeof head, 0);
    if (head.magic != APMU_PROTOCOL_MAGIC || head.version != APMU_PROTOCOL_VERSION) {
        return false;
    }
    bool ended = end || head.state == APMU_IMAGE_EXITED;
    /* An image that ended is added once, so the copy of the shapes must be up to date. */
    if (!shared_is_whole(run, name, fd) || (ended && !shared_refresh(run))) {
        return true;
    }
    add_image(run, fd, &head, ended, ended ? &run->finished : live);
    add_cores(run, &head, ended, ended ? &run->finished : live);
    if (ended || record_wants(run, false)) {
        graph_collect(run, &head, ended);
    }
    if (ended) {
        graph_remove(run, &head);
        run->images++;
        unlinkat(run->dirfd, name, 0);
    }
    return !ended;
}

bool totals_collect(struct apmu_run *run, bool end, struct image_totals *totals)
{
    struct image_totals live = {0};
    uint32_t seen = 0;
    const bool whole = shared_refresh(run);
    const uint32_t published = run->shapes->head.images;

    graph_drop(run);
    rewinddir(run->files);
    for (struct dirent *e; whole && (e = readdir(run->files)) != NULL;) {
        if (strncmp(e->d_name, APMU_PROCESS_PREFIX, strlen(APMU_PROCESS_PREFIX)) != 0) {
            continue;
        }
        int fd = openat(run->dirfd, e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) {
            shared_unreadable(run, errno);
            continue;
        }
        seen += collect_image(run, fd, e->d_name, end, &live);
        close(fd);
    }
    *totals = run->finished;
    add_totals(totals, &live);
    return run->lost.status == 0 && shared_has_images(run, published, seen + run->images);
}

/* Appends a remark, printf-like, to the lines in @buf. */
static void remark(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void remark(char *buf, size_t size, const char *format, ...)
{
    char text[1024];
    size_t at = strlen(buf);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (at > 0 && at + 1 < size) {
        buf[at++] = '\n';
    }
    for (const char *c = text; *c != '\0' && at + 2 < size; c++) {
        if (*c == '\n') { /* in a program's name; a newline would begin another remark */
            buf[at++] = '\\';
            buf[at++] = 'n';
        } else {
            buf[at++] = *c;
        }
    }
    buf[at < size ? at : size - 1] = '\0';
}

/* Names the control that forbids the access at EL0 if PMUSERENR_EL0 is 0, on a PMU that has every feature. */
static const char *kernel_forbids(enum apmu_reg reg, unsigned n, bool write)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .counters = APMU_EVENT_COUNTERS,
        .features = apmu_features_closure(APMU_FEAT(AA64) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) |
                                          APMU_FEAT(PMUv3p9) | APMU_FEAT(PMUv3_ICNTR)),
    };
    struct apmu pmu;
    apmu_init(&pmu, &cfg);
    struct apmu_pe pe = apmu_program_pe(&pmu);
    const struct apmu_access access = apmu_access(&pmu, &pe, reg, n, write);
    if (access.gate != APMU_GATE_ALWAYS) {
        return apmu_gate_text((enum apmu_gate)access.gate);
    }
    return access.control[0] != '\0' ? access.control : "its Exception level";
}

/* Remarks on the access that raised SIGILL in A32 or T32, which --el0 does not serve. */
static void remark_trap32(const struct image_totals *totals, char *buf, size_t size)
{
    const uint32_t word = totals->trap_word;
    const bool pair = (word & 0x0fe00000) == 0x0c400000;
    const uint16_t key =
        (uint16_t)(pair ? APMU_A32_KEY_PAIR((word >> 4) & 15, word & 15)
                        : APMU_A32_KEY((word >> 21) & 7, (word >> 16) & 15, word & 15, (word >> 5) & 7));
    enum apmu_reg32 reg;
    unsigned n;
    char name[24];

    if (apmu_reg_by_a32(key, &reg, &n)) {
        remark(buf, size,
               "SIGILL at 0x%llx: %s %s at EL0, which PMUSERENR = 0 forbids; build the program for AArch64 and give "
               "it a PMU: armpmu stat --el0",
               (unsigned long long)totals->trap_pc, word & (1u << 20) ? "read of" : "write to",
               apmu_reg32_name(reg, n, name));
    } else {
        remark(buf, size, "SIGILL at 0x%llx: access to a PMU register that no architecture defines (instruction %08x)",
               (unsigned long long)totals->trap_pc, (unsigned)word);
    }
}

/* Remarks on the access that raised SIGILL: its register, what forbids it, and what to do. */
static void remark_trap(const struct image_totals *totals, bool el0, char *buf, size_t size)
{
    if (totals->trap_a32) {
        remark_trap32(totals, buf, size);
        return;
    }
    bool write = !(totals->trap_word & (1u << 21));
    enum apmu_reg reg;
    unsigned n;
    char name[24];

    if (!apmu_reg_by_a64((uint16_t)(totals->trap_word >> 5), &reg, &n)) {
        remark(buf, size, "SIGILL at 0x%llx: access to a PMU register that no architecture defines (instruction %08x)",
               (unsigned long long)totals->trap_pc, (unsigned)totals->trap_word);
        return;
    }
    apmu_reg_name(reg, n, name);
    const char *verb = write ? "write to" : "read of";
    unsigned long long pc = totals->trap_pc;
    if (!el0) {
        remark(buf, size,
               "SIGILL at 0x%llx: %s %s at EL0, which %s = 0 forbids; give the program a PMU: armpmu stat --el0", pc,
               verb, name, kernel_forbids(reg, n, write));
    } else if (totals->trap_refused) {
        remark(buf, size, "SIGILL at 0x%llx: %s %s at EL0, which %s forbids; program the PMU to allow it", pc,
               verb, name, totals->trap_control[0] != '\0' ? totals->trap_control : "the PMU without this register");
    } else if (totals->notes & APMU_NOTE_NO_SHIM) {
        remark(buf, size,
               "SIGILL at 0x%llx: %s %s at EL0; the program is static, so libarmpmu-el0.so was not loaded: link "
               "it dynamically, or link that library's source into it",
               pc, verb, name);
    } else {
        remark(buf, size,
               "SIGILL at 0x%llx: %s %s at EL0; the program's own handler for SIGILL keeps libarmpmu-el0.so from "
               "answering",
               pc, verb, name);
    }
}

/*
 * Returns true if a process may have ended in the middle of a block.  A signal that ends a program waits for the end of
 * the block, unless it ends the emulator itself.
 */
static bool may_stop_in_block(const struct apmu_run *run, const struct image_totals *totals)
{
    int sig = WIFSIGNALED(run->status.wait_status) ? WTERMSIG(run->status.wait_status) : 0;
    return totals->processes > 1 || sig == SIGKILL || sig == SIGSEGV || sig == SIGBUS;
}

/* Remarks on what a deterministic run could not hold still. */
static void remark_loose(const struct apmu_run *run, const struct image_totals *totals, char *buf, size_t size)
{
    static const struct {
        uint32_t note;
        const char *what;
    } loose[] = {
        {APMU_NOTE_LOOSE_COUNTER, "the counter of the generic timer, which an instruction reads (CNTVCT_EL0)"},
        {APMU_NOTE_LOOSE_TIMES, "the value that times() returns; use clock_gettime()"},
        {APMU_NOTE_LOOSE_TIMER, "when a timer's signal comes"},
        {APMU_NOTE_LOOSE_FOLDER, "the order in which a folder's files are listed; it is the file system's"},
        {APMU_NOTE_LOOSE_PIPE, "how much each read of a pipe or socket gives; take input from a file"},
    };

    if (run->found.kind != APMU_PROGRAM_AARCH64) {
        remark(buf, size, "not held still: time and random numbers of a 32-bit program; build it for AArch64");
    }
    if (run->apart_error != 0) {
        remark(buf, size, "not held still: process ids, because there can be no pid namespace here: %s; allow user "
                          "namespaces, or count as root",
               run->apart_error == ENOSPC ? "their number is limited" : strerror(run->apart_error));
    }
    for (size_t i = 0; i < sizeof loose / sizeof loose[0]; i++) {
        if (totals->notes & loose[i].note) {
            remark(buf, size, "not held still: %s", loose[i].what);
        }
    }
    if (totals->processes > 1 || totals->threads > totals->processes) {
        remark(buf, size, "not held still: the order in which %s take turns",
               totals->threads > totals->processes ? "threads" : "processes");
    }
}

/* Returns whether threads of one process have caches of their own, which keep lines that another thread writes. */
static bool shares_lines(const struct apmu_run *run, const struct image_totals *totals)
{
    const uint32_t caches = APMU_CORE_L1D | APMU_CORE_L2 | APMU_CORE_LAST;

    return (run->core.parts & caches) != 0 && totals->threads > totals->processes;
}

void totals_remark(const struct apmu_run *run, const struct image_totals *totals, char *buf, size_t size)
{
    buf[0] = '\0';
    if (totals->not_counted > 0) {
        remark(buf, size, "not counted: exec of %s (%s)%s", totals->not_counted_path, totals->not_counted_why,
               totals->not_counted > 1 ? ", and others" : "");
    }
    if (totals->notes & APMU_NOTE_LOST_CHILD) {
        remark(buf, size,
               "not counted: a child process that could not make its file in %s, because its user or root directory "
               "differs",
               run->dir);
    }
    if (run->gains || (totals->notes & APMU_NOTE_GAINS)) {
        remark(buf, size, "%s is setuid or setgid, or has capabilities: the emulator ran it without these privileges",
               run->gains ? run->found.program : "a program that another became by exec");
    }
    if (run->deterministic) {
        remark_loose(run, totals, buf, size);
    }
    if (totals->trapped) {
        remark_trap(totals, run->el0, buf, size);
    } else if (totals->notes & APMU_NOTE_OWN_SIGILL) {
        remark(buf, size, "the program handles SIGILL itself: from then on it does not reach the PMU");
    }
    if (totals->notes & APMU_NOTE_USERENR) {
        remark(buf, size, "the program read PMUSERENR_EL0 and got 0 from the emulator, not the value of its PMU");
    }
    if (totals->notes & APMU_NOTE_NO_CORE) {
        remark(buf, size,
               "not modelled: threads for which there was no core, because more than %u ran at the same time in one "
               "process; run fewer threads",
               APMU_CHIP_THREADS);
    }
    if (shares_lines(run, totals)) {
        remark(buf, size,
               "not modelled: coherence between the cores of threads; where threads write to the same lines, caches "
               "miss more often than counted; perf c2c on an Arm machine finds such lines");
    }
    if (totals->notes & APMU_NOTE_FAULT) {
        remark(buf, size,
               "a fault that the program handled could not be traced to its instruction: up to %u instructions that "
               "were not executed may be counted for each such fault",
               (unsigned)totals->longest_faulted - 1);
    }
    if (totals->killed > 0 && totals->longest_block > 1 && may_stop_in_block(run, totals)) {
        remark(buf, size,
               "%u process%s did not exit: up to %u instructions of the last block of each thread may be counted, "
               "although they were not executed",
               totals->killed, totals->killed > 1 ? "es" : "", (unsigned)totals->longest_block - 1);
    }
}
