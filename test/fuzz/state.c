/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the parsers of texts.  The text begins at the second byte of the input.  If bit 0 of the first byte is 1, the
 * external view lies at 0xfd5f9000, so that memory dumps are taken.  If its bits 5 to 1 are 0, the model of the state
 * is made too: its configuration must be legal, and its unit in a state that it can reach.
 */
#include <armpmu/model.h>

#include "../../cli/state/state.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct state s;
    static struct state_model m;
    const struct state_frame frame = {true, 0xFD5F9000};

    if (size == 0) {
        return 0;
    }
    state_init(&s, "fuzz");
    state_parse(&s, (const char *)data + 1, size - 1, (data[0] & 1) != 0 ? &frame : NULL);
    state_finish(&s);
    for (unsigned i = 0; i < STATE_CELLS; i++) {
        if ((s.cells[i].value & ~s.cells[i].known) != 0) {
            abort(); /* state.h: unknown bits are 0 */
        }
    }
    if ((data[0] & 0x3E) == 0) {
        state_to_model(&s, &m);
        apmu_events_closure(m.p.cfg.features, m.p.cfg.pmceid); /* the bytes may leave out required events */
        if (!apmu_check(&m.p)) {
            abort();
        }
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/state")
