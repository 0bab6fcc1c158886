#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""qemu_edits.py REPOSITORY: runs the programs that edit QEMU on small trees that have only the text of their anchors,
one tree for each release of QEMU whose anchors differ.  Whether the edits fit QEMU itself is tested by building it with
the SUITE that has the release.  Prints ok and not ok lines."""
import os
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = os.path.abspath(sys.argv[1])
SYSTEM = os.path.join(REPOSITORY, "qemu/system/edit.py")
USER = os.path.join(REPOSITORY, "qemu/user/emulator/edit.py")

ENTRY_POINTS = ("pmu_init", "pmu_op_start", "pmu_op_finish", "pmu_pre_el_change", "pmu_post_el_change",
                "arm_pmu_timer_cb")
PMU = "".join(f"void {name}(int x)\n{{\n}}\n" for name in ENTRY_POINTS)
REGISTERS = "void register_cp_regs_for_features(ARMCPU *cpu)\n{\n    if (cpu) {\n        all();\n    }\n}\n"

# Where functions of QEMU access a range of memory.
DONE = "\n    clear_helper_retaddr();\n"
RANGES = [
    "void HELPER(dc_zva)(int x)\n{\n    mem = tlb_vaddr_to_host(env, vaddr, MMU_DATA_STORE, mmu_idx);\n"
    "    memset(mem, 0, blocklen);" + DONE + "}\n",
    "".join(f"    mem = tlb_vaddr_to_host(env, {address}, MMU_DATA_STORE, memidx);\n"
            "    memset(mem, data, setsize);" + DONE for address in ("toaddr", "cleanaddr")),
    "static uint64_t copy_step(int x)\n{\n    wmem = tlb_vaddr_to_host(env);\n"
    "    memmove(wmem, rmem, copysize);" + DONE + "}\n",
    "static uint64_t copy_step_rev(int x)\n{\n    wmem = tlb_vaddr_to_host(env);\n"
    "    memmove(wmem - (copysize - 1), rmem - (copysize - 1), copysize);" + DONE + "}\n",
]
MATRICES = ['#include "sve_ldst_internal.h"\n'] + [
    "".join("    sve_cont_ldst_watchpoints(&info, env, vg, addr, esize, esize,\n"
            f"                              BP_MEM_{what}, ra);\n    check();\n"
            "    flags = info.page[0].flags | info.page[1].flags;\n" for what in ("READ", "WRITE"))]
CONDITIONS = [
    "    arm_gen_test_cc(cond ^ 1, s->condlabel.label);\n",
    "    tcg_gen_brcondi_i32(a->nz ? TCG_COND_EQ : TCG_COND_NE,\n"
    "                        tmp, 0, s->condlabel.label);\n",
    "        set_disas_label(dc, dc->condlabel);\n",
]
COMMON = {
    "target/arm/cpu.c": [
        "static bool arm_get_pmu(int x)\n{\n}\n",
        "    if (arm_feature(&cpu->env, ARM_FEATURE_PMU)) {\n        cpu->has_pmu = true;\n",
    ],
    "accel/tcg/icount-common.c": [
        "static void icount_update_locked(CPUState *cpu)\n{\n"
        "    int64_t executed = icount_get_executed(cpu);\n    more();\n}\n",
    ],
    "accel/tcg/translator.c": [
        "static TCGOp *gen_tb_start(int x)\n{\n",
        "    if (cflags & CF_USE_ICOUNT) {\n        tcg_gen_st16_i32(count);\n    }\n}\n",
        "static void gen_tb_end(int x,\n                       int y)\n{\n    end();\n}\n",
        "        ops->translate_insn(db, cpu);\n",
    ],
    "include/exec/translation-block.h": [
        "#define CF_BP_PAGE       0x00040000 /* a page */\n#define CF_CLUSTER_MASK  0xff000000 /* 8 bits */\n",
    ],
    "accel/tcg/translate-all.c": [
        "void cpu_restore_state_from_tb(int x)\n{\n",
        "    if (insns_left < 0) {\n        return;\n    }\n\n"
        "    if (tb_cflags(tb) & CF_USE_ICOUNT) {\n        low();\n    }\n}\n",
    ],
    "accel/tcg/cputlb.c": [
        '#include "qemu/osdep.h"\n',
        "static void tlb_flush_one_mmuidx_locked(CPUState *cpu, int mmu_idx,\n"
        "                                        int64_t now)\n{\n}\n",
        "static void tlb_flush_page_locked(CPUState *cpu, int midx, vaddr page)\n{\n}\n",
        "static void tlb_flush_range_locked(CPUState *cpu, int midx,\n"
        "                                   vaddr len)\n{\n}\n",
        "int probe_access_full(int x)\n{\n}\n",
    ],
    "target/arm/ptw.c": [
        '#include "qemu/osdep.h"\n',
        "static uint32_t arm_ldl_ptw(CPUARMState *env, S1Translate *ptw)\n{\n    uint32_t data;\n\n"
        "    if (likely(host)) {\n    }\n}\n",
        "static uint64_t arm_ldq_ptw(CPUARMState *env, S1Translate *ptw)\n{\n    uint64_t data;\n\n"
        "    if (likely(host)) {\n    }\n}\n",
        "    result->f.phys_addr = descaddr;\n    result->f.lg_page_size = ctz64(page_size);\n",
        "    out_space = ptw->in_space;\n    if (ns) {\n    }\n",
    ],
    "target/arm/tcg/tlb_helper.c": [
        "    if (access_type == MMU_INST_FETCH && !cpu->env.thumb &&\n        (address & 3)) {\n    }\n",
        "        res.f.extra.arm.shareability = res.cacheattrs.shareability;\n",
    ],
    "accel/tcg/tb-maint.c": ['#include "qemu/osdep.h"\n', "    tcg_region_reset_all();\n"],
    "target/arm/tcg/translate.c": [
        "static void gen_store_exclusive(int x)\n{\n",
        "    tcg_gen_mov_i32(cpu_R[rd], t0);\n    tcg_gen_br(done_label);\n}\n",
        *CONDITIONS,
        "    dc->insn = insn;\n    dc->base.pc_next = pc + 4;\n    disas_arm_insn(dc, insn);\n",
        "    if (dc->condexec_mask && !thumb_insn_is_unconditional(dc, insn)) {\n    }\n",
        "static void gen_exception_insn_el_v(int x,\n                                    int y)\n{\n    raise();\n}\n",
        "void gen_exception_insn(int x)\n{\n    raise();\n}\n",
        "    gen_helper_exception_bkpt_insn(tcg_env, syn);\n",
        "        gen_helper_exception_pc_alignment(tcg_env, pc);\n",
    ],
    "target/arm/tcg/translate.h": ["void gen_exception_insn(int x);\n"],
    "target/arm/tcg/vfp_helper.c": [
        '#include "internals.h"\n',
        "    raise_exception(env, EXCP_HYP_TRAP, syndrome, 2);\n",
    ],
    "target/arm/tcg/helper-a64.c": [
        "        raise_exception(env, EXCP_UDEF, syn_btitrap(env->btype),\n"
        "                        exception_target_el(env));\n",
        *RANGES,
    ],
    "target/arm/tcg/sve_helper.c": [
        "".join("    sve_cont_ldst_watchpoints(&info, env, vg, addr, 1 << esz, N << msz,\n"
                f"                              BP_MEM_{what}, retaddr);\n" for what in ("READ", "WRITE")),
        "bool sve_cont_ldst_pages(int x)\n{\n",
        "        /* No work to be done. */\n        return false;\n    }\n}\n",
        "                target_ulong addr = base + (off_fn(vm, reg_off) << scale);\n"
        "                target_ulong in_page = -addr;\n",
        "    tlb_fn(env, vd, reg_off, addr, retaddr);\n\n    /* After any fault */\n",
        "                set_helper_retaddr(retaddr);\n                host_fn(vd, reg_off, info.host);\n",
        "            if (likely((pg >> (reg_off & 63)) & 1)) {\n                if (likely(in_page >= msize)) {\n",
    ],
    "target/arm/tcg/sme_helper.c": [
        *MATRICES,
        "void helper_set_svcr(CPUARMState *env, uint32_t val, uint32_t mask)\n{\n"
        "    aarch64_set_svcr(env, val, mask);\n}\n",
    ],
    "target/arm/tcg/op_helper.c": [
        "const void *HELPER(access_check_cp_reg)(int x)\n{\n"
        "    raise_exception(env, excp, syndrome, target_el);\n}\n",
        "        raise_exception(env, EXCP_HYP_TRAP, syndrome, 2);\n        raise_exception(env, excp, syn_wfx(1, 2),\n"
        "                        target_el);\n" + 5 * "        raise_exception(env, EXCP_UDEF, syn_uncategorized(),\n"
        "                        exception_target_el(env));\n",
        "static void msr_mrs_banked_exc_checks(int x, uint32_t tgtmode,\n"
        "                                      uint32_t regno)\n{\n"
        "    raise_exception(env, EXCP_UDEF, syn_uncategorized(),\n                    exception_target_el(env));\n}\n",
        2 * "    msr_mrs_banked_exc_checks(env, tgtmode, regno);\n",
    ],
    "target/arm/tcg/translate-a64.c": [
        "static TCGv_i64 cpu_X[32];\n",
        "    tcg_gen_mov_i64(cpu_reg(s, rd), tmp);\n    tcg_gen_br(done_label);\n}\n",
        "    s->insn = insn;\n    s->base.pc_next = pc + 4;\n",
        "    gen_helper_exception_bkpt_insn(tcg_env, syn);\n",
        "        gen_helper_exception_pc_alignment(tcg_env, pc);\n",
        "            gen_helper_set_svcr(tcg_env, new, mask);\n",
        '        /* 0xe and 0xf are both "always" conditions */\n        gen_goto_tb(s, 0, a->imm);\n',
    ],
    "hw/arm/virt.c": [
        "    if (arm_feature(&armcpu->env, ARM_FEATURE_V8)) {\n"
        '        const char compat[] = "arm,armv8-pmuv3";\n    }\n',
    ],
    "hw/pci/pci.c": [
        '            error_setg(errp, "failed to find romfile \\"%s\\"", pdev->romfile);\n            return;\n',
    ],
    "target/arm/meson.build": ["arm_system_ss = ss.source_set()\n"],
}


def branches(*immediates):
    """Returns the ends of conditional branches to a->NAME, for each name in @immediates."""
    return [f"    gen_goto_tb(s, 0, 4);\n    set_disas_label(s, match);\n    gen_goto_tb(s, 1, a->{name});\n"
            for name in immediates]


def accesses(functions):
    """Returns the beginnings of @functions functions that access memory, and of two that a macro makes."""
    return ['#include "qemu/osdep.h"\n', functions * "    tcg_debug_assert(addr_type == tcg_ctx->addr_type);\n" +
            2 * "    tcg_debug_assert(addr_type == tcg_ctx->addr_type);   \\\n"]


def tree(version, pmu, conditional, functions):
    """Returns the files of a release: @pmu is the file with its PMU, @conditional the immediates of its conditional
    branches, @functions how many functions access memory."""
    files = {**COMMON, "VERSION": [version + "\n"], "tcg/tcg-op-ldst.c": accesses(functions),
             "target/arm/helper.c": [REGISTERS]}
    files["target/arm/tcg/translate-a64.c"] = files["target/arm/tcg/translate-a64.c"] + branches(*conditional)
    files[pmu] = ['#include "qemu/osdep.h"\n', PMU] + files.get(pmu, [])
    return files


CB = ["imm", "imm", "imm", "imm", "imm9"]
USER_FILES = {
    "plugins/meson.build": [
        "  input: files('../include/qemu/qemu-plugin.h'),\n",
        "user_ss.add(files('user.c', 'api-user.c'))\n",
    ],
    "scripts/qemu-plugin-symbols.py": [
        "    parser.add_argument('plugin_header', help='Path')\n",
        "    syms = extract_symbols(args.plugin_header)\n",
    ],
    "include/tcg/tcg-opc.h": ["DEF(mb, 0, 0, 1, TCG_OPF_NOT_PRESENT)\n"],
    "tcg/tcg.c": [
        "static TCGReg tcg_reg_alloc_pair(int x)\n{\n}\n",
        "int tcg_gen_code(TCGContext *s)\n{\n",
        "    QSIMPLEQ_INIT(&s->ldst_labels);\n",
        "    i = tcg_out_ldst_finalize(s);\n",
        "        case INDEX_op_set_label:\n            tcg_reg_alloc_bb_end(s, s->reserved_regs);\n",
    ],
    "accel/tcg/plugin-gen.c": [
        '#include "qemu/osdep.h"\n',
        "    if (!tcg_cflags_has(current_cpu, CF_PARALLEL)) {\n        return 0;\n    }\n",
        "    PLUGIN_GEN_AFTER_TB,\n};\n",
        "static void gen_inline_add_u64_cb(struct qemu_plugin_inline_cb *cb)\n{\n}\n",
        "static void inject_cb(struct qemu_plugin_dyn_cb *cb)\n{\n}\n",
        '#include "qemu/plugin.h"\n',
        "    tcg_temp_ebb_reset_freed(tcg_ctx);\n",
        "static void gen_udata_cb(struct qemu_plugin_regular_cb *cb)\n{\n}\n",
        "            gen_mem_cb(&cb->regular, meminfo, addr);\n",
        "            case PLUGIN_GEN_FROM_INSN:\n                assert(insn != NULL);\n",
        "            cbs = insn->mem_cbs;\n",
        "    insn->mem_helper = false;\n",
    ],
    "include/qemu/plugin.h": [
        '#include "exec/memopidx.h"\n',
        "    /* if set, the instruction calls helpers that might access guest memory */\n"
        "    bool mem_helper;\n};\n",
    ],
    "target/arm/tcg/translate.c": ['#include "qemu/osdep.h"\n'] + CONDITIONS,
    "include/exec/translation-block.h": ["    uint16_t icount;\n"],
    "accel/tcg/translate-all.c": [
        '#include "tcg/tcg.h"\n',
        "    cpu->cc->tcg_ops->restore_state_to_opc(cpu, tb, data);\n",
    ],
    "linux-user/mmap.c": ['#include "qemu/osdep.h"\n', "            page_flags |= PAGE_BTI;\n"],
    "target/arm/tcg/helper-a64.c": ['#include "qemu/osdep.h"\n', "    return page_get_flags(addr) & PAGE_BTI;\n",
                                    *RANGES],
    "target/arm/tcg/sve_helper.c": [
        '#include "sve_ldst_internal.h"\n',
        "    if (unlikely(info.flags & TLB_MMIO)) {\n        tlb_fn(env, &scratch, 0);\n    }\n",
        "    if (!(info.flags & TLB_MMIO)) {\n        host[i] = info.host;\n    }\n",
    ],
    "target/arm/tcg/sme_helper.c": MATRICES,
    "tcg/tcg-op-ldst.c": ['#include "qemu/osdep.h"\n'] + [
        f"        tcg_gen_st_{value}, tcg_env,\n"
        f"                       offsetof(CPUState, neg.plugin_mem_value_{half}) -\n"
        for value, half in (("i32(val", "low"), ("i64(val", "low"), ("i64(TCGV128_LOW(val)", "low"),
                            ("i64(TCGV128_HIGH(val)", "high"))],
    "linux-user/syscall.c": [
        '#include "qemu/osdep.h"\n',
        "        /* we create a new CPU instance. */\n        new_env = cpu_copy(env);\n",
    ],
}
HOST = ["static void tcg_target_qemu_prologue(TCGContext *s)\n{\n",
        "        tcg_out_mov(s, TCG_TYPE_PTR, TCG_AREG0, tcg_target_call_iarg_regs[0]);\n"]
USER_TREES = {version: {**USER_FILES, "VERSION": [version + "\n"], "target/arm/tcg/translate-a64.c":
                        ['#include "qemu/osdep.h"\n'] + branches(*conditional), f"tcg/{host}/tcg-target.c.inc": HOST}
              for version, conditional, host in (("10.0.13", CB[:3], "i386"), ("10.2.2", CB[:3], "i386"),
                                                 ("11.1.3", CB, "x86_64"))}

TREES = {version: tree(version, *rest) for version, *rest in (
    ("10.0.13", "target/arm/helper.c", CB[:3], 12),
    ("10.1.0", "target/arm/cpregs-pmu.c", CB[:3], 12),
    ("10.2.2", "target/arm/cpregs-pmu.c", CB[:3], 15),
    ("11.0.0", "target/arm/cpregs-pmu.c", CB[:3], 15),
    ("11.0.50", "target/arm/cpregs-pmu.c", CB, 15),
    ("11.1.3", "target/arm/cpregs-pmu.c", CB, 15))}
failures = 0


def verdict(name, why):
    """Prints a result; @why is None, or what is wrong."""
    global failures
    failures += why is not None
    print(f"ok {name}" if why is None else f"not ok {name}: {why}")


def plant(root, files):
    """Writes files into the folder @root."""
    for path, parts in files.items():
        name = os.path.join(root, path)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="utf-8") as file:
            file.write("".join(parts))


def edit(root, checkout, program=SYSTEM):
    """Runs @program, which edits the tree @root, and returns the finished process."""
    return subprocess.run([sys.executable, program, root, checkout], capture_output=True, text=True)


def content(root):
    """Returns a dictionary from each path in @root to the file's text."""
    return {os.path.relpath(os.path.join(folder, name), root): open(os.path.join(folder, name), encoding="utf-8").read()
            for folder, _, names in os.walk(root) for name in names}


