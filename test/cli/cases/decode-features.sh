# SPDX-License-Identifier: BSD-2-Clause
# Marks the fields that --features or --core reserves, and names the events of a core.
armpmu decode --features=PMUv3p1,AA32EL0 PMCR_EL0=0x7fff PMUACR_EL1=1 PMEVTYPER1=0x0600ffff
armpmu decode --features=PMUv3_EXT32 0xE04=1 0xE28=7
armpmu decode --features=PMUv3_EXT64 0xE10=1 | head -n 1
armpmu decode --core=cortex-a72 PMCR_EL0=0x41023181
armpmu decode --core=0x410FD083 PMMIR_EL1=5 | head -n 2
armpmu decode --core=cortex-a520 PMEVTYPER0_EL0=0xf0 PMEVTYPER0_EL0=0x3ff | grep evtCount
armpmu encode --core=cortex-a520 PMEVTYPER0_EL0 evtCount=INST_SPEC_LDST_NUKE
armpmu decode PMEVTYPER0_EL0=0xf0 | grep evtCount
