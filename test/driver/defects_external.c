/* SPDX-License-Identifier: BSD-2-Clause */
/* The defect of the external view.  defects.h has the list. */
#include "../lib/errors.h"
#include "../lib/frame.h"

enum { PMCR_BY_HEART = 0xE04 };

/* Enables the PMU through our back end, which reads the layout from the component. */
static bool by_what_is_there(void)
{
    struct apmu_mmio mmio = through_frame();

    return apmu_mmio_open(&mmio) == APMU_OK &&
           apmu_mmio_ops.write(&mmio, APMU_REG_PMCR_EL0, 0, APMU_MASK(PMCR_EL0, E)) == APMU_OK;
}

static bool by_heart(void)
{
    struct apmu_mmio mmio = through_frame();

    return mmio.write32(mmio.access, PMCR_BY_HEART, (uint32_t)APMU_MASK(PMCR_EL0, E)) == APMU_OK;
}

/* Returns whether @enable enables the PMU in both layouts. */
static bool enables(bool (*enable)(void))
{
    bool right = true;

    for (unsigned layout64 = 0; layout64 < 2; layout64++) {
        configure(EL1_ONLY | P4 | APMU_FEAT(PMUv3p9) | (layout64 != 0 ? EXT64 : EXT32));
        start();
        MUST(apmu_config_check(&cfg) == NULL, "the PMU of the test: %s", apmu_config_check(&cfg));
        right &= enable() && APMU_GET(PMCR_EL0, E, p.pmcr) == 1;
    }
    return right;
}

static void defect_20(void)
{
    MUST(enables(by_what_is_there), "our driver has the defect");
    MUST(!enables(by_heart), "the defect is not found");
}

int main(void)
{
    tap_run("defect 20: SBSA ACS: offsets of one layout for every component", defect_20);
    return tap_status;
}
