/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds where the lines of a remedy belong in given code.  Each place that may do is tried: the lines are put there,
 * and the rules read the result.  What takes the cause away is right.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "insert.h"

#define PLACES 48          /* the most places that are tried */
#define LONG_TEXT 100000   /* in longer texts, fewer are: each costs a reading */
#define LONG_PLACES 4

/* A place in the text, as an offset. */
struct place {
    enum insert_how how;
    size_t from, to; /* the statement: from its first character to the one behind its last */
};

/* The text that is changed, and what is known of it. */
struct workpiece {
    const struct rules_input *in;
    const struct cure_form *form;
    const struct reading *r;
    const char *text;
    bool assembly;
    size_t count;
    struct place places[PLACES];
};

/* ---------------------------------------------------------------------------------------------------------------
 * Statements.
 */

/* Returns the offset of line @number of the text. */
static size_t offset_of_line(const struct workpiece *w, uint32_t number)
{
    const size_t i = text_find(&w->r->text, number);

    return i < w->r->text.count ? (size_t)(w->r->text.lines[i].text - w->r->text.lines[0].text) : w->r->text.length;
}

static size_t end_of_line(const char *text, size_t at)
{
    return at + strcspn(text + at, "\n");
}

/* Returns the offset behind the string or comment that begins at @at; @at if none does. */
static size_t skip_quoted(const char *text, size_t at)
{
    const char *end;

    if (text[at] == '"') {
        for (at++; text[at] != '\0' && text[at] != '"'; at++) {
            at += text[at] == '\\' && text[at + 1] != '\0';
        }
        return text[at] == '"' ? at + 1 : at;
    }
    if (text[at] == '/' && text[at + 1] == '/') {
        return end_of_line(text, at);
    }
    if (text[at] == '/' && text[at + 1] == '*') {
        end = strstr(text + at + 2, "*/");
        return end != NULL ? (size_t)(end - text) + 2 : at + strlen(text + at);
    }
    return at;
}

/* Returns the offset behind the statement that goes on at @at. */
static size_t end_of_statement(const char *text, size_t at)
{
    int depth = 0;

    for (size_t next; text[at] != '\0'; at = next) {
        next = skip_quoted(text, at);
        if (next != at) {
            continue;
        }
        next = at + 1;
        depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
        if (depth <= 0 && (text[at] == ';' || text[at] == '{' || text[at] == '}')) {
            return text[at] == '}' ? at : next;
        }
    }
    return at;
}

/* Returns the offset of the first character of the statement with the character at @at. */
static size_t start_of_statement(const char *text, size_t at)
{
    size_t from = 0, next;
    int depth = 0;

    for (size_t i = 0; i < at; i = next) {
        next = skip_quoted(text, i);
        if (next != i) {
            from = depth <= 0 && text[i] == '/' && next <= at && from == i ? next : from;
            continue;
        }
        next = i + 1;
        depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
        if (text[i] == '{' || text[i] == '}' || (depth <= 0 && text[i] == ';')) {
            from = next;
            depth = 0;
        } else if (text[i] == '\n' && depth <= 0) { /* a directive ends with its line */
            size_t line = i;

            while (line > 0 && text[line - 1] != '\n') {
                line--;
            }
            line += strspn(text + line, " \t");
            from = text[line] == '#' && text[i - 1] != '\\' ? next : from;
        }
        if (from == i && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n')) {
            from = next;
        }
    }
    while (from < at && (text[from] == ' ' || text[from] == '\t' || text[from] == '\n')) {
        from++;
    }
    return from;
}

/* Returns true if the offset is within a directive, such as a macro's definition. */
static bool is_directive(const char *text, size_t at)
{
    for (;;) {
        while (at > 0 && text[at - 1] != '\n') {
            at--;
        }
        if (text[at + strspn(text + at, " \t")] == '#') {
            return true;
        }
        if (at < 2 || text[at - 2] != '\\') {
            return false;
        }
        at--;
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Places.
 */

static void add_place(struct workpiece *w, enum insert_how how, size_t from, size_t to)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->places[i].how == how && w->places[i].from == from && w->places[i].to == to) {
            return;
        }
    }
    if (w->count < (w->r->text.length > LONG_TEXT ? LONG_PLACES : PLACES) && from <= to) {
        w->places[w->count++] = (struct place){how, from, to};
    }
}

