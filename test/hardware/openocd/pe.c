/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulates the PE on the debug APB: Debug state, the instructions that a debugger executes in it, the CTI, the PMU. */
#include <string.h>

#include <armpmu/regs.h>

#include "dap.h"

#define MIDR UINT32_C(0x410FD083)              /* Cortex-A72 r0p3 */
#define ID_AA64DFR0 UINT64_C(0x10305106)
#define ID_AA64MMFR0 UINT64_C(0x1124)

#define EDSCR_ERR (1u << 6)
#define EDSCR_HDE (1u << 14)
#define EDSCR_NS (1u << 18)
#define EDSCR_MA (1u << 20)
#define EDSCR_ITE (1u << 24)
#define EDSCR_TXU (1u << 26)
#define EDSCR_TXFULL (1u << 29)
#define EDSCR_RXFULL (1u << 30)
#define STATUS_RUNNING 0x02u
#define STATUS_HALTED 0x13u                    /* by an External Debug Request */

enum { TRIGGER_HALT, TRIGGER_RESTART, TRIGGERS };

#define KEY(op0, op1, crn, crm, op2) APMU_A64_KEY(op0, op1, crn, crm, op2)
#define DBGDTR KEY(2, 3, 0, 4, 0)
#define DBGDTR_HALF KEY(2, 3, 0, 5, 0)         /* DBGDTRRX_EL0 read, DBGDTRTX_EL0 written */
#define DSPSR KEY(3, 3, 4, 5, 0)
#define DLR KEY(3, 3, 4, 5, 1)

enum { SPSR_EL1, ELR_EL1, ESR_EL1 };

static const struct {
    unsigned key;
    uint64_t reset;
} named[] = {
    [SPSR_EL1] = {KEY(3, 0, 4, 0, 0), 0x60000000},
    [ELR_EL1] = {KEY(3, 0, 4, 0, 1), 0x400010},
    [ESR_EL1] = {KEY(3, 0, 5, 2, 0), 0x56000000},
    {KEY(3, 0, 1, 0, 0), 0x30D00800},          /* SCTLR_EL1: the MMU and the caches are off */
    {KEY(3, 0, 0, 0, 5), 0x80000000},          /* MPIDR_EL1 */
    {KEY(3, 3, 0, 0, 1), 0x8444C004},          /* CTR_EL0 */
    {KEY(3, 1, 0, 0, 1), 0},                   /* CLIDR_EL1: no caches */
    {KEY(3, 2, 0, 0, 0), 0},                   /* CSSELR_EL1 */
    /* What a dumper reads (test/cli/dumper): the ID registers of the features that pe_init() gives the PMU. */
    {KEY(3, 0, 0, 0, 0), MIDR},                /* MIDR_EL1 */
    {KEY(3, 0, 0, 4, 0), 0x2222},              /* ID_AA64PFR0_EL1 */
    {KEY(3, 0, 0, 5, 0), ID_AA64DFR0},         /* ID_AA64DFR0_EL1 */
    {KEY(3, 0, 0, 5, 1), 0},                   /* ID_AA64DFR1_EL1 */
    {KEY(3, 0, 0, 5, 2), 0},                   /* ID_AA64DFR2_EL1 */
    {KEY(3, 0, 0, 7, 0), ID_AA64MMFR0},        /* ID_AA64MMFR0_EL1 */
    {KEY(3, 0, 0, 7, 1), 0},                   /* ID_AA64MMFR1_EL1 */
    {KEY(3, 0, 0, 7, 4), 0},                   /* ID_AA64MMFR4_EL1 */
    {KEY(3, 0, 0, 1, 0), 0x131},               /* ID_PFR0_EL1 */
    {KEY(3, 0, 0, 1, 1), 0x11011},             /* ID_PFR1_EL1 */
    {KEY(3, 0, 0, 1, 2), 0x03010066},          /* ID_DFR0_EL1 */
    {KEY(3, 0, 0, 3, 5), 0},                   /* ID_DFR1_EL1 */
    {KEY(2, 0, 1, 1, 4), 0x8},                 /* OSLSR_EL1: there is an OS Lock, which is not locked */
};

