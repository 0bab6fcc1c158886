/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin whose call graph is compared with armpmu's.  It is called at each instruction of an A64 program, and follows
 * calls, returns and jumps by decoding every one of them.  It knows nothing of the stack pointer or the link register.
 * At the end it writes lines to the file out=FILE: "ENTRY CALLS SELF INCLUSIVE" for each function.
 *
 * functions=FILE has the addresses at which functions begin and where they end, a line each.  Those marked "switch"
 * change to another stack when they return.
 */
#define _GNU_SOURCE
#include "../../../qemu/user/plugin/qemu_plugin_callbacks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 16384
#define STACKS 64

/* A function, and what was counted of it. */
struct function {
    uint64_t begin, end;
    int switches;
    uint64_t calls, self, inclusive; /* atomic */
};

static struct function functions[FUNCTIONS];
static size_t function_count;
static char out[4096];

/* An instruction of the program's code. */
struct insn_site {
    uint64_t pc;
    uint32_t word;
    int begins; /* the number of the function that begins here + 1, or 0 */
    int after;  /* the instruction is the second one of the return from a signal's handler */
};

enum way_in { CALL, TAIL, SIGNAL, ROOT };

struct call {
    int function; /* -1: none that is listed */
    enum way_in kind;
    uint64_t ret;
};

struct calls {
    struct call *at;
    size_t count, room;
};

