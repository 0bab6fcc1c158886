/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Throws translated code away while other threads may run.
 *
 * qemu_plugin_reset() stops every vCPU between two blocks, throws the code away and frees the registration of
 * callbacks.  A thread in a system call is not stopped.  It uses freed memory if it walks the list of callbacks at that
 * moment: on its way to syscalls_enter(), and when a new thread's vCPU begins.  So:
 *
 *   - The instruction that makes a system call notes that the thread is on its way to syscalls_enter() (begin_call()).
 *   - QEMU calls retranslate_flushed() when the vCPUs are stopped and before it frees anything.  That waits for those
 *     threads.
 *   - In syscalls_enter() they wait until the callbacks are registered again (retranslate_settle()).
 *   - retranslate_all() waits for a thread or process that is being made before it asks QEMU for a reset.
 *   - No callback is registered for the end of a system call, at which a thread may arrive at any time.
 */
#define _GNU_SOURCE
#include "plugin.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define PATIENCE_MS 1000 /* limits the wait, because a clone that failed is never reported */
#define BEGIN_MS 5       /* limits the wait for a thread that may not begin before the reset; it does no harm then */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool retranslating;
static unsigned calling;  /* threads between the instruction and syscalls_enter(), atomic */
static unsigned starting; /* threads and processes that are being made */
static __thread bool this_calls, this_forks; /* this thread is counted in calling; it is making a process */

/* Returns the time @ms milliseconds from now. */
static struct timespec deadline(unsigned ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += (long)ms % 1000 * 1000000;
    t.tv_sec += (time_t)(ms / 1000 + (unsigned)(t.tv_nsec / 1000000000));
    t.tv_nsec %= 1000000000;
    return t;
}

/* Waits until *@count is 0, at most @ms milliseconds. */
static void wait_for_none(const unsigned *count, unsigned ms)
{
    struct timespec now, until = deadline(ms);
    do {
        sched_yield();
        clock_gettime(CLOCK_REALTIME, &now);
    } while (__atomic_load_n(count, __ATOMIC_SEQ_CST) > 0 &&
             (now.tv_sec < until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec < until.tv_nsec)));
}

/* Notes that this thread is on its way to syscalls_enter(). */
static void begin_call(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    const struct isa_insn *in = userdata;
    if (this_calls || (in != NULL && !condition_passes(in))) {
        return;
    }
    this_calls = true;
    __atomic_fetch_add(&calling, 1, __ATOMIC_SEQ_CST);
}

void retranslate_watch_call(struct qemu_plugin_insn *insn, const struct isa_insn *conditional)
{
    qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_call,
                                           conditional != NULL ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
                                           (void *)(uintptr_t)conditional);
}

void retranslate_flushed(void)
{
    if (!__atomic_load_n(&retranslating, __ATOMIC_ACQUIRE)) {
        return;
    }
    wait_for_none(&calling, PATIENCE_MS);
    wait_for_none(&starting, BEGIN_MS);
}

void retranslate_done(void)
{
    plugin_register();
    pthread_mutex_lock(&lock);
    __atomic_store_n(&retranslating, false, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void retranslate_all(void)
{
    struct timespec until = deadline(PATIENCE_MS);
    int error = 0;
    pthread_mutex_lock(&lock);
    bool mine = !retranslating; /* if not, another thread's reset is still to come and serves this thread, too */
    __atomic_store_n(&retranslating, true, __ATOMIC_RELEASE);
    while (mine && starting > 0 && error == 0) {
        error = pthread_cond_timedwait(&changed, &lock, &until);
    }
    pthread_mutex_unlock(&lock);
    if (mine) {
        plugin_reset();
    }
}

void retranslate_settle(void)
{
    if (this_calls) {
        this_calls = false;
        __atomic_fetch_sub(&calling, 1, __ATOMIC_SEQ_CST);
    }
    if (!__atomic_load_n(&retranslating, __ATOMIC_ACQUIRE)) {
        return;
    }
    pthread_mutex_lock(&lock);
    while (retranslating) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

void retranslate_starting(bool process)
{
    pthread_mutex_lock(&lock);
    starting++;
    this_forks = process;
    pthread_mutex_unlock(&lock);
}

void retranslate_started(void)
{
    pthread_mutex_lock(&lock);
    starting -= starting > 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

void retranslate_forked(void)
{
    if (this_forks) {
        retranslate_started();
    }
    this_forks = false;
}

void retranslate_child(void)
{
    bool was = retranslating;
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
    calling = starting = 0;
    retranslating = this_calls = this_forks = false;
    if (was) { /* a thread that this process lacks was about to ask QEMU for a reset */
        retranslate_all();
    }
}
