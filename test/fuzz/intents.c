/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of intents (cli/coverage/intents.c), and judges what it takes by a table of three tests, of which
 * one failed: each verdict has a name, and undecided ones have a cause.
 */
#include <string.h>

#include "../../cli/coverage/intents.h"
#include "fuzz.h"

static void make_table(struct coverage_table *t)
{
    const size_t loads = coverage_event(t, "LD_RETIRED", "exact", "", 0);
    const size_t cycles = coverage_event(t, "CPU_CYCLES", "modelled", "modelled:cortex-a72", 1);
    struct coverage_test *test = coverage_add_test(t, "evict_1", "");

    t->reached = 1;
    if (!coverage_store(t, test, loads, 100) || !coverage_store(t, test, cycles, 0) ||
        !coverage_store(t, coverage_add_test(t, "branch", ""), loads, 7)) {
        abort();
    }
    coverage_add_test(t, "evict_2", "it failed");
    coverage_add_up(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cli_verb verb = {.name = "fuzz"};
    struct coverage_table t = {.events = NULL};
    struct intents in;

    fuzz_quietly();
    make_table(&t);
    if (intents_parse(&in, &verb, "fuzz", (const char *)data, size) == CLI_YES &&
        intents_judge(&in, &verb, &t) == CLI_YES) {
        if (in.tally[INTENT_MET] + in.tally[INTENT_MISSED] + in.tally[INTENT_UNDECIDED] != in.verdict_count ||
            in.verdict_count < in.count) {
            abort();
        }
        for (size_t i = 0; i < in.verdict_count; i++) {
            const struct intent_verdict *v = &in.verdicts[i];

            if (v->name[0] == '\0' || (v->cause[0] != '\0') != (v->outcome == INTENT_UNDECIDED)) {
                abort();
            }
        }
    }
    intents_free(&in);
    coverage_free(&t);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/intents")
