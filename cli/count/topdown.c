/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the levels of top-down analysis as bars, and says what to look at next. */
#include "topdown.h"

#include <string.h>

#define BAR       40 /* columns of 100 % */
#define ROWS_MAX  96 /* rows of a decision tree */
#define DEPTH_MAX 6  /* levels that are printed */

/* The tree of a core, with the values of the metrics that were counted. */
struct tree {
    const struct metrics *m;
    const struct count_job *job;
    unsigned core;
    size_t count;
    struct {
        const struct apmu_topdown *row;
        char below[512]; /* the names of what it leads to, with a blank between */
        struct metric_reading reading; /* .defined is false if the metric was not chosen */
        bool head;    /* no other row that has a value leads to it */
        bool printed;
    } rows[ROWS_MAX];
};

/* Returns the use of metric @name on core @core, or NULL. */
static const struct metric_use *find_use(const struct metrics *m, unsigned core, const char *name)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->uses[i].core == core && strcmp(m->uses[i].id, name) == 0) {
            return &m->uses[i];
        }
    }
    return NULL;
}

/* Takes the next word off *@words, into @word.  Returns false if none is left. */
static bool next_word(const char **words, char word[64])
{
    const size_t length = strcspn(*words, " ");

    if (length == 0 || length >= 64) {
        return false;
    }
    memcpy(word, *words, length);
    word[length] = '\0';
    *words += length + strspn(*words + length, " ");
    return true;
}

/* Returns the index of the row of metric @name, or tree->count. */
static size_t find_row(const struct tree *tree, const char *name)
{
    size_t i = 0;

    while (i < tree->count && strcmp(tree->rows[i].row->metric, name) != 0) {
        i++;
    }
    return i;
}

/*
 * Adds a row to @tree, or, if its metric is there already, what it leads to.  A core whose own tree ends with level 1
 * gets level 2 of the common one so.
 */
static void add_row(struct tree *tree, const struct apmu_topdown *row, const struct tally *tallies, uint64_t ns)
{
    const struct metric_use *use = find_use(tree->m, tree->core, row->metric);
    const size_t i = find_row(tree, row->metric);
    char *below;

    if (i == ROWS_MAX) {
        return;
    }
    below = tree->rows[i].below;
    if (i < tree->count) {
        const size_t used = strlen(below);

        snprintf(below + used, sizeof tree->rows[i].below - used, "%s%s", used == 0 ? "" : " ", row->next);
        return;
    }
    tree->count++;
    tree->rows[i].row = row;
    tree->rows[i].printed = false;
    tree->rows[i].reading.defined = false;
    snprintf(below, sizeof tree->rows[i].below, "%s", row->next);
    if (use != NULL) {
        metrics_value(tree->m, tree->job, use, tallies, ns, &tree->rows[i].reading);
    }
}

/* Fills @tree with the rows of the core's own decision tree, and of the common one. */
static void fill(struct tree *tree, const struct tally *tallies, uint64_t ns)
{
    const struct count_core *core = &tree->m->cores[tree->core];
    const struct apmu_metric_set *sets[] = {apmu_metric_set_of(core->info, core->midr), apmu_metric_set_of(NULL, 0)};
    const struct apmu_topdown *row;

    tree->count = 0;
    for (unsigned s = 0; s < 2 && (s == 0 || sets[1] != sets[0]); s++) {
        for (size_t i = 0; (row = apmu_topdown_at(sets[s], i)) != NULL; i++) {
            add_row(tree, row, tallies, ns);
        }
    }
}

/* Finds the rows with a value to which no other row with a value leads. */
static void find_heads(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        tree->rows[i].head = tree->rows[i].reading.defined;
    }
    for (size_t i = 0; i < tree->count; i++) {
        const char *words = tree->rows[i].below;
        char word[64];

        while (tree->rows[i].reading.defined && next_word(&words, word)) {
            const size_t k = find_row(tree, word);

            if (k < tree->count && !tree->rows[k].row->root) {
                tree->rows[k].head = false;
            }
        }
    }
}

