/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the parser of formulas.  What it accepts must be a postfix program that ends with one value, whose events are
 * different and named, and which has a value that is a number, or none.  What it refuses it refuses within the text.
 */
#include <string.h>

#include <armpmu/metrics.h>

#include "fuzz.h"

/* Aborts unless the steps of @f leave one value, and never take one that is not there. */
static void check_steps(const struct apmu_formula *f)
{
    uint32_t depth = 0;

    for (uint32_t i = 0; i < f->step_count; i++) {
        const bool takes = f->steps[i].action >= APMU_FORMULA_ADD;

        if ((takes && depth < 2) || (f->steps[i].action == APMU_FORMULA_EVENT && f->steps[i].value >= f->event_count) ||
            (f->steps[i].action == APMU_FORMULA_CONSTANT && (f->constants >> f->steps[i].value & 1) == 0)) {
            abort();
        }
        depth += takes ? -1u : 1u;
        if (depth > APMU_FORMULA_DEPTH) {
            abort();
        }
    }
    if (depth != 1) {
        abort();
    }
}

static void check_events(const struct apmu_formula *f)
{
    for (uint32_t i = 0; i < f->event_count; i++) {
        for (uint32_t n = 0; n < i; n++) {
            if (f->events[i].number == f->events[n].number) {
                abort();
            }
        }
        if (f->events[i].name == NULL) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const cores[] = {NULL, "ARM1176", "Neoverse V3", "Cortex-A9"};
    const double counts[APMU_FORMULA_EVENTS] = {1, 0, 3, 1e19, 5, -1}, constants[APMU_FORMULA_CONSTANTS] = {8, 64, 0};
    char *text = malloc(size + 1);

    if (text == NULL) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        const struct apmu_core_info *core = cores[i] == NULL ? NULL : apmu_core_by_name(cores[i]);
        struct apmu_formula f;
        size_t at = 0;
        const enum apmu_error error = apmu_formula_parse(text, core, &f, &at);
        double value = 0;

        if (at > strlen(text) || (error != APMU_OK && error != APMU_E_FORMULA && error != APMU_E_EVENT_NAME)) {
            abort();
        }
        if (error != APMU_OK) {
            continue;
        }
        check_steps(&f);
        check_events(&f);
        if (apmu_formula_value(&f, counts, constants, &value) == APMU_FORMULA_DEFINED && !(value - value >= 0)) {
            abort();
        }
    }
    free(text);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/formula")
