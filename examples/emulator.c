/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An emulator with a PMU: an interpreter of the few AArch64 instructions of examples/emulator_image.S, at EL1 and EL0.
 * Stores to the UART of QEMU's virt are printed.  The PMU is in five places: main() describes it, report() tells it
 * what occurred, enter() that the Exception level changes, sysreg() is MRS and MSR, and execute() knows the events of
 * an instruction.  Events are kept back and reported together: before an access, before the Exception level changes,
 * and when a counter could overflow.
 *
 * The program counts a loop at EL0, which ends in a read of a counter that EL0 may not read.  It prints the syndrome of
 * this exception, and how many instructions, loads, stores and immediate branches EL0 retired.  The refused read is
 * none of these instructions.  In hexadecimal it prints:
 *     000000006230f911
 *     000000000000138a
 *     00000000000003e8
 *     00000000000003e8
 *     00000000000003e8
 */
#include <stdio.h>
#include <stdlib.h>

#include <armpmu/model.h>

static const uint32_t program[] = { /* examples/emulator_image.S, assembled */
    0xD2A12009, 0xD5385204, 0x9400000F, 0xD53BE804, 0x9400000D, 0xD53BE824, 0x9400000B, 0xD53BE844, 0x94000009,
    0xD53BE864, 0x94000007, 0xD2800300, 0xD2A00043, 0x91009863, 0xF9000023, 0xF900043F, 0xD45E0000, 0xD2800205,
    0xD2800787, 0x9AC72486, 0xF10028DF, 0x54000044, 0x91009CC6, 0x9100C0C6, 0x39000126, 0x8B040084, 0x8B040084,
    0x8B040084, 0x8B040084, 0xF10004A5, 0x54FFFEA1, 0xD2800146, 0x39000126, 0xD65F03C0, 0xD2A80100, 0xD518C000,
    0xD2B00000, 0x91002000, 0xD51BEC00, 0xD1000800, 0xD51BEC20, 0x91000400, 0xD51BEC40, 0x91001800, 0xD51BEC60,
    0xD28001E0, 0xD51B9C20, 0xD28000E0, 0xD51B9C00, 0xD51B9E1F, 0xD518401F, 0x94000009, 0xD2A80801, 0xD2807D02,
    0xF9400423, 0x8B020063, 0xF9000423, 0xF1000442, 0x54FFFF81, 0xD53BE808, 0xD518403E, 0xD69F03E0,
};

enum { BASE = 0x40080400, START = 0x40080488, UART = 0x09000000 };
enum { VBAR, ELR, SPSR, ESR, REGISTERS }; /* what the program uses of EL1 */
static const uint16_t keys[REGISTERS] = {APMU_A64_KEY(3, 0, 12, 0, 0), APMU_A64_KEY(3, 0, 4, 0, 1),
                                         APMU_A64_KEY(3, 0, 4, 0, 0), APMU_A64_KEY(3, 0, 5, 2, 0)};
enum kind { INST, LOAD, STORE, BRANCH, KINDS };
static const uint16_t events[KINDS] = {APMU_EV_INST_RETIRED, APMU_EV_LD_RETIRED, APMU_EV_ST_RETIRED,
                                       APMU_EV_BR_IMMED_RETIRED};

static struct emulator {
    uint64_t x[32]; /* x[31] is 0 */
    uint64_t pc;    /* while an instruction executes, the address of the next one */
    uint64_t result; /* of the last SUBS: the flags N and Z */
    uint64_t el1[REGISTERS], data[8]; /* memory is 64 bytes, which repeat */
    struct apmu pmu;
    struct apmu_pe pe;
    struct apmu_out out;     /* .pmuirq is the interrupt line */
    uint64_t pending[KINDS]; /* events that are not reported yet */
    uint64_t left;           /* instructions that may execute before the one that is reported at once */
} e;

/* Tells the PMU what occurred since the last time.  Each instruction takes a cycle. */
static void report(void)
{
    apmu_cycles(&e.pmu, &e.pe, e.pending[INST], &e.out);
    for (unsigned k = 0; k < KINDS; k++) {
        apmu_event(&e.pmu, &e.pe, events[k], e.pending[k], 1, &e.out);
        e.pending[k] = 0;
    }
    e.left = 0;
}

/* Goes to Exception level @el.  What occurred before is reported at the level that is left. */
static void enter(uint8_t el)
{
    report();
    e.pe.el = el;
    apmu_levels(&e.pmu, &e.pe, &e.out);
}

/* Takes an exception to EL1.  The instruction that raised it does not retire. */
static void take_exception(uint64_t esr)
{
    e.el1[ESR] = esr;
    e.el1[ELR] = e.pc - 4;
    e.el1[SPSR] = e.pe.el * 5u; /* EL0t or EL1h */
    e.pc = e.el1[VBAR] + 0x400 - e.pe.el * 0x200u;
    enter(1);
}

/* Executes MRS, or MSR if @write, of a register that is not the PMU's. */
static void access_other(uint32_t i, bool write)
{
    for (unsigned k = 0; k < REGISTERS && e.pe.el == 1; k++) {
        if (keys[k] == (uint16_t)(i >> 5)) {
            *(write ? &e.el1[k] : &e.x[i & 31]) = write ? e.x[i & 31] : e.el1[k];
            e.pending[INST]++;
            return;
        }
    }
    take_exception(0x2000000); /* UNDEFINED */
}

