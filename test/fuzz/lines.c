/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of lines that people wrote.  The first byte of the input says what the lines have in common: bit 0,
 * bare numbers are hexadecimal; bit 1, PMNC is PMCR; bit 2, values that are written are kept apart.
 */
#include <string.h>

#include "../../cli/state/state.h"
#include "fuzz.h"

static void must_be_sound(const struct state *s)
{
    for (unsigned i = 0; i < STATE_CELLS; i++) {
        if ((s->cells[i].value & ~s->cells[i].known) != 0 || (s->cells[i].known != 0 && s->cells[i].times == 0)) {
            abort(); /* state.h: unknown bits are 0, and somebody gave the others */
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct state s, written;
    struct state_loose context = {0};
    uint32_t number = 1;

    if (size == 0) {
        return 0;
    }
    state_init(&s, "fuzz");
    state_init(&written, "fuzz");
    context.hex = (data[0] & 1) != 0;
    context.armv7 = (data[0] & 2) != 0;
    context.written = (data[0] & 4) != 0 ? &written : NULL;
    for (size_t at = 1; at < size; number++) {
        const char *line = (const char *)data + at;
        const char *end = memchr(line, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - line);

        (void)state_line(&s, &context, line, length, number);
        at += length + 1;
    }
    must_be_sound(&s);
    must_be_sound(&written);
    state_finish(&s);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/lines")
