/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what a program asks of perf_event_open(): the members of perf_event_attr that it writes, in C, C++, Rust, Go
 * and Python, and the calls.  Programs wrap the call in many ways, so this looks at tokens and not at the flow.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "internal.h"

static const struct {
    const char *name;
    enum code_perf_field field;
} field_names[] = {
    {"type", CODE_PERF_TYPE},
    {"type_", CODE_PERF_TYPE},
    {"config", CODE_PERF_CONFIG},
    {"config1", CODE_PERF_CONFIG1},
    {"disabled", CODE_PERF_DISABLED},
    {"inherit", CODE_PERF_INHERIT},
    {"pinned", CODE_PERF_PINNED},
    {"exclude_user", CODE_PERF_EXCLUDE_USER},
    {"exclude_kernel", CODE_PERF_EXCLUDE_KERNEL},
    {"exclude_hv", CODE_PERF_EXCLUDE_HV},
    {"read_format", CODE_PERF_READ_FORMAT},
    {"enable_on_exec", CODE_PERF_ENABLE_ON_EXEC},
    {"sample_period", CODE_PERF_SAMPLE_PERIOD},
    {"sample_freq", CODE_PERF_SAMPLE_FREQ},
    {"pid", CODE_PERF_PID},
    {"cpu", CODE_PERF_CPU},
    {"group_fd", CODE_PERF_GROUP},
    {"set_disabled", CODE_PERF_DISABLED},
    {"set_inherit", CODE_PERF_INHERIT},
    {"group", CODE_PERF_GROUP},
    {"set_exclude_kernel", CODE_PERF_EXCLUDE_KERNEL},
    {"set_exclude_hv", CODE_PERF_EXCLUDE_HV},
    {"set_enable_on_exec", CODE_PERF_ENABLE_ON_EXEC},
    {"set_pinned", CODE_PERF_PINNED},
    {"Type", CODE_PERF_TYPE},
    {"Config", CODE_PERF_CONFIG},
    {"Ext1", CODE_PERF_CONFIG1},
    {"Read_format", CODE_PERF_READ_FORMAT},
    {"Sample", CODE_PERF_SAMPLE_PERIOD},
};

bool code_token_has(const struct code_token *t, const char *word)
{
    return memmem(t->text, t->length, word, strlen(word)) != NULL;
}

static void put(struct code_perf *p, enum code_perf_field field, const struct code_token *t, struct code_value v)
{
    struct code_perf_value *f = &p->fields[field];

    f->line = t->line;
    f->column = t->column;
    f->known = code_is_known(&v);
    f->value = v.bits;
    f->zero |= f->known && v.bits == 0;
    f->nonzero |= f->known && v.bits != 0;
    f->unknown |= !f->known;
}

/* Returns the end of the value that begins at @from. */
static size_t value_end(const struct code_walk *w, size_t from)
{
    size_t i = from;

    while (i < w->count && i < from + 40) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_END || is_mark(t, ",") || is_mark(t, ";") || is_mark(t, ")") || is_mark(t, "}") ||
            (i > from && t->first && w->lexed->python)) {
            return i;
        }
        i = is_mark(t, "(") || is_mark(t, "[") ? code_skip_bracket(w, i, w->count) : i + 1;
    }
    return i < w->count ? i : w->count;
}

/* Returns true if the token is the name of a flag, or ends in it behind a prefix: DISABLED, F_DISABLED. */
static bool names_flag(const struct code_token *t, const char *name)
{
    const size_t length = strlen(name);
    const char *end = t->text + t->length;

    return t->kind == TOKEN_NAME && t->length >= length &&
           (strncasecmp(t->text, name, length) == 0 ||
            (t->length > length && end[-1 - (int)length] == '_' && strncasecmp(end - length, name, length) == 0));
}

/* Returns true if the tokens from @from to @to have a name in small letters, which may hold any flags. */
static bool has_variable(const struct code_walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME && t->text[0] >= 'a' && t->text[0] <= 'z' && !is_mark(&w->tokens[i + 1], ".") &&
            !is_mark(&w->tokens[i + 1], "::")) {
            return true;
        }
    }
    return false;
}

