/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets another thread of this process simulate the branch predictor of a modelled core, and keep its time; or, where
 * neither fetches nor time are simulated, its caches and what lies behind its data TLB.
 *
 * Nothing that caches and TLBs do depends on branches and time, and which accesses the caches see follows from the
 * short cuts (lib/core/late.c).  So the program's thread fills batches of branches, of accesses that take time, and of
 * visits of lines, in a ring, and a thread of its own, the worker, replays them on the core in the same order.  The
 * counts are the same.
 *
 *      program's thread                            worker
 *      fills ring[given % BATCHES], given++        replays ring[done % BATCHES], done++
 *      state 0 -> 1 when enough are there  --->    works until there are none, then state 1 -> 0
 *
 * In state 0 the core's predictor, its time, caches that are looked up late, and done belong to the program's thread,
 * in state 1 to the worker.  Nobody spins, so a busy host loses no time.  The program's thread waits if the ring is
 * full, and before anything that shows counts or ends them: a system call, a fault, the end of the process.  Then it
 * replays what is left itself.
 *
 * A worker is made when a thread has filled many batches and may run on two CPUs of the host or more, and is used as
 * long as there are two for each modelled core.  The child of a fork makes its own.  Where there is none, the program's
 * thread replays all batches.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCHES  64u /* a power of two */
#define ENOUGH   16u /* batches for which the worker is woken */
#define PATIENCE 64u /* batches that a thread replays itself first: most processes of a script end before */
#define STACK    ((size_t)256 << 10)

/* A worker.  What one side writes often has its own line of the host's cache. */
struct core_worker {
    _Alignas(64) uint32_t state; /* 1: it works; 0: it sleeps, or is about to.  Who waits sleeps on it. */
    uint32_t waits;              /* the program's thread sleeps, or is about to */
    _Alignas(64) uint32_t given; /* batches, modulo 2^32 */
    _Alignas(64) uint32_t done;
    _Alignas(64) struct apmu_core *core;
    struct apmu_core_batch ring[BATCHES];
    _Alignas(sizeof(uint64_t) * STREAM_VISITS) uint64_t visits[BATCHES][STREAM_VISITS];
};

/* What a vCPU has. */
struct worker_row {
    struct core_worker *worker; /* NULL: none was made */
    uint32_t before;       /* batches that its thread replayed; PATIENCE: whether there is a worker is decided */
};

static struct worker_row rows[APMU_CHIP_THREADS];
static unsigned cpus; /* of the host, when the process began */

static uint32_t number_at(const uint32_t *number)
{
    return __atomic_load_n(number, __ATOMIC_SEQ_CST);
}

static void set_number(uint32_t *number, uint32_t value)
{
    __atomic_store_n(number, value, __ATOMIC_SEQ_CST);
}

