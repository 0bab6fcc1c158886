# SPDX-License-Identifier: BSD-2-Clause
# Complaints about options, states and counters that do not exist.
printf 'PMCR_EL0 = 0x41023001\nID_AA64PFR0_EL1 = 0x11\n' >dump.txt
armpmu why --at NS_EL7 dump.txt
armpmu why -v --at S_EL1 dump.txt >out
armpmu why --counter 31 dump.txt
armpmu why -v --counter 17 dump.txt >out
armpmu why --symptom zero --base 0x80410000
armpmu why --level EL0 --cure dump.txt
armpmu why --symptom nothing >out
armpmu why -j --cure dump.txt
armpmu why
armpmu why --live --base=0x1000
for port in 99999 -1 0 65536 1x; do armpmu why --gdb localhost:$port; done
