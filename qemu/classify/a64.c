/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives the traits of an A64 instruction from its encoding.
 *
 * The tables follow the top level of the encoding index (Arm ARM, C4.1).  The first row of a table that matches
 * decides, so special cases come before the general row.  An unallocated encoding inside a class is treated as a member
 * of that class: it raises an exception, and an emulator does not execute past it.
 */
#include "a64.h"
#include "rules.h"

#include <stdbool.h>

static const struct encoding unallocated[] = {
    {0x00000000, 0x00000000, TRAP},
};

/* UDF, and SME encodings with bit 31 set. */
static const struct encoding reserved[] = {
    {0xfe200000, 0xe0000000, SME | LD}, /* LD1 to a tile, LDR of ZA and ZT0 */
    {0xfe200000, 0xe0200000, SME | ST},
    {0xfea00000, 0xa0000000, SME | LD}, /* multi-vector, contiguous or strided */
    {0xfea00000, 0xa0200000, SME | ST},
    {0x9e000000, 0x80000000, SME},
    {0x00000000, 0x00000000, TRAP},
};

static const struct encoding sve[] = {
    {0xffa08010, 0x84200000, SVE_PRF}, /* 32-bit gather, scalar plus vector */
    {0xfe60e010, 0x8400e000, SVE_PRF}, /* 32-bit gather, vector plus immediate */
    {0xfe60e010, 0x8400c000, SVE_PRF}, /* contiguous, scalar plus scalar */
    {0xffc08010, 0x85c00000, SVE_PRF}, /* contiguous, scalar plus immediate */
    {0xffa08010, 0xc4200000, SVE_PRF}, /* 64-bit gather, unpacked offsets */
    {0xffe08010, 0xc4608000, SVE_PRF}, /* 64-bit gather, scaled offsets */
    {0xfe60e010, 0xc400e000, SVE_PRF}, /* 64-bit gather, vector plus immediate */
    {0xfe000000, 0x84000000, SVE | LD},
    {0xfe000000, 0xa4000000, SVE | LD},
    {0xfe000000, 0xc4000000, SVE | LD},
    {0xfe000000, 0xe4000000, SVE | ST},
    {0xff20e000, 0x4520e000, CRYPTO | SVE}, /* SVE2 AES, SHA3 and SM4 */
    {0x00000000, 0x00000000, SVE},
};

static const struct encoding dp_immediate[] = {
    {0x00000000, 0x00000000, DP},
};

static const struct encoding branches[] = {
    {0xfc000000, 0x14000000, B_IMM},
    {0xfc000000, 0x94000000, B_IMM | LINK},
    {0xff000010, 0x54000000, B_COND},
    {0xff000010, 0x54000010, B_COND | APMU_TRAIT_HINTED},
    {0xff00001f, 0x5500001f, RET},    /* RETAASPPC, RETABSPPC */
    {0x7e000000, 0x34000000, B_COND}, /* CBZ, CBNZ */
    {0x7e000000, 0x36000000, B_COND}, /* TBZ, TBNZ */
    {0x7e000000, 0x74000000, B_COND}, /* CB<cc> */

    {0xfee00000, 0xd6000000, B_REG},        /* BR, BRAA, BRAAZ */
    {0xfee00000, 0xd6200000, B_REG | LINK}, /* BLR, BLRAA, BLRAAZ */
    {0xffe00000, 0xd6400000, RET},          /* RET, RETAA, RETAASPPCR */
    {0xfe000000, 0xd6000000, TRAP},         /* ERET, DRPS: UNDEFINED at EL0 */

    {0xffe0001f, 0xd4000001, INSN | APMU_TRAIT_SVC},
    {0xff000000, 0xd4000000, TRAP}, /* BRK, HLT; HVC, SMC, DCPS: UNDEFINED at EL0 */

    {0xffffffff, 0xd503229f, DP | APMU_TRAIT_CSDB},
    {0xfffff01f, 0xd503201f, DP}, /* hints: NOP, BTI, PACIASP, ... */
    {0xffffff00, 0xd5031000, DP}, /* WFET, WFIT */
    {0xfffff0ff, 0xd50330df, INSN | APMU_TRAIT_ISB},
    {0xfffff0ff, 0xd50330bf, INSN | APMU_TRAIT_DMB},
    {0xfffff0ff, 0xd503309f, INSN | APMU_TRAIT_DSB},
    {0xfffff3ff, 0xd503323f, INSN | APMU_TRAIT_DSB}, /* DSB nXS */
    {0xfffff000, 0xd5033000, INSN},                /* CLREX, SB */
    {0xfff8f000, 0xd5004000, DP},                  /* MSR immediate, CFINV, XAFLAG, AXFLAG */
    {0xffffffe0, 0xd50b7420, ST | APMU_TRAIT_SYS},   /* DC ZVA */
    {0xffffffe0, 0xd50b7460, ST | APMU_TRAIT_SYS},   /* DC GVA */
    {0xffffffe0, 0xd50b7480, ST | APMU_TRAIT_SYS},   /* DC GZVA */
    {0xff980000, 0xd5080000, DP | APMU_TRAIT_SYS},   /* SYS, SYSL, SYSP */
    {0xff900000, 0xd5100000, DP}, /* MSR, MRS, MSRR, MRRS */
    {0x00000000, 0x00000000, TRAP},
};

