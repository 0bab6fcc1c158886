/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the readers of what Linux prints (cli/read/linux*.c) and the rules on it (cli/why/linux/).  The input
 * is the text.  Each line that gives a clue is worth a look in a large text (linux_quick.c); device trees are read
 * whole.
 */
#include <string.h>

#include "../../cli/read/linux.h"
#include "../../cli/why/rules.h"
#include "fuzz.h"

/* Returns true if the readers of Linux' texts understood something. */
static bool has_clues(const struct reading *r)
{
    for (size_t i = 0; i < r->clue_count; i++) {
        if (r->clues[i].kind >= CLUE_linux_command && r->clues[i].kind <= CLUE_linux_tree_no_node) {
            return true;
        }
    }
    return false;
}

/*
 * Returns the first line of @r that gave a clue although it is not worth a look in a large text, 0 if there is none.
 * All lines behind a command are looked at.
 */
static uint32_t find_overlooked(const struct reading *r)
{
    static struct linux_quick quick;

    if (!quick.prepared) {
        linux_quick_prepare(&quick);
    }
    for (size_t i = 0; i < r->clue_count && r->clues[i].kind < CLUE_linux_tree; i++) {
        const size_t line = text_find(&r->text, r->clues[i].line);

        if (r->clues[i].kind == CLUE_linux_command) {
            return 0;
        }
        if (line < r->text.count && !linux_quick_look(&quick, r->text.lines[line].text, r->text.lines[line].length)) {
            return r->clues[i].line;
        }
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct state s;
    static struct suspects all;
    struct reading r;

    memset(&r, 0, sizeof r);
    memset(&all, 0, sizeof all);
    state_init(&s, "fuzz");
    r.input = "fuzz";
    r.states = &s;
    text_init(&r.text, (const char *)data, size);
    read_linux(&r);
    if (find_overlooked(&r) != 0) {
        abort(); /* linux_quick.c lacks what a reader looks for */
    }

    const struct rules_input in = {.r = &r};

    rules_linux(&in, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (all.list[i].because[0] == '\0' || all.list[i].cure[0] == '\0') {
            abort(); /* a suspect says what shows it and what to do */
        }
    }
    if (all.count == 0 && !all.fine && all.question_count == 0 && has_clues(&r)) {
        abort(); /* what Linux printed gives causes, none, or a question */
    }
    r.states = NULL;
    reading_free(&r);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/linux")
