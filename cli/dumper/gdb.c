/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes scripts for GDB.  The guard of a read is that the target describes the register. */
#include <string.h>

#include "script.h"

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

    script_write_head(out, request, "#", lines);
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