static const struct encoding loads_stores[] = {
    /*
     * Exclusives, ordered, compare and swap: bit 21 is a pair or CAS, bit 22 a load or acquire, bit 15 release or
     * acquire.
     */
    {0xbfe0fc00, 0x08207c00, LDST}, /* CASP */
    {0xbfe0fc00, 0x0820fc00, LDST | REL},
    {0xbfe0fc00, 0x08607c00, LDST | ACQ},
    {0xbfe0fc00, 0x0860fc00, LDST | ACQ | REL},
    {0x3fe08000, 0x08a00000, LDST}, /* CAS */
    {0x3fe08000, 0x08a08000, LDST | REL},
    {0x3fe08000, 0x08e00000, LDST | ACQ},
    {0x3fe08000, 0x08e08000, LDST | ACQ | REL},
    {0x3fc08000, 0x08000000, STX},
    {0x3fc08000, 0x08008000, STX | REL},
    {0x3fc08000, 0x08400000, LDX},
    {0x3fc08000, 0x08408000, LDX | ACQ},
    {0x3fc00000, 0x08800000, ST | REL}, /* STLR, STLLR */
    {0x3fc00000, 0x08c00000, LD | ACQ}, /* LDAR, LDLAR */
    {0x3fc08000, 0x09000000, STX},      /* unprivileged: STTXR, LDTXR, CAST, CASPT */
    {0x3fc08000, 0x09008000, STX | REL},
    {0x3fc08000, 0x09400000, LDX},
    {0x3fc08000, 0x09408000, LDX | ACQ},
    {0x3fc08000, 0x09800000, LDST},
    {0x3fc08000, 0x09808000, LDST | REL},
    {0x3fc08000, 0x09c00000, LDST | ACQ},
    {0x3fc08000, 0x09c08000, LDST | ACQ | REL},

    /* Advanced SIMD structures. */
    {0xbffffc00, 0x0d018400, ST | REL | MEM128}, /* STL1 */
    {0xbffffc00, 0x0d418400, LD | ACQ | MEM128}, /* LDAP1 */
    {0xbe400000, 0x0c000000, ST | MEM128},
    {0xbe400000, 0x0c400000, LD | MEM128},

    /* Literals. */
    {0xff000000, 0xd8000000, PRF},
    {0xff000000, 0x9c000000, LD | MEM128},
    {0x3b000000, 0x18000000, LD},

    /* Memory tags: LDG and LDGM read; STG and its variants write. */
    {0xffe00c00, 0xd9600000, LD},
    {0xffe00c00, 0xd9e00000, LD},
    {0xff200000, 0xd9200000, ST},

    /* Memory copy and set: [23:22] = 11 is set, the others are copy. */
    {0x3be00c00, 0x19c00400, ST},
    {0x3b200c00, 0x19000400, LDST},

    /* RCpc: LDAPUR, STLUR; LDIAPP, STILP and the write-back forms; and the SIMD&FP forms of all of these. */
    {0x3fe00c00, 0x19000000, ST | REL},
    {0x3f200c00, 0x19000000, LD | ACQ},
    {0x3f600c00, 0x19000800, ST | REL},
    {0x3f600c00, 0x19400800, LD | ACQ},
    {0xffe00c00, 0x1d800800, ST | REL | MEM128},
    {0xffe00c00, 0x1dc00800, LD | ACQ | MEM128},
    {0x3f600c00, 0x1d000800, ST | REL},
    {0x3f600c00, 0x1d400800, LD | ACQ},

    /* 128-bit, unprivileged and RCW atomics: [23] acquire, [22] release. */
    {0x3fe00000, 0x19200000, LDST},
    {0x3fe00000, 0x19600000, LDST | REL},
    {0x3fe00000, 0x19a00000, LDST | ACQ},
    {0x3fe00000, 0x19e00000, LDST | ACQ | REL},

    /* Pairs: opc = 10 with V = 1 is a pair of Q registers. */
    {0xfe400000, 0xac000000, ST | MEM128},
    {0xfe400000, 0xac400000, LD | MEM128},
    {0x3a400000, 0x28000000, ST},
    {0x3a400000, 0x28400000, LD},

    /* Atomics: [23] acquire, [22] release. */
    {0x3ffffc00, 0x38bfc000, LD | ACQ}, /* LDAPR */
    {0xfffffc00, 0xf83fd000, LD},       /* LD64B */
    {0xfffffc00, 0xf83f9000, ST},       /* ST64B */
    {0xffe0fc00, 0xf820b000, ST},       /* ST64BV */
    {0xffe0fc00, 0xf820a000, ST},       /* ST64BV0 */
    {0x3be00c00, 0x38200000, LDST},
    {0x3be00c00, 0x38600000, LDST | REL},
    {0x3be00c00, 0x38a00000, LDST | ACQ},
    {0x3be00c00, 0x38e00000, LDST | ACQ | REL},
    {0xff200400, 0xf8200400, LD}, /* LDRAA, LDRAB */

    /* Single registers, all addressing modes. */
    {0xffc00000, 0xf9800000, PRF},
    {0xffe00c00, 0xf8800000, PRF}, /* PRFUM */
    {0xffe00c00, 0xf8a00800, PRF}, /* PRFM register, RPRFM */
    {0xfec00000, 0x3c800000, ST | MEM128},
    {0xfec00000, 0x3cc00000, LD | MEM128},
    {0x3ac00000, 0x38000000, ST},
    {0x3a000000, 0x38000000, LD},
    {0x00000000, 0x00000000, TRAP},
};

