/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the states share.  Not for the verbs. */
#ifndef ARMPMU_CLI_STATE_INTERNAL_H
#define ARMPMU_CLI_STATE_INTERNAL_H

#include "names.h"
#include "state.h"

/* state.c: a remark of @kind on @name; @why is constant. */
struct state_remark *state_remark(struct state *s, enum state_remark_kind kind, uint32_t line, const char *name,
                                  size_t length, const char *why);

/* state.c: the register at @place has @value, as the input prints it.  False: it is no fact, and there is a remark. */
bool state_take(struct state *s, const struct names_place *place, uint64_t value, uint32_t line, const char *name,
                size_t length);

/* json.c: false if the text is not JSON; *error then says why */
struct state_json_error {
    uint32_t line;
    char text[32];
};
bool state_parse_json(struct state *s, const char *text, size_t length, struct state_json_error *error);

/* replay.c: a trace, which begins with a line of its own */
bool state_is_trace(const char *text, size_t length);
void state_parse_trace(struct state *s, const char *text, size_t length);

/* memory.c: words of the external view, gathered from the lines of a dump */
struct state_memory {
    uint8_t bytes[0x1000];
    uint8_t known[0x1000 / 8];
    uint32_t lines[0x1000 / 4];
    bool any;
    uint32_t first_line;  /* of a dump */
    bool outside;         /* a line lies outside the frame, or no frame was given */
};
void state_memory_init(struct state_memory *m);
/* True if the line @text of @length is one of a dump. */
bool state_memory_line(struct state_memory *m, struct state *s, const char *text, size_t length, uint32_t line,
                       const struct state_frame *frame);
/* The word at @offset, of a live target. */
void state_memory_word(struct state_memory *m, unsigned offset, uint32_t word);
/*
 * NULL, or why the words are no registers of a PMU: a constant text.  @all_read: a word that is not known could not be
 * read.
 */
const char *state_memory_denied(const struct state_memory *m, bool all_read);
/* Turns what was gathered into facts. */
void state_memory_finish(struct state_memory *m, struct state *s, const struct state_frame *frame);

/* number.c */
enum state_number_kind { STATE_NO_NUMBER, STATE_NUMBER, STATE_TOO_LARGE, STATE_AMBIGUOUS };
/*
 * The number at the beginning of @text: 0x.., or without it a digit, or eight or sixteen hexadecimal digits.  Others
 * without 0x may be decimal or hexadecimal: ambiguous.  *used: its characters.
 */
enum state_number_kind state_number(const char *text, size_t length, uint64_t *value, size_t *used);

static inline bool state_is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static inline int state_hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
