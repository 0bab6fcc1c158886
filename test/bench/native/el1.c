/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Drives the PMU in the module.  It saves the kernel's state of the PMU, and restores it after measuring. */
#include <armpmu/native.h>

#include "native.h"

static const struct apmu_dev dev = {.ops = &apmu_native_ops};
static struct apmu_pmu pmu;
static struct apmu_pmu_saved saved;

int native_keep(void)
{
    const enum apmu_error error = apmu_pmu_discover(&dev, NULL, &pmu);

    return (int)(error != APMU_OK ? error : apmu_pmu_save(&dev, &pmu, &saved));
}

void native_answer(struct native_answer *answer)
{
    uint64_t value = 0;

    native_measure(NULL, &answer->el1);
    (void)dev.ops->read(NULL, APMU_REG_ID_AA64DFR0_EL1, 0, &value);
    answer->ids.id_aa64dfr0_el1 = value;
    (void)dev.ops->read(NULL, APMU_REG_ID_AA64DFR1_EL1, 0, &value);
    answer->ids.id_aa64dfr1_el1 = value;
    answer->ids.pmmir_el1 = pmu.pmmir;
    (void)dev.ops->write(NULL, APMU_REG_PMUSERENR_EL0, 0, APMU_MASK(PMUSERENR_EL0, EN));
    dev.ops->sync(NULL);
}

int native_restore(void)
{
    return (int)apmu_pmu_restore(&dev, &pmu, &saved);
}
