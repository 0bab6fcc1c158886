# SPDX-License-Identifier: BSD-2-Clause
# Inputs of -f: prints the registers of a text, and complains of lines that it leaves out and of a text without any.
cat >dump <<'END'
PMCR_EL0=0x41023001
PMCNTENSET: 0x8000000f
HDCR 0x86
MIDR_EL1 0x410fd083 1091555459
SCTLR_EL1 0x30d0198d
PMCR=0x41023000
PMINTENSET=12
END
armpmu decode -f dump
armpmu decode -f dump -j | grep -c '"field": "E"'
printf '{"PMSELR_EL0": "0x3"}' | armpmu decode -f -
printf 'fd5f9e04: 41023001\nfd5f9fbc: 47702a16\n' >memory
armpmu decode -f memory --base=0xfd5f9000 | grep -v '^  '
armpmu decode -f memory
echo $?
echo 'Dear PMU, nothing counts.' | armpmu decode -f -
echo $?
armpmu decode -f nosuchfile
echo $?
armpmu decode -f dump --gdb localhost:1
echo $?
