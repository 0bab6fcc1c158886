# SPDX-License-Identifier: BSD-2-Clause
# The PMU of ARM1176, with PMNC known and unknown.
# Prints what follows the verdict, which test/cli/why/cases/ tests.
matrix() { armpmu why -v "$@" | sed '1,/^$/d'; }
printf 'MIDR = 0x410FB767\nPMNC = 0x00705001\np15, 0, c15, c9, 0 = 0\n' | matrix -
printf 'MIDR = 0x410FB767\nCCNT = 0\n' | matrix -
