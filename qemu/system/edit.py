#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""edit.py QEMU REPOSITORY: puts the model and its glue into QEMU's source, in place of QEMU's own PMU.

tools/qemu_source.py says what an edit is.  The edits fit QEMU 10.0 to 11.1.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
from qemu_source import MARK, copy_changed, edit_source

ENTRY_POINTS = ["pmu_init", "pmu_op_start", "pmu_op_finish", "pmu_pre_el_change", "pmu_post_el_change",
                "arm_pmu_timer_cb"]


def replace_pmu(q):
    """Renames the entry points of QEMU's own PMU in system emulation, where the glue defines them."""
    home = q.since({"10.0": "target/arm/helper.c", "10.1": "target/arm/cpregs-pmu.c"})
    for name in ENTRY_POINTS:
        q.edit(home, rf"^void {name}\(", f"ARMPMU_STOCK({name})(")
    q.declare(home, """#ifdef CONFIG_USER_ONLY
#define ARMPMU_STOCK(name) void name
#else
#define ARMPMU_STOCK(name) static __attribute__((unused)) void stock_##name
#endif
""")
    q.edit("target/arm/cpu.c",
           r"^(    if \(arm_feature\(&cpu->env, ARM_FEATURE_PMU\)\) \{\n        cpu->has_pmu = true;)",
           rf"""#ifndef CONFIG_USER_ONLY
    armpmu_add_properties(obj); {MARK}
#endif
\1""")
    q.edit("target/arm/cpu.c", r"^static bool arm_get_pmu\(", """#ifndef CONFIG_USER_ONLY
void armpmu_add_properties(Object *cpu);
#endif
static bool arm_get_pmu(""")
    # The glue's registers replace some of QEMU's, so they come last.
    q.edit("target/arm/helper.c", r"^(void register_cp_regs_for_features\(ARMCPU \*cpu\)\n\{(?:.|\n)*?)^\}$", rf"""
#ifndef CONFIG_USER_ONLY
void armpmu_define_registers(ARMCPU *cpu);
#endif
\1
#ifndef CONFIG_USER_ONLY
    armpmu_define_registers(cpu); {MARK}
#endif
}}""")


def describe_pmu(q):
    """Describes the PMU of an ARMv7 CPU in the virt board's device tree, with the core's name, by which Linux's driver
    knows it."""
    q.edit("hw/arm/virt.c", r"^( *)(if \(arm_feature\(&armcpu->env, ARM_FEATURE_V8\)\) \{\n"
           r" *const char compat\[\] = \"arm,armv8-pmuv3\";)",
           rf"""\1if (!arm_feature(&armcpu->env, ARM_FEATURE_V8)) {{ {MARK}
\1    const char *core = (armcpu->midr >> 4 & 0xFFF) == 0xC07 ? "arm,cortex-a7-pmu" : "arm,cortex-a15-pmu";
\1    qemu_fdt_setprop_string(ms->fdt, "/pmu", "compatible", core);
\1    qemu_fdt_setprop_cells(ms->fdt, "/pmu", "interrupts",
\1                           GIC_FDT_IRQ_TYPE_PPI, INTID_TO_PPI(VIRTUAL_PMU_IRQ), irqflags);
\1}}
\1\2""")


def start_without_boot_rom(q):
    """Lets a network card start without the ROM that it boots from, because `make qemu` installs no ROM.  -M virt has
    such a card by default, and firmware for Arm does not need the ROM.  A ROM that the user names must be there."""
    q.edit("hw/pci/pci.c", r"^( +)error_setg\(errp, \"failed to find romfile \\\"%s\\\"\", pdev->romfile\);\n",
           rf"""\1if (is_default_rom) {{ {MARK}
\1    return;
\1}}
\g<0>""")


