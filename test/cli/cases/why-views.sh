# SPDX-License-Identifier: BSD-2-Clause
# Cures and readers in the view and at the level that the input has.
echo '-- an unknown filter is cured to what counts with and without EL3'
printf 'PMCR=0x41023001\nPMCNTENSET=0x80000000\n' | armpmu why --cure --counter cycle --at EL1 -
echo '-- ARMv7: MRC and MCR, and the filter by PMSELR'
printf 'MIDR=0x410fc075\nPMCR=0x41072000\nPMCNTENSET=0\nPMSELR=0\nPMXEVTYPER=0x80000008\n' |
    armpmu why --cure --msr --counter 0 --at EL1 -
echo '-- ARMv7: PMXEVCNTR reads the event counters; its matrix has no PMCR.LC'
printf 'MIDR=0x413fc090\nPMCR=0x41093001\nPMCNTENSET=0x80000001\nPMUSERENR=1\n' >a9.txt
armpmu why -v --counter 0 --counter cycle --at EL0 a9.txt | sed -n '/^WHO/,/^$/p; /^ *51/p'
echo '-- CurrentEL is the level of the cure, and of the matrix'
printf 'CurrentEL=4\nID_AA64PFR0_EL1=0x1111\nPMCR_EL0=0x41033041\nPMCNTENSET_EL0=0\nPMEVTYPER0_EL0=8\n' >el1.txt
armpmu why --cure --msr --counter 0 --at NS_EL1 el1.txt
armpmu why -v --counter 0 el1.txt | sed '1,/^$/d' | head -n 2
echo '-- an event that is not implemented counts nothing'
printf 'PMCR_EL0=0x41033041\nPMCNTENSET_EL0=1\nPMEVTYPER0_EL0=0x1f\nPMCEID0_EL0=0x7fff0f3f\nID_AA64PFR0_EL1=0x11\n' |
    armpmu why -v --counter 0 --at EL1 - | sed '1,/^$/d' | head -n 2
echo '-- a core by a short name, and one that is mistyped'
printf 'PMCR=0x41023009\nPMCNTENSET=0x80000000\n' |
    armpmu why -v --core a72 --counter cycle --at EL1 - | sed -n '/^WHAT/,/^$/p'
armpmu why --core A722 el1.txt
