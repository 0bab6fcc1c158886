/* SPDX-License-Identifier: BSD-2-Clause */
/* The defect of the external view: the list is in defects.h.  Offsets are those of the layout that PMDEVARCH names. */
#include "driver.h"

/* The places of tables/external.def, in both layouts; of a register in two words that of the first. */
#define PAIR(offset, copies, gate) offset
#define SPLIT(low, high, copies, gate) low
#define WORD(offset, copies) offset
#define HIGH(offset) offset
#define SHARED(offset) offset
#define DOUBLE(offset, copies) offset
#define TWICE(offset) offset
#define NONE 0xFFFF
enum place {
#define EXT(id, reg, layout32, layout64, access, rule, gate) OFFSET32_##id = layout32, OFFSET64_##id = layout64,
#include <armpmu/tables/external.def>
};

enum { LAYOUT32 = 0xA16, LAYOUT64 = 0xA26, NO_COMPONENT = 0 };

static struct apmu pmu;
static struct apmu_pe pe;

static struct apmu_ext word_at(uint64_t offset)
{
    return (struct apmu_ext){.offset = offset, .size = 4, .pas = APMU_PAS_SECURE};
}

/* Where PMCR is: by what PMDEVARCH says, and in a component that it does not describe nowhere. */
static unsigned by_pmdevarch(uint64_t devarch)
{
    const bool pmu_v3 = APMU_GET(PMDEVARCH, PRESENT, devarch) != 0 && APMU_GET(PMDEVARCH, ARCHVER, devarch) == 2;

    switch (pmu_v3 ? APMU_GET(PMDEVARCH, ARCHPART, devarch) : 0) {
    case LAYOUT32:
        return OFFSET32_PMCR;
    case LAYOUT64:
        return OFFSET64_PMCR;
    default:
        return NO_COMPONENT;
    }
}

static unsigned by_heart(uint64_t devarch)
{
    (void)devarch;
    return 0xE04;
}

/* A write of PMCR.E there enables the unit, in both layouts; another component is left alone. */
static bool pmcr_is_found(unsigned (*place)(uint64_t devarch))
{
    bool right = place(0x47700A15) == NO_COMPONENT && place(0) == NO_COMPONENT;

    for (unsigned layout = 0; layout < 2; layout++) {
        const struct apmu_config cfg = {
            .size = sizeof cfg, .counters = 6,
            .features = P9_FEATURES | APMU_FEAT(PMUv3_EXT) | (layout ? APMU_FEAT(PMUv3_EXT64) : APMU_FEAT(PMUv3_EXT32)),
        };
        const struct apmu_ext devarch = word_at(layout ? OFFSET64_PMDEVARCH : OFFSET32_PMDEVARCH);

        apmu_init(&pmu, &cfg);
        pe = (struct apmu_pe){.el = 1, .dbgen = true, .niden = true, .spiden = true, .spniden = true};
        const struct apmu_ext at = word_at(place(apmu_read_ext(&pmu, &pe, &devarch)));

        if (apmu_config_check(&cfg) != NULL || apmu_access_ext(&pmu, &pe, &at, true).outcome != APMU_ACCESS_OK) {
            right = false;
            continue;
        }
        apmu_poke_ext(&pmu, &pe, &at, APMU_MASK(PMCR_EL0, E), NULL);
        right &= APMU_GET(PMCR_EL0, E, pmu.pmcr) == 1;
    }
    return right;
}

int main(void)
{
    const bool we = pmcr_is_found(by_pmdevarch), caught = !pmcr_is_found(by_heart);

    if (!we || !caught) {
        printf("# %s%s\n", we ? "" : "ours fails; ", caught ? "" : "the defect is not found");
    }
    check("defect 20: SBSA ACS: offsets of one layout for every component", we && caught);
    return failures != 0;
}
