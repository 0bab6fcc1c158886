# SPDX-License-Identifier: BSD-2-Clause
# A PMU with a third range of counters, for external agents (FEAT_PMUv3_EXTPMN).  PMDEVID or PMCCR shows it, or
# --features names it; the layout of the external view need not be known.
cat >dump.txt <<'END'
ID_AA64PFR0_EL1 = 0x1111
ID_AA64DFR0_EL1 = 0x10305906
MDCR_EL2 = 0x2
MDCR_EL3 = 0x0
PMCR_EL0 = 0x3041
PMCCR = 0x4
PMCNTENSET_EL0 = 0x3f
PMEVTYPER5_EL0 = 0x8
END
{ cat dump.txt; echo 'PMDEVID = 0x100'; } >devid.txt
{ cat devid.txt; echo 'PMDEVARCH = 0x47716A16'; } >devarch.txt
for file in dump.txt devid.txt devarch.txt; do
    armpmu why --cure --level external --counter 5 --at NS_EL1 $file
    armpmu why -v --counter 5 --at NS_EL1 $file | grep -c CONTRADICTS
done
grep -v PMCCR dump.txt | armpmu why --features=+PMUv3_EXTPMN -v --counter 5 --at NS_EL1 - | grep -c CONTRADICTS || :
