# SPDX-License-Identifier: BSD-2-Clause
# Corrects four wrong lines of a32.trace.gz.  In Debug state with EDSCR.SDD = 1, they say that an MRC of PMMIR is
# UNDEFINED although MDCR_EL3.TPM is 0.  G8.3.34 (DDI 0487 M.a.a) has at EL1 and EL2, as for every other PMU register:
# "HaveEL(EL3) && EL3SDDUndefPriority() && ... && MDCR_EL3.TPM == '1'".  Nothing else refuses these four reads.  A line
# is corrected only if it is still the wrong one.
2396s/^r a32 PMMIR -> undef$/r a32 PMMIR -> ok 0x5738e/
10774s/^r a32 PMMIR -> undef$/r a32 PMMIR -> ok 0x478e8/
16645s/^r a32 PMMIR -> undef$/r a32 PMMIR -> ok 0x5d6c/
21832s/^r a32 PMMIR -> undef$/r a32 PMMIR -> ok 0x244a585/
