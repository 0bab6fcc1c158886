/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares lib/core with the plain model, event by event: each row of tables/core_models.def on random and structured
 * traces, with three cores.
 */
#include "../lib/tap.h"
#include "actions.h"

enum { ACTIONS = 60000, LOOKS = 6 };

/* Runs a trace on both, and compares all events LOOKS times. */
static void compare_on(const struct apmu_core_row *row, unsigned cores, uint64_t seed,
                       void (*draw)(struct invented_program *, struct choices *, struct core_action *))
{
    struct apmu_chip *chip = new_chip(row, APMU_CORE_ALL, cores);
    struct plain *plain = plain_new(row, cores);
    struct choices c = {.random = seed};
    struct invented_program program;

    program_init(&program, cores);
    for (unsigned i = 1; i <= ACTIONS && !tap_bad; i++) {
        struct core_action a;

        draw(&program, &c, &a);
        const bool wrong = act(chip, &a), plainly = act_plainly(plain, &a);

        MUST(wrong == plainly, "%s: action %u: mispredicted %d, plainly %d", row->name, i, wrong, plainly);
        if (i % (ACTIONS / LOOKS) == 0) {
            const long event = first_difference(row, cores, differs_from_plain, chip, plain);

            MUST(event < 0, "%s: after %u actions event 0x%lx is %llu on core 0, plainly %llu", row->name, i, event,
                 (unsigned long long)apmu_core_read(apmu_chip_core(chip, 0), (uint16_t)event),
                 (unsigned long long)plain_read(plain, 0, (uint16_t)event));
        }
    }
    plain_free(plain);
    free(chip);
}

/* Draws the actions of a program that multiplies matrices: three streams, one of them with a long stride. */
static void draw_matrix(struct invented_program *p, struct choices *c, struct core_action *a)
{
    const uint64_t i = p->turn[0]++, k = i / 6 % 96, j = i / 6 / 96 % 96;

    (void)c;
    *a = (struct core_action){.kind = LOAD, .size = 8};
    switch (i % 6) {
    case 0:
        a->kind = FETCH, a->address = 0x400000, a->size = 24;
        break;
    case 1:
        a->kind = INSTRUCTIONS, a->count = 6;
        break;
    case 2:
        a->address = 0x10000000 + 8 * k;
        break;
    case 3:
        a->address = 0x20000000 + 8 * (k * 96 + j);
        break;
    case 4:
        a->kind = k == 95 ? STORE : LOAD, a->address = 0x30000000 + 8 * j;
        break;
    default:
        *a = (struct core_action){.kind = BRANCH,
                                  .branch = APMU_CORE_JUMP | APMU_CORE_CONDITIONAL,
                                  .address = 0x400014,
                                  .target = 0x400000,
                                  .taken = k != 95};
    }
}

/* Draws those of a program that follows a list through all of memory, and calls itself. */
static void draw_list(struct invented_program *p, struct choices *c, struct core_action *a)
{
    const uint64_t i = p->turn[0]++;

    *a = (struct core_action){.kind = LOAD_AFTER, .size = 8, .address = pick(c, 24) * 64};
    switch (i % 5) {
    case 0:
        a->kind = INSTRUCTIONS, a->count = 3;
        break;
    case 1:
        a->kind = FETCH, a->address = 0x400000 + i % 64 * 64, a->size = 12;
        break;
    case 2:
        *a = (struct core_action){.kind = BRANCH, .branch = APMU_CORE_CALL, .address = 0x400010, .target = 0x400000};
        if (i / 5 % 60 >= 30) {
            a->branch = APMU_CORE_RETURN, a->address = 0x400020, a->target = 0x400014;
        }
        break;
    default:
        break;
    }
}

int main(void)
{
    struct apmu_core_row row;

    for (size_t i = 0; apmu_core_row_at(i, &row); i++) {
        char name[64];

        snprintf(name, sizeof name, "compare: %s equals the plain model", row.name);
        tap_begin();
        compare_on(&row, 1, 12345 + i, draw_action);
        compare_on(&row, ACTION_CORES, 777 + i, draw_action);
        compare_on(&row, 1, 1, draw_matrix);
        compare_on(&row, 1, 99, draw_list);
        tap_end(name);
    }
    return tap_status;
}
