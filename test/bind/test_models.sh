#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The register models of two configurations: IP-XACT is well-formed (xmllint), Verilator accepts the UVM model with
# declarations of UVM's classes, and all three formats have the same registers at the same offsets.  Debian lacks a
# parser of SystemRDL; its braces are counted.
set -u
. test/lib/tap.sh
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

check() { # NAME REGISTERS CONFIG
    for format in ipxact rdl ral; do
        "$B/register-models" $format "$3" >"$work/$format" 2>"$work/log"
        expect $? "$1: $format" "$(head -n 1 "$work/log")"
    done
    # NAME OFFSET of each register.
    tr -d '\n' <"$work/ipxact" | sed 's/<ipxact:register>/\n&/g' |
        sed -n "s/^<ipxact:register><ipxact:name>\([A-Z0-9_]*\)<.*addressOffset>'h\([0-9a-f]*\)<.*/\1 \2/p" |
        sort >"$work/ipxact.list"
    sed -n 's/^    } \([A-Z0-9_]*\) @ 0x\([0-9A-F]*\);/\1 \2/p' "$work/rdl" |
        while read -r name offset; do echo "$name $(printf %x "0x$offset")"; done | sort >"$work/rdl.list"
    sed -n "s/^ *default_map.add_reg(\([A-Z0-9_]*\), 64'h\([0-9A-F]*\),.*/\1 \2/p" "$work/ral" |
        while read -r name offset; do echo "$name $(printf %x "0x$offset")"; done | sort >"$work/ral.list"
    cmp -s "$work/ipxact.list" "$work/rdl.list" && cmp -s "$work/rdl.list" "$work/ral.list"
    expect $? "$1: the formats agree" "$(diff "$work/ipxact.list" "$work/rdl.list" | head -n 2 | tr '\n' ' ')"
    grep -qx "$2" "$work/rdl.list" && [ "$(grep -c . "$work/rdl.list")" -gt 30 ]
    expect $? "$1: it has $2" "$(grep -c . "$work/rdl.list") registers"
    [ "$(tr -cd '{' <"$work/rdl" | wc -c)" -eq "$(tr -cd '}' <"$work/rdl" | wc -c)" ]
    expect $? "$1: SystemRDL has its braces in pairs" "it has not"
    awk '{ if ($2 in at) { print at[$2], "and", $1; exit } at[$2] = $1 }' "$work/rdl.list" >"$work/twice"
    [ ! -s "$work/twice" ]
    expect $? "$1: no two registers are at one place" "$(cat "$work/twice")"
    if command -v xmllint >/dev/null 2>&1; then
        xmllint --noout "$work/ipxact" 2>"$work/log"
        expect $? "$1: IP-XACT is well-formed" "$(head -n 2 "$work/log")"
    else
        skip "$1: IP-XACT" "no xmllint"
    fi
    if command -v verilator >/dev/null 2>&1; then
        cp "$work/ral" "$work/apmu_ral_pkg.sv"
        verilator --lint-only -Wno-UNUSED test/bind/bindings/uvm_pkg.sv "$work/apmu_ral_pkg.sv" >"$work/log" 2>&1
        expect $? "$1: Verilator accepts the UVM model" "$(grep -m 3 '%' "$work/log" | tr '\n' ' ')"
    else
        skip "$1: the UVM model" "no verilator"
    fi
}

check "PMUv3p9, 64-bit layout" "PMCR e10" \
    "features=PMUv3p9,PMUv3_ICNTR,PMUv3_SS,PMUv3_EXT64,PMUv3_EXTPMN,AA64EL0,AA64EL1,AA64EL2,AA64EL3 counters=6"
check "PMUv3p9, 32-bit layout" "PMZR ca0" "features=PMUv3p9,PMUv3_EXT32,AA64EL0,AA64EL1 counters=4"
check "PMUv3p4, 32-bit layout, PMSWINC" "PMSWINC ca0" \
    "features=PMUv3p4,PMUv3_EXT32,AA64EL0,AA64EL1 counters=31 external_swinc=1"
check "PMUv3p4, 32-bit layout" "PMCR e04" "features=PMUv3p4,PMUv3_EXT32,AA64EL0,AA64EL1 counters=31 software_lock=1"
"$B/register-models" vhdl "features=PMUv3" 2>"$work/log"
[ $? -eq 2 ] && grep -q '^usage:' "$work/log"
expect $? "another format is refused" "$(cat "$work/log")"
"$B/register-models" --help >"$work/out" && grep -q '^usage: .* CONFIG$' "$work/out"
expect $? "--help prints the usage" "$(head -n 1 "$work/out")"
"$B/register-models" ral "features=PMUv3,AA64EL0,AA64EL1 counters=4" >"$work/out" 2>"$work/log"
[ $? -eq 2 ] && grep -q 'has no external view; add PMUv3_EXT32' "$work/log" && [ ! -s "$work/out" ]
expect $? "a configuration without an external view is refused" "$(head -n 1 "$work/log")"
small="features=PMUv3p4,PMUv3_EXT32,AA64EL0,AA64EL1 counters=4"
"$B/register-models" ral "$small" >"$work/ral"
awk '/class PMCNTENSET/ { on = 1 } on && /P.configure/ { print; exit }' "$work/ral" | grep -q 'this, 4, 0, "W1S"'
expect $? "P of PMCNTENSET has a bit for each counter" "$(grep -m 1 'P.configure' "$work/ral")"
# fields CONFIG REGISTER: prints the fields of a register, NAME[MSB:LSB].
fields() {
    "$B/register-models" rdl "$1" | tac | awk -v reg="$2" '/^    } / { on = $2 == reg } on' |
        sed -n 's/.*} \\\([A-Za-z0-9_]*\) \(\[[0-9:]*\]\).*/\1\2/p' | tr '\n' ' '
}
shows() { # CONFIG REGISTER FIELDS
    got=$(fields "$1" "$2")
    [ "$got" = "$3 " ]
    expect $? "$2 has $3" "$got"
}
full="features=PMUv3p9,PMUv3_EXT64,PMUv3_TH,AA64EL0,AA64EL1 counters=2 thwidth=4"
shows "$full" PMCR "FZO[9:9] LP[7:7] DP[5:5] C[2:2] P[1:1] E[0:0]"
shows "$small" PMCR "C[2:2] P[1:1] E[0:0]"
shows "$full" PMEVCNTR0 "EVCNT[63:0]"
shows "$small" PMEVCNTR0 "EVCNT[31:0]"
shows "$full" PMEVTYPER1 "TC[63:61] TH[35:32] P[31:31] U[30:30] evtCount[15:0]"
shows "$full" PMZR "C[31:31] P[1:0]"
shows "${full%counters*}counters=0 thwidth=4" PMCNTENSET "C[31:31]"
shows "features=PMUv3,PMUv3_EXT32,AA64EL0,AA64EL1 counters=1" PMEVTYPER0 "P[31:31] U[30:30] evtCount[9:0]"
awk '/class PMEVCNTR0/ { on = 1 } on && /configure/ { print; exit }' "$work/ral" | grep -q ", 0, 1, 0);"
expect $? "UVM: a counter has no reset value" "$(grep -A 9 'class PMEVCNTR0' "$work/ral" | tr '\n' ' ')"
"$B/register-models" rdl "$small" | grep -B 2 '} PMEVCNTR0 @' | grep -q '\[31:0\];'
expect $? "SystemRDL: a counter has no reset value" "it has"
"$B/register-models" rdl "$small" | grep -q '\\E \[0:0\] = 1.h0;'
expect $? "PMCR.E has a reset value" "it has not"
summary
