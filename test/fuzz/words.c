/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of sentences: words, patterns, numbers and the names of machines.  What it finds must be within the
 * input: a line that exists, and a known member of each enumeration.
 */
#include <string.h>

#include "../../cli/read/words.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading r;

    memset(&r, 0, sizeof r);
    r.input = "fuzz";
    text_init(&r.text, (const char *)data, size);
    read_words(&r);
    for (size_t i = 0; i < r.clue_count; i++) {
        const size_t line = text_find(&r.text, r.clues[i].line);

        if (r.clues[i].kind >= CLUE_KINDS || line >= r.text.count || r.text.lines[line].number != r.clues[i].line) {
            abort();
        }
    }
    if (reading_value(&r.machine.el, 0) > 3 || reading_value(&r.machine.pmu, 0) > READING_PMU_OTHER) {
        abort();
    }
    reading_free(&r);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/words")