enum { NAMED = sizeof named / sizeof named[0] };

_Static_assert((int)NAMED <= (int)PE_NAMED, "struct pe has too few named registers");

/*
 * The firmware has set counter 0 to count INST_RETIRED everywhere, and counter 1 to count CPU_CYCLES but not at EL1
 * (P), where the PE is.  Counter 2 has an event and is not enabled.  The PE then waits in WFI, so nothing counts while
 * a debugger is connected.
 */
void pe_init(struct pe *pe)
{
    const uint64_t features = APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1) | APMU_FEAT(AA64EL2) | APMU_FEAT(AA64EL3) |
                              APMU_FEAT(AA32EL0) | APMU_FEAT(AA32EL1) | APMU_FEAT(AA32EL2) | APMU_FEAT(AA32EL3) |
                              APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3_EXT32);
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(features),
        .counters = 6,
        .imp = 0x41,
        .idcode = 0x02,
        .pmceid = {0x7FFF0F3F, 0},
        .mpidr = 0x80000000,
        .part = 0x9D8,
        .designer = 0x23B,
        .peripheral_id = true,
        .coresight_id = true,
        .software_lock = true,
    };
    static const struct {
        enum apmu_reg reg;
        unsigned n;
        uint64_t value;
    } firmware[] = {
        {APMU_REG_PMEVTYPER_EL0, 0, 0x08},         {APMU_REG_PMEVCNTR_EL0, 0, 0x12345},
        {APMU_REG_PMEVTYPER_EL0, 1, 0x80000011},   {APMU_REG_PMEVCNTR_EL0, 1, 0},
        {APMU_REG_PMEVTYPER_EL0, 2, 0x13},         {APMU_REG_PMEVCNTR_EL0, 2, 0},
        {APMU_REG_PMCCFILTR_EL0, 0, 0},            {APMU_REG_PMCCNTR_EL0, 0, UINT64_C(0x0123456789ABCDEF)},
        {APMU_REG_PMCNTENSET_EL0, 0, 0x80000003},  {APMU_REG_PMINTENSET_EL1, 0, 0x80000000},
        {APMU_REG_PMOVSCLR_EL0, 0, 0xFFFFFFFF},    {APMU_REG_PMCR_EL0, 0, 0x41},
    };

    memset(pe, 0, sizeof *pe);
    apmu_init(&pe->pmu, &cfg);
    pe->as_pmu_sees = (struct apmu_pe){
        .el = 1, .dbgen = true, .niden = true, .spiden = true, .spniden = true, .mdcr_el2 = 6, .scr_el3 = 0x401,
    };
    for (size_t i = 0; i < sizeof firmware / sizeof firmware[0]; i++) {
        apmu_poke(&pe->pmu, &pe->as_pmu_sees, firmware[i].reg, firmware[i].n, firmware[i].value, NULL);
    }
    for (unsigned i = 0; i < 31; i++) {
        pe->x[i] = i * UINT64_C(0x0101010101010101);
    }
    for (unsigned i = 0; i < NAMED; i++) {
        pe->named[i] = named[i].reset;
    }
    pe->sp = 0x80001000;
    pe->pc = 0x80000040;
    pe->pstate = 0xA00003C5; /* N, C, D, A, I, F, EL1h */
}

/* ---------------------------------------------------------------------------------------------------------------
 * Debug state.
 */

static bool halted(const struct pe *pe)
{
    return pe->as_pmu_sees.halted;
}

static void halt(struct pe *pe)
{
    if (!halted(pe)) {
        pe->dlr = pe->pc;
        pe->dspsr = pe->pstate;
        pe->as_pmu_sees.halted = true;
        pe->edscr = (pe->edscr & EDSCR_HDE) | EDSCR_ITE;
        pe->halts++;
    }
}