/* Adds the place at the statement with offset @at. */
static void add_statement(struct workpiece *w, enum insert_how how, size_t at)
{
    if (w->assembly) {
        size_t from = at;

        while (from > 0 && w->text[from - 1] != '\n') {
            from--;
        }
        add_place(w, how, from, end_of_line(w->text, at));
    } else if (!is_directive(w->text, at)) {
        const size_t end = end_of_statement(w->text, at);

        if (how != INSERT_AFTER || (end > 0 && (w->text[end - 1] == ';' || w->text[end - 1] == '{'))) {
            add_place(w, how, start_of_statement(w->text, at), end);
        }
    }
}

/* Adds the places where function @f is called. */
static void add_calls(struct workpiece *w, enum insert_how how, const struct code_function *f)
{
    const char *text = w->text;
    char name[64];
    bool first = true;

    if (f->length == 0 || f->length >= sizeof name) {
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)f->length, f->name);
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name)) {
        const char *end = at + f->length;

        if ((at > text && text_is_word(at[-1])) || text_is_word(*end) || end[strspn(end, " ")] != '(') {
            continue;
        }
        if (!first) { /* the first is the definition */
            add_statement(w, how, (size_t)(at - text));
        }
        first = false;
    }
}

/* Adds the place at step @s, or at the calls of its function if other functions call it. */
static void add_step(struct workpiece *w, enum insert_how how, const struct code_step *s)
{
    const struct code_function *f = &w->r->code->functions[s->function];

    if (f->called) {
        add_calls(w, how, f);
    }
    add_statement(w, how, offset_of_line(w, s->line) + (s->column != 0 && !w->assembly ? s->column - 1 : 0));
}

static bool is_count(const struct code_step *s)
{
    return s->act == CODE_READ && (s->reg == CODE_PMCCNTR || s->reg == CODE_PMEVCNTR || s->reg == CODE_PMXEVCNTR ||
                                   s->reg == CODE_DWT_CYCCNT || s->reg == CODE_A11_CCNT || s->reg == CODE_A11_PMN0 ||
                                   s->reg == CODE_A11_PMN1);
}

