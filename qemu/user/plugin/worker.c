/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets another thread of this process do most of the work of a modelled core.
 *
 * The program's thread keeps a journal (qemu/core/journal.h), if its core allows that.  To walk a journal is to tell it
 * to the stream: fetches, instructions, and all that lies behind the short cuts.  That fills batches of branches and of
 * accesses that take time, and to replay a batch is to predict and to let time pass.
 *
 *      program's thread      journals      walk       batches      replay
 *      short cuts       ---> |  |  |  | ---------->  |  |  |  | ---------->  counts
 *                            given                   filled
 *                               walked                  replayed
 *
 * Journals are walked in their order, and so are batches replayed, each by whoever has the lock.  A thread of its own,
 * the worker, does both, batches first.  Where it falls behind and no room is left for another journal, the program's
 * thread does not wait but walks a quarter of them: so both have as much to do.  Nothing that caches and TLBs do
 * depends on branches and time, and what the program's thread has itself, the short cuts, depends on nothing else
 * (lib/core/late.c).  So the counts are the same whoever does it.
 *
 * What a walk and a replay look up has to come from the cache of the host's CPU that did it last.  So each thread does
 * many journals or batches before the other one may go on with them.
 *
 * Where walking takes little of the time, the program's thread does it: to wake the worker, and to move the journals to
 * its CPU of the host, would take longer.
 *
 * Nobody spins, so a busy host loses no time.  Before anything that shows counts or ends them, a system call, a fault,
 * the end of the process, the program's thread does what is left.
 *
 * A worker is made when a thread has filled many journals or batches and may run on two CPUs of the host or more, and
 * is used as long as there are two for each modelled core.  The child of a fork makes its own.  Where there is none,
 * the program's thread does all of it.
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
#include <time.h>
#include <unistd.h>

#define JOURNALS 64u /* powers of two */
#define BATCHES  256u
#define AT_ONCE  8u  /* journals that the worker walks before it looks for batches again */
#define ENOUGH   16u /* batches, or a quarter as many journals, for which the worker is woken */
#define PATIENCE 64u /* batches or journals with which a thread is alone first: most processes of a script end before */
#define STACK    ((size_t)256 << 10)
#define LITTLE   4u /* walking takes little if the program's thread takes this many times as long to fill a journal */

/* A worker.  What one side writes often has its own line of the host's cache. */
struct core_worker {
    _Alignas(64) uint32_t state; /* 1: it works; 0: it sleeps, or is about to */
    _Alignas(64) uint32_t given; /* journals, modulo 2^32 */
    _Alignas(64) uint32_t walked;
    _Alignas(64) uint32_t filled; /* batches, modulo 2^32 */
    _Alignas(64) uint32_t replayed;
    _Alignas(64) pthread_mutex_t walk; /* who has it may walk journals and fill batches */
    _Alignas(64) pthread_mutex_t replay; /* may be taken by who has the other one */
    struct stream *stream;
    struct apmu_core_batch ring[BATCHES];
    struct journal journals[JOURNALS];
};