static void restart(struct pe *pe)
{
    if (halted(pe)) {
        pe->pc = pe->dlr;
        pe->pstate = pe->dspsr;
        pe->as_pmu_sees.halted = false;
        pe->as_pmu_sees.el = (pe->pstate >> 2) & 3;
        pe->edscr &= EDSCR_HDE;
        pe->restarted = true;
        pe->restarts++;
    }
}

/* Takes an exception in Debug state: the PE stays in Debug state, EDSCR.ERR is set, and registers become UNKNOWN. */
static void exception(struct pe *pe)
{
    pe->edscr |= EDSCR_ERR;
    pe->dlr = UINT64_C(0xDEADDEADDEADDEAD);
    pe->dspsr = 0xDEAD0000;
    pe->named[ELR_EL1] = pe->named[SPSR_EL1] = pe->named[ESR_EL1] = 0xDEADDEAD;
}

/* Loads a word from memory.  Only the PMU's frame is mapped; elsewhere it returns false. */
static bool load(struct pe *pe, uint64_t address, uint32_t *value)
{
    const struct apmu_ext at = {.offset = address - PE_PMU_MAPPED, .size = 4, .pas = APMU_PAS_NONSECURE};

    if (at.offset >= 0x1000 ||
        apmu_access_ext(&pe->pmu, &pe->as_pmu_sees, &at, false).outcome == APMU_ACCESS_ERROR) {
        return false;
    }
    *value = (uint32_t)apmu_read_ext(&pe->pmu, &pe->as_pmu_sees, &at);
    return true;
}

/* Executes what a read of DBGDTRTX starts while EDSCR.MA is 1: LDR W1, [X0], #4; MSR DBGDTRTX_EL0, X1. */
static void load_next(struct pe *pe)
{
    uint32_t value;

    if (!load(pe, pe->x[0], &value)) {
        exception(pe);
        return;
    }
    pe->x[0] += 4;
    pe->x[1] = pe->dtrtx = value;
    pe->edscr |= EDSCR_TXFULL;
}

/* Returns the value of the System register with @key in pe->named, or NULL if it is not there. */
static uint64_t *kept(struct pe *pe, unsigned key)
{
    for (unsigned i = 0; i < NAMED; i++) {
        if (named[i].key == key) {
            return &pe->named[i];
        }
    }
    return NULL;
}

static bool read_system(struct pe *pe, unsigned key, uint64_t *value)
{
    const uint64_t *there = kept(pe, key);
    enum apmu_reg reg;
    unsigned n;

    if (key == DBGDTR) {
        *value = (uint64_t)pe->dtrtx << 32 | pe->dtrrx;
        pe->edscr &= ~EDSCR_RXFULL;
    } else if (key == DBGDTR_HALF) {
        *value = pe->dtrrx;
        pe->edscr &= ~EDSCR_RXFULL;
    } else if (key == DLR) {
        *value = pe->dlr;
    } else if (key == DSPSR) {
        *value = pe->dspsr;
    } else if (there != NULL) {
        *value = *there;
    } else if (apmu_reg_by_a64((uint16_t)key, &reg, &n) &&
               apmu_access(&pe->pmu, &pe->as_pmu_sees, reg, n, false).outcome == APMU_ACCESS_OK) {
        *value = apmu_peek(&pe->pmu, &pe->as_pmu_sees, reg, n);
    } else {
        return false;
    }
    return true;
}

