# SPDX-License-Identifier: BSD-2-Clause
# The lists of every register in every view, and of the cores.
armpmu decode --registers
armpmu decode --cores | awk '{ print $1 " " $2 } END { print NR }' | tail -n 4
armpmu decode --cores | grep -E '^(Cortex-A9|Neoverse N1|ARM1176|Apple M1) '
