# SPDX-License-Identifier: BSD-2-Clause
# Instructions as text and as opcodes, syndromes, names that are nearly right, and one counter's bit.
first() { armpmu decode "$@" | head -n 2; }
for insn in 'mrs x0, pmccntr_el0' 'MSR S3_3_C9_C12_1, x3' 'mrc p15, 0, r0, c9, c13, 0' 'mrc 15, 0, r3, cr9, cr12, {0}' \
    'mrrc p15, 0, r0, r1, c9' 'mrc p15, 0, r3, c15, c12, 1' d53b9d00 ee190f1d EE1F3F3C; do
    first "$insn"
done
armpmu decode ESR_EL1=0x6230e419 | head -n 5
armpmu decode HSR=0x2000000
armpmu decode ESR_EL2=0x96000045
armpmu decode ISS=0x30e51b | head -n 4
armpmu decode -j ESR_EL3=0x6230e51b | head -n 7
try() { armpmu "$@"; echo "$? $*"; }
try decode PMRC_EL0
try decode PMCCNTR_EL
try decode 'mrs x0, pmcntr_el0'
try decode d53be040
try decode 'mrrc p15, 1, r0, r1, c14'
try decode ESR_EL1=x
armpmu encode PMCNTENSET_EL0 P0=1 p5=1 C=1
try encode PMCNTENSET_EL0 P31=1
try encode PMCNTENSET_EL0 P0=2
