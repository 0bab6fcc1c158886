/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules on code that counts with sessions of this library (<armpmu/session.h>), by the names of its functions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "rules.h"

/* Returns the index of the first line that calls @function; r->text.count: there is none. */
static size_t find_call(const struct reading *r, const char *function)
{
    const size_t length = strlen(function);

    for (size_t i = 0; i < r->text.count; i++) {
        const struct text_line *line = &r->text.lines[i];
        const char *at = memmem(line->text, line->length, function, length);

        if (at != NULL && at[length] == '(' && (at == line->text || !text_is_word(at[-1]))) {
            return i;
        }
    }
    return r->text.count;
}

static bool has(const struct reading *r, const char *text)
{
    return memmem(r->text.joined, r->text.length, text, strlen(text)) != NULL;
}

/* Returns true if line @i begins with the call: nothing looks at what it returns. */
static bool drops_result(const struct reading *r, size_t i, const char *function)
{
    const char *text = r->text.lines[i].text;

    return strncmp(text + text_blanks(text), function, strlen(function)) == 0;
}

void rules_sessions(const struct rules_input *in, struct suspects *all)
{
    static const char open[] = "apmu_session_open";
    const struct reading *r = in->r;
    const size_t at = r->sentence ? r->text.count : find_call(r, open);
    char because[400], quote[120];
    struct suspect *s;

    if (at == r->text.count) {
        return;
    }
    if (!has(r, "apmu_session_start") && !has(r, "APMU_PERF_ON_EXEC") &&
        (has(r, "apmu_session_read(") || has(r, "apmu_session_stop("))) {
        suspect_text(because, "%s -- no apmu_session_start() follows, and a session that is opened stands still",
                     reading_quote(r, r->text.lines[at].number, quote, sizeof quote));
        s = suspect_add(all, WHY_counter_not_enabled, SUSPECT_LIKELY, r->text.lines[at].number, because,
                        "call apmu_session_start() before the work, and look at what it returns");
        s->weight = 80;
        s->call = true;
        snprintf(s->look, sizeof s->look, "whether other files call apmu_session_start(), and what it returns");
        return;
    }
    if (suspect_find(all, WHY_counter_not_enabled) == NULL) {
        suspect_clear(all, WHY_counter_not_enabled); /* a session enables what it counts with */
    }
    if (drops_result(r, at, open)) {
        suspect_ask(all, 66,
                    "what apmu_session_open() returns, which line %u drops: apmu_error_text() and apmu_error_cure() "
                    "say what is wrong; the events and counters of sessions are not read here",
                    (unsigned)r->text.lines[at].number);
    } else {
        suspect_ask(all, 55, "what the functions of the session return: apmu_error_text() and apmu_error_cure() say "
                             "what is wrong; the events and counters of sessions are not read here");
    }
}
