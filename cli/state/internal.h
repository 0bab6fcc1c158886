/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files of this folder share.  Verbs include state.h instead. */
#ifndef ARMPMU_CLI_STATE_INTERNAL_H
#define ARMPMU_CLI_STATE_INTERNAL_H

#include "names.h"
#include "state.h"

/*
 * state.c: adds a remark on @name, which has @length characters.  @why is a constant string.  Returns the remark, never
 * NULL, so that the caller can fill the members of a conflict.
 */
struct state_remark *state_remark(struct state *s, enum state_remark_kind kind, uint32_t line, const char *name,
                                  size_t length, const char *why);

/*
 * state.c: takes @value, a value in the view of @place, as a fact that @line gives under @name.  If it is not a fact,
 * adds a remark and returns false.
 */
bool state_take(struct state *s, const struct names_place *place, uint64_t value, uint32_t line, const char *name,
                size_t length);

/*
 * state.c: looks for the lines that divide a dump of `armpmu why --dumper`: "again" begins the second reading, in which
 * values may differ, and "cpu N" or "end" ends it.
 */
void state_moment(struct state *s, const char *text, size_t length);

/* The first error of a text that is not JSON. */
struct state_json_error {
    uint32_t line; /* from 1, or 0 if it is not known */
    char text[32]; /* what is wrong, truncated */
};
/* json.c: takes the registers in a JSON text.  Returns false, and fills *@error, if the text is not JSON. */
bool state_parse_json(struct state *s, const char *text, size_t length, struct state_json_error *error);

/* replay.c: tells a trace by its first line, and takes the state to which its actions lead. */
bool state_is_trace(const char *text, size_t length);
void state_parse_trace(struct state *s, const char *text, size_t length);

/* memory.c: the 4 KiB frame of the external view, gathered from the lines of a dump or read from a target. */
struct state_memory {
    uint8_t bytes[0x1000];
    uint8_t known[0x1000 / 8];  /* a bit for each byte */
    uint32_t lines[0x1000 / 4]; /* the line that gave each word */
    uint8_t later[0x1000];      /* bytes that were read again, as they are last seen */
    uint8_t later_known[0x1000 / 8];
    uint32_t later_lines[0x1000 / 4];
    bool any;                   /* at least one line of a dump or one word was read */
    uint32_t first_line;        /* the first line of a dump */
    bool outside;               /* bytes lie outside the frame, or no frame was given */
};
void state_memory_init(struct state_memory *m);
/* Adds a line of a dump.  Returns false if the text is not such a line. */
bool state_memory_line(struct state_memory *m, struct state *s, const char *text, size_t length, uint32_t line,
                       const struct state_frame *frame);
/* Adds the 32-bit word at @offset, a multiple of 4 in the frame, which was read from a target. */
void state_memory_word(struct state_memory *m, unsigned offset, uint32_t word);
/*
 * Returns NULL, or a constant string that says why the words are not registers of a PMU.  @all_read says that a read of
 * every word was tried, so a word that is not known could not be read.
 */
const char *state_memory_denied(const struct state_memory *m, bool all_read);
/* Takes the registers in what was gathered, and adds remarks. */
void state_memory_finish(struct state_memory *m, struct state *s, const struct state_frame *frame);

/* What state_number() found. */
enum state_number_kind {
    STATE_NO_NUMBER,
    STATE_NUMBER,
    STATE_TOO_LARGE, /* more than 64 bits */
    STATE_AMBIGUOUS, /* may be decimal or hexadecimal */
};
/*
 * number.c: reads the number at the beginning of @text, and stores how many characters it has in *@used.  A number with
 * 0x is hexadecimal.  So is one of eight or sixteen digits without 0x, not counting separators.  A single decimal digit
 * is itself.  Other decimal digits without 0x are ambiguous, and other words with letters are no numbers.
 */
enum state_number_kind state_number(const char *text, size_t length, uint64_t *value, size_t *used);

/*
 * value.c: reads a value or an expression at the beginning of @text.  @hex says that bare digits are hexadecimal.
 * *@marked says whether the value shows its base, or is an expression.
 */
bool state_value(const char *text, size_t length, bool hex, uint64_t *value, size_t *used, bool *marked);

/*
 * command.c: recognizes a debugger's request for a register at the beginning of @text, "mrc 15 0 9 12 0" or
 * "SPR:0x339C0", and notes it in @context.  *@used is its length.
 */
bool state_command(struct state_loose *context, const char *text, size_t length, size_t *used);

/* Returns true if @c may be part of a name or a number. */
static inline bool state_is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* Returns the value of a hexadecimal digit, or -1 if it is none. */
static inline int state_hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