/* Takes bits that are given as one number or as names: DISABLED | EXCLUDE_KERNEL. */
static void take_flags(struct code_walk *w, struct code_perf *p, size_t from, size_t to)
{
    static const struct {
        const char *name;
        enum code_perf_field field;
        unsigned bit;
    } bits[] = {
        {"DISABLED", CODE_PERF_DISABLED, 0},         {"INHERIT", CODE_PERF_INHERIT, 1},
        {"EXCLUDE_USER", CODE_PERF_EXCLUDE_USER, 4}, {"EXCLUDE_KERNEL", CODE_PERF_EXCLUDE_KERNEL, 5},
        {"EXCLUDE_HV", CODE_PERF_EXCLUDE_HV, 6},     {"ENABLE_ON_EXEC", CODE_PERF_ENABLE_ON_EXEC, 12},
        {"PerfBitDisabled", CODE_PERF_DISABLED, 0},  {"PerfBitInherit", CODE_PERF_INHERIT, 1},
        {"PerfBitExcludeUser", CODE_PERF_EXCLUDE_USER, 4},
        {"PerfBitExcludeKernel", CODE_PERF_EXCLUDE_KERNEL, 5},
        {"PerfBitExcludeHv", CODE_PERF_EXCLUDE_HV, 6},
        {"PerfBitEnableOnExec", CODE_PERF_ENABLE_ON_EXEC, 12},
    };
    struct code_term term = code_evaluate(w, (struct code_range){from, to});
    const struct code_value v = code_value_of(w, &term);
    const bool opaque = !code_is_known(&v) && has_variable(w, from, to);

    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) {
        bool named = code_is_known(&v) && (v.bits >> bits[k].bit & 1) != 0;

        for (size_t i = from; i < to; i++) {
            named |= names_flag(&w->tokens[i], bits[k].name);
        }
        if (named) {
            put(p, bits[k].field, &w->tokens[from], code_known(1));
        } else if (opaque && bits[k].field != CODE_PERF_DISABLED && bits[k].field != CODE_PERF_ENABLE_ON_EXEC) {
            put(p, bits[k].field, &w->tokens[from], code_unknown());
        }
    }
}

/* Returns where the name begins that Go's "unix." or "perf." stands before; @from if there is none. */
static size_t behind_package(const struct code_walk *w, size_t from, size_t to)
{
    const bool package = from + 2 < to && w->tokens[from].kind == TOKEN_NAME && is_mark(&w->tokens[from + 1], ".") &&
                         w->tokens[from + 2].kind == TOKEN_NAME && has(&w->tokens[from + 2], "PERF_");

    return package ? from + 2 : from;
}

/* Takes "config = value", ".config = value", "config: value" and "set_disabled(1)". */
static void take_field(struct code_walk *w, struct code_perf *p, size_t i)
{
    const struct code_token *t = &w->tokens[i], *next = &w->tokens[i + 1];
    const bool method = is_mark(next, "(") && t->length > 4 && memcmp(t->text, "set_", 4) == 0;
    struct code_term term;
    size_t end;

    if (!is_mark(next, "=") && !is_mark(next, "|=") && !is_mark(next, ":") && !method) {
        return;
    }
    end = value_end(w, i + 2);
    if (end <= i + 2) {
        return;
    }
    if (code_token_is(t, "flags") || code_token_is(t, "bits") || code_token_is(t, "Bits") ||
        code_token_is(t, "_flags") ||
        code_token_is(t, "attr_flags")) {
        take_flags(w, p, i + 2, end);
        return;
    }
    for (size_t k = 0; k < sizeof field_names / sizeof field_names[0]; k++) {
        const enum code_perf_field field = field_names[k].field;
        const bool member = i > 0 && (is_mark(&w->tokens[i - 1], ".") || is_mark(&w->tokens[i - 1], "->"));

        const bool go = t->text[0] >= 'A' && t->text[0] <= 'Z';

        if (!code_token_is(t, field_names[k].name) ||
            (is_mark(next, ":") && w->code->facts[CODE_HAS_RUST] == 0 && !go)) {
            continue;
        }
        if ((field == CODE_PERF_TYPE || field >= CODE_PERF_PID) && !member && !w->lexed->python &&
            field != CODE_PERF_TYPE) {
            continue; /* a variable of this name */
        }
        term = code_evaluate(w, (struct code_range){behind_package(w, i + 2, end), end});
        put(p, field, t, code_value_of(w, &term));
        return;
    }
}

