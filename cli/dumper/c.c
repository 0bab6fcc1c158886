/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes dumpers in C: for AArch64, for AArch32 state and ARMv7, for ARM11, and the Linux module around the first. */
#include <string.h>

#include "dumper.h"

static const struct dumper_language c_language = {.sigil = "", .tail = "", .define = "    ", .is = " = ", .end = ";\n"};

/* ---------------------------------------------------------------------------------------------------------------
 * The parts that are the same in all of them.
 */

static const char types[] =
    "#ifdef __KERNEL__\n"
    "#include <linux/types.h>\n"
    "#else\n"
    "#include <stdint.h>\n"
    "#endif\n"
    "\n"
    "#ifndef ARMPMU_DUMP_ALL\n"
    "#define ARMPMU_DUMP_ALL 0\n"
    "#endif\n"
    "\n"
    "/* What was read: the name and value of each register, and where the second reading begins. */\n"
    "struct armpmu_dump {\n"
    "    unsigned count, again;\n"
    "    struct {\n"
    "        const char *name;\n"
    "        uint64_t value;\n"
    "    } rows[";

static const char keep[] =
    "];\n"
    "};\n"
    "\n"
    "static void armpmu_dump_keep(struct armpmu_dump *d, const char *name, uint64_t value)\n"
    "{\n"
    "    if (d->count < sizeof d->rows / sizeof d->rows[0]) {\n"
    "        d->rows[d->count].name = name;\n"
    "        d->rows[d->count++].value = value;\n"
    "    }\n"
    "}\n"
    "\n";

static const char print[] =
    "/* Prints \"NAME = 0x0123456789abcdef\" and a newline. */\n"
    "static void armpmu_dump_row(void (*put)(void *, const char *), void *ctx, const char *name, uint64_t value)\n"
    "{\n"
    "    char line[64];\n"
    "    volatile char *to = line; /* byte by byte: the MMU may be off, and unaligned stores forbidden */\n"
    "    unsigned at = 0, digit;\n"
    "\n"
    "    while (name[at] != '\\0' && at < 32) {\n"
    "        to[at] = name[at];\n"
    "        at++;\n"
    "    }\n"
    "    for (digit = 0; digit < 5; digit++) {\n"
    "        to[at++] = \" = 0x\"[digit];\n"
    "    }\n"
    "    for (digit = 0; digit < 16; digit++) {\n"
    "        to[at++] = \"0123456789abcdef\"[(value >> (60 - 4 * digit)) & 15];\n"
    "    }\n"
    "    to[at++] = '\\n';\n"
    "    to[at] = '\\0';\n"
    "    put(ctx, line);\n"
    "}\n"
    "\n"
    "/* Prints what armpmu_dump_read() read on CPU @cpu, 0 to 9999. */\n"
    "static void armpmu_dump_print(const struct armpmu_dump *d, void (*put)(void *, const char *), void *ctx,\n"
    "                              unsigned cpu)\n"
    "{\n"
    "    char digits[] = \"0000\\n\";\n"
    "    unsigned i = 4;\n"
    "\n"
    "    do {\n"
    "        digits[--i] = (char)('0' + cpu % 10);\n"
    "        cpu /= 10;\n"
    "    } while (cpu != 0 && i > 0);\n"
    "    put(ctx, \"cpu \");\n"
    "    put(ctx, digits + i);\n"
    "    for (i = 0; i < d->count; i++) {\n"
    "        if (i == d->again) {\n"
    "            put(ctx, \"again\\n\");\n"
    "        }\n"
    "        armpmu_dump_row(put, ctx, d->rows[i].name, d->rows[i].value);\n"
    "    }\n"
    "}\n";

static const char calls[] =
    "\n"
    "void armpmu_dump_begin(void (*put)(void *, const char *), void *ctx);\n"
    "void armpmu_dump_cpu(void (*put)(void *, const char *), void *ctx, unsigned cpu);\n"
    "void armpmu_dump_end(void (*put)(void *, const char *), void *ctx);\n"
    "\n"
    "void armpmu_dump_begin(void (*put)(void *, const char *), void *ctx)\n"
    "{\n"
    "    put(ctx, \"armpmu-dump 1\\n\");\n"
    "}\n"
    "\n"
    "void armpmu_dump_cpu(void (*put)(void *, const char *), void *ctx, unsigned cpu)\n"
    "{\n"
    "    static struct armpmu_dump dump;\n"
    "\n"
    "    armpmu_dump_read(&dump);\n"
    "    armpmu_dump_print(&dump, put, ctx, cpu);\n"
    "}\n"
    "\n"
    "void armpmu_dump_end(void (*put)(void *, const char *), void *ctx)\n"
    "{\n"
    "    put(ctx, \"end\\n\");\n"
    "}\n";

