/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parsers of texts.  The first byte of the input decides whether there is a frame, and whether the model of the
 * state is made too, which must be one that exists.
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
            abort();
        }
    }
    if ((data[0] & 0x3E) == 0) {
        state_to_model(&s, &m);
        apmu_events_closure(m.cfg.features, m.cfg.pmceid); /* what the bytes say may lack some of them */
        if (apmu_config_check(&m.cfg) != NULL || !apmu_check(&m.p)) {
            abort();
        }
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/state")
