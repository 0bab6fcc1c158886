/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes scripts for Trace32.  Addresses are SPR:0x<op0><op1><CRn><CRm><op2> and C15:0x<opc1><opc2><CRm><CRn>, with a
 * digit for each.
 */
#include <string.h>

#include "script.h"

/* Writes Data.Quad(ADDRESS), or Data.Long(ADDRESS) in AArch32 state. */
static void t32_write_read(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    const unsigned key = read->key + (read->selected ? 0 : n), op1 = key >> 11 & 7, crn = key >> 7 & 15,
                   crm = key >> 3 & 15;

    if (plan->view == DUMPER_A64) {
        fprintf(out, "Data.Quad(SPR:0x%x%x%x%x%x)", key >> 14, op1, crn, crm, key & 7);
    } else {
        fprintf(out, "Data.Long(C%u:0x%x%x%x%x)", read->coproc, op1, key & 7, crm, crn);
    }
}

/* Writes the command that prints copy @n. */
static void t32_write_show(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n,
                           int indent)
{
    char name[24];

    fprintf(out, "%*sWRITE #1 \"%s = 0x\" FORMAT.HEX(%d.,", indent, "", dumper_name(plan, read, n, name),
            plan->view == DUMPER_A64 ? 16 : 8);
    t32_write_read(out, plan, read, n);
    fputs(")\n", out);
}

/* Writes the command that selects counter @n. */
static void t32_write_select(FILE *out, const struct dumper_plan *plan, const char *n, int indent)
{
    const struct dumper_read *selr = dumper_find(plan, APMU_REG_PMSELR_EL0);

    fprintf(out, "%*sData.Set C%u:0x%x%x%x%x %%Long %s\n", indent, "", selr->coproc, selr->key >> 11 & 7u,
            selr->key & 7u, selr->key >> 3 & 15u, selr->key >> 7 & 15u, n);
}

static void t32_show(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    if ((read->key & 0x8000) != 0 && plan->view == DUMPER_A32) {
        fputs("    ; PMCCNTR by MRRC: left out\n", out);
        return;
    }
    if (read->moment == DUMPER_ID) {
        fprintf(out, "  &v_%s=", read->name);
        t32_write_read(out, plan, read, n);
        fputs("\n", out);
    }
    if (read->selected && read->copies == 1) {
        t32_write_select(out, plan, "0x1f", 4);
    }
    t32_write_show(out, plan, read, n, read->moment == DUMPER_ID ? 2 : 4);
}

static void t32_show_copy(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    char number[8];

    fprintf(out, "    IF (&n)>0x%x\n    (\n", n);
    if (read->selected) {
        snprintf(number, sizeof number, "0x%x", n);
        t32_write_select(out, plan, number, 6);
    }
    t32_write_show(out, plan, read, n, 6);
    fputs("    )\n", out);
}

static const struct dumper_script t32 = {
    .language = {.sigil = "(&", .tail = ")", .define = "  &", .is = "=", .end = "\n"},
    .begin_if = "  IF ", .end_if = "\n  (\n", .close = "  )\n", .dense = true,
    .show = t32_show, .show_copy = t32_show_copy,
};

static const char t32_main[] =
    "&all=FALSE()\n"
    "OPEN #1 \"armpmu-dump.txt\" /Create\n"
    "WRITE #1 \"armpmu-dump 1\"\n"
    "&ran=FALSE()\n"
    "IF STATE.RUN()\n"
    "(\n"
    "  &ran=TRUE()\n"
    "  Break\n"
    "  WAIT !STATE.RUN() 1.s\n"
    ")\n"
    "&cpu=0x0\n"
    "WHILE &cpu<CORENUMBER()\n"
    "(\n"
    "  CORE.select &cpu\n"
    "  WRITE #1 \"cpu \" FORMAT.DECIMAL(1.,&cpu)\n"
    "  GOSUB armpmu_first\n"
    "  GOSUB armpmu_pass\n"
    "  Step 16.\n"
    "  WRITE #1 \"again\"\n"
    "  GOSUB armpmu_pass\n"
    "  &cpu=&cpu+0x1\n"
    ")\n"
    "WRITE #1 \"end\"\n"
    "CLOSE #1\n"
    "IF (&ran)\n"
    "(\n"
    "  Go\n"
    ")\n"
    "ENDDO\n"
    "\n"
    "; Prints what is read once, and finds out what the core has.\n"
    "armpmu_first:\n";