def count_instructions(q):
    """Counts the instructions that each vCPU executes."""
    # Under -icount, the instructions that the virtual clock accounts for are the running vCPU's.
    q.edit("accel/tcg/icount-common.c", r"^static void icount_update_locked\(CPUState \*cpu\)\n\{\n"
           r"(    int64_t executed = icount_get_executed\(cpu\);\n)",
           "void armpmu_executed(CPUState *cpu, int64_t instructions) __attribute__((weak));\n\n"
           "static void icount_update_locked(CPUState *cpu)\n{\n" r"\1"
           f"    if (armpmu_executed) {{ {MARK}\n        armpmu_executed(cpu, executed);\n    }}\n")
    # Without -icount, translated code counts them, as it counts classes of instructions.  It does so before -icount has
    # accounted for the block, so the block can be left as if it had not begun.  QEMU has no flag of its own in the bits
    # that hold the number of a plan (column_plan.h).
    q.require("include/exec/translation-block.h",
              r"^#define CF_BP_PAGE +0x00040000 .*\n#define CF_CLUSTER_MASK +0xff000000 .*\n")
    path = "accel/tcg/translator.c"
    q.edit(path, r"^static TCGOp \*gen_tb_start\(", f"""{MARK}
void armpmu_block_begins(uint32_t cflags) __attribute__((weak));
void armpmu_block_ends(const TranslationBlock *tb, int length) __attribute__((weak));

static TCGOp *gen_tb_start(""")
    q.edit(path, r"^(    if \(cflags & CF_USE_ICOUNT\) \{\n        tcg_gen_st16_i32\()",
           rf"""    if (armpmu_block_begins) {{ {MARK}
        armpmu_block_begins(cflags);
    }}
\1""")
    q.edit(path, r"^(static void gen_tb_end\((?:.|\n)*?)^\}$", rf"""\1    if (armpmu_block_ends) {{ {MARK}
        armpmu_block_ends(tb, num_insns);
    }}
}}""")
    # A block that is left half way takes back what it did not execute.
    path = "accel/tcg/translate-all.c"
    q.edit(path,
           r"^(    if \(insns_left < 0\) \{\n        return;\n    \}\n)(\n    if \(tb_cflags\(tb\) & CF_USE_ICOUNT\))",
           rf"""\1    if (armpmu_give_back) {{ {MARK}
        armpmu_give_back(cpu, tb, insns_left);
    }}
\2""")
    q.edit(path, r"^void cpu_restore_state_from_tb\(",
           "void armpmu_give_back(CPUState *cpu, const TranslationBlock *tb, int left) __attribute__((weak));\n\n"
           "void cpu_restore_state_from_tb(")
    path = "accel/tcg/tb-maint.c"
    q.declare(path, "void armpmu_no_blocks(void) __attribute__((weak));\n")
    q.edit(path, r"^(    tcg_region_reset_all\(\);\n)", rf"""\1    if (armpmu_no_blocks) {{ {MARK}
        armpmu_no_blocks();
    }}
""")


