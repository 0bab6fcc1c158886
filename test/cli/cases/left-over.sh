# SPDX-License-Identifier: BSD-2-Clause
# Words that a verb or an option would not use are refused, not ignored.
echo 'PMCR_EL0=0x41023001' >dump
try() { armpmu "$@" >out; echo "$? $(wc -c <out) $*"; }
try decode -f dump PMCR_EL0=1
try decode --cores x
try decode --registers x
try decode --live x
try decode --gdb localhost:1 x
try decode --cores --registers
try decode -f dump --cores
try decode --live -j --registers
try decode -f dump --gdb localhost:1
try help stat x
try --version x
try --help x
try -h x
try --man why x
