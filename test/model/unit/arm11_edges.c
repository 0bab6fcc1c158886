/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Edge cases of the ARM11 unit that no statement of the Application Note covers: the state after a reset, and products
 * of any size.
 */

#include <string.h>

#include <armpmu/arm11.h>

#include "../../lib/tap.h"

static struct apmu_arm11 p;
static struct apmu_arm11_out out;

static void a_reset_leaves_nothing_of_before(void)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1176, .unknown_fill = UINT32_MAX};
    const uint32_t pmnc = 0x0FFFF87F & ~UINT32_C(0x80); /* its fields except the flags, C and P */
    const struct apmu_arm11_pe pe = {0};

    memset(&p, 0xA5, sizeof p);
    apmu_arm11_init(&p, &cfg);
    MUST_EQ(apmu_arm11_peek(&p, APMU_ARM11_REG_CCNT), UINT32_MAX, "apmu_arm11_init() is a reset");
    MUST_EQ(p.pmnc & ~pmnc, 0, "PMNC has its fields only");
    MUST_EQ(APMU_GET(PMNC, EvtCount1, p.pmnc), 0xFF, "and they are unknown");
    apmu_arm11_poke(&p, APMU_ARM11_REG_PMNC, APMU_MASK(PMNC, E) | APMU_MASK(PMNC, D), &out);
    apmu_arm11_cycles(&p, &pe, 5, &out);
    MUST_EQ(p.divider, 5, "the divider");
    apmu_arm11_on_reset(&p);
    MUST_EQ(p.divider, 0, "the divider after a reset");
}

/* Products of 2^64 and more, and products below 2^32. */
static void products_of_any_size(void)
{
    static const struct {
        uint64_t times, each;
        bool wraps;
    } products[] = {
        {5726623062, 3221225472, true}, {3221225472, 5726623062, true}, {UINT64_C(1) << 33, UINT64_C(1) << 31, true},
        {1, UINT64_C(1) << 31, false},  {UINT64_C(1) << 31, 1, false},  {2, UINT64_C(1) << 31, true},
    };
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1136};
    const struct apmu_arm11_pe pe = {0};

    for (unsigned i = 0; i < sizeof products / sizeof products[0]; i++) {
        apmu_arm11_init(&p, &cfg);
        apmu_arm11_poke(&p, APMU_ARM11_REG_PMNC, APMU_MASK(PMNC, E) | APMU_PUT(PMNC, EvtCount0, APMU_ARM11_EV_BR_EXEC),
                        &out);
        apmu_arm11_event(&p, &pe, APMU_ARM11_EV_BR_EXEC, products[i].times, products[i].each, &out);
        MUST_EQ(apmu_arm11_peek(&p, APMU_ARM11_REG_PMN0), (uint32_t)(products[i].times * products[i].each),
                "product %u", i);
        MUST_EQ(out.overflowed, products[i].wraps, "overflow of product %u", i);
    }
}

static void there_is_no_such_register(void)
{
    const struct apmu_arm11_config cfg = {.size = sizeof cfg, .part = APMU_ARM1136, .unpredictable = UINT32_MAX};
    const struct apmu_arm11_pe pe = {0};

    apmu_arm11_init(&p, &cfg);
    const struct apmu_arm11 before = p;
    const struct apmu_access a = apmu_arm11_access(&p, &pe, APMU_ARM11_REG_COUNT, false);
    MUST_EQ(a.outcome, APMU_ACCESS_UNDEFINED, "the access");
    MUST(strcmp(a.control, "no such register") == 0, "\"%s\"", a.control);
    MUST_EQ(apmu_arm11_peek(&p, APMU_ARM11_REG_COUNT), 0, "a read");
    apmu_arm11_poke(&p, APMU_ARM11_REG_COUNT, UINT32_MAX, &out);
    MUST(memcmp(&before, &p, sizeof p) == 0, "a write");
}

int main(void)
{
    RUN(there_is_no_such_register);
    RUN(a_reset_leaves_nothing_of_before);
    RUN(products_of_any_size);
    return tap_status;
}
