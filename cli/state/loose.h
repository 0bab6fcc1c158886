/* SPDX-License-Identifier: BSD-2-Clause */
/* What loose.c and loose_names.c share: a scan of one line. */
#ifndef ARMPMU_CLI_STATE_LOOSE_H
#define ARMPMU_CLI_STATE_LOOSE_H

#include <string.h>
#include <strings.h>

#include "internal.h"

/* A scan of one line. */
struct loose_scan {
    struct state *s;
    struct state_loose *context;
    const char *text;
    size_t length, at;
    uint32_t line;
    unsigned taken;
    bool written;       /* a word says that the values are written or wanted */
    bool wrote;         /* the value of .current was one that is written */
    bool current_known; /* .current is the register of the fields that follow */
    struct names_place current;
    bool selects; /* the line gives PMSELR, and .selected is its value */
    unsigned selected;
    uint64_t number;   /* the last number that was passed over */
    size_t number_end; /* the index behind it; 0: there was none */
};

static inline char loose_ahead(const struct loose_scan *c, size_t offset)
{
    return c->at + offset < c->length ? c->text[c->at + offset] : '\0';
}

static inline void loose_skip_blanks(struct loose_scan *c)
{
    while (loose_ahead(c, 0) == ' ' || loose_ahead(c, 0) == '\t') {
        c->at++;
    }
}

/* Returns true if @word, in lower case, is at @offset as a whole word. */
static inline bool loose_word_at(const struct loose_scan *c, size_t offset, const char *word)
{
    const size_t length = strlen(word);

    return c->at + offset + length <= c->length && strncasecmp(c->text + c->at + offset, word, length) == 0 &&
           !state_is_word(loose_ahead(c, offset + length));
}

#define LOOSE_WORD 32 /* characters of the longest word that is kept, a multiple of 8 */

/* What a word is by itself, whatever stands around it. */
struct loose_word {
    char text[LOOSE_WORD]; /* the word as it is written, with .length characters, and zeros behind it */
    uint8_t length;
    bool writes;    /* it says that values are written or wanted */
    bool reads;     /* it says that what follows was read */
    bool may_alias; /* an alias may begin with it */
    bool named;     /* it names the register .place */
    bool strict;    /* it means other things too */
    const char *meant; /* the register's name, if the word is that with a wrong letter, or NULL */
    struct names_place place;
};

/* Returns what the word of @length characters at @text is.  The result is valid until the next call. */
const struct loose_word *loose_word(const char *text, size_t length);

/*
 * Finds the register that is named here.  Returns the length of the name, 0 if there is none.  *@strict says that the
 * words mean other things too.  @word is the word here, of @length characters.
 */
size_t loose_find_name(struct loose_scan *c, const struct loose_word *word, size_t length, struct names_place *place,
                       bool *strict);
/* Skips "(...)" and "[...]" of at most 24 characters that are not part of a value. */
void loose_skip_groups(struct loose_scan *c);
/* Skips the offset of a register in the external view: "PMCNTENSET at 0xc00", "at offset 0xE04", "PMCR +0xe04". */
void loose_skip_offset(struct loose_scan *c);
/* Returns true if the words behind a value say that another machine has it: "DBGAUTHSTATUS 0xFF there". */
bool loose_is_elsewhere(const struct loose_scan *c);
/* Returns true if @value of PMCR is that before the line's own write of E: "PMCR 0x41033000 -> 0x41033041". */
bool loose_is_before(const struct loose_scan *c, const struct names_place *place, uint64_t value);

/* Bits of a register, with the name of the field. */
struct loose_part {
    unsigned msb, lsb;
    const char *name;
};

/*
 * Finds the part of the register that @value is of, by what stands before @name, a place of the line, or behind the
 * value: "bit 31 of", "N in", "in the N field".  Returns false if there is none, or the value has more bits.
 */
bool loose_part_of(const struct loose_scan *c, const struct names_place *place, const char *name, uint64_t value,
                   struct loose_part *part);
/* Reads a bracketed number at @offset: "<0>", "[0]", "(0)".  Returns its length, 0 if there is none. */
size_t loose_bracketed(const struct loose_scan *c, size_t offset, unsigned *number);
/* Returns true if the number here is that of a bit or a counter: "bits 31 and 30 in PMEVTYPER0", "counter 1". */
bool loose_is_bit_number(const struct loose_scan *c);
/* Returns true if the number here is the value of a field: "E = 0 in PMCR". */
bool loose_is_field_value(const struct loose_scan *c);

/* The counters that the name of a list has, and what else the name consists of. */
struct loose_list {
    unsigned numbers[APMU_EVENT_COUNTERS], count;
    size_t stem;       /* the length of the name in front of the numbers */
    size_t used;       /* the length of all of it */
    size_t tail, tails; /* where what stands behind the numbers begins, from the name on, and its length */
};

/* Reads the name of a list here, whose first word has @length characters.  Returns false if it is none. */
bool loose_list_name(const struct loose_scan *c, size_t length, struct loose_list *list);
/* Finds the register of number @number of @list, whose name is at @name.  Returns false if it names none. */
bool loose_list_register(const char *name, const struct loose_list *list, unsigned number, struct names_place *place);

#endif