/* Lists the places in the order in which they are tried: behind the line to blame, behind the set-up, at the reads. */
static void list_places(struct workpiece *w, const struct remedy *m)
{
    const struct code *c = w->r->code;
    const uint32_t line = m->place != 0 ? m->place : m->line;
    enum insert_how how = m->instead || m->old != NULL ? INSERT_INSTEAD : INSERT_AFTER;

    w->count = 0;
    if (m->before) {
        how = INSERT_BEFORE;
    }
    for (size_t i = 0; i < c->step_count; i++) {
        const struct code_step *s = &c->steps[i];

        if (s->line == line && (s->act == CODE_READ || s->act == CODE_WRITE)) {
            add_step(w, how == INSERT_AFTER && s->act == CODE_READ ? INSERT_BEFORE : how, s);
        }
    }
    if (w->count == 0 && line != 0) {
        const size_t at = offset_of_line(w, line);

        add_statement(w, how, at + strspn(w->text + at, " \t"));
    }
    if (how == INSERT_INSTEAD || m->place != 0) {
        return;
    }
    for (size_t i = c->step_count; i-- > 0;) {
        if (c->steps[i].act == CODE_WRITE && c->steps[i].line >= line) {
            add_step(w, INSERT_AFTER, &c->steps[i]);
        }
    }
    for (size_t i = c->step_count; i-- > 0;) {
        if (c->steps[i].act == CODE_WRITE) {
            add_step(w, INSERT_AFTER, &c->steps[i]);
        }
    }
    for (size_t i = 0; i < c->step_count; i++) {
        if (is_count(&c->steps[i]) || c->steps[i].act == CODE_WRITE) {
            add_step(w, INSERT_BEFORE, &c->steps[i]);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------
 * Changes.
 */

/* Writes the blanks at the beginning of the line with offset @at to @buf. */
static void indent_of(const char *text, size_t at, char buf[40])
{
    size_t length;

    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    length = strspn(text + at, " \t");
    snprintf(buf, 40, "%.*s", length < 39 ? (int)length : 39, text + at);
}

/* Writes the lines of the remedy at @p to @edit, without a place. */
static void write_lines(const struct workpiece *w, const struct remedy *m, const struct place *p,
                        struct insert_edit *edit)
{
    char indent[40];

    edit->text[0] = '\0';
    indent_of(w->text, p->from, indent);
    if (w->assembly && indent[0] == '\0') {
        snprintf(indent, sizeof indent, "        ");
    }
    if (m->old != NULL) {
        const char *at = memmem(w->text + p->from, p->to - p->from, m->old, strlen(m->old));
        const size_t before = at != NULL ? (size_t)(at - w->text) - p->from : 0, old = strlen(m->old);

        if (at != NULL && p->to - p->from + strlen(m->fresh) + strlen(indent) + 2 < sizeof edit->text) {
            snprintf(edit->text, sizeof edit->text, "%s%.*s%s%.*s\n", indent, (int)before, w->text + p->from, m->fresh,
                     (int)(p->to - p->from - before - old), at + old);
        }
        return;
    }
    form_print(w->form, m, indent, edit->text, sizeof edit->text);
}

/* Returns true if nothing but blanks and a comment is between @at and the end of the line. */
static bool ends_line(const char *text, size_t at)
{
    at += strspn(text + at, " \t");
    return text[at] == '\n' || text[at] == '\0' || (text[at] == '/' && (text[at + 1] == '/' || text[at + 1] == '*'));
}

static bool begins_line(const char *text, size_t at)
{
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) {
        at--;
    }
    return at == 0 || text[at - 1] == '\n';
}

/* Stores the line, and the column unless @whole, of offset @at. */
static void locate(const struct workpiece *w, size_t at, bool whole, uint32_t *line, uint32_t *column)
{
    const struct text *t = &w->r->text;
    size_t low = 0, high = t->count;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;

        if ((size_t)(t->lines[middle].text - t->lines[0].text) <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *line = t->count != 0 ? t->lines[low].number : 0;
    *column = whole || t->count == 0 ? 0 : (uint32_t)(at - (size_t)(t->lines[low].text - t->lines[0].text)) + 1;
}

/* Returns the text with the lines of @edit at @p, and stores the place in @edit.  The caller frees it. */
static char *change(const struct workpiece *w, const struct place *p, struct insert_edit *edit)
{
    const char *text = w->text;
    const bool instead = p->how == INSERT_INSTEAD;
    const size_t length = strlen(text), lines = strlen(edit->text);
    size_t from = p->how == INSERT_AFTER ? p->to : p->from, to = instead ? p->to : from;
    const bool whole = p->how == INSERT_AFTER ? ends_line(text, from)
                       : instead              ? begins_line(text, from) && ends_line(text, to)
                                              : begins_line(text, from);
    char *changed = cli_allocate(NULL, length + lines + 4, 1);
    uint32_t ignored;

    edit->how = p->how;
    locate(w, p->how == INSERT_AFTER ? from - 1 : from, true, &edit->line, &ignored);
    locate(w, to > 0 ? to - 1 : 0, true, &edit->last, &ignored);
    edit->column = 0;
    if (!whole) {
        locate(w, from, false, &edit->line, &edit->column);
    } else if (p->how == INSERT_AFTER) {
        from = to = end_of_line(text, from) + (text[end_of_line(text, from)] == '\n');
    } else {
        while (from > 0 && text[from - 1] != '\n') {
            from--;
        }
        to = instead ? end_of_line(text, to) + (text[end_of_line(text, to)] == '\n') : from;
    }
    snprintf(changed, length + lines + 4, "%.*s%s%s%s", (int)from, text,
             !whole || (from > 0 && text[from - 1] != '\n') ? "\n" : "", edit->text, text + to);
    return changed;
}

/* What the rules say of a changed text. */
struct outcome {
    bool gone;     /* the cause is not shown any more, or is less sure: by words around the code */
    uint32_t line; /* else the line that shows it */
};

/* Reads @text.  Returns what it shows of the cause of @before, and stores its remedy in *@again. */
static struct outcome judge(const struct workpiece *w, const char *text, const struct suspect *before,
                            struct reading *r, struct remedy *again)
{
    struct suspects *all = cli_allocate(NULL, 1, sizeof *all);
    struct rules_input in = *w->in;
    struct outcome o = {.gone = true};
    const struct suspect *s;

    all->remedies = cli_allocate(NULL, WHY_CAUSE_IDS, sizeof *all->remedies);
    reading_again(w->in->args, w->in->r, text, r);
    in.r = r;
    if (verdict_decide(&in, all) == VERDICT_CAUSES) {
        s = suspect_find(all, before->cause);
        if (s != NULL) {
            o = (struct outcome){s->confidence < before->confidence, s->line};
            *again = all->remedies[before->cause];
        }
    }
    free(all->remedies);
    free(all);
    return o;
}

/* Tries each place for the remedy.  Returns the changed text of the best, and its edit; NULL if none helps. */
static char *try_places(struct workpiece *w, const struct suspect *s, const struct remedy *m, struct insert_edit *best,
                        bool *gone, struct remedy *again)
{
    struct insert_edit *edit = cli_allocate(NULL, 1, sizeof *edit);
    char *found = NULL;

    *gone = false;
    list_places(w, m);
    for (size_t i = 0; i < w->count && !*gone; i++) {
        struct remedy next = {0};
        struct reading r;
        struct outcome o;
        char *text;
        uint32_t added = 0;

        write_lines(w, m, &w->places[i], edit);
        if (edit->text[0] == '\0' && !m->instead) {
            continue;
        }
        text = change(w, &w->places[i], edit);
        o = judge(w, text, s, &r, &next);
        for (const char *c = edit->text; *c != '\0'; c++) {
            added += *c == '\n';
        }
        /* The cause in a line further down is another instance of it. */
        if (o.gone || (found == NULL && m->place == 0 && o.line > m->line + added && edit->line <= m->line + 1)) {
            free(found);
            found = text;
            text = NULL;
            *best = *edit;
            *again = next;
            *gone = o.gone;
        }
        free(text);
        reading_free(&r);
    }
    free(edit);
    return found;
}

/* Counts the lines by which the edits before @edits[@count] moved its line, and takes them off. */
static void take_off(struct insert_edits *edits, size_t count)
{
    struct insert_edit *e = &edits->list[count];
    uint32_t moved = 0;

    for (size_t i = 0; i < count; i++) {
        const struct insert_edit *before = &edits->list[i];

        if (before->line < e->line) {
            for (const char *c = before->text; *c != '\0'; c++) {
                moved += *c == '\n';
            }
            moved += before->column != 0;
            moved -= before->how == INSERT_INSTEAD ? before->last - before->line + 1 : 0;
        }
    }
    e->line -= moved < e->line ? moved : 0;
    e->last -= moved < e->last ? moved : 0;
}

void insert_find(const struct rules_input *in, const struct cure_form *form, const struct suspect *s,
                 const struct remedy *remedy, struct insert_edits *edits)
{
    struct workpiece *w = cli_allocate(NULL, 1, sizeof *w);
    struct remedy m = *remedy, again = {0};
    struct reading r;
    char *text = strdup(in->r->text.joined);
    bool read = false, more = text != NULL;

    edits->count = 0;
    edits->proved = false;
    while (more && edits->count < INSERT_EDITS) {
        char *changed;

        *w = (struct workpiece){.in = in, .form = form, .r = read ? &r : in->r, .text = text};
        w->assembly = form->id == FORM_ASM || form->id == FORM_ARMASM;
        changed = try_places(w, s, &m, &edits->list[edits->count], &edits->proved, &again);
        if (changed == NULL) {
            break;
        }
        take_off(edits, edits->count++);
        free(text);
        text = changed;
        m = again;
        if (read) {
            reading_free(&r);
        }
        reading_again(in->args, in->r, text, &r);
        read = true;
        more = !edits->proved && r.code != NULL;
    }
    if (read) {
        reading_free(&r);
    }
    free(text);
    free(w);
}