/*
 * Executes MRS or MSR.  The access is decided first, because one that is refused retires nothing.  Then it is "in
 * order", a convention of <armpmu/model.h>: a read precedes its own events, a write follows them.
 */
static void sysreg(uint32_t i)
{
    const struct apmu_transfer by = {.rt = i & 31, .write = (i >> 21 & 1) == 0};
    enum apmu_reg reg;
    unsigned n;

    if (!apmu_reg_by_a64((uint16_t)(i >> 5), &reg, &n) || apmu_reg_is_borrowed(reg)) {
        access_other(i, by.write);
        return;
    }
    report();
    const struct apmu_access access = apmu_access(&e.pmu, &e.pe, reg, n, by.write);
    switch (access.outcome) {
    case APMU_ACCESS_TRAP: /* to access.el, which is EL1 here */
    case APMU_ACCESS_UNDEFINED:
        take_exception(apmu_access_esr(&access, &by));
        return;
    default: /* OK; or RAZ, WI or UNPREDICTABLE, which are no exceptions: it reads as zero and ignores writes */
        e.pending[INST]++;
        if (!by.write) {
            e.x[by.rt] = access.outcome == APMU_ACCESS_OK ? apmu_peek(&e.pmu, &e.pe, reg, n) : 0;
        } else if (access.outcome == APMU_ACCESS_OK) {
            report();
            apmu_poke(&e.pmu, &e.pe, reg, n, e.x[by.rt], &e.out);
        }
    }
}

/* Executes an instruction that is no MRS or MSR. */
static void execute(uint32_t i)
{
    const unsigned rd = i & 31, rn = i >> 5 & 31, rm = i >> 16 & 31;

    e.pending[INST]++;
    if ((i & 0xFF800000) == 0xD2800000) { /* MOVZ */
        e.x[rd] = (uint64_t)(i >> 5 & 0xFFFF) << 16 * (i >> 21 & 3);
    } else if ((i & 0x9F800000) == 0x91000000 || (i & 0x9FE0FC00) == 0x8B000000) { /* ADD, SUB, and SUBS */
        const uint64_t b = (i & 0x10000000) != 0 ? i >> 10 & 4095 : e.x[rm];
        e.x[rd] = (i & 0x40000000) != 0 ? e.x[rn] - b : e.x[rn] + b;
        e.result = (i & 0x20000000) != 0 ? e.x[rd] : e.result;
    } else if ((i & 0xFFE0FC00) == 0x9AC02400) { /* LSR */
        e.x[rd] = e.x[rn] >> (e.x[rm] & 63);
    } else if ((i & 0x3F800000) == 0x39000000) { /* LDR, STR, and STRB, to the UART alone, with an offset */
        const uint64_t address = e.x[rn] + ((i >> 10 & 4095) << (i >> 30));
        const bool load = (i >> 22 & 1) != 0;
        e.pending[load ? LOAD : STORE]++;
        if (address == UART) {
            putchar((int)(e.x[rd] & 0xFF));
        } else if (load) {
            e.x[rd] = e.data[address / 8 % 8];
        } else {
            e.data[address / 8 % 8] = e.x[rd];
        }
    } else if ((i & 0xFC000000) == 0x94000000) { /* BL */
        e.pending[BRANCH]++;
        e.x[30] = e.pc;
        e.pc += (uint64_t)((int)(i << 6) >> 6) * 4 - 4;
    } else if ((i & 0xFF00001A) == 0x54000000) { /* B.EQ, B.NE, B.MI and B.PL */
        e.pending[BRANCH]++;
        const bool holds = ((i & 4) != 0 ? e.result >> 63 : e.result == 0) != (i & 1);
        e.pc += holds ? (uint64_t)((int)(i << 8) >> 13) * 4 - 4 : 0;
    } else if ((i & 0xFFFFFC1F) == 0xD65F0000) { /* RET */
        e.pc = e.x[rn];
    } else if (i == 0xD69F03E0) { /* ERET */
        e.pc = e.el1[ELR];
        enter(e.el1[SPSR] >> 2 & 3);
    } else {
        fprintf(stderr, "emulator: no instruction 0x%x\n", (unsigned)i);
        exit(1);
    }
}

int main(void)
{
    const uint64_t features = APMU_FEAT(PMUv3p1) | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1);
    const struct apmu_config cfg = {.size = sizeof cfg, .features = apmu_features_closure(features), .counters = 6};

    apmu_init(&e.pmu, &cfg);
    e.pe.el = 1;
    e.pc = START;
    for (uint32_t i; (i = program[(e.pc - BASE) / 4]) != 0xD45E0000;) { /* HLT */
        e.pc += 4;
        ((i & 0xFFD00000) == 0xD5100000 ? sysreg : execute)(i);
        e.x[31] = 0;
        if (e.left-- == 0) {
            report();
            e.left = apmu_until_all(&e.pmu, &e.pe);
        }
    }
    return 0;
}
