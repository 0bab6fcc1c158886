/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on what a debugger's script or session does between two reads of a count: the core runs, or it is halted. */
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>

#include "rules.h"

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

/* Returns true if the line is one of @commands, behind a prompt or not, and nothing else but a comment. */
static bool is_command(const char *text, const char *const *commands, size_t count)
{
    text += strspn(text, " \t>");
    text += strncmp(text, "(gdb)", 5) == 0 ? 5 : 0;
    text += strspn(text, " \t");
    text += strncasecmp(text, "monitor ", 8) == 0 ? 8 : 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(commands[i]);

        if (strncasecmp(text, commands[i], n) == 0 && strchr(";\r#/", text[n + strspn(text + n, " \t")]) != NULL) {
            return true; /* strchr() finds the end of the line, too */
        }
    }
    return false;
}

void rules_debugger(const struct rules_input *in, struct suspects *all)
{
    static const char *const runs[] = {"resume", "go", "continue", "c", "finish", "step.over", "go.up", "g"};
    static const char *const halts[] = {"halt", "break", "reset halt"};
    const struct reading *r = in->r;
    const struct text *t = &r->text;
    uint32_t halted = 0;                           /* the line of the command that halts the core */
    bool read = false, ran = false, twice = false; /* a count was read; the core ran then; it was read again at once */

    for (size_t i = 0; i < t->count && i < 2000; i++) {
        const char *text = t->lines[i].text;

        if (is_command(text, runs, sizeof runs / sizeof runs[0])) {
            ran = true;
            halted = 0;
        } else if (is_command(text, halts, sizeof halts / sizeof halts[0])) {
            halted = t->lines[i].number;
        } else if (reads_count(text)) {
            if (read && ran) {
                suspect_clear(all, WHY_halted_in_debug_state);
                return;
            }
            twice = read && halted != 0;
            read = true;
            ran = false;
        }
    }
    if (twice && (r->sees[READING_stuck] || r->sees[READING_zero] || r->sees[READING_question])) {
        suspect_add(all, WHY_halted_in_debug_state, SUSPECT_CERTAIN, halted,
                    "the core is halted here, and both reads follow before it runs again: nothing is counted in Debug "
                    "state", "let it run (resume, continue, Go) between the two reads")
            ->weight = 90;
    }
}
