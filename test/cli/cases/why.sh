# SPDX-License-Identifier: BSD-2-Clause
# Three registers: what they decide, and what they leave open.
cat >dump.txt <<'END'
PMCR_EL0       0x41023001
PMCNTENSET_EL0 0x80000001
PMEVTYPER0_EL0 0x8
END
# Prints what follows the verdict, which test/cli/why/cases/ tests.
matrix() { armpmu why -v "$@" | sed '1,/^$/d'; }
matrix dump.txt
echo '--'
matrix --at NS_EL1 --counter 0 - <dump.txt
echo '-- no colour in a pipe'
armpmu why -v dump.txt | grep -c "$(printf '\033')"