/* What a vCPU has. */
struct worker_row {
    struct core_worker *worker; /* NULL: none was made */
    uint32_t before; /* batches or journals that its thread did alone; PATIENCE: whether there is a worker is decided */
    _Alignas(64) uint64_t walking; /* nanoseconds for a journal, a running mean; whoever walks writes it */
    _Alignas(64) uint64_t filling, began; /* the same of filling; when the thread began to fill the present one */
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

/* Returns how many journals are to be walked. */
static uint32_t journals_left(struct core_worker *w)
{
    return number_at(&w->given) - number_at(&w->walked);
}

/* Returns how many batches are to be replayed. */
static uint32_t batches_left(struct core_worker *w)
{
    return number_at(&w->filled) - number_at(&w->replayed);
}

/* Returns the host's time in nanoseconds. */
static uint64_t host_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Moves *@mean towards @time by an eighth; once @time is far above, because another process had the CPU, by less. */
static void follow(uint64_t *mean, uint64_t time)
{
    const uint64_t before = __atomic_load_n(mean, __ATOMIC_RELAXED), most = 4 * before + 1000;

    __atomic_store_n(mean, before - before / 8 + (time < most ? time : most) / 8, __ATOMIC_RELAXED);
}

/* Returns whether walking takes enough of the time of @row for a worker. */
static bool is_worth_giving(const struct worker_row *row)
{
    return __atomic_load_n(&row->walking, __ATOMIC_RELAXED) * LITTLE > row->filling;
}

/* Walks @j, of @s. */
static void walk(const struct stream *s, const struct journal *j)
{
    const uint64_t began = host_time();

    list_walk((unsigned)(s - chip_streams), j);
    follow(&rows[s - chip_streams].walking, host_time() - began);
}

/* Walks the next journal, if there is one.  The lock is held. */
static void walk_one(struct core_worker *w)
{
    if (journals_left(w) != 0) {
        walk(w->stream, &w->journals[w->walked % JOURNALS]);
        set_number(&w->walked, w->walked + 1);
    }
}

/* Replays the next batch, if there is one.  The lock is held. */
static void replay_one(struct core_worker *w)
{
    if (batches_left(w) != 0) {
        apmu_core_replay(w->stream->core, &w->ring[w->replayed % BATCHES]);
        set_number(&w->replayed, w->replayed + 1);
    }
}

/* Walks journals until @left of them are left, as soon as nobody else walks. */
static void walk_to(struct core_worker *w, uint32_t left)
{
    pthread_mutex_lock(&w->walk);
    while (journals_left(w) > left) {
        walk_one(w);
    }
    pthread_mutex_unlock(&w->walk);
}

/* Replays batches until none is left.  The lock is held. */
static void replay_rest(struct core_worker *w)
{
    while (batches_left(w) != 0) {
        replay_one(w);
    }
}

/* Does some of what is to be done and nobody else does, batches first.  Returns false if there is nothing. */
static bool do_some(struct core_worker *w)
{
    if (batches_left(w) != 0 && pthread_mutex_trylock(&w->replay) == 0) {
        replay_rest(w);
        pthread_mutex_unlock(&w->replay);
        return true;
    }
    if (journals_left(w) != 0 && pthread_mutex_trylock(&w->walk) == 0) {
        for (unsigned i = 0; i < AT_ONCE; i++) {
            walk_one(w);
        }
        pthread_mutex_unlock(&w->walk);
        return true;
    }
    return false;
}

/* Replays a batch as soon as nobody else does. */
static void wait_and_replay(struct core_worker *w)
{
    pthread_mutex_lock(&w->replay);
    replay_one(w);
    pthread_mutex_unlock(&w->replay);
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
        while (do_some(w)) {
        }
        set_number(&w->state, 0);
        if (do_some(w)) { /* what came before others saw that it sleeps */
            set_number(&w->state, 1);
        }
    }
    return NULL;
}

/* Wakes the worker if it sleeps and @much is enough for it. */
static void wake(struct core_worker *w, uint32_t much)
{
    if (much >= ENOUGH && number_at(&w->state) == 0) {
        set_number(&w->state, 1);
        wake_at(&w->state);
    }
}

/* Gives the worker the journal that was ended.  Returns room for the next one. */
static struct journal *give(struct core_worker *w)
{
    set_number(&w->given, w->given + 1);
    wake(w, 4 * journals_left(w));
    if (journals_left(w) == JOURNALS) {
        walk_to(w, JOURNALS - JOURNALS / 4);
    }
    return &w->journals[w->given % JOURNALS];
}

/* Gives the worker the batch that was ended.  The caller may fill batches.  Returns room for the next one. */
static struct apmu_core_batch *fill(struct core_worker *w)
{
    set_number(&w->filled, w->filled + 1);
    wake(w, batches_left(w));
    while (batches_left(w) == BATCHES) {
        wait_and_replay(w);
    }
    return &w->ring[w->filled % BATCHES];
}

