/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin that counts each block twice: by an inline add to the row of its vCPU, and by a call, which knows the vCPU
 * by the thread.  At the end of each process it prints a line for each vCPU: PROCESS VCPU ADDED CALLED.  Both counts
 * are the same if each add was to the right row and none was lost.
 *
 * It needs interface 3 or later.  As armpmu's own plugin it names an offset that leads from a scoreboard to its rows,
 * because the emulator's own memory may be too far from translated code for what alone.c does.
 */
#define _GNU_SOURCE
#include "../../../qemu/user/plugin/qemu_plugin_callbacks.h"

#include <stdio.h>
#include <unistd.h>

#define MOST 64

static uint64_t rows[MOST], called[MOST];
static __thread uint64_t *mine = called;
static struct qemu_plugin_scoreboard *score;

/* QEMU calls it in the thread of the vCPU. */
static void vcpu_init(unsigned vcpu)
{
    mine = &called[vcpu % MOST];
}

static void executed(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    ++*mine;
}

static void translated(struct qemu_plugin_tb *tb)
{
    const uintptr_t base = (uintptr_t)qemu_plugin_scoreboard_find(score, 0);
    const qemu_plugin_u64 row = {score, (uintptr_t)rows - base};

    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64, row, 1);
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void at_exit(void)
{
    for (unsigned i = 0; i < MOST; i++) {
        if (rows[i] != 0 || called[i] != 0) {
            printf("%d %u %llu %llu\n", (int)getpid(), i, (unsigned long long)rows[i], (unsigned long long)called[i]);
        }
    }
    fflush(stdout);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static const struct qemu_plugin_handlers handlers = {
        .vcpu_init = vcpu_init,
        .tb_trans = translated,
        .at_exit = at_exit,
    };

    (void)argc;
    (void)argv;
    if (!qemu_plugin_is_known(info) || qemu_plugin_version < 3) {
        return 1;
    }
    score = qemu_plugin_scoreboard_new(sizeof rows[0]);
    qemu_plugin_register(id, &handlers);
    return 0;
}
