# SPDX-License-Identifier: BSD-2-Clause
# Makes values from fields, in every view.
armpmu encode PMEVTYPER0_EL0 evtCount=INST_RETIRED P=1
armpmu encode PMEVTYPER0_EL0=0x80000008 P=0 U=1
armpmu encode --features=PMUv3p5 PMCR_EL0 E=1 LP=1
armpmu encode PMCR E=1 LC=1
armpmu encode PMNC EvtCount0=BR_EXEC E=1
armpmu encode S3_4_C1_C1_1 HPMN=6 HPMD=1
armpmu encode --features=PMUv3_EXT32 0xE04 E=1
armpmu encode PMCNTENSET_EL0 C=1 P=0x3F
armpmu encode -j PMSELR_EL0 SEL=31
