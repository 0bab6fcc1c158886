# SPDX-License-Identifier: BSD-2-Clause
# Registers by name, encoding, offset and instruction, in every view.
armpmu decode PMCR_EL0=0x41023001
for reg in S3_3_C9_C12_0 pmcr_el0 0xD53B9C00; do armpmu decode $reg=0x41023001 | tail -n 17 | head -n 1; done
armpmu decode PMCR=0x41023001 'p15, 0, c9, c12, 1=0x8000000f' HDCR=6 0xEE19CF1C 0xEC510F09 SDCR=0x20000
armpmu decode PMEVTYPER3_EL0=0x80000008 PMCEID0_EL0=0x40060003 PMSELR=31 MIDR_EL1=0x410fd083
armpmu decode PMNC=0x00700001 0xEE1F0F1C=1