def count_exceptions(q):
    """Leaves out of the count each instruction that raises an exception instead of retiring."""
    # Instructions that are translated to nothing but an exception.
    path = "target/arm/tcg/translate.c"
    q.edit(path, r"^static void gen_exception_insn_el_v\(", f"""{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_instruction_not_retired(int index);
#endif
void armpmu_does_not_retire(DisasContext *s)
{{
#ifndef CONFIG_USER_ONLY
    tcg_gen_st_i64(tcg_constant_i64(1), tcg_env, offsetof(CPUARMState, cp15.c14_pmevcntr_delta[0]));
    armpmu_instruction_not_retired(s->base.num_insns);
#endif
}}

static void gen_exception_insn_el_v(""")
    q.edit(path, r"^(static void gen_exception_insn_el_v\([^;{]*\{\n|void gen_exception_insn\([^;{]*\{\n)",
           rf"\1    if (pc_diff == 0) {{ {MARK}\n        armpmu_does_not_retire(s);\n    }}\n", times=2)
    q.edit("target/arm/tcg/translate.h", r"^void gen_exception_insn\(",
           rf"void armpmu_does_not_retire(DisasContext *s); {MARK}\n\g<0>")
    # BRK and BKPT, and a jump to a misaligned address.
    for file, name in (("translate-a64.c", "s"), ("translate.c", "dc")):
        q.edit(f"target/arm/tcg/{file}", r"^( +)(gen_helper_exception_bkpt_insn\()",
               rf"\1armpmu_does_not_retire(s); {MARK}\n\1\2")
        q.edit(f"target/arm/tcg/{file}", r"^( +)(gen_helper_exception_pc_alignment\()",
               rf"\1armpmu_does_not_retire({name}); {MARK}\n\1\2")
    # Instructions that a helper refuses, such as a trapped WFI, HVC or SMC: with GETPC() their block is left half way.
    q.edit("target/arm/tcg/op_helper.c", r"^        raise_exception\(env, ((?:EXCP_UDEF|EXCP_HYP_TRAP|excp), "
           r"(?:syn_uncategorized\(\)|syndrome|syn_wfx\([^)]*\)),\s+(?:exception_target_el\(env\)|target_el|2))\);",
           rf"        raise_exception_ra(env, \1, GETPC()); {MARK}", times=7)
    path = "target/arm/tcg/op_helper.c"
    q.edit(path, r"^(static void msr_mrs_banked_exc_checks\([^)]*)\)", rf"\1, uintptr_t ra) {MARK}")
    q.edit(path, r"^    msr_mrs_banked_exc_checks\(env, tgtmode, regno\);",
           f"    msr_mrs_banked_exc_checks(env, tgtmode, regno, GETPC()); {MARK}", times=2)
    q.edit(path, r"^    raise_exception\((env, EXCP_UDEF, syn_uncategorized\(\),\n +exception_target_el\(env\))\);",
           rf"    raise_exception_ra(\1, ra); {MARK}")
    q.edit("target/arm/tcg/vfp_helper.c", r"^    raise_exception\((env, EXCP_HYP_TRAP, syndrome, 2)\);",
           rf"    raise_exception_ra(\1, GETPC()); {MARK}")
    q.edit("target/arm/tcg/vfp_helper.c", r'^#include "internals\.h"\n', r'\g<0>#include "accel/tcg/getpc.h"' "\n")
    q.edit("target/arm/tcg/helper-a64.c",
           r"^        raise_exception\((env, EXCP_UDEF, syn_btitrap\(env->btype\),\n +exception_target_el\(env\))\);",
           rf"        raise_exception_ra(\1, GETPC()); {MARK}")
    # A trapped access to a System register, in the same way.
    q.edit("target/arm/tcg/op_helper.c",
           r"(const void \*HELPER\(access_check_cp_reg\)(?:.|\n)*?)"
           r"    raise_exception\(env, excp, syndrome, target_el\);",
           r"\1" f"    raise_exception_ra(env, excp, syndrome, target_el, GETPC()); {MARK}")


