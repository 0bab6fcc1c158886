/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of the hottest functions, and the lines of source around it, for a page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "to_page_maker.h"

#define LISTED_MAX      120u   /* functions with code */
#define ROWS_MAX        12000u /* instructions of all of them */
#define LINES_MAX       8000u  /* lines of source */
#define LINE_MAX_LENGTH 400    /* of a line of source, in bytes */
#define AROUND          3u     /* lines before and after a function's own */

/* The lines of a source that the page needs. */
struct source_lines {
    uint32_t *wanted;
    size_t count, room;
};

static int by_line(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Notes that the page needs the lines around @line. */
static void want_lines(struct source_lines *s, uint32_t line)
{
    if (s->count + 2 * AROUND + 1 > s->room) {
        const size_t room = 2 * s->room + 64;
        uint32_t *grown = realloc(s->wanted, room * sizeof *grown);

        if (grown == NULL) {
            return; /* the page lacks these lines */
        }
        s->wanted = grown;
        s->room = room;
    }
    for (uint32_t l = line > AROUND ? line - AROUND : 1; l <= line + AROUND; l++) {
        s->wanted[s->count++] = l;
    }
}

/* Returns the source @number of the profile with the wanted lines that it has. */
static json_t *source_of(struct page_maker *m, struct annotate_sources *from, uint32_t number, struct source_lines *s,
                         size_t *room)
{
    json_t *numbers = json_array(), *texts = json_array();

    qsort(s->wanted, s->count, sizeof *s->wanted, by_line);
    for (size_t i = 0; *room > 0 && i < s->count; i++) {
        const char *text =
            i > 0 && s->wanted[i] == s->wanted[i - 1] ? NULL : annotate_source_line(from, number, s->wanted[i]);
        char line[LINE_MAX_LENGTH];

        if (text != NULL) {
            snprintf(line, sizeof line, "%s", text);
            to_page_append(numbers, s->wanted[i]);
            json_array_append_new(texts, view_json_text(line));
            (*room)--;
        }
    }
    return json_pack("{s:o, s:o, s:o}", "path", view_json_text(profile_source(m->p, number)), "number", numbers, "text",
                     texts);
}

/* Returns the code of @listing, and notes the lines it needs. */
static json_t *listing_of(struct page_maker *m, const struct annotate_listing *listing, struct source_lines *lines)
{
    json_t *offsets = json_array(), *texts = json_array(), *sources = json_array(), *numbers = json_array();
    json_t *self = to_page_columns(m);

    for (size_t i = 0; i < listing->count; i++) {
        const struct annotate_instruction *insn = &listing->data[i];
        const bool known = insn->source != PROFILE_NONE && insn->line != 0;

        to_page_append(offsets, insn->address);
        json_array_append_new(
            texts, insn->text != NULL
                       ? view_json_text(insn->text)
                       : json_sprintf(insn->length == 2 ? ".hword 0x%04" PRIx32 : ".word 0x%08" PRIx32, insn->word));
        if (known && m->source[insn->source] == PAGE_NONE) {
            m->source[insn->source] = m->source_count++;
        }
        json_array_append_new(sources, json_integer(known ? (json_int_t)m->source[insn->source] : -1));
        to_page_append(numbers, known ? insn->line : 0);
        to_page_append_counts(m, self, &listing->counts[i * m->r->event_count]);
        if (known) {
            want_lines(&lines[insn->source], insn->line);
        }
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "function", (json_int_t)m->function[listing->function], "offset",
                     offsets, "text", texts, "source", sources, "line", numbers, "self", self);
}

/*
 * Fills @listings with the hottest functions, LISTED_MAX of them at most, and sets *@known to how many have code.  One
 * that is too long for what room is left is passed over.  Returns how many there are.
 */
static size_t list_hottest(struct page_maker *m, struct annotate_listing *listings, size_t *known)
{
    const struct profile_table *t = &m->by_function;
    size_t rows = 0, count = 0;

    for (size_t i = 0; i < t->count; i++) {
        const uint32_t number = t->rows[i].function;
        const struct profile_function *f = number != PROFILE_NONE ? profile_function(m->p, number) : NULL;

        if (f == NULL || f->start == f->end || t->self[i * m->r->event_count] == 0 ||
            m->function[number] == PAGE_NONE) {
            continue;
        }
        ++*known;
        if (count == LISTED_MAX) {
            continue;
        }
        struct annotate_listing *listing = &listings[count];

        if (annotate_list(m->p, number, listing) && listing->count != 0 && rows + listing->count <= ROWS_MAX) {
            rows += listing->count;
            count++;
        } else {
            annotate_free(listing);
        }
    }
    return count;
}

/* Returns the code of the hottest functions. */
static json_t *code_of(struct page_maker *m, struct source_lines *lines)
{
    struct annotate_listing *listings = cli_allocate(NULL, LISTED_MAX, sizeof *listings);
    json_t *code = json_array();
    const char *why;
    size_t known = 0;
    const size_t count = list_hottest(m, listings, &known);

    if (!annotate_disassemble(m->p, listings, count, &why)) {
        to_page_leave_out(m, "Instructions are words: %s.", why);
    }
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(code, listing_of(m, &listings[i], lines));
        annotate_free(&listings[i]);
    }
    if (count < known) {
        to_page_leave_out(m, "The page has the code of %zu of the hottest functions, of %zu.", count, known);
    }
    free(listings);
    return code;
}

void to_page_add_code(struct page_maker *m, json_t *data)
{
    const size_t total = profile_source_count(m->p);
    struct source_lines *lines = calloc(total + 1, sizeof *lines);
    struct annotate_sources *from = annotate_sources_new(m->p, NULL);
    uint32_t *order = calloc(total + 1, sizeof *order);
    json_t *sources = json_array();
    size_t room = LINES_MAX;

    json_object_set_new(data, "code", lines != NULL ? code_of(m, lines) : json_array());
    for (uint32_t i = 0; order != NULL && i < total; i++) {
        if (m->source[i] != PAGE_NONE) {
            order[m->source[i]] = i;
        }
    }
    for (uint32_t n = 0; order != NULL && lines != NULL && from != NULL && n < m->source_count; n++) {
        json_array_append_new(sources, source_of(m, from, order[n], &lines[order[n]], &room));
    }
    if (room == 0) {
        to_page_leave_out(m, "The page has %u lines of source, those of the hottest functions.", LINES_MAX);
    }
    for (size_t i = 0; lines != NULL && i < total; i++) {
        free(lines[i].wanted);
    }
    free(lines);
    free(order);
    annotate_sources_free(from);
    json_object_set_new(data, "sources", sources);
}