/* The instructions of a view: a read, the loop, and what surrounds the reads of a bank that is selected. */
static const char instructions_a64[] =
    "#define ARMPMU_DUMP_READ(d, variable, name, place) \\\n"
    "    do { \\\n"
    "        __asm__ __volatile__(\"mrs %0, \" place : \"=r\"(variable) : : \"memory\"); \\\n"
    "        armpmu_dump_keep(d, name, variable); \\\n"
    "    } while (0)\n"
    "\n"
    "#define ARMPMU_DUMP_COPY(d, variable, n, copy, name, place) \\\n"
    "    do { \\\n"
    "        if (n > copy) { \\\n"
    "            ARMPMU_DUMP_READ(d, variable, name, place); \\\n"
    "        } \\\n"
    "    } while (0)\n"
    "\n"
    "/* Executes 2000 instructions: 1000 subtractions and 1000 branches, of which the last is not taken. */\n"
    "static void armpmu_dump_loop(void)\n"
    "{\n"
    "    uint64_t rounds = 1000;\n"
    "\n"
    "    __asm__ __volatile__(\"isb\\n1:\\tsubs %0, %0, #1\\n\\tb.ne 1b\\n\\tisb\"\n"
    "                         : \"+r\"(rounds) : : \"cc\", \"memory\");\n"
    "}\n"
    "\n";

static const char instructions_a32[] =
    "#define ARMPMU_DUMP_READ(d, variable, name, place) \\\n"
    "    do { \\\n"
    "        __asm__ __volatile__(\"mrc \" place : \"=r\"(variable) : : \"memory\"); \\\n"
    "        armpmu_dump_keep(d, name, variable); \\\n"
    "    } while (0)\n"
    "\n";

static const char pair_a32[] =
    "#define ARMPMU_DUMP_READ_PAIR(d, variable, name, place) \\\n"
    "    do { \\\n"
    "        __asm__ __volatile__(\"mrrc \" place : \"=r\"(variable) : : \"memory\"); \\\n"
    "        armpmu_dump_keep(d, name, variable); \\\n"
    "    } while (0)\n"
    "\n"
    "#define ARMPMU_DUMP_COPY(d, variable, n, copy, name, place) \\\n"
    "    do { \\\n"
    "        if (n > copy) { \\\n"
    "            ARMPMU_DUMP_READ(d, variable, name, place); \\\n"
    "        } \\\n"
    "    } while (0)\n"
    "\n";

static const char selecting[] =
    "#define ARMPMU_DUMP_SELECTED(d, variable, n, copy, name, place) \\\n"
    "    do { \\\n"
    "        if (n > copy) { \\\n"
    "            armpmu_dump_select(copy); \\\n"
    "            ARMPMU_DUMP_READ(d, variable, name, place); \\\n"
    "        } \\\n"
    "    } while (0)\n"
    "\n"
    "/* Selects counter @n by PMSELR.  Interrupts are masked, so no handler sees it. */\n"
    "static void armpmu_dump_select(uint32_t n)\n"
    "{\n"
    "    __asm__ __volatile__(\"mcr ";

static const char loop_a32[] =
    "/* Executes 2000 instructions: 1000 subtractions and 1000 branches, of which the last is not taken. */\n"
    "static void armpmu_dump_loop(void)\n"
    "{\n"
    "    uint32_t rounds = 1000;\n"
    "\n"
    "    __asm__ __volatile__(\"1:\\tsubs %0, %0, #1\\n\\tbne 1b\" : \"+r\"(rounds) : : \"cc\", \"memory\");\n"
    "}\n"
    "\n";

/* ---------------------------------------------------------------------------------------------------------------
 * Reads.
 */

