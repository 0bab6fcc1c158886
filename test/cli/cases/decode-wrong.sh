# SPDX-License-Identifier: BSD-2-Clause
# Operands and options that decode and encode refuse, and the complaints.
try() { armpmu "$@"; echo "$? $*"; }
try decode
try decode SCTLR_EL1=1
try decode PMCR_EL0=x
try decode PMCR=0x100000000
try decode 0xE04=1
try decode 0xE05=1
try decode 0xD503201F
try decode 0xD5381000
try decode 0xEE111F10
try decode --core=Z80 PMCR=1
try decode --features=PMUv4 PMCR=1
try decode --features=PMUv3_EXT32,PMUv3_EXT64 PMCR=1
try encode
try encode PMCR_EL0 E
try encode PMCR_EL0 Q=1
try encode PMCR_EL0 N=32
try encode PMEVTYPER0_EL0 evtCount=NO_SUCH_EVENT
try encode PMNC EvtCount0=INST_RETIRED
try encode --features=PMUv3 PMCR_EL0 LP=1
try encode --features=PMUv3 PMUACR_EL1 C=1
try decode --base=0xfd5f9000 PMCR=0x1
try decode --live --base=0xfd5f9000
