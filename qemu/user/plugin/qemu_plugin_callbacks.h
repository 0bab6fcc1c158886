/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out the version of the plugin interface, and registers a plugin's callbacks in the shape of that version.  The
 * file of a plugin that defines qemu_plugin_install() includes this.
 *
 * Until version 6 QEMU passes the plugin's id first; from 7 on it passes no id, but a pointer last.  A plugin needs
 * neither, so its handlers take neither: each adapter below drops them and calls the handler.
 */
#ifndef ARMPMU_QEMU_PLUGIN_CALLBACKS_H
#define ARMPMU_QEMU_PLUGIN_CALLBACKS_H

#include "qemu_plugin.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

#define QEMU_PLUGIN_NEWEST 7 /* the newest version whose shapes are known here */

int qemu_plugin_version;

/* Functions by which a version is recognised.  The comment says which version added them. */
#pragma weak qemu_plugin_read_memory_vaddr
#pragma weak qemu_plugin_write_register
#pragma weak qemu_plugin_set_pc
void qemu_plugin_read_memory_vaddr(void); /* 4 */
void qemu_plugin_write_register(void);    /* 5 */
void qemu_plugin_set_pc(void);            /* 6 */

/*
 * Finds what QEMU prints for --version in the @size bytes at @text, and fills @release: major, minor, patch level.
 * Returns false if it is not there.
 */
static inline bool qemu_plugin_find_release(const char *text, size_t size, unsigned int release[3])
{
    static const char word[] = " version ";
    const char *at = text, *end = text + size;

    while ((at = memmem(at, (size_t)(end - at), word, sizeof word - 1)) != NULL) {
        const char *line = at;
        while (line > text && line[-1] != '\0') {
            line--;
        }
        at += sizeof word - 1;
        if ((strncmp(line, "qemu-", 5) == 0 || strncmp(line, "QEMU emulator", 13) == 0) &&
            memchr(at, '\0', (size_t)(end - at)) != NULL &&
            sscanf(at, "%3u.%3u.%3u", &release[0], &release[1], &release[2]) == 3) {
            return true;
        }
    }
    return false;
}

/* Looks for the release in what the emulator, the first object in the list, maps of its file read-only. */
static inline int qemu_plugin_look_at_emulator(struct dl_phdr_info *info, size_t size, void *release)
{
    (void)size;
    for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) &&
            qemu_plugin_find_release((const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr), p->p_filesz, release)) {
            break;
        }
    }
    return 1;
}

/*
 * Version 7 added no function, so it is told from 6 by QEMU's release: 11.1, or a development version on the way there.
 * A release that cannot be found is taken for a new one.  An error here does no harm, since QEMU refuses a plugin that
 * declares 6 where it has 7, and one that declares 7 where it has 6.
 */
static inline bool qemu_plugin_is_v7(void)
{
    unsigned int release[3] = {UINT32_MAX, 0, 0};

    dl_iterate_phdr(qemu_plugin_look_at_emulator, release);
    return release[0] > 11 || (release[0] == 11 && (release[1] > 0 || release[2] >= 50));
}

__attribute__((constructor)) static void qemu_plugin_choose_version(void)
{
    qemu_plugin_version = qemu_plugin_register_vcpu_tb_exec_inline != NULL ? 1
                          : qemu_plugin_read_memory_vaddr == NULL          ? 3
                          : qemu_plugin_write_register == NULL             ? 4
                          : qemu_plugin_set_pc == NULL                     ? 5
                          : qemu_plugin_is_v7()                            ? 7
                                                                           : 6;
}

/*
 * Returns true if the shapes of the emulator's interface are known here.  QEMU may take a plugin of an earlier version
 * and yet call it in its own shapes.  So a later version is not known, nor is a development version that was taken for
 * another one.
 */
static inline bool qemu_plugin_is_known(const qemu_info_t *info)
{
    return info->version.cur == qemu_plugin_version;
}

/* The functions of a plugin that are called at each event.  NULL: the plugin does not use that event. */
struct qemu_plugin_handlers {
    void (*vcpu_init)(unsigned int vcpu);
    void (*tb_trans)(struct qemu_plugin_tb *tb);
    void (*syscall)(unsigned int vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5);
    void (*syscall_ret)(unsigned int vcpu, int64_t num, int64_t ret); /* registered by itself, where it is needed */
    void (*flush)(void); /* all translated code is thrown away */
    void (*at_exit)(void);
    void (*was_reset)(void); /* after qemu_plugin_drop_all() */
};
static struct qemu_plugin_handlers qemu_plugin_handlers;

static inline void qemu_plugin_vcpu_init_v1(qemu_plugin_id_t id, unsigned int vcpu)
{
    (void)id;
    qemu_plugin_handlers.vcpu_init(vcpu);
}

static inline void qemu_plugin_vcpu_init_v7(unsigned int vcpu, void *userdata)
{
    (void)userdata;
    qemu_plugin_handlers.vcpu_init(vcpu);
}

static inline void qemu_plugin_tb_trans_v1(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    (void)id;
    qemu_plugin_handlers.tb_trans(tb);
}

static inline void qemu_plugin_tb_trans_v7(struct qemu_plugin_tb *tb, void *userdata)
{
    (void)userdata;
    qemu_plugin_handlers.tb_trans(tb);
}

static inline void qemu_plugin_syscall_v1(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, uint64_t a1, uint64_t a2,
                                          uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
    (void)id, (void)a6, (void)a7, (void)a8;
    qemu_plugin_handlers.syscall(vcpu, num, a1, a2, a3, a4, a5);
}