def count_classes(q):
    """Classifies each instruction, and counts the outcomes of those that have more than one."""
    path = "target/arm/tcg/translate-a64.c"
    q.edit(path, r"^static TCGv_i64 cpu_X\[32\];\n", rf"""\g<0>
{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_instruction(int index, uint32_t word);
void armpmu_condition(bool passed);
void armpmu_store_exclusive(TCGv_i64 failed);
#else
#define armpmu_instruction(index, word)
#define armpmu_condition(passed)
#define armpmu_store_exclusive(failed)
#endif
""")
    q.edit(path, r"^(    s->insn = insn;\n)(    s->base\.pc_next = pc \+ 4;\n)",
           r"\1    armpmu_instruction(s->base.num_insns, insn);" f" {MARK}\n" r"\2")
    q.edit(path, r"^( +)(gen_goto_tb\(s, 0, 4\);\n +set_disas_label\(s, match\);\n)"
           r"( +gen_goto_tb\(s, 1, a->imm9?\);\n)",
           rf"\1armpmu_condition(false); {MARK}\n\1\2\1armpmu_condition(true); {MARK}\n\3",
           times=q.since({"10.0": 3, "11.1": 5}))  # from 11.1 on CB<cc> too, by a register and by a number
    q.edit(path, r"^(    tcg_gen_mov_i64\(cpu_reg\(s, rd\), tmp\);\n)(    tcg_gen_br\(done_label\);\n)",
           r"    armpmu_store_exclusive(tmp);" f" {MARK}\n" r"\1\2")
    q.edit(path, r"^( +)(/\* 0xe and 0xf are both \"always\" conditions \*/\n)",
           rf"\1armpmu_condition(true); {MARK}\n\1\2")
    path = "target/arm/tcg/translate.c"
    q.edit(path, r"^static void gen_store_exclusive\(", f"""{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_instruction_a32(int index, uint32_t word);
void armpmu_instruction_t32(int index, uint32_t word, bool in_it);
void armpmu_condition(bool passed);
void armpmu_store_exclusive(TCGv_i64 failed);
#else
#define armpmu_instruction_a32(index, word)
#define armpmu_instruction_t32(index, word, in_it)
#define armpmu_condition(passed)
#define armpmu_store_exclusive(failed)
#endif

static void gen_store_exclusive(""")
    q.edit(path, r"^(    dc->insn = insn;\n    dc->base\.pc_next = pc \+ 4;\n)(    disas_arm_insn\(dc, insn\);\n)",
           r"\1    armpmu_instruction_a32(dc->base.num_insns, insn);" f" {MARK}\n" r"\2")
    q.edit(path, r"^    if \(dc->condexec_mask && !thumb_insn_is_unconditional\(dc, insn\)\) \{\n",
           f"    armpmu_instruction_t32(dc->base.num_insns, insn, {MARK}\n"
           "                           dc->condexec_mask != 0 && dc->condexec_cond < 0x0e);\n"
           r"\g<0>")
    # Code after a test of the condition is reached if the condition passed; code after the label, if it failed.
    q.edit(path, r"^(    arm_gen_test_cc\(cond \^ 1, s->condlabel\.label\);\n|"
           r"    tcg_gen_brcondi_i32\(a->nz \? TCG_COND_EQ : TCG_COND_NE,\n +tmp, 0, s->condlabel\.label\);\n)",
           rf"\1    armpmu_condition(true); {MARK}\n", times=2)
    q.edit(path, r"^( +)(set_disas_label\(dc, dc->condlabel\);\n)",
           rf"\1\2\1armpmu_condition(false); {MARK}\n", times=1)
    q.edit(path, r"^(    tcg_gen_mov_i32\(cpu_R\[rd\], t0\);\n)(    tcg_gen_br\(done_label\);\n)",
           rf"""    {{ {MARK}
        TCGv_i64 failed = tcg_temp_new_i64();

        tcg_gen_extu_i32_i64(failed, t0);
        armpmu_store_exclusive(failed);
    }}
\1\2""")


def look_at_accesses(q):
    """Shows the glue the address of each access that translated code makes, and where an instruction's code ends."""
    path = "tcg/tcg-op-ldst.c"
    q.edit(path, r"^    tcg_debug_assert\(addr_type == tcg_ctx->addr_type\);( *\\?)\n",
           r"\g<0>    armpmu_access_of(addr, idx, memop, __func__); /* armpmu */\1\n",
           times=q.since({"10.0": 14, "10.2": 17}))  # from 10.2 on atomics of 128 bits too
    q.declare(path, """struct TCGTemp;
#include "exec/memop.h"

struct TCGTemp;
void armpmu_access(struct TCGTemp *address, unsigned mmu_idx, unsigned size, bool store) __attribute__((weak));
/* Every function but tcg_gen_qemu_ld_...() writes memory. */
static void armpmu_access_of(struct TCGTemp *address, uintptr_t idx, MemOp memop, const char *function)
{
    if (armpmu_access) {
        armpmu_access(address, idx, 1u << (memop & MO_SIZE), strncmp(function, "tcg_gen_qemu_ld_", 16) != 0);
    }
}
""")
    path = "accel/tcg/translator.c"
    q.edit(path, r"^( +)(ops->translate_insn\(db, cpu\);\n)", rf"""\1\2\1if (armpmu_instruction_ends) {{ {MARK}
\1    armpmu_instruction_ends();
\1}}
""")
    q.edit(path, r"^void armpmu_block_begins\(", r"void armpmu_instruction_ends(void) __attribute__((weak));\n\g<0>")


