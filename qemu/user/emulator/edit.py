#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""edit.py QEMU REPOSITORY: puts this folder into QEMU's source for the user emulators, and lets QEMU call it.

tools/qemu_source.py says what an edit is.  The edits fit QEMU 10.0 to 11.1.  Without a plugin that asks for it, nothing
of this changes what an emulator does.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../../../tools"))
import edges
from qemu_source import MARK, copy_changed, edit_source


def export_functions(q):
    """Exports to plugins the functions that emulator.h declares with QEMU_PLUGIN_API, as those of QEMU's interface."""
    q.edit("plugins/meson.build", r"^(  input: files\('\.\./include/qemu/qemu-plugin\.h')\),\n",
           r"\1, '../armpmu/emulator.h'),\n")
    path = "scripts/qemu-plugin-symbols.py"
    q.edit(path, r"^(    parser\.add_argument\('plugin_header', )", r"\1nargs='+', ")
    q.edit(path, r"^    syms = extract_symbols\(args\.plugin_header\)\n",
           "    syms = sorted(name for header in args.plugin_header for name in extract_symbols(header))\n")


def add_in_place(q):
    """Makes an inline add one operation, as long as the process has one thread (alone.c)."""
    q.edit("include/tcg/tcg-opc.h", r"^DEF\(mb, 0, 0, 1, TCG_OPF_NOT_PRESENT\)\n",
           rf"\g<0>DEF(armpmu_add, 0, 0, 2, TCG_OPF_NOT_PRESENT) {MARK}\n"
           rf"DEF(armpmu_check, 0, 1, 2, TCG_OPF_NOT_PRESENT) {MARK}\n")
    path = "tcg/tcg.c"
    q.edit(path, r"^int tcg_gen_code\(", '#include "armpmu/host_add.h"\n\n' r"\g<0>")
    q.edit(path, r"^        case INDEX_op_set_label:\n            tcg_reg_alloc_bb_end\(",
           rf"""        case INDEX_op_armpmu_add: {MARK}
            armpmu_out_add(s, op->args[0], op->args[1]);
            break;
        case INDEX_op_armpmu_check: {MARK}
            armpmu_out_check(s, op);
            break;
\g<0>""")
    path = "accel/tcg/plugin-gen.c"
    q.declare(path, '#include "armpmu/alone.h"\n')
    q.edit(path, r"^    if \(!tcg_cflags_has\(current_cpu, CF_PARALLEL\)\) \{\n",
           f"    if (armpmu_is_alone() || !tcg_cflags_has(current_cpu, CF_PARALLEL)) {{ {MARK}\n")
    q.edit(path, r"^(static void gen_inline_add_u64_cb\(struct qemu_plugin_inline_cb \*cb\)\n\{\n)",
           rf"""\1    if (armpmu_emit_add(cb->entry, cb->imm)) {{ {MARK}
        return;
    }}
""")
    # A thread is made in one place, where QEMU discards code if it was not translated for more than one.
    path = "linux-user/syscall.c"
    q.declare(path, '#include "armpmu/alone.h"\n')
    q.edit(path, r"^( +)(/\* we create a new CPU instance\. \*/\n +new_env = cpu_copy\(env\);\n)",
           rf"\1armpmu_thread_begins(cpu); {MARK}\n\1\2")


def keep_core_in_register(q):
    """Keeps the address of the modelled core, if there is one, in a register of the host (host_core.h)."""
    path = q.first_of("tcg/i386/tcg-target.c.inc", "tcg/x86_64/tcg-target.c.inc")
    q.edit(path, r"^( +)tcg_out_mov\(s, TCG_TYPE_PTR, TCG_AREG0, tcg_target_call_iarg_regs\[0\]\);\n",
           rf"\g<0>\1armpmu_out_prologue(s); {MARK}\n")
    q.edit(path, r"^static void tcg_target_qemu_prologue\(",
           r"static void armpmu_out_prologue(TCGContext *s);\n\n\g<0>")


