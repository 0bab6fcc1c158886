#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""edit.py QEMU REPOSITORY: puts the model and its glue into QEMU's source, by anchor, in place of QEMU's own PMU.

An edit names a file, a text that must be there exactly once (or as often as is said), and what becomes of it.  An
anchor that is not there stops everything with its name, before any file is changed.  Done twice it is done once.

The edits fit QEMU 10.0 to 11.1.  Where releases differ, an edit has a value for each release from which it holds:
q.since({"10.0": ..., "10.1": ...}).
"""
import filecmp
import os
import re
import shutil
import sys

ENTRY_POINTS = ["pmu_init", "pmu_op_start", "pmu_op_finish", "pmu_pre_el_change", "pmu_post_el_change",
                "arm_pmu_timer_cb"]
MARK = "/* armpmu */"


OLDEST = "10.0"


def release_of(version):
    """What is compared of a version: of "10.0.13" (10, 0); a development version, 11.0.50, is on the way to 11.1."""
    numbers = [int(number) for number in re.match(r"\d+\.\d+(?:\.\d+)?", version)[0].split(".")]
    return (numbers[0], numbers[1] + (numbers[2:] >= [50]))


class Source:
    def __init__(self, root):
        self.root = root
        self.texts = {}
        self.version = self.text("VERSION").strip()
        if not re.match(r"\d+\.\d+", self.version):
            sys.exit(f"edit.py: VERSION: '{self.version}' is no version of QEMU")
        if release_of(self.version) < release_of(OLDEST):
            sys.exit(f"edit.py: this is QEMU {self.version}, and the edits begin with {OLDEST}: take a later one")

    def since(self, values):
        """That of the values which holds for this release."""
        release = release_of(self.version)
        return values[max((begin for begin in values if release_of(begin) <= release), key=release_of)]

    def text(self, path):
        if path not in self.texts:
            pristine = os.path.join(self.root, path + ".armpmu-orig")
            name = pristine if os.path.exists(pristine) else os.path.join(self.root, path)
            try:
                with open(name, encoding="utf-8") as file:
                    self.texts[path] = file.read()
            except OSError as error:
                sys.exit(f"edit.py: {path}: {error.strerror}: this is no source of QEMU that the edits know")
        return self.texts[path]

    def edit(self, path, pattern, replacement, times=1):
        text, found = re.subn(pattern, replacement, self.text(path), flags=re.MULTILINE)
        if found != times:
            sys.exit(f"edit.py: {path}: the anchor '{pattern}' is there {found} times, not {times}: "
                     f"this version of QEMU, {self.version}, needs its own edits")
        self.texts[path] = text

    def declare(self, path, declarations):
        """After the file's first #include, which is this one in all of QEMU."""
        self.edit(path, r'^#include "qemu/osdep\.h"\n', rf"\g<0>{MARK}\n{declarations}")

    def require(self, path, pattern):
        self.edit(path, pattern, r"\g<0>")

    def restore_others(self):
        """What the edits of another checkout changed, and these do not, becomes as it came, and new to ninja."""
        for folder, _, names in os.walk(self.root):
            for name in (name for name in names if name.endswith(".armpmu-orig")):
                original = os.path.join(folder, name)
                path = original.removesuffix(".armpmu-orig")
                if os.path.relpath(path, self.root) not in self.texts:
                    os.replace(original, path)
                    os.utime(path)

    def write(self):
        self.restore_others()
        for path, text in self.texts.items():
            name = os.path.join(self.root, path)
            if os.path.exists(name) and open(name, encoding="utf-8").read() == text:
                continue  # so that nothing is built again
            if not os.path.exists(name + ".armpmu-orig"):
                os.rename(name, name + ".armpmu-orig")
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)


def replace_pmu(q):
    """QEMU's own PMU stays for user mode; in system emulation the glue defines its entry points."""
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
    # The glue's registers replace others, so they come last.
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
    """On the virt board Linux finds the PMU of an ARMv7 CPU too, which its driver knows by the core."""
    q.edit("hw/arm/virt.c", r"^( *)(if \(arm_feature\(&armcpu->env, ARM_FEATURE_V8\)\) \{\n *const char compat\[\] = \"arm,armv8-pmuv3\";)",
           rf"""\1if (!arm_feature(&armcpu->env, ARM_FEATURE_V8)) {{ {MARK}
\1    const char *core = (armcpu->midr >> 4 & 0xFFF) == 0xC07 ? "arm,cortex-a7-pmu" : "arm,cortex-a15-pmu";
\1    qemu_fdt_setprop_string(ms->fdt, "/pmu", "compatible", core);
\1    qemu_fdt_setprop_cells(ms->fdt, "/pmu", "interrupts", GIC_FDT_IRQ_TYPE_PPI, INTID_TO_PPI(VIRTUAL_PMU_IRQ), irqflags);
\1}}
\1\2""")