def look_at_vectors(q):
    """Keeps the OR of the addresses that helpers of SVE and SME load from and store to, in one word of env, and shows
    the glue each element."""
    path = "target/arm/tcg/sve_helper.c"
    q.edit(path, r"^bool sve_cont_ldst_pages\(", f"""{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_own_access(CPUARMState *env, uint64_t address, unsigned size, bool store, int mmu_idx, uintptr_t ra);
#define armpmu_vector_address(env, address) ((env)->cp15.c14_pmevcntr_delta[1] |= (address))
static void armpmu_vector_element(CPUARMState *env, uint64_t address, unsigned size, bool store, uintptr_t ra)
{{
    armpmu_own_access(env, address, size, store, arm_env_mmu_index(env), ra);
}}

void armpmu_vector_elements(const SVEContLdSt *info, CPUARMState *env, const uint64_t *vg, target_ulong addr,
                            int esize, int msize, int count, bool store, uintptr_t ra);
void armpmu_vector_elements(const SVEContLdSt *info, CPUARMState *env, const uint64_t *vg, target_ulong addr,
                            int esize, int msize, int count, bool store, uintptr_t ra)
{{
    const intptr_t last = MAX(MAX(info->reg_off_last[0], info->reg_off_last[1]), info->reg_off_split);
    target_ulong at = addr + info->mem_off_first[0];

    for (intptr_t i = info->reg_off_first[0]; i <= last; i += esize, at += msize) {{
        for (int n = 0; n < count && (vg[i >> 6] >> (i & 63) & 1) != 0; n++) {{
            armpmu_vector_element(env, at + n * (msize / count), msize / count, store, ra);
        }}
    }}
}}
#else
#define armpmu_vector_address(env, address)
#define armpmu_vector_element(env, address, size, store, ra)
#define armpmu_vector_elements(info, env, vg, addr, esize, msize, count, store, ra)
#endif

bool sve_cont_ldst_pages(""")
    address = f"armpmu_vector_address(env, addr); {MARK}\n"

    def element(store, ra="retaddr"):
        return f"armpmu_vector_element(env, addr, msize, {store}, {ra}); {MARK}\n"
    q.edit(path, r"^        /\* No work to be done\. \*/\n        return false;\n    \}\n", rf"\g<0>    {address}")
    # Contiguous loads and stores.  Their pages have been looked up.
    q.edit(path, r"^    sve_cont_ldst_watchpoints\(&info, env, vg, addr, 1 << esz, N << msz,\n"
           r" +BP_MEM_(READ|WRITE), retaddr\);\n",
           rf"\g<0>    armpmu_vector_elements(&info, env, vg, addr, 1 << esz, N << msz, N, {MARK}\n"
           r"                           BP_MEM_\1 == BP_MEM_WRITE, retaddr);" "\n",
           times=2)
    # Loads with gather and stores with scatter.
    q.edit(path, r"^ {16}target_ulong addr = base \+ \(off_fn\(vm, reg_off\) << scale\);\n"
           r" {16}target_ulong in_page = .*\n",
           rf"\g<0>                {address}                {element('false')}")
    # Those of first-fault loads: the first element is told before the load changes the vector, the others after that.
    q.edit(path, r"^    tlb_fn\(env, vd, reg_off, addr, retaddr\);\n(?=\n    /\* After any fault)",
           rf"    {element('false')}\g<0>    {address}")
    q.edit(path, r"^                set_helper_retaddr\(retaddr\);\n(?= {16}host_fn\(vd, reg_off, info\.host\);\n)",
           rf"                {address}                {element('false', '0')}\g<0>")
    q.edit(path, r"^            if \(likely\(\(pg >> \(reg_off & 63\)\) & 1\)\) \{\n"
           r"(?=                if \(likely\(in_page >= msize\)\))",
           rf"\g<0>                {address}                {element('true')}")


def look_at_matrices(q):
    """Shows the glue each element that helpers of SME load from and store to."""
    path = "target/arm/tcg/sme_helper.c"
    q.edit(path, r'^#include "sve_ldst_internal\.h"\n', rf"""\g<0>
{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_vector_elements(const SVEContLdSt *info, CPUARMState *env, const uint64_t *vg, target_ulong addr,
                            int esize, int msize, int count, bool store, uintptr_t ra);
#else
#define armpmu_vector_elements(info, env, vg, addr, esize, msize, count, store, ra)
#endif
""")
    q.edit(path, r"^    sve_cont_ldst_watchpoints\(&info, env, vg, addr, esize, esize,\n +BP_MEM_(READ|WRITE), ra\);\n",
           rf"\g<0>    armpmu_vector_elements(&info, env, vg, addr, esize, esize, 1, {MARK}\n"
           r"                           BP_MEM_\1 == BP_MEM_WRITE, ra);" "\n",
           times=2)