/* Returns the value of the tokens from @from to @to, which may be a name that Python gives a value above. */
static struct code_value value_between(struct code_walk *w, size_t from, size_t to)
{
    const struct code_token *name = &w->tokens[from];
    struct code_term term = code_evaluate(w, (struct code_range){from, to});
    struct code_value v = code_value_of(w, &term);

    for (size_t i = from; i-- > 0 && to == from + 1 && !code_is_known(&v) && name->kind == TOKEN_NAME &&
                          code_spend(w, 1);) {
        const struct code_token *t = &w->tokens[i];

        if (t->first && t->kind == TOKEN_NAME && t->length == name->length &&
            memcmp(t->text, name->text, t->length) == 0 && is_mark(t + 1, "=")) {
            term = code_evaluate(w, (struct code_range){i + 2, value_end(w, i + 2)});
            return code_value_of(w, &term);
        }
    }
    return v;
}

/* Takes the member of perf_event_attr that lies at @offset: its value is the tokens from @from to @to. */
static void take_at(struct code_walk *w, struct code_perf *p, size_t offset, size_t from, size_t to)
{
    static const struct {
        size_t offset;
        enum code_perf_field field;
    } members[] = {{0, CODE_PERF_TYPE}, {8, CODE_PERF_CONFIG}, {16, CODE_PERF_SAMPLE_PERIOD},
                   {32, CODE_PERF_READ_FORMAT}, {56, CODE_PERF_CONFIG1}};

    if (offset == 40) {
        take_flags(w, p, from, to);
        return;
    }
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (members[i].offset == offset) {
            put(p, members[i].field, &w->tokens[from], value_between(w, from, to));
        }
    }
}

/* Returns the bytes of Python's format character @c; 0 if it is none that takes a value. */
static size_t packed_size(char c)
{
    return c == 'Q' || c == 'q' ? 8 : strchr("IiLl", c) != NULL ? 4 : strchr("Hh", c) != NULL ? 2 : c == 'B' ? 1 : 0;
}

/* Takes Python's struct.pack("<IIQ", ...) and struct.pack_into("<IIQ", buffer, offset, ...) at token @i. */
static void take_pack(struct code_walk *w, struct code_perf *p, size_t i)
{
    const bool into = code_token_is(&w->tokens[i], "pack_into");
    size_t offset = 0, character = 1, from = i + 4;
    unsigned n = 0;

    if ((!into && !code_token_is(&w->tokens[i], "pack")) || i + 4 >= w->count || !is_mark(&w->tokens[i + 1], "(") ||
        w->tokens[i + 2].kind != TOKEN_STRING || !is_mark(&w->tokens[i + 3], ",")) {
        return;
    }
    const struct code_token *format = &w->tokens[i + 2];
    const size_t close = code_skip_bracket(w, i + 1, w->count) - 1;

    for (size_t k = from; k <= close && k < w->count; k++) {
        if (is_mark(&w->tokens[k], "(") || is_mark(&w->tokens[k], "[")) {
            k = code_skip_bracket(w, k, w->count) - 1;
            continue;
        }
        if (k != close && !is_mark(&w->tokens[k], ",")) {
            continue;
        }
        if (into && n == 1) {
            const struct code_value at = value_between(w, from, k);

            if (!code_is_known(&at)) {
                return;
            }
            offset = (size_t)at.bits;
        } else if (!into || n > 1) {
            while (character < format->length && packed_size(format->text[character]) == 0) {
                character++;
            }
            if (character >= format->length) {
                return;
            }
            take_at(w, p, offset, from, k);
            offset += packed_size(format->text[character++]);
        }
        n++;
        from = k + 1;
    }
}

/* Takes the arguments of perf_event_open() from @open, the bracket, on: attr, pid, cpu, group, flags. */
static void take_open(struct code_walk *w, struct code_perf *p, size_t open, bool syscall)
{
    static const enum code_perf_field fields[] = {CODE_PERF_FIELDS, CODE_PERF_PID, CODE_PERF_CPU, CODE_PERF_GROUP};
    const size_t close = code_skip_bracket(w, open, w->count) - 1;
    size_t from = open + 1;
    unsigned n = 0;

    for (size_t i = open + 1; i <= close && i < w->count; i++) {
        const struct code_token *t = &w->tokens[i];

        if (is_mark(t, "(") || is_mark(t, "[") || is_mark(t, "{")) {
            i = code_skip_bracket(w, i, w->count) - 1;
            continue;
        }
        if (i == close || is_mark(t, ",")) {
            const unsigned position = syscall ? n - 1 : n;

            if ((!syscall || n > 0) && position > 0 && position < 4 && i > from) {
                struct code_term term = code_evaluate(w, (struct code_range){from, i});

                put(p, fields[position], &w->tokens[from], code_value_of(w, &term));
            }
            n++;
            from = i + 1;
        }
    }
}

