/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes remedies, step by step. */
#include <stdarg.h>
#include <stdio.h>

#include "form.h"

/* Returns a new step; one that is not kept if there is no room. */
static struct remedy_step *add(struct remedy *m, enum remedy_act act)
{
    struct remedy_step *s = &m->steps[m->count < REMEDY_STEPS ? m->count++ : REMEDY_STEPS - 1];

    *s = (struct remedy_step){.act = act};
    return s;
}

static void add_register(struct remedy *m, enum remedy_act act, enum apmu_reg reg, unsigned n, uint64_t clear,
                         uint64_t set)
{
    struct remedy_step *s = add(m, act);

    s->reg = reg;
    s->n = n;
    s->clear = clear;
    s->set = set;
}

static void add_plain(struct remedy *m, enum remedy_act act, enum code_register plain, uint64_t clear, uint64_t set)
{
    struct remedy_step *s = add(m, act);

    s->plain = plain;
    s->clear = clear;
    s->set = set;
}

void remedy_change(struct remedy *m, enum apmu_reg reg, unsigned n, uint64_t clear, uint64_t set)
{
    add_register(m, REMEDY_CHANGE, reg, n, clear, set);
}

void remedy_write(struct remedy *m, enum apmu_reg reg, unsigned n, uint64_t value)
{
    add_register(m, REMEDY_WRITE, reg, n, 0, value);
}

void remedy_change_plain(struct remedy *m, enum code_register plain, uint64_t clear, uint64_t set)
{
    add_plain(m, REMEDY_CHANGE, plain, clear, set);
}

void remedy_write_plain(struct remedy *m, enum code_register plain, uint64_t value)
{
    add_plain(m, REMEDY_WRITE, plain, 0, value);
}

void remedy_sync(struct remedy *m)
{
    add(m, REMEDY_SYNC);
}

void remedy_text(struct remedy *m, const char *format, ...)
{
    struct remedy_step *s = add(m, REMEDY_TEXT);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(s->text, sizeof s->text, format, arguments);
    va_end(arguments);
}