/* Replays all batches. */
static void replay_all(struct core_worker *w)
{
    pthread_mutex_lock(&w->replay);
    replay_rest(w);
    pthread_mutex_unlock(&w->replay);
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

/* Makes a worker for @s, which no signal interrupts.  Returns NULL if it cannot. */
static struct core_worker *make_worker(struct stream *s)
{
    struct core_worker *w = list_map(sizeof *w);
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (w == NULL) {
        return NULL;
    }
    w->stream = s;
    pthread_mutex_init(&w->walk, NULL);
    pthread_mutex_init(&w->replay, NULL);
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

/* Returns whether it is time to make a worker for @row, and the host has CPUs for it. */
static bool wants_worker(struct worker_row *row)
{
    return row->before != PATIENCE && ++row->before == PATIENCE && has_cpus() && host_cpus() >= 2;
}

/* Gives @s, the stream of @row, a worker.  Its batch is empty, and its journal was walked. */
static void give_worker(struct stream *s, struct worker_row *row)
{
    row->worker = make_worker(s);
    if (row->worker != NULL) {
        s->batch = &row->worker->ring[0];
        s->journal = s->journal != NULL ? &row->worker->journals[0] : NULL;
    }
}

/* Is the teller of streams. */
static void tell(struct stream *s, bool all)
{
    struct worker_row *row = &rows[s - chip_streams];
    struct core_worker *w = row->worker;

    if (!all && w != NULL && has_cpus()) {
        s->batch = fill(w);
        return;
    }
    if (w != NULL) {
        replay_all(w);
    }
    apmu_core_replay(s->core, s->batch);
    if (!all && s->journal == NULL && wants_worker(row)) {
        give_worker(s, row);
    }
}

/* Gives the worker of @s its journal, or walks it. */
static void give_or_walk(struct stream *s)
{
    struct worker_row *row = &rows[s - chip_streams];
    struct core_worker *w = row->worker;

    if (w != NULL && has_cpus() && is_worth_giving(row)) {
        s->journal = give(w);
        return;
    }
    if (w != NULL) {
        walk_to(w, 0);
    }
    walk(s, s->journal);
    if (is_worth_giving(row) && wants_worker(row)) {
        stream_tell_batch(s, true);
        give_worker(s, row);
    }
}

/* Takes the journal of @s. */
static void take(struct stream *s)
{
    struct worker_row *row = &rows[s - chip_streams];

    follow(&row->filling, host_time() - row->began);
    give_or_walk(s);
    row->began = host_time();
}

void worker_catch_up(unsigned vcpu)
{
    struct stream *s = chip_stream(vcpu);

    if (journal_has_any(s)) {
        journal_end(s);
    }
    if (rows[vcpu].worker != NULL) {
        walk_to(rows[vcpu].worker, 0);
    }
}

void worker_begin(unsigned vcpu)
{
    struct stream *s = chip_stream(vcpu);

    cpus = cpus == 0 ? host_cpus() : cpus;
    if (vcpu < APMU_CHIP_THREADS) {
        struct core_worker *w = rows[vcpu].worker;

        stream_tell_by(s, tell, w != NULL ? &w->ring[w->filled % BATCHES] : s->batch);
    }
}

bool worker_keep_journal(unsigned vcpu, uint32_t **next_block, struct apmu_core_visit **next_visit)
{
    struct core_worker *w = rows[vcpu].worker;

    return journal_begin(chip_stream(vcpu), w != NULL ? &w->journals[w->given % JOURNALS] : list_own(vcpu), take,
                         next_block, next_visit);
}

void worker_forget(void)
{
    for (unsigned i = 0; i < APMU_CHIP_THREADS; i++) {
        if (rows[i].worker != NULL) {
            munmap(rows[i].worker, sizeof *rows[i].worker);
        }
        rows[i] = (struct worker_row){.worker = NULL};
    }
}
