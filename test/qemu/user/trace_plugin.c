/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for test_record_core.sh: it writes to the file out=FILE what a program with one thread does, a line each:
 *
 *   i PC WORD       an instruction begins
 *   l ADDRESS SIZE  it loads; s: it stores
 */
#define _GNU_SOURCE
#include "../../../qemu/user/plugin/qemu_plugin_callbacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;

/* An instruction in the program's code. */
struct traced_insn {
    uint64_t pc;
    uint32_t word;
};

static void executed(unsigned vcpu, void *userdata)
{
    const struct traced_insn *insn = userdata;

    (void)vcpu;
    fprintf(out, "i %llx %08x\n", (unsigned long long)insn->pc, (unsigned)insn->word);
}

static void accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *userdata)
{
    (void)vcpu;
    (void)userdata;
    fprintf(out, "%c %llx %u\n", qemu_plugin_mem_is_store(info) ? 's' : 'l', (unsigned long long)vaddr,
            1u << qemu_plugin_mem_size_shift(info));
}

static void translated(struct qemu_plugin_tb *tb)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        struct traced_insn *t = malloc(sizeof *t); /* never freed: QEMU frees translated code without telling */

        if (t == NULL) {
            abort();
        }
        *t = (struct traced_insn){qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_word(insn)};
        qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS, t);
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
    }
}

static void at_exit(void)
{
    fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    static const struct qemu_plugin_handlers handlers = {.tb_trans = translated, .at_exit = at_exit};

    if (!qemu_plugin_is_known(info) || argc < 1 || strncmp(argv[0], "out=", 4) != 0) {
        return 1;
    }
    out = fopen(argv[0] + 4, "we");
    if (out == NULL) {
        return 1;
    }
    qemu_plugin_register(id, &handlers);
    return 0;
}
