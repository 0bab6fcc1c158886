/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin whose counts are compared with armpmu's.  It counts how often each instruction word is executed, by a
 * callback for each instruction, without knowing what the words mean.  At the end of each process it appends lines to
 * the file out=FILE:
 *
 *   WORD EXECUTIONS STORES JUMPS M2 M4 M8 M16
 *
 * With by=address each address has lines of its own, which begin with the process and the address, PID ADDRESS WORD.
 * The word of an instruction of two bytes is 0.
 *
 * STORES are the stores that QEMU reports.  JUMPS are the executions after which the thread did not execute the next
 * instruction.  M2 to M16 are the executions whose first access was at no multiple of 2, 4, 8 and 16.  lib.sh has
 * binutils name the words.
 */
#define _GNU_SOURCE
#include "../../../qemu/user/plugin/qemu_plugin_callbacks.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS (1u << 20)

static struct word_counts {
    uint64_t pc; /* 0 if counts are by word alone */
    uint32_t word, used;
    uint64_t executed, stores, jumps, misaligned[4];
} entries[WORDS];
static char out[4096];
static int by_address;

/* An instruction in the program's code. */
struct word_site {
    struct word_counts *entry;
    uint64_t pc;
};

static __thread const struct word_site *last;
static __thread int first_access; /* 1: the first access of the instruction is still to come */

/* Returns the entry of @word at @pc, which it makes if there is none. */
static struct word_counts *entry_of(uint64_t pc, uint32_t word)
{
    uint32_t i = (word * 2654435761u + (uint32_t)(pc >> 1) * 40503u) % WORDS;
    while (entries[i].used && (entries[i].word != word || entries[i].pc != pc)) {
        i = (i + 1) % WORDS;
    }
    entries[i].used = 1;
    entries[i].pc = pc;
    entries[i].word = word;
    return &entries[i];
}

static void executed(unsigned vcpu, void *userdata)
{
    const struct word_site *s = userdata;
    (void)vcpu;
    __atomic_fetch_add(&s->entry->executed, 1, __ATOMIC_RELAXED);
    if (last != NULL && s->pc != last->pc + 4) {
        __atomic_fetch_add(&last->entry->jumps, 1, __ATOMIC_RELAXED);
    }
    last = s;
    first_access = 1;
}

/* Counts an access.  A pair of X registers may be stored in two parts, of which only the first is aligned to 16. */
static void accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    struct word_counts *e = userdata;
    int second_part = (e->word & 0xffe00000) == 0xc8200000 && vaddr % 16 != 0;
    (void)vcpu;
    if (qemu_plugin_mem_is_store(info) && !second_part) {
        __atomic_fetch_add(&e->stores, 1, __ATOMIC_RELAXED);
    }
    for (unsigned i = 0; first_access && i < 4; i++) {
        if (vaddr % (UINT64_C(2) << i) != 0) {
            __atomic_fetch_add(&e->misaligned[i], 1, __ATOMIC_RELAXED);
        }
    }
    first_access = 0;
}

static void translated(struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint32_t word = qemu_plugin_insn_word(insn);
        struct word_site *s = malloc(sizeof *s); /* never freed: QEMU frees translated code without telling */
        if (s == NULL) {
            abort();
        }
        const uint64_t pc = qemu_plugin_insn_vaddr(insn);
        *s = (struct word_site){entry_of(by_address ? pc : 0, word), pc};
        qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS, s);
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, s->entry);
    }
}

/* Appends the counts to the file. */
static void at_exit(void)
{
    FILE *f = fopen(out, "a");
    if (f == NULL) {
        return;
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        if (entries[i].executed != 0 && by_address) {
            fprintf(f, "%d %llx ", (int)getpid(), (unsigned long long)entries[i].pc);
        }
        if (entries[i].executed != 0) {
            fprintf(f, "%08x %llu %llu %llu %llu %llu %llu %llu\n", (unsigned)entries[i].word,
                    (unsigned long long)entries[i].executed, (unsigned long long)entries[i].stores,
                    (unsigned long long)entries[i].jumps, (unsigned long long)entries[i].misaligned[0],
                    (unsigned long long)entries[i].misaligned[1], (unsigned long long)entries[i].misaligned[2],
                    (unsigned long long)entries[i].misaligned[3]);
        }
    }
    fclose(f);
}

/* Sets the counts to 0 in the child: the parent reports them. */
static void child_of_fork(void)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        struct word_counts *e = &entries[i];
        e->executed = e->stores = e->jumps = 0;
        memset(e->misaligned, 0, sizeof e->misaligned);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static const struct qemu_plugin_handlers handlers = {.tb_trans = translated, .at_exit = at_exit};

    if (!qemu_plugin_is_known(info) || argc < 1 || strncmp(argv[0], "out=", 4) != 0 ||
        strlen(argv[0]) - 4 >= sizeof out) {
        return 1;
    }
    strcpy(out, argv[0] + 4);
    by_address = argc > 1 && strcmp(argv[1], "by=address") == 0;
    qemu_plugin_register(id, &handlers);
    return pthread_atfork(NULL, NULL, child_of_fork);
}