def start_without_boot_rom(q):
    """A network card starts without the ROM that it boots from, which is not here: firmware on a board of Arm does not
    need it, and -M virt has such a card unless it is told otherwise.  A ROM that the user names must be there."""
    q.edit("hw/pci/pci.c", r"^( +)error_setg\(errp, \"failed to find romfile \\\"%s\\\"\", pdev->romfile\);\n",
           rf"""\1if (is_default_rom) {{ {MARK}
\1    return;
\1}}
\g<0>""")


def count_instructions(q):
    """Instructions of each vCPU."""
    # Under -icount: what the virtual clock accounts for is the running vCPU's.
    q.edit("accel/tcg/icount-common.c", r"^static void icount_update_locked\(CPUState \*cpu\)\n\{\n"
           r"(    int64_t executed = icount_get_executed\(cpu\);\n)",
           "void armpmu_executed(CPUState *cpu, int64_t instructions) __attribute__((weak));\n\n"
           "static void icount_update_locked(CPUState *cpu)\n{\n" r"\1"
           f"    if (armpmu_executed) {{ {MARK}\n        armpmu_executed(cpu, executed);\n    }}\n")
    # Without: translated code counts, as it counts classes of instructions.  Before -icount has accounted for a block,
    # so that it may be left as if it had not begun.
    # No flag of QEMU's is where the number of a set is (column_plan.h).
    q.require("include/exec/translation-block.h",
              r"^#define CF_BP_PAGE +0x00040000 .*\n#define CF_CLUSTER_MASK +0xff000000 .*\n")
    path = "accel/tcg/translator.c"
    q.edit(path, r"^static TCGOp \*gen_tb_start\(", f"""{MARK}
void armpmu_block_begins(uint32_t cflags) __attribute__((weak));
void armpmu_block_ends(const TranslationBlock *tb, int length) __attribute__((weak));

static TCGOp *gen_tb_start(""")
    q.edit(path, r"^(    if \(cflags & CF_USE_ICOUNT\) \{\n        tcg_gen_st16_i32\()", rf"""    if (armpmu_block_begins) {{ {MARK}
        armpmu_block_begins(cflags);
    }}
\1""")
    q.edit(path, r"^(static void gen_tb_end\((?:.|\n)*?)^\}$", rf"""\1    if (armpmu_block_ends) {{ {MARK}
        armpmu_block_ends(tb, num_insns);
    }}
}}""")
    # A block that is left half way gives back what it did not execute.
    path = "accel/tcg/translate-all.c"
    q.edit(path, r"^(    if \(insns_left < 0\) \{\n        return;\n    \}\n)(\n    if \(tb_cflags\(tb\) & CF_USE_ICOUNT\))",
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
    """An instruction that raises an exception instead of retiring is not counted."""
    # One of which translation knows it: the exception is raised when it is reached.
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
    # BRK and BKPT, and a jump to an address that no instruction has.
    for file, name in (("translate-a64.c", "s"), ("translate.c", "dc")):
        q.edit(f"target/arm/tcg/{file}", r"^( +)(gen_helper_exception_bkpt_insn\()",
               rf"\1armpmu_does_not_retire(s); {MARK}\n\1\2")
        q.edit(f"target/arm/tcg/{file}", r"^( +)(gen_helper_exception_pc_alignment\()",
               rf"\1armpmu_does_not_retire({name}); {MARK}\n\1\2")
    # Nor do WFI, HVC and SMC that are trapped, and others that helpers refuse: their block is left half way, too.
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
    # Nor does one that is trapped, whose block is then left half way.
    q.edit("target/arm/tcg/op_helper.c",
           r"(const void \*HELPER\(access_check_cp_reg\)(?:.|\n)*?)    raise_exception\(env, excp, syndrome, target_el\);",
           r"\1" f"    raise_exception_ra(env, excp, syndrome, target_el, GETPC()); {MARK}")


def count_classes(q):
    """What each instruction is, and what becomes of those that may do one thing or the other."""
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
    q.edit(path, r"^( +)(/\* 0xe and 0xf are both \"always\" conditions \*/\n)", rf"\1armpmu_condition(true); {MARK}\n\1\2")
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
    # Code after a test of the condition is reached if it passed; after the label of a branch, if it failed.
    q.edit(path, r"^(    arm_gen_test_cc\(cond \^ 1, s->condlabel\.label\);\n|    tcg_gen_brcondi_i32\(a->nz \? TCG_COND_EQ : "
           r"TCG_COND_NE,\n +tmp, 0, s->condlabel\.label\);\n)", rf"\1    armpmu_condition(true); {MARK}\n", times=2)
    q.edit(path, r"^( +)(set_disas_label\(dc, dc->condlabel\);\n)", rf"\1\2\1armpmu_condition(false); {MARK}\n", times=1)
    q.edit(path, r"^(    tcg_gen_mov_i32\(cpu_R\[rd\], t0\);\n)(    tcg_gen_br\(done_label\);\n)",
           rf"""    {{ {MARK}
        TCGv_i64 failed = tcg_temp_new_i64();

        tcg_gen_extu_i32_i64(failed, t0);
        armpmu_store_exclusive(failed);
    }}
\1\2""")


def look_at_accesses(q):
    """The address of each access that translated code makes, and where an instruction's code ends."""
    path = "tcg/tcg-op-ldst.c"
    q.edit(path, r"^    tcg_debug_assert\(addr_type == tcg_ctx->addr_type\);( *\\?)\n",
           r"\g<0>    armpmu_access_of(addr); /* armpmu */\1\n",
           times=q.since({"10.0": 14, "10.2": 17}))  # from 10.2 on atomics of 128 bits too
    q.declare(path, """struct TCGTemp;
void armpmu_access(struct TCGTemp *address) __attribute__((weak));
static void armpmu_access_of(struct TCGTemp *address)
{
    if (armpmu_access) {
        armpmu_access(address);
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
    """The addresses of what SVE and SME load and store by helpers: all of an instruction in one word, their bits or-ed."""
    path = "target/arm/tcg/sve_helper.c"
    q.edit(path, r"^bool sve_cont_ldst_pages\(", f"""{MARK}
#ifndef CONFIG_USER_ONLY
#define armpmu_vector_access(env, address) ((env)->cp15.c14_pmevcntr_delta[1] |= (address))
#else
#define armpmu_vector_access(env, address)
#endif

bool sve_cont_ldst_pages(""")
    record = f"armpmu_vector_access(env, addr); {MARK}\n"
    q.edit(path, r"^        /\* No work to be done\. \*/\n        return false;\n    \}\n", rf"\g<0>    {record}")
    # Gather and scatter.
    q.edit(path, r"^ {16}target_ulong addr = base \+ \(off_fn\(vm, reg_off\) << scale\);\n {16}target_ulong in_page = .*\n",
           rf"\g<0>                {record}")
    q.edit(path, r"^    tlb_fn\(env, vd, reg_off, addr, retaddr\);\n(?=\n    /\* After any fault)", rf"\g<0>    {record}")
    q.edit(path, r"^                set_helper_retaddr\(retaddr\);\n(?= {16}host_fn\(vd, reg_off, info\.host\);\n)",
           rf"                {record}\g<0>")
    q.edit(path, r"^            if \(likely\(\(pg >> \(reg_off & 63\)\) & 1\)\) \{\n(?=                if \(likely\(in_page >= msize\)\))",
           rf"\g<0>                {record}")


def flush_at_smstart(q):
    """PSTATE.SM is what a filter of the PMU looks at, and SMSTART and SMSTOP write it without a register."""
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


def copy_changed(source, target):
    """The folder @target gets the C files of @source.  Files that are equal stay untouched, so that nothing that includes
    them is built again, whichever checkout they are from."""
    if os.path.islink(target):
        os.remove(target)
    wanted = set()
    for folder, _, names in os.walk(source, followlinks=True):
        for name in (name for name in names if name.endswith((".c", ".h", ".def"))):
            path = os.path.relpath(os.path.join(folder, name), source)
            wanted.add(path)
            copy = os.path.join(target, path)
            if os.path.exists(copy) and filecmp.cmp(os.path.join(source, path), copy, shallow=False):
                continue
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            shutil.copyfile(os.path.join(source, path), copy)
    for folder, _, names in os.walk(target):
        for path in (os.path.join(folder, name) for name in names):
            if os.path.relpath(path, target) not in wanted:
                os.remove(path)


def add_sources(q, repository):
    """The glue and the model are copied into QEMU's tree, which several checkouts may share in turn."""
    folders = {"armpmu": "qemu/system", "armpmu-model": "lib/model", "armpmu-names": "lib/names",
               "armpmu-classify": "qemu/classify"}
    files = [f"{name}/{file}" for name, folder in folders.items()
             for file in sorted(os.listdir(os.path.join(repository, folder)))]
    listed = "".join(f"  '{name}',\n" for name in files if name.endswith(".c"))
    q.edit("target/arm/meson.build", r"^arm_system_ss = ss\.source_set\(\)\n",
           f"arm_system_ss = ss.source_set()\narm_system_ss.add(files(\n{listed}))\n"
           "arm_system_ss.add(declare_dependency(include_directories: include_directories('armpmu-include')))\n")
    for name, folder in {**folders, "armpmu-include": "include"}.items():
        copy_changed(os.path.join(repository, folder), os.path.join(q.root, "target/arm", name))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: edit.py QEMU REPOSITORY")
    q = Source(sys.argv[1])
    replace_pmu(q)
    describe_pmu(q)
    start_without_boot_rom(q)
    count_instructions(q)
    count_exceptions(q)
    count_classes(q)
    look_at_accesses(q)
    look_at_vectors(q)
    flush_at_smstart(q)
    add_sources(q, os.path.abspath(sys.argv[2]))
    q.write()


if __name__ == "__main__":
    main()
