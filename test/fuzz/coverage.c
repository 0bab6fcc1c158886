/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the readers of armpmu coverage: that of results (cli/coverage/rows.c), and that of what --save wrote
 * (saved.c), which gets the input too.  A table that is read is ranked and printed; what is saved of it can be read,
 * and has lost nothing.
 */
#include <string.h>

#include "../../cli/coverage/document.h"
#include "fuzz.h"

static const struct cli_verb verb = {.name = "fuzz"};

/* Saves @t, whose rank is @rank, reads it, and compares the two. */
static void check_saved(const struct coverage_table *t, const struct coverage_rank *rank)
{
    const struct intents none = {.path = NULL};
    const struct coverage_results r = {.table = t, .rank = rank, .intents = &none};
    json_t *document = coverage_document(&r);
    char *text = json_dumps(document, JSON_COMPACT);
    struct coverage_saved saved;
    struct coverage_changes changes;

    if (text == NULL || coverage_parse_saved(&saved, &verb, "fuzz", text, strlen(text)) != CLI_YES) {
        abort();
    }
    changes_find(&changes, &saved, t, &none, 0);
    if (changes.count != 0) {
        abort();
    }
    changes_free(&changes);
    coverage_saved_free(&saved);
    free(text);
    json_decref(document);
}

static void check_table(struct coverage_table *t)
{
    const struct intents none = {.path = NULL};
    struct coverage_rank rank;
    const struct coverage_results r = {.table = t, .rank = &rank, .intents = &none};
    FILE *out = fopen("/dev/null", "w");

    coverage_add_up(t);
    coverage_rank(&rank, t);
    if (rank.set_count > rank.count || rank.bound > rank.set_count || (rank.set_count == 0) != (rank.reached == 0)) {
        abort();
    }
    if (out != NULL) {
        coverage_print(out, &r, &(struct coverage_look){.width = 80, .verbose = true});
        fclose(out);
    }
    check_saved(t, &rank);
    coverage_rank_free(&rank);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct coverage_table t = {.reached = 1};
    struct coverage_saved saved;

    fuzz_quietly();
    if (coverage_parse_rows(&t, &verb, "fuzz", (const char *)data, size) == CLI_YES && coverage_sort(&t) == NULL) {
        check_table(&t);
    }
    coverage_free(&t);
    if (coverage_parse_saved(&saved, &verb, "fuzz", (const char *)data, size) == CLI_YES) {
        saved.table.reached = 1;
        check_table(&saved.table);
        coverage_saved_free(&saved);
    }
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/coverage")