def look_at_ranges(q):
    """Shows the glue what DC ZVA, memory copies and memory sets access, before they access it."""
    path = "target/arm/tcg/helper-a64.c"
    q.edit(path, r"^void HELPER\(dc_zva\)\(", rf"""{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_own_range(CPUARMState *env, uint64_t address, uint64_t size, bool store, int mmu_idx, uintptr_t ra);
void armpmu_own_copy(CPUARMState *env, uint64_t to, uint64_t from, uint64_t size, int to_idx, int from_idx,
                     uintptr_t ra);
#else
#define armpmu_own_range(env, address, size, store, mmu_idx, ra)
#define armpmu_own_copy(env, to, from, size, to_idx, from_idx, ra)
#endif

\g<0>""")
    q.edit(path, r"^    mem = tlb_vaddr_to_host\(env, vaddr, MMU_DATA_STORE, mmu_idx\);\n",
           rf"    armpmu_own_range(env, vaddr, blocklen, true, mmu_idx, GETPC()); {MARK}\n\g<0>")
    q.edit(path, r"^    mem = tlb_vaddr_to_host\(env, (toaddr|cleanaddr), MMU_DATA_STORE, memidx\);\n",
           rf"    armpmu_own_range(env, \1, setsize, true, memidx, ra); {MARK}\n\g<0>", times=2)
    q.edit(path, r"^(static uint64_t copy_step\((?:.|\n)*?)(    wmem = tlb_vaddr_to_host\()",
           rf"\1    armpmu_own_copy(env, toaddr, fromaddr, copysize, wmemidx, rmemidx, ra); {MARK}\n\2")
    q.edit(path, r"^(static uint64_t copy_step_rev\((?:.|\n)*?)(    wmem = tlb_vaddr_to_host\()",
           rf"""\1    armpmu_own_copy(env, toaddr - (copysize - 1), fromaddr - (copysize - 1), copysize, {MARK}
                    wmemidx, rmemidx, ra);
\2""")


def look_at_translations(q):
    """Shows the glue where an access is physically, the descriptors that a walk reads, and whether a page is global."""
    path = "accel/tcg/cputlb.c"
    q.edit(path, r"^int probe_access_full\(", f"""{MARK}
bool armpmu_probe(CPUState *cpu, vaddr address, MMUAccessType type, int mmu_idx, CPUTLBEntryFull **full);
bool armpmu_probe(CPUState *cpu, vaddr address, MMUAccessType type, int mmu_idx, CPUTLBEntryFull **full)
{{
    void *host;

    return (probe_access_internal(cpu, address, 0, type, mmu_idx, true, &host, full, 0, false) &
            (TLB_INVALID_MASK | TLB_MMIO)) == 0;
}}

int probe_access_full(""")
    q.declare(path, "void armpmu_translations_change(CPUState *cpu) __attribute__((weak));\n")
    q.edit(path, r"^(static void tlb_flush_(?:one_mmuidx|page|range)_locked\(CPUState \*cpu,[^{;]*\{\n)",
           rf"""\1    if (armpmu_translations_change) {{ {MARK}
        armpmu_translations_change(cpu);
    }}
""", times=3)
    path = "target/arm/ptw.c"
    q.declare(path, """#include "exec/hwaddr.h"

void armpmu_walk_reads(hwaddr address, bool in_debug, bool stage2);
""")
    q.edit(path, r"^(static uint(?:32|64)_t arm_ld[lq]_ptw\([^{]*\{\n(?:    [^\n]*;\n)+\n)"
           r"(    if \(likely\(host\)\) \{\n)",
           rf"\1    armpmu_walk_reads(ptw->out_phys, ptw->in_debug, {MARK}\n"
           "                      regime_is_stage2(ptw->in_mmu_idx));\n" r"\2", times=2)
    # One word of env says whether the page of the last translation is global; tlb_helper.c keeps it with QEMU's entry.
    word = "env->cp15.c14_pmevcntr_delta[2]"
    q.edit(path, r"^(    result->f\.phys_addr = descaddr;\n)(    result->f\.lg_page_size = ctz64\(page_size\);\n)",
           rf"""    if (!regime_is_stage2(mmu_idx)) {{ {MARK}
        {word} = extract32(attrs, 11, 1);
    }}
\1\2""")
    # The same in short descriptors: of a page, and of a section.
    q.edit(path, r"^    out_space = ptw->(?:in|cur)_space;\n(?=    if \(ns\) \{\n)",
           rf"""    {word} = extract32(desc, type == 1 ? 11 : 17, 1); {MARK}
\g<0>""")
    # Where stage 1 is off it is global.  A walk of stage 1 looks up pages of its tables, and keeps the word.
    q.edit("target/arm/tcg/tlb_helper.c", r"^    if \(access_type == MMU_INST_FETCH && !cpu->env\.thumb &&\n",
           rf"""    if (arm_feature(&cpu->env, ARM_FEATURE_PMU) && {MARK}
        core_to_arm_mmu_idx(&cpu->env, mmu_idx) < ARMMMUIdx_Stage2_S) {{
        cpu->env.cp15.c14_pmevcntr_delta[2] = 0;
    }}
\g<0>""")
    q.edit("target/arm/tcg/tlb_helper.c",
           r"^(        res\.f\.extra\.arm\.shareability = res\.cacheattrs\.shareability);",
           r"\1 |" f" {MARK}\n"
           "            (arm_feature(&cpu->env, ARM_FEATURE_PMU) && cpu->env.cp15.c14_pmevcntr_delta[2] != 0 ? 0x80\n"
           "                                                                                                 : 0);")