/* Writes what a guard of the plan needs besides the features: the level, and the number of counters. */
static void t32_write_guards(FILE *out, const struct dumper_plan *plan)
{
    const struct dumper_read *pmcr = dumper_find(plan, APMU_REG_PMCR_EL0);

    if (plan->view == DUMPER_A64) {
        fputs("  &el=(Register(CPSR)>>0x2)&0x3\n"
              "  &open=(&all)||((&el)==0x3)||((((&v_ID_AA64PFR0_EL1)>>0xc)&0xf)==0x0&&((&el)==0x2||"
              "(((&v_ID_AA64PFR0_EL1)>>0x8)&0xf)==0x0))\n", out);
    } else {
        fputs("  &hyp=(Register(CPSR)&0x1f)==0x1a\n"
              "  &secure=(&all)||((Register(CPSR)&0x1f)==0x16)\n", out);
    }
    fputs("  &n=0x0\n", out);
    script_begin_guard(out, plan, &t32, pmcr);
    fputs("    &n=(", out);
    t32_write_read(out, plan, pmcr, 0);
    fputs(">>0xb)&0x1f\n  )\n", out);
}

/* Declares the variables.  One that is not declared would be lost at the end of its subroutine. */
static void t32_write_variables(FILE *out, const struct dumper_plan *plan)
{
    fputs("\nLOCAL &cpu &ran &all &core &el &open &hyp &secure &n &selr\n", out);
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].moment == DUMPER_ID) {
            fprintf(out, "LOCAL &v_%s\n", plan->reads[i].name);
        }
    }
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        if ((plan->features >> bit & 1) != 0) {
            fprintf(out, "LOCAL &has_%s\n", apmu_feature_name(bit) + strlen("FEAT_"));
        }
    }
}

void dumper_write_trace32(FILE *out, const struct dumper_request *request)
{
    static const char *const lines[] = {
        "It writes armpmu-dump.txt.  Each core executes 16 instructions between the two readings.  This form was",
        "tested without a debugger: look at its first run.",
        "",
        "    DO armpmu.cmm",
        NULL,
    };
    struct dumper_plan *plan = request->plan;
    const struct dumper_read *selr;

    script_leave_out(plan, APMU_REG_CurrentEL); /* UNDEFINED in Debug state; CPSR shows it */
    selr = dumper_find(plan, APMU_REG_PMSELR_EL0);
    script_write_head(out, request, ";", lines);
    dumper_write_closed(out, plan, ";", "&all to TRUE()");
    t32_write_variables(out, plan);
    fputs(t32_main, out);
    fputs(plan->view == DUMPER_A64 ? "  WRITE #1 \"CurrentEL = 0x\" FORMAT.HEX(1.,Register(CPSR)&0xc)\n"
                                   : "  WRITE #1 \"CPSR = 0x\" FORMAT.HEX(8.,Register(CPSR))\n", out);
    script_write_shows(out, plan, &t32, DUMPER_ID);
    if (plan->view == DUMPER_ARM11) {
        fputs("  &core=", out);
        script_write_arm11(out, &t32);
        fputs("\n", out);
    } else {
        script_write_features(out, plan, &t32);
        t32_write_guards(out, plan);
    }
    script_write_shows(out, plan, &t32, DUMPER_ONCE);
    fputs("  RETURN\n\n; Prints what may change.\narmpmu_pass:\n", out);
    if (plan->view == DUMPER_ARM11) {
        fputs("  IF (&core)\n  (\n", out);
    } else if (plan->view == DUMPER_A32) {
        script_begin_guard(out, plan, &t32, dumper_find(plan, APMU_REG_PMCR_EL0));
        fputs("    &selr=", out);
        t32_write_read(out, plan, selr, 0);
        fputs("\n  )\n", out);
    }
    script_write_shows(out, plan, &t32, DUMPER_TWICE);
    if (plan->view == DUMPER_ARM11) {
        fputs("  )\n", out);
    } else if (plan->view == DUMPER_A32) {
        script_begin_guard(out, plan, &t32, dumper_find(plan, APMU_REG_PMCR_EL0));
        t32_write_select(out, plan, "&selr", 4);
        fputs("  )\n", out);
    }
    fputs("  RETURN\n", out);
}
