/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes dumpers for debuggers: scripts for GDB, OpenOCD and Trace32. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "dumper.h"

/* How a script says things. */
struct script {
    struct dumper_language language;
    const char *begin_if, *end_if, *close; /* around a condition, and after the statements that depend on it */
    bool dense;                            /* conditions have no blanks */
    /* Writes a statement that reads copy @n and prints it; an ID register is assigned to v_NAME too. */
    void (*show)(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n);
    /* Writes a statement that does so if the number of event counters is above @n. */
    void (*show_copy)(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n);
};

/* ---------------------------------------------------------------------------------------------------------------
 * What all of them share.
 */

/* Writes @text, in a dense script without its blanks. */
static void write_expression(FILE *out, const struct script *script, const char *text)
{
    for (; *text != '\0'; text++) {
        if (!script->dense || *text != ' ') {
            fputc(*text, out);
        }
    }
}

/* Writes the definitions of the features, without the blanks in a dense script. */
static void write_features(FILE *out, const struct dumper_plan *plan, const struct script *script)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL) {
        return;
    }
    dumper_write_features(to, plan, &script->language);
    fclose(to);
    for (const char *line = text; *line != '\0';) {
        const size_t indent = strspn(line, " "), length = strcspn(line, "\n");

        fprintf(out, "%.*s", (int)indent, line);
        for (size_t i = indent; i < length; i++) {
            if (!script->dense || line[i] != ' ') {
                fputc(line[i], out);
            }
        }
        fputc('\n', out);
        line += length + (line[length] == '\n');
    }
    free(text);
}

/* Writes the beginning of a statement that depends on the guard of @read.  Returns false if it needs none. */
static bool begin_guard(FILE *out, const struct dumper_plan *plan, const struct script *script,
                        const struct dumper_read *read)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool guarded;

    if (to == NULL) {
        return false;
    }
    guarded = dumper_write_guard(to, plan, read, &script->language);
    fclose(to);
    if (guarded) {
        fputs(script->begin_if, out);
        write_expression(out, script, text);
        fputs(script->end_if, out);
    }
    free(text);
    return guarded;
}

static bool same_gates(const struct dumper_read *a, const struct dumper_read *b)
{
    return memcmp(a->gates, b->gates, sizeof a->gates) == 0 && a->level == b->level && a->unless == b->unless &&
           a->unless_all == b->unless_all && a->closed_by == b->closed_by && a->asked == b->asked;
}

/* Writes the reads of a moment.  Neighbours with the same guard share it. */
static void write_shows(FILE *out, const struct dumper_plan *plan, const struct script *script,
                        enum dumper_moment moment)
{
    const struct dumper_read *last = NULL;
    bool guarded = false;

    for (size_t i = 0; i < plan->count; i++) {
        const struct dumper_read *read = &plan->reads[i];

        if (read->moment != moment) {
            continue;
        }
        if (last == NULL || !same_gates(last, read)) {
            fputs(guarded ? script->close : "", out);
            guarded = moment != DUMPER_ID && begin_guard(out, plan, script, read);
        }
        last = read;
        for (unsigned n = 0; read->copies > 1 && n < read->copies; n++) {
            script->show_copy(out, plan, read, n);
        }
        if (read->copies == 1) {
            script->show(out, plan, read, 0);
        }
    }
    fputs(guarded ? script->close : "", out);
}

/* Writes the comment at the head of a script.  @lines end with a newline each. */
static void write_head(FILE *out, const struct dumper_request *request, const char *comment, const char *const *lines)
{
    fprintf(out, "%s SPDX-License-Identifier: BSD-2-Clause\n"
            "%s Reads the registers of the PMU, and those that control it, twice, and prints them for\n"
            "%s `armpmu why FILE`.  `armpmu why --dumper %s` wrote this file from the tables of armpmu.\n%s\n",
            comment, comment, comment, request->form, comment);
    for (; *lines != NULL; lines++) {
        fprintf(out, "%s %s\n", comment, *lines);
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * GDB.  What a target describes it has, and it answers without an access of the PE, so that is the guard.
 */

static const char gdb_commands[] =
    "set pagination off\n"
    "set confirm off\n"
    "set language c\n"
    "\n"
    "# armpmu_show NAME, armpmu_show32 NAME: print a register if the target describes it.\n"
    "define armpmu_show\n"
    "  if !$_isvoid($$arg0)\n"
    "    printf \"$arg0 = 0x%016llx\\n\", (unsigned long long)$$arg0\n"
    "  end\n"
    "end\n"
    "define armpmu_show32\n"
    "  if !$_isvoid($$arg0)\n"
    "    printf \"$arg0 = 0x%08x\\n\", (unsigned int)$$arg0\n"
    "  end\n"
    "end\n"
    "\n";

/* Writes the reads from moment @first to @last. */
static void gdb_write_shows(FILE *out, const struct dumper_plan *plan, enum dumper_moment first,
                            enum dumper_moment last)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct dumper_read *read = &plan->reads[i];
        char name[24];

        for (unsigned n = 0; n < read->copies && read->moment >= first && read->moment <= last && !read->selected;
             n++) {
            fprintf(out, "  armpmu_show%s %s\n", read->wide ? "" : "32", dumper_name(plan, read, n, name));
        }
    }
}

