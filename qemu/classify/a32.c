/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives the traits of A32 and T32 instructions from their encodings.
 *
 * The tables follow the top level of the encoding index (Arm ARM, F3.1 and F4.1).  The first row of a table that
 * matches decides.  An unallocated encoding inside a class is treated as a member of that class: it raises an
 * exception.  T32 has the same Advanced SIMD and coprocessor encodings as A32 at other bit positions, so both
 * instruction sets share their tables.
 *
 * An instruction that writes the PC is a branch to an address in a register.  It is also a load or data processing,
 * according to its encoding.  An exception return (SUBS PC, LDM with ^, RFE, ERET) is not a branch here: as with A64's
 * ERET, it has an event of its own.  The returns are those that the definition of BR_RETURN_RETIRED lists: BX LR; MOV
 * PC, LR; POP {..., PC}, also written LDM SP!, {..., PC}; LDR PC, [SP], #offset.
 */
#include "a32.h"
#include "rules.h"

#define BX B_REG
#define WRITES_PC APMU_TRAIT_BRANCH_REG
#define RETURNS (APMU_TRAIT_BRANCH_REG | APMU_TRAIT_RETURN)
#define SYS APMU_TRAIT_SYS
#define ISB (INSN | APMU_TRAIT_ISB)
#define DSB (INSN | APMU_TRAIT_DSB)
#define DMB (INSN | APMU_TRAIT_DMB)
#define CSDB (DP | APMU_TRAIT_CSDB)
#define SVC (INSN | APMU_TRAIT_SVC)

/* ---------------------------------------------------------------------------------------------------------------
 * Shared tables, in the encodings of A32.
 */

/* Advanced SIMD data processing: 1111 001. */
static const struct encoding simd[] = {
    {0xffbf0f10, 0xf3b00300, CRYPTO}, /* AES */
    {0xffbf0fd0, 0xf3b902c0, CRYPTO}, /* SHA1H */
    {0xffbf0f90, 0xf3ba0380, CRYPTO}, /* SHA1SU1, SHA256SU0 */
    {0xff800f50, 0xf2000c40, CRYPTO}, /* SHA1C, SHA1P, SHA1M, SHA1SU0 */
    {0xff800f50, 0xf3000c40, CRYPTO}, /* SHA256H, SHA256H2, SHA256SU1 */
    {0x00000000, 0x00000000, ASE},
};

/*
 * Coprocessor instructions with a condition: xxxx 11.  Coprocessors 9 to 11 are SIMD and floating-point, 14 and 15 are
 * System.
 */
static const struct encoding coprocessors[] = {
    {0x0f000000, 0x0f000000, SVC},
    {0x0fe00e00, 0x0c400a00, DP},     /* VMOV: two general-purpose registers */
    {0x0fe00e00, 0x0c400e00, DP},     /* MCRR, MRRC */
    {0x0fe00000, 0x0c400000, TRAP},
    {0x0fa00000, 0x0c000000, TRAP},
    {0x0e100e00, 0x0c000a00, ST},     /* VSTR, VSTM */
    {0x0e100e00, 0x0c100a00, LD},
    {0x0e100f00, 0x0c000900, ST},     /* VSTR, half precision */
    {0x0e100f00, 0x0c100900, LD},
    {0x0e50ff00, 0x0c005e00, ST},     /* STC, LDC: the debugger's channel */
    {0x0e50ff00, 0x0c105e00, LD},
    {0x0f000e10, 0x0e000a00, VFP},
    {0x0f000f10, 0x0e000900, VFP},
    {0x0f000e10, 0x0e000a10, DP},     /* VMOV, VDUP, VMRS, VMSR: general-purpose registers */
    {0x0f000f10, 0x0e000910, DP},
    {0x0fff0fff, 0x0e070f95, ISB},    /* CP15ISB */
    {0x0fff0fff, 0x0e070f9a, DSB},    /* CP15DSB */
    {0x0fff0fff, 0x0e070fba, DMB},    /* CP15DMB */
    {0x0f1f0f10, 0x0e070f10, DP | SYS}, /* MCR: caches, branch predictors, address translation */
    {0x0f1f0f10, 0x0e080f10, DP | SYS}, /* MCR: TLBs */
    {0x0f000e10, 0x0e000e10, DP},     /* MCR, MRC */
    {0x00000000, 0x00000000, TRAP},
};

