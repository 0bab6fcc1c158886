/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells which cores the code concerns: whether each core makes the set-up, because it is in the entry of the other
 * cores or called from there, whether one core alone runs, and whether it is outside of the core whose PMU it uses.
 */
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

/* Returns true if a comment right above function @f, or at it, says that each core runs it. */
static bool is_told_entry(const struct code_case *k, const struct code_function *f)
{
    static const char *const words[] = {"each core",  "every core",  "each cpu",  "every cpu", "all cores",
                                        "all cpus",   "both cores",  "both cpus", "secondary cores", "secondaries",
                                        "secondary cpus", "each of the cores", "all four cores", "per core", "per cpu"};
    enum { ABOVE = 6 };

    for (size_t i = 0; i < k->c->comment_count && f->line != 0; i++) {
        const struct code_comment *c = &k->c->comments[i];

        if (c->line > f->line || c->line + ABOVE < f->line) {
            continue;
        }
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
            if (code_comment_says(c, words[w]) && !code_comment_says(c, "not") && !code_comment_says(c, "only") &&
                memchr(c->text, '?', c->length) == NULL) {
                return true;
            }
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
    return n < k->c->function_count && (is_passed(k, &k->c->functions[n]) || is_told_entry(k, &k->c->functions[n]));
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

/* Returns the length of "core 0", "cpu0" or "one core" at @text; 0 if it is something else. */
static size_t one_core(const char *text, size_t length)
{
    static const char *const words[] = {"core ", "cpu ", "core", "cpu", "hart ", "pe "};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t n = strlen(words[i]);

        if (length > n && strncasecmp(text, words[i], n) == 0 && text[n] == '0') {
            return n + 1;
        }
    }
    if (length > 8 && (strncasecmp(text, "one core", 8) == 0 || strncasecmp(text, "one cpu ", 8) == 0)) {
        return 8;
    }
    return length > 13 && strncasecmp(text, "a single core", 13) == 0 ? 13 : 0;
}

/* Returns true if the comment says that one core alone runs: "only core 0 is up", "only CPU0 has been released". */
static bool says_one_runs(const struct code_comment *c)
{
    static const char *const states[] = {"up",      "running", "runs",   "online", "active",  "awake",  "on",
                                         "started", "used",    "alive",  "boots",  "booted",  "released",
                                         "enabled", "executes", "is out of reset", "is brought up", "comes up",
                                         "sampled", "measured", "counted", "profiled", "watched", "observed",
                                         "monitored", "traced", "benchmarked", "instrumented", "concerned",
                                         "set up", "configured", "takes part"};
    static const char *const links[] = {" is ", " are ", " was ", " has been ", " "};

    for (const char *p = c->text; (p = memmem(p, c->length - (size_t)(p - c->text), "nly ", 4)) != NULL; p += 4) {
        const size_t length = c->length - (size_t)(p + 4 - c->text), used = one_core(p + 4, length);
        const char *rest = p + 4 + used;

        for (size_t l = 0; used != 0 && l < sizeof links / sizeof links[0]; l++) {
            const size_t n = strlen(links[l]);

            for (size_t i = 0; i < sizeof states / sizeof states[0] && length - used > n; i++) {
                const size_t m = strlen(states[i]);

                if (strncasecmp(rest, links[l], n) == 0 && length - used >= n + m &&
                    strncasecmp(rest + n, states[i], m) == 0 &&
                    (length - used == n + m || !isalnum((unsigned char)rest[n + m]))) {
                    return true;
                }
            }
        }
    }
    return false;
}

/*
 * Returns true if a sentence of the comment says which core the code is for: "Core 0 only, ...", "tasks run on CPU0".
 * "It counts on core 0 only" tells what is seen.
 */
static bool names_the_core(const struct code_comment *c)
{
    static const char *const runs[] = {"runs on ", "run on ", "pinned to ", "bound to ", "executes on ", "used on "};
    const char *end = c->text + c->length;

    for (const char *p = c->text; p < end; p++) {
        const size_t used = one_core(p, (size_t)(end - p));
        const char *rest = p + used;
        bool begins = p == c->text || (p - c->text >= 2 && p[-1] == ' ' && strchr(".;:,(", p[-2]) != NULL);

        begins |= p > c->text && p[-1] == '(';
        for (size_t i = 0; i < sizeof runs / sizeof runs[0] && used != 0; i++) {
            const size_t n = strlen(runs[i]);

            begins |= (size_t)(p - c->text) >= n && memcmp(p - n, runs[i], n) == 0;
        }
        if (used != 0 && begins && end - rest >= 5 && memcmp(rest, " only", 5) == 0 &&
            (end - rest == 5 || strchr(".,;:)", rest[5]) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Moves *@p behind one of the @count words, which end where no letter follows.  Returns false if none is there. */
static bool skip_word(const char **p, const char *end, const char *const words[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t n = strlen(words[i]);

        if ((size_t)(end - *p) >= n && strncasecmp(*p, words[i], n) == 0 &&
            ((size_t)(end - *p) == n || !isalnum((unsigned char)(*p)[n]))) {
            *p += n;
            while (*p < end && **p == ' ') {
                (*p)++;
            }
            return true;
        }
    }
    return false;
}

/* Returns true if the comment says that the other cores do nothing: "cores 1-3 are parked", "cpu1 stays in reset". */
static bool says_others_wait(const struct code_comment *c)
{
    static const char *const names[] = {"cores", "core", "cpus", "cpu", "harts", "hart", "PEs", "secondaries"};
    static const char *const verbs[] = {"are",    "is",     "stay",  "stays",  "remain", "remains", "sit",     "sits",
                                        "all",    "still",  "kept",  "left",   "being",  "always",  "wait",    "waits",
                                        "spin",   "spins",  "sleep", "sleeps", "hang",   "hangs",   "looping", "were"};
    static const char *const states[] = {"parked",   "held",     "off",         "powered off", "powered down", "asleep",
                                         "in reset", "in WFE",   "in WFI",      "in a WFE",    "in a WFI",
                                         "spinning", "sleeping", "not started", "not used",
                                         "never started", "in their spin", "in the spin", "in a pen", "in the pen"};
    const char *end = c->text + c->length;

    for (const char *p = c->text; p < end; p++) {
        const char *q = p;
        bool others = p - c->text >= 6 && strncasecmp(p - 6, "other ", 6) == 0;
        size_t i = 0;

        while (i < sizeof names / sizeof names[0] &&
               ((size_t)(end - p) < strlen(names[i]) || strncasecmp(p, names[i], strlen(names[i])) != 0)) {
            i++;
        }
        if (i == sizeof names / sizeof names[0] || (p > c->text && isalnum((unsigned char)p[-1]))) {
            continue;
        }
        q += strlen(names[i]);
        others = others || i + 1 == sizeof names / sizeof names[0] ||
                 (p - c->text >= 10 && strncasecmp(p - 10, "secondary ", 10) == 0);
        for (; q < end && (isdigit((unsigned char)*q) || strchr(" -,./&", *q) != NULL ||
                           strncmp(q, "and ", 4) == 0 || strncmp(q, "to ", 3) == 0);
             q++) {
            others = others || (*q >= '1' && *q <= '9');
            q += *q == 'a' ? 2 : *q == 't';
        }
        while (skip_word(&q, end, verbs, sizeof verbs / sizeof verbs[0])) {
        }
        if (others && skip_word(&q, end, states, sizeof states / sizeof states[0]) &&
            !(end - q >= 3 && strncmp(q, "by ", 3) == 0)) { /* "is off by 3" */
            return true;
        }
    }
    return false;
}

bool code_runs_alone(const struct code_case *k)
{
    static const char *const words[] = {
        "one core running", "other cores are off", "cores parked", "cores are parked", "cores held in reset",
        "cores are in reset", "cores stay in reset", "single-core", "single core", "uniprocessor",
        "other cores in reset", "cores sit in a wfe", "cores sleep in wfe", "UP kernel", "cores spin in wfe",
        "secondaries are off", "secondaries are parked", "secondary cores are off", "other cores are not started",
        "other three are off", "others are off", "others are parked", "others are held", "maxcpus=1", "nosmp",
        "cores never started", "cores not started", "one core only", "uses one core", "the only core"};

    if (code_says_any(k, words, sizeof words / sizeof words[0])) {
        return true;
    }
    for (size_t i = 0; i < k->c->comment_count && i < 200; i++) {
        if (says_one_runs(&k->c->comments[i]) || says_others_wait(&k->c->comments[i]) ||
            names_the_core(&k->c->comments[i])) {
            return true;
        }
    }
    return false;
}

bool code_is_outside(const struct code_case *k)
{
    bool any = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];

        if ((s->act == CODE_READ || s->act == CODE_WRITE) && code_is_pmu(s->reg)) {
            if ((s->flags & CODE_MEMORY) == 0) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

bool code_names_cores(const struct code_case *k)
{
    const struct apmu_core_info *first = NULL;

    for (size_t i = 0; i < k->c->comment_count && i < 200; i++) {
        const struct code_comment *c = &k->c->comments[i];
        const char *end = c->text + c->length;

        for (const char *p = c->text; (p = memmem(p, (size_t)(end - p), "Cortex-", 7)) != NULL; p += 7) {
            const struct apmu_core_info *core;
            char name[16];
            size_t n = 7;

            while (p + n < end && n + 1 < sizeof name && isalnum((unsigned char)p[n])) {
                n++;
            }
            snprintf(name, sizeof name, "%.*s", (int)n, p);
            core = apmu_core_by_name(name);
            if (core != NULL && first != NULL && core != first) {
                return true;
            }
            first = core != NULL ? core : first;
        }
    }
    return false;
}

bool code_is_per_cpu(const struct code_case *k, size_t step)
{
    const struct code_step *s = &k->c->steps[step];

    return (s->flags & CODE_PER_CPU) != 0 || k->c->functions[s->function].per_cpu;
}

bool code_each_cpu_undoes(const struct code_case *k)
{
    bool runs = false;

    for (size_t i = 0; i < k->c->step_count; i++) {
        const struct code_step *s = &k->c->steps[i];
        const uint64_t maybe = s->value.bits | ~s->value.known;

        if (s->act != CODE_WRITE || !code_is_per_cpu(k, i)) {
            continue;
        }
        runs = true;
        if (s->reg == CODE_PMCNTENSET || (s->reg == CODE_PMCR && (maybe & 1) != 0) ||
            (s->reg == CODE_PMUSERENR && (maybe & 0x1F) != 0)) {
            return false;
        }
    }
    return runs && k->c->facts[CODE_HAS_EACH_OTHER] == 0;
}
