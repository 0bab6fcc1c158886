# SPDX-License-Identifier: BSD-2-Clause
# Audits with the profiles tf-a and el2, and with profiles from files, of which two are wrong and one is missing.
cat >dump.txt <<'END'
ID_AA64PFR0_EL1 = 0x1111
ID_AA64DFR0_EL1 = 0x10305608
MDCR_EL3 = 0x20000
MDCR_EL2 = 0x6
PMCR_EL0 = 0x41033041
END
cat >mine.profile <<'END'
# the cycle counter is for everybody
level 3
protect secure EL3
accept SECURE_SCCD
END
armpmu audit dump.txt; echo "status $?"
armpmu audit --profile el2 dump.txt; echo "status $?"
sed 's/0x20000/0x0/' dump.txt | armpmu audit --profile mine.profile -; echo "status $?"
sed 's/0x20000/0x800000/' dump.txt | armpmu audit -; echo "status $?"
armpmu audit -j dump.txt |
    python3 -c 'import json, sys; print([(v["leak"], v["register"], v["wanted"]) for v in json.load(sys.stdin)])'
# EL1 may read the flags alone, and a counter of 64 bits sets its flag at its very end (PMCR_EL0.LP).
cat >flags.txt <<'END'
ID_AA64PFR0_EL1 = 0x0111
ID_AA64DFR0_EL1 = 0x10305608
ID_AA64MMFR0_EL1 = 0x0100000000000000
HDFGRTR_EL2 = 0x9000
PMCR_EL0 = 0x410330F1
END
printf 'level 2\nprotect NS_EL2\nmoment entered\n' >entered.profile
armpmu audit --profile entered.profile flags.txt; echo "status $?"
echo 'protect nobody' >wrong.profile
armpmu audit --profile wrong.profile dump.txt; echo "status $?"
printf 'protect EL3\nlevle\n' >key.profile
armpmu audit --profile key.profile dump.txt; echo "status $?"
armpmu audit --profile nosuch.profile dump.txt; echo "status $?"
