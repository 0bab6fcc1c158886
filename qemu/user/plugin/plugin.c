/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts the plugin, and registers its callbacks with QEMU. */
#define _GNU_SOURCE
#include "stack.h"
#include "qemu_plugin_callbacks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plugin plugin;

/* Prepares for a thread that begins on @vcpu. */
static void vcpu_init(unsigned vcpu)
{
    condition_find_registers();
    fault_vcpu_begins();
    count_thread(vcpu);
    retranslate_started();
    image_add_row(vcpu);
    chip_begin(vcpu);
    stack_begin(vcpu);
}

/* Notes that the process exits.  Later interfaces also call this when a signal kills the process, which is no exit. */
static void at_exit(void)
{
    if (!plugin.threaded) { /* others may be filling their lists */
        list_tell(0);
    }
    if (syscalls_exiting() && plugin.image->head.state == APMU_IMAGE_RUNS) {
        plugin.image->head.state = APMU_IMAGE_EXITED;
    }
}

void plugin_register(void)
{
    static const struct qemu_plugin_handlers handlers = {
        .vcpu_init = vcpu_init,
        .tb_trans = translate_block,
        .syscall = syscalls_enter,
        .syscall_ret = syscalls_leave,
        .flush = retranslate_flushed,
        .at_exit = at_exit,
        .was_reset = retranslate_done,
    };

    qemu_plugin_register(plugin.id, &handlers);
    if (plugin.setup->deterministic) {
        qemu_plugin_register_syscall_ret(plugin.id);
    }
}

void plugin_reset(void)
{
    qemu_plugin_drop_all(plugin.id);
}

/* Reads the setup into memory, where nobody can change it, and closes @fd.  Returns NULL if it is not a setup. */
static const struct apmu_setup *read_setup(int fd)
{
    struct apmu_setup *setup = fd < 0 ? NULL : malloc(sizeof *setup);
    bool ok = setup != NULL && pread(fd, setup, sizeof *setup, 0) == (ssize_t)sizeof *setup &&
              setup->magic == APMU_PROTOCOL_MAGIC && setup->version == APMU_PROTOCOL_VERSION;
    if (fd >= 0) {
        close(fd);
    }
    if (!ok) {
        free(setup);
    }
    return ok ? setup : NULL;
}

/* Fills in the head of the new image, and tells the tool by @ready, if that is not -1, that the image is there. */
static void introduce(int ready)
{
    plugin.image->head.interface = (uint32_t)qemu_plugin_version;
    label_program(&plugin.image->head);
    if (plugin.setup->el0) {
        plugin.image->head.notes |= APMU_NOTE_NO_SHIM;
    }
    if (ready >= 0) {
        close(ready);
    }
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    const char *dir = NULL;
    int ready = -1, setup = -1;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "dir=", 4) == 0) {
            dir = argv[i] + 4;
        } else if (strncmp(argv[i], "ready=", 6) == 0) {
            ready = atoi(argv[i] + 6);
        } else if (strncmp(argv[i], "setup=", 6) == 0) {
            setup = atoi(argv[i] + 6);
        }
    }
    if (!qemu_plugin_is_known(info)) {
        fprintf(stderr, "armpmu: this emulator has version %d of QEMU's plugin interface, which is none of those known "
                        "here, 1 and 3 to %d (QEMU 11.1); name another emulator in %s\n",
                info->version.cur, QEMU_PLUGIN_NEWEST,
                strcmp(info->target_name, "arm") == 0 ? "ARMPMU_QEMU_ARM" : "ARMPMU_QEMU");
        return 1;
    }
    bool a64 = strcmp(info->target_name, "aarch64") == 0;
    if (dir == NULL || info->system_emulation || (!a64 && strcmp(info->target_name, "arm") != 0)) {
        fprintf(stderr, "armpmu: this plugin is started by armpmu, in qemu-aarch64 or qemu-arm\n");
        return 1;
    }
    plugin.kind = a64 ? APMU_PROGRAM_AARCH64 : APMU_PROGRAM_AARCH32;
    if (!a64 && qemu_plugin_read_register_v3 == NULL) {
        fprintf(stderr, "armpmu: plugins of this emulator cannot read flags; name the one that make qemu-user builds "
                        "in ARMPMU_QEMU_ARM\n");
        return 1;
    }
    plugin.id = id;
    ssize_t len = readlink("/proc/self/exe", plugin.qemu, sizeof plugin.qemu - 1);
    snprintf(plugin.dir, sizeof plugin.dir, "%s", setup < 0 ? dir : "");
    errno = 0;
    plugin.setup = read_setup(setup < 0 ? image_open_shared(APMU_SETUP_FILE, O_RDONLY) : setup);
    if (len < 0 || plugin.setup == NULL || !shapes_open() || !code_open()) {
        fprintf(stderr, "armpmu: %s: the files shared with armpmu cannot be used: %s\n", dir,
                errno != 0 ? strerror(errno) : "they are another version's");
        return 1;
    }
    if (!image_open(ready >= 0 ? APMU_ORIGIN_START : APMU_ORIGIN_EXEC)) {
        return 1; /* the tool says why */
    }
    introduce(ready);
    if (armpmu_omit_values != NULL) {
        armpmu_omit_values();
    }
    count_open();
    if (!blame_open()) {
        shapes_lost(ENOMEM);
    }
    chip_open();
    stack_open();
    plugin_register();
    return 0;
}
