/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes dumpers that load the words of the external view: U-Boot commands, and a shell script around devmem. */
#include <inttypes.h>

#include "../state/names.h"
#include "dumper.h"

/* ---------------------------------------------------------------------------------------------------------------
 * Which words are read.
 */

/* What blocks accesses to a register, as external.def says; rows of one register agree. */
enum block { BLOCK_COUNTERS, BLOCK_SAMPLES, BLOCK_SNAPSHOTS, BLOCK_CONFIG, BLOCK_MANAGEMENT };

static const struct ext_block {
    enum apmu_reg reg;
    enum block block;
    bool readable;
} ext_blocks[] = {
#define READS_RW true
#define READS_RO true
#define READS_WO false
#define APMU_EXT(id, reg, layout32, layout64, access, rule, gate) {APMU_REG_##reg, BLOCK_##rule, READS_##access},
#include <armpmu/tables/external.def>
};

/* Words that are read one after the other: all of them, or those of the counters that there are. */
struct range {
    unsigned offset, words;
    unsigned each; /* of a bank, the words of each counter; 0: it is none */
    bool management; /* they are readable whenever the core has power */
};

enum { RANGES = 64, FRAME_BYTES = 0x1000 };

/* Returns how the register at @offset is read, or NULL if a dumper does not read it. */
static const struct ext_block *block_at(unsigned offset, enum names_layout layout, struct names_place *place)
{
    if (!names_by_offset(offset, layout, place) || place->reg == APMU_REG_PMEVFILT2R) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof ext_blocks / sizeof ext_blocks[0]; i++) {
        const struct ext_block *block = &ext_blocks[i];

        if (block->reg == place->reg) {
            return block->readable && (block->block == BLOCK_COUNTERS || block->block == BLOCK_MANAGEMENT) ? block
                                                                                                           : NULL;
        }
    }
    return NULL;
}

/* Fills @ranges with the words of @layout.  Returns their number. */
static size_t find_ranges(enum names_layout layout, struct range ranges[RANGES])
{
    size_t count = 0;
    enum apmu_reg last = APMU_REG_ALL; /* the bank of the last range */

    for (unsigned offset = 0; offset < FRAME_BYTES; offset += 4) {
        struct names_place place;
        const struct ext_block *block = block_at(offset, layout, &place);
        struct range *r = count > 0 ? &ranges[count - 1] : NULL;

        if (block == NULL) {
            continue;
        }
        const bool bank = apmu_reg_info(place.reg)->copies > 1;
        const bool management = block->block == BLOCK_MANAGEMENT;
        const bool next = r != NULL && r->offset + 4 * r->words == offset && r->management == management;

        if (next && (bank ? last == place.reg : r->each == 0)) {
            r->words++;
            r->each += bank && place.n == 0;
        } else if (count < RANGES) {
            ranges[count++] = (struct range){offset, 1, bank, management};
        }
        last = bank ? place.reg : APMU_REG_ALL;
    }
    return count;
}

/* ---------------------------------------------------------------------------------------------------------------
 * Forms.
 */

/* Writes commands for the ranges of @layout that are management registers, or for the others. */
static void write_ranges(FILE *out, const struct dumper_request *request, enum names_layout layout, bool management,
                         void (*write)(FILE *out, uint64_t address, const struct range *range))
{
    struct range ranges[RANGES];
    const size_t count = find_ranges(layout, ranges);

    for (size_t i = 0; i < count; i++) {
        if (ranges[i].management == management) {
            write(out, request->base + ranges[i].offset, &ranges[i]);
        }
    }
}

/* Writes the comment at the head.  @lines end with NULL. */
static void write_lines(FILE *out, const struct dumper_request *request, const char *const *lines)
{
    fprintf(out, "# SPDX-License-Identifier: BSD-2-Clause\n"
            "# Reads the PMU's external view at 0x%" PRIx64 " twice, and prints it for\n"
            "# `armpmu why --base 0x%" PRIx64 " FILE`.  `armpmu why --dumper %s` wrote this file from the tables of\n"
            "# armpmu.\n"
            "#\n", request->base, request->base, request->form);
    for (; *lines != NULL; lines++) {
        fprintf(out, "#%s%s\n", (*lines)[0] != '\0' ? " " : "", *lines);
    }
}

/* U-Boot's lines are short: 256 characters on some boards.  So commands are spread over several variables. */
enum { UBOOT_LINE = 200 };

/* Writes "setenv armpmu_NAME_1 '...'" and so on, with a command for each range, and "armpmu_NAME", which runs them. */
static void uboot_write_words(FILE *out, const struct dumper_request *request, enum names_layout layout,
                              bool management, const char *name)
{
    struct range ranges[RANGES];
    const size_t count = find_ranges(layout, ranges);
    unsigned variables = 0;
    int used = 0;

    for (size_t i = 0; i < count; i++) {
        const struct range *r = &ranges[i];

        if (r->management != management) {
            continue;
        }
        if (used == 0 || used > UBOOT_LINE - 30) {
            fputs(used > 0 ? "'\n" : "", out);
            used = fprintf(out, "setenv armpmu_%s_%u '", name, ++variables);
        } else {
            used += fprintf(out, "; ");
        }
        used += fprintf(out, "md.l 0x%" PRIx64 " ", request->base + r->offset);
        used += r->each == 0 ? fprintf(out, "0x%x", r->words) : fprintf(out, "${armpmu_%u}", r->each);
    }
    fprintf(out, "'\nsetenv armpmu_%s '", name);
    for (unsigned i = 1; i <= variables; i++) {
        fprintf(out, "%srun armpmu_%s_%u", i > 1 ? "; " : "", name, i);
    }
    fputs("'\n", out);
}

