/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the reader of debuggers' and exception handlers' output, and the parser of instructions.  Each instruction
 * that a clue has is spelled, and what was spelled is parsed again: it must be the same instruction.
 */
#include <string.h>

#include "../../cli/read/exception.h"
#include "fuzz.h"

/* Aborts if the instruction @i, spelled, is another instruction. */
static void check_instruction(const struct names_instruction *i)
{
    struct names_instruction again;
    char spelled[96], name[NAMES_LENGTH];

    instruction_spell(i, spelled);
    if (instruction_parse(spelled, strlen(spelled), &again, name) == 0 || again.key != i->key ||
        again.read != i->read || again.a32 != i->a32 || again.pair != i->pair || again.coproc != i->coproc) {
        abort();
    }
    if (!names_instruction(instruction_word(i), &again) || again.key != i->key || again.read != i->read) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reading r;

    memset(&r, 0, sizeof r);
    r.input = "fuzz";
    text_init(&r.text, (const char *)data, size);
    read_exception(&r);
    for (const struct clue *c = NULL; (c = reading_next(&r, CLUE_exception_instruction, c)) != NULL;) {
        const struct names_instruction i = exception_unpack(c->values[0]);

        check_instruction(&i);
    }
    reading_free(&r);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/exception")