/* Coprocessor instructions without a condition: 1111 11. */
static const struct encoding coprocessors_unconditional[] = {
    {0xfe000f00, 0xfc000800, ASE}, /* VCADD, VCMLA, VFMAL, VFMSL, VFMAB, VFMAT */
    {0xfe000f00, 0xfc000c00, ASE}, /* VMMLA, VSMMLA, VUMMLA, VUSMMLA */
    {0xfe000f00, 0xfc000d00, ASE}, /* VDOT, VSDOT, VUDOT, VUSDOT */
    {0xff000f00, 0xfe000800, ASE}, /* by element */
    {0xff000f00, 0xfe000d00, ASE},
    {0xff000e10, 0xfe000a00, VFP}, /* VSEL, VMAXNM, VMINNM, VRINTA, VCVTA, VINS, VMOVX */
    {0xff000f10, 0xfe000900, VFP},
    {0x00000000, 0x00000000, TRAP},
};

/* ---------------------------------------------------------------------------------------------------------------
 * A32.
 */

/* Bits [27:25] = 000: registers, multiplication, exclusives, halfwords, BX. */
static const struct encoding registers[] = {
    {0x0f0000f0, 0x00000090, DP},        /* multiply */
    {0x0fb000f0, 0x01000090, LDST},      /* SWP, SWPB */
    {0x0f9003f0, 0x01800090, ST | REL},  /* STL, STLB, STLH */
    {0x0f9003f0, 0x01900090, LD | ACQ},  /* LDA, LDAB, LDAH */
    {0x0f9003f0, 0x01800290, STX | REL}, /* STLEX */
    {0x0f9003f0, 0x01900290, LDX | ACQ}, /* LDAEX */
    {0x0f9003f0, 0x01800390, STX},
    {0x0f9003f0, 0x01900390, LDX},
    {0x0f0000f0, 0x01000090, TRAP},
    {0x0e1000f0, 0x000000b0, ST}, /* STRH */
    {0x0e1000f0, 0x000000f0, ST}, /* STRD */
    {0x0e000090, 0x00000090, LD},

    {0x0ff000ff, 0x0120001e, BX | APMU_TRAIT_RETURN},
    {0x0ff000f0, 0x01200010, BX},
    {0x0ff000f0, 0x01200020, BX}, /* BXJ */
    {0x0ff000f0, 0x01200030, BX | LINK},
    {0x0ff000f0, 0x01600060, INSN}, /* ERET */
    {0x0f9000f0, 0x01000070, TRAP}, /* HLT, BKPT; HVC, SMC: UNDEFINED at EL0 */
    {0x0f900000, 0x01000000, DP},   /* MRS, MSR, CLZ, QADD, CRC32, SMLABB ... */

    {0x0f900000, 0x01100000, DP}, /* TST, TEQ, CMP, CMN */
    {0x0ff0ffff, 0x01a0f00e, DP | RETURNS},
    {0x0e10f000, 0x0000f000, DP | WRITES_PC},
    {0x00000000, 0x00000000, DP},
};

/* Bits [27:25] = 001: immediates. */
static const struct encoding immediates[] = {
    {0x0fff00ff, 0x03200014, CSDB},
    {0x0f900000, 0x03000000, DP}, /* MOVW, MOVT, MSR, hints */
    {0x0f900000, 0x03100000, DP}, /* TST, TEQ, CMP, CMN */
    {0x0e10f000, 0x0200f000, DP | WRITES_PC},
    {0x00000000, 0x00000000, DP},
};

/* Bits [27:25] = 010: loads and stores of words and bytes, immediate offset. */
static const struct encoding words[] = {
    {0x0f7ff000, 0x041df000, LD | RETURNS},
    {0x0f70f000, 0x0430f000, LD}, /* LDRT */
    {0x0e50f000, 0x0410f000, LD | WRITES_PC},
    {0x0e100000, 0x04000000, ST},
    {0x00000000, 0x00000000, LD},
};

/* Bits [27:25] = 011: loads and stores of words and bytes, register offset; media instructions. */
static const struct encoding words_media[] = {
    {0x0ff000f0, 0x07f000f0, TRAP}, /* UDF */
    {0x0e000010, 0x06000010, DP},
    {0x0f70f000, 0x0630f000, LD}, /* LDRT */
    {0x0e50f000, 0x0610f000, LD | WRITES_PC},
    {0x0e100000, 0x06000000, ST},
    {0x00000000, 0x00000000, LD},
};

