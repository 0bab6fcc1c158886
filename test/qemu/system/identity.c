/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ID registers of the PMU.  Every event that its version requires (the Arm ARM, D14.6) is in PMCEID<n>_EL0.
 * Those that cannot occur here, where no cycle stalls and there are no caches, count 0.
 */
#include "../../hardware/bare/rt.h"
#include "levels.h"

int main(void);

#define MDCR_EL3_SPME (UINT64_C(1) << 17)
#define CPU_CYCLES 0x11u

/* The events that are required from a value of ID_AA64DFR0_EL1.PMUVer on. */
static const struct {
    unsigned version;
    uint16_t event;
    bool occurs;
    const char *name;
} required[] = {
    {1, 0x0000, false, "SW_INCR"},        {1, 0x0008, true, "INST_RETIRED"},
    {1, CPU_CYCLES, true, "CPU_CYCLES"},  {4, 0x0023, false, "STALL_FRONTEND"},
    {4, 0x0024, false, "STALL_BACKEND"},  {5, 0x003C, false, "STALL"},
    {5, 0x4006, false, "L1I_CACHE_LMISS"}, {5, 0x0039, false, "L1D_CACHE_LMISS_RD"},
    {9, 0x0014, false, "L1I_CACHE"},
};

static bool announced(uint16_t event)
{
    const uint64_t pmceid = (event & 0x20) != 0 ? MRS("pmceid1_el0") : MRS("pmceid0_el0");

    return (pmceid >> ((event & 0x4000) >> 9 | (event & 0x1F)) & 1) != 0;
}

int main(void)
{
    const uint64_t dfr0 = MRS("id_aa64dfr0_el1");
    const unsigned version = (unsigned)(dfr0 >> 8 & 15);

    rt_print("PMUVer ");
    rt_hex(version);
    rt_print(" MTPMU ");
    rt_hex(dfr0 >> 48 & 15);
    rt_print(" ");
    rt_hex(MRS("s3_0_c0_c3_5") & 15); /* ID_DFR1_EL1.MTPMU */
    rt_print("\n");
    MSR("mdcr_el3", MDCR_EL3_SPME);
    for (unsigned i = 0; i < sizeof required / sizeof required[0]; i++) {
        if (version < required[i].version) {
            continue;
        }
        rt_context(required[i].name, "");
        rt_true(" is announced", announced(required[i].event));
        MSR("pmevtyper0_el0", required[i].event);
        MSR("pmevcntr0_el0", 0);
        MSR("pmcntenset_el0", 1);
        MSR("pmcr_el0", 1);
        rt_loop((void *)1000);
        MSR("pmcr_el0", 0);
        rt_true(required[i].occurs ? " occurs" : " does not occur",
                (MRS("pmevcntr0_el0") >= RT_LOOP_INSTRUCTIONS(1000)) == required[i].occurs &&
                    (required[i].occurs || MRS("pmevcntr0_el0") == 0));
    }
    return rt_status();
}
