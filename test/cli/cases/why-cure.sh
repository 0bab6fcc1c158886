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
armpmu why --form=armpmu --counter 0 --counter cycle --at NS_EL2 dump.txt >cure.c
"${CC:-cc}" -std=c11 -Wall -Wextra -Wno-missing-prototypes -Werror -I"$top/include" -fsyntax-only cure.c &&
    grep -c error cure.c
armpmu why --cure --level EL1 --counter 0 --at NS_EL2 dump.txt
for form in c linux tf-a rust armasm memory u-boot; do
    echo "-- $form"
    armpmu why --form=$form --base 0x80410000 --counter 0 --at NS_EL1 dump.txt
done
echo '-- ARMv7, and its kernel'
printf 'MIDR=0x410fc075\nPMCR=0x41072000\nPMCNTENSET=0\nPMSELR=0\nPMXEVTYPER=0x80000008\n' >v7.txt
armpmu why -c --counter 0 --at EL1 v7.txt
armpmu why --form=linux --counter cycle --at EL1 v7.txt
echo '-- words'
armpmu why -c 'PMCR.E is 0 on my Cortex-A7'
armpmu why -c 'DEMCR.TRCENA is 0 on my STM32F4, CYCCNT stays 0'
armpmu why -c 'perf_event_paranoid is 3, permission denied'
echo '-- forms'
armpmu why --form=list
armpmu why --form=pascal dump.txt
