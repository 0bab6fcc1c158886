/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of saved states: a unit that was loaded answers as the one that was saved, whatever its implementation and
 * its past; and damaged bytes are refused, or are the state of another unit that can exist.
 */
#include <armpmu/saved.h>

#include "calls.h"

/* Makes a unit with a past of random calls. */
static void any_past(struct choices *c, struct apmu *p)
{
    const struct apmu_config cfg = any_checked_config(c);

    memset(p, 0, sizeof *p);
    apmu_init(p, &cfg);
    for (unsigned i = 0; i < 24; i++) {
        const struct model_call call = any_call(c, &cfg);

        make_call(&call, p, false);
    }
}

static bool same_state(const struct apmu *a, const struct apmu *b)
{
    uint8_t of_a[APMU_SAVED_SIZE], of_b[APMU_SAVED_SIZE];

    (void)apmu_save(a, of_a, sizeof of_a);
    (void)apmu_save(b, of_b, sizeof of_b);
    return memcmp(of_a, of_b, sizeof of_a) == 0 && memcmp(&a->derived, &b->derived, sizeof a->derived) == 0;
}

static bool loaded_goes_astray(struct choices *c)
{
    uint8_t bytes[APMU_SAVED_SIZE];
    struct apmu original, loaded;

    any_past(c, &original);
    HOLDS(apmu_save(&original, bytes, sizeof bytes) == sizeof bytes, "another size");
    memset(&loaded, 0xA5, sizeof loaded);
    const char *wrong = apmu_load(&loaded, bytes, sizeof bytes);
    HOLDS(wrong == NULL, "refused: %s (features 0x%llx)", wrong, (unsigned long long)original.cfg.features);
    HOLDS(same_state(&original, &loaded), "another state (features 0x%llx)",
          (unsigned long long)original.cfg.features);
    for (unsigned i = 0; i < 16; i++) {
        const struct model_call call = any_call(c, &original.cfg);
        const struct call_result a = make_call(&call, &original, false), b = make_call(&call, &loaded, false);

        HOLDS(same_state(&original, &loaded) && a.performed == b.performed && a.value == b.value &&
                  a.out.overflowed == b.out.overflowed && a.out.pmuirq == b.out.pmuirq && a.out.cti == b.out.cti,
              "call %d, registers %d and %d, copy %u does something else (features 0x%llx)", (int)call.kind,
              (int)call.reg, (int)call.reg32, call.n, (unsigned long long)original.cfg.features);
    }
    return false;
}

/* Changes bits of a saved state.  One that is taken nevertheless is a unit that can exist, and is saved alike. */
static bool damage_passes(struct choices *c)
{
    uint8_t bytes[APMU_SAVED_SIZE], again[APMU_SAVED_SIZE];
    struct apmu p, before;

    any_past(c, &p);
    (void)apmu_save(&p, bytes, sizeof bytes);
    for (unsigned i = 0; i <= pick(c, 2); i++) {
        bytes[pick_of(c, sizeof bytes)] ^= (uint8_t)(1u << pick(c, 3));
    }
    before = p;
    const char *wrong = apmu_load(&p, bytes, sizeof bytes);
    if (wrong != NULL) {
        HOLDS(strlen(wrong) > 20 && strstr(wrong, ": ") != NULL, "no sentence: %s", wrong);
        HOLDS(memcmp(&p, &before, sizeof p) == 0, "the unit changed: %s", wrong);
        return false;
    }
    (void)apmu_save(&p, again, sizeof again);
    HOLDS(apmu_check(&p), "a unit that cannot be");
    HOLDS(memcmp(bytes, again, sizeof again) == 0, "saved otherwise");
    return false;
}

PROPERTIES(
    {"a unit that was loaded goes on like the one that was saved", loaded_goes_astray, .rounds = 8000},
    {"damaged bytes are refused or are another unit", damage_passes, .rounds = 20000})
