/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that apmu_check() bounds the members of a unit that are not registers too.  Each case changes one member. */

#include <armpmu/model.h>

#include "../../lib/tap.h"

static struct apmu p;

static void unit(uint64_t features)
{
    const struct apmu_config cfg = {
        .size = sizeof cfg,
        .features = apmu_features_closure(features | APMU_FEAT(AA64EL0) | APMU_FEAT(AA64EL1)),
        .counters = 4,
        .thwidth = (features & APMU_FEAT(PMUv3_TH)) != 0 ? 12 : 0,
        .filter2 = 0xFF,
    };

    MUST(apmu_config_check(&cfg) == NULL, "%s", apmu_config_check(&cfg));

    apmu_init(&p, &cfg);
    MUST(apmu_check(&p), "after apmu_init()");
}

/* IN_BOUNDS(ovs, 1, false) sets p.ovs to 1 and checks that apmu_check() refuses p; with true, that it accepts p. */
#define IN_BOUNDS(member, value, want) \
    do { \
        const struct apmu before = p; \
        p.member = (value); \
        MUST(apmu_check(&p) == (want), "%s = %s: %s", #member, #value, (want) ? "refused" : "passes"); \
        p = before; \
    } while (0)

static void the_configuration(void)
{
    unit(APMU_FEAT(PMUv3));
    p.ccr = 31; /* as apmu_init() sets it for 31 counters */
    IN_BOUNDS(cfg.counters, 31, true);
    p.ccr = 0;
    IN_BOUNDS(cfg.counters, 32, false);
    unit(APMU_FEAT(PMUv3));
    IN_BOUNDS(cfg.sync_event_count, 14, true);
    IN_BOUNDS(cfg.sync_event_count, 15, false);
}

/* A configuration is refused here where apmu_config_check() refuses it, although each word fits its registers. */
static void what_the_architecture_forbids(void)
{
    unit(APMU_FEAT(PMUv3));
    IN_BOUNDS(cfg.size, 0, false);
    IN_BOUNDS(cfg.secure_only, true, true);
    IN_BOUNDS(cfg.reserved_pmee, 3, true);
    IN_BOUNDS(cfg.reserved_pmee, 4, false);
    IN_BOUNDS(cfg.reserved_epmssad, 1, false);
    IN_BOUNDS(cfg.external_swinc, true, false);
    IN_BOUNDS(cfg.bus_width, 16, false);
    IN_BOUNDS(cfg.pmceid[0], 0x20101, true); /* SW_INCR, INST_RETIRED, CPU_CYCLES */
    IN_BOUNDS(cfg.pmceid[0], 2, false);
}

static void filters(void)
{
    unit(APMU_FEAT(PMUv3));
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        IN_BOUNDS(filter2[n], 0x80, true);
        IN_BOUNDS(filter2[n], 0x100, false);
    }
}

static void thresholds(void)
{
    unit(APMU_FEAT(PMUv3));
    IN_BOUNDS(last_threshold, 1, false);
    unit(APMU_FEAT(PMUv3) | APMU_FEAT(PMUv3_TH));
    IN_BOUNDS(last_threshold, 0xF, true);
    IN_BOUNDS(last_threshold, 0x10, false);
}

static void what_is_left(void)
{
    unit(APMU_FEAT(PMUv3));
    IN_BOUNDS(divider, 63, true);
    IN_BOUNDS(divider, 64, false);
    IN_BOUNDS(locked, true, false);
    IN_BOUNDS(sync_overflowed, true, false);
    IN_BOUNDS(pcsctl, APMU_MASK(PMPCSCTL, SS) | APMU_MASK(PMPCSCTL, EN), true);
    IN_BOUNDS(pcsctl, APMU_MASK(PMPCSCTL, SS), true);
    IN_BOUNDS(pcsctl, 0x20, false);
    IN_BOUNDS(ccr, 3, false);
    p.cfg.features = apmu_features_closure(p.cfg.features | APMU_FEAT(PMUv3_EXT32));
    p.cfg.software_lock = true;
    apmu_settle(&p);
    IN_BOUNDS(locked, true, true);
    unit(APMU_FEAT(PMUv3) | APMU_FEAT(SEBEP));
    IN_BOUNDS(sync_overflowed, true, true);
}

int main(void)
{
    RUN(the_configuration);
    RUN(what_the_architecture_forbids);
    RUN(filters);
    RUN(thresholds);
    RUN(what_is_left);
    return tap_status;
}
