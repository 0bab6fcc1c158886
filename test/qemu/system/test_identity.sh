#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The ID registers of the PMU have the right values.  The events that its version requires are announced.
# ID_AA64DFR0_EL1.MTPMU and ID_DFR1_EL1.MTPMU are 15 from Armv8.6 on if there is no multithreading.
set -u
. test/qemu/system/machine.sh

# Expects the line with PMUVer and MTPMU to be WANT.
identity() { # WANT CPU
    image "$2" "$2" "$a64/qemu-identity.elf" -icount shift=0
    got=$(tr -d '\r' <"$log/out" | grep '^PMUVer')
    [ "$got" = "$1" ]
    expect $? "$2: $1" "it printed '$got'"
}

identity 'PMUVer 0x1 MTPMU 0x0 0x0' cortex-a57                          # Armv8.0
identity 'PMUVer 0x4 MTPMU 0x0 0x0' cortex-a76                          # Armv8.2
identity 'PMUVer 0x6 MTPMU 0x0 0x0' neoverse-n2                         # Armv9.0, as Armv8.5
identity 'PMUVer 0x6 MTPMU 0xf 0xf' max
identity 'PMUVer 0x6 MTPMU 0x1 0x1' max,pmu-features=PMUv3p5+MTPMU
identity 'PMUVer 0x9 MTPMU 0xf 0xf' cortex-a57,pmu-features=PMUv3p9     # FEAT_PMUv3p7 implies Armv8.6
identity 'PMUVer 0x9 MTPMU 0xf 0xf' neoverse-n2,pmu-features=PMUv3p9+PMUv3_ICNTR
summary
