/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes what prints a cure as code (cli/why/form*.c) and finds its place in the code that was given
 * (cli/why/insert.c).  The input is code.  An edit is of a line of the text, and has lines or takes lines away.
 */
#include <string.h>

#include "../../cli/why/insert.h"
#include "fuzz.h"

/* Returns true for half of the inputs: to find a place, the text is read many times. */
static bool is_chosen(const uint8_t *data, size_t size)
{
    unsigned sum = (unsigned)size;

    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    return (sum >> 8) % 2 == 0;
}

/* Prints @m in each form. */
static void print_forms(const struct cure_form *given, const struct remedy *m)
{
    static char buf[4000];
    struct cure_form form = *given;

    for (unsigned id = 0; id < FORM_IDS; id++) {
        form_choose(&form, (enum form_id)id);
        form_print(&form, m, "    ", buf, sizeof buf);
        if (strlen(buf) >= sizeof buf) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cli_args args;
    static struct suspects all;
    static struct state s;
    static struct remedy remedies[WHY_CAUSE_IDS];
    static struct insert_edits edits;
    struct reading r;
    struct cure_form form;
    const struct rules_input in = {.r = &r, .args = &args, .form = &form};

    if (size > 1000) {
        return 0;
    }
    state_init(&s, "fuzz");
    memset(&all, 0, sizeof all);
    memset(remedies, 0, sizeof remedies);
    reading_init(&r, "fuzz", (const char *)data, size, NULL, &s, &(struct state_frame){0});
    form_find(&r, false, &form);
    all.remedies = remedies;
    if (verdict_decide(&in, &all) == VERDICT_CAUSES && r.code != NULL) {
        const struct remedy *m = &remedies[all.list[0].cause];

        print_forms(&form, m);
        memset(&edits, 0, sizeof edits);
        if (m->count != 0 && m->who == NULL && is_chosen(data, size)) {
            insert_find(&in, &form, &all.list[0], m, &edits);
        }
        for (size_t i = 0; i < edits.count; i++) {
            if (edits.list[i].line == 0 || edits.list[i].line > r.text.count + 1 ||
                (edits.list[i].text[0] == '\0' && edits.list[i].how != INSERT_INSTEAD)) {
                abort();
            }
        }
    }
    reading_free(&r);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/insert")
