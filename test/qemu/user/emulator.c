/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for QEMU in test_interface.sh.  It loads a plugin as an emulator does whose plugin interface has version
 * CURRENT and which takes plugins of versions from OLDEST on.  RELEASE is what it prints for --version.  It calls each
 * callback once, in the shape of that version, and executes nothing.  Callbacks that are registered in the other shape
 * get arguments that make no sense.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID UINT64_C(0x1d1d1d1d1d1d1d1d)
#define NOTHING ((void *)(uintptr_t)0x7777) /* a pointer that no callback may use */
/*
 * Defines a function of QEMU's that is never called.  ABSENT(qemu_plugin_set_pc) becomes
 *     void qemu_plugin_set_pc(void);
 *     void qemu_plugin_set_pc(void) { abort(); }
 */
#define ABSENT(name) \
    void name(void); \
    void name(void) \
    { \
        abort(); \
    }

/* Plugins recognise the version by the functions that it added or removed. */
#if CURRENT == 1
ABSENT(qemu_plugin_register_vcpu_tb_exec_inline)
#endif
#if CURRENT >= 4
ABSENT(qemu_plugin_read_memory_vaddr)
#endif
#if CURRENT >= 5
ABSENT(qemu_plugin_write_register)
#endif
#if CURRENT >= 6
ABSENT(qemu_plugin_set_pc)
#endif
ABSENT(qemu_plugin_insn_data)
ABSENT(qemu_plugin_insn_haddr)
ABSENT(qemu_plugin_insn_size)
ABSENT(qemu_plugin_insn_vaddr)
ABSENT(qemu_plugin_mem_is_store)
ABSENT(qemu_plugin_mem_size_shift)
ABSENT(qemu_plugin_read_register)
ABSENT(qemu_plugin_register_vcpu_insn_exec_cb)
ABSENT(qemu_plugin_register_vcpu_mem_cb)
ABSENT(qemu_plugin_register_vcpu_tb_exec_cb)
ABSENT(qemu_plugin_tb_get_insn)
ABSENT(qemu_plugin_tb_vaddr)

static int block; /* a block without instructions */

size_t qemu_plugin_tb_n_insns(const void *tb);
size_t qemu_plugin_tb_n_insns(const void *tb)
{
    if (tb != &block) {
        printf("not a block\n");
        exit(1);
    }
    return 0;
}

#if CURRENT < 7
typedef void registration(uint64_t id, void *callback);
/*
 * Defines a function of QEMU's that registers a callback.  REGISTRATION(qemu_plugin_reset, was_reset) becomes
 *     registration qemu_plugin_reset;
 *     void qemu_plugin_reset(uint64_t id, void *callback) { was_reset = id == ID ? callback : NULL; }
 */
#define REGISTRATION(name, keep) \
    registration name; \
    void name(uint64_t id, void *callback) \
    { \
        keep = id == ID ? callback : NULL; \
    }
#define VCPU_INIT(cb) ((void (*)(uint64_t, unsigned))cb)(ID, 3)
#define TB_TRANS(cb) ((void (*)(uint64_t, void *))cb)(ID, &block)
#define SYSCALL(cb) \
    ((void (*)(uint64_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, \
               uint64_t))cb)(ID, 3, 64, 1, 2, 3, 4, 5, 6, 7, 8)
#define FLUSH(cb) ((void (*)(uint64_t))cb)(ID)
#define RESET(cb) ((void (*)(uint64_t))cb)(ID)
#define AT_EXIT(cb) ((void (*)(uint64_t, void *))cb)(ID, NOTHING)
#else
typedef void registration(uint64_t id, void *callback, void *userdata);
/* The same, with a third parameter that is not used: REGISTRATION(qemu_plugin_reset, was_reset) as above. */
#define REGISTRATION(name, keep) \
    registration name; \
    void name(uint64_t id, void *callback, void *userdata) \
    { \
        (void)userdata; \
        keep = id == ID ? callback : NULL; \
    }
#define VCPU_INIT(cb) ((void (*)(unsigned, void *))cb)(3, NOTHING)
#define TB_TRANS(cb) ((void (*)(void *, void *))cb)(&block, NOTHING)
#define SYSCALL(cb) \
    ((void (*)(unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, \
               void *))cb)(3, 64, 1, 2, 3, 4, 5, 6, 7, 8, NOTHING)
#define FLUSH(cb) ((void (*)(void *))cb)(NOTHING)
#define RESET(cb) ((void (*)(void *))cb)(NOTHING)
#define AT_EXIT(cb) ((void (*)(void *))cb)(NOTHING)
#endif

static void *vcpu_init, *tb_trans, *syscall_begins, *syscall_ends, *flush, *was_reset, *at_exit;
REGISTRATION(qemu_plugin_register_vcpu_init_cb, vcpu_init)
REGISTRATION(qemu_plugin_register_vcpu_tb_trans_cb, tb_trans)
REGISTRATION(qemu_plugin_register_vcpu_syscall_cb, syscall_begins)
REGISTRATION(qemu_plugin_register_vcpu_syscall_ret_cb, syscall_ends)
REGISTRATION(qemu_plugin_register_flush_cb, flush)
REGISTRATION(qemu_plugin_reset, was_reset)

void qemu_plugin_register_atexit_cb(uint64_t id, void *callback, void *userdata);
void qemu_plugin_register_atexit_cb(uint64_t id, void *callback, void *userdata)
{
    (void)userdata;
    at_exit = id == ID ? callback : NULL;
}

static void version(void)
{
    printf("qemu-aarch64 version " RELEASE "\n");
}

/* Loads and installs the plugin @path with @count arguments.  Returns 0 if that succeeds. */
static int load(const char *path, int count, char **arguments)
{
    struct {
        const char *target;
        int min, cur;
        bool system;
        int vcpus[2];
    } info = {"aarch64", OLDEST, CURRENT, false, {0, 0}};
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const int *declared = dlsym(plugin, "qemu_plugin_version");
    int (*install)(uint64_t, const void *, int, char **);
    *(void **)&install = dlsym(plugin, "qemu_plugin_install");
    if (declared == NULL || install == NULL || *declared < OLDEST || *declared > CURRENT) {
        fprintf(stderr, "emulator: the plugin declares version %d, and %d to %d are taken\n", declared ? *declared : 0,
                OLDEST, CURRENT);
        return 1;
    }
    return install(ID, &info, count, arguments);
}

/* Usage: emulator WORDS... -plugin FILE,ARGUMENT,ARGUMENT... WORDS... */
int main(int argc, char **argv)
{
    char *arguments[8];
    int count = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0) {
            version();
            return 0;
        }
        if (strcmp(argv[i - 1], "-plugin") == 0) {
            for (char *word = strtok(argv[i], ","); word != NULL && count < 8; word = strtok(NULL, ",")) {
                arguments[count++] = word;
            }
        }
    }
    if (count == 0 || load(arguments[0], count - 1, arguments + 1) != 0 || was_reset != NULL) {
        return 1;
    }
    VCPU_INIT(vcpu_init);
    TB_TRANS(tb_trans);
    SYSCALL(syscall_begins);
    FLUSH(flush);
    if (was_reset != NULL) {
        tb_trans = NULL;
        RESET(was_reset);
        TB_TRANS(tb_trans);
    }
    AT_EXIT(at_exit);
    return 0;
}
