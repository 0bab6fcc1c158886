/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes scripts for OpenOCD.  In AArch64 state the script has the PE execute each MRS, through its debug registers,
 * which a mem_ap target reaches.  In AArch32 state OpenOCD has a command for it.
 */
#include <string.h>

#include "script.h"

/* Writes where the register is: its encoding, or the operands of arm mrc. */
static void tcl_write_place(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    const unsigned key = read->key + (read->selected ? 0 : n);

    if (plan->view == DUMPER_A64) {
        fprintf(out, "0x%04x", key);
    } else {
        fprintf(out, "%u %u %u %u %u", read->coproc, key >> 11 & 7, key >> 7 & 15, key >> 3 & 15, key & 7);
    }
}

/* Writes "armpmu_show NAME PLACE". */
static void tcl_write_show(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    char name[24];

    fprintf(out, "armpmu_show %s ", dumper_name(plan, read, n, name));
    tcl_write_place(out, plan, read, n);
}

static void tcl_show(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    if (read->moment == DUMPER_ID) {
        fprintf(out, "    set v_%s [", read->name);
        tcl_write_show(out, plan, read, n);
        fputs("]\n", out);
        return;
    }
    fputs(read->selected && read->copies == 1 ? "        armpmu_select 31\n        " : "        ", out);
    tcl_write_show(out, plan, read, n);
    fputs("\n", out);
}

static void tcl_show_copy(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    fprintf(out, "        if {$n > %u} { ", n);
    if (read->selected) {
        fprintf(out, "armpmu_select %u; ", n);
    }
    tcl_write_show(out, plan, read, n);
    fputs(" }\n", out);
}

static const struct dumper_script tcl = {
    .language = {.sigil = "$", .tail = "", .define = "    set ", .is = " [expr {", .end = "}]\n"},
    .begin_if = "    if {", .end_if = "} {\n", .close = "    }\n", .show = tcl_show, .show_copy = tcl_show_copy,
};

static const char tcl_put[] =
    "if {![info exists ARMPMU_DUMP_ALL]} { set ARMPMU_DUMP_ALL 0 }\n"
    "\n"
    "# Reads a register, prints it, and returns its value; 0 if the read is refused.\n"
    "proc armpmu_show {name args} {\n"
    "    if {[catch {armpmu_read {*}$args} value]} {\n"
    "        puts \"# $name: $value\"\n"
    "        return 0\n"
    "    }\n"
    "    puts \"$name = $value\"\n"
    "    return $value\n"
    "}\n"
    "\n";

static const char tcl_read_a64[] =
    "# Has the PE execute an instruction.  EDITR is at 0x084, EDSCR at 0x088, EDRCR at 0x090.\n"
    "proc armpmu_execute {opcode} {\n"
    "    global armpmu_mem armpmu_base\n"
    "    $armpmu_mem mww [expr {$armpmu_base + 0x84}] $opcode\n"
    "    if {[armpmu_word 0x88] & 0x40} {\n"
    "        $armpmu_mem mww [expr {$armpmu_base + 0x90}] 4\n"
    "        error \"an instruction was refused in Debug state: $opcode\"\n"
    "    }\n"
    "}\n"
    "\n"
    "# Returns a word of the debug registers.\n"
    "proc armpmu_word {offset} {\n"
    "    global armpmu_mem armpmu_base\n"
    "    return [lindex [$armpmu_mem read_memory [expr {$armpmu_base + $offset}] 32 1] 0]\n"
    "}\n"
    "\n"
    "# Returns X0: MSR DBGDTR_EL0, X0 puts it into DBGDTRRX_EL0 (0x080) and DBGDTRTX_EL0 (0x08C).\n"
    "proc armpmu_x0 {} {\n"
    "    armpmu_execute 0xd5130400\n"
    "    set low [armpmu_word 0x8c]\n"
    "    return [format \"0x%08x%08x\" [armpmu_word 0x80] $low]\n"
    "}\n"
    "\n"
    "# Returns the System register with this encoding: MRS X0, REGISTER.\n"
    "proc armpmu_read {key} {\n"
    "    armpmu_execute [format \"0x%08x\" [expr {0xd5300000 | ($key << 5)}]]\n"
    "    return [armpmu_x0]\n"
    "}\n"
    "\n"
    "# Writes X0, which OpenOCD believes to have kept its value: MRS X0, DBGDTR_EL0.\n"
    "proc armpmu_restore {value} {\n"
    "    global armpmu_mem armpmu_base\n"
    "    $armpmu_mem mww [expr {$armpmu_base + 0x8c}] [string replace $value 10 17]\n"
    "    $armpmu_mem mww [expr {$armpmu_base + 0x80}] \"0x[string range $value 10 17]\"\n"
    "    armpmu_execute 0xd5330400\n"
    "}\n"
    "\n"
    "# Prints the registers of the PE CORE, whose debug registers MEM, a mem_ap target, sees at BASE.\n"
    "proc armpmu_cpu {cpu core mem base} {\n"
    "    global armpmu_mem armpmu_base ARMPMU_DUMP_ALL\n"
    "    set armpmu_mem $mem\n"
    "    set armpmu_base $base\n"
    "    set all $ARMPMU_DUMP_ALL\n"
    "    set ran [armpmu_halt $core]\n"
    "    puts \"cpu $cpu\"\n"
    "    set edscr [armpmu_word 0x88]\n"
    "    set el [expr {($edscr >> 8) & 3}]\n"
    "    if {$el == 0 || (($edscr >> (10 + $el)) & 1) == 0} {\n"
    "        puts \"# it is halted at EL0 or in AArch32 state: halt it elsewhere\"\n"
    "        armpmu_resume $core $ran\n"
    "        return\n"
    "    }\n"
    "    puts \"CurrentEL = 0x[format %x [expr {$el << 2}]]\"\n"
    "    set x0 [armpmu_x0]\n";

