/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of code and the rules on what it found.  The steps must be within the text, and unknown bits of
 * values are 0.
 */
#include <string.h>

#include "../../cli/read/code/code.h"
#include "../../cli/why/form.h"
#include "../../cli/why/rules.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct reading r;
    static struct suspects all;
    static struct state s;
    struct cure_form form;
    const struct rules_input in = {.r = &r, .form = &form};

    state_init(&s, "fuzz");
    memset(&all, 0, sizeof all);
    reading_of_state(&r, &s);
    text_free(&r.text);
    text_init(&r.text, (const char *)data, size);
    read_code(&r);
    for (size_t i = 0; r.code != NULL && i < r.code->step_count; i++) {
        const struct code_step *step = &r.code->steps[i];

        if ((step->value.bits & ~step->value.known) != 0 || step->value.read > r.code->step_count ||
            step->function >= r.code->function_count) {
            abort();
        }
    }
    for (unsigned symptom = 0; symptom < READING_SYMPTOMS; symptom++) {
        r.sees[symptom] = size != 0 && (data[size - 1] >> symptom % 8 & 1) != 0;
    }
    form_find(&r, false, &form);
    rules_code(&in, &all);
    reading_free(&r);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/code")