static bool write_system(struct pe *pe, unsigned key, uint64_t value)
{
    uint64_t *there = kept(pe, key);
    enum apmu_reg reg;
    unsigned n;

    if (key == DBGDTR) {
        pe->dtrtx = (uint32_t)value;
        pe->dtrrx = (uint32_t)(value >> 32);
        pe->edscr |= EDSCR_TXFULL;
    } else if (key == DBGDTR_HALF) {
        pe->dtrtx = (uint32_t)value;
        pe->edscr |= EDSCR_TXFULL;
    } else if (key == DLR) {
        pe->dlr = value;
    } else if (key == DSPSR) {
        pe->dspsr = (uint32_t)value;
    } else if (there != NULL) {
        *there = value;
    } else if (apmu_reg_by_a64((uint16_t)key, &reg, &n) &&
               apmu_access(&pe->pmu, &pe->as_pmu_sees, reg, n, true).outcome == APMU_ACCESS_OK) {
        apmu_poke(&pe->pmu, &pe->as_pmu_sees, reg, n, value, NULL);
    } else {
        return false;
    }
    return true;
}

/* Executes an instruction written to EDITR: MRS, MSR, MOV to and from SP, ISB, DSB.  Others are UNDEFINED here. */
static void execute(struct pe *pe, uint32_t opcode)
{
    const unsigned rt = opcode & 31, rn = opcode >> 5 & 31;
    const uint64_t source = rt < 31 ? pe->x[rt] : 0;
    uint64_t value;

    if (!halted(pe) || (pe->edscr & EDSCR_ERR) != 0) {
        return;
    }
    if (opcode == 0xD5033F9F || opcode == 0xD5033FDF) { /* DSB SY, ISB */
        return;
    }
    if ((opcode & 0xFFF00000) == 0xD5300000 && read_system(pe, opcode >> 5 & 0xFFFF, &value)) {
        if (rt < 31) {
            pe->x[rt] = value;
        }
        return;
    }
    if ((opcode & 0xFFF00000) == 0xD5100000 && write_system(pe, opcode >> 5 & 0xFFFF, source)) {
        return;
    }
    if ((opcode & 0xFFFFFFE0) == 0x910003E0 && rt < 31) { /* MOV <Xt>, SP */
        pe->x[rt] = pe->sp;
    } else if ((opcode & 0xFFFFFC1F) == 0x9100001F && rn < 31) { /* MOV SP, <Xn> */
        pe->sp = pe->x[rn];
    } else {
        exception(pe);
    }
}

static uint32_t edscr(const struct pe *pe)
{
    const uint32_t el = pe->as_pmu_sees.el;

    return halted(pe) ? pe->edscr | STATUS_HALTED | el << 8 | 0xFu << 10 | EDSCR_NS : pe->edscr | STATUS_RUNNING;
}

/* ---------------------------------------------------------------------------------------------------------------
 * The debug APB.
 */

static uint32_t debug_read(struct pe *pe, uint32_t offset)
{
    uint32_t value = 0;

    switch (offset) {
    case 0x080: /* DBGDTRRX_EL0 */
        return pe->dtrrx;
    case 0x088: /* EDSCR */
        return edscr(pe);
    case 0x08C: /* DBGDTRTX_EL0 */
        value = pe->dtrtx;
        pe->edscr |= (pe->edscr & EDSCR_TXFULL) == 0 ? EDSCR_ERR | EDSCR_TXU : 0;
        pe->edscr &= ~EDSCR_TXFULL;
        if (halted(pe) && (pe->edscr & (EDSCR_MA | EDSCR_ERR)) == EDSCR_MA) {
            load_next(pe);
        }
        return value;
    case 0x314: /* EDPRSR: PU, HALTED, OSLK, SDR */
        value = 1u | (uint32_t)halted(pe) << 4 | (uint32_t)pe->as_pmu_sees.os_lock << 5 |
                (uint32_t)pe->restarted << 11;
        pe->restarted = false;
        return value;
    case 0xD00: /* MIDR_EL1 */
        return MIDR;
    case 0xD28: /* EDDFR */
        return (uint32_t)ID_AA64DFR0;
    case 0xD38:
        return (uint32_t)ID_AA64MMFR0;
    default:
        return 0;
    }
}

