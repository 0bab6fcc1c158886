/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what programs print of their counts:
 *
 *     worker 1 cpu 1: 0 cycles             a count on a CPU
 *     cycles=1004233 dcache_refill=0         a count that stays 0 beside another
 *     cycles before 0x1f40aa2 after 0x1f40aa2    a count before and after a region
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reading.h"
#include "registers.h"

enum { CPUS = 64, LINES = 4096 };

/* What the lines say of a CPU. */
struct output_cpu {
    unsigned lines;  /* that give its count */
    unsigned counts; /* of these, those whose count is not 0 */
    uint32_t last;   /* the last line */
};

/* Returns true if a word at @at names what is counted. */
static bool names_count(const char *at)
{
    static const char *const words[] = {"cycles", "cycle", "cyc", "ticks", "instructions", "insns", "instr", "counts",
                                        "count", "events", "pmccntr", "ccnt", "delta"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);

        if (strncasecmp(at, words[i], length) == 0 && !isalpha((unsigned char)at[length])) {
            return true;
        }
    }
    return false;
}

/* Finds "1234 cycles" or "cycles: 1234" in @text from @from on.  Returns false if there is no such count. */
static bool find_count(const char *text, const char *from, unsigned long long *count)
{
    for (const char *at = from; *at != '\0'; at++) {
        char *end;

        if (at != text && text_is_word(at[-1])) {
            continue;
        }
        if (isdigit((unsigned char)*at)) {
            *count = strtoull(at, &end, 0);
            if (*end == ' ' && names_count(end + 1)) {
                return true;
            }
            at = end - 1;
        } else if (names_count(at)) {
            const char *value = at + strcspn(at, " \t=:");

            value += strspn(value, " \t=:");
            if (isdigit((unsigned char)*value) && value != at) {
                *count = strtoull(value, &end, 0);
                return !text_is_word(*end) && *end != '.';
            }
        }
    }
    return false;
}

/* Takes the count of a line that names a CPU. */
static void take_cpu(struct output_cpu cpus[CPUS], const struct text_line *line)
{
    unsigned long long count;
    unsigned number;
    const char *from, *behind = registers_cpu_at(line->text, &number, &from);

    if (behind == NULL || number >= CPUS || !find_count(line->text, behind, &count)) {
        return;
    }
    cpus[number].lines++;
    cpus[number].counts += count != 0;
    cpus[number].last = line->number;
}

/* Returns the number behind @word in @text, and stores where it ends; UINT64_MAX: there is none. */
static uint64_t number_behind(const char *text, const char *word, const char **end)
{
    const char *at = strcasestr(text, word);
    char *stop;
    uint64_t value;

    if (at == NULL || (at != text && text_is_word(at[-1]))) {
        return UINT64_MAX;
    }
    at += strlen(word);
    at += strspn(at, " \t=:");
    value = strtoull(at, &stop, 0);
    *end = stop;
    return stop == at || text_is_word(*stop) ? UINT64_MAX : value;
}

/* Notes a count that is the same before and after a region. */
static void take_region(struct reading *r, const struct text_line *line)
{
    const char *end = line->text;
    const uint64_t before = number_behind(line->text, "before", &end);
    const uint64_t after = before == UINT64_MAX ? before : number_behind(end, "after", &end);
    if (before != after || before == UINT64_MAX) {
        return;
    }
    for (const char *at = line->text; *at != '\0'; at++) {
        if ((at == line->text || !text_is_word(at[-1])) && names_count(at)) {
            reading_symptom(r, before == 0 ? READING_zero : READING_stuck, line->number);
            reading_clue(r, CLUE_words_printed, line->number, NULL);
            return;
        }
    }
}

/* Returns true if the name of @length characters is that of a count: "cycles", "dcache_refill", "insn_retired". */
static bool is_count_name(const char *name, size_t length)
{
    static const char *const parts[] = {"cycles", "cyc", "refill", "miss", "instr", "insn", "inst_", "retired",
                                        "branch", "stall", "ccnt", "access"};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *at = strcasestr(name, parts[i]);

        if (at != NULL && at < name + length) {
            return true;
        }
    }
    return false;
}

/* Returns true if the line has counts, "cycles=1004233 dcache_refill=0", of which some are 0 and some are not. */
static bool has_zero_beside_count(const char *text)
{
    bool zero = false, other = false;

    for (const char *joint = strchr(text, '='); joint != NULL; joint = strchr(joint + 1, '=')) {
        const char *name = joint;
        char *end;
        const uint64_t value = strtoull(joint + 1, &end, 10);

        while (name > text && text_is_word(name[-1])) {
            name--;
        }
        if (end != joint + 1 && !text_is_word(*end) && *end != '.' && is_count_name(name, (size_t)(joint - name))) {
            zero |= value == 0;
            other |= value >= 1000;
        }
    }
    return zero && other;
}

void read_outputs(struct reading *r)
{
    struct output_cpu cpus[CPUS] = {{0}};
    unsigned with = 0, without = 0, zeros = 0;
    uint32_t last = 0;

    for (size_t i = 0; i < r->text.count && i < LINES; i++) {
        if (r->text.lines[i].length < 200 && !text_is_claimed(&r->text, i, TEXT_LINUX)) {
            take_cpu(cpus, &r->text.lines[i]);
            take_region(r, &r->text.lines[i]);
            zeros += has_zero_beside_count(r->text.lines[i].text);
            if (zeros == 2 && reading_find(r, CLUE_words_printed) == NULL) {
                reading_symptom(r, READING_zero, r->text.lines[i].number);
                reading_clue(r, CLUE_words_printed, r->text.lines[i].number, NULL);
            }
        }
    }
    for (size_t i = 0; i < CPUS; i++) {
        with += cpus[i].lines != 0 && cpus[i].counts == cpus[i].lines;
        without += cpus[i].lines != 0 && cpus[i].counts == 0;
        last = cpus[i].lines != 0 && cpus[i].counts == 0 ? cpus[i].last : last;
    }
    if (with != 0 && without != 0) {
        reading_symptom(r, READING_one_cpu, last);
        reading_symptom(r, READING_zero, last);
        reading_clue(r, CLUE_words_printed, last, NULL);
    }
}
