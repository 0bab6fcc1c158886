/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this plugin uses of QEMU's plugin interface, which no distribution packages: version 1 (QEMU 4.2 to 8.2), and
 * versions from 3 on (QEMU 9.1 and later).  What only some versions have is a weak reference, so one plugin serves all.
 */
#ifndef ARMPMU_QEMU_PLUGIN_V1_H
#define ARMPMU_QEMU_PLUGIN_V1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct qemu_info_t {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus, max_vcpus;
        } system;
    };
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *userdata);
typedef void (*qemu_plugin_vcpu_simple_cb_t)(qemu_plugin_id_t id, unsigned int vcpu);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *userdata);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                          void *userdata);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned int vcpu, int64_t num, uint64_t a1,
                                              uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
                                              uint64_t a7, uint64_t a8);

QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *userdata);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
                                          enum qemu_plugin_cb_flags flags, void *userdata);
/* Until version 1: adds to any memory.  From 3 on: to the vCPU's element of a scoreboard, @offset bytes after its begin. */
#pragma weak qemu_plugin_register_vcpu_tb_exec_inline
#pragma weak qemu_plugin_register_vcpu_insn_exec_inline
#pragma weak qemu_plugin_register_vcpu_mem_inline
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op, void *ptr,
                                              uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_udata_cb_t cb,
                                            enum qemu_plugin_cb_flags flags, void *userdata);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_op op, void *ptr,
                                                uint64_t imm);
struct qemu_plugin_scoreboard;
typedef struct {
    struct qemu_plugin_scoreboard *score;
    size_t offset;
} qemu_plugin_u64;
#pragma weak qemu_plugin_scoreboard_new
#pragma weak qemu_plugin_scoreboard_find
#pragma weak qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu
#pragma weak qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
                                                       qemu_plugin_u64 to, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
                                                         qemu_plugin_u64 to, uint64_t imm);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *userdata);
void qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, enum qemu_plugin_mem_rw rw,
                                          enum qemu_plugin_op op, void *ptr, uint64_t imm);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);

/* One name, two functions: until version 2 a pointer to the bytes, from 3 on a copy of them. */
const void *qemu_plugin_insn_data_v1(const struct qemu_plugin_insn *insn) __asm__("qemu_plugin_insn_data");
size_t qemu_plugin_insn_data_v3(const struct qemu_plugin_insn *insn, void *to, size_t size)
    __asm__("qemu_plugin_insn_data");

/* From version 4 on. */
#pragma weak qemu_plugin_read_memory_vaddr
void qemu_plugin_read_memory_vaddr(void);

/* From version 3 on: registers.  Values come in arrays of GLib's, which the emulator has. */
struct qemu_plugin_register;
typedef struct {
    struct qemu_plugin_register *handle;
    const char *name, *feature;
} qemu_plugin_reg_descriptor;
typedef struct {
    char *data;
    unsigned int len;
} GArray;
typedef struct {
    uint8_t *data;
    unsigned int len;
} GByteArray;
#pragma weak qemu_plugin_get_registers
#pragma weak qemu_plugin_read_register
#pragma weak g_byte_array_new
#pragma weak g_byte_array_set_size
#pragma weak g_array_free
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *buf);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int length);
char *g_array_free(GArray *array, int free_segment);

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

/* The interface of the emulator that loaded the plugin. */
static inline int qemu_plugin_interface(void)
{
    return qemu_plugin_register_vcpu_tb_exec_inline != NULL ? 1 : qemu_plugin_read_memory_vaddr != NULL ? 4 : 3;
}

/* Once in a plugin: before QEMU asks which version it was built for, it is the one that this QEMU has. */
#define QEMU_PLUGIN_ANY_VERSION \
    QEMU_PLUGIN_EXPORT int qemu_plugin_version; \
    __attribute__((constructor)) static void choose_version(void) \
    { \
        qemu_plugin_version = qemu_plugin_interface(); \
    }

/* The first @size bytes of the instruction, at most as many as it has. */
static inline void qemu_plugin_insn_bytes(const struct qemu_plugin_insn *insn, void *to, size_t size)
{
    if (qemu_plugin_interface() == 1)
        __builtin_memcpy(to, qemu_plugin_insn_data_v1(insn), size);
    else
        qemu_plugin_insn_data_v3(insn, to, size);
}

/* The instruction, or 0 if it has not four bytes. */
static inline uint32_t qemu_plugin_insn_word(const struct qemu_plugin_insn *insn)
{
    uint32_t word = 0;

    if (qemu_plugin_insn_size(insn) == sizeof word)
        qemu_plugin_insn_bytes(insn, &word, sizeof word);
    return word;
}

#endif
