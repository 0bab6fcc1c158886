/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declares what this plugin uses of QEMU's plugin interface, whose header no distribution packages: version 1 (QEMU 4.2
 * to 8.2), 3 (9.1), 4 (9.2, 10.0), 5 (10.1, 10.2), 6 (11.0) and 7 (11.1).
 *
 * One plugin serves all of them.  A function that only some versions have is a weak reference.  A function that has
 * another shape in some versions is declared once for each shape, under a name that ends in the first version of that
 * shape.  qemu_plugin_callbacks.h registers callbacks, which version 7 calls in another shape.
 */
#ifndef ARMPMU_QEMU_PLUGIN_H
#define ARMPMU_QEMU_PLUGIN_H

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

typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *userdata);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                          void *userdata);

/*
 * The version of the emulator's interface.  A constructor sets it, because QEMU reads it before qemu_plugin_install().
 */
QEMU_PLUGIN_EXPORT extern int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
                                          enum qemu_plugin_cb_flags flags, void *userdata);
/*
 * Functions that add inline: in version 1 to any memory, from 3 on to the vCPU's element of a scoreboard, offset bytes
 * into it.
 */
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

/* The name has two shapes: until version 2 the function returns a pointer to the bytes, from 3 on it copies them. */
const void *qemu_plugin_insn_data_v1(const struct qemu_plugin_insn *insn) __asm__("qemu_plugin_insn_data");
size_t qemu_plugin_insn_data_v3(const struct qemu_plugin_insn *insn, void *to, size_t size)
    __asm__("qemu_plugin_insn_data");

/*
 * From version 3 on there are functions for registers.  Values come in arrays of GLib, which the emulator has.  From 6
 * on a descriptor has one more member than the three below, so the array says how far apart descriptors are.
 */
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
#pragma weak g_byte_array_new
#pragma weak g_byte_array_set_size
#pragma weak g_array_free
#pragma weak g_array_get_element_size
GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register_v3(struct qemu_plugin_register *handle, GByteArray *to)
    __asm__("qemu_plugin_read_register") __attribute__((weak));
bool qemu_plugin_read_register_v6(struct qemu_plugin_register *handle, GByteArray *to)
    __asm__("qemu_plugin_read_register") __attribute__((weak));
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int length);
char *g_array_free(GArray *array, int free_segment);
unsigned int g_array_get_element_size(GArray *array);

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

/* Returns descriptor @index of @registers. */
static inline const qemu_plugin_reg_descriptor *qemu_plugin_reg_at(GArray *registers, unsigned int index)
{
    return (const void *)(registers->data + (size_t)index * g_array_get_element_size(registers));
}

/* Appends the value of the register @handle to @to.  Returns false if it cannot be read. */
static inline bool qemu_plugin_reg_read(struct qemu_plugin_register *handle, GByteArray *to)
{
    return qemu_plugin_version < 6 ? qemu_plugin_read_register_v3(handle, to) > 0
                                   : qemu_plugin_read_register_v6(handle, to);
}

/* Copies the first @size bytes of the instruction, which has at least as many. */
static inline void qemu_plugin_insn_bytes(const struct qemu_plugin_insn *insn, void *to, size_t size)
{
    if (qemu_plugin_version == 1) {
        __builtin_memcpy(to, qemu_plugin_insn_data_v1(insn), size);
    } else {
        qemu_plugin_insn_data_v3(insn, to, size);
    }
}

/* Returns the instruction, or 0 if it does not have four bytes. */
static inline uint32_t qemu_plugin_insn_word(const struct qemu_plugin_insn *insn)
{
    uint32_t word = 0;

    if (qemu_plugin_insn_size(insn) == sizeof word) {
        qemu_plugin_insn_bytes(insn, &word, sizeof word);
    }
    return word;
}

/* What the emulator that make qemu-user builds has in addition. */
#define QEMU_PLUGIN_API __attribute__((weak))
#include "../emulator/emulator.h"

#endif
