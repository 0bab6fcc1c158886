/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts a loop that is long enough for test_migrate.sh to stop the machine in.  The count is the same whether it was
 * stopped or not.
 */
#include "../../hardware/bare/rt.h"
#include "levels.h"

#define TURNS 300000000u
#define INST_RETIRED 8u
#define EL2_EL3 (UINT64_C(1) << 27) /* NSH; M and P are equal, so counters count at EL3 if MDCR_EL3.SPME is 1 */
#define SPME (UINT64_C(1) << 17)

int main(void);
uint64_t turns(uint64_t n);

int main(void)
{
    MSR("mdcr_el3", SPME);
    MSR("pmevtyper0_el0", INST_RETIRED | EL2_EL3);
    MSR("pmevtyper1_el0", INST_RETIRED | EL2_EL3);
    MSR("pmevcntr1_el0", 0xFFFFFFFFu - TURNS); /* overflows in the middle */
    MSR("pmcntenset_el0", 3);
    MSR("pmccfiltr_el0", EL2_EL3);
    MSR("pmcr_el0", 1);
    rt_print("ok running\n");
    rt_equal("600 million instructions in event counter 0", turns(TURNS), 2u * TURNS + 1u);
    rt_equal("the overflow of event counter 1", MRS("pmovsset_el0"), 2);
    MSR("pmcr_el0", 0);
    rt_equal("event counter 1", (MRS("pmevcntr1_el0") - MRS("pmevcntr0_el0")) & 0xFFFFFFFFu, (0xFFFFFFFFu - TURNS));
    return rt_status();
}
