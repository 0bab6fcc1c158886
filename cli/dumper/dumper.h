/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dumpers: programs and scripts that read the registers of a PMU and print them as an input for `armpmu why`.
 *
 * plan.c turns the register tables into one list of reads for each view: which register, at which Exception level,
 * guarded by what, with which encoding.  guard.c writes a guard in the language of a form.  c.c, scripts.c and memory.c
 * write the forms.  dumper.c chooses one.
 */
#ifndef ARMPMU_CLI_DUMPER_H
#define ARMPMU_CLI_DUMPER_H

#include <armpmu/cores.h>
#include <armpmu/regs.h>

#include "../cli.h"

/** How a form reads registers. */
enum dumper_view {
    DUMPER_A64,      /**< by MRS */
    DUMPER_A32,      /**< by MRC and MRRC: ARMv7, and AArch32 state of Armv8 */
    DUMPER_ARM11,    /**< by MRC to c15 */
    DUMPER_EXTERNAL, /**< by loads from the memory-mapped view */
};

/** When a dumper reads a register. */
enum dumper_moment {
    DUMPER_ID,    /**< first, once: guards consist of these */
    DUMPER_ONCE,  /**< once: it does not change while the dumper runs */
    DUMPER_TWICE, /**< before and after the known loop */
};

/** One register, or bank of registers, that a dumper reads. */
struct dumper_read {
    enum apmu_reg reg;      /**< the register that it reads, or, of an ARM11, an enum apmu_arm11_reg */
    char name[24];          /**< its name in this view; of a bank, the name of copy 0 */
    unsigned copies;        /**< 1, or the copies of a bank, of which those below PMCR.N are read */
    uint16_t key;           /**< encoding of copy 0: APMU_A64_KEY, APMU_A32_KEY or APMU_A32_KEY_PAIR */
    uint8_t coproc;         /**< in AArch32 state */
    bool wide;              /**< 64 bits */
    bool selected;          /**< of ARMv7: PMSELR selects the copy */
    uint8_t level;          /**< the lowest Exception level that may read it, 1 to 3 */
    enum dumper_moment moment;
    const char *gates[3];   /**< conditions over HAS(feature), all of which must hold; NULL ends them */
    const char *unless;     /**< NULL, or a condition that must not hold: another read shows more */
    bool unless_all;        /**< that read, and so this condition, is only for those who ask for all */
    const char *asked;      /**< NULL, or the condition without which it is read only if the user asks for it */
    const char *closed_by;  /**< NULL, or the field of a higher level that has to allow the read */
};

#define DUMPER_READS 96

/** What a form reads. */
struct dumper_plan {
    enum dumper_view view;
    const struct apmu_core_info *core; /**< NULL: any */
    size_t count;
    struct dumper_read reads[DUMPER_READS];
    uint64_t features; /**< the features in the guards, a set of APMU_FEAT(x) */
    uint64_t lacks;    /**< the features that .core is known to lack */
};

/** Lists what a dumper of @view reads on @core, which may be NULL.  IDs come first, then what is read once. */
void dumper_make_plan(struct dumper_plan *plan, enum dumper_view view, const struct apmu_core_info *core);

/** Returns the first read of @reg in the plan, or NULL. */
const struct dumper_read *dumper_find(const struct dumper_plan *plan, enum apmu_reg reg);

/** Returns the name of copy @n, written to @buf. */
const char *dumper_name(const struct dumper_plan *plan, const struct dumper_read *read, unsigned n, char buf[24]);

/** Returns true if an implementation that lacks @lacks, a set of APMU_FEAT(x), may satisfy @condition. */
bool dumper_may_hold(const char *condition, uint64_t lacks);

/** Returns the set of the features that @condition names. */
uint64_t dumper_features_of(const char *condition);

/** How a language spells the few things that guards need.  All of them share C's operators. */
struct dumper_language {
    const char *sigil, *tail;              /**< around a variable where it is used: "$", "" */
    const char *define, *is, *end;         /**< around a definition: "set $", " = ", "\n" */
};

/** Returns true if a guard of the plan needs ID register @reg, which is then to be in the variable v_REGISTER. */
bool dumper_needs_id(const struct dumper_plan *plan, enum apmu_reg reg);

/**
 * Writes the definition of a variable has_FEATURE for each feature of the plan, from variables v_REGISTER with the ID
 * registers.
 */
void dumper_write_features(FILE *out, const struct dumper_plan *plan, const struct dumper_language *language);

/**
 * Writes the guard of @read as an expression over has_FEATURE, "el", "open" and "all": the Exception level is high
 * enough, all gates hold, nothing above can trap, or the user asks for everything.  Returns false, and writes
 * nothing, if it needs no guard.
 */
bool dumper_write_guard(FILE *out, const struct dumper_plan *plan, const struct dumper_read *read,
                        const struct dumper_language *language);

/** Writes the condition that MIDR, in v_MIDR, is that of an ARM11. */
void dumper_write_arm11(FILE *out, const struct dumper_language *language);

/** Writes which reads a user has to ask for, by setting @what, and why, as comment lines that begin with @prefix. */
void dumper_write_closed(FILE *out, const struct dumper_plan *plan, const char *prefix, const char *what);

/** A form, and what the user gave with it. */
struct dumper_request {
    const char *form;
    struct dumper_plan *plan;
    uint64_t base; /**< of memory-mapped forms */
};

void dumper_write_c(FILE *out, const struct dumper_request *request);
void dumper_write_module(FILE *out, const struct dumper_request *request);
void dumper_write_gdb(FILE *out, const struct dumper_request *request);
void dumper_write_openocd(FILE *out, const struct dumper_request *request);
void dumper_write_trace32(FILE *out, const struct dumper_request *request);
void dumper_write_u_boot(FILE *out, const struct dumper_request *request);
void dumper_write_devmem(FILE *out, const struct dumper_request *request);

/** Runs `armpmu why --dumper FORM`: prints a dumper, or the list of forms.  Returns an exit status. */
int dumper_run(const struct cli_args *args, const char *form);

#endif
