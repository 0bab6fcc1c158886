/* SPDX-License-Identifier: BSD-2-Clause */
/* The conformance image: executes the rows of the expectations (conform.h) and reports what differs. */
#include "levels.h"

int main(void);

static const char *const place_names[] = {
#define PLACE(id, text) text,
    PLACES(PLACE)
#undef PLACE
};
static const char *const taken_names[] = {
    "performed", "taken to EL1", "taken to EL2", "taken to EL3", "Undefined Instruction at AArch32 EL1",
    "Hyp Trap", "Undefined Instruction in Hyp mode", "an exception of another kind",
};

static const struct expect_head *const head = (const void *)(uintptr_t)EXPECT_BASE;

static void print_outcome(enum taken taken, uint32_t esr, uint64_t value)
{
    rt_print(taken_names[taken]);
    if (esr != 0) {
        rt_print(" with ");
        rt_hex(esr);
    }
    rt_print(", value ");
    rt_hex(value);
}

/* Executes a row.  Returns what happened, and in *value what it read or, for a write, what the register reads then. */
static struct levels_outcome execute(const struct expect_group *g, const struct expect_row *r, bool a32,
                                     uint64_t *value)
{
    uint64_t x3 = r->writes ? r->value : 0, x4 = r->frame ? FRAME_BASE + r->offset : x3 >> 32;
    struct levels_outcome o = levels_execute(r->cell, r->setup ? LEVELS_HIGHEST : g->spsr, &x3, &x4);

    *value = a32 ? (uint32_t)x3 | x4 << 32 : x3;
    if (r->writes) {
        uint64_t none = 0;

        *value = 0;
        if (!r->frame) {
            levels_execute(r->back, LEVELS_HIGHEST, value, &none);
        }
    }
    if (r->taken == TAKEN_UND) {
        o.esr = 0; /* no syndrome */
    } else if (r->frame) {
        o.esr &= 0xFE000000u; /* EC and IL of an external abort */
    }
    return o;
}

static bool check(const struct expect_group *g, const struct expect_row *r, const struct expect_cell *cell)
{
    uint64_t got;
    const struct levels_outcome o = execute(g, r, cell->a32, &got);

    if (o.taken == r->taken && o.esr == r->esr && got == r->result) {
        return true;
    }
    rt_print("not ok ");
    rt_print(g->setting);
    rt_print(", ");
    rt_print(place_names[r->setup ? AT_EL3 : g->place]);
    rt_print(": ");
    rt_print(cell->name);
    if (r->frame) {
        rt_print(" at ");
        rt_hex(r->offset);
    }
    if (r->writes) {
        rt_print(" of ");
        rt_hex(r->value);
    }
    rt_print(": ");
    print_outcome(o.taken, o.esr, got);
    rt_print("; want ");
    print_outcome(r->taken, r->esr, r->result);
    rt_print(r->open ? ", CONSTRAINED UNPREDICTABLE\n" : "\n");
    return false;
}

int main(void)
{
    const struct expect_cell *cells = (const void *)(head + 1);
    const struct expect_group *groups = (const void *)(cells + head->cells);
    const struct expect_row *rows = (const void *)(groups + head->groups);
    int status = 0;

    levels_load(head);
    for (const struct expect_group *g = groups; g < groups + head->groups; g++) {
        unsigned wrong = 0;

        levels_control(head, g);
        for (const struct expect_row *r = rows + g->first; r < rows + g->first + g->count; r++) {
            wrong += !check(g, r, &cells[r->cell]);
        }
        status |= wrong != 0;
        if (wrong == 0) {
            rt_print("ok ");
            rt_print(g->setting);
            rt_print(", ");
            rt_print(place_names[g->place]);
            rt_print(": ");
            rt_decimal(g->count);
            rt_print(" accesses\n");
        }
    }
    return status;
}
