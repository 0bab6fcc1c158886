/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An emulator with a PMU: an interpreter of the few AArch64 instructions of examples/emulator_image.S, at EL1.  Stores
 * to the UART of QEMU's virt are printed.  The PMU is in four places: main() describes it, report() tells it what
 * occurred, sysreg() is MRS and MSR, and execute() and transfer() know the events of an instruction.  Events are kept
 * back and reported together: before an access, and when a counter could overflow.
 *
 * Of the loop it counts instructions, loads, stores and immediate branches, in hexadecimal.  It prints:
 *     0000138b
 *     000003e8
 *     000003e8
 *     000003e8
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <armpmu/model.h>

static const uint32_t program[] = { /* examples/emulator_image.S, assembled */
    0xD2800100, 0xD51BEC00, 0xD28000C0, 0xD51BEC20, 0xD28000E0, 0xD51BEC40, 0xD28001A0, 0xD51BEC60,
    0xD28001E0, 0xD51B9C20, 0xD28000E0, 0xD51B9C00, 0xD2A80801, 0xD2807D02, 0xF9400423, 0x8B020063,
    0xF9000423, 0xF1000442, 0x54FFFF81, 0xD5033FDF, 0xD53BE80A, 0xD53BE82B, 0xD53BE84C, 0xD53BE86D,
    0xD2A12009, 0xAA0A03E4, 0x9400000D, 0xAA0B03E4, 0x9400000B, 0xAA0C03E4, 0x94000009, 0xAA0D03E4,
    0x94000007, 0xD2800300, 0xD2A00043, 0x91009863, 0xF9000023, 0xF900043F, 0xD45E0000, 0xD2800385,
    0xD28001E7, 0x9AC52486, 0x8A0700C6, 0x9100C0C6, 0xF100E4DF, 0x54000049, 0x91009CC6, 0x39000126,
    0xF10010A5, 0x54FFFF05, 0xD2800146, 0x39000126, 0xD65F03C0,
};

enum { DATA = 0x40400000, DATA_SIZE = 64, UART = 0x09000000 };
enum kind { INST, LOAD, STORE, BRANCH, KINDS };
static const uint16_t events[KINDS] = {APMU_EV_INST_RETIRED, APMU_EV_LD_RETIRED, APMU_EV_ST_RETIRED,
                                       APMU_EV_BR_IMMED_RETIRED};

static struct emulator {
    uint64_t x[32]; /* x[31] is 0 */
    size_t pc;      /* in words of the program */
    bool n, z, c, v;
    uint8_t data[DATA_SIZE];
    struct apmu pmu;
    struct apmu_pe pe;
    uint64_t pending[KINDS]; /* events that are not reported yet */
    uint64_t left;           /* instructions that may execute before the one that is reported at once */
    bool irq;                /* the interrupt line */
} e;

static void die(const char *what, uint64_t value)
{
    fprintf(stderr, "emulator: instruction %zu: %s 0x%" PRIx64 "\n", e.pc, what, value);
    exit(1);
}

/* Tells the PMU what occurred since the last time.  Each instruction takes a cycle. */
static void report(void)
{
    struct apmu_out out;

    apmu_cycles(&e.pmu, &e.pe, e.pending[INST], &out);
    for (unsigned k = 0; k < KINDS; k++) {
        apmu_event(&e.pmu, &e.pe, events[k], e.pending[k], 1, &out);
        e.pending[k] = 0;
    }
    e.irq = out.pmuirq;
}

/* Executes MRS or MSR by the convention "in order" of <armpmu/model.h>: a read precedes its own events. */
static void sysreg(uint32_t i)
{
    const struct apmu_transfer by = {.rt = i & 31, .write = (i >> 21 & 1) == 0};
    enum apmu_reg reg;
    unsigned n;

    e.pending[INST] += by.write;
    report();
    if (!apmu_reg_by_a64((uint16_t)(i >> 5), &reg, &n)) {
        die("no register of the PMU has the key", i >> 5 & 0xFFFF);
    }
    const struct apmu_access access = apmu_access(&e.pmu, &e.pe, reg, n, by.write);
    if (access.outcome != APMU_ACCESS_OK) { /* an emulator takes the exception here */
        die("exception, ESR", apmu_access_esr(&access, &by));
    } else if (by.write) {
        apmu_poke(&e.pmu, &e.pe, reg, n, e.x[by.rt], NULL);
    } else {
        e.x[by.rt] = apmu_peek(&e.pmu, &e.pe, reg, n);
    }
    e.pending[INST] += !by.write;
    e.left = 0;
}

