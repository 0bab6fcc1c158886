/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps have the order of the document.  It leaves out what hardware needs between them: an ISB after PMSELR_EL0 is
 * written and before the counters start, and the overflow flags, which an earlier user may have left set.
 */
#include "sequence.h"

/* PMEVTYPER<n>_EL0.NSH and PMCCFILTR_EL0.NSH: count at EL2, too. */
#define COUNT_AT_EL2 0x8000000u

static uint64_t read_register(struct sequence_run *s, enum apmu_reg reg)
{
    uint64_t value = 0;

    if (s->error == APMU_OK) {
        s->error = s->dev->ops->read(s->dev->ctx, reg, 0, &value);
    }
    return value;
}

static void write_register(struct sequence_run *s, enum apmu_reg reg, uint64_t value)
{
    if (s->error == APMU_OK) {
        s->error = s->dev->ops->write(s->dev->ctx, reg, 0, value);
    }
}

static void select_counter(struct sequence_run *s, unsigned n)
{
    write_register(s, APMU_REG_PMSELR_EL0, n);
    s->dev->ops->sync(s->dev->ctx);
}

static uint64_t all_counters(const struct sequence_run *s)
{
    return UINT64_C(1) << APMU_CYCLE | ((UINT64_C(1) << s->counters) - 1);
}

void sequence_setup(struct sequence_run *s, const struct apmu_dev *dev)
{
    *s = (struct sequence_run){.dev = dev};
    s->counters = (unsigned)APMU_GET(PMCR_EL0, N, read_register(s, APMU_REG_PMCR_EL0));
    s->announced = read_register(s, APMU_REG_PMCEID0_EL0) & 0xFFFFFFFF;
    s->announced |= read_register(s, APMU_REG_PMCEID1_EL0) << 32;

    /* EN, CR and ER: EL0 may use the PMU. */
    write_register(s, APMU_REG_PMUSERENR_EL0, read_register(s, APMU_REG_PMUSERENR_EL0) | 0xD);
}

void sequence_start(struct sequence_run *s)
{
    s->used = 0;
    for (unsigned j = 0; j < 64 && s->used < s->counters; j++) {
        if ((s->announced >> j & 1) != 0) {
            select_counter(s, s->used);
            write_register(s, APMU_REG_PMXEVTYPER_EL0, COUNT_AT_EL2 | j);
            s->events[s->used++] = j;
        }
    }
    write_register(s, APMU_REG_PMCCFILTR_EL0, COUNT_AT_EL2);
    write_register(s, APMU_REG_PMOVSCLR_EL0, all_counters(s));
    write_register(s, APMU_REG_PMCNTENSET_EL0, all_counters(s));

    /* E starts the counters.  P and C write 0 to them. */
    write_register(s, APMU_REG_PMCR_EL0, read_register(s, APMU_REG_PMCR_EL0) | 0x7);
    s->dev->ops->sync(s->dev->ctx);
}

void sequence_stop(struct sequence_run *s)
{
    s->dev->ops->sync(s->dev->ctx); /* the counts of what was executed have reached the counters */
    write_register(s, APMU_REG_PMCNTENCLR_EL0, all_counters(s));
    write_register(s, APMU_REG_PMCR_EL0, read_register(s, APMU_REG_PMCR_EL0) & ~UINT64_C(0x7));
    s->dev->ops->sync(s->dev->ctx);

    s->cycles = read_register(s, APMU_REG_PMCCNTR_EL0);
    for (unsigned i = 0; i < s->used; i++) {
        select_counter(s, i);
        s->counts[i] = read_register(s, APMU_REG_PMXEVCNTR_EL0);
    }
}
