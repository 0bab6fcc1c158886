/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan: checks what it refuses and why, and that it grants all wishes that some assignment could grant. */
#include "driver.h"

static struct apmu_pmu p9, p9_instr, v3;

static void units(void)
{
    p9 = p9_instr = pmu_of(9, 6, 0x20100, 2);
    p9_instr.instr = true;
    v3 = pmu_of(3, 4, 0x40020100, 0);
}

#define ANY APMU_COUNTER_ANY

/* Checks that @wish, after a valid wish, is refused with @error. */
static void refuses(const char *name, const struct apmu_pmu *pmu, struct apmu_wish wish, enum apmu_error error)
{
    const struct apmu_wish wishes[] = {{.event = APMU_EV_CPU_CYCLES, .counter = 2}, wish};
    struct apmu_slot slots[2];
    size_t refused = 99;
    const enum apmu_error got = apmu_plan(pmu, wishes, 2, slots, &refused);

    if (got != error) {
        printf("# %s\n", apmu_error_text(got));
    }
    check(name, got == error && refused == 1 && apmu_plan(pmu, wishes, 2, slots, NULL) == error);
}

static void refusals(void)
{
    const uint16_t inst = APMU_EV_INST_RETIRED;
    const struct apmu_pmu odd = pmu_of(3, 5, ~0u, 0);

    refuses("plan: CHAIN", &p9, (struct apmu_wish){.event = APMU_EV_CHAIN, .counter = ANY}, APMU_E_CHAIN);
    refuses("plan: not in PMCEID", &p9, (struct apmu_wish){.event = APMU_EV_LD_RETIRED, .counter = ANY},
            APMU_E_NO_EVENT);
    refuses("plan: no such counter", &p9, (struct apmu_wish){.event = inst, .counter = 6}, APMU_E_NO_SUCH_COUNTER);
    refuses("plan: a counter above all", &p9, (struct apmu_wish){.event = inst, .counter = 33}, APMU_E_NO_SUCH_COUNTER);
    refuses("plan: no instruction counter", &p9, (struct apmu_wish){.event = inst, .counter = APMU_INSTR},
            APMU_E_NO_SUCH_COUNTER);
    refuses("plan: the counter is taken", &p9, (struct apmu_wish){.event = inst, .counter = 2}, APMU_E_COUNTER_TAKEN);
    refuses("plan: the cycle counter counts cycles", &p9, (struct apmu_wish){.event = inst, .counter = APMU_CYCLE},
            APMU_E_COUNTER_EVENT);
    refuses("plan: the instruction counter counts instructions", &p9_instr,
            (struct apmu_wish){.event = APMU_EV_CPU_CYCLES, .counter = APMU_INSTR}, APMU_E_COUNTER_EVENT);
    refuses("plan: 16-bit events need PMUv3p1", &v3, (struct apmu_wish){.event = 0x400, .counter = ANY},
            APMU_E_EVENT_NUMBER);
    refuses("plan: MT is no filter", &p9,
            (struct apmu_wish){.event = inst, .counter = ANY, .filter = APMU_MASK(PMEVTYPER_EL0, MT)}, APMU_E_FILTER);
    refuses("plan: a period over 32 bits", &v3,
            (struct apmu_wish){.event = inst, .counter = ANY, .period = (UINT64_C(1) << 32) + 1}, APMU_E_PERIOD);
    refuses("plan: a pair begins even", &v3, (struct apmu_wish){.event = inst, .counter = 1, .wide = true},
            APMU_E_PAIR);
    refuses("plan: a pair needs its neighbour", &odd, (struct apmu_wish){.event = inst, .counter = 4, .wide = true},
            APMU_E_PAIR);
}

static void grants(void)
{
    const struct apmu_wish wishes[] = {
        {.event = APMU_EV_INST_RETIRED, .counter = ANY, .dedicated = true},
        {.event = APMU_EV_CPU_CYCLES, .counter = ANY, .dedicated = true},
        {.event = APMU_EV_CPU_CYCLES, .counter = ANY, .dedicated = true},
        {.event = APMU_EV_LD_SPEC, .counter = ANY},
        {.event = APMU_EV_LD_RETIRED, .counter = 0, .unlisted = true},
        {.event = 0xFFFF, .counter = ANY, .period = UINT64_C(1) << 32},
    };
    const struct apmu_wish full = {.event = APMU_EV_INST_RETIRED, .counter = ANY, .period = UINT64_C(1) << 32};
    struct apmu_slot s[6];

    check("plan: dedicated counters, then the free ones",
          apmu_plan(&p9_instr, wishes, 6, s, NULL) == APMU_OK && s[0].counter == APMU_INSTR &&
              s[1].counter == APMU_CYCLE && s[2].counter == 1 && s[3].counter == 2 && s[4].counter == 0 &&
              s[5].counter == 3 && s[0].bits == 64 && s[2].bits == 64 && s[5].initial == UINT64_C(0xFFFFFFFF00000000));
    check("plan: a period of 2^32 starts a 32-bit counter at 0",
          apmu_plan(&v3, &full, 1, s, NULL) == APMU_OK && s[0].bits == 32 && s[0].initial == 0);
}

