/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the reader of results (cli/count/result.c), which compares each with itself: what is compared is equal. */
#include <string.h>

#include "../../cli/count/compare.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cli_verb verb = {.name = "fuzz"};
    struct limits limits = {.has_all = true, .all = 1};
    struct result_comparison c;
    struct result r;
    FILE *out;

    fuzz_quietly();
    if (result_parse(&r, &verb, "fuzz", (const char *)data, size) != CLI_YES) {
        return 0;
    }
    out = fopen("/dev/null", "w");
    compare(&c, "fuzz", &r, &r, &limits);
    if (c.refusal[0] == '\0' && c.tally[COMPARE_EQUAL] + c.tally[COMPARE_APART] != c.count) {
        abort();
    }
    if (out != NULL) {
        compare_print_text(out, &c);
        compare_print_json(out, &c);
        compare_print_markdown(out, &c);
        fclose(out);
    }
    compare_free(&c);
    result_free(&r);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/result")
