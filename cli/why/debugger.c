/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what a debugger's script or session does between two reads of a count: the core runs, or it is halted. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rules.h"

#define LINES    2000 /* lines that are looked at */
#define COMMANDS 8    /* different reads that are followed */
#define FRAMES   64   /* reads of controls that are noted */
#define FRAME    UINT64_C(0xFFF) /* the offset within a frame */

/* Returns true if a line of a session or script reads a count: of OpenOCD, Trace32 or GDB. */
static bool reads_count(const char *text)
{
    static const char *const forms[] = {"mrc 15 0 9 13 0", "mrc 15 0 9 13 2", "mrs 3 3 9 13 0", "mrs 3 3 9 13 2",
                                        "mrs 3 3 14 8 ",   "SPR:0x339D0",     "SPR:0x339D2",    "SPR:0x33E8",
                                        "C15:0x00D9",      "PMCCNTR",         "PMEVCNTR",       "PMXEVCNTR",
                                        "0xE0001004",      "CYCCNT"};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcasestr(text, forms[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/*
 * Returns true if @text is a command that reads memory, "apb mdw 0x220300f8", "x/wx 0xf70300f8", "md.l f70300f8 1".
 * *@address becomes where.
 */
static bool reads_memory(const char *text, uint64_t *address)
{
    static const char *const verbs[] = {"mdw ", "mdd ", "md ", "md.l ", "md.q ", "x/", "mrd ", "mem32 ", "mem64 "};

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        const char *at = strcasestr(text, verbs[i]);

        if (at != NULL && (at == text || strchr(" \t>)", at[-1]) != NULL)) {
            char *end;

            at += strcspn(at, " \t");
            at += strspn(at, " \t");
            *address = strtoull(at, &end, 16);
            return end != at;
        }
    }
    return false;
}

/* The frames of 4 KiB of which a session reads PMCR or PMCNTENSET. */
struct pmu_frames {
    uint64_t at[FRAMES];
    size_t count;
};

/* Finds the frames of the PMU in @t. */
static void find_frames(const struct text *t, struct pmu_frames *found)
{
    uint64_t at;

    found->count = 0;
    for (size_t i = 0; i < t->count && i < LINES && found->count < FRAMES; i++) {
        if (reads_memory(t->lines[i].text, &at) && ((at & FRAME) == 0xE04 || (at & FRAME) == 0xC00)) {
            found->at[found->count++] = at & ~FRAME;
        }
    }
}

/* Returns true if @text reads a counter through the external view, in one of @frames. */
static bool reads_frame(const struct pmu_frames *frames, const char *text)
{
    bool found = false;
    uint64_t at;

    if (frames->count == 0 || !reads_memory(text, &at) || (at & FRAME) > 0xFC) {
        return false;
    }
    for (size_t i = 0; i < frames->count; i++) {
        found = found || frames->at[i] == (at & ~FRAME);
    }
    return found;
}

/* Returns true if the line is one of @commands, behind a prompt or not, and nothing else but a comment. */
static bool is_command(const char *text, const char *const *commands, size_t count)
{
    text += strspn(text, " \t>");
    text += strncmp(text, "(gdb)", 5) == 0 ? 5 : 0;
    text += strspn(text, " \t");
    text += strncasecmp(text, "monitor ", 8) == 0 ? 8 : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(commands[i]);

        if (strncasecmp(text, commands[i], n) == 0 && text[n] != ';' && /* "break;" is C */
            strchr(";\r#/", text[n + strspn(text + n, " \t")]) != NULL) {
            return true; /* strchr() finds the end of the line, too */
        }
    }
    return false;
}

/* A command that reads a counter, and the value that it printed last. */
struct counter_read {
    const char *command;
    uint64_t value;
    unsigned runs; /* of the core before that */
};

/* What a session shows. */
struct session {
    struct counter_read reads[COMMANDS];
    size_t count;
    unsigned runs;  /* of the core, so far */
    uint32_t still; /* the line of a value that is the one before, without a run between; 0: none */
    bool moved;     /* a value changed over a run */
    bool stands;    /* a value did not change over a run */
};

/* Returns the command behind a debugger's prompt at the beginning of @text, or NULL if there is no prompt. */
static const char *command_of(const char *text)
{
    static const char *const prompts[] = {"(gdb)", "(lldb)", "J-Link>", "xsdb%", "xsct%", "B::", ">"};

    text += text_blanks(text);
    for (size_t i = 0; i < sizeof prompts / sizeof prompts[0]; i++) {
        const size_t length = strlen(prompts[i]);

        if (strncmp(text, prompts[i], length) == 0) {
            return text + length + text_blanks(text + length);
        }
    }
    return NULL;
}

/* Returns true if the command lets the core run, if only for one instruction. */
static bool lets_run(const char *command)
{
    static const char *const words[] = {"resume", "continue", "cont", "c",    "go",    "g",      "con",  "run",
                                        "step",   "stepi",    "si",   "next", "nexti", "finish", "until", "stp",
                                        "process", "thread",  "jump", "reset"};

    for (const char *at = command; at != NULL; at = strchr(at, ';')) { /* "resume; sleep 100; halt" */
        at += strspn(at, "; \t");

        const size_t length = strcspn(at, " \t.;");

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (length == strlen(words[i]) && strncasecmp(at, words[i], length) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if the command reads a counter, perhaps in one of @frames, and writes none. */
static bool reads_counter(const struct pmu_frames *frames, const char *command)
{
    return (reads_count(command) || reads_frame(frames, command)) && strchr(command, '=') == NULL &&
           strcasestr(command, "mcr ") == NULL && strcasestr(command, "msr ") == NULL &&
           strncasecmp(command, "set", 3) != 0;
}

/* Reads the number in which the answer @text of a debugger ends: "0x1f03c9aa", "$4 = 118203344", "pmccntr: 0x12". */
static bool parse_answer(const char *text, uint64_t *value)
{
    const char *at = text + strlen(text), *end = at;
    char *behind;

    while (end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
    for (at = end; at > text && isalnum((unsigned char)at[-1]); at--) {
    }
    *value = strtoull(at, &behind, 16); /* values are compared only, so decimal ones may be read so, too */
    return at < end && isdigit((unsigned char)*at) && behind == end;
}

/* Takes @value, which @command printed in line @number. */
static void take_value(struct session *s, const char *command, uint64_t value, uint32_t number)
{
    struct counter_read *read = s->reads;

    while (read < s->reads + s->count && strcasecmp(read->command, command) != 0) {
        read++;
    }
    if (read == s->reads + COMMANDS) {
        return;
    }
    if (read == s->reads + s->count) {
        s->count++;
        read->command = command;
    } else if (read->runs == s->runs) {
        s->still = read->value == value && s->still == 0 ? number : s->still;
    } else if (read->value == value) {
        s->stands = true;
    } else {
        s->moved = true;
    }
    read->value = value;
    read->runs = s->runs;
}

/* Adds that the core is halted, which a session shows in line @number, whatever its registers say. */
static void add_halt(struct suspects *all, uint32_t number, const char *because, const char *cure)
{
    suspect_allow(all, WHY_halted_in_debug_state);
    suspect_add(all, WHY_halted_in_debug_state, SUSPECT_CERTAIN, number, because, cure)->weight = 90;
}

/*
 * Names a halt between two reads of one value, where the same counter moves over a run of the core later or before.
 * Returns true if the session shows that.
 */
static bool explain_still(const struct reading *r, const struct pmu_frames *frames, struct suspects *all)
{
    const char *asked = NULL;
    struct session s = {0};
    char quote[120], because[400];

    for (size_t i = 0; i < r->text.count && i < LINES; i++) {
        const struct text_line *line = &r->text.lines[i];
        const char *command = command_of(line->text);
        uint64_t value;

        if (command != NULL) {
            s.runs += lets_run(command);
            asked = reads_counter(frames, command) ? command : NULL;
        } else if (asked != NULL && parse_answer(line->text, &value)) {
            take_value(&s, asked, value, line->number);
            asked = NULL;
        }
    }
    if (s.still == 0 || !s.moved || s.stands) {
        return false;
    }
    if (reading_find(r, CLUE_words_halt_known) != NULL) {
        suspect_clear(all, WHY_halted_in_debug_state); /* what stands still is what he expects */
        return true;
    }
    reading_quote(r, s.still, quote, sizeof quote);
    suspect_text(because,
                 "%s -- the core was halted from the read before to this one, and nothing is counted in Debug state; "
                 "over a run the counter moved", quote);
    add_halt(all, s.still, because,
             "let the core run (resume, continue, Go) between the two reads; a debugger's sleep runs nothing");
    return true;
}

void rules_debugger(const struct rules_input *in, struct suspects *all)
{
    static const char *const runs[] = {"resume", "go", "continue", "c", "finish", "step.over", "go.up", "g"};
    static const char *const halts[] = {"halt", "break", "reset halt"};
    const struct reading *r = in->r;
    const struct text *t = &r->text;
    uint32_t halted = 0;                           /* the line of the command that halts the core */
    bool read = false, ran = false, twice = false; /* a count was read; the core ran then; it was read again at once */
    const bool complains = r->sees[READING_stuck] || r->sees[READING_zero] || r->sees[READING_question];

    struct pmu_frames frames;

    find_frames(t, &frames);
    if (complains && explain_still(r, &frames, all)) {
        return;
    }
    for (size_t i = 0; i < t->count && i < LINES; i++) {
        const char *text = t->lines[i].text;

        const char *command = command_of(text);
        const bool several = command != NULL && strchr(command, ';') != NULL;

        if (is_command(text, runs, sizeof runs / sizeof runs[0]) || (several && lets_run(command))) {
            ran = true;
            halted = 0;
        } else if (is_command(text, halts, sizeof halts / sizeof halts[0])) {
            halted = t->lines[i].number;
        } else if (reads_count(text) || reads_frame(&frames, text)) {
            if (read && ran) {
                suspect_clear(all, WHY_halted_in_debug_state);
                return;
            }
            twice = read && halted != 0;
            read = true;
            ran = false;
        }
    }
    if (twice && complains) {
        add_halt(all, halted,
                 "the core is halted here, and both reads follow before it runs again: nothing is counted in Debug "
                 "state",
                 "let it run (resume, continue, Go) between the two reads");
    }
}