/* Writes the operand of the assembler that names copy @n. */
static void write_place(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n)
{
    const unsigned key = read->key + (read->selected ? 0 : n), op1 = key >> 11 & 7, crn = key >> 7 & 15,
                   crm = key >> 3 & 15;

    if (plan->view == DUMPER_A64) {
        fprintf(out, "S%u_%u_C%u_C%u_%u", key >> 14, op1, crn, crm, key & 7);
    } else if ((key & 0x8000) != 0) {
        fprintf(out, "p%u, %u, %%Q0, %%R0, c%u", read->coproc, op1, crm);
    } else {
        fprintf(out, "p%u, %u, %%0, c%u, c%u, %u", read->coproc, op1, crn, crm, key & 7);
    }
}

/* Writes a call of ARMPMU_DUMP_READ for copy @n. */
static void write_read(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, unsigned n,
                       int indent)
{
    const bool pair = plan->view != DUMPER_A64 && (read->key & 0x8000) != 0;
    char name[24];

    fprintf(out, "%*sARMPMU_DUMP_READ%s(d, ", indent, "", pair ? "_PAIR" : "");
    if (read->moment == DUMPER_ID && (plan->view == DUMPER_ARM11 || dumper_needs_id(plan, read->reg))) {
        fprintf(out, "v_%s", read->name);
    } else {
        fputs(pair ? "pair" : "value", out);
    }
    fprintf(out, ", \"%s\", \"", dumper_name(plan, read, n, name));
    write_place(out, plan, read, n);
    fputs("\");\n", out);
}

/* Writes the reads of a bank: copy n if n is below PMCR.N. */
static void write_bank(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read, int indent)
{
    for (unsigned n = 0; n < read->copies; n++) {
        char name[24];

        fprintf(out, "%*sARMPMU_DUMP_%s(d, value, n, %u, \"%s\", \"", indent, "",
                read->selected ? "SELECTED" : "COPY", n, dumper_name(plan, read, n, name));
        write_place(out, plan, read, n);
        fputs("\");\n", out);
    }
}

static bool same_guard(const struct dumper_read *a, const struct dumper_read *b)
{
    return a->level == b->level && a->asked == b->asked && a->unless == b->unless && a->unless_all == b->unless_all &&
           (a->closed_by == NULL) == (b->closed_by == NULL) &&
           memcmp(a->gates, b->gates, sizeof a->gates) == 0;
}

/* Writes the reads of a moment, selected ones or others.  Neighbours with the same guard share it. */
static void write_reads(FILE *out, const struct dumper_plan *plan, enum dumper_moment moment, bool selected, int indent)
{
    const struct dumper_read *last = NULL;
    bool guarded = false;

    for (size_t i = 0; i < plan->count; i++) {
        const struct dumper_read *read = &plan->reads[i];

        if (read->moment != moment || read->selected != selected) {
            continue;
        }
        if (last == NULL || !same_guard(last, read)) {
            static const struct dumper_read none = {.level = 1};

            if (guarded) {
                fprintf(out, "%*s}\n", indent, "");
            }
            guarded = moment != DUMPER_ID && !same_guard(read, &none);
            if (guarded) {
                fprintf(out, "%*sif (", indent, "");
                dumper_write_guard(out, plan, read, &c_language);
                fputs(") {\n", out);
            }
        }
        last = read;
        if (read->copies > 1) {
            write_bank(out, plan, read, indent + 4 * guarded);
            continue;
        }
        if (selected) { /* PMCCFILTR */
            fprintf(out, "%*sarmpmu_dump_select(31);\n", indent + 4 * guarded, "");
        }
        write_read(out, plan, read, 0, indent + 4 * guarded);
    }
    if (guarded) {
        fprintf(out, "%*s}\n", indent, "");
    }
}

/* Returns true if PMSELR selects some of the plan's registers. */
static bool has_selected(const struct dumper_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].selected) {
            return true;
        }
    }
    return false;
}