/* Bits [27:25] = 100: LDM and STM. */
static const struct encoding multiple[] = {
    {0x0fff8000, 0x08bd8000, LD | RETURNS},
    {0x0e508000, 0x08108000, LD | WRITES_PC},
    {0x0e100000, 0x08000000, ST},
    {0x00000000, 0x00000000, LD},
};

/* Bits [27:25] = 101: B and BL. */
static const struct encoding branches[] = {
    {0x0f000000, 0x0a000000, B_IMM},
    {0x00000000, 0x00000000, B_IMM | LINK},
};

/* Bits [31:27] = 11110: without a condition, except Advanced SIMD data processing. */
static const struct encoding unconditional[] = {
    {0xff300000, 0xf4000000, ST | MEM128}, /* Advanced SIMD elements and structures */
    {0xff300000, 0xf4200000, LD | MEM128},
    {0xffe00000, 0xf1000000, DP}, /* CPS, SETEND, SETPAN */
    {0xfff000f0, 0xf5700040, DSB},
    {0xfff000f0, 0xf5700050, DMB},
    {0xfff000f0, 0xf5700060, ISB},
    {0xfff000f0, 0xf5700070, INSN}, /* SB */
    {0xfff000f0, 0xf5700010, INSN}, /* CLREX */
    {0xfd700000, 0xf4100000, DP},   /* memory hints that are NOPs */
    {0xff300000, 0xf5100000, PRF},  /* PLD, PLDW */
    {0xff700000, 0xf4500000, PRF},  /* PLI */
    {0xff300010, 0xf7100000, PRF},
    {0xff700010, 0xf6500000, PRF},
    {0x00000000, 0x00000000, TRAP},
};

/* Bits [31:26] = 111110: without a condition. */
static const struct encoding unconditional_high[] = {
    {0xfe500000, 0xf8400000, ST}, /* SRS */
    {0xfe500000, 0xf8100000, LD}, /* RFE */
    {0xfe000000, 0xfa000000, B_IMM | LINK}, /* BLX */
    {0x00000000, 0x00000000, TRAP},
};

/* Indexed by whether the instruction is unconditional, and by bits [27:25]. */
static const struct encoding *const groups[2][8] = {
    {registers, immediates, words, words_media, multiple, branches, coprocessors, coprocessors},
    {unconditional, simd, unconditional, unconditional, unconditional_high, unconditional_high,
     coprocessors_unconditional, coprocessors_unconditional},
};

/*
 * Returns whether @word, an instruction with a condition, accesses a register that PMUSERENR guards: in p15, CRn 9 with
 * CRm 12 to 14, except a read of PMUSERENR; CRn 14 with CRm 8 to 15; CRn 9 by MRRC and MCRR.
 */
static bool guarded_by_pmuserenr(uint32_t word)
{
    const uint32_t crn = (word >> 16) & 15, crm = word & 15;
    if ((word & 0x0fe00fff) == 0x0c400f09) {
        return true;
    }
    if ((word & 0x0fe00f10) != 0x0e000f10) {
        return false;
    }
    return (crn == 9 && crm >= 12 && crm != 15 && (word & 0x001f00ef) != 0x0019000e) || (crn == 14 && crm >= 8);
}

uint64_t apmu_a32_traits(uint32_t word)
{
    const uint32_t condition = word >> 28;
    uint64_t traits = encoding_traits(groups[condition == 15][(word >> 25) & 7], word);
    if (condition != 15 && guarded_by_pmuserenr(word)) {
        traits |= APMU_TRAIT_PMU;
    }
    return condition < 14 ? traits | APMU_TRAIT_COND : traits;
}

/* ---------------------------------------------------------------------------------------------------------------
 * T32.
 */

bool apmu_t32_is_long(uint16_t first)
{
    return first >= 0xe800;
}

