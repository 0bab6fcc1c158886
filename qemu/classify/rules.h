/* SPDX-License-Identifier: BSD-2-Clause */
/* The format of the classifiers' tables, and short names for the traits in them. */
#ifndef ARMPMU_CLASSIFY_RULES_H
#define ARMPMU_CLASSIFY_RULES_H

#include <stdint.h>

#include "traits.h"

#define INSN APMU_TRAIT_INSN
#define DP (APMU_TRAIT_INSN | APMU_TRAIT_DP)
#define LD (APMU_TRAIT_INSN | APMU_TRAIT_LOAD)
#define ST (APMU_TRAIT_INSN | APMU_TRAIT_STORE)
#define LDST (LD | ST)
#define LDX (LD | APMU_TRAIT_LDX)
#define STX (APMU_TRAIT_INSN | APMU_TRAIT_STX)
#define ACQ APMU_TRAIT_ACQUIRE
#define REL APMU_TRAIT_RELEASE
#define MEM128 APMU_TRAIT_ASE_MEM
#define PRF (APMU_TRAIT_INSN | APMU_TRAIT_PREFETCH | APMU_TRAIT_DP)
#define B_IMM (APMU_TRAIT_INSN | APMU_TRAIT_BRANCH_IMM)
#define B_COND (B_IMM | APMU_TRAIT_COND)
#define B_REG (APMU_TRAIT_INSN | APMU_TRAIT_BRANCH_REG)
#define LINK APMU_TRAIT_LINK
#define RET (B_REG | APMU_TRAIT_RETURN)
#define ASE (APMU_TRAIT_INSN | APMU_TRAIT_ASE)
#define VFP (APMU_TRAIT_INSN | APMU_TRAIT_VFP)
#define CRYPTO (APMU_TRAIT_INSN | APMU_TRAIT_CRYPTO)
#define SVE (APMU_TRAIT_INSN | APMU_TRAIT_SVE)
#define SVE_PRF (APMU_TRAIT_INSN | APMU_TRAIT_SVE | APMU_TRAIT_PREFETCH)
#define SME (APMU_TRAIT_INSN | APMU_TRAIT_SME)
#define TRAP APMU_TRAIT_TRAP

/* A row of a table of encodings.  The first row that matches decides; the last row of a table matches every word. */
struct encoding {
    uint32_t mask, value;
    uint64_t traits;
};

/* Returns the traits of @word by the table @r. */
static inline uint64_t encoding_traits(const struct encoding *r, uint32_t word)
{
    while ((word & r->mask) != r->value) {
        r++;
    }
    return r->traits;
}

#endif