/* Writes the reads through PMSELR of ARMv7, which is then as before. */
static void write_selected(FILE *out, const struct dumper_plan *plan, int indent)
{
    const struct dumper_read *selr = dumper_find(plan, APMU_REG_PMSELR_EL0);

    if (!has_selected(plan)) {
        return;
    }
    fprintf(out, "%*sif (has_PMUv1 || has_PMUv2) {\n%*s__asm__ __volatile__(\"mrc ", indent, "", indent + 4, "");
    write_place(out, plan, selr, 0);
    fputs("\" : \"=r\"(selr) : : \"memory\");\n", out);
    write_reads(out, plan, DUMPER_TWICE, true, indent + 4);
    fprintf(out, "%*sarmpmu_dump_select(selr);\n%*s}\n", indent + 4, "", indent, "");
}

/* ---------------------------------------------------------------------------------------------------------------
 * The function that reads.
 */

/* Writes the variables for the ID registers and the features. */
static void write_variables(FILE *out, const struct dumper_plan *plan, const char *type)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->reads[i].moment == DUMPER_ID && dumper_needs_id(plan, plan->reads[i].reg)) {
            fprintf(out, "    %s v_%s = 0;\n", type, plan->reads[i].name);
        }
    }
    for (unsigned bit = 0; bit < APMU_FEAT_END; bit++) {
        if ((plan->features >> bit & 1) != 0) {
            fprintf(out, "    int has_%s;\n", apmu_feature_name(bit) + strlen("FEAT_"));
        }
    }
}

/* Writes the statement that takes the number of event counters from PMCR. */
static void write_counters(FILE *out, const struct dumper_plan *plan)
{
    const struct dumper_read *pmcr = dumper_find(plan, APMU_REG_PMCR_EL0);

    fputs("    if (", out);
    dumper_write_guard(out, plan, pmcr, &c_language);
    fprintf(out, ") {\n        __asm__ __volatile__(\"%s ", plan->view == DUMPER_A64 ? "mrs %0," : "mrc");
    write_place(out, plan, pmcr, 0);
    fputs("\" : \"=r\"(value) : : \"memory\");\n        n = (unsigned)(value >> 11) & 31;\n    }\n", out);
}

/* Writes the two passes over what may change, with the loop between. */
static void write_passes(FILE *out, const struct dumper_plan *plan)
{
    fputs("    for (pass = 0; pass < 2; pass++) {\n"
          "        if (pass > 0) {\n"
          "            armpmu_dump_loop();\n"
          "            d->again = d->count;\n"
          "        }\n", out);
    write_reads(out, plan, DUMPER_TWICE, false, 8);
    if (plan->view == DUMPER_A32) {
        write_selected(out, plan, 8);
    }
    fputs("    }\n", out);
}

static void write_a64_reader(FILE *out, const struct dumper_plan *plan)
{
    fputs("/* Fills @d. */\n"
          "static void armpmu_dump_read(struct armpmu_dump *d)\n"
          "{\n"
          "    uint64_t value = 0;\n"
          "    unsigned pass, n = 0, el;\n"
          "    const int all = ARMPMU_DUMP_ALL;\n"
          "    int open;\n", out);
    write_variables(out, plan, "uint64_t");
    fputs("\n    d->count = d->again = 0;\n", out);
    write_reads(out, plan, DUMPER_ID, false, 4);
    dumper_write_features(out, plan, &c_language);
    fputs("    __asm__ __volatile__(\"mrs %0, CurrentEL\" : \"=r\"(value));\n"
          "    el = (unsigned)(value >> 2) & 3;\n"
          "    /* Whether no higher Exception level is implemented that could trap. */\n"
          "    open = all || el == 3 || (((v_ID_AA64PFR0_EL1 >> 12) & 15) == 0 &&\n"
          "                              (el == 2 || ((v_ID_AA64PFR0_EL1 >> 8) & 15) == 0));\n"
          "    (void)open;\n", out);
    write_counters(out, plan);
    write_reads(out, plan, DUMPER_ONCE, false, 4);
    write_passes(out, plan);
    fputs("}\n\n", out);
}

