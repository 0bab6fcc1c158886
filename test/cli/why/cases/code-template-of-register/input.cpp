// SPDX-License-Identifier: BSD-2-Clause
// Hypervisor on a Cortex-A76, runs at EL2. It keeps counters 3 to 5 for itself; number 3 stays at 0.
constexpr auto kMine = 3u;

inline void claim()
{
    Msr::set<MDCR_EL2>(kMine);                                // HPMN
    Msr::set<PMEVTYPER3_EL0>((1u << 27) | 0x11);              // NSH
    Msr::set<PMCNTENSET_EL0>(1u << kMine);
    Msr::set<PMCR_EL0>(Msr::get<PMCR_EL0>() | 1u);
    asm volatile("isb");
}
