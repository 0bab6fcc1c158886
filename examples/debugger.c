/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows the PMU of a PE as an external debugger sees it: through 32-bit memory accesses over the debug port.
 *
 * The model's external view takes the place of the port, so this runs on any machine.  The program prints:
 *
 *     PMUv3 with 4 event counters, in the 64-bit layout
 *     PMDEVARCH 0x47702a26
 *     PMCFGR 0x207f04
 *     12345 instructions, 20000 cycles
 *     PMUSERENR_EL0: the external view lacks this register, or does not allow this kind of access to it
 */
#include <inttypes.h>
#include <stdio.h>

#include <armpmu/events.h>
#include <armpmu/mmio.h>
#include <armpmu/model.h>

/* ---------------------------------------------------------------------------------------------------------------
 * The target, and a port to it.  A real debugger has its own versions of port_read() and port_write().
 */

static struct apmu target;
static struct apmu_pe pe = {.el = 0, .dbgen = true, .niden = true};

static enum apmu_error port_read(void *access, uint32_t offset, uint32_t *value)
{
    const struct apmu_ext at = {.offset = offset, .size = 4, .pas = APMU_PAS_NONSECURE, .debugger = true};

    (void)access;
    if (apmu_access_ext(&target, &pe, &at, false).outcome == APMU_ACCESS_ERROR) {
        return APMU_E_BACKEND; /* the PMU has no power, or the OS Lock is set */
    }
    *value = (uint32_t)apmu_read_ext(&target, &pe, &at);
    return APMU_OK;
}

static enum apmu_error port_write(void *access, uint32_t offset, uint32_t value)
{
    const struct apmu_ext at = {.offset = offset, .size = 4, .pas = APMU_PAS_NONSECURE, .debugger = true};

    (void)access;
    if (apmu_access_ext(&target, &pe, &at, true).outcome == APMU_ACCESS_ERROR) {
        return APMU_E_BACKEND;
    }
    apmu_poke_ext(&target, &pe, &at, value, NULL);
    return APMU_OK;
}

static void power_up(void)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(APMU_FEAT(PMUv3p7) | APMU_FEAT(PMUv3_EXT64) | APMU_FEAT(AA64) |
                                          APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1)),
        .counters = 4,
    };

    apmu_init(&target, &cfg);
}

/* ---------------------------------------------------------------------------------------------------------------
 * The debugger.
 */

int main(void)
{
    static const struct apmu_wish wishes[] = {
        /* This layout has no PMCEID<n>, so the events that the PMU announces are not known. */
        {.event = APMU_EV_INST_RETIRED, .counter = APMU_COUNTER_ANY, .unlisted = true},
        {.event = APMU_EV_CPU_CYCLES, .counter = APMU_CYCLE},
    };
    struct apmu_mmio mmio = {.read32 = port_read, .write32 = port_write};
    const struct apmu_dev dev = {.ops = &apmu_mmio_ops, .ctx = &mmio};
    struct apmu_pmu pmu;
    struct apmu_session session;
    struct apmu_reading readings[2];
    uint64_t value;

    power_up();
    enum apmu_error error = apmu_mmio_open(&mmio);

    if (error == APMU_OK) {
        error = apmu_pmu_discover(&dev, NULL, &pmu);
    }
    if (error != APMU_OK) {
        fprintf(stderr, "%s; %s\n", apmu_error_text(error), apmu_error_cure(error));
        return 1;
    }
    printf("PMUv3 with %u event counters, in the %u-bit layout\n", (unsigned)pmu.counters,
           mmio.layout64 ? 64u : 32u);
    dev.ops->read(dev.ctx, APMU_REG_PMDEVARCH, 0, &value);
    printf("PMDEVARCH 0x%" PRIx64 "\n", value);
    dev.ops->read(dev.ctx, APMU_REG_PMCFGR, 0, &value);
    printf("PMCFGR 0x%" PRIx64 "\n", value);

    error = apmu_session_open(&session, &dev, &pmu, wishes, 2, NULL);
    if (error == APMU_OK) {
        error = apmu_session_start(&session);
    }
    apmu_event(&target, &pe, APMU_EV_INST_RETIRED, 12345, 1, NULL); /* the target runs */
    apmu_cycles(&target, &pe, 20000, NULL);
    if (error == APMU_OK) {
        error = apmu_session_read(&session, readings); /* the target may continue to run */
    }
    if (error == APMU_OK) {
        printf("%" PRIu64 " instructions, %" PRIu64 " cycles\n", readings[0].count, readings[1].count);
        printf("PMUSERENR_EL0: %s\n", apmu_error_text(dev.ops->read(dev.ctx, APMU_REG_PMUSERENR_EL0, 0, &value)));
        error = apmu_session_close(&session);
    }
    apmu_mmio_close(&mmio);
    return error != APMU_OK;
}