static inline void qemu_plugin_syscall_v7(unsigned int vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3,
                                          uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8,
                                          void *userdata)
{
    (void)a6, (void)a7, (void)a8, (void)userdata;
    qemu_plugin_handlers.syscall(vcpu, num, a1, a2, a3, a4, a5);
}

static inline void qemu_plugin_syscall_ret_v1(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, int64_t ret)
{
    (void)id;
    qemu_plugin_handlers.syscall_ret(vcpu, num, ret);
}

static inline void qemu_plugin_syscall_ret_v7(unsigned int vcpu, int64_t num, int64_t ret, void *userdata)
{
    (void)userdata;
    qemu_plugin_handlers.syscall_ret(vcpu, num, ret);
}

static inline void qemu_plugin_flush_v1(qemu_plugin_id_t id)
{
    (void)id;
    qemu_plugin_handlers.flush();
}

static inline void qemu_plugin_flush_v7(void *userdata)
{
    (void)userdata;
    qemu_plugin_handlers.flush();
}

static inline void qemu_plugin_at_exit_v1(qemu_plugin_id_t id, void *userdata)
{
    (void)id, (void)userdata;
    qemu_plugin_handlers.at_exit();
}

static inline void qemu_plugin_at_exit_v7(void *userdata)
{
    (void)userdata;
    qemu_plugin_handlers.at_exit();
}

static inline void qemu_plugin_was_reset_v1(qemu_plugin_id_t id)
{
    (void)id;
    qemu_plugin_handlers.was_reset();
}

static inline void qemu_plugin_was_reset_v7(void *userdata)
{
    (void)userdata;
    qemu_plugin_handlers.was_reset();
}

/*
 * Declares QEMU's function @name in its two shapes, and defines @function, which passes it the adapter of @event.  For
 * qemu_plugin_reset, was_reset and qemu_plugin_drop_all this becomes:
 *
 *     void qemu_plugin_reset_v1(qemu_plugin_id_t id, ... *cb) __asm__("qemu_plugin_reset");
 *     void qemu_plugin_reset_v7(qemu_plugin_id_t id, ... *cb, void *userdata) __asm__("qemu_plugin_reset");
 *     static inline void qemu_plugin_drop_all(qemu_plugin_id_t id)
 *     {
 *         calls qemu_plugin_reset_v1(id, qemu_plugin_was_reset_v1) before version 7;
 *         calls qemu_plugin_reset_v7(id, qemu_plugin_was_reset_v7, NULL) from it on
 *     }
 */
#define QEMU_PLUGIN_TWO_SHAPES(name, event, function) \
    void name##_v1(qemu_plugin_id_t id, __typeof__(qemu_plugin_##event##_v1) *cb) __asm__(#name); \
    void name##_v7(qemu_plugin_id_t id, __typeof__(qemu_plugin_##event##_v7) *cb, void *userdata) __asm__(#name); \
    static inline void function(qemu_plugin_id_t id) \
    { \
        if (qemu_plugin_version < 7) { \
            name##_v1(id, qemu_plugin_##event##_v1); \
        } else { \
            name##_v7(id, qemu_plugin_##event##_v7, NULL); \
        } \
    }
QEMU_PLUGIN_TWO_SHAPES(qemu_plugin_register_vcpu_init_cb, vcpu_init, qemu_plugin_register_vcpu_init)
QEMU_PLUGIN_TWO_SHAPES(qemu_plugin_register_vcpu_tb_trans_cb, tb_trans, qemu_plugin_register_tb_trans)
QEMU_PLUGIN_TWO_SHAPES(qemu_plugin_register_vcpu_syscall_cb, syscall, qemu_plugin_register_syscall)
QEMU_PLUGIN_TWO_SHAPES(qemu_plugin_register_vcpu_syscall_ret_cb, syscall_ret, qemu_plugin_register_syscall_ret)
QEMU_PLUGIN_TWO_SHAPES(qemu_plugin_register_flush_cb, flush, qemu_plugin_register_flush)
/* Has QEMU drop all translated code and all callbacks; then calls the handler was_reset. */
QEMU_PLUGIN_TWO_SHAPES(qemu_plugin_reset, was_reset, qemu_plugin_drop_all)

/* Declares the one function that takes a pointer in every version. */
void qemu_plugin_register_atexit_cb_v1(qemu_plugin_id_t id, __typeof__(qemu_plugin_at_exit_v1) *cb, void *userdata)
    __asm__("qemu_plugin_register_atexit_cb");
void qemu_plugin_register_atexit_cb_v7(qemu_plugin_id_t id, __typeof__(qemu_plugin_at_exit_v7) *cb, void *userdata)
    __asm__("qemu_plugin_register_atexit_cb");
static inline void qemu_plugin_register_at_exit(qemu_plugin_id_t id)
{
    if (qemu_plugin_version < 7) {
        qemu_plugin_register_atexit_cb_v1(id, qemu_plugin_at_exit_v1, NULL);
    } else {
        qemu_plugin_register_atexit_cb_v7(id, qemu_plugin_at_exit_v7, NULL);
    }
}

/* Registers @handlers: at the start, and again after a reset. */
static inline void qemu_plugin_register(qemu_plugin_id_t id, const struct qemu_plugin_handlers *handlers)
{
    qemu_plugin_handlers = *handlers;
    if (handlers->vcpu_init != NULL) {
        qemu_plugin_register_vcpu_init(id);
    }
    if (handlers->tb_trans != NULL) {
        qemu_plugin_register_tb_trans(id);
    }
    if (handlers->syscall != NULL) {
        qemu_plugin_register_syscall(id);
    }
    if (handlers->flush != NULL) {
        qemu_plugin_register_flush(id);
    }
    if (handlers->at_exit != NULL) {
        qemu_plugin_register_at_exit(id);
    }
}

#endif