def flush_at_smstart(q):
    """Flushes at SMSTART and SMSTOP.  They write PSTATE.SM without an MSR, and a filter of the PMU depends on it."""
    q.edit("target/arm/tcg/translate-a64.c", r"^( +)(gen_helper_set_svcr\()",
           rf"\1translator_io_start(&s->base); {MARK}\n\1\2")
    path = "target/arm/tcg/sme_helper.c"
    q.edit(path, r"^(void helper_set_svcr\([^{]*\{\n)(    aarch64_set_svcr\(env, val, mask\);\n)", rf"""{MARK}
#ifndef CONFIG_USER_ONLY
void armpmu_control_begins(CPUARMState *env);
void armpmu_control_ends(CPUARMState *env);
#else
#define armpmu_control_begins(env)
#define armpmu_control_ends(env)
#endif

\1    armpmu_control_begins(env);
\2    armpmu_control_ends(env);
""")


def add_sources(q):
    """Copies the glue, the model and its neighbours into QEMU's tree, and adds them to the build."""
    folders = {"armpmu": "qemu/system", "armpmu-model": "lib/model", "armpmu-names": "lib/names",
               "armpmu-core": "lib/core", "armpmu-core-file": "lib/core/file", "armpmu-qemu/classify": "qemu/classify",
               "armpmu-qemu/core": "qemu/core"}
    files = [f"{name}/{file}" for name, folder in folders.items()
             for file in sorted(os.listdir(os.path.join(q.repository, folder)))]
    listed = "".join(f"  '{name}',\n" for name in files if name.endswith(".c"))
    q.edit("target/arm/meson.build", r"^arm_system_ss = ss\.source_set\(\)\n",
           f"arm_system_ss = ss.source_set()\narm_system_ss.add(files(\n{listed}))\n"
           "arm_system_ss.add(declare_dependency(include_directories: include_directories('armpmu-include')))\n")
    for name, folder in {**folders, "armpmu-include": "include"}.items():
        copy_changed(os.path.join(q.repository, folder), os.path.join(q.root, "target/arm", name))


if __name__ == "__main__":
    edit_source(replace_pmu, describe_pmu, start_without_boot_rom, count_instructions, count_exceptions, count_classes,
                look_at_accesses, look_at_vectors, look_at_matrices, look_at_ranges, look_at_translations,
                flush_at_smstart, add_sources)
