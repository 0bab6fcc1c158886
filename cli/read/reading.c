/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts an input before the readers, and keeps what they find. */
#include "code/code.h"
#include "words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Makes the first state of @r a copy of @s. */
static void begin_states(struct reading *r, const struct state *s)
{
    r->states = cli_allocate(NULL, 1, sizeof *r->states);
    r->cpus = cli_allocate(NULL, 1, sizeof *r->cpus);
    r->states[0] = *s;
    r->cpus[0] = UINT_MAX;
    r->state_count = 1;
}

void reading_init(struct reading *r, const char *name, const char *input, size_t length, const char *said,
                  const struct state *s, const struct state_frame *frame)
{
    memset(r, 0, sizeof *r);
    r->input = name;
    r->said = said;
    text_init(&r->text, input, length);
    begin_states(r, s);
    reading_learn_core(r, s->core);
    if (s->m_core != NULL) {
        read_board_words(r, s->m_core, strlen(s->m_core), 0);
    }
    read_linux(r);
    read_exception(r);
    read_code(r);
    read_registers(r, s, frame);
    read_outputs(r);
    read_words(r);
    read_private_gic(r);
}

void reading_of_state(struct reading *r, const struct state *s)
{
    memset(r, 0, sizeof *r);
    r->input = s->input;
    text_init(&r->text, "", 0);
    begin_states(r, s);
    reading_learn_core(r, s->core);
}

void reading_free(struct reading *r)
{
    for (size_t i = 0; i < r->clue_count; i++) {
        free(r->clues[i].words);
    }
    free(r->clues);
    code_free(r->code);
    free(r->states);
    free(r->written);
    free(r->cpus);
    text_free(&r->text);
    memset(r, 0, sizeof *r);
}

void reading_learn(struct reading_number *number, uint64_t value, uint32_t line)
{
    if (!number->known) {
        *number = (struct reading_number){true, value, line};
    }
}

uint64_t reading_value(const struct reading_number *number, uint64_t otherwise)
{
    return number->known ? number->value : otherwise;
}

void reading_learn_core(struct reading *r, const struct apmu_core_info *core)
{
    if (r->machine.core == NULL && core != NULL) {
        r->machine.core = core;
    }
}

void reading_symptom(struct reading *r, enum reading_symptom symptom, uint32_t line)
{
    if (!r->sees[symptom]) {
        r->sees[symptom] = true;
        r->symptoms[symptom] = line;
    }
}

void reading_works(struct reading *r)
{
    r->works = true;
}

struct clue *reading_clue(struct reading *r, enum clue_kind kind, uint32_t line, const char *words)
{
    const size_t length = words == NULL ? 0 : strlen(words);
    struct clue *c;

    if ((r->clue_count & (r->clue_count - 1)) == 0) {
        r->clues = cli_allocate(r->clues, r->clue_count == 0 ? 1 : 2 * r->clue_count, sizeof *r->clues);
    }
    c = &r->clues[r->clue_count++];
    *c = (struct clue){.kind = kind, .line = line};
    c->words = cli_allocate(NULL, length + 1, 1);
    memcpy(c->words, length == 0 ? "" : words, length);
    c->words[length] = '\0';
    return c;
}

const struct clue *reading_next(const struct reading *r, enum clue_kind kind, const struct clue *previous)
{
    for (size_t i = previous == NULL ? 0 : (size_t)(previous - r->clues) + 1; i < r->clue_count; i++) {
        if (r->clues[i].kind == kind) {
            return &r->clues[i];
        }
    }
    return NULL;
}

const struct clue *reading_find(const struct reading *r, enum clue_kind kind)
{
    return reading_next(r, kind, NULL);
}

const char *reading_quote(const struct reading *r, uint32_t number, char *buf, size_t size)
{
    const size_t i = text_find(&r->text, number);
    size_t used = 0;

    if (i < r->text.count && r->text.lines[i].number == number) {
        const char *text = r->text.lines[i].text;

        for (text += text_blanks(text); *text != '\0' && used + 1 < size; text++) {
            buf[used++] = *text == '\t' ? ' ' : *text;
        }
    }
    buf[used] = '\0';
    return buf;
}

enum reading_kind reading_kind(const struct reading *r)
{
    static const enum reading_kind kinds[TEXT_READERS] = {
        [TEXT_LINUX] = READING_LINUX,         [TEXT_EXCEPTION] = READING_EXCEPTION, [TEXT_CODE] = READING_CODE,
        [TEXT_REGISTERS] = READING_REGISTERS, [TEXT_WORDS] = READING_WORDS,
    };
    enum text_reader most = TEXT_WORDS;
    size_t claims[TEXT_READERS];

    if (r->text.count == 0) {
        return READING_REGISTERS;
    }
    text_claims(&r->text, claims);
    for (enum text_reader reader = TEXT_LINUX; reader < TEXT_WORDS; reader++) {
        if (claims[reader] != 0 && (most == TEXT_WORDS || claims[reader] > claims[most])) {
            most = reader;
        }
    }
    return kinds[most];
}