static const char tcl_halt[] =
    "# Halts CORE, and returns whether it ran.\n"
    "proc armpmu_halt {core} {\n"
    "    targets $core\n"
    "    set ran [expr {[$core curstate] ne \"halted\"}]\n"
    "    if {$ran} { halt }\n"
    "    return $ran\n"
    "}\n"
    "\n"
    "proc armpmu_resume {core ran} {\n"
    "    targets $core\n"
    "    if {$ran} { resume }\n"
    "}\n"
    "\n"
    "# Lets CORE run for 10 ms.\n"
    "proc armpmu_run {core} {\n"
    "    targets $core\n"
    "    resume\n"
    "    sleep 10\n"
    "    halt\n"
    "    puts again\n"
    "}\n"
    "\n"
    "proc armpmu_begin {} { puts \"armpmu-dump 1\" }\n"
    "proc armpmu_end {} { puts end }\n";

static const char tcl_read_a32[] =
    "proc armpmu_read {coproc opc1 crn crm opc2} {\n"
    "    return [format 0x%08x [expr {[arm mrc $coproc $opc1 $crn $crm $opc2] & 0xffffffff}]]\n"
    "}\n"
    "\n"
    "proc armpmu_select {n} { arm mcr ";

static const char tcl_cpu_a32[] =
    "# Prints the registers of the PE CORE.\n"
    "proc armpmu_cpu {cpu core} {\n"
    "    global ARMPMU_DUMP_ALL\n"
    "    set all $ARMPMU_DUMP_ALL\n"
    "    set ran [armpmu_halt $core]\n"
    "    puts \"cpu $cpu\"\n";

static const char tcl_mode[] =
    "    set cpsr 0\n"
    "    regexp {0x[0-9a-fA-F]+} [reg cpsr] cpsr\n"
    "    puts \"CPSR = $cpsr\"\n"
    "    set hyp [expr {($cpsr & 31) == 0x1a}]\n"
    "    set secure [expr {$all || ($cpsr & 31) == 0x16}]\n"
    "    if {($cpsr & 31) == 0x10} {\n"
    "        puts \"# it is halted in User mode: halt it elsewhere\"\n"
    "        armpmu_resume $core $ran\n"
    "        return\n"
    "    }\n";

/* Writes the proc that prints what may change, with the variables that its guards use, and closes it. */
static void tcl_write_pass(FILE *out, const struct dumper_plan *plan)
{
    fputs("# Prints what may change, with the variables of armpmu_cpu.\nproc armpmu_pass {} {\n", out);
    fputs(plan->view == DUMPER_ARM11 ? "    upvar all all\n" : plan->view == DUMPER_A64
          ? "    upvar n n el el open open all all\n" : "    upvar n n hyp hyp secure secure all all selr selr\n", out);
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        const char *name = apmu_feature_name(bit) + strlen("FEAT_");

        if ((plan->features >> bit & 1) != 0) {
            fprintf(out, "    upvar has_%s has_%s\n", name, name);
        }
    }
    script_write_shows(out, plan, &tcl, DUMPER_TWICE);
    fputs(plan->view == DUMPER_A32 ? "    if {$has_PMUv1 || $has_PMUv2} { armpmu_select $selr }\n}\n\n" : "}\n\n", out);
}