def check_user(root, version):
    """Returns what is wrong in the tree of the user emulators, or None."""
    ours = content(root)
    meson = ours["plugins/meson.build"]
    missing = [name for name in os.listdir(os.path.dirname(USER))
               if name.endswith(".c") and f"'../armpmu/{name}'" not in meson]
    if missing:
        return f"meson.build does not have {missing[0]}"
    if "'../armpmu/emulator.h'" not in meson or "armpmu/emulator.h" not in ours:
        return "the functions of emulator.h are not exported"
    if "armpmu_thread_begins(cpu); /* armpmu */\n        /* we create" not in ours["linux-user/syscall.c"]:
        return "code is not discarded when a thread is made"
    if ours["tcg/tcg-op-ldst.c"].count("if (armpmu_stores_values()) /* armpmu */\n            tcg_gen_st_") != 4:
        return "values are stored for each plugin"
    marks = ours["target/arm/tcg/translate-a64.c"].count("armpmu_mark_edge(")
    edges = ours["target/arm/tcg/translate.c"].count("edge(true)")
    if marks != 1 + 2 * (5 if version == "11.1.3" else 3) or edges != 2:
        return f"conditional branches are marked {marks - 1} times"
    return None


def check_system(root, version):
    """Returns what is wrong in the tree of the system emulator, or None."""
    home = next(path for path, parts in TREES[version].items() if PMU in parts)
    ours = content(root)
    if "\nARMPMU_STOCK(pmu_init)(" not in ours[home] or "void stock_##name\n" not in ours[home]:
        return f"{home} still defines pmu_init"
    if "    armpmu_define_registers(cpu);" not in ours["target/arm/helper.c"].split("all();")[1]:
        return "the glue's registers are not defined after all others"
    sources = [name for name in os.listdir(os.path.join(REPOSITORY, "qemu/system")) if name.endswith(".c")]
    missing = [name for name in sources if f"'armpmu/{name}'" not in ours["target/arm/meson.build"]]
    if missing:
        return f"meson.build does not have {missing[0]}"
    if not os.path.exists(os.path.join(root, "target/arm/armpmu-model/why.c")):
        return "the model is not in the tree"
    return None