/* Returns true if token @i is within the parentheses or the body of the definition of a wrapper's own name. */
static bool is_definition(const struct code_walk *w, size_t i)
{
    const struct code_token *before = i > 0 ? &w->tokens[i - 1] : NULL;
    const size_t close = code_skip_bracket(w, i + 1, w->count);

    return (before != NULL && before->kind == TOKEN_NAME && !code_token_is(before, "return") &&
            !code_token_is(before, "in")) ||
           (close < w->count && is_mark(&w->tokens[close], "{"));
}

static void note_call(struct code_perf *p, const struct code_token *t)
{
    if (has(t, "IOC_ENABLE") || code_token_is(t, "ENABLE") || code_token_is(t, "0x2400") || code_token_is(t, "9216") ||
        has(t, "TASK_PERF_EVENTS_ENABLE") || code_token_is(t, "perf_event_enable") ||
        code_token_is(t, "perf_event_refresh") || code_token_is(t, "PERF_EVENT_IOC_REFRESH") ||
        code_token_is(t, "IOC_ENABLE")) {
        p->enable_line = p->enable_line == 0 ? t->line : p->enable_line;
    } else if (has(t, "IOC_FLAG_GROUP")) {
        p->enable_group_line = t->line;
    } else if (has(t, "IOC_RESET") || code_token_is(t, "0x2403")) {
        p->reset_line = t->line;
    } else if (code_token_is(t, "mmap") || has(t, "perf_event_mmap_page")) {
        p->mmap_line = p->mmap_line == 0 ? t->line : p->mmap_line;
    } else if (has(t, "rdpmc")) {
        p->direct_line = p->direct_line == 0 ? t->line : p->direct_line;
        p->cap_line = has(t, "cap_") ? t->line : p->cap_line;
    } else if (has(t, "scale")) {
        p->scaled_line = t->line;
    } else if (has(t, "time_enabled") || has(t, "time_running") || has(t, "TIME_ENABLED") || has(t, "TIME_RUNNING") ||
               code_token_is(t, "enabled_ns") || has(t, "t_running") || has(t, "tenabled") ||
               code_token_is(t, "running")) {
        p->times_line = t->line;
    } else if (code_token_is(t, "read") || code_token_is(t, "perf_event_read_value") ||
               code_token_is(t, "perf_event_read_local")) {
        p->read_line = t->line;
    }
}

/* Returns true if a loop encloses token @at: a "for" or "while" whose block has not ended. */
static bool in_loop(const struct code_walk *w, size_t at)
{
    for (size_t i = at; i-- > 0 && i + 400 > at;) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME && (code_token_is(t, "for") || code_token_is(t, "while"))) {
            size_t body = i + 1;

            if (w->lexed->python) {
                return w->tokens[at].line <= t->line + 3 || w->tokens[at].line == t->line;
            }
            body = body < w->count && is_mark(&w->tokens[body], "(") ? code_skip_bracket(w, body, w->count) : body;
            while (body < w->count && body < i + 40 && !is_mark(&w->tokens[body], "{") &&
                   !is_mark(&w->tokens[body], ";")) {
                body++;
            }
            body = body < w->count && is_mark(&w->tokens[body], "{") ? code_skip_bracket(w, body, w->count) : body;
            if (body > at) {
                return true;
            }
        }
    }
    return false;
}

/* Returns true if a loop calls the Rust function that encloses token @at. */
static bool is_called_in_loop(const struct code_walk *w, size_t at)
{
    size_t name = at;

    while (name > 0 && !code_token_is(&w->tokens[name - 1], "fn")) {
        name--;
    }
    for (size_t i = at; name != 0 && i + 1 < w->count; i++) {
        const struct code_token *t = &w->tokens[i], *of = &w->tokens[name];

        if (t->kind == TOKEN_NAME && t->length == of->length && memcmp(t->text, of->text, t->length) == 0 &&
            is_mark(&w->tokens[i + 1], "(") && !is_mark(&w->tokens[i - 1], ".") && in_loop(w, i)) {
            return true;
        }
    }
    return false;
}