/* Writes the middle of armpmu_cpu: features, the Exception level and the number of counters. */
static void tcl_write_guards(FILE *out, const struct dumper_plan *plan)
{
    const struct dumper_read *pmcr = dumper_find(plan, APMU_REG_PMCR_EL0);

    script_write_features(out, plan, &tcl);
    if (plan->view == DUMPER_A64) {
        fputs("    set open [expr {$all || $el == 3 || ((($v_ID_AA64PFR0_EL1 >> 12) & 15) == 0 &&\n"
              "        ($el == 2 || (($v_ID_AA64PFR0_EL1 >> 8) & 15) == 0))}]\n", out);
    }
    fputs("    set n 0\n", out);
    script_begin_guard(out, plan, &tcl, pmcr);
    fputs("        set n [expr {([armpmu_read ", out);
    tcl_write_place(out, plan, pmcr, 0);
    fputs("] >> 11) & 31}]\n    }\n", out);
}

/* Writes armpmu_cpu for AArch32 state or an ARM11. */
static void tcl_write_cpu32(FILE *out, const struct dumper_plan *plan)
{
    const struct dumper_read *selr = dumper_find(plan, APMU_REG_PMSELR_EL0);

    fputs(tcl_read_a32, out);
    if (selr != NULL) {
        fprintf(out, "%u 0 %u %u %u", selr->coproc, selr->key >> 7 & 15u, selr->key >> 3 & 15u, selr->key & 7u);
    }
    fputs(" $n }\n\n", out);
    tcl_write_pass(out, plan);
    fputs(tcl_cpu_a32, out);
    script_write_shows(out, plan, &tcl, DUMPER_ID);
    if (plan->view == DUMPER_ARM11) {
        fputs("    if {!(", out);
        script_write_arm11(out, &tcl);
        fputs(")} {\n        puts \"# it is not an ARM11\"\n        armpmu_resume $core $ran\n        return\n    }\n",
              out);
    } else {
        fputs(tcl_mode, out);
        tcl_write_guards(out, plan);
        fputs("    set selr [expr {$has_PMUv1 || $has_PMUv2 ? [armpmu_read ", out);
        tcl_write_place(out, plan, selr, 0);
        fputs("] : 0}]\n", out);
    }
    script_write_shows(out, plan, &tcl, DUMPER_ONCE);
    fputs("    armpmu_pass\n    armpmu_run $core\n    armpmu_pass\n", out);
    fputs("    armpmu_resume $core $ran\n}\n", out);
}

void dumper_write_openocd(FILE *out, const struct dumper_request *request)
{
    static const char *const lines_a64[] = {
        "Each core is halted, runs for 10 ms between the two readings, and then runs on if it ran before.",
        "",
        "    openocd -f BOARD.cfg -f armpmu.tcl -c init -c armpmu_begin \\",
        "        -c 'armpmu_cpu 0 CORE MEM BASE' -c armpmu_end -c shutdown >dump.txt",
        "",
        "CORE is the aarch64 target, MEM a mem_ap target of the bus with its debug registers, and BASE their address",
        "there, which is the target's -dbgbase.  \"target create MEM mem_ap -dap DAP -ap-num N\" makes such a target.",
        NULL,
    };
    static const char *const lines_a32[] = {
        "Each core is halted, runs for 10 ms between the two readings, and then runs on if it ran before.",
        "",
        "    openocd -f BOARD.cfg -f armpmu.tcl -c init -c armpmu_begin -c 'armpmu_cpu 0 CORE' -c armpmu_end \\",
        "        -c shutdown >dump.txt",
        "",
        "CORE is the target.",
        NULL,
    };
    struct dumper_plan *plan = request->plan;

    if (plan->view == DUMPER_A64) {
        script_leave_out(plan, APMU_REG_CurrentEL); /* UNDEFINED in Debug state; EDSCR shows it */
    }
    script_write_head(out, request, "#", plan->view == DUMPER_A64 ? lines_a64 : lines_a32);
    dumper_write_closed(out, plan, "#", "ARMPMU_DUMP_ALL to 1");
    fputs(tcl_put, out);
    fputs(tcl_halt, out);
    fputs("\n", out);
    if (plan->view != DUMPER_A64) {
        tcl_write_cpu32(out, plan);
        return;
    }
    tcl_write_pass(out, plan);
    fputs(tcl_read_a64, out);
    script_write_shows(out, plan, &tcl, DUMPER_ID);
    tcl_write_guards(out, plan);
    script_write_shows(out, plan, &tcl, DUMPER_ONCE);
    fputs("    armpmu_pass\n    armpmu_restore $x0\n    armpmu_run $core\n    set x0 [armpmu_x0]\n    armpmu_pass\n"
          "    armpmu_restore $x0\n    armpmu_resume $core $ran\n}\n", out);
}

