/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random firmware: accesses to random PMU registers and to the frame, with random values at random places under random
 * controls, while counters count.  The emulator checks the model's invariant after each access (pmu-check=on) and ends
 * if it is broken.  Here, every access must end in one of the image's vectors.
 */
#include "levels.h"

#define ACCESSES_AT (EXPECT_BASE - 8) /* where the emulator loads the number of accesses */
#define ACCESSES_UNDER_ONE_CONTROL 64u

int main(void);

static const struct expect_head *const head = (const void *)(uintptr_t)EXPECT_BASE;

static uint64_t random(void)
{
    static uint64_t state = 0x2545F4914F6CDD1Du;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Returns a random number below @n. */
static uint32_t below(uint32_t n)
{
    return (uint32_t)((random() >> 32) * n >> 32);
}

/*
 * Returns a group with the place of a random one, and with random values of the controls that do not decide the
 * place.
 */
static struct expect_group random_control(const struct expect_group *groups)
{
    struct expect_group g = groups[below(head->groups)];

    g.mdcr_el2 = random();
    g.mdcr_el3 = random();
    g.hstr = random() & 0xFFFF;
    g.os_lock = below(2);
    g.hdfgrtr = random() & random();
    g.hdfgwtr = random() & random();
    g.hdfgrtr2 = random() | random();
    g.hdfgwtr2 = random() | random();
    return g;
}

int main(void)
{
    const struct expect_cell *cells = (const void *)(head + 1);
    const struct expect_group *groups = (const void *)(cells + head->cells);
    const uint32_t accesses = *(const volatile uint32_t *)(uintptr_t)ACCESSES_AT;
    uint32_t performed = 0, refused = 0, other = 0;
    struct expect_group g = groups[0];

    levels_load(head);
    for (uint32_t i = 0; i < accesses; i++) {
        uint64_t x3 = random(), x4 = FRAME_BASE + (below(1024) << 2);
        uint32_t index;

        if (i % ACCESSES_UNDER_ONE_CONTROL == 0) {
            g = random_control(groups);
            levels_control(head, &g);
        }
        do {
            index = below(head->cells);
        } while (cells[index].a32 != ((g.spsr & 0x10) != 0));
        const struct levels_outcome o = levels_execute(index, g.spsr, &x3, &x4);

        performed += o.taken == TAKEN_NONE;
        refused += o.taken != TAKEN_NONE;
        if (o.taken == TAKEN_OTHER && other++ < 5) {
            rt_print("not ok ");
            rt_print(cells[index].name);
            rt_print(": an exception of another kind, ESR ");
            rt_hex(o.esr);
            rt_print(", from ");
            rt_hex(o.at);
            rt_print("\n");
        }
    }
    rt_equal("exceptions of another kind", other, 0);
    rt_true("accesses were performed, and refused", performed > accesses / 50 && refused > accesses / 50);
    return rt_status();
}
