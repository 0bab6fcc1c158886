/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the native back end of the ARM11 unit under qemu-arm -cpu arm1176.  The emulator lacks the unit, so each MRC
 * and MCR of it is UNDEFINED in User mode and raises SIGILL.  The handler decodes the instruction and accesses the
 * model.
 */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include <armpmu/arm11.h>
#include <armpmu/arm11_driver.h>

#include "../../lib/errors.h"

#define BR APMU_ARM11_EV_BR_EXEC

static struct apmu_arm11 unit;
static struct apmu_arm11_pe pe;
static struct apmu_arm11_driver driver;
static struct apmu_session session;
static struct apmu_reading out[3];
static unsigned reads, writes, undefined;

/* The bits that MRC and MCR p15, 0, <Rt>, c15, c12, opc2 have in common for all opc2 and Rt.  The condition is AL. */
#define C15_MASK 0xFFEF0F1Fu
#define C15_BITS 0xEE0F0F1Cu
#define LOAD_BIT 0x00100000u

/* Handles SIGILL: performs the access on the model, and continues after the instruction. */
static void serve(int signal_number, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    unsigned long *registers = &c->uc_mcontext.arm_r0;
    uint32_t instruction;

    (void)signal_number;
    (void)info;
    memcpy(&instruction, (const void *)c->uc_mcontext.arm_pc, sizeof instruction);
    const bool load = (instruction & LOAD_BIT) != 0;
    const enum apmu_arm11_reg reg = (enum apmu_arm11_reg)(instruction >> 5 & 7);
    const unsigned rt = instruction >> 12 & 15;

    c->uc_mcontext.arm_pc += 4;
    if ((instruction & C15_MASK) != C15_BITS || rt == 15 ||
        apmu_arm11_access(&unit, &pe, reg, !load).outcome != APMU_ACCESS_OK) {
        undefined++;
    } else if (load) {
        reads++;
        registers[rt] = apmu_arm11_peek(&unit, reg);
    } else {
        writes++;
        apmu_arm11_poke(&unit, reg, (uint32_t)registers[rt], NULL);
    }
}

/* Makes a model of @part. */
static void make_core(enum apmu_arm11_parts part)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = part, .unpredictable = UINT32_MAX};

    apmu_arm11_init(&unit, &cfg);
    pe = (struct apmu_arm11_pe){.user = true, .user_v = true};
    driver = (struct apmu_arm11_driver){.ops = &apmu_arm11_c15_ops, .part = part};
    reads = writes = undefined = 0;
}

/* Counts to 1000 as in Application Note 195: the counter then interrupts, wraps and continues. */
static void count_to_1000(enum apmu_arm11_parts part)
{
    static const struct apmu_wish wishes[] = {
        {.event = BR, .counter = APMU_COUNTER_ANY, .interrupt = true, .period = 1000},
        {.event = APMU_ARM11_EV_INSTR_EXEC, .counter = APMU_COUNTER_ANY},
        {.event = APMU_ARM11_EV_CPU_CYCLES, .counter = APMU_CYCLE},
    };
    unsigned interrupts = 0;

    make_core(part);
    MUST_GIVE(apmu_arm11_session_open(&session, &driver, wishes, 3, NULL), APMU_OK, "open");
    MUST_GIVE(apmu_session_start(&session), APMU_OK, "start");
    for (unsigned i = 1; i <= 2500; i++) {
        apmu_arm11_event(&unit, &pe, BR, 1, 1, NULL);
        apmu_arm11_event(&unit, &pe, APMU_ARM11_EV_INSTR_EXEC, 4, 1, NULL);
        apmu_arm11_cycles(&unit, &pe, 3, NULL);
        if (apmu_arm11_irq(&unit)) { /* what the interrupt handler would do */
            interrupts++;
            MUST_EQ(i, 1000, "branches at the interrupt");
            MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
            MUST(!apmu_arm11_irq(&unit), "the interrupt is still asserted");
            MUST(out[0].overflowed, "no overflow reported");
        }
    }
    MUST_EQ(interrupts, 1, "interrupts");
    MUST_EQ(apmu_arm11_c15_PMN0(), 1500, "PMN0");
    MUST_EQ(apmu_arm11_c15_CCNT(), 7500, "CCNT");
    MUST_GIVE(apmu_session_stop(&session), APMU_OK, "stop");
    MUST_GIVE(apmu_session_read(&session, out), APMU_OK, "read");
    MUST_EQ(out[0].count, 2500, "branches");
    MUST_EQ(out[1].count, 10000, "instructions");
    MUST_EQ(out[2].count, 7500, "cycles");
    MUST_GIVE(apmu_session_close(&session), APMU_OK, "close");
    /* open 1 + 9, start 1, read 1, stop 1, close 1 + 9 writes; two readings of 5 and 4, PMN0 and CCNT */
    MUST_EQ(writes, 23, "MCR");
    MUST_EQ(reads, 11, "MRC");
    MUST_EQ(undefined, 0, "UNDEFINED instructions: the Prefetch Flush, or another one");
}

static void arm1136(void)
{
    count_to_1000(APMU_ARM1136);
}

static void arm1156(void)
{
    count_to_1000(APMU_ARM1156);
}

static void arm1176(void)
{
    count_to_1000(APMU_ARM1176);
}

static void without_the_v_bit_it_is_undefined(void)
{
    make_core(APMU_ARM1176);
    pe.user_v = false;
    (void)apmu_arm11_c15_PMNC();
    MUST_EQ(undefined, 1, "MRC");
    MUST_EQ(reads, 0, "MRC");
}

/* Accesses each register by its own encoding, which the assembler wrote and the handler decodes. */
static void each_register(void)
{
    uint32_t value;

    make_core(APMU_ARM1156);
    for (unsigned r = 0; r < APMU_ARM11_REG_COUNT; r++) {
        MUST_GIVE(apmu_arm11_c15_ops.write(NULL, (enum apmu_arm11_reg)r, 0x00ABC000 + (r << 4)), APMU_OK, "write %u",
                  r);
    }
    MUST_EQ(unit.pmnc, 0x00ABC000, "PMNC");
    MUST_EQ(unit.count[APMU_ARM11_CCNT], 0x00ABC010, "CCNT");
    MUST_EQ(unit.count[APMU_ARM11_PMN0], 0x00ABC020, "PMN0");
    MUST_EQ(unit.count[APMU_ARM11_PMN1], 0x00ABC030, "PMN1");
    MUST_EQ(apmu_arm11_c15_PMN1(), 0x00ABC030, "PMN1");
    MUST_GIVE(apmu_arm11_c15_ops.read(NULL, APMU_ARM11_REG_PMN0, &value), APMU_OK, "read");
    MUST_EQ(value, 0x00ABC020, "PMN0");
    MUST_GIVE(apmu_arm11_c15_ops.read(NULL, (enum apmu_arm11_reg)4, &value), APMU_E_NO_REGISTER, "opc2 = 4");
    MUST_GIVE(apmu_arm11_c15_ops.write(NULL, (enum apmu_arm11_reg)4, 0), APMU_E_NO_REGISTER, "opc2 = 4");
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = serve, .sa_flags = SA_SIGINFO};

    sigaction(SIGILL, &action, NULL);
    RUN(arm1136);
    RUN(arm1156);
    RUN(arm1176);
    RUN(without_the_v_bit_it_is_undefined);
    RUN(each_register);
    return tap_status;
}