/* Prints row @i, @depth levels below a head. */
static void print_row(FILE *out, struct tree *tree, size_t i, unsigned depth)
{
    const double value = tree->rows[i].reading.value;
    const int columns = value <= 0 ? 0 : value >= 100 ? BAR : (int)(value * BAR / 100 + 0.5);

    tree->rows[i].printed = true;
    fprintf(out, " %*s%-*s %6.2f %%  ", (int)(2 * depth), "", 32 - (int)(2 * depth), tree->rows[i].row->metric, value);
    for (int k = 0; k < BAR; k++) {
        fputc(k < columns ? '#' : '.', out);
    }
    fputc('\n', out);
}

/* Prints the rows below row @first, each after the one that leads to it. */
static void print_below(FILE *out, struct tree *tree, size_t first)
{
    const char *stack[DEPTH_MAX];
    unsigned depth = 1;
    char word[64];

    stack[0] = tree->rows[first].below;
    while (depth > 0) {
        if (!next_word(&stack[depth - 1], word)) {
            depth--;
            continue;
        }
        const size_t i = find_row(tree, word);

        if (i < tree->count && tree->rows[i].reading.defined && !tree->rows[i].printed) {
            print_row(out, tree, i, depth);
            if (depth < DEPTH_MAX) {
                stack[depth++] = tree->rows[i].below;
            }
        }
    }
}

/* Returns the row with the largest value among the heads, without metric @without; tree->count if there is none. */
static size_t largest_head(const struct tree *tree, const char *without)
{
    size_t best = tree->count;

    for (size_t i = 0; i < tree->count; i++) {
        if (tree->rows[i].head && strcmp(tree->rows[i].row->metric, without) != 0 &&
            (best == tree->count || tree->rows[i].reading.value > tree->rows[best].reading.value)) {
            best = i;
        }
    }
    return best;
}

/* Follows the largest value from row @i down as far as values are known.  Returns where that ends. */
static size_t follow(const struct tree *tree, size_t i)
{
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        const char *words = tree->rows[i].below;
        size_t best = tree->count;
        char word[64];

        while (next_word(&words, word)) {
            const size_t k = find_row(tree, word);

            if (k < tree->count && tree->rows[k].reading.defined &&
                (best == tree->count || tree->rows[k].reading.value > tree->rows[best].reading.value)) {
                best = k;
            }
        }
        if (best == tree->count) {
            break;
        }
        i = best;
    }
    return i;
}

/* Prints what to look at after the largest metric under row @head. */
static void print_next(FILE *out, const struct tree *tree, size_t head, const char *what)
{
    const size_t end = follow(tree, head);
    const struct apmu_topdown *row = tree->rows[end].row;
    const char *words = row->next;
    char word[64];
    bool any = false;

    while (next_word(&words, word)) {
        if (metrics_can(tree->m, tree->job, tree->core, word)) {
            fprintf(out, "%s%s", any ? "," : " look next at: -M ", word);
            any = true;
        }
    }
    if (any) {
        fprintf(out, "  (%s is %s)\n", row->metric, what);
    } else {
        fprintf(out, " %s is %s; no metric that can be counted here says more\n", row->metric, what);
    }
    words = tree->m->cores[tree->core].timed ? row->sample : "";
    for (any = false; next_word(&words, word); any = true) {
        fprintf(out, "%s%s", any ? ", " : " samples of ", word);
    }
    fputs(any ? " show where in the program\n" : "", out);
}

void topdown_print(FILE *out, const struct metrics *m, const struct count_job *job, const struct tally *tallies,
                   uint64_t ns)
{
    struct tree tree = {.m = m, .job = job};

    for (; tree.core < m->core_count; tree.core++) {
        const struct count_core *core = &m->cores[tree.core];

        fill(&tree, tallies, ns);
        find_heads(&tree);
        const size_t largest = largest_head(&tree, "");

        fprintf(out, "\n Top-down analysis%s%s%s%s; what is indented is a part of the stalls above it:\n\n",
                core->info != NULL ? " of " : "", core->info != NULL ? core->info->name : "",
                core->name[0] != '\0' ? ", " : "", core->name);
        for (size_t i = 0; i < tree.count; i++) {
            if (tree.rows[i].head) {
                print_row(out, &tree, i, 0);
                print_below(out, &tree, i);
            }
        }
        fputc('\n', out);
        if (largest < tree.count) {
            const size_t loss = largest_head(&tree, "retiring");

            print_next(out, &tree, largest, "the largest");
            if (loss != largest && loss < tree.count) {
                print_next(out, &tree, loss, "the largest loss");
            }
        }
    }
}
