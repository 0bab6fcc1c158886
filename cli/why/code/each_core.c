/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells whether each core makes the set-up: it is in the entry of the other cores, or called from there. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "code.h"

enum { DEPTH = 16 };

/* Returns true if the call around @p, which is in its arguments, starts a core, as its name says. */
static bool starts_core(const char *text, const char *p)
{
    static const char *const words[] = {"core", "cpu", "smp", "hart", "secondary", "launch", "wake", "pinned", "psci",
                                        "affin"};
    unsigned depth = 0;
    const char *end;
    char name[64];

    for (const char *from = p; p > text && from - p < 160 && strchr(";{}", p[-1]) == NULL; p--) {
        if (p[-1] == '(' && depth == 0) {
            break;
        }
        depth += p[-1] == ')';
        depth -= p[-1] == '(';
    }
    if (p == text || p[-1] != '(') {
        return false;
    }
    for (end = --p; p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');) {
        p--;
    }
    snprintf(name, sizeof name, "%.*s", (int)(end - p), p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcasestr(name, words[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns true if the text passes function @f to one that starts a core: "smp_start_core(c, worker)". */
static bool is_passed(const struct code_case *k, const struct code_function *f)
{
    const char *text = k->r->text.joined;
    char name[80];

    if (f->length == 0 || f->length >= sizeof name) {
        return false;
    }
    snprintf(name, sizeof name, "%.*s", (int)f->length, f->name);
    for (const char *p = strstr(text, name); p != NULL; p = strstr(p + 1, name)) {
        const char *before = p, *behind = p + f->length;

        while (before > text && strchr(" \t\n&", before[-1]) != NULL) {
            before--;
        }
        behind += strspn(behind, " \t\n");
        if (before > text && strchr("(,)", before[-1]) != NULL && (*behind == ')' || *behind == ',') &&
            starts_core(text, before)) {
            return true;
        }
    }
    return false;
}

/* Returns true if the name of function @n says that it is the entry of other cores, or the text passes it on. */
static bool is_entry(const struct code_case *k, unsigned n)
{
    static const char *const words[] = {"secondary", "ap_main",  "ap_entry", "cpu_entry", "core_entry", "per_core",
                                        "percore",   "per_cpu",  "percpu",   "core_main", "cpu_main",   "hart_main",
                                        "each_core", "each_cpu", "ap_start", "core_start", "core_init", "cpu_init"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (code_function_says(k, n, words[i])) {
            return true;
        }
    }
    return n < k->c->function_count && is_passed(k, &k->c->functions[n]);
}

bool code_sets_up_each_core(const struct code_case *k)
{
    unsigned chain[DEPTH];
    size_t depth = 0;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        bool entry = false;

        if (s->act == CODE_ENTER) {
            chain[depth < DEPTH ? depth : DEPTH - 1] = s->function;
            depth++;
        } else if (s->act == CODE_LEAVE) {
            depth -= depth != 0;
        } else if (code_does(s, CODE_WRITE, CODE_PMCNTENSET) || code_does(s, CODE_WRITE, CODE_PMCR)) {
            entry = is_entry(k, s->function);
            for (size_t d = 0; d < depth && d < DEPTH; d++) {
                entry = entry || is_entry(k, chain[d]);
            }
        }
        if (entry) {
            return true;
        }
    }
    return false;
}
