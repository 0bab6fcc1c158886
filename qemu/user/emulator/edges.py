# SPDX-License-Identifier: GPL-2.0-or-later
"""The edits with which translated code counts outcomes, and those that make all code of the user emulators quicker."""
from qemu_source import MARK


def omit_values(q):
    """Stores the values of accesses only for plugins that may ask for them (values.c)."""
    path = "tcg/tcg-op-ldst.c"
    q.declare(path, '#include "armpmu/values.h"\n')
    q.edit(path, r"^        (tcg_gen_st_i(?:32|64)\((?:val|TCGV128_(?:LOW|HIGH)\(val\)), tcg_env,\n"
           r" +offsetof\(CPUState, neg\.plugin_mem_value_(?:low|high)\))",
           rf"        if (armpmu_stores_values()) {MARK}" "\n" r"            \1", times=4)


def count_outcomes(q):
    """Marks the two outcomes of each instruction with a condition, and inserts adds there and after accesses
    (edges.c)."""
    path = "include/qemu/plugin.h"
    q.edit(path, r'^#include "exec/memopidx\.h"\n', r'\g<0>#include "armpmu/insn.h" ' f"{MARK}\n")
    q.edit(path, r"^(    /\* if set, the instruction calls helpers that might access guest memory \*/\n"
           r"    bool mem_helper;\n)\};\n", rf"\1    struct armpmu_insn armpmu; {MARK}\n}};\n")
    path = "accel/tcg/plugin-gen.c"
    q.edit(path, r"^    PLUGIN_GEN_AFTER_TB,\n\};\n",
           f"    PLUGIN_GEN_AFTER_TB,\n    ARMPMU_GEN_FAILED = ARMPMU_FROM_EDGE, {MARK}\n    ARMPMU_GEN_PASSED,\n}};\n")
    q.edit(path, r"^static void inject_cb\(struct qemu_plugin_dyn_cb \*cb\)\n",
           f'#include "armpmu/inject.h" {MARK}\n\n' r"\g<0>")
    q.edit(path, r"^            case PLUGIN_GEN_FROM_INSN:\n                assert\(insn != NULL\);\n",
           rf"""            case ARMPMU_GEN_FAILED: {MARK}
            case ARMPMU_GEN_PASSED:
                armpmu_inject_edge(insn, from == ARMPMU_GEN_PASSED);
                break;

\g<0>""")
    q.edit(path, r"^            cbs = insn->mem_cbs;\n", rf"            armpmu_inject_check(insn, addr); {MARK}\n\g<0>")
    q.edit(path, r"^    insn->mem_helper = false;\n",
           rf"\g<0>    insn->armpmu = (struct armpmu_insn){{.edges = 0}}; {MARK}\n")

    path = "target/arm/tcg/translate-a64.c"
    q.declare(path, "void armpmu_mark_edge(bool passed);\n")
    q.edit(path, r"^( +)(gen_goto_tb\(s, 0, 4\);\n +set_disas_label\(s, match\);\n)"
           r"( +gen_goto_tb\(s, 1, a->imm9?\);\n)",
           rf"\1armpmu_mark_edge(false); {MARK}\n\1\2\1armpmu_mark_edge(true); {MARK}\n\3",
           times=q.since({"10.0": 3, "11.1": 5}))  # from 11.1 on CB<cc> too, by a register and by a number
    path = "target/arm/tcg/translate.c"
    q.declare(path, "void armpmu_mark_edge(bool passed);\n")
    # Code after a test of the condition is reached if the condition passed; code after the label, if it failed.
    q.edit(path, r"^(    arm_gen_test_cc\(cond \^ 1, s->condlabel\.label\);\n|"
           r"    tcg_gen_brcondi_i32\(a->nz \? TCG_COND_EQ : TCG_COND_NE,\n +tmp, 0, s->condlabel\.label\);\n)",
           rf"\1    armpmu_mark_edge(true); {MARK}\n", times=2)
    q.edit(path, r"^( +)(set_disas_label\(dc, dc->condlabel\);\n)", rf"\1\2\1armpmu_mark_edge(false); {MARK}\n")


def look_up_pages_if_guarded(q):
    """Looks up whether a page is guarded only in a process that has asked for such a page (guarded.h)."""
    path = "linux-user/mmap.c"
    q.declare(path, '#include "armpmu/guarded.h"\n')
    q.edit(path, r"^( +)page_flags \|= PAGE_BTI;\n", rf"\g<0>\1armpmu_has_guarded = true; {MARK}\n")
    path = "target/arm/tcg/helper-a64.c"
    q.declare(path, '#include "armpmu/guarded.h"\n')
    q.edit(path, r"^    return page_get_flags\(addr\) & PAGE_BTI;\n",
           f"    return armpmu_has_guarded && (page_get_flags(addr) & PAGE_BTI); {MARK}\n")