static const struct encoding dp_register[] = {
    {0x00000000, 0x00000000, DP},
};

static const struct encoding dp_simd_fp[] = {
    {0xff3e0c00, 0x4e280800, CRYPTO}, /* AES */
    {0xffe08c00, 0x5e000000, CRYPTO}, /* SHA1, SHA256: three registers */
    {0xff3e0c00, 0x5e280800, CRYPTO}, /* SHA1, SHA256: two registers */
    {0xff000000, 0xce000000, CRYPTO}, /* SHA512, SHA3, SM3, SM4 */
    {0xbfe0fc00, 0x0e000c00, DP},     /* DUP (general) */
    {0xbfe0fc00, 0x0e002c00, DP},     /* SMOV */
    {0xbfe0fc00, 0x0e003c00, DP},     /* UMOV */
    {0xffe0fc00, 0x4e001c00, DP},     /* INS (general) */
    {0x9e000000, 0x0e000000, ASE},
    {0xde000000, 0x5e000000, ASE | APMU_TRAIT_ASE_SCALAR},
    {0x5f36fc00, 0x1e260000, DP}, /* FMOV (general) */
    {0x5e000000, 0x1e000000, VFP},
    {0x00000000, 0x00000000, TRAP},
};

/* Indexed by op0, bits [28:25]. */
static const struct encoding *const groups[16] = {
    reserved,     unallocated,  sve,          unallocated, /* 0000 .. 0011 */
    loads_stores, dp_register,  loads_stores, dp_simd_fp,  /* 0100 .. 0111 */
    dp_immediate, dp_immediate, branches,     branches,    /* 1000 .. 1011 */
    loads_stores, dp_register,  loads_stores, dp_simd_fp,  /* 1100 .. 1111 */
};

/*
 * Returns whether @word is an MRS or MSR of a register that PMUSERENR_EL0 and PMUACR_EL1 guard: S3_3_C9_* or
 * S3_3_C14_C{8..15}_*.
 */