def take_back_counts(q):
    """Notes with each block which accesses it counts, and takes back those that it leaves out (core_code.c)."""
    q.edit("include/exec/translation-block.h", r"^    uint16_t icount;\n",
           rf"\g<0>    uint32_t armpmu_accesses; {MARK}\n")
    path = "accel/tcg/translate-all.c"
    q.edit(path, r'^#include "tcg/tcg\.h"\n', r'\g<0>#include "armpmu/core_code.h"' "\n")
    q.edit(path, r"^    cpu->cc->tcg_ops->restore_state_to_opc\(cpu, tb, data\);\n",
           rf"\g<0>    armpmu_core_leave_early(cpu, tb, insns_left); {MARK}\n")


def answer_for_core(q):
    """Lets code answer for a modelled core where its short cut does (core_code.c, host_core.h)."""
    path = "accel/tcg/plugin-gen.c"
    q.edit(path, r'^#include "qemu/plugin\.h"\n', r'\g<0>#include "armpmu/core_code.h"' "\n")
    q.edit(path, r"^    tcg_temp_ebb_reset_freed\(tcg_ctx\);\n", rf"\g<0>    armpmu_core_begin_block(); {MARK}\n")
    q.edit(path, r"^(static void gen_udata_cb\(struct qemu_plugin_regular_cb \*cb\)\n\{\n)",
           rf"""\1    if (armpmu_core_emit_enter(cb)) {{ {MARK}
        return;
    }}
""")
    q.edit(path, r"^( +)(gen_mem_cb\(&cb->regular, meminfo, addr\);\n)",
           rf"""\1if (!armpmu_core_emit_access(&cb->regular, tcg_ctx->emit_before_op, addr)) {{ {MARK}
\1    \2\1}}
""")
    path = "tcg/tcg.c"
    q.edit(path, r"^static TCGReg tcg_reg_alloc_pair\(", r'#include "armpmu/host_core.h"' "\n\n" r"\g<0>")
    q.edit(path, r"^        case INDEX_op_armpmu_add: .*\n",
           rf"""        case INDEX_op_plugin_mem_cb: {MARK}
            armpmu_out_access(s, op);
            break;
\g<0>            if (op->args[1] == ARMPMU_CORE_ENTER) {{
                armpmu_out_enter(s, op->args[0]);
                break;
            }}
            if (op->args[1] == ARMPMU_CORE_COUNT) {{
                armpmu_out_count(s, (const struct armpmu_core_counts *)(uintptr_t)op->args[0]);
                break;
            }}
""")
    q.edit(path, r"^    QSIMPLEQ_INIT\(&s->ldst_labels\);\n", rf"\g<0>    armpmu_begin_calls(); {MARK}\n")
    q.edit(path, r"^    i = tcg_out_ldst_finalize\(s\);\n",
           rf"""    if (!armpmu_out_calls(s)) {{ {MARK}
        return -1;
    }}
\g<0>""")


def report_ranges(q):
    """Reports to plugins what QEMU accesses in functions of its own: DC ZVA, and memory copies and sets in pieces of at
    most 64 bytes, which end at multiples of 64."""
    path = "target/arm/tcg/helper-a64.c"
    q.edit(path, r"^void HELPER\(dc_zva\)\(", rf"""{MARK}
#include "qemu/plugin.h"

static void armpmu_own_range(CPUARMState *env, uint64_t address, uint64_t size, enum qemu_plugin_mem_rw rw)
{{
    const uint64_t end = address + size;

    for (uint64_t next; address < end; address = next) {{
        next = MIN(end, (address | 63) + 1);
        qemu_plugin_vcpu_mem_cb(env_cpu(env), address, 0, 0, make_memop_idx(31 - clz32(next - address), 0), rw);
    }}
}}

\g<0>""")
    done = r"\n    clear_helper_retaddr\(\);\n"
    q.edit(path, r"^    memset\(mem, 0, blocklen\);" + done,
           rf"\g<0>    armpmu_own_range(env, vaddr, blocklen, QEMU_PLUGIN_MEM_W); {MARK}\n")
    q.edit(path, r"^    memset\(mem, data, setsize\);" + done,
           rf"\g<0>    armpmu_own_range(env, useronly_clean_ptr(toaddr), setsize, QEMU_PLUGIN_MEM_W); {MARK}\n",
           times=2)
    q.edit(path, r"^    memmove\(wmem, rmem, copysize\);" + done,
           rf"""\g<0>    armpmu_own_range(env, fromaddr, copysize, QEMU_PLUGIN_MEM_R); {MARK}
    armpmu_own_range(env, toaddr, copysize, QEMU_PLUGIN_MEM_W);
""")
    q.edit(path, r"^    memmove\(wmem - \(copysize - 1\), rmem - \(copysize - 1\), copysize\);" + done,
           rf"""\g<0>    armpmu_own_range(env, fromaddr - (copysize - 1), copysize, QEMU_PLUGIN_MEM_R); {MARK}
    armpmu_own_range(env, toaddr - (copysize - 1), copysize, QEMU_PLUGIN_MEM_W);
""")