static void debug_write(struct pe *pe, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case 0x080: /* DBGDTRRX_EL0 */
        pe->dtrrx = value;
        pe->edscr |= EDSCR_RXFULL;
        break;
    case 0x084: /* EDITR */
        execute(pe, value);
        break;
    case 0x088: /* EDSCR */
        pe->edscr = (pe->edscr & ~(EDSCR_HDE | EDSCR_MA)) | (value & (EDSCR_HDE | EDSCR_MA));
        break;
    case 0x08C: /* DBGDTRTX_EL0 */
        pe->dtrtx = value;
        break;
    case 0x090: /* EDRCR.CSE */
        pe->edscr &= (value & 4) != 0 ? ~(EDSCR_ERR | EDSCR_TXU) : ~0u;
        break;
    case 0x300: /* OSLAR_EL1 */
        pe->as_pmu_sees.os_lock = (value & 1) != 0;
        break;
    default: /* breakpoints are ignored */
        break;
    }
}

/* Reads CTITRIGOUTSTATUS or CTIGATE. */
static uint32_t cti_read(const struct pe *pe, uint32_t offset)
{
    return offset == 0x134 ? pe->ctitrigout : offset == 0x140 ? pe->ctigate : 0;
}

static void cti_write(struct pe *pe, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case 0x010: /* CTIINTACK */
        pe->ctitrigout &= ~value;
        break;
    case 0x01C: /* CTIAPPPULSE */
        if ((pe->ctiouten[TRIGGER_HALT] & value) != 0) {
            pe->ctitrigout |= 1u << TRIGGER_HALT;
            halt(pe);
        } else if ((pe->ctiouten[TRIGGER_RESTART] & value) != 0 && (pe->ctitrigout & 1u << TRIGGER_HALT) == 0) {
            restart(pe);
        }
        break;
    case 0x0A0: /* CTIOUTEN0 and CTIOUTEN1 */
    case 0x0A4:
        pe->ctiouten[(offset - 0x0A0) / 4] = value;
        break;
    case 0x140: /* CTIGATE */
        pe->ctigate = value;
        break;
    default:
        break;
    }
}

/* Accesses a word of the PMU as the debugger's access port does, to which the Software Lock does not apply. */
static bool pmu_word(struct pe *pe, uint32_t offset, bool write, uint32_t *value)
{
    const struct apmu_ext at = {.offset = offset, .size = 4, .pas = APMU_PAS_NONSECURE, .debugger = true};
    const enum apmu_outcome outcome = apmu_access_ext(&pe->pmu, &pe->as_pmu_sees, &at, write).outcome;

    if (outcome == APMU_ACCESS_OK && write) {
        apmu_poke_ext(&pe->pmu, &pe->as_pmu_sees, &at, *value, NULL);
    } else if (!write) {
        *value = outcome == APMU_ACCESS_OK ? (uint32_t)apmu_read_ext(&pe->pmu, &pe->as_pmu_sees, &at) : 0;
    }
    return outcome != APMU_ACCESS_ERROR;
}

bool pe_bus_read(struct pe *pe, uint32_t address, uint32_t *value)
{
    const uint32_t offset = address & 0xFFF;

    *value = 0;
    switch (address & ~UINT32_C(0xFFF)) {
    case PE_DEBUG:
        *value = debug_read(pe, offset);
        return true;
    case PE_CTI:
        *value = cti_read(pe, offset);
        return true;
    case PE_PMU:
        return pmu_word(pe, offset, false, value);
    default:
        return false;
    }
}

bool pe_bus_write(struct pe *pe, uint32_t address, uint32_t value)
{
    const uint32_t offset = address & 0xFFF;

    switch (address & ~UINT32_C(0xFFF)) {
    case PE_DEBUG:
        debug_write(pe, offset, value);
        return true;
    case PE_CTI:
        cti_write(pe, offset, value);
        return true;
    case PE_PMU:
        return pmu_word(pe, offset, true, &value);
    default:
        return false;
    }
}