static bool guarded_by_pmuserenr(uint32_t word)
{
    if ((word & 0xffdf0000) != 0xd51b0000) {
        return false;
    }
    uint32_t crn = (word >> 12) & 15, crm = (word >> 8) & 15;
    bool userenr_read = (word & 0xffffffe0) == 0xd53b9e00;
    return (crn == 9 && !userenr_read) || (crn == 14 && crm >= 8);
}

uint64_t apmu_a64_traits(uint32_t word)
{
    return encoding_traits(groups[(word >> 25) & 15], word) | (guarded_by_pmuserenr(word) ? APMU_TRAIT_PMU : 0);
}

/* Returns the size in memory, in bytes, of an element that an SVE load with the field @dtype reads. */
static unsigned sve_load_bytes(unsigned dtype)
{
    static const uint8_t bytes[16] = {1, 1, 1, 1, 4, 2, 2, 2, 2, 2, 4, 4, 1, 1, 1, 8};
    return bytes[dtype];
}

/* Returns the alignment of the SVE load or store @word: the size in memory, in bytes, of one of its elements. */
static unsigned sve_alignment(uint32_t word)
{
    unsigned form = (word >> 13) & 7;
    if ((word & 0xfe000000) == 0xa4000000 && form >= 2 && form <= 5) { /* LD1, LDFF1, LDNF1 */
        return sve_load_bytes((word >> 21) & 15);
    }
    if ((word & 0xfe408000) == 0x84408000) { /* LD1R */
        return sve_load_bytes(((word >> 21) & 12) | (form & 3));
    }
    return 1u << ((word >> 23) & 3);
}

/*
 * Returns the alignment of the SME load or store @word: the size in bytes of an element of the tile slice, or of the
 * vectors of a multi-vector access.
 */
static unsigned sme_alignment(uint32_t word)
{
    if ((word & 0xff000000) == 0xe0000000) {
        return 1u << ((word >> 22) & 3);
    }
    if ((word & 0xff000000) == 0xe1000000) {
        return (word & 0x00c00000) == 0x00c00000 ? 16 : 8;
    }
    return 1u << ((word >> 13) & 3);
}

/*
 * Implements the rules for the alignment of data accesses (B2.8.2): an element or register is aligned to its own size,
 * an exclusive or atomic pair to the size of the pair.
 */
unsigned apmu_a64_alignment(uint32_t word)
{
    unsigned size = word >> 30;
    bool v = (word >> 26) & 1, l = (word >> 22) & 1;

    if ((word & 0x1e000000) == 0x04000000) {
        return sve_alignment(word);
    }
    if ((word & 0x9e000000) == 0x80000000) {
        return sme_alignment(word);
    }
    if ((word & 0xbfa07c00) == 0x08207c00) { /* CASP */
        return 8u << size;
    }
    if ((word & 0xbfa00000) == 0x88200000) { /* LDXP, STXP, LDAXP, STLXP */
        return 2u << size;
    }
    if ((word & 0xbf000000) == 0x0c000000) { /* multiple structures */
        return 1u << ((word >> 10) & 3);
    }
    if ((word & 0xbf000000) == 0x0d000000) { /* single structures: scale 3 replicates */
        unsigned scale = (word >> 14) & 3, element = (word >> 10) & 3;
        return scale == 3 ? 1u << element : scale == 2 && element == 1 ? 8 : 1u << scale;
    }
    if ((word & 0x3b000000) == 0x18000000) { /* literal: size 2 is LDRSW */
        return v ? 4u << size : size == 1 ? 8 : 4;
    }
    if ((word & 0x3a000000) == 0x28000000) { /* pair: size 1 is LDPSW or STGP */
        return v ? 4u << size : size == 2 ? 8 : size == 1 && !l ? 16 : 4;
    }
    if ((word & 0xff200c00) == 0x19200000) { /* LDCLRP, LDSETP, SWPP */
        return 16;
    }
    if ((word & 0x3b200c00) == 0x19000400 || (word & 0xff200000) == 0xd9200000) { /* memory copy and set, tags */
        return 1;
    }
    if (v && size == 0 && (word & 0x00800000)) { /* Q register */
        return 16;
    }
    return 1u << size;
}
