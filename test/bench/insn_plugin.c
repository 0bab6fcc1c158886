/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A peer for bench.sh: one callback an instruction, which adds one to a total. */
#include "../../engine/qemu-user/qemu_plugin_v1.h"

#include <stdint.h>

QEMU_PLUGIN_ANY_VERSION

static uint64_t total;

static void executed(unsigned vcpu, void *userdata)
{
    (void)vcpu;
    total += (uintptr_t)userdata;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    size_t n = qemu_plugin_tb_n_insns(tb);
    for (size_t i = 0; i < n; i++)
        qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), executed, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)1);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