/* 16-bit instructions. */
static const struct encoding t16[] = {
    {0xfff8, 0x4770, BX | APMU_TRAIT_RETURN},
    {0xff80, 0x4700, BX},
    {0xff80, 0x4780, BX | LINK},
    {0xffff, 0x46f7, DP | RETURNS},
    {0xff87, 0x4687, DP | WRITES_PC}, /* MOV */
    {0xff87, 0x4487, DP | WRITES_PC}, /* ADD */
    {0xf800, 0x4800, LD}, /* literal */
    {0xfc00, 0x5000, ST}, /* register offset: STR, STRH */
    {0xfe00, 0x5400, ST}, /* STRB */
    {0xf000, 0x5000, LD},
    {0xe800, 0x6000, ST}, /* immediate offset */
    {0xe800, 0x6800, LD},
    {0xe800, 0x8000, ST},
    {0xe800, 0x8800, LD},
    {0xf500, 0xb100, B_COND}, /* CBZ, CBNZ */
    {0xff00, 0xb000, DP},     /* ADD, SUB of SP */
    {0xff00, 0xb200, DP},     /* SXTH and kin */
    {0xfe00, 0xb400, ST},     /* PUSH */
    {0xff80, 0xb600, DP},     /* SETPAN, SETEND, CPS */
    {0xffc0, 0xba80, TRAP},   /* HLT */
    {0xff00, 0xba00, DP},     /* REV and kin */
    {0xff00, 0xbc00, LD},     /* POP */
    {0xff00, 0xbd00, LD | RETURNS},
    {0xff00, 0xbf00, DP},   /* hints, IT */
    {0xf000, 0xb000, TRAP}, /* BKPT */
    {0xf800, 0xc000, ST},
    {0xf800, 0xc800, LD},
    {0xff00, 0xde00, TRAP}, /* UDF */
    {0xff00, 0xdf00, SVC},
    {0xf000, 0xd000, B_COND},
    {0xf800, 0xe000, B_IMM},
    {0x0000, 0x0000, DP},
};

/* 32-bit instructions, except those that share a table with A32. */
static const struct encoding t32[] = {
    {0xffd00000, 0xe8000000, ST}, /* SRS */
    {0xffd00000, 0xe8100000, LD}, /* RFE */
    {0xffd00000, 0xe9800000, ST},
    {0xffd00000, 0xe9900000, LD},
    {0xffff8000, 0xe8bd8000, LD | RETURNS}, /* LDM */
    {0xfe508000, 0xe8108000, LD | WRITES_PC},
    {0xfe500000, 0xe8000000, ST},
    {0xfe500000, 0xe8100000, LD},

    {0xfff000e0, 0xe8d00000, LD | BX}, /* TBB, TBH */
    {0xfff000c0, 0xe8c00040, STX},     /* STREXB, STREXH, STREXD */
    {0xfff000c0, 0xe8d00040, LDX},
    {0xfff000c0, 0xe8c00080, ST | REL}, /* STL */
    {0xfff000c0, 0xe8d00080, LD | ACQ},
    {0xfff000c0, 0xe8c000c0, STX | REL}, /* STLEX */
    {0xfff000c0, 0xe8d000c0, LDX | ACQ},
    {0xffe00000, 0xe8c00000, TRAP},
    {0xfff00000, 0xe8400000, STX}, /* STREX */
    {0xfff00000, 0xe8500000, LDX},
    {0xfe500000, 0xe8400000, ST}, /* STRD */
    {0xfe500000, 0xe8500000, LD},

    {0xfe000000, 0xea000000, DP},
    {0xf8008000, 0xf0000000, DP},

    {0xf800d000, 0xf0009000, B_IMM},
    {0xf800d000, 0xf000d000, B_IMM | LINK},
    {0xf800d000, 0xf000c000, B_IMM | LINK}, /* BLX */
    {0xffe0d000, 0xf3808000, DP},           /* MSR */
    {0xfff0d7ff, 0xf3a08014, CSDB},
    {0xfff0d000, 0xf3a08000, DP}, /* hints, CPS */
    {0xfff0d0f0, 0xf3b08020, INSN}, /* CLREX */
    {0xfff0d0f0, 0xf3b08040, DSB},
    {0xfff0d0f0, 0xf3b08050, DMB},
    {0xfff0d0f0, 0xf3b08060, ISB},
    {0xfff0d0f0, 0xf3b08070, INSN}, /* SB */
    {0xfff0d000, 0xf3c08000, BX},   /* BXJ */
    {0xfff0d0ff, 0xf3d08000, INSN}, /* ERET */
    {0xfff0d000, 0xf3d08000, DP},   /* SUBS PC, LR */
    {0xffe0d000, 0xf3e08000, DP},   /* MRS */
    {0xfb80d000, 0xf3808000, TRAP}, /* UDF; HVC, SMC, DCPS: UNDEFINED at EL0 */
    {0xf800d000, 0xf0008000, B_COND},

    {0xff100000, 0xf8000000, ST},
    {0xfe70f000, 0xf810f000, PRF}, /* PLD, PLI */
    {0xff70f000, 0xf830f000, PRF}, /* PLDW */
    {0xff70f000, 0xf930f000, DP},  /* a memory hint that is a NOP */
    {0xfffffd00, 0xf85df900, LD | RETURNS},
    {0xff70f000, 0xf850f000, LD | WRITES_PC},
    {0xfe100000, 0xf8100000, LD},
    {0xfe000000, 0xfa000000, DP},
    {0x00000000, 0x00000000, TRAP},
};