def check_two_checkouts(scratch):
    """Checks two checkouts that edit one tree in turn: each writes only the files that differ."""
    root, other = os.path.join(scratch, "tree"), os.path.join(scratch, "other")
    plant(root, TREES["10.0.13"])
    for folder in ("qemu/system", "qemu/classify", "qemu/core", "lib/core", "lib/model", "lib/names", "include",
                   "tables"):
        shutil.copytree(os.path.join(REPOSITORY, folder), os.path.join(other, folder), symlinks=True)
    with open(os.path.join(other, "lib/model/count.c"), "a", encoding="utf-8") as file:
        file.write("/* changed */\n")
    with open(os.path.join(other, "tables/events.def"), "a", encoding="utf-8") as file:
        file.write("/* changed */\n")
    plant(other, {"lib/model/added.c": ["int added;\n"]})
    edit(root, REPOSITORY)
    for folder, _, names in os.walk(root):
        for name in names:
            os.utime(os.path.join(folder, name), (1, 1))
    for checkout, want in ((REPOSITORY, set()), (other, {"armpmu-model/count.c", "armpmu-model/added.c", "meson.build",
                                                         "armpmu-include/armpmu/tables/events.def"})):
        done = edit(root, checkout)
        written = {os.path.relpath(os.path.join(folder, name), os.path.join(root, "target/arm"))
                   for folder, _, names in os.walk(root) for name in names
                   if os.stat(os.path.join(folder, name)).st_mtime != 1}
        verdict(f"the tree is another checkout's: {len(want)} files differ",
                None if done.returncode == 0 and written == want else f"written: {sorted(written)} {done.stderr}")
    edit(root, REPOSITORY)
    verdict("what only the other checkout has is removed",
            "added.c is there" if os.path.exists(os.path.join(root, "target/arm/armpmu-model/added.c")) else None)
    plant(root, {"hw/other.c": ["edited\n"], "hw/other.c.armpmu-orig": ["as it came\n"]})
    for name in ("other.c", "other.c.armpmu-orig"):
        os.utime(os.path.join(root, "hw", name), (1, 1))
    edit(root, REPOSITORY)
    restored = content(root).get("hw/other.c") == "as it came\n" and "hw/other.c.armpmu-orig" not in content(root)
    verdict("what only the edits of the other checkout changed is as it came",
            None if restored else "it is not")
    is_new = os.stat(os.path.join(root, "hw/other.c")).st_mtime != 1
    verdict("and is built again", None if is_new else "it has its old time")
    shutil.rmtree(root)
    shutil.rmtree(other)