void dumper_write_gdb(FILE *out, const struct dumper_request *request)
{
    static const char *const lines[] = {
        "The target must describe System registers by name, as QEMU does.  What it does not describe is left out.",
        "Between the two readings of a CPU, the CPU at which GDB stopped executes 16 instructions, and the others run.",
        "If that CPU waits for an interrupt that does not come, set $armpmu_steps = 0 below.",
        "",
        "    gdb-multiarch -batch -ex 'target remote HOST:PORT' -x armpmu.gdb >dump.txt",
        NULL,
    };
    const struct dumper_plan *plan = request->plan;

    write_head(out, request, "#", lines);
    fputs(gdb_commands, out);
    fputs("# armpmu_pass: prints what may change.\ndefine armpmu_pass\n", out);
    gdb_write_shows(out, plan, DUMPER_TWICE, DUMPER_TWICE);
    fputs("end\n\n"
          "# armpmu_cpu: prints the registers of the CPU that is GDB's current thread.\n"
          "define armpmu_cpu\n"
          "  printf \"cpu %d\\n\", $_thread - 1\n", out);
    if (plan->view == DUMPER_A64) {
        fputs("  if !$_isvoid($cpsr)\n    printf \"CurrentEL = 0x%x\\n\", $cpsr & 12\n  end\n", out);
    } else {
        fputs("  armpmu_show32 cpsr\n", out);
    }
    gdb_write_shows(out, plan, DUMPER_ID, DUMPER_ONCE);
    fputs("  armpmu_pass\n"
          "  set $armpmu_here = $_thread\n"
          "  if $armpmu_steps > 0\n"
          "    thread $armpmu_first\n"
          "    stepi $armpmu_steps\n"
          "    thread $armpmu_here\n"
          "  end\n"
          "  printf \"again\\n\"\n"
          "  armpmu_pass\n"
          "end\n"
          "\n"
          "set $armpmu_steps = 16\n"
          "set $armpmu_first = $_thread\n"
          "printf \"armpmu-dump 1\\n\"\n"
          "thread apply all -ascending -q armpmu_cpu\n"
          "printf \"end\\n\"\n", out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * OpenOCD.  In AArch64 state the script has the PE execute each MRS, through its debug registers, which a mem_ap target
 * reaches.  In AArch32 state OpenOCD has a command for it.
 */

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

static const struct script tcl = {
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
    "# Prints the registers of the PE CORE.  MEM is a mem_ap target of the bus on which the PE's debug registers are at BASE.\n"
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
    write_shows(out, plan, &tcl, DUMPER_TWICE);
    fputs(plan->view == DUMPER_A32 ? "    if {$has_PMUv1 || $has_PMUv2} { armpmu_select $selr }\n}\n\n" : "}\n\n", out);
}

/* Writes the middle of armpmu_cpu: features, the Exception level and the number of counters. */
static void tcl_write_guards(FILE *out, const struct dumper_plan *plan)
{
    const struct dumper_read *pmcr = dumper_find(plan, APMU_REG_PMCR_EL0);

    write_features(out, plan, &tcl);
    if (plan->view == DUMPER_A64) {
        fputs("    set open [expr {$all || $el == 3 || ((($v_ID_AA64PFR0_EL1 >> 12) & 15) == 0 &&\n"
              "        ($el == 2 || (($v_ID_AA64PFR0_EL1 >> 8) & 15) == 0))}]\n", out);
    }
    fputs("    set n 0\n", out);
    begin_guard(out, plan, &tcl, pmcr);
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
    write_shows(out, plan, &tcl, DUMPER_ID);
    if (plan->view == DUMPER_ARM11) {
        fputs("    if {!(", out);
        dumper_write_arm11(out, &tcl.language);
        fputs(")} {\n        puts \"# it is not an ARM11\"\n        armpmu_resume $core $ran\n        return\n    }\n", out);
    } else {
        fputs(tcl_mode, out);
        tcl_write_guards(out, plan);
        fputs("    set selr [expr {$has_PMUv1 || $has_PMUv2 ? [armpmu_read ", out);
        tcl_write_place(out, plan, selr, 0);
        fputs("] : 0}]\n", out);
    }
    write_shows(out, plan, &tcl, DUMPER_ONCE);
    fputs("    armpmu_pass\n    armpmu_run $core\n    armpmu_pass\n", out);
    fputs("    armpmu_resume $core $ran\n}\n", out);
}

/* Removes the read of @reg. */
static void leave_out(struct dumper_plan *plan, enum apmu_reg reg)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].reg != reg) {
            plan->reads[kept++] = plan->reads[i];
        }
    }
    plan->count = kept;
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
        leave_out(plan, APMU_REG_CurrentEL); /* UNDEFINED in Debug state; EDSCR shows it */
    }
    write_head(out, request, "#", plan->view == DUMPER_A64 ? lines_a64 : lines_a32);
    dumper_write_closed(out, plan, "#");
    fputs(tcl_put, out);
    fputs(tcl_halt, out);
    fputs("\n", out);
    if (plan->view != DUMPER_A64) {
        tcl_write_cpu32(out, plan);
        return;
    }
    tcl_write_pass(out, plan);
    fputs(tcl_read_a64, out);
    write_shows(out, plan, &tcl, DUMPER_ID);
    tcl_write_guards(out, plan);
    write_shows(out, plan, &tcl, DUMPER_ONCE);
    fputs("    armpmu_pass\n    armpmu_restore $x0\n    armpmu_run $core\n    set x0 [armpmu_x0]\n    armpmu_pass\n"
          "    armpmu_restore $x0\n    armpmu_resume $core $ran\n}\n", out);
}