static void too_many(void)
{
    struct apmu_pmu pmu = pmu_of(9, 31, ~UINT64_C(0), ~UINT64_C(0));
    struct apmu_wish wishes[40];
    struct apmu_slot slots[40];
    size_t refused = 99;

    pmu.instr = true;
    for (size_t i = 0; i < 40; i++) {
        wishes[i] = (struct apmu_wish){.event = i == 0 ? APMU_EV_CPU_CYCLES : APMU_EV_INST_RETIRED, .counter = ANY,
                                       .dedicated = true};
    }
    check("plan: 33 wishes for all counters of a PMU are granted", apmu_plan(&pmu, wishes, 33, slots, NULL) == APMU_OK);
    check("plan: 34 are refused", apmu_plan(&pmu, wishes, 34, slots, &refused) == APMU_E_NO_COUNTER && refused == 33);
    check("plan: 40 are refused", apmu_plan(&pmu, wishes, 40, slots, &refused) == APMU_E_NO_COUNTER && refused == 33);
    pmu.counters = pmu.first_range = 0;
    check("plan: a PMU without event counters",
          apmu_plan(&pmu, wishes, 2, slots, NULL) == APMU_OK &&
              apmu_plan(&pmu, wishes, 3, slots, &refused) == APMU_E_NO_COUNTER);
}

/* Returns whether the wishes from @i on can be met with the counters in @free.  Tries all assignments. */
static bool possible(const struct apmu_pmu *pmu, const struct apmu_wish *w, size_t count, size_t i, uint64_t free)
{
    if (i == count) {
        return true;
    }
    for (unsigned n = 0; n < APMU_COUNTERS; n++) {
        uint64_t need = UINT64_C(1) << n;

        if (w[i].counter != ANY && w[i].counter != n) {
            continue;
        }
        if (n >= APMU_CYCLE) {
            if (w[i].event != (n == APMU_CYCLE ? APMU_EV_CPU_CYCLES : APMU_EV_INST_RETIRED) ||
                (w[i].counter == ANY && !w[i].dedicated)) {
                continue;
            }
        } else if (w[i].wide && pmu->version < 6) {
            if (n % 2 != 0) {
                continue;
            }
            need |= need << 1;
        }
        if ((need & ~free) == 0 && (n >= APMU_CYCLE || (need >> pmu->counters) == 0) &&
            possible(pmu, w, count, i + 1, free & ~need)) {
            return true;
        }
    }
    return false;
}

/* Checks plans and refusals against all assignments. */
static void against_all_assignments(void)
{
    static const uint16_t events[] = {APMU_EV_CPU_CYCLES, APMU_EV_INST_RETIRED, APMU_EV_LD_SPEC};
    uint64_t random = 88172645463325252u;
    unsigned long granted = 0, refused = 0, wrong = 0;

    for (unsigned long run = 0; run < 200000; run++) {
        struct apmu_wish w[5];
        struct apmu_slot s[5];
        uint64_t used = 0;

        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        struct apmu_pmu pmu = pmu_of((random >> 9 & 3) == 0 ? 9 : 3, (unsigned)(random % 6), 0x40020100, 0);

        pmu.instr = (random >> 8 & 1) != 0;
        const size_t count = 1 + (random >> 11) % 5;
        for (size_t i = 0; i < count; i++) {
            const unsigned r = (unsigned)(random >> (16 + 9 * i));

            w[i] = (struct apmu_wish){.event = events[r % 3], .wide = (r >> 2 & 1) != 0, .dedicated = (r >> 3 & 1) != 0,
                                      .counter = (r >> 4 & 3) == 0 ? (uint8_t)((r >> 6) % 6) : ANY};
        }
        const bool ok = apmu_plan(&pmu, w, count, s, NULL) == APMU_OK;
        wrong += ok != possible(&pmu, w, count, 0, apmu_pmu_counters(&pmu));
        granted += ok;
        refused += !ok;
        for (size_t i = 0; ok && i < count; i++) {
            const uint64_t mask = (s[i].pair ? UINT64_C(3) : UINT64_C(1)) << s[i].counter;

            wrong += (used & mask) != 0 || (mask & ~apmu_pmu_counters(&pmu)) != 0 || (w[i].wide && s[i].bits != 64);
            used |= mask;
        }
    }
    printf("# %lu plans granted, %lu refused, %lu wrong\n", granted, refused, wrong);
    check("plan: refuses only what no assignment could grant", wrong == 0 && granted > 10000 && refused > 10000);
}

int main(void)
{
    units();
    refusals();
    grants();
    too_many();
    against_all_assignments();
    return failures != 0;
}