static void sleep_at(uint32_t *number, uint32_t seen)
{
    syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake_at(uint32_t *number)
{
    syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Replays a batch.  Returns how many are left. */
static uint32_t replay_batch(struct core_worker *w)
{
    const uint32_t done = w->done;

    apmu_core_replay(w->core, &w->ring[done % BATCHES]);
    set_number(&w->done, done + 1);
    return number_at(&w->given) - (done + 1);
}

/* Wakes the program's thread if it waits. */
static void wake_program(struct core_worker *w, uint32_t *number)
{
    if (number_at(&w->waits) != 0) {
        wake_at(number);
    }
}

/* Is the worker. */
static void *work(void *argument)
{
    struct core_worker *w = argument;

    pthread_setname_np(pthread_self(), "armpmu-worker");
    for (;;) {
        while (number_at(&w->state) == 0) {
            sleep_at(&w->state, 0);
        }
        for (uint32_t left = 1; left != 0;) {
            left = replay_batch(w);
            if (left == BATCHES / 2) {
                wake_program(w, &w->done);
            }
        }
        set_number(&w->state, 0);
        wake_program(w, &w->state);
    }
    return NULL;
}

/* Waits until the ring has room. */
static void wait_for_room(struct core_worker *w)
{
    set_number(&w->waits, 1);
    for (uint32_t done; w->given - (done = number_at(&w->done)) > BATCHES / 2;) {
        sleep_at(&w->done, done);
    }
    set_number(&w->waits, 0);
}

/* Waits until the worker sleeps, and replays the batches that are left. */
static void finish(struct core_worker *w)
{
    if (number_at(&w->state) != 0) {
        set_number(&w->waits, 1);
        while (number_at(&w->state) != 0) {
            sleep_at(&w->state, 1);
        }
        set_number(&w->waits, 0);
    }
    while (w->done != w->given) {
        replay_batch(w);
    }
}

/* Gives the worker the batch that was ended.  Returns room for the next one. */
static struct apmu_core_batch *give(struct core_worker *w)
{
    const uint32_t given = w->given + 1;

    set_number(&w->given, given);
    if (number_at(&w->state) == 0 && given - w->done >= ENOUGH) {
        set_number(&w->state, 1);
        wake_at(&w->state);
    }
    if (given - number_at(&w->done) == BATCHES) {
        wait_for_room(w);
    }
    return &w->ring[given % BATCHES];
}

/* Returns how many CPUs of the host this thread may run on. */
static unsigned host_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* Returns whether there are two CPUs of the host for each core. */
static bool has_cpus(void)
{
    return plugin.image->head.cores * 2 <= cpus;
}

/* Makes a worker of @core, which no signal interrupts.  Returns NULL if it cannot. */
static struct core_worker *make_worker(struct apmu_core *core)
{
    struct core_worker *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (w == MAP_FAILED) {
        return NULL;
    }
    w->core = core;
    for (unsigned i = 0; i < BATCHES; i++) {
        w->ring[i].visit = &w->visits[i][1];
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const bool made = pthread_create(&thread, &attributes, work, w) == 0;

    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!made) {
        munmap(w, sizeof *w);
        return NULL;
    }
    return w;
}

/* Replays the batch of @s in this thread.  The worker @w, if there is one, has nothing to do then. */
static void replay_here(struct stream *s, struct core_worker *w)
{
    if (w != NULL) {
        finish(w);
    }
    apmu_core_replay(s->core, s->batch);
}

/* Makes a worker for @s, the stream of @row, if enough batches were replayed without one and the host has CPUs. */
static void consider_worker(struct stream *s, struct worker_row *row)
{
    if (row->before == PATIENCE || ++row->before < PATIENCE || !has_cpus() || host_cpus() < 2) {
        return;
    }
    row->worker = make_worker(s->core);
    s->batch = row->worker != NULL ? &row->worker->ring[0] : s->batch;
}

/* The teller of streams. */
static void tell(struct stream *s, bool all)
{
    struct worker_row *row = &rows[s - chip_streams];

    if (!all && row->worker != NULL && has_cpus()) {
        s->batch = give(row->worker);
    } else {
        replay_here(s, row->worker);
    }
    if (!all) {
        consider_worker(s, row);
    }
}

void worker_begin(unsigned vcpu)
{
    struct stream *s = chip_stream(vcpu);
    struct core_worker *w = vcpu < APMU_CHIP_THREADS ? rows[vcpu].worker : NULL;

    cpus = cpus == 0 ? host_cpus() : cpus;
    if (vcpu < APMU_CHIP_THREADS) {
        s->room.visit = list_visits(vcpu);
        stream_tell_by(s, tell, w != NULL ? &w->ring[w->given % BATCHES] : s->batch);
    }
}

void worker_forget(void)
{
    for (unsigned i = 0; i < APMU_CHIP_THREADS; i++) {
        if (rows[i].worker != NULL) {
            munmap(rows[i].worker, sizeof *rows[i].worker);
        }
        rows[i].worker = NULL;
        rows[i].before = 0;
    }
}
