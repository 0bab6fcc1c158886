/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts on an ARM1176: takes an interrupt after 1000 branches, and counts instructions and cycles meanwhile.
 *
 * Built for Armv6 (-marm -march=armv6), the program drives the PMU of the core that runs it, in a privileged mode.  On
 * any other machine it drives the model, and reports to the model what is executed.  On the model it prints:
 *
 *     interrupt: 1000 branches, 7000 instructions, 9000 cycles
 *     in all: 2500 branches, 17500 instructions, 22500 cycles
 */
#include <inttypes.h>
#include <stdio.h>

#include <armpmu/arm11_driver.h>

static const struct apmu_wish wishes[] = {
    {.event = APMU_ARM11_EV_BR_EXEC, .counter = APMU_COUNTER_ANY, .interrupt = true, .period = 1000},
    {.event = APMU_ARM11_EV_INSTR_EXEC, .counter = APMU_COUNTER_ANY},
    {.event = APMU_ARM11_EV_CPU_CYCLES, .counter = APMU_CYCLE},
};
static struct apmu_session session;
static struct apmu_reading readings[3];

/* Handles nPMUIRQ.  apmu_session_read() also clears the interrupt. */
void interrupt(void)
{
    if (apmu_session_read(&session, readings) == APMU_OK && readings[0].overflowed) {
        printf("interrupt: %" PRIu64 " branches, %" PRIu64 " instructions, %" PRIu64 " cycles\n", readings[0].count,
               readings[1].count, readings[2].count);
    }
}

#if defined(__arm__) && __ARM_ARCH == 6
static struct apmu_arm11_driver driver = {.ops = &apmu_arm11_c15_ops, .part = APMU_ARM1176};

static void power_up(void)
{
}

static void code(void)
{
    for (volatile unsigned i = 0; i < 2500; i++) {
    }
}
#else
#include <armpmu/arm11.h>

static struct apmu_arm11 unit;
static const struct apmu_arm11_pe pe;
static struct apmu_arm11_model_backend model = {.unit = &unit, .pe = &pe};
static struct apmu_arm11_driver driver = {.ops = &apmu_arm11_model_ops, .ctx = &model, .part = APMU_ARM1176};

static void power_up(void)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1176};

    apmu_arm11_init(&unit, &cfg);
}

static void code(void)
{
    for (unsigned i = 0; i < 2500; i++) {
        const struct apmu_occurrence seven_instructions[] = {{APMU_ARM11_EV_INSTR_EXEC, 7}, {APMU_ARM11_EV_BR_EXEC, 1}};
        struct apmu_arm11_out out;

        apmu_arm11_cycles(&unit, &pe, 8, NULL);
        apmu_arm11_step(&unit, &pe, 1, seven_instructions, 2, &out);
        if (out.irq) {
            interrupt();
        }
    }
}
#endif

int main(void)
{
    size_t refused;

    power_up();
    const enum apmu_error error = apmu_arm11_session_open(&session, &driver, wishes, 3, &refused);

    if (error != APMU_OK) {
        fprintf(stderr, "wish %zu: %s; %s\n", refused, apmu_error_text(error), apmu_error_cure(error));
        return 1;
    }
    apmu_session_start(&session);
    code();
    apmu_session_stop(&session);
    if (apmu_session_read(&session, readings) == APMU_OK) {
        printf("in all: %" PRIu64 " branches, %" PRIu64 " instructions, %" PRIu64 " cycles\n", readings[0].count,
               readings[1].count, readings[2].count);
    }
    return apmu_session_close(&session) != APMU_OK;
}
