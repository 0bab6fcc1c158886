#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# armpmu why --dumper: the list of forms, what is refused, each form for each core, and the encodings; and the scripts
# for Trace32, executed by trace32.py, print the registers that they are given.
set -u
. test/lib/tap.sh
. test/cli/dumper/dumper.sh

"$B/armpmu" why --dumper list >"$dir/list" 2>"$dir/err"
expect $? "the list of forms" "$(head -n 1 "$dir/err")"
forms=$(awk '{ print $1 }' "$dir/list")
[ "$(echo "$forms" | wc -l)" -ge 14 ] && ! awk 'NF < 4' "$dir/list" | grep .
expect $? "each form has a description" "$(cat "$dir/list")"

# refused NAME PATTERN OPTIONS...: armpmu exits with 2, and its complaint has the pattern.
refused() {
    name=$1 pattern=$2
    shift 2
    "$B/armpmu" why "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && [ ! -s "$dir/out" ] && grep -q -e "$pattern" "$dir/err"
    expect $? "$name" "$(head -n 2 "$dir/err")"
}
refused "an unknown form: the forms are listed" '^c-armv7 ' --dumper nosuch
refused "a form with an INPUT" 'takes no INPUT' --dumper c dump.txt
refused "another option" '--json-output: --dumper does not use it' --dumper c --json-output
refused "an unknown core" 'not in the list of cores' --dumper c --core nosuch
refused "a core of ARMv7 and a form for AArch64" 'without AArch64 state: give a form for armv7' --dumper c \
    --core Cortex-A9
refused "an ARM11 and a form for AArch64" 'give a form for arm11' --dumper module --core ARM1176
refused "a PMU that is none of Arm's" "none of Arm's" --dumper c --core 'Apple M1'
refused "no base" '--base: it is missing' --dumper u-boot
refused "a base that is not needed" 'reads no memory' --dumper gdb --base 0x1000
refused "a base that is no number" 'not a hexadecimal number' --dumper u-boot --base x

# Every form for every core of the list: a dumper, or a complaint.
"$B/armpmu" decode --cores | sed 's/ *0x[0-9A-F].*//' >"$dir/cores"
count=0 made=0 bad=
while IFS= read -r core; do
    for form in $forms; do
        base=
        case $form in u-boot | devmem) base=--base=0xfd5f9000 ;; esac
        "$B/armpmu" why --dumper "$form" --core "$core" $base >"$dir/out" 2>"$dir/err"
        case $? in
        0) [ "$(wc -l <"$dir/out")" -gt 20 ] && [ ! -s "$dir/err" ] || bad="$bad $core/$form"
           made=$((made + 1)) ;;
        2) [ -s "$dir/err" ] && [ ! -s "$dir/out" ] || bad="$bad $core/$form" ;;
        *) bad="$bad $core/$form" ;;
        esac
        count=$((count + 1))
    done
done <"$dir/cores"
[ -z "$bad" ] && [ $made -gt 500 ]
expect $? "each form for each core" "$made dumpers of $count, wrong:$bad"

# What a core lacks is left out.
dumper "$dir/out" c --core Cortex-A53
! grep -E 'PMEVCNTR6_EL0|PMMIR_EL1|PMICNTR_EL0|PMUACR_EL1' "$dir/out" >"$dir/err"
expect $? "--core leaves out what the core lacks" "$(head -n 1 "$dir/err")"
dumper "$dir/out" c
grep -q '"PMEVCNTR30_EL0"' "$dir/out" && grep -q '"PMICNTR_EL0"' "$dir/out"
expect $? "without --core everything is there" "no PMEVCNTR30_EL0"

# The encodings are those of armpmu decode --registers, and nothing write-only is read.
"$B/armpmu" decode --registers | awk '{ print $1, $2 }' >"$dir/encodings"
awk 'NR == FNR { place[$1] = $2; next }
    match($0, /"[A-Za-z0-9_]+", "S[0-9_C]+"/) {
        split(substr($0, RSTART, RLENGTH), part, "\""); n++
        if (part[2] in place && place[part[2]] != part[4]) { print part[2], part[4] }
        if (part[2] ~ /PMSWINC|PMZR|PMXEV/) { print part[2] " is read" }
    }
    END { if (n < 100) { print "only", n } }' "$dir/encodings" "$dir/out" >"$dir/err"
[ ! -s "$dir/err" ]
expect $? "the encodings are those of the tables" "$(head -n 3 "$dir/err")"