/* Takes the CPU of perf_event_create_kernel_counter(attr, cpu, task, handler, context), whose bracket is at @open. */
static void take_kernel_open(struct code_walk *w, struct code_perf *p, size_t open)
{
    struct code_arguments arguments;
    const size_t after = code_skip_bracket(w, open, w->count);

    code_split_arguments(w, open + 1, after > open + 1 ? after - 1 : open + 1, &arguments);
    p->in_kernel = true;
    if (arguments.count > 1) {
        struct code_term term = code_evaluate(w, arguments.ranges[1]);

        put(p, CODE_PERF_CPU, &w->tokens[arguments.ranges[1].from], code_value_of(w, &term));
    }
}

/* Returns true if the block of token @from has not ended before token @to. */
static bool in_block(const struct code_walk *w, size_t from, size_t to)
{
    unsigned depth = 1;

    for (size_t i = from; i < to && depth != 0; i++) {
        depth += is_mark(&w->tokens[i], "{");
        depth -= is_mark(&w->tokens[i], "}");
    }
    return depth != 0;
}

/*
 * Notes the call at token @i, whose arguments were taken: the leader of a group, with -1 for the group, or a member
 * that a loop behind the leader opens.
 */
static void note_leader(const struct code_walk *w, struct code_perf *p, size_t i)
{
    const struct code_perf_value *group = &p->fields[CODE_PERF_GROUP];
    const bool leads = group->known && (int64_t)group->value == -1;

    if (!in_loop(w, i)) {
        p->leader = leads ? i + 1 : p->leader;
    } else if (!leads && p->leader != 0 && in_block(w, p->leader, i)) {
        p->led = true;
    }
}

/* Returns true if the first argument of the call at token @i is the number of perf_event_open(), or its name. */
static bool is_open_syscall(const struct code_walk *w, size_t i)
{
    static const char *const numbers[] = {"241", "298", "364"};
    const size_t close = code_skip_bracket(w, i + 1, w->count);

    for (size_t k = i + 2; k < close && !is_mark(&w->tokens[k], ","); k++) {
        if (has(&w->tokens[k], "perf_event_open") || has(&w->tokens[k], "PERF_EVENT_OPEN")) {
            return true;
        }
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
            if (code_token_is(&w->tokens[k], numbers[n])) {
                return true;
            }
        }
    }
    return false;
}

static void take_call(struct code_walk *w, struct code_perf *p, size_t i)
{
    const struct code_token *t = &w->tokens[i];
    const bool kernel = code_token_is(t, "perf_event_create_kernel_counter");
    const bool direct = has(t, "perf_event_open") || has(t, "PerfEventOpen") || has(t, "perf_open") ||
                        code_token_is(t, "open_event") ||
                        has(t, "open_counter") || code_token_is(t, "perf_evt_open");
    const bool syscall = (code_token_is(t, "syscall") || code_token_is(t, "Syscall6")) && i + 2 < w->count &&
                         is_open_syscall(w, i);

    if (t->kind != TOKEN_NAME || i + 1 >= w->count || !is_mark(&w->tokens[i + 1], "(") ||
        (!direct && !syscall && !kernel)) {
        return;
    }
    p->open_line = p->open_line == 0 || p->open_line > t->line ? t->line : p->open_line;
    if (kernel && !is_definition(w, i)) {
        take_kernel_open(w, p, i + 1);
    }
    if (syscall || (direct && (has(t, "perf_event_open") || has(t, "PerfEventOpen")) && !is_definition(w, i))) {
        take_open(w, p, i + 1, syscall);
        note_leader(w, p, i);
    }
    if (!is_definition(w, i)) {
        p->opens += !syscall;
        p->by_number |= syscall;
        p->loop |= in_loop(w, i) || (w->code->facts[CODE_HAS_RUST] != 0 && is_called_in_loop(w, i));
    }
}