static void write_a32_reader(FILE *out, const struct dumper_plan *plan)
{
    fputs("/* Fills @d. */\n"
          "static void armpmu_dump_read(struct armpmu_dump *d)\n"
          "{\n"
          "    uint64_t pair = 0;\n"
          "    uint32_t value = 0, cpsr, selr = 0;\n"
          "    unsigned pass, n = 0;\n"
          "    const int all = ARMPMU_DUMP_ALL;\n"
          "    int hyp, secure;\n", out);
    write_variables(out, plan, "uint32_t");
    fputs("\n"
          "    d->count = d->again = 0;\n"
          "    (void)pair;\n"
          "    (void)selr;\n"
          "    __asm__ __volatile__(\"mrs %0, cpsr\\n\\tcpsid i\" : \"=r\"(cpsr) : : \"memory\");\n"
          "    hyp = (cpsr & 31) == 0x1a;\n"
          "    secure = all || (cpsr & 31) == 0x16; /* Monitor mode */\n"
          "    (void)hyp;\n"
          "    (void)secure;\n"
          "    armpmu_dump_keep(d, \"CPSR\", cpsr);\n", out);
    write_reads(out, plan, DUMPER_ID, false, 4);
    dumper_write_features(out, plan, &c_language);
    write_counters(out, plan);
    write_reads(out, plan, DUMPER_ONCE, false, 4);
    write_passes(out, plan);
    fputs("    __asm__ __volatile__(\"msr cpsr_c, %0\" : : \"r\"(cpsr) : \"memory\");\n}\n\n", out);
}

