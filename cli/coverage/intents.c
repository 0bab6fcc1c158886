/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads intents. */
#include "intents.h"

#include <stdlib.h>
#include <string.h>

#include <armpmu/cores.h>
#include <armpmu/events.h>

#define INTENTS_MAX 10000u
#define TEXT_MAX    ((size_t)1 << 20) /* the most bytes of a file */

/* Where the parser is: a line of the file, as a text of its own. */
struct intents_place {
    const struct cli_verb *verb;
    const char *path;
    unsigned line;
    const char *start; /* of the line */
};

/* Complains about what is at @at.  Returns CLI_USAGE. */
static int complain_at(const struct intents_place *p, const char *at, const char *what)
{
    cli_complain(p->verb, "%s:%u:%zu: %s", p->path, p->line, (size_t)(at - p->start) + 1, what);
    return CLI_USAGE;
}

static char *copy_of(const char *text, size_t length)
{
    char *copy = cli_allocate(NULL, length + 1, 1);

    memcpy(copy, text, length);
    return copy;
}

/* Complains about the name of an event at @at, and names the nearest ones. */
static int complain_event(const struct intents_place *p, const char *at)
{
    const struct apmu_event_info *near[3];
    char name[64], what[400];
    size_t count, used;

    snprintf(name, sizeof name, "%.*s",
             (int)strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"), at);
    count = apmu_event_nearest(name, near, 3);
    used = (size_t)snprintf(what, sizeof what, "no event is named %s; ", name);
    for (size_t i = 0; i < count; i++) {
        used += (size_t)snprintf(what + used, sizeof what - used, "%s%s", i == 0 ? "the nearest are " : ", ",
                                 near[i]->name);
    }
    snprintf(what + used, sizeof what - used, "%s", count == 0 ? "armpmu list lists them" : "");
    return complain_at(p, at, what);
}

/* Parses the @length characters at @text, a side of a comparison.  ARM11's events have names of their own. */
static int parse_side(const struct intents_place *p, const char *text, size_t length, struct apmu_formula *formula)
{
    static const char *const cores[] = {NULL, "ARM1176"};
    char *side = copy_of(text, length);
    size_t furthest = 0;
    enum apmu_error error = APMU_E_FORMULA;

    for (size_t i = 0; i < 2 && error != APMU_OK; i++) {
        const struct apmu_core_info *core = cores[i] == NULL ? NULL : apmu_core_by_name(cores[i]);
        size_t at = 0;
        const enum apmu_error one = apmu_formula_parse(side, core, formula, &at);

        if (i == 0 || one == APMU_OK || at > furthest) {
            error = one;
            furthest = at;
        }
    }
    free(side);
    if (error == APMU_E_EVENT_NAME) {
        return complain_event(p, text + furthest);
    }
    if (error != APMU_OK) {
        return complain_at(p, text + furthest, "this is no formula; write numbers and events with + - * / and "
                                               "parentheses, such as BR_MIS_PRED_RETIRED / BR_RETIRED");
    }
    if (formula->constants != 0) {
        return complain_at(p, text, "slots, line and seconds are not known here; leave them out");
    }
    return CLI_YES;
}

/* Takes the sign of comparison at @at.  Returns its length, or 0 if it is none. */
static size_t take_sign(const char *at, enum intent_sign *sign)
{
    static const struct {
        const char *text;
        enum intent_sign sign;
    } signs[] = {
        {">=", INTENT_AT_LEAST}, {"<=", INTENT_AT_MOST}, {"==", INTENT_EQUAL}, {"!=", INTENT_UNEQUAL},
        {">", INTENT_MORE}, {"<", INTENT_LESS},
    };

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const size_t length = strlen(signs[i].text);

        if (strncmp(at, signs[i].text, length) == 0) {
            *sign = signs[i].sign;
            return length;
        }
    }
    return 0;
}

/* Parses the condition of @length characters at @text into @intent. */
static int parse_condition(const struct intents_place *p, const char *text, size_t length, struct intent *intent)
{
    size_t left = strcspn(text, "<>=!"), sign, more;
    int status;

    if (left >= length) {
        return complain_at(p, text, "nothing is compared here; write a condition such as L1D_CACHE_REFILL >= 1000");
    }
    sign = take_sign(text + left, &intent->sign);
    if (sign == 0) {
        return complain_at(p, text + left, "no such comparison; there are >= <= > < == and !=");
    }
    more = left + sign + strcspn(text + left + sign, "<>=!");
    if (more < length) {
        return complain_at(p, text + more, "a condition compares once; write a second one after a comma");
    }
    status = parse_side(p, text, left, &intent->left);
    return status == CLI_YES ? parse_side(p, text + left + sign, length - left - sign, &intent->right) : status;
}

/* Parses the line @line, which is not empty and no comment. */
static int parse_line(struct intents *in, const struct intents_place *p, const char *line)
{
    const char *colon = strstr(line, ": "), *at;
    int status = CLI_YES;

    if (colon == NULL || strspn(line, " \t") == (size_t)(colon - line)) {
        return complain_at(p, line, "there are no tests before a colon and a blank; write such as "
                                    "evict_*: L1D_CACHE_REFILL >= 1000");
    }
    at = colon + 1;
    while (status == CLI_YES) {
        size_t length;
        struct intent *intent;

        at += strspn(at, " \t");
        length = strcspn(at, ",");
        if (in->count == INTENTS_MAX) {
            return complain_at(p, at, "there are more than 10000 conditions; split the file");
        }
        in->list = cli_allocate(in->list, in->count + 1, sizeof *in->list);
        intent = &in->list[in->count++];
        *intent = (struct intent){.line = p->line};
        status = parse_condition(p, at, length, intent);
        while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) {
            length--;
        }
        intent->text = copy_of(at, length);
        intent->tests = copy_of(line, (size_t)(colon - line));
        at += strcspn(at, ",");
        if (*at == '\0') {
            return status;
        }
        at++;
    }
    return status;
}

int intents_parse(struct intents *in, const struct cli_verb *verb, const char *path, const char *text, size_t size)
{
    struct intents_place p = {.verb = verb, .path = path};
    char *copy = copy_of(text, size);
    int status = CLI_YES;

    *in = (struct intents){.path = path};
    if (size > TEXT_MAX || strlen(copy) != size) {
        cli_complain(verb, "%s: %s; give a text with lines such as evict_*: L1D_CACHE_REFILL >= 1000", path,
                     size > TEXT_MAX ? "it has more than 1 MB" : "it has a zero byte");
        status = CLI_USAGE;
    }
    for (char *line = copy, *next; line != NULL && status == CLI_YES; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        line[strcspn(line, "\r")] = '\0';
        p.line++;
        p.start = line;
        if (line[0] != '#' && line[strspn(line, " \t")] != '\0') {
            status = parse_line(in, &p, line);
        }
    }
    free(copy);
    return status;
}

int intents_read(struct intents *in, const struct cli_verb *verb, const char *path)
{
    size_t size;
    char *text = coverage_read_file(verb, path, "a file of intents", &size);
    const int status = text == NULL ? CLI_CANNOT : intents_parse(in, verb, path, text, size);

    free(text);
    return status;
}

void intents_free(struct intents *in)
{
    for (size_t i = 0; i < in->count; i++) {
        free(in->list[i].tests);
        free(in->list[i].text);
    }
    for (size_t i = 0; i < in->unmatched_count; i++) {
        free(in->unmatched[i]);
    }
    free(in->unmatched);
    free(in->list);
    free(in->verdicts);
    *in = (struct intents){.path = NULL};
}
