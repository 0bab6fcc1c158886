/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for test_interface.sh.  It prints the version that it declares, and each callback with its arguments.  At a
 * flush it asks for a reset.
 */
#define _GNU_SOURCE
#include "../../../qemu/user/plugin/qemu_plugin_callbacks.h"

#include <inttypes.h>

static qemu_plugin_id_t self;
static const struct qemu_plugin_handlers handlers;

static void vcpu_init(unsigned vcpu)
{
    printf("vcpu_init %u\n", vcpu);
}

static void tb_trans(struct qemu_plugin_tb *tb)
{
    printf("tb_trans %zu\n", qemu_plugin_tb_n_insns(tb));
}

static void syscall(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5)
{
    printf("syscall %u %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", vcpu,
           num, a1, a2, a3, a4, a5);
}

static void flush(void)
{
    printf("flush\n");
    qemu_plugin_drop_all(self);
}

static void was_reset(void)
{
    printf("was_reset\n");
    qemu_plugin_register(self, &handlers);
}

static void at_exit(void)
{
    printf("at_exit\n");
}

static const struct qemu_plugin_handlers handlers = {
    .vcpu_init = vcpu_init,
    .tb_trans = tb_trans,
    .syscall = syscall,
    .flush = flush,
    .at_exit = at_exit,
    .was_reset = was_reset,
};

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    printf("version %d%s\n", qemu_plugin_version, qemu_plugin_is_known(info) ? "" : ", which is not this one");
    self = id;
    qemu_plugin_register(id, &handlers);
    return 0;
}
