/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives sources from traits. */
#include "traits.h"

#include <stddef.h>

#define T(x) APMU_TRAIT_##x
#define BRANCH (T(BRANCH_IMM) | T(BRANCH_REG))

/* The cases in which an instruction with a condition counts: bits of a set. */
enum when {
    ALWAYS = 1, /* "Instruction architecturally executed" */
    PASSED = 2, /* "Condition code check pass", or "taken" */
    FAILED = 4, /* the condition failed, or the branch is not taken */
};

/* An instruction counts in a source if it has all traits in @all, at least one in @any and none in @none. */
static const struct source_rule {
    enum apmu_source source;
    enum when when;
    uint64_t all, any, none;
} source_rules[] = {
/* A rule for instructions with all of @traits, with any of them, and with any of them but none of @none. */
#define ALL(id, when, traits) {APMU_SOURCE_##id, when, traits, ~UINT64_C(0), 0}
#define ANY(id, when, traits) {APMU_SOURCE_##id, when, 0, traits, 0}
#define BUT(id, when, traits, none) {APMU_SOURCE_##id, when, 0, traits, none}

    ALL(SW_INCR, PASSED, T(SW_INCR)),
    ALL(INST_RETIRED, ALWAYS, T(INSN)),
    ALL(INST_SPEC, ALWAYS, T(INSN)),
    ALL(CPU_CYCLES, ALWAYS, T(INSN)),
    ALL(INST_RETIRED, FAILED, T(TRAP)), /* no exception is generated, so it is retired */
    ALL(INST_SPEC, FAILED, T(TRAP)),
    ALL(CPU_CYCLES, FAILED, T(TRAP)),
    ANY(EXC_TAKEN, PASSED, T(SVC) | T(TRAP)),
    ALL(EXC_SVC, PASSED, T(SVC)),

    ALL(LD_RETIRED, PASSED, T(LOAD)),
    ALL(LD_ANY_RETIRED, PASSED, T(LOAD)),
    ALL(LD_SPEC, PASSED, T(LOAD)),
    ALL(MEM_ACCESS_RD, PASSED, T(LOAD)),
    ANY(ST_RETIRED, PASSED, T(STORE) | T(STX_PASS)),
    ANY(ST_ANY_RETIRED, PASSED, T(STORE) | T(STX_PASS)),
    ANY(ST_SPEC, PASSED, T(STORE) | T(STX)),
    ANY(MEM_ACCESS_WR, PASSED, T(STORE) | T(STX_PASS)),
    ANY(LDST_ANY_RETIRED, PASSED, T(LOAD) | T(STORE) | T(STX_PASS)),
    ANY(LDST_SPEC, PASSED, T(LOAD) | T(STORE) | T(STX)),
    ALL(MEM_ACCESS, PASSED, T(LOAD)),
    ANY(MEM_ACCESS, PASSED, T(STORE) | T(STX_PASS)),
    ALL(UNALIGNED_LDST_RETIRED, PASSED, T(UNALIGNED)),
    ALL(LDREX_SPEC, PASSED, T(LDX)),
    ALL(STREX_SPEC, PASSED, T(STX)),
    ALL(RC_LD_SPEC, PASSED, T(ACQUIRE)),
    ALL(RC_ST_SPEC, PASSED, T(RELEASE)),
    ALL(PRF_RETIRED, PASSED, T(PREFETCH)),
    ALL(PRF_SPEC, PASSED, T(PREFETCH)),

    ANY(BR_RETIRED, ALWAYS, BRANCH),
    ANY(PC_WRITE_SPEC, ALWAYS, BRANCH),
    ALL(BR_IMMED_RETIRED, ALWAYS, T(BRANCH_IMM)),
    ALL(BR_IMMED_SPEC, ALWAYS, T(BRANCH_IMM)),
    ALL(BR_IND_RETIRED, ALWAYS, T(BRANCH_REG)),
    ALL(BR_IND_TAKEN_RETIRED, PASSED, T(BRANCH_REG)),
    ALL(BR_INDIRECT_SPEC, ALWAYS, T(BRANCH_REG)),
    ALL(BR_RETURN_RETIRED, PASSED, T(RETURN)),
    ALL(BR_RETURN_ANY_RETIRED, ALWAYS, T(RETURN)),
    ALL(BR_RETURN_SPEC, PASSED, T(RETURN)),
    BUT(BR_INDNR_RETIRED, ALWAYS, T(BRANCH_REG), T(RETURN)),
    BUT(BR_INDNR_TAKEN_RETIRED, PASSED, T(BRANCH_REG), T(RETURN)),
    BUT(BRNL_INDNR_TAKEN_RETIRED, PASSED, T(BRANCH_REG), T(RETURN) | T(LINK)),
    BUT(BRNL_IND_TAKEN_RETIRED, PASSED, T(BRANCH_REG), T(LINK)),
    ALL(BL_TAKEN_RETIRED, PASSED, T(LINK)),
    ALL(BL_IND_TAKEN_RETIRED, PASSED, T(LINK) | T(BRANCH_REG)),
    ALL(BL_IMMED_TAKEN_RETIRED, PASSED, T(LINK) | T(BRANCH_IMM)),
    BUT(BR_UNCOND_RETIRED, ALWAYS, BRANCH, T(COND)),
    {APMU_SOURCE_BR_COND_RETIRED, ALWAYS, T(COND), BRANCH, 0},
    ALL(BR_HINT_COND_RETIRED, ALWAYS, T(HINTED)),
    ANY(PC_WRITE_RETIRED, PASSED, BRANCH),
    ALL(BR_IMMED_TAKEN_RETIRED, PASSED, T(BRANCH_IMM)),
    BUT(BRNL_TAKEN_RETIRED, PASSED, BRANCH, T(LINK)),
    BUT(BRNL_IMMED_TAKEN_RETIRED, PASSED, T(BRANCH_IMM), T(LINK)),
    {APMU_SOURCE_BR_COND_TAKEN_RETIRED, PASSED, T(COND), BRANCH, 0},
    ANY(BR_SKIP_RETIRED, FAILED, BRANCH),
    ALL(BR_IMMED_SKIP_RETIRED, FAILED, T(BRANCH_IMM)),

    ALL(DP_RETIRED, PASSED, T(DP)),
    ALL(DP_SPEC, PASSED, T(DP)),
    ALL(ASE_RETIRED, PASSED, T(ASE)),
    ALL(ASE_SPEC, PASSED, T(ASE)),
    ALL(VFP_RETIRED, PASSED, T(VFP)),
    ALL(VFP_SPEC, PASSED, T(VFP)),
    ALL(CRYPTO_RETIRED, PASSED, T(CRYPTO)),
    ALL(CRYPTO_SPEC, PASSED, T(CRYPTO)),
    BUT(SVE_RETIRED, PASSED, T(SVE), T(LOAD) | T(STORE) | T(PREFETCH) | T(CRYPTO)),
    ALL(ASE_SVE_RETIRED, PASSED, T(ASE)),
    BUT(ASE_SVE_RETIRED, PASSED, T(SVE), T(LOAD) | T(STORE) | T(PREFETCH) | T(CRYPTO)),
#define ASE_INST (T(ASE) | T(ASE_MEM) | T(CRYPTO))
    BUT(ASE_INST_RETIRED, PASSED, ASE_INST, T(ASE_SCALAR) | T(SVE)),
    BUT(ASE_INST_SPEC, PASSED, ASE_INST, T(ASE_SCALAR) | T(SVE)),
    ALL(SVE_INST_RETIRED, PASSED, T(SVE)),
    ALL(SVE_INST_SPEC, PASSED, T(SVE)),
    BUT(ASE_SVE_INST_RETIRED, PASSED, ASE_INST | T(SVE), T(ASE_SCALAR)),
    BUT(ASE_SVE_INST_SPEC, PASSED, ASE_INST | T(SVE), T(ASE_SCALAR)),
    BUT(SIMD_INST_RETIRED, PASSED, ASE_INST | T(SVE) | T(SME), T(ASE_SCALAR)),
    BUT(SIMD_INST_SPEC, PASSED, ASE_INST | T(SVE) | T(SME), T(ASE_SCALAR)),

    ALL(ISB_SPEC, PASSED, T(ISB)),
    ALL(DSB_SPEC, PASSED, T(DSB)),
    ALL(DMB_SPEC, PASSED, T(DMB)),
    ALL(CSDB_SPEC, PASSED, T(CSDB)),
};

/* Returns the cases, a set of enum when, that one call of apmu_traits_add() counts. */
static unsigned cases(uint64_t traits)
{
    if (traits & T(PASSED)) {
        return PASSED;
    }
    if (traits & T(FAILED)) {
        return FAILED;
    }
    return traits & T(COND) ? ALWAYS : ALWAYS | PASSED;
}

void apmu_traits_add(uint64_t traits, uint16_t vector[APMU_SOURCE_COUNT])
{
    const unsigned now = cases(traits);
    for (size_t i = 0; i < sizeof source_rules / sizeof source_rules[0]; i++) {
        const struct source_rule *r = &source_rules[i];
        if ((r->when & now) && (traits & r->all) == r->all && (traits & r->any) && !(traits & r->none)) {
            vector[r->source]++;
        }
    }
}