/*
 * Returns the traits of the 32-bit T32 instruction @word.  Advanced SIMD and coprocessor encodings are looked up
 * where A32 has them.
 */
static uint64_t long_traits(uint32_t word)
{
    const uint32_t rest = word & 0x00ffffff;
    if ((word & 0xef000000) == 0xef000000) {
        return encoding_traits(simd, 0xf2000000 | ((word >> 4) & 0x01000000) | rest);
    }
    if ((word & 0xec000000) == 0xec000000) {
        if (word >> 28 == 15) {
            return encoding_traits(coprocessors_unconditional, word);
        }
        return encoding_traits(coprocessors, word) | (guarded_by_pmuserenr(word) ? APMU_TRAIT_PMU : 0);
    }
    if ((word & 0xff100000) == 0xf9000000) {
        return encoding_traits(unconditional, 0xf4000000 | rest);
    }
    return encoding_traits(t32, word);
}

uint64_t apmu_t32_traits(uint32_t word, bool in_it)
{
    if (word <= UINT16_MAX && !apmu_t32_is_long((uint16_t)word)) {
        if ((word & 0xff00) == 0xbe00 || (word & 0xffc0) == 0xba80) { /* BKPT and HLT ignore the IT block */
            in_it = false;
        }
        return encoding_traits(t16, word) | (in_it ? APMU_TRAIT_COND : 0);
    }
    return long_traits(word) | (in_it ? APMU_TRAIT_COND : 0);
}

/* ---------------------------------------------------------------------------------------------------------------
 * Alignment.
 */

/*
 * Returns the bytes of one element of VLD1 to VLD4 and VST1 to VST4.  The position of the size field differs between
 * multiple elements, a single element and all lanes.
 */
static unsigned element_bytes(uint32_t word)
{
    const unsigned multiple = (word >> 6) & 3, single = (word >> 10) & 3;

    if ((word & 0x00800000) == 0) {
        return 1u << multiple;
    }
    return single != 3 ? 1u << single : multiple == 3 ? 4 : 1u << multiple;
}

/* Returns true for VLDR and VSTR of a half-precision register. */
static bool is_half_vldr(uint32_t word)
{
    return (word & 0x0f200f00) == 0x0d000900;
}

unsigned apmu_a32_alignment(uint32_t word)
{
    if ((word & 0xff100000) == 0xf4000000) {
        return element_bytes(word);
    }
    if ((word & 0x0c000000) == 0x04000000) {
        return word & 0x00400000 ? 1 : 4;
    }
    if ((word & 0x0e000090) == 0x00000090) {
        const unsigned op = (word >> 5) & 3;
        return op == 1 || (op == 3 && (word & 0x00100000) != 0) ? 2 : 1;
    }
    return is_half_vldr(word) ? 2 : 1;
}

unsigned apmu_t32_alignment(uint32_t word)
{
    static const uint8_t offset_in_register[8] = {4, 2, 1, 1, 4, 2, 1, 2};

    if (word <= UINT16_MAX) {
        switch (word >> 12) {
        case 4: /* literal */
        case 6:
        case 9: /* SP */
            return 4;
        case 5:
            return offset_in_register[(word >> 9) & 7];
        case 8:
            return 2;
        default:
            return 1; /* byte accesses, PUSH, POP, LDM, STM */
        }
    }
    if ((word & 0xff100000) == 0xf9000000) {
        return element_bytes(word);
    }
    if ((word & 0xfe000000) == 0xf8000000) {
        return 1u << ((word >> 21) & 3);
    }
    if ((word & 0xfff000f0) == 0xe8d00010) { /* TBH */
        return 2;
    }
    return is_half_vldr(word) ? 2 : 1;
}