# script FORM CPSR: runs a script for Trace32 on the registers in $dir/registers.
script() {
    dumper "$dir/armpmu.cmm" "$1"
    python3 test/cli/dumper/trace32.py "$dir/armpmu.cmm" "$dir/registers" "$2" >"$dir/dump" 2>"$dir/err"
    expect $? "$1: it reads what the core has, and nothing else" "$(tail -n 1 "$dir/err")"
    check_read "$1" "$dir/dump"
    second_reading "$dir/dump" >"$dir/second"
    first_reading "$dir/dump" | grep -F -x -f "$dir/second" >"$dir/same"
    cmp -s "$dir/same" "$dir/second"
    expect $? "$1: both readings agree" "$(head -n 3 "$dir/second" | tr '\n' ';')"
}
if command -v python3 >/dev/null; then
    cat >"$dir/a57" <<'DUMP'
MIDR_EL1 0x411fd070
ID_AA64DFR0_EL1 0x10305106
ID_AA64DFR1_EL1 0x0
ID_AA64DFR2_EL1 0x0
ID_AA64PFR0_EL1 0x2222
ID_AA64MMFR0_EL1 0x1124
ID_AA64MMFR1_EL1 0x0
ID_AA64MMFR4_EL1 0x0
ID_PFR0_EL1 0x131
ID_PFR1_EL1 0x11011
ID_DFR0_EL1 0x3010066
ID_DFR1_EL1 0x0
OSLSR_EL1 0x8
PMCR_EL0 0x41011000
PMCEID0_EL0 0x7fff0f3f
PMCEID1_EL0 0x0
PMCNTENSET_EL0 0x80000001
PMOVSSET_EL0 0x2
PMSELR_EL0 0x1
PMCCNTR_EL0 0x123456789abcdef0
PMUSERENR_EL0 0xd
PMINTENSET_EL1 0x0
PMCCFILTR_EL0 0x8000000
MDCR_EL2 0x2
HCR_EL2 0x80000000
HSTR_EL2 0x0
DUMP
    awk 'NR == FNR { if (split($2, part, "_") == 5) { gsub("[SC]", "", $2); split($2, part, "_")
            place[$1] = sprintf("SPR:0x%x%x%x%x%x", part[1], part[2], part[3], part[4], part[5]) } next }
        { print place[$1], $2 }' "$dir/encodings" "$dir/a57" >"$dir/registers"
    for n in 0 1; do
        echo "SPR:0x33e8$n 0x10$n"
        echo "SPR:0x33ec$n 0x$((8 + n))"
    done >>"$dir/registers"
    script trace32 0x3c9
    awk '{ value = substr($2, 3); while (length(value) < 16) value = "0" value; print $1 " = 0x" value }' "$dir/a57" |
        sort >"$dir/want"
    first_reading "$dir/dump" | sort >"$dir/got"
    comm -23 "$dir/want" "$dir/got" >"$dir/differ"
    [ ! -s "$dir/differ" ] && grep -q '^PMEVTYPER1_EL0 = 0x0000000000000009$' "$dir/got"
    expect $? "trace32: it prints the registers that it was given" "$(head -n 3 "$dir/differ" | tr '\n' ';')"

    cat >"$dir/registers" <<'REGISTERS'
C15:0x0000 0x410fc075
C15:0x0010 0x1131
C15:0x0110 0x11011
C15:0x0210 0x02010555
C15:0x0530 0
C15:0x00c9 0x41071001
C15:0x01c9 0x80000003
C15:0x05c9 1
C15:0x00d9 0x1234
C15:0x00e9 1
C15:0x01e9 0
C15:0x03e9 2
C15:0x01d9 9
C15:0x02d9 0x101
C15:0x01d9@0 8
C15:0x02d9@0 0x100
C15:0x01d9@1 9
C15:0x02d9@1 0x101
C15:0x01d9@31 0x40000000
REGISTERS
    script trace32-armv7 0x1d3
    grep -q '^PMEVTYPER1 = 0x00000009$' "$dir/dump" && grep -q '^PMCCFILTR = 0x40000000$' "$dir/dump"
    expect $? "trace32-armv7: it selects the counters" "$(grep TYPER "$dir/dump" | tr '\n' ';')"
    printf '%s\n' 'C15:0x0000 0x410fb767' 'C15:0x00cf 0x705020' 'C15:0x01cf 5' 'C15:0x02cf 6' 'C15:0x03cf 7' \
        >"$dir/registers"
    script trace32-arm11 0x1d3
else
    skip "the scripts for Trace32" "no python3"
fi
summary