/* Takes the builder of the crate perf-event: its events are disabled until .enable(). */
static void take_builder(struct code_walk *w, struct code_perf *p)
{
    for (size_t i = 0; i + 2 < w->count && w->code->facts[CODE_HAS_RUST] != 0; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind != TOKEN_NAME) {
            continue;
        }
        if (code_token_is(t, "Builder") && p->open_line == 0) {
            p->open_line = t->line;
            p->opens = 1;
            put(p, CODE_PERF_DISABLED, t, code_known(1));
            put(p, CODE_PERF_EXCLUDE_KERNEL, t, code_known(1));
        } else if (code_token_is(t, "enable") && is_mark(&w->tokens[i + 1], "(")) {
            p->enable_line = t->line;
        } else if (code_token_is(t, "inherit") && is_mark(&w->tokens[i + 1], "(")) {
            put(p, CODE_PERF_INHERIT, t, code_known(!code_token_is(&w->tokens[i + 2], "false")));
        }
    }
}

/* Returns true if the text is a program, and no trace of system calls or a sentence. */
static bool is_program(const struct code_walk *w, const struct code_perf *p)
{
    unsigned fields = 0, ends = 0;

    for (unsigned i = 0; i < CODE_PERF_PID; i++) {
        fields += p->fields[i].line != 0;
    }
    for (size_t i = 0; i < w->count; i++) {
        ends += is_mark(&w->tokens[i], ";");
        if (w->tokens[i].kind == TOKEN_NAME &&
            (code_token_is(&w->tokens[i], "EPERM") || code_token_is(&w->tokens[i], "EACCES")) && i > 0 &&
            w->tokens[i - 1].kind == TOKEN_NUMBER && p->enable_line == 0) {
            return false; /* "= -1 EPERM (Operation not permitted)" */
        }
    }
    return fields != 0 && (ends > 1 || w->lexed->python || code_is_go(w));
}

/* Returns true if a loop puts objects into a container: each opens an event. */
static bool fills_container(const struct code_walk *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME && (code_token_is(t, "emplace_back") || code_token_is(t, "push_back")) &&
            in_loop(w, i)) {
            return true;
        }
    }
    return false;
}

void code_read_perf(struct code_walk *w)
{
    struct code_perf *p;
    bool open = false, kernel = false, divides = false;

    for (size_t i = 0; i + 1 < w->count && !kernel; i++) {
        const struct code_token *t = &w->tokens[i];

        kernel = t->kind == TOKEN_NAME && code_token_is(t, "perf_event_create_kernel_counter");
        open |= t->kind == TOKEN_NAME &&
               (has(t, "perf_event_open") || has(t, "perf_event_attr") || has(t, "PerfEventAttr") ||
                has(t, "PERF_EVENT_IOC") ||
                has(t, "PERF_TYPE_") || (w->lexed->python && has(t, "perf_open")) ||
                (w->code->facts[CODE_HAS_RUST] != 0 &&
                 (code_token_is(t, "perf_event") || code_token_is(t, "observe_self") || code_token_is(t, "Hardware"))));
        open |= w->lexed->python && t->kind == TOKEN_NUMBER && code_token_is(t, "241");
    }
    if (!kernel && (!open || w->code->facts[CODE_HAS_KERNEL] != 0)) {
        return;
    }
    w->budget = w->budget < 50000 ? 50000 : w->budget;
    w->code->perf = p = cli_allocate(NULL, 1, sizeof *p);
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i + 1 < w->count && code_spend(w, 1); i++) {
        const struct code_token *t = &w->tokens[i];

        if (t->kind == TOKEN_NAME || t->kind == TOKEN_NUMBER) {
            note_call(p, t);
        }
        divides |= is_mark(t, "/") || is_mark(t, "//") || is_mark(t, "/=") || has(t, "div");
        if (t->kind == TOKEN_NAME) {
            take_field(w, p, i);
            take_call(w, p, i);
            if (w->lexed->python) {
                take_pack(w, p, i);
            }
        }
    }
    take_builder(w, p);
    if (!is_program(w, p)) {
        w->code->perf = NULL;
        free(p);
        return;
    }
    if (divides && p->scaled_line == 0) { /* times that are asked for and divided by nothing scale nothing */
        p->scaled_line = p->times_line;
    }
    p->opens += p->opens == 0 && p->by_number;
    p->loop = p->loop || fills_container(w);
    p->events = p->loop || w->lexed->python ? code_perf_longest_list(w) : 0;
    p->events += p->led && p->events != 0; /* the leader is not on the list */
    p->events = p->events > p->opens ? p->events : p->opens;
    p->direct_line = p->direct_line != 0 ? p->direct_line : code_perf_direct_read(w->code);
}

void code_perf_free(struct code_perf *perf)
{
    free(perf);
}
