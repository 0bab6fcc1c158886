/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes apmu_load().  Bytes that are taken are a unit that can exist, whose state is saved as the same bytes, and all
 * calls on it are defined.  A refusal is a sentence and leaves the unit alone.
 */
#include <string.h>

#include <armpmu/saved.h>

#include "fuzz.h"

/* Makes calls on a unit, at each Exception level.  The sanitizers find what is not defined. */
static void use(struct apmu *p)
{
    for (uint8_t el = 0; el < 4; el++) {
        const struct apmu_pe pe = {.el = el, .mdcr_el2 = APMU_PUT(MDCR_EL2, HPMN, 1)};
        struct apmu_out out;

        for (unsigned n = 0; n < APMU_COUNTERS; n++) {
            (void)apmu_why(p, &pe, n);
        }
        for (unsigned r = 0; r < APMU_REG_BORROWED; r++) {
            (void)apmu_access(p, &pe, (enum apmu_reg)r, 0, false);
            (void)apmu_peek(p, &pe, (enum apmu_reg)r, 0);
        }
        apmu_event(p, &pe, APMU_EV_INST_RETIRED, 1000, 3, &out);
        apmu_cycles(p, &pe, UINT64_C(1) << 33, &out);
        apmu_step(p, &pe, 3, NULL, 0, &out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t again[APMU_SAVED_SIZE];
    struct apmu p, before;

    memset(&p, 0xC3, sizeof p);
    memcpy(&before, &p, sizeof p);
    const char *wrong = apmu_load(&p, data, size);
    if (wrong != NULL) {
        if (strlen(wrong) < 20 || memcmp(&p, &before, sizeof p) != 0) {
            abort();
        }
        return 0;
    }
    if (!apmu_check(&p) || apmu_save(&p, again, sizeof again) != sizeof again || size < sizeof again ||
        memcmp(again + APMU_SAVED_HEAD, data + APMU_SAVED_HEAD, sizeof again - APMU_SAVED_HEAD) != 0) {
        abort();
    }
    use(&p);
    if (!apmu_check(&p)) {
        abort();
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/saved")