/* LDR, STR and STRB with an unsigned offset. */
static void transfer(uint32_t i)
{
    const unsigned size = 1u << (i >> 30), rt = i & 31;
    const uint64_t address = e.x[i >> 5 & 31] + (i >> 10 & 4095) * size;
    const bool load = (i >> 22 & 1) != 0;

    e.pending[load ? LOAD : STORE]++;
    if (address == UART && !load) {
        putchar((int)(e.x[rt] & 0xFF));
    } else if (address < DATA || address - DATA > DATA_SIZE - size) {
        die("no memory at", address);
    } else if (load) {
        memcpy(&e.x[rt], &e.data[address - DATA], size); /* the host is little-endian */
    } else {
        memcpy(&e.data[address - DATA], &e.x[rt], size);
    }
}

/* ADD, SUB, and SUBS, which sets the flags. */
static void add(uint32_t i, uint64_t b)
{
    const bool minus = (i >> 30 & 1) != 0;
    const uint64_t a = e.x[i >> 5 & 31], other = minus ? ~b : b, sum = a + other + minus;

    if ((i >> 29 & 1) != 0) {
        e.n = sum >> 63 != 0;
        e.z = sum == 0;
        e.c = minus ? a >= b : sum < a;
        e.v = ((a ^ sum) & (other ^ sum)) >> 63 != 0;
    }
    e.x[i & 31] = sum;
}

/* Returns whether a condition holds; the last bit inverts it. */
static bool holds(unsigned condition)
{
    const bool of[8] = {e.z, e.c, e.n, e.v, e.c && !e.z, e.n == e.v, e.n == e.v && !e.z, true};

    return of[condition >> 1 & 7] != (condition & 1);
}

/* Executes instruction @i and returns the place of the next one. */
static size_t execute(uint32_t i)
{
    const unsigned rd = i & 31, rn = i >> 5 & 31, rm = i >> 16 & 31;
    const int branch = (int)(i << 6) >> 6, branch_if = (int)(i << 8) >> 13;

    if ((i & 0xFF800000) == 0xD2800000) { /* MOVZ */
        e.x[rd] = (uint64_t)(i >> 5 & 0xFFFF) << 16 * (i >> 21 & 3);
    } else if ((i & 0x9F800000) == 0x91000000 || (i & 0x9FE0FC00) == 0x8B000000) {
        add(i, (i & 0x10000000) != 0 ? i >> 10 & 4095 : e.x[rm]);
    } else if ((i & 0xDFE0FC00) == 0x8A000000) { /* AND, and ORR, which is MOV */
        e.x[rd] = (i & 0x20000000) != 0 ? e.x[rn] | e.x[rm] : e.x[rn] & e.x[rm];
    } else if ((i & 0xFFE0FC00) == 0x9AC02400) { /* LSR */
        e.x[rd] = e.x[rn] >> (e.x[rm] & 63);
    } else if ((i & 0x3F800000) == 0x39000000) {
        transfer(i);
    } else if ((i & 0xFC000000) == 0x94000000) { /* BL */
        e.pending[BRANCH]++;
        e.x[30] = e.pc + 1;
        return e.pc + (size_t)branch;
    } else if ((i & 0xFF000010) == 0x54000000) { /* B.cond */
        e.pending[BRANCH]++;
        return e.pc + (holds(i & 15) ? (size_t)branch_if : 1);
    } else if ((i & 0xFFFFFC1F) == 0xD65F0000) { /* RET */
        return e.x[rn];
    } else if (i != 0xD5033FDF) { /* ISB */
        die("the program has no instruction", i);
    }
    return e.pc + 1;
}

int main(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg, .counters = 6, .features = apmu_features_closure(APMU_FEAT(PMUv3p1) | APMU_FEAT(AA64EL0)),
    };

    apmu_init(&e.pmu, &cfg);
    e.pe.el = 1;
    while (program[e.pc] != 0xD45E0000) { /* HLT */
        const uint32_t i = program[e.pc];
        if ((i & 0xFFD00000) == 0xD5100000) {
            sysreg(i);
            e.pc++;
        } else {
            e.pending[INST]++;
            e.pc = execute(i);
        }
        e.x[31] = 0;
        if (e.left-- == 0) {
            report();
            e.left = apmu_until_all(&e.pmu, &e.pe);
        }
    }
    return 0;
}