def check_version(scratch, version, emulator):
    """Checks that the edits of a release apply, and that a second run changes nothing."""
    name, program, trees, check = emulator
    root = os.path.join(scratch, "tree")
    plant(root, trees[version])
    done = edit(root, REPOSITORY, program)
    verdict(f"QEMU {version}, {name}: the edits apply",
            done.stderr.strip() if done.returncode else check(root, version))
    first = content(root)
    edit(root, REPOSITORY, program)
    verdict(f"QEMU {version}, {name}: done twice is done once",
            None if content(root) == first else "the second time changed something")
    shutil.rmtree(root)


def check_anchors(scratch, version, emulator):
    """Checks that a missing or doubled anchor is reported with its file, and that no file is changed."""
    name, program, trees, _ = emulator
    files = trees[version]
    for path, parts in files.items():
        for i, part in enumerate(parts if path != "VERSION" else []):
            for what, others in (("missing", parts[:i] + ["/* other */\n"] + parts[i + 1:]), ("twice", parts + [part])):
                root = os.path.join(scratch, "tree")
                plant(root, {**files, path: others})
                before = content(root)
                done = edit(root, REPOSITORY, program)
                why = None
                if done.returncode == 0:
                    why = "the edits applied"
                elif f"edit.py: {path}: the anchor '" not in done.stderr or "Traceback" in done.stderr:
                    why = f"it said: {done.stderr.strip()}"
                elif content(root) != before:
                    why = "files were changed before"
                verdict(f"QEMU {version}, {name}: {path}: anchor {i + 1} {what}", why)
                shutil.rmtree(root)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for emulator in (("system", SYSTEM, TREES, check_system), ("user", USER, USER_TREES, check_user)):
            for version in emulator[2]:
                check_version(scratch, version, emulator)
            for version in ("10.0.13", "10.2.2", "11.1.3"):
                check_anchors(scratch, version, emulator)
        check_two_checkouts(scratch)
        root = os.path.join(scratch, "tree")
        os.mkdir(root)
        done = edit(root, REPOSITORY)
        verdict("no source of QEMU: refused with the file's name",
                None if done.returncode and "VERSION: No such file" in done.stderr else done.stderr.strip())
        for version, why in (("9.2.4", "the edits begin with 10.0"), ("new", "'new' is no version of QEMU")):
            plant(root, {"VERSION": [version + "\n"]})
            done = edit(root, REPOSITORY)
            verdict(f"VERSION {version}: refused",
                    None if done.returncode == 1 and why in done.stderr else done.stderr.strip())
    return failures != 0


sys.exit(main())
