/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the program's stack pointer and link register at the entry of a block.
 *
 * Translated code keeps the address of the CPU's state in a register of the host, which landing.c passes on.  That
 * state begins in the same way in every release.  Interface 1 cannot read registers otherwise; from 3 on the first
 * landing compares both ways, and where they differ registers are read by QEMU's functions, which takes longer.
 */
#include "stack.h"

#include <string.h>

bool registers_trusted;

static struct qemu_plugin_register *sp_handle, *lr_handle; /* the same for every vCPU */
static __thread GByteArray *value;

void registers_find(void)
{
    if (sp_handle != NULL || qemu_plugin_version < 3) {
        return;
    }
    GArray *list = qemu_plugin_get_registers();
    for (unsigned i = 0; i < list->len; i++) {
        const qemu_plugin_reg_descriptor *d = qemu_plugin_reg_at(list, i);
        if (strcmp(d->name, "sp") == 0) {
            sp_handle = d->handle;
        } else if (strcmp(d->name, "x30") == 0 || strcmp(d->name, "lr") == 0) {
            lr_handle = d->handle;
        }
    }
    g_array_free(list, 1);
}

/* Reads the register @handle by QEMU's function. */
static bool ask(struct qemu_plugin_register *handle, uint64_t *to)
{
    if (handle == NULL) {
        return false;
    }
    if (value == NULL) {
        value = g_byte_array_new();
    }
    g_byte_array_set_size(value, 0);
    if (!qemu_plugin_reg_read(handle, value) || value->len > sizeof *to) {
        return false;
    }
    *to = 0;
    memcpy(to, value->data, value->len);
    return true;
}

/* Returns whether the CPU state is where it is expected: it has the values that QEMU gives, or, without these, @pc. */
static bool is_state(const struct cpu_state *state, bool asked, uint64_t pc, uint64_t sp, uint64_t lr)
{
    struct cpu_state copy;

    if (state == NULL || !guest_read_host((uintptr_t)state, &copy, sizeof copy)) {
        return false;
    }
    if (!asked) {
        return copy.pc == pc && copy.xregs[31] % 16 == 0 && copy.xregs[31] != 0;
    }
    return plugin.kind == APMU_PROGRAM_AARCH64 ? copy.xregs[31] == sp && copy.xregs[30] == lr
                                               : copy.regs[13] == sp && copy.regs[14] == lr;
}

bool registers_ask(const struct cpu_state *state, uint64_t pc, uint64_t *sp, uint64_t *lr)
{
    static bool tried;
    const bool asked = ask(sp_handle, sp) && ask(lr_handle, lr);

    if (!tried) {
        tried = true;
        registers_trusted = is_state(state, asked, pc, *sp, *lr);
    }
    if (registers_trusted) {
        return registers_read(state, pc, sp, lr);
    }
    if (!asked) {
        nodes_note(APMU_GRAPH_NO_REGISTERS);
    }
    return asked;
}
