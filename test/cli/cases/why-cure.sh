# SPDX-License-Identifier: BSD-2-Clause
# Cures as text, as instructions and as C that compiles; and a level at which there is none.
cat >dump.txt <<'END'
ID_AA64PFR0_EL1 = 0x1111
ID_AA64DFR0_EL1 = 0x10305708
MDCR_EL3 = 0x0
MDCR_EL2 = 0x20006
HDFGRTR_EL2 = 0
HDFGWTR_EL2 = 0
PMCR_EL0 = 0x3240
PMCNTENSET_EL0 = 0x0
PMEVTYPER0_EL0 = 0x80000008
PMOVSSET_EL0 = 0x2
END
armpmu why --cure --counter 0 --at NS_EL1 dump.txt
armpmu why --cure --counter 0 --at NS_EL2 dump.txt
armpmu why --msr --counter 0 --at NS_EL2 dump.txt
armpmu why -c --counter 0 --counter cycle --at NS_EL2 dump.txt >cure.c
"${CC:-cc}" -std=c11 -Wall -Wextra -Wno-missing-prototypes -Werror -I"$top/include" -fsyntax-only cure.c &&
    grep -c error cure.c
armpmu why --cure --level EL1 --counter 0 --at NS_EL2 dump.txt