/* A thread. */
struct thread {
    struct thread *next;
    struct calls now, others[STACKS];
    size_t other_count;
    uint64_t total, credited;
    uint64_t left_at; /* the total when it left a stack for one that is not known yet, + 1; or 0 */
    uint64_t start[FUNCTIONS];
    uint32_t active[FUNCTIONS];
    const struct insn_site *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads;
static __thread struct thread *me;

/* Returns the number of the function that has @pc, or -1. */
static int function_at(uint64_t pc)
{
    size_t low = 0, high = function_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (functions[middle].begin <= pc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && pc < functions[low - 1].end ? (int)low - 1 : -1;
}

static int top(void)
{
    return me->now.count > 0 ? me->now.at[me->now.count - 1].function : -1;
}

static void credit(void)
{
    if (top() >= 0) {
        __atomic_fetch_add(&functions[top()].self, me->total - me->credited, __ATOMIC_RELAXED);
    }
    me->credited = me->total;
}

static void open_function(int f)
{
    if (f >= 0 && me->active[f]++ == 0) {
        me->start[f] = me->total;
    }
}

static void close_function(int f)
{
    if (f >= 0 && --me->active[f] == 0) {
        __atomic_fetch_add(&functions[f].inclusive, me->total - me->start[f], __ATOMIC_RELAXED);
    }
}

static void push(enum way_in kind, uint64_t pc, uint64_t ret)
{
    struct calls *c = &me->now;

    credit();
    if (c->count == c->room) {
        c->room = c->room * 2 + 64;
        c->at = realloc(c->at, c->room * sizeof *c->at);
        if (c->at == NULL) {
            abort();
        }
    }
    const int f = function_at(pc);
    c->at[c->count++] = (struct call){f, kind, ret};
    if (f >= 0) {
        __atomic_fetch_add(&functions[f].calls, 1, __ATOMIC_RELAXED);
    }
    open_function(f);
}

static void pop(void)
{
    credit();
    close_function(top());
    me->now.count--;
}

/* Returns how many calls of @c are in progress when it is about to return to @pc, or 0 if it does not. */
static size_t left_at(const struct calls *c, uint64_t pc)
{
    for (size_t n = c->count; n > 0; n--) {
        const struct call *k = &c->at[n - 1];
        if (k->function < 0 || !functions[k->function].switches) {
            return 0;
        }
        if (k->ret == pc) {
            return n;
        }
    }
    return 0;
}

/* Changes to the stack that returns to @pc, or to a new one that begins there. */
static void change_stack(uint64_t pc)
{
    const uint64_t total = me->total;

    me->total = me->left_at != 0 ? me->left_at - 1 : total;
    me->left_at = 0;
    credit();
    for (size_t i = 0; i < me->now.count; i++) {
        close_function(me->now.at[i].function);
    }
    for (size_t i = 0; i < me->other_count; i++) {
        struct calls *c = &me->others[i];
        const size_t left = left_at(c, pc);
        if (left > 0) {
            const struct calls k = *c;
            *c = me->now;
            me->now = k;
            me->now.count = left;
            for (size_t j = 0; j < left; j++) {
                open_function(k.at[j].function);
            }
            me->total = total;
            return;
        }
    }
    if (me->other_count == STACKS) {
        abort();
    }
    me->total = total;
    me->others[me->other_count++] = me->now;
    me->now = (struct calls){NULL, 0, 0};
    push(ROOT, pc, 0);
}

/* Arrives at @s by an indirect branch that is no call. */
static void arrive(const struct insn_site *s, int is_return)
{
    struct calls *c = &me->now;
    const int from = function_at(me->last->pc), to = function_at(s->pc);

    if (from >= 0 && functions[from].switches && !is_return) {
        if (s->begins) {
            change_stack(s->pc);
        } else { /* the code there returns */
            me->left_at = me->total + 1;
        }
        return;
    }
    if (me->left_at != 0) {
        change_stack(s->pc);
    }
    if (c->at[c->count - 1].ret == s->pc) { /* with the functions that branched to each other */
        while (c->at[c->count - 1].kind == TAIL) {
            pop();
        }
        pop();
    } else if (s->begins) {
        push(TAIL, s->pc, c->at[c->count - 1].ret);
    } else if (to >= 0 && to != top()) { /* a jump out of functions */
        size_t n = c->count;
        while (n > 0 && c->at[n - 1].function != to) {
            n--;
        }
        while (n > 0 && c->count > n) {
            pop();
        }
    }
}

static int is_branch(uint32_t word)
{
    return word >> 26 == 5 || (word & 0xfe000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000 ||
           (word & 0x7e000000) == 0x36000000;
}

static int is_access(uint32_t word)
{
    return (word & 0x0a000000) == 0x08000000;
}

/* Acts on the way from the instruction before to @s. */
static void follow(const struct insn_site *s)
{
    const struct insn_site *last = me->last;
    const uint32_t word = last->word;
    struct calls *c = &me->now;

    if (last->after) {
        while (c->count > 1 && c->at[c->count - 1].kind != SIGNAL) {
            pop();
        }
        pop();
    } else if (word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000) { /* BL, BLR */
        push(CALL, s->pc, last->pc + 4);
    } else if ((word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffc1f) == 0xd61f0000) { /* RET, BR */
        arrive(s, (word & 0xfffffc1f) == 0xd65f0000);
    } else if (is_branch(word)) {
        if (s->begins && s->begins - 1 != top()) {
            push(TAIL, s->pc, c->at[c->count - 1].ret);
        }
    } else if (s->pc != last->pc + 4) {
        me->total -= (uint64_t)is_access(word); /* it faulted */
        push(SIGNAL, s->pc, 0);
    }
}

static void executed(unsigned vcpu, void *userdata)
{
    const struct insn_site *s = userdata;

    (void)vcpu;
    if (me == NULL) {
        me = calloc(1, sizeof *me);
        if (me == NULL) {
            abort();
        }
        pthread_mutex_lock(&lock);
        me->next = threads;
        threads = me;
        pthread_mutex_unlock(&lock);
        push(ROOT, s->pc, 0);
    } else {
        follow(s);
    }
    me->last = s;
    me->total++;
}

/* Returns whether the block @tb is an entry of a procedure linkage table: ADRP X16; LDR X17; ADD X16; BR X17. */
static int is_plt_entry(struct qemu_plugin_tb *tb)
{
    return qemu_plugin_tb_n_insns(tb) == 4 &&
           (qemu_plugin_insn_word(qemu_plugin_tb_get_insn(tb, 0)) & 0x9f00001f) == 0x90000010 &&
           qemu_plugin_insn_word(qemu_plugin_tb_get_insn(tb, 3)) == 0xd61f0220;
}

static void tb_trans(struct qemu_plugin_tb *tb)
{
    uint32_t before = 0;

    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct insn_site *s = calloc(1, sizeof *s);
        if (s == NULL) {
            abort();
        }
        s->pc = qemu_plugin_insn_vaddr(insn);
        s->word = qemu_plugin_insn_word(insn);
        const int f = function_at(s->pc);
        s->begins = f >= 0 && functions[f].begin == s->pc ? f + 1 : 0;
        if (i == 0 && is_plt_entry(tb)) {
            s->begins = f + 1;
        }
        s->after = before == 0xd2801168 && s->word == 0xd4000001;
        before = s->word;
        qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS, s);
    }
}

static void at_exit(void)
{
    FILE *f = fopen(out, "w");

    for (me = threads; me != NULL; me = me->next) {
        while (me->now.count > 0) {
            pop();
        }
    }
    for (size_t i = 0; f != NULL && i < function_count; i++) {
        if (functions[i].calls > 0) {
            fprintf(f, "%llx %llu %llu %llu\n", (unsigned long long)functions[i].begin,
                    (unsigned long long)functions[i].calls, (unsigned long long)functions[i].self,
                    (unsigned long long)functions[i].inclusive);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
}

static void read_functions(const char *path)
{
    FILE *f = fopen(path, "r");
    unsigned long long begin, end;
    char word[32];

    while (f != NULL && function_count < FUNCTIONS && fscanf(f, "%llx %llx %31s", &begin, &end, word) == 3) {
        functions[function_count++] =
            (struct function){.begin = begin, .end = end, .switches = strcmp(word, "switch") == 0};
    }
    if (f != NULL) {
        fclose(f);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static const struct qemu_plugin_handlers handlers = {.tb_trans = tb_trans, .at_exit = at_exit};

    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "out=", 4) == 0) {
            snprintf(out, sizeof out, "%s", argv[i] + 4);
        } else if (strncmp(argv[i], "functions=", 10) == 0) {
            read_functions(argv[i] + 10);
        }
    }
    if (!qemu_plugin_is_known(info) || function_count == 0) {
        fprintf(stderr, "calls_plugin: an unknown emulator, or no functions\n");
        return 1;
    }
    qemu_plugin_register(id, &handlers);
    return 0;
}