void dumper_write_u_boot(FILE *out, const struct dumper_request *request)
{
    static const char *const lines[] = {
        "Paste it at the prompt of U-Boot, and log the console.",
        "",
        "The core must have power.  While its OS Lock is set, as after a reset, or where MDCR_EL3.EPMAD forbids it, a",
        "read of a counter is an abort, with which U-Boot ends.  So the counters are read only if EDPRSR, at offset",
        "0x314 of the core's debug registers, says that the OS Lock is clear: give its address in armpmu_edprsr.  To",
        "read them in any case, set armpmu_all to 1.",
        NULL,
    };

    write_lines(out, request, lines);
    fprintf(out, "setenv armpmu_edprsr 0\nsetenv armpmu_all 0\n");
    uboot_write_words(out, request, NAMES_EXT32, true, "identity");
    uboot_write_words(out, request, NAMES_EXT32, false, "a16");
    uboot_write_words(out, request, NAMES_EXT64, false, "a26");
    fprintf(out, "setenv armpmu_counters 'setexpr.l armpmu_1 *0x%" PRIx64 "; setexpr armpmu_1 ${armpmu_1} \"&\" 0xff; "
            "setexpr armpmu_2 ${armpmu_1} * 2'\n"
            "setenv armpmu_passes 'run armpmu_counters; run armpmu_${armpmu_part}; echo again; sleep 1; "
            "run armpmu_${armpmu_part}'\n"
            "setenv armpmu_lock 'setexpr.l armpmu_pr *${armpmu_edprsr}; setexpr armpmu_pr ${armpmu_pr} \"&\" 0x61; "
            "if itest ${armpmu_pr} == 1; then setenv armpmu_all 1; fi'\n"
            "setenv armpmu_cpu 'run armpmu_identity; if itest ${armpmu_edprsr} != 0; then run armpmu_lock; fi; "
            "if test ${armpmu_all} = 1; then run armpmu_passes; fi'\n"
            "setenv armpmu_find 'setexpr.l armpmu_part *0x%" PRIx64 "; "
            "setexpr armpmu_part ${armpmu_part} \"&\" 0xfff'\n"
            "setenv armpmu 'echo armpmu-dump 1; echo cpu 0; run armpmu_find; "
            "if test ${armpmu_part} = a16 -o ${armpmu_part} = a26; then run armpmu_cpu; else echo no PMU is here; fi; "
            "echo end'\n"
            "run armpmu\n", request->base + 0xe00, request->base + 0xfbc);
}

static void devmem_write_range(FILE *out, uint64_t address, const struct range *range)
{
    if (range->each == 0) {
        fprintf(out, "    words 0x%" PRIx64 " %u\n", address, range->words);
    } else {
        fprintf(out, "    words 0x%" PRIx64 " $((n * %u))\n", address, range->each);
    }
}

void dumper_write_devmem(FILE *out, const struct dumper_request *request)
{
    static const char *const lines[] = {
        "Run it as root on a Linux system that has devmem (busybox) and a /dev/mem that reaches the frame, on the CPU",
        "whose PMU this is: taskset 1 sh armpmu.sh >dump.txt.  A core without power may hang the bus: keep it busy.",
        NULL,
    };

    fputs("#!/bin/sh\n", out);
    write_lines(out, request, lines);
    fprintf(out, "\n"
            "# words ADDRESS COUNT: prints words as \"ADDRESS: VALUE\".\n"
            "words() {\n"
            "    at=$(($1)) left=$2\n"
            "    while [ \"$left\" -gt 0 ]; do\n"
            "        printf '%%08x: %%08x\\n' $at $(($(devmem $at 32)))\n"
            "        at=$((at + 4)) left=$((left - 1))\n"
            "    done\n"
            "}\n"
            "\n"
            "again() {\n"
            "    i=0\n"
            "    while [ $i -lt 1000 ]; do i=$((i + 1)); done\n"
            "    echo again\n"
            "}\n"
            "\n"
            "echo armpmu-dump 1\n"
            "echo cpu 0\n"
            "part=$(($(devmem 0x%" PRIx64 " 32) & 0xfff))\n"
            "case $part in\n"
            "2582 | 2598) ;;\n"
            "*) echo \"# no PMU is here\"; exit 1 ;;\n"
            "esac\n", request->base + 0xfbc);
    write_ranges(out, request, NAMES_EXT32, true, devmem_write_range);
    fprintf(out, "n=$(($(devmem 0x%" PRIx64 " 32) & 0xff))\n", request->base + 0xe00);
    for (enum names_layout layout = NAMES_EXT32; layout <= NAMES_EXT64; layout++) {
        fprintf(out, "pass_%u() {\n", layout == NAMES_EXT32 ? 0xa16u : 0xa26u);
        write_ranges(out, request, layout, false, devmem_write_range);
        fputs("}\n", out);
    }
    fputs("pass_$part\nagain\npass_$part\necho end\n", out);
}