def report_elements(q):
    """Reports to plugins each element of gathers, of scatters and of SME.  Without this QEMU ends at an access of SME
    while a plugin looks at accesses."""
    # QEMU 10.0 has a flag of its own for accesses that plugins look at; later ones take that of MMIO.
    path = "target/arm/tcg/sve_helper.c"
    q.edit(path, r'^#include "sve_ldst_internal\.h"\n', rf"""\g<0>
{MARK}
#ifndef TLB_FORCE_SLOW
#define TLB_FORCE_SLOW TLB_MMIO
#endif
""")
    q.edit(path, r"^( +if \(unlikely\(info\.flags & )TLB_MMIO(\)\) \{\n +tlb_fn\(env, &scratch, )",
           r"\1(TLB_MMIO | TLB_FORCE_SLOW)\2")
    q.edit(path, r"^( +if \(!\(info\.flags & )TLB_MMIO(\)\) \{\n +host\[i\] = info\.host;\n)",
           r"\1(TLB_MMIO | TLB_FORCE_SLOW)\2")
    path = "target/arm/tcg/sme_helper.c"
    q.edit(path, r'^#include "sve_ldst_internal\.h"\n', rf"""\g<0>
{MARK}
#include "qemu/plugin.h"

static void armpmu_elements(const SVEContLdSt *info, CPUARMState *env, const uint64_t *vg, target_ulong addr,
                            int esize, int what)
{{
    const intptr_t last = MAX(MAX(info->reg_off_last[0], info->reg_off_last[1]), info->reg_off_split);
    uint64_t at = useronly_clean_ptr(addr) + info->mem_off_first[0];

    for (intptr_t i = info->reg_off_first[0]; i <= last; i += esize, at += esize) {{
        if ((vg[i >> 6] >> (i & 63) & 1) != 0) {{
            qemu_plugin_vcpu_mem_cb(env_cpu(env), at, 0, 0, make_memop_idx(ctz32(esize), 0),
                                    what == BP_MEM_READ ? QEMU_PLUGIN_MEM_R : QEMU_PLUGIN_MEM_W);
        }}
    }}
}}
""")
    q.edit(path, r"^(    sve_cont_ldst_watchpoints\(&info, env, vg, addr, esize, esize,\n"
           r" +(BP_MEM_(?:READ|WRITE)), ra\);\n(?:.|\n)*?)"
           r"^    flags = info\.page\[0\]\.flags \| info\.page\[1\]\.flags;\n",
           rf"""\1    armpmu_elements(&info, env, vg, addr, esize, \2); {MARK}
    flags = 0; /* there are others only while a plugin looks at accesses */
""", times=2)


def add_sources(q):
    """Copies this folder into QEMU's tree as armpmu/, and adds its C files to the build."""
    folder = os.path.join(q.repository, "qemu/user/emulator")
    listed = "".join(f", '../armpmu/{name}'" for name in sorted(os.listdir(folder)) if name.endswith(".c"))
    q.edit("plugins/meson.build", r"^user_ss\.add\(files\('user\.c', 'api-user\.c'", r"\g<0>" + listed)
    copy_changed(folder, os.path.join(q.root, "armpmu"))


if __name__ == "__main__":
    edit_source(export_functions, add_in_place, edges.omit_values, edges.count_outcomes,
                edges.look_up_pages_if_guarded, answer_for_core, keep_core_in_register, take_back_counts,
                report_ranges, report_elements, add_sources)