static void write_arm11_reader(FILE *out, const struct dumper_plan *plan)
{
    fputs("/* Fills @d. */\n"
          "static void armpmu_dump_read(struct armpmu_dump *d)\n"
          "{\n"
          "    uint32_t value = 0, v_MIDR = 0;\n"
          "    unsigned pass;\n"
          "    const int all = ARMPMU_DUMP_ALL;\n"
          "\n"
          "    d->count = d->again = 0;\n", out);
    write_reads(out, plan, DUMPER_ID, false, 4);
    fputs("    if (", out);
    dumper_write_arm11(out, &c_language);
    fputs(") {\n", out);
    write_reads(out, plan, DUMPER_ONCE, false, 8);
    fputs("        for (pass = 0; pass < 2; pass++) {\n"
          "            if (pass > 0) {\n"
          "                armpmu_dump_loop();\n"
          "                d->again = d->count;\n"
          "            }\n", out);
    write_reads(out, plan, DUMPER_TWICE, false, 12);
    fputs("        }\n    }\n}\n\n", out);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Files.
 */

/* Returns the number of rows of two readings. */
static size_t rows_of(const struct dumper_plan *plan)
{
    size_t rows = 1; /* CPSR */

    for (size_t i = 0; i < plan->count; i++) {
        rows += plan->reads[i].copies * (plan->reads[i].moment == DUMPER_TWICE ? 2u : 1u);
    }
    return rows;
}

/* Writes everything but the calls: types, instructions, armpmu_dump_read() and armpmu_dump_print(). */
static void write_core(FILE *out, const struct dumper_plan *plan)
{
    fputs(types, out);
    fprintf(out, "%zu", rows_of(plan));
    fputs(keep, out);
    if (plan->view == DUMPER_A64) {
        fputs(instructions_a64, out);
        write_a64_reader(out, plan);
    } else {
        fputs(instructions_a32, out);
        fputs(plan->view == DUMPER_A32 ? pair_a32 : "", out);
        if (has_selected(plan)) {
            fputs(selecting, out);
            write_place(out, plan, dumper_find(plan, APMU_REG_PMSELR_EL0), 0);
            fputs("\\n\\tisb\" : : \"r\"(n) : \"memory\");\n}\n\n", out);
        }
        fputs(loop_a32, out);
        (plan->view == DUMPER_A32 ? write_a32_reader : write_arm11_reader)(out, plan);
    }
    fputs(print, out);
}

/* Writes what every file in C begins with, up to a list of the reads that need a higher level's leave. */
static void write_head(FILE *out, const struct dumper_request *request, const char *licence, const char *where)
{
    fprintf(out, "/* SPDX-License-Identifier: %s */\n"
            "/*\n"
            " * Reads the registers of the PMU, and those that control it, twice with a known loop between, and\n"
            " * prints them for `armpmu why FILE`.  `armpmu why --dumper %s` wrote this file from the tables of\n"
            " * armpmu.\n"
            " *\n"
            " * %s\n"
            " * Each read is guarded by the ID registers, PMCR.N and the Exception level.\n", licence, request->form,
            where);
    dumper_write_closed(out, request->plan, " *", "ARMPMU_DUMP_ALL to 1");
}

void dumper_write_c(FILE *out, const struct dumper_request *request)
{
    static const char *const where[] = {
        [DUMPER_A64] = "It runs at EL1, EL2 or EL3 in AArch64 state, reads what that level may, and writes nothing.",
        [DUMPER_A32] = "It runs in a privileged mode of ARMv7 or AArch32.  On ARMv7 it writes PMSELR and restores it.",
        [DUMPER_ARM11] = "It runs in a privileged mode of an ARM11, and writes nothing.",
    };

    write_head(out, request, "BSD-2-Clause", where[request->plan->view]);
    fputs(" *\n"
          " *     armpmu_dump_begin(put, NULL);\n"
          " *     armpmu_dump_cpu(put, NULL, 0);    on each CPU with its number, one CPU after the other\n"
          " *     armpmu_dump_end(put, NULL);\n"
          " *\n"
          " * put(NULL, TEXT) is to print a text, for example on the serial line.\n"
          " */\n", out);
    write_core(out, request->plan);
    fputs(calls, out);
}

static const char module[] =
    "\n"
    "static void armpmu_dump_put(void *ctx, const char *text)\n"
    "{\n"
    "    seq_puts(ctx, text);\n"
    "}\n"
    "\n"
    "static void armpmu_dump_here(void *dump)\n"
    "{\n"
    "    armpmu_dump_read(dump);\n"
    "}\n"
    "\n"
    "static int armpmu_dump_show(struct seq_file *out, void *unused)\n"
    "{\n"
    "    struct armpmu_dump *dump = kzalloc(sizeof *dump, GFP_KERNEL);\n"
    "    unsigned int cpu;\n"
    "\n"
    "    if (dump == NULL) {\n"
    "        return -ENOMEM;\n"
    "    }\n"
    "    seq_puts(out, \"armpmu-dump 1\\n\");\n"
    "    cpus_read_lock();\n"
    "    for_each_online_cpu(cpu) {\n"
    "        if (smp_call_function_single((int)cpu, armpmu_dump_here, dump, 1) == 0) {\n"
    "            armpmu_dump_print(dump, armpmu_dump_put, out, cpu);\n"
    "        }\n"
    "    }\n"
    "    cpus_read_unlock();\n"
    "    seq_puts(out, \"end\\n\");\n"
    "    kfree(dump);\n"
    "    return 0;\n"
    "}\n"
    "\n"
    "static int __init armpmu_dump_init(void)\n"
    "{\n"
    "    return proc_create_single(\"armpmu_dump\", 0400, NULL, armpmu_dump_show) != NULL ? 0 : -ENOMEM;\n"
    "}\n"
    "\n"
    "static void __exit armpmu_dump_exit(void)\n"
    "{\n"
    "    remove_proc_entry(\"armpmu_dump\", NULL);\n"
    "}\n"
    "\n"
    "module_init(armpmu_dump_init);\n"
    "module_exit(armpmu_dump_exit);\n"
    "MODULE_DESCRIPTION(\"Prints the registers of the PMU of each CPU\");\n"
    "MODULE_LICENSE(\"Dual BSD/GPL\");\n";

void dumper_write_module(FILE *out, const struct dumper_request *request)
{
    write_head(out, request, "GPL-2.0-only OR BSD-2-Clause",
               "It is a Linux module for arm64: it reads on each CPU that is online, at the level of the kernel.");
    fputs(" *\n"
          " *     echo 'obj-m := armpmu_dump.o' >Kbuild\n"
          " *     make -C /lib/modules/$(uname -r)/build M=$PWD modules\n"
          " *     insmod armpmu_dump.ko && cat /proc/armpmu_dump >dump.txt; rmmod armpmu_dump\n"
          " *     armpmu why dump.txt\n"
          " */\n"
          "#include <linux/cpu.h>\n"
          "#include <linux/module.h>\n"
          "#include <linux/proc_fs.h>\n"
          "#include <linux/seq_file.h>\n"
          "#include <linux/slab.h>\n"
          "#include <linux/smp.h>\n"
          "\n", out);
    write_core(out, request->plan);
    fputs(module, out);
}
