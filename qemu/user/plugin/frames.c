/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a thread's stacks: makes them, leaves them, and goes from one stack to another. */
#define _GNU_SOURCE
#include "frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES (UINT32_C(1) << 22) /* the most frames of a stack */
#define FIRST_FRAMES 64u           /* frames of a stack that begins */
#define OTHERS 4096u               /* the most stacks that wait; the one that waited longest is forgotten */

bool frames_add_room(struct stack *k)
{
    const size_t depth = (size_t)(k->top - k->frames), room = (depth + 1) * 2;
    struct frame *more = room <= FRAMES ? realloc(k->frames, room * sizeof *more) : NULL;

    if (more == NULL) {
        nodes_note(APMU_GRAPH_DEEP);
        return false;
    }
    k->frames = more;
    k->top = more + depth;
    k->limit = more + room - 1;
    return true;
}

bool frames_find_mapping(uint64_t at, uint64_t *low, uint64_t *high)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    const uint64_t host = at - guest_address(0);
    char line[512];
    bool found = false;

    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        uint64_t from, to;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && host >= from && host < to) {
            *low = at - (host - from);
            *high = at + (to - host);
            found = true;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

/* Divides the addresses between the stack @new, which begins at @base, and others. */
static void cut_ranges(struct shadow *s, struct stack *new, uint64_t base)
{
    for (uint32_t i = 0; i < s->other_count; i++) {
        struct stack *k = &s->others[i];
        const uint64_t first = k->frames[0].sp, last = k->top->sp;
        const uint64_t below = first < base ? first : last < base ? last : 0; /* what of it lies below the new one */
        if (below == 0 && k->low <= base) {
            k->low = base + 1;
        }
        if (below != 0 && new->low <= below) {
            new->low = below + 1;
        }
    }
}

bool frames_start(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t ret, bool whole)
{
    struct stack *k = &s->stack;

    *k = (struct stack){.frames = malloc(FIRST_FRAMES * sizeof *k->frames)};
    if (k->frames == NULL) {
        return false;
    }
    k->limit = k->frames + FIRST_FRAMES - 1;
    if (!frames_find_mapping(sp > 0 ? sp - 1 : 0, &k->low, &k->high)) {
        k->low = 0;
        k->high = UINT64_MAX;
    }
    cut_ranges(s, k, sp);
    if (!whole) {
        k->high = sp + 1;
    }
    if (k->high <= sp) {
        k->high = sp + 1;
    }
    const struct arrival root = {APMU_GRAPH_ROOT, ROOT_RET, 0, entry, false};
    k->frames[0] = (struct frame){ret, sp, edges_child(s, NULL, &root), 0};
    k->frames[0].node->calls++;
    set_top(s, &k->frames[0]);
    return true;
}

/* Lets the present stack wait. */
static bool put_away(struct shadow *s)
{
    if (s->other_count == s->other_room && s->other_room < OTHERS) {
        const uint32_t room = s->other_room == 0 ? 8 : s->other_room * 2;
        struct stack *more = realloc(s->others, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        s->others = more;
        s->other_room = room;
    }
    if (s->other_count == OTHERS) {
        free(s->others[0].frames);
        memmove(&s->others[0], &s->others[1], (OTHERS - 1) * sizeof s->others[0]);
        s->other_count--;
    }
    s->others[s->other_count++] = s->stack;
    return true;
}

/* Goes on with stack @n of those that wait, and lets the present one wait in its place. */
static void take_up(struct shadow *s, uint32_t n)
{
    const struct stack k = s->others[n];

    memmove(&s->others[n], &s->others[n + 1], (s->other_count - n - 1) * sizeof k);
    s->others[s->other_count - 1] = s->stack;
    s->stack = k;
    set_top(s, s->stack.top);
}

void frames_unwind_to(struct shadow *s, uint32_t n)
{
    struct stack *k = &s->stack;

    while (k->segments > 0 && k->segment[k->segments - 1].frame > n) {
        k->segments--;
        k->low = k->segment[k->segments].low;
        k->high = k->segment[k->segments].high;
    }
    set_top(s, &k->frames[n]);
}

bool frames_unwind(struct shadow *s, uint64_t limit)
{
    struct stack *k = &s->stack;
    const uint32_t first = k->segments > 0 ? k->segment[k->segments - 1].frame : 0;
    uint32_t n = (uint32_t)(k->top - k->frames);

    if (k->frames[n].sp >= limit) {
        return false;
    }
    while (n > first && k->frames[n].sp < limit) {
        n--;
    }
    frames_unwind_to(s, n);
    return true;
}

struct frame *frames_find(const struct stack *k, uint64_t pc, uint64_t sp)
{
    for (struct frame *f = k->top; f > k->frames && f->sp <= sp; f--) {
        if (f->ret == pc && f->sp == sp) {
            return f;
        }
    }
    return NULL;
}

bool frames_take_up_at(struct shadow *s, uint64_t pc, uint64_t sp)
{
    for (uint32_t i = s->other_count; i-- > 0;) {
        struct frame *f = frames_find(&s->others[i], pc, sp);
        if (f != NULL) {
            s->others[i].top = f;
            take_up(s, i);
            return true;
        }
    }
    return false;
}

/* Goes on with a waiting stack that has @sp.  Returns false if there is none. */
static bool take_up_with(struct shadow *s, uint64_t sp)
{
    for (uint32_t i = s->other_count; i-- > 0;) {
        const struct stack *k = &s->others[i];
        if (in_range(k, sp) && k->top->sp <= sp && k->frames[0].sp >= sp) {
            take_up(s, i);
            return true;
        }
    }
    return false;
}

void frames_begin(struct shadow *s, uint64_t entry, uint64_t sp, uint64_t ret)
{
    if (put_away(s) && !frames_start(s, entry, sp, ret, false)) {
        s->stack = s->others[--s->other_count];
    }
}

void frames_change(struct shadow *s, uint64_t sp, uint64_t entry, uint64_t ret)
{
    struct stack *k = &s->stack;

    for (uint32_t i = k->segments; i-- > 0;) { /* out of a signal's own stack, to the one that it interrupted */
        if (sp >= k->segment[i].low && sp < k->segment[i].high) {
            frames_unwind_to(s, k->segment[i].frame - 1);
            return;
        }
    }
    if (!take_up_with(s, sp)) {
        frames_begin(s, entry, sp, ret);
    }
}

uint64_t frames_function_of(uint64_t pc)
{
    return beginnings_of((const void *)(uintptr_t)(pc - guest_address(0))); /* NOLINT: an address of the program */
}

bool frames_take_up_in(struct shadow *s, uint64_t pc, uint64_t sp)
{
    const uint64_t begin = s->other_count > 0 ? frames_function_of(pc) : 0;

    for (uint32_t i = s->other_count; i-- > 0;) {
        struct stack *k = &s->others[i];
        struct frame *f = k->top;
        while (f > k->frames && f->sp == sp && f->node->entry != begin) {
            f--;
        }
        if (f->sp == sp && f->node->entry == begin) {
            k->top = f;
            take_up(s, i);
            return true;
        }
    }
    return false;
}
