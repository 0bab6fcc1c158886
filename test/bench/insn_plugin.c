/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plugin that bench.sh compares armpmu's with: a callback for each instruction adds one to a total. */
#define _GNU_SOURCE
#include "../../qemu/user/plugin/qemu_plugin_callbacks.h"

#include <stdint.h>

static uint64_t total;

static void executed(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    total += (uintptr_t)userdata;
}

static void translated(struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    for (size_t i = 0; i < n; i++) {
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), executed, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)1);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static const struct qemu_plugin_handlers handlers = {.tb_trans = translated};

    (void)argc;
    (void)argv;
    qemu_plugin_register(id, &handlers);
    return qemu_plugin_is_known(info) ? 0 : 1;
}
